//! The stock stream of the NFA^b experiments: price walks of a few symbols.
//!
//! `stock(id, symbol, price, volume)` with the id, counted from 0, as the time. Every event is of a
//! uniform symbol (1, 2 ...) and has a uniform volume in 1..=1000. A symbol's first price is uniform
//! in 0..=999; from event to event of the symbol it rises by 1, 2 or 3 with probability `rise`, and
//! else falls by as much or stays, with equal probability. Nothing keeps it above 0.

use super::{Event, Field, Source, Truth, invalid};
use crate::seed::Rng;
use serde::{Deserialize, Serialize};
use std::io;

/// The columns besides type and time.
pub const COLUMNS: [&str; 4] = ["id", "symbol", "price", "volume"];

/// The most symbols.
pub const MAX_SYMBOLS: u32 = 1 << 24;

/// What to choose about a stock stream. The default is the paper's: 100,000 events, 2 symbols, 0.7.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StockOptions {
    /// Events.
    pub events: u64,
    /// Symbols, from 1 to [`MAX_SYMBOLS`].
    pub symbols: u32,
    /// The probability that a price rises.
    pub rise: f64,
}

impl Default for StockOptions {
    fn default() -> Self {
        Self { events: 100_000, symbols: 2, rise: 0.7 }
    }
}

impl StockOptions {
    /// The paper's stream with another number of events.
    #[must_use]
    pub fn new(events: u64) -> Self {
        Self { events, ..Self::default() }
    }

    /// The events of a seed.
    ///
    /// # Errors
    /// `InvalidInput` when an option is out of range.
    pub fn stream(&self, seed: u64) -> io::Result<Stocks> {
        if !(1..=MAX_SYMBOLS).contains(&self.symbols) {
            return invalid(format!("symbols must be from 1 to {MAX_SYMBOLS}: {}", self.symbols));
        }
        super::share("rise", self.rise)?;
        let events = super::amount(self.events)?;
        let mut start = Rng::new(seed, "stock/start");
        let prices = (0..self.symbols).map(|_| (start.below(1000) as i64, false)).collect();
        Ok(Stocks { rng: Rng::new(seed, "stock"), next: 0, events, prices, rise: self.rise })
    }
}

/// An event of a stock stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stock {
    /// Its number from 0, and its time.
    pub id: i64,
    /// The symbol, from 1.
    pub symbol: i64,
    /// The price.
    pub price: i64,
    /// The volume, in 1..=1000.
    pub volume: i64,
}

impl Event for Stock {
    fn kind(&self) -> &str {
        "stock"
    }

    fn time(&self) -> i64 {
        self.id
    }

    #[inline]
    fn each_field<'a>(&'a self, each: &mut impl FnMut(&'a str, Field<'a>)) {
        each(COLUMNS[0], Field::Int(self.id));
        each(COLUMNS[1], Field::Int(self.symbol));
        each(COLUMNS[2], Field::Int(self.price));
        each(COLUMNS[3], Field::Int(self.volume));
    }
}

/// The events of [`StockOptions::stream`].
#[derive(Clone, Debug)]
pub struct Stocks {
    rng: Rng,
    next: i64,
    events: i64,
    /// Of each symbol: its latest price, and whether an event has had it.
    prices: Vec<(i64, bool)>,
    rise: f64,
}

impl Iterator for Stocks {
    type Item = Stock;

    #[inline]
    fn next(&mut self) -> Option<Stock> {
        if self.next == self.events {
            return None;
        }
        let rng = &mut self.rng;
        let symbol = rng.below(self.prices.len() as u64) as usize;
        let volume = rng.between(1, 1000) as i64;
        let (price, seen) = &mut self.prices[symbol];
        if !*seen {
            *seen = true;
        } else if rng.chance(self.rise) {
            *price += rng.between(1, 3) as i64;
        } else if rng.coin() {
            *price -= rng.between(1, 3) as i64;
        }
        let event = Stock { id: self.next, symbol: symbol as i64 + 1, price: *price, volume };
        self.next += 1;
        Some(event)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        super::hint(self.events - self.next)
    }
}

impl Source for Stocks {
    const COLUMNS: &'static [&'static str] = &COLUMNS;
    const KINDS: &'static [&'static str] = &["stock"];

    fn kind_index(_: &Stock) -> usize {
        0
    }

    fn truth(&self) -> Truth {
        Truth::new()
    }
}
