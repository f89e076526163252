//! Sightings in tables with a header.

use std::borrow::Cow;

use super::fault::{Fault, LoadError, Place, Problem, listed};
use super::row::{Current, Fields, Text};
use super::split::{Cell, Quoting, Split, split};
use super::streams::Streams;

/// The columns of a table.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    pub(super) names: Vec<String>,
    /// The header as written.
    pub(super) header: String,
    stream: usize,
    pub(super) time: usize,
    key: usize,
    pub(super) probability: usize,
    observation: Option<usize>,
}

/// Reads a table.
#[derive(Clone, Debug)]
pub(super) struct Csv {
    pub(super) columns: Columns,
    cells: Vec<Cell>,
}

/// A header, read.
pub(super) enum Header {
    Found { csv: Csv, used: usize, lines: u64 },
    More,
    None,
}

/// What stands at the beginning of some bytes.
#[derive(Debug)]
pub(super) enum Step {
    Sighting {
        used: usize,
        lines: u64,
    },
    Pause {
        used: usize,
    },
    Nothing {
        used: usize,
    },
    Bad {
        fault: Fault,
        length: usize,
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

impl Csv {
    /// Reads the header at the beginning of some bytes.
    pub(super) fn begin(bytes: &[u8], complete: bool) -> Result<Header, LoadError> {
        let mut cells = vec![];
        let (length, used, lines) = match split(bytes, complete, &mut cells) {
            Split::Row { length, used, inner_lines } => (length, used, inner_lines + 1),
            Split::More => return Ok(Header::More),
            fault => return Err(quotes(&fault).into()),
        };
        if used == 0 {
            return Ok(Header::None);
        }
        let header = utf8(&bytes[..length])?;
        let names: Vec<String> = cells.iter().map(|c| c.text(header).into_owned()).collect();
        let columns = columns(names, header)?;
        Ok(Header::Found { csv: Csv { columns, cells }, used, lines })
    }

    /// Reads the row at the beginning of some bytes.
    pub(super) fn step(
        &mut self,
        bytes: &[u8],
        complete: bool,
        streams: &Streams,
        fields: Fields,
        current: &mut Current,
    ) -> Step {
        match split(bytes, complete, &mut self.cells) {
            Split::Row { length: 0, used, .. } => Step::Nothing { used },
            Split::Row { length, used, inner_lines } => {
                let lines = inner_lines + 1;
                match self.row(&bytes[..length], streams, fields, current) {
                    Ok(()) => Step::Sighting { used, lines },
                    Err(fault) => Step::Bad { fault, length, used, lines },
                }
            }
            Split::More => Step::More,
            fault => {
                let from = if let Split::AfterQuote(at) = fault { at } else { 0 };
                Step::Broken { fault: quotes(&fault), from }
            }
        }
    }

    fn row(
        &self,
        bytes: &[u8],
        streams: &Streams,
        fields: Fields,
        current: &mut Current,
    ) -> Result<(), Fault> {
        let row = utf8(bytes)?;
        let columns = &self.columns;
        let (found, expected) = (self.cells.len(), columns.names.len());
        if found != expected {
            return Err(Fault::new(Place::Row, Problem::Cells { found, expected }));
        }
        let at = |column: usize| {
            let place = move |problem| Fault::new(columns.place(column), problem);
            (self.cells[column], place)
        };
        current.begin(bytes.len());
        let (cell, place) = at(columns.stream);
        let stream = cell.text(row);
        current.stream = match streams.find(&stream) {
            Some(stream) => stream,
            None if stream.is_empty() => return Err(place(Problem::Missing("stream"))),
            None => return Err(place(Problem::UnknownStream(stream.into_owned()))),
        };
        let (cell, place) = at(columns.time);
        fields.time(cell.raw(row), current).map_err(place)?;
        let (cell, place) = at(columns.key);
        let key = self.text(row, cell);
        current.key = fields.key(row, key).map_err(place)?;
        let (cell, place) = at(columns.probability);
        fields.probability(cell.raw(row), current).map_err(place)?;
        if let Some(column) = columns.observation
            && self.cells[column].start < self.cells[column].end
        {
            current.observation = Some(self.text(row, self.cells[column]));
        }
        Ok(())
    }

    fn text(&self, row: &str, cell: Cell) -> Text {
        match (cell.quoting, cell.text(row)) {
            (Quoting::Doubled, Cow::Owned(text)) => Text::Own(text),
            _ => Text::Row(cell.start, cell.end),
        }
    }
}

impl Columns {
    fn place(&self, column: usize) -> Place {
        Place::Column(Some(column + 1), self.names[column].clone())
    }
}

fn columns(names: Vec<String>, header: &str) -> Result<Columns, LoadError> {
    for (i, name) in names.iter().enumerate() {
        if names[..i].contains(name) {
            return Err(LoadError::TwoColumns(name.clone()));
        }
    }
    let optional = |name: &str| names.iter().position(|column| column == name);
    let find = |column: &'static str| {
        optional(column).ok_or_else(|| {
            let found = listed(names.iter().map(String::as_str));
            LoadError::NoColumn { column, found }
        })
    };
    Ok(Columns {
        stream: find("stream")?,
        time: find("time")?,
        key: find("key")?,
        probability: find("probability")?,
        observation: optional("observation"),
        header: header.to_owned(),
        names,
    })
}

/// The text of a row.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(bytes)
        .map_err(|e| Fault::new(Place::Byte(e.valid_up_to() + 1), Problem::Utf8))
}

pub(super) fn quotes(fault: &Split) -> Fault {
    match fault {
        Split::AfterQuote(at) => Fault::new(Place::Byte(at + 1), Problem::AfterQuote),
        _ => Fault::new(Place::Row, Problem::Unclosed),
    }
}
