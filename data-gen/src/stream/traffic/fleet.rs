//! The cars, their trips, and what the cameras make of them.

use super::super::Truth;
use super::super::sighting::Label;
use super::TrafficOptions;
use super::plates::{self, Reading};
use super::roads::Roads;
use crate::seed::{Rng, exp};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::io;

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;

/// Seconds within which everything is delivered that is not held back.
pub(super) const SLOWEST_DELIVERY: u32 = 3;

/// A car stays where it is for five minutes at least.
const LEAST_REST: u64 = 300_000;

/// Rush hours: the middle and the deviation in minutes, and the share of all trips.
const PEAKS: [(f64, f64, f64); 2] = [(480.0, 50.0, 0.3), (1050.0, 60.0, 0.35)];

/// Which shares of the limits drivers keep to, and what speeders do.
const SPEED: (f64, f64) = (0.6, 0.97);
const SPEEDING: (f64, f64) = (1.0, 1.2);

/// On each road a car loses up to this share of its speed.
const TRAFFIC: f64 = 0.1;

/// A car that passes a camera, in the order of delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Passing {
    /// When it is delivered, in milliseconds; the first field, by which the order is.
    pub(super) delivery: u64,
    /// Its number, from 0.
    pub(super) observation: i64,
    /// When it is, in milliseconds.
    pub(super) at: u64,
    /// The time by the camera's clock, in seconds.
    pub(super) seen: i64,
    pub(super) camera: u32,
    pub(super) vehicle: u32,
    pub(super) plate: Label,
    pub(super) reading: Reading,
}

/// A car under way, or at rest.
#[derive(Clone, Copy, Debug)]
struct Car {
    /// Where it is now; the camera that it reaches next while it is under way.
    place: u16,
    /// Where the trip ends; equal to `place` at rest.
    goal: u16,
    /// The share of the limits that the driver keeps to on this trip.
    speed: f32,
    plate: u32,
}

/// A camera.
#[derive(Clone, Debug)]
struct Camera {
    detection: f64,
    /// By how many seconds its clock is off.
    skew: i64,
    batch: Episode,
    outage: Episode,
}

/// What happens to a camera now and then: from when to when, in milliseconds.
#[derive(Clone, Debug)]
struct Episode {
    rng: Rng,
    /// Milliseconds between, on average; infinite when it never happens.
    between: f64,
    longest: u64,
    from: u64,
    to: u64,
}

impl Episode {
    fn new(rng: Rng, in_a_day: f64, longest_seconds: u32) -> Self {
        let between = DAY as f64 / in_a_day;
        let longest = u64::from(longest_seconds) * 1000;
        let mut episode = Self { rng, between, longest, from: 0, to: 0 };
        episode.advance();
        episode
    }

    fn advance(&mut self) {
        if self.between.is_finite() {
            self.from = self.to + self.rng.exponential(self.between) as u64;
            self.to = self.from + 1 + self.rng.below(self.longest);
        } else {
            (self.from, self.to) = (u64::MAX, u64::MAX);
        }
    }

    /// When the episode of this time ends; times never go back.
    fn end(&mut self, at: u64) -> Option<u64> {
        while self.to <= at && self.from < u64::MAX {
            self.advance();
        }
        (self.from <= at).then_some(self.to)
    }
}

/// Everything that moves.
#[derive(Clone, Debug)]
pub(super) struct Fleet {
    roads: Roads,
    end: u64,
    cars: Vec<Car>,
    originals: u32,
    /// When each car passes or sets out next.
    due: BinaryHeap<Reverse<(u64, u32)>>,
    cameras: Vec<Camera>,
    /// For each minute of the day, how likely a car sets out compared with the busiest minute.
    busy: Vec<f64>,
    /// Milliseconds between two trips if every minute were the busiest.
    between: f64,
    speeders: f64,
    misread: f64,
    trips_rng: Rng,
    sight: Rng,
    counts: Counts,
}

/// What is counted while the cars move.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    trips: u64,
    speeding_trips: u64,
    passings: u64,
    undetected: u64,
    lost_in_outages: u64,
    delivered_late: u64,
    misread: u64,
    observations: u64,
    of_clones: u64,
}

