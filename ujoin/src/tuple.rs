//! What is joined, and what comes out.

use crate::{Probability, Product};

/// A stream's number, from 0.
pub type StreamId = u32;

/// One alternative of one observation: what the engines store and compare (40 bytes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tuple {
    /// Place in the one total order of arrival. Breaks every tie.
    pub seq: u64,
    /// The observation: tuples of one observation never join.
    pub observation: u64,
    /// What must be equal. Two tuples have the same key exactly if these numbers are equal.
    pub key: u64,
    /// Event time, in ticks (the unit of [`TravelTimes`](crate::TravelTimes)).
    pub time: i64,
    /// Where it was observed.
    pub stream: StreamId,
    /// How likely this alternative is the true one.
    pub probability: Probability,
}

impl Tuple {
    /// Whether this tuple is the earlier of the two: by time, then by arrival.
    #[must_use]
    pub fn is_before(&self, other: &Tuple) -> bool {
        (self.time, self.seq) < (other.time, other.seq)
    }
}

/// One result: two tuples that cannot be sightings of one and the same thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pair {
    /// The earlier tuple, by (time, seq).
    pub first: Tuple,
    /// The later tuple.
    pub second: Tuple,
    /// The product of both probabilities: that both sightings are true.
    pub probability: Product,
    /// The travel time that the pair undercuts, in ticks.
    pub limit: i64,
}
