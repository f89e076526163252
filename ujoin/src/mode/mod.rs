//! What is made of pairs: observations compared as a whole, expected counts, the best of each slice.
//!
//! | mode | what it gives | here |
//! |---|---|---|
//! | tuple (the paper) | each pair of alternatives with p * q at least the threshold | the [`Join`](crate::Join) itself |
//! | observation | each pair of observations with the probability that they show the same thing, the sum of p * q over the keys that they share | [`ObservationJoin`], [`sameness`] |
//! | expected count | for each key and time slice how many of its pairs are true, on average | [`Expected`] |
//! | top k | the k most likely pairs of each time slice | [`TopK`] |
//!
//! Alternatives of one observation exclude each other, so their probabilities add up, and sums of
//! pairs that share an observation are right (expectations add up whether or not things depend on
//! each other). Products over such pairs would not be, and are not offered.

mod expected;
mod observation;
mod retention;
mod slice;
mod top;

pub use expected::{Expectation, Expected};
pub use observation::{
    Alternative, Found, Observation, ObservationError, ObservationJoin, ObservationPair, Sameness,
    candidate_threshold, least_certain, sameness,
};
pub use retention::Retention;
pub use slice::Slices;
pub use top::TopK;
