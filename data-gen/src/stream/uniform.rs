//! Sightings of uniform keys: the uncertain join's data whose index lists are all equally long.
//!
//! Rows come evenly spaced, each from a uniform stream: in a window of time a stream has
//! `per_window_per_stream` of them on average. A key is a *slot*, uniform in `slots` neighbouring
//! numbers around the mean, plus `slots` times a number uniform in `0..plates_per_slot`: so the slot is
//! the key modulo `slots` up to a rotation, and as many keys share it as one likes. Probabilities are
//! uniform between two bounds, in steps of a millionth. Every row is an observation of its own; the
//! times are whole seconds.
//!
//! The paper gives keys with the mean 5,000 for 10,000 slots, and keys from 1,000 to 1,999 for 1,000
//! slots with probabilities from 0.5 to 0.99. It says neither how fast rows arrive nor how many plates
//! share a slot.

use super::sighting::{COLUMNS, Label, MAX_STREAMS, STREAM, Sighting};
use super::travel::{Times, TravelFile};
use super::{Source, Truth, invalid};
use crate::seed::Rng;
use serde::{Deserialize, Serialize};
use std::io;

/// What to choose about sightings of uniform keys. By default: 100,000 rows of 60 streams, 1,000 a
/// window of 3,600 s and stream, 10,000 slots around 5,000 with 100 plates each, probabilities from 0.5
/// to 0.99.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UniformOptions {
    /// Rows.
    pub events: u64,
    /// Streams, 2 to [`MAX_STREAMS`].
    pub streams: u32,
    /// Rows of a stream in a window, on average, at least 1.
    pub per_window_per_stream: u32,
    /// Seconds of a window: the travel time between any two streams. At least 1.
    pub window: u32,
    /// Slots, at least 1.
    pub slots: u32,
    /// The middle of the slots; the least key is `mean - slots / 2`, at least 0.
    pub mean: u32,
    /// Keys that share a slot, at least 1.
    pub plates_per_slot: u32,
    /// The least and the greatest probability.
    pub probability: (f64, f64),
}

impl Default for UniformOptions {
    fn default() -> Self {
        Self::new(100_000)
    }
}

impl UniformOptions {
    /// So many rows, and else the defaults.
    #[must_use]
    pub fn new(events: u64) -> Self {
        Self {
            events,
            streams: 60,
            per_window_per_stream: 1000,
            window: 3600,
            slots: 10_000,
            mean: 5000,
            plates_per_slot: 100,
            probability: (0.5, 0.99),
        }
    }

    /// The rows of a seed.
    ///
    /// # Errors
    /// `InvalidInput` when an option is out of range.
    pub fn stream(&self, seed: u64) -> io::Result<Sightings> {
        self.sightings(Rng::new(seed, "uniform"), Slots::Uniform)
    }

    /// The travel times: the window between any two streams.
    ///
    /// # Errors
    /// `InvalidInput` when an option is out of range, and for more than 10,000 streams.
    pub fn times(&self) -> io::Result<TravelFile> {
        self.sightings(Rng::new(0, ""), Slots::Uniform)?;
        if self.streams > 10_000 {
            return invalid(format!("a table of {} streams would be too large", self.streams));
        }
        let names = (0..self.streams).map(|stream| Label::numbered(b's', stream)).collect();
        let parameters = serde_json::json!({"streams": self.streams, "window": self.window});
        let times = Times::Constant(self.window);
        Ok(TravelFile::new("constant-times", parameters, names, times))
    }

    pub(super) fn sightings(&self, rng: Rng, draw: Slots) -> io::Result<Sightings> {
        if !(2..=MAX_STREAMS).contains(&self.streams) {
            return invalid(format!("streams must be from 2 to {MAX_STREAMS}: {}", self.streams));
        }
        for (name, number) in [
            ("rows of a stream in a window", self.per_window_per_stream),
            ("the window", self.window),
            ("slots", self.slots),
            ("plates of a slot", self.plates_per_slot),
        ] {
            if number == 0 {
                return invalid(format!("{name} must be at least 1"));
            }
        }
        let Some(low) = self.mean.checked_sub(self.slots / 2) else {
            return invalid(format!(
                "the mean must be at least half the slots, {}: {}",
                self.slots / 2,
                self.mean
            ));
        };
        let (least, most) = self.probability;
        if !(least > 0.0 && least <= most && most <= 1.0) {
            return invalid(format!(
                "probabilities must be above 0, at most 1 and the least first: {least} to {most}"
            ));
        }
        let millionths = |p: f64| ((p * 1e6 + 0.5) as u64).clamp(1, 1_000_000);
        Ok(Sightings {
            rng,
            next: 0,
            events: super::amount(self.events)?,
            streams: self.streams,
            draw,
            low: i64::from(low),
            slots: self.slots,
            plates: self.plates_per_slot,
            millionths: (millionths(least), millionths(most)),
            time: 0,
            part: 0,
            // A row advances the time by window / (streams * rows).
            whole: u64::from(self.streams) * u64::from(self.per_window_per_stream),
            window: u64::from(self.window),
        })
    }
}

/// How slots are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slots {
    Uniform,
    /// Normal around the middle, with this deviation.
    Normal(f64),
}

/// The rows of [`UniformOptions::stream`] and [`GaussianOptions::stream`](super::GaussianOptions::stream).
#[derive(Clone, Debug)]
pub struct Sightings {
    rng: Rng,
    next: i64,
    events: i64,
    streams: u32,
    draw: Slots,
    /// The least slot.
    low: i64,
    slots: u32,
    plates: u32,
    millionths: (u64, u64),
    time: i64,
    /// Of the second that has begun, how much has passed, in units of 1 / `whole`.
    part: u64,
    whole: u64,
    window: u64,
}

impl Sightings {
    #[inline]
    fn slot(&mut self) -> i64 {
        match self.draw {
            Slots::Uniform => self.rng.below(u64::from(self.slots)) as i64,
            Slots::Normal(deviation) => loop {
                let middle = f64::from(self.slots / 2);
                let slot = (self.rng.normal(middle, deviation) + 0.5).floor();
                if (0.0..f64::from(self.slots)).contains(&slot) {
                    return slot as i64;
                }
            },
        }
    }
}

impl Iterator for Sightings {
    type Item = Sighting;

    #[inline]
    fn next(&mut self) -> Option<Sighting> {
        if self.next == self.events {
            return None;
        }
        let stream = self.rng.below(u64::from(self.streams)) as u32;
        let slot = self.slot();
        let plate = self.rng.below(u64::from(self.plates)) as i64;
        let (least, most) = self.millionths;
        let nanos = self.rng.between(least, most) as u32 * 1000;
        let sighting = Sighting {
            stream,
            name: Label::numbered(b's', stream),
            time: self.time,
            key: self.low + slot + i64::from(self.slots) * plate,
            nanos,
            observation: self.next,
        };
        self.next += 1;
        self.part += self.window;
        if self.part >= self.whole {
            self.time += (self.part / self.whole) as i64;
            self.part %= self.whole;
        }
        Some(sighting)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        super::hint(self.events - self.next)
    }
}

impl Source for Sightings {
    const COLUMNS: &'static [&'static str] = &COLUMNS;
    const TYPE: &'static str = STREAM;

    fn kinds(&self) -> Vec<String> {
        (0..self.streams).map(|stream| Label::numbered(b's', stream).to_string()).collect()
    }

    fn kind_index(event: &Sighting) -> usize {
        event.stream as usize
    }

    fn truth(&self) -> Truth {
        Truth::new()
    }
}
