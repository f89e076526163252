//! Tables with a header, as in RFC 4180.

use std::borrow::Cow;
use std::sync::Arc;

use nfab::{Error, ErrorKind, Slot, TypeId, ValueRef};

use super::cell::typed;
use super::fault::{Fatal, Fault, Place};
use super::seen::Seen;
use super::split::{Cell, Quoting, Split, split};
use super::wanted::{TYPE_COLUMN, Wanted, listed};
use super::{Step, time};
use crate::cli::row::Builder;

/// The columns of a table.
#[derive(Debug)]
pub(crate) struct Columns {
    pub(crate) names: Vec<String>,
    pub(crate) time: usize,
    pub(crate) event_type: Option<usize>,
    /// The header as written.
    pub(crate) header: String,
}

/// Reads a table.
#[derive(Debug)]
pub(crate) struct Csv {
    columns: Arc<Columns>,
    /// The columns of the attributes, by slot.
    attributes: Vec<usize>,
    /// The type of all events, if there is no column for it.
    fixed_type: TypeId,
    cells: Vec<Cell>,
    builder: Builder,
}

/// A header, read.
pub(crate) enum Header {
    Found { csv: Csv, used: usize, lines: u64 },
    More,
    None,
}

impl Csv {
    /// Reads the header at the beginning of some bytes.
    pub(crate) fn begin(bytes: &[u8], complete: bool, wanted: &Wanted) -> Result<Header, Fatal> {
        let mut cells = vec![];
        let (length, used, lines) = match split(bytes, complete, &mut cells) {
            Split::Row { length, used, inner_lines } => (length, used, inner_lines + 1),
            Split::More => return Ok(Header::More),
            fault => return Err(Fatal::Input(quotes(&fault))),
        };
        if used == 0 {
            return Ok(Header::None);
        }
        let header = match std::str::from_utf8(&bytes[..length]) {
            Ok(header) => header,
            Err(_) if matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) => {
                let hint = "convert the file, as in `iconv -f utf-16 -t utf-8 FILE | nfab QUERY`";
                return Err(Fatal::Input(not_utf8(0).with_hint(hint)));
            }
            Err(e) => return Err(Fatal::Input(not_utf8(e.valid_up_to()))),
        };
        let names: Vec<String> = cells.iter().map(|c| c.text(header).into_owned()).collect();
        let columns = columns(names, header, wanted)?;
        let mut attributes = vec![];
        for (name, span) in &wanted.attributes {
            let Some(at) = columns.names.iter().position(|column| column == name) else {
                let message = format!("the input has no column `{name}`");
                let names = listed(columns.names.iter().map(String::as_str));
                return Err(Fatal::Query(
                    Error::new(ErrorKind::Name, message)
                        .with_span(span.clone())
                        .with_hint(format!("its columns are {names}")),
                ));
            };
            attributes.push(at);
        }
        let fixed_type = wanted.given_type.or(wanted.fallback_type).unwrap_or(wanted.other);
        let csv = Csv {
            columns: Arc::new(columns),
            builder: Builder::new(attributes.len(), wanted.keep),
            attributes,
            fixed_type,
            cells,
        };
        Ok(Header::Found { csv, used, lines })
    }

    pub(crate) fn columns(&self) -> &Arc<Columns> {
        &self.columns
    }

    /// Reads the row at the beginning of some bytes.
    pub(crate) fn step(
        &mut self,
        bytes: &[u8],
        complete: bool,
        (wanted, seen): (&Wanted, &mut Seen),
        number: u64,
    ) -> Step {
        match split(bytes, complete, &mut self.cells) {
            Split::Row { length: 0, used, .. } => Step::Nothing { used, lines: 1 },
            Split::Row { length, used, inner_lines } => {
                let lines = inner_lines + 1;
                match self.row(&bytes[..length], (wanted, seen), number) {
                    Ok(row) => Step::Row { row, used, lines },
                    Err(fault) => Step::Bad { fault, used, lines },
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
        &mut self,
        bytes: &[u8],
        (wanted, seen): (&Wanted, &mut Seen),
        number: u64,
    ) -> Result<crate::cli::row::Row, Fault> {
        let row = std::str::from_utf8(bytes).map_err(|e| not_utf8(e.valid_up_to()))?;
        let names = &self.columns.names;
        if self.cells.len() != names.len() {
            return Err(count(self.cells.len(), names.len()));
        }
        self.builder.begin(row);
        let place = |at: usize| Place::Cell(at + 1, names[at].clone());
        let value = |at: usize| -> Result<(Cow<'_, str>, ValueRef<'_>), Fault> {
            let cell = self.cells[at];
            let text = &row[cell.start as usize..cell.end as usize];
            match cell.quoting {
                Quoting::None => match typed(text) {
                    Ok(value) => Ok((Cow::Borrowed(text), value)),
                    Err(message) => Err(Fault::new(place(at), format!("{message}: `{text}`"))
                        .with_hint("in quotes it is text")),
                },
                Quoting::Quoted => Ok((Cow::Borrowed(text), ValueRef::Text(text))),
                Quoting::Doubled => Ok((cell.text(row), ValueRef::Missing)),
            }
        };
        for (slot, &at) in self.attributes.iter().enumerate() {
            let slot = Slot(slot as u32);
            let (text, value) = value(at)?;
            match text {
                Cow::Borrowed(_) => {
                    let start = self.cells[at].start as usize;
                    self.builder.set(slot, value, Some(start));
                }
                Cow::Owned(text) => self.builder.set(slot, ValueRef::Text(&text), None),
            }
        }
        let (text, event_time) =
            value(self.columns.time).map_err(|fault| fault.with_hint(time::HINT))?;
        // Some programs put all cells in quotes.
        let event_time = match event_time {
            ValueRef::Text(_) => typed(&text).unwrap_or(ValueRef::Text(&text)),
            value => value,
        };
        let (event_time, cut) = time::time(event_time, wanted.unit).map_err(|message| {
            Fault::new(place(self.columns.time), message).with_hint(time::HINT)
        })?;
        seen.cut |= cut;
        let event_type = match self.columns.event_type {
            None => {
                if seen.seeks_type(wanted, number) {
                    let holds = |cell: &Cell| wanted.assumed.as_deref() == Some(&*cell.text(row));
                    let at = self.cells.iter().position(holds);
                    seen.column = at.map(|at| names[at].clone());
                }
                self.fixed_type
            }
            Some(at) => {
                let name = self.cells[at].text(row);
                if name.is_empty() {
                    return Err(Fault::new(place(at), "the event has no type"));
                }
                seen.type_id(&name, wanted)
            }
        };
        Ok(self.builder.row(event_type, event_time, number))
    }
}

fn columns(names: Vec<String>, header: &str, wanted: &Wanted) -> Result<Columns, Fatal> {
    let input = |message: String, hint: String| {
        Fatal::Input(Fault { line: 1, ..Fault::new(Place::Row, message).with_hint(hint) })
    };
    for (i, name) in names.iter().enumerate() {
        if names[..i].contains(name) {
            let message = format!("two columns are named `{name}`");
            return Err(input(message, "the first line is the header".to_owned()));
        }
    }
    let find = |name: &str| names.iter().position(|column| column == name);
    let all = || {
        let names = listed(names.iter().map(String::as_str));
        match names.contains([';', '\t', '|']) {
            true => format!("the header has the columns {names}: cells are separated by commas"),
            false => format!("the header has the columns {names}"),
        }
    };
    let Some(time) = wanted.find_time(|name| find(name).is_some()).and_then(find) else {
        let hint = format!("{}; `--time-column NAME` says which is the time", all());
        return Err(input(wanted.no_time("column"), hint));
    };
    let event_type = match &wanted.type_column {
        _ if wanted.given_type.is_some() => None,
        Some(name) => {
            Some(find(name).ok_or_else(|| input(format!("there is no column `{name}`"), all()))?)
        }
        None => find(TYPE_COLUMN),
    };
    if event_type.is_none() && wanted.given_type.or(wanted.fallback_type).is_none() {
        let (message, hint) = wanted.no_type("column");
        return Err(input(message, format!("{}; {hint}", all())));
    }
    Ok(Columns { names, time, event_type, header: header.to_owned() })
}

fn count(found: usize, expected: usize) -> Fault {
    let cells = if found == 1 { "cell" } else { "cells" };
    Fault::new(Place::Row, format!("{found} {cells}, where the header has {expected}")).with_hint(
        "a comma inside of a cell needs quotes around the cell; an empty cell is a missing value",
    )
}

fn not_utf8(at: usize) -> Fault {
    Fault::new(Place::Byte(at + 1), "this is not UTF-8")
        .with_hint("convert the file, as in `iconv -f latin1 -t utf-8 FILE | nfab QUERY`")
}

fn quotes(fault: &Split) -> Fault {
    match fault {
        Split::AfterQuote(at) => {
            Fault::new(Place::Byte(at + 1), "text behind the closing quote of a cell")
                .with_hint("a quote inside of quotes is doubled: `\"say \"\"yes\"\"\"`")
        }
        _ => Fault::new(Place::Row, "a quote in this row is not closed")
            .with_hint("a quote inside of quotes is doubled: `\"say \"\"yes\"\"\"`"),
    }
}
