//! Events from CSV and JSON lines, one at a time.

mod bounded;
mod cell;
mod jsonl;
mod table;
mod time;
mod uses;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use jsonl::JsonLines;
use multipattern::{Event, Schema, Slot, TimeUnit, TypeId, Value, ValueRef};
use table::Table;
pub(super) use uses::{Use, uses};

use super::arguments::InputFormat;
use super::patterns::is_stdin;
use super::report;

/// Longest row.
const MOST_ROW: u64 = 64 << 20;

/// What is read of a row.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) type_column: String,
    pub(super) time_column: String,
    pub(super) unit: TimeUnit,
    /// Whether a time is needed.
    pub(super) timed: bool,
    /// The names of the attributes, by slot.
    pub(super) attributes: Vec<String>,
    /// What asks for them, by slot.
    pub(super) uses: Vec<Use>,
    pub(super) types: Schema,
}

/// An event.
#[derive(Clone, Debug)]
pub(super) struct Row {
    event_type: TypeId,
    time: i64,
    values: Vec<Value>,
}

impl Row {
    /// The type of a name; all types that no pattern uses are one.
    fn set_type(&mut self, name: &str, types: &Schema) {
        self.event_type = types.type_id(name).unwrap_or(TypeId(u32::MAX));
    }
}

impl Event for Row {
    fn event_type(&self) -> TypeId {
        self.event_type
    }

    fn time(&self) -> i64 {
        self.time
    }

    fn attribute(&self, slot: Slot) -> ValueRef<'_> {
        self.values.get(slot.0 as usize).map_or(ValueRef::Missing, Value::as_ref)
    }
}

/// What is wrong with the input.
#[derive(Debug)]
pub(super) struct Fault {
    /// The line, from 1.
    pub(super) line: u64,
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl Fault {
    fn new(line: u64, message: impl Into<String>) -> Self {
        Fault { line, message: message.into(), hint: None }
    }

    fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

enum Rows {
    /// There is nothing, not even a header.
    None,
    Table(Box<Table>),
    Json(JsonLines),
}

/// Reads events.
pub(super) struct Input {
    rows: Rows,
    wanted: Wanted,
    row: Row,
    events: bool,
    /// The name for messages.
    pub(super) name: String,
    pub(super) is_stdin: bool,
}

impl Input {
    /// Opens an input, and reads the header.
    pub(super) fn open(
        path: Option<&Path>,
        format: Option<InputFormat>,
        wanted: Wanted,
    ) -> Result<Self, Fault> {
        let path = path.filter(|path| !is_stdin(path));
        let name = path.map_or("standard input".into(), |path| path.display().to_string());
        let unreadable = |error: io::Error| {
            Fault::new(0, format!("cannot read {name}: {}", report::plain(&error)))
        };
        let source: Box<dyn Read> = match path {
            Some(path) => Box::new(File::open(path).map_err(unreadable)?),
            None => Box::new(io::stdin()),
        };
        let mut source = BufReader::with_capacity(1 << 18, source);
        if source.fill_buf().map_err(unreadable)?.starts_with(b"\xef\xbb\xbf") {
            source.consume(3);
        }
        let extension = path.and_then(Path::extension).and_then(|extension| extension.to_str());
        let format = match (format, extension.map(str::to_ascii_lowercase).as_deref()) {
            (Some(format), _) => format,
            (None, Some("csv")) => InputFormat::Csv,
            (None, Some("jsonl" | "ndjson" | "json")) => InputFormat::Jsonl,
            _ => {
                let begin = source.fill_buf().map_err(unreadable)?;
                let first = begin.iter().find(|byte| !byte.is_ascii_whitespace());
                if first == Some(&b'{') { InputFormat::Jsonl } else { InputFormat::Csv }
            }
        };
        let rows = match format {
            InputFormat::Csv => Table::begin(source, &wanted)?
                .map_or(Rows::None, |table| Rows::Table(Box::new(table))),
            InputFormat::Jsonl => Rows::Json(JsonLines::begin(source, &wanted)),
        };
        if let Rows::Table(table) = &rows {
            let missing = table.missing.iter();
            let missing = missing.map(|&slot| (&wanted.attributes[slot][..], &wanted.uses[slot]));
            uses::warn(missing, &format!("{name}: line 1"), &table.columns);
        }
        let values = vec![Value::Missing; wanted.attributes.len()];
        let row = Row { event_type: TypeId(u32::MAX), time: 0, values };
        Ok(Input { rows, wanted, row, events: false, name, is_stdin: path.is_none() })
    }

    /// The next event, and its line.
    pub(super) fn next(&mut self) -> Result<Option<(&Row, u64)>, Fault> {
        self.row.values.fill(Value::Missing);
        let line = match &mut self.rows {
            Rows::None => None,
            Rows::Table(table) => table.next(&self.wanted, &mut self.row)?,
            Rows::Json(json) => json.next(&self.wanted, &mut self.row)?,
        };
        self.events |= line.is_some();
        Ok(line.map(|line| (&self.row, line)))
    }

    /// Says what was missing in an input that was read to its end.
    pub(super) fn note_missing(&self) {
        match &self.rows {
            Rows::Json(json) if self.events => {
                let named = self.wanted.attributes.iter().zip(&self.wanted.uses).zip(&json.seen);
                let unseen = named.filter(|(_, seen)| !**seen);
                uses::note(unseen.map(|((name, used), _)| (&name[..], used)));
            }
            Rows::Json(_) | Rows::None => {
                report::message("note", "the input is empty", Some(&self.name), None);
            }
            Rows::Table(_) => {}
        }
    }
}

/// The time that a value says; without windows of time, events without one have none.
fn read_time(value: ValueRef<'_>, wanted: &Wanted, line: u64) -> Result<i64, Fault> {
    match time::time(value, wanted.unit) {
        Ok(time) => Ok(time),
        Err(_) if !wanted.timed => Ok(0),
        Err(message) => Err(Fault::new(line, message).with_hint(time::HINT)),
    }
}
