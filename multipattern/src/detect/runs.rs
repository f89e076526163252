//! Chains under `next`, each with the events it has: one begins with every event that fits the first
//! operand, and moves on with the first event that fits the next one.

use super::arrival::Arrival;
use super::catalog::Live;
use super::history::History;
use super::output::{Level, Out, Sink};
use crate::heap::heap;

/// The chains of one pattern.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    /// By number of events less one: the serials of chains, one after the other.
    stages: Vec<Vec<u64>>,
    /// Chains that ended with the current event.
    ended: Vec<u64>,
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moved {
    pub(crate) began: u64,
    pub(crate) checked: u64,
    pub(crate) expired: u64,
}

impl Runs {
    /// Shows an event to the chains that wait for it. `positions` are those that it fits, the last
    /// one first.
    pub(crate) fn step(
        &mut self,
        live: &Live,
        positions: impl Iterator<Item = usize>,
        history: &History,
        arrival: &Arrival<'_>,
        low: u64,
    ) -> Moved {
        let length = live.len();
        self.stages.resize_with(length - 1, Vec::new);
        self.ended.clear();
        let mut moved = Moved::default();
        for position in positions {
            if position == 0 {
                if arrival.serial >= low {
                    moved.began += 1;
                    match self.stages.first_mut() {
                        Some(first) => first.push(arrival.serial),
                        None => self.ended.push(arrival.serial),
                    }
                }
                continue;
            }
            let (before, behind) = self.stages.split_at_mut(position);
            let waiting = &mut before[position - 1];
            let target = behind.first_mut().unwrap_or(&mut self.ended);
            let checks = live.checks_at(position);
            let mut kept = 0;
            for at in (0..waiting.len()).step_by(position) {
                let run = at..at + position;
                if waiting[at] < low {
                    moved.expired += 1;
                    continue;
                }
                moved.checked += 1;
                let fits = checks
                    .iter()
                    .all(|check| history.holds(check, arrival.serial, waiting[at + check.earlier]));
                if fits {
                    target.extend_from_slice(&waiting[run]);
                    target.push(arrival.serial);
                } else {
                    waiting.copy_within(run, kept);
                    kept += position;
                }
            }
            waiting.truncate(kept);
        }
        moved
    }

    /// Reports the chains that the current event ended.
    pub(crate) fn deliver<S: Sink>(
        &mut self,
        live: &Live,
        history: &History,
        arrival: &Arrival<'_>,
        out: &mut Out<'_, S>,
    ) {
        let length = live.len();
        let matches = self.ended.len() / length;
        if matches == 0 || out.stopped {
            return;
        }
        if out.level == Level::Count {
            out.count(live.number, arrival.row, matches as u64);
            return;
        }
        let mut order: Vec<&[u64]> = self.ended.chunks_exact(length).collect();
        if !order.is_sorted() {
            order.sort_unstable();
        }
        out.begin(length, arrival.row);
        for run in order {
            for (row, serial) in out.buffer.iter_mut().zip(run) {
                *row = history.entry(*serial).row;
            }
            out.single(live.number);
            if out.stopped {
                return;
            }
        }
    }

    /// How many chains there are.
    pub(crate) fn len(&self) -> usize {
        self.stages.iter().enumerate().map(|(at, stage)| stage.len() / (at + 1)).sum()
    }
}

heap! {
    Runs { stages, ended }
}
