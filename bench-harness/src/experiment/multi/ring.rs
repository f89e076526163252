//! What the step from `sharing` to `proposed` is made of: both methods, each with the ring and without.
//!
//! The ring is a mechanism that only `proposed` has by default, and it has nothing to do with
//! decomposition. So a figure that shows `proposed < sharing` does not say what it seems to say, unless
//! the two are told apart: this is where that is done, for the figures and as a check of its own.

use std::ops::ControlFlow;
use std::rc::Rc;

use data_gen::patterns::Shape;
use multipattern::{Config, Detector, Level, Method, PatternId, Ring, Semantics, Sink};

use super::engines::{self, Answer, BATCH, Load, Reading, SEEDS, Sum, agree, answer, fail, seeds};
use super::plots::{self, cpu, over_seeds};
use super::race::{self, Entry, METHODS, Runs, race_by};
use crate::claim::{Claim, Rule};
use crate::error::Result;
use crate::experiment::{About, Context, Experiment, Kind, Scale};
use crate::record::Row;

/// `sharing` with the ring.
pub const SHARING_RING: &str = "sharing with the ring";
/// `proposed` without it.
pub const PROPOSED_ALONE: &str = "proposed without the ring";

const SHARING: &str = "sharing";
const PROPOSED: &str = "proposed";

/// The two ways that no method has by itself.
pub const CROSSED: [(&str, Method, Ring); 2] = [
    (SHARING_RING, Method::Sharing, Ring::Always),
    (PROPOSED_ALONE, Method::Proposed, Ring::Never),
];

/// What the figures say of the step from `sharing` to `proposed`.
pub const STEP: &str = "\
The step from sharing to proposed is to be read with care: it compares proposed with the ring to sharing \
without it. The ring keeps the stream as its last 64 events, a word of bits for each type, and nothing \
else of them; it needs patterns of types alone and windows of at most 64 events. It has nothing to do \
with decomposition and would serve sharing as well, but among the four methods proposed alone has it. \
So sharing with the ring and proposed without it are measured beside them. Where matches are read, the \
step comes from the ring; where they are only counted (multi-ring), shared sums of pairs add to it. Only a comparison of two that both have the ring, or both have not, says anything about \
decomposition.";

/// The order of the paper, in words that say what is compared.
pub const ORDER: &str =
    "proposed (which has the ring) < sharing (which has not) < optimized < single";

/// The series of both methods, with the ring and without.
pub fn apart(of: impl Fn(&str) -> String) -> [String; 4] {
    [SHARING, SHARING_RING, PROPOSED_ALONE, PROPOSED].map(of)
}

/// The pairs whose ratios tell what the step is made of.
pub const STEPS: [(&str, &str); 5] = [
    (PROPOSED, SHARING_RING),
    (PROPOSED_ALONE, SHARING),
    (SHARING_RING, SHARING),
    (PROPOSED, PROPOSED_ALONE),
    (PROPOSED, SHARING),
];

/// A detector that has the ring or has not.
pub fn crossed(set: &multipattern::PatternSet, method: Method, ring: Ring) -> Result<Detector> {
    Detector::with_config(set, Config::new().method(method).ring(ring)).map_err(fail)
}

/// Whether decomposition by itself saves time; `of` is what is measured of a way.
pub fn claims(of: impl Fn(&str) -> String, what: &str) -> Vec<Claim> {
    let claim = |text, a, b| {
        Claim::new(format!("{what}: {text}"), "less time", Rule::below(&cpu(&of(a)), &cpu(&of(b))))
            .our_check()
    };
    vec![
        claim(
            "decomposition by itself saves time with the ring (proposed < sharing, both with the ring)",
            PROPOSED,
            SHARING_RING,
        ),
        claim(
            "decomposition by itself saves time without the ring (proposed < sharing, both without it)",
            PROPOSED_ALONE,
            SHARING,
        ),
        claim("the ring by itself saves time (sharing with it < sharing)", SHARING_RING, SHARING),
    ]
}

/// Below this factor, a step is not worth the name.
const NOTHING: f64 = 1.05;

