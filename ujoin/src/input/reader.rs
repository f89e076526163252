//! Sightings from bytes, in bounded memory.

use std::io::{self, Read};

use super::csv::{Csv, Header, Step};
use super::fault::{Fault, LoadError, Place, Problem};
use super::json;
use super::row::{Current, Fields};
use super::streams::Streams;
use super::writer::RowWriter;
use crate::{Probability, StreamId};

/// Bytes that are read at once.
const READ: usize = 256 << 10;
/// Longest row, in megabytes.
const MOST_ROW: usize = 16;

/// How sightings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A table with a header, cells separated by commas (RFC 4180).
    Csv,
    /// A JSON object on each line.
    JsonLines,
}

/// One row: one alternative of one observation.
#[derive(Clone, Copy, Debug)]
pub struct Sighting<'r> {
    /// Where.
    pub stream: StreamId,
    /// When, in nanoseconds.
    pub time: i64,
    /// How likely.
    pub probability: Probability,
    /// What; not empty.
    pub key: &'r str,
    /// The observation, if it has a name.
    pub observation: Option<&'r str>,
    /// How many of its numbers were rounded.
    pub rounded: u32,
    /// Its line, from 1.
    pub line: u64,
    /// As written, without the end of the line.
    pub row: &'r str,
}

/// What a [`Reader`] has next.
#[derive(Debug)]
pub enum Next {
    /// A row, see [`Reader::sighting`].
    Sighting,
    /// The mark `{"pause": true}`.
    Pause,
    /// A row that is refused, see [`Reader::bad_row`].
    Bad(Fault),
    /// Nothing before [`Reader::fill`].
    More,
    /// Nothing any more.
    End,
}

#[derive(Clone, Debug)]
enum Decoder {
    Csv(Csv),
    Json,
    Empty,
}

/// Reads rows again that a [`Reader`] has read, one at a time.
#[derive(Debug)]
pub struct RowReader {
    decoder: Decoder,
    streams: Streams,
    fields: Fields,
    current: Current,
}

impl RowReader {
    /// What a row says; `None` if it is no sighting.
    pub fn read<'r>(&'r mut self, row: &'r str) -> Option<Sighting<'r>> {
        let (streams, fields, current) = (&self.streams, self.fields, &mut self.current);
        let step = match &mut self.decoder {
            Decoder::Csv(csv) => csv.step(row.as_bytes(), true, streams, fields, current),
            Decoder::Json => json::step(row.as_bytes(), true, streams, fields, current),
            Decoder::Empty => return None,
        };
        matches!(step, Step::Sighting { .. }).then(|| self.current.sighting(row, 0))
    }
}

/// Where a reader goes on: a place between two rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Position {
    /// Bytes before it.
    pub bytes: u64,
    /// Lines before it.
    pub lines: u64,
}

/// Reads sightings from bytes.
///
/// ```
/// use ujoin::input::{Fields, Next, Reader, Streams};
/// let mut streams = Streams::default();
/// streams.add("A");
/// let csv = "stream,time,key,probability\nA,60,B-AB 123,0.9\n";
/// let mut reader = Reader::new(csv.as_bytes(), None, streams, Fields::default())?;
/// loop {
///     match reader.next() {
///         Next::Sighting => assert_eq!(reader.sighting().key, "B-AB 123"),
///         Next::More => reader.fill()?,
///         Next::Bad(fault) => return Err(fault.into()),
///         Next::Pause => {}
///         Next::End => break,
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    streams: Streams,
    fields: Fields,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Bytes read so far.
    bytes: u64,
    complete: bool,
    decoder: Decoder,
    current: Current,
    /// The line of the row that was read last, and that of the next one.
    lines: (u64, u64),
    /// Where a row that was refused stands in the buffer.
    bad: (usize, usize),
    rows: u64,
}

