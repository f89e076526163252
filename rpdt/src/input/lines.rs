//! Lines and columns for error messages, counted behind the parser's back: nothing is paid while a
//! document comes in one slice and has no error.

use super::measure::Measure;
use crate::{Error, Position};

/// Where the bytes that were dealt with end.
#[derive(Debug)]
pub(super) struct Lines {
    /// Offset up to which lines are counted.
    at: u64,
    line: u64,
    /// Offset of the first byte of that line.
    line_start: u64,
    /// Off once a large last slice was not counted.
    known: bool,
}

impl Lines {
    pub(super) fn new() -> Self {
        Lines { at: 0, line: 1, line_start: 0, known: true }
    }

    /// A byte order mark or the like: no line ends.
    pub(super) fn skip(&mut self, bytes: u64) {
        self.at += bytes;
    }

    /// Goes over bytes that were dealt with.
    pub(super) fn advance(&mut self, bytes: &[u8], measure: Measure) {
        if !self.known {
            return;
        }
        if let Some(last) = memchr::memrchr(b'\n', bytes) {
            self.line += memchr::memchr_iter(b'\n', bytes).count() as u64;
            self.line_start = self.at + measure.of(&bytes[..=last]);
        }
        self.at += measure.of(bytes);
    }

    /// From here on lines are not known.
    pub(super) fn give_up(&mut self) {
        self.known = false;
    }

    /// The place with line and column; `bytes` are those behind the counted ones.
    pub(super) fn locate(&self, offset: u64, bytes: &[u8], measure: Measure) -> Position {
        if !self.known || offset < self.at {
            return Position { offset, line: 0, column: 0 };
        }
        let before = &bytes[..measure.index(bytes, offset - self.at)];
        let (line, start) = match memchr::memrchr(b'\n', before) {
            None => (self.line, self.line_start),
            Some(last) => (
                self.line + memchr::memchr_iter(b'\n', before).count() as u64,
                self.at + measure.of(&before[..=last]),
            ),
        };
        Position { offset, line, column: offset - start + 1 }
    }

    /// The error with line and column.
    #[cold]
    pub(super) fn complete(&self, error: Error, bytes: &[u8], measure: Measure) -> Error {
        match error.position() {
            Some(p) if p.line == 0 => {
                let place = self.locate(p.offset, bytes, measure);
                error.at(place)
            }
            _ => error,
        }
    }
}
