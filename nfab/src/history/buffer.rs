//! What a match buffer is.

use crate::nfa::EdgeKind;

/// A place in the [`EventStore`](super::EventStore); ordered as the events arrived. No place is
/// used twice; only [`EventStore::compact`](super::EventStore::compact) closes gaps.
pub(crate) type EventIndex = u64;

/// Where the events of a run end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tail(pub(super) u32);

impl Tail {
    /// The tail of a run without events.
    pub(crate) const EMPTY: Tail = Tail(u32::MAX);
}

/// What a run does with an event that it takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) stage: u32,
    pub(crate) event: EventIndex,
    /// Begin or take.
    pub(crate) kind: EdgeKind,
    /// The run also becomes something else with this event: it makes another move, or a clone of it
    /// ignores the event.
    pub(crate) forks: bool,
    /// What [`History::expire`] goes by: the time of the event or, where the window is one of
    /// events, the number of its arrival. Never less than that of an entry before.
    pub(crate) time: i64,
}

/// Stores the events of all runs, shared where the runs share them.
pub(crate) trait History {
    /// Whether people look at the buffer: then the last event of a match is to be appended too,
    /// also if the run ends with it and its events could be reported without.
    const SHOWN: bool;

    /// The run takes an event.
    fn append(&mut self, tail: &Tail, entry: Entry) -> Tail;

    /// The stages and events of a run, oldest first.
    fn events(&self, tail: &Tail, into: &mut Vec<(u32, EventIndex)>);

    /// The first event of every run is at or after this time: what is older may go. The cost does
    /// not depend on the number of runs; what goes, goes in whole chunks, so some of it may stay.
    fn expire(&mut self, before: i64);

    /// The number of places that hold an event, garbage included.
    fn cells(&self) -> usize;

    /// The number of references from such a place to the one before, garbage included: one for each
    /// event of a run that is not shared. This is what grows with the runs.
    fn edges(&self) -> usize;

    /// The memory in use, in bytes.
    fn bytes(&self) -> usize;

    /// The most cells, or edges, that it can address; before there are more, it is to be compacted.
    fn capacity(&self) -> usize;

    /// Looks for garbage by marking, where no window makes it go: drops all that none of the tails
    /// leads to and marks the events that are left. The tails are changed. All tails that are ever
    /// to be read or appended to again are to be among them; not between two that take the same
    /// event.
    fn compact<'t>(&mut self, tails: impl Iterator<Item = &'t mut Tail>, used: &mut Marks);

    /// The events have moved; [`EventStore::compact`](super::EventStore::compact) tells where.
    fn renumber(&mut self, moved: &Moved);
}

/// Which events of an [`EventStore`] are used.
#[derive(Debug)]
pub(crate) struct Marks {
    pub(super) first: EventIndex,
    pub(super) used: Vec<bool>,
}

impl Marks {
    pub(crate) fn mark(&mut self, event: EventIndex) {
        self.used[(event - self.first) as usize] = true;
    }
}

/// Where the events of an [`EventStore`] have moved to.
#[derive(Debug)]
pub(crate) struct Moved {
    pub(super) first: EventIndex,
    pub(super) to: Vec<EventIndex>,
}

impl Moved {
    pub(crate) fn to(&self, event: EventIndex) -> EventIndex {
        self.to[(event - self.first) as usize]
    }
}
