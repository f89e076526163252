//! Speeds over a range of x: every way to join at every x takes its turn in every round.

use std::sync::Arc;

use ujoin::Tuple;

use super::engines::{Ready, Setup, Way, agreed, ready};
use super::load::{Load, survivors};
use crate::error::{Error, Result};
use crate::experiment::{Context, Scale};
use crate::measure::{Contender, Plan, Samples, Summary, interleave};
use crate::record::X;

/// The unit of speeds.
pub const RATE: &str = "M tuples/s";

/// The series of the clock's speed.
pub fn wall(name: &str) -> String {
    format!("{name} (wall)")
}

/// The series of the CPU time for a tuple that reached the threshold.
pub fn cost(name: &str) -> String {
    format!("{name}, CPU a survivor")
}

/// What is joined at an x.
pub struct Place {
    /// The x.
    pub x: X,
    /// The tuples.
    pub load: Load,
    /// How.
    pub setup: Setup,
    /// How many of the tuples come before the time that is taken.
    pub before: usize,
}

impl Place {
    /// The tuples that are timed.
    pub fn timed(&self) -> &[Tuple] {
        &self.load.tuples[self.before..]
    }

    /// How many of the tuples that are timed reach the threshold.
    pub fn survivors(&self) -> u64 {
        survivors(self.timed(), self.setup.threshold)
    }

    /// What joins, with the tuples before the time.
    fn ready(&self, way: Way) -> Result<Ready> {
        filled(way, &self.setup, &self.load.tuples[..self.before])
    }

    /// How many results the tuples that are timed have.
    pub fn found(&self) -> Result<u64> {
        self.ready(Way::Log)?.count(self.timed())
    }
}

/// Makes what joins and gives it these tuples.
fn filled(way: Way, setup: &Setup, tuples: &[Tuple]) -> Result<Ready> {
    let mut made = ready(way, setup)?;
    if !tuples.is_empty() {
        made.fill(tuples)?;
    }
    Ok(made)
}

/// The runs of a way at an x.
pub struct Run {
    /// Which way.
    pub way: Way,
    /// Where.
    pub x: X,
    /// Tuples given.
    pub tuples: u64,
    /// The runs.
    pub samples: Samples<()>,
}

/// How often to run: as at every scale, but no more than needed where runs take long.
pub fn plan(context: &Context<'_>) -> Plan {
    let plan = context.plan();
    let rounds = if context.scale <= Scale::Quick { 6 } else { plan.rounds };
    Plan { rounds, warm_up: 1, ..plan }
}

/// Compares what all ways and brute force find at every x, and records how much that is.
pub fn check(context: &mut Context<'_>, places: &[Place], ways: &[Way]) -> Result<()> {
    for place in places {
        let answer = agreed(ways, &place.setup, &place.load.tuples)
            .map_err(|error| error.within(&place.x))?;
        let survivors = survivors(&place.load.tuples, place.setup.threshold);
        context.record.data_sha256(Some(place.load.sha256.clone()));
        context.record.count(GIVEN, place.x.clone(), place.load.tuples.len() as u64, "");
        context.record.count(SURVIVORS, place.x.clone(), survivors, "");
        context.record.count(FOUND, place.x.clone(), answer.pairs, "");
    }
    Ok(())
}

/// The series of what was given and found.
pub const GIVEN: &str = "tuples given";
/// Those that reach the threshold.
pub const SURVIVORS: &str = "survivors";
/// Results.
pub const FOUND: &str = "results";

/// Times all ways at all places and records speeds and costs.
pub fn run(context: &mut Context<'_>, places: &[Place], ways: &[Way]) -> Result<Vec<Run>> {
    let runs = time(context, places, ways)?;
    for run in &runs {
        let Some(place) = places.iter().find(|place| place.x == run.x) else { continue };
        let (given, survivors) = (run.tuples as f64, place.survivors() as f64);
        let (name, x) = (run.way.name(), || run.x.clone());
        context.record.data_sha256(Some(place.load.sha256.clone()));
        if let Some(times) = run.samples.cpu_summary() {
            context.record.point(name, x(), times.rate(given / 1e6), RATE);
            context.record.point(&cost(name), x(), times.scale(1e9 / survivors), "ns");
        }
        if let Some(times) = run.samples.wall_summary() {
            context.record.point(&wall(name), x(), times.rate(given / 1e6), RATE);
        }
    }
    Ok(runs)
}

