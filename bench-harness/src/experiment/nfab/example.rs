//! What the worked examples share: small streams, and all matches in them.

use std::ops::ControlFlow;

use nfab::{Automaton, Config, EndOfInput, Engine, Match, Record, Slot, TypeId, Visit};

use super::engines::fail;
use crate::error::Result;

/// Events of the one type of a schema, with values for its attributes; times count from 0.
pub fn records(values: impl IntoIterator<Item = Vec<i64>>) -> Vec<Record> {
    let one = |(time, values): (i64, Vec<i64>)| {
        let event = Record::new(TypeId(0), time);
        (0..).zip(values).fold(event, |event, (slot, value)| event.with(Slot(slot), value))
    };
    (0..).zip(values).map(one).collect()
}

/// The numbers of the events of all matches, in the engine's order; the stream ends all windows.
pub fn matches(automaton: Automaton, events: Vec<Record>) -> Result<Vec<Vec<u64>>> {
    let config = Config::new().end_of_input(EndOfInput::Max);
    let mut engine = Engine::with_config(automaton, config);
    let mut found = Vec::new();
    let mut sink = Visit(|one: &Match<'_, Record>| {
        found.push(one.events().numbers().collect());
        ControlFlow::Continue(())
    });
    for event in events {
        engine.push(event, &mut sink).map_err(fail)?;
    }
    engine.finish(&mut sink).map_err(fail)?;
    Ok(found)
}

/// "0 1 2; 2 3 4".
pub fn lists<L: AsRef<[u64]>>(matches: &[L]) -> String {
    let one = |one: &L| numbers(one.as_ref());
    matches.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// "10 20 10".
pub fn numbers<N: ToString>(numbers: &[N]) -> String {
    numbers.iter().map(N::to_string).collect::<Vec<_>>().join(" ")
}
