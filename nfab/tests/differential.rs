//! The engine against the brute-force oracle.

mod oracle;

use std::ops::ControlFlow;

use nfab::pattern::{Body, Connector, Element, Inner, Occurs, Pattern, Quantifier};
use nfab::{Automaton, Engine, Expr, Match, Record, Schema, Slot, TypeId, ValueType, Visit};
use oracle::{Agg, Cond, Ev, Found, Gap, Plain, Stage};
use proptest::prelude::*;

const NAMES: [&str; 4] = ["p", "q", "r", "s"];
const KINDS: [&str; 3] = ["A", "B", "C"];

fn schema() -> (Schema, Vec<TypeId>, Slot) {
    let mut schema = Schema::new();
    let types = KINDS.iter().map(|kind| schema.add_type(kind)).collect();
    let val = schema.add_attribute("val", Some(ValueType::Int));
    (schema, types, val)
}

fn condition(cond: &Cond) -> Expr {
    let kinds = cond.kinds.iter().map(|&k| Expr::type_is(KINDS[usize::from(k)])).collect();
    let kinds = Expr::Or(kinds);
    let Some((agg, stage, offset, on_empty)) = cond.greater_than else { return kinds };
    let stage = NAMES[stage];
    let value = match agg {
        Agg::First => Expr::first(stage, "val"),
        Agg::Last => Expr::last(stage, "val"),
        Agg::Min => Expr::min(stage, "val"),
        Agg::Max => Expr::max(stage, "val"),
        Agg::Sum => Expr::sum(stage, "val"),
        Agg::Avg => Expr::avg(stage, "val"),
        Agg::Count => Expr::count(stage),
    };
    kinds.and(Expr::attribute("val").gt(value.add(offset)).assume(on_empty))
}

fn pattern(plain: &Plain) -> Pattern {
    let element = |(i, stage): (usize, &Stage)| Element {
        connector: match stage.connector {
            _ if i == 0 => Connector::Begin,
            Gap::Strict => Connector::Next,
            Gap::Relaxed => Connector::FollowedBy,
            Gap::Any => Connector::FollowedByAny,
        },
        body: Body::Stage { name: NAMES[i].to_owned(), condition: Some(condition(&stage.cond)) },
        quantifier: Quantifier {
            occurs: match (stage.min, stage.max) {
                (1, 1) => Occurs::Once,
                (min, usize::MAX) => Occurs::AtLeast(min as u32),
                (min, max) => Occurs::Times(min as u32, max as u32),
            },
            optional: stage.optional,
            inner: match stage.inner {
                _ if stage.max == 1 => Inner::Relaxed,
                Gap::Strict => Inner::Consecutive,
                Gap::Relaxed => Inner::Relaxed,
                Gap::Any => Inner::Combinations,
            },
            ..Quantifier::default()
        },
        gap: None,
    };
    Pattern {
        elements: plain.stages.iter().enumerate().map(element).collect(),
        within: plain.within,
        ..Pattern::default()
    }
}

/// What the engine finds; with `watermarks`, time is also told between the events.
fn found(plain: &Plain, stream: &[Ev], watermarks: bool) -> Vec<Found> {
    let (schema, types, val) = schema();
    let automaton = Automaton::compile(&pattern(plain), &schema).expect("it compiles");
    let mut engine = Engine::new(automaton);
    let mut all = Vec::new();
    let mut sink = Visit(|m: &Match<'_, Record>| {
        let stages = m.events().iter().map(|(name, _)| {
            NAMES.iter().position(|n| *n == name).expect("a stage of the pattern")
        });
        all.push(stages.zip(m.events().numbers().map(|n| n as usize)).collect::<Found>());
        ControlFlow::Continue(())
    });
    for event in stream {
        if watermarks {
            engine.advance_watermark(event.ts, &mut sink).expect("no failure");
        }
        let record = Record::new(types[usize::from(event.kind)], event.ts).with(val, event.val);
        engine.push(record, &mut sink).expect("no failure");
    }
    engine.finish(&mut sink).expect("no failure");
    all
}

fn gap() -> impl Strategy<Value = Gap> {
    prop_oneof![Just(Gap::Strict), Just(Gap::Relaxed), Just(Gap::Any)]
}

fn cond(stages: usize) -> impl Strategy<Value = Cond> {
    let agg = prop_oneof![
        Just(Agg::First),
        Just(Agg::Last),
        Just(Agg::Min),
        Just(Agg::Max),
        Just(Agg::Sum),
        Just(Agg::Avg),
        Just(Agg::Count),
    ];
    let comparison = (agg, 0..stages, -2i64..2, any::<bool>());
    (prop::sample::subsequence(vec![0u8, 1, 2], 1..=3), prop::option::weighted(0.4, comparison))
        .prop_map(|(kinds, greater_than)| Cond { kinds, greater_than })
}

fn stage(stages: usize) -> impl Strategy<Value = Stage> {
    let times = prop_oneof![
        3 => Just((1, 1)),
        2 => Just((1, usize::MAX)),
        1 => Just((2, usize::MAX)),
        1 => Just((2, 2)),
        1 => Just((1, 3)),
        1 => Just((2, 3)),
    ];
    (cond(stages), gap(), times, prop::bool::weighted(0.3), gap()).prop_map(
        |(cond, connector, (min, max), optional, inner)| Stage {
            cond,
            connector,
            min,
            max,
            optional,
            inner,
        },
    )
}

fn plain() -> impl Strategy<Value = Plain> {
    (1..=4usize).prop_flat_map(|stages| {
        (prop::collection::vec(stage(stages), stages), prop::option::weighted(0.4, 1i64..12))
            .prop_map(|(stages, within)| Plain { stages, within })
    })
}

fn stream() -> impl Strategy<Value = Vec<Ev>> {
    prop::collection::vec((0u8..3, 0i64..6, 0i64..3), 0..=12).prop_map(|events| {
        let mut ts = 0;
        let mut event = |(kind, val, pause)| {
            ts += pause;
            Ev { kind, val, ts }
        };
        events.into_iter().map(&mut event).collect()
    })
}

/// A long stream: the match buffer is cleaned many times.
#[test]
fn cleaning_the_buffer_loses_nothing() {
    let mut state = 1u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % below
    };
    let mut ts = 0;
    let stream: Vec<Ev> = (0..6_000)
        .map(|_| {
            ts += next(3) as i64;
            Ev { kind: next(3) as u8, val: next(6) as i64, ts }
        })
        .collect();
    let stage = |kind, connector, max, inner, greater_than| Stage {
        cond: Cond { kinds: vec![kind], greater_than },
        connector,
        min: 1,
        max,
        optional: false,
        inner,
    };
    for gap in [Gap::Strict, Gap::Relaxed, Gap::Any] {
        let plain = Plain {
            stages: vec![
                stage(0, Gap::Strict, usize::MAX, gap, None),
                stage(1, gap, 1, gap, Some((Agg::Avg, 0, 0, false))),
                stage(2, Gap::Relaxed, 1, gap, None),
            ],
            within: Some(12),
        };
        let expected = oracle::matches(&plain, &stream);
        assert!(expected.len() > 10, "{gap:?}: {}", expected.len());
        assert!(found(&plain, &stream, false) == expected, "{gap:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_engine_finds_what_the_oracle_finds(plain in plain(), stream in stream()) {
        let expected = oracle::matches(&plain, &stream);
        prop_assert_eq!(found(&plain, &stream, false), expected);
    }

    #[test]
    fn telling_the_time_changes_nothing(plain in plain(), stream in stream()) {
        prop_assert_eq!(found(&plain, &stream, true), found(&plain, &stream, false));
    }
}
