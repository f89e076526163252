//! When windows pass in which partition.

use std::collections::VecDeque;

use super::evaluator::{Key, oldest_time};
use super::partitions::Handle;
use crate::nfa::Automaton;
use crate::nfa::program::Window;

/// Partitions in the order in which something may happen there: every alarm of one clock takes the
/// same time, so they form a queue.
#[derive(Debug)]
pub(crate) struct Clock {
    /// The window between neighbours that it measures; `None` for that of the pattern.
    gap: Option<i64>,
    alarms: VecDeque<(Key, Handle)>,
}

impl Clock {
    /// The clocks of an automaton. Where nothing comes out when a window passes, they only serve to
    /// forget idle partitions, and one is enough.
    pub(crate) fn all(automaton: &Automaton, prompt: bool) -> Vec<Clock> {
        let program = &automaton.program;
        let window = (program.window != Window::None).then_some(None);
        // Without waits the states are walked.
        let waits = program.waits.iter().filter_map(|wait| wait.gap);
        let mut gaps: Vec<i64> = automaton.states.iter().filter_map(|state| state.gap).collect();
        gaps.extend(waits);
        gaps.sort_unstable();
        gaps.dedup();
        if !prompt {
            let longest = gaps.pop();
            gaps.clear();
            gaps.extend(longest.filter(|_| window.is_none()));
        }
        let gaps = gaps.into_iter().map(Some);
        window.into_iter().chain(gaps).map(|gap| Clock { gap, alarms: VecDeque::new() }).collect()
    }

    /// Sets an alarm for what an event of this number or time began.
    pub(crate) fn set(&mut self, window: Window, number: u64, time: i64, partition: Handle) {
        let key = if self.gap.is_some() { time } else { window.key(number, time) };
        if self.alarms.back() != Some(&(key, partition)) {
            self.alarms.push_back((key, partition));
        }
    }

    /// The alarms, in order.
    #[cfg(feature = "serde")]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Key, Handle)> {
        self.alarms.iter().copied()
    }

    /// Adds an alarm behind all others.
    #[cfg(feature = "serde")]
    pub(crate) fn push(&mut self, key: Key, partition: Handle) {
        self.alarms.push_back((key, partition));
    }

    /// Whether an alarm has gone off.
    #[inline]
    pub(crate) fn is_due(&self, horizon: Key, now: i64) -> bool {
        let horizon = match self.gap {
            Some(gap) => oldest_time(gap, false, now),
            None => horizon,
        };
        self.alarms.front().is_some_and(|&(key, _)| key < horizon)
    }

    /// Takes the next alarm that has gone off.
    pub(crate) fn next(&mut self, horizon: Key, now: i64) -> Option<Handle> {
        if !self.is_due(horizon, now) {
            return None;
        }
        self.alarms.pop_front().map(|(_, partition)| partition)
    }
}
