//! Cutting a stream of bytes into rows of bounded length.

use super::error::{ReadError, ReadErrorKind};
use memchr::{memchr, memchr2};
use std::io::{self, Read};
use std::ops::Range;

const CHUNK: usize = 64 * 1024;

/// The rows of an input, one at a time.
#[derive(Debug)]
pub(super) struct Input<R> {
    from: R,
    buffer: Vec<u8>,
    /// What of the buffer is read but not yet given out as rows.
    start: usize,
    end: usize,
    /// Nothing more can be read.
    ended: bool,
    /// Nothing was read yet.
    fresh: bool,
    longest: usize,
    /// The line on which the current row begins, and that of the next.
    line: u64,
    next_line: u64,
}

/// How a row was found to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// At a line break or the end of the input.
    Regular,
    /// Cut off at the limit.
    TooLong,
}

impl<R: Read> Input<R> {
    pub(super) fn new(from: R, longest: usize) -> Self {
        Self {
            from,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            ended: false,
            fresh: true,
            longest,
            line: 1,
            next_line: 1,
        }
    }

    /// The bytes of a row without its line break, given the place that `next` returned.
    pub(super) fn row(&self, place: Range<usize>) -> &[u8] {
        &self.buffer[place]
    }

    /// The line on which the row begins that was given out last.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// The place of the next row that is not empty. With `quotes`, line breaks between quotes
    /// belong to the row.
    pub(super) fn next(&mut self, quotes: bool) -> Result<Option<(Range<usize>, End)>, ReadError> {
        loop {
            match self.cut(quotes)? {
                Some((place, End::Regular)) if place.is_empty() => {}
                other => return Ok(other),
            }
        }
    }

    fn cut(&mut self, quotes: bool) -> Result<Option<(Range<usize>, End)>, ReadError> {
        self.line = self.next_line;
        if self.fresh {
            self.skip_mark()?;
        }
        let mut at = self.start;
        let mut open = false;
        let mut quoted = false;
        let (stop, after) = loop {
            let window = &self.buffer[at..self.end];
            let found = match (quotes, open) {
                (true, true) => memchr(b'"', window),
                (true, false) => memchr2(b'"', b'\n', window),
                (false, _) => memchr(b'\n', window),
            };
            match found {
                Some(i) if window[i] == b'\n' => break (at + i, at + i + 1),
                Some(i) => {
                    open = !open;
                    quoted = true;
                    at += i + 1;
                }
                None if self.end - self.start > self.longest.saturating_add(2) => {
                    break (self.end, self.end);
                }
                None if self.ended => {
                    if self.start == self.end {
                        return Ok(None);
                    }
                    break (self.end, self.end);
                }
                None => {
                    let scanned = self.end - self.start;
                    self.fill()?;
                    at = self.start + scanned;
                }
            }
        };
        let mut place = self.start..stop;
        self.start = after;
        self.next_line += 1;
        if quoted {
            let breaks = self.buffer[place.clone()].iter().filter(|&&byte| byte == b'\n').count();
            self.next_line += breaks as u64;
        }
        if self.buffer[place.clone()].last() == Some(&b'\r') {
            place.end -= 1;
        }
        if place.len() <= self.longest {
            return Ok(Some((place, End::Regular)));
        }
        // Where the next row begins is anybody's guess when a quote lacks its end.
        self.ended = true;
        self.start = self.end;
        place.end = place.start + self.longest;
        Ok(Some((place, End::TooLong)))
    }

    /// Skips a byte order mark.
    fn skip_mark(&mut self) -> Result<(), ReadError> {
        self.fresh = false;
        while self.end < 3 && !self.ended {
            self.fill()?;
        }
        if self.buffer[..self.end].starts_with(b"\xef\xbb\xbf") {
            self.start = 3;
        }
        Ok(())
    }

    /// Reads more behind what is there, which moves to the beginning of the buffer.
    fn fill(&mut self) -> Result<(), ReadError> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.buffer.len() < self.end + CHUNK {
            self.buffer.resize((self.end + CHUNK).next_power_of_two(), 0);
        }
        loop {
            match self.from.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(n) => self.end += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.ended = true;
                    self.start = self.end;
                    return Err(ReadError::io(self.line, error));
                }
            }
            return Ok(());
        }
    }

    /// Line and column of an offset in a row that begins on the current line.
    pub(super) fn position(&self, row: &[u8], offset: usize) -> (u64, u64) {
        let before = &row[..offset.min(row.len())];
        let breaks = before.iter().filter(|&&byte| byte == b'\n').count() as u64;
        let begin = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |i| i + 1);
        // All but continuation bytes begin a character.
        let characters = before[begin..].iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        (self.line + breaks, characters as u64 + 1)
    }

    /// The text of a row, if it is UTF-8.
    pub(super) fn text<'a>(&self, row: &'a [u8]) -> Result<&'a str, ReadError> {
        std::str::from_utf8(row).map_err(|error| {
            let position = self.position(row, error.valid_up_to());
            ReadError::new(ReadErrorKind::Encoding, position, "bytes are not UTF-8".to_owned())
        })
    }

    /// The error for a row that was cut off.
    pub(super) fn too_long(&self, hint: &str) -> ReadError {
        let message = format!("the row is longer than {} bytes{hint}", self.longest);
        ReadError::new(ReadErrorKind::TooLong, (self.line, 1), message)
    }
}
