//! Patterns in the shape of Flink CEP's: stages, the way each follows the one before, loops, groups, what
//! must not occur, windows, and what happens after a match.
//!
//! [`Pattern::begin`] starts a [`PatternBuilder`]; its faults are kept until
//! [`build`](PatternBuilder::build) reports the first of them.
//!
//! ```
//! use nfab::{Expr, Pattern};
//!
//! let pattern = Pattern::begin("low")
//!     .where_(Expr::attribute("price").lt(10))
//!     .followed_by("rise")
//!     .where_(Expr::attribute("price").gt(Expr::last("rise", "price")).assume(true))
//!     .one_or_more()
//!     .not_followed_by("halt")
//!     .where_(Expr::type_is("halt"))
//!     .followed_by("high")
//!     .where_(Expr::attribute("price").gt(100))
//!     .within(60_000)
//!     .build()?;
//! assert!(pattern.to_string().starts_with("begin low"));
//! # Ok::<(), nfab::Error>(())
//! ```

mod builder;
mod check;
mod display;

pub use builder::PatternBuilder;
pub(crate) use check::{endless_loop, silent_negation};

use crate::error::Error;
use crate::predicate::Expr;

/// How an element follows the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Connector {
    /// It comes first.
    Begin,
    /// Strict: only the very next event.
    Next,
    /// Relaxed: the first later event that satisfies the condition.
    FollowedBy,
    /// Every later event that satisfies the condition.
    FollowedByAny,
    /// The very next event must not satisfy the condition.
    NotNext,
    /// No event in between may satisfy the condition.
    NotFollowedBy,
}

impl Connector {
    /// The element is one that must not occur.
    #[must_use]
    pub fn is_negation(self) -> bool {
        matches!(self, Connector::NotNext | Connector::NotFollowedBy)
    }
}

/// How the events of one loop follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Inner {
    /// The first later event that satisfies the condition.
    #[default]
    Relaxed,
    /// Only the very next event.
    Consecutive,
    /// Every later event that satisfies the condition.
    Combinations,
}

/// How often an element occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Occurs {
    /// Once.
    #[default]
    Once,
    /// Between two numbers of times, both included.
    Times(u32, u32),
    /// A number of times or more.
    AtLeast(u32),
}

/// How often an element occurs, and how its repetitions hang together.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Quantifier {
    /// How often.
    pub occurs: Occurs,
    /// Or not at all.
    pub optional: bool,
    /// Between repetitions. On a group, between iterations.
    pub inner: Inner,
    /// Prefer a further repetition to going on: an event that could be either is a repetition.
    pub greedy: bool,
    /// The event that ends the loop.
    pub until: Option<Expr>,
}

/// A stage or a group of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// How it follows the element before.
    pub connector: Connector,
    /// What it accepts.
    pub body: Body,
    /// How often.
    pub quantifier: Quantifier,
    /// Each of its events is less than this time after the event before, if there is one; for a
    /// negated stage that ends the pattern, how long it must not occur.
    pub gap: Option<i64>,
}

/// What an element accepts.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Events that satisfy a condition; without one, all events.
    Stage {
        /// The name under which the events are reported.
        name: String,
        /// The condition.
        condition: Option<Expr>,
    },
    /// A sequence.
    Group(Vec<Element>),
}

/// Where matching goes on after a match: runs and matches that are pruned.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum AfterMatch {
    /// Nothing is pruned.
    #[default]
    NoSkip,
    /// Those that start with the same event or before it.
    SkipToNext,
    /// Those that start before the match ends, or with its last event.
    SkipPastLast,
    /// Those that start before the first event of a stage.
    SkipToFirst(SkipTarget),
    /// Those that start before the last event of a stage.
    SkipToLast(SkipTarget),
}

/// A stage to skip to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkipTarget {
    /// The stage.
    pub stage: String,
    /// Whether it is an error, of kind
    /// [`SkipTargetMissing`](crate::ErrorKind::SkipTargetMissing), that a match holds no event of
    /// the stage, or begins with the very event to skip to. Otherwise nothing is pruned then.
    pub must_exist: bool,
}

/// Whose reading of loops the pattern follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Semantics {
    /// That of Flink CEP: every prefix of a loop may wait for what comes next.
    #[default]
    Flink,
}

/// A pattern: what [`Automaton::compile`](crate::Automaton::compile) compiles. Patterns built with
/// [`Pattern::begin`] are checked by [`PatternBuilder::build`]; compiling checks again.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Pattern {
    /// The sequence.
    pub elements: Vec<Element>,
    /// The last event of a match is less than this time after the first one.
    pub within: Option<i64>,
    /// Where matching goes on after a match.
    pub after_match: AfterMatch,
    /// Whose reading of loops.
    pub semantics: Semantics,
    /// The attributes of the partition key: matching goes on for each key on its own, as if there
    /// were no other events. Empty: one partition.
    pub partition_by: Vec<String>,
}

impl Element {
    /// The name of a stage; groups have none.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match &self.body {
            Body::Stage { name, .. } => Some(name),
            Body::Group(_) => None,
        }
    }

    /// A match may pass it without an event.
    pub(crate) fn is_empty_possible(&self) -> bool {
        self.quantifier.optional
            || self.connector.is_negation()
            || match &self.body {
                Body::Stage { .. } => false,
                Body::Group(inner) => inner.iter().all(Element::is_empty_possible),
            }
    }
}

impl Pattern {
    /// Starts a pattern with a stage.
    pub fn begin(name: impl Into<String>) -> PatternBuilder {
        PatternBuilder::start(Body::Stage { name: name.into(), condition: None })
    }

    /// Starts a pattern with a group.
    pub fn begin_group(group: PatternBuilder) -> PatternBuilder {
        PatternBuilder::start_group(group)
    }

    /// Checks what can be checked without a schema.
    ///
    /// # Errors
    ///
    /// What the pattern asks for contradicts itself or could never be answered.
    pub fn check(&self) -> Result<(), Error> {
        check::pattern(self)
    }

    /// The stages that events are reported under, in the order of the pattern.
    #[must_use]
    pub fn stages(&self) -> Vec<&str> {
        fn collect<'p>(elements: &'p [Element], into: &mut Vec<&'p str>) {
            for element in elements {
                match &element.body {
                    Body::Stage { name, .. } if !element.connector.is_negation() => into.push(name),
                    Body::Stage { .. } => {}
                    Body::Group(inner) => collect(inner, into),
                }
            }
        }
        let mut stages = Vec::new();
        collect(&self.elements, &mut stages);
        stages
    }
}
