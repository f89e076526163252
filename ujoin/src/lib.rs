//! Sliding-window join of many uncertain streams.
//!
//! Cameras along roads read number plates, each reading with a probability. The same plate seen twice
//! in less time than the drive from one camera to the other takes cannot be one car. This crate finds
//! each such pair once, with its probability.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod checkpoint;
mod config;
mod engine;
mod error;
#[cfg(feature = "cli")]
pub mod input;
pub mod mode;
mod probability;
mod sink;
mod spill;
mod stats;
pub mod storage;
mod travel;
mod tuple;

pub use config::{Budget, Config, Engine, Expiry, Order, Policy, SlotProbability};
pub use engine::{Drained, Join, State};
pub use error::{Error, ErrorKind};
pub use probability::{Probability, ProbabilityError, Product};
pub use sink::{Collect, Count, Sink, SinkError, Visit};
pub use spill::{Spill, WhenFull};
pub use stats::Stats;
pub use travel::{TravelError, TravelTimes};
pub use tuple::{Pair, StreamId, Tuple};
