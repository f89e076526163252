//! Partitions of the compact evaluation in snapshots.

use super::{Entry, EventIndex, Graph, Memory, NOT_KEPT, Part, Sets, Spare};
use crate::error::Error;
use crate::runtime::evaluator::Key;
use crate::snapshot::{Loading, corrupt, state};

impl Part {
    pub(in super::super) fn save(&self, first: EventIndex) -> state::Part {
        let last = self.last.key;
        match &self.memory {
            Memory::Log { entries, .. } => {
                let entry = |entry: &Entry| state::Entry {
                    key: entry.key,
                    event: (entry.place != NOT_KEPT).then(|| (entry.place - first) as u32),
                    bits: entry.bits,
                };
                state::Part::Log { entries: entries.iter().map(entry).collect(), last }
            }
            Memory::Lists { graph, heads } => {
                debug_assert!(
                    (heads.iter().zip(&self.newest)).all(|(&head, &key)| graph.reach(head) == key)
                );
                let heads = self.waits.iter().copied().zip(heads.iter().copied()).collect();
                state::Part::Lists { heads, graph: graph.save(first), last }
            }
        }
    }

    /// The runs are those that a log brings about.
    pub(in super::super) fn load_log(
        &mut self,
        log: Vec<Entry>,
        sets: &mut Sets,
        spare: &mut Spare,
    ) -> Result<(), Error> {
        self.set = sets.id(&[]);
        self.epoch = sets.epoch();
        for entry in &log {
            let number = sets.step(self.set, entry.bits);
            let step = sets.get(number);
            if step.keep && entry.place == NOT_KEPT {
                return Err(corrupt("an event of a log is missing"));
            }
            self.follow(entry, step, spare);
        }
        if let Memory::Log { entries, .. } = &mut self.memory {
            *entries = log.into();
        }
        self.waits = sets.waits(self.set).to_vec();
        self.note_busy();
        Ok(())
    }

    pub(in super::super) fn load_lists(
        &mut self,
        saved: Vec<(u32, u32)>,
        graph: Vec<state::Element>,
        holds: bool,
        loading: &Loading<'_>,
    ) -> Result<(), Error> {
        if !saved.is_sorted_by(|a, b| a.0 < b.0) {
            return Err(corrupt("what partial matches wait for is not in order"));
        }
        let graph = Graph::load(graph, holds, loading)?;
        let mut heads = Vec::with_capacity(saved.len());
        for (wait, head) in saved {
            let head = graph.head(head)?;
            self.waits.push(loading.wait(wait)?);
            self.newest.push(graph.reach(head));
            self.oldest.push(graph.oldest(head));
            heads.push(head);
        }
        self.soonest = self.newest.iter().copied().min().unwrap_or(Key::MAX);
        self.eldest = self.oldest.iter().copied().min().unwrap_or(Key::MAX);
        self.memory = Memory::Lists { graph, heads };
        self.note_busy();
        Ok(())
    }

    pub(in super::super) fn set_last(&mut self, key: Key, horizon: Key) {
        self.last.key = key;
        self.horizon = horizon;
    }
}
