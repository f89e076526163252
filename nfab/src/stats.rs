//! Counters of a run.

/// What an engine has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Stats {
    /// Events that were matched; late ones are not among them.
    pub events: u64,
    /// Events older than the watermark.
    pub late: u64,
    /// Events that wait now, under [`Config::lateness`](crate::Config::lateness), for older ones.
    pub waiting: usize,
    /// Events without a partition key: not matched, but events of the stream.
    pub without_key: u64,
    /// Matches reported.
    pub matches: u64,
    /// Partial matches whose window passed, one for each run.
    pub timed_out: u64,
    /// Partial matches now. Under the shared evaluations what is kept as one counts as one, however
    /// many partial matches it stands for: with
    /// [`Evaluation::Compact`](crate::Evaluation::Compact) all that wait for the same in one
    /// partition, with [`Evaluation::Grouped`](crate::Evaluation::Grouped) those of them that
    /// remember the same.
    pub runs: usize,
    /// Most partial matches at once, those included whose window had passed unnoticed.
    pub peak_runs: usize,
    /// Matches now held back behind earlier partial matches.
    pub held_back: usize,
    /// Cells of the match buffer now, garbage included.
    pub cells: usize,
    /// Most cells of the match buffer at once.
    pub peak_cells: usize,
    /// Entries of the match buffer now: as many as cells, save in the versioned buffer, whose cells
    /// are the edges between its entries.
    pub entries: usize,
    /// The memory of cells and entries now, in bytes; that of the events is not included.
    pub cell_bytes: usize,
    /// Events stored now, garbage included.
    pub stored_events: usize,
    /// Partial matches dropped because of a limit.
    pub dropped_runs: u64,
    /// Matches dropped because of a limit; at least so many, where one event completed far too many.
    pub dropped_matches: u64,
    /// Matches and timeouts that a sink did not want any more; at least so many, where each would have
    /// to be looked at for its own sake.
    pub undelivered: u64,
    /// Comparisons and operators applied to values of types that do not fit; each made a condition
    /// unknown.
    pub type_errors: u64,
    /// Integer results beyond 128 bits; each made a condition unknown.
    pub overflows: u64,
    /// Divisions of integers by zero; each made a condition unknown.
    pub divisions_by_zero: u64,
}

#[cfg(feature = "parallel")]
impl Stats {
    /// The sums of both.
    pub(crate) fn plus(&self, other: &Stats) -> Stats {
        Stats {
            events: self.events + other.events,
            late: self.late + other.late,
            waiting: self.waiting + other.waiting,
            without_key: self.without_key + other.without_key,
            matches: self.matches.saturating_add(other.matches),
            timed_out: self.timed_out + other.timed_out,
            runs: self.runs + other.runs,
            peak_runs: self.peak_runs + other.peak_runs,
            held_back: self.held_back + other.held_back,
            cells: self.cells + other.cells,
            peak_cells: self.peak_cells + other.peak_cells,
            entries: self.entries + other.entries,
            cell_bytes: self.cell_bytes + other.cell_bytes,
            stored_events: self.stored_events + other.stored_events,
            dropped_runs: self.dropped_runs + other.dropped_runs,
            dropped_matches: self.dropped_matches + other.dropped_matches,
            undelivered: self.undelivered.saturating_add(other.undelivered),
            type_errors: self.type_errors + other.type_errors,
            overflows: self.overflows + other.overflows,
            divisions_by_zero: self.divisions_by_zero + other.divisions_by_zero,
        }
    }
}
