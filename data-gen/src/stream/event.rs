//! The common form of events: what writers take and readers give.

use std::collections::HashSet;
use std::fmt;

/// The value of one attribute of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Field<'a> {
    /// The event has no such value.
    #[default]
    Missing,
    /// A whole number.
    Int(i64),
    /// A floating point number. NaN and infinities cannot be written.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// Text, which may be empty.
    Text(&'a str),
}

/// What the writers of all formats need to know about an event.
///
/// Every generator has a plain struct of its own that implements it, and [`Row`] does so for
/// events whose columns are known only when they are read.
pub trait Event {
    /// The type of the event.
    fn kind(&self) -> &str;

    /// When it happened.
    fn time(&self) -> i64;

    /// Calls `each` with the name and the value of every column besides type and time, in order.
    fn each_field<'a>(&'a self, each: &mut impl FnMut(&'a str, Field<'a>));
}

/// A part of a row's text, in bytes.
pub(crate) type Span = (usize, usize);

/// A value whose text stands in a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cell {
    Missing,
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(Span),
}

/// An event with columns of any names, such as a reader gives.
///
/// ```
/// use data_gen::stream::{Field, Row};
/// let mut row = Row::new("view", 17);
/// row.push("item", Field::Int(4));
/// assert_eq!(row.get("item"), Field::Int(4));
/// assert_eq!(row.get("price"), Field::Missing);
/// ```
#[derive(Clone, Default)]
pub struct Row {
    /// All text of the row. Readers of formats with a header keep the names at its beginning.
    text: String,
    kind: Span,
    time: i64,
    cells: Vec<(Span, Cell)>,
}

impl Row {
    /// An event without columns.
    #[must_use]
    pub fn new(kind: &str, time: i64) -> Self {
        Self { text: kind.to_owned(), kind: (0, kind.len()), time, cells: Vec::new() }
    }

    /// Appends a column.
    pub fn push(&mut self, name: &str, field: Field<'_>) {
        let name = self.keep(name);
        let cell = match field {
            Field::Missing => Cell::Missing,
            Field::Int(i) => Cell::Int(i),
            Field::Float(x) => Cell::Float(x),
            Field::Bool(b) => Cell::Bool(b),
            Field::Text(text) => Cell::Text(self.keep(text)),
        };
        self.cells.push((name, cell));
    }

    /// The type of the event.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.part(self.kind)
    }

    /// When it happened.
    #[must_use]
    pub fn time(&self) -> i64 {
        self.time
    }

    /// The value of the first column of that name, and `Missing` when there is none.
    #[must_use]
    pub fn get(&self, column: &str) -> Field<'_> {
        self.fields().find(|(name, _)| *name == column).map_or(Field::Missing, |(_, field)| field)
    }

    /// The columns besides type and time, in order.
    pub fn fields(&self) -> impl Iterator<Item = (&str, Field<'_>)> {
        self.cells.iter().map(|&(name, cell)| {
            let field = match cell {
                Cell::Missing => Field::Missing,
                Cell::Int(i) => Field::Int(i),
                Cell::Float(x) => Field::Float(x),
                Cell::Bool(b) => Field::Bool(b),
                Cell::Text(span) => Field::Text(self.part(span)),
            };
            (self.part(name), field)
        })
    }

    pub(crate) fn part(&self, (from, to): Span) -> &str {
        &self.text[from..to]
    }

    /// Keeps a text in the row.
    pub(crate) fn keep(&mut self, text: &str) -> Span {
        let from = self.text.len();
        self.text.push_str(text);
        (from, self.text.len())
    }

    /// The length of the text so far: where the next piece begins.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Forgets all but the first bytes of the text, for the next event.
    pub(crate) fn restart(&mut self, keep: usize) {
        self.text.truncate(keep);
        self.cells.clear();
        self.kind = (0, 0);
        self.time = 0;
    }

    pub(crate) fn set_kind(&mut self, kind: Span) {
        self.kind = kind;
    }

    pub(crate) fn set_time(&mut self, time: i64) {
        self.time = time;
    }

    /// A name that two columns have.
    pub(crate) fn repeated(&self) -> Option<&str> {
        const FEW: usize = 16;
        let names = self.cells.iter().map(|&(name, _)| self.part(name));
        if self.cells.len() <= FEW {
            return names.enumerate().find_map(|(i, name)| {
                let before = &self.cells[..i];
                before.iter().any(|&(other, _)| self.part(other) == name).then_some(name)
            });
        }
        let mut seen = HashSet::with_capacity(self.cells.len());
        names.into_iter().find(|name| !seen.insert(*name))
    }

    /// Removes the first column of that name.
    pub(crate) fn take(&mut self, column: &str) -> Option<Cell> {
        let place = self.cells.iter().position(|&(name, _)| self.part(name) == column)?;
        Some(self.cells.remove(place).1)
    }

    pub(crate) fn push_cell(&mut self, name: Span, cell: Cell) {
        self.cells.push((name, cell));
    }
}

impl Event for Row {
    fn kind(&self) -> &str {
        self.kind()
    }

    fn time(&self) -> i64 {
        self.time
    }

    fn each_field<'a>(&'a self, each: &mut impl FnMut(&'a str, Field<'a>)) {
        self.fields().for_each(|(name, field)| each(name, field));
    }
}

/// Rows are equal when type, time and columns are, wherever their text stands.
impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        self.time == other.time && self.kind() == other.kind() && self.fields().eq(other.fields())
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at {} ", self.kind(), self.time)?;
        f.debug_map().entries(self.fields()).finish()
    }
}
