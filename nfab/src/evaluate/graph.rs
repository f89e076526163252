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
//! meantime count until garbage is looked for. In patterns that have such matches an [`Order`] is
//! kept as well: which first events there are, so that nobody looks when none of them passes, and
//! for each element a hop over several older ones, so that those that matter are found in
//! logarithmic time where the others all start later or have passed before.
//!
//! **Lists are linear**: an element is followed by at most one newer one. The evaluations see to it by
//! continuing each list in one population only, others join it. [`Marked`](super::marked::Marked)
//! relies on it.
//!
//! **Garbage** is found by marking from the heads in one pass backwards, and squeezed out in one
//! pass forwards, as sources and rests of lists lie before what refers to them.

mod order;
#[cfg(feature = "serde")]
mod save;

use self::order::Order;
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
    /// Only matches with this first event, if there is one.
    pub(super) first: Option<EventIndex>,
}

impl Starts {
    /// All that are still in the window.
    pub(super) fn since(horizon: Key) -> Starts {
        Starts { from: horizon, to: Key::MAX, first: None }
    }

    /// A match may begin with an element that is a first event.
    pub(super) fn admit(&self, element: &Element) -> bool {
        (self.from..=self.to).contains(&element.newest)
            && self.first.is_none_or(|first| first == element.event)
    }
}

/// All elements of a partition, in the order in which they arose.
#[derive(Debug, Default)]
pub(super) struct Graph {
    elements: Vec<Element>,
    /// If matches may come out when a window passes.
    order: Option<Order>,
    /// How many were left when garbage was last looked for.
    kept: usize,
}

impl Graph {
    /// `ordered`: matches may come out when a window passes.
    pub(super) fn new(ordered: bool) -> Self {
        Graph { order: ordered.then(Order::default), ..Graph::default() }
    }

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
        self.push(Element {
            event,
            stage,
            older: list,
            source,
            newest,
            reach: newest,
            since: Key::MAX,
        });
        (self.elements.len() - 1) as u32
    }

    /// Adds an element whose starts are those of its own runs.
    fn push(&mut self, mut element: Element) {
        let own = self.since(element.source, element.newest);
        element.since = own;
        if element.older != NONE {
            let rest = self.get(element.older);
            element.reach = element.reach.max(rest.reach);
            element.since = element.since.min(rest.since);
        }
        if let Some(order) = &mut self.order {
            order.push(&element, own);
        }
        self.elements.push(element);
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
            let fits =
                element.newest >= starts.from && (element.source != NONE || starts.admit(element));
            list = match &self.order {
                None if fits => return list,
                None => element.older,
                Some(order) => match order.seek(list, element.older, fits, starts) {
                    None => return list,
                    Some(next) => next,
                },
            };
        }
        NONE
    }

    /// Which runs end now that the window passes of those that started before a horizon, or of all;
    /// `None` if there are none. `before` is the horizon before.
    pub(super) fn passing(&mut self, before: Key, horizon: Option<Key>) -> Option<Starts> {
        let to = horizon.map_or(Some(Key::MAX), |horizon| horizon.checked_sub(1))?;
        let starts = Starts { from: before, to, first: None };
        if let Some(order) = &mut self.order {
            order.forget_firsts(before);
        }
        self.next_first(starts, None).map(|_| starts)
    }

    /// The next first event behind a place that started then, and no other.
    pub(super) fn next_first(&self, starts: Starts, after: Option<EventIndex>) -> Option<Starts> {
        let (key, event) = self.order.as_ref()?.next_first(starts, after)?;
        Some(Starts { from: key, to: key, first: Some(event) })
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
        if let Some(order) = &mut self.order {
            order.clear();
        }
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
        if let Some(order) = &mut self.order {
            order.clear();
        }
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
            let own = self.since(element.source, element.newest);
            element.since = own;
            if element.older != NONE {
                element.since = element.since.min(self.get(element.older).since);
            }
            if let Some(order) = &mut self.order {
                order.push(&element, own);
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
        if let Some(order) = &mut self.order {
            order.shrink_to(2 * live + 256);
        }
        self.kept = live;
    }

    /// The events have moved.
    pub(super) fn renumber(&mut self, moved: &Moved) {
        for element in &mut self.elements {
            if element.stage != JOIN {
                element.event = moved.to(element.event);
            }
        }
        if let Some(order) = &mut self.order {
            order.renumber(moved);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.elements.capacity() * size_of::<Element>()
            + self.order.as_ref().map_or(0, Order::bytes)
    }
}
