//! What the worked examples share: small streams, and all matches in them.

use std::ops::ControlFlow;

use nfab::{Automaton, Config, EndOfInput, Engine, Match, Record, Slot, TypeId, Visit};

use super::engines::fail;
use crate::error::Result;
use crate::experiment::Artefact;

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

/// A query as it stands, in a table so that it wraps.
pub fn queries(texts: &[&str]) -> Artefact {
    Artefact::Table {
        caption: if texts.len() == 1 { "The query" } else { "The queries" }.to_owned(),
        head: vec!["Text".to_owned()],
        rows: texts.iter().map(|&text| vec![text.to_owned()]).collect(),
    }
}

/// The drawing of an automaton with its long formulas broken into lines, states from top to bottom.
pub fn drawing(caption: &str, automaton: &Automaton) -> Artefact {
    let text = automaton.to_dot().replace("rankdir=LR", "rankdir=TB");
    let text = text.replace(" and ", "\\nand ");
    Artefact::Dot { caption: caption.to_owned(), text }
}
