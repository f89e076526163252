//! Where events come from.

mod cell;
mod csv;
mod fault;
mod json;
mod open;
mod seen;
mod split;
mod time;
mod wanted;

use std::io::{self, Read};
use std::sync::Arc;

pub(crate) use cell::typed;
pub(crate) use csv::Columns;
use csv::{Csv, Header};
pub(crate) use fault::{Fatal, Fault, Place};
use json::Json;
pub(crate) use open::{Input, plain};
pub(crate) use seen::Seen;
pub(crate) use split::{Cell, Quoting, Split, split};
pub(crate) use time::nanoseconds;
pub(crate) use wanted::{Wanted, listed};

use super::row::Row;

/// Bytes that are read at once.
const READ: usize = 256 << 10;
/// Longest row.
const MOST_ROW: usize = 64 << 20;

/// How the input is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Csv,
    JsonLines,
}

/// What a decoder found at the beginning of some bytes.
#[derive(Debug)]
enum Step {
    Row {
        row: Row,
        used: usize,
        lines: u64,
    },
    Nothing {
        used: usize,
        lines: u64,
    },
    Bad {
        fault: Fault,
        used: usize,
        lines: u64,
    },
    /// As `Bad`; the row is taken to end with the line of this byte.
    Broken {
        fault: Fault,
        from: usize,
    },
    More,
}

/// What the reader has next.
#[derive(Debug)]
pub(crate) enum Next {
    Row(Row),
    Bad(Fault),
    /// Nothing before more is read.
    More,
    End,
}

#[derive(Debug)]
enum Decoder {
    Csv(Csv),
    Json(Json),
    Empty,
}

/// Makes events of bytes.
pub(crate) struct Reader {
    input: Input,
    wanted: Wanted,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    complete: bool,
    decoder: Decoder,
    /// The line of the next row.
    line: u64,
    /// Rows so far, bad ones included.
    rows: u64,
    /// The rest of a broken row has to be passed over.
    broken: bool,
    seen: Seen,
}

impl Reader {
    /// Begins with an input: finds out its format, reads the header.
    pub(crate) fn new(input: Input, format: Option<Format>, wanted: Wanted) -> Result<Self, Fatal> {
        let mut reader = Reader {
            input,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            complete: false,
            decoder: Decoder::Empty,
            line: 1,
            rows: 0,
            broken: false,
            seen: Seen::new(&wanted),
            wanted,
        };
        const MARK: &[u8] = b"\xef\xbb\xbf";
        while reader.end < MARK.len() && !reader.complete {
            reader.fill()?;
        }
        if reader.bytes().starts_with(MARK) {
            reader.start += MARK.len();
        }
        let format = match format.or_else(|| reader.input.format()) {
            Some(format) => format,
            None => reader.guess()?,
        };
        match format {
            Format::JsonLines => reader.decoder = Decoder::Json(Json::new(&reader.wanted)),
            Format::Csv => reader.header()?,
        }
        Ok(reader)
    }

    /// JSON lines begin with a brace.
    fn guess(&mut self) -> Result<Format, Fatal> {
        loop {
            match self.bytes().iter().find(|b| !b.is_ascii_whitespace()) {
                Some(b'{' | b'[') => return Ok(Format::JsonLines),
                None if !self.complete => self.fill()?,
                _ => return Ok(Format::Csv),
            }
        }
    }

