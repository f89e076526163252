//! What the hot path does with the first bytes of a name at once, whatever the instructions.

use super::name::{ends_name, mismatches};

/// Bytes that are looked at at once: a name and what ends it.
pub(super) const WIDTH: usize = 32;

/// A set of instructions that this machine has.
pub(super) trait Vectors: Copy {
    /// Bytes in registers.
    type Word: Copy;

    fn load(self, bytes: &[u8; WIDTH]) -> Self::Word;

    fn store(self, word: Self::Word) -> [u8; WIDTH];

    /// How many bytes stand before the first white space, `/` or `>` (or other byte that is no part
    /// of a name); [`WIDTH`] if there is none.
    fn name_len(self, word: Self::Word) -> usize;

    /// The first bytes up to the one at a place, and zeros behind them; all of them if the place is
    /// [`WIDTH`].
    fn up_to(self, word: Self::Word, place: usize) -> Self::Word;

    /// A number that depends on all bytes. What matters is in its upper bits.
    fn hash(self, word: Self::Word) -> u64;

    fn is(self, word: Self::Word, bytes: &[u8; WIDTH]) -> bool;

    /// How many bytes, from the first on, are the same.
    fn agree(self, word: Self::Word, bytes: &[u8; WIDTH]) -> usize;
}

/// Mixes the halves of 128 bits.
#[inline(always)]
pub(super) fn mixed(low: u64, high: u64) -> u64 {
    (low ^ high.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Instructions that every machine of this kind has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain;

/// A word whose first bytes, up to the one at each place, are ones.
static MASKS: [u128; 17] = {
    let mut masks = [u128::MAX; 17];
    let mut place = 0;
    while place < 15 {
        masks[place] = !(u128::MAX << (8 * (place + 1)));
        place += 1;
    }
    masks
};

/// The halves.
#[inline(always)]
fn halves(bytes: &[u8; WIDTH]) -> (&[u8; 16], &[u8; 16]) {
    const NONE: &[u8; 16] = &[0; 16];
    let (low, high) = bytes.split_at(16);
    (low.first_chunk().unwrap_or(NONE), high.first_chunk().unwrap_or(NONE))
}

impl Vectors for Plain {
    type Word = [u8; WIDTH];

    #[inline(always)]
    fn load(self, bytes: &[u8; WIDTH]) -> [u8; WIDTH] {
        *bytes
    }

    #[inline(always)]
    fn store(self, word: [u8; WIDTH]) -> [u8; WIDTH] {
        word
    }

    #[inline(always)]
    fn name_len(self, word: [u8; WIDTH]) -> usize {
        let (low, high) = halves(&word);
        match ends_name(low) {
            16 => 16 + ends_name(high),
            len => len,
        }
    }

    #[inline(always)]
    fn up_to(self, word: [u8; WIDTH], place: usize) -> [u8; WIDTH] {
        let (low, high) = halves(&word);
        let (mut low, mut high) = (u128::from_le_bytes(*low), u128::from_le_bytes(*high));
        if place < 16 {
            low &= MASKS[place % 16];
            high = 0;
        } else {
            high &= MASKS[(place - 16).min(16)];
        }
        let mut word = [0; WIDTH];
        word[..16].copy_from_slice(&low.to_le_bytes());
        word[16..].copy_from_slice(&high.to_le_bytes());
        word
    }

    #[inline(always)]
    fn hash(self, word: [u8; WIDTH]) -> u64 {
        let (low, high) = halves(&word);
        let both = u128::from_le_bytes(*low) ^ u128::from_le_bytes(*high);
        mixed(both as u64, (both >> 64) as u64)
    }

    #[inline(always)]
    fn is(self, word: [u8; WIDTH], bytes: &[u8; WIDTH]) -> bool {
        word == *bytes
    }

    #[inline(always)]
    fn agree(self, word: [u8; WIDTH], bytes: &[u8; WIDTH]) -> usize {
        let ((a, more_a), (b, more_b)) = (halves(&word), halves(bytes));
        match mismatches(a, b) {
            16 => 16 + mismatches(more_a, more_b),
            first => first,
        }
    }
}
