//! Bounds on everything that a stream could make grow.

/// What happens when a limit is reached. Nothing is ever lost silently: whatever is dropped is
/// counted in [`Stats`](crate::Stats).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Policy {
    /// An error of kind [`ErrorKind::Limit`](crate::ErrorKind::Limit); the engine stops.
    #[default]
    Error,
    /// What started first is dropped.
    DropOldest,
    /// What started last is dropped.
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

/// Bounds on memory that a stream or a pattern can claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Partial matches alive, counted as [`Stats::runs`](crate::Stats::runs) does: those that a
    /// shared evaluation keeps as one count as one. Default 1,000,000, then an error. (A policy that
    /// drops some asks for [`Evaluation::Runs`](crate::Evaluation::Runs).)
    pub runs: Limit,
    /// Partial matches alive in one partition. Default: none.
    pub runs_per_key: Limit,
    /// Events remembered, each once for each partial match that does not share it. Default
    /// 100,000,000, then an error. Dropping drops partial matches.
    pub history: Limit,
    /// Events of one match. Default: none. Either kind of dropping ends the partial match.
    pub match_length: Limit,
    /// Matches completed by one event, or held back behind earlier partial matches. Default
    /// 1,000,000, then an error.
    pub matches: Limit,
    /// Events that wait for late ones under [`Config::lateness`](crate::Config::lateness). Default
    /// 1,000,000, then an error. [`Policy::DropOldest`] drops nothing: the oldest goes on early, and
    /// whatever is older than it is late from then on. With [`Policy::DropNewest`] the event that
    /// finds no room is handed to [`Sink::late`](crate::Sink::late) and counted there.
    pub reorder: Limit,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            runs: Limit::new(1_000_000, Policy::Error),
            runs_per_key: Limit::new(usize::MAX, Policy::Error),
            history: Limit::new(100_000_000, Policy::Error),
            match_length: Limit::new(usize::MAX, Policy::Error),
            matches: Limit::new(1_000_000, Policy::Error),
            reorder: Limit::new(1_000_000, Policy::Error),
        }
    }
}
