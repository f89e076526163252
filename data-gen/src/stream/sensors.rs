//! Readings and heartbeats of sensors, with outages, in the order in which they arrive.
//!
//! Every `period` milliseconds each sensor sends a `reading` with a value that walks at random
//! between 0 and 100, and before every `heartbeat_every`th reading a `heartbeat`, whose value is
//! missing. The sensors take turns within a period. When a heartbeat is due, an outage begins with
//! probability `outages`: this heartbeat, none to `longest_outage - 1` of the following, and all
//! readings between are not sent.
//!
//! The time is when an event happened; `arrival` is when it arrives, and the stream is in the order
//! of arrival. Most events arrive at once; a share `disordered` is delayed by 1 to `disorder`
//! milliseconds, and a share `late` by more than `disorder + 2 period`, and at most
//! `2 disorder + 3 period`. So no event outside that share is older than the newest time seen minus
//! `disorder`; of those in it nearly all are, unless few sensors are
//! often silent. The facts count exactly.

use super::{Event, Field, Source, Truth, invalid};
use crate::seed::Rng;
use serde::{Deserialize, Serialize};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::io;

/// The columns besides type and time.
pub const COLUMNS: [&str; 3] = ["sensor", "value", "arrival"];

/// The types of events.
pub const KINDS: [&str; 2] = ["reading", "heartbeat"];

/// The most sensors.
pub const MAX_SENSORS: u32 = 1 << 24;

/// The longest period, outage in heartbeats, heartbeat in periods, and disorder.
pub const MAX_SPAN: u32 = 1 << 24;

/// Streams end before this time, were they to have more events.
const END_OF_TIME: u64 = 1 << 62;

/// What to choose about sensors. By default: 100,000 events of 100 sensors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SensorOptions {
    /// Events.
    pub events: u64,
    /// Sensors, from 1 to [`MAX_SENSORS`].
    pub sensors: u32,
    /// Milliseconds from one reading of a sensor to the next, from 1 to [`MAX_SPAN`].
    pub period: u32,
    /// Readings to a heartbeat, from 1 to [`MAX_SPAN`].
    pub heartbeat_every: u32,
    /// The probability that an outage begins when a heartbeat is due, at most 0.9.
    pub outages: f64,
    /// The most heartbeats that an outage suppresses, from 1 to [`MAX_SPAN`].
    pub longest_outage: u32,
    /// The bound of the disorder in milliseconds, at most [`MAX_SPAN`].
    pub disorder: u32,
    /// The share of events that are delayed within the bound.
    pub disordered: f64,
    /// The share of events that are delayed beyond the bound.
    pub late: f64,
}

impl Default for SensorOptions {
    fn default() -> Self {
        Self {
            events: 100_000,
            sensors: 100,
            period: 1000,
            heartbeat_every: 10,
            outages: 0.01,
            longest_outage: 5,
            disorder: 2000,
            disordered: 0.2,
            late: 0.01,
        }
    }
}

impl SensorOptions {
    /// The default with another number of events.
    #[must_use]
    pub fn new(events: u64) -> Self {
        Self { events, ..Self::default() }
    }

    /// The events of a seed.
    ///
    /// # Errors
    /// `InvalidInput` when an option is out of range.
    pub fn stream(&self, seed: u64) -> io::Result<Readings> {
        for (name, value, low, high) in [
            ("sensors", self.sensors, 1, MAX_SENSORS),
            ("the period", self.period, 1, MAX_SPAN),
            ("readings to a heartbeat", self.heartbeat_every, 1, MAX_SPAN),
            ("the longest outage", self.longest_outage, 1, MAX_SPAN),
            ("the disorder", self.disorder, 0, MAX_SPAN),
        ] {
            if !(low..=high).contains(&value) {
                return invalid(format!("{name} must be from {low} to {high}: {value}"));
            }
        }
        if !(0.0..=0.9).contains(&self.outages) {
            return invalid(format!("outages must be from 0 to 0.9: {}", self.outages));
        }
        super::share("disordered", self.disordered)?;
        super::share("late", self.late)?;
        if self.disordered + self.late > 1.0 {
            return invalid("disordered and late must not be more than 1 together".to_owned());
        }
        let events = super::amount(self.events)?;
        let mut start = Rng::new(seed, "sensors/start");
        let sensor = || Sensor {
            hundredths: start.between(2000, 8000) as i64,
            silent_until: 0,
            last_heartbeat: None,
        };
        Ok(Readings {
            sensors: std::iter::repeat_with(sensor).take(self.sensors as usize).collect(),
            options: self.clone(),
            rng: Rng::new(seed, "sensors"),
            delays: Rng::new(seed, "sensors/delays"),
            unsent: events,
            left: events,
            round: 0,
            turn: 0,
            due: None,
            sent: None,
            underway: BinaryHeap::new(),
            newest: i64::MIN,
            facts: Facts::default(),
        })
    }
}

