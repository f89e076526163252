//! Many event sequence patterns over one stream.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "serde")]
mod codec;
pub mod cost;
pub mod decompose;
mod detect;
mod error;
mod event;
mod limits;
pub mod model;
mod parser;
mod pattern;
pub mod plan;
pub mod share;
mod stats;
mod value;

#[cfg(feature = "serde")]
pub use detect::Snapshot;
pub use detect::{Block, Collect, Config, Count, Detector, Level, Match, Sink, Visit};
pub use error::{Error, ErrorKind};
pub use event::{Event, Record, Schema, Slot, TypeId};
pub use limits::{Limit, Limits, Policy};
pub use pattern::{
    Condition, IntoCondition, Operand, Pattern, PatternId, PatternSet, PatternSetBuilder, Relation,
    Semantics, Term, TimeUnit, Window,
};
pub use plan::{Method, Plan};
pub use stats::Stats;
pub use value::{Value, ValueRef};
