//! Extremes of time and values, limits, misuse, and endless streams.

mod common;

use std::ops::ControlFlow;

use common::{Log, world};
use nfab::pattern::{AfterMatch, SkipTarget};
use nfab::{
    Automaton, Cause, CompileOptions, Config, Count, EndOfInput, Engine, ErrorKind, Evaluation,
    Expr, HoldBack, Limit, Limits, Match, Pattern, PatternBuilder, Policy, Record, Schema, Slot,
    Value, ValueType, Visit,
};

fn is(kind: &str) -> Expr {
    Expr::type_is(kind)
}

fn a_then_b() -> PatternBuilder {
    Pattern::begin("a").where_(is("A")).followed_by("b").where_(is("B"))
}

#[test]
fn times_at_both_ends_of_i64() {
    let world = world();
    let run = |window: i64, first: i64, second: i64| {
        let pattern = a_then_b().within(window).build().expect("a pattern");
        let config = Config::new().timeouts(true).end_of_input(EndOfInput::Max);
        let mut engine = world.engine(&pattern, config);
        let mut log = Log::default();
        engine.push(world.event("A", first, 0), &mut log).expect("no failure");
        engine.push(world.event("B", second, 0), &mut log).expect("no failure");
        engine.finish(&mut log).expect("no failure");
        (log.matches.len(), log.timed_out)
    };
    assert_eq!(run(i64::MAX, i64::MIN, i64::MAX).0, 0);
    assert_eq!(run(i64::MAX, 0, i64::MAX), (0, vec![(Cause::Time(i64::MAX), i64::MAX, vec![0])]));
    assert_eq!(run(i64::MAX, 1, i64::MAX).0, 1);
    assert_eq!(run(1, i64::MIN, i64::MIN).0, 1);
    assert_eq!(run(1, i64::MAX, i64::MAX).0, 1);
    // The deadline would lie beyond the last time.
    let pattern = a_then_b().within(10).build().expect("a pattern");
    let config = Config::new().timeouts(true).end_of_input(EndOfInput::Max);
    let mut engine = world.engine(&pattern, config);
    let mut log = Log::default();
    engine.push(world.event("A", i64::MAX - 1, 0), &mut log).expect("no failure");
    engine.finish(&mut log).expect("no failure");
    assert_eq!(log.timed_out, [(Cause::End, i64::MAX, vec![0])]);
}

/// One attribute of no declared type.
fn loose() -> (Schema, Slot, nfab::TypeId) {
    let mut schema = Schema::new();
    let kind = schema.add_type("N");
    let slot = schema.add_attribute("v", None);
    (schema, slot, kind)
}

/// How many single events a condition accepts, and the counters.
fn accepted(condition: Expr, values: &[Value]) -> (u64, nfab::Stats) {
    let (schema, slot, kind) = loose();
    let pattern = Pattern::begin("a").where_(condition).build().expect("a pattern");
    let mut engine = Engine::new(Automaton::compile(&pattern, &schema).expect("it compiles"));
    let mut count = Count::default();
    for (time, value) in (0..).zip(values) {
        let event = Record::new(kind, time).with(slot, value.clone());
        engine.push(event, &mut count).expect("no failure");
    }
    (count.matches, engine.stats())
}

#[test]
fn missing_is_unknown_and_so_is_its_negation() {
    let v = || Expr::attribute("v");
    let missing = [Value::Missing];
    assert_eq!(accepted(v().gt(0), &missing).0, 0);
    assert_eq!(accepted(v().gt(0).not(), &missing).0, 0);
    assert_eq!(accepted(v().ne(v()), &missing).0, 0);
    assert_eq!(accepted(v().gt(0).or(v().is_missing()), &missing).0, 1);
    assert_eq!(accepted(v().gt(0).and(Expr::constant(false)).not(), &missing).0, 1);
    assert_eq!(accepted(v().is_in([Expr::constant(1)]).not(), &missing).0, 0);
    assert_eq!(accepted(v().between(1, 2).not(), &missing).0, 0);
    assert_eq!(accepted(v().gt(0).assume(true), &missing).0, 1);
}

