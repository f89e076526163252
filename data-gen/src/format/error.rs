//! What can be wrong with a file of events.

use std::fmt;
use std::io;

/// Why an event could not be read, and where.
#[derive(Debug)]
pub struct ReadError {
    kind: ReadErrorKind,
    line: u64,
    column: u64,
    message: String,
    source: Option<io::Error>,
}

/// The sort of a [`ReadError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The input could not be read.
    Io,
    /// Bytes are not UTF-8.
    Encoding,
    /// The text is not of its format.
    Syntax,
    /// The header or the names of columns are not usable.
    Columns,
    /// A row has more or fewer fields than the header.
    Width,
    /// The event has no type.
    Type,
    /// The event has no whole number as its time.
    Time,
    /// A row is longer than the limit.
    TooLong,
}

impl ReadError {
    pub(super) fn new(kind: ReadErrorKind, (line, column): (u64, u64), message: String) -> Self {
        Self { kind, line, column, message, source: None }
    }

    pub(super) fn io(line: u64, source: io::Error) -> Self {
        let message = format!("cannot read: {source}");
        Self { kind: ReadErrorKind::Io, line, column: 1, message, source: Some(source) }
    }

    /// The sort of error.
    #[must_use]
    pub fn kind(&self) -> ReadErrorKind {
        self.kind
    }

    /// The line, counted from 1. A row with line breaks in its text has several.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The column in characters, counted from 1.
    #[must_use]
    pub fn column(&self) -> u64 {
        self.column
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}

/// Part of a text for a message: short, and on one line.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}
