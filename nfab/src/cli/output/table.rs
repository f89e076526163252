//! Matches as a table: a row for each event of each match.

use std::io::Write;

use nfab::language::Returned;
use nfab::{Event, ValueRef};

use crate::cli::input::{Columns, typed};
use crate::cli::row::Row;

/// The header.
pub(crate) fn header(out: &mut Vec<u8>, columns: Option<&Columns>) {
    out.extend_from_slice(b"match,variable,event,");
    let rest = columns.map_or("type,time,attributes", |columns| &columns.header);
    out.extend_from_slice(rest.as_bytes());
    out.push(b'\n');
}

/// An event. Rows of a table are repeated as they are written, objects are one cell.
pub(crate) fn event(
    out: &mut Vec<u8>,
    number: u64,
    variable: &str,
    event_type: &str,
    row: &Row,
    is_table: bool,
) {
    // Writing to a vector does not fail.
    let _ = write!(out, "{number},");
    cell(out, variable);
    let _ = write!(out, ",{},", row.number());
    if is_table {
        out.extend_from_slice(row.written().as_bytes());
    } else {
        cell(out, event_type);
        let _ = write!(out, ",{},", row.time());
        cell(out, row.written());
    }
    out.push(b'\n');
}

/// The header of results.
pub(crate) fn results_header(out: &mut Vec<u8>, names: &[String]) {
    out.extend_from_slice(b"match,start,end");
    for name in names {
        out.push(b',');
        cell(out, name);
    }
    out.push(b'\n');
}

/// The results of a match; events by their numbers.
pub(crate) fn results(out: &mut Vec<u8>, number: u64, rows: &[&Row], results: &[Returned]) {
    let time = |row: Option<&&Row>| row.map_or(0, |row| row.time());
    // Writing to a vector does not fail.
    let _ = write!(out, "{number},{},{}", time(rows.first()), time(rows.last()));
    for result in results {
        out.push(b',');
        match result {
            Returned::Events(places) => {
                for (i, &at) in places.iter().enumerate() {
                    let blank = if i == 0 { "" } else { " " };
                    let _ = write!(out, "{blank}{}", rows[at].number());
                }
            }
            Returned::Value(value) => match value.as_ref() {
                ValueRef::Missing => {}
                ValueRef::Int(i) => {
                    let _ = write!(out, "{i}");
                }
                ValueRef::Float(x) => {
                    let _ = write!(out, "{x:?}");
                }
                ValueRef::Bool(b) => {
                    let _ = write!(out, "{b}");
                }
                // Text that would be read as something else stands in quotes.
                ValueRef::Text(text) if matches!(typed(text), Ok(ValueRef::Text(_))) => {
                    cell(out, text);
                }
                ValueRef::Text(text) => {
                    let _ = write!(out, "\"{text}\"");
                }
            },
        }
    }
    out.push(b'\n');
}

fn cell(out: &mut Vec<u8>, text: &str) {
    if text.contains([',', '"', '\n', '\r']) {
        let _ = write!(out, "\"{}\"", text.replace('"', "\"\""));
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}
