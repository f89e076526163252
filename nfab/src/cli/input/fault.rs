//! What can be wrong with the input.

use std::io;

/// A row that is no event.
#[derive(Debug)]
pub(crate) struct Fault {
    /// Its line, from 1; of a row of several lines the first.
    pub(crate) line: u64,
    pub(crate) place: Place,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

/// Where in a row.
#[derive(Debug)]
pub(crate) enum Place {
    Row,
    /// A column of a table: its number from 1 and its name.
    Cell(usize, String),
    /// A byte of the line, from 1.
    Byte(usize),
}

impl Fault {
    pub(crate) fn new(place: Place, message: impl Into<String>) -> Self {
        Fault { line: 0, place, message: message.into(), hint: None }
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The place in words.
    pub(crate) fn describe(&self) -> String {
        let line = self.line;
        match &self.place {
            Place::Row => format!("line {line}"),
            Place::Cell(number, name) if name.is_empty() => format!("line {line}, column {number}"),
            Place::Cell(number, name) => format!("line {line}, column {number} (`{name}`)"),
            Place::Byte(number) => format!("line {line}, column {number}"),
        }
    }
}

/// Why no further row can be read.
#[derive(Debug)]
pub(crate) enum Fatal {
    /// The file cannot be read.
    Io(io::Error),
    /// The input as a whole does not serve.
    Input(Fault),
    /// The query asks for what the input does not have.
    Query(nfab::Error),
}

impl From<io::Error> for Fatal {
    fn from(error: io::Error) -> Self {
        Fatal::Io(error)
    }
}
