//! A day in a town whose crossings have cameras, with number plates that are on two cars.
//!
//! It stands in for the traffic data of the paper on uncertain joins, 24 hours of a town's cameras.
//!
//! - *Roads.* Crossings, each with a camera, lie at random in a square; roads lead to the nearest ones,
//!   with a detour and a speed limit. The matrix ([`TrafficOptions::times`]) holds the fastest travel
//!   within the limits between any two cameras, in whole seconds, rounded down.
//! - *Trips.* Each car makes trips along fastest ways, the next one from where the last one ended, at
//!   times of day with two rush peaks, around 8:00 and 17:30. A driver keeps to a share of the limits
//!   that is drawn for the trip; with probability `speeders` it is above one.
//! - *Plates.* The cars' plates are scattered over a space of numbers such that a share `density` of it
//!   is in use: how often a misread plate is somebody's. `clones` further cars carry the plate of
//!   another one.
//! - *Cameras.* Each detects a passing with a probability of its own, has a clock that is off by up to
//!   `skew` seconds, and reads the plate: a reading of probability p is right with probability p. A
//!   second reading, of what looks alike, is told when it has a probability of 0.01 at least. At times
//!   a camera holds what it sees and delivers it late, in one batch, and at times it is out of order.
//!
//! Rows stand in the order of their delivery. [`TrafficOptions::truth`] gives for every observation
//! which car it was. Memory does not grow with the hours.

mod fleet;
mod plates;
mod roads;
mod truth;

pub use truth::{Passed, TRUTH_COLUMNS, TruthFile, Truths};

use super::sighting::{COLUMNS, Label, STREAM, decimal};
use super::travel::TravelFile;
use super::{Event, Field, Source, Truth, invalid};
use fleet::{Fleet, Passing};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

/// What to choose about traffic. By default 24 hours of 60 cameras and 20,000 cars, 50 of them clones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TrafficOptions {
    /// Hours, from midnight on; 1 to 100,000.
    pub hours: u32,
    /// Cameras, 2 to 2000.
    pub cameras: u32,
    /// Kilometres of the square that a crossing has for its own, 0.1 to 100.
    pub spacing: f64,
    /// Cars with a plate of their own, 1 to 10,000,000.
    pub vehicles: u32,
    /// Further cars that carry the plate of one of those, at most as many.
    pub clones: u32,
    /// Trips of a car in a day, on average; 0.1 to 20.
    pub trips: f64,
    /// The share of the space of plates that is in use, 0.001 to 0.9.
    pub density: f64,
    /// The probability that a trip is faster than the limits allow.
    pub speeders: f64,
    /// The least and the greatest probability that a camera detects a passing.
    pub detection: (f64, f64),
    /// The share of first readings that are wrong, on average; at most 0.5.
    pub misread: f64,
    /// By how many seconds a camera's clock may be off, either way; at most 3600.
    pub skew: u32,
    /// How often a camera delivers late in a day, on average; at most 100.
    pub batches: f64,
    /// The most seconds by which it does so; 1 to 86,400.
    pub longest_batch: u32,
    /// How often a camera is out of order in a day, on average; at most 100.
    pub outages: f64,
    /// The most seconds of that; 1 to 86,400.
    pub longest_outage: u32,
}

impl Default for TrafficOptions {
    fn default() -> Self {
        Self::new(24)
    }
}

impl TrafficOptions {
    /// So many hours, and else the defaults.
    #[must_use]
    pub fn new(hours: u32) -> Self {
        Self {
            hours,
            cameras: 60,
            spacing: 2.0,
            vehicles: 20_000,
            clones: 50,
            trips: 3.0,
            density: 0.05,
            speeders: 0.01,
            detection: (0.7, 0.95),
            misread: 0.08,
            skew: 1,
            batches: 4.0,
            longest_batch: 120,
            outages: 0.5,
            longest_outage: 1800,
        }
    }

    /// The rows of a seed, in the order of their delivery.
    ///
    /// # Errors
    /// `InvalidInput` when an option is out of range.
    pub fn stream(&self, seed: u64) -> io::Result<Traffic> {
        self.check()?;
        let fleet = Fleet::new(self, seed)?;
        Ok(Traffic { fleet, passing: None, held: BinaryHeap::new(), second: None, rows: 0 })
    }

    /// For every observation of a seed which car it was, in the order of the passings.
    ///
    /// # Errors
    /// `InvalidInput` when an option is out of range.
    pub fn truth(&self, seed: u64) -> io::Result<Truths> {
        self.check()?;
        Ok(Truths::new(Fleet::new(self, seed)?))
    }

    /// The fastest travel times between the cameras of a seed.
    ///
    /// # Errors
    /// `InvalidInput` when an option is out of range.
    pub fn times(&self, seed: u64) -> io::Result<TravelFile> {
        self.check()?;
        let names = (0..self.cameras).map(name).collect();
        let parameters = serde_json::to_value(self).unwrap_or_default();
        let times = fleet::roads(self, seed).seconds();
        Ok(TravelFile::new("traffic-times", parameters, names, times))
    }

    /// By so many seconds at most a row's time is behind that of an earlier row.
    #[must_use]
    pub fn lateness(&self) -> u32 {
        self.longest_batch + 2 * self.skew + fleet::SLOWEST_DELIVERY
    }

