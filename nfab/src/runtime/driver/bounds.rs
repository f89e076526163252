//! Limits and garbage.

use super::Driver;
use crate::error::Error;
use crate::event::Event;
use crate::history::Marks;
use crate::limits::Policy;
use crate::runtime::context::Context;
use crate::runtime::evaluator::{Evaluator, Key};
use crate::runtime::over;

/// Cells that are added before looking for garbage is worth while.
pub(super) const SMALL: usize = 1024;

/// When there are so many cells, or events, garbage is looked for, if so many were left the last time:
/// what is looked at is paid for by what was added.
pub(super) fn worth_while(left: usize) -> usize {
    left + left.max(SMALL)
}

/// Events that are kept between two attempts to forget older ones.
pub(super) const FORGET: usize = 64;

impl<E: Event, V: Evaluator<E>> Driver<E, V> {
    /// After an event that was kept: limits and garbage.
    #[inline]
    pub(super) fn bound(&mut self, at: u32) -> Result<(), Error> {
        let (runs, cells) = self.note_peaks();
        let limits = &self.config.limits;
        if limits.runs_per_key.most != usize::MAX {
            self.bound_key(at)?;
        }
        if runs > self.config.limits.runs.most {
            self.bound_runs()?;
        }
        if self.store.len() >= self.forget_at {
            self.forget();
        }
        if cells >= self.collect_at || self.store.len() >= self.collect_events_at {
            self.collect_garbage()?;
        }
        Ok(())
    }

    /// Gives how many partial matches and cells there are, garbage included.
    #[inline]
    pub(super) fn note_peaks(&mut self) -> (usize, usize) {
        let (runs, cells) = (self.evaluator.all_runs(), self.evaluator.cells());
        self.stats.peak_runs = self.stats.peak_runs.max(runs);
        self.stats.peak_cells = self.stats.peak_cells.max(cells);
        (runs, cells)
    }

    /// Forgets what is surely not used any more, where that is cheap.
    #[inline(never)]
    pub(super) fn forget(&mut self) {
        if let Some(first) = self.evaluator.needs(self.store.next()) {
            self.store.forget(first);
        } else if self.horizon > Key::MIN && self.evaluator.forgets() {
            self.evaluator.forget(self.horizon);
            self.store.expire(self.horizon);
        }
        self.forget_at = self.store.len() + FORGET;
    }

    fn now_runs(&self) -> usize {
        let runs = |part| self.evaluator.runs(part, self.horizon, self.watermark, &self.automaton);
        self.partitions.iter().map(runs).sum()
    }

    #[cold]
    fn bound_runs(&mut self) -> Result<(), Error> {
        let limit = self.config.limits.runs;
        if self.now_runs() < self.evaluator.all_runs() {
            // Some have ended and lie about. Garbage is looked for only if there are too many yet:
            // a stream may stay near the limit.
            if !self.prompt {
                for part in self.partitions.iter_mut() {
                    let mut cx = context!(self, self.watermark);
                    self.evaluator.expire(part, &mut cx)?;
                }
            }
            if self.evaluator.all_runs() > limit.most {
                self.collect();
            }
        }
        let beyond = self.evaluator.all_runs().saturating_sub(limit.most);
        if beyond > 0 {
            if limit.policy == Policy::Error {
                return Err(over("partial matches", limit));
            }
            self.evaluator.shed(&mut self.partitions.iter_mut(), beyond, limit.policy);
            self.stats.dropped_runs += beyond as u64;
        }
        Ok(())
    }

    fn bound_key(&mut self, at: u32) -> Result<(), Error> {
        let limit = self.config.limits.runs_per_key;
        let part = &mut self.partitions.at(at).part;
        let runs = self.evaluator.runs(part, self.horizon, self.watermark, &self.automaton);
        let beyond = runs.saturating_sub(limit.most);
        if beyond > 0 {
            if limit.policy == Policy::Error {
                return Err(over("partial matches of one key", limit));
            }
            let mut cx = context!(self, self.watermark);
            self.evaluator.expire(part, &mut cx)?;
            self.evaluator.shed(&mut std::iter::once(part), beyond, limit.policy);
            self.stats.dropped_runs += beyond as u64;
        }
        Ok(())
    }

    #[cold]
    fn collect_garbage(&mut self) -> Result<(), Error> {
        let mut limit = self.config.limits.history;
        limit.most = limit.most.min(self.evaluator.capacity());
        self.collect();
        while self.evaluator.cells() > limit.most {
            let started = self.evaluator.all_runs();
            if limit.policy == Policy::Error || started == 0 {
                return Err(over("remembered events", limit));
            }
            let count = started.div_ceil(2);
            self.evaluator.shed(&mut self.partitions.iter_mut(), count, limit.policy);
            self.stats.dropped_runs += count as u64;
            self.collect();
        }
        self.collect_at = worth_while(self.evaluator.cells()).min(limit.most.saturating_add(1));
        self.collect_events_at = worth_while(self.store.len());
        Ok(())
    }

    pub(super) fn collect(&mut self) {
        let mut used: Marks = self.store.marks();
        let mut cx = context!(self, self.watermark);
        self.evaluator.collect(&mut self.partitions.iter_mut(), &mut cx, &mut used);
        let moved = self.store.compact(&used);
        self.evaluator.renumber(&mut self.partitions.iter_mut(), &moved);
    }
}