/// What the step from `sharing` to `proposed` is made of; `time` is that of a way.
pub fn sentences(time: impl Fn(&str) -> Option<f64>, at: &str) -> Vec<String> {
    let factor = |slower, faster| Some(time(slower)? / time(faster)?);
    let factors = || {
        let ring = factor(SHARING, SHARING_RING)?;
        let decomposition = factor(SHARING_RING, PROPOSED)?;
        Some((factor(SHARING, PROPOSED)?, ring, decomposition, factor(SHARING, PROPOSED_ALONE)?))
    };
    let Some((all, ring, decomposition, without)) = factors() else { return Vec::new() };
    let verdict = if all < NOTHING {
        "There is no step to speak of."
    } else if decomposition < NOTHING {
        "So the step from sharing to proposed is the ring's alone, and no evidence for decomposition."
    } else {
        "So decomposition has a part in the step from sharing to proposed."
    };
    vec![format!(
        "At {at} proposed is faster than sharing by a factor of {all:.2}, which is {ring:.2} by the \
         ring (sharing without it to sharing with it), times {decomposition:.2} by what decomposition \
         shares (sharing to proposed, both with the ring). Without the ring on either side the factor \
         is {without:.2}. {verdict}"
    )]
}

/// The same under `next`, where decomposition has no part.
fn chains(time: impl Fn(&str) -> Option<f64>, at: &str) -> Vec<String> {
    let factor = |faster| Some(time(SHARING)? / time(faster)?);
    let (Some(all), Some(ring), Some(latest)) =
        (factor(PROPOSED), factor(SHARING_RING), factor(PROPOSED_ALONE))
    else {
        return Vec::new();
    };
    vec![format!(
        "At {at} proposed is faster than sharing by a factor of {all:.2}, and none of it is \
         decomposition: sharing with the ring is by {ring:.2}, and proposed without it, which keeps \
         the latest start of each prefix where sharing keeps sets of starts, by {latest:.2}."
    )]
}

/// The check.
#[derive(Debug)]
pub struct Apart;

const MATCHES: &str = "matches an event";

/// All ways: the four methods, and the two that are crossed.
fn ways() -> impl Iterator<Item = (&'static str, Method, Ring)> {
    METHODS.into_iter().map(|method| (method.name(), method, Ring::ByMethod)).chain(CROSSED)
}

/// What is done with matches: a name, under which semantics, and how.
const LEVELS: [(&str, Semantics, Read); 3] = [
    ("matches read", Semantics::Any, engines::read),
    ("matches counted", Semantics::Any, count),
    ("next, matches read", Semantics::Next, engines::read),
];

type Read = fn(&mut Detector, &[Reading]) -> Result<Sum>;

fn count(detector: &mut Detector, events: &[Reading]) -> Result<Sum> {
    Ok(Sum { matches: engines::count(detector, events)?, indices: 0 })
}

fn series(way: &str, level: &str) -> String {
    format!("{way}, {level}")
}

/// How many patterns there are, and how many events are read with them.
fn places(scale: Scale) -> Vec<(u64, u64)> {
    let (numbers, all, least) = match scale {
        Scale::Tiny => (&[40, 400][..], 400, 60),
        Scale::Quick => (&[40, 400][..], 10_000, 500),
        Scale::Paper | Scale::Full => (&[40, 400, 4000][..], 100_000, 2000),
    };
    numbers.iter().map(|&number| (number, (all * 40 / number).max(least))).collect()
}

/// Digests what a sink that only counts is told: how many matches of which pattern, event by event.
struct Counts(Answer);

impl Sink for Counts {
    fn level(&self) -> Level {
        Level::Count
    }

    fn count(&mut self, pattern: PatternId, last: u64, matches: u64) -> ControlFlow<()> {
        self.0.add(pattern, &[last, matches]);
        ControlFlow::Continue(())
    }
}

fn counted(mut detector: Detector, events: &[Reading]) -> Result<Answer> {
    let mut sink = Counts(Answer::default());
    detector.push_all(events, &mut sink).map_err(fail)?;
    Ok(sink.0)
}

/// The entries of a seed: all ways with all numbers of patterns.
fn entries(
    scale: Scale,
    semantics: Semantics,
    level: &str,
    seed: u64,
) -> Result<Vec<Entry<Reading>>> {
    let mut entries = Vec::new();
    for (number, events) in places(scale) {
        let load = Load::new(Shape::Random, number, events, seed)?;
        let set = load.set(semantics)?;
        for (way, method, ring) in ways() {
            entries.push(Entry {
                name: series(way, level),
                x: number as f64,
                detector: crossed(&set, method, ring)?,
                events: Rc::clone(&load.events),
                length: load.events.len(),
            });
        }
    }
    Ok(entries)
}

