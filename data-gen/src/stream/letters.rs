//! Letters with identifiers, for measuring sequences of chosen lengths.
//!
//! Every event is of one of up to 26 types, `A`, `B` ..., with chosen weights, and has an id that is
//! uniform in `0..domain`. The time is the event's number from 0.

use super::{Event, Field, Source, Truth, invalid};
use crate::seed::{Discrete, Rng};
use serde::{Deserialize, Serialize};
use std::io;

/// The columns besides type and time.
pub const COLUMNS: [&str; 1] = ["id"];

/// The names of all types.
pub const LETTERS: [&str; 26] = [
    "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R", "S",
    "T", "U", "V", "W", "X", "Y", "Z",
];

/// What to choose about a stream of letters. By default: 100,000 events of 20 types, 100 ids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LetterOptions {
    /// Events.
    pub events: u64,
    /// The weight of each type, of 1 to 26 types.
    pub weights: Vec<f64>,
    /// Different ids, at least 1.
    pub domain: u64,
}

impl Default for LetterOptions {
    fn default() -> Self {
        Self::uniform(100_000, 20, 100)
    }
}

impl LetterOptions {
    /// Types of equal weights.
    #[must_use]
    pub fn uniform(events: u64, types: usize, domain: u64) -> Self {
        Self { events, weights: vec![1.0; types], domain }
    }

    /// The events of a seed.
    ///
    /// # Errors
    /// `InvalidInput` when an option is out of range.
    pub fn stream(&self, seed: u64) -> io::Result<Letters> {
        let types = self.weights.len();
        if !(1..=LETTERS.len()).contains(&types) {
            return invalid(format!("types must be from 1 to {}: {types}", LETTERS.len()));
        }
        let total: f64 = self.weights.iter().sum();
        if self.weights.iter().any(|&w| w < 0.0) || !(total > 0.0 && total.is_finite()) {
            return invalid(format!(
                "weights must be 0 or more, and positive in sum: {:?}",
                self.weights
            ));
        }
        if self.domain == 0 || i64::try_from(self.domain).is_err() {
            return invalid(format!("the domain must be from 1 to {}: {}", i64::MAX, self.domain));
        }
        Ok(Letters {
            rng: Rng::new(seed, "letters"),
            next: 0,
            events: super::amount(self.events)?,
            types: Discrete::new(&self.weights),
            domain: self.domain,
        })
    }
}

/// An event of a stream of letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Letter {
    /// The type: an index of [`LETTERS`].
    pub letter: u8,
    /// Its number from 0.
    pub time: i64,
    /// The id.
    pub id: i64,
}

impl Event for Letter {
    fn kind(&self) -> &str {
        LETTERS[usize::from(self.letter) % LETTERS.len()]
    }

    fn time(&self) -> i64 {
        self.time
    }

    #[inline]
    fn each_field<'a>(&'a self, each: &mut impl FnMut(&'a str, Field<'a>)) {
        each(COLUMNS[0], Field::Int(self.id));
    }
}

/// The events of [`LetterOptions::stream`].
#[derive(Clone, Debug)]
pub struct Letters {
    rng: Rng,
    next: i64,
    events: i64,
    types: Discrete,
    domain: u64,
}

impl Iterator for Letters {
    type Item = Letter;

    #[inline]
    fn next(&mut self) -> Option<Letter> {
        if self.next == self.events {
            return None;
        }
        let letter = self.types.sample(&mut self.rng) as u8;
        let id = self.rng.below(self.domain) as i64;
        let time = self.next;
        self.next += 1;
        Some(Letter { letter, time, id })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        super::hint(self.events - self.next)
    }
}

impl Source for Letters {
    const COLUMNS: &'static [&'static str] = &COLUMNS;
    const KINDS: &'static [&'static str] = &LETTERS;

    fn kind_index(event: &Letter) -> usize {
        usize::from(event.letter) % LETTERS.len()
    }

    fn truth(&self) -> Truth {
        Truth::new()
    }
}
