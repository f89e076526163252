//! Engines restored from snapshots give what they would have given without stopping.
#![cfg(feature = "serde")]

mod common;
mod restoring;
mod sase_oracle;

use common::patterns::pattern;
use common::{Log, world};
use nfab::{
    Automaton, CompileOptions, Config, EndOfInput, Engine, Evaluation, HistoryKind, HoldBack,
    KleeneOutput, Limit, Limits, Pattern, Policy, Record, Schema, Value,
};
use proptest::prelude::*;
use restoring::{Step, check};
use sase_oracle::cases::{Shown, query, query_with_skip, stream};
use sase_oracle::engine::schema;

fn config() -> impl Strategy<Value = Config> {
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let lateness = prop_oneof![2 => Just(0), 1 => 1..4_i64];
    (flags, lateness, limits()).prop_map(|((timeouts, end, hold, versioned), lateness, limits)| {
        Config::new()
            .timeouts(timeouts)
            .end_of_input(if end { EndOfInput::Max } else { EndOfInput::Silent })
            .hold_back(if hold { HoldBack::Wait } else { HoldBack::EmitNow })
            .history(if versioned { HistoryKind::Versioned } else { HistoryKind::Chain })
            .lateness(lateness)
            .limits(limits)
    })
}

/// Mostly none that is ever reached.
fn limits() -> impl Strategy<Value = Limits> {
    let policy = || prop::sample::select(vec![Policy::DropOldest, Policy::DropNewest]);
    (0..14_u32, 1..6_usize, policy()).prop_map(|(which, most, policy)| {
        let mut limits = Limits::default();
        let limit = Limit::new(most, policy);
        match which {
            0 => limits.runs = limit,
            1 => limits.runs_per_key = limit,
            2 => limits.history = limit,
            3 => limits.match_length = limit,
            4 => limits.matches = limit,
            5 => limits.reorder = limit,
            _ => {}
        }
        limits
    })
}

fn options() -> impl Strategy<Value = CompileOptions> {
    let evaluation =
        prop::sample::select(vec![None, None, Some(Evaluation::Runs), Some(Evaluation::Grouped)]);
    let kleene =
        prop::sample::select(vec![None, Some(KleeneOutput::Each), Some(KleeneOutput::Maximal)]);
    (evaluation, kleene).prop_map(|(evaluation, kleene)| {
        let mut options = CompileOptions::new();
        if let Some(evaluation) = evaluation {
            options = options.evaluation(evaluation);
        }
        if let Some(kleene) = kleene {
            options = options.kleene_output(kleene);
        }
        options
    })
}

fn record(schema: &Schema, event: &sase_oracle::Ev) -> Record {
    let kind = schema.type_id(event.kind).expect("a type of the schema");
    let slot = |name: &str| schema.slot(name).expect("an attribute of the schema");
    let set =
        |record: Record, (name, value): &(&str, Value)| record.with(slot(name), value.clone());
    event.attributes.iter().fold(Record::new(kind, event.time), set)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn queries_go_on(
        query in prop_oneof![3 => query(), 1 => query_with_skip()],
        stream in stream(12),
        options in options(),
        config in config(),
        only_counts in any::<bool>(),
    ) {
        let (Shown(query), schema) = (query, schema());
        let Ok(automaton) = Automaton::from_query(&query, &schema, options) else {
            return Ok(());
        };
        let steps: Vec<Step> = (stream.0.iter())
            .map(|step| match step {
                sase_oracle::Step::Watermark(time) => Step::Watermark(*time),
                sase_oracle::Step::Event(event) => Step::Event(record(&schema, event)),
            })
            .collect();
        check(&automaton, config, &steps, only_counts);
    }

    #[test]
    fn patterns_go_on(
        pattern in pattern(),
        events in prop::collection::vec((0..3_usize, 0..6_i64, 0..3_i64, 0..3_i64), 0..12),
        config in config(),
        only_counts in any::<bool>(),
        keyed in any::<bool>(),
    ) {
        let world = world();
        let key = keyed.then(|| "vol".to_owned());
        let pattern = Pattern { partition_by: key.into_iter().collect(), ..pattern };
        let options = CompileOptions::new().follow_flink(true);
        let Ok(automaton) = Automaton::compile_with(&pattern, &world.schema, options) else {
            return Ok(());
        };
        let mut time = 0;
        let mut event = |&(kind, val, pause, vol): &(usize, i64, i64, i64)| {
            time += pause;
            let event = world.event(["A", "B", "C"][kind], time, val).with(world.vol, vol / 2);
            if vol == 1 { vec![Step::Watermark(time + 1)] } else { vec![Step::Event(event)] }
        };
        let steps: Vec<Step> = events.iter().flat_map(&mut event).collect();
        check(&automaton, config, &steps, only_counts);
    }
}