pub(super) fn roads(options: &TrafficOptions, seed: u64) -> Roads {
    let mut rng = Rng::new(seed, "traffic/roads");
    Roads::new(options.cameras as usize, options.spacing, &mut rng)
}

/// The relative frequency of trips that begin in a minute of the day.
fn busy(minute: f64) -> f64 {
    let even = 1.0 - PEAKS.iter().map(|peak| peak.2).sum::<f64>();
    let peaks = PEAKS.iter().map(|(middle, deviation, share)| {
        let off = (minute - middle) / deviation;
        // 1 / sqrt(2 pi): the height of the bell over a minute.
        share / deviation * 0.398_942_280_401_432_7 * exp((-off * off / 2.0).max(-700.0))
    });
    even / 1440.0 + peaks.sum::<f64>()
}

/// The hours from midnight on in days, weighted by how many trips they have.
pub(super) fn days(hours: u32) -> f64 {
    let minutes = |hours: u32| (0..hours * 60).map(|minute| busy(f64::from(minute) + 0.5));
    f64::from(hours / 24) + minutes(hours % 24).sum::<f64>()
}

impl Fleet {
    pub(super) fn new(options: &TrafficOptions, seed: u64) -> io::Result<Self> {
        let cameras = u64::from(options.cameras);
        let mut rng = Rng::new(seed, "traffic/cameras");
        let (least, most) = options.detection;
        let camera = |index: u32| Camera {
            detection: least + (most - least) * rng.unit(),
            skew: rng.below(2 * u64::from(options.skew) + 1) as i64 - i64::from(options.skew),
            batch: Episode::new(
                Rng::new(seed, &format!("traffic/batches/{index}")),
                options.batches,
                options.longest_batch,
            ),
            outage: Episode::new(
                Rng::new(seed, &format!("traffic/outages/{index}")),
                options.outages,
                options.longest_outage,
            ),
        };
        let cameras_there = (0..options.cameras).map(camera).collect();
        let mut rng = Rng::new(seed, "traffic/plates");
        let space = (f64::from(options.vehicles) / options.density) as u64;
        let mut taken = HashSet::with_capacity(options.vehicles as usize);
        let mut cars = Vec::with_capacity((options.vehicles + options.clones) as usize);
        let mut place = || rng.below(cameras) as u16;
        for _ in 0..options.vehicles {
            let home = place();
            cars.push(Car { place: home, goal: home, speed: 0.0, plate: 0 });
        }
        let mut rng = Rng::new(seed, "traffic/numbers");
        for car in &mut cars {
            car.plate = loop {
                let number = rng.below(space.min(plates::MOST)) as u32;
                if taken.insert(number) {
                    break number;
                }
            };
        }
        drop(taken);
        let mut rng = Rng::new(seed, "traffic/clones");
        let mut cloned = HashSet::new();
        for _ in 0..options.clones {
            let original = loop {
                let original = rng.below(u64::from(options.vehicles)) as usize;
                if cloned.insert(original) {
                    break original;
                }
            };
            let home = rng.below(cameras) as u16;
            let plate = cars[original].plate;
            cars.push(Car { place: home, goal: home, speed: 0.0, plate });
        }
        let minutes: Vec<f64> = (0..1440).map(|minute| busy(f64::from(minute) + 0.5)).collect();
        let most = minutes.iter().copied().fold(0.0, f64::max);
        let mut fleet = Self {
            roads: roads(options, seed),
            end: u64::from(options.hours) * 3_600_000,
            due: BinaryHeap::with_capacity(cars.len()),
            cars,
            originals: options.vehicles,
            cameras: cameras_there,
            between: DAY as f64 / options.trips / (most * 1440.0),
            busy: minutes.into_iter().map(|minute| minute / most).collect(),
            speeders: options.speeders,
            misread: options.misread,
            trips_rng: Rng::new(seed, "traffic/trips"),
            sight: Rng::new(seed, "traffic/sight"),
            counts: Counts::default(),
        };
        for vehicle in 0..fleet.cars.len() {
            let start = fleet.next_start(0);
            fleet.due.push(Reverse((start, vehicle as u32)));
        }
        Ok(fleet)
    }

