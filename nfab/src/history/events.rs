//! The events that some run holds, in the order of their arrival.

use super::{EventIndex, Marks, Moved};

/// Events with the number of their arrival.
#[derive(Debug)]
pub(crate) struct EventStore<E> {
    events: Vec<(u64, E)>,
}

impl<E> EventStore<E> {
    pub(crate) fn new() -> Self {
        EventStore { events: Vec::new() }
    }

    /// The place that the next event will get.
    pub(crate) fn next(&self) -> EventIndex {
        self.events.len() as EventIndex
    }

    /// Adds the event that arrived with a number. For `time` see [`Entry`](super::Entry).
    pub(crate) fn push(&mut self, arrival: u64, _time: i64, event: E) {
        self.events.push((arrival, event));
    }

    pub(crate) fn get(&self, at: EventIndex) -> &E {
        &self.events[at as usize].1
    }

    pub(crate) fn arrival(&self, at: EventIndex) -> u64 {
        self.events[at as usize].0
    }

    pub(crate) fn len(&self) -> usize {
        self.events.len()
    }

    /// No event before this time is used any more; as [`History::expire`](super::History::expire).
    pub(crate) fn expire(&mut self, _before: i64) {}

    /// Marks for [`compact`](Self::compact), none set.
    pub(crate) fn marks(&self) -> Marks {
        Marks { first: 0, used: vec![false; self.events.len()] }
    }

    /// Drops the events that are not used; gives the new places of the others.
    pub(crate) fn compact(&mut self, marks: &Marks) -> Moved {
        let mut to = vec![0; marks.used.len()];
        let mut live = 0;
        for (place, &used) in to.iter_mut().zip(&marks.used) {
            *place = live;
            live += EventIndex::from(used);
        }
        let mut used = marks.used.iter();
        self.events.retain(|_| used.next().copied().unwrap_or(false));
        self.events.shrink_to(2 * live as usize);
        Moved { first: 0, to }
    }
}
