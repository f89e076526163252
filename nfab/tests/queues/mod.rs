//! Queries as they are chosen to be evaluated and as runs, on random streams.
#![allow(dead_code, reason = "every test file uses a part of this")]

use nfab::{
    Automaton, CompileOptions, Config, Count, EndOfInput, Engine, Evaluation, Record, Sink, Value,
};
use proptest::prelude::*;

use super::common::Log;
use super::restoring::Step;
use super::sase_oracle::engine::schema;

pub fn automaton(text: &str, evaluation: Option<Evaluation>) -> Automaton {
    let options = CompileOptions::new();
    let options = evaluation.map_or(options, |evaluation| options.evaluation(evaluation));
    let query = nfab::language::Query::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    Automaton::from_query(&query, &schema(), options).unwrap_or_else(|e| panic!("{text}: {e}"))
}

pub fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        20 => (0..4_i64).prop_map(Value::Int),
        1 => Just(Value::Int(i64::MAX)),
        1 => Just(Value::Int(i64::MIN)),
        1 => prop::sample::select(vec![0.5, 1.0, 1.5, f64::NAN, f64::INFINITY, 9.3e18])
            .prop_map(Value::Float),
        1 => Just(Value::Missing),
        1 => Just(Value::from("t")),
        1 => Just(Value::from(true)),
    ]
}

pub fn key() -> impl Strategy<Value = Value> {
    prop_oneof![
        20 => (0..2_i64).prop_map(Value::Int),
        3 => value(),
    ]
}

/// Events and watermarks, from some time on.
pub fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let kind = prop_oneof![8 => Just("A"), 4 => Just("B"), 3 => Just("C"), 1 => Just("N")];
    let pause = prop_oneof![5 => Just(0_i64), 6 => Just(1), 2 => Just(2), 1 => Just(7)];
    let step = (prop::bool::weighted(0.9), kind, value(), key(), pause);
    let start = prop_oneof![6 => Just(0), 1 => Just(i64::MIN), 1 => Just(i64::MAX - 20)];
    (start, prop::collection::vec(step, 0..most)).prop_map(|(start, steps)| {
        let schema = schema();
        let (x, k) = (schema.slot("x").expect("it is"), schema.slot("k").expect("it is"));
        let mut now: i64 = start;
        let steps = steps.into_iter().map(|(event, kind, a, b, pause)| {
            now = now.saturating_add(pause);
            if event {
                let kind = schema.type_id(kind).expect("a type of the schema");
                Step::Event(Record::new(kind, now).with(x, a).with(k, b))
            } else {
                Step::Watermark(now)
            }
        });
        steps.collect()
    })
}

pub fn config(end: bool) -> Config {
    Config::new().end_of_input(if end { EndOfInput::Max } else { EndOfInput::Silent })
}

/// What each step brings, as text, how many matches that are, and how many partial matches there are
/// then.
pub fn visited(automaton: &Automaton, steps: &[Step], config: Config) -> Vec<(String, u64, usize)> {
    let mut engine = Engine::with_config(automaton.clone(), config);
    let mut all = Vec::new();
    let mut note = |log: &Log, engine: &Engine<Record>| {
        all.push((format!("{log:?}"), log.matches.len() as u64, engine.stats().runs));
    };
    for step in steps {
        let mut log = Log::default();
        tell(&mut engine, step, &mut log);
        note(&log, &engine);
    }
    let mut log = Log::default();
    engine.finish(&mut log).expect("no failure");
    note(&log, &engine);
    all
}

/// How many matches each step brings.
pub fn counted(automaton: &Automaton, steps: &[Step], config: Config) -> Vec<u64> {
    let mut engine = Engine::with_config(automaton.clone(), config);
    let mut all = Vec::new();
    for step in steps {
        let mut count = Count::default();
        tell(&mut engine, step, &mut count);
        all.push(count.matches);
    }
    let mut count = Count::default();
    engine.finish(&mut count).expect("no failure");
    all.push(count.matches);
    all
}

pub fn tell(engine: &mut Engine<Record>, step: &Step, sink: &mut impl Sink<Record>) {
    let done = match step {
        Step::Event(event) => engine.push(event.clone(), sink),
        Step::Watermark(time) => engine.advance_watermark(*time, sink),
    };
    done.expect("no failure");
}

pub fn event(kind: &str, time: i64) -> Step {
    Step::Event(Record::new(schema().type_id(kind).expect("a type of the schema"), time))
}
