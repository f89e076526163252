//! Writing events as comma-separated values.

use super::infer;
use crate::format::output::{self, Buffer, Output};
use crate::stream::{Event, Field};
use std::io::{self, Write};

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
        Self::with_type_column(out, "type", columns)
    }

    /// As [`new`](Self::new), with another name for the column of the types.
    ///
    /// # Errors
    /// `InvalidInput` when two columns have the same name.
    pub fn with_type_column(out: W, kind: &str, columns: &[&str]) -> io::Result<Self> {
        let columns = output::columns(kind, columns)?;
        let mut output = Output::new(out);
        let out = output.buffer();
        push_text(out, kind);
        out.raw(b",time");
        for name in &columns {
            out.byte(b',');
            push_text(out, name);
        }
        out.byte(b'\n');
        Ok(Self { output, columns })
    }

    /// Writes an event.
    ///
    /// # Errors
    /// `InvalidInput` when its columns are not the header's in the header's order, or a number is
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
        push_text(out, event.kind());
        out.byte(b',');
        out.int(event.time());
        let mut columns = self.columns.iter();
        let mut failure = None;
        event.each_field(&mut |name, field| {
            if failure.is_some() {
                return;
            }
            match columns.next() {
                Some(expected) if !CHECKED || expected == name => {
                    out.byte(b',');
                    failure = push_field(out, field).err();
                }
                other => failure = Some(output::misplaced(other.map(String::as_str), name)),
            }
        });
        if failure.is_none() {
            failure = columns.next().map(|expected| output::lacking(expected));
        }
        if let Some(failure) = failure {
            out.cut(begin);
            return Err(failure);
        }
        out.byte(b'\n');
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
        Field::Missing => {}
        Field::Int(i) => out.int(i),
        Field::Float(x) => out.float(x)?,
        Field::Bool(b) => out.raw(if b { b"true" } else { b"false" }),
        Field::Text(text) => push_text(out, text),
    }
    Ok(())
}

/// Appends text, in quotes where it would else read as something else.
#[inline]
fn push_text(out: &mut Buffer, text: &str) {
    let special = |byte: u8| matches!(byte, b'"' | b',' | b'\n' | b'\r');
    if matches!(infer(text), Field::Text(_)) && !text.bytes().any(special) {
        out.raw(text.as_bytes());
        return;
    }
    out.byte(b'"');
    for (i, piece) in text.split('"').enumerate() {
        if i > 0 {
            out.raw(b"\"\"");
        }
        out.raw(piece.as_bytes());
    }
    out.byte(b'"');
}
