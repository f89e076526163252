//! What a SASE+ query means, by brute force: every way to read the events so far is a run of its
//! own, predicates look at the bound events themselves. Slow and obvious; it shares nothing with
//! the engine but the parsed query and the place of its predicates.
#![allow(dead_code, reason = "every test file uses a part of this")]

pub mod cases;
pub mod engine;
pub mod patterns;
mod predicates;
mod run;
mod skip;
mod stream;
pub mod text;
mod tree;
mod value;
mod view;
mod walk;

use nfab::language::Query;
use nfab::{Cause, EndOfInput, HoldBack, Value};

pub use stream::outcome;

/// An event; its number is its place among those that are not late.
#[derive(Clone, Debug, PartialEq)]
pub struct Ev {
    pub kind: &'static str,
    pub time: i64,
    pub attributes: Vec<(&'static str, Value)>,
}

/// What the engine is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Event(Ev),
    Watermark(i64),
}

/// Which matches of a pattern that can end with a loop are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kleene {
    Each,
    Maximal,
}

#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub kleene: Kleene,
    pub end: EndOfInput,
    pub hold_back: HoldBack,
}

impl Options {
    /// What a query means without options.
    pub fn default_of(query: &Query) -> Self {
        let any = query.strategy() == nfab::language::Strategy::SkipTillAnyMatch;
        let kleene = if any { Kleene::Each } else { Kleene::Maximal };
        Options { kleene, end: EndOfInput::Silent, hold_back: HoldBack::Wait }
    }
}

/// A match: numbers of events with the variables to which they are bound, and the cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub cause: Cause,
    pub events: Vec<(u64, String)>,
}

/// What is reported, in the documented order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    pub matches: Vec<Found>,
    pub timed_out: Vec<Found>,
}
