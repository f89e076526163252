//! The events that some run holds, in the order of their arrival.
//!
//! With a window, events that have passed go in whole chunks and nothing is copied
//! ([`EventStore::expire`]). Without one, what no run holds any more is found by marking
//! ([`EventStore::compact`]).

use super::arena::Arena;
use super::{EventIndex, Marks, Moved};

/// Events with the number of their arrival.
#[derive(Debug)]
pub(crate) struct EventStore<E> {
    events: Arena<(u64, E), 8>,
}

impl<E> EventStore<E> {
    pub(crate) fn new() -> Self {
        Self::starting_at(0)
    }

    /// The first event will get this place.
    pub(super) fn starting_at(first: EventIndex) -> Self {
        EventStore { events: Arena::starting_at(first) }
    }

    /// The place that the next event will get.
    pub(crate) fn next(&self) -> EventIndex {
        self.events.next()
    }

    /// Adds the event that arrived with a number; gives its place. For `time` see
    /// [`Entry`](super::Entry).
    #[inline]
    pub(crate) fn push(&mut self, arrival: u64, time: i64, event: E) -> EventIndex {
        self.events.push(time, (arrival, event))
    }

    /// Takes the newest event back: nobody keeps it.
    #[inline]
    pub(crate) fn pop(&mut self) {
        self.events.pop();
    }

    #[inline]
    fn at(&self, place: EventIndex) -> &(u64, E) {
        self.events.at((place - self.events.first()) as usize)
    }

    #[inline]
    pub(crate) fn get(&self, at: EventIndex) -> &E {
        &self.at(at).1
    }

    pub(crate) fn arrival(&self, at: EventIndex) -> u64 {
        self.at(at).0
    }

    /// Neighbouring events with their numbers, the one at a place among them, and the place of the
    /// first.
    #[inline]
    pub(crate) fn around(&self, at: EventIndex) -> (EventIndex, &[(u64, E)]) {
        let first = self.events.first();
        let (from, events) = self.events.chunk_at((at - first) as usize);
        (first + from as EventIndex, events)
    }

    /// The newest events with their numbers, and the place of the first of these.
    #[inline]
    pub(crate) fn newest(&self) -> (EventIndex, &[(u64, E)]) {
        let (from, events) = self.events.newest();
        (self.events.first() + from as EventIndex, events)
    }

    /// As [`arrival`](Self::arrival), of an event that may have gone.
    pub(crate) fn arrival_if_held(&self, at: EventIndex) -> Option<u64> {
        let index = at.checked_sub(self.events.first())? as usize;
        (index < self.events.len()).then(|| self.events.at(index).0)
    }

    /// The place of the first event.
    #[cfg(feature = "serde")]
    pub(crate) fn first(&self) -> EventIndex {
        self.events.first()
    }

    /// The events with their numbers.
    #[cfg(feature = "serde")]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(u64, E)> {
        self.events.iter()
    }

    /// The number of events, garbage included.
    pub(crate) fn len(&self) -> usize {
        self.events.len()
    }

    /// No event before this time is used any more; as [`History::expire`](super::History::expire).
    pub(crate) fn expire(&mut self, before: i64) {
        self.events.expire(before, |_| ());
    }

    /// No event before this place is used any more.
    pub(crate) fn forget(&mut self, before: EventIndex) {
        self.events.forget(before);
    }

    /// Marks for [`compact`](Self::compact), none set.
    pub(crate) fn marks(&self) -> Marks {
        Marks { first: self.events.first(), used: vec![false; self.events.len()] }
    }

    /// Drops the events that are not used; gives the new places of the others.
    pub(crate) fn compact(&mut self, marks: &Marks) -> Moved {
        let first = marks.first;
        let mut live = Arena::starting_at(first);
        let mut to = Vec::with_capacity(marks.used.len());
        let all = std::mem::replace(&mut self.events, Arena::starting_at(first));
        for ((time, item), used) in all.into_items().zip(&marks.used) {
            to.push(live.next());
            if *used {
                live.push(time, item);
            }
        }
        self.events = live;
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
