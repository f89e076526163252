//! Events that come out of order, within the bound and beyond it.

mod common;
mod sase_oracle;

use common::patterns::pattern;
use common::{Log, World, world};
use nfab::{
    Automaton, CompileOptions, Config, EndOfInput, Engine, ErrorKind, Event, Limit, Limits,
    Pattern, Policy, Record,
};
use proptest::prelude::*;
use sase_oracle::cases::{Shown, query, query_with_skip, stream};
use sase_oracle::engine::schema;
use sase_oracle::{Ev, Step};

fn config() -> Config {
    let mut limits = Limits::default();
    limits.matches = Limit::new(20_000, Policy::Error);
    Config::new().timeouts(true).end_of_input(EndOfInput::Max).limits(limits)
}

/// What an engine gives, and how many events it has seen; or what it gave before one event completed
/// more matches than [`config`] allows.
fn run(automaton: &Automaton, config: Config, events: &[Record]) -> (Log, Result<u64, String>) {
    let mut engine = Engine::with_config(automaton.clone(), config);
    let mut log = Log::default();
    let pushed = (events.iter())
        .try_for_each(|event| engine.push(event.clone(), &mut log))
        .and_then(|()| engine.finish(&mut log));
    if let Err(error) = pushed {
        // Random patterns explode now and then.
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
        return (log, Err(error.message().to_owned()));
    }
    let stats = engine.stats();
    assert_eq!((stats.waiting, stats.late), (0, log.late.len() as u64));
    (log, Ok(stats.events))
}

/// The events that are not late, sorted, and the others.
fn sorted(events: &[Record], lateness: i64) -> (Vec<Record>, Vec<Record>) {
    let mut newest = None;
    let late = |event: &&Record| {
        let late = newest.is_some_and(|newest: i64| event.time() < newest.saturating_sub(lateness));
        newest = newest.max(Some(event.time()));
        late
    };
    let (late, mut rest): (Vec<_>, Vec<_>) = events.iter().cloned().partition({
        let mut late = late;
        move |event| late(&event)
    });
    rest.sort_by_key(Event::time);
    (rest, late)
}

fn same_as_sorted(automaton: &Automaton, events: &[Record], lateness: i64) {
    let (rest, late) = sorted(events, lateness);
    let (expected, seen) = run(automaton, config(), &rest);
    let (found, pushed) = run(automaton, config().lateness(lateness), events);
    assert_eq!(pushed, seen);
    assert_eq!((&found.matches, &found.timed_out), (&expected.matches, &expected.timed_out));
    if let Ok(seen) = seen {
        assert_eq!(seen, rest.len() as u64);
        // Values may be NaN.
        assert_eq!(format!("{:?}", found.late), format!("{late:?}"));
    }
}

fn record(schema: &nfab::Schema, event: &Ev) -> Record {
    let kind = schema.type_id(event.kind).expect("a type of the schema");
    let slot = |name: &str| schema.slot(name).expect("an attribute of the schema");
    let set = |record: Record, (name, value): &(&str, nfab::Value)| {
        record.with(slot(name), value.clone())
    };
    event.attributes.iter().fold(Record::new(kind, event.time), set)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Each event comes with a delay; a bound that covers all delays makes none of them late.
    #[test]
    fn disorder_within_the_bound_changes_nothing(
        query in prop_oneof![query(), query_with_skip()],
        stream in stream(14),
        delays in prop::collection::vec(0..4_i64, 14),
    ) {
        let Shown(query) = query;
        let schema = schema();
        let Ok(automaton) = Automaton::from_query(&query, &schema, CompileOptions::new()) else {
            return Ok(());
        };
        let mut delayed: Vec<(i64, Record)> = (stream.0.iter().zip(delays))
            .filter_map(|(step, delay)| match step {
                Step::Event(event) => Some((event.time + delay, record(&schema, event))),
                Step::Watermark(_) => None,
            })
            .collect();
        delayed.sort_by_key(|event| event.0);
        let events: Vec<Record> = delayed.into_iter().map(|event| event.1).collect();
        // Another delay of 1 is in the stream itself.
        prop_assert!(sorted(&events, 4).1.is_empty());
        same_as_sorted(&automaton, &events, 4);
    }

    #[test]
    fn what_is_beyond_the_bound_is_late_and_the_rest_is_sorted(
        pattern in pattern(),
        events in prop::collection::vec((0..3_usize, 0..6_i64, 0..20_i64), 0..25),
        lateness in 0..9_i64,
    ) {
        let world = world();
        let options = CompileOptions::new().follow_flink(true);
        if let Ok(automaton) = Automaton::compile_with(&pattern, &world.schema, options)
            && !format!("{:?}", pattern.after_match).contains("must_exist: true")
        {
            let event = |&(kind, val, time): &(usize, i64, i64)| {
                world.event(["A", "B", "C"][kind], time, val)
            };
            let events: Vec<Record> = events.iter().map(event).collect();
            same_as_sorted(&automaton, &events, lateness);
        }
    }

    #[test]
    fn times_may_be_extreme(
        times in prop::collection::vec(
            prop_oneof![Just(i64::MIN), Just(i64::MAX), Just(0), any::<i64>()],
            0..12,
        ),
        lateness in prop_oneof![Just(0), Just(1), Just(i64::MAX), any::<i64>().prop_map(|n| n.max(0))],
    ) {
        let (world, pattern) = each_event();
        let automaton = Automaton::compile(&pattern, &world.schema).unwrap();
        let events: Vec<Record> = times.iter().map(|&time| world.event("A", time, 0)).collect();
        same_as_sorted(&automaton, &events, lateness);
    }
}

