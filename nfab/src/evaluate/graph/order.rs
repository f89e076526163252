//! Finding the runs that end now among all the others.

use std::collections::VecDeque;

use super::{Element, NONE, Starts};
use crate::history::{EventIndex, Moved};
use crate::runtime::evaluator::Key;

/// What lies between an element and an older one of its list, itself included.
///
/// Hops are as long as the digits of the length of the list in the skew binary system say, so that
/// from any element each older one is reached in logarithmically many hops and single steps.
#[derive(Clone, Copy, Debug)]
struct Hop {
    /// The older element, or [`NONE`].
    to: u32,
    /// The length of the list.
    depth: u32,
    /// No run of the element started before.
    own: Key,
    /// No run in between started before.
    since: Key,
    /// Nor any after.
    newest: Key,
}

/// The first events of runs, and hops. Places of elements are those of the graph.
#[derive(Debug, Default)]
pub(super) struct Order {
    hops: Vec<Hop>,
    firsts: VecDeque<(Key, EventIndex)>,
}

impl Order {
    /// The next element of the graph, no run of which started before `own`.
    pub(super) fn push(&mut self, element: &Element, own: Key) {
        if element.source == NONE {
            let first = (element.newest, element.event);
            if self.firsts.back() != Some(&first) {
                self.firsts.push_back(first);
            }
        }
        let newest = element.newest;
        let mut hop = Hop { to: element.older, depth: 1, own, since: own, newest };
        if let Some(before) = self.hops.get(element.older as usize) {
            hop.depth = before.depth + 1;
            let depth = |at: u32| self.hops.get(at as usize).map_or(0, |hop| hop.depth);
            if let Some(far) = self.hops.get(before.to as usize)
                && before.depth - far.depth == far.depth - depth(far.to)
            {
                hop.to = far.to;
                hop.since = own.min(before.since).min(far.since);
                hop.newest = newest.max(before.newest).max(far.newest);
            }
        }
        self.hops.push(hop);
    }

    /// Where to go on from an element; nowhere if it `fits` and some of its runs may have started
    /// early enough.
    pub(super) fn seek(&self, at: u32, older: u32, fits: bool, starts: Starts) -> Option<u32> {
        let hop = &self.hops[at as usize];
        if fits && hop.own <= starts.to {
            return None;
        }
        let none = hop.since > starts.to || hop.newest < starts.from;
        Some(if none { hop.to } else { older })
    }

    /// The key and place of the next first event behind a place.
    pub(super) fn next_first(
        &self,
        starts: Starts,
        after: Option<EventIndex>,
    ) -> Option<(Key, EventIndex)> {
        let next = self.firsts.partition_point(|&(key, event)| {
            key < starts.from || after.is_some_and(|after| event <= after)
        });
        self.firsts.get(next).copied().filter(|first| first.0 <= starts.to)
    }

    pub(super) fn forget_firsts(&mut self, horizon: Key) {
        while self.firsts.front().is_some_and(|first| first.0 < horizon) {
            self.firsts.pop_front();
        }
    }

    pub(super) fn clear(&mut self) {
        self.hops.clear();
        self.firsts.clear();
    }

    /// Gives back memory, where there is more than for so many elements.
    pub(super) fn shrink_to(&mut self, elements: usize) {
        self.hops.shrink_to(elements);
        self.firsts.shrink_to(elements);
    }

    pub(super) fn renumber(&mut self, moved: &Moved) {
        self.firsts.iter_mut().for_each(|first| first.1 = moved.to(first.1));
    }

    pub(super) fn bytes(&self) -> usize {
        self.hops.capacity() * size_of::<Hop>()
            + self.firsts.capacity() * size_of::<(Key, EventIndex)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::graph::{Graph, Starts};

    /// Single events in one list, the keys of which rise.
    #[test]
    fn what_starts_late_or_has_passed_is_skipped() {
        let mut graph = Graph::new(true);
        let mut head = NONE;
        for key in 0..1000 {
            head = graph.take(head, (key as EventIndex, 0), NONE, key);
        }
        let order = graph.order.as_ref().expect("it is ordered");
        for key in 0..1000 {
            let starts = Starts { from: key, to: key, first: None };
            assert_eq!(graph.seek(head, starts), key as u32);
            assert_eq!(graph.next_first(starts, None).map(|s| s.from), Some(key));
            assert!(graph.next_first(starts, Some(key as EventIndex)).is_none());
            let (mut at, mut steps) = (head, 0);
            let older = |at: u32| at.checked_sub(1).unwrap_or(NONE);
            while let Some(next) = order.seek(at, older(at), i64::from(at) >= key, starts) {
                at = next;
                steps += 1;
            }
            assert!(steps < 40, "{steps} steps to {key}");
        }
    }
}
