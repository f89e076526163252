//! An event of the input.

use nfab::{Event, Slot, TypeId, ValueRef};
use serde::{Deserialize, Serialize};

/// One attribute; text is a range of the row's text.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Cell {
    Missing,
    Int(i64),
    #[serde(with = "bits")]
    Float(f64),
    Bool(bool),
    Text(u32, u32),
}

/// An event: its type, its time, the attributes that the query looks at, and, when the output shows
/// it, the row as it was written.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub(crate) struct Row {
    event_type: TypeId,
    time: i64,
    number: u64,
    cells: Box<[Cell]>,
    /// The row as written, if it is kept, then the texts of cells that are not part of it.
    text: Box<str>,
    written: u32,
}

/// A row of a checkpoint, which may have ranges that are none.
#[derive(Deserialize)]
struct Unchecked {
    event_type: TypeId,
    time: i64,
    number: u64,
    cells: Box<[Cell]>,
    text: Box<str>,
    written: u32,
}

impl TryFrom<Unchecked> for Row {
    type Error = &'static str;

    fn try_from(row: Unchecked) -> Result<Row, &'static str> {
        let Unchecked { event_type, time, number, cells, text, written } = row;
        let is_part = |start: u32, end: u32| text.get(start as usize..end as usize).is_some();
        let fits = |cell: &Cell| match *cell {
            Cell::Text(start, end) => is_part(start, end),
            _ => true,
        };
        if !is_part(0, written) || !cells.iter().all(fits) {
            return Err("a text of a row ends behind it");
        }
        Ok(Row { event_type, time, number, cells, text, written })
    }
}

/// Floats by their bits: in JSON there is no NaN, and others are rounded.
mod bits {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(x: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(x.to_bits())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        u64::deserialize(from).map(f64::from_bits)
    }
}

impl Row {
    /// The row's number in the input, from 0.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The row as written, without the end of the line; empty if it is not kept.
    pub(crate) fn written(&self) -> &str {
        &self.text[..self.written as usize]
    }
}

impl Event for Row {
    fn event_type(&self) -> TypeId {
        self.event_type
    }

    fn time(&self) -> i64 {
        self.time
    }

    fn attribute(&self, slot: Slot) -> ValueRef<'_> {
        match self.cells.get(slot.0 as usize) {
            None | Some(Cell::Missing) => ValueRef::Missing,
            Some(Cell::Int(i)) => ValueRef::Int(*i),
            Some(Cell::Float(x)) => ValueRef::Float(*x),
            Some(Cell::Bool(b)) => ValueRef::Bool(*b),
            Some(Cell::Text(start, end)) => {
                ValueRef::Text(&self.text[*start as usize..*end as usize])
            }
        }
    }
}

/// Puts rows together; what it needs for one serves the next.
#[derive(Debug)]
pub(crate) struct Builder {
    cells: Vec<Cell>,
    text: String,
    written: usize,
    keep: bool,
}

impl Builder {
    /// For rows with so many attributes; `keep` says whether rows are kept as written.
    pub(crate) fn new(attributes: usize, keep: bool) -> Self {
        Builder { cells: vec![Cell::Missing; attributes], text: String::new(), written: 0, keep }
    }

    /// Begins with a row; no longer than 4 GiB.
    pub(crate) fn begin(&mut self, row: &str) {
        self.cells.fill(Cell::Missing);
        self.text.clear();
        if self.keep {
            self.text.push_str(row);
        }
        self.written = self.text.len();
    }

    /// Sets an attribute. Text that stands in the row as it is stands at `place` of it.
    pub(crate) fn set(&mut self, slot: Slot, value: ValueRef<'_>, place: Option<usize>) {
        self.cells[slot.0 as usize] = match value {
            ValueRef::Missing => Cell::Missing,
            ValueRef::Int(i) => Cell::Int(i),
            ValueRef::Float(x) => Cell::Float(x),
            ValueRef::Bool(b) => Cell::Bool(b),
            ValueRef::Text(text) => {
                let start = match place {
                    Some(place) if self.keep => place,
                    _ => {
                        self.text.push_str(text);
                        self.text.len() - text.len()
                    }
                };
                // Rows are bounded far below 4 GiB.
                Cell::Text(start as u32, (start + text.len()) as u32)
            }
        };
    }

    /// The row.
    pub(crate) fn row(&self, event_type: TypeId, time: i64, number: u64) -> Row {
        Row {
            event_type,
            time,
            number,
            cells: self.cells.as_slice().into(),
            text: self.text.as_str().into(),
            written: self.written as u32,
        }
    }
}
