//! Conditions between operands before the last one: sets of patterns that are full of them, and how often
//! they are tested.

mod common;
mod oracle;

use common::{METHODS, Shape, collect, count, detector, events, set_of};
use multipattern::{
    Condition, Config, Method, Operand, Pattern, PatternSet, Record, Relation, Semantics, Term,
    TimeUnit, TypeId, Value, Window,
};
use proptest::prelude::*;

/// One or two conditions with earlier operands at almost every operand.
fn operand(at: usize) -> impl Strategy<Value = Operand> {
    let types = prop::sample::select(vec!["A", "B", "C"]);
    let relations = vec![Relation::Equal, Relation::Equal, Relation::NotEqual, Relation::Less];
    let attribute = || prop::sample::select(vec!["v", "w"]);
    let with = (attribute(), prop::sample::select(relations), 0..at.max(1), attribute());
    (types, prop::collection::vec(with, 0..3)).prop_map(move |(name, conditions)| {
        let conditions = if at == 0 { Vec::new() } else { conditions };
        conditions.into_iter().fold(Operand::new(name), |operand, (own, relation, earlier, of)| {
            operand.with(Condition::new(Term::own(own), relation, Term::of(earlier, of)))
        })
    })
}

fn window() -> impl Strategy<Value = Window> {
    prop_oneof![
        (2..30_u64).prop_map(Window::Events),
        Just(Window::Events(200)),
        (0..30_u64).prop_map(|time| Window::Time(time, TimeUnit::Millisecond)),
    ]
}

fn patterns() -> impl Strategy<Value = PatternSet> {
    let one = (2..=5_usize)
        .prop_flat_map(|length| (0..length).map(|at| operand(at).boxed()).collect::<Vec<_>>());
    // Few windows, so that patterns share what they can.
    let windows = prop::collection::vec(window(), 2);
    (prop::collection::vec((one, any::<bool>()), 2..10), windows).prop_map(|(all, windows)| {
        let patterns = all.into_iter().enumerate().map(|(number, (operands, second))| {
            let pattern = Pattern::new(&format!("p{number}"), operands).expect("a pattern");
            pattern.within(windows[usize::from(second)]).expect("a window")
        });
        set_of(&patterns.collect::<Vec<_>>(), Semantics::Any, 12)
    })
}

const EVENTS: Shape =
    Shape { types: 3, patterns: 0, length: 0, conditions: true, events: 60, window: 0 };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn conditions_everywhere(
        set in patterns(),
        stream in events(EVENTS),
        by_key in any::<bool>(),
        late in (0..10_usize, 0..60_usize),
    ) {
        let keys: &[&str] = if by_key { &["k"] } else { &[] };
        // One pattern comes while events flow.
        let (number, row) = (late.0 % set.len(), late.1.min(stream.len()));
        let young = |pattern: usize| if pattern == number { row } else { 0 };
        let expected =
            oracle::all(&set, &stream, keys, |pattern| (young(pattern), usize::MAX));
        for method in METHODS {
            let config = || Config::new().method(method).partition_by(keys.iter().copied());
            let others: Vec<Pattern> = set.patterns().to_vec();
            let mut first = set_of(&[], Semantics::Any, 12);
            for (at, pattern) in others.iter().enumerate() {
                if at != number {
                    first.push(pattern.clone()).expect("a new id");
                }
            }
            let mut found = Vec::new();
            let mut one = detector(&first, config());
            let (before, behind) = stream.split_at(row);
            found.extend(collect(&mut one, before));
            let new = one.add(others[number].clone()).expect("a new id");
            found.extend(collect(&mut one, behind));
            // Numbers go by when patterns came; the set's are by place.
            let place = |id: u32| {
                if id == new.0 { number } else { id as usize + usize::from(id as usize >= number) }
            };
            let mut found: Vec<(u32, Vec<u64>)> =
                found.into_iter().map(|(id, events)| (place(id) as u32, events)).collect();
            let order = |one: &(u32, Vec<u64>)| (one.1.last().copied(), one.0, one.1.clone());
            found.sort_by_key(order);
            prop_assert_eq!(&found, &expected, "{}", method);
            let all = oracle::all(&set, &stream, keys, |_| (0, usize::MAX));
            let mut counts = count(&mut detector(&set, config()), &stream);
            counts.resize(set.len(), 0);
            let of = |number: usize| {
                all.iter().filter(|(pattern, _)| *pattern as usize == number).count() as u64
            };
            prop_assert_eq!(&counts, &(0..set.len()).map(of).collect::<Vec<_>>(), "{}", method);
        }
    }
}

/// What a condition says of two events is asked once, however many events complete the pattern.
#[test]
fn a_condition_of_earlier_operands_is_tested_once() {
    let set = PatternSet::parse("x: SEQ(A, B[v = A.v], C) WITHIN 1000 EVENTS")
        .expect("a set of patterns");
    let (a, b, c) = (0, 1, 2);
    let slot = set.schema().slot("v").expect("an attribute");
    let of = |kind: u32, v: i64| Record::new(TypeId(kind), 0).with(slot, Value::Int(v));
    let mut stream: Vec<Record> = (0..50).map(|v| of(a, v)).collect();
    // One of them goes with an event before.
    stream.extend((49..99).map(|v| of(b, v)));
    stream.extend((0..400).map(|v| of(c, v)));
    let checked = METHODS.map(|method| {
        let mut detector = detector(&set, Config::new().method(method));
        assert_eq!(collect(&mut detector, &stream).len(), 400, "{method}");
        (method, detector.stats().candidates_checked)
    });
    for (method, checked) in checked {
        if method != Method::Single {
            assert!((2_500..5_000).contains(&checked), "{method}: {checked}");
        }
    }
}
