//! Counting matches in constant time, by a log of the events.

use std::collections::VecDeque;

use super::queue::{Item, Queue};
use crate::evaluate::action::{Action, Take};
use crate::evaluate::counting::{Actions, Counting, Entry, NOT_KEPT, Window};
use crate::nfa::program::NOWHERE;
use crate::runtime::evaluator::Key;

/// The events of a partition that entered queues: the bits are their stages.
#[derive(Debug)]
pub(super) struct Log {
    entries: VecDeque<Entry>,
    window: Window,
}

impl Log {
    /// The log of what is in the queues.
    pub(super) fn of(queues: &[Queue]) -> Log {
        let entries = entered(queues).into_iter();
        let entries = entries.map(|(item, stages)| Entry::new(item.key, NOT_KEPT, stages));
        Log { entries: entries.collect(), window: Window::default() }
    }

    /// There are no events any more.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.window.reset(self.window.width());
    }
}

/// The events of queues, in their order, with the stages that they entered, in bits.
pub(super) fn entered(queues: &[Queue]) -> Vec<(Item, u64)> {
    let of_stage = |(stage, queue): (u32, &Queue)| {
        queue.items().iter().map(move |item| (*item, 1 << stage)).collect::<Vec<_>>()
    };
    let mut all: Vec<(Item, u64)> = (0..).zip(queues).flat_map(of_stage).collect();
    all.sort_by_key(|(item, _)| item.place);
    all.dedup_by(|later, first| {
        let same = later.0.place == first.0.place;
        first.1 |= if same { later.1 } else { 0 };
        same
    });
    all
}

/// What partial matches do with events. Those that have taken an event of a stage last wait in the
/// wait of the stage's number.
#[derive(Debug)]
struct Letters {
    /// The number of the last stage.
    last: u32,
    /// The stage before it is a loop.
    repeats: bool,
}

impl Actions for Letters {
    fn action(&self, wait: u32, bits: u64) -> Action {
        let takes = |stage: &u32| bits >> stage & 1 == 1;
        let take = |stage| {
            let ends = stage == self.last;
            Take { stage, target: if ends { NOWHERE } else { stage }, emits: ends }
        };
        let own = (wait + 1 == self.last && self.repeats).then_some(wait);
        let takes = own.into_iter().chain([wait + 1]).filter(takes).map(take).collect();
        Action { takes, passes: vec![wait], completes: false }
    }

    fn begin(&self, bits: u64) -> Action {
        let begins = (bits & 1 == 1).then_some(Take { stage: 0, target: 0, emits: false });
        Action { takes: begins.into_iter().collect(), ..Action::default() }
    }
}

/// Counts the matches of logs.
#[derive(Debug)]
pub(super) struct Tally {
    letters: Letters,
    counting: Counting,
}

impl Tally {
    /// The last stage, and whether the one before it is a loop.
    pub(super) fn new(last: usize, repeats: bool) -> Tally {
        Tally { letters: Letters { last: last as u32, repeats }, counting: Counting::new() }
    }

    /// Another event enters queues.
    pub(super) fn note(&mut self, log: &mut Log, key: Key, stages: u64, horizon: Key) {
        self.leave(log, horizon);
        log.entries.push_back(Entry::new(key, NOT_KEPT, stages));
    }

    /// What has passed its window leaves.
    fn leave(&mut self, log: &mut Log, horizon: Key) {
        while log.entries.front().is_some_and(|first| first.key < horizon) {
            self.counting.leave(&mut log.window, &log.entries);
            log.entries.pop_front();
        }
    }

    /// How many matches an event completes, which is perhaps the last one of the log; `None` if there
    /// are too many stages for that.
    pub(super) fn count(&mut self, log: &mut Log, horizon: Key, is_last: bool) -> Option<u64> {
        self.leave(log, horizon);
        let before = log.entries.len() - usize::from(is_last);
        let Tally { letters, counting } = self;
        counting.count(&mut log.window, &log.entries, before, 1 << letters.last, letters)
    }
}