/// The names of all ways at a level, those of CPU times.
fn times(level: &str) -> Vec<String> {
    ways().map(|(way, ..)| cpu(&series(way, level))).collect()
}

impl Experiment for Apart {
    fn about(&self) -> About {
        let any = LEVELS.iter().filter(|one| one.1 == Semantics::Any);
        let mut plots = Vec::new();
        for (level, ..) in LEVELS {
            let title = format!("CPU time for an event in nanoseconds, {level}");
            plots.push(plots::table(&title, "patterns", &plots::borrow(&times(level))));
            let ratios: Vec<_> =
                STEPS.iter().map(|(a, b)| (series(a, level), series(b, level))).collect();
            let ratios: Vec<_> = ratios.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            plots.push(plots::ratios(&format!("The steps, {level}"), "patterns", &ratios));
        }
        plots.push(plots::table("Matches an event", "patterns", &[MATCHES]));
        About {
            id: "multi-ring".to_owned(),
            kind: Kind::Check,
            title: "What the ring does, and what decomposition does".to_owned(),
            paper: "Nothing: the paper has no ring. This is a check of our own.".to_owned(),
            method: format!(
                "Patterns and events as in Table 1 but for their numbers, {SEEDS} seeds. The four                  methods, and of sharing and proposed what they are with and without the ring. {STEP}                  CPU time for an event, under any with every index of every match read or with                  matches counted by pattern, and under next with every index read; a run takes a copy                  of a detector that was prepared before, which is not in the time. {BATCH} One                  thread; all ways with all numbers of patterns take turns, each seed in rounds of its                  own; points are means of the seeds' medians with the least and the most, ratios are                  paired within a round, of all seeds together. Fewer events are read where there are                  more patterns. What is found is compared before: indices and order, and counts.                  Under next nothing of what decomposition shares is used: with the ring, sharing and \
                 proposed are one and the same, and without it they differ in that sharing keeps sets \
                 of starts, proposed the latest start of each prefix."
            ),
            reconstruction: None,
            claims: any.flat_map(|(level, ..)| claims(|way| series(way, level), level)).collect(),
            plots,
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        for (number, events) in places(context.scale) {
            let mut rates = Vec::new();
            for seed in seeds(context.seed) {
                let load = Load::new(Shape::Random, number, events, seed)?;
                for semantics in [Semantics::Any, Semantics::Next] {
                    let set = load.set(semantics)?;
                    let (mut found, mut counts) = (Vec::new(), Vec::new());
                    for (way, method, ring) in ways() {
                        let detector = crossed(&set, method, ring)?;
                        counts.push((way, counted(detector.clone(), &load.events)?));
                        found.push((way, answer(detector, &load.events, |_| ())?));
                    }
                    agree(&found)?;
                    agree(&counts)?;
                    if let (Semantics::Any, Some((_, answer))) = (semantics, found.first()) {
                        rates.push(answer.matches as f64 / events as f64);
                    }
                }
            }
            if let Some(summary) = over_seeds(&rates) {
                context.record.point(MATCHES, number as f64, summary, "");
            }
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let scale = context.scale;
        for (level, semantics, read) in LEVELS {
            let runs: Vec<Runs> =
                race_by(context, read, |seed| entries(scale, semantics, level, seed))?;
            for one in &runs {
                if let Some(time) = one.medians(false, |time, _| time * 1e9 / one.events) {
                    context.record.point(&cpu(&one.name), one.x, time, "ns");
                }
            }
            let steps = STEPS.map(|(a, b)| (series(a, level), series(b, level)));
            let steps: Vec<_> = steps.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            race::record_ratios(context, &runs, &steps);
        }
        Ok(())
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let mut all = Vec::new();
        for (level, semantics, _) in LEVELS {
            let numbers = plots::values(rows, &cpu(&series(PROPOSED, level)));
            for (x, _) in numbers {
                let time = |way: &str| plots::value(rows, &cpu(&series(way, level)), x);
                let at = format!("{x} patterns, {level},");
                all.extend(match semantics {
                    Semantics::Next => chains(time, &at),
                    _ => sentences(time, &at),
                });
            }
        }
        all
    }
}
