//! What a program has to keep of tuples until no pair can need it.

use std::collections::VecDeque;

/// Tuples in one block.
const BLOCK: u64 = 1_024;

/// Says which tuples of the past may still be in a pair, in blocks of about a thousand.
///
/// Results may be outstanding when a tuple has left the window, so before anything is forgotten the
/// join has to hand all of them over ([`pause`](crate::Join::pause)); [`is_worth_it`](Self::is_worth_it)
/// says when enough can be forgotten. At most a quarter more than necessary is kept.
#[derive(Clone, Debug)]
pub struct Retention {
    longest: i64,
    /// The last seq and the latest time of each block.
    blocks: VecDeque<(u64, i64)>,
    /// How many tuples the last block has.
    filled: u64,
}

impl Retention {
    /// For travel times of at most this many ticks.
    #[must_use]
    pub fn new(longest: i64) -> Retention {
        Retention { longest, blocks: VecDeque::new(), filled: 0 }
    }

    /// A tuple that is to be kept; `seq` ascends.
    pub fn note(&mut self, seq: u64, time: i64) {
        match self.blocks.back_mut().filter(|_| self.filled < BLOCK) {
            Some((last, latest)) => {
                *last = seq;
                *latest = time.max(*latest);
                self.filled += 1;
            }
            None => {
                self.blocks.push_back((seq, time));
                self.filled = 1;
            }
        }
    }

    fn over(&self, watermark: i64) -> usize {
        let is_over = |(_, latest): &&(u64, i64)| watermark.saturating_sub(*latest) >= self.longest;
        self.blocks.iter().take_while(is_over).count()
    }

    /// Whether a quarter of all tuples that are kept cannot meet any more those at or after the
    /// watermark.
    #[must_use]
    pub fn is_worth_it(&self, watermark: i64) -> bool {
        let some = self.blocks.len().div_ceil(4).max(1);
        // The first blocks are looked at in any case, the others only if those are over.
        self.blocks.get(some - 1).is_some_and(|_| self.over(watermark) >= some)
    }

    /// Forgets what is over; nothing before the seq that is returned is needed any more.
    pub fn release(&mut self, watermark: i64) -> u64 {
        let over = self.over(watermark);
        let next = self.blocks.drain(..over).next_back().map_or(0, |(last, _)| last + 1);
        if self.blocks.is_empty() {
            self.filled = 0;
        }
        next
    }
}