/// A pattern that each event matches.
fn each_event() -> (World, Pattern) {
    (world(), Pattern::begin("a").within(5).build().unwrap())
}

/// The times of the events that are matched when events of some times are pushed.
fn matched(config: Config, times: &[i64]) -> (Vec<i64>, Vec<i64>, Engine<Record>) {
    let (world, pattern) = each_event();
    let mut engine = world.engine(&pattern, config);
    let mut matched = Vec::new();
    let mut log = Log::default();
    let push = |engine: &mut Engine<Record>, time| {
        engine.push(world.event("A", time, 0), &mut log).unwrap();
        log.matches.len()
    };
    let mut push = push;
    for &time in times {
        matched.push(push(&mut engine, time) as i64);
    }
    (matched, log.late.iter().map(Event::time).collect(), engine)
}

#[test]
fn events_go_on_when_the_watermark_has_reached_them() {
    let (matched, late, engine) = matched(Config::new().lateness(3), &[10, 8, 12, 7, 13, 8, 11]);
    assert_eq!(matched, [0, 0, 1, 1, 2, 2, 2], "10 is released by 13, which does not see 7 and 8");
    assert_eq!(late, [7, 8]);
    assert_eq!((engine.watermark(), engine.stats().waiting, engine.stats().late), (Some(10), 3, 2));
    assert_eq!(engine.stats().events, 2);
}

#[test]
fn a_watermark_releases_and_makes_late() {
    let (world, pattern) = each_event();
    let mut engine = world.engine(&pattern, Config::new().lateness(100));
    let mut log = Log::default();
    for time in [5, 3, 9, 5] {
        engine.push(world.event("A", time, 0), &mut log).unwrap();
    }
    engine.advance_watermark(2, &mut log).unwrap();
    assert_eq!((log.matches.len(), engine.watermark()), (0, Some(2)));
    engine.advance_watermark(5, &mut log).unwrap();
    assert_eq!((log.matches.len(), engine.watermark()), (3, Some(5)));
    engine.push(world.event("A", 4, 0), &mut log).unwrap();
    engine.push(world.event("A", 5, 0), &mut log).unwrap();
    assert_eq!((log.matches.len(), log.late.len()), (4, 1));
    engine.advance_watermark(1, &mut log).unwrap();
    assert_eq!(engine.watermark(), Some(5));
    engine.finish(&mut log).unwrap();
    assert_eq!((log.matches.len(), engine.stats().waiting), (5, 0));
}

#[test]
fn the_buffer_is_bounded() {
    let config = |policy| {
        let mut limits = Limits::default();
        limits.reorder = Limit::new(2, policy);
        Config::new().lateness(10).limits(limits)
    };
    // The third event is one too many: 4 goes early, so that 3 is late.
    let (found, late, engine) = matched(config(Policy::DropOldest), &[5, 4, 6, 3, 4]);
    assert_eq!((found, late), (vec![0, 0, 1, 1, 2], vec![3]));
    assert_eq!((engine.watermark(), engine.stats().waiting), (Some(4), 2));

    let (found, late, engine) = matched(config(Policy::DropNewest), &[5, 4, 6, 3, 15, 16]);
    assert_eq!((found, late), (vec![0, 0, 0, 0, 2, 2], vec![6, 3]));
    assert_eq!((engine.stats().waiting, engine.stats().late), (2, 2));

    let (world, pattern) = each_event();
    let mut engine = world.engine(&pattern, config(Policy::Error));
    let mut log = Log::default();
    for time in [5, 4, 15] {
        engine.push(world.event("A", time, 0), &mut log).unwrap();
    }
    engine.push(world.event("A", 16, 0), &mut log).unwrap();
    let error = engine.push(world.event("A", 17, 0), &mut log).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert_eq!(error.message(), "more than 2 events wait for late ones");
}
