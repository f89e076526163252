//! Comma-separated values as in RFC 4180, with a header.
//!
//! The writer ends lines with `\n` and quotes a field only where it must. The reader takes `\n` and
//! `\r\n`, a byte order mark, columns in any order and rows without a final line break; it skips
//! empty lines. Types are inferred field by field:
//!
//! | field | value |
//! |---|---|
//! | empty | missing |
//! | `true`, `false` | a truth value |
//! | a number as JSON writes it, without fraction and exponent, within 64 bits: `7`, `-40` | a whole number |
//! | any other number as JSON writes it, if it is finite: `7.0`, `-1e-9`, `-0` | a floating point number |
//! | in quotes, whatever it is: `"7"`, `"true"`, `""` | text |
//! | anything else: `007`, `+1`, `.5`, `nan`, `99999999999999999999`, ` 7` | text |
//!
//! Whole numbers beyond 64 bits are text, so that different ones stay different. The type of an
//! event is always text, and its time must be a whole number.

use super::ReadOptions;
use super::error::{ReadError, ReadErrorKind, excerpt};
use super::input::{End, Input};
use super::output::{self, Output};
use crate::stream::{Cell, Event, Field, Row, Span};
use memchr::{memchr, memchr2};
use std::collections::HashMap;
use std::io::{self, Read, Write};

/// Writes events as comma-separated values.
///
/// ```
/// use data_gen::format::csv;
/// use data_gen::stream::{Field, Row};
/// let mut text = Vec::new();
/// let mut writer = csv::Writer::new(&mut text, &["user", "note"])?;
/// let mut row = Row::new("login", 5);
/// row.push("user", Field::Int(42));
/// row.push("note", Field::Text("42"));
/// writer.write(&row)?;
/// writer.finish()?;
/// assert_eq!(text, b"type,time,user,note\nlogin,5,42,\"42\"\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "what is buffered is lost without `finish`"]
pub struct Writer<W> {
    output: Output<W>,
    columns: Vec<String>,
}

impl<W: Write> Writer<W> {
    /// Begins with the header: `type`, `time` and the given columns.
    ///
    /// # Errors
    /// `InvalidInput` when two columns have the same name.
    pub fn new(out: W, columns: &[&str]) -> io::Result<Self> {
        let columns = output::columns(columns)?;
        let mut output = Output::new(out);
        let bytes = output.bytes();
        bytes.extend_from_slice(b"type,time");
        for name in &columns {
            bytes.push(b',');
            push_text(bytes, name);
        }
        bytes.push(b'\n');
        Ok(Self { output, columns })
    }

    /// Writes an event.
    ///
    /// # Errors
    /// `InvalidInput` when its columns are not the header's in the header's order, or a number is
    /// not finite: then nothing of the event is written. Else what the output reports.
    #[inline]
    pub fn write(&mut self, event: &impl Event) -> io::Result<()> {
        let bytes = self.output.bytes();
        let begin = bytes.len();
        push_text(bytes, event.kind());
        bytes.push(b',');
        output::push_int(bytes, event.time());
        let mut columns = self.columns.iter();
        let mut failure = None;
        event.each_field(&mut |name, field| {
            if failure.is_some() {
                return;
            }
            match columns.next() {
                Some(expected) if expected == name => {
                    bytes.push(b',');
                    failure = push_field(bytes, field).err();
                }
                other => failure = Some(output::misplaced(other.map(String::as_str), name)),
            }
        });
        if failure.is_none() {
            failure = columns.next().map(|expected| output::lacking(expected));
        }
        if let Some(failure) = failure {
            bytes.truncate(begin);
            return Err(failure);
        }
        bytes.push(b'\n');
        self.output.end_row()
    }

    /// Writes out what is buffered; returns the number of bytes written in all.
    ///
    /// # Errors
    /// What the output reports.
    pub fn finish(self) -> io::Result<u64> {
        self.output.finish()
    }
}

#[inline]
fn push_field(bytes: &mut Vec<u8>, field: Field<'_>) -> io::Result<()> {
    match field {
        Field::Missing => {}
        Field::Int(i) => output::push_int(bytes, i),
        Field::Float(x) => output::push_float(bytes, x)?,
        Field::Bool(b) => bytes.extend_from_slice(if b { b"true" } else { b"false" }),
        Field::Text(text) => push_text(bytes, text),
    }
    Ok(())
}

/// Appends text, in quotes where it would else read as something else.
#[inline]
fn push_text(bytes: &mut Vec<u8>, text: &str) {
    let special = |byte: u8| matches!(byte, b'"' | b',' | b'\n' | b'\r');
    if matches!(infer(text), Field::Text(_)) && !text.bytes().any(special) {
        bytes.extend_from_slice(text.as_bytes());
        return;
    }
    bytes.push(b'"');
    for (i, piece) in text.split('"').enumerate() {
        if i > 0 {
            bytes.extend_from_slice(b"\"\"");
        }
        bytes.extend_from_slice(piece.as_bytes());
    }
    bytes.push(b'"');
}

/// The value of a field that is not in quotes, by the rules of this module.
///
/// ```
/// use data_gen::format::csv::infer;
/// use data_gen::stream::Field;
/// assert_eq!(infer("12"), Field::Int(12));
/// assert_eq!(infer("1.50"), Field::Float(1.5));
/// assert_eq!(infer("012"), Field::Text("012"));
/// ```
#[inline]
#[must_use]
pub fn infer(field: &str) -> Field<'_> {
    match field.as_bytes() {
        [] => Field::Missing,
        b"true" => Field::Bool(true),
        b"false" => Field::Bool(false),
        [b'-' | b'0'..=b'9', ..] => number(field).unwrap_or(Field::Text(field)),
        _ => Field::Text(field),
    }
}

fn number(text: &str) -> Option<Field<'_>> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = usize::from(bytes[0] == b'-');
    let mut at = whole + digits(whole);
    if at == whole || (bytes[whole] == b'0' && at > whole + 1) {
        return None;
    }
    // Minus zero is no whole number: its sign would be lost.
    if at == bytes.len() && text != "-0" {
        return text.parse().ok().map(Field::Int);
    }
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        if fraction == 0 {
            return None;
        }
        at += 1 + fraction;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at);
        if exponent == 0 {
            return None;
        }
        at += exponent;
    }
    if at < bytes.len() {
        return None;
    }
    text.parse().ok().filter(|x: &f64| x.is_finite()).map(Field::Float)
}

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
            // The cause may be a quote that does not belong where it stands.
            let lossy = String::from_utf8_lossy(bytes);
            if let Err((offset, ReadErrorKind::Syntax, message)) =
                self::fields(&lossy, |_, _, _| Ok(()))
                && offset > 0
                && !message.starts_with(UNCLOSED)
            {
                return Err(error(&self.input, bytes, (offset, ReadErrorKind::Syntax, message)));
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
        let name = name.to_string();
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
                        excerpt(&field.to_string())
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
    fn to_string(self) -> String {
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
            at = memchr2(b',', b'"', &bytes[at..]).map_or(bytes.len(), |i| at + i);
            if bytes.get(at) == Some(&b'"') {
                return syntax(at, "a quote inside a field that does not begin with one");
            }
            if let Some(i) = memchr(b'\r', &bytes[begin..at]) {
                return syntax(begin + i, "a carriage return outside quotes, not at a row's end");
            }
            each(begin, false, Raw { raw: &text[begin..at], doubled: false })?;
        }
        if at >= bytes.len() {
            return Ok(());
        }
        at += 1;
    }
}
