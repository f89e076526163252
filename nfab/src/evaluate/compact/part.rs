//! What one partition holds under the compact evaluation.

#[cfg(feature = "serde")]
mod save;

use std::collections::VecDeque;

use super::sets::{START, Sets, Step};
use crate::evaluate::counting::{Counting, Entry, NOT_KEPT, Window};
use crate::evaluate::graph::{Graph, NONE, Starts};
use crate::evaluate::marked::{End, PASSED};
use crate::history::{EventIndex, Moved};
use crate::nfa::kinds::bit;
use crate::runtime::evaluator::Key;

/// How the runs are remembered.
#[derive(Debug)]
enum Memory {
    /// By the events since the first that matters. Nothing was asked for but numbers of matches.
    Log { entries: VecDeque<Entry>, window: Window },
    /// By a graph, in which the runs of each wait have a list.
    Lists { graph: Graph, heads: Vec<u32> },
}

/// `ordered`: see [`Graph::new`].
fn lists(ordered: bool) -> Memory {
    Memory::Lists { graph: Graph::new(ordered), heads: Vec::new() }
}

/// A partition.
#[derive(Debug)]
pub(crate) struct Part {
    /// The number of `waits` among the sets.
    set: u32,
    epoch: u32,
    /// The waits that hold runs, in order.
    waits: Vec<u32>,
    /// Their bits.
    busy: u64,
    /// For each the key of the newest start of its runs.
    newest: Vec<Key>,
    /// The least of them.
    soonest: Key,
    /// For each wait a key before which none of its runs started. (It goes up when runs end for
    /// another reason than their window, which bounds the log where there is no window.)
    oldest: Vec<Key>,
    /// The least of them.
    eldest: Key,
    memory: Memory,
    /// How the last event completes matches: with places of waits as sources in a log, with heads in
    /// lists.
    pub(super) ends: Vec<End>,
    /// Which starts they have.
    starts: Starts,
    /// The last event, and the horizon then.
    last: Entry,
    horizon: Key,
    /// Whether it changed something, and so is the last entry of the log.
    logged: bool,
}

/// Working space.
#[derive(Debug, Default)]
pub(super) struct Spare {
    newest: Vec<Key>,
    oldest: Vec<Key>,
    heads: Vec<u32>,
}

impl Part {
    /// `holds`: matches may come out when a window passes, so runs cannot only be counted.
    pub(super) fn new(holds: bool) -> Self {
        let memory = if holds {
            lists(true)
        } else {
            Memory::Log { entries: VecDeque::new(), window: Window::default() }
        };
        Part {
            set: NONE,
            epoch: 0,
            waits: Vec::new(),
            busy: 0,
            newest: Vec::new(),
            soonest: Key::MAX,
            oldest: Vec::new(),
            eldest: Key::MAX,
            memory,
            ends: Vec::new(),
            starts: Starts::since(Key::MIN),
            last: Entry { key: Key::MIN, place: NOT_KEPT, bits: 0 },
            horizon: Key::MIN,
            logged: false,
        }
    }

    /// No wait holds runs.
    pub(super) fn is_empty(&self) -> bool {
        self.waits.is_empty()
    }

    /// How many waits hold runs, those included all of whose runs have ended unnoticed.
    pub(super) fn waits(&self) -> usize {
        self.waits.len()
    }

    /// How many waits hold runs that started at the horizon or later.
    pub(super) fn alive(&self, horizon: Key) -> usize {
        self.newest.iter().filter(|&&newest| newest >= horizon).count()
    }

    /// The waits that hold runs, in bits.
    pub(super) fn busy(&self) -> u64 {
        self.busy
    }

    fn note_busy(&mut self) {
        self.busy = self.waits.iter().fold(0, |busy, &wait| busy | bit(wait));
    }

    /// The key of the last event.
    pub(super) fn last_key(&self) -> Key {
        self.last.key
    }