/// An event of a sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Milliseconds from the beginning to when it happened.
    pub time: i64,
    /// The sensor, from 1.
    pub sensor: i64,
    /// The value in hundredths exactly; a heartbeat has none.
    pub value: Option<f64>,
    /// Milliseconds from the beginning to when it arrives.
    pub arrival: i64,
}

impl Event for Reading {
    fn kind(&self) -> &str {
        KINDS[usize::from(self.value.is_none())]
    }

    fn time(&self) -> i64 {
        self.time
    }

    #[inline]
    fn each_field<'a>(&'a self, each: &mut impl FnMut(&'a str, Field<'a>)) {
        each(COLUMNS[0], Field::Int(self.sensor));
        each(COLUMNS[1], self.value.map_or(Field::Missing, Field::Float));
        each(COLUMNS[2], Field::Int(self.arrival));
    }
}

/// What is known to be in the events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// Consecutive heartbeats of a sensor that are more than one and a half times
    /// `heartbeat_every * period` apart.
    pub gaps: u64,
    /// Heartbeats that are missing in these gaps.
    pub missed_heartbeats: u64,
    /// Events that arrived after one with a later time.
    pub disordered: u64,
    /// Events older, when they arrived, than the newest time so far minus `disorder`.
    pub late: u64,
}

#[derive(Clone, Debug)]
struct Sensor {
    hundredths: i64,
    /// The round in which it sends again.
    silent_until: u64,
    /// The round of its latest heartbeat.
    last_heartbeat: Option<u64>,
}

/// An event on its way. The heap holds the reverse: the first to arrive is on top.
#[derive(Clone, Debug)]
struct Underway {
    number: i64,
    reading: Reading,
}

impl Underway {
    fn key(&self) -> (i64, i64) {
        (self.reading.arrival, self.number)
    }
}

impl PartialEq for Underway {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Underway {}

impl PartialOrd for Underway {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Underway {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// The events of [`SensorOptions::stream`].
#[derive(Clone, Debug)]
pub struct Readings {
    options: SensorOptions,
    rng: Rng,
    delays: Rng,
    sensors: Vec<Sensor>,
    /// Events that were not sent yet, and that did not arrive yet.
    unsent: i64,
    left: i64,
    round: u64,
    turn: u32,
    /// The reading after the heartbeat just sent.
    due: Option<Reading>,
    /// Sent, but not yet compared with what is under way.
    sent: Option<Reading>,
    underway: BinaryHeap<Reverse<Underway>>,
    /// The latest time of an event that arrived.
    newest: i64,
    facts: Facts,
}

impl Readings {
    /// What is known to be in the stream: gaps among the events sent so far, which run ahead of
    /// those that arrived; disorder among the events that arrived.
    #[must_use]
    pub fn facts(&self) -> Facts {
        self.facts
    }

    /// The next event in the order of times, with its arrival.
    fn send(&mut self) -> Option<Reading> {
        if self.unsent == 0 {
            return None;
        }
        self.unsent -= 1;
        let mut reading = match self.due.take() {
            Some(reading) => reading,
            None => match self.take_turn() {
                Some(reading) => reading,
                None => {
                    self.left -= self.unsent + 1;
                    self.unsent = 0;
                    return None;
                }
            },
        };
        let (disorder, period) = (u64::from(self.options.disorder), u64::from(self.options.period));
        let lot = self.delays.unit();
        let delay = if lot < self.options.late {
            disorder + 2 * period + self.delays.between(1, disorder + period)
        } else if lot < self.options.late + self.options.disordered && disorder > 0 {
            self.delays.between(1, disorder)
        } else {
            0
        };
        reading.arrival = reading.time + delay as i64;
        Some(reading)
    }

