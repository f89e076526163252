//! Patterns of some shapes, which have structures of their own under the shared evaluations: as runs,
//! and as if they had never stopped.
//!
//! Where the last event decides, partial matches that have taken the same event last are one; sequences
//! under skip-till-any are a queue of events for each stage.
#![cfg(feature = "serde")]

mod common;
mod restoring;
mod sase_oracle;

use common::Log;
use nfab::{
    Automaton, CompileOptions, Config, Count, EndOfInput, Engine, Evaluation, First, Limit, Limits,
    Match, Policy, Record, Sink, Value, Visit,
};
use proptest::prelude::*;
use restoring::{Step, check};
use sase_oracle::engine::schema;
use std::ops::ControlFlow;

/// Words of the explanation of an automaton that is evaluated so.
const FOREST: &str = "partial matches that have taken the same event last are one";

fn automaton(text: &str, evaluation: Option<Evaluation>) -> Automaton {
    let options = CompileOptions::new();
    let options = evaluation.map_or(options, |evaluation| options.evaluation(evaluation));
    let query = nfab::language::Query::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    Automaton::from_query(&query, &schema(), options).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn relation() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["<", "<=", ">", ">=", "=", "!="])
}

/// Items, and conditions of which some are to hold: `~` stands for a relation.
const ITEMS: [(&str, &[&str]); 8] = [
    ("A+ a[]", &["a[i].x ~ a[i-1].x", "a[1].x ~ 2", "a[i].x ~ 1"]),
    ("A+ a[]", &["a[i].x ~ a[i-1].x + 1", "a[i-1].k ~ a[i].x"]),
    ("A+ a[]", &["a[i].x ~ a[i-1].x AND a[i].x ~ a[i-1].k", "NOT (a[i].x ~ a[i-1].x)"]),
    ("A a, B+ b[]", &["b[1].x ~ a.x", "b[i].x ~ b[i-1].x", "b[i].k ~ 1"]),
    ("A+ a[], B+ b[]", &["a[i].x ~ a[i-1].x", "b[1].x ~ a[a.LEN].x", "b[i].x ~ b[i-1].x"]),
    ("A a, B b, A+ c[]", &["b.x ~ a.x", "c[1].x ~ b.x", "c[i].x ~ c[i-1].x"]),
    ("A a -> B+ b[]", &["b[1].x ~ a.x", "b[i].x ~ b[i-1].x"]),
    ("A+ a[], ~N n, B+ b[]", &["a[i].x ~ a[i-1].x", "b[i].x ~ b[i-1].x"]),
];

fn text() -> impl Strategy<Value = String> {
    let items = prop::sample::select(ITEMS.to_vec());
    let chosen = prop::collection::vec((prop::bool::weighted(0.8), relation(), relation()), 3);
    let strategy = prop::sample::select(vec![
        "skip_till_next_match",
        "skip_till_next_match",
        "skip_till_next_match",
        "strict_contiguity",
        "partition_contiguity",
    ]);
    let window = prop_oneof![
        4 => (1..12_u32).prop_map(|length| format!(" WITHIN {length} ms")),
        4 => (1..12_u32).prop_map(|length| format!(" WITHIN {length} EVENTS")),
        1 => Just(" WITHIN 9223372036854775807 ms".to_owned()),
    ];
    (items, chosen, strategy, any::<bool>(), window).prop_map(
        |((items, all), chosen, strategy, keyed, window)| {
            let mut conditions = Vec::new();
            if keyed || strategy == "partition_contiguity" {
                conditions.push("[k]".to_owned());
            }
            for (text, (wanted, one, other)) in all.iter().zip(chosen) {
                let condition = text.replacen('~', one, 1).replacen('~', other, 1);
                conditions.extend(wanted.then_some(condition));
            }
            let conditions = conditions.join(" AND ");
            let conditions =
                if conditions.is_empty() { conditions } else { format!(" {{ {conditions} }}") };
            format!("PATTERN SEQ({items}) WHERE {strategy}{conditions}{window}")
        },
    )
}

