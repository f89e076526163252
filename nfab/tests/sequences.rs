//! Sequences of single events, which wait in queues: as runs, as the compact evaluation without
//! queues would, and as if they had never stopped.
#![cfg(feature = "serde")]

mod common;
mod queues;
mod restoring;
mod sase_oracle;

use nfab::{Config, Count, Engine, Evaluation, Limit, Limits, Policy};
use proptest::prelude::*;
use queues::{automaton, config, counted, event, steps, tell, visited};
use restoring::{Step, check};

/// Words of the explanation of an automaton that is evaluated in queues.
const QUEUES: &str = "partial matches wait in a queue a stage";

fn constant() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (0..4_i64).prop_map(|value| value.to_string()),
        1 => Just(i64::MAX.to_string()),
        1 => Just((-i64::MAX).to_string()),
        1 => Just("(-9223372036854775807 - 1)".to_owned()),
        1 => Just("1.5".to_owned()),
        1 => Just("9223372036854775807.0".to_owned()),
        1 => Just("'t'".to_owned()),
    ]
}

/// A condition on the event `{}`.
fn condition() -> impl Strategy<Value = String> {
    let compare = (
        prop::sample::select(vec!["x", "k"]),
        prop::sample::select(vec!["=", "!=", "<", "<=", ">", ">="]),
        constant(),
        any::<bool>(),
    );
    let compare = compare.prop_map(|(attribute, relation, constant, turned)| {
        if turned {
            format!("{constant} {relation} {{}}.{attribute}")
        } else {
            format!("{{}}.{attribute} {relation} {constant}")
        }
    });
    compare.prop_recursive(2, 4, 2, |inner| {
        prop_oneof![
            1 => inner.clone().prop_map(|one| format!("NOT ({one})")),
            3 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} AND {b})")),
            1 => (inner.clone(), inner).prop_map(|(a, b)| format!("({a} OR {b})")),
        ]
    })
}

const STRATEGIES: [&str; 4] =
    ["skip_till_next_match", "skip_till_next_match", "strict_contiguity", "partition_contiguity"];

fn text() -> impl Strategy<Value = String> {
    text_of(&STRATEGIES, any::<bool>(), 0.15)
}

/// Strict contiguity without keys: the events of a match are in a row.
fn row() -> impl Strategy<Value = String> {
    text_of(&["strict_contiguity"], Just(false), 0.0)
}

