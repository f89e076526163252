//! The conditional output function: what is complete at a path, and under which conditions.

use super::{Model, Path};

/// What is complete when a word has been read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The patterns, several if they are written alike; each checks its own window.
    pub patterns: Vec<u32>,
    /// The rule whose composite is complete.
    pub rule: Option<u32>,
}

impl Model {
    /// The conditional output function, without the conditions: what is complete at a path. The
    /// conditions are those of a [`Stream`](super::Stream): predicates, and the window of each
    /// pattern; for a composite the [order check](in_order) where it is appended.
    pub fn output(&self, path: Path) -> Option<&Output> {
        if !self.accepts(path.state) {
            return None;
        }
        self.outputs().get(path.rank as usize)
    }
}

/// The order check: whether an instance that begins with event `first` may be appended to one whose
/// last event is `last`. It looks at first and last *primitive* events, so that A G B is no
/// SEQ(G, A, B) though {A, B} is complete after G.
pub fn in_order(last: Option<usize>, first: usize) -> bool {
    last.is_none_or(|last| last < first)
}
