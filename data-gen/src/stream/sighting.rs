//! Sightings: what the streams of the uncertain join are made of.
//!
//! A sighting is one *reading* of what passed somewhere: which stream, when, which key, and how likely
//! it is that this reading is right. Readings of the same passing share the number of their
//! observation; at most one of them is right. In files the type column is called `stream`.

use super::{Event, Field};
use std::fmt;

/// The columns besides stream and time.
pub const COLUMNS: [&str; 3] = ["key", "probability", "observation"];

/// What the type column is called.
pub(super) const STREAM: &str = "stream";

/// The most streams.
pub const MAX_STREAMS: u32 = 1_000_000;

/// A short text without memory of its own: a stream's name, or a number plate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label {
    bytes: [u8; 7],
    length: u8,
}

impl Label {
    /// A letter and a number below 10^6.
    #[inline]
    pub(super) fn numbered(letter: u8, number: u32) -> Self {
        let mut bytes = [letter, 0, 0, 0, 0, 0, 0];
        let digits = 1 + number.checked_ilog10().unwrap_or(0) as usize;
        let mut rest = number;
        for place in bytes[1..=digits].iter_mut().rev() {
            *place = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        Self { bytes, length: 1 + digits as u8 }
    }

    /// Up to seven ASCII characters.
    pub(super) fn ascii(text: &[u8]) -> Self {
        let mut bytes = [0; 7];
        bytes[..text.len()].copy_from_slice(text);
        Self { bytes, length: text.len() as u8 }
    }

    /// The text.
    #[must_use]
    #[inline]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// A sighting whose key is a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The stream, from 0.
    pub stream: u32,
    /// Its name: `s` and the number.
    pub name: Label,
    /// When, in whole seconds.
    pub time: i64,
    /// What was read.
    pub key: i64,
    /// How likely this reading is right, in billionths.
    pub nanos: u32,
    /// The observation, from 0.
    pub observation: i64,
}

/// Billionths as the nearest floating point number, whose shortest decimal is the exact one.
#[inline]
pub(super) fn decimal(nanos: u32) -> Field<'static> {
    Field::Float(f64::from(nanos) / 1e9)
}

impl Event for Sighting {
    fn kind(&self) -> &str {
        self.name.as_str()
    }

    fn time(&self) -> i64 {
        self.time
    }

    #[inline]
    fn each_field<'a>(&'a self, each: &mut impl FnMut(&'a str, Field<'a>)) {
        each(COLUMNS[0], Field::Int(self.key));
        each(COLUMNS[1], decimal(self.nanos));
        each(COLUMNS[2], Field::Int(self.observation));
    }
}
