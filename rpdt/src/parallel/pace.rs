//! How large segments are, how many are ahead, and whether guessing pays.

use super::Threads;

/// Bytes of a segment at first, and at most.
const SEGMENT: (u64, u64) = (256 << 10, 4 << 20);
/// A document has at least so many segments, if they need not be smaller than the first ones: of one
/// that was begun in vain, and of the last ones, the threads have no use.
const PARTS: u64 = 64;
/// While there is nothing to guess from, one thread works alone, and after so many bytes there may
/// be; else after twice as many.
const ALONE: u64 = 64 << 10;
/// For so many times at most nothing is guessed after guesses that failed.
const LONGEST_REST: u32 = 15;

/// See the module.
#[derive(Debug)]
pub(super) struct Pace {
    /// Of a segment.
    pub(super) bytes: u64,
    least: u64,
    /// Of the document.
    len: u64,
    threads: u64,
    pub(super) most: u64,
    /// So many times nothing is guessed after the next guess that fails; at first none.
    rest: u32,
    /// Bytes that one thread matches alone before it guesses again.
    alone: u64,
    /// So many times nothing is guessed from now on.
    resting: u32,
    /// Times in a row that no place was found.
    misses: u32,
}

impl Pace {
    pub(super) fn new(threads: Threads, len: u64) -> Self {
        let most = (len / PARTS).clamp(SEGMENT.0, SEGMENT.1);
        let (least, most) = threads.segment.map_or((SEGMENT.0, most), |bytes| (bytes, bytes));
        Pace {
            bytes: least,
            least,
            len,
            threads: threads.count as u64,
            most,
            alone: ALONE,
            rest: 0,
            resting: 0,
            misses: 0,
        }
    }

    /// Of a segment that begins at a place: towards the end of the document they become smaller, so that
    /// all threads come to their ends at about the same time.
    pub(super) fn bytes_at(&self, place: u64) -> u64 {
        let rest = self.len.saturating_sub(place) / self.threads.saturating_mul(2).max(1);
        self.bytes.min(rest.max(self.least))
    }

    /// Bytes that are matched before there may be something to guess from.
    pub(super) fn alone(&mut self) -> u64 {
        let alone = self.alone.min(self.bytes);
        self.alone = (2 * alone).max(ALONE);
        alone
    }

    /// A segment was what had been guessed. Returns whether the next ones are larger.
    pub(super) fn succeeded(&mut self) -> bool {
        let before = self.bytes;
        self.bytes = (2 * self.bytes).min(self.most);
        self.alone = ALONE;
        self.rest = 0;
        self.misses = 0;
        self.bytes > before
    }

    /// No place was found. That is so at every change of structure, and all the time in documents
    /// without any.
    pub(super) fn missed(&mut self) {
        self.misses += 1;
        self.resting = self.misses.saturating_sub(4).min(LONGEST_REST);
    }

    pub(super) fn failed(&mut self) {
        self.bytes = (self.bytes / 2).max(self.least);
        self.alone = ALONE;
        self.resting = self.rest;
        self.rest = (2 * self.rest + 1).min(LONGEST_REST);
    }

    /// Whether to guess now.
    pub(super) fn guesses(&mut self) -> bool {
        let guesses = self.resting == 0;
        self.resting = self.resting.saturating_sub(1);
        guesses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Towards the end segments become smaller, but not smaller than at first; where their size is asked
    /// for they keep it.
    #[test]
    fn the_last_segments_are_small() {
        let len = 64 << 20;
        let mut pace = Pace::new(Threads::new(2), len);
        while pace.succeeded() {}
        assert_eq!(pace.bytes_at(0), 1 << 20);
        assert_eq!(pace.bytes_at(len - (2 << 20)), 512 << 10);
        assert_eq!(pace.bytes_at(len - 1), SEGMENT.0);
        assert_eq!(pace.bytes_at(len + 1), SEGMENT.0);
        assert_eq!(Pace::new(Threads::new(2).segment(5_000), len).bytes_at(len - 1), 5_000);
    }
}
