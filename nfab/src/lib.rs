//! Event patterns over streams, exact under every contiguity: NFA^b complex event matching.
//!
//! A pattern describes a sequence of events: stages that follow each other strictly, relaxed or in
//! every possible way, loops, groups, what must not occur, windows, and conditions that look back
//! at the events already taken. The engine finds all its matches in a stream, in one pass.
//!
//! ```
//! use std::ops::ControlFlow;
//! use nfab::{Automaton, Engine, Expr, Pattern, Record, Schema, ValueType, Visit};
//!
//! # fn main() -> Result<(), nfab::Error> {
//! let mut schema = Schema::new();
//! let tick = schema.add_type("tick");
//! let price = schema.add_attribute("price", Some(ValueType::Int));
//!
//! // A start at 20, then ever higher prices, others in between ignored.
//! let pattern = Pattern::begin("low")
//!     .where_(Expr::attribute("price").eq(20))
//!     .followed_by("up")
//!     .where_(Expr::attribute("price").gt(Expr::max("up", "price")).assume(true))
//!     .times(3)
//!     .build()?;
//! let mut engine = Engine::new(Automaton::compile(&pattern, &schema)?);
//!
//! let mut found = Vec::new();
//! let mut sink = Visit(|m: &nfab::Match<'_, Record>| {
//!     found.push(m.events().numbers().collect::<Vec<_>>());
//!     ControlFlow::Continue(())
//! });
//! for (time, value) in [20, 30, 100, 40, 110].into_iter().enumerate() {
//!     engine.push(Record::new(tick, time as i64).with(price, value), &mut sink)?;
//! }
//! assert_eq!(found, [[0, 1, 2, 4]]);
//! # Ok(())
//! # }
//! ```
//!
//! # Where to start
//!
//! A [`Schema`] names types and attributes. A [`Pattern`] from the builder, or a
//! [`language::Query`] in SASE+ text, is compiled to an [`Automaton`], which can be looked at. An
//! [`Engine`] of it is pushed events of any type that implements [`Event`] ([`Record`] does), and hands
//! what it finds to a [`Sink`]: matches, partial matches that timed out, late events. Time is that of the
//! events; [`Engine::advance_watermark`] tells it where there are none.
//!
//! # The pieces
//!
//! | module | what |
//! |---|---|
//! | [`pattern`] | the pattern, its builder and its checks |
//! | [`language`] | SASE+ text: parsed, checked, shown; what a match returns |
//! | [`predicate`] | conditions: expressions, types, three-valued logic, registers |
//! | [`nfa`] | the automaton: states with begin, take, ignore and proceed edges; DOT, explanation |
//! | `history` | the match buffer: which events each run holds, shared between runs |
//! | `reorder` | events out of order wait until they are in their places |
//! | `snapshot` | the state of an engine, to be kept and gone on from |
//! | `runtime` (start reading in `runtime/mod.rs`) | the engine: runs, windows, skip, output |
//!
//! # Semantics
//!
//! Patterns follow Flink CEP, measured against it. In short: a loop lets every prefix of it go on to
//! what comes next; windows are exclusive; time advances before an event is processed; under an
//! after-match skip a match waits while a partial match that started earlier is alive. The README
//! of the crate lists where this engine decides otherwise. Queries in SASE+ text mean what their paper
//! says; [`language`] has it in detail, and the differences: there, windows are inclusive. In a
//! condition of a query, `b[i]` is each event of the list from the second on and `b[1]` the first; to
//! demand it of all say both.
//!
//! # The paper and this crate
//!
//! NFA^b is that of Agrawal, Diao, Gyllstrom and Immerman, *Efficient pattern matching over event streams*
//! (SIGMOD 2008).
//!
//! | paper | here |
//! |---|---|
//! | event selection strategies | [`language::Strategy`]; [`Pattern`]'s connectors, stage by stage |
//! | states, begin, take, ignore and proceed edges with formulas | [`nfa`] |
//! | versioned match buffer, Dewey numbers | [`HistoryKind::Versioned`], shown by [`Engine::buffer`]; the default is a buffer of chains, which holds the same |
//! | computation state of a run, value vectors | registers of a run; [`predicate`] says which there are |
//! | merging runs that behave alike | [`Evaluation`]: where conditions allow, all partial matches of a state are kept at once |
//!
//! # Cost
//!
//! Time: conditions on the event alone are evaluated once an event, aggregates over held events in
//! constant time. Beyond that an event costs, by [`Evaluation`], a constant for each state (conditions on
//! single events), a step for each group of partial matches that remember the same (conditions that look
//! back at first and last events), or one for each partial match. [`Automaton::explain`] says which it is,
//! and why. To this comes the output, which may be exponential in the window under skip-till-any. Memory: one cell for each event that
//! a partial match took, shared by those that forked from it; garbage is found by marking when the
//! buffer has doubled. [`Limits`] bounds everything that could grow, each with a stated policy.
//!
//! # Events out of order
//!
//! [`Config::lateness`] says how much an event may be older than the newest one before it. Events
//! then wait in a buffer, and go on in order when the watermark, the greatest time so far minus the
//! bound, has reached them: the output is that of the sorted stream. What is older than the watermark
//! is handed to [`Sink::late`] and counted.
//!
//! # Stopping and going on
//!
//! With the feature `serde`, `Engine::snapshot` gives all that the engine knows of the stream: events
//! that partial matches hold, partial matches with what they remember, matches that are held back,
//! events that wait, time, counters. It can be written in any format of serde if events can, which
//! [`Record`]s can. `Engine::restore` makes an engine of it and of the same pattern, which gives from
//! then on exactly what the first one would have given, down to the order.
//!
//! Output is not in a snapshot: it was delivered before the call returned. Whoever goes on after a
//! failure begins with the event behind those that `Snapshot::pushed` counts; what the failed engine
//! delivered after the snapshot then comes once more, the same in the same order. To have it once,
//! keep the counters `matches` and `timed_out` of what was delivered, or write output and snapshot
//! together.
//!
//! A snapshot knows its query. One of another query, of other options, of another format or with
//! damaged references is refused with [`ErrorKind::Snapshot`]; damage that leaves a valid state
//! (another number in an event) is not found, so store snapshots where checksums are kept.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `serde` | `Engine::snapshot`, `Engine::restore`; `Record`, `Value` and `Stats` can be written and read |
//! | `parallel` | `ShardedEngine`: partitions dealt out among threads |
//! | `cli` | the `nfab` program, with both |
//!
//! None is on by default.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

