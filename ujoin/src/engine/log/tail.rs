//! Forgetting the oldest, a block of entries at a time, so that they need not be looked at.

use super::Log;
use super::entry::Kin;

/// Entries of a block.
const BLOCK: usize = 64;
/// Among fewer than so many blocks one that is forgotten late counts.
const FEW: usize = 32;

/// What is known of the entries in a block of the arrays.
#[derive(Clone, Copy)]
pub(super) struct Block {
    /// No entry is later.
    newest: i64,
    /// Whether any may be in a run.
    has_runs: bool,
}

impl Log {
    /// Blocks for so many entries.
    pub(super) fn blocks(capacity: usize) -> Vec<Block> {
        vec![Block { newest: i64::MIN, has_runs: false }; capacity.div_ceil(BLOCK)]
    }

    /// Notes that an entry is about to be stored there, as the newest.
    #[inline]
    pub(super) fn note(&mut self, at: usize, time: i64, is_in_run: bool) {
        // The oldest entries may be at the end of the same block.
        let is_new =
            self.len == 0 || (at.is_multiple_of(BLOCK) && self.tail_at() / BLOCK != at / BLOCK);
        let block = &mut self.blocks[at / BLOCK];
        if is_new {
            *block = Block { newest: time, has_runs: is_in_run };
        } else {
            block.newest = block.newest.max(time);
            block.has_runs |= is_in_run;
        }
    }

    /// Notes that an entry is now in a run.
    pub(super) fn note_run(&mut self, at: usize) {
        self.blocks[at / BLOCK].has_runs = true;
    }

    /// Notes everything anew.
    pub(super) fn note_all(&mut self) {
        self.blocks = Log::blocks(self.hot.len());
        for offset in 0..self.len {
            let at = self.at_offset(offset);
            let block = &mut self.blocks[at / BLOCK];
            block.newest = block.newest.max(self.cold[at].time);
            block.has_runs |= self.hot[at].is_in_run();
        }
    }

    /// Forgets the oldest arrivals, up to the first that is later than `time`. Where there are many,
    /// what is left of that one's block may stay, unless all of it is asked for.
    pub(super) fn forget_until(&mut self, time: i64, all: bool) {
        while self.len > 0 {
            let tail = self.tail_at();
            let block = self.blocks[tail / BLOCK];
            if block.newest <= time && !block.has_runs {
                let end = (tail - tail % BLOCK + BLOCK).min(self.hot.len());
                self.len -= self.len.min(end - tail);
                continue;
            }
            let is_exact = all || block.newest <= time || self.len < FEW * BLOCK;
            if !is_exact || self.cold[tail].time > time {
                break;
            }
            if let Kin::Run(run) = self.hot[tail].kin() {
                self.pop_from_run(run);
            }
            self.len -= 1;
        }
    }
}
