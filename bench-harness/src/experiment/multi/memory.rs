//! Memory against the scale of the stream: Fig. 15.

use std::rc::Rc;

use multipattern::{Method, Ring, Semantics};

use super::detection::sizes;
use super::engines::{Load, SEEDS, agree, answer, detector, seeds};
use super::plots::{self, over_seeds};
use super::race::{METHODS, record_peaks};
use super::ring::{self, CROSSED, crossed};
use crate::claim::{Claim, Rule};
use crate::error::{Error, Result};
use crate::experiment::{About, Context, Experiment, Kind};
use crate::measure::memory::Heap;
use crate::number::grouped;
use crate::record::{Row, X};

/// The figure.
#[derive(Debug)]
pub struct Memory;

/// The live structures are looked at after every so many events.
const STEP: usize = 16;

/// The series of the heap.
pub fn heap_of(method: Method) -> String {
    heap(method.name())
}

fn heap(way: &str) -> String {
    format!("{way}, heap")
}

fn live(method: Method) -> String {
    format!("{method}, live structures")
}

fn partial(method: Method) -> String {
    format!("{method}, partial matches")
}

/// The method that a probe is of.
pub fn method_of(probe: &str) -> Result<Method> {
    let known = METHODS.into_iter().find(|method| method.name() == probe);
    known.ok_or_else(|| Error::usage(format!("there is no memory probe {probe}")))
}

/// A method that is itself or crossed with the ring.
fn way_of(probe: &str) -> Result<(Method, Ring)> {
    match CROSSED.into_iter().find(|(way, ..)| *way == probe) {
        Some((_, method, ring)) => Ok((method, ring)),
        None => Ok((method_of(probe)?, Ring::ByMethod)),
    }
}

/// What heaps the methods need at an x, and where the proposed method needs more than another.
pub fn needs(rows: &[&Row], x: &X, at: &str) -> Vec<String> {
    let value = |method: Method| Some((method, plots::value(rows, &heap_of(method), x)?));
    let heaps: Option<Vec<(Method, f64)>> = METHODS.into_iter().map(value).collect();
    let Some([(_, proposed), others @ ..]) = heaps.as_deref() else { return Vec::new() };
    let list: Vec<String> =
        others.iter().map(|(other, heap)| format!("{other} {:.2}", heap / proposed)).collect();
    let mut sentences = vec![format!(
        "At {at} the proposed method's heap grew by {} kB; as multiples of that: {}.",
        grouped((proposed / 1e3).round()),
        list.join(", ")
    )];
    let less: Vec<&str> =
        others.iter().filter(|(_, heap)| heap < proposed).map(|(other, _)| other.name()).collect();
    if !less.is_empty() {
        sentences.push(format!(
            "It needs more memory than {}. Lists of pairs are kept only where at least 32 patterns have a \
             pair and every match is read; what the ring and what decomposition needs is told apart in \
             Fig. 15.",
            less.join(" and ")
        ));
    }
    sentences
}