impl<R: Read> Reader<R> {
    /// Begins with an input: reads the header of a table. Without a format, JSON lines are what
    /// begins with a brace.
    ///
    /// # Errors
    /// An input that cannot be read, a header that lacks a column.
    pub fn new(
        input: R,
        format: Option<Format>,
        streams: Streams,
        fields: Fields,
    ) -> Result<Self, LoadError> {
        let mut reader = Reader {
            input,
            streams,
            fields,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            bytes: 0,
            complete: false,
            decoder: Decoder::Empty,
            current: Current::new(),
            lines: (0, 1),
            bad: (0, 0),
            rows: 0,
        };
        const MARK: &[u8] = b"\xef\xbb\xbf";
        while reader.end < MARK.len() && !reader.complete {
            reader.fill()?;
        }
        if reader.unread().starts_with(MARK) {
            reader.start += MARK.len();
        }
        let format = match format {
            Some(format) => format,
            None => reader.guess()?,
        };
        match format {
            Format::JsonLines => reader.decoder = Decoder::Json,
            Format::Csv => reader.header()?,
        }
        Ok(reader)
    }

    fn guess(&mut self) -> Result<Format, LoadError> {
        loop {
            match self.unread().iter().find(|b| !b.is_ascii_whitespace()) {
                Some(b'{' | b'[') => return Ok(Format::JsonLines),
                None if !self.complete => self.fill()?,
                _ => return Ok(Format::Csv),
            }
        }
    }

