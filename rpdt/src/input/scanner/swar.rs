//! Bitmaps eight bytes at a time with plain integers: the code for every machine, and what the
//! vector code is tested against.

use super::map::{BLOCK, Places};
use super::skim::{BEHIND, Marks, Skim, Verdict, ends_of_tags};

const ONES: u64 = 0x0101_0101_0101_0101;
const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;

/// The highest bit of every byte that is zero, and no other.
#[inline(always)]
fn zeros(word: u64) -> u64 {
    !(((word & LOW) + LOW) | word | LOW)
}

/// Gathers the highest bits of the bytes into eight bits.
#[inline(always)]
fn gather(tops: u64) -> u64 {
    (tops >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Where bytes are of which `tops` finds the highest bits in a word of eight.
#[inline(always)]
fn bits(bytes: &[u8; BLOCK], tops: impl Fn(u64) -> u64) -> u64 {
    let words = bytes.as_chunks::<8>().0.iter().enumerate();
    words.fold(0, |bits, (i, word)| bits | gather(tops(u64::from_le_bytes(*word))) << (8 * i))
}

fn equal(byte: u8) -> impl Fn(u64) -> u64 {
    move |word| zeros(word ^ (ONES * u64::from(byte)))
}

/// Where `<` is in so many blocks, the first of which is block number `first` of a stretch.
pub(super) fn less(bytes: &[[u8; BLOCK]], first: usize, found: &mut Places) {
    for (block, bytes) in (first..).zip(bytes) {
        found.add(block, bits(bytes, equal(b'<')));
    }
}

/// Where `<` is and what strict checks have to look at in valid UTF-8, likewise. Whether there is
/// anything but ASCII.
pub(super) fn suspects(bytes: &[[u8; BLOCK]], first: usize, found: &mut Places) -> bool {
    let mut others = 0;
    for (block, bytes) in (first..).zip(bytes) {
        let not_ascii = bits(bytes, |word| word & !LOW);
        let last = last_of_plane(bits(bytes, equal(0xEF)), bits(bytes, equal(0xBF)));
        others |= not_ascii;
        found.add(block, bits(bytes, suspect) | last);
    }
    others != 0
}

/// The same in what is not valid UTF-8, or not known to be: each byte that is not ASCII, too.
pub(super) fn all_suspects(bytes: &[[u8; BLOCK]], first: usize, found: &mut Places) {
    for (block, bytes) in (first..).zip(bytes) {
        found.add(block, bits(bytes, |word| suspect(word) | (word & !LOW)));
    }
}

/// Control characters but white space, `<`, `&` and `]`.
#[inline(always)]
fn suspect(word: u64) -> u64 {
    let space = equal(b'\t')(word) | equal(b'\n')(word) | equal(b'\r')(word);
    // Of bytes below 0x80, the highest bit says that they are below 0x20.
    let control = !((word & LOW) + (LOW - ONES * 0x1F)) & !word & !LOW;
    let marks = equal(b'<')(word) | equal(b'&')(word) | equal(b']')(word);
    (control & !space) | marks
}

/// Where U+FFFE or U+FFFF may begin: EF, BF, and a byte that is not looked at. Of the last byte of a
/// block the next is not known.
#[inline(always)]
pub(super) fn last_of_plane(ef: u64, bf: u64) -> u64 {
    ef & (bf >> 1 | 1 << (BLOCK - 1))
}

/// Those of some bits that are in a mask, in the lowest bits.
fn order(bits: u64, mut mask: u64) -> u64 {
    let mut ordered = 0;
    let mut place = 0;
    while mask != 0 {
        let bit = mask & mask.wrapping_neg();
        ordered |= u64::from(bits & bit != 0) << place;
        place += 1;
        mask ^= bit;
    }
    ordered
}

/// Passes over as many blocks as can be passed over at once.
pub(super) fn skim(skim: &mut Skim, bytes: &[u8]) -> usize {
    let mut done = 0;
    while let Some(two) = bytes[done..].first_chunk::<{ BLOCK + BEHIND }>()
        && let (Some(block), Some(next)) = (two.first_chunk(), two[1..].first_chunk())
    {
        let less = bits(block, equal(b'<'));
        let slash = bits(next, equal(b'/'));
        let marks = Marks {
            less,
            close: less & slash,
            other: less & bits(next, |word| equal(b'!')(word) | equal(b'?')(word)),
            slash: slash & !less,
        };
        let ends = |place, marks: &Marks| {
            ends_of_tags(|block, byte| bits(block, equal(byte)), bytes, place, marks)
        };
        match skim.block(&marks, ends, order, done) {
            Verdict::Passed => done += BLOCK,
            Verdict::Look => break,
            Verdict::Ends(at) => {
                skim.end = Some(done + at);
                break;
            }
        }
    }
    done
}
