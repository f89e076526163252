//! Entries of one key side by side.

use std::collections::VecDeque;
use std::mem::size_of;

use super::entry::Kin;
use super::{Log, Stored};
use crate::{Pair, StreamId, Tuple};

impl Log {
    pub(super) fn add_to_run(&mut self, run: u32, stored: Stored) {
        let run = &mut self.runs[run as usize];
        let before = run.capacity();
        run.push_back(stored);
        self.run_bytes += (run.capacity() - before) * size_of::<Stored>();
    }

    /// Shows the results of a tuple with a run, from the place `since` on.
    #[inline]
    pub(super) fn show_run(
        &self,
        run: u32,
        tuple: &Tuple,
        since: u64,
        emit: &mut impl FnMut(Pair),
    ) {
        let (older, newer) = self.runs[run as usize].as_slices();
        for mut part in [older, newer] {
            if since > 0 {
                part = &part[part.partition_point(|stored| stored.seq < since)..];
            }
            self.predicate.pairs(part, tuple, emit);
        }
    }

    /// Takes all entries of the tuple's key, which has this tag, out of the chain that begins at
    /// `head` into a run, and adds the tuple. Gives the run and the distance from the next entry to
    /// the rest of the chain.
    #[cold]
    pub(super) fn make_run(&mut self, tuple: &Tuple, tag: u32, head: u32) -> (u32, u32) {
        let run = self.free_runs.pop().unwrap_or_else(|| {
            self.runs.push(VecDeque::new());
            self.runs.len() as u32 - 1
        });
        let mut first = 0;
        // The last entry that stays, by position.
        let mut last: Option<u32> = None;
        let mut members: Vec<Stored> = Vec::new();
        let mut position = head;
        loop {
            let at = self.at(position);
            let back = self.hot[at].back;
            if self.hot[at].tag == tag && self.cold[at].key == tuple.key {
                members.push(Stored::new(&self.tuple(at)));
                self.hot[at].enter_run(run);
                self.note_run(at);
            } else {
                match last {
                    None => first = self.next.wrapping_sub(position),
                    Some(last) => {
                        let at = self.at(last);
                        self.hot[at].back = last.wrapping_sub(position);
                    }
                }
                last = Some(position);
            }
            position = position.wrapping_sub(back);
            if back == 0 || !self.is_in(position) {
                break;
            }
        }
        if let Some(last) = last {
            let at = self.at(last);
            self.hot[at].back = 0;
        }
        for stored in members.into_iter().rev() {
            self.add_to_run(run, stored);
        }
        self.add_to_run(run, Stored::new(tuple));
        (run, first)
    }

    /// The stream of an entry in a run.
    pub(super) fn stream_in(&self, run: u32, seq: u64) -> StreamId {
        let run = &self.runs[run as usize];
        run[run.partition_point(|stored| stored.seq < seq)].stream
    }

    /// Forgets the oldest of a run.
    pub(super) fn pop_from_run(&mut self, run: u32) {
        let members = &mut self.runs[run as usize];
        members.pop_front();
        if members.is_empty() {
            self.run_bytes -= members.capacity() * size_of::<Stored>();
            *members = VecDeque::new();
            self.free_runs.push(run);
        }
    }

    /// Gives up all runs. The chains are no longer what they should be.
    pub(super) fn dissolve_runs(&mut self) {
        if self.run_bytes > 0 {
            for offset in 0..self.len {
                let at = self.at_offset(offset);
                if let Kin::Run(run) = self.hot[at].kin()
                    // Runs are in the order of arrival, as the log is.
                    && let Some(stored) = self.runs[run as usize].pop_front()
                {
                    self.hot[at].leave_run(stored.stream);
                }
            }
        }
        self.runs.clear();
        self.free_runs.clear();
        self.run_bytes = 0;
    }
}
