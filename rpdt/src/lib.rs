//! Regular tree patterns over XML streams: a Regular Pushdown Transducer (RPDT).
//!
//! (The front page is written together with the engine.)
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod automaton;
mod config;
mod engine;
mod error;
pub mod input;
mod limits;
mod matcher;
pub mod pattern;
mod plan;
mod sink;
mod stats;

pub use config::{Config, FrontEnd, Mechanisms, Order, Runs};
pub use error::{Error, ErrorKind, Position};
pub use limits::Limits;
pub use matcher::{Matcher, Outcome};
pub use pattern::{Namespaces, Pattern};
pub use plan::Plan;
pub use sink::{
    Answer, Count, Exists, Field, Needs, NodeRef, Shape, Sink, Value, Visit,
};
pub use stats::Stats;
