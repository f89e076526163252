//! The match buffer: which events each run holds.

mod chain;
mod events;

pub(crate) use chain::ChainBuffer;
pub(crate) use events::EventStore;

/// A place in the [`EventStore`]; ordered as the events arrived.
pub(crate) type EventIndex = u32;

/// Stores the events of all runs, shared where the runs share them.
pub(crate) trait History {
    /// What a run keeps to find its events again.
    type Tail: Clone;

    /// The tail of a run without events.
    fn empty() -> Self::Tail;

    /// The run takes an event for a stage.
    fn append(&mut self, tail: &Self::Tail, stage: u32, event: EventIndex) -> Self::Tail;

    /// The stages and events of a run, oldest first.
    fn events(&self, tail: &Self::Tail, into: &mut Vec<(u32, EventIndex)>);

    /// The number of cells, garbage included.
    fn cells(&self) -> usize;

    /// Drops all cells that none of the tails leads to and marks the events that are left.
    fn compact<'t>(&mut self, tails: impl Iterator<Item = &'t mut Self::Tail>, used: &mut [bool])
    where
        Self::Tail: 't;

    /// The events have moved.
    fn renumber(&mut self, new_places: &[EventIndex]);
}
