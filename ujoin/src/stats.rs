//! What an engine counts.

/// Counters of a run. Those of files and rows are filled in by whoever reads them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stats {
    /// Tuples given, late and dropped ones included.
    pub input_tuples: u64,
    /// Tuples dropped since no partner could lift them to the threshold.
    pub pruned: u64,
    /// Tuples that were joined.
    pub survivors: u64,
    /// Times that a tuple was handed to a join thread: for the paper's engines survivors x streams.
    pub enqueues: u64,
    /// Messages in which they were handed over.
    pub batches: u64,
    /// Times that the memory budget was reached and tuples went to disk.
    pub flushes: u64,
    /// Tuples that went to disk.
    pub spilled_entries: u64,
    /// Bytes written to segments and to the log of arrivals.
    pub spilled_bytes: u64,
    /// Times that a tuple on disk was compared with one that came after it had left.
    pub owed_pairs: u64,
    /// Results found when draining.
    pub drained_pairs: u64,
    /// Tuples older than the watermark, not joined.
    pub late: u64,
    /// Probabilities rounded to nine digits (filled in by the reader of the input).
    pub rounded: u64,
    /// Sightings delivered again (filled in by the reader of the input).
    pub duplicates: u64,
    /// Rows set aside (filled in by the reader of the input).
    pub rejected: u64,
    /// Most tuples held in memory at one time.
    pub resident_max: u64,
    /// Most tuples within the window at one time, in memory or not, to within two in a hundred.
    pub live_max: u64,
    /// Results given to the sink.
    pub results: u64,
}