fn text_of(
    strategies: &'static [&'static str],
    keyed: impl Strategy<Value = bool>,
    next: f64,
) -> impl Strategy<Value = String> {
    let kind = prop::sample::select(vec!["A", "A", "B", "C"]);
    let conditions = prop_oneof![
        2 => Just(Vec::new()),
        4 => prop::collection::vec(condition(), 1..3)
    ];
    let stage = (kind, prop::bool::weighted(next), conditions);
    let strategy = prop::sample::select(strategies);
    let window = prop_oneof![
        2 => Just(String::new()),
        2 => (1..12_u32).prop_map(|length| format!(" WITHIN {length} ms")),
        2 => (1..12_u32).prop_map(|length| format!(" WITHIN {length} EVENTS")),
        1 => Just(" WITHIN 9223372036854775807 ms".to_owned()),
    ];
    (prop::collection::vec(stage, 1..6), strategy, keyed, window).prop_map(
        |(stages, strategy, keyed, window)| {
            let mut items = String::new();
            let mut conditions = Vec::new();
            if keyed || strategy == "partition_contiguity" {
                conditions.push("[k]".to_owned());
            }
            for (at, (kind, next, of)) in stages.into_iter().enumerate() {
                let gap = match (at, next) {
                    (0, _) => "",
                    (_, false) => ", ",
                    (_, true) => " -> ",
                };
                let name = format!("v{at}");
                items += &format!("{gap}{kind} {name}");
                conditions.extend(of.iter().map(|condition| condition.replace("{}", &name)));
            }
            let conditions = conditions.join(" AND ");
            let conditions =
                if conditions.is_empty() { conditions } else { format!(" {{ {conditions} }}") };
            format!("PATTERN SEQ({items}) WHERE {strategy}{conditions}{window}")
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn queues_find_what_runs_find(text in text(), steps in steps(60), end in any::<bool>()) {
        let queues = automaton(&text, None);
        let runs = automaton(&text, Some(Evaluation::Runs));
        let config = config(end);
        let found = visited(&queues, &steps, config);
        prop_assert_eq!(&found, &visited(&runs, &steps, config));
        let numbers: Vec<u64> = found.iter().map(|step| step.1).collect();
        prop_assert_eq!(counted(&queues, &steps, config), numbers);
    }

    #[test]
    fn rows_find_what_runs_find(text in row(), steps in steps(60), end in any::<bool>()) {
        let rows = automaton(&text, None);
        let runs = automaton(&text, Some(Evaluation::Runs));
        let config = config(end);
        let found = visited(&rows, &steps, config);
        prop_assert_eq!(&found, &visited(&runs, &steps, config));
        let numbers: Vec<u64> = found.iter().map(|step| step.1).collect();
        prop_assert_eq!(counted(&rows, &steps, config), numbers);
        check(&rows, config, &steps[..steps.len().min(30)], end);
    }

    #[test]
    fn queues_go_on(
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

#[test]
fn they_are_queues() {
    let text = "PATTERN SEQ(A a, B b -> C c) WHERE skip_till_next_match { [k] AND a.x > 1 }";
    assert!(automaton(text, None).explain().contains(QUEUES));
}

/// Each stage has a bit, as far as a machine word goes.
#[test]
fn as_many_stages_as_there_are_bits_and_more() {
    // Stages are A, B, A in turn, and the stream is, but for a gap now and then.
    let steps: Vec<Step> = (0..400)
        .map(|at| event(if at % 77 == 76 { "N" } else { ["A", "B", "A"][at % 77 % 3] }, at as i64))
        .collect();
    for stages in [1, 2, 62, 63, 64, 65] {
        let kinds = (0..stages).map(|at| ["A", "B", "A"][at % 3]);
        let items: Vec<String> = kinds.zip(0..).map(|(kind, at)| format!("{kind} v{at}")).collect();
        for strategy in ["skip_till_next_match", "strict_contiguity"] {
            for window in ["", " WITHIN 100 EVENTS"] {
                let text = format!("PATTERN SEQ({}) WHERE {strategy}{window}", items.join(", "));
                let queues = automaton(&text, None);
                assert_eq!(queues.explain().contains(QUEUES), stages <= 63, "{stages}");
                let runs = automaton(&text, Some(Evaluation::Runs));
                let (mut found, mut expected) = (
                    visited(&queues, &steps, Config::new()),
                    visited(&runs, &steps, Config::new()),
                );
                if stages > 63 {
                    // What is kept as one counts as one.
                    found.iter_mut().chain(&mut expected).for_each(|step| step.2 = 0);
                }
                assert_eq!(found, expected, "{text}");
                let numbers: Vec<u64> = found.iter().map(|step| step.1).collect();
                assert!(numbers.iter().sum::<u64>() > 10, "{text}");
                assert_eq!(counted(&queues, &steps, Config::new()), numbers, "{text}");
                check(&queues, Config::new(), &steps[300..], false);
            }
        }
    }
}

/// What is behind a row is forgotten, also if the row never ends and no window passes.
#[test]
fn rows_remember_what_they_hold() {
    for text in [
        "PATTERN SEQ(A a, A b, A c, B d) WHERE strict_contiguity",
        "PATTERN SEQ(A a, A b, A c, A d) WHERE strict_contiguity",
        "PATTERN SEQ(A a, A b, A c, A d) WHERE strict_contiguity WITHIN 3 ms",
    ] {
        let automaton = automaton(text, None);
        let mut engine = Engine::new(automaton);
        for at in 0..5000 {
            tell(&mut engine, &event("A", at), &mut Count::default());
        }
        let stats = engine.stats();
        assert_eq!((stats.runs, stats.peak_runs, stats.cells), (3, 3, 3), "{text}");
        assert!(stats.stored_events < 1000, "{text}: {stats:?}");
    }
}

/// As many events as a limit allows, and one more.
#[test]
fn rows_keep_to_limits() {
    let text = "PATTERN SEQ(A a, A b, A c, B d) WHERE strict_contiguity";
    let automaton = automaton(text, None);
    for most in 0..5 {
        for which in 0..2 {
            let mut limits = Limits::default();
            let limit = if which == 0 { &mut limits.runs } else { &mut limits.history };
            *limit = Limit::new(most, Policy::Error);
            let mut engine = Engine::with_config(automaton.clone(), Config::new().limits(limits));
            let mut pushed = 0;
            while pushed < 10
                && let Step::Event(event) = event("A", 0)
                && engine.push(event, &mut Count::default()).is_ok()
            {
                pushed += 1;
            }
            assert_eq!(pushed, if most < 3 { most } else { 10 });
        }
    }
}

/// Partial matches that have passed their windows are not counted, also where others that moved
/// with them are left.
#[test]
fn what_has_passed_does_not_count_towards_the_limit() {
    let text = "PATTERN SEQ(A a, B b, C c) WHERE skip_till_next_match WITHIN 100 EVENTS";
    let automaton = automaton(text, None);
    let stream = (0..90).map(|_| "A").chain(["B"]).chain((0..70).map(|_| "N"));
    let stream = stream.chain((0..20).map(|_| "A"));
    let steps: Vec<Step> = (0..).zip(stream).map(|(time, kind)| event(kind, time)).collect();
    let mut limits = Limits::default();
    limits.runs = Limit::new(95, Policy::Error);
    let config = Config::new().limits(limits);
    let mut engine = Engine::with_config(automaton.clone(), config);
    for step in &steps {
        tell(&mut engine, step, &mut Count::default());
    }
    assert_eq!(engine.stats().runs, 9 + 20);
    check(&automaton, config, &steps, false);
}

/// A stream may stay near the limit: garbage is not looked for all the time.
#[test]
fn as_many_as_the_limit_allows() {
    let text = "PATTERN SEQ(A a, B b) WHERE skip_till_next_match WITHIN 500 EVENTS";
    let mut limits = Limits::default();
    limits.runs = Limit::new(500, Policy::Error);
    let config = Config::new().limits(limits);
    let mut engine = Engine::with_config(automaton(text, None), config);
    for at in 0..3000 {
        tell(&mut engine, &event("A", at), &mut Count::default());
    }
    let stats = engine.stats();
    assert_eq!((stats.runs, stats.peak_runs), (500, 501));
    assert!(stats.cells > 1000, "{stats:?}");
}