#[test]
fn a_run_waits_on_over_events_that_its_condition_cannot_judge() {
    let (schema, slot, kind) = loose();
    let pattern = Pattern::begin("a")
        .where_(Expr::attribute("v").eq(1))
        .followed_by("b")
        .where_(Expr::attribute("v").eq(2))
        .build()
        .expect("a pattern");
    let mut engine = Engine::new(Automaton::compile(&pattern, &schema).expect("it compiles"));
    let mut count = Count::default();
    engine.push(Record::new(kind, 0).with(slot, 1), &mut count).expect("no failure");
    engine.push(Record::new(kind, 1), &mut count).expect("no failure");
    engine.push(Record::new(kind, 2).with(slot, 2), &mut count).expect("no failure");
    assert_eq!(count.matches, 1);
}

#[test]
fn nan_equals_and_orders_with_nothing() {
    let v = || Expr::attribute("v");
    let nan = [Value::Float(f64::NAN)];
    for condition in [v().eq(v()), v().lt(1), v().ge(1), v().between(0, 1), v().eq(f64::NAN)] {
        assert_eq!(accepted(condition, &nan).0, 0);
    }
    assert_eq!(accepted(v().ne(v()), &nan).0, 1);
    // Aggregates leave it out.
    let greatest = Expr::max("a", "v");
    let condition = greatest.eq(7).or(Expr::count("a").lt(2));
    let (schema, slot, kind) = loose();
    let pattern = Pattern::begin("a").where_(condition).times(3).build().expect("a pattern");
    let mut engine = Engine::new(Automaton::compile(&pattern, &schema).expect("it compiles"));
    let mut count = Count::default();
    for (time, x) in (0..).zip([f64::NAN, 7.0, 0.0]) {
        engine.push(Record::new(kind, time).with(slot, x), &mut count).expect("no failure");
    }
    assert_eq!(count.matches, 1);
}

#[test]
fn integers_compare_with_floats_exactly() {
    let v = || Expr::attribute("v");
    let big = i64::MAX; // As a float it would round up to 2^63.
    assert_eq!(accepted(v().lt(9_223_372_036_854_775_808.0), &[Value::Int(big)]).0, 1);
    assert_eq!(accepted(v().eq(9_223_372_036_854_775_808.0), &[Value::Int(big)]).0, 0);
    let odd = (1i64 << 53) + 1;
    assert_eq!(accepted(v().gt((1i64 << 53) as f64), &[Value::Int(odd)]).0, 1);
    assert_eq!(accepted(v().lt(f64::INFINITY), &[Value::Int(big)]).0, 1);
    assert_eq!(accepted(v().gt(f64::NEG_INFINITY), &[Value::Int(i64::MIN)]).0, 1);
    // Fractions of integers are exact: 1/3 is not the float next to it.
    assert_eq!(accepted(v().div(3).eq(1.0 / 3.0), &[Value::Int(1)]).0, 0);
    assert_eq!(accepted(v().div(3).mul(3).eq(1), &[Value::Int(1)]).0, 1);
    assert_eq!(accepted(v().div(2).gt(3), &[Value::Int(7)]).0, 1);
    assert_eq!(accepted(v().rem(3).eq(-1), &[Value::Int(-7)]).0, 1);
}

#[test]
fn overflow_and_division_by_zero_are_counted_and_unknown() {
    let v = || Expr::attribute("v");
    let big = [Value::Int(i64::MAX)];
    assert_eq!(accepted(v().mul(v()).gt(0), &big).0, 1);
    let (count, stats) = accepted(v().mul(v()).mul(v()).gt(0), &big);
    assert_eq!((count, stats.overflows), (0, 1));
    let (count, stats) = accepted(v().div(0).eq(v()).not(), &big);
    assert_eq!((count, stats.divisions_by_zero), (0, 1));
    assert_eq!(accepted(v().rem(-1).eq(0), &[Value::Int(i64::MIN)]).0, 1);
    // Sums widen.
    let (schema, slot, kind) = loose();
    let sum = Expr::sum("a", "v").gt(i64::MAX).or(Expr::count("a").lt(2));
    let pattern = Pattern::begin("a").where_(sum).times(3).build().expect("a pattern");
    let mut engine = Engine::new(Automaton::compile(&pattern, &schema).expect("it compiles"));
    let mut count = Count::default();
    for time in 0..3 {
        engine.push(Record::new(kind, time).with(slot, i64::MAX), &mut count).expect("no failure");
    }
    assert_eq!(count.matches, 1);
}

