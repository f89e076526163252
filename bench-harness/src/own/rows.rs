//! Events and sightings of tables.

use std::collections::HashMap;
use std::io::Read;

use data_gen::format::{ReadError, ReadOptions, csv, jsonl};
use data_gen::stream::{Field, Row};

use super::buffered;
use crate::baseline::stock::Stock;
use crate::error::{Error, Result};

/// The most rows of a table: all are held in memory.
const MOST_ROWS: usize = 100_000_000;

/// Events of stocks in the order of their times, numbered from 0.
pub type Stocks = Vec<Stock>;

/// Sightings in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct Sightings {
    /// The number of checkpoints.
    pub streams: u32,
    /// The sightings; checkpoints and keys are numbered as the file names them first.
    pub rows: Vec<Sighting>,
}

/// A row of a file of sightings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The checkpoint.
    pub stream: u32,
    /// When, in seconds.
    pub time: i64,
    /// The number of what was read.
    pub key: u64,
    /// How likely that is, in billionths.
    pub nanos: u32,
    /// Readings of one passing share it.
    pub observation: u64,
}

/// Reads events of stocks. Times must not descend; they are not kept, since the workload's windows are
/// of events.
pub fn stocks(input: &mut dyn Read, lines: bool) -> Result<Stocks> {
    let (mut stocks, mut symbols): (Stocks, Numbers) = Default::default();
    let mut before = i64::MIN;
    each(input, lines, "type", |row| {
        if row.time() < before {
            return Err(format!(
                "the time {} is before that of the row before, {before}",
                row.time()
            ));
        }
        before = row.time();
        let symbol = symbols.of(row, "symbol")?;
        stocks.push(Stock {
            id: stocks.len() as i64,
            symbol: u32::try_from(symbol).map_err(|_| "there are too many symbols".to_owned())?,
            price: whole(row, "price")?,
            volume: whole(row, "volume")?,
        });
        Ok(())
    })?;
    Ok(stocks)
}

/// Reads sightings.
pub fn sightings(input: &mut dyn Read, lines: bool) -> Result<Sightings> {
    let (mut keys, mut names): (Numbers, Numbers) = Default::default();
    let mut rows = Vec::new();
    each(input, lines, "stream", |row| {
        let stream = u32::try_from(names.number(row.kind()))
            .map_err(|_| "there are too many checkpoints".to_owned())?;
        rows.push(Sighting {
            stream,
            time: row.time(),
            key: keys.of(row, "key")?,
            nanos: probability(row)?,
            observation: u64::try_from(whole(row, "observation")?)
                .map_err(|_| "observation is below 0".to_owned())?,
        });
        Ok(())
    })?;
    let streams = names.0.len() as u32;
    if streams < 2 {
        return Err(Error::input("there is one checkpoint alone, and nothing to join"));
    }
    Ok(Sightings { streams, rows })
}

/// Names by the order in which they come.
#[derive(Default)]
struct Numbers(HashMap<String, u64>);

impl Numbers {
    fn number(&mut self, name: &str) -> u64 {
        if let Some(&number) = self.0.get(name) {
            return number;
        }
        let number = self.0.len() as u64;
        self.0.insert(name.to_owned(), number);
        number
    }

    fn of(&mut self, row: &Row, column: &str) -> Result<u64, String> {
        match row.get(column) {
            Field::Int(number) => Ok(self.number(&number.to_string())),
            Field::Text(text) if !text.is_empty() => Ok(self.number(text)),
            other => Err(bad(column, "a name or a whole number", other)),
        }
    }
}

fn bad(column: &str, wanted: &str, found: Field<'_>) -> String {
    let found = match found {
        Field::Missing => "there is none".to_owned(),
        Field::Int(number) => format!("it is {number}"),
        Field::Float(number) => format!("it is {number}"),
        Field::Bool(truth) => format!("it is {truth}"),
        Field::Text(text) => format!("it is “{text}”"),
    };
    format!("{column} must be {wanted}; {found}")
}

fn whole(row: &Row, column: &str) -> Result<i64, String> {
    match row.get(column) {
        Field::Int(number) => Ok(number),
        other => Err(bad(column, "a whole number, such as of cents", other)),
    }
}

fn probability(row: &Row) -> Result<u32, String> {
    let wanted = "above 0 and at most 1";
    let value = match row.get("probability") {
        Field::Int(number) => number as f64,
        Field::Float(number) => number,
        other => return Err(bad("probability", wanted, other)),
    };
    let nanos = (value * 1e9).round();
    if !(1.0..=1e9).contains(&nanos) {
        return Err(bad("probability", wanted, row.get("probability")));
    }
    Ok(nanos as u32)
}

/// Calls `add` for every row of CSV with a header, or of JSON lines; what it does not like is an error
/// with the row's number.
fn each(
    input: &mut dyn Read,
    lines: bool,
    type_column: &str,
    mut add: impl FnMut(&Row) -> Result<(), String>,
) -> Result<()> {
    let fail = |error: ReadError| Error::input(error.to_string());
    let mut options = ReadOptions::default();
    options.type_column = type_column.to_owned();
    let mut number = 0;
    let mut take = |row: &Row| {
        if number == MOST_ROWS {
            return Err(Error::input(format!("there are more than {MOST_ROWS} rows")));
        }
        number += 1;
        // Rows may stand on several lines; they are counted without the header.
        add(row).map_err(|wrong| Error::input(format!("row {number}: {wrong}")))
    };
    let input = buffered(input);
    if lines {
        let mut reader = jsonl::Reader::with_options(input, &options);
        while let Some(row) = reader.next_row().map_err(fail)? {
            take(row)?;
        }
    } else {
        let mut reader = csv::Reader::with_options(input, &options).map_err(fail)?;
        while let Some(row) = reader.next_row().map_err(fail)? {
            take(row)?;
        }
    }
    if number == 0 {
        return Err(Error::input("there are no rows"));
    }
    Ok(())
}
