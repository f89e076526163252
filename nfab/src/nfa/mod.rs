//! The automaton NFA^b: states, and edges with a formula each.
//!
//! [`Automaton::compile`] builds it from a pattern; `compile` says how. [`Automaton::from_query`]
//! builds it from a query; `sase` says how. `program` is what runs execute. `dot` draws the states,
//! `explain` writes them down.

mod compile;
mod conditions;
mod copies;
mod dot;
mod edge;
mod explain;
mod flatten;
pub(crate) mod kinds;
mod place;
pub(crate) mod program;
pub(crate) mod sase;

pub(crate) use edge::Formula;
pub use edge::{Edge, EdgeKind};
use program::{Program, Window};

use crate::error::{Error, ErrorKind};
use crate::event::Schema;
use crate::language::Query;
use crate::pattern::{AfterMatch, Pattern};
use crate::predicate::Expr;
use crate::predicate::evaluate::Test;
use crate::predicate::register::RegisterSpec;

/// What a state is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateKind {
    /// Waits for events.
    Normal,
    /// Reaching it completes a match.
    Final,
    /// Reaching it ends the run: what must not occur has occurred.
    Stop,
    /// Waits for its window to pass, which completes the match.
    Pending,
}

/// A state of the automaton.
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) label: String,
    pub(crate) kind: StateKind,
    pub(crate) stage: u32,
    pub(crate) edges: Vec<Edge>,
    /// The window between neighbours, if it bounds the wait in this state.
    pub(crate) gap: Option<i64>,
}

impl State {
    /// A name, unique in the automaton: the stage and, from the second state of a stage on, a
    /// number.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// What it is for.
    #[must_use]
    pub fn kind(&self) -> StateKind {
        self.kind
    }

    /// The edges, in the order in which they are tried.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }
}

/// A condition of the pattern, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub(crate) expr: Expr,
    pub(crate) test: Test,
    /// It looks at the event alone, so one evaluation serves all runs.
    pub(crate) unary: bool,
}

/// Where matching goes on after a match, with stages resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skip {
    None,
    ToNext,
    PastLast,
    ToFirst(u32, bool),
    ToLast(u32, bool),
}

/// Options of compiling.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompileOptions {
    pub(crate) follow_flink: bool,
    pub(crate) evaluation: Option<Evaluation>,
    pub(crate) kleene_output: Option<KleeneOutput>,
    pub(crate) time_unit: TimeUnit,
}

/// How matches are computed. All evaluations give the same matches in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evaluation {
    /// For predicates over single events only: all partial matches at once, in a structure that
    /// grows by a constant for each event; matches are enumerated from it.
    Compact,
    /// Partial matches in the same state that remember the same values are one group.
    Grouped,
    /// One run for each partial match: for every pattern.
    Runs,
}

/// Which matches a pattern that can end with a loop reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KleeneOutput {
    /// Each prefix that is a match, at once.
    Each,
    /// Only those that no later event extends.
    Maximal,
}

/// The unit of the times of events, for windows that a query states with a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum TimeUnit {
    /// Nanoseconds.
    Nanosecond,
    /// Microseconds.
    Microsecond,
    /// Milliseconds.
    #[default]
    Millisecond,
    /// Seconds.
    Second,
    /// Minutes.
    Minute,
    /// Hours.
    Hour,
    /// Days.
    Day,
}

impl CompileOptions {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Accepts, as Flink does, patterns that do not mean what they say: a negation without effect
    /// (a `not_followed_by` that closes a group, all but the last of several negations that close
    /// the pattern), and a group that loops though it may pass without an event (Flink never
    /// returns once it is reached; here each round takes an event). By default they are refused.
    /// As in Flink, a window to the event before then does not bound the wait for an optional stage
    /// once an event was ignored, nor what follows the end of a greedy loop by its `until`.
    #[must_use]
    pub fn follow_flink(mut self, follow: bool) -> Self {
        self.follow_flink = follow;
        self
    }

    /// Forces an evaluation; compiling fails if the pattern does not allow it. By default the first
    /// of [`Evaluation`] that it allows.
    #[must_use]
    pub fn evaluation(mut self, evaluation: Evaluation) -> Self {
        self.evaluation = Some(evaluation);
        self
    }

    /// Which matches of a query that can end with a loop are reported. Default: each under
    /// `skip_till_any_match`, otherwise the maximal ones. Patterns of the builder report each.
    #[must_use]
    pub fn kleene_output(mut self, output: KleeneOutput) -> Self {
        self.kleene_output = Some(output);
        self
    }

    /// The unit of the times of events; windows of queries are converted to it. Default:
    /// milliseconds. Windows of the builder are in this unit already.
    #[must_use]
    pub fn time_unit(mut self, unit: TimeUnit) -> Self {
        self.time_unit = unit;
        self
    }
}

