//! Our own checks: time and memory against the number of patterns, over uniform events and over
//! production routes.

use std::rc::Rc;

use data_gen::patterns::Shape;
use multipattern::{Method, Semantics};

use super::engines::{BATCH, Load, SEEDS, agree, answer, detector, seeds};
use super::memory::{heap_of, method_of, needs};
use super::plots::{self, cpu, cpu_ratio, over_seeds};
use super::race::{self, Entry, MECHANISM, METHODS, race, record_peaks};
use super::ring;
use crate::claim::{Claim, Rule};
use crate::error::Result;
use crate::experiment::{About, Context, Experiment, Kind, Scale};
use crate::measure::memory::Heap;
use crate::record::Row;

/// One of the two checks.
#[derive(Debug)]
pub struct Growth {
    id: &'static str,
    title: &'static str,
    /// What the patterns and the events are.
    data: &'static str,
    load: fn(patterns: u64, events: u64, seed: u64) -> Result<Load>,
}

/// Patterns and events as in Table 1.
pub const PATTERNS: Growth = Growth {
    id: "multi-patterns",
    title: "Time and memory against the number of patterns",
    data: "Patterns and events as in Table 1 but for their numbers.",
    load: |patterns, events, seed| Load::new(Shape::Random, patterns, events, seed),
};

/// Patterns and events of production routes.
pub const ROUTES: Growth = Growth {
    id: "multi-routes",
    title: "Time and memory on production routes",
    data: "Patterns are sub-sequences of 20 routes of 12 stops at 10 stations. The events are of four \
           pieces at a time that move along such routes; a tenth of the events are noise, a tenth of \
           the others are duplicate reads. Windows of 40 events.",
    load: Load::routes,
};

const MATCHES: &str = "matches an event";

/// How many patterns there are, and how many events are read with them: there are as many matches more
/// as there are patterns.
fn places(scale: Scale) -> Vec<(u64, u64)> {
    let (numbers, all, least) = match scale {
        Scale::Tiny => (&[40, 400][..], 400, 60),
        Scale::Quick => (&[40, 400, 4000][..], 5_000, 300),
        Scale::Paper => (&[40, 400, 4000][..], 100_000, 2000),
        Scale::Full => (&[40, 400, 4000, 10_000][..], 100_000, 2000),
    };
    numbers.iter().map(|&number| (number, (all * 40 / number).max(least))).collect()
}

