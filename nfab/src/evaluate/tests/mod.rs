//! The shared evaluations against runs moved one by one, on random programs: stranger ones than the
//! front ends make.

mod programs;
mod reference;

use std::ops::ControlFlow;

use proptest::prelude::*;

use super::{Choices, Compact, Grouped};
use crate::config::Config;
use crate::event::{Record, TypeId};
use crate::history::EventStore;
use crate::nfa::Automaton;
use crate::predicate::evaluate::Faults;
use crate::runtime::context::{Context, Facts};
use crate::runtime::evaluator::{Arrival, Evaluator, Key, Taken};
use crate::stats::Stats;
use programs::{automaton, program, schema, sequence};
use reference::Reference;

/// Numbers first, then stages.
fn order(matches: impl Iterator<Item = Vec<(u64, u32)>>) -> Vec<(Vec<u64>, Vec<u32>)> {
    let mut all: Vec<(Vec<u64>, Vec<u32>)> = matches.map(|m| m.into_iter().unzip()).collect();
    all.sort();
    all.dedup();
    all
}

/// How the matches of an event are asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ask {
    Enumerate,
    Count,
    First(usize),
}

type Stream = Vec<(i64, i64, bool)>;

fn check<V: Evaluator<Record>>(
    automaton: &Automaton,
    mut evaluator: V,
    stream: &Stream,
    ask: impl Fn(usize) -> Ask,
    collect_every: usize,
) {
    let (_, val) = schema();
    let mut reference = Reference { automaton, runs: vec![], faults: Faults::default() };
    let mut part = evaluator.part();
    let mut store = EventStore::new();
    let (config, faults) = (Config::default(), Faults::default());
    let mut facts = Facts::new(automaton);
    // An output, which has no name out of the runtime.
    let mut out = Default::default();
    let mut stats = Stats::default();
    let mut time = 0;
    let mut horizon = Key::MIN;
    macro_rules! context {
        ($now:expr) => {
            Context {
                automaton,
                config: &config,
                facts: &mut facts,
                faults: &faults,
                store: &store,
                horizon,
                now: $now,
                watermark: Some(time),
                recheck: false,
                out: &mut out,
                stats: &mut stats,
            }
        };
    }
    macro_rules! gathered {
        () => {{
            let mut found: Vec<(Vec<u64>, Vec<u32>)> = Vec::new();
            while out.matches() > 0 {
                let events = out.newest().iter();
                found.push(events.map(|&(stage, at)| (store.arrival(at), stage)).unzip());
                out.take_back();
            }
            found.reverse();
            found
        }};
    }
    macro_rules! ready {
        ($found:expr) => {{
            let flow = evaluator.enumerate(&mut part, &mut |m: &[Taken]| {
                let m = m.iter().map(|&(stage, at)| (store.arrival(at), stage));
                $found.push(m.unzip());
                ControlFlow::Continue(())
            });
            assert!(flow.is_continue());
        }};
    }
    // The matches that come out when windows pass.
    macro_rules! released {
        ($horizon:expr) => {{
            let mut found: Vec<(Vec<u64>, Vec<u32>)> = Vec::new();
            if evaluator.release(&mut part, $horizon) {
                ready!(found);
            }
            found
        }};
    }
    // The same, one first event after the other.
    macro_rules! narrowed {
        ($horizon:expr) => {{
            let mut found: Vec<(Vec<u64>, Vec<u32>)> = Vec::new();
            let mut after = None;
            while evaluator.releases() && evaluator.has_matches(&part) {
                after = evaluator.narrow(&mut part, $horizon, after);
                if after.is_none() {
                    break;
                }
                ready!(found);
            }
            found
        }};
    }
    for (number, &(pause, value, foreign)) in stream.iter().enumerate() {
        time += pause;
        let event = Record::new(TypeId(0), time).with(val, value);
        let window = automaton.program.window;
        let number64 = number as u64;
        let key = window.key(number64, time);
        horizon = window.horizon(number64, time);
        let expected = reference.expire(Some(horizon));
        if evaluator.prompt() {
            let expected = order(expected.into_iter().map(|run| run.taken));
            assert_eq!(released!(Some(horizon)), expected, "window before {number}");
            assert_eq!(narrowed!(Some(horizon)), expected, "window before {number}, by starts");
            evaluator.expire(&mut part, &mut context!(Some(time))).expect("no failure");
        }
        facts.next_event();
        let expected = reference.show(number64, key, (!foreign).then_some(&event));
        if reference.runs.len() > 3000 {
            return;
        }
        let expected = order(expected.into_iter().map(|run| run.taken));
        if foreign {
            evaluator.foreign(&mut part, &mut context!(Some(time))).expect("no failure");
            assert_eq!(gathered!(), expected, "foreign event {number}");
            continue;
        }
        // Kept until it turns out that nobody needs it, as in an engine.
        let place = store.push(number64, key, event.clone());
        let arrival = Arrival { event: &event, number: number64, time, place };
        let shown = evaluator.show(&mut part, &arrival, &mut context!(Some(time)));
        let kept = shown.expect("no failure");
        assert_eq!(evaluator.has_matches(&part), !expected.is_empty());
        match ask(number) {
            Ask::Count => {
                if let Some(count) = evaluator.count(&mut part) {
                    assert_eq!(count, expected.len() as u64, "count at {number}");
                }
            }
            how => {
                let most = if let Ask::First(most) = how { most } else { usize::MAX };
                let mut found: Vec<(Vec<u64>, Vec<u32>)> = Vec::new();
                let flow = evaluator.enumerate(&mut part, &mut |m: &[Taken]| {
                    let m = m.iter().map(|&(stage, at)| (store.arrival(at), stage));
                    found.push(m.unzip());
                    match found.len() >= most {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    }
                });
                let wanted = expected.len().min(most);
                assert_eq!(found, expected[..wanted], "matches at {number}");
                assert_eq!(flow.is_break(), expected.len() >= most);
            }
        }
        if !kept {
            store.pop();
        }
        if (number + 1) % collect_every == 0 {
            let mut used = store.marks();
            let mut cx = context!(Some(time));
            evaluator.collect(&mut std::iter::once(&mut part), &mut cx, &mut used);
            let moved = store.compact(&used);
            evaluator.renumber(&mut std::iter::once(&mut part), &moved);
        }
    }
    let expected = order(reference.expire(None).into_iter().map(|run| run.taken));
    assert_eq!(released!(None), expected, "end of the stream");
    assert_eq!(narrowed!(None), expected, "end of the stream, by starts");
    evaluator.expire(&mut part, &mut context!(None)).expect("no failure");
    assert!(evaluator.is_empty(&part));
    assert_eq!(evaluator.cells(), 0);
}

