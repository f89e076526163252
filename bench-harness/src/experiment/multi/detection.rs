//! Detection time and throughput against the scale of the stream: Figs. 14 and 16.

use std::rc::Rc;

use multipattern::{Method, Semantics};

use super::engines::{self, Load, SEEDS, Sum, agree, answer, detector, seeds};
use super::plots::{self, cpu, over_seeds};
use crate::claim::{Claim, Rule, ratio};
use crate::error::{Error, Result};
use crate::experiment::{About, Context, Experiment, Kind, Scale};
use crate::measure::{Contender, Plan, Samples, Summary, interleave};
use crate::record::Row;

/// Fig. 14.
#[derive(Debug)]
pub struct Time;

/// Fig. 16.
#[derive(Debug)]
pub struct Throughput;

/// What the text names as the mechanism of each step, in our engine.
pub const MECHANISM: &str = "\
The mechanism of each step. Single keeps every partial match of every pattern and looks at each \
when an event fits its next operand. Optimized keeps none: a bitmap of the window for each type says \
where its events are, and only an event that can complete a pattern makes its matches, from the \
bitmaps. Sharing keeps bitmaps and ends of prefixes once for all patterns that begin alike. Proposed \
shares what lies inside of patterns as well: lists of the pairs and triples of events that stand \
before the last operand are made once for an event and read by every pattern that has them.";

const METHODS: [Method; 4] = [Method::Proposed, Method::Sharing, Method::Optimized, Method::Single];
const APART: &str = "single minus proposed";

/// The numbers of events at a scale.
pub fn sizes(scale: Scale) -> Vec<u64> {
    match scale {
        Scale::Tiny => vec![300, 1000],
        Scale::Quick | Scale::Paper => vec![1000, 10_000, 100_000],
        Scale::Full => vec![1000, 10_000, 100_000, 1_000_000],
    }
}

/// Several seeds share the rounds.
fn rounds(context: &Context<'_>) -> Plan {
    let Plan { warm_up, rounds, shortest } = context.plan();
    let rounds = if context.scale <= Scale::Quick { 2 } else { rounds / 2 };
    Plan { warm_up, rounds, shortest }
}

/// Compares what all methods find at every size with every seed, and records how much.
fn check(context: &mut Context<'_>) -> Result<()> {
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
            agree(&answers)?;
            found.push(answers.first().map_or(0, |(_, answer)| answer.matches) as f64);
        }
    }
    for (&size, found) in sizes.iter().zip(&found) {
        if let Some(summary) = over_seeds(found) {
            context.record.point(MATCHES, size as f64, summary, "");
        }
    }
    Ok(())
}

const MATCHES: &str = "matches";

/// The runs of a method over a stream with every seed.
struct Runs {
    method: Method,
    events: u64,
    /// For each seed: the samples, and what was found.
    seeds: Vec<(Samples<()>, Sum)>,
}

impl Runs {
    /// A figure of the median run of each seed.
    fn medians(&self, of: impl Fn(f64, Sum) -> f64, wall: bool) -> Vec<f64> {
        let median = |(samples, sum): &(Samples<()>, Sum)| {
            let times = if wall { samples.wall_summary() } else { samples.cpu_summary() };
            times.map(|times| of(times.median, *sum))
        };
        self.seeds.iter().filter_map(median).collect()
    }

    /// CPU times of all rounds with all seeds.
    fn all(&self) -> Vec<f64> {
        self.seeds.iter().flat_map(|(samples, _)| samples.cpu.iter().copied()).collect()
    }
}

/// All methods at all sizes take turns, one seed after the other.
fn measure(context: &Context<'_>) -> Result<Vec<Runs>> {
    let sizes = sizes(context.scale);
    let places: Vec<(Method, u64)> =
        sizes.iter().flat_map(|&size| METHODS.map(|method| (method, size))).collect();
    let mut runs: Vec<Runs> =
        places.iter().map(|&(method, events)| Runs { method, events, seeds: Vec::new() }).collect();
    for seed in seeds(context.seed) {
        let load = Load::table1(sizes.last().copied().unwrap_or(0), seed)?;
        let set = load.set(Semantics::Any)?;
        let mut contenders = Vec::new();
        let mut sums = Vec::new();
        for &(method, size) in &places {
            let prepared = detector(&set, method)?;
            let events = Rc::clone(&load.events);
            let run = move || engines::read(prepared.clone(), &events[..size as usize]);
            let expected = run()?;
            sums.push(expected);
            contenders.push(Contender::new(method.name(), move || {
                let sum = run()?;
                if sum == expected {
                    return Ok(());
                }
                Err(Error::disagreement(format!("{sum:?}, and {expected:?} before")))
            }));
        }
        // A size at a time: its methods come first, each compared with the others.
        for (of_size, size) in sums.chunks(METHODS.len()).zip(&sizes) {
            let named: Vec<(&str, Sum)> =
                METHODS.iter().map(|one| one.name()).zip(of_size.iter().copied()).collect();
            agree(&named).map_err(|error| error.within(format!("{size} events")))?;
        }
        let samples = interleave(&mut contenders, &rounds(context), context.progress)?;
        for ((runs, samples), sum) in runs.iter_mut().zip(samples).zip(sums) {
            runs.seeds.push((samples, sum));
        }
    }
    Ok(runs)
}