    pub(super) fn cameras(&self) -> u32 {
        self.cameras.len() as u32
    }

    /// The number of cars with plates of their own; those from here on are clones.
    pub(super) fn originals(&self) -> u32 {
        self.originals
    }

    /// When a car that is free from this time on sets out: a Poisson process, thinned.
    fn next_start(&mut self, free: u64) -> u64 {
        let mut at = free as f64;
        loop {
            at += self.trips_rng.exponential(self.between);
            let minute = (at / 60_000.0) as u64 % 1440;
            if self.trips_rng.chance(self.busy[minute as usize]) {
                return at as u64;
            }
        }
    }

    /// The next passing that a camera detects.
    pub(super) fn next_passing(&mut self) -> Option<Passing> {
        while let Some(Reverse((at, vehicle))) = self.due.pop() {
            if at >= self.end {
                return None;
            }
            let mut car = self.cars[vehicle as usize];
            let arrived = car.speed > 0.0;
            let here = car.place;
            if !arrived {
                self.set_out(&mut car);
            }
            let due = if arrived && car.place == car.goal {
                car.speed = 0.0;
                self.next_start(at + LEAST_REST)
            } else {
                // Its place is the camera that it drives to.
                let next = self.roads.next(usize::from(car.place), usize::from(car.goal));
                let road = self.roads.fastest(usize::from(car.place), next);
                let loss = 1.0 - TRAFFIC * self.trips_rng.unit();
                car.place = next as u16;
                at + (f64::from(road) / (f64::from(car.speed) * loss)) as u64 + 1
            };
            self.cars[vehicle as usize] = car;
            self.due.push(Reverse((due, vehicle)));
            if arrived && let Some(passing) = self.watch(at, vehicle, here) {
                return Some(passing);
            }
        }
        None
    }

    fn set_out(&mut self, car: &mut Car) {
        let rng = &mut self.trips_rng;
        // Anywhere but here.
        let other = rng.below(self.cameras.len() as u64 - 1) as u16;
        car.goal = if other < car.place { other } else { other + 1 };
        let fast = rng.chance(self.speeders);
        let (least, most) = if fast { SPEEDING } else { SPEED };
        car.speed = (least + (most - least) * rng.unit()) as f32;
        self.counts.trips += 1;
        self.counts.speeding_trips += u64::from(fast);
    }

    /// What a camera makes of a car.
    fn watch(&mut self, at: u64, vehicle: u32, place: u16) -> Option<Passing> {
        self.counts.passings += 1;
        let camera = &mut self.cameras[usize::from(place)];
        if camera.outage.end(at).is_some() {
            self.counts.lost_in_outages += 1;
            return None;
        }
        if !self.sight.chance(camera.detection) {
            self.counts.undetected += 1;
            return None;
        }
        let plate = plates::plate(u64::from(self.cars[vehicle as usize].plate));
        let reading = plates::read(plate, self.misread, &mut self.sight);
        let held = camera.batch.end(at);
        let most = u64::from(SLOWEST_DELIVERY - 1) * 1000;
        let delivery = held.unwrap_or(at) + self.sight.below(most);
        let observation = self.counts.observations as i64;
        self.counts.observations += 1;
        self.counts.delivered_late += u64::from(held.is_some());
        self.counts.misread += u64::from(reading.first.0 != plate);
        self.counts.of_clones += u64::from(vehicle >= self.originals);
        Some(Passing {
            delivery,
            observation,
            at,
            seen: (at / 1000) as i64 + camera.skew,
            camera: u32::from(place),
            vehicle,
            plate,
            reading,
        })
    }

    pub(super) fn counts(&self) -> Truth {
        let counts = &self.counts;
        [
            ("trips", counts.trips),
            ("speeding_trips", counts.speeding_trips),
            ("passings", counts.passings),
            ("undetected", counts.undetected),
            ("lost_in_outages", counts.lost_in_outages),
            ("delivered_late", counts.delivered_late),
            ("misread", counts.misread),
            ("observations", counts.observations),
            ("observations_of_clones", counts.of_clones),
        ]
        .map(|(name, number)| (name.to_owned(), number))
        .into()
    }
}
