//! The partial matches of a partition as a graph of the events that they took.
//!
//! Runs that are one for their future form a *population*. A population is a list of *elements*,
//! newest first, that only grows at its head. An element is
//!
//! - an event with the stage that took it, and the population that took it as it was then: the head
//!   of a list. It stands for every run of that population, each with the event appended; an
//!   element without a source is the first event of a run; or
//! - a *join*: all of another population, as it was then.
//!
//! So an event that a million runs take is one element of 48 bytes, and a population forks by
//! handing out its head. Reading a match backwards is following sources, with a free choice of an
//! element from each list.
//!
//! **Windows.** Each element knows the newest start of its runs, and the newest of its own and all
//! elements after it in the list, so that reading stops where only runs remain that started before
//! the horizon. An element dies with its newest start; since starts are never later than the
//! event, elements die roughly in the order of their places.
//!
//! For matches that come out when a window passes, the oldest start is known as well, so that reading
//! can be confined to the runs that end now. It is a bound: starts that have passed in the
//! meantime count until garbage is looked for.
//!
//! **Lists are linear**: an element is followed by at most one newer one. The evaluations see to it by
//! continuing each list in one population only, others join it. [`Marked`](super::marked::Marked)
//! relies on it.
//!
//! **Garbage** is found by marking from the heads in one pass backwards, and squeezed out in one
//! pass forwards, as sources and rests of lists lie before what refers to them.

#[cfg(feature = "serde")]
mod save;

use crate::history::{EventIndex, Moved};
use crate::runtime::evaluator::Key;

/// No element: the end of a list, or the source of a first event.
pub(super) const NONE: u32 = u32::MAX;
/// The stage of a join.
pub(super) const JOIN: u32 = u32::MAX;

/// The most elements that places reach.
pub(super) const CAPACITY: usize = 1 << 31;

/// An element of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    /// Meaningless for a join.
    pub(super) event: EventIndex,
    /// Or [`JOIN`].
    pub(super) stage: u32,
    /// The next older element of the list.
    pub(super) older: u32,
    /// The population that took the event, or that joins.
    pub(super) source: u32,
    /// The key of the newest start of the runs that the element stands for.
    pub(super) newest: Key,
    /// The same for the element and all older ones.
    pub(super) reach: Key,
    /// No run of the element or of an older one started before.
    pub(super) since: Key,
}

/// The starts that matter: keys, both included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Starts {
    pub(super) from: Key,
    pub(super) to: Key,
}

impl Starts {
    /// All that are still in the window.
    pub(super) fn since(horizon: Key) -> Starts {
        Starts { from: horizon, to: Key::MAX }
    }
}

/// All elements of a partition, in the order in which they arose.
#[derive(Debug, Default)]
pub(super) struct Graph {
    elements: Vec<Element>,
    /// How many were left when garbage was last looked for.
    kept: usize,
}

impl Graph {
    pub(super) fn len(&self) -> usize {
        self.elements.len()
    }

    pub(super) fn get(&self, at: u32) -> &Element {
        &self.elements[at as usize]
    }

    /// Adds an event to the list with the given head; gives the new head.
    pub(super) fn take(
        &mut self,
        list: u32,
        (event, stage): (EventIndex, u32),
        source: u32,
        newest: Key,
    ) -> u32 {
        let (mut reach, mut since) = (newest, self.since(source, newest));
        if list != NONE {
            let rest = self.get(list);
            reach = reach.max(rest.reach);
            since = since.min(rest.since);
        }
        self.elements.push(Element { event, stage, older: list, source, newest, reach, since });
        (self.elements.len() - 1) as u32
    }

    /// No run of a population started before; `own` is the start of a run that starts with an event.
    fn since(&self, source: u32, own: Key) -> Key {
        if source == NONE { own } else { self.get(source).since }
    }

    /// Some run of the list with the given head may have started then.
    pub(super) fn may_have(&self, list: u32, starts: Starts) -> bool {
        list != NONE && self.get(list).reach >= starts.from && self.get(list).since <= starts.to
    }

    /// The first element from a place in a list on that has runs which may have started then; [`NONE`]
    /// if there is no such element.
    pub(super) fn seek(&self, mut list: u32, starts: Starts) -> u32 {
        while self.may_have(list, starts) {
            let element = self.get(list);
            if element.newest >= starts.from
                && (element.source != NONE || element.newest <= starts.to)
            {
                return list;
            }
            list = element.older;
        }
        NONE
    }

    /// Adds all of a population to the list with the given head; gives the new head.
    pub(super) fn join(&mut self, list: u32, source: u32, newest: Key) -> u32 {
        self.take(list, (0, JOIN), source, newest)
    }

    /// So much has been added since garbage was last looked for that looking pays.
    pub(super) fn is_due(&self) -> bool {
        self.elements.len() >= 2 * self.kept + 256
    }

    /// Drops everything.
    pub(super) fn clear(&mut self) {
        self.elements.clear();
        self.kept = 0;
    }

    /// Drops what no head leads to and what started before the horizon; calls `used` with the
    /// events that are left, each perhaps several times. Heads are changed.
    pub(super) fn compact<'h>(
        &mut self,
        heads: impl Iterator<Item = &'h mut u32>,
        horizon: Key,
        mut used: impl FnMut(EventIndex),
    ) {
        let mut heads: Vec<&mut u32> = heads.collect();
        let mut places = vec![NONE; self.elements.len()];
        let mark = |places: &mut [u32], elements: &[Element], at: u32| {
            if at != NONE && elements[at as usize].reach >= horizon {
                places[at as usize] = 0;
            }
        };
        for head in &heads {
            mark(&mut places, &self.elements, **head);
        }
        for at in (0..self.elements.len()).rev() {
            if places[at] != NONE {
                let element = self.elements[at];
                mark(&mut places, &self.elements, element.older);
                if element.newest >= horizon {
                    mark(&mut places, &self.elements, element.source);
                }
            }
        }
        let moved = |places: &[u32], at: u32| if at == NONE { NONE } else { places[at as usize] };
        let mut live = 0;
        for at in 0..self.elements.len() {
            if places[at] == NONE {
                continue;
            }
            let mut element = self.elements[at];
            element.older = moved(&places, element.older);
            if element.newest < horizon {
                // Whoever leads here finds the rest of the list.
                places[at] = element.older;
                continue;
            }
            element.source = moved(&places, element.source);
            if element.stage != JOIN {
                used(element.event);
            }
            // All that it leads to has been done.
            element.since = self.since(element.source, element.newest);
            if element.older != NONE {
                element.since = element.since.min(self.get(element.older).since);
            }
            self.elements[live] = element;
            places[at] = live as u32;
            live += 1;
        }
        for head in &mut heads {
            **head = moved(&places, **head);
        }
        self.elements.truncate(live);
        self.elements.shrink_to(2 * live + 256);
        self.kept = live;
    }

    /// The events have moved.
    pub(super) fn renumber(&mut self, moved: &Moved) {
        for element in &mut self.elements {
            if element.stage != JOIN {
                element.event = moved.to(element.event);
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.elements.capacity() * size_of::<Element>()
    }
}
