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
