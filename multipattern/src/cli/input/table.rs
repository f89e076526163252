//! CSV with a header.

use std::io::{BufReader, Read};

use csv::{Reader, ReaderBuilder, StringRecord, Trim};

use super::{Fault, Row, Wanted, cell, read_time};

pub(super) struct Table {
    reader: Reader<Limited>,
    record: StringRecord,
    type_column: usize,
    time_column: Option<usize>,
    /// Columns and the slots that they fill.
    attributes: Vec<(usize, usize)>,
}

type Limited = BufReader<Box<dyn Read>>;

fn fault(error: &csv::Error) -> Fault {
    let line = error.position().map_or(0, csv::Position::line);
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            Fault::new(line, format!("a row of {len} cells, the header has {expected_len}"))
        }
        csv::ErrorKind::Utf8 { .. } => Fault::new(line, "the row is not UTF-8"),
        csv::ErrorKind::Io(error) => {
            Fault::new(line, format!("cannot read: {}", super::report::plain(error)))
        }
        _ => Fault::new(line, error.to_string()),
    }
}

impl Table {
    /// Reads the header.
    pub(super) fn begin(source: Limited, wanted: &Wanted) -> Result<Self, Fault> {
        let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(source);
        let header = reader.headers().map_err(|error| fault(&error))?;
        let find = |name: &str| header.iter().position(|column| column == name);
        for (at, name) in header.iter().enumerate() {
            if header.iter().take(at).any(|other| other == name) && !name.is_empty() {
                return Err(Fault::new(1, format!("two columns are named `{name}`")));
            }
        }
        let missing = |name: &str, flag: &str| {
            let columns: Vec<String> = header.iter().map(|name| format!("`{name}`")).collect();
            Fault::new(1, format!("there is no column `{name}`")).with_hint(format!(
                "the columns are {}; `{flag}` names another",
                columns.join(", ")
            ))
        };
        let type_column = find(&wanted.type_column)
            .ok_or_else(|| missing(&wanted.type_column, "--type-column"))?;
        let time_column = find(&wanted.time_column);
        if wanted.timed && time_column.is_none() {
            return Err(missing(&wanted.time_column, "--time-column"));
        }
        let attributes = wanted.attributes.iter().enumerate();
        let attributes = attributes.filter_map(|(slot, name)| Some((find(name)?, slot))).collect();
        Ok(Table { reader, record: StringRecord::new(), type_column, time_column, attributes })
    }

    /// Fills a row with the next event; gives its line.
    pub(super) fn next(&mut self, wanted: &Wanted, row: &mut Row) -> Result<Option<u64>, Fault> {
        if !self.reader.read_record(&mut self.record).map_err(|error| fault(&error))? {
            return Ok(None);
        }
        let line = self.record.position().map_or(0, csv::Position::line);
        let typed = |column: usize| {
            let text = &self.record[column];
            cell::typed(text).map_err(|message| Fault::new(line, format!("{message}: {text}")))
        };
        let name = &self.record[self.type_column];
        if name.is_empty() {
            return Err(Fault::new(line, "the event has no type"));
        }
        row.set_type(name, &wanted.types);
        row.time = match self.time_column {
            Some(column) if wanted.timed => read_time(typed(column)?, wanted, line)?,
            _ => 0,
        };
        for &(column, slot) in &self.attributes {
            row.values[slot] = typed(column)?.to_value();
        }
        Ok(Some(line))
    }
}