    /// Goes on from sensor to sensor until one sends, or until the end of time.
    fn take_turn(&mut self) -> Option<Reading> {
        let (period, count) = (u64::from(self.options.period), u64::from(self.options.sensors));
        let every = u64::from(self.options.heartbeat_every);
        let mut idle = 0;
        loop {
            if idle >= self.options.sensors && self.turn == 0 {
                // All are silent: the next event may be many rounds away.
                let wake = self.sensors.iter().map(|sensor| sensor.silent_until).min();
                self.round = self.round.max(wake.unwrap_or(0));
            }
            let (round, turn) = (self.round, self.turn);
            let begin = round.checked_mul(period).filter(|&begin| begin < END_OF_TIME)?;
            self.turn += 1;
            if self.turn == self.options.sensors {
                self.turn = 0;
                self.round += 1;
            }
            let sensor = &mut self.sensors[turn as usize];
            if round < sensor.silent_until {
                idle += 1;
                continue;
            }
            idle = 0;
            // The heartbeats of different sensors fall into different rounds.
            let heartbeat = (round + u64::from(turn)) % every == 0;
            if heartbeat && self.rng.chance(self.options.outages) {
                let missed = self.rng.between(1, u64::from(self.options.longest_outage));
                sensor.silent_until = round.saturating_add(missed * every);
                continue;
            }
            // A quarter of a turn at most, so that the order of the turns stays.
            let jitter = self.rng.below((period / count / 4).max(1));
            let time = (begin + u64::from(turn) * period / count + jitter) as i64;
            let step = self.rng.between(0, 100) as i64 - 50;
            sensor.hundredths = (sensor.hundredths + step).clamp(0, 10_000);
            let value = Some(sensor.hundredths as f64 / 100.0);
            let reading = Reading { time, sensor: i64::from(turn) + 1, value, arrival: time };
            if !heartbeat {
                return Some(reading);
            }
            if let Some(last) = sensor.last_heartbeat.replace(round) {
                let missed = (round - last) / every - 1;
                self.facts.gaps += u64::from(missed > 0);
                self.facts.missed_heartbeats += missed;
            }
            self.due = Some(reading);
            return Some(Reading { value: None, ..reading });
        }
    }

    /// Takes note of an arrival.
    fn arrive(&mut self, reading: Reading) -> Reading {
        self.left -= 1;
        self.facts.disordered += u64::from(reading.time < self.newest);
        let bound = self.newest.saturating_sub(i64::from(self.options.disorder));
        self.facts.late += u64::from(reading.time < bound);
        self.newest = self.newest.max(reading.time);
        reading
    }
}

impl Iterator for Readings {
    type Item = Reading;

    fn next(&mut self) -> Option<Reading> {
        loop {
            if self.sent.is_none() {
                self.sent = self.send();
            }
            // Whatever is sent from now on arrives no earlier than this event's time.
            let now = self.sent.map_or(i64::MAX, |reading| reading.time);
            if self.underway.peek().is_some_and(|Reverse(first)| first.reading.arrival <= now) {
                let Reverse(first) = self.underway.pop()?;
                return Some(self.arrive(first.reading));
            }
            let reading = self.sent.take()?;
            if reading.arrival == reading.time {
                return Some(self.arrive(reading));
            }
            self.underway.push(Reverse(Underway { number: -self.unsent, reading }));
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        super::hint(self.left)
    }
}

impl Source for Readings {
    const COLUMNS: &'static [&'static str] = &COLUMNS;
    const KINDS: &'static [&'static str] = &KINDS;

    fn kind_index(event: &Reading) -> usize {
        usize::from(event.value.is_none())
    }

    fn truth(&self) -> Truth {
        let Facts { gaps, missed_heartbeats, disordered, late } = self.facts;
        Truth::from([
            ("gaps".to_owned(), gaps),
            ("missed_heartbeats".to_owned(), missed_heartbeats),
            ("disordered".to_owned(), disordered),
            ("late".to_owned(), late),
        ])
    }
}
