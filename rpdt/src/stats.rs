//! What a run did, returned by value.

/// Counts of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Bytes of input consumed.
    pub bytes: u64,
    /// Start tags plus end tags; `<a/>` counts as two.
    pub tags: u64,
    /// Answers given to the sink.
    pub answers: u64,
    /// Deepest nesting of elements.
    pub max_depth: usize,
    /// Bytes held at the peak for undecided candidates and buffered results.
    pub peak_buffered_bytes: usize,
    /// States of the lazily determinised automaton that were built.
    pub automaton_states: usize,
    /// Segments of the document that could be matched beside those before them, by a thread of their
    /// own; 0 if one thread did all.
    pub segments: u64,
}
