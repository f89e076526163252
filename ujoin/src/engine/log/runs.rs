//! Entries of one key side by side.

use std::collections::VecDeque;
use std::mem::size_of;

use super::{Log, Stored, stored};
use crate::Tuple;

impl Log {
    pub(super) fn add_to_run(&mut self, run: u32, stored: Stored) {
        let run = &mut self.runs[run as usize];
        let before = run.capacity();
        run.push_back(stored);
        self.run_bytes += (run.capacity() - before) * size_of::<Stored>();
    }

    /// Takes all entries of the tuple's key out of the chain that begins at `head` into a run, and
    /// adds the tuple. Gives the run and the distance from the next entry to the rest of the chain.
    #[cold]
    pub(super) fn make_run(&mut self, tuple: &Tuple, head: u32) -> (u32, u32) {
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
            if self.hot[at].key == tuple.key {
                self.hot[at].run = run;
                members.push(stored(&self.hot[at], &self.cold[at]));
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
}