#[test]
fn types_that_do_not_fit_are_counted_where_no_schema_tells() {
    let v = || Expr::attribute("v");
    let (count, stats) = accepted(v().gt(1), &[Value::from("text"), Value::Int(2)]);
    assert_eq!((count, stats.type_errors), (1, 1));
    let (count, stats) = accepted(v().add(1).gt(1), &[Value::Bool(true)]);
    assert_eq!((count, stats.type_errors), (0, 1));
    let (count, stats) = accepted(v(), &[Value::Bool(true), Value::Int(1)]);
    assert_eq!((count, stats.type_errors), (1, 1));
}

#[test]
fn late_events_are_handed_back() {
    let world = world();
    let mut engine = world.engine(&a_then_b().build().expect("a pattern"), Config::new());
    let mut log = Log::default();
    engine.push(world.event("A", 10, 0), &mut log).expect("no failure");
    engine.push(world.event("B", 9, 0), &mut log).expect("no failure");
    engine.advance_watermark(20, &mut log).expect("no failure");
    engine.advance_watermark(15, &mut log).expect("no failure");
    engine.push(world.event("B", 19, 0), &mut log).expect("no failure");
    engine.push(world.event("B", 20, 0), &mut log).expect("no failure");
    assert_eq!(log.late.len(), 2);
    assert_eq!((engine.stats().late, engine.stats().events), (2, 2));
    assert_eq!(log.matches, [(Cause::Event(1), vec![0, 1])]);
}

#[test]
fn the_watermark_alone_ends_windows() {
    let world = world();
    let pattern = Pattern::begin("a")
        .where_(is("A"))
        .not_followed_by("n")
        .where_(is("B"))
        .within(5)
        .build()
        .expect("a pattern");
    let mut engine = world.engine(&pattern, Config::new());
    let mut log = Log::default();
    engine.push(world.event("A", 0, 0), &mut log).expect("no failure");
    engine.advance_watermark(4, &mut log).expect("no failure");
    assert!(log.matches.is_empty());
    engine.advance_watermark(5, &mut log).expect("no failure");
    assert_eq!(log.matches, [(Cause::Time(5), vec![0])]);
    // By default the end of the stream says nothing.
    engine.push(world.event("A", 6, 0), &mut log).expect("no failure");
    engine.finish(&mut log).expect("no failure");
    assert_eq!(log.matches.len(), 1);
}

#[test]
fn a_missing_skip_target_is_an_error_and_ends_the_engine() {
    let world = world();
    let target = SkipTarget { stage: "o".to_owned(), must_exist: true };
    let pattern = Pattern::begin("a")
        .where_(is("A"))
        .followed_by("o")
        .where_(is("C"))
        .optional()
        .followed_by("b")
        .where_(is("B"))
        .after_match(AfterMatch::SkipToFirst(target))
        .build()
        .expect("a pattern");
    let mut engine = world.engine(&pattern, Config::new());
    let mut log = Log::default();
    engine.push(world.event("A", 0, 0), &mut log).expect("no failure");
    let error = engine.push(world.event("B", 1, 0), &mut log).expect_err("no such event");
    assert_eq!((error.kind(), error.stage()), (ErrorKind::SkipTargetMissing, Some("o")));
    let error = engine.push(world.event("A", 2, 0), &mut log).expect_err("it has failed");
    assert_eq!(error.kind(), ErrorKind::Usage);
}

#[test]
fn nothing_goes_in_after_the_end() {
    let world = world();
    let mut engine = world.engine(&a_then_b().build().expect("a pattern"), Config::new());
    let mut log = Log::default();
    engine.finish(&mut log).expect("no failure");
    let error = engine.push(world.event("A", 0, 0), &mut log).expect_err("it is finished");
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(engine.finish(&mut log).is_err());
    assert!(engine.advance_watermark(1, &mut log).is_err());
}