    fn header(&mut self) -> Result<(), LoadError> {
        loop {
            while self.start < self.end && matches!(self.unread()[0], b'\n' | b'\r') {
                self.lines.1 += u64::from(self.unread()[0] == b'\n');
                self.start += 1;
            }
            match Csv::begin(self.unread(), self.complete) {
                Ok(Header::Found { csv, used, lines }) => {
                    self.decoder = Decoder::Csv(csv);
                    self.advance(used, lines);
                    return Ok(());
                }
                Ok(Header::More) => self.fill()?,
                Ok(Header::None) => return Ok(()),
                Err(LoadError::Fault(fault)) => {
                    return Err(Fault { line: self.lines.1, ..fault }.into());
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn unread(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// The header of a table as written.
    #[must_use]
    pub fn header_row(&self) -> Option<&str> {
        match &self.decoder {
            Decoder::Csv(csv) => Some(&csv.columns.header),
            Decoder::Json | Decoder::Empty => None,
        }
    }

    /// Makes objects of rows of this input.
    #[must_use]
    pub fn row_writer(&self) -> RowWriter {
        match &self.decoder {
            Decoder::Csv(csv) => RowWriter::csv(&csv.columns),
            Decoder::Json | Decoder::Empty => RowWriter::json(),
        }
    }

    /// The names of streams that are understood.
    #[must_use]
    pub fn streams(&self) -> &Streams {
        &self.streams
    }

    /// Rows so far, refused ones and marks included.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The place before the next row.
    #[must_use]
    pub fn position(&self) -> Position {
        let bytes = self.bytes - (self.end - self.start) as u64;
        Position { bytes, lines: self.lines.1 - 1 }
    }

    /// What is read from.
    pub fn get_ref(&self) -> &R {
        &self.input
    }

    /// What is read from. Reading from it here loses what is read.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.input
    }

    /// Bytes read so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads rows of this input that were kept.
    #[must_use]
    pub fn row_reader(&self) -> RowReader {
        RowReader {
            decoder: self.decoder.clone(),
            streams: self.streams.clone(),
            fields: Fields { exact: false, ..self.fields },
            current: Current::new(),
        }
    }

    /// The row that was read last.
    #[must_use]
    pub fn sighting(&self) -> Sighting<'_> {
        let current = &self.current;
        // Checked when the row was read.
        let bytes = &self.buffer[current.start..current.start + current.length];
        let row = std::str::from_utf8(bytes).unwrap_or_default();
        current.sighting(row, self.lines.0)
    }

    /// The row that was refused last, without the end of the line.
    #[must_use]
    pub fn bad_row(&self) -> &[u8] {
        &self.buffer[self.bad.0..self.bad.1]
    }

    /// The next row of what was read.
    #[allow(clippy::should_implement_trait, reason = "it lends; an iterator would have to copy")]
    pub fn next(&mut self) -> Next {
        loop {
            let bytes = &self.buffer[self.start..self.end];
            if bytes.is_empty() {
                return if self.complete { Next::End } else { Next::More };
            }
            let (complete, fields) = (self.complete, self.fields);
            let current = &mut self.current;
            current.start = 0;
            let step = match &mut self.decoder {
                Decoder::Csv(csv) => csv.step(bytes, complete, &self.streams, fields, current),
                Decoder::Json => json::step(bytes, complete, &self.streams, fields, current),
                Decoder::Empty => return Next::End,
            };
            self.lines.0 = self.lines.1;
            let (start, line) = (self.start, self.lines.0);
            self.current.start += start;
            match step {
                Step::Sighting { used, lines } => {
                    self.advance(used, lines);
                    self.rows += 1;
                    return Next::Sighting;
                }
                Step::Pause { used } => {
                    self.advance(used, 1);
                    self.rows += 1;
                    return Next::Pause;
                }
                Step::Nothing { used } => self.advance(used, 1),
                Step::Bad { fault, length, used, lines } => {
                    self.advance(used, lines);
                    self.rows += 1;
                    self.bad = (start, start + length);
                    return Next::Bad(Fault { line, ..fault });
                }
                Step::Broken { fault, from } => {
                    let rest = memchr::memchr(b'\n', &bytes[from..]);
                    if rest.is_none() && !complete {
                        return Next::More;
                    }
                    let length = rest.map_or(bytes.len(), |rest| from + rest);
                    let used = (length + 1).min(bytes.len());
                    let lines = memchr::memchr_iter(b'\n', &bytes[..used]).count();
                    self.advance(used, lines as u64);
                    self.rows += 1;
                    self.bad = (start, start + length);
                    return Next::Bad(Fault { line, ..fault });
                }
                Step::More => return Next::More,
            }
        }
    }

    fn advance(&mut self, used: usize, lines: u64) {
        self.start += used;
        self.lines.1 += lines;
    }

    /// Reads more; blocks until there is some.
    ///
    /// # Errors
    /// An input that cannot be read; a row of more than 16 megabytes.
    pub fn fill(&mut self) -> Result<(), LoadError> {
        let rest = self.end - self.start;
        if rest > MOST_ROW << 20 {
            let fault = Fault::new(Place::Row, Problem::Long(MOST_ROW));
            return Err(Fault { line: self.lines.1, ..fault }.into());
        }
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, rest);
        let wanted = rest + READ.max(rest);
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
        loop {
            match self.input.read(&mut self.buffer[rest..]) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e.into()),
                Ok(n) => {
                    self.end += n;
                    self.bytes += n as u64;
                    self.complete = n == 0;
                    return Ok(());
                }
            }
        }
    }

    /// Goes on at a place to which the caller has moved the input.
    pub fn moved_to(&mut self, position: Position) {
        (self.start, self.end) = (0, 0);
        self.bytes = position.bytes;
        self.lines.1 = position.lines + 1;
        self.complete = false;
    }

    /// Goes on at a place that was [`position`](Self::position) of a reader of the same input, by
    /// passing over what is before it.
    ///
    /// # Errors
    /// An input that cannot be read, or ends before the place.
    pub fn skip_to(&mut self, position: Position) -> Result<(), LoadError> {
        while self.position().bytes < position.bytes {
            if self.start == self.end {
                if self.complete {
                    let error = io::Error::from(io::ErrorKind::UnexpectedEof);
                    return Err(error.into());
                }
                self.fill()?;
            }
            let missing = position.bytes - self.position().bytes;
            self.start += usize::try_from(missing).unwrap_or(usize::MAX).min(self.end - self.start);
        }
        self.lines.1 = position.lines + 1;
        Ok(())
    }
}
