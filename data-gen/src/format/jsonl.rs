//! JSON lines: an object on each line, in UTF-8.
//!
//! The writer gives type and time first and `null` for what is missing. The reader takes fields in
//! any order, different ones from line to line, `\n` and `\r\n`, a byte order mark, and skips
//! blank lines. Numbers without fraction and exponent within 64 bits are whole numbers, all others
//! floating point; `null` is missing. The type must be text and the time a whole number. Objects
//! and lists as values, and two fields of one name, are errors.

use super::ReadOptions;
use super::error::{ReadError, ReadErrorKind, excerpt};
use super::input::{End, Input};
use super::output::{self, Buffer, Output};
use crate::stream::{Cell, Event, Field, Row, Span};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, Visitor};
use std::fmt;
use std::io::{self, Read, Write};

/// Writes events as JSON lines.
///
/// ```
/// use data_gen::format::jsonl;
/// use data_gen::stream::StockOptions;
/// let mut text = Vec::new();
/// let mut writer = jsonl::Writer::new(&mut text, &data_gen::stream::stock::COLUMNS)?;
/// for event in StockOptions::new(10).stream(1)? {
///     writer.write(&event)?;
/// }
/// writer.finish()?;
/// assert!(text.starts_with(b"{\"type\":\"stock\",\"time\":0,\"id\":0,\"symbol\":"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "what is buffered is lost without `finish`"]
pub struct Writer<W> {
    output: Output<W>,
    /// What stands before the type.
    before_kind: Vec<u8>,
    /// Each column's name, and what stands between the value before and its own.
    columns: Vec<(String, Vec<u8>)>,
}

impl<W: Write> Writer<W> {
    /// A writer of events with the given columns besides type and time.
    ///
    /// # Errors
    /// `InvalidInput` when two columns have the same name.
    pub fn new(out: W, columns: &[&str]) -> io::Result<Self> {
        Self::with_type_column(out, "type", columns)
    }

    /// As [`new`](Self::new), with another name for the column of the types.
    ///
    /// # Errors
    /// `InvalidInput` when two columns have the same name.
    pub fn with_type_column(out: W, kind: &str, columns: &[&str]) -> io::Result<Self> {
        let mut before = Buffer::default();
        before.byte(b'{');
        push_text(&mut before, kind);
        before.byte(b':');
        let before_kind = before.filled().to_vec();
        let columns = output::columns(kind, columns)?.into_iter().map(|name| {
            let mut before = Buffer::default();
            before.byte(b',');
            push_text(&mut before, &name);
            before.byte(b':');
            let before = before.filled().to_vec();
            (name, before)
        });
        Ok(Self { output: Output::new(out), before_kind, columns: columns.collect() })
    }

    /// Writes an event.
    ///
    /// # Errors
    /// `InvalidInput` when its columns are not the writer's in the writer's order, or a number is
    /// not finite: then nothing of the event is written. Else what the output reports.
    #[inline]
    pub fn write(&mut self, event: &impl Event) -> io::Result<()> {
        self.put::<true>(event)
    }

    /// As [`write`](Self::write), for events that certainly have the writer's columns.
    #[inline]
    pub(crate) fn write_own(&mut self, event: &impl Event) -> io::Result<()> {
        self.put::<false>(event)
    }

