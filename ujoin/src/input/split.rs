//! Rows of CSV and their cells, as in RFC 4180.

use std::borrow::Cow;

/// A cell: a range of the row's bytes, without quotes and without blanks around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) quoting: Quoting,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoting {
    None,
    Quoted,
    /// Quoted, with doubled quotes inside.
    Doubled,
}

impl Cell {
    /// As it stands in the row.
    pub(super) fn raw<'r>(&self, row: &'r str) -> &'r str {
        &row[self.start as usize..self.end as usize]
    }

    /// The text of the cell.
    pub(super) fn text<'r>(&self, row: &'r str) -> Cow<'r, str> {
        let text = self.raw(row);
        match self.quoting {
            Quoting::Doubled => Cow::Owned(text.replace("\"\"", "\"")),
            Quoting::None | Quoting::Quoted => Cow::Borrowed(text),
        }
    }
}

/// What stands at the beginning of some bytes.
#[derive(Debug)]
pub(super) enum Split {
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
pub(super) fn split(bytes: &[u8], complete: bool, cells: &mut Vec<Cell>) -> Split {
    cells.clear();
    if let Some(split) = unquoted(bytes, cells) {
        return split;
    }
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
                return Split::Row { length: line_end(bytes, next), used: next + 1, inner_lines };
            }
            _ if complete => {
                let length = bytes.len();
                return Split::Row { length, used: length, inner_lines };
            }
            _ => return Split::More,
        }
    }
}

/// A row that has no quotes and ends within the bytes: the usual one.
fn unquoted(bytes: &[u8], cells: &mut Vec<Cell>) -> Option<Split> {
    let mut start = 0;
    for (at, &b) in bytes.iter().enumerate() {
        // Nearly all bytes are above all of these.
        if b > b',' {
            continue;
        }
        match b {
            b',' | b'\n' => {
                cells.push(trimmed(bytes, start, at));
                start = at + 1;
                if b == b'\n' {
                    let length = line_end(bytes, at);
                    return Some(Split::Row { length, used: at + 1, inner_lines: 0 });
                }
            }
            b'"' => return None,
            _ => {}
        }
    }
    None
}

/// The end of a row whose line feed is there.
fn line_end(bytes: &[u8], line_feed: usize) -> usize {
    if line_feed > 0 && bytes[line_feed - 1] == b'\r' { line_feed - 1 } else { line_feed }
}

fn trimmed(bytes: &[u8], mut start: usize, mut end: usize) -> Cell {
    while start < end && matches!(bytes[start], b' ' | b'\t') {
        start += 1;
    }
    while end > start && matches!(bytes[end - 1], b' ' | b'\t' | b'\r') {
        end -= 1;
    }
    // Rows are bounded far below 4 GiB.
    Cell { start: start as u32, end: end as u32, quoting: Quoting::None }
}

/// A cell without quotes, and where it ends.
fn plain(bytes: &[u8], start: usize) -> (Cell, usize) {
    let next = memchr::memchr2(b',', b'\n', &bytes[start..]).map_or(bytes.len(), |n| start + n);
    (trimmed(bytes, start, next), next)
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
