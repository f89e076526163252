//! Several patterns over one stream.

use std::sync::Arc;

use hashbrown::HashMap;

use super::builder::PatternSetBuilder;
use super::symbol::{Symbol, Symbols};
use super::{Pattern, Semantics, TimeUnit, Window, check_window};
use crate::error::{Error, ErrorKind};
use crate::event::Schema;

/// The number of a pattern: how many were added before it. Numbers are not used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PatternId(pub u32);

impl PatternId {
    /// The number, to index with.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Patterns with what holds for all of them: semantics, the window of those that state none, the
/// unit of time, and the numbers of types and attributes.
///
/// ```
/// use multipattern::{PatternSet, Semantics, Window};
///
/// let set = PatternSet::builder()
///     .window(Window::Events(40))
///     .semantics(Semantics::Any)
///     .seq("inspected", ["Weld", "Paint", "Check"])
///     .where_("Paint.tag = Weld.tag")
///     .where_("Check.tag = Weld.tag")
///     .seq("reworked", ["Check", "Weld"])
///     .build()?;
/// assert_eq!(set.len(), 2);
/// # Ok::<(), multipattern::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PatternSet {
    schema: Schema,
    patterns: Vec<Pattern>,
    ids: HashMap<Arc<str>, PatternId>,
    symbols: Symbols,
    sequences: Vec<Box<[u32]>>,
    window: Window,
    semantics: Semantics,
    time_unit: TimeUnit,
}

impl PatternSet {
    /// An empty set: semantics `any`, windows of 40 events, times in milliseconds.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a set.
    #[must_use]
    pub fn builder() -> PatternSetBuilder {
        PatternSetBuilder::default()
    }

    /// Reads patterns, one a line; empty lines and lines that begin with `#` are passed over.
    ///
    /// # Errors
    /// The first error, with its line and place in the text.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut set = PatternSet::new();
        set.extend_from_text(text)?;
        Ok(set)
    }

    /// Adds the patterns of a text as [`parse`](Self::parse) reads them.
    ///
    /// # Errors
    /// The first error, with its line and place; patterns of the lines before it stay.
    pub fn extend_from_text(&mut self, text: &str) -> Result<(), Error> {
        crate::parser::lines(text, |pattern| self.push(pattern).map(drop))
    }

    /// Adds a pattern; gives its number.
    ///
    /// # Errors
    /// Of kind [`ErrorKind::Name`] if the id is used.
    pub fn push(&mut self, pattern: Pattern) -> Result<PatternId, Error> {
        let number = PatternId(self.patterns.len() as u32);
        let id: Arc<str> = pattern.id().into();
        if let Some(first) = self.ids.get(&id) {
            let message = format!("two patterns have the id `{id}`");
            return Err(Error::new(ErrorKind::Name, message)
                .with_hint(format!("the other one is number {} of the patterns", first.0 + 1)));
        }
        self.ids.insert(id, number);
        let operands = pattern.operands().iter().enumerate();
        let symbols = operands.map(|(at, operand)| Symbol::resolve(operand, at, &mut self.schema));
        self.sequences.push(symbols.map(|symbol| self.symbols.intern(symbol)).collect());
        self.patterns.push(pattern);
        Ok(number)
    }

    /// How many patterns there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The patterns in their order.
    #[must_use]
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// The pattern of an id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<PatternId> {
        self.ids.get(id).copied()
    }

    /// The window of a pattern: its own, else that of the set.
    #[must_use]
    pub fn window_of(&self, pattern: &Pattern) -> Window {
        pattern.window().unwrap_or(self.window)
    }

    /// The window of patterns that state none.
    #[must_use]
    pub fn window(&self) -> Window {
        self.window
    }

    /// Sets the window of patterns that state none.
    ///
    /// # Errors
    /// Of kind [`ErrorKind::Pattern`] for a window of no events.
    pub fn set_window(&mut self, window: Window) -> Result<(), Error> {
        check_window(window)?;
        self.window = window;
        Ok(())
    }

    /// Which events may lie between those of a match.
    #[must_use]
    pub fn semantics(&self) -> Semantics {
        self.semantics
    }

    /// Sets which events may lie between those of a match.
    pub fn set_semantics(&mut self, semantics: Semantics) {
        self.semantics = semantics;
    }

    /// The unit of the times of events.
    #[must_use]
    pub fn time_unit(&self) -> TimeUnit {
        self.time_unit
    }

    /// Sets the unit of the times of events.
    pub fn set_time_unit(&mut self, unit: TimeUnit) {
        self.time_unit = unit;
    }

    /// The numbers of types and attributes.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The numbers of types and attributes, to add some.
    pub fn schema_mut(&mut self) -> &mut Schema {
        &mut self.schema
    }

    /// How many different symbols the patterns use. A symbol is a type of events with conditions;
    /// those with earlier events name them by the distance, so that equal symbols mean equal
    /// conditions wherever they stand.
    #[must_use]
    pub fn symbols(&self) -> usize {
        self.symbols.len()
    }

    /// A pattern as the numbers of its symbols.
    ///
    /// # Panics
    /// If there is no pattern of that number.
    #[must_use]
    pub fn sequence(&self, pattern: PatternId) -> &[u32] {
        &self.sequences[pattern.index()]
    }
}