impl Experiment for Growth {
    fn about(&self) -> About {
        let (times, heaps) = (METHODS.map(|method| cpu(method.name())), METHODS.map(heap_of));
        let (times, heaps) = (plots::borrow(&times), plots::borrow(&heaps));
        let gain = cpu_ratio("single", "proposed");
        let order = "proposed < sharing < optimized < single";
        About {
            id: self.id.to_owned(),
            kind: Kind::Check,
            title: self.title.to_owned(),
            paper: "Nothing: the paper has 40 patterns and events without a pattern. This is a check of \
                    our own."
                .to_owned(),
            method: format!(
                "{} {SEEDS} seeds, semantics any. CPU time for an event, every index of every match \
                 read; a run takes a copy of a detector that was prepared before, which is not in the \
                 time. {BATCH} One thread; all methods with all numbers of patterns take turns, each \
                 seed in rounds of its own; points are means of the seeds' medians with the least and \
                 the most, ratios are paired within a round, of all seeds together. Fewer events are \
                 read where there are more patterns. Heap: the growth of its peak under a counting \
                 allocator in a process of its own, from before the detector is made to after the last \
                 event. What is found is compared before, indices and order included.\n\n{MECHANISM}",
                self.data
            ),
            reconstruction: None,
            claims: vec![
                Claim::new(
                    format!("time: {} with every number of patterns", ring::ORDER),
                    order,
                    Rule::below_in_turn(&times),
                )
                .our_check(),
                Claim::new(
                    "the more patterns, the more proposed gains over single",
                    "the ratio rises",
                    Rule::rises(&[&gain]),
                )
                .our_check(),
                Claim::new(
                    "memory: proposed < single with every number of patterns",
                    "less",
                    Rule::ordered(&[heaps[0], heaps[3]]),
                )
                .our_check(),
            ],
            plots: vec![
                plots::log_lines("Detection time", "patterns", "CPU time for an event", &times),
                plots::log_lines(
                    "Single to the others",
                    "patterns",
                    "ratio of CPU times",
                    &[
                        &cpu_ratio("single", "proposed"),
                        &cpu_ratio("single", "sharing"),
                        &cpu_ratio("single", "optimized"),
                    ],
                ),
                plots::log_lines("Peak of the heap", "patterns", "heap", &heaps),
                plots::table("CPU time for an event in nanoseconds", "patterns", &times),
                plots::table("Peak of the heap in bytes", "patterns", &heaps),
                plots::table("Matches an event", "patterns", &[MATCHES]),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        for (number, events) in places(context.scale) {
            let mut rates = Vec::new();
            for seed in seeds(context.seed) {
                let load = (self.load)(number, events, seed)?;
                let set = load.set(Semantics::Any)?;
                let mut answers = Vec::new();
                for method in METHODS {
                    answers.push((
                        method.name(),
                        answer(detector(&set, method)?, &load.events, |_| ())?,
                    ));
                }
                agree(&answers)?;
                let matches = answers.first().map_or(0, |(_, answer)| answer.matches);
                rates.push(matches as f64 / events as f64);
            }
            if let Some(summary) = over_seeds(&rates) {
                context.record.point(MATCHES, number as f64, summary, "");
            }
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let places = places(context.scale);
        let runs = race(context, |seed| {
            let mut entries = Vec::new();
            for &(number, events) in &places {
                let load = (self.load)(number, events, seed)?;
                let set = load.set(Semantics::Any)?;
                for method in METHODS {
                    entries.push(Entry {
                        name: method.to_string(),
                        x: number as f64,
                        detector: detector(&set, method)?,
                        events: Rc::clone(&load.events),
                        length: load.events.len(),
                    });
                }
            }
            Ok(entries)
        })?;
        for one in &runs {
            if let Some(time) = one.medians(false, |time, _| time * 1e9 / one.events) {
                context.record.point(&cpu(&one.name), one.x, time, "ns");
            }
        }
        let steps: Vec<_> = race::steps().map(|(a, b)| (a.name(), b.name())).collect();
        race::record_ratios(context, &runs, &steps);
        let gains = METHODS[..3].iter().map(|method| (Method::Single.name(), method.name()));
        race::record_ratios(context, &runs, &gains.collect::<Vec<_>>());
        context.memories(&METHODS.map(Method::name)).map(drop)
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let gain = plots::values(rows, &cpu_ratio("single", "proposed"));
        let Some((x, _)) = gain.last() else { return Vec::new() };
        let list: Vec<String> = gain
            .iter()
            .map(|(x, times)| format!("{} with {x}", crate::number::short(*times)))
            .collect();
        let mut sentences = vec![format!(
            "{}: proposed is faster than single by these factors: {} patterns.",
            self.title,
            list.join(", ")
        )];
        sentences.extend(needs(rows, x, &format!("{x} patterns")));
        sentences
    }

    fn probe(&self, name: &str, context: &mut Context<'_>, heap: &dyn Heap) -> Result<u64> {
        let method = method_of(name)?;
        let places = places(context.scale);
        record_peaks(context, heap, &heap_of(method), |seed| {
            let place = |&(number, events): &(u64, u64)| {
                let load = (self.load)(number, events, seed)?;
                let set = load.set(Semantics::Any)?;
                let length = load.events.len();
                Ok((number as f64, move || detector(&set, method), load.events, length))
            };
            places.iter().map(place).collect()
        })
    }
}
