//! Writing streams of events as text, and reading them back: [`csv`] and [`jsonl`].
//!
//! Both formats are written and read in constant memory, and what is written reads back as equal
//! values of equal types. An event has a type, a time and columns; the first two are columns too,
//! called `type` and `time` unless a reader is told otherwise.
//!
//! ```
//! use data_gen::format::csv;
//! use data_gen::stream::Field;
//! let text = "type,time,price,note\nbid,1,7,\nask,2,7.5,\"\"\n";
//! let mut reader = csv::Reader::new(text.as_bytes())?;
//! let bid = reader.next_row()?.expect("a row");
//! assert_eq!((bid.kind(), bid.time()), ("bid", 1));
//! assert_eq!((bid.get("price"), bid.get("note")), (Field::Int(7), Field::Missing));
//! let ask = reader.next_row()?.expect("a row");
//! assert_eq!((ask.get("price"), ask.get("note")), (Field::Float(7.5), Field::Text("")));
//! # Ok::<(), data_gen::format::ReadError>(())
//! ```

pub mod csv;
mod error;
mod input;
pub mod jsonl;
mod output;

pub use error::{ReadError, ReadErrorKind};

use std::fmt;
use std::str::FromStr;

/// A format of files of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Comma-separated values with a header: [`mod@csv`].
    #[default]
    Csv,
    /// A JSON object on each line: [`jsonl`].
    Jsonl,
}

impl Format {
    /// The format's name, which is also the usual ending of files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "csv" => Ok(Self::Csv),
            "jsonl" => Ok(Self::Jsonl),
            _ => Err(format!("unknown format {name:?}; use csv or jsonl")),
        }
    }
}

/// What to choose about reading.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The column of the events' types.
    pub type_column: String,
    /// The column of the events' times.
    pub time_column: String,
    /// The longest row in bytes; a longer one is an error and ends the reading. It bounds the
    /// memory of a reader.
    pub max_row: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            type_column: "type".to_owned(),
            time_column: "time".to_owned(),
            max_row: 1024 * 1024,
        }
    }
}
