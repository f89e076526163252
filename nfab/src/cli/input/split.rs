//! Rows of CSV and their cells.

use std::borrow::Cow;

/// A cell: a range of the row's bytes, without quotes and without blanks around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) quoting: Quoting,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quoting {
    None,
    Quoted,
    /// Quoted, with doubled quotes inside.
    Doubled,
}

impl Cell {
    /// The text of the cell.
    pub(crate) fn text<'r>(&self, row: &'r str) -> Cow<'r, str> {
        let text = &row[self.start as usize..self.end as usize];
        match self.quoting {
            Quoting::Doubled => Cow::Owned(text.replace("\"\"", "\"")),
            Quoting::None | Quoting::Quoted => Cow::Borrowed(text),
        }
    }
}

/// What stands at the beginning of some bytes.
#[derive(Debug)]
pub(crate) enum Split {
    /// A row.
    Row {
        /// Its bytes, the end of the line not included.
        length: usize,
        /// Its bytes, the end of the line included.
        used: usize,
        /// Line ends inside of quotes.
        inner_lines: u64,
    },
    /// The row goes on beyond the bytes.
    More,
    /// A quote that is not closed.
    Unclosed,
    /// Something else than the end of the cell after a closing quote, at this byte.
    AfterQuote(usize),
}

/// Splits the first row of some bytes; `complete` says that no more will come.
pub(crate) fn split(bytes: &[u8], complete: bool, cells: &mut Vec<Cell>) -> Split {
    cells.clear();
    let mut inner_lines = 0;
    let mut at = 0;
    loop {
        while let Some(b' ' | b'\t') = bytes.get(at) {
            at += 1;
        }
        let (cell, next) = if bytes.get(at) == Some(&b'"') {
            match quoted(bytes, at + 1, complete) {
                Ok((cell, next)) => {
                    let text = &bytes[cell.start as usize..cell.end as usize];
                    inner_lines += memchr::memchr_iter(b'\n', text).count() as u64;
                    (cell, next)
                }
                Err(fault) => return fault,
            }
        } else {
            plain(bytes, at)
        };
        cells.push(cell);
        match bytes.get(next) {
            Some(b',') => at = next + 1,
            Some(b'\n') => {
                let length = if next > 0 && bytes[next - 1] == b'\r' { next - 1 } else { next };
                return Split::Row { length, used: next + 1, inner_lines };
            }
            _ if complete => {
                let length = bytes.len();
                return Split::Row { length, used: length, inner_lines };
            }
            _ => return Split::More,
        }
    }
}

/// A cell without quotes, and where it ends.
fn plain(bytes: &[u8], start: usize) -> (Cell, usize) {
    let length = bytes[start..].iter().position(|&b| b == b',' || b == b'\n');
    let next = length.map_or(bytes.len(), |length| start + length);
    let mut end = next;
    while end > start && matches!(bytes[end - 1], b' ' | b'\t' | b'\r') {
        end -= 1;
    }
    (Cell { start: start as u32, end: end as u32, quoting: Quoting::None }, next)
}

/// A cell behind its opening quote, and where what follows it begins.
fn quoted(bytes: &[u8], start: usize, complete: bool) -> Result<(Cell, usize), Split> {
    let mut quoting = Quoting::Quoted;
    let mut at = start;
    let end = loop {
        let Some(length) = memchr::memchr(b'"', &bytes[at..]) else {
            return Err(if complete { Split::Unclosed } else { Split::More });
        };
        let quote = at + length;
        match bytes.get(quote + 1) {
            Some(b'"') => {
                quoting = Quoting::Doubled;
                at = quote + 2;
            }
            None if !complete => return Err(Split::More),
            _ => break quote,
        }
    };
    let mut next = end + 1;
    while let Some(b' ' | b'\t' | b'\r') = bytes.get(next) {
        next += 1;
    }
    match bytes.get(next) {
        None | Some(b',' | b'\n') => {
            Ok((Cell { start: start as u32, end: end as u32, quoting }, next))
        }
        Some(_) => Err(Split::AfterQuote(next)),
    }
}
