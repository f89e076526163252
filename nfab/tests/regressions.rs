//! What was once wrong and must not come back.

mod common;

use common::{Log, World, world};
use nfab::language::Query;
use nfab::{
    Automaton, CompileOptions, Config, Count, Engine, ErrorKind, Evaluation, First, Limit, Limits,
    Policy, Record,
};

fn engine(world: &World, query: &str, evaluation: Evaluation, config: Config) -> Engine<Record> {
    let query = Query::parse(query).expect("a query");
    let options = CompileOptions::new().evaluation(evaluation);
    let automaton = Automaton::from_query(&query, &world.schema, options).expect("it compiles");
    Engine::with_config(automaton, config)
}

const ALL: [Evaluation; 3] = [Evaluation::Compact, Evaluation::Grouped, Evaluation::Runs];

/// A and B of one key next to each other, and each key once.
fn passing_keys(world: &World, keys: i64) -> impl Iterator<Item = Record> {
    (0..2 * keys).map(|time| {
        let kind = if time % 2 == 0 { "A" } else { "B" };
        world.event(kind, time, time % 7).with(world.vol, time / 2)
    })
}

/// Partitions were given up between the match and its output: a panic, or a match less.
#[test]
fn a_partition_is_given_up_only_after_its_matches_were_handed_out() {
    let world = world();
    for evaluation in ALL {
        for strategy in ["", "strict_contiguity", "skip_till_any_match"] {
            let query = format!("PATTERN SEQ(A a, B b) WHERE {strategy} {{ [vol] }}");
            let mut counted = engine(&world, &query, evaluation, Config::new());
            let mut listed = engine(&world, &query, evaluation, Config::new());
            let (mut count, mut log) = (Count::default(), Log::default());
            for event in passing_keys(&world, 1000) {
                counted.push(event.clone(), &mut count).expect("no failure");
                listed.push(event, &mut log).expect("no failure");
            }
            assert_eq!(count.matches, 1000, "{evaluation:?} {query}");
            let found = log.matches.into_iter().map(|found| found.1);
            assert!(found.eq((0..1000).map(|key| vec![2 * key, 2 * key + 1])), "{query}");
        }
    }
}

/// What partitions had remembered was still counted after they were given up, so that an endless
/// stream would have come to a limit in the end.
#[test]
fn what_is_remembered_is_forgotten_with_its_partition() {
    let world = world();
    for evaluation in ALL {
        for query in [
            "PATTERN SEQ(A a, B b) WHERE { [vol] }",
            "PATTERN SEQ(A a, C c) WHERE strict_contiguity { [vol] }",
            "PATTERN SEQ(A a, ~B b) WHERE { [vol] } WITHIN 100 ms",
        ] {
            let mut engine = engine(&world, query, evaluation, Config::new());
            let mut log = Log::default();
            for event in passing_keys(&world, 20_000) {
                engine.push(event, &mut log).expect("no failure");
                let cells = engine.stats().cells;
                assert!(cells <= 2048, "{cells} cells, {evaluation:?}, {query}");
            }
        }
    }
}

/// Very many matches at the last event.
fn exponential(world: &World) -> impl Iterator<Item = Record> {
    (0..61).map(|time| world.event(if time < 60 { "A" } else { "B" }, time, time))
}

/// After the first match, or the limit, all others were looked at to count what was not delivered.
#[test]
fn the_first_of_very_many_matches_comes_at_once() {
    let world = world();
    for query in [
        "PATTERN SEQ(SEQ(A? a, A? b, A c)+, B d) WHERE skip_till_any_match",
        "PATTERN SEQ(A{1,600} a[], B b) WHERE skip_till_any_match",
    ] {
        for evaluation in [Evaluation::Compact, Evaluation::Grouped] {
            let engine_of =
                |limits| engine(&world, query, evaluation, Config::new().limits(limits));
            let mut first = First::new(Log::default());
            let mut engine = engine_of(Limits::default());
            for event in exponential(&world) {
                engine.push(event, &mut first).expect("no failure");
            }
            assert_eq!(first.into_inner().matches.len(), 1);

            for policy in [Policy::Error, Policy::DropNewest] {
                let mut limits = Limits::default();
                limits.matches = Limit::new(10, policy);
                let mut engine = engine_of(limits);
                let mut log = Log::default();
                let result = exponential(&world).try_for_each(|event| engine.push(event, &mut log));
                assert_eq!(result.is_err(), policy == Policy::Error);
                assert_eq!(log.matches.len(), 10);
                assert_eq!(engine.stats().dropped_matches > 0, policy == Policy::DropNewest);
            }
        }
    }
}

/// Counting went on for ever where the same match may come about in several ways.
#[test]
fn counting_what_may_come_about_in_several_ways_is_limited() {
    let world = world();
    let query = "PATTERN SEQ(SEQ(A? a, A? b, A c)+, B d) WHERE skip_till_any_match";
    let mut limits = Limits::default();
    limits.matches = Limit::new(1000, Policy::Error);
    for evaluation in [Evaluation::Compact, Evaluation::Grouped] {
        let mut engine = engine(&world, query, evaluation, Config::new().limits(limits));
        let mut count = Count::default();
        let result = exponential(&world).try_for_each(|event| engine.push(event, &mut count));
        match result {
            Ok(()) => assert!(count.matches > 1 << 50),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Limit),
        }
    }
}

/// Handing out matches that had been held back was quadratic.
#[test]
fn many_matches_are_held_back_by_an_after_match_skip() {
    let world = world();
    let query = "PATTERN SEQ(A a, ~B b) WITHIN 10 ms AFTER MATCH SKIP TO NEXT";
    let mut engine = engine(&world, query, Evaluation::Runs, Config::new());
    let mut count = Count::default();
    for _ in 0..100_000 {
        engine.push(world.event("A", 0, 0), &mut count).expect("no failure");
    }
    engine.advance_watermark(100, &mut count).expect("no failure");
    assert_eq!(count.matches, 100_000);
}

/// Every event was shown to every group, also those that cannot move.
#[test]
fn events_that_cannot_move_a_group_cost_the_same_for_any_number_of_groups() {
    let world = world();
    let query = "PATTERN SEQ(A a, B b) WHERE skip_till_any_match { b.val = a.val }";
    let mut engine = engine(&world, query, Evaluation::Grouped, Config::new());
    let mut count = Count::default();
    for time in 0..200_000 {
        engine.push(world.event("A", time, time), &mut count).expect("no failure");
    }
    engine.push(world.event("B", 200_000, 77), &mut count).expect("no failure");
    assert_eq!(count.matches, 1);
}

/// Groups whose window has passed go, even if no event ever concerns one.
#[test]
fn groups_that_no_event_concerns_go_with_their_window() {
    let world = world();
    let query = "PATTERN SEQ(A a, B b) WHERE skip_till_any_match { b.val = a.val } WITHIN 10 ms";
    let mut engine = engine(&world, query, Evaluation::Grouped, Config::new());
    let mut count = Count::default();
    for time in 0..100_000 {
        engine.push(world.event("A", time, time), &mut count).expect("no failure");
        let bytes = engine.stats().cell_bytes;
        assert!(bytes < 200_000, "{bytes} bytes at {time}");
    }
}
