//! Any number of workers gives what one engine gives, in the same order.
#![cfg(feature = "parallel")]

use std::ops::ControlFlow;
use std::sync::Arc;

use nfab::language::Query;
use nfab::{
    Automaton, CompileOptions, Config, Count, EndOfInput, Engine, ErrorKind, Evaluation, Event,
    First, HoldBack, Limit, Limits, Match, Pattern, Policy, Record, Schema, ShardedEngine, Sink,
    TimedOut, ValueType,
};
use proptest::prelude::*;

/// Writes down all output.
#[derive(Debug, Default, PartialEq, Eq)]
struct Log {
    lines: Vec<String>,
    /// Stop the output of a call after so many matches of it.
    stop_after: Option<usize>,
}

impl<E: Event> Sink<E> for Log {
    fn matched(&mut self, found: &Match<'_, E>) -> ControlFlow<()> {
        let numbers: Vec<u64> = found.events().numbers().collect();
        let stages: Vec<&str> = found.events().iter().map(|(stage, _)| stage).collect();
        let key: Vec<String> = found.key().map(|value| format!("{value:?}")).collect();
        self.lines.push(format!("{:?} {numbers:?} {stages:?} {key:?}", found.cause()));
        match self.stop_after {
            Some(n) if self.lines.len().is_multiple_of(n) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn timed_out(&mut self, partial: &TimedOut<'_, E>) -> ControlFlow<()> {
        let numbers: Vec<u64> = partial.events().numbers().collect();
        self.lines.push(format!("{:?} timed out {numbers:?}", partial.cause()));
        ControlFlow::Continue(())
    }

    fn late(&mut self, event: E) {
        self.lines.push(format!("late {}", event.time()));
    }
}

#[derive(Clone, Debug)]
enum Step {
    Event { kind: u32, time: i64, key: Option<i64>, price: i64 },
    Watermark(i64),
}

const QUERIES: [&str; 8] = [
    "PATTERN SEQ(A a, B b) WHERE skip_till_next_match { [key] } WITHIN 20 ms",
    "PATTERN SEQ(A+ a[], B b) WHERE skip_till_any_match { [key] AND a[i].price > a[i-1].price } WITHIN 12 ms",
    "PATTERN SEQ(A a, B+ b[]) WHERE strict_contiguity { [key] } WITHIN 30 ms",
    "PATTERN SEQ(A a, B b) WHERE partition_contiguity { [key] }",
    "PATTERN SEQ(A a, ~C c, B b) WHERE skip_till_any_match { [key] } WITHIN 9 EVENTS",
    "PATTERN SEQ(A a, ~B b) WHERE skip_till_next_match { [key] } WITHIN 7 ms",
    "PATTERN SEQ(A a, B b) WHERE skip_till_any_match { [key] } WITHIN 20 ms AFTER MATCH SKIP PAST LAST",
    "PATTERN SEQ(A+ a[]) WHERE skip_till_next_match { [key] AND a[i].price > avg(a[..i-1].price) } WITHIN 15 ms",
];

fn schema() -> Schema {
    let mut schema = Schema::new();
    for name in ["A", "B", "C"] {
        schema.add_type(name);
    }
    schema.add_attribute("key", Some(ValueType::Int));
    schema.add_attribute("price", Some(ValueType::Int));
    schema
}

fn record(schema: &Schema, kind: u32, time: i64, key: Option<i64>, price: i64) -> Record {
    let id = schema.type_id(["A", "B", "C"][kind as usize]).expect("a known type");
    let slot = |name| schema.slot(name).expect("a known attribute");
    let record = Record::new(id, time).with(slot("price"), price);
    match key {
        Some(key) => record.with(slot("key"), key),
        None => record,
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let event = (0..3_u32, -2..4_i64, prop::option::weighted(0.95, 0..12_i64), 0..9_i64);
    let step = prop_oneof![
        12 => event.prop_map(|(kind, time, key, price)| Step::Event { kind, time, key, price }),
        1 => (0..6_i64).prop_map(Step::Watermark),
    ];
    prop::collection::vec(step, 0..200).prop_map(|mut steps| {
        // Times so far were differences.
        let mut now = 0;
        for step in &mut steps {
            let (Step::Event { time, .. } | Step::Watermark(time)) = step;
            now += *time;
            *time = now;
        }
        steps
    })
}

fn config(end: EndOfInput, hold_back: HoldBack, lateness: i64) -> Config {
    Config::new().timeouts(true).end_of_input(end).hold_back(hold_back).lateness(lateness)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn any_number_of_workers_gives_the_output_of_one_engine(
        query in prop::sample::select(&QUERIES[..]),
        steps in steps(),
        workers in 1..=8_usize,
        max in any::<bool>(),
        emit_now in any::<bool>(),
        lateness in prop::sample::select(vec![0, 0, 3]),
        stop_after in prop::option::weighted(0.3, 1..4_usize),
        flush_every in 1..64_usize,
    ) {
        let schema = schema();
        let automaton = Arc::new(Automaton::from_text(query, &schema).expect("a valid query"));
        let end = if max { EndOfInput::Max } else { EndOfInput::Silent };
        let hold_back = if emit_now { HoldBack::EmitNow } else { HoldBack::Wait };
        let config = config(end, hold_back, lateness);
        let mut one = Engine::with_config(automaton.clone(), config);
        let mut many = ShardedEngine::new(automaton, config, workers).expect("threads");
        let mut expected = Log { stop_after, ..Log::default() };
        let mut found = Log { stop_after, ..Log::default() };
        for (at, step) in steps.iter().enumerate() {
            match *step {
                Step::Event { kind, time, key, price } => {
                    let event = record(&schema, kind, time, key, price);
                    one.push(event.clone(), &mut expected).expect("no limit is near");
                    many.push(event, &mut found).expect("no limit is near");
                }
                Step::Watermark(time) => {
                    one.advance_watermark(time, &mut expected).expect("no limit is near");
                    many.advance_watermark(time, &mut found).expect("no limit is near");
                }
            }
            if at % flush_every == 0 {
                many.flush(&mut found).expect("the workers live");
                prop_assert_eq!(&expected.lines, &found.lines);
            }
        }
        one.finish(&mut expected).expect("no limit is near");
        many.finish(&mut found).expect("the workers live");
        prop_assert_eq!(&expected.lines, &found.lines);
        let (a, b) = (one.stats(), many.stats());
        prop_assert_eq!(
            (a.events, a.late, a.without_key, a.matches, a.timed_out, a.undelivered),
            (b.events, b.late, b.without_key, b.matches, b.timed_out, b.undelivered)
        );
    }
}

fn long_run(workers: usize) -> (Vec<String>, Count) {
    let schema = schema();
    let automaton = Arc::new(Automaton::from_text(QUERIES[1], &schema).expect("a valid query"));
    let mut log = Log::default();
    let mut count = Count::default();
    let mut listed =
        ShardedEngine::new(automaton.clone(), Config::new(), workers).expect("threads");
    let mut counted = ShardedEngine::new(automaton, Config::new(), workers).expect("threads");
    for i in 0..20_000_i64 {
        let event = record(&schema, (i % 7 % 3) as u32, i / 4, Some(i * i % 97), i * 31 % 17);
        listed.push(event.clone(), &mut log).expect("no limit is near");
        counted.push(event, &mut count).expect("no limit is near");
    }
    listed.finish(&mut log).expect("the workers live");
    counted.finish(&mut count).expect("the workers live");
    (log.lines, count)
}

#[test]
fn many_batches_are_the_same_for_one_to_eight_workers() {
    let (lines, count) = long_run(1);
    assert!(lines.len() > 1000, "{} matches", lines.len());
    assert_eq!(count.matches, lines.len() as u64);
    for workers in 2..=8 {
        assert_eq!((&lines, &count), (&long_run(workers).0, &long_run(workers).1), "{workers}");
    }
}

#[test]
fn without_a_key_one_worker_does_everything() {
    let schema = schema();
    let pattern = Pattern::begin("a").followed_by("b").build().expect("a valid pattern");
    let automaton = Automaton::compile(&pattern, &schema).expect("a valid pattern");
    let mut engine = ShardedEngine::new(automaton, Config::new(), 4).expect("threads");
    assert_eq!(engine.workers(), 1);
    let mut first = First::new(Count::default());
    for time in 0..3 {
        engine.push(record(&schema, 0, time, None, 0), &mut first).expect("no limit is near");
    }
    engine.finish(&mut first).expect("the worker lives");
    assert!(first.is_done());
    assert_eq!(first.into_inner().matches, 1);
    let error = engine.push(record(&schema, 0, 9, None, 0), &mut Count::default());
    assert_eq!(error.expect_err("it was finished").kind(), ErrorKind::Usage);
}

#[test]
fn what_came_before_a_limit_is_delivered() {
    let schema = schema();
    let query = "PATTERN SEQ(A a, B b) WHERE skip_till_any_match { [key] AND b.price > a.price }";
    let query = Query::parse(query).expect("a valid query");
    let options = CompileOptions::new().evaluation(Evaluation::Runs);
    let automaton = Automaton::from_query(&query, &schema, options).expect("a valid query");
    let mut limits = Limits::default();
    limits.runs = Limit::new(50, Policy::Error);
    let config = Config::new().limits(limits);
    let mut engine = ShardedEngine::new(automaton, config, 3).expect("threads");
    let mut count = Count::default();
    let mut push =
        |kind, time, price| engine.push(record(&schema, kind, time, Some(1), price), &mut count);
    push(0, 0, 0).expect("within the limit");
    push(1, 1, 5).expect("within the limit");
    let failed = (2..5000).find_map(|time| push(0, time, time).err());
    assert_eq!(failed.expect("more than 50 partial matches").kind(), ErrorKind::Limit);
    assert_eq!(count.matches, 1);
}
