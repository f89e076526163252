//! Detection time and throughput against the scale of the stream: Figs. 14 and 16.

use std::rc::Rc;
use std::sync::Arc;

use multipattern::{Method, Semantics};

use super::engines::{BATCH, Load, SEEDS, agree, answer, detector, seeds};
use super::plots::{self, cpu, over_seeds};
use super::race::{self, Entry, MECHANISM, METHODS, Runs, race};
use super::ring::{self, CROSSED, STEP};
use crate::claim::{Claim, Rule, ratio};
use crate::error::Result;
use crate::experiment::{About, Context, Experiment, Kind, Scale};
use crate::measure::Summary;
use crate::record::Row;

/// Fig. 14.
#[derive(Debug)]
pub struct Time;

/// Fig. 16.
#[derive(Debug)]
pub struct Throughput;

const APART: &str = "single minus proposed";

/// The numbers of events at a scale.
pub fn sizes(scale: Scale) -> Vec<u64> {
    match scale {
        Scale::Tiny => vec![300, 1000],
        Scale::Quick | Scale::Paper => vec![1000, 10_000, 100_000],
        Scale::Full => vec![1000, 10_000, 100_000, 1_000_000],
    }
}

/// Compares what all methods find at every size with every seed, and records how much; once for both
/// figures.
fn check(context: &mut Context<'_>) -> Result<()> {
    let found = context.shared.once("matches of Figs. 14 and 16", || matches(context))?;
    for (size, found) in &*found {
        if let Some(summary) = over_seeds(found) {
            context.record.point(MATCHES, *size as f64, summary, "");
        }
    }
    Ok(())
}

/// How many matches there are at every size with each seed, where all methods find the same.
fn matches(context: &Context<'_>) -> Result<Vec<(u64, Vec<f64>)>> {
    let sizes = sizes(context.scale);
    let mut found = vec![Vec::new(); sizes.len()];
    for seed in seeds(context.seed) {
        let load = Load::table1(sizes.last().copied().unwrap_or(0), seed)?;
        let set = load.set(Semantics::Any)?;
        for (&size, found) in sizes.iter().zip(&mut found) {
            let events = &load.events[..size as usize];
            let mut answers = Vec::new();
            for method in METHODS {
                answers.push((method.name(), answer(detector(&set, method)?, events, |_| ())?));
            }
            for (way, method, ring) in CROSSED {
                answers.push((way, answer(ring::crossed(&set, method, ring)?, events, |_| ())?));
            }
            agree(&answers)?;
            found.push(answers.first().map_or(0, |(_, answer)| answer.matches) as f64);
        }
    }
    Ok(sizes.into_iter().zip(found).collect())
}

const MATCHES: &str = "matches";

/// The runs that both figures are drawn from.
fn measure(context: &Context<'_>) -> Result<Arc<Vec<Runs>>> {
    context.shared.once("runs of Figs. 14 and 16", || take_turns(context))
}

/// All methods, and those that are crossed with the ring, at all sizes take turns.
fn take_turns(context: &Context<'_>) -> Result<Vec<Runs>> {
    let sizes = sizes(context.scale);
    race(context, |seed| {
        let load = Load::table1(sizes.last().copied().unwrap_or(0), seed)?;
        let set = load.set(Semantics::Any)?;
        let mut entries = Vec::new();
        for &size in &sizes {
            let methods = METHODS.map(|method| (method.name(), detector(&set, method)));
            let crossed =
                CROSSED.map(|(way, method, ring)| (way, ring::crossed(&set, method, ring)));
            for (name, detector) in methods.into_iter().chain(crossed) {
                let (name, detector) = (name.to_owned(), detector?);
                let (events, length) = (Rc::clone(&load.events), size as usize);
                entries.push(Entry { name, x: size as f64, detector, events, length });
            }
        }
        Ok(entries)
    })
}

fn method_text(measured: &str) -> String {
    format!(
        "The parameters of Table 1 but for the length of the stream, {SEEDS} seeds; semantics any. \
         {measured} A run takes a copy of a detector that was prepared before, which is not in the time, \
         gives it every event and reads every index of every match; one thread. {BATCH} All methods at all lengths \
         take turns, each seed in rounds of its own, and Figs. 14 and 16 are drawn from the same runs; points are means of the seeds' medians with the \
         least and the most, ratios are paired within a round, of all seeds together. What is found, \
         indices and order included, is compared before, and sums in every run.\n\n{MECHANISM}\n\n{STEP}"
    )
}

