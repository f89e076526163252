//! Worked examples of the sources, as far as they are about the `flink` semantics.

mod common;

use common::world;
use nfab::{Expr, Pattern};

fn val() -> Expr {
    Expr::attribute("val")
}

/// 10, 20, 10 in a row.
#[test]
fn nfab_demand1() {
    let pattern = Pattern::begin("a")
        .where_(val().eq(10))
        .next("b")
        .where_(val().eq(20))
        .next("c")
        .where_(val().eq(10))
        .build()
        .expect("a pattern");
    let world = world();
    let events = world.values(&[10, 20, 10, 20, 10, 5, 10, 20, 30, 10]);
    assert_eq!(world.matches(&pattern, events), [[0, 1, 2], [2, 3, 4]]);
}

/// 10, then one or more of 10 to 50 until there is more than 50, then 0.
#[test]
fn nfab_demand2() {
    let pattern = Pattern::begin("a")
        .where_(val().eq(10))
        .next("b")
        .where_(val().between(10, 50))
        .one_or_more()
        .consecutive()
        .until(val().gt(50))
        .next("c")
        .where_(val().eq(0))
        .build()
        .expect("a pattern");
    let world = world();
    let events = world.values(&[10, 10, 20, 0, 10, 60, 0, 10, 0, 10, 50, 0, 10, 20, 51, 0]);
    let expected: [&[u64]; 3] = [&[0, 1, 2, 3], &[1, 2, 3], &[9, 10, 11]];
    assert_eq!(world.matches(&pattern, events), expected);
}

/// `a[1] = 20`, then ever higher prices, every rising selection: ten matches.
#[test]
fn nfab_strategies_skip_till_any() {
    let rising = Expr::count("a")
        .eq(0)
        .and(val().eq(20))
        .or(Expr::count("a").gt(0).and(val().gt(Expr::last("a", "val"))));
    let pattern = Pattern::begin("a")
        .where_(rising)
        .one_or_more()
        .allow_combinations()
        .build()
        .expect("a pattern");
    let world = world();
    let mut found = world.matches(&pattern, world.values(&[20, 30, 100, 40, 50]));
    found.sort();
    let mut expected: Vec<Vec<u64>> = vec![
        vec![0],
        vec![0, 1],
        vec![0, 2],
        vec![0, 3],
        vec![0, 4],
        vec![0, 1, 2],
        vec![0, 1, 3],
        vec![0, 1, 4],
        vec![0, 3, 4],
        vec![0, 1, 3, 4],
    ];
    expected.sort();
    assert_eq!(found, expected);
}

/// The same under skip-till-next: the prefixes of 20 30 100.
#[test]
fn nfab_strategies_skip_till_next() {
    let rising = Expr::count("a").eq(0).and(val().eq(20)).or(val().gt(Expr::last("a", "val")));
    let pattern = Pattern::begin("a").where_(rising).one_or_more().build().expect("a pattern");
    let world = world();
    let found = world.matches(&pattern, world.values(&[20, 30, 100, 40, 50]));
    let expected: [&[u64]; 3] = [&[0], &[0, 1], &[0, 1, 2]];
    assert_eq!(found, expected);
}

/// The stock query over its eight events. Where SASE+ gives three matches, this semantics gives
/// eight: every prefix of the loop may wait for the drop in volume.
#[test]
fn the_stock_query() {
    let price = || Expr::attribute("val");
    let first = Expr::count("a").eq(0).and(Expr::attribute("vol").gt(1000));
    let further = Expr::count("a").gt(0).and(price().gt(Expr::avg("a", "val")));
    let drop = Expr::attribute("vol").mul(10).lt(Expr::last("a", "vol").mul(8));
    let pattern = Pattern::begin("a")
        .where_(first.or(further))
        .one_or_more()
        .followed_by("b")
        .where_(drop)
        .within(3_600_000)
        .build()
        .expect("a pattern");
    let world = world();
    let ticks = [
        (100, 1010),
        (120, 990),
        (120, 1005),
        (121, 999),
        (120, 999),
        (125, 750),
        (120, 950),
        (120, 700),
    ];
    let events: Vec<_> = (0..)
        .zip(ticks)
        .map(|(time, (price, volume))| world.event("N", time, price).with(world.vol, volume))
        .collect();
    let found = world.matches(&pattern, events);
    assert_eq!(found.len(), 8);
    // The three matches of SASE+ are among them.
    for expected in [vec![0, 1, 2, 3, 4, 5], vec![2, 3, 5], vec![0, 1, 2, 3, 4, 5, 6, 7]] {
        assert!(found.contains(&expected), "{expected:?}");
    }
}

/// One or more views, then a purchase, over v v v b: 3, 6 and 7 matches by contiguity.
#[test]
fn views_then_a_purchase() {
    let world = world();
    let views = || Pattern::begin("view").where_(Expr::type_is("A")).one_or_more();
    let count = |pattern: nfab::PatternBuilder| {
        let pattern = pattern.where_(Expr::type_is("B")).build().expect("a pattern");
        world.matches(&pattern, world.letters("A A A B")).len()
    };
    assert_eq!(count(views().consecutive().next("buy")), 3);
    assert_eq!(count(views().followed_by("buy")), 6);
    assert_eq!(count(views().allow_combinations().followed_by_any("buy")), 7);
}
