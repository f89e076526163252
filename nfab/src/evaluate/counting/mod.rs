//! Counting the matches of a log: a list of the events that changed something.
//!
//! The number of matches that an event completes lies in the product of the [matrices](labelled) of the
//! events before it, which is kept for a [sliding window](window): constant time an event, whatever the
//! window and the numbers, which saturate at `u64::MAX`.

mod labelled;
mod window;

use std::collections::VecDeque;

use self::labelled::Labelled;
pub(super) use self::window::Window;
use super::action::Action;
use crate::history::EventIndex;
use crate::runtime::evaluator::Key;

/// The place of an event that is not kept.
pub(super) const NOT_KEPT: EventIndex = EventIndex::MAX;

/// An event that changed something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) key: Key,
    pub(super) place: EventIndex,
    /// What of it decides what runs do with it, in bits.
    pub(super) bits: u64,
}

impl Entry {
    pub(super) fn new(key: Key, place: EventIndex, bits: u64) -> Entry {
        Entry { key, place, bits }
    }
}

/// What runs do with an event of some bits.
pub(super) trait Actions {
    /// Those in a wait.
    fn action(&self, wait: u32, bits: u64) -> Action;

    /// The run that has not started.
    fn begin(&self, bits: u64) -> Action;
}

/// What all partitions share of it.
#[derive(Debug)]
pub(super) struct Counting {
    /// `None` once it has grown too large.
    labelled: Option<Labelled>,
}

impl Counting {
    pub(super) fn new() -> Self {
        Counting { labelled: Some(Labelled::new()) }
    }

    /// The first of the entries is about to leave the log.
    pub(super) fn leave(&self, window: &mut Window, entries: &VecDeque<Entry>) {
        if window.len() == 0 {
            return;
        }
        match &self.labelled {
            Some(labelled) if labelled.states() == window.width() => {
                window.pop(labelled, |at| labelled.known(entries[at].bits));
            }
            // It will be made again, with the states that have been found since.
            _ => window.reset(0),
        }
    }

    /// How many matches an event of some bits completes after the first entries; `None` if the
    /// automaton is too large.
    pub(super) fn count(
        &mut self,
        window: &mut Window,
        entries: &VecDeque<Entry>,
        before: usize,
        bits: u64,
        actions: &impl Actions,
    ) -> Option<u64> {
        let counted = self
            .labelled
            .as_mut()
            .and_then(|labelled| catch_up(labelled, window, entries, before, bits, actions));
        if counted.is_none() {
            self.labelled = None;
        }
        counted
    }
}

fn catch_up(
    labelled: &mut Labelled,
    window: &mut Window,
    entries: &VecDeque<Entry>,
    before: usize,
    bits: u64,
    actions: &impl Actions,
) -> Option<u64> {
    loop {
        if window.width() != labelled.states() {
            window.reset(labelled.states());
        }
        for entry in entries.range(window.len()..before) {
            let matrix = labelled.matrix(actions, entry.bits)?;
            if window.width() != labelled.states() {
                break;
            }
            window.push(labelled.get(matrix));
        }
        let matrix = labelled.matrix(actions, bits)?;
        if window.width() == labelled.states() {
            return Some(window.count(labelled.get(matrix)));
        }
    }
}
