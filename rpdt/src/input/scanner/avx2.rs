//! Bitmaps 64 bytes at a time with AVX2.
#![allow(unsafe_code, reason = "loads of vectors, and code for a processor that was asked first")]

use std::arch::x86_64::{
    __m256i, _mm256_andnot_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_min_epu8,
    _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8,
};

use super::map::BLOCK;
use super::skim::{Marks, Skim};

/// Whether this machine can do it.
pub(super) fn is_there() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("popcnt")
}

/// Where `<` is in so many blocks.
pub(super) fn less(bytes: &[[u8; BLOCK]], into: &mut [u64]) {
    debug_assert!(is_there());
    // SAFETY: a map gets these instructions only after `is_there` has said that they are.
    unsafe { less_avx2(bytes, into) }
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
fn less_avx2(bytes: &[[u8; BLOCK]], into: &mut [u64]) {
    for (bytes, into) in bytes.iter().zip(into) {
        *into = equal(load(bytes), b'<');
    }
}

/// Where strict checks have to look, in so many blocks.
pub(super) fn suspect(bytes: &[[u8; BLOCK]], into: &mut [u64]) {
    debug_assert!(is_there());
    // SAFETY: as above.
    unsafe { suspect_avx2(bytes, into) }
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
fn suspect_avx2(bytes: &[[u8; BLOCK]], into: &mut [u64]) {
    for (bytes, into) in bytes.iter().zip(into) {
        *into = gather(load(bytes).map(|half| suspects(half)));
    }
}

/// The highest bit of each byte that is not ASCII, a control character but white space, `&` or `]`.
#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn suspects(half: __m256i) -> __m256i {
    let byte = |byte: u8| _mm256_set1_epi8(byte as i8);
    let equal = |b: u8| _mm256_cmpeq_epi8(half, byte(b));
    let low = _mm256_cmpeq_epi8(_mm256_min_epu8(half, byte(0x1F)), half);
    let space = _mm256_or_si256(equal(b'\t'), _mm256_or_si256(equal(b'\n'), equal(b'\r')));
    let control = _mm256_andnot_si256(space, low);
    let marks = _mm256_or_si256(equal(b'&'), equal(b']'));
    _mm256_or_si256(half, _mm256_or_si256(control, marks))
}

/// Passes over as many blocks as can be passed over at once.
pub(super) fn skim(skim: &mut Skim, bytes: &[u8]) -> usize {
    debug_assert!(is_there());
    // SAFETY: as above.
    unsafe { skim_avx2(skim, bytes) }
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
fn skim_avx2(skim: &mut Skim, bytes: &[u8]) -> usize {
    // A copy, so that it is held in registers.
    let mut state = *skim;
    let mut done = 0;
    for block in bytes.as_chunks::<BLOCK>().0 {
        let block = load(block);
        let marks = Marks {
            less: equal(block, b'<'),
            more: equal(block, b'>'),
            slash: equal(block, b'/'),
            other: other(block),
        };
        if !state.block(&marks, bytes, done) {
            break;
        }
        done += BLOCK;
    }
    *skim = state;
    done
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn load(bytes: &[u8; BLOCK]) -> [__m256i; 2] {
    let (low, high) = bytes.split_at(BLOCK / 2);
    // SAFETY: each half is 32 bytes long, and unaligned loads may start anywhere.
    unsafe {
        [
            _mm256_loadu_si256(low.as_ptr().cast::<__m256i>()),
            _mm256_loadu_si256(high.as_ptr().cast::<__m256i>()),
        ]
    }
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn gather(halves: [__m256i; 2]) -> u64 {
    let [low, high] = halves.map(|half| _mm256_movemask_epi8(half) as u32);
    u64::from(low) | u64::from(high) << 32
}

/// Where a byte is.
#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn equal(block: [__m256i; 2], byte: u8) -> u64 {
    let byte = _mm256_set1_epi8(byte as i8);
    gather(block.map(|half| _mm256_cmpeq_epi8(half, byte)))
}

/// Where `!` and `?` are.
#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn other(block: [__m256i; 2]) -> u64 {
    let (exclamation, question) = (_mm256_set1_epi8(b'!' as i8), _mm256_set1_epi8(b'?' as i8));
    gather(block.map(|half| {
        _mm256_or_si256(_mm256_cmpeq_epi8(half, exclamation), _mm256_cmpeq_epi8(half, question))
    }))
}
