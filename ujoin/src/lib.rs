//! Sliding-window join of many uncertain streams.
//!
//! Cameras along roads read number plates, each reading with a probability. The same plate seen twice
//! in less time than the drive from one camera to the other takes cannot be one car. This crate finds
//! each such pair once, with its probability.
#![deny(missing_docs)]

mod probability;
mod travel;
mod tuple;

pub use probability::{Probability, ProbabilityError, Product};
pub use travel::{TravelError, TravelTimes};
pub use tuple::{Pair, StreamId, Tuple};
