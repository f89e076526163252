//! Our own check: windows of more events than a word has bits, and windows of time.

use std::rc::Rc;

use data_gen::seed::Rng;
use data_gen::stream::{Rfid, RfidOptions};
use multipattern::{
    Event, Method, PatternSet, Semantics, Slot, TimeUnit, TypeId, ValueRef, Window,
};

use super::engines::{BATCH, LENGTHS, SEEDS, agree, answer, detector, generating, seeds, set_of};
use super::plots::{self, cpu, cpu_ratio, over_seeds};
use super::race::{self, Entry, Runs, race};
use crate::claim::{Claim, Rule, ratio};
use crate::error::Result;
use crate::experiment::spread::Spread;
use crate::experiment::{About, Context, Experiment, Kind, Scale};
use crate::measure::Summary;
use crate::number::short;
use crate::record::Row;

/// The check.
#[derive(Debug)]
pub struct Windows;

/// A window in events, and the letters and readers that make its types: a quarter as many as it has
/// events.
const PLACES: [(u64, usize, u64); 7] = [
    (40, 10, 1),
    (64, 16, 1),
    (68, 17, 1),
    (128, 16, 2),
    (256, 16, 4),
    (512, 16, 8),
    (1000, 25, 10),
];

/// The largest window that fits a word.
const WORD: u64 = 64;

const PROPOSED: &str = "proposed, windows of events";
const TIMED: &str = "proposed, windows of time";
const SINGLE: &str = "single, windows of events";
const MATCHES: &str = "matches an event";

/// By how much anything may be slower than at one word.
const FULL_SPEED: f64 = 1.25;

fn a_match(name: &str) -> String {
    format!("{name}, CPU time for a match")
}

fn at_a_word(name: &str) -> String {
    format!("the same with {WORD} events, {name}")
}

fn events(scale: Scale) -> u64 {
    match scale {
        Scale::Tiny => 1200,
        Scale::Quick => 5000,
        Scale::Paper | Scale::Full => 20_000,
    }
}

/// An event whose type is a letter and a reader.
#[derive(Clone, Copy, Debug)]
struct Reading {
    kind: u32,
    time: i64,
}

impl Event for Reading {
    #[inline]
    fn event_type(&self) -> TypeId {
        TypeId(self.kind)
    }

    #[inline]
    fn time(&self) -> i64 {
        self.time
    }

    fn attribute(&self, _: Slot) -> ValueRef<'_> {
        ValueRef::Missing
    }
}

/// The events of a place, and its patterns with a window of events and with the same one of time.
struct Load {
    events: Rc<[Reading]>,
    sets: [PatternSet; 2],
}

impl Load {
    fn new((window, letters, readers): (u64, usize, u64), scale: Scale, seed: u64) -> Result<Self> {
        let mut options = RfidOptions::new(events(scale));
        (options.types, options.readers) = (letters, readers);
        let stream = options.stream(seed).map_err(|error| generating(&error))?;
        let kind = |letter: u8, reader: i64| u32::from(letter) * readers as u32 + reader as u32;
        let reading =
            |Rfid { letter, time, reader, .. }| Reading { kind: kind(letter, reader), time };
        let types: Vec<String> = (0..letters as u64 * readers).map(|at| format!("T{at}")).collect();
        let mut rng = Rng::new(seed, "patterns of many types");
        let pattern = |_| {
            let length = rng.between(LENGTHS.0 as u64, LENGTHS.1 as u64);
            (0..length).map(|_| rng.below(types.len() as u64) as u8).collect()
        };
        let patterns: Vec<Vec<u8>> = (0..window).map(pattern).collect();
        let set = |window| set_of(&types, &patterns, Semantics::Any, window);
        Ok(Self {
            events: stream.map(reading).collect(),
            sets: [
                set(Window::Events(window))?,
                // Times are the numbers of events, as milliseconds.
                set(Window::Time(window - 1, TimeUnit::Millisecond))?,
            ],
        })
    }
}

/// The contenders: a series, which of the sets, and the method.
const WAYS: [(&str, usize, Method); 3] =
    [(PROPOSED, 0, Method::Proposed), (TIMED, 1, Method::Proposed), (SINGLE, 0, Method::Single)];

