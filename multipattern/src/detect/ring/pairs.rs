//! Shared blocks of a ring: all pairs `SEQ(a, b)` among its events, found once for every pattern that
//! has them before its last operand.
//!
//! A block is sorted, so what may follow an event is the rest of its list. It is valid until the next
//! event of its last class, since others can begin pairs, but not complete them.

use super::{highest, highest_bit};
use crate::heap::heap;

/// So many rows are written at once, needed or not: most lists are short, and where they end cannot
/// be foreseen.
const AT_ONCE: usize = 4;

/// The pairs of two classes.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    /// The rows; so many count as `length` says.
    rows: Vec<[u64; 2]>,
    length: usize,
    /// By the slot of the first event: where the pairs that begin with it begin.
    slots: [u16; 64],
    /// The slot of the last event that begins a pair.
    latest: u32,
    /// How many events of the last class there had been.
    made_for: u64,
}

/// The pairs to be read.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) rows: &'a [[u64; 2]],
    pub(super) slots: &'a [u16; 64],
}

impl<'a> Rows<'a> {
    /// The pairs that begin with the event in a slot, or later; something follows that event.
    #[inline(always)]
    pub(super) fn from(&self, slot: u32) -> &'a [[u64; 2]] {
        &self.rows[self.slots[slot as usize & 63] as usize..]
    }
}

impl Default for Pairs {
    fn default() -> Self {
        Pairs { rows: Vec::new(), length: 0, slots: [0; 64], latest: 0, made_for: u64::MAX }
    }
}

impl Pairs {
    /// Whether it is valid after so many events of its last class.
    #[inline]
    pub(super) fn is_for(&self, total: u64) -> bool {
        self.made_for == total
    }

    /// Makes the pairs of the events of two words, whose lowest bit stands for the event with an index
    /// in the stream, in a slot.
    pub(super) fn make(&mut self, words: [u64; 2], row: u64, slot: u32, total: u64) {
        self.made_for = total;
        self.length = 0;
        let [first, second] = words;
        if second == 0 {
            return;
        }
        let mut firsts = first & (highest(second) - 1);
        self.latest = slot.wrapping_add(highest_bit(firsts)) & 63;
        let most = firsts.count_ones() as usize * second.count_ones() as usize + AT_ONCE;
        if self.rows.len() < most {
            self.rows.resize(most * 2, [0; 2]);
        }
        let mut length = 0;
        while firsts != 0 {
            let bit = firsts.trailing_zeros();
            firsts &= firsts - 1;
            self.slots[(slot + bit) as usize & 63] = length as u16;
            let behind = second & (!1 << bit);
            let mut rest = behind;
            let mut at = length;
            while rest != 0 {
                for to in &mut self.rows[at..at + AT_ONCE] {
                    // The highest bit is the current event, which is in neither word.
                    let end = (rest | 1 << 63).trailing_zeros();
                    rest &= rest.wrapping_sub(1);
                    *to = [row.wrapping_add(u64::from(bit)), row.wrapping_add(u64::from(end))];
                }
                at += AT_ONCE;
            }
            length += behind.count_ones() as usize;
        }
        self.length = length;
    }

    #[inline]
    pub(super) fn rows(&self) -> Rows<'_> {
        Rows { rows: &self.rows[..self.length], slots: &self.slots }
    }

    /// The events that an operand before a pair may have; the lowest bit stands for the event in a
    /// slot. There must be a pair.
    #[inline]
    pub(super) fn before(&self, slot: u32) -> u64 {
        (1 << (self.latest.wrapping_sub(slot) & 63)) - 1
    }

    pub(super) fn forget(&mut self) {
        (self.made_for, self.length) = (u64::MAX, 0);
    }

    pub(super) fn len(&self) -> usize {
        self.length
    }
}

heap! {
    Pairs { rows }
}