/// The runs of two methods over equally many events.
fn pairs(runs: &[Runs], a: Method, b: Method) -> impl Iterator<Item = (&Runs, &Runs)> {
    runs.iter().filter(move |one| one.method == a).filter_map(move |one| {
        let other = runs.iter().find(|other| other.method == b && other.events == one.events)?;
        Some((one, other))
    })
}

fn neighbours() -> impl Iterator<Item = (Method, Method)> {
    METHODS.windows(2).map(|pair| (pair[0], pair[1])).chain([(Method::Proposed, Method::Single)])
}

fn method_text(measured: &str) -> String {
    format!(
        "The parameters of Table 1 but for the length of the stream, {SEEDS} seeds; semantics any. \
         {measured} A run takes a detector that was prepared before, copies it, pushes every event and \
         reads every index of every match; one thread, events in memory. All methods at all lengths \
         take turns, each seed in rounds of its own; points are means of the seeds' medians with the \
         least and the most, ratios are paired within a round, of all seeds together. What is found, \
         indices and order included, is compared before, and sums in every run.\n\n{MECHANISM}"
    )
}

impl Experiment for Time {
    fn about(&self) -> About {
        let names = METHODS.map(|method| cpu(method.name()));
        let series = plots::borrow(&names);
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
            claims: vec![
                Claim::new(
                    "proposed < sharing < optimized < single at every scale",
                    "proposed < sharing < optimized < single",
                    Rule::below_in_turn(&series),
                ),
                Claim::new("proposed < single", "least time", Rule::below(&names[0], &names[3])),
                Claim::new(
                    "close together at small scale, apart at large: single minus proposed grows",
                    "similar in small streams, superior as the stream grows",
                    Rule::rises(&[APART]),
                ),
            ],
            plots: vec![
                plots::log_lines("Detection time", "events", "CPU time", &series),
                plots::table("CPU time in milliseconds", "events", &series),
                plots::table("What was found", "events", &[MATCHES]),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        check(context)
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let runs = measure(context)?;
        for one in &runs {
            let (x, name) = (one.events as f64, one.method.name());
            for (series, wall) in [(cpu(name), false), (name.to_owned(), true)] {
                let times = over_seeds(&one.medians(|time, _| time * 1e3, wall));
                times.into_iter().for_each(|times| context.record.point(&series, x, times, "ms"));
            }
        }
        for (a, b) in neighbours() {
            for (one, other) in pairs(&runs, a, b) {
                if let Some(summary) = Summary::of_ratios(&one.all(), &other.all()) {
                    let series = ratio(&cpu(a.name()), &cpu(b.name()));
                    context.record.point(&series, one.events as f64, summary, "ratio");
                }
            }
        }
        for (proposed, single) in pairs(&runs, Method::Proposed, Method::Single) {
            let apart = single.all().into_iter().zip(proposed.all());
            let apart: Vec<f64> =
                apart.map(|(single, proposed)| (single - proposed) * 1e3).collect();
            if let Some(summary) = Summary::of(&apart) {
                context.record.point(APART, proposed.events as f64, summary, "ms");
            }
        }
        Ok(())
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        steps(rows, cpu, |a, b| b / a, "How much less time it takes")
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
                    "proposed > sharing > optimized > single at every scale",
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
                plots::table("What was found", "events", &[MATCHES]),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        check(context)
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let runs = measure(context)?;
        for one in &runs {
            let (x, name, events_read) = (one.events as f64, one.method.name(), one.events as f64);
            let matches = one.medians(|time, sum| sum.matches as f64 / time / 1e6, false);
            let read = one.medians(|time, _| events_read / time / 1e6, false);
            for (series, values, unit) in
                [(rate(name), matches, "M matches/s"), (events(name), read, "M events/s")]
            {
                if let Some(summary) = over_seeds(&values) {
                    context.record.point(&series, x, summary, unit);
                }
            }
        }
        for (a, b) in neighbours() {
            for (one, other) in pairs(&runs, a, b) {
                // Both found the same: throughputs are as times, the other way round.
                if let Some(summary) = Summary::of_ratios(&other.all(), &one.all()) {
                    let series = ratio(&rate(a.name()), &rate(b.name()));
                    context.record.point(&series, one.events as f64, summary, "ratio");
                }
            }
        }
        Ok(())
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        steps(rows, rate, |a, b| a / b, "How much higher the throughput is")
    }
}

/// How many times better each method is than the next one in the longest stream.
fn steps(
    rows: &[&Row],
    of: impl Fn(&str) -> String,
    better: impl Fn(f64, f64) -> f64,
    what: &str,
) -> Vec<String> {
    let Some(x) = plots::last(rows, &of(Method::Single.name())).map(|row| row.x.clone()) else {
        return Vec::new();
    };
    let value = |method: Method| plots::value(rows, &of(method.name()), &x);
    let step = |(a, b)| Some(format!("{a} to {b} {:.2}", better(value(a)?, value(b)?)));
    let steps: Option<Vec<String>> = neighbours().map(step).collect();
    let text =
        |steps: Vec<String>| format!("{what} at {x} events, as factors: {}.", steps.join(", "));
    steps.map(text).into_iter().collect()
}
