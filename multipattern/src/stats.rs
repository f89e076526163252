//! Counters.

/// What a detector has done and holds. Counters go up from the beginning of the stream; the rest is
/// counted when it is asked for, exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Stats {
    /// Events that were pushed.
    pub events: u64,
    /// Those of a type that no pattern uses, or that fit no operand.
    pub unused: u64,
    /// Those that lack an attribute of the partition key.
    pub without_key: u64,
    /// Matches that were delivered; saturates at `u64::MAX`.
    pub matches: u64,
    /// Events whose matches were cut off by [`Limits::matches_per_event`](crate::Limits::matches_per_event).
    pub cut_off: u64,
    /// Partial matches that were made, where each is kept by itself.
    pub instances_created: u64,
    /// Partial matches and combinations that were looked at to see whether an event fits.
    pub candidates_checked: u64,
    /// Pairs of an event and a pattern that it could complete, of which was asked whether it does.
    pub probes: u64,
    /// Moves along edges of a shared model or of a pattern's own chain.
    pub transitions: u64,
    /// Steps along failure links.
    pub failures: u64,
    /// Uses of a shared block that was valid.
    pub block_hits: u64,
    /// Shared blocks that had to be made anew.
    pub block_misses: u64,
    /// Bitmaps of conditions that were used again.
    pub bitmap_hits: u64,
    /// Partial matches that left their windows.
    pub expired: u64,
    /// Partial matches that a limit dropped.
    pub dropped_instances: u64,
    /// Remembered events that a limit dropped.
    pub dropped_events: u64,
    /// Partitions that a limit dropped, or events of partitions for which there was no room.
    pub dropped_partitions: u64,
    /// Patterns that are alive.
    pub patterns: usize,
    /// Streams or partitions that are remembered.
    pub partitions: usize,
    /// Events that are remembered.
    pub held_events: usize,
    /// Partial matches that are remembered, each by itself.
    pub instances: usize,
    /// Nodes of the models of all patterns.
    pub nodes: usize,
    /// Rows of shared blocks and numbers of shared vectors.
    pub shared_rows: usize,
    /// Bytes of the detector and of all that it holds: what an allocator counts, once no name in a
    /// pattern is shared with something outside. Clones share what does not change while events flow;
    /// each counts it.
    pub bytes: usize,
}

/// The counters that the mechanisms raise.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) instances_created: u64,
    pub(crate) candidates_checked: u64,
    pub(crate) probes: u64,
    pub(crate) transitions: u64,
    pub(crate) failures: u64,
    pub(crate) block_hits: u64,
    pub(crate) block_misses: u64,
    pub(crate) bitmap_hits: u64,
    pub(crate) expired: u64,
    pub(crate) dropped_instances: u64,
    /// A limit was reached whose policy is an error.
    pub(crate) over_limit: bool,
}

#[cfg(feature = "serde")]
impl Counters {
    fn list(&mut self) -> [&mut u64; 10] {
        [
            &mut self.instances_created,
            &mut self.candidates_checked,
            &mut self.probes,
            &mut self.transitions,
            &mut self.failures,
            &mut self.block_hits,
            &mut self.block_misses,
            &mut self.bitmap_hits,
            &mut self.expired,
            &mut self.dropped_instances,
        ]
    }

    pub(crate) fn to_list(mut self) -> Vec<u64> {
        self.list().into_iter().map(|counter| *counter).collect()
    }

    pub(crate) fn from_list(list: &[u64]) -> Self {
        let mut counters = Counters::default();
        for (counter, value) in counters.list().into_iter().zip(list) {
            *counter = *value;
        }
        counters
    }
}
