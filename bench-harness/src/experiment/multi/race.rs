//! Runs of several contenders at several places, with every seed; and the heap that each needs.

use std::cell::Cell;
use std::rc::Rc;

use multipattern::{Detector, Event, Method};

use super::engines::{self, Sum, agree, answer, contender, seeds};
use super::plots::{cpu, over_seeds};
use crate::claim::ratio;
use crate::error::Result;
use crate::experiment::{Context, Scale};
use crate::measure::memory::Heap;
use crate::measure::{Plan, Samples, Summary, interleave};

/// The methods in the order that the paper claims, best first.
pub const METHODS: [Method; 4] =
    [Method::Proposed, Method::Sharing, Method::Optimized, Method::Single];

/// Each step of the order, and both ends of it.
pub fn steps() -> impl Iterator<Item = (Method, Method)> {
    METHODS.windows(2).map(|pair| (pair[0], pair[1])).chain([(Method::Proposed, Method::Single)])
}

/// What makes the difference at each step.
pub const MECHANISM: &str = "\
The mechanism of each step. Single keeps every partial match of every pattern and looks at each when an \
event fits its next operand. Optimized keeps none: for each prefix of a pattern it keeps one number, the \
latest event from which the prefix was found, so that it knows of an event whether it completes the \
pattern, and only then goes through the events of the window, in bitmaps or lists by type. Sharing keeps \
types' windows and the numbers of prefixes once for all patterns that begin alike. Proposed shares what \
lies inside of patterns as well: what stands for two operands before the last one, the list of all pairs \
of events or the sums of their numbers, is made once and read by every pattern that has them there. And \
where patterns are of types alone with windows of at most 64 events, proposed has a ring, which has \
nothing to do with sharing: it keeps the stream as its last 64 events, a word of bits for each type, and \
nothing else of them. Most of what it gains over sharing where matches are read comes from that; \
multi-ring tells the two apart.";

/// A detector before its first event, and what it is to read.
pub struct Entry<E> {
    /// The series.
    pub name: String,
    /// The place; all entries of a place must find the same.
    pub x: f64,
    /// The detector.
    pub detector: Detector,
    /// The stream.
    pub events: Rc<[E]>,
    /// How many events of it are read.
    pub length: usize,
}

/// The runs of a series at a place with every seed.
pub struct Runs {
    /// The series.
    pub name: String,
    /// The place.
    pub x: f64,
    /// How many events were read.
    pub events: f64,
    /// For each seed: the samples, and what was found.
    seeds: Vec<(Samples<()>, Sum)>,
}

impl Runs {
    /// A figure of the median run of each seed, from its time in seconds and what it found: the mean
    /// with the least and the most.
    pub fn medians(&self, wall: bool, of: impl Fn(f64, Sum) -> f64) -> Option<Summary> {
        let median = |(samples, sum): &(Samples<()>, Sum)| {
            let times = if wall { samples.wall_summary() } else { samples.cpu_summary() };
            times.map(|times| of(times.median, *sum))
        };
        over_seeds(&self.seeds.iter().filter_map(median).collect::<Vec<_>>())
    }

    /// A figure of every round with every seed, in their order, from its CPU time in seconds.
    pub fn all(&self, of: impl Fn(f64, Sum) -> f64) -> Vec<f64> {
        let of = &of;
        let each = |(samples, sum): &(Samples<()>, Sum)| {
            let sum = *sum;
            samples.cpu.iter().map(move |&time| of(time, sum)).collect::<Vec<_>>()
        };
        self.seeds.iter().flat_map(each).collect()
    }
}

/// Several seeds share the rounds.
fn rounds(context: &Context<'_>) -> Plan {
    let Plan { warm_up, rounds, shortest } = context.plan();
    let rounds = if context.scale <= Scale::Quick { 2 } else { rounds / 2 };
    Plan { warm_up, rounds, shortest }
}

/// All entries of a seed take turns, one seed after the other; every index of every match is read.
pub fn race<E: Event>(
    context: &Context<'_>,
    entries: impl FnMut(u64) -> Result<Vec<Entry<E>>>,
) -> Result<Vec<Runs>> {
    race_by(context, engines::read, entries)
}

