//! Options of a run.

use crate::Limits;

/// When a match is reported under an after-match skip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum HoldBack {
    /// Once no partial match started earlier: such a one might still complete and prune this
    /// match. Without a window that may take for ever.
    #[default]
    Wait,
    /// At once. A match then prunes only what is still there, earlier partial matches included
    /// where the skip reaches them.
    EmitNow,
}

/// What [`finish`](crate::Engine::finish) concludes from the end of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum EndOfInput {
    /// Nothing: windows that are still open are not taken to pass.
    #[default]
    Silent,
    /// The watermark advances to infinity: open windows pass, as in Flink.
    Max,
}

/// Which match buffer the run engine uses. Both hold the same histories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum HistoryKind {
    /// Cells that point to the cell before: the fast one.
    #[default]
    Chain,
    /// The shared versioned match buffer of the paper.
    Versioned,
}

/// Options of a run; `Config::default()` suits most.
#[derive(Clone, Copy, Debug, Default)]
pub struct Config {
    pub(crate) hold_back: HoldBack,
    pub(crate) end_of_input: EndOfInput,
    pub(crate) timeouts: bool,
    pub(crate) limits: Limits,
    pub(crate) history: HistoryKind,
    pub(crate) lateness: i64,
}

impl Config {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// When matches are reported under an after-match skip. Default: [`HoldBack::Wait`].
    #[must_use]
    pub fn hold_back(mut self, hold_back: HoldBack) -> Self {
        self.hold_back = hold_back;
        self
    }

    /// What the end of the stream means. Default: [`EndOfInput::Silent`].
    #[must_use]
    pub fn end_of_input(mut self, end: EndOfInput) -> Self {
        self.end_of_input = end;
        self
    }

    /// Whether partial matches whose window has passed are reported. Default: no.
    #[must_use]
    pub fn timeouts(mut self, report: bool) -> Self {
        self.timeouts = report;
        self
    }

    /// Bounds on memory.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The match buffer. Default: [`HistoryKind::Chain`].
    #[must_use]
    pub fn history(mut self, history: HistoryKind) -> Self {
        self.history = history;
        self
    }

    /// How much an event may be older than the newest one before it and still be put in its place:
    /// the watermark is the greatest time so far minus this, and events wait in a buffer until it
    /// has reached them. The output, and the numbers of the events in it, are those of the sorted
    /// stream; it comes later. Memory for the events that wait is bounded by
    /// [`Limits::reorder`](crate::Limits::reorder). In the unit of the events' times; negative is 0,
    /// the default, which costs nothing.
    #[must_use]
    pub fn lateness(mut self, bound: i64) -> Self {
        self.lateness = bound.max(0);
        self
    }
}
