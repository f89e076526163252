//! Two single events that are compared with each other: as they wait in lists, as runs, and as if they
//! had never stopped.
#![cfg(feature = "serde")]

mod common;
mod queues;
mod restoring;
mod sase_oracle;

use nfab::{Config, Count, Engine, Evaluation, Limit, Limits, Policy, Record};
use proptest::prelude::*;
use queues::{automaton, config, counted, event, steps, tell, visited};
use restoring::{Step, check};
use sase_oracle::engine::schema;

/// Words of the explanation of an automaton that is evaluated so.
const LISTS: &str = "first events wait in a list";

fn relation() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["=", "!=", "<", "<=", ">", ">="])
}

fn attribute() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["x", "x", "x", "k"])
}

/// A condition that compares both events.
fn comparison() -> impl Strategy<Value = String> {
    let plain = (attribute(), relation(), attribute(), any::<bool>());
    let plain = plain.prop_map(|(one, relation, other, turned)| {
        let (b, a) = (format!("b.{one}"), format!("a.{other}"));
        if turned { format!("{a} {relation} {b}") } else { format!("{b} {relation} {a}") }
    });
    let other = prop::sample::select(vec![
        "b.x > a.x + 1",
        "(b.x > a.x OR b.k = a.k)",
        "NOT (b.x > a.x)",
        "b.x + a.x > 2",
    ]);
    prop_oneof![5 => plain, 2 => other.prop_map(str::to_owned)]
}

/// A condition on one of them.
fn alone() -> impl Strategy<Value = String> {
    let event = prop::sample::select(vec!["a", "b"]);
    (event, attribute(), relation(), 0..4_i64).prop_map(|(event, attribute, relation, value)| {
        format!("{event}.{attribute} {relation} {value}")
    })
}

fn text() -> impl Strategy<Value = String> {
    let kind = || prop::sample::select(vec!["A", "A", "B"]);
    let window = prop_oneof![
        1 => Just(String::new()),
        2 => (1..12_u32).prop_map(|length| format!(" WITHIN {length} ms")),
        2 => (1..12_u32).prop_map(|length| format!(" WITHIN {length} EVENTS")),
    ];
    let comparisons = prop::collection::vec(comparison(), 1..3);
    let others = prop::collection::vec(alone(), 0..2);
    (kind(), kind(), comparisons, others, any::<bool>(), window).prop_map(
        |(first, second, comparisons, others, keyed, window)| {
            let key = keyed.then(|| "[k]".to_owned());
            let all: Vec<String> = key.into_iter().chain(comparisons).chain(others).collect();
            let all = all.join(" AND ");
            format!(
                "PATTERN SEQ({first} a, {second} b) WHERE skip_till_next_match {{ {all} }}{window}"
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn lists_find_what_runs_find(text in text(), steps in steps(60), end in any::<bool>()) {
        let lists = automaton(&text, None);
        prop_assert!(lists.explain().contains(LISTS), "{}", lists.explain());
        let runs = automaton(&text, Some(Evaluation::Runs));
        let config = config(end);
        let found = visited(&lists, &steps, config);
        prop_assert_eq!(&found, &visited(&runs, &steps, config));
        let numbers: Vec<u64> = found.iter().map(|step| step.1).collect();
        prop_assert_eq!(counted(&lists, &steps, config), numbers);
    }

    #[test]
    fn lists_go_on(
        text in text(),
        steps in steps(30),
        end in any::<bool>(),
        only_counts in any::<bool>(),
        limit in prop_oneof![3 => Just(None), 1 => (0..4_usize, 1..8_usize).prop_map(Some)],
    ) {
        let mut limits = Limits::default();
        if let Some((which, most)) = limit {
            let limit = Limit::new(most, Policy::Error);
            match which {
                0 => limits.runs = limit,
                1 => limits.history = limit,
                2 => limits.matches = limit,
                _ => limits.matches = Limit::new(most, Policy::DropNewest),
            }
        }
        check(&automaton(&text, None), config(end).limits(limits), &steps, only_counts);
    }
}

/// What has passed its window is a timeout, whenever somebody notices; events without a key are
/// counted, also those that nobody would look at.
#[test]
fn counters_are_those_of_runs() {
    let schema = schema();
    let (x, k) = (schema.slot("x").expect("it is"), schema.slot("k").expect("it is"));
    for window in ["", " WITHIN 20 ms", " WITHIN 20 EVENTS"] {
        let text = format!(
            "PATTERN SEQ(A a, B b) WHERE skip_till_next_match {{ [k] AND b.x > a.x }}{window}"
        );
        let new = |evaluation| Engine::<Record>::new(automaton(&text, evaluation));
        let (mut lists, mut runs) = (new(None), new(Some(Evaluation::Runs)));
        for at in 0..3000_i64 {
            let kind = ["A", "B", "C", "N"][(at * at % 7) as usize % 4];
            let kind = schema.type_id(kind).expect("a type of the schema");
            let mut record = Record::new(kind, at / 2).with(x, at * 31 % 17);
            if at % 11 != 0 {
                record = record.with(k, at % 5);
            }
            for engine in [&mut lists, &mut runs] {
                tell(engine, &Step::Event(record.clone()), &mut Count::default());
            }
            let counters = |engine: &Engine<Record>| {
                let stats = engine.stats();
                (stats.matches, stats.timed_out, stats.without_key, stats.runs)
            };
            assert_eq!(counters(&lists), counters(&runs), "{text} at {at}");
        }
        assert!(lists.stats().without_key > 200);
        assert!(lists.stats().matches > 100);
        assert_eq!(lists.stats().timed_out > 100, !window.is_empty());
    }
}

/// Without a window, what nobody needs any more is found; with one it goes with the window.
#[test]
fn memory_is_bounded() {
    let schema = schema();
    let x = schema.slot("x").expect("it is");
    for window in ["", " WITHIN 100 ms", " WITHIN 100 EVENTS"] {
        let text =
            format!("PATTERN SEQ(A a, B b) WHERE skip_till_next_match {{ b.x > a.x }}{window}");
        let mut engine = Engine::new(automaton(&text, None));
        for at in 0..60_000 {
            // The second event takes all that wait.
            let Step::Event(record) = event(if at % 50 == 49 { "B" } else { "A" }, at) else {
                continue;
            };
            let record = record.with(x, at);
            tell(&mut engine, &Step::Event(record), &mut Count::default());
        }
        let stats = engine.stats();
        assert_eq!((stats.peak_runs, stats.matches), (49, 1200 * 49), "{text}");
        assert!(stats.stored_events < 9000, "{text}: {stats:?}");
    }
}

/// What has passed its window does not count towards the limit.
#[test]
fn as_many_as_the_limit_allows() {
    let text = "PATTERN SEQ(A a, B b) WHERE skip_till_next_match { b.x > a.x } WITHIN 500 EVENTS";
    let mut limits = Limits::default();
    limits.runs = Limit::new(500, Policy::Error);
    let mut engine = Engine::with_config(automaton(text, None), Config::new().limits(limits));
    for at in 0..3000 {
        tell(&mut engine, &event("A", at), &mut Count::default());
    }
    assert_eq!(engine.stats().runs, 500);
    limits.runs = Limit::new(499, Policy::Error);
    let mut engine = Engine::with_config(automaton(text, None), Config::new().limits(limits));
    let mut pushed = 0;
    while let Step::Event(event) = event("A", pushed)
        && engine.push(event, &mut Count::default()).is_ok()
    {
        pushed += 1;
    }
    assert_eq!(pushed, 499);
}