/// Sequences under skip-till-any, of which the stage before the last may be a loop.
fn choices() -> impl Strategy<Value = String> {
    let kind = prop::sample::select(vec!["A", "A", "B", "C"]);
    let condition = prop::option::weighted(0.3, (relation(), 0..4_i64));
    let stage = (kind, condition);
    let window = prop_oneof![
        4 => (1..12_u32).prop_map(|length| format!(" WITHIN {length} ms")),
        4 => (1..12_u32).prop_map(|length| format!(" WITHIN {length} EVENTS")),
        1 => Just(String::new()),
    ];
    (prop::collection::vec(stage, 2..5), prop::bool::weighted(0.7), any::<bool>(), window).prop_map(
        |(stages, loops, keyed, window)| {
            let last = stages.len() - 1;
            let mut conditions = Vec::new();
            conditions.extend(keyed.then(|| "[k]".to_owned()));
            let items = stages.into_iter().enumerate().map(|(at, (kind, condition))| {
                let (plus, of, item) =
                    if loops && at + 1 == last { ("+", "[]", "[i]") } else { ("", "", "") };
                if let Some((relation, constant)) = condition {
                    conditions.push(format!("v{at}{item}.x {relation} {constant}"));
                }
                format!("{kind}{plus} v{at}{of}")
            });
            let items: Vec<String> = items.collect();
            let conditions = conditions.join(" AND ");
            let conditions =
                if conditions.is_empty() { conditions } else { format!(" {{ {conditions} }}") };
            let items = items.join(", ");
            format!("PATTERN SEQ({items}) WHERE skip_till_any_match{conditions}{window}")
        },
    )
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        30 => (0..5_i64).prop_map(Value::Int),
        1 => Just(Value::Int(i64::MAX)),
        1 => Just(Value::Int(i64::MIN)),
        2 => prop::sample::select(vec![0.5, 1.0, 2.5, f64::NAN, f64::INFINITY])
            .prop_map(Value::Float),
        1 => Just(Value::Missing),
        1 => Just(Value::from("t")),
    ]
}

/// Events and watermarks, from some time on.
fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    steps_with(most, value().boxed())
}

/// The same with values that are of the type that conditions ask for: when it is noticed that all
/// partial matches have passed decides whether somebody looks at an event.
fn numbers(most: usize) -> impl Strategy<Value = Vec<Step>> {
    steps_with(most, (0..5_i64).prop_map(Value::Int).boxed())
}