/// The same with another way to read.
pub fn race_by<E: Event>(
    context: &Context<'_>,
    read: fn(&mut Detector, &[E]) -> Result<Sum>,
    mut entries: impl FnMut(u64) -> Result<Vec<Entry<E>>>,
) -> Result<Vec<Runs>> {
    let mut all: Vec<Runs> = Vec::new();
    for seed in seeds(context.seed) {
        let entries = entries(seed)?;
        let found: Vec<Cell<Option<Sum>>> = entries.iter().map(|_| Cell::default()).collect();
        let mut contenders = Vec::new();
        for (at, Entry { name, x, detector, events, length }) in entries.iter().enumerate() {
            let events = &events[..*length];
            let first = entries[..at].iter().position(|one| one.x == *x).unwrap_or(at);
            let (name, first, found) = (name.as_str(), entries[first].name.as_str(), &found[first]);
            // In the first round, which is not timed, the first entry of a place says what is right.
            contenders.push(contender(name, detector.clone(), (), move |one| {
                let sum = read(one, events)?;
                let right = found.get().unwrap_or(sum);
                found.set(Some(right));
                agree(&[(first, right), (name, sum)])
                    .map_err(|error| error.within(format!("at {x}")))
            }));
        }
        let samples = interleave(&mut contenders, &rounds(context), context.progress)?;
        drop(contenders);
        let first = |entry: &Entry<E>| entries.iter().position(|one| one.x == entry.x);
        let sum = |entry| first(entry).and_then(|at| found[at].get()).unwrap_or_default();
        let sums: Vec<Sum> = entries.iter().map(sum).collect();
        for ((at, entry), found) in entries.iter().enumerate().zip(samples.into_iter().zip(sums)) {
            if all.len() == at {
                let Entry { name, x, length, .. } = entry;
                let (name, events, seeds) = (name.clone(), *length as f64, Vec::new());
                all.push(Runs { name, x: *x, events, seeds });
            }
            all[at].seeds.push(found);
        }
    }
    Ok(all)
}

/// The runs of two series at the places that have both.
pub fn pairs<'r>(
    runs: &'r [Runs],
    a: &'r str,
    b: &'r str,
) -> impl Iterator<Item = (&'r Runs, &'r Runs)> {
    runs.iter().filter(move |one| one.name == a).filter_map(move |one| {
        let other = runs.iter().find(|other| other.name == b && other.x == one.x)?;
        Some((one, other))
    })
}

/// Records the paired ratios of CPU times of these series at every place, all seeds together.
pub fn record_ratios(context: &mut Context<'_>, runs: &[Runs], series: &[(&str, &str)]) {
    for (a, b) in series {
        for (one, other) in pairs(runs, a, b) {
            let time = |runs: &Runs| runs.all(|time, _| time);
            if let Some(summary) = Summary::of_ratios(&time(one), &time(other)) {
                context.record.point(&ratio(&cpu(a), &cpu(b)), one.x, summary, "ratio");
            }
        }
    }
}

/// The growth of the heap's peak from before each detector is made to after its last event, for each
/// seed. `job` gives the places of a seed: what makes the detector, and what it reads.
pub fn record_peaks<E: Event, M: FnOnce() -> Result<Detector>>(
    context: &mut Context<'_>,
    heap: &dyn Heap,
    series: &str,
    mut job: impl FnMut(u64) -> Result<Vec<(f64, M, Rc<[E]>, usize)>>,
) -> Result<u64> {
    let mut peaks: Vec<(f64, Vec<f64>)> = Vec::new();
    for seed in seeds(context.seed) {
        for (at, (x, make, events, length)) in job(seed)?.into_iter().enumerate() {
            let (answer, peak) = heap.peak_during(|| answer(make()?, &events[..length], |_| ()));
            answer?;
            if peaks.len() == at {
                peaks.push((x, Vec::new()));
            }
            peaks[at].1.push(peak as f64);
        }
    }
    let mut most = 0.0_f64;
    for (x, peaks) in peaks {
        if let Some(summary) = over_seeds(&peaks) {
            most = most.max(summary.hi);
            context.record.point(series, x, summary, "bytes");
        }
    }
    Ok(most as u64)
}