    /// Elements and entries.
    pub(super) fn cells(&self) -> usize {
        match &self.memory {
            Memory::Log { entries, .. } => entries.len(),
            Memory::Lists { graph, .. } => graph.len(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match &self.memory {
            Memory::Log { entries, window } => {
                entries.capacity() * size_of::<Entry>() + window.bytes()
            }
            Memory::Lists { graph, .. } => graph.bytes(),
        }
    }

    /// Where the matches that the last event completes are found.
    pub(super) fn lists(&self) -> Option<(&Graph, EventIndex, Starts)> {
        match &self.memory {
            Memory::Log { .. } => None,
            Memory::Lists { graph, .. } => Some((graph, self.last.place, self.starts)),
        }
    }

    /// Gets the matches ready that wait for the window of their runs, which passes with the horizon;
    /// all without one.
    pub(super) fn release(&mut self, horizon: Option<Key>, holds: &[bool]) {
        self.ends.clear();
        let Memory::Lists { graph, heads } = &mut self.memory else { return };
        let Some(starts) = graph.passing(self.horizon, horizon) else { return };
        self.starts = starts;
        let holding = (self.waits.iter().zip(heads))
            .filter(|&(&wait, &mut head)| holds[wait as usize] && graph.may_have(head, starts));
        self.ends.extend(holding.map(|(_, &mut source)| End { source, stage: PASSED }));
    }

    /// Of the matches that wait there those with the next first event behind a place.
    pub(super) fn narrow(
        &mut self,
        horizon: Option<Key>,
        after: Option<EventIndex>,
    ) -> Option<EventIndex> {
        let Memory::Lists { graph, .. } = &mut self.memory else { return None };
        let passing = graph.passing(self.horizon, horizon)?;
        self.starts = graph.next_first(passing, after)?;
        self.starts.first
    }

    /// Forgets the runs that started before the horizon.
    pub(super) fn expire(&mut self, horizon: Key, sets: &mut Sets, counting: &mut Counting) {
        self.ends.clear();
        self.horizon = horizon;
        self.starts = Starts::since(horizon);
        if self.soonest < horizon {
            let alive: Vec<bool> = self.newest.iter().map(|&newest| newest >= horizon).collect();
            retain(&mut self.waits, &alive);
            self.note_busy();
            if let Memory::Lists { heads, .. } = &mut self.memory {
                retain(heads, &alive);
            }
            retain(&mut self.newest, &alive);
            retain(&mut self.oldest, &alive);
            self.soonest = self.newest.iter().copied().min().unwrap_or(Key::MAX);
            self.set = NONE;
        }
        if self.set == NONE || self.epoch != sets.epoch() {
            self.set = sets.id(&self.waits);
            self.epoch = sets.epoch();
        }
        if self.waits.is_empty() {
            self.clear();
        } else {
            self.leave(horizon, counting);
        }
    }

    /// What no run holds any more leaves the log.
    fn leave(&mut self, horizon: Key, counting: &mut Counting) {
        let Memory::Log { entries, window } = &mut self.memory else { return };
        let eldest = self.eldest.max(horizon);
        while let Some(first) = entries.front()
            && first.key < eldest
        {
            counting.leave(window, entries);
            entries.pop_front();
        }
    }

    fn clear(&mut self) {
        match &mut self.memory {
            Memory::Log { entries, window } => {
                entries.clear();
                window.reset(window.width());
            }
            Memory::Lists { graph, .. } => graph.clear(),
        }
    }

    /// Shows an event to the runs. Gives the number of the step.
    pub(super) fn show(&mut self, mut entry: Entry, sets: &mut Sets, spare: &mut Spare) -> u32 {
        let number = sets.step(self.set, entry.bits);
        let step = sets.get(number);
        if !step.keep {
            entry.place = NOT_KEPT;
        }
        self.last = entry;
        self.logged = !step.idle;
        match &mut self.memory {
            Memory::Log { entries, .. } => {
                let ends = step.ends.iter();
                self.ends.extend(ends.map(|&(source, stage)| End { source, stage }));
                if self.logged {
                    entries.push_back(entry);
                }
            }
            Memory::Lists { graph, heads } => {
                if graph.is_due() {
                    graph.compact(heads.iter_mut(), self.horizon, |_| ());
                }
                self.end_in_lists(step);
            }
        }
        let before = self.set;
        if self.logged {
            self.follow(&entry, step, spare);
        }
        if self.set != before {
            self.waits.clear();
            self.waits.extend_from_slice(sets.waits(self.set));
            self.note_busy();
        }
        number
    }

    /// Goes a step: the next set with its newest starts and lists.
    fn follow(&mut self, entry: &Entry, step: &Step, spare: &mut Spare) {
        let Part { newest, oldest, soonest, eldest, .. } = self;
        let start = |source: u32| match source {
            NONE => Key::MIN,
            source => newest[source as usize],
        };
        let taken = |source: u32| if source == START { entry.key } else { start(source) };
        let least = |source: u32| match source {
            START => entry.key,
            source => oldest[source as usize],
        };
        spare.newest.clear();
        spare.oldest.clear();
        (*soonest, *eldest) = (Key::MAX, Key::MAX);
        for target in &step.targets {
            let mut last = start(target.from);
            let mut first = if target.from == NONE { Key::MAX } else { least(target.from) };
            for &source in &target.joins {
                (last, first) = (last.max(start(source)), first.min(least(source)));
            }
            for &(_, source) in &target.takes {
                (last, first) = (last.max(taken(source)), first.min(least(source)));
            }
            (*soonest, *eldest) = (last.min(*soonest), first.min(*eldest));
            spare.newest.push(last);
            spare.oldest.push(first);
        }
        if let Memory::Lists { graph, heads } = &mut self.memory {
            let head = |source: u32| if source == NONE { NONE } else { heads[source as usize] };
            spare.heads.clear();
            for target in &step.targets {
                let mut list = head(target.from);
                for &source in &target.joins {
                    list = graph.join(list, head(source), start(source));
                }
                for &(stage, source) in &target.takes {
                    list = graph.take(list, (entry.place, stage), head(source), taken(source));
                }
                spare.heads.push(list);
            }
            std::mem::swap(heads, &mut spare.heads);
        }
        std::mem::swap(newest, &mut spare.newest);
        std::mem::swap(oldest, &mut spare.oldest);
        self.set = step.next;
    }

    /// How many matches the last event completes, from the log; `None` if it has to be replayed.
    pub(super) fn count(&mut self, sets: &Sets, counting: &mut Counting) -> Option<u64> {
        let Memory::Log { entries, window, .. } = &mut self.memory else { return None };
        let before = entries.len() - usize::from(self.logged);
        counting.count(window, entries, before, self.last.bits, sets)
    }

    /// From now on the runs are remembered by lists: the log is replayed.
    pub(super) fn replay(&mut self, sets: &mut Sets, spare: &mut Spare) {
        let Memory::Log { entries, .. } = &mut self.memory else { return };
        let mut entries = std::mem::take(entries);
        if self.logged {
            entries.pop_back();
        }
        // What was a log holds no matches.
        self.memory = lists(false);
        self.newest.clear();
        self.oldest.clear();
        self.set = sets.id(&[]);
        for entry in &entries {
            let number = sets.step(self.set, entry.bits);
            self.follow(entry, sets.get(number), spare);
        }
        let number = sets.step(self.set, self.last.bits);
        let step = sets.get(number);
        self.end_in_lists(step);
        if self.logged {
            let last = self.last;
            self.follow(&last, step, spare);
        }
        debug_assert_eq!(self.waits, sets.waits(self.set));
    }

    /// Finds how the event at hand completes matches, before the step is gone.
    fn end_in_lists(&mut self, step: &Step) {
        let Memory::Lists { heads, .. } = &self.memory else { return };
        let head = |source| if source == START { NONE } else { heads[source as usize] };
        self.ends.clear();
        let ends = step.ends.iter();
        self.ends.extend(ends.map(|&(source, stage)| End { source: head(source), stage }));
    }

    /// Drops garbage; calls `used` with the events that are left.
    pub(super) fn collect(&mut self, mut used: impl FnMut(EventIndex)) {
        match &mut self.memory {
            Memory::Log { entries, .. } => {
                entries.iter().filter(|e| e.place != NOT_KEPT).for_each(|e| used(e.place));
            }
            Memory::Lists { graph, heads } => graph.compact(heads.iter_mut(), self.horizon, used),
        }
    }

    /// The events have moved.
    pub(super) fn renumber(&mut self, moved: &Moved) {
        match &mut self.memory {
            Memory::Log { entries, .. } => {
                for entry in entries.iter_mut().filter(|e| e.place != NOT_KEPT) {
                    entry.place = moved.to(entry.place);
                }
            }
            Memory::Lists { graph, .. } => graph.renumber(moved),
        }
    }
}

fn retain<T>(all: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    all.retain(|_| keep.next().copied().unwrap_or(false));
}
