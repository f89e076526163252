//! Patterns as they are written: a sequence of operands, each with conditions, and a window.

mod builder;
mod display;
mod set;
pub(crate) mod symbol;

use std::cmp::Ordering;
use std::sync::Arc;

pub use builder::{IntoCondition, PatternSetBuilder};
pub use set::{PatternId, PatternSet};

use crate::error::{Error, ErrorKind};
use crate::heap::{Heap, heap};
use crate::value::Value;

/// Which events may lie between those of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Semantics {
    /// None: the events of a match follow one another directly (in their partition).
    Strict,
    /// Those that do not fit: from each event that fits the first operand one chain begins, which
    /// takes for each next operand the first event that fits.
    Next,
    /// Any: every combination of events in their order within the window.
    #[default]
    Any,
}

/// How far the first and the last event of a match may lie apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Window {
    /// All events of a match lie in so many consecutive events of the stream or the partition.
    Events(u64),
    /// The time of the last event minus that of the first is at most this.
    Time(u64, TimeUnit),
}

impl Default for Window {
    /// 40 events.
    fn default() -> Self {
        Window::Events(40)
    }
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

impl TimeUnit {
    /// How many nanoseconds it has.
    #[must_use]
    pub fn nanoseconds(self) -> u64 {
        match self {
            TimeUnit::Nanosecond => 1,
            TimeUnit::Microsecond => 1_000,
            TimeUnit::Millisecond => 1_000_000,
            TimeUnit::Second => 1_000_000_000,
            TimeUnit::Minute => 60_000_000_000,
            TimeUnit::Hour => 3_600_000_000_000,
            TimeUnit::Day => 86_400_000_000_000,
        }
    }
}

/// How two values are compared. A comparison with a missing value or NaN, and one of a text with a
/// number, does not hold, whatever the relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Relation {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Relation {
    /// Whether it holds of two values in this order.
    #[must_use]
    pub fn accepts(self, order: Ordering) -> bool {
        match self {
            Relation::Equal => order.is_eq(),
            Relation::NotEqual => order.is_ne(),
            Relation::Less => order.is_lt(),
            Relation::LessOrEqual => order.is_le(),
            Relation::Greater => order.is_gt(),
            Relation::GreaterOrEqual => order.is_ge(),
        }
    }

    /// The relation that says the same with the sides exchanged.
    #[must_use]
    pub fn flipped(self) -> Relation {
        match self {
            Relation::Less => Relation::Greater,
            Relation::LessOrEqual => Relation::GreaterOrEqual,
            Relation::Greater => Relation::Less,
            Relation::GreaterOrEqual => Relation::LessOrEqual,
            same => same,
        }
    }
}

/// One side of a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// An attribute of the event of this operand.
    Own(Arc<str>),
    /// An attribute of the event of an earlier operand, by its position from 0.
    Of(usize, Arc<str>),
    /// A constant.
    Value(Value),
}

impl Term {
    /// An attribute of the event of this operand.
    #[must_use]
    pub fn own(attribute: &str) -> Term {
        Term::Own(attribute.into())
    }

    /// An attribute of the event of the operand at a position, from 0.
    #[must_use]
    pub fn of(position: usize, attribute: &str) -> Term {
        Term::Of(position, attribute.into())
    }

    /// A constant.
    #[must_use]
    pub fn value(value: impl Into<Value>) -> Term {
        Term::Value(value.into())
    }
}

/// A comparison of two terms, of which at least one is an attribute of the operand that it
/// belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The left side.
    pub left: Term,
    /// How they compare.
    pub relation: Relation,
    /// The right side.
    pub right: Term,
}

impl Condition {
    /// A condition.
    #[must_use]
    pub fn new(left: Term, relation: Relation, right: Term) -> Self {
        Condition { left, relation, right }
    }
}

/// A place in a sequence: a type of events, and conditions.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    event_type: Arc<str>,
    label: Option<Arc<str>>,
    conditions: Vec<Condition>,
}

impl Operand {
    /// An event of a type.
    #[must_use]
    pub fn new(event_type: &str) -> Self {
        Operand { event_type: event_type.into(), label: None, conditions: Vec::new() }
    }

    /// The same operand with a name that conditions of later operands can use.
    #[must_use]
    pub fn labelled(mut self, label: &str) -> Self {
        self.label = Some(label.into());
        self
    }

    /// The same operand with one more condition.
    #[must_use]
    pub fn with(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }

    /// The name of the type.
    #[must_use]
    pub fn event_type(&self) -> &str {
        &self.event_type
    }

    /// The name of the operand, if it has one.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// The conditions, all of which have to hold.
    #[must_use]
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }
}

/// `SEQ(E1, .., En)`: events in the order of the stream, with conditions, within a window.
///
/// Showing a pattern and parsing the text again gives an equal pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    id: Arc<str>,
    operands: Vec<Operand>,
    window: Option<Window>,
}

impl Pattern {
    /// The greatest number of operands.
    pub const MAX_OPERANDS: usize = 256;
    /// The greatest number of conditions of one operand.
    pub const MAX_CONDITIONS: usize = 64;

    /// A pattern without a window of its own: that of the set holds.
    ///
    /// # Errors
    /// Of kind [`ErrorKind::Pattern`], [`ErrorKind::Name`] or [`ErrorKind::Limit`]: no operands or
    /// too many, an empty name, labels that mean several operands, a condition that refers to its
    /// own or a later operand by position, or to no attribute of its own, a constant that is null,
    /// NaN or infinite.
    pub fn new(
        id: &str,
        operands: impl IntoIterator<Item = impl Into<Operand>>,
    ) -> Result<Self, Error> {
        let operands = operands.into_iter().map(Into::into).collect();
        let pattern = Pattern { id: id.into(), operands, window: None };
        pattern.check().map_err(|error| error.in_pattern(id))?;
        Ok(pattern)
    }

