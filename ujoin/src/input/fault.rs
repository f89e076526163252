//! What can be wrong with the input.

use std::fmt;
use std::io;

use super::decimal::DecimalError;
use super::time::{Seconds, TimeError};
use crate::TravelError;

/// A row that is refused, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its line, from 1; of a row of several lines the first. 0 if that is not known.
    pub line: u64,
    /// Where in the row.
    pub place: Place,
    /// What is wrong.
    pub problem: Problem,
}

/// Where in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The row as a whole.
    Row,
    /// A column: its number from 1, where there is one, and its name.
    Column(Option<usize>, String),
    /// A byte of the line, from 1.
    Byte(usize),
}

/// What is wrong with a row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Not in (0, 1].
    #[error("the probability {0} is not above 0 and at most 1")]
    Probability(String),
    /// Not a number.
    #[error("`{value}` is not a probability: {error}")]
    ProbabilityText {
        /// As written.
        value: String,
        /// Why.
        error: DecimalError,
    },
    /// Neither seconds nor a date and time, or beyond 64 bits.
    #[error("`{value}` is not a time: {error}")]
    Time {
        /// As written.
        value: String,
        /// Why.
        error: TimeError,
    },
    /// More digits than are kept, where that is not allowed.
    #[error("`{0}` has more than 9 digits behind the point")]
    Inexact(String),
    /// A key without text.
    #[error("the key is empty")]
    EmptyKey,
    /// A key of which nothing is left.
    #[error("nothing is left of the key `{0}` without spaces and dashes")]
    EmptyPlate(String),
    /// A stream without travel times.
    #[error("the stream `{0}` is not in the travel times")]
    UnknownStream(String),
    /// A value that has to be there.
    #[error("there is no {0}")]
    Missing(&'static str),
    /// A value of another kind than wanted.
    #[error("{value} is not a {column}")]
    Kind {
        /// As written.
        value: String,
        /// The column.
        column: &'static str,
    },
    /// Twice in one object.
    #[error("a second `{0}` in one object")]
    Twice(String),
    /// `pause` without `true`.
    #[error("the mark is `{{\"pause\": true}}`")]
    Pause,
    /// Fewer or more cells than the header has.
    #[error("{found} {}, where the header has {expected}", if *found == 1 { "cell" } else { "cells" })]
    Cells {
        /// In this row.
        found: usize,
        /// In the header.
        expected: usize,
    },
    /// A quote that is not closed.
    #[error("a quote in this row is not closed")]
    Unclosed,
    /// Text behind a quoted cell.
    #[error("text behind the closing quote of a cell")]
    AfterQuote,
    /// Not UTF-8.
    #[error("this is not UTF-8")]
    Utf8,
    /// Not a JSON object.
    #[error("this line is not a JSON object")]
    NoObject,
    /// Not valid JSON.
    #[error("JSON: {0}")]
    Json(String),
    /// Longer than any row.
    #[error("a row of more than {0} megabytes")]
    Long(usize),
    /// Exclusive alternatives that are more than certain.
    #[error(
        "the probabilities of observation `{observation}` in stream `{stream}` add up to {sum}"
    )]
    Sum {
        /// Its name.
        observation: String,
        /// Where.
        stream: String,
        /// Of all its alternatives.
        sum: Seconds,
    },
    /// One observation at two times.
    #[error(
        "observation `{observation}` in stream `{stream}` is at {first} and at {second} seconds"
    )]
    Times {
        /// Its name.
        observation: String,
        /// Where.
        stream: String,
        /// Of the rows before.
        first: Seconds,
        /// Of this row.
        second: Seconds,
    },
    /// Too many alternatives of one observation.
    #[error("observation `{observation}` has more than {most} alternatives")]
    Alternatives {
        /// Its name.
        observation: String,
        /// How many are allowed.
        most: usize,
    },
}

impl Fault {
    pub(crate) fn new(place: Place, problem: Problem) -> Fault {
        Fault { line: 0, place, problem }
    }

