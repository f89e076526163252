//! Reading events from comma-separated values.

use super::infer;
use crate::format::ReadOptions;
use crate::format::error::{ReadError, ReadErrorKind, excerpt};
use crate::format::input::{End, Input};
use crate::stream::{Cell, Field, Row, Span};
use memchr::memchr;
use std::collections::HashMap;
use std::io::Read;

/// Reads events from comma-separated values.
///
/// As an iterator it gives rows of their own; [`next_row`](Self::next_row) lends them, which is
/// quicker. After an error the next rows can still be read, unless the input failed or a row was
/// too long.
#[derive(Debug)]
pub struct Reader<R> {
    input: Input<R>,
    columns: Vec<String>,
    slots: Vec<Slot>,
    type_column: String,
    time_column: String,
    row: Row,
    /// The length of the names at the beginning of the row's text.
    names: usize,
}

/// What to do with a field.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Type,
    Time,
    /// The place of the name in the row's text.
    Column(Span),
}

/// An offset in the row, and what is wrong there.
type Fault = (usize, ReadErrorKind, String);

impl<R: Read> Reader<R> {
    /// Reads the header; columns `type` and `time` are required.
    ///
    /// # Errors
    /// When there is no header, or when its names are not usable.
    pub fn new(from: R) -> Result<Self, ReadError> {
        Self::with_options(from, &ReadOptions::default())
    }

    /// Reads the header.
    ///
    /// # Errors
    /// When there is no header, or when its names are not usable.
    pub fn with_options(from: R, options: &ReadOptions) -> Result<Self, ReadError> {
        let mut input = Input::new(from, options.max_row);
        let Some((place, end)) = input.next(true)? else {
            let message = "there is no header, the input is empty".to_owned();
            return Err(ReadError::new(ReadErrorKind::Columns, (input.line(), 1), message));
        };
        if end == End::TooLong {
            return Err(input.too_long(", and the first one at that: is this a CSV file?"));
        }
        let bytes = input.row(place);
        let text = input.text(bytes)?;
        let header = header(text, options).map_err(|fault| error(&input, bytes, fault))?;
        let (columns, slots, row) = header;
        Ok(Self {
            names: row.len(),
            input,
            columns,
            slots,
            type_column: options.type_column.clone(),
            time_column: options.time_column.clone(),
            row,
        })
    }

    /// The columns besides type and time, in the order of the header.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The next event; nothing at the end.
    ///
    /// # Errors
    /// When a row cannot be read as an event.
    pub fn next_row(&mut self) -> Result<Option<&Row>, ReadError> {
        let Some((place, end)) = self.input.next(true)? else {
            return Ok(None);
        };
        let bytes = self.input.row(place);
        if end == End::TooLong {
            // The cause may be a quote where none belongs, which begins what never ends.
            let begun = String::from_utf8_lossy(bytes);
            if let Err(fault) = fields(&begun, |_, _, _| Ok(()))
                && !fault.2.starts_with(UNCLOSED)
            {
                return Err(error(&self.input, bytes, fault));
            }
            return Err(self.input.too_long("; does a quote lack its end?"));
        }
        let text = self.input.text(bytes)?;
        self.row.restart(self.names);
        let filled = fill(&mut self.row, text, &self.slots, &self.type_column, &self.time_column);
        match filled {
            Ok(()) => Ok(Some(&self.row)),
            Err(fault) => Err(error(&self.input, bytes, fault)),
        }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Row, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_row().map(|row| row.cloned()).transpose()
    }
}

#[cold]
fn error<R: Read>(input: &Input<R>, row: &[u8], (offset, kind, message): Fault) -> ReadError {
    ReadError::new(kind, input.position(row, offset), message)
}

type Header = (Vec<String>, Vec<Slot>, Row);

fn header(text: &str, options: &ReadOptions) -> Result<Header, Fault> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let (mut columns, mut slots, mut row) = (Vec::new(), Vec::new(), Row::default());
    fields(text, |at, _, name| {
        let name = name.text();
        let number = slots.len() + 1;
        if let Some(before) = places.insert(name.clone(), number) {
            let name = excerpt(&name);
            let message = format!("columns {before} and {number} are both called {name}");
            return Err((at, ReadErrorKind::Columns, message));
        }
        slots.push(if name == options.type_column {
            Slot::Type
        } else if name == options.time_column {
            Slot::Time
        } else {
            let span = row.keep(&name);
            columns.push(name);
            Slot::Column(span)
        });
        Ok(())
    })?;
    for (name, what) in [(&options.type_column, "type"), (&options.time_column, "time")] {
        if !places.contains_key(name) {
            let message = format!("the header has no column {} for the {what}", excerpt(name));
            return Err((0, ReadErrorKind::Columns, message));
        }
    }
    if options.type_column == options.time_column {
        let name = excerpt(&options.type_column);
        let message = format!("column {name} cannot be both the type and the time");
        return Err((0, ReadErrorKind::Columns, message));
    }
    Ok((columns, slots, row))
}

