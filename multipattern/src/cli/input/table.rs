//! CSV with a header.

use std::io::{BufReader, Read};

use csv::{Reader, ReaderBuilder, StringRecord, Trim};
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::bounded::{Bounded, is_too_long};
use super::report::{listed, plain, shown};
use super::{Fault, Row, Wanted, cell, read_time};

pub(super) struct Table {
    reader: Reader<Bounded>,
    record: StringRecord,
    type_column: usize,
    time_column: Option<usize>,
    /// Columns and the slots that they fill.
    attributes: Vec<(usize, usize)>,
    /// The slots of which there is no column.
    pub(super) missing: Vec<usize>,
    /// What the columns are.
    pub(super) columns: String,
}

/// An error of a row that begins in a line.
fn fault(error: &csv::Error, begin: u64) -> Fault {
    let line = error.position().map_or(begin, csv::Position::line);
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            let cells = if *len == 1 { "cell" } else { "cells" };
            Fault::new(line, format!("a row of {len} {cells}, the header has {expected_len}"))
        }
        csv::ErrorKind::Utf8 { .. } => Fault::new(line, "the row is not UTF-8"),
        csv::ErrorKind::Io(error) if is_too_long(error) => {
            Fault::new(line, error.to_string()).with_hint("perhaps a quote is not closed")
        }
        csv::ErrorKind::Io(error) => Fault::new(line, format!("cannot read: {}", plain(error))),
        _ => Fault::new(line, error.to_string()),
    }
}

/// What the columns are; and what separates them, if it seems to be something else.
fn columns(header: &StringRecord) -> String {
    let list = format!("the columns are {}", listed(header.iter(), header.len()));
    let other = [';', '\t', '|'].into_iter().find(|&mark| header.iter().any(|c| c.contains(mark)));
    match other {
        Some('\t') => format!("cells are separated by commas, not by tabs; {list}"),
        Some(mark) => format!("cells are separated by commas, not by `{mark}`; {list}"),
        None => list,
    }
}

impl Table {
    /// Reads the header; `None` if there is nothing.
    pub(super) fn begin(
        source: BufReader<Box<dyn Read>>,
        wanted: &Wanted,
    ) -> Result<Option<Self>, Fault> {
        let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(Bounded::new(source));
        let header = reader.headers().map_err(|error| fault(&error, 1))?.clone();
        if header.is_empty() {
            return Ok(None);
        }
        let mut places = HashMap::with_capacity(header.len());
        for (at, name) in header.iter().enumerate() {
            match places.entry(name) {
                Entry::Vacant(place) => {
                    place.insert(at);
                }
                Entry::Occupied(_) if name.is_empty() => {}
                Entry::Occupied(_) => {
                    return Err(Fault::new(1, format!("two columns are named `{}`", shown(name))));
                }
            }
        }
        let find = |name: &str| places.get(name).copied();
        let columns = columns(&header);
        let missing = |name: &str, flag: &str| {
            Fault::new(1, format!("there is no column `{}`", shown(name)))
                .with_hint(format!("{columns}; `{flag}` names another"))
        };
        let type_column = find(&wanted.type_column)
            .ok_or_else(|| missing(&wanted.type_column, "--type-column"))?;
        let time_column = find(&wanted.time_column);
        if wanted.timed && time_column.is_none() {
            return Err(missing(&wanted.time_column, "--time-column"));
        }
        let (mut attributes, mut without) = (Vec::new(), Vec::new());
        for (slot, name) in wanted.attributes.iter().enumerate() {
            match find(name) {
                Some(column) => attributes.push((column, slot)),
                None if wanted.uses[slot].key => return Err(missing(name, "--partition-by")),
                None => without.push(slot),
            }
        }
        Ok(Some(Table {
            reader,
            record: StringRecord::new(),
            type_column,
            time_column,
            attributes,
            missing: without,
            columns,
        }))
    }

    /// Fills a row with the next event; gives its line.
    pub(super) fn next(&mut self, wanted: &Wanted, row: &mut Row) -> Result<Option<u64>, Fault> {
        let begin = self.reader.position().line();
        self.reader.get_mut().begin_row();
        if !self.reader.read_record(&mut self.record).map_err(|error| fault(&error, begin))? {
            return Ok(None);
        }
        let line = self.record.position().map_or(begin, csv::Position::line);
        let name = &self.record[self.type_column];
        if name.is_empty() {
            return Err(Fault::new(line, "the event has no type"));
        }
        row.set_type(name, &wanted.types);
        row.time = match self.time_column {
            Some(column) if wanted.timed => {
                read_time(cell::typed(&self.record[column]), wanted, line)?
            }
            _ => 0,
        };
        for &(column, slot) in &self.attributes {
            row.values[slot] = cell::typed(&self.record[column]).to_value();
        }
        Ok(Some(line))
    }
}