/// A compiled pattern. It can be inspected, drawn and explained, and serves any number of
/// [`Engine`](crate::Engine)s.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// What was compiled, as text.
    pub(crate) text: String,
    /// What was compiled, if the builder made it.
    pub(crate) pattern: Option<Pattern>,
    /// What runs execute.
    pub(crate) program: Program,
    pub(crate) evaluation: Evaluation,
    /// Why this evaluation and none before it.
    pub(crate) evaluation_reason: String,
    pub(crate) states: Vec<State>,
    pub(crate) start: u32,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) registers: Vec<RegisterSpec>,
    /// For each register the name of its attribute.
    pub(crate) register_attributes: Vec<Option<String>>,
    /// Proceed edges form a cycle.
    pub(crate) cyclic: bool,
    /// For each stage the registers that its events go into.
    pub(crate) stage_registers: Vec<Vec<u32>>,
    pub(crate) stages: Vec<String>,
    pub(crate) within: Option<i64>,
    pub(crate) skip: Skip,
    /// What the states do not show, for [`explain`](Automaton::explain).
    pub(crate) notes: Vec<String>,
}

impl Automaton {
    /// Compiles a pattern against a schema.
    ///
    /// # Errors
    ///
    /// What [`Pattern::check`] finds; names that the schema or the pattern lacks; operators on
    /// types that they are not made for; an automaton beyond 100,000 states.
    pub fn compile(pattern: &Pattern, schema: &Schema) -> Result<Automaton, Error> {
        Self::compile_with(pattern, schema, CompileOptions::default())
    }

    /// Compiles a pattern with options.
    ///
    /// # Errors
    ///
    /// As [`compile`](Self::compile).
    pub fn compile_with(
        pattern: &Pattern,
        schema: &Schema,
        options: CompileOptions,
    ) -> Result<Automaton, Error> {
        pattern.check()?;
        if !options.follow_flink {
            if crate::pattern::endless_loop(&pattern.elements) {
                let message = "a group that loops may pass without an event, and so never ends";
                return Err(Error::new(ErrorKind::Pattern, message).with_hint(
                    "make a stage of the group mandatory, or the group optional instead of all \
                     its stages",
                ));
            }
            if let Some(stage) = crate::pattern::silent_negation(pattern) {
                return Err(Error::new(ErrorKind::Pattern, "this negation would have no effect")
                    .in_stage(stage)
                    .with_hint(
                        "a negation needs a stage after it in its group; of several at the end \
                         of a pattern only the last one counts",
                    ));
            }
        }
        let mut automaton = compile::compile(pattern, schema, options.follow_flink)?;
        let (evaluation, reason) = crate::evaluate::choose(&automaton, options.evaluation)?;
        automaton.evaluation = evaluation;
        automaton.evaluation_reason = reason;
        Ok(automaton)
    }

    /// Compiles a query against a schema, which knows its types of events and its attributes.
    ///
    /// ```
    /// use nfab::language::Query;
    /// use nfab::{Automaton, CompileOptions, Schema};
    ///
    /// let mut schema = Schema::new();
    /// schema.add_type("Stock");
    /// schema.add_attribute("price", None);
    /// let query = Query::parse("PATTERN SEQ(Stock a, Stock b) { b.price > a.price }")?;
    /// let automaton = Automaton::from_query(&query, &schema, CompileOptions::new())?;
    /// assert_eq!(automaton.states()[automaton.start()].label(), "a");
    /// # Ok::<(), nfab::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What [`Query::check`] finds; names that the schema lacks; operators on types that they are
    /// not made for; the negations that the [language](crate::language) lists as refused; more than
    /// 100,000 states; a forced evaluation that the query does not allow.
    pub fn from_query(
        query: &Query,
        schema: &Schema,
        options: CompileOptions,
    ) -> Result<Automaton, Error> {
        sase::compile(query, schema, options)
    }

    /// Parses and compiles a query with the default options.
    ///
    /// # Errors
    ///
    /// Those of [`Query::parse`] and [`from_query`](Self::from_query).
    pub fn from_text(text: &str, schema: &Schema) -> Result<Automaton, Error> {
        Self::from_query(&Query::parse(text)?, schema, CompileOptions::default())
            .map_err(|error| error.with_text(text))
    }

    /// The pattern that was compiled; `None` if it was a query.
    #[must_use]
    pub fn pattern(&self) -> Option<&Pattern> {
        self.pattern.as_ref()
    }

    /// The states.
    #[must_use]
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The place of the start state among the states.
    #[must_use]
    pub fn start(&self) -> usize {
        self.start as usize
    }

    /// The names of the stages, in the order of the pattern.
    #[must_use]
    pub fn stages(&self) -> &[String] {
        &self.stages
    }

    /// Time alone can end runs.
    pub(crate) fn is_windowed(&self) -> bool {
        self.program.window != Window::None
            || self.within.is_some()
            || self.states.iter().any(|state| state.gap.is_some())
    }

    pub(crate) fn resolve_skip(after: &AfterMatch, stages: &[String]) -> Skip {
        let at = |name: &str| stages.iter().position(|s| s == name).map_or(0, |i| i as u32);
        match after {
            AfterMatch::NoSkip => Skip::None,
            AfterMatch::SkipToNext => Skip::ToNext,
            AfterMatch::SkipPastLast => Skip::PastLast,
            AfterMatch::SkipToFirst(t) => Skip::ToFirst(at(&t.stage), t.must_exist),
            AfterMatch::SkipToLast(t) => Skip::ToLast(at(&t.stage), t.must_exist),
        }
    }
}