fn fill(
    row: &mut Row,
    text: &str,
    slots: &[Slot],
    type_column: &str,
    time_column: &str,
) -> Result<(), Fault> {
    let mut number = 0;
    fields(text, |at, quoted, field| {
        let Some(&slot) = slots.get(number) else {
            let found = number + 1;
            let message = format!("field {found} of a row; the header has {}", slots.len());
            return Err((at, ReadErrorKind::Width, message));
        };
        number += 1;
        match slot {
            Slot::Column(name) => {
                let cell = field.cell(quoted, row);
                row.push_cell(name, cell);
            }
            Slot::Type => {
                if !quoted && field.raw.is_empty() {
                    let message = format!("the type ({}) is missing", excerpt(type_column));
                    return Err((at, ReadErrorKind::Type, message));
                }
                let span = field.keep(row);
                row.set_kind(span);
            }
            Slot::Time => match infer(field.raw) {
                Field::Int(time) if !quoted => row.set_time(time),
                _ => {
                    let message = format!(
                        "the time ({}) must be a whole number within 64 bits: {}",
                        excerpt(time_column),
                        excerpt(&field.text())
                    );
                    return Err((at, ReadErrorKind::Time, message));
                }
            },
        }
        Ok(())
    })?;
    if number < slots.len() {
        let message = format!("the row ends after {number} fields; the header has {}", slots.len());
        return Err((text.len(), ReadErrorKind::Width, message));
    }
    Ok(())
}

/// A field as it stands in the file, without the quotes around it.
#[derive(Clone, Copy)]
struct Raw<'a> {
    raw: &'a str,
    /// Whether doubled quotes stand for one.
    doubled: bool,
}

impl Raw<'_> {
    fn text(self) -> String {
        if self.doubled { self.raw.replace("\"\"", "\"") } else { self.raw.to_owned() }
    }

    fn keep(self, row: &mut Row) -> Span {
        if !self.doubled {
            return row.keep(self.raw);
        }
        let from = row.len();
        for (i, piece) in self.raw.split("\"\"").enumerate() {
            if i > 0 {
                row.keep("\"");
            }
            row.keep(piece);
        }
        (from, row.len())
    }

    #[inline]
    fn cell(self, quoted: bool, row: &mut Row) -> Cell {
        if quoted {
            return Cell::Text(self.keep(row));
        }
        match infer(self.raw) {
            Field::Missing => Cell::Missing,
            Field::Int(i) => Cell::Int(i),
            Field::Float(x) => Cell::Float(x),
            Field::Bool(b) => Cell::Bool(b),
            Field::Text(text) => Cell::Text(row.keep(text)),
        }
    }
}

/// How the message about a missing quote begins.
const UNCLOSED: &str = "the quote that opens here";

/// Calls `each` with the offset of every field of a row, whether it is in quotes, and the field.
fn fields(
    text: &str,
    mut each: impl FnMut(usize, bool, Raw<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let bytes = text.as_bytes();
    let syntax = |at, message: &str| Err((at, ReadErrorKind::Syntax, message.to_owned()));
    let mut at = 0;
    loop {
        let begin = at;
        if bytes.get(at) == Some(&b'"') {
            let mut doubled = false;
            at += 1;
            loop {
                let Some(quote) = memchr(b'"', &bytes[at..]) else {
                    return syntax(begin, &format!("{UNCLOSED} is never closed"));
                };
                at += quote + 1;
                if bytes.get(at) != Some(&b'"') {
                    break;
                }
                doubled = true;
                at += 1;
            }
            each(begin, true, Raw { raw: &text[begin + 1..at - 1], doubled })?;
            if at < bytes.len() && bytes[at] != b',' {
                return syntax(at, "after a closing quote there must be a comma or the row's end");
            }
        } else {
            // Fields are short: a loop costs less than a call that searches many bytes at a time.
            let stops = |byte: &u8| matches!(byte, b',' | b'"' | b'\r');
            at = bytes[at..].iter().position(stops).map_or(bytes.len(), |i| at + i);
            match bytes.get(at) {
                Some(b'"') => {
                    return syntax(at, "a quote inside a field that does not begin with one");
                }
                Some(b'\r') => {
                    return syntax(at, "a carriage return outside quotes, not at a row's end");
                }
                _ => {}
            }
            each(begin, false, Raw { raw: &text[begin..at], doubled: false })?;
        }
        if at >= bytes.len() {
            return Ok(());
        }
        at += 1;
    }
}
