//! Events and values as JSON.

use std::io::Write;

use nfab::ValueRef;

use crate::cli::input::{Cell, Columns, Quoting, Split, split, typed};

/// Writes rows of a table as objects.
#[derive(Debug)]
pub(crate) struct Objects {
    /// What stands before each value.
    keys: Vec<Vec<u8>>,
    cells: Vec<Cell>,
}

impl Objects {
    pub(crate) fn new(columns: &Columns) -> Self {
        let mut keys = vec![];
        for (i, name) in columns.names.iter().enumerate() {
            let mut key = if i == 0 { vec![] } else { vec![b','] };
            string(&mut key, name);
            key.push(b':');
            keys.push(key);
        }
        Objects { keys, cells: vec![] }
    }

    /// A row that was read before.
    pub(crate) fn write(&mut self, out: &mut Vec<u8>, row: &str) {
        out.push(b'{');
        if let Split::Row { .. } = split(row.as_bytes(), true, &mut self.cells) {
            for (key, cell) in self.keys.iter().zip(&self.cells) {
                out.extend_from_slice(key);
                let text = cell.text(row);
                match cell.quoting {
                    Quoting::None => unquoted(out, &text),
                    Quoting::Quoted | Quoting::Doubled => string(out, &text),
                }
            }
        }
        out.push(b'}');
    }
}

fn unquoted(out: &mut Vec<u8>, cell: &str) {
    match typed(cell) {
        Ok(ValueRef::Float(x)) if x.is_finite() && is_json_number(cell) => {
            out.extend_from_slice(cell.as_bytes());
        }
        Ok(typed) => value(out, typed),
        // A number that no 64 bits hold is text in any case.
        Err(_) => string(out, cell),
    }
}

/// Of a number: whether JSON allows its form.
fn is_json_number(number: &str) -> bool {
    let unsigned = number.strip_prefix('-').unwrap_or(number);
    let whole = unsigned.find(|c: char| !c.is_ascii_digit()).unwrap_or(unsigned.len());
    let point = unsigned[whole..].strip_prefix('.');
    whole > 0 && point.is_none_or(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// A value. JSON has no numbers that are none or infinite: these are strings.
pub(crate) fn value(out: &mut Vec<u8>, value: ValueRef<'_>) {
    // Writing to a vector does not fail.
    let _ = match value {
        ValueRef::Missing => write!(out, "null"),
        ValueRef::Int(i) => write!(out, "{i}"),
        ValueRef::Float(x) if x.is_finite() => write!(out, "{x:?}"),
        ValueRef::Float(x) => write!(out, "\"{x:?}\""),
        ValueRef::Bool(b) => write!(out, "{b}"),
        ValueRef::Text(text) => {
            string(out, text);
            Ok(())
        }
    };
}

pub(crate) fn string(out: &mut Vec<u8>, text: &str) {
    if text.bytes().any(|b| b < 0x20 || b == b'"' || b == b'\\') {
        // Writing a string to a vector does not fail.
        let _ = serde_json::to_writer(out, text);
    } else {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    }
}
