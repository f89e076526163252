//! Rows of the input as JSON objects.

use std::io::Write;

use super::csv::Columns;
use super::json;
use super::split::{Cell, Split, split};
use super::time::Seconds;
use crate::Probability;

/// Makes JSON objects of rows that a [`Reader`](super::Reader) read. They hold every column under its
/// name: the time, in seconds, and the probability as numbers, cells of tables as strings. In JSON
/// lines other numbers become strings of the same digits; what is no number stays as it is.
#[derive(Clone, Debug)]
pub struct RowWriter {
    kind: Kind,
    cells: Vec<Cell>,
}

#[derive(Clone, Debug)]
enum Kind {
    Csv {
        /// What stands before each value.
        keys: Vec<Vec<u8>>,
        time: usize,
        probability: usize,
    },
    Json,
}

impl RowWriter {
    pub(super) fn csv(columns: &Columns) -> RowWriter {
        let keys = columns.names.iter().enumerate().map(|(i, name)| {
            let mut key = if i == 0 { vec![] } else { vec![b','] };
            string(&mut key, name);
            key.push(b':');
            key
        });
        let kind = Kind::Csv {
            keys: keys.collect(),
            time: columns.time,
            probability: columns.probability,
        };
        RowWriter { kind, cells: vec![] }
    }

    pub(super) fn json() -> RowWriter {
        RowWriter { kind: Kind::Json, cells: vec![] }
    }

    /// Writes a row as it was read, with the values that were read of it.
    pub fn write(&mut self, out: &mut Vec<u8>, row: &str, time: i64, probability: Probability) {
        out.push(b'{');
        match &self.kind {
            Kind::Csv { keys, time: time_at, probability: probability_at } => {
                if let Split::Row { .. } = split(row.as_bytes(), true, &mut self.cells) {
                    for (i, (key, cell)) in keys.iter().zip(&self.cells).enumerate() {
                        out.extend_from_slice(key);
                        // Writing to a vector does not fail.
                        if i == *time_at {
                            let _ = write!(out, "{}", Seconds(time));
                        } else if i == *probability_at {
                            let _ = write!(out, "{probability}");
                        } else {
                            string(out, &cell.text(row));
                        }
                    }
                }
            }
            Kind::Json => {
                let mut first = true;
                // The row was valid when it was read.
                let _ = json::members_of(row, |name, raw| {
                    if !first {
                        out.push(b',');
                    }
                    first = false;
                    string(out, name);
                    out.push(b':');
                    let _ = match name {
                        json::TIME => write!(out, "{}", Seconds(time)),
                        json::PROBABILITY => write!(out, "{probability}"),
                        _ if matches!(raw.as_bytes()[0], b'-' | b'0'..=b'9') => {
                            write!(out, "\"{raw}\"")
                        }
                        _ => write!(out, "{raw}"),
                    };
                });
            }
        }
        out.push(b'}');
    }
}

/// Writes text as a JSON string.
pub fn string(out: &mut Vec<u8>, text: &str) {
    if text.bytes().any(|b| b < 0x20 || b == b'"' || b == b'\\') {
        // Writing a string to a vector does not fail.
        let _ = serde_json::to_writer(out, text);
    } else {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    }
}
