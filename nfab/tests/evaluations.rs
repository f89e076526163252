//! The evaluations against each other: the same matches, in the same order, by the same causes, and
//! as many as are counted.

mod common;
mod sase_oracle;

use std::ops::ControlFlow;

use common::patterns::{Back, pattern_that_looks};
use common::world;
use nfab::language::Query;
use nfab::{
    Automaton, Cause, CompileOptions, Config, Count, EndOfInput, Engine, Evaluation, KleeneOutput,
    Limit, Limits, Match, Policy, Record, Schema, Sink, TypeId, Value,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use sase_oracle::cases::{query, stream};
use sase_oracle::{Step, engine};

/// A match: what caused it, and its events with their stages.
type Found = (Cause, Vec<(u64, String)>);

/// Takes the first matches of each call.
struct First {
    most: usize,
    cause: Option<Cause>,
    taken: usize,
    found: Vec<Found>,
}

impl First {
    fn new(most: usize) -> Self {
        First { most, cause: None, taken: 0, found: Vec::new() }
    }
}

impl Sink<Record> for First {
    fn matched(&mut self, found: &Match<'_, Record>) -> ControlFlow<()> {
        if self.cause.replace(found.cause()) != Some(found.cause()) {
            self.taken = 0;
        }
        let events = found.events();
        let names = events.iter().map(|(name, _)| name.to_owned());
        self.found.push((found.cause(), events.numbers().zip(names).collect()));
        self.taken += 1;
        if self.taken < self.most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// What an engine is told: an event, or the time.
type Told = Result<Record, i64>;

fn tell(engine: &mut Engine<Record>, told: &Told, sink: &mut impl Sink<Record>) {
    let done = match told {
        Ok(event) => engine.push(event.clone(), sink),
        Err(time) => engine.advance_watermark(*time, sink),
    };
    done.expect("no failure");
}

fn config(end: bool) -> Config {
    Config::new().end_of_input(if end { EndOfInput::Max } else { EndOfInput::Silent })
}

fn first(automaton: &Automaton, all: &[Told], end: bool, most: usize) -> Vec<Found> {
    let mut engine = Engine::with_config(automaton.clone(), config(end));
    let mut sink = First::new(most);
    all.iter().for_each(|told| tell(&mut engine, told, &mut sink));
    engine.finish(&mut sink).expect("no failure");
    sink.found
}

fn count(automaton: &Automaton, all: &[Told], end: bool) -> u64 {
    let mut engine = Engine::with_config(automaton.clone(), config(end));
    let mut sink = Count::default();
    all.iter().for_each(|told| tell(&mut engine, told, &mut sink));
    engine.finish(&mut sink).expect("no failure");
    assert_eq!(engine.stats().matches, sink.matches);
    sink.matches
}

/// Counts and visits by turns; gives both numbers.
fn by_turns(automaton: &Automaton, all: &[Told], end: bool) -> (u64, usize) {
    let mut engine = Engine::with_config(automaton.clone(), config(end));
    let (mut counts, mut visits) = (Count::default(), First::new(usize::MAX));
    for (turn, told) in all.iter().enumerate() {
        if turn % 3 == 2 {
            tell(&mut engine, told, &mut visits);
        } else {
            tell(&mut engine, told, &mut counts);
        }
    }
    engine.finish(&mut counts).expect("no failure");
    (counts.matches, visits.found.len())
}

/// Compares an evaluation with runs.
fn compare(runs: &Automaton, other: &Automaton, all: &[Told], end: bool) {
    let expected = first(runs, all, end, usize::MAX);
    assert_eq!(first(other, all, end, usize::MAX), expected);
    assert_eq!(count(other, all, end), expected.len() as u64);
    for most in [1, 2] {
        assert_eq!(first(other, all, end, most), first(runs, all, end, most));
    }
    let (counted, visited) = by_turns(other, all, end);
    assert_eq!(counted + visited as u64, expected.len() as u64);
    assert_eq!((counted, visited), by_turns(runs, all, end));
}

const SHARED: [Evaluation; 2] = [Evaluation::Compact, Evaluation::Grouped];

fn told(schema: &Schema, step: &Step) -> Told {
    match step {
        Step::Watermark(time) => Err(*time),
        Step::Event(event) => {
            let kind = schema.type_id(event.kind).expect("a type of the schema");
            let set = |record: Record, (name, value): &(&str, Value)| {
                record.with(schema.slot(name).expect("an attribute"), value.clone())
            };
            Ok(event.attributes.iter().fold(Record::new(kind, event.time), set))
        }
    }
}

fn of_query(query: &Query, each: bool, evaluation: Evaluation) -> Option<Automaton> {
    let output = if each { KleeneOutput::Each } else { KleeneOutput::Maximal };
    let options = CompileOptions::new().kleene_output(output).evaluation(evaluation);
    Automaton::from_query(query, &engine::schema(), options).ok()
}

fn of_text(text: &str, evaluation: Evaluation) -> Automaton {
    of_query(&Query::parse(text).expect("a query"), true, evaluation).expect("it compiles")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn queries(query in query(), stream in stream(14), each in any::<bool>(), end in any::<bool>()) {
        if let Some(runs) = of_query(&query.0, each, Evaluation::Runs) {
            let schema = engine::schema();
            let all: Vec<Told> = stream.0.iter().map(|step| told(&schema, step)).collect();
            for evaluation in SHARED {
                if let Some(other) = of_query(&query.0, each, evaluation) {
                    compare(&runs, &other, &all, end);
                }
            }
        }
    }

    #[test]
    fn patterns_of_the_builder(
        pattern in prop_oneof![
            pattern_that_looks(Back::Nowhere),
            pattern_that_looks(Back::FirstAndLast),
        ],
        events in prop::collection::vec((0usize..3, 0i64..6, 0i64..3), 0..14),
        end in any::<bool>(),
    ) {
        let world = world();
        let compile = |evaluation| {
            let options = CompileOptions::new().follow_flink(true).evaluation(evaluation);
            Automaton::compile_with(&pattern, &world.schema, options)
        };
        if let Ok(runs) = compile(Evaluation::Runs) {
            let mut time = 0;
            let all: Vec<Told> = events
                .iter()
                .map(|&(kind, val, pause)| {
                    time += pause;
                    Ok(world.event(["A", "B", "C"][kind], time, val))
                })
                .collect();
            for evaluation in SHARED {
                if let Ok(other) = compile(evaluation) {
                    compare(&runs, &other, &all, end);
                }
            }
        }
    }
}

/// The comparisons are about something.
#[test]
fn many_queries_allow_a_shared_evaluation() {
    let mut runner = TestRunner::deterministic();
    let mut allowed = [0; 2];
    for _ in 0..400 {
        let query = query().new_tree(&mut runner).expect("a query").current();
        for (count, evaluation) in allowed.iter_mut().zip(SHARED) {
            *count += usize::from(of_query(&query.0, true, evaluation).is_some());
        }
    }
    assert!(allowed[0] > 40 && allowed[1] > allowed[0], "{allowed:?}");
}

fn letters(count: i64, kinds: u64) -> Vec<Told> {
    let schema = engine::schema();
    let all = ["A", "B", "C"].map(|name| schema.type_id(name).expect("a type"));
    let mut state = 7_u64;
    let letter = |time| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        Ok(Record::new(all[((state >> 33) % kinds) as usize], time))
    };
    (0..count).map(letter).collect()
}

/// How many triples of an A, a B and a C there are in a window, by the definition.
fn triples(all: &[Told], window: usize) -> u64 {
    let schema = engine::schema();
    let kind = |at: usize, name| {
        let kind: TypeId = schema.type_id(name).expect("a type");
        nfab::Event::event_type(all[at].as_ref().expect("an event")) == kind
    };
    let mut triples = 0;
    for last in (0..all.len()).filter(|&at| kind(at, "C")) {
        let mut starts = 0;
        for at in (last + 1).saturating_sub(window)..last {
            starts += u64::from(kind(at, "A"));
            triples += if kind(at, "B") { starts } else { 0 };
        }
    }
    triples
}

#[test]
fn windows() {
    let all = letters(500, 3);
    for window in [1, 2, 63, 64, 65, 200] {
        let text = |unit: &str| {
            format!("PATTERN SEQ(A a, B b, C c) WHERE skip_till_any_match WITHIN {unit}")
        };
        // Both windows hold so many events.
        let texts = [text(&format!("{window} EVENTS")), text(&format!("{} ms", window - 1))];
        let expected = triples(&all, window);
        for text in texts.iter().filter(|text| !text.contains(" 0 ms")) {
            for evaluation in SHARED {
                let automaton = of_text(text, evaluation);
                assert_eq!(count(&automaton, &all, false), expected, "{text} {evaluation:?}");
            }
            if window <= 65 {
                let runs = of_text(text, Evaluation::Runs);
                SHARED.iter().for_each(|&e| compare(&runs, &of_text(text, e), &all, false));
            }
        }
    }
}

/// Partial matches that are kept as one count as one, and as many as a limit allows are kept.
#[test]
fn what_is_kept_is_counted_and_bounded() {
    let schema = engine::schema();
    let (kind, x) = (schema.type_id("A").expect("a type"), schema.slot("x").expect("an attribute"));
    let event = |at: i64| Ok(Record::new(kind, at).with(x, at % 40));
    let text = |condition: &str| {
        format!("PATTERN SEQ(A+ a[], B b) WHERE skip_till_any_match {condition} WITHIN 30 EVENTS")
    };
    // One wait; and in it one group for each value that is in the window.
    let cases = [
        (Evaluation::Compact, text(""), 1),
        (Evaluation::Grouped, text("{ a[i].x > a[i-1].x }"), 30),
    ];
    for (evaluation, text, kept) in cases {
        let automaton = of_text(&text, evaluation);
        let mut engine = Engine::new(automaton.clone());
        (0..100).for_each(|at| tell(&mut engine, &event(at), &mut Count::default()));
        let stats = engine.stats();
        assert_eq!(stats.runs, kept, "{evaluation:?}");
        // Groups go when garbage is looked for.
        assert!(stats.peak_runs >= kept && stats.peak_runs <= 40, "{evaluation:?} {stats:?}");

        let mut limits = Limits::default();
        limits.runs = Limit::new(kept - 1, Policy::Error);
        let mut engine = Engine::with_config(automaton, Config::new().limits(limits));
        let mut sink = Count::default();
        let refused = (0..100).position(|at| {
            event(at).is_ok_and(|event: Record| engine.push(event, &mut sink).is_err())
        });
        assert_eq!(refused, Some(kept - 1), "{evaluation:?}");
    }
}

/// More matches than could ever be enumerated: those that are asked for come at once.
#[test]
fn exponentially_many_matches() {
    const EVENTS: u64 = 10_000;
    let mut all: Vec<Told> = letters(EVENTS as i64, 1);
    let schema = engine::schema();
    all.push(Ok(Record::new(schema.type_id("B").expect("a type"), EVENTS as i64)));
    for look_back in ["", "{ a[i].x = a[i-1].x or a[i].x is null }"] {
        let text = format!(
            "PATTERN SEQ(A+ a[], B b) WHERE skip_till_any_match {look_back} WITHIN 20000 EVENTS"
        );
        for evaluation in SHARED {
            if evaluation == Evaluation::Compact && !look_back.is_empty() {
                continue;
            }
            let automaton = of_text(&text, evaluation);
            let found = first(&automaton, &all, false, 3);
            let numbers = |at: usize| found[at].1.iter().map(|e| e.0).collect::<Vec<_>>();
            assert_eq!(found.len(), 3);
            let longest: Vec<u64> = (0..=EVENTS).collect();
            assert_eq!(numbers(0), longest);
            let without = |gone: u64| longest.iter().copied().filter(|&n| n != gone).collect();
            let mut second: Vec<u64> = without(EVENTS - 1);
            assert_eq!(numbers(1), second);
            // Then the last but one is left out: first with the last, which comes earlier.
            second = without(EVENTS - 2);
            assert_eq!(numbers(2), second);
            assert_eq!(count(&automaton, &all, false), u64::MAX);
        }
    }
}
