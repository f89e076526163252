//! Semantics `strict`: events that follow one another directly.
//!
//! Where a match begins and ends is clear from its length, so that everything but types is conditional
//! output: windows, conditions and classes are looked at when the types fit.

mod automaton;
mod table;

pub(crate) use automaton::{Automaton, Source, State};

use super::arrival::Arrival;
use super::catalog::{Catalog, Live};
use super::history::History;
use super::output::{Level, Out, Sink};
use crate::heap::heap;
use crate::stats::Counters;

/// Whether the events that end with the current one, one for each position, are a match.
fn is_match(
    live: &Live,
    history: &History,
    arrival: &Arrival<'_>,
    low: u64,
    counters: &mut Counters,
) -> bool {
    let length = live.len() as u64;
    let Some(first) = (arrival.serial + 1).checked_sub(length).filter(|&first| first >= low) else {
        return false;
    };
    if history.entry(first).tick + length != arrival.tick + 1 {
        return false;
    }
    let position = |at: usize| first + at as u64;
    // Backwards: an event that is near says most.
    for (at, &class) in live.classes.iter().enumerate().rev() {
        counters.candidates_checked += 1;
        if !history.is(position(at), class) {
            return false;
        }
    }
    let mut checks = live.checks.iter().enumerate();
    checks.all(|(at, checks)| {
        let holds = |check| history.holds(check, position(at), position(check.earlier));
        checks.iter().all(holds)
    })
}

fn deliver<S: Sink>(live: &Live, history: &History, arrival: &Arrival<'_>, out: &mut Out<'_, S>) {
    if out.level == Level::Count {
        out.count(live.number, arrival.row, 1);
        return;
    }
    let length = live.len();
    out.begin(length, arrival.row);
    let first = arrival.serial + 1 - length as u64;
    for (at, row) in out.buffer.iter_mut().enumerate() {
        *row = history.entry(first + at as u64).row;
    }
    out.single(live.number);
}

/// The partial matches of one pattern by itself: at most one for each length.
#[derive(Clone, Debug, Default)]
pub(crate) struct Consecutive {
    /// By number of events less one: one more than the tick of the last event, 0 if there is none.
    ends: Vec<u64>,
}

impl Consecutive {
    pub(crate) fn step<S: Sink>(
        &mut self,
        live: &Live,
        positions: impl Iterator<Item = usize>,
        history: &History,
        arrival: &Arrival<'_>,
        low: u64,
        counters: &mut Counters,
        mut out: Option<&mut Out<'_, S>>,
    ) {
        let last = live.len() - 1;
        self.ends.resize(last, 0);
        for position in positions {
            if position > 0 {
                counters.candidates_checked += 1;
                if arrival.tick == 0 || self.ends[position - 1] != arrival.tick {
                    continue;
                }
            }
            let holds = live.checks_at(position).iter().all(|check| {
                let back = (position - check.earlier) as u64;
                // What has left every window cannot be in a match.
                arrival.serial - back >= history.first()
                    && history.holds(check, arrival.serial, arrival.serial - back)
            });
            if !holds {
                continue;
            }
            if position < last {
                counters.instances_created += 1;
                self.ends[position] = arrival.tick + 1;
            } else if arrival.serial.checked_sub(last as u64).is_some_and(|first| first >= low)
                && let Some(out) = out.as_deref_mut().filter(|out| !out.stopped)
            {
                deliver(live, history, arrival, out);
            }
        }
    }

    /// How many partial matches there may be.
    pub(crate) fn len(&self) -> usize {
        self.ends.iter().filter(|&&end| end > 0).count()
    }
}

/// Method `optimized`: when an event fits the last operand of a pattern, the events before it are
/// looked at, backwards. Nothing is remembered but the events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backwards {
    /// By class: the patterns that end with it, in the order of their numbers.
    endings: Vec<Vec<(u32, u32)>>,
    merged: Vec<(u32, u32)>,
}

impl Backwards {
    pub(crate) fn new(catalog: &Catalog) -> Self {
        let mut endings = vec![Vec::new(); catalog.class_count()];
        for (place, live) in catalog.lives() {
            endings[live.classes[live.len() - 1] as usize].push((live.number.0, place));
        }
        Backwards { endings, merged: Vec::new() }
    }

    pub(crate) fn arrive<S: Sink>(
        &mut self,
        catalog: &Catalog,
        history: &mut History,
        arrival: &Arrival<'_>,
        counters: &mut Counters,
        out: &mut Out<'_, S>,
    ) {
        self.merged.clear();
        for &class in arrival.classes {
            self.merged.extend_from_slice(&self.endings[class as usize]);
        }
        if arrival.classes.len() > 1 {
            self.merged.sort_unstable();
        }
        for &(_, place) in &self.merged {
            let live = catalog.live(place);
            let low = arrival.low(catalog, history, live);
            counters.probes += 1;
            if is_match(live, history, arrival, low, counters) {
                deliver(live, history, arrival, out);
                if out.stopped {
                    return;
                }
            }
        }
    }
}

heap! {
    Consecutive { ends }
    Backwards { endings, merged }
}
