//! Our own check: one shared model against independent patterns, and against a peer.

use std::ops::ControlFlow;

use data_gen::patterns::Shape;
use multipattern::{Detector, Match, Method, Semantics, Visit};

use super::engines::{self, BATCH, Load, agree, answer, detector, fail, warm_contender};
use super::plots::{self, cpu};
use super::race::MECHANISM;
use super::strict::Peer;
use crate::claim::{Claim, Rule, ratio};
use crate::error::{Error, Result};
use crate::experiment::{About, Context, Experiment, Kind, Scale};
use crate::measure::{Contender, Samples, interleave};
use crate::record::Row;

/// The check.
#[derive(Debug)]
pub struct Speed;

const ANY_SINGLE: &str = "any, single";
const ANY: &str = "any, proposed";
const ANY_COUNT: &str = "any, proposed counting";
const NEXT_SINGLE: &str = "next, single";
const NEXT: &str = "next, proposed";
const STRICT_PEER: &str = "strict, DFA of aho-corasick";
const STRICT: &str = "strict, proposed";
const STRICT_SINGLY: &str = "strict, proposed, event by event";
const SERIES: [&str; 8] =
    [ANY_SINGLE, ANY, ANY_COUNT, NEXT_SINGLE, NEXT, STRICT_PEER, STRICT, STRICT_SINGLY];

const ROUTES: &str = "4000 route-like";

/// A set of patterns: its name, its shape, its number.
const SETS: [(&str, Shape, u64); 4] = [
    ("40", Shape::Random, 40),
    ("400", Shape::Random, 400),
    ("4000", Shape::Random, 4000),
    (ROUTES, Shape::Routes, 4000),
];

/// Slower one, faster one, at which sets, the least ratio, and what to call it.
const BARS: [(&str, &str, &str, f64); 9] = [
    (ANY_SINGLE, ANY, "40", 12.0),
    (ANY_SINGLE, ANY, "400", 24.0),
    (ANY_SINGLE, ANY, "4000", 50.0),
    (ANY_SINGLE, ANY, ROUTES, 80.0),
    (ANY_SINGLE, ANY_COUNT, "40", 18.0),
    (NEXT_SINGLE, NEXT, "40", 5.5),
    (STRICT_PEER, STRICT, "40", 0.9),
    (STRICT_PEER, STRICT, "400", 1.05),
    (STRICT_PEER, STRICT, "4000", 1.4),
];

/// The pairs whose ratios are recorded, slower one first.
const PAIRS: [(&str, &str); 5] = [
    (ANY_SINGLE, ANY),
    (ANY_SINGLE, ANY_COUNT),
    (NEXT_SINGLE, NEXT),
    (STRICT_PEER, STRICT),
    (STRICT_PEER, STRICT_SINGLY),
];

/// So many of the events before are read by each copy, if there are any before.
const WARM: usize = 100;

/// How many events of the stream are read in the time, and how many before it: then windows are full, and
/// what is made when it is first needed is there. An automaton under strict is in its course after a few
/// events, so none are read before.
fn events(scale: Scale, semantics: Semantics, patterns: u64) -> (u64, usize) {
    let (all, least, before) = match scale {
        Scale::Tiny => (2000, 60, 20),
        // With 4000 patterns single takes half a millisecond for an event.
        Scale::Quick => (10_000, 300, 500),
        Scale::Paper | Scale::Full => (100_000, 5000, 1000),
    };
    match semantics {
        // There are as many matches more as there are patterns.
        Semantics::Any => ((all * 40 / patterns).max(least), before),
        Semantics::Next => (all, before),
        Semantics::Strict => (all * 20, 0),
    }
}

fn load(
    context: &Context<'_>,
    (_, shape, patterns): (&str, Shape, u64),
    semantics: Semantics,
) -> Result<(Load, usize)> {
    let (events, before) = events(context.scale, semantics, patterns);
    let load = Load::new(shape, patterns, events + before as u64, context.seed)?;
    Ok((load, before))
}

/// The semantics that a set is measured under.
fn semantics_of((name, ..): (&str, Shape, u64)) -> &'static [Semantics] {
    match name {
        "40" => &[Semantics::Any, Semantics::Next, Semantics::Strict],
        ROUTES => &[Semantics::Any],
        _ => &[Semantics::Any, Semantics::Strict],
    }
}