impl Experiment for Windows {
    fn about(&self) -> About {
        let larger: Vec<_> = PLACES.iter().filter(|one| one.0 > WORD).collect();
        let fold = |a: String, b: String, places: Vec<f64>| Rule::Fold {
            a,
            b,
            from: 0.0,
            to: FULL_SPEED,
            at: places.into_iter().map(Into::into).collect(),
        };
        let beyond = |name: &str| {
            let places = larger.iter().map(|one| one.0 as f64).collect();
            fold(a_match(name), at_a_word(name), places)
        };
        let all = PLACES.map(|one| one.0 as f64).to_vec();
        let names = [PROPOSED, TIMED, SINGLE].map(cpu);
        let per_match = [PROPOSED, TIMED, SINGLE].map(a_match);
        About {
            id: "multi-windows".to_owned(),
            kind: Kind::Check,
            title: "Windows of more events than a word has bits, and windows of time".to_owned(),
            paper: "Nothing: the paper has windows of 40 events. This is a check of our own.".to_owned(),
            method: format!(
                "Where a window holds at most {WORD} events the engine keeps it in words, beyond that in \
                 lists, and the rest of its ring is the same for both. The larger the window, the more types and patterns there are: a window of n \
                 events has n patterns over n / 4 types, so that a type has four events in a window \
                 and a pattern a few matches, whatever n is. Types are letters with readers; patterns \
                 have {} to {} operands, all is uniform. A window of time is that of events, times \
                 being the numbers of events, so that both must find the same. What is judged is the \
                 time for a match, by pairs within a round: n patterns of one window find more than \
                 those of another by chance. {SEEDS} seeds, semantics any, every index of every match \
                 read; a run takes a copy of a detector that was prepared before, which is not in the \
                 time. {BATCH}",
                LENGTHS.0, LENGTHS.1
            ),
            reconstruction: None,
            claims: vec![
                Claim::new(
                    format!("a match takes at most {FULL_SPEED} times what it does with {WORD} events"),
                    "full speed",
                    beyond(PROPOSED),
                )
                .our_check(),
                Claim::new(
                    format!(
                        "with windows of time a match takes at most {FULL_SPEED} times what it does \
                         with windows of events"
                    ),
                    "full speed",
                    fold(cpu(TIMED), cpu(PROPOSED), all),
                )
                .our_check(),
                Claim::new(
                    "proposed < single with every window",
                    "less time",
                    Rule::below(&cpu(PROPOSED), &cpu(SINGLE)),
                )
                .our_check(),
            ],
            plots: vec![
                plots::log_lines(
                    "CPU time for a match",
                    "events of a window",
                    "CPU time",
                    &plots::borrow(&per_match),
                ),
                plots::log_lines(
                    "CPU time for an event",
                    "events of a window",
                    "CPU time",
                    &plots::borrow(&names),
                ),
                plots::table("Nanoseconds for a match", "events of a window", &plots::borrow(&per_match)),
                plots::table("Matches an event", "events of a window", &[MATCHES]),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        for place in PLACES {
            let mut rates = Vec::new();
            for seed in seeds(context.seed) {
                let load = Load::new(place, context.scale, seed)?;
                let mut answers = Vec::new();
                for (name, set, method) in WAYS {
                    let detector = detector(&load.sets[set], method)?;
                    answers.push((name, answer(detector, &load.events, |_| ())?));
                }
                agree(&answers)?;
                let matches = answers.first().map_or(0, |(_, answer)| answer.matches);
                rates.push(matches as f64 / load.events.len() as f64);
            }
            if let Some(summary) = over_seeds(&rates) {
                context.record.point(MATCHES, place.0 as f64, summary, "");
            }
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let scale = context.scale;
        let runs = race(context, |seed| {
            let mut entries = Vec::new();
            for place in PLACES {
                let load = Load::new(place, scale, seed)?;
                for (name, set, method) in WAYS {
                    entries.push(Entry {
                        name: name.to_owned(),
                        x: place.0 as f64,
                        detector: detector(&load.sets[set], method)?,
                        events: Rc::clone(&load.events),
                        length: load.events.len(),
                    });
                }
            }
            Ok(entries)
        })?;
        let of_match = |one: &Runs| one.all(|time, sum| time / sum.matches as f64);
        for one in &runs {
            let event = one.medians(false, |time, _| time * 1e9 / one.events);
            let found = one.medians(false, |time, sum| time * 1e9 / sum.matches as f64);
            for (series, time) in [(cpu(&one.name), event), (a_match(&one.name), found)] {
                if let Some(time) = time {
                    context.record.point(&series, one.x, time, "ns");
                }
            }
            let word = runs.iter().find(|other| other.name == one.name && other.x == WORD as f64);
            let times = word.and_then(|word| Summary::of_ratios(&of_match(one), &of_match(word)));
            if let Some(times) = times {
                let series = ratio(&a_match(&one.name), &at_a_word(&one.name));
                context.record.point(&series, one.x, times, "ratio");
            }
        }
        let pairs = [(TIMED, PROPOSED), (PROPOSED, SINGLE), (SINGLE, PROPOSED)];
        race::record_ratios(context, &runs, &pairs);
        Ok(())
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let larger = plots::values(rows, &ratio(&a_match(PROPOSED), &at_a_word(PROPOSED)));
        let larger: Vec<String> = larger
            .iter()
            .filter(|(x, _)| x.number().is_some_and(|x| x > WORD as f64))
            .map(|(x, times)| format!("{} with {x}", short(*times)))
            .collect();
        let spread = |a, b| plots::spread(rows, &cpu_ratio(a, b)).map(Spread::times);
        let (Some(timed), Some(single)) = (spread(TIMED, PROPOSED), spread(SINGLE, PROPOSED))
        else {
            return Vec::new();
        };
        vec![
            format!(
                "A match takes these multiples of the time that it takes with windows of {WORD} events: \
                 {} events.",
                larger.join(", ")
            ),
            format!(
                "Windows of time take {timed} the time of windows of events; single takes {single} that \
                 of proposed."
            ),
        ]
    }
}
