//! Runs in the order of their first events.

use super::step::Run;

/// A binary heap of runs, the earliest start on top. Where several runs start with the same event,
/// its layout decides which comes first; an after-match skip may then keep one and prune another.
/// The layout is therefore part of the semantics: it is that of the priority queue in Flink.
#[derive(Debug)]
pub(super) struct Queue {
    runs: Vec<Run>,
}

impl Queue {
    pub(super) fn new() -> Self {
        Queue { runs: Vec::new() }
    }

    /// Runs that lie so.
    #[cfg(feature = "serde")]
    pub(super) fn lying(runs: Vec<Run>) -> Self {
        Queue { runs }
    }

    pub(super) fn len(&self) -> usize {
        self.runs.len()
    }

    /// The run with the earliest start.
    pub(super) fn first(&self) -> Option<&Run> {
        self.runs.first()
    }

    /// The runs as they lie.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Run> {
        self.runs.iter()
    }

    /// As [`iter`](Self::iter); whoever changes a run leaves its start alone.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Run> {
        self.runs.iter_mut()
    }

    /// Takes all runs out, as they lie.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = Run> {
        self.runs.drain(..)
    }

    pub(super) fn into_runs(self) -> impl Iterator<Item = Run> {
        self.runs.into_iter()
    }

    pub(super) fn push(&mut self, run: Run) {
        let mut at = self.runs.len();
        self.runs.push(run);
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.runs[at].start >= self.runs[parent].start {
                break;
            }
            self.runs.swap(at, parent);
            at = parent;
        }
    }

    pub(super) fn pop(&mut self) -> Option<Run> {
        if self.runs.is_empty() {
            return None;
        }
        let first = self.runs.swap_remove(0);
        self.sink(0);
        Some(first)
    }

    /// Moves the run at a place down to where it belongs.
    fn sink(&mut self, from: usize) {
        let mut at = from;
        loop {
            let mut child = 2 * at + 1;
            if child >= self.runs.len() {
                break;
            }
            if self.runs.get(child + 1).is_some_and(|r| r.start < self.runs[child].start) {
                child += 1;
            }
            if self.runs[at].start <= self.runs[child].start {
                break;
            }
            self.runs.swap(at, child);
            at = child;
        }
    }

    /// Keeps the runs that are wanted.
    pub(super) fn retain(&mut self, keep: impl FnMut(&Run) -> bool) {
        let before = self.runs.len();
        self.runs.retain(keep);
        if self.runs.len() < before {
            for at in (0..self.runs.len() / 2).rev() {
                self.sink(at);
            }
        }
    }
}
