//! What an event has brought about, until it is entered in the buckets.

use super::bucket::{Bucket, Run, find};
use crate::nfa::kinds::bit;
use crate::predicate::register::Register;

/// What an event has brought about, until it is entered in the buckets.
#[derive(Debug)]
pub(crate) struct Harvest {
    /// Runs that wait elsewhere now, and where. None of them sees the event again.
    pub(super) staged: Vec<(u32, Run)>,
    pub(super) registers: Vec<Register>,
    /// Runs that came to another bucket, and which ones: the waits in bits, where each has one.
    pub(super) entered: usize,
    pub(super) entered_in: u64,
    /// Some run holds the event.
    pub(super) kept: bool,
    /// Runs that would have become too long.
    pub(super) too_long: u64,
    /// The registers of a run that has just taken the event.
    pub(super) scratch: Vec<Register>,
}

impl Harvest {
    pub(super) fn new() -> Harvest {
        Harvest {
            staged: Vec::new(),
            registers: Vec::new(),
            entered: 0,
            entered_in: 0,
            kept: false,
            too_long: 0,
            scratch: Vec::new(),
        }
    }

    /// Enters in the buckets what has become of runs.
    #[inline]
    pub(super) fn settle(
        &mut self,
        buckets: &mut Vec<Bucket>,
        matches: &[bool],
        width: usize,
        now: i64,
    ) {
        if !self.staged.is_empty() {
            self.enter(buckets, matches, width, now);
        }
    }

    fn enter(&mut self, buckets: &mut Vec<Bucket>, matches: &[bool], width: usize, now: i64) {
        let mut registers = self.registers.drain(..);
        self.entered += self.staged.len();
        for (wait, mut run) in self.staged.drain(..) {
            self.entered_in |= bit(wait);
            run.matched |= matches[wait as usize];
            run.entered = now;
            find(buckets, wait, width).push(run, registers.by_ref().take(width));
        }
    }

    pub(super) fn stage_made(&mut self, wait: u32, run: Run) {
        self.staged.push((wait, run));
        self.registers.append(&mut self.scratch);
    }

    pub(super) fn stage(&mut self, wait: u32, run: Run, registers: impl Iterator<Item = Register>) {
        self.staged.push((wait, run));
        self.registers.extend(registers);
    }
}
