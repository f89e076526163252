//! Patterns of all kinds, sensible or not: building, compiling and running them never panics, and
//! what they find does not depend on when the time is told.

mod common;

use common::patterns::pattern;
use common::{Log, World, world};
use nfab::{Automaton, CompileOptions, Config, EndOfInput, Limit, Limits, Policy};
use proptest::prelude::*;

/// The output, or the words of the error that ended it.
fn run(world: &World, automaton: &Automaton, events: &[(usize, i64, i64)], tell: bool) -> String {
    let mut limits = Limits::default();
    limits.runs = Limit::new(500, Policy::DropOldest);
    limits.matches = Limit::new(500, Policy::DropNewest);
    let config = Config::new().timeouts(true).end_of_input(EndOfInput::Max).limits(limits);
    let mut engine = nfab::Engine::with_config(automaton.clone(), config);
    let mut log = Log::default();
    let mut time = 0;
    let mut push = |&(kind, val, pause): &(usize, i64, i64)| {
        time += pause;
        if tell {
            engine.advance_watermark(time, &mut log)?;
        }
        engine.push(world.event(["A", "B", "C"][kind], time, val), &mut log)
    };
    let result = events.iter().try_for_each(&mut push);
    let result = result.and_then(|()| engine.finish(&mut log));
    format!("{log:?} {:?}", result.map_err(|e| e.to_string()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn nothing_panics(
        pattern in pattern(),
        events in prop::collection::vec((0usize..3, 0i64..6, 0i64..3), 0..25),
    ) {
        let world = world();
        let options = CompileOptions::new().follow_flink(true);
        if let Ok(automaton) = Automaton::compile_with(&pattern, &world.schema, options) {
            let first = run(&world, &automaton, &events, false);
            prop_assert_eq!(&first, &run(&world, &automaton, &events, true));
            prop_assert!(automaton.to_dot().starts_with("digraph"));
            prop_assert!(automaton.explain().contains("final state"));
        }
    }
}