fn found(semantics: Semantics) -> String {
    format!("matches, {}", format!("{semantics:?}").to_lowercase())
}

impl Experiment for Speed {
    fn about(&self) -> About {
        let claims = BARS.map(|(slower, faster, at, bar)| {
            let rule = Rule::Fold {
                a: cpu(slower),
                b: cpu(faster),
                from: bar,
                to: f64::INFINITY,
                at: vec![at.into()],
            };
            let text =
                format!("{faster}, {at} patterns: at least {bar} times the speed of {slower}");
            Claim::new(text, format!("a ratio of at least {bar}"), rule).our_check()
        });
        About {
            id: "multi-speed".to_owned(),
            kind: Kind::Check,
            title: "One model against many, and against an automaton for bytes".to_owned(),
            paper: "Nothing: this is a check of our own.".to_owned(),
            method: format!(
                "Patterns and events as in Table 1, but more patterns; the last set has sub-sequences \
                 of 20 routes of 12 stops for patterns. Of the stream so much is read that each run \
                 takes a while: fewer events where there are more patterns. Every index of every \
                 match is read; counting takes numbers of matches by pattern instead. Single is \
                 eager: a pattern at a time, every partial match kept. {BATCH} An event is a byte, its \
                 type. The crate's own bench does the same.\n\nWhat is measured is the steady state. \
                 Under any and next a run takes a copy of a detector that has read some of the stream \
                 before, as many events for both sides: windows are full. The last {WARM} of them each copy \
                 reads itself, right before its time begins: so neither side begins with what the other \
                 one's run left in the caches. Under strict the peer is the \
                 DFA of the crate aho-corasick. Both sides read an array of the same bytes, several \
                 hundred thousand of them, from the start of their automata, which are made once and \
                 are warm: a copy of a detector shares the table. The peer gives all overlapping \
                 matches. What the engine takes under strict when events are pushed one by one, which \
                 no bar is about, is shown as well. Neither making a copy nor making the DFA is in the \
                 time. What is found is compared before, with indices and order (for the peer sorted, \
                 since it gives matches that end together in another order), and sums in every run. One \
                 thread, CPU times, all contenders take turns.\n\n\
                 {MECHANISM} Under next, starts of all patterns move together along shared prefixes \
                 as bits. Under strict, state transition and failure transition are one dense table; a \
                 state is made by no more events than the longest pattern has, so that four parts of \
                 the stream are read side by side."
            ),
            reconstruction: None,
            claims: claims.to_vec(),
            plots: vec![
                plots::ratios("Single to proposed, any, every match read", "patterns", &PAIRS[..1]),
                plots::ratios("Single to proposed, any, counting", "patterns", &PAIRS[1..2]),
                plots::ratios("Single to proposed, next", "patterns", &PAIRS[2..3]),
                plots::ratios("DFA of aho-corasick to proposed, strict", "patterns", &PAIRS[3..4]),
                plots::ratios("The same, events pushed one by one", "patterns", &PAIRS[4..]),
                plots::table("CPU time for an event in nanoseconds", "patterns", &SERIES),
                plots::table(
                    "What was found",
                    "patterns",
                    &plots::borrow(
                        &[Semantics::Any, Semantics::Next, Semantics::Strict].map(found),
                    ),
                ),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        for one in SETS {
            for &semantics in semantics_of(one) {
                let (load, _) = load(context, one, semantics)?;
                let set = load.set(semantics)?;
                let mut answers = Vec::new();
                for method in Method::COMPARED {
                    let answer = answer(detector(&set, method)?, &load.events, |_| ())?;
                    answers.push((method.name(), answer));
                }
                agree(&answers)?;
                let matches = answers.first().map_or(0, |(_, answer)| answer.matches);
                let counted = engines::count(&mut detector(&set, Method::Proposed)?, &load.events)?;
                agree(&[("reading", matches), ("counting", counted)])?;
                if semantics == Semantics::Strict {
                    let ours = starts(detector(&set, Method::Proposed)?, &load)?;
                    if ours != Peer::new(&load)?.matches()? {
                        let message = "aho-corasick and multipattern find different matches";
                        return Err(Error::disagreement(message));
                    }
                }
                context.record.data_sha256(Some(load.sha256.clone()));
                context.record.count(&found(semantics), one.0, matches, "");
            }
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        for one in SETS {
            for &semantics in semantics_of(one) {
                let (load, before) = load(context, one, semantics)?;
                let samples = run(context, &load, before, semantics)?;
                context.record.data_sha256(Some(load.sha256.clone()));
                for one_way in &samples {
                    if let Some(times) = one_way.cpu_summary() {
                        let times = times.scale(1e9 / (load.events.len() - before) as f64);
                        context.record.point(&one_way.name, one.0, times, "ns");
                    }
                }
                for (slower, faster) in PAIRS {
                    let way = |name| samples.iter().find(|way: &&Samples<()>| way.name == name);
                    if let (Some(slower), Some(faster)) = (way(slower), way(faster)) {
                        context.record.ratio(one.0, slower, faster);
                    }
                }
            }
        }
        Ok(())
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let one = |(slower, faster): (&str, &str)| {
            let name = ratio(&cpu(slower), &cpu(faster));
            let points: Vec<String> = rows
                .iter()
                .filter(|row| row.series == name)
                .map(|row| format!("{} at {}", crate::number::short(row.value), row.x))
                .collect();
            (!points.is_empty()).then(|| {
                format!("{slower} to {faster}, CPU time by patterns: {}.", points.join(", "))
            })
        };
        PAIRS.into_iter().filter_map(one).collect()
    }
}

/// All ways to read a load behind so many events, each compared with its first run in every run.
fn run(
    context: &Context<'_>,
    load: &Load,
    before: usize,
    semantics: Semantics,
) -> Result<Vec<Samples<()>>> {
    let set = load.set(semantics)?;
    let letters = load.letters();
    let (first, events) = letters.split_at(before);
    let (first, warm) = first.split_at(before.saturating_sub(WARM));
    let in_course = |method| {
        let mut detector = detector(&set, method)?;
        engines::read(&mut detector, first)?;
        Ok::<_, Error>(detector)
    };
    let (single, proposed) = (in_course(Method::Single)?, in_course(Method::Proposed)?);
    let mut in_caches = proposed.clone();
    engines::read(&mut in_caches, warm)?;
    let expected = engines::read(&mut in_caches, events)?;
    // What they read is the same for all, and is compared with what is read behind it.
    let read_warm = |one: &mut Detector| {
        let _ = engines::read(one, warm);
    };
    let reader = |name, detector: &Detector| {
        let read = |one: &mut Detector| engines::read(one, events);
        warm_contender(name, detector.clone(), read_warm, expected, read)
    };
    let mut ways = match semantics {
        Semantics::Any => {
            let count = |one: &mut Detector| engines::count(one, events);
            vec![
                reader(ANY_SINGLE, &single),
                reader(ANY, &proposed),
                warm_contender(
                    ANY_COUNT,
                    proposed.clone(),
                    |one| {
                        let _ = engines::count(one, warm);
                    },
                    expected.matches,
                    count,
                ),
            ]
        }
        Semantics::Next => vec![reader(NEXT_SINGLE, &single), reader(NEXT, &proposed)],
        Semantics::Strict => {
            let peer = Peer::new(load)?;
            let singly = |one: &mut Detector| engines::read_singly(one, events);
            let read = move || match peer.read()? {
                found if found == expected => Ok(()),
                found => Err(Error::disagreement(format!(
                    "aho-corasick finds {found:?}, but {expected:?} is right"
                ))),
            };
            vec![
                Contender::new(STRICT_PEER, read),
                reader(STRICT, &proposed),
                warm_contender(STRICT_SINGLY, proposed.clone(), read_warm, expected, singly),
            ]
        }
    };
    interleave(&mut ways, &context.plan(), context.progress)
}

/// The pattern and first index of all matches, in the engine's order.
fn starts(mut detector: Detector, load: &Load) -> Result<Vec<(u32, u64)>> {
    let mut found = Vec::new();
    let mut sink = Visit(|one: Match<'_>| {
        found.extend(one.events.first().map(|&first| (one.pattern.0, first)));
        ControlFlow::Continue(())
    });
    for event in load.events.iter() {
        let _ = detector.push(event, &mut sink).map_err(fail)?;
    }
    Ok(found)
}
