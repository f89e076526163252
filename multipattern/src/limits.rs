//! Bounds on everything that patterns or a stream could make grow.

/// What happens when a limit is reached. Nothing is ever lost silently: whatever is dropped is
/// counted in [`Stats`](crate::Stats).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Policy {
    /// An error of kind [`ErrorKind::Limit`](crate::ErrorKind::Limit).
    #[default]
    Error,
    /// What began first is dropped.
    DropOldest,
    /// What began last is dropped.
    DropNewest,
}

/// A limit and what happens when it is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limit {
    /// The greatest number allowed.
    pub most: usize,
    /// What happens beyond it.
    pub policy: Policy,
}

impl Limit {
    /// A limit.
    #[must_use]
    pub const fn new(most: usize, policy: Policy) -> Self {
        Limit { most, policy }
    }
}

/// Bounds on what patterns and a stream can claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Patterns that are alive. Default 1,000,000; always an error.
    pub patterns: usize,
    /// Names of types and of attributes, together. A name has a number, which events are made with, so it
    /// stays when the last pattern that uses it is removed: patterns that bring ever new names need
    /// memory for them. Default 10,000,000; always an error.
    pub names: usize,
    /// Events remembered of one stream or partition, which only windows of time leave open. Default
    /// 1,000,000, then an error. [`Policy::DropOldest`] forgets the oldest one, as if its window were
    /// over; [`Policy::DropNewest`] passes over the event that finds no room.
    pub held_events: Limit,
    /// Partitions: so many keys at once. Those of which nothing can come any more are forgotten by
    /// themselves when there are many, and before the limit is an error: if no event that is remembered
    /// begins a pattern, or if all windows are of time and over. A window of events ends by events of the
    /// same key alone, so a key that has begun a pattern and never comes again is kept for ever: where
    /// there is no end of new keys, use windows of time, or [`Policy::DropOldest`] here. Default
    /// 1,000,000, then an error. [`Policy::DropOldest`] forgets the one that has had no event for
    /// longest; [`Policy::DropNewest`] passes over events of a new one. Events that no pattern can use do
    /// not count, and bring no new one, unless they are [held](crate::Config::hold_events).
    pub partitions: Limit,
    /// Partial matches of [`Method::Single`](crate::Method::Single) in one stream or partition under
    /// `any`. Default 10,000,000, then an error. [`Policy::DropOldest`] drops the oldest one of the
    /// same pattern and length, if there is one.
    pub instances: Limit,
    /// Matches delivered of one event. Default: no limit, since they are found one by one and not
    /// stored, and a sink can stop. Beyond it nothing more of the event is found; with
    /// [`Policy::Error`] that is an error, else it is counted. Counts are not bounded.
    pub matches_per_event: Limit,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            patterns: 1_000_000,
            names: 10_000_000,
            held_events: Limit::new(1_000_000, Policy::Error),
            partitions: Limit::new(1_000_000, Policy::Error),
            instances: Limit::new(10_000_000, Policy::Error),
            matches_per_event: Limit::new(usize::MAX, Policy::Error),
        }
    }
}
