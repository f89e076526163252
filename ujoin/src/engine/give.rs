//! The sink during one call.

use crate::{Pair, Sink, SinkError, Tuple};

/// Gives results to the sink, counts them, and remembers the first failure. After one, nothing more
/// is given.
pub(crate) struct Give<'a> {
    sink: &'a mut dyn Sink,
    pub(crate) results: u64,
    pub(crate) failed: Option<SinkError>,
}

impl<'a> Give<'a> {
    pub(crate) fn new(sink: &'a mut dyn Sink) -> Give<'a> {
        Give { sink, results: 0, failed: None }
    }

    /// Gives all and leaves the list empty; false: the sink wants no more.
    pub(crate) fn pairs(&mut self, pairs: &mut Vec<Pair>) -> bool {
        if self.failed.is_none() && !pairs.is_empty() {
            self.results += pairs.len() as u64;
            self.failed = self.sink.pairs(pairs).err();
        }
        pairs.clear();
        self.failed.is_none()
    }

    #[cold]
    pub(crate) fn late(&mut self, tuple: &Tuple) {
        if self.failed.is_none() {
            self.failed = self.sink.late(tuple).err();
        }
    }
}