#[test]
fn hold_back_or_emit_at_once() {
    let world = world();
    let own = Expr::attribute("val").eq(Expr::last("x", "val"));
    let pattern = Pattern::begin("x")
        .where_(is("A"))
        .followed_by("y")
        .where_(is("B").and(own))
        .skip_past_last()
        .build()
        .expect("a pattern");
    let run = |hold_back| {
        let mut engine = world.engine(&pattern, Config::new().hold_back(hold_back));
        let mut log = Log::default();
        for (kind, time, val) in [("A", 0, 1), ("A", 1, 2), ("B", 2, 2), ("B", 3, 1)] {
            engine.push(world.event(kind, time, val), &mut log).expect("no failure");
        }
        log.matches
    };
    // The match of event 1 waits for the run of event 0, which then prunes it.
    assert_eq!(run(HoldBack::Wait), [(Cause::Event(3), vec![0, 3])]);
    // At once, it prunes that run.
    assert_eq!(run(HoldBack::EmitNow), [(Cause::Event(2), vec![1, 2])]);
}

fn with_runs(most: usize, policy: Policy) -> Config {
    let mut limits = Limits::default();
    limits.runs = Limit::new(most, policy);
    Config::new().limits(limits)
}

#[test]
fn limits_have_policies() {
    let world = world();
    let pattern = a_then_b().build().expect("a pattern");
    let run = |config: Config| {
        let mut engine = world.engine(&pattern, config);
        let mut log = Log::default();
        for event in world.letters("A A A A B") {
            engine.push(event, &mut log)?;
        }
        Ok::<_, nfab::Error>((log.matches, engine.stats()))
    };
    let starts = |policy| {
        let (matches, stats) = run(with_runs(2, policy)).expect("no failure");
        assert_eq!(stats.dropped_runs, 2);
        matches.into_iter().map(|m| m.1[0]).collect::<Vec<_>>()
    };
    assert_eq!(starts(Policy::DropOldest), [2, 3]);
    assert_eq!(starts(Policy::DropNewest), [0, 1]);
    let runs = CompileOptions::new().evaluation(Evaluation::Runs);
    let automaton = Automaton::compile_with(&pattern, &world.schema, runs).expect("it compiles");
    let mut engine = Engine::with_config(automaton, with_runs(2, Policy::Error));
    let mut letters = world.letters("A A A A B").into_iter();
    let error = letters.try_for_each(|event| engine.push(event, &mut Log::default()));
    assert_eq!(error.expect_err("too many").kind(), ErrorKind::Limit);
    // The queues of a sequence, which are what is chosen here, count the same.
    let error = run(with_runs(3, Policy::Error)).expect_err("too many");
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert_eq!(run(with_runs(4, Policy::Error)).expect("no failure").0.len(), 4);

    let mut limits = Limits::default();
    limits.matches = Limit::new(3, Policy::DropNewest);
    let (matches, stats) = run(Config::new().limits(limits)).expect("no failure");
    assert_eq!((matches.len(), stats.dropped_matches), (3, 1));

    let mut limits = Limits::default();
    limits.match_length = Limit::new(1, Policy::DropOldest);
    let (matches, stats) = run(Config::new().limits(limits)).expect("no failure");
    assert_eq!((matches.len(), stats.dropped_runs), (0, 4));

    let mut limits = Limits::default();
    limits.history = Limit::new(3, Policy::DropOldest);
    let (_, stats) = run(Config::new().limits(limits)).expect("no failure");
    assert!(stats.dropped_runs > 0 && stats.cells <= 4, "{stats:?}");
    limits.history.policy = Policy::Error;
    let error = run(Config::new().limits(limits)).expect_err("too many");
    assert_eq!(error.kind(), ErrorKind::Limit);
}

#[test]
fn a_sink_may_stop() {
    let world = world();
    let mut engine = world.engine(&a_then_b().build().expect("a pattern"), Config::new());
    let mut seen = 0;
    let mut first = Visit(|_: &Match<'_, Record>| {
        seen += 1;
        ControlFlow::Break(())
    });
    for event in world.letters("A A A B") {
        engine.push(event, &mut first).expect("no failure");
    }
    assert_eq!((seen, engine.stats().undelivered), (1, 2));
}

