//! What happens when memory is short: which tuples go to disk, what they owe, and how it is paid.
//!
//! A tuple that goes to disk at the arrival numbered `out` has met every partner before and none from
//! then on. While anything is owed, all arrivals that may be partners are logged. To drain is to join
//! what is on disk with that log, from `out` on; one comparison of numbers keeps both kinds of results
//! apart, so each pair is found once.

mod budget;
mod debt;
mod drain;
mod merge;
mod policy;

use std::sync::Arc;

pub(crate) use budget::Plan;
pub(crate) use debt::Debts;
pub(crate) use policy::{Selector, select};

use crate::storage::Storage;
use crate::{Budget, Policy};

/// What to do when tuples cannot be moved to disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WhenFull {
    /// First drains what is owed, which empties the disk as far as it can be, and tries once more.
    #[default]
    Drain,
    /// Fails at once. Nothing is lost either way.
    Fail,
}

/// A memory budget, and what to do when it is reached.
#[derive(Clone, Debug)]
pub struct Spill {
    pub(crate) budget: Budget,
    pub(crate) policy: Policy,
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) when_full: WhenFull,
}

impl Spill {
    /// A budget, a policy, and a place for what does not fit, used by this join alone.
    #[must_use]
    pub fn new(budget: Budget, policy: Policy, storage: Arc<dyn Storage>) -> Spill {
        Spill { budget, policy, storage, when_full: WhenFull::default() }
    }

    /// What to do when the disk is full.
    #[must_use]
    pub fn when_full(self, when_full: WhenFull) -> Spill {
        Spill { when_full, ..self }
    }
}
