//! Regular tree patterns over XML streams: a Regular Pushdown Transducer (RPDT).
//!
//! The crate finds tree patterns, plain XPath-like twigs as well as twigs with *regular expressions
//! over siblings*, in XML of any size: one pass, bounded memory, every answer as soon as it is
//! certain. It implements the method of Zheng, Liao, Su and Gao, *A Complex Event Query Method for
//! Regular Tree Patterns*.
//!
//! ```
//! use std::ops::ControlFlow;
//! use rpdt::{Answer, Needs, Plan, Visit};
//!
//! # fn main() -> Result<(), rpdt::Error> {
//! // An earthquake of magnitude 6.5 or more, directly followed by waves over one metre.
//! let plan = Plan::parse("//station/{ quake[@mag>=6.5]! , wave[@h>1]!+ }")?;
//! let feed = br#"<sea><station><quake mag="7.1"/><wave h="1.2"/><wave h="1.9"/></station></sea>"#;
//! let mut alarms = Vec::new();
//! plan.run_slice(feed, Visit::new(Needs::range(), |_, answer| {
//!     if let Answer::Tuple(fields) = answer {
//!         alarms.push(fields.len());
//!     }
//!     ControlFlow::Continue(())
//! }))?;
//! assert_eq!(alarms, [2]); // one run, with the labels `quake` and `wave`
//! # Ok(())
//! # }
//! ```
//!
//! # Where to start
//!
//! A [`Pattern`] is a query: parsed from text or put together by [`pattern::builder`]. A [`Plan`] is one or
//! several of them, compiled with a [`Config`]; it can be used again and again. It runs over a slice, a
//! reader or a file, or gives a [`Matcher`] that is fed pieces as they arrive. Answers go to a [`Sink`];
//! [`Stats`] and the sink come back in an [`Outcome`]. Everything that can fail gives an [`Error`] with a
//! kind, a position and often a hint.
//!
//! # The query language
//!
//! ```text
//! query = ("/" | "//") step { ("/" | "//") step } [ "/{" regex "}" ]
//! step  = name ["!" [label]] { "[" pred "]" } ["!" [label]]
//! pred  = [".//"] step { ("/" | "//") step } [ "/{" regex "}" ]
//!       | "{" regex "}" | "@name" [op literal] | "text()" op literal | "." op literal
//! regex = cat { "|" cat }
//! cat   = rep { ("," | " : ") rep }
//! rep   = ( step | "(" regex ")" ) { "*" | "+" | "?" | "{m,n}" }
//! ```
//!
//! - `!` marks a return node, a label may follow at once: `quake!alarm`. Without any mark the last
//!   step of the trunk is returned, so plain XPath twigs run unchanged.
//! - `/{ a, b* }` below a step is a *regular branch*: contiguous element children that spell a word
//!   of the expression, a *run*. Each symbol is a step with tests and branches of its own.
//! - Names match elements written exactly so without prefix, whatever the default namespace of the
//!   document is; `*` matches any element; `p:name` is namespace-aware with `p` declared in
//!   [`Namespaces`]; `*:name` ignores the namespace.
//! - Comparisons are those of XPath 1.0: a value that is not a number is NaN.
//!
//! # Answers
//!
//! | [`Shape`] | an answer is | default for |
//! |---|---|---|
//! | `Nodes` | a returned element, once per label | one return node |
//! | `Tuples` | a distinct binding of all return nodes; a run is one value | several return nodes |
//! | `Instances` | a satisfied root element with everything returned below it | |
//!
//! [`Runs`] chooses which runs are reported, [`Order`] when: as soon as certain, or in document
//! order. A [`Sink`] decides what is recorded of a node ([`Needs`]) and when to stop; [`Count`],
//! [`Exists`] and [`Visit`] are ready-made.
//!
//! An element matches a step when its name and all of the step's tests hold; tests have no order and no
//! negation, so what is true once stays true, and an answer is certain the moment its last test holds,
//! often long before the end tag. A run is a stretch of consecutive element children that spells a word
//! of the expression; text and comments between them do not count.
//!
//! # The pieces
//!
//! | module | paper | what |
//! |---|---|---|
//! | [`pattern`] | 3.1 | the pattern: parser, builder, display |
//! | [`paper`] | 3.2-3.4, 4.2 | the automaton as the paper draws it: DOT, explanation |
//! | `automaton` | 3.3, 4.1 | what runs: Glushkov automata of siblings, lazily determinised table |
//! | `engine` (start reading in `engine/mod.rs`) | 4 | instances, runs, buffers, answers |
//! | [`input`] | | the boundary to readers; the scanner, the quick-xml front end, encodings |
//! | `parallel` | | one document on several threads |
//!
//! # Cost
//!
//! Time: one table look-up a start tag; amortised constant work for each pattern node that an element
//! matches; O(positions) for each child of an element with a live regular branch; plus output.
//! Memory: O(depth) plus undecided candidates. [`Limits`] has a bound with a stated default for
//! everything that could grow; two of the defaults are generous: the depth of nesting is not limited,
//! and up to 4 GiB of undecided answers may be held. Set them lower for documents that you do not
//! trust. Nothing recurses on the depth of the document.
//!
//! # Threads
//!
//! [`Plan::run_file_on`] and [`Plan::run_slice_on`] match one large document on several [`Threads`],
//! with the answers, the order and the errors of one. Each thread starts in the middle of the
//! document with what it assumes of the elements around it; the assumption is checked when the
//! thread before arrives there. Wrong ones cost time, nothing else. [`Plan::threads_explained`] says
//! where a query lets documents be divided.
//!
//! # What is checked
//!
//! With [`Checks::Fast`](input::Checks::Fast), the default, elements in which nothing can match are
//! passed over, and text at which nobody looks; what is not noticed there is listed on
//! [`ScannerSource`](input::ScannerSource) and [`QuickXmlSource`](input::QuickXmlSource).
//! [`Checks::Strict`](input::Checks::Strict) is full well-formedness by XML 1.0, fifth edition, for
//! documents without external entities. Nothing is ever fetched.
//!
//! # Features
//!
//! None by default; `cli` builds the `rpdt` program.
// Only the code for single instruction sets is allowed any.
#![deny(unsafe_code)]
#![deny(missing_docs)]

mod automaton;
mod config;
mod engine;
mod error;
pub mod input;
mod limits;
mod matcher;
pub mod paper;
mod parallel;
pub mod pattern;
mod plan;
mod sink;
mod stats;

pub use config::{Config, FrontEnd, Mechanisms, Order, Runs};
pub use error::{Error, ErrorKind, Position};
pub use limits::Limits;
pub use matcher::{Matcher, Outcome};
pub use parallel::Threads;
pub use pattern::{Namespaces, Pattern};
pub use plan::Plan;
pub use sink::{Answer, Count, Exists, Field, Needs, NodeRef, Shape, Sink, Value, Visit};
pub use stats::Stats;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
