//! Observations that are not complete yet.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use ujoin::StreamId;
use ujoin::input::{Admission, Problem, Seconds, Sighting, Streams, Unit};

/// Holds back rows until no other of their observation can come: until the watermark has passed
/// their time. A row of an observation that was given out before begins a new one.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Gather {
    lateness: i64,
    newest: Option<i64>,
    arrivals: u64,
    /// By time, then by arrival.
    units: BTreeMap<i64, BTreeMap<u64, Unit>>,
    /// Where the units with a name are; rebuilt from them.
    #[serde(skip)]
    places: HashMap<(StreamId, Box<str>), (i64, u64)>,
    #[serde(skip)]
    spare: Vec<Unit>,
}

/// What becomes of a row.
pub(crate) enum Gathered {
    Held,
    Late,
    Bad(Problem),
}

impl Gather {
    pub(crate) fn new(lateness: i64) -> Gather {
        Gather { lateness, ..Gather::default() }
    }

    /// After it has been read from a checkpoint.
    pub(crate) fn restore(&mut self) {
        for (&time, units) in &self.units {
            for (&arrival, unit) in units {
                let stream = unit.iter().next().map_or(0, |(sighting, _)| sighting.stream);
                if let Some(name) = unit.observation() {
                    self.places.insert((stream, name.into()), (time, arrival));
                }
            }
        }
    }

    /// The time before which rows are late.
    pub(crate) fn watermark(&self) -> Option<i64> {
        self.newest.map(|newest| newest.saturating_sub(self.lateness))
    }

    pub(crate) fn push(&mut self, sighting: &Sighting<'_>, streams: &Streams) -> Gathered {
        let Sighting { stream, time, .. } = *sighting;
        if self.watermark().is_some_and(|watermark| time < watermark) {
            return Gathered::Late;
        }
        if let Some(name) = sighting.observation
            && let Some(&(first, arrival)) = self.places.get(&(stream, Box::from(name)))
        {
            let observation = || name.to_owned();
            if first != time {
                return Gathered::Bad(Problem::Times {
                    observation: observation(),
                    stream: streams.name(stream).to_owned(),
                    first: Seconds(first),
                    second: Seconds(time),
                });
            }
            if let Some(unit) = self.units.get_mut(&first).and_then(|at| at.get_mut(&arrival)) {
                if !unit.fits(sighting) {
                    let most = unit.len();
                    return Gathered::Bad(Problem::Alternatives {
                        observation: observation(),
                        most,
                    });
                }
                unit.push(sighting);
            }
            return Gathered::Held;
        }
        self.newest = self.newest.max(Some(time));
        let mut unit = self.spare.pop().unwrap_or_default();
        unit.push(sighting);
        if let Some(name) = sighting.observation {
            self.places.insert((stream, name.into()), (time, self.arrivals));
        }
        self.units.entry(time).or_default().insert(self.arrivals, unit);
        self.arrivals += 1;
        Gathered::Held
    }

    /// The next observation that is complete, judged; all are `at_the_end`.
    pub(crate) fn next(&mut self, at_the_end: bool, streams: &Streams) -> Option<Unit> {
        let watermark = self.watermark()?;
        let mut first = self.units.first_entry()?;
        if *first.key() >= watermark && !at_the_end {
            return None;
        }
        let (_, mut unit) = first.get_mut().pop_first()?;
        if first.get().is_empty() {
            first.remove();
        }
        let stream = unit.iter().next().map_or(0, |(sighting, _)| sighting.stream);
        if let Some(name) = unit.observation() {
            self.places.remove(&(stream, Box::from(name)));
        }
        Admission::new(i64::MAX).settle(&mut unit, streams);
        Some(unit)
    }

    /// Takes a unit back for others to come.
    pub(crate) fn recycle(&mut self, mut unit: Unit) {
        unit.clear();
        self.spare.push(unit);
    }
}
