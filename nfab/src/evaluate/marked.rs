//! The part of a graph that leads to the matches of one event, turned round.
//!
//! Matches are read off the graph from their last event backwards, but they are to come out in the
//! order of their events from the first one on. So all elements from which the completing event is
//! reached are marked, by following lists and sources from where the event was taken, and each
//! learns who comes after it:
//!
//! - An element hands its runs to its *consumers*: the elements that have it as their source.
//! - So does every newer element of its list, for a source means the whole list from there on. As
//!   lists are linear, the newer element is one; and what it hands to came after what the older one
//!   hands to. Following a list in the newer direction therefore meets consumers in the order of
//!   their events, without any sorting.
//!
//! Elements without consumers are skipped by a link (`open`).
//!
//! When a window passes, the same is done for the runs that hold a match; their *end* is that the
//! event at hand is passed over, and only first events whose window has passed are let in.
//!
//! **Cost.** Every element that is marked and alive lies on a match, so there are no more of them than
//! events in all matches together: the preparation is linear in the whole output (times the
//! logarithm from sorting the places), whatever the window. It is linear in the graph, too, where
//! the output is exponential: the first matches come at once. Not covered are dead elements between
//! live ones of a list, and when a window passes, elements whose starts all lie later or have passed
//! before: they go, or are told apart, when garbage is looked for.

use super::graph::{Graph, JOIN, NONE, Starts};
use crate::history::EventIndex;

/// The stage of an end that came by passing over the event.
pub(super) const PASSED: u32 = u32::MAX;

/// One way in which the event at hand completes matches: all runs of a population.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct End {
    /// The head of the population; [`NONE`] if the event is a match on its own.
    pub(super) source: u32,
    /// The stage that takes the event, or [`PASSED`].
    pub(super) stage: u32,
}

/// A marked element, an end, or the root, whose consumers are the first events of matches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) event: EventIndex,
    /// Or [`JOIN`].
    pub(super) stage: u32,
    /// The first consumer.
    first: u32,
    /// The next consumer of the same element.
    sibling: u32,
    /// The next newer element of the list.
    newer: u32,
    /// This element or the first newer one that has a consumer.
    open: u32,
    /// Some run of this element is complete when the event at hand is passed over.
    pub(super) ends: bool,
}

/// A place among the consumers that come after an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    element: u32,
    /// Never [`NONE`].
    pub(super) consumer: u32,
}

/// Working space, used again for each event.
#[derive(Debug, Default)]
pub(super) struct Marked {
    /// The marked elements, in ascending order.
    marked: Vec<u32>,
    /// For each element its place in `marked`, if it is there; else anything.
    places: Vec<u32>,
    stack: Vec<u32>,
    /// As `marked`, then the ends, then the root.
    spots: Vec<Spot>,
    sums: Vec<u64>,
}

impl Marked {
    /// Where a marked element is.
    fn place(&self, element: u32) -> Option<u32> {
        let place = self.places[element as usize];
        (self.marked.get(place as usize) == Some(&element)).then_some(place)
    }

    fn mark(&mut self, graph: &Graph, ends: &[End], starts: Starts) {
        self.marked.clear();
        self.places.resize(graph.len(), 0);
        self.stack.extend(ends.iter().map(|end| end.source));
        while let Some(mut at) = self.stack.pop() {
            // Whoever met an element has met all the list after it.
            while at != NONE && self.place(at).is_none() {
                if !graph.may_have(at, starts) {
                    break;
                }
                let element = graph.get(at);
                self.places[at as usize] = self.marked.len() as u32;
                self.marked.push(at);
                if element.newest >= starts.from {
                    self.stack.push(element.source);
                }
                at = element.older;
            }
        }
        self.marked.sort_unstable();
        for (place, &element) in self.marked.iter().enumerate() {
            self.places[element as usize] = place as u32;
        }
    }