/// Patterns that start often and rarely or never complete, windowed, over a long stream.
#[test]
fn memory_is_bounded_on_endless_streams() {
    let world = world();
    let strict = Pattern::begin("a").where_(is("A")).next("b").where_(is("A")).next("c");
    let strict = strict.where_(is("B")).build().expect("a pattern");
    let windowed = a_then_b().within(50).build().expect("a pattern");
    for pattern in [strict, windowed] {
        let mut engine = world.engine(&pattern, Config::new());
        let mut count = Count::default();
        for time in 0..200_000 {
            engine.push(world.event("A", time, 0), &mut count).expect("no failure");
        }
        let stats = engine.stats();
        assert!(stats.runs <= 50, "{stats:?}");
        assert!(stats.peak_cells < 5_000 && stats.stored_events < 5_000, "{stats:?}");
    }
}

#[test]
fn deep_expressions_are_refused_not_overflowed() {
    let world = world();
    let mut deep = Expr::attribute("val").gt(0);
    for _ in 0..2_000 {
        deep = deep.not();
    }
    let pattern = Pattern::begin("a").where_(deep).build().expect("a pattern");
    let error = Automaton::compile(&pattern, &world.schema).expect_err("too deep");
    assert_eq!(error.kind(), ErrorKind::Limit);
}

#[test]
fn huge_numbers_of_repetitions_are_refused() {
    let world = world();
    let inner = Pattern::begin("a").times(50_000);
    let pattern = Pattern::begin_group(inner).times(50_000).build().expect("a pattern");
    let error = Automaton::compile(&pattern, &world.schema).expect_err("too many states");
    assert_eq!(error.kind(), ErrorKind::Limit);
    let pattern = Pattern::begin("a").times_or_more(u32::MAX).build().expect("a pattern");
    assert!(Automaton::compile(&pattern, &world.schema).is_err());
}

#[test]
fn names_may_be_anything() {
    let mut schema = Schema::new();
    let kind = schema.add_type("地震");
    let slot = schema.add_attribute("größe \"M\"", Some(ValueType::Float));
    let pattern = Pattern::begin("η\n")
        .where_(Expr::type_is("地震").and(Expr::attribute("größe \"M\"").ge(6.5)))
        .build()
        .expect("a pattern");
    let automaton = Automaton::compile(&pattern, &schema).expect("it compiles");
    assert!(automaton.to_dot().contains("größe \\\"M\\\""));
    let mut engine = Engine::new(automaton);
    let mut count = Count::default();
    engine.push(Record::new(kind, 0).with(slot, 7.1), &mut count).expect("no failure");
    assert_eq!(count.matches, 1);
}

#[test]
fn engines_move_between_threads() {
    fn send<T: Send>() {}
    fn shared<T: Send + Sync>() {}
    send::<Engine<Record>>();
    shared::<Automaton>();
    shared::<nfab::Error>();
}

/// Long chains of optional stages after a negation are copied; in a group that may pass without an
/// event the chain is a circle.
#[test]
fn copies_of_long_chains_end() {
    let world = world();
    let mut inner = Pattern::begin("x").optional();
    for i in 0..20_000 {
        inner = inner.followed_by(format!("x{i}")).optional();
    }
    let start = || Pattern::begin("a").not_followed_by("n").where_(is("B")).followed_by("y");
    let long = start().one_or_more().optional().followed_by_group(inner.clone());
    let pattern = long.followed_by("z").build().expect("a pattern");
    assert!(Automaton::compile(&pattern, &world.schema).is_ok());

    let mut many = start().one_or_more().optional();
    for i in 0..2_000 {
        many = many.followed_by(format!("y{i}")).one_or_more().optional();
    }
    let pattern = many.followed_by("z").build().expect("a pattern");
    let error = Automaton::compile(&pattern, &world.schema).expect_err("too many states");
    assert_eq!(error.kind(), ErrorKind::Limit);

    let circle = Pattern::begin("b").optional().followed_by("c").optional();
    let round = start().one_or_more().optional().followed_by_group(circle).one_or_more();
    let pattern = round.followed_by("z").build().expect("a pattern");
    let options = nfab::CompileOptions::new().follow_flink(true);
    assert!(Automaton::compile_with(&pattern, &world.schema, options).is_ok());
}