/// Times all ways at all places.
pub fn time(context: &Context<'_>, places: &[Place], ways: &[Way]) -> Result<Vec<Run>> {
    let mut contenders = Vec::new();
    for place in places {
        let expected = place.found()?;
        contenders.extend(ways.iter().map(|&way| contender(way, place, expected)));
    }
    let samples = interleave(&mut contenders, &plan(context), context.progress)?;
    let at = places.iter().flat_map(|place| ways.iter().map(move |&way| (place, way)));
    let run = |((place, way), samples): ((&Place, Way), _)| Run {
        way,
        x: place.x.clone(),
        tuples: place.timed().len() as u64,
        samples,
    };
    Ok(at.zip(samples).map(run).collect())
}

/// A way to join at a place, which must find so much in every run.
pub fn contender(way: Way, place: &Place, expected: u64) -> Contender<'static, ()> {
    let (tuples, setup, before) =
        (Arc::clone(&place.load.tuples), place.setup.clone(), place.before);
    let timed = Arc::clone(&tuples);
    // Tables, threads and the database are made, filled and dropped outside of the time.
    let prepare = move || filled(way, &setup, &tuples[..before]);
    let run = move |made: &mut Result<Ready>| match made {
        Ok(ready) => same(ready.count(&timed[before..])?, expected),
        Err(error) => Err(Error::failed(error.to_string())),
    };
    Contender::prepared(way.name(), prepare, run)
}

/// Every run must find what the first one found.
pub fn same(found: u64, expected: u64) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(Error::disagreement(format!("finds {found} pairs, but {expected} is right")))
}

/// Records the paired ratios of the times of two ways at every x.
pub fn ratios(context: &mut Context<'_>, runs: &[Run], pairs: &[(&str, &str)]) {
    for (a, b) in pairs {
        for one in runs.iter().filter(|run| run.way.name() == *a) {
            let other = runs.iter().find(|run| run.way.name() == *b && run.x == one.x);
            if let Some(other) = other {
                context.record.ratio(one.x.clone(), &one.samples, &other.samples);
            }
        }
    }
}

/// For every round the most speed by CPU time at any x over the least.
fn swings(runs: &[Run], name: &str) -> Vec<f64> {
    let of: Vec<&Run> = runs.iter().filter(|run| run.way.name() == name).collect();
    let rounds = of.iter().map(|run| run.samples.cpu.len()).min().unwrap_or(0);
    let speed = |run: &Run, round: usize| run.tuples as f64 / run.samples.cpu[round];
    (0..rounds)
        .map(|round| {
            let speeds = || of.iter().map(|run| speed(run, round));
            speeds().fold(0.0, f64::max) / speeds().fold(f64::MAX, f64::min)
        })
        .collect()
}

/// The series of how far the speeds of a way are apart.
pub fn swing(name: &str) -> String {
    format!("{name}, fastest / slowest")
}

/// Records how far the speeds are apart, and how that compares between these pairs.
pub fn spreads(context: &mut Context<'_>, runs: &[Run], x: &str, pairs: &[(&str, &str)]) {
    // A way that is in several pairs has one row.
    let mut told: Vec<&str> = Vec::new();
    for &(a, b) in pairs {
        let (of_a, of_b) = (swings(runs, a), swings(runs, b));
        for (name, swings) in [(a, &of_a), (b, &of_b)] {
            if let Some(summary) = Summary::of(swings)
                && !told.contains(&name)
            {
                told.push(name);
                context.record.point(&swing(name), x, summary, "times");
            }
        }
        if let Some(summary) = Summary::of_ratios(&of_a, &of_b) {
            let series = crate::claim::ratio(&swing(a), &swing(b));
            context.record.point(&series, x, summary, "ratio");
        }
    }
}
