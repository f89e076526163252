//! Results on their way from a join thread to the sink.

use crate::Pair;

/// Takes all pairs and leaves the list empty; false: no more are wanted.
pub(crate) type HandOver<'a> = dyn FnMut(&mut Vec<Pair>) -> bool + 'a;

/// Collects results and hands them over whenever there are enough.
pub(crate) struct Out<'a> {
    pairs: Vec<Pair>,
    hand_over: &'a mut HandOver<'a>,
    wanted: bool,
    /// Whether the results of a tuple must stand in the order of their partners' arrival. They are
    /// then kept together, so that this list is as long as a tuple has partners.
    ordered: bool,
    /// Where the results of the present tuple begin.
    start: usize,
    /// How many are handed over at a time.
    many: usize,
}

impl<'a> Out<'a> {
    /// As many as one hands over within a thread: so few that they stay in the nearest cache.
    pub(crate) const FEW: usize = 128;

    pub(crate) fn new(
        buffer: Vec<Pair>,
        ordered: bool,
        many: usize,
        hand_over: &'a mut HandOver<'a>,
    ) -> Out<'a> {
        Out { pairs: buffer, hand_over, wanted: true, ordered, start: 0, many }
    }

    pub(crate) fn is_ordered(&self) -> bool {
        self.ordered
    }

    #[inline]
    pub(crate) fn push(&mut self, pair: Pair) {
        self.pairs.push(pair);
        if self.pairs.len() >= self.many && !self.ordered {
            self.flush();
        }
    }

    /// All results of one tuple have been pushed.
    #[inline]
    pub(crate) fn end_of_tuple(&mut self) {
        if self.ordered && self.pairs.len() > self.start {
            self.pairs[self.start..].sort_unstable_by_key(order);
            self.start = self.pairs.len();
            if self.start >= self.many {
                self.flush();
            }
        }
    }

    /// Hands over what there is.
    pub(crate) fn flush(&mut self) {
        if self.wanted && !self.pairs.is_empty() {
            self.wanted = (self.hand_over)(&mut self.pairs);
        }
        self.pairs.clear();
        self.start = 0;
    }

    /// Hands over what is left. The buffer can be used again.
    pub(crate) fn finish(mut self) -> Vec<Pair> {
        self.flush();
        self.pairs
    }
}

/// The order of results: by the arrival of the second to arrive, then of the first.
pub(crate) fn order(pair: &Pair) -> (u64, u64) {
    let (a, b) = (pair.first.seq, pair.second.seq);
    (a.max(b), a.min(b))
}
