//! An event that is being worked on.

use super::catalog::{Catalog, Live};
use super::history::History;

/// An event, as the mechanisms see it. It is the newest one of the history.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival<'a> {
    pub(crate) classes: &'a [u32],
    pub(crate) serial: u64,
    pub(crate) row: u64,
    pub(crate) tick: u64,
    pub(crate) time: i64,
    /// Tells streams and partitions apart.
    pub(crate) scope: u64,
}

impl Arrival<'_> {
    /// The serial of the first event that a match of a pattern that ends here can begin with.
    #[inline]
    pub(crate) fn low(&self, catalog: &Catalog, history: &mut History, live: &Live) -> u64 {
        let low = history.low(catalog, live.span, self.tick, self.time);
        low.max(history.first_from(live.since))
    }
}
