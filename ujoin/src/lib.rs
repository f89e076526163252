//! Sliding-window join of many uncertain streams.
//!
//! Cameras along roads read number plates, each reading with a probability. The same plate seen twice
//! in less time than the drive from one camera to the other takes cannot be one car. This crate finds
//! each such pair once, with its probability, for 2 to 10,000 streams, within a memory budget.
//!
//! ```
//! use ujoin::{Collect, Config, Probability, TravelTimes, Tuple};
//!
//! // Two cameras, half an hour apart; times are in seconds.
//! let travel = TravelTimes::constant(2, 1800)?;
//! let mut join = Config::new(travel).build()?;
//! let sighting = |seq, stream, time, tenths: u32| Tuple {
//!     seq,
//!     observation: seq,
//!     key: 12345,
//!     time,
//!     stream,
//!     probability: Probability::from_nanos(tenths * 100_000_000).unwrap(),
//! };
//! let mut found = Collect::default();
//! join.push(&[sighting(0, 0, 60, 9), sighting(1, 1, 420, 8)], &mut found)?;
//! join.finish(&mut found)?;
//! assert_eq!(found.pairs.len(), 1);
//! assert_eq!(found.pairs[0].probability.to_string(), "0.72");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Start reading at [`Config`], which says what there is to choose, and [`Join`], which runs.
//!
//! # What is a result
//!
//! Two [`Tuple`]s of one key, of different streams and observations, whose distance in time is less
//! than the travel from the earlier one's stream to the later one's, and whose probabilities multiply
//! to at least the threshold. Numbers are exact: probabilities are integers of 1e-9, products of
//! 1e-18. Which results there are depends on nothing else: not on the engine, the threads, the sizes
//! of batches, the budget or the policy.
//!
//! # Engines
//!
//! | [`Engine`] | how | a surviving tuple costs |
//! |---|---|---|
//! | [`Paper`](Engine::Paper) | a thread and an index a stream, each tuple sent to all | O(streams + partners), and as many messages |
//! | [`PaperBatched`](Engine::PaperBatched) | the same, 256 tuples a message | O(streams + partners) |
//! | [`Keyed`](Engine::Keyed) | a table of keys with lists | O(1 + partners) |
//! | [`Log`](Engine::Log) | a circular log, chained by key; the default | O(1 + partners), least memory |
//!
//! `Log` takes 48 bytes a tuple in the window and 8 to 16 for the index; frequent keys 32 more.
//! [`Config::threads`] divides keys among threads; a second one pays off with hundreds of thousands of
//! tuples in the window, unless there are many results for each.
//!
//! # When memory is short
//!
//! [`Spill`] sets a [`Budget`], a [`Policy`] that chooses what goes to disk, and the place. What went
//! to disk meets later arrivals when the join is [drained](Join::drain): while input is slow, at a
//! [pause](Join::pause), or at the end. [`Policy::Quantile`] gave the most results early in our
//! measurements, [`WindowHalf`](Policy::WindowHalf) and
//! [`LessThanProbability`](Policy::LessThanProbability) are the paper's.
//!
//! # The paper and this crate
//!
//! | paper | here |
//! |---|---|
//! | checkpoint (camera), distance matrix | [`StreamId`], [`TravelTimes`] |
//! | uncertain tuple, alternatives | [`Tuple`], one for each alternative; [`mode::observation`](mode) joins whole observations |
//! | distributor; dropping below the threshold | `engine/distributor.rs` |
//! | probe buffer, join thread | `engine/worker.rs`, `engine/crew.rs` |
//! | uncertain list index (ULI), Algorithm 1; real-time and batch expiry | `engine/paper.rs`, [`Expiry`] |
//! | Algorithms 3 and 4: what to flush | [`Policy`], `spill/policy.rs` |
//! | join of flushed tuples when the rate drops | `spill/debt.rs`, `spill/drain.rs` |
//!
//! Algorithm 2, the join in a database, is part of the project's benchmarks.
//!
//! # Limits
//!
//! Time is a count of ticks in an `i64`; arithmetic on it never wraps. A tuple that is older than the
//! newest by more than the [lateness](Config::lateness) is not joined but handed to
//! [`Sink::late`]. In [`Order::Deterministic`] the results of one tuple are held until all are found.
//!
//! # Features
//!
//! None by default. `serde`: tuples, pairs and statistics can be written and read. `cli`: the program
//! `ujoin`, and `input`, which reads its files.
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

/// The example of the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