impl Experiment for Time {
    fn about(&self) -> About {
        let names = METHODS.map(|method| cpu(method.name()));
        let series = plots::borrow(&names);
        let apart = ring::apart(cpu);
        let mut claims = vec![
            Claim::new(
                format!("{} at every scale", ring::ORDER),
                "proposed < sharing < optimized < single",
                Rule::below_in_turn(&series),
            ),
            Claim::new("proposed < single", "least time", Rule::below(&names[0], &names[3])),
            Claim::new(
                "close together at small scale, apart at large: single minus proposed grows",
                "similar in small streams, superior as the stream grows",
                Rule::rises(&[APART]),
            ),
        ];
        claims.extend(ring::claims(str::to_owned, "what the step to proposed is made of"));
        About {
            id: "multi-fig14".to_owned(),
            kind: Kind::Figure,
            title: "Detection time against the scale of the stream".to_owned(),
            paper: "Fig. 14: the proposed method takes least time, then the multi-pattern sharing \
                    method, then the optimized one; single pattern detection takes most. In small \
                    streams the four are similar; as the stream grows the proposed one is obviously \
                    superior. No numbers are given."
                .to_owned(),
            method: method_text("CPU time of a run."),
            reconstruction: Some(
                "The picture is lost; 10^3 to 10^5 events leads up to Table 1. That the methods are \
                 close together in small streams is read of absolute times: their differences grow \
                 with the stream."
                    .to_owned(),
            ),
            claims,
            plots: vec![
                plots::log_lines("Detection time", "events", "CPU time", &series),
                plots::table("CPU time in milliseconds", "events", &series),
                plots::table(
                    "Sharing and proposed with the ring and without, CPU time in milliseconds",
                    "events",
                    &plots::borrow(&apart),
                ),
                plots::ratios("What the step from sharing to proposed is made of", "events", &ring::STEPS),
                plots::table("What was found", "events", &[MATCHES]),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        check(context)
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let runs = measure(context)?;
        for one in &*runs {
            for (series, wall) in [(cpu(&one.name), false), (one.name.clone(), true)] {
                let times = one.medians(wall, |time, _| time * 1e3);
                times
                    .into_iter()
                    .for_each(|times| context.record.point(&series, one.x, times, "ms"));
            }
        }
        let mut steps: Vec<_> = race::steps().map(|(a, b)| (a.name(), b.name())).collect();
        steps.extend(
            ring::STEPS.into_iter().filter(|step| !steps.contains(step)).collect::<Vec<_>>(),
        );
        race::record_ratios(context, &runs, &steps);
        for (proposed, single) in race::pairs(&runs, "proposed", "single") {
            let at = proposed.x;
            let [single, proposed] = [single, proposed].map(|one| one.all(|time, _| time * 1e3));
            let apart = single.iter().zip(proposed).map(|(single, proposed)| single - proposed);
            if let Some(summary) = Summary::of(&apart.collect::<Vec<_>>()) {
                context.record.point(APART, at, summary, "ms");
            }
        }
        Ok(())
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let mut all = each_step(rows, cpu, |a, b| b / a, "How much less time it takes");
        all.extend(the_step(rows, cpu, |time| time));
        all
    }
}

fn rate(method: &str) -> String {
    format!("{method}, matches")
}

fn events(method: &str) -> String {
    format!("{method}, events")
}

impl Experiment for Throughput {
    fn about(&self) -> About {
        let [matches, read] = [rate, events].map(|of| METHODS.map(|method| of(method.name())));
        let matches_series = plots::borrow(&matches);
        let steps = matches.windows(2).map(|pair| Rule::above(&pair[0], &pair[1]));
        About {
            id: "multi-fig16".to_owned(),
            kind: Kind::Figure,
            title: "Throughput against the scale of the stream".to_owned(),
            paper:
                "Fig. 16: the proposed method has the highest throughput, then the multi-pattern \
                    sharing method, then the optimized one, then single pattern detection. Event \
                    throughput is defined as the number of complex events detected in a unit of \
                    time. No numbers are given."
                    .to_owned(),
            method: method_text("Matches and events in a second of CPU time."),
            reconstruction: Some(
                "The picture is lost; 10^3 to 10^5 events leads up to Table 1. The paper's event \
                 throughput counts matches; events a second are shown as well."
                    .to_owned(),
            ),
            claims: vec![
                Claim::new(
                    "proposed (which has the ring) > sharing (which has not) > optimized > single at every \
                     scale",
                    "proposed > sharing > optimized > single",
                    Rule::All(steps.collect()),
                ),
                Claim::new(
                    "proposed > single",
                    "the highest throughput",
                    Rule::above(&matches[0], &matches[3]),
                ),
            ],
            plots: vec![
                plots::log_lines("Matches a second", "events", "throughput", &matches_series),
                plots::log_lines("Events a second", "events", "throughput", &plots::borrow(&read)),
                plots::table("Million matches a second", "events", &matches_series),
                plots::table(
                    "Sharing and proposed with the ring and without, million matches a second",
                    "events",
                    &plots::borrow(&ring::apart(rate)),
                ),
                plots::table("What was found", "events", &[MATCHES]),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        check(context)
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let runs = measure(context)?;
        for one in &*runs {
            let matches = one.medians(false, |time, sum| sum.matches as f64 / time / 1e6);
            let read = one.medians(false, |time, _| one.events / time / 1e6);
            let rates = [
                (rate(&one.name), matches, "M matches/s"),
                (events(&one.name), read, "M events/s"),
            ];
            for (series, summary, unit) in rates {
                if let Some(summary) = summary {
                    context.record.point(&series, one.x, summary, unit);
                }
            }
        }
        for (a, b) in race::steps() {
            for (one, other) in race::pairs(&runs, a.name(), b.name()) {
                let throughput = |one: &Runs| one.all(|time, sum| sum.matches as f64 / time);
                if let Some(summary) = Summary::of_ratios(&throughput(one), &throughput(other)) {
                    let series = ratio(&rate(a.name()), &rate(b.name()));
                    context.record.point(&series, one.x, summary, "ratio");
                }
            }
        }
        Ok(())
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let mut all = each_step(rows, rate, |a, b| a / b, "How much higher the throughput is");
        all.extend(the_step(rows, rate, |rate| 1.0 / rate));
        all
    }
}

/// What the step from `sharing` to `proposed` is made of in the longest stream.
fn the_step(rows: &[&Row], of: impl Fn(&str) -> String, time: impl Fn(f64) -> f64) -> Vec<String> {
    let Some(x) = plots::last(rows, &of(Method::Proposed.name())).map(|row| &row.x) else {
        return Vec::new();
    };
    let time = |way: &str| plots::value(rows, &of(way), x).map(&time);
    ring::sentences(time, &format!("{x} events"))
}

/// How many times better each method is than the next one in the longest stream.
fn each_step(
    rows: &[&Row],
    of: impl Fn(&str) -> String,
    better: impl Fn(f64, f64) -> f64,
    what: &str,
) -> Vec<String> {
    let Some(x) = plots::last(rows, &of(Method::Single.name())).map(|row| row.x.clone()) else {
        return Vec::new();
    };
    let value = |method: Method| plots::value(rows, &of(method.name()), &x);
    let step = |(a, b)| Some((a, b, better(value(a)?, value(b)?)));
    let steps: Option<Vec<(Method, Method, f64)>> = race::steps().map(step).collect();
    let steps = steps.unwrap_or_default();
    if steps.is_empty() {
        return Vec::new();
    }
    let list: Vec<String> =
        steps.iter().map(|(a, b, factor)| format!("{a} to {b} {factor:.2}")).collect();
    let mut sentences = vec![format!("{what} at {x} events, as factors: {}.", list.join(", "))];
    let against = steps.iter().filter(|(.., factor)| *factor < 1.0);
    sentences.extend(against.map(|(a, b, factor)| {
        format!("Against the paper's order {a} is slower than {b}, by {:.2} times.", 1.0 / factor)
    }));
    sentences
}