fn steps_with(most: usize, value: BoxedStrategy<Value>) -> impl Strategy<Value = Vec<Step>> {
    let kind = prop_oneof![8 => Just("A"), 5 => Just("B"), 1 => Just("N"), 1 => Just("C")];
    let key = prop_oneof![9 => (0..2_i64).prop_map(Value::Int), 1 => value.clone()];
    let pause = prop_oneof![5 => Just(0_i64), 6 => Just(1), 2 => Just(2), 1 => Just(9)];
    let step = (prop::bool::weighted(0.9), kind, value, key, pause);
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

fn config(end: bool) -> Config {
    Config::new().end_of_input(if end { EndOfInput::Max } else { EndOfInput::Silent })
}

fn tell(engine: &mut Engine<Record>, step: &Step, sink: &mut impl Sink<Record>) {
    let done = match step {
        Step::Event(event) => engine.push(event.clone(), sink),
        Step::Watermark(time) => engine.advance_watermark(*time, sink),
    };
    done.expect("no failure");
}

/// What each step brings, as text, how many matches that are, and how many partial matches have
/// timed out then.
fn visited(automaton: &Automaton, steps: &[Step], config: Config) -> Vec<(String, u64, u64)> {
    let mut engine = Engine::with_config(automaton.clone(), config);
    let mut all = Vec::new();
    let mut note = |log: &Log, engine: &Engine<Record>| {
        all.push((format!("{log:?}"), log.matches.len() as u64, engine.stats().timed_out));
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
fn counted(automaton: &Automaton, steps: &[Step], config: Config) -> Vec<u64> {
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

/// The first two matches that each step brings.
fn firsts(automaton: &Automaton, steps: &[Step]) -> Vec<String> {
    let mut engine = Engine::new(automaton.clone());
    let first = |step| {
        let mut sink = First::many(2, Log::default());
        tell(&mut engine, step, &mut sink);
        format!("{:?}", sink.into_inner().matches)
    };
    steps.iter().map(first).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_forest_finds_what_runs_find(text in text(), steps in steps(60), end in any::<bool>()) {
        let forest = automaton(&text, None);
        let runs = automaton(&text, Some(Evaluation::Runs));
        let found = visited(&forest, &steps, config(end));
        let mut expected = visited(&runs, &steps, config(end));
        if !forest.explain().contains(FOREST) {
            // Others do not count what has timed out.
            expected.iter_mut().zip(&found).for_each(|(step, found)| step.2 = found.2);
        }
        prop_assert_eq!(&found, &expected);
        let numbers: Vec<u64> = found.iter().map(|step| step.1).collect();
        prop_assert_eq!(counted(&forest, &steps, config(end)), numbers);
    }

    #[test]
    fn queues_find_what_runs_find(text in choices(), steps in steps(18), end in any::<bool>()) {
        let queues = automaton(&text, None);
        let runs = automaton(&text, Some(Evaluation::Runs));
        let matches = |automaton: &Automaton| {
            let found = visited(automaton, &steps, config(end));
            found.into_iter().map(|(log, number, _)| (log, number)).collect::<Vec<_>>()
        };
        let found = matches(&queues);
        prop_assert_eq!(&found, &matches(&runs));
        let numbers: Vec<u64> = found.iter().map(|step| step.1).collect();
        prop_assert_eq!(counted(&queues, &steps, config(end)), numbers);
        prop_assert_eq!(firsts(&queues, &steps), firsts(&runs, &steps));
    }

    #[test]
    fn they_go_on(
        (text, steps) in prop_oneof![(text(), steps(30)), (choices(), numbers(12))],
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
        // What several partitions count at once comes in any order.
        let only_counts = only_counts && !text.contains("[k]") && !text.contains("partition");
        check(&automaton(&text, None), config(end).limits(limits), &steps, only_counts);
    }
}

#[test]
fn which_are_forests() {
    let next = "skip_till_next_match";
    let of = |items: &str, strategy: &str, conditions: &str, window: &str| {
        let text = format!("PATTERN SEQ({items}) WHERE {strategy} {{ {conditions} }}{window}");
        automaton(&text, None).explain().contains(FOREST)
    };
    let rising = "a[i].x > a[i-1].x";
    assert!(of("A+ a[]", next, rising, " WITHIN 5 EVENTS"));
    assert!(of("A+ a[]", next, rising, " WITHIN 5 ms"));
    assert!(of("A+ a[]", next, &format!("[k] AND {rising}"), " WITHIN 5 ms"));
    assert!(of("A a, B+ b[]", next, "b[1].x > a.x AND b[i].x > b[i-1].x", " WITHIN 5 ms"));
    assert!(!of("A+ a[]", next, rising, ""), "no window");
    assert!(!of("A+ a[]", "skip_till_any_match", rising, " WITHIN 5 ms"), "runs fork");
    assert!(!of("A a, B+ b[]", next, "b[i].x > a.x", " WITHIN 5 ms"), "a is not the last event");
    assert!(!of("A+ a[]", "strict_contiguity", rising, " WITHIN 5 ms"), "matches do not wait");
    assert!(!of("A+ a[], B b", next, rising, " WITHIN 5 ms"), "matches do not wait");
    assert!(!of("A+ a[], A+ b[]", next, rising, " WITHIN 5 ms"), "an event is for both");
}

/// The minima of the window from the back are all that is looked at.
#[test]
fn few_of_many_runs_are_open() {
    let text = "PATTERN SEQ(A+ a[]) WHERE skip_till_next_match { a[i].x > a[i-1].x } \
                WITHIN 1000 EVENTS";
    let (kind, x) = (schema().type_id("A"), schema().slot("x"));
    let (kind, x) = (kind.expect("a type"), x.expect("an attribute"));
    let mut engine = Engine::new(automaton(text, None));
    let (mut state, mut matches, mut events) = (1_u64, 0, 0);
    let mut sink = Visit(|found: &Match<'_, Record>| {
        matches += 1;
        events += found.events().len();
        ControlFlow::Continue(())
    });
    for time in 0..100_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let event = Record::new(kind, time).with(x, Value::Int((state >> 20) as i64));
        engine.push(event, &mut sink).expect("no limit is reached");
    }
    let stats = engine.stats();
    assert!(stats.peak_runs < 40 && stats.peak_cells < 3000, "{stats:?}");
    assert!(stats.stored_events < 3000, "{stats:?}");
    assert_eq!(matches, 100_000 - 1000);
    assert!(events > 5 * matches && events < 10 * matches, "{events} events");
}

/// Of more events than bits of a word there are more choices than anybody can look at, but for the
/// first ones.
#[test]
fn the_first_of_too_many_choices() {
    let text = "PATTERN SEQ(A a, B+ b[], C c) WHERE skip_till_any_match WITHIN 1000 EVENTS";
    let schema = schema();
    let event = |kind: &str, time| Record::new(schema.type_id(kind).expect("a type"), time);
    for loops in [1, 62, 63, 64, 65, 200] {
        let mut engine = Engine::new(automaton(text, None));
        let mut found: Vec<Vec<u64>> = Vec::new();
        let mut sink = Visit(|of: &Match<'_, Record>| {
            found.push(of.events().numbers().collect());
            if found.len() < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        engine.push(event("A", 0), &mut sink).expect("no limit is reached");
        for time in 1..=loops {
            engine.push(event("B", time), &mut sink).expect("no limit is reached");
        }
        engine.push(event("C", loops + 1), &mut sink).expect("no limit is reached");
        let last = loops as u64 + 1;
        let all: Vec<u64> = (0..=last).collect();
        let but = |out: &[u64]| -> Vec<u64> {
            all.iter().copied().filter(|number| !out.contains(number)).collect()
        };
        let expected = if loops == 1 {
            vec![all.clone()]
        } else {
            vec![all.clone(), but(&[last - 1]), but(&[last - 2])]
        };
        assert_eq!(found, expected, "{loops}");
        assert!(engine.stats().cells <= loops as usize + 2, "it is a queue: {:?}", engine.stats());
    }
}
