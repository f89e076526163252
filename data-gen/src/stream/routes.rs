//! Work pieces on production routes, read by RFID at every station.
//!
//! A *route* is a list of stations, drawn once for a seed ([`RouteOptions::plan`]). Some pieces, each
//! with a tag, are under way at a time; each event moves one of them on to the next station of its
//! route, and whoever passed the last one makes room for a new piece on a route of its own. Between
//! that, a share of the events is *noise*: some tag at some station. A share of the others is a
//! *duplicate*: the reader sees the piece once more where it was seen last.
//!
//! The type of an event is the station, `A`, `B` ...; the time is the event's number from 0. A station
//! has two readers.

use super::letters::LETTERS;
use super::rfid::{self, Rfid};
use super::{Source, Truth, invalid};
use crate::seed::Rng;
use serde::{Deserialize, Serialize};
use std::io;

/// The columns besides type and time.
pub const COLUMNS: [&str; 2] = rfid::COLUMNS;

/// What to choose about pieces on routes. By default: 100,000 events, 10 stations, 20 routes of 12
/// stops, 4 pieces under way, 10 % noise and 10 % duplicates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RouteOptions {
    /// Events.
    pub events: u64,
    /// Stations, which are the types of events, 1 to 26.
    pub types: usize,
    /// Different routes, 1 to 1,000,000.
    pub routes: usize,
    /// Stops of a route, 1 to 1000.
    pub stops: usize,
    /// Pieces under way at a time, 1 to 1,000,000.
    pub pieces: usize,
    /// The share of events that are noise.
    pub noise: f64,
    /// The share of the other events that are duplicates.
    pub duplicates: f64,
}

impl Default for RouteOptions {
    fn default() -> Self {
        Self::new(100_000)
    }
}

impl RouteOptions {
    /// So many events, and else the defaults.
    #[must_use]
    pub fn new(events: u64) -> Self {
        Self { events, types: 10, routes: 20, stops: 12, pieces: 4, noise: 0.1, duplicates: 0.1 }
    }

    /// The routes of a seed, as indices of [`LETTERS`].
    ///
    /// # Errors
    /// `InvalidInput` when an option is out of range.
    pub fn plan(&self, seed: u64) -> io::Result<Vec<Vec<u8>>> {
        rfid::types(self.types)?;
        for (name, number, most) in [
            ("routes", self.routes, 1_000_000),
            ("stops", self.stops, 1000),
            ("pieces", self.pieces, 1_000_000),
        ] {
            if !(1..=most).contains(&number) {
                return invalid(format!("{name} must be from 1 to {most}: {number}"));
            }
        }
        let mut rng = Rng::new(seed, "routes plan");
        let mut stop = || rng.below(self.types as u64) as u8;
        Ok((0..self.routes).map(|_| (0..self.stops).map(|_| stop()).collect()).collect())
    }

    /// The events of a seed.
    ///
    /// # Errors
    /// `InvalidInput` when an option is out of range.
    pub fn stream(&self, seed: u64) -> io::Result<Routes> {
        super::share("noise", self.noise)?;
        super::share("duplicates", self.duplicates)?;
        let routes = self.plan(seed)?;
        let mut rng = Rng::new(seed, "routes");
        let pieces: Vec<Piece> = (0..self.pieces as i64)
            .map(|tag| {
                let route = rng.below(self.routes as u64) as usize;
                // They are somewhere on their routes when the stream begins.
                let stop = rng.below(self.stops as u64) as usize;
                Piece { tag, route, stop, last: None }
            })
            .collect();
        Ok(Routes {
            rng,
            next: 0,
            events: super::amount(self.events)?,
            types: self.types as u64,
            noise: self.noise,
            duplicates: self.duplicates,
            tags: pieces.len() as i64,
            routes,
            pieces,
            completed: 0,
            noisy: 0,
            duplicated: 0,
        })
    }
}

/// A piece under way.
#[derive(Clone, Debug)]
struct Piece {
    tag: i64,
    route: usize,
    /// The next stop.
    stop: usize,
    /// Where it was seen last: the station and the reader.
    last: Option<(u8, i64)>,
}

/// The events of [`RouteOptions::stream`].
#[derive(Clone, Debug)]
pub struct Routes {
    rng: Rng,
    next: i64,
    events: i64,
    types: u64,
    noise: f64,
    duplicates: f64,
    routes: Vec<Vec<u8>>,
    pieces: Vec<Piece>,
    /// Tags so far.
    tags: i64,
    completed: u64,
    noisy: u64,
    duplicated: u64,
}

impl Routes {
    /// One of the two readers of a station.
    fn reader(&mut self, station: u8) -> i64 {
        2 * i64::from(station) + i64::from(self.rng.coin())
    }

    fn draw(&mut self) -> (u8, i64, i64) {
        if self.rng.chance(self.noise) {
            self.noisy += 1;
            let station = self.rng.below(self.types) as u8;
            let tag = self.rng.below(self.tags as u64) as i64;
            return (station, tag, self.reader(station));
        }
        let at = self.rng.below(self.pieces.len() as u64) as usize;
        let again = self.rng.chance(self.duplicates);
        if let (true, Some((station, reader))) = (again, self.pieces[at].last) {
            self.duplicated += 1;
            return (station, self.pieces[at].tag, reader);
        }
        if self.pieces[at].stop == self.routes[self.pieces[at].route].len() {
            self.completed += 1;
            let route = self.rng.below(self.routes.len() as u64) as usize;
            self.pieces[at] = Piece { tag: self.tags, route, stop: 0, last: None };
            self.tags += 1;
        }
        let Piece { tag, route, stop, .. } = self.pieces[at];
        let station = self.routes[route][stop];
        let reader = self.reader(station);
        self.pieces[at].stop += 1;
        self.pieces[at].last = Some((station, reader));
        (station, tag, reader)
    }
}

impl Iterator for Routes {
    type Item = Rfid;

    #[inline]
    fn next(&mut self) -> Option<Rfid> {
        if self.next == self.events {
            return None;
        }
        let (letter, tag, reader) = self.draw();
        let time = self.next;
        self.next += 1;
        Some(Rfid { letter, time, tag, reader })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        super::hint(self.events - self.next)
    }
}

impl Source for Routes {
    const COLUMNS: &'static [&'static str] = &COLUMNS;
    const KINDS: &'static [&'static str] = &LETTERS;

    fn kind_index(event: &Rfid) -> usize {
        usize::from(event.letter) % LETTERS.len()
    }

    fn truth(&self) -> Truth {
        [
            ("pieces", self.tags as u64),
            ("completed", self.completed),
            ("noise", self.noisy),
            ("duplicates", self.duplicated),
        ]
        .map(|(name, number)| (name.to_owned(), number))
        .into()
    }
}
