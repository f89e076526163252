//! When to look for tuples that are over but not the oldest to have arrived.

use crate::Config;

/// Engines that forget from the oldest arrival on keep what arrived after a tuple that is still
/// needed. If all streams have one horizon and tuples come in the order of their times, there is no
/// such thing; else everything is looked at each time that the number held has grown or changed by
/// an eighth, which costs eight looks a tuple and bounds what is held in vain.
#[derive(Debug)]
pub(crate) struct Sweep {
    needed: bool,
    inserted: usize,
}

impl Sweep {
    pub(crate) fn new(config: &Config) -> Sweep {
        Sweep { needed: config.lateness > 0 || !config.travel.is_level(), inserted: 0 }
    }

    #[inline]
    pub(crate) fn inserted(&mut self, tuples: usize) {
        self.inserted += tuples;
    }

    /// Whether it is time, with so many tuples held. Begins to count anew if so.
    #[inline]
    pub(crate) fn is_due(&mut self, resident: usize) -> bool {
        let due = self.needed && self.inserted > resident / 8 + 64;
        if due {
            self.inserted = 0;
        }
        due
    }
}