/// Tests in `tests/` and in here share helpers.
#[cfg(test)]
extern crate self as nfab;

mod config;
mod error;
mod evaluate;
mod event;
mod history;
pub mod language;
mod limits;
pub mod nfa;
pub mod pattern;
pub mod predicate;
mod reorder;
mod runtime;
#[cfg(feature = "parallel")]
mod shard;
#[cfg(feature = "serde")]
mod snapshot;
mod stats;
mod value;

pub use config::{Config, EndOfInput, HistoryKind, HoldBack};
pub use error::{Error, ErrorKind};
pub use event::{Event, Record, Schema, Slot, TypeId};
#[cfg(feature = "bench")]
#[doc(hidden)]
pub use history::workload as bench;
pub use history::{BufferView, EdgeView, EntryView, StackView};
pub use limits::{Limit, Limits, Policy};
pub use nfa::{Automaton, CompileOptions, Evaluation, KleeneOutput, TimeUnit};
pub use pattern::{Pattern, PatternBuilder};
pub use predicate::Expr;
pub use runtime::{Cause, Count, Engine, Events, First, Match, Sink, TimedOut, Visit};
#[cfg(feature = "parallel")]
pub use shard::ShardedEngine;
#[cfg(feature = "serde")]
pub use snapshot::Snapshot;
pub use stats::Stats;
pub use value::{Truth, Value, ValueRef, ValueType, compare_int_float, compare_ratio_float};

/// The example of the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
