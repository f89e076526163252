//! Reading matches off queues.

use std::ops::ControlFlow;

use super::queue::{Item, Queue};
use super::visit::{MOST, visit as choose};
use crate::history::EventIndex;
use crate::runtime::evaluator::Taken;

/// How matches are read, with working space.
#[derive(Debug)]
pub(super) struct Reader {
    /// The numbers of the stages but for the last.
    stages: Box<[u32]>,
    last: u32,
    /// The last of `stages` is a loop.
    repeats: bool,
    /// Of each queue how many events may be in a match.
    ends: Box<[usize]>,
    taken: Vec<Taken>,
    /// For a count: of each event of a queue, or a later one, how many ways lead on to the end.
    ways: Vec<u64>,
}

impl Reader {
    /// Of all stages in turn; the last but one may be a loop.
    pub(super) fn new(mut stages: Vec<u32>, repeats: bool) -> Reader {
        let last = stages.pop().unwrap_or_default();
        let ends = vec![0; stages.len()].into();
        let (taken, ways) = (Vec::new(), Vec::new());
        Reader { stages: stages.into(), last, repeats, ends, taken, ways }
    }

    /// Finds of each queue which events something follows that is part of a match with the event at
    /// a place; gives whether there are some everywhere.
    fn bound(&mut self, queues: &[Queue], event: EventIndex) -> bool {
        let mut limit = event;
        for (queue, end) in queues.iter().zip(&mut self.ends).rev() {
            let items = queue.items();
            *end = match items.last() {
                Some(last) if last.place >= limit => {
                    items.partition_point(|item| item.place < limit)
                }
                _ => items.len(),
            };
            match items[..*end].last() {
                Some(item) => limit = item.place,
                None => return false,
            }
        }
        true
    }

    /// Visits the matches that the event at a place completes. Events of the first queue have not
    /// passed their window.
    pub(super) fn visit(
        &mut self,
        queues: &[Queue],
        event: EventIndex,
        visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if !self.bound(queues, event) {
            return ControlFlow::Continue(());
        }
        let Reader { stages, last, repeats, ends, taken, .. } = self;
        taken.clear();
        let last = (*last, event);
        let walk = Walk { stages, last, repeats: *repeats, ends, queues };
        walk.descend(0, 0, taken, visit)
    }

    /// How many these are, `u64::MAX` for so many or more; in time linear in the events.
    pub(super) fn count(&mut self, queues: &[Queue], event: EventIndex) -> u64 {
        if !self.bound(queues, event) {
            return 0;
        }
        let Reader { ends, ways, repeats, .. } = self;
        ways.clear();
        for (at, (queue, &end)) in queues.iter().zip(&**ends).enumerate().rev() {
            let above = std::mem::take(ways);
            let mut all = 0_u64;
            // From the last event on: the sum over all from one on.
            ways.push(0);
            for item in queue.items()[..end].iter().rev() {
                let own = match queues.get(at + 1) {
                    // Alone, or before any choice of those behind it.
                    None if *repeats => all.saturating_add(1),
                    None => 1,
                    Some(next) => {
                        let later = (above.len() - 1).saturating_sub(next.before(item.next));
                        above[later]
                    }
                };
                all = all.saturating_add(own);
                ways.push(all);
            }
        }
        ways.last().copied().unwrap_or_default()
    }
}

/// A walk from the first stage on.
struct Walk<'a> {
    stages: &'a [u32],
    last: Taken,
    repeats: bool,
    ends: &'a [usize],
    queues: &'a [Queue],
}

impl Walk<'_> {
    /// Visits the matches that begin with what is taken, and go on with an event of a queue from a
    /// place on.
    fn descend(
        &self,
        at: usize,
        from: usize,
        taken: &mut Vec<Taken>,
        visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(mut items) = self.queues[at].items().get(from..self.ends[at]) else {
            return ControlFlow::Continue(());
        };
        let stage = self.stages[at];
        let before = taken.len();
        if at + 1 < self.queues.len() {
            for item in items {
                taken.push((stage, item.place));
                let from = self.queues[at + 1].before(item.next);
                self.descend(at + 1, from, taken, visit)?;
                taken.pop();
            }
        } else if self.repeats {
            // Of more events there are more choices than anybody can look at.
            if let Some(more) = items.len().checked_sub(MOST) {
                let (first, others) = items.split_at(more);
                taken.extend(first.iter().map(|item| (stage, item.place)));
                items = others;
            }
            let of = |item: &Item| (stage, item.place);
            choose(items, of, taken.len() > before, self.last, taken, visit)?;
            taken.truncate(before);
        } else {
            for item in items {
                taken.push((stage, item.place));
                taken.push(self.last);
                visit(taken)?;
                taken.truncate(before);
            }
        }
        ControlFlow::Continue(())
    }
}
