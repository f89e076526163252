//! Readings of RFID tags, uniform in everything: the streams of the multi-pattern paper's Table 1.
//!
//! Every event is of one of up to 26 types, `A`, `B` ..., and has two attributes: the tag that was
//! read, uniform in `0..tags`, and the reader, uniform in `0..readers`. The time is the event's number
//! from 0.

use super::letters::LETTERS;
use super::{Event, Field, Source, Truth, invalid};
use crate::seed::Rng;
use serde::{Deserialize, Serialize};
use std::io;

/// The columns besides type and time.
pub const COLUMNS: [&str; 2] = ["tag", "reader"];

/// What to choose about readings of tags. By default, as in the paper's Table 1: 100,000 events of 10
/// types; and 1000 tags, 20 readers, which the paper leaves open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RfidOptions {
    /// Events.
    pub events: u64,
    /// Types of events, 1 to 26.
    pub types: usize,
    /// Different tags, at least 1.
    pub tags: u64,
    /// Different readers, at least 1.
    pub readers: u64,
}

impl Default for RfidOptions {
    fn default() -> Self {
        Self::new(100_000)
    }
}

impl RfidOptions {
    /// So many events, and else the defaults.
    #[must_use]
    pub fn new(events: u64) -> Self {
        Self { events, types: 10, tags: 1000, readers: 20 }
    }

    /// The events of a seed.
    ///
    /// # Errors
    /// `InvalidInput` when an option is out of range.
    pub fn stream(&self, seed: u64) -> io::Result<Rfids> {
        types(self.types)?;
        for (name, number) in [("tags", self.tags), ("readers", self.readers)] {
            if number == 0 || i64::try_from(number).is_err() {
                return invalid(format!("{name} must be from 1 to {}: {number}", i64::MAX));
            }
        }
        Ok(Rfids {
            rng: Rng::new(seed, "rfid"),
            next: 0,
            events: super::amount(self.events)?,
            types: self.types as u64,
            tags: self.tags,
            readers: self.readers,
        })
    }
}

/// Checks a number of types.
pub(super) fn types(types: usize) -> io::Result<()> {
    if (1..=LETTERS.len()).contains(&types) {
        return Ok(());
    }
    invalid(format!("types must be from 1 to {}: {types}", LETTERS.len()))
}

/// A tag that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rfid {
    /// The type: an index of [`LETTERS`].
    pub letter: u8,
    /// Its number from 0.
    pub time: i64,
    /// The tag.
    pub tag: i64,
    /// The reader.
    pub reader: i64,
}

impl Event for Rfid {
    fn kind(&self) -> &str {
        LETTERS[usize::from(self.letter) % LETTERS.len()]
    }

    fn time(&self) -> i64 {
        self.time
    }

    #[inline]
    fn each_field<'a>(&'a self, each: &mut impl FnMut(&'a str, Field<'a>)) {
        each(COLUMNS[0], Field::Int(self.tag));
        each(COLUMNS[1], Field::Int(self.reader));
    }
}

/// The events of [`RfidOptions::stream`].
#[derive(Clone, Debug)]
pub struct Rfids {
    rng: Rng,
    next: i64,
    events: i64,
    types: u64,
    tags: u64,
    readers: u64,
}

impl Iterator for Rfids {
    type Item = Rfid;

    #[inline]
    fn next(&mut self) -> Option<Rfid> {
        if self.next == self.events {
            return None;
        }
        let letter = self.rng.below(self.types) as u8;
        let tag = self.rng.below(self.tags) as i64;
        let reader = self.rng.below(self.readers) as i64;
        let time = self.next;
        self.next += 1;
        Some(Rfid { letter, time, tag, reader })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        super::hint(self.events - self.next)
    }
}

impl Source for Rfids {
    const COLUMNS: &'static [&'static str] = &COLUMNS;
    const KINDS: &'static [&'static str] = &LETTERS;

    fn kind_index(event: &Rfid) -> usize {
        usize::from(event.letter) % LETTERS.len()
    }

    fn truth(&self) -> Truth {
        Truth::new()
    }
}
