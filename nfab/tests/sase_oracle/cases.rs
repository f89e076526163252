//! Random queries and streams.

use std::fmt;

use nfab::Value;
use nfab::language::{
    Gap, Name, Predicate, Query, Skip, Span, Strategy as Selection, Unit, Window, Within,
};
use proptest::prelude::*;

use super::patterns::{KINDS, pattern};
use super::predicates::{Draft, draft};
use super::{Ev, Step};

/// A query that shows itself as text.
#[derive(Clone, PartialEq)]
pub struct Shown(pub Query);

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A stream that shows itself as short text.
#[derive(Clone, PartialEq)]
pub struct Stream(pub Vec<Step>);

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |event: &Ev, name| {
            let found = event.attributes.iter().find(|(n, _)| *n == name);
            match found.map(|(_, value)| value) {
                None | Some(Value::Missing) => "-".to_owned(),
                Some(Value::Text(text)) => text.to_string(),
                Some(Value::Float(x)) if x.is_nan() => "nan".to_owned(),
                Some(value) => value.to_string(),
            }
        };
        for step in &self.0 {
            match step {
                Step::Watermark(time) => write!(f, "@{time} ")?,
                Step::Event(e) => {
                    write!(f, "{}:{}:{}@{} ", e.kind, value(e, "x"), value(e, "k"), e.time)?;
                }
            }
        }
        Ok(())
    }
}

fn selection() -> impl Strategy<Value = Option<Selection>> {
    prop::sample::select(vec![
        None,
        Some(Selection::SkipTillNextMatch),
        Some(Selection::SkipTillNextMatch),
        Some(Selection::SkipTillAnyMatch),
        Some(Selection::SkipTillAnyMatch),
        Some(Selection::SkipTillAnyMatch),
        Some(Selection::StrictContiguity),
        Some(Selection::PartitionContiguity),
    ])
}

fn window() -> impl Strategy<Value = Option<Window>> {
    let time = |amount| Window::Time { amount, unit: Unit::Millisecond };
    prop_oneof![
        3 => Just(None),
        2 => (2..12u64).prop_map(move |amount| Some(time(amount))),
        1 => (2..10u64).prop_map(|n| Some(Window::Events(n))),
    ]
}

fn partition() -> impl Strategy<Value = &'static [&'static str]> {
    prop_oneof![6 => Just(&[][..]), 3 => Just(&["k"][..]), 1 => Just(&["k", "x"][..])]
}

/// Queries that pass the check, without an after-match skip.
pub fn query() -> impl Strategy<Value = Shown> {
    let drafts =
        prop_oneof![prop::collection::vec(draft(), 0..2), prop::collection::vec(draft(), 2..4)];
    let parts = (pattern(), selection(), drafts, window(), partition());
    parts.prop_filter_map(
        "a pattern that is refused",
        |(pattern, strategy, drafts, window, key)| {
            let plain = Query {
                from: None,
                pattern,
                strategy,
                predicates: vec![],
                within: window.map(|window| Within { window, span: Span::default() }),
                skip: None,
                returns: vec![],
            };
            with_predicates(plain, &drafts, key).map(Shown)
        },
    )
}

/// The same query with an after-match skip.
pub fn query_with_skip() -> impl Strategy<Value = Shown> {
    (query(), 0..4usize, 0..8usize).prop_map(|(Shown(mut query), skip, variable)| {
        let bound: Vec<Name> = (query.variables().iter())
            .filter(|v| !v.item.negated)
            .map(|v| Name::new(v.name()))
            .collect();
        let variable = bound[variable % bound.len()].clone();
        query.skip = Some(match skip {
            0 => Skip::ToNext,
            1 => Skip::PastLast,
            2 => Skip::ToFirst(variable),
            _ => Skip::ToLast(variable),
        });
        Shown(query)
    })
}

fn with_predicates(plain: Query, drafts: &[Draft], key: &[&str]) -> Option<Query> {
    let mut query = plain;
    let key = match query.strategy {
        Some(Selection::PartitionContiguity) if key.is_empty() => &["k"],
        _ => key,
    };
    if !key.is_empty() {
        let attributes = key.iter().map(|name| Name::new(*name)).collect();
        query.predicates.push(Predicate::Equivalence { attributes, span: Span::default() });
    }
    if query.within.is_none() && query.variables().iter().any(|v| v.at_edge) {
        let window = Window::Time { amount: 6, unit: Unit::Millisecond };
        query.within = Some(Within { window, span: Span::default() });
    }
    query.check().ok()?;
    for draft in drafts {
        query.predicates.push(Predicate::Condition(draft.expr(&query)));
        if query.check().is_err() {
            query.predicates.pop();
        }
    }
    Some(query)
}

/// Whether some gap of a pattern has a strategy of its own.
pub fn has_own_gaps(group: &nfab::language::Group) -> bool {
    let nested = |item: &nfab::language::Item| match item {
        nfab::language::Item::Group(group) => has_own_gaps(group),
        nfab::language::Item::Event(_) => false,
    };
    group.gaps.iter().any(|gap| *gap != Gap::Strategy) || group.items.iter().any(nested)
}

fn x() -> impl Strategy<Value = Value> {
    prop_oneof![
        12 => (0..4i64).prop_map(Value::Int),
        2 => prop::sample::select(vec![0.5, 1.0, 2.5]).prop_map(Value::Float),
        1 => Just(Value::Float(f64::NAN)),
        2 => Just(Value::Missing),
        1 => Just(Value::from("t")),
    ]
}

fn k() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => Just(Value::Int(1)),
        3 => Just(Value::Int(2)),
        2 => Just(Value::Float(1.0)),
        1 => Just(Value::Missing),
        1 => Just(Value::from("t")),
    ]
}

/// Events and watermarks; some events are late.
pub fn stream(most: usize) -> impl Strategy<Value = Stream> {
    let kind = prop_oneof![10 => Just(0usize), 6 => Just(1), 3 => Just(2), 2 => Just(3)];
    let event = (kind, x(), k()).prop_map(Some);
    let step = prop_oneof![9 => event, 1 => Just(None)];
    let pause = prop_oneof![4 => Just(0i64), 6 => Just(1), 3 => Just(2), 1 => Just(7)];
    let late = prop::bool::weighted(0.03);
    prop::collection::vec((step, pause, late), most / 2..=most).prop_map(|steps| {
        let mut now = 0;
        let steps = steps.into_iter().map(|(step, pause, late)| {
            now += pause;
            match step {
                None => Step::Watermark(now + 1),
                Some((kind, x, k)) => Step::Event(Ev {
                    kind: KINDS[kind],
                    time: if late { now - 1 } else { now },
                    attributes: vec![("x", x), ("k", k)],
                }),
            }
        });
        Stream(steps.collect())
    })
}
