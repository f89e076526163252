//! What is at hand while a snapshot is read, and its checks: nothing in a snapshot is trusted.

use super::corrupt;
use super::state::Taken as Saved;
use crate::error::Error;
use crate::event::Event;
use crate::history::{EventIndex, Tail};
use crate::nfa::Automaton;
use crate::predicate::register::Register;
use crate::runtime::evaluator::{Key, Taken};
use crate::stats::Stats;

/// Numbers that count something are less.
const MOST: u64 = 1 << 62;

/// A place in the match buffer, and what a run that ends there has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub(crate) tail: Tail,
    /// Its first and its last event.
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) length: u32,
}

/// A snapshot that is being read.
pub(crate) struct Loading<'a> {
    pub(crate) automaton: &'a Automaton,
    /// The number and the time of each event.
    events: Vec<(u64, i64)>,
    /// The places in the match buffer.
    pub(crate) stretches: Vec<Stretch>,
    /// The least key of a first event that is still in the window.
    pub(crate) horizon: Key,
    /// How many events there were.
    count: u64,
}

impl<'a> Loading<'a> {
    pub(crate) fn new<E: Event>(
        automaton: &'a Automaton,
        events: &[(u64, E)],
        watermark: Option<i64>,
        stats: &Stats,
    ) -> Result<Self, Error> {
        let Stats { events: count, late, without_key, timed_out, dropped_runs, .. } = *stats;
        let Stats { type_errors, overflows, divisions_by_zero, .. } = *stats;
        let counts = [count, late, without_key, timed_out, dropped_runs];
        let faults = [type_errors, overflows, divisions_by_zero];
        if counts.iter().chain(&faults).any(|&n| n >= MOST) {
            return Err(corrupt("a counter is beyond anything"));
        }
        let events: Vec<_> = events.iter().map(|(number, e)| (*number, e.time())).collect();
        let ordered = events.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1);
        let known = events.last().is_none_or(|last| last.0 < count && Some(last.1) <= watermark);
        if !ordered || !known || (count > 0 && watermark.is_none()) {
            return Err(corrupt("its events are not in order"));
        }
        Ok(Loading { automaton, events, stretches: Vec::new(), horizon: Key::MIN, count })
    }

    /// How many events are held.
    pub(crate) fn events(&self) -> usize {
        self.events.len()
    }

    /// The times of the events, which are to be the newest of the stream, in a row.
    pub(crate) fn newest(&self) -> Result<impl ExactSizeIterator<Item = i64>, Error> {
        let numbers = self.events.iter().rev().map(|event| event.0);
        if !numbers.eq((0..self.count).rev().take(self.events.len())) {
            return Err(corrupt("its events are not those of a row"));
        }
        Ok(self.events.iter().map(|event| event.1))
    }

    /// The place of an event.
    pub(crate) fn event(&self, at: u32) -> Result<EventIndex, Error> {
        if at as usize >= self.events.len() {
            return Err(corrupt("it refers to an event that it does not hold"));
        }
        Ok(u64::from(at))
    }

    /// The number of an event that is known to be held.
    pub(crate) fn number(&self, at: u32) -> u64 {
        self.events[at as usize].0
    }

    /// Its time.
    pub(crate) fn time(&self, at: u32) -> i64 {
        self.events[at as usize].1
    }

    /// What the window measures of it.
    pub(crate) fn key(&self, at: u32) -> Key {
        self.automaton.program.window.key(self.number(at), self.time(at))
    }

    /// A place in the match buffer.
    pub(crate) fn stretch(&self, at: u32) -> Result<Stretch, Error> {
        let found = self.stretches.get(at as usize).copied();
        found.ok_or_else(|| corrupt("a partial match leads to nothing"))
    }

    pub(crate) fn wait(&self, wait: u32) -> Result<u32, Error> {
        let known = (wait as usize) < self.automaton.program.waits.len();
        known.then_some(wait).ok_or_else(|| corrupt("a partial match waits for nothing"))
    }

    pub(crate) fn stage(&self, stage: u32) -> Result<u32, Error> {
        let known = (stage as usize) < self.automaton.stages.len();
        known.then_some(stage).ok_or_else(|| corrupt("it refers to an unknown stage"))
    }

    /// The events of a match.
    pub(crate) fn taken(&self, events: &[Saved]) -> Result<Vec<Taken>, Error> {
        if events.is_empty() || !events.is_sorted_by(|a, b| a.1 < b.1) {
            return Err(corrupt("the events of a match are not in order"));
        }
        events.iter().map(|&(stage, at)| Ok((self.stage(stage)?, self.event(at)?))).collect()
    }

    /// The registers of a partial match fit.
    pub(crate) fn registers(&self, registers: &[Register]) -> Result<(), Error> {
        let specs = &self.automaton.registers;
        let fits = registers.len() == specs.len()
            && registers.iter().zip(specs).all(|(r, spec)| r.fits(spec.pick, self.count));
        if fits { Ok(()) } else { Err(corrupt("a partial match remembers what does not fit")) }
    }
}
