//! Random patterns of the builder, sensible or not.

use nfab::pattern::{AfterMatch, Body, Connector, Element, Inner, Occurs, Quantifier, SkipTarget};
use nfab::{Expr, Pattern};
use proptest::prelude::*;

/// How far conditions look back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Back {
    /// Not at all.
    Nowhere,
    /// At first and last events.
    FirstAndLast,
    /// At all events.
    Anywhere,
}

fn condition(back: Back) -> impl Strategy<Value = Expr> {
    let stage = || prop::sample::select(vec!["s0", "s1", "s2"]);
    let val = || Expr::attribute("val");
    let kind = || prop::sample::select(vec!["A", "B", "C"]).prop_map(Expr::type_is);
    let rising = || stage().prop_map(move |s| val().gt(Expr::last(s, "val")).assume(true));
    let leaf = match back {
        Back::Nowhere => prop_oneof![
            5 => kind(),
            1 => (0i64..6).prop_map(move |least| val().ge(least)),
        ]
        .boxed(),
        Back::FirstAndLast => prop_oneof![
            5 => kind(),
            1 => rising(),
            1 => stage().prop_map(move |s| val().ne(Expr::first(s, "val"))),
        ]
        .boxed(),
        Back::Anywhere => prop_oneof![
            6 => kind(),
            1 => rising(),
            1 => stage().prop_map(move |s| val().rem(3).le(Expr::avg(s, "val"))),
            1 => stage().prop_map(move |s| Expr::count(s).lt(2)),
            1 => stage()
                .prop_map(move |s| Expr::sum(s, "val").div(Expr::min(s, "val")).lt(4).not()),
        ]
        .boxed(),
    };
    leaf.prop_recursive(2, 4, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.and(b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.or(b)),
            inner.prop_map(Expr::not),
        ]
    })
}

fn quantifier(back: Back) -> impl Strategy<Value = Quantifier> {
    let occurs = prop_oneof![
        3 => Just(Occurs::Once),
        2 => (1u32..3).prop_map(Occurs::AtLeast),
        2 => (1u32..3, 0u32..2).prop_map(|(from, more)| Occurs::Times(from, from + more)),
    ];
    let inner = prop::sample::select(vec![Inner::Relaxed, Inner::Consecutive, Inner::Combinations]);
    let flag = || prop::bool::weighted(0.25);
    (occurs, flag(), inner, flag(), prop::option::weighted(0.2, condition(back))).prop_map(
        |(occurs, optional, inner, greedy, until)| {
            let loops = occurs != Occurs::Once;
            Quantifier {
                occurs,
                optional,
                inner: if loops { inner } else { Inner::Relaxed },
                greedy: greedy && loops,
                until: until.filter(|_| matches!(occurs, Occurs::AtLeast(_))),
            }
        },
    )
}

fn element(back: Back) -> impl Strategy<Value = Element> {
    let connector = prop::sample::select(vec![
        Connector::Next,
        Connector::FollowedBy,
        Connector::FollowedBy,
        Connector::FollowedByAny,
        Connector::NotNext,
        Connector::NotFollowedBy,
    ]);
    let gap = prop::option::weighted(0.1, 1i64..6);
    let stage = (connector.clone(), condition(back), quantifier(back), gap).prop_map(
        |(connector, condition, quantifier, gap)| {
            let body = Body::Stage { name: String::new(), condition: Some(condition) };
            let negated = connector.is_negation();
            let quantifier = if negated { Quantifier::default() } else { quantifier };
            Element { connector, body, quantifier, gap }
        },
    );
    stage.prop_recursive(2, 6, 3, move |inner| {
        (connector.clone(), prop::collection::vec(inner, 1..3), quantifier(back)).prop_map(
            |(connector, elements, quantifier)| {
                let connector = match connector {
                    Connector::NotNext | Connector::NotFollowedBy => Connector::FollowedBy,
                    other => other,
                };
                let quantifier = Quantifier { greedy: false, until: None, ..quantifier };
                Element { connector, body: Body::Group(elements), quantifier, gap: None }
            },
        )
    })
}

/// Names the stages and lets each sequence begin.
fn finish(elements: &mut [Element], count: &mut usize) {
    if let Some(first) = elements.first_mut() {
        first.connector = Connector::Begin;
    }
    for element in elements {
        match &mut element.body {
            Body::Stage { name, .. } => {
                *name = format!("s{count}");
                *count += 1;
            }
            Body::Group(inner) => finish(inner, count),
        }
    }
}

/// A pattern of stages `s0`, `s1`... over the types A, B and C.
pub fn pattern() -> impl Strategy<Value = Pattern> {
    pattern_that_looks(Back::Anywhere)
}

/// Patterns whose conditions look back no further.
pub fn pattern_that_looks(back: Back) -> impl Strategy<Value = Pattern> {
    let target = || {
        let stage = prop::sample::select(vec!["s0", "s1"]);
        (stage, any::<bool>())
            .prop_map(|(stage, must_exist)| SkipTarget { stage: stage.to_owned(), must_exist })
    };
    let after_match = prop_oneof![
        3 => Just(AfterMatch::NoSkip),
        1 => Just(AfterMatch::SkipToNext),
        1 => Just(AfterMatch::SkipPastLast),
        1 => target().prop_map(AfterMatch::SkipToFirst),
        1 => target().prop_map(AfterMatch::SkipToLast),
    ];
    let elements = prop::collection::vec(element(back), 1..4);
    (elements, prop::option::of(1i64..15), after_match).prop_map(
        |(mut elements, within, after_match)| {
            finish(&mut elements, &mut 0);
            Pattern { elements, within, after_match, ..Pattern::default() }
        },
    )
}