    /// What to do about it, where that is not plain.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        Some(match &self.problem {
            Problem::Probability(_) => "0.7 is 70 %; leave a row out that is impossible",
            Problem::Time { error: TimeError::Range, .. } => {
                "times are in seconds; perhaps these are milliseconds"
            }
            Problem::Time { .. } => {
                "a time is a number of seconds, or a date and time with its zone, as in \
                 2024-05-01T12:30:00.25Z"
            }
            Problem::Inexact(_) => "without `--exact` it is rounded",
            Problem::Cells { .. } => "a comma inside of a cell needs quotes around the cell",
            Problem::Unclosed | Problem::AfterQuote => {
                "a quote inside of quotes is doubled: `\"say \"\"yes\"\"\"`"
            }
            Problem::Utf8 => "convert the file, as in `iconv -f latin1 -t utf-8 FILE`",
            Problem::NoObject => {
                "each sighting is an object on its own line; for a table with a header give \
                 `--input-format csv`"
            }
            Problem::Long(_) => "perhaps a quote is not closed",
            Problem::Sum { .. } => {
                "rows of one observation are alternatives, of which at most one is true"
            }
            Problem::Times { .. } => "with `--mode observation` an observation has one time",
            _ => return None,
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Row => f.write_str("the row"),
            Place::Column(Some(number), name) => write!(f, "column {number} (`{name}`)"),
            Place::Column(None, name) => write!(f, "`{name}`"),
            Place::Byte(number) => write!(f, "byte {number}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, &self.place) {
            (0, Place::Row) => {}
            (0, place) => write!(f, "{place}: ")?,
            (line, Place::Row) => write!(f, "line {line}: ")?,
            (line, place) => write!(f, "line {line}, {place}: ")?,
        }
        self.problem.fmt(f)
    }
}

impl std::error::Error for Fault {}

/// Why no row can be read at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A row, or the header, does not serve.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The header lacks a column.
    #[error("there is no column `{column}`; the header has {found}")]
    NoColumn {
        /// Which one.
        column: &'static str,
        /// What there is.
        found: String,
    },
    /// Two columns of one name.
    #[error("two columns are named `{0}`")]
    TwoColumns(String),
    /// Travel times without any stream.
    #[error("there are no travel times")]
    Empty,
    /// A pair of streams without travel time.
    #[error("there is no travel time from `{from}` to `{to}`")]
    NoTravelTime {
        /// From which stream.
        from: String,
        /// To which.
        to: String,
    },
    /// A travel time that is none.
    #[error("line {line}: the travel time from `{from}` to `{to}` is `{value}`: {problem}")]
    TravelTime {
        /// Of the file.
        line: u64,
        /// From which stream.
        from: String,
        /// To which.
        to: String,
        /// As written.
        value: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// A name of a stream that stands twice.
    #[error("line {line}: the stream `{stream}` stands there twice")]
    TwoStreams {
        /// Of the file.
        line: u64,
        /// Its name.
        stream: String,
    },
    /// The rows of a square table are not those of its header.
    #[error("line {line}: row `{found}`, where the header has the stream `{expected}`")]
    Square {
        /// Of the file.
        line: u64,
        /// The row's name.
        found: String,
        /// The column's.
        expected: String,
    },
    /// More rows than columns.
    #[error("line {line}: row `{found}` has no column in the header")]
    NoStream {
        /// Of the file.
        line: u64,
        /// The row's name.
        found: String,
    },
    /// The matrix is refused.
    #[error(transparent)]
    Travel(#[from] TravelError),
}

/// Names in a sentence, the first few of them.
pub(crate) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    const MOST: usize = 12;
    let all: Vec<_> = names.into_iter().collect();
    let quoted: Vec<_> = all.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    match (&quoted[..], all.len()) {
        ([], _) => "none".to_owned(),
        (some, n) if n > MOST => format!("{} and {} more", some.join(", "), n - MOST),
        ([one], _) => one.clone(),
        ([front @ .., last], _) => format!("{} and {last}", front.join(", ")),
    }
}