    #[inline]
    fn put<const CHECKED: bool>(&mut self, event: &impl Event) -> io::Result<()> {
        let out = self.output.buffer();
        let begin = out.at();
        out.raw(&self.before_kind);
        push_text(out, event.kind());
        out.raw(b",\"time\":");
        out.int(event.time());
        let mut columns = self.columns.iter();
        let mut failure = None;
        event.each_field(&mut |name, field| {
            if failure.is_some() {
                return;
            }
            match columns.next() {
                Some((expected, before)) if !CHECKED || expected == name => {
                    out.raw(before);
                    failure = push_field(out, field).err();
                }
                other => {
                    let expected = other.map(|(expected, _)| expected.as_str());
                    failure = Some(output::misplaced(expected, name));
                }
            }
        });
        if failure.is_none() {
            failure = columns.next().map(|(expected, _)| output::lacking(expected));
        }
        if let Some(failure) = failure {
            out.cut(begin);
            return Err(failure);
        }
        out.raw(b"}\n");
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
fn push_field(out: &mut Buffer, field: Field<'_>) -> io::Result<()> {
    match field {
        Field::Missing => out.raw(b"null"),
        Field::Int(i) => out.int(i),
        Field::Float(x) => out.float(x)?,
        Field::Bool(b) => out.raw(if b { b"true" } else { b"false" }),
        Field::Text(text) => push_text(out, text),
    }
    Ok(())
}

fn push_text(out: &mut Buffer, text: &str) {
    out.byte(b'"');
    if text.bytes().any(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        for byte in text.bytes() {
            match byte {
                b'"' | b'\\' => out.raw(&[b'\\', byte]),
                b'\n' => out.raw(b"\\n"),
                b'\r' => out.raw(b"\\r"),
                b'\t' => out.raw(b"\\t"),
                ..b' ' => {
                    const DIGITS: &[u8; 16] = b"0123456789abcdef";
                    out.raw(b"\\u00");
                    out.byte(DIGITS[usize::from(byte >> 4)]);
                    out.byte(DIGITS[usize::from(byte & 15)]);
                }
                _ => out.byte(byte),
            }
        }
    } else {
        out.raw(text.as_bytes());
    }
    out.byte(b'"');
}

/// Reads events from JSON lines.
///
/// As an iterator it gives rows of their own; [`next_row`](Self::next_row) lends them, which is
/// quicker. After an error the next lines can still be read, unless the input failed or a line was
/// too long.
#[derive(Debug)]
pub struct Reader<R> {
    input: Input<R>,
    type_column: String,
    time_column: String,
    row: Row,
}

impl<R: Read> Reader<R> {
    /// A reader of events with fields `type` and `time`.
    pub fn new(from: R) -> Self {
        Self::with_options(from, &ReadOptions::default())
    }

    /// A reader of events.
    pub fn with_options(from: R, options: &ReadOptions) -> Self {
        Self {
            input: Input::new(from, options.max_row),
            type_column: options.type_column.clone(),
            time_column: options.time_column.clone(),
            row: Row::default(),
        }
    }

    /// The next event; nothing at the end.
    ///
    /// # Errors
    /// When a line cannot be read as an event.
    pub fn next_row(&mut self) -> Result<Option<&Row>, ReadError> {
        let place = loop {
            match self.input.next(false)? {
                None => return Ok(None),
                Some((_, End::TooLong)) => return Err(self.input.too_long("")),
                Some((place, End::Regular)) => {
                    if !self.input.row(place.clone()).iter().all(u8::is_ascii_whitespace) {
                        break place;
                    }
                }
            }
        };
        let bytes = self.input.row(place);
        let text = self.input.text(bytes)?;
        let fault = |offset: usize, kind, message| {
            Err(ReadError::new(kind, self.input.position(bytes, offset), message))
        };
        self.row.restart(0);
        let mut json = serde_json::Deserializer::from_str(text);
        let parsed = EventSeed(&mut self.row).deserialize(&mut json).and_then(|()| json.end());
        if let Err(error) = parsed {
            let message = error.to_string();
            // Every line is a document of its own to the parser, so its line number says nothing.
            let end = message.rfind(" at line ").unwrap_or(message.len());
            let offset = error.column().saturating_sub(1);
            return fault(offset, ReadErrorKind::Syntax, message[..end].to_owned());
        }
        match settle(&mut self.row, &self.type_column, &self.time_column) {
            Ok(()) => Ok(Some(&self.row)),
            Err((kind, message)) => fault(0, kind, message),
        }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Row, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_row().map(|row| row.cloned()).transpose()
    }
}

/// Takes type and time out of the columns, and checks that the others have different names.
fn settle(
    row: &mut Row,
    type_column: &str,
    time_column: &str,
) -> Result<(), (ReadErrorKind, String)> {
    if let Some(name) = row.repeated() {
        let message = format!("two fields are called {}", excerpt(name));
        return Err((ReadErrorKind::Columns, message));
    }
    let described = |what, column, needed, found: &str| {
        format!("the {what} ({}) must be {needed}: {found}", excerpt(column))
    };
    match row.take(type_column) {
        Some(Cell::Text(kind)) => row.set_kind(kind),
        found => {
            let found = described("type", type_column, "text", &show(row, found));
            return Err((ReadErrorKind::Type, found));
        }
    }
    match row.take(time_column) {
        Some(Cell::Int(time)) => row.set_time(time),
        found => {
            let needed = "a whole number within 64 bits";
            let found = described("time", time_column, needed, &show(row, found));
            return Err((ReadErrorKind::Time, found));
        }
    }
    Ok(())
}

/// An offending value for a message.
fn show(row: &Row, cell: Option<Cell>) -> String {
    match cell {
        None => "there is none".to_owned(),
        Some(Cell::Missing) => "null".to_owned(),
        Some(Cell::Int(i)) => i.to_string(),
        Some(Cell::Float(x)) => format!("{x:?}"),
        Some(Cell::Bool(b)) => b.to_string(),
        Some(Cell::Text(span)) => excerpt(row.part(span)),
    }
}

/// Appends all fields of an object, type and time among them, to a row.
struct EventSeed<'r>(&'r mut Row);

impl<'de> DeserializeSeed<'de> for EventSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for EventSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event as an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key_seed(Name(self.0))? {
            let cell = map.next_value_seed(Value(self.0))?;
            self.0.push_cell(name, cell);
        }
        Ok(())
    }
}

/// Keeps the name of a field in a row.
struct Name<'r>(&'r mut Row);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Span;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Span, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Span;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Span, E> {
        Ok(self.0.keep(name))
    }
}

/// Turns a value into a cell, whose text is kept in a row.
struct Value<'r>(&'r mut Row);

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = Cell;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Cell, D::Error> {
        from.deserialize_any(self)
    }
}

impl Visitor<'_> for Value<'_> {
    type Value = Cell;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, text, true, false or null")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Cell, E> {
        Ok(Cell::Missing)
    }

    fn visit_bool<E: de::Error>(self, b: bool) -> Result<Cell, E> {
        Ok(Cell::Bool(b))
    }

    fn visit_i64<E: de::Error>(self, i: i64) -> Result<Cell, E> {
        Ok(Cell::Int(i))
    }

    fn visit_u64<E: de::Error>(self, i: u64) -> Result<Cell, E> {
        Ok(i64::try_from(i).map_or(Cell::Float(i as f64), Cell::Int))
    }

    fn visit_f64<E: de::Error>(self, x: f64) -> Result<Cell, E> {
        Ok(Cell::Float(x))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Cell, E> {
        Ok(Cell::Text(self.0.keep(text)))
    }
}