fn stream() -> impl Strategy<Value = Stream> {
    let event = (0i64..3, 0i64..6, prop::bool::weighted(0.1));
    prop::collection::vec(event, 0..11)
}

fn asks() -> impl Strategy<Value = Vec<Ask>> {
    let any = prop_oneof![Just(Ask::Enumerate), Just(Ask::Count), (1usize..4).prop_map(Ask::First)];
    prop_oneof![
        Just(vec![Ask::Enumerate]),
        Just(vec![Ask::Count]),
        prop::collection::vec(any, 1..6),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn choices_are_as_runs(
        automaton in sequence(), stream in stream(), asks in asks(), every in 1usize..12,
    ) {
        let stream = stream.into_iter().map(|(pause, value, _)| (pause, value, false)).collect();
        let ask = |number: usize| asks[number % asks.len()];
        let choices = Choices::new(&automaton).expect("it is such a sequence");
        check(&automaton, choices, &stream, ask, every);
    }

    #[test]
    fn compact_is_as_runs(
        program in program(false), stream in stream(), asks in asks(), every in 1usize..12,
    ) {
        let automaton = automaton(&program, false);
        let ask = |number: usize| asks[number % asks.len()];
        check(&automaton, Compact::new(&automaton), &stream, ask, every);
    }

    #[test]
    fn grouped_is_as_runs(
        program in program(true), stream in stream(), asks in asks(), every in 1usize..12,
    ) {
        let automaton = automaton(&program, true);
        let ask = |number: usize| asks[number % asks.len()];
        check(&automaton, Grouped::new(&automaton), &stream, ask, every);
    }
}
