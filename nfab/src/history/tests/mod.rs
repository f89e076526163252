//! Both buffers against the histories that the runs really had.

mod forest;
mod paper;
mod places;

use super::shape::StageShape;
use super::version::Rules;
use super::*;
use crate::nfa::EdgeKind;

/// A shape of stages `a`, `b`, and so on; which of them are Kleene components.
fn shape(kleene: &[bool], rules: Rules) -> Shape {
    let name = |at: usize| char::from(b'a' + at as u8).to_string();
    let stages = kleene.iter().enumerate();
    let stages = stages.map(|(at, &kleene)| StageShape { name: name(at), kleene }).collect();
    Shape { stages, rules }
}

/// An entry whose time is the event's place.
fn entry(stage: u32, event: EventIndex, kind: EdgeKind, forks: bool) -> Entry {
    Entry { stage, event, kind, forks, time: event as i64 }
}

/// The events of a run.
fn read(history: &impl History, tail: Tail) -> Vec<EventIndex> {
    let mut parts = Vec::new();
    history.events(&tail, &mut parts);
    parts.into_iter().map(|part| part.1).collect()
}

/// Drops all cells and events that none of the tails leads to.
fn collect<'t, H: History, E>(
    history: &mut H,
    store: &mut EventStore<E>,
    tails: impl Iterator<Item = &'t mut Tail>,
) {
    let mut used = store.marks();
    history.compact(tails, &mut used);
    let moved = store.compact(&used);
    history.renumber(&moved);
}
