//! Matches as a table: a row for each event of each match.

use std::io::Write;

use nfab::Event;

use crate::cli::input::Columns;
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

fn cell(out: &mut Vec<u8>, text: &str) {
    if text.contains([',', '"', '\n', '\r']) {
        let _ = write!(out, "\"{}\"", text.replace('"', "\"\""));
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}
