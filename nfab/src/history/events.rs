//! The events that some run holds, in the order of their arrival.
//!
//! They lie one behind the other in one list, so that whoever reads a match finds any event of it by
//! a subtraction. With a window, events that have passed go in whole blocks at the front
//! ([`EventStore::expire`]); the list is moved up when half of it has gone, so that each event is
//! moved once on average. Without a window, what no run holds any more is found by marking
//! ([`EventStore::compact`]).

use super::{EventIndex, Marks, Moved};

/// Events in a block.
const BLOCK: usize = 256;

/// Events with the number of their arrival.
#[derive(Debug)]
pub(crate) struct EventStore<E> {
    /// Those before `head` have gone.
    events: Vec<(u64, E)>,
    /// A number of whole blocks.
    head: usize,
    /// The place of the first of `events`.
    base: EventIndex,
    /// For each block of `events`, the last one perhaps not full: no event of it is later.
    lasts: Vec<i64>,
}

impl<E> EventStore<E> {
    pub(crate) fn new() -> Self {
        Self::starting_at(0)
    }

    /// The first event will get this place.
    pub(super) fn starting_at(first: EventIndex) -> Self {
        EventStore { events: Vec::new(), head: 0, base: first, lasts: Vec::new() }
    }

    /// The place that the next event will get.
    #[inline]
    pub(crate) fn next(&self) -> EventIndex {
        self.base + self.events.len() as EventIndex
    }

    /// Adds the event that arrived with a number; gives its place. For `time` see
    /// [`Entry`](super::Entry).
    #[inline]
    pub(crate) fn push(&mut self, arrival: u64, time: i64, event: E) -> EventIndex {
        let place = self.next();
        if self.events.len().is_multiple_of(BLOCK) {
            self.lasts.push(time);
        } else if let Some(last) = self.lasts.last_mut() {
            *last = time.max(*last);
        }
        self.events.push((arrival, event));
        place
    }

    /// Takes the newest event back: nobody keeps it.
    #[inline]
    pub(crate) fn pop(&mut self) {
        self.events.pop();
        if self.events.len().is_multiple_of(BLOCK) {
            self.lasts.truncate(self.events.len() / BLOCK);
        }
    }

    #[inline]
    fn at(&self, place: EventIndex) -> &(u64, E) {
        &self.events[(place - self.base) as usize]
    }

    #[inline]
    pub(crate) fn get(&self, at: EventIndex) -> &E {
        &self.at(at).1
    }

    pub(crate) fn arrival(&self, at: EventIndex) -> u64 {
        self.at(at).0
    }

    /// All events with their numbers.
    #[inline]
    pub(crate) fn all(&self) -> &[(u64, E)] {
        &self.events[self.head..]
    }

    /// As [`arrival`](Self::arrival), of an event that may have gone.
    pub(crate) fn arrival_if_held(&self, at: EventIndex) -> Option<u64> {
        let index = at.checked_sub(self.first())? as usize;
        self.all().get(index).map(|event| event.0)
    }

    /// The place of the first event.
    #[inline]
    pub(crate) fn first(&self) -> EventIndex {
        self.base + self.head as EventIndex
    }

    /// The number of events, garbage included.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.events.len() - self.head
    }

    /// No event before this time is used any more; as [`History::expire`](super::History::expire).
    pub(crate) fn expire(&mut self, before: i64) {
        while self.len() >= BLOCK && self.lasts[self.head / BLOCK] < before {
            self.head += BLOCK;
        }
        self.move_up();
    }

    /// No event before this place is used any more.
    pub(crate) fn forget(&mut self, before: EventIndex) {
        while self.len() >= BLOCK && self.first() + BLOCK as EventIndex <= before {
            self.head += BLOCK;
        }
        self.move_up();
    }

    /// What has gone is dropped if that pays.
    fn move_up(&mut self) {
        if self.head == 0 || self.head < self.len() {
            return;
        }
        self.events.drain(..self.head);
        self.lasts.drain(..self.head / BLOCK);
        self.base += self.head as EventIndex;
        self.head = 0;
        if self.events.capacity() > 4 * self.events.len() + 4 * BLOCK {
            self.events.shrink_to(2 * self.events.len());
        }
    }

    /// Marks for [`compact`](Self::compact), none set.
    pub(crate) fn marks(&self) -> Marks {
        Marks { first: self.first(), used: vec![false; self.len()] }
    }

    /// Drops the events that are not used; gives the new places of the others.
    pub(crate) fn compact(&mut self, marks: &Marks) -> Moved {
        let first = marks.first;
        let mut live = EventStore::starting_at(first);
        let mut to = Vec::with_capacity(marks.used.len());
        let lasts = self.lasts[self.head / BLOCK..].iter().flat_map(|last| [*last; BLOCK]);
        for (((arrival, event), last), used) in
            self.events.drain(self.head..).zip(lasts).zip(&marks.used)
        {
            to.push(live.next());
            if *used {
                live.push(arrival, last, event);
            }
        }
        *self = live;
        Moved { first, to }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_go_by_time_and_by_marking() {
        let mut store = EventStore::starting_at(u64::from(u32::MAX) - 300);
        let first = store.next();
        for n in 0..1000 {
            store.push(2 * n, n as i64, n);
        }
        store.expire(600);
        assert_eq!(store.len(), 1000 - 512);
        assert_eq!((store.arrival(first + 700), *store.get(first + 700)), (1400, 700));

        let mut marks = store.marks();
        (600..1000).step_by(3).for_each(|n| marks.mark(first + n));
        let moved = store.compact(&marks);
        assert_eq!(store.len(), 134);
        for n in (600..1000).step_by(3) {
            assert_eq!(*store.get(moved.to(first + n)), n);
        }
        store.push(5000, 1000, 5000);
        assert_eq!(*store.get(store.next() - 1), 5000);
    }
}