    /// Reads a pattern: `id: SEQ(A, B[tag = A.tag], C) WITHIN 40 EVENTS`.
    ///
    /// # Errors
    /// As [`new`](Self::new), and of kind [`ErrorKind::Syntax`]; with the place in the text.
    pub fn parse(text: &str) -> Result<Self, Error> {
        crate::parser::pattern(text)
    }

    /// The same pattern with a window of its own.
    ///
    /// # Errors
    /// Of kind [`ErrorKind::Pattern`] for a window of no events.
    pub fn within(mut self, window: Window) -> Result<Self, Error> {
        check_window(window).map_err(|error| error.in_pattern(&*self.id))?;
        self.window = Some(window);
        Ok(self)
    }

    /// The id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The operands; at least one.
    #[must_use]
    pub fn operands(&self) -> &[Operand] {
        &self.operands
    }

    /// The window, if the pattern states one.
    #[must_use]
    pub fn window(&self) -> Option<Window> {
        self.window
    }

    pub(crate) fn operands_mut(&mut self) -> &mut [Operand] {
        &mut self.operands
    }

    fn check(&self) -> Result<(), Error> {
        let fault = |message: String| Err(Error::new(ErrorKind::Pattern, message));
        if self.id.is_empty() {
            return fault("a pattern needs an id".into());
        }
        if self.operands.is_empty() {
            return Err(Error::new(ErrorKind::Pattern, "a sequence needs at least one operand")
                .with_hint("write a type of events, as in `SEQ(A)`"));
        }
        if self.operands.len() > Self::MAX_OPERANDS {
            let message = format!("more than {} operands", Self::MAX_OPERANDS);
            return Err(Error::new(ErrorKind::Limit, message));
        }
        for (at, operand) in self.operands.iter().enumerate() {
            if operand.event_type.is_empty() || operand.label.as_deref() == Some("") {
                return fault(format!("operand {} has an empty name", at + 1));
            }
            self.check_label(at)?;
            if operand.conditions.len() > Self::MAX_CONDITIONS {
                let message =
                    format!("more than {} conditions of one operand", Self::MAX_CONDITIONS);
                return Err(Error::new(ErrorKind::Limit, message));
            }
            operand.conditions.iter().try_for_each(|condition| check_condition(at, condition))?;
        }
        Ok(())
    }

    /// A label means one operand, and is not the type of another one.
    pub(crate) fn check_label(&self, at: usize) -> Result<(), Error> {
        let Some(label) = &self.operands[at].label else { return Ok(()) };
        let others = self.operands.iter().enumerate().filter(|(other, _)| *other != at);
        for (_, other) in others {
            if other.label.as_ref() == Some(label) {
                let message = format!("`{label}` names two operands");
                return Err(Error::new(ErrorKind::Name, message)
                    .with_hint("give each operand a name of its own"));
            }
            if other.event_type == *label {
                let message = format!("`{label}` names an operand and is the type of another one");
                return Err(
                    Error::new(ErrorKind::Name, message).with_hint("give the operand another name")
                );
            }
        }
        Ok(())
    }
}

pub(crate) fn check_window(window: Window) -> Result<(), Error> {
    if window == Window::Events(0) {
        return Err(Error::new(ErrorKind::Pattern, "a window of no events")
            .with_hint("a window of 1 event holds matches of one event"));
    }
    Ok(())
}

pub(crate) fn check_condition(at: usize, condition: &Condition) -> Result<(), Error> {
    let sides = [&condition.left, &condition.right];
    for side in sides {
        match side {
            Term::Of(position, _) if *position >= at => {
                let message = format!(
                    "a condition of operand {} refers to operand {}",
                    at + 1,
                    position.saturating_add(1)
                );
                return Err(Error::new(ErrorKind::Pattern, message)
                    .with_hint("write the condition at the later of the two operands"));
            }
            Term::Own(name) | Term::Of(_, name) if name.is_empty() => {
                return Err(Error::new(ErrorKind::Name, "an attribute without a name"));
            }
            Term::Value(Value::Missing) => {
                return Err(Error::new(ErrorKind::Pattern, "nothing compares with null"));
            }
            // A pattern is kept as text in snapshots, where a word is a name.
            Term::Value(Value::Float(x)) if !x.is_finite() => {
                let message = format!("the constant {x} is not a finite number");
                return Err(Error::new(ErrorKind::Pattern, message)
                    .with_hint("leave the condition out, or compare with a finite number"));
            }
            _ => {}
        }
    }
    if !sides.iter().any(|side| matches!(side, Term::Own(_))) {
        let message = "a condition without an attribute of its own operand";
        return Err(Error::new(ErrorKind::Pattern, message)
            .with_hint("an attribute without a name before it belongs to the operand itself"));
    }
    Ok(())
}

impl From<&str> for Operand {
    fn from(event_type: &str) -> Self {
        Operand::new(event_type)
    }
}

impl From<String> for Operand {
    fn from(event_type: String) -> Self {
        Operand::new(&event_type)
    }
}

impl From<&String> for Operand {
    fn from(event_type: &String) -> Self {
        Operand::new(event_type)
    }
}

heap! {
    PatternId {}
    Condition { left, right }
    Operand { event_type, label, conditions }
    Pattern { id, operands }
}

impl Heap for Term {
    fn heap(&self) -> usize {
        match self {
            Term::Own(name) | Term::Of(_, name) => name.heap(),
            Term::Value(value) => value.heap(),
        }
    }
}