    fn check(&self) -> io::Result<()> {
        for (name, number, least, most) in [
            ("hours", self.hours, 1, 100_000),
            ("cameras", self.cameras, 2, 2000),
            ("vehicles", self.vehicles, 1, 10_000_000),
            ("clones", self.clones, 0, self.vehicles),
            ("the skew", self.skew, 0, 3600),
            ("the longest batch", self.longest_batch, 1, 86_400),
            ("the longest outage", self.longest_outage, 1, 86_400),
        ] {
            if !(least..=most).contains(&number) {
                return invalid(format!("{name} must be from {least} to {most}: {number}"));
            }
        }
        for (name, number, least, most) in [
            ("the spacing", self.spacing, 0.1, 100.0),
            ("trips in a day", self.trips, 0.1, 20.0),
            ("the density", self.density, 0.001, 0.9),
            ("misread", self.misread, 0.0, 0.5),
            ("batches in a day", self.batches, 0.0, 100.0),
            ("outages in a day", self.outages, 0.0, 100.0),
        ] {
            if !(least..=most).contains(&number) {
                return invalid(format!("{name} must be from {least} to {most}: {number}"));
            }
        }
        super::share("speeders", self.speeders)?;
        super::share("detection", self.detection.0)?;
        super::share("detection", self.detection.1)?;
        if self.detection.0 > self.detection.1 {
            return invalid(format!(
                "the least probability of detection comes first: {} to {}",
                self.detection.0, self.detection.1
            ));
        }
        let space = f64::from(self.vehicles) / self.density;
        if space > plates::MOST as f64 {
            return invalid(format!(
                "{} vehicles at a density of {} need more than the {} plates that there are",
                self.vehicles,
                self.density,
                plates::MOST
            ));
        }
        Ok(())
    }
}

/// About how many observations there will be.
pub(super) fn expected_observations(options: &TrafficOptions) -> u64 {
    let cars = f64::from(options.vehicles) + f64::from(options.clones);
    let trips = cars * options.trips * fleet::days(options.hours);
    // In a square of n crossings a way passes a number of them that grows as sqrt(n).
    let passed = 0.65 * f64::from(options.cameras).sqrt();
    (trips * passed * (options.detection.0 + options.detection.1) / 2.0) as u64
}

/// The name of a camera.
fn name(camera: u32) -> Label {
    Label::numbered(b'c', camera)
}

/// A row of traffic: a reading of a plate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlateReading {
    /// The camera, from 0.
    pub camera: u32,
    /// Its name: `c` and the number.
    pub name: Label,
    /// When, in whole seconds, by the camera's clock.
    pub time: i64,
    /// The plate that was read.
    pub plate: Label,
    /// How likely this reading is right, in billionths.
    pub nanos: u32,
    /// The observation, from 0.
    pub observation: i64,
}

impl Event for PlateReading {
    fn kind(&self) -> &str {
        self.name.as_str()
    }

    fn time(&self) -> i64 {
        self.time
    }

    #[inline]
    fn each_field<'a>(&'a self, each: &mut impl FnMut(&'a str, Field<'a>)) {
        each(COLUMNS[0], Field::Text(self.plate.as_str()));
        each(COLUMNS[1], decimal(self.nanos));
        each(COLUMNS[2], Field::Int(self.observation));
    }
}

/// The rows of [`TrafficOptions::stream`].
#[derive(Clone, Debug)]
pub struct Traffic {
    fleet: Fleet,
    /// The next passing, when it is known already.
    passing: Option<Passing>,
    /// What has passed and is not delivered.
    held: BinaryHeap<Reverse<Passing>>,
    /// The second reading of the row before.
    second: Option<PlateReading>,
    rows: u64,
}

impl Traffic {
    /// The next passing in the order of delivery.
    fn delivered(&mut self) -> Option<Passing> {
        loop {
            if self.passing.is_none() {
                self.passing = self.fleet.next_passing();
            }
            // Nothing is delivered before it has passed.
            match (&self.passing, self.held.peek()) {
                (None, None) => return None,
                (Some(passing), held)
                    if held.is_none_or(|Reverse(held)| passing.at <= held.delivery) =>
                {
                    self.held.extend(self.passing.take().map(Reverse));
                }
                _ => return self.held.pop().map(|Reverse(held)| held),
            }
        }
    }
}

impl Iterator for Traffic {
    type Item = PlateReading;

    fn next(&mut self) -> Option<PlateReading> {
        if let Some(second) = self.second.take() {
            self.rows += 1;
            return Some(second);
        }
        let passing = self.delivered()?;
        let row = |(plate, units): (Label, u64)| PlateReading {
            camera: passing.camera,
            name: name(passing.camera),
            time: passing.seen,
            plate,
            nanos: (units * (1_000_000_000 / plates::UNITS)) as u32,
            observation: passing.observation,
        };
        self.second = passing.reading.second.map(row);
        self.rows += 1;
        Some(row(passing.reading.first))
    }
}

impl Source for Traffic {
    const COLUMNS: &'static [&'static str] = &COLUMNS;
    const TYPE: &'static str = STREAM;

    fn kinds(&self) -> Vec<String> {
        (0..self.fleet.cameras()).map(|camera| name(camera).to_string()).collect()
    }

    fn kind_index(event: &PlateReading) -> usize {
        event.camera as usize
    }

    fn truth(&self) -> Truth {
        self.fleet.counts()
    }
}