impl Experiment for Memory {
    fn about(&self) -> About {
        let [heaps, bytes, instances] = [heap_of, live, partial].map(|of| METHODS.map(of));
        let [heap_names, byte_names] = [&heaps, &bytes].map(|names| plots::borrow(names));
        let order = "proposed < sharing < optimized < single";
        let step = |smaller: usize, larger: usize, text: &str| {
            Claim::new(
                text,
                "as the order says",
                Rule::ordered(&[heap_names[smaller], heap_names[larger]]),
            )
            .our_reading()
        };
        let apart = |text: &str, smaller: &str, larger: &str| {
            let rule = Rule::ordered(&[&heap(smaller), &heap(larger)]);
            Claim::new(text, "less memory", rule).our_check()
        };
        About {
            id: "multi-fig15".to_owned(),
            kind: Kind::Figure,
            title: "Memory against the scale of the stream".to_owned(),
            paper: "Fig. 15: the proposed method consumes least memory, then the multi-pattern \
                    sharing method, then the optimized one; single pattern detection consumes most. \
                    No numbers are given."
                .to_owned(),
            method: format!(
                "The parameters of Table 1 but for the length of the stream, {SEEDS} seeds; semantics \
                 any. Heap: the growth of its peak under a counting allocator, in a process of its own \
                 for each method, from before the detector is made from the set of patterns to after \
                 the last event; matches are read and not kept. Live structures: the most bytes that \
                 the detector's own statistics show, looked at after every {STEP} events; partial \
                 matches: the most that it remembered one by one. Means of the seeds with the least \
                 and the most; the claims compare the means exactly.\n\nThe mechanism of each step. \
                 Single keeps every partial match. Optimized keeps none: only the events of the \
                 window by type, and a plan and a number for each prefix, all of this for every \
                 pattern. Sharing keeps windows and numbers of prefixes once for all patterns. \
                 Proposed adds to that what pairs of operands share (with the ring only if at least 32 \
                 patterns have a pair), which is memory that it spends to save time; and it keeps the stream as a ring of its last events, which takes less than \
                 windows do, has nothing to do with decomposition, and would serve sharing as well. So \
                 both are shown with the ring and without: only two that both have it, or both have it \
                 not, say what decomposition needs."
            ),
            reconstruction: Some(
                "The picture is lost; 10^3 to 10^5 events leads up to Table 1. Whether the paper \
                 counts the program and the stream as well is open: we count what a method allocates."
                    .to_owned(),
            ),
            claims: vec![
                Claim::new(format!("{} at every scale", ring::ORDER), order, Rule::ordered(&heap_names)),
                Claim::new(
                    "proposed < single at every scale",
                    "least memory",
                    Rule::ordered(&[heap_names[0], heap_names[3]]),
                ),
                step(1, 2, "sharing < optimized at every scale"),
                step(0, 1, "proposed (which has the ring) < sharing (which has not) at every scale"),
                apart(
                    "what decomposition needs: proposed < sharing at every scale, both with the ring",
                    Method::Proposed.name(),
                    ring::SHARING_RING,
                ),
                apart(
                    "what decomposition needs: proposed < sharing at every scale, both without the ring",
                    ring::PROPOSED_ALONE,
                    Method::Sharing.name(),
                ),
                Claim::new(
                    "of the four only single keeps partial matches",
                    "none",
                    Rule::same(&plots::borrow(&instances[..3])),
                )
                .our_check(),
            ],
            plots: vec![
                plots::log_lines("Peak of the heap", "events", "heap", &heap_names),
                plots::table("Peak of the heap in bytes", "events", &heap_names),
                plots::table(
                    "Sharing and proposed with the ring and without, peak of the heap in bytes",
                    "events",
                    &plots::borrow(&ring::apart(heap)),
                ),
                plots::table("Most bytes of live structures", "events", &byte_names),
                plots::table("Most partial matches at once", "events", &plots::borrow(&instances)),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let sizes = sizes(context.scale);
        let mut found = vec![[const { (Vec::new(), Vec::new()) }; METHODS.len()]; sizes.len()];
        for seed in seeds(context.seed) {
            let load = Load::table1(sizes.last().copied().unwrap_or(0), seed)?;
            let set = load.set(Semantics::Any)?;
            for (&size, found) in sizes.iter().zip(&mut found) {
                let mut answers = Vec::new();
                for (method, (bytes, instances)) in METHODS.into_iter().zip(found) {
                    let (mut most, mut at_once, mut events) = (0, 0, 0);
                    let events_of_size = &load.events[..size as usize];
                    let answer = answer(detector(&set, method)?, events_of_size, |detector| {
                        events += 1;
                        if events % STEP == 0 || events == size as usize {
                            let stats = detector.stats();
                            most = most.max(stats.bytes);
                            at_once = at_once.max(stats.instances);
                        }
                    })?;
                    answers.push((method.name(), answer));
                    bytes.push(most as f64);
                    instances.push(at_once as f64);
                }
                agree(&answers)?;
            }
        }
        for (&size, found) in sizes.iter().zip(&found) {
            for (method, (bytes, instances)) in METHODS.into_iter().zip(found) {
                for (series, values, unit) in
                    [(live(method), bytes, "bytes"), (partial(method), instances, "")]
                {
                    if let Some(summary) = over_seeds(values) {
                        context.record.point(&series, size as f64, summary, unit);
                    }
                }
            }
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let ways = METHODS.map(Method::name).into_iter().chain(CROSSED.map(|(way, ..)| way));
        context.memories(&ways.collect::<Vec<_>>()).map(drop)
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let Some(x) = plots::last(rows, &heap_of(Method::Proposed)).map(|row| row.x.clone()) else {
            return Vec::new();
        };
        let mut all = needs(rows, &x, &format!("{x} events"));
        let value = |way: &str| plots::value(rows, &heap(way), &x);
        let both = |a, b| Some(value(a)? / value(b)?);
        let (proposed, sharing) = (Method::Proposed.name(), Method::Sharing.name());
        if let (Some(with), Some(without), Some(ring)) = (
            both(proposed, ring::SHARING_RING),
            both(ring::PROPOSED_ALONE, sharing),
            both(ring::SHARING_RING, sharing),
        ) {
            all.push(format!(
                "What decomposition shares makes the heap {with:.2} times as large with the ring \
                 (proposed to sharing, both with it), and {without:.2} times without it; the ring alone \
                 makes that of sharing {ring:.2} times as large."
            ));
        }
        all
    }

    fn probe(&self, name: &str, context: &mut Context<'_>, counting: &dyn Heap) -> Result<u64> {
        let (method, ring) = way_of(name)?;
        let sizes = sizes(context.scale);
        record_peaks(context, counting, &heap(name), |seed| {
            let load = Load::table1(sizes.last().copied().unwrap_or(0), seed)?;
            let set = Rc::new(load.set(Semantics::Any)?);
            let place = |&size: &u64| {
                let (set, events) = (Rc::clone(&set), Rc::clone(&load.events));
                (size as f64, move || crossed(&set, method, ring), events, size as usize)
            };
            Ok(sizes.iter().map(place).collect())
        })
    }
}
