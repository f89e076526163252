//! Keys that come and go: a stream of any length over a moving set of live keys, generated in
//! constant memory, for measuring what an engine keeps for keys that are gone.
//!
//! At every moment exactly `live` keys live, the numbers `low..low + live`. `low` stays at 0 for two
//! rounds of `live` events, grows evenly to `keys - live`, and stays there for two rounds at least.
//! A round has one event for each residue of the keys modulo `live`, in an order that depends on
//! the seed: so there is no table of keys, and a key has an event every `live` events while it
//! lives, at least two in all. Its first event is of type `open`, its last of type `close`, all
//! others `update`, with a uniform value in 0..=999. The time is the event's number from 0. The
//! `live` keys at the end of the stream are not closed.

use super::{Event, Field, Source, Truth, invalid};
use crate::seed::Rng;
use serde::{Deserialize, Serialize};
use std::io;

/// The columns besides type and time.
pub const COLUMNS: [&str; 2] = ["key", "value"];

/// What to choose about a stream of keys. By default: 1,000,000 events, 1,000 live of 100,000 keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KeyOptions {
    /// Events, at least `4 live + 2 (keys - live)`.
    pub events: u64,
    /// Keys that live at a time, at least 1.
    pub live: u64,
    /// All keys, at least `live`.
    pub keys: u64,
}

impl Default for KeyOptions {
    fn default() -> Self {
        Self::new(1_000_000, 1_000, 100_000)
    }
}

impl KeyOptions {
    /// So many events, live keys and keys in all.
    #[must_use]
    pub fn new(events: u64, live: u64, keys: u64) -> Self {
        Self { events, live, keys }
    }

    /// No key's first and last event are further apart than this, in events.
    #[must_use]
    pub fn longest_life(&self) -> u64 {
        let live = u128::from(self.live);
        let changes = u128::from(self.keys.saturating_sub(self.live)).max(1);
        let life = 2 * live + (u128::from(self.events) * live).div_ceil(changes) + 1;
        u64::try_from(life).unwrap_or(u64::MAX).min(self.events)
    }

    /// The events of a seed.
    ///
    /// # Errors
    /// `InvalidInput` when an option is out of range.
    pub fn stream(&self, seed: u64) -> io::Result<Keys> {
        let &Self { live, keys, .. } = self;
        let events = super::amount(self.events)?;
        if live == 0 || live > 1 << 32 {
            return invalid(format!("live keys must be from 1 to {}: {live}", 1_u64 << 32));
        }
        if keys < live || i64::try_from(keys).is_err() {
            return invalid(format!("keys must be from the live ones, {live}, up: {keys}"));
        }
        let changes = keys - live;
        let needed = 4 * u128::from(live) + 2 * u128::from(changes);
        if u128::from(self.events) < needed {
            return invalid(format!(
                "{live} live keys of {keys} need {needed} events at least, for two a key: {}",
                self.events
            ));
        }
        let mut rng = Rng::new(seed, "keys");
        // Steps of a size that shares no factor with the number of slots visit every slot.
        let step = loop {
            let step = 1 + rng.below(live);
            if common_factor(step, live) == 1 {
                break step;
            }
        };
        let slot = rng.below(live);
        Ok(Keys { rng, next: 0, events, live, changes, slot, step, opened: 0, closed: 0 })
    }
}

fn common_factor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The place of an event in its key's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The first.
    Open,
    /// One between.
    Update,
    /// The last.
    Close,
}

/// The names of the phases, in the order of [`Phase`].
pub const KINDS: [&str; 3] = ["open", "update", "close"];

/// An event of a stream of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyEvent {
    /// The type.
    pub phase: Phase,
    /// Its number from 0.
    pub time: i64,
    /// The key.
    pub key: i64,
    /// The value, in 0..=999.
    pub value: i64,
}

impl Event for KeyEvent {
    fn kind(&self) -> &str {
        KINDS[self.phase as usize]
    }

    fn time(&self) -> i64 {
        self.time
    }

    #[inline]
    fn each_field<'a>(&'a self, each: &mut impl FnMut(&'a str, Field<'a>)) {
        each(COLUMNS[0], Field::Int(self.key));
        each(COLUMNS[1], Field::Int(self.value));
    }
}

/// The events of [`KeyOptions::stream`].
#[derive(Clone, Debug)]
pub struct Keys {
    rng: Rng,
    next: i64,
    events: i64,
    live: u64,
    /// Keys that come while the stream lasts.
    changes: u64,
    /// The next event's slot: its key modulo `live`.
    slot: u64,
    step: u64,
    opened: u64,
    closed: u64,
}

impl Keys {
    /// Keys that had an event so far.
    #[must_use]
    pub fn opened(&self) -> u64 {
        self.opened
    }

    /// Keys that had their last event so far.
    #[must_use]
    pub fn closed(&self) -> u64 {
        self.closed
    }

    /// The live key of a slot at a time in `0..events`.
    #[inline]
    fn key(&self, time: u64, slot: u64) -> u64 {
        let low = match time.checked_sub(2 * self.live) {
            Some(moving) if self.changes > 0 => {
                let span = self.events as u64 - 4 * self.live;
                let steps = u128::from(moving) * u128::from(self.changes) / u128::from(span);
                (1 + steps).min(u128::from(self.changes)) as u64
            }
            _ => 0,
        };
        let residue = low % self.live;
        low + if slot >= residue { slot - residue } else { slot + self.live - residue }
    }
}

impl Iterator for Keys {
    type Item = KeyEvent;

    #[inline]
    fn next(&mut self) -> Option<KeyEvent> {
        if self.next == self.events {
            return None;
        }
        let (now, slot) = (self.next as u64, self.slot);
        let key = self.key(now, slot);
        // The slot's neighbouring events are one round away, its key is new when theirs differ.
        let first = now < self.live || self.key(now - self.live, slot) != key;
        let following = now.saturating_add(self.live);
        let last = following < self.events as u64 && self.key(following, slot) != key;
        let phase = if first {
            self.opened += 1;
            Phase::Open
        } else if last {
            self.closed += 1;
            Phase::Close
        } else {
            Phase::Update
        };
        let value = self.rng.below(1000) as i64;
        self.next += 1;
        self.slot += self.step;
        if self.slot >= self.live {
            self.slot -= self.live;
        }
        Some(KeyEvent { phase, time: now as i64, key: key as i64, value })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        super::hint(self.events - self.next)
    }
}

impl Source for Keys {
    const COLUMNS: &'static [&'static str] = &COLUMNS;
    const KINDS: &'static [&'static str] = &KINDS;

    fn kind_index(event: &KeyEvent) -> usize {
        event.phase as usize
    }

    fn truth(&self) -> Truth {
        Truth::from([
            ("keys".to_owned(), self.opened),
            ("closed_keys".to_owned(), self.closed),
            ("open_keys".to_owned(), self.opened - self.closed),
        ])
    }
}
