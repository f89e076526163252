//! How matches reach the sink.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use super::Driver;
use crate::error::Error;
use crate::event::Event;
use crate::limits::Policy;
use crate::runtime::context::Context;
use crate::runtime::evaluator::Evaluator;
use crate::runtime::output::{Cause, Scene, Sink};
use crate::runtime::over;

/// What the output of one cause has come to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Call {
    /// How many matches may still come.
    left: usize,
    /// The sink wants no more.
    stopped: bool,
}

impl<E: Event, V: Evaluator<E>> Driver<E, V> {
    /// Whatever comes out has another cause from now on.
    #[inline]
    pub(super) fn begin_call(&mut self) {
        self.call = Call { left: self.config.limits.matches.most, stopped: false };
    }

    /// The partitions in which windows pass, in ascending order.
    pub(super) fn due(&mut self, time: i64) -> Vec<u32> {
        let mut due = Vec::new();
        for clock in &mut self.clocks {
            while let Some(handle) = clock.next(self.horizon, time) {
                due.extend(self.partitions.get(handle).map(|(at, _)| at));
            }
        }
        due.sort_unstable();
        due.dedup();
        due
    }

    /// Windows pass in some partitions; at the end of the stream all do. The matches go straight to
    /// the sink: there may be too many to be gathered.
    pub(super) fn release(
        &mut self,
        due: &[u32],
        now: Option<i64>,
        cause: Cause,
        sink: &mut impl Sink<E>,
    ) -> Result<(), Error> {
        let horizon = now.map(|_| self.horizon);
        if let [at] = *due {
            let part = &mut self.partitions.at(at).part;
            let ready = self.evaluator.release(part, horizon);
            let result = if ready { self.enumerate(at, cause, sink) } else { Ok(()) };
            return result.and(self.passed(at, now));
        }
        let mut ready = Vec::new();
        for &at in due {
            let part = &mut self.partitions.at(at).part;
            ready.extend(self.evaluator.release(part, horizon).then_some(at));
        }
        let mut result = match ready.as_slice() {
            [] => Ok(()),
            [at] => self.enumerate(*at, cause, sink),
            all if sink.only_counts() => {
                all.iter().try_for_each(|&at| self.enumerate(at, cause, sink))
            }
            // In the order of their first events, each of which is of one partition.
            all => {
                let mut firsts = BinaryHeap::new();
                for &at in all {
                    let part = &mut self.partitions.at(at).part;
                    let first = self.evaluator.narrow(part, horizon, None);
                    firsts.extend(first.map(|first| Reverse((first, at))));
                }
                let mut result = Ok(());
                while let Some(Reverse((first, at))) = firsts.pop()
                    && result.is_ok()
                {
                    result = self.enumerate(at, cause, sink);
                    let part = &mut self.partitions.at(at).part;
                    let next = self.evaluator.narrow(part, horizon, Some(first));
                    firsts.extend(next.map(|next| Reverse((next, at))));
                }
                result
            }
        };
        for &at in due {
            result = result.and(self.passed(at, now));
        }
        result
    }

    /// What has passed its window in a partition is forgotten.
    #[inline]
    pub(super) fn passed(&mut self, at: u32, now: Option<i64>) -> Result<(), Error> {
        let part = &mut self.partitions.at(at).part;
        let mut cx = context!(self, now);
        let result = self.evaluator.expire(part, &mut cx);
        if !self.unkeyed {
            let holds = !self.evaluator.is_empty(part);
            self.partitions.note(at, holds);
        }
        result
    }

    /// Hands out what was gathered.
    #[inline]
    pub(super) fn deliver(&mut self, cause: Cause, sink: &mut impl Sink<E>) -> Result<(), Error> {
        if !self.out.is_empty() {
            let (names, key) = (&self.automaton.stages, &self.automaton.program.key);
            let scene = Scene::new(cause, &self.store, names, key);
            let mut limit = self.config.limits.matches;
            limit.most = self.call.left;
            let Some(dropped) = self.out.bound(limit) else {
                self.out.clear();
                return Err(over("matches at once", self.config.limits.matches));
            };
            self.stats.dropped_matches += dropped;
            self.call.left -= self.out.matches();
            let (timeouts, stats) = (self.config.timeouts, &mut self.stats);
            self.call.stopped |=
                self.out.deliver(&scene, timeouts, self.call.stopped, stats, sink).is_break();
        }
        Ok(())
    }

    /// Hands out the matches that wait in a part, or adds them to what was gathered.
    pub(super) fn enumerate(
        &mut self,
        at: u32,
        cause: Cause,
        sink: &mut impl Sink<E>,
    ) -> Result<(), Error> {
        let part = &mut self.partitions.at(at).part;
        let limit = self.config.limits.matches;
        let direct = self.out.is_empty();
        let Call { mut left, mut stopped } = self.call;
        if direct
            && !stopped
            && sink.only_counts()
            && let Some(count) = self.evaluator.count(part)
        {
            self.stats.matches = self.stats.matches.saturating_add(count);
            // None may be left: of the starts of its runs a list knows the bounds (`Graph::may_have`),
            // and a list that was made anew from a snapshot has closer ones.
            if count > 0 {
                // A sink has no say in what was counted already.
                let _ = sink.counted(cause, count);
            }
            return Ok(());
        }
        let (names, key) = (&self.automaton.stages, &self.automaton.program.key);
        let scene = Scene::new(cause, &self.store, names, key);
        let (out, stats) = (&mut self.out, &mut self.stats);
        let before = left;
        let mut too_many = false;
        let flow = if stopped {
            ControlFlow::Break(())
        } else {
            self.evaluator.enumerate(part, &mut |events| {
                if left == 0 {
                    too_many = true;
                    return ControlFlow::Break(());
                }
                left -= 1;
                if direct {
                    return sink.matched(&scene.found(events));
                }
                out.add(events);
                ControlFlow::Continue(())
            })
        };
        stopped |= flow.is_break() && !too_many;
        if direct {
            stats.matches = stats.matches.saturating_add((before - left) as u64);
            self.call = Call { left, stopped };
        }
        if flow.is_continue() {
            return Ok(());
        }
        let told = (before - left) as u64;
        if !stopped && limit.policy == Policy::Error {
            return Err(over("matches at once", limit));
        }
        // If that takes a look at each of them, all that is known is whether there is one.
        let all = self.evaluator.count(&mut self.partitions.at(at).part);
        let more = all.map_or(u64::from(!stopped), |all| all.saturating_sub(told));
        let counter =
            if stopped { &mut self.stats.undelivered } else { &mut self.stats.dropped_matches };
        *counter = counter.saturating_add(more);
        Ok(())
    }
}
