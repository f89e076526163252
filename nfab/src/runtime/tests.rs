//! Runs against the walk over states and edges, and partitions that come and go.

use std::ops::ControlFlow;

use proptest::prelude::*;

use super::{Core, Engine, Events, Match, Sink, TimedOut};
use crate::{
    Automaton, Cause, CompileOptions, Config, Count, EndOfInput, Evaluation, Expr, HistoryKind,
    Limit, Limits, Pattern, Policy, Record, Schema,
};
use patterns::pattern;

#[path = "../../tests/common/patterns.rs"]
#[allow(dead_code, reason = "other tests look back otherwise")]
mod patterns;

fn schema() -> Schema {
    let mut schema = Schema::new();
    for name in ["A", "B", "C", "D", "E", "N"] {
        schema.add_type(name);
    }
    schema.add_attribute("val", None);
    schema.add_attribute("vol", None);
    schema
}

type Seen = (Cause, Vec<(u64, String)>);

#[derive(Debug, Default, PartialEq)]
struct Log {
    matches: Vec<Seen>,
    timed_out: Vec<(i64, Seen)>,
}

fn seen(cause: Cause, events: Events<'_, Record>) -> Seen {
    let stages = events.iter().map(|(stage, _)| stage.to_owned());
    (cause, events.numbers().zip(stages).collect())
}

impl Sink<Record> for Log {
    fn matched(&mut self, found: &Match<'_, Record>) -> ControlFlow<()> {
        self.matches.push(seen(found.cause(), found.events()));
        ControlFlow::Continue(())
    }

    fn timed_out(&mut self, partial: &TimedOut<'_, Record>) -> ControlFlow<()> {
        self.timed_out.push((partial.deadline(), seen(partial.cause(), partial.events())));
        ControlFlow::Continue(())
    }
}

fn record(schema: &Schema, (kind, val, time): (usize, i64, i64), vol: i64) -> Record {
    let kind = schema.type_id(["A", "B", "C"][kind]).expect("a type");
    let [val_slot, vol_slot] = ["val", "vol"].map(|name| schema.slot(name).expect("a slot"));
    Record::new(kind, time).with(val_slot, val).with(vol_slot, vol)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Flattened, an automaton finds what it finds as it is.
    #[test]
    fn runs_find_what_the_walk_finds(
        pattern in pattern(),
        events in prop::collection::vec((0usize..3, 0i64..6, 0i64..3), 0..25),
        keyed in any::<bool>(),
    ) {
        let schema = schema();
        let options = CompileOptions::new().follow_flink(true).evaluation(Evaluation::Runs);
        let pattern = Pattern { after_match: crate::pattern::AfterMatch::NoSkip, ..pattern };
        let partition_by = if keyed { vec!["vol".to_owned()] } else { Vec::new() };
        let pattern = Pattern { partition_by, ..pattern };
        let Ok(flat) = Automaton::compile_with(&pattern, &schema, options) else { return Ok(()) };
        let mut walked = flat.clone();
        walked.program.waits.clear();
        let run = |automaton: &Automaton, history| {
            let runs = Limit::new(1000, Policy::Error);
            let limits = Limits { runs, ..Limits::default() };
            let config = Config::new().timeouts(true).end_of_input(EndOfInput::Max);
            let config = config.limits(limits).history(history);
            let mut engine = Engine::with_config(automaton.clone(), config);
            let mut log = Log::default();
            let mut time = 0;
            for (at, &(kind, val, pause)) in events.iter().enumerate() {
                time += pause;
                let vol = at as i64 % 2;
                engine.push(record(&schema, (kind, val, time), vol), &mut log).ok()?;
            }
            engine.finish(&mut log).ok()?;
            Some(log)
        };
        // The walk may have several runs where one is enough, and so meet the limit first.
        let walk = run(&walked, HistoryKind::Chain);
        if walk.is_some() {
            prop_assert_eq!(&run(&flat, HistoryKind::Chain), &walk);
            prop_assert_eq!(&run(&flat, HistoryKind::Versioned), &walk);
        }
    }
}

/// A million keys, each with a run that its window ends: what is kept does not grow.
#[test]
fn idle_partitions_are_forgotten() {
    let schema = schema();
    let text = |window| {
        format!(
            "PATTERN SEQ(A a, B b) WHERE skip_till_next_match {{ [vol] AND b.val > a.val }} {window}"
        )
    };
    for window in ["WITHIN 50 ms", "WITHIN 50 EVENTS"] {
        for timeouts in [false, true] {
            let options = CompileOptions::new().evaluation(Evaluation::Runs);
            let query = crate::language::Query::parse(&text(window)).expect("a query");
            let automaton = Automaton::from_query(&query, &schema, options).expect("it compiles");
            let mut engine = Engine::with_config(automaton, Config::new().timeouts(timeouts));
            let mut count = Count::default();
            for time in 0..1_000_000 {
                engine.push(record(&schema, (0, 0, time), time), &mut count).expect("no failure");
            }
            let Core::Runs(driver) = &engine.core else { panic!("runs were asked for") };
            assert!(driver.partitions.places() < 1000, "{}", driver.partitions.places());
            let stats = engine.stats();
            assert!(stats.runs <= 51 && stats.peak_cells < 10_000, "{stats:?}");
            assert!(stats.timed_out > 999_000, "{stats:?}");
            assert_eq!(count.timed_out > 0, timeouts);
        }
    }
}

/// A key that begins and ends its runs over and over keeps its place.
#[test]
fn empty_partitions_are_given_up() {
    let schema = schema();
    let own = Expr::attribute("val").ge(Expr::last("a", "val"));
    let pattern = Pattern::begin("a").where_(Expr::type_is("A")).next("b").where_(own);
    let pattern = pattern.partition_by(["vol"]).build().expect("a pattern");
    let options = CompileOptions::new().evaluation(Evaluation::Runs);
    let automaton = Automaton::compile_with(&pattern, &schema, options).expect("it compiles");
    let mut engine = Engine::new(automaton);
    let mut count = Count::default();
    for time in 0..200_000 {
        let event = (usize::from(time % 2 == 1), 0, time);
        engine.push(record(&schema, event, time / 2), &mut count).expect("no failure");
    }
    assert_eq!(count.matches, 100_000);
    let Core::Runs(driver) = &engine.core else { panic!("runs were asked for") };
    assert!(driver.partitions.places() < 1000, "{}", driver.partitions.places());
}
