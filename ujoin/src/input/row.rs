//! What is read of a row.

use super::decimal::{Decimal, DecimalError};
use super::fault::Problem;
use super::key::normalize_plate;
use super::reader::Sighting;
use super::time::time;
use crate::{Probability, StreamId};

/// How values are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fields {
    /// Keys are number plates: case, white space and dashes do not count.
    pub normalize_plates: bool,
    /// More than nine digits behind the point are an error; otherwise they are rounded half to even.
    pub exact: bool,
}

/// A text of a row.
#[derive(Clone, Debug)]
pub(super) enum Text {
    /// Where it stands.
    Row(u32, u32),
    /// It does not stand there as it is.
    Own(String),
}

impl Text {
    pub(super) fn get<'r>(&'r self, row: &'r str) -> &'r str {
        match self {
            Text::Row(start, end) => &row[*start as usize..*end as usize],
            Text::Own(text) => text,
        }
    }
}

/// The row that was read last; its bytes are in the reader's buffer.
#[derive(Debug)]
pub(super) struct Current {
    pub(super) start: usize,
    pub(super) length: usize,
    pub(super) stream: StreamId,
    pub(super) time: i64,
    pub(super) probability: Probability,
    pub(super) key: Text,
    pub(super) observation: Option<Text>,
    pub(super) rounded: u32,
}

impl Current {
    pub(super) fn new() -> Current {
        Current {
            start: 0,
            length: 0,
            stream: 0,
            time: 0,
            probability: Probability::ONE,
            key: Text::Row(0, 0),
            observation: None,
            rounded: 0,
        }
    }

    pub(super) fn sighting<'r>(&'r self, row: &'r str, line: u64) -> Sighting<'r> {
        Sighting {
            stream: self.stream,
            time: self.time,
            probability: self.probability,
            key: self.key.get(row),
            observation: self.observation.as_ref().map(|text| text.get(row)),
            rounded: self.rounded,
            line,
            row,
        }
    }

    pub(super) fn begin(&mut self, length: usize) {
        self.length = length;
        self.observation = None;
        self.rounded = 0;
    }
}

impl Fields {
    pub(super) fn time(self, text: &str, current: &mut Current) -> Result<(), Problem> {
        let (ticks, rounded) = match whole_seconds(text.as_bytes()) {
            Some(ticks) => (ticks, false),
            None if text.is_empty() => return Err(Problem::Missing("time")),
            None => time(text).map_err(|error| Problem::Time { value: text.to_owned(), error })?,
        };
        if rounded {
            self.round(text, current)?;
        }
        current.time = ticks;
        Ok(())
    }

    pub(super) fn probability(self, text: &str, current: &mut Current) -> Result<(), Problem> {
        let decimal = match Decimal::parse(text) {
            Ok(decimal) => decimal,
            Err(_) if text.is_empty() => return Err(Problem::Missing("probability")),
            Err(DecimalError::Range) => return Err(Problem::Probability(text.to_owned())),
            Err(error) => return Err(Problem::ProbabilityText { value: text.to_owned(), error }),
        };
        let probability = decimal.probability();
        current.probability = probability.ok_or_else(|| Problem::Probability(text.to_owned()))?;
        if decimal.is_rounded() {
            self.round(text, current)?;
        }
        Ok(())
    }

    fn round(self, text: &str, current: &mut Current) -> Result<(), Problem> {
        if self.exact {
            return Err(Problem::Inexact(text.to_owned()));
        }
        current.rounded += 1;
        Ok(())
    }

    pub(super) fn key(self, row: &str, key: Text) -> Result<Text, Problem> {
        let text = key.get(row);
        if text.is_empty() {
            return Err(Problem::EmptyKey);
        }
        if !self.normalize_plates {
            return Ok(key);
        }
        match normalize_plate(text) {
            std::borrow::Cow::Borrowed(_) => Ok(key),
            std::borrow::Cow::Owned(plate) if plate.is_empty() => {
                Err(Problem::EmptyPlate(text.to_owned()))
            }
            std::borrow::Cow::Owned(plate) => Ok(Text::Own(plate)),
        }
    }
}

/// Up to nine digits: the usual time.
fn whole_seconds(text: &[u8]) -> Option<i64> {
    if text.is_empty() || text.len() > 9 {
        return None;
    }
    let mut seconds = 0;
    for b in text {
        let digit = b.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        seconds = 10 * seconds + i64::from(digit);
    }
    Some(seconds * super::time::TICKS_PER_SECOND)
}
