//! How many matches there are, without finding them.
//!
//! From the operand before the last one back, each event gets the number of ways to go on behind it;
//! what is kept is the sum over it and those behind it. The sums of the two operands before the last
//! one are shared by all patterns that have them there; they are valid until the next event of the
//! second one.

use super::highest;
use crate::heap::heap;

/// How many pairs of events of two classes begin with an event or a later one.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    /// By the slot of the event; something follows it.
    by_slot: [u16; 64],
    /// How many events of the second class there had been.
    made_for: u64,
}

impl Default for Sums {
    fn default() -> Self {
        Sums { by_slot: [0; 64], made_for: u64::MAX }
    }
}

impl Sums {
    /// Whether they are valid after so many events of the second class.
    pub(super) fn is_for(&self, total: u64) -> bool {
        self.made_for == total
    }

    /// Makes those of the events of two words, whose lowest bit stands for an event in a slot.
    pub(super) fn make(&mut self, [first, second]: [u64; 2], slot: u32, total: u64) {
        self.made_for = total;
        if second == 0 {
            return;
        }
        let mut rest = first & (highest(second) - 1);
        let mut sum = 0;
        while rest != 0 {
            let bit = 63 - rest.leading_zeros();
            rest ^= 1 << bit;
            sum += (second & (!1 << bit)).count_ones() as u16;
            self.by_slot[(slot + bit) as usize & 63] = sum;
        }
    }

    pub(super) fn forget(&mut self) {
        self.made_for = u64::MAX;
    }
}

/// How many matches there are with some events of all operands but the last one, each cut off behind
/// the last event that something follows; `sums` are those of the last two, if there are two.
#[inline]
pub(super) fn count(
    words: &[u64],
    slot: u32,
    sums: Option<&Sums>,
    [mut behind, mut own]: [&mut [u64; 64]; 2],
) -> u64 {
    let [before @ .., next, _] = words else {
        return words.first().map_or(1, |word| u64::from(word.count_ones()));
    };
    let sum = |bit: u32| {
        let by_slot = sums.map_or(0, |sums| sums.by_slot[slot.wrapping_add(bit) as usize & 63]);
        u64::from(by_slot)
    };
    let Some((&events, before)) = before.split_last() else {
        return sum(next.trailing_zeros());
    };
    let mut next = *next;
    let mut total = 0_u64;
    let mut rest = events;
    while rest != 0 {
        let bit = 63 - rest.leading_zeros();
        rest ^= 1 << bit;
        total += sum((next & (!1 << bit)).trailing_zeros());
        behind[bit as usize & 63] = total;
    }
    next = events;
    for &events in before.iter().rev() {
        total = 0;
        let mut rest = events;
        while rest != 0 {
            let bit = 63 - rest.leading_zeros();
            rest ^= 1 << bit;
            // Something follows, and the highest bit is the current event.
            let first = (next & (!1 << bit) | 1 << 63).trailing_zeros();
            total = total.saturating_add(behind[first as usize & 63]);
            own[bit as usize & 63] = total;
        }
        std::mem::swap(&mut behind, &mut own);
        next = events;
    }
    total
}

heap! {
    Sums {}
}