    /// How many matches there are, if each is there once; `u64::MAX` for so many or more. Linear in
    /// what is marked: the runs of a list are those of its elements added up.
    pub(super) fn count(&mut self, graph: &Graph, ends: &[End], starts: Starts) -> u64 {
        self.mark(graph, ends, starts);
        self.sums.clear();
        // The runs of an element and of all older ones.
        let of = |this: &Self, list: u32| match list {
            NONE => 0,
            _ => this.place(list).map_or(0, |place| this.sums[place as usize]),
        };
        for &at in &self.marked {
            let element = graph.get(at);
            let own = match element.source {
                _ if element.newest < starts.from => 0,
                NONE => u64::from(element.newest <= starts.to),
                source => of(self, source),
            };
            let sum = own.saturating_add(of(self, element.older));
            self.sums.push(sum);
        }
        let all = ends.iter().map(|end| if end.source == NONE { 1 } else { of(self, end.source) });
        all.fold(0, u64::saturating_add)
    }

    /// Marks what leads to the ends and turns it round. The event at hand is at `event`.
    pub(super) fn turn(&mut self, graph: &Graph, ends: &[End], event: EventIndex, starts: Starts) {
        self.mark(graph, ends, starts);
        let spot = |event, stage| Spot {
            event,
            stage,
            first: NONE,
            sibling: NONE,
            newer: NONE,
            open: NONE,
            ends: false,
        };
        self.spots.clear();
        self.spots.extend(self.marked.iter().map(|&at| {
            let element = graph.get(at);
            spot(element.event, element.stage)
        }));
        self.spots.extend(ends.iter().map(|end| spot(event, end.stage)));
        self.spots.push(spot(event, PASSED));
        let root = self.root();
        // From the last to the first, so each is put before the later consumers of its source.
        for (at, end) in ends.iter().enumerate().rev() {
            let source = if end.source == NONE { Some(root) } else { self.place(end.source) };
            let Some(source) = source else { continue };
            if end.stage == PASSED {
                self.spots[source as usize].ends = true;
            } else {
                self.consume(source, (self.marked.len() + at) as u32);
            }
        }
        for place in (0..self.marked.len() as u32).rev() {
            let element = *graph.get(self.marked[place as usize]);
            // All that come after it are done.
            let Spot { first, newer, .. } = self.spots[place as usize];
            let (open, ends) = match newer {
                NONE => (NONE, false),
                _ => (self.spots[newer as usize].open, self.spots[newer as usize].ends),
            };
            self.spots[place as usize].open = if first == NONE { open } else { place };
            self.spots[place as usize].ends |= ends;
            if element.older != NONE
                && let Some(older) = self.place(element.older)
            {
                self.spots[older as usize].newer = place;
            }
            let begins = element.source == NONE;
            if element.newest < starts.from || (begins && element.newest > starts.to) {
                continue;
            }
            let source = if begins { Some(root) } else { self.place(element.source) };
            if let Some(source) = source {
                self.spots[source as usize].ends |=
                    element.stage == JOIN && self.spots[place as usize].ends;
                self.consume(source, place);
            }
        }
        let root = &mut self.spots[root as usize];
        root.open = if root.first == NONE { NONE } else { (self.marked.len() + ends.len()) as u32 };
    }

    fn consume(&mut self, source: u32, consumer: u32) {
        self.spots[consumer as usize].sibling = self.spots[source as usize].first;
        self.spots[source as usize].first = consumer;
    }

    pub(super) fn root(&self) -> u32 {
        (self.spots.len() - 1) as u32
    }

    pub(super) fn spot(&self, at: u32) -> &Spot {
        &self.spots[at as usize]
    }

    /// It stands for a population that joined another.
    pub(super) fn is_join(&self, at: u32) -> bool {
        (at as usize) < self.marked.len() && self.spots[at as usize].stage == JOIN
    }

    /// It is an end.
    pub(super) fn is_end(&self, at: u32) -> bool {
        at as usize >= self.marked.len()
    }

    /// The first consumer that comes after an element.
    pub(super) fn after(&self, element: u32) -> Option<Cursor> {
        match self.spots[element as usize].open {
            NONE => None,
            element => Some(Cursor { element, consumer: self.spots[element as usize].first }),
        }
    }

    /// The next one.
    pub(super) fn next(&self, cursor: Cursor) -> Option<Cursor> {
        let Cursor { element, consumer } = cursor;
        match self.spots[consumer as usize].sibling {
            NONE => match self.spots[element as usize].newer {
                NONE => None,
                newer => self.after(newer),
            },
            sibling => Some(Cursor { element, consumer: sibling }),
        }
    }
}
