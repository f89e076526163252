//! Travel times in CSV.

use std::collections::HashMap;

use super::csv::{quotes, utf8};
use super::decimal::{Decimal, DecimalError};
use super::fault::LoadError;
use super::split::{Cell, Split, split};
use super::streams::Streams;
use crate::TravelTimes;

/// Reads travel times, in one of two forms:
///
/// - a square: the header and the first column name the streams, in the same order; the cell in row A
///   and column B is the time from A to B in seconds. The diagonal does not count.
/// - a list with the columns `from`, `to` and `seconds`, in any order.
///
/// Each ordered pair of different streams needs a time above 0, at most 292 years.
///
/// # Errors
/// A pair without time, a time that is none, a name that stands twice, a table of another form.
///
/// ```
/// use ujoin::input::read_travel_times;
/// let (streams, times) = read_travel_times(b",A,B\nA,0,1800\nB,1500,0\n")?;
/// let (a, b) = (streams.find("A").unwrap(), streams.find("B").unwrap());
/// assert_eq!(times.between(b, a), 1_500_000_000_000);
/// assert_eq!(read_travel_times(b"from,to,seconds\nA,B,1800\nB,A,1500\n")?.1, times);
/// # Ok::<(), ujoin::input::LoadError>(())
/// ```
pub fn read_travel_times(bytes: &[u8]) -> Result<(Streams, TravelTimes), LoadError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut table = Table { bytes, line: 0, next: 1, cells: vec![], row: "" };
    if !table.advance()? {
        return Err(LoadError::Empty);
    }
    let header = table.texts();
    let at = |name: &str| header.iter().position(|column| column == name);
    match (at("from"), at("to"), at("seconds")) {
        (Some(from), Some(to), Some(seconds)) => {
            list(&mut table, header.len(), [from, to, seconds])
        }
        _ => square(&mut table, &header),
    }
}

/// Rows of a table, blank ones left out.
struct Table<'b> {
    bytes: &'b [u8],
    /// The lines of this row and the next.
    line: u64,
    next: u64,
    cells: Vec<Cell>,
    row: &'b str,
}

impl Table<'_> {
    fn advance(&mut self) -> Result<bool, LoadError> {
        while !self.bytes.is_empty() {
            self.line = self.next;
            let line = self.line;
            match split(self.bytes, true, &mut self.cells) {
                Split::Row { length, used, inner_lines } => {
                    let (row, rest) = (&self.bytes[..length], &self.bytes[used..]);
                    self.bytes = rest;
                    self.next += inner_lines + 1;
                    self.row = utf8(row).map_err(|fault| super::Fault { line, ..fault })?;
                    if length > 0 {
                        return Ok(true);
                    }
                }
                fault => return Err(super::Fault { line, ..quotes(&fault) }.into()),
            }
        }
        Ok(false)
    }

    fn text(&self, at: usize) -> std::borrow::Cow<'_, str> {
        self.cells[at].text(self.row)
    }

    fn texts(&self) -> Vec<String> {
        (0..self.cells.len()).map(|at| self.text(at).into_owned()).collect()
    }

    /// Checks the number of cells.
    fn expect(&self, expected: usize) -> Result<(), LoadError> {
        let found = self.cells.len();
        if found == expected {
            return Ok(());
        }
        let problem = super::Problem::Cells { found, expected };
        Err(super::Fault { line: self.line, ..super::Fault::new(super::Place::Row, problem) }
            .into())
    }
}

/// Seconds above 0, in ticks.
fn ticks(value: &str) -> Result<i64, &'static str> {
    match Decimal::parse(value) {
        Ok(decimal) if decimal.is_rounded() => Err("at most 9 digits behind the point"),
        Ok(decimal) if decimal.nanos <= 0 => Err("it must be above 0"),
        Ok(decimal) => Ok(decimal.nanos),
        Err(DecimalError::Range) => Err("beyond 64 bits of nanoseconds"),
        Err(DecimalError::Syntax) => Err("not a number of seconds"),
    }
}

fn list(
    table: &mut Table<'_>,
    width: usize,
    [from_at, to_at, seconds_at]: [usize; 3],
) -> Result<(Streams, TravelTimes), LoadError> {
    let mut streams = Streams::default();
    let mut times = HashMap::new();
    while table.advance()? {
        table.expect(width)?;
        let (from, to, value) = (table.text(from_at), table.text(to_at), table.text(seconds_at));
        let line = table.line;
        let wrong = |problem| LoadError::TravelTime {
            line,
            from: from.clone().into_owned(),
            to: to.clone().into_owned(),
            value: value.clone().into_owned(),
            problem,
        };
        if from.is_empty() || to.is_empty() {
            return Err(wrong("a stream has a name"));
        }
        let pair = (streams.add(&from), streams.add(&to));
        if pair.0 != pair.1 && times.insert(pair, ticks(&value).map_err(wrong)?).is_some() {
            return Err(wrong("the pair stands there twice"));
        }
    }
    let n = streams.len() as u32;
    let mut rows = Vec::with_capacity(streams.len() * streams.len());
    for from in 0..n {
        for to in 0..n {
            let time = if from == to { Some(0) } else { times.get(&(from, to)).copied() };
            rows.push(time.ok_or_else(|| LoadError::NoTravelTime {
                from: streams.name(from).to_owned(),
                to: streams.name(to).to_owned(),
            })?);
        }
    }
    finish(streams, rows)
}

fn square(table: &mut Table<'_>, header: &[String]) -> Result<(Streams, TravelTimes), LoadError> {
    let mut streams = Streams::default();
    for name in &header[1..] {
        if streams.find(name).is_some() {
            return Err(LoadError::TwoStreams { line: table.line, stream: name.clone() });
        }
        streams.add(name);
    }
    let n = streams.len();
    let mut rows = Vec::with_capacity(n * n);
    for from in 0..n {
        let name = streams.name(from as u32);
        if !table.advance()? {
            let to = streams.name(u32::from(from == 0).min(n as u32 - 1)).to_owned();
            return Err(LoadError::NoTravelTime { from: name.to_owned(), to });
        }
        table.expect(header.len())?;
        if table.text(0) != name {
            return Err(LoadError::Square {
                line: table.line,
                found: table.text(0).into_owned(),
                expected: name.to_owned(),
            });
        }
        for to in 0..n {
            let value = table.text(to + 1);
            let pair = || (name.to_owned(), streams.name(to as u32).to_owned());
            rows.push(if from == to {
                0
            } else if value.is_empty() {
                let (from, to) = pair();
                return Err(LoadError::NoTravelTime { from, to });
            } else {
                ticks(&value).map_err(|problem| {
                    let (from, to) = pair();
                    let (line, value) = (table.line, value.into_owned());
                    LoadError::TravelTime { line, from, to, value, problem }
                })?
            });
        }
    }
    if table.advance()? {
        let (line, found) = (table.line, table.text(0).into_owned());
        return Err(LoadError::NoStream { line, found });
    }
    finish(streams, rows)
}

fn finish(streams: Streams, rows: Vec<i64>) -> Result<(Streams, TravelTimes), LoadError> {
    if streams.is_empty() {
        return Err(LoadError::Empty);
    }
    let times = TravelTimes::from_rows(streams.len(), rows)?;
    Ok((streams, times))
}
