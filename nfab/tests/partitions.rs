//! Partitions of a builder's pattern: each key on its own, and what a limit for each key does.

mod common;

use common::{Log, World, world};
use nfab::{
    Automaton, Config, Count, Engine, ErrorKind, Expr, First, Limit, Limits, Pattern, Policy,
    Record, Value,
};

fn rising() -> Pattern {
    let more = Expr::attribute("val").gt(Expr::last("a", "val")).assume(true);
    let pattern = Pattern::begin("a").where_(Expr::type_is("A").and(more)).times(2);
    let pattern = pattern.next("b").where_(Expr::type_is("B"));
    pattern.partition_by(["vol"]).build().expect("a pattern")
}

fn event(world: &World, kind: &str, time: i64, val: i64, key: impl Into<Value>) -> Record {
    world.event(kind, time, val).with(world.vol, key)
}

#[test]
fn each_key_on_its_own() {
    let world = world();
    let mut engine = world.engine(&rising(), Config::new());
    let mut log = Log::default();
    let key = |time: i64| time % 3;
    for time in 0..9 {
        let kind = if time < 6 { "A" } else { "B" };
        engine.push(event(&world, kind, time, time, key(time)), &mut log).expect("no failure");
    }
    let found: Vec<Vec<u64>> = log.matches.into_iter().map(|m| m.1).collect();
    assert_eq!(found, [[0, 3, 6], [1, 4, 7], [2, 5, 8]]);
}

#[test]
fn equal_numbers_are_one_key_and_missing_is_none() {
    let world = world();
    let mut schema = world.schema.clone();
    schema.add_attribute("vol", None);
    let mut engine = Engine::new(Automaton::compile(&rising(), &schema).expect("it compiles"));
    let mut keys = Vec::new();
    let mut sink = nfab::Visit(|found: &nfab::Match<'_, Record>| {
        keys.extend(found.key().map(nfab::ValueRef::to_value));
        std::ops::ControlFlow::Continue(())
    });
    let stream = [
        ("A", Value::Int(7)),
        ("A", Value::Missing),
        ("A", Value::Float(f64::NAN)),
        ("A", Value::Text("7".into())),
        ("A", Value::Float(7.0)),
        ("B", Value::Bool(true)),
        ("B", Value::Int(7)),
    ];
    for (time, (kind, key)) in (0..).zip(stream) {
        engine.push(event(&world, kind, time, time, key), &mut sink).expect("no failure");
    }
    assert_eq!(engine.stats().without_key, 2);
    assert_eq!(keys, [Value::Int(7)]);
}

#[test]
fn an_unknown_attribute_is_named() {
    let world = world();
    let pattern = Pattern::begin("a").partition_by(["nobody"]).build().expect("a pattern");
    let error = Automaton::compile(&pattern, &world.schema).expect_err("there is none");
    assert_eq!(error.kind(), ErrorKind::Name);
    assert!(error.to_string().contains("`nobody`"), "{error}");
}

#[test]
fn a_limit_for_each_key() {
    let world = world();
    let own = Expr::attribute("val").ge(Expr::last("a", "val"));
    let pattern = Pattern::begin("a").where_(Expr::type_is("A")).followed_by("b");
    let pattern = pattern.where_(Expr::type_is("B").and(own)).partition_by(["vol"]);
    let pattern = pattern.build().expect("a pattern");
    let run = |policy| {
        let mut limits = Limits::default();
        limits.runs_per_key = Limit::new(2, policy);
        let mut engine = world.engine(&pattern, Config::new().limits(limits));
        let mut log = Log::default();
        for time in 0..8 {
            engine.push(event(&world, "A", time, time, time % 2), &mut log)?;
        }
        engine.push(event(&world, "B", 8, 9, 0), &mut log)?;
        let starts: Vec<u64> = log.matches.iter().map(|m| m.1[0]).collect();
        Ok::<_, nfab::Error>((starts, engine.stats().dropped_runs))
    };
    assert_eq!(run(Policy::DropOldest).expect("no failure"), (vec![4, 6], 4));
    assert_eq!(run(Policy::DropNewest).expect("no failure"), (vec![0, 2], 4));
    assert_eq!(run(Policy::Error).expect_err("too many").kind(), ErrorKind::Limit);
}

#[test]
fn the_first_matches_and_no_more() {
    let world = world();
    let pattern = Pattern::begin("a").where_(Expr::type_is("A")).build().expect("a pattern");
    let mut engine = world.engine(&pattern, Config::new());
    let mut first = First::many(3, Count::default());
    for event in world.letters("A B A A A A") {
        engine.push(event, &mut first).expect("no failure");
    }
    assert!(first.is_done());
    assert_eq!(first.into_inner().matches, 3);
}
