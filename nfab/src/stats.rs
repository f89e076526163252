//! Counters of a run.

/// What an engine has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Events that were matched; late ones are not among them.
    pub events: u64,
    /// Events older than the watermark.
    pub late: u64,
    /// Events without a partition key: not matched, but events of the stream.
    pub without_key: u64,
    /// Matches reported.
    pub matches: u64,
    /// Partial matches whose window passed, one for each run.
    pub timed_out: u64,
    /// Partial matches now.
    pub runs: usize,
    /// Most partial matches at once, those included whose window had passed unnoticed.
    pub peak_runs: usize,
    /// Matches now held back behind earlier partial matches.
    pub held_back: usize,
    /// Cells of the match buffer now, garbage included.
    pub cells: usize,
    /// Most cells of the match buffer at once.
    pub peak_cells: usize,
    /// Events stored now, garbage included.
    pub stored_events: usize,
    /// Partial matches dropped because of a limit.
    pub dropped_runs: u64,
    /// Matches dropped because of a limit.
    pub dropped_matches: u64,
    /// Matches and timeouts that a sink did not want any more.
    pub undelivered: u64,
    /// Comparisons and operators applied to values of types that do not fit; each made a condition
    /// unknown.
    pub type_errors: u64,
    /// Integer results beyond 128 bits; each made a condition unknown.
    pub overflows: u64,
    /// Divisions of integers by zero; each made a condition unknown.
    pub divisions_by_zero: u64,
}
