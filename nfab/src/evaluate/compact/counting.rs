//! Counting the matches of a log.

use std::collections::VecDeque;

use super::labelled::Labelled;
use super::part::Entry;
use super::sets::Sets;
use super::window::Window;

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
        sets: &Sets,
    ) -> Option<u64> {
        let counted = self
            .labelled
            .as_mut()
            .and_then(|labelled| catch_up(labelled, window, entries, before, bits, sets));
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
    sets: &Sets,
) -> Option<u64> {
    loop {
        if window.width() != labelled.states() {
            window.reset(labelled.states());
        }
        for entry in entries.range(window.len()..before) {
            let matrix = labelled.matrix(sets, entry.bits)?;
            if window.width() != labelled.states() {
                break;
            }
            window.push(labelled.get(matrix));
        }
        let matrix = labelled.matrix(sets, bits)?;
        if window.width() == labelled.states() {
            return Some(window.count(labelled.get(matrix)));
        }
    }
}