/// Values that text formats would change, in registers, in keys and in events.
#[test]
fn values_are_kept_exactly() {
    let schema = schema();
    let [x, k] = ["x", "k"].map(|name| schema.slot(name).unwrap());
    let a = schema.type_id("A").unwrap();
    let wide = [i64::MAX, i64::MAX, i64::MIN, i64::MIN, -1, i64::MIN, 7].map(Value::Int);
    let floats = [0.1, 0.2, f64::NAN, f64::INFINITY, -0.0, f64::MIN_POSITIVE, 1e300];
    let mixed = [Value::Int(i64::MAX), Value::Float(0.1), Value::Missing, Value::from("'\"\n\0")];
    let queries = [
        "PATTERN SEQ(A+ a[]) WHERE { sum(a[..i-1].x) > -3 }",
        "PATTERN SEQ(A+ a[]) WHERE { a[i].x >= avg(a[..i-1].x) }",
        "PATTERN SEQ(A+ a[], A b) WHERE { [k] AND b.x < max(a[].x) }",
        "PATTERN SEQ(A a, A b) WHERE { a.x = b.x }",
    ];
    for query in queries {
        for values in [&wide[..], &floats.map(Value::Float), &mixed] {
            let automaton = Automaton::from_text(query, &schema).unwrap();
            let event = |(time, value): (i64, &Value)| {
                let key = [Value::Float(0.5), Value::from("\u{1F980}"), Value::Bool(true)];
                let key = key[time as usize % 3].clone();
                Step::Event(Record::new(a, time).with(x, value.clone()).with(k, key))
            };
            let steps: Vec<Step> = (0..).zip(values.iter().cycle().take(9)).map(event).collect();
            for history in [HistoryKind::Chain, HistoryKind::Versioned] {
                check(&automaton, Config::new().history(history), &steps, false);
            }
        }
    }
}

/// A condition is not judged for partial matches that have ended, whether or not somebody has noticed
/// that: what it cannot compare would be counted once more, or once less, after a restore.
#[test]
fn faults_are_counted_as_without_stopping() {
    let schema = schema();
    let x = schema.slot("x").unwrap();
    let event = |kind: &str, time, value: Value| {
        Step::Event(Record::new(schema.type_id(kind).unwrap(), time).with(x, value))
    };
    let text = || Value::from("text");
    let steps = [
        event("B", 0, Value::Int(1)),
        Step::Watermark(1),
        Step::Watermark(2),
        event("C", 2, text()),
        event("A", 2, text()),
        event("B", 3, text()),
        event("C", 3, text()),
        event("A", 4, text()),
    ];
    let any = "WHERE skip_till_any_match { v2.x < 0 } WITHIN 1 ms";
    for query in [
        format!("PATTERN SEQ(B v0, C v1, A v2) {any}"),
        format!("PATTERN SEQ(B v0, C+ v1[], A v2) {any}"),
        format!("PATTERN SEQ(B v0, C? v1, A v2) {any}"),
        format!("PATTERN SEQ(B v0, C v1, A+ v2[], B v3) {any}").replace("v2.x", "v2[i].x"),
        "PATTERN SEQ(B v0, C v1, A v2) WHERE { v2.x < 0 } WITHIN 1 ms".to_owned(),
        "PATTERN SEQ(B v0, B v1) WHERE { v1.x != 5 } WITHIN 1 ms".to_owned(),
        "PATTERN SEQ(B v0, B v1, C+ v2[]) WHERE { v1.x != 5 AND v2[1].x < v0.x } WITHIN 2 EVENTS"
            .to_owned(),
        "PATTERN SEQ(B v0, C v1, A+ v2[]) WHERE { v2[i].x < v1.x } WITHIN 1 ms".to_owned(),
    ] {
        let query = nfab::language::Query::parse(&query).unwrap_or_else(|e| panic!("{query}: {e}"));
        let evaluations = [Evaluation::Compact, Evaluation::Grouped, Evaluation::Runs];
        for evaluation in evaluations.map(Some).into_iter().chain([None]) {
            let options = CompileOptions::new();
            let options = evaluation.map_or(options, |evaluation| options.evaluation(evaluation));
            // Not every pattern allows every evaluation.
            let Ok(automaton) = Automaton::from_query(&query, &schema, options) else {
                assert!(evaluation.is_some(), "{query}");
                continue;
            };
            for only_counts in [false, true] {
                check(&automaton, Config::new(), &steps, only_counts);
            }
        }
    }
}