    fn header(&mut self) -> Result<(), Fatal> {
        loop {
            while self.start < self.end && matches!(self.bytes()[0], b'\n' | b'\r') {
                self.line += u64::from(self.bytes()[0] == b'\n');
                self.start += 1;
            }
            match Csv::begin(self.bytes(), self.complete, &self.wanted) {
                Ok(Header::Found { csv, used, lines }) => {
                    self.decoder = Decoder::Csv(csv);
                    self.start += used;
                    self.line += lines;
                    return Ok(());
                }
                Ok(Header::More) => self.fill()?,
                Ok(Header::None) => return Ok(()),
                Err(Fatal::Input(fault)) => {
                    return Err(Fatal::Input(Fault { line: self.line, ..fault }));
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// The columns, if the input is a table.
    pub(crate) fn columns(&self) -> Option<&Arc<Columns>> {
        match &self.decoder {
            Decoder::Csv(csv) => Some(csv.columns()),
            Decoder::Json(_) | Decoder::Empty => None,
        }
    }

    /// Attributes of the query that no event had.
    pub(crate) fn unseen_attributes(&self) -> Vec<&str> {
        let Decoder::Json(json) = &self.decoder else { return vec![] };
        let names = self.wanted.attributes.iter().zip(json.seen());
        names.filter(|(_, seen)| !**seen).map(|((name, _), _)| name.as_str()).collect()
    }

    /// Types of the query that no event had.
    pub(crate) fn unseen_types(&self) -> Vec<&str> {
        self.seen.unseen_types(&self.wanted)
    }

    /// The first types that events had.
    pub(crate) fn seen_types(&self) -> Vec<&str> {
        self.seen.seen_types(&self.wanted)
    }

    /// What was seen so far.
    pub(crate) fn seen(&self) -> &Seen {
        &self.seen
    }

    /// The type that all events are taken to have because neither they nor the user said one, with
    /// what the input lacks.
    pub(crate) fn assumed(&self) -> Option<(&str, &'static str)> {
        let what = match &self.decoder {
            Decoder::Csv(csv) if csv.columns().event_type.is_none() => "column",
            Decoder::Json(json) if json.is_of_one_type() => "attribute",
            _ => return None,
        };
        let name = self.wanted.assumed.as_deref()?;
        (self.wanted.given_type.is_none() && self.rows > 0).then_some((name, what))
    }

    pub(crate) fn input(&self) -> &Input {
        &self.input
    }

    /// Rows so far, bad ones included.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Bytes of the input up to the next row.
    pub(crate) fn offset(&self) -> u64 {
        self.input.bytes - (self.end - self.start) as u64
    }

    /// Passes over rows until there were so many, or until the end; gives how many were bad.
    pub(crate) fn skip(&mut self, rows: u64) -> Result<u64, Fatal> {
        let mut bad_rows = 0;
        while self.rows < rows {
            match self.next() {
                Next::Row(_) => {}
                Next::Bad(_) => bad_rows += 1,
                Next::More => self.fill()?,
                Next::End => break,
            }
        }
        Ok(bad_rows)
    }

    /// The next event of what was read.
    pub(crate) fn next(&mut self) -> Next {
        loop {
            if self.broken && !self.pass_over() {
                return Next::More;
            }
            let bytes = &self.buffer[self.start..self.end];
            if bytes.is_empty() {
                return if self.complete { Next::End } else { Next::More };
            }
            let about = (&self.wanted, &mut self.seen);
            let step = match &mut self.decoder {
                Decoder::Csv(csv) => csv.step(bytes, self.complete, about, self.rows),
                Decoder::Json(json) => json.step(bytes, self.complete, about, self.rows),
                Decoder::Empty => return Next::End,
            };
            let line = self.line;
            match step {
                Step::Row { row, used, lines } => {
                    self.advance(used, lines);
                    self.rows += 1;
                    self.seen.row(&row, &self.wanted);
                    return Next::Row(row);
                }
                Step::Nothing { used, lines } => self.advance(used, lines),
                Step::Bad { fault, used, lines } => {
                    self.advance(used, lines);
                    self.rows += 1;
                    let fault = Fault { line, ..fault };
                    self.seen.bad(&fault);
                    return Next::Bad(fault);
                }
                Step::Broken { fault, from } => {
                    let inner = memchr::memchr_iter(b'\n', &bytes[..from]).count();
                    self.advance(from, inner as u64);
                    self.rows += 1;
                    self.broken = true;
                    let fault = Fault { line, ..fault };
                    self.seen.bad(&fault);
                    return Next::Bad(fault);
                }
                Step::More => return Next::More,
            }
        }
    }

    fn advance(&mut self, used: usize, lines: u64) {
        self.start += used;
        self.line += lines;
    }

    /// Passes over the rest of a line; false if it goes on.
    fn pass_over(&mut self) -> bool {
        match memchr::memchr(b'\n', self.bytes()) {
            Some(length) => {
                self.advance(length + 1, 1);
                self.broken = false;
            }
            None => {
                self.start = self.end;
                self.broken = !self.complete;
            }
        }
        !self.broken
    }

    /// Reads more.
    pub(crate) fn fill(&mut self) -> Result<(), Fatal> {
        let rest = self.end - self.start;
        if rest > MOST_ROW {
            let message = format!("a row of more than {} megabytes", MOST_ROW >> 20);
            let fault = Fault { line: self.line, ..Fault::new(Place::Row, message) };
            return Err(Fatal::Input(fault.with_hint("perhaps a quote is not closed")));
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
                Err(e) => return Err(Fatal::Io(e)),
                Ok(n) => {
                    self.end += n;
                    self.complete = n == 0;
                    return Ok(());
                }
            }
        }
    }
}
