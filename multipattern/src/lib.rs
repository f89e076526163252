//! Many event sequence patterns over one stream, detected together, exactly.
//!
//! Somebody watches a plant, a network or a market with 40 or 40,000 rules of the form "first this,
//! then that, then that, within so many events". Each rule alone is simple; one detector for each of
//! them does the same work again and again. Here all patterns of a set share one model.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use multipattern::{Detector, Match, PatternSet, Record, Visit};
//!
//! let set = PatternSet::builder()
//!     .seq("reordered", ["Check", "Weld"])
//!     .seq("route", ["Weld", "Paint", "Check"])
//!     .build()?;
//! let mut detector = Detector::new(&set)?;
//! let mut found = Vec::new();
//! let mut sink = Visit(|one: Match<'_>| {
//!     found.push((set.patterns()[one.pattern.index()].id().to_owned(), one.events.to_vec()));
//!     ControlFlow::Continue(())
//! });
//! for (time, name) in ["Weld", "Paint", "Paint", "Check"].into_iter().enumerate() {
//!     let event = Record::new(set.schema().type_id(name).unwrap(), time as i64);
//!     let _ = detector.push(&event, &mut sink)?;
//! }
//! assert_eq!(found, [("route".into(), vec![0, 1, 3]), ("route".into(), vec![0, 2, 3])]);
//! # Ok::<(), multipattern::Error>(())
//! ```
//!
//! # Where to start
//!
//! A [`PatternSet`] is parsed from text or built; it names types and attributes in its
//! [`Schema`]. A [`Detector`] of it is pushed events of any type that implements [`Event`]
//! ([`Record`] does), and hands what it finds to a [`Sink`], which says whether it wants counts, blocks
//! or every match. A [`Plan`] says what the patterns share.
//!
//! # What is a match
//!
//! Events that fit the operands one by one, in the order of the stream, all in the pattern's
//! [`Window`]: so many consecutive events, or so much time. What may lie between them is the set's
//! [`Semantics`]: under `any` everything, so that every combination is a match; under `next` only what
//! does not fit the operand that is waited for; under `strict` nothing. No event is used up by a match. A
//! condition with a missing value does not hold. With [`Config::partition_by`] all of this is said of the
//! events of one key.
//!
//! All methods give the same matches in the same order: by the completing event, then by the pattern's
//! number, then by the indices of the events.
//!
//! # Where things are
//!
//! | paper | here |
//! |---|---|
//! | pattern expressions | [`Pattern`], [`PatternSet`] |
//! | left and right decomposition rules | [`decompose`] |
//! | merge sharing | [`share`] |
//! | detection model; state transition, failure transition, conditional output | [`model`] |
//! | cost, eq. (1) | [`cost`] |
//! | plans, Figs. 6-8, 12, 13 | [`Plan`] |
//! | detection, Figs. 9, 10, 14-16 | [`Detector`]; start reading in `detect/mod.rs` |
//!
//! Models are what a set of patterns shares, for people and for counting; they run too
//! ([`model`] has an interpreter), but [`Detector`] has mechanisms of its own that share the same.
//!
//! # Cost
//!
//! Under `any`, an event costs one copy for each prefix that ends with its type, one comparison for
//! each pattern that ends with it, and its output, which may be exponential in the length of a pattern:
//! that is why a sink may ask for counts or blocks, and may stop. Under `next` an event costs the same,
//! with a step for each operand of each match. Under `strict` it costs one look-up. Memory is the
//! events in windows, and nothing for partial matches, except with method `single`, under `next` with
//! conditions between events, and under `next` with `sharing`.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `serde` | `Detector::snapshot`, `Detector::restore`; `Record`, `Value` and `Stats` can be written and read |
//! | `cli` | the program `multipattern` |
//!
//! None is on by default.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "serde")]
mod codec;
pub mod cost;
pub mod decompose;
mod detect;
mod error;
mod event;
mod heap;
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
pub use detect::{Block, Collect, Config, Count, Detector, Level, Match, Ring, Sink, Visit};
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

/// The example of the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
