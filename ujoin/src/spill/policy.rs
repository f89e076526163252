//! Which tuples go to disk.

use std::cmp::Reverse;

use crate::engine::Shard;
use crate::{Policy, Probability, SlotProbability, Tuple};

/// Chooses by a policy; counts what the policy wants to know.
#[derive(Debug)]
pub(crate) struct Selector {
    policy: Policy,
    slots: u64,
    /// Of each slot, how many tuples there have been; empty if nobody asks.
    seen: Vec<u64>,
    total: u64,
}

/// What part of its tuples a shard gives up.
#[derive(Clone, Copy, Debug)]
enum Choice {
    All,
    /// The smaller half of each list stays.
    Halves,
    /// What is unlikely by its slot and itself.
    Unlikely,
    /// What is less probable than this, and so many of those that are just as probable.
    Below(Probability, usize),
}

impl Selector {
    pub(crate) fn new(policy: Policy, slots: usize) -> Selector {
        let measured =
            matches!(&policy, Policy::LessThanProbability { slots: SlotProbability::Measured, .. });
        let seen = if measured { vec![0; slots] } else { Vec::new() };
        Selector { policy, slots: slots as u64, seen, total: 0 }
    }

    #[inline]
    pub(crate) fn count(&mut self, tuple: &Tuple) {
        if !self.seen.is_empty() {
            let slot = self.slot(tuple.key);
            self.seen[slot] += 1;
            self.total += 1;
        }
    }

    /// The counters, to be kept for a later run.
    pub(crate) fn seen(&self) -> &[u64] {
        &self.seen
    }

    /// Takes up the counters of an earlier run.
    pub(crate) fn restore(&mut self, seen: impl Iterator<Item = u64>) {
        for (count, before) in self.seen.iter_mut().zip(seen) {
            *count = before;
            self.total += before;
        }
    }

    fn slot(&self, key: u64) -> usize {
        (key % self.slots) as usize
    }

    /// The probability of a slot, in billionths.
    fn slot_probability(&self, given: &SlotProbability, key: u64) -> u64 {
        let one = u64::from(Probability::ONE.nanos());
        match given {
            SlotProbability::One => one,
            SlotProbability::Given(slots) => {
                let slot = self.slot(key);
                let found = slots.iter().find(|(number, _)| *number == slot);
                found.map_or(one, |(_, probability)| u64::from(probability.nanos()))
            }
            SlotProbability::Measured => {
                let share = u128::from(self.seen[self.slot(key)]) * u128::from(self.slots);
                let scaled = share * u128::from(one) / u128::from(self.total.max(1));
                u64::try_from(scaled).unwrap_or(one).min(one)
            }
        }
    }

    fn is_unlikely(&self, tuple: &Tuple) -> bool {
        match &self.policy {
            Policy::LessThanProbability { probability, slots, .. } => {
                let slot = self.slot_probability(slots, tuple.key);
                slot * u64::from(tuple.probability.nanos()) <= probability.units()
            }
            _ => false,
        }
    }

    /// What is to go, given all tuples in memory.
    fn choose(&self, shards: &[&mut dyn Shard]) -> Choice {
        let tuples =
            || shards.iter().flat_map(|shard| shard.handles().into_iter().map(|h| shard.get(h)));
        let window: usize = shards.iter().map(|shard| shard.resident()).sum();
        match &self.policy {
            Policy::WindowHalf => Choice::Halves,
            Policy::LessThanProbability { share, .. } => {
                let written = tuples().filter(|tuple| self.is_unlikely(tuple)).count();
                let too_few = (written as u128) * u128::from(*share) < window as u128;
                if too_few { Choice::All } else { Choice::Unlikely }
            }
            Policy::Quantile => {
                let mut all: Vec<Probability> = tuples().map(|tuple| tuple.probability).collect();
                if all.is_empty() {
                    return Choice::All;
                }
                let wanted = window.div_ceil(4);
                let (below, bound, _) = all.select_nth_unstable(wanted - 1);
                let less = below.iter().filter(|probability| **probability < *bound).count();
                Choice::Below(*bound, wanted - less)
            }
        }
    }

    /// The handles of a shard's tuples that are to go, ascending. `left` is how many there may still
    /// be of those at the bound.
    fn chosen(&self, shard: &dyn Shard, choice: Choice, left: &mut usize) -> Vec<u32> {
        let mut handles = shard.handles();
        match choice {
            Choice::All => {}
            Choice::Halves => {
                let list = |tuple: &Tuple| (tuple.stream, self.slot(tuple.key));
                handles.sort_unstable_by_key(|&handle| {
                    let tuple = shard.get(handle);
                    (list(&tuple), Reverse(tuple.probability), tuple.seq)
                });
                let same = |a: &u32, b: &u32| list(&shard.get(*a)) == list(&shard.get(*b));
                let halves = handles.chunk_by(same);
                handles = halves.flat_map(|half| &half[half.len() / 2..]).copied().collect();
                handles.sort_unstable();
            }
            Choice::Unlikely => handles.retain(|&handle| self.is_unlikely(&shard.get(handle))),
            Choice::Below(bound, _) => handles.retain(|&handle| {
                let probability = shard.get(handle).probability;
                let tied = probability == bound && *left > 0;
                *left -= usize::from(tied);
                probability < bound || tied
            }),
        }
        handles
    }
}

/// The handles of the tuples that are to go, for each shard.
pub(crate) fn select(selector: &Selector, shards: &[&mut dyn Shard]) -> Vec<Vec<u32>> {
    let choice = selector.choose(shards);
    let mut left = if let Choice::Below(_, tied) = choice { tied } else { 0 };
    shards.iter().map(|shard| selector.chosen(&**shard, choice, &mut left)).collect()
}