/// Garbage, and what a window has passed, is not in a snapshot.
#[test]
fn what_is_not_live_is_left_out() {
    let world = world();
    let queries = [
        "PATTERN SEQ(A a, A+ b[], B c) WHERE skip_till_next_match { b[i].val > a.val } WITHIN 9 ms",
        "PATTERN SEQ(A a, A b, B c) WHERE skip_till_any_match { [val] } WITHIN 9 ms",
        "PATTERN SEQ(A a, ~C c, B b) WHERE skip_till_any_match { c.val > b.val } WITHIN 9 ms",
    ];
    for query in queries {
        let automaton = Automaton::from_text(query, &world.schema).unwrap();
        let mut engine = Engine::new(automaton);
        let mut log = Log::default();
        for time in 0..500 {
            let kind = if time % 7 == 0 { "C" } else { "A" };
            engine.push(world.event(kind, time, time % 3), &mut log).unwrap();
        }
        let live = serde_json::to_string(&engine.snapshot().unwrap()).unwrap();
        engine.advance_watermark(1000, &mut log).unwrap();
        let rest = serde_json::to_string(&engine.snapshot().unwrap()).unwrap();
        assert!(rest.len() < 1000 && live.len() < 20_000, "{} {}", rest.len(), live.len());
        assert!(live.contains("499") && !rest.contains("[499"), "{rest}");
        let stats = engine.stats();
        assert_eq!((stats.cells, stats.stored_events, stats.runs), (0, 0, 0));
    }
}

/// Long streams: the buffers are cleaned, chunks go, tables are emptied.
#[test]
fn long_streams_go_on() {
    let schema = schema();
    let [x, k] = ["x", "k"].map(|name| schema.slot(name).unwrap());
    let kinds = ["A", "B", "C"].map(|name| schema.type_id(name).unwrap());
    let mut seed = 1_u64;
    let mut next = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((seed >> 33) % below) as i64
    };
    let mut time = 0;
    let steps: Vec<Step> = (0..9000)
        .map(|_| {
            time += next(3);
            let record = Record::new(kinds[next(3) as usize], time - next(2));
            Step::Event(record.with(x, next(50)).with(k, next(40)))
        })
        .collect();
    let queries = [
        "PATTERN SEQ(A a, B+ b[], C c) WHERE skip_till_next_match { [k] AND b[i].x > a.x } WITHIN 90 ms",
        "PATTERN SEQ(A a, B b, C c) WHERE skip_till_any_match { a.x = 3 AND c.x = 4 } WITHIN 60 ms",
        "PATTERN SEQ(A+ a[], B b) WHERE skip_till_any_match { [k] AND a[i].x > a[i-1].x } WITHIN 200 EVENTS",
        "PATTERN SEQ(A+ a[], B b) WHERE skip_till_next_match { a[i].x > sum(a[..i-1].x) } AFTER MATCH SKIP PAST LAST EVENT",
        "PATTERN SEQ(A a, ~B b, C c, ~A d) WHERE skip_till_next_match { [k] AND b.x > c.x } WITHIN 40 ms",
    ];
    for query in queries {
        let automaton =
            Automaton::from_text(query, &schema).unwrap_or_else(|e| panic!("{query}: {e}"));
        for history in [HistoryKind::Chain, HistoryKind::Versioned] {
            for only_counts in [false, true] {
                let config = Config::new().history(history).lateness(1);
                let new = Engine::with_config(automaton.clone(), config);
                let expected = restoring::run(new, &steps, only_counts, |engine, _| engine);
                let new = Engine::with_config(automaton.clone(), config);
                let found = restoring::run(new, &steps, only_counts, |mut engine, at| {
                    if at % 1500 == 1499 {
                        engine = restoring::restored(&mut engine, &automaton, config, at % 2 == 0);
                    }
                    engine
                });
                assert!(expected.steps.iter().any(|step| step.contains(": [(")), "{query}");
                let same = found.steps.iter().zip(&expected.steps).position(|(a, b)| a != b);
                if let Some(at) = same {
                    let (found, expected) = (&found.steps[at], &expected.steps[at]);
                    panic!("{query} {history:?} {only_counts} step {at}: {found}, not {expected}");
                }
                assert_eq!(found.end, expected.end, "{query} {history:?} {only_counts}");
            }
        }
    }
}
