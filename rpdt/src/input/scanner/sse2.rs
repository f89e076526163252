//! Sixteen bytes at a time with SSE2, which every processor of this kind has.
#![allow(unsafe_code, reason = "instructions that the compiler takes for granted here")]

use std::arch::x86_64::{
    __m128i, _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x,
    _mm_set1_epi8, _mm_sub_epi8,
};

/// See [`name`](super::name).
#[inline(always)]
pub(super) fn first_of(bytes: &[u8; 16]) -> usize {
    // SAFETY: x86_64 without SSE2 does not exist; the function does not touch memory.
    unsafe { first_of_sse2(u128::from_le_bytes(*bytes)) }
}

/// Where a byte is.
#[inline(always)]
pub(super) fn equal(bytes: &[u8; 16], byte: u8) -> u32 {
    // SAFETY: as above.
    unsafe { equal_sse2(u128::from_le_bytes(*bytes), byte) }
}

/// Where a letter is.
#[inline(always)]
pub(super) fn letters(bytes: &[u8; 16]) -> u32 {
    // SAFETY: as above.
    unsafe { letters_sse2(u128::from_le_bytes(*bytes)) }
}

/// Where `<`, `>` or a quote is.
#[inline(always)]
pub(super) fn delimiters(bytes: &[u8; 16]) -> u32 {
    // SAFETY: as above.
    unsafe { delimiters_sse2(u128::from_le_bytes(*bytes)) }
}

/// Where the highest bit of a byte is set.
#[inline(always)]
pub(super) fn tops(bytes: &[u8; 16]) -> u32 {
    // SAFETY: as above.
    unsafe { tops_sse2(u128::from_le_bytes(*bytes)) }
}

#[target_feature(enable = "sse2")]
#[inline]
fn block(word: u128) -> __m128i {
    _mm_set_epi64x((word >> 64) as i64, word as i64)
}

#[target_feature(enable = "sse2")]
#[inline]
fn equal_sse2(word: u128, byte: u8) -> u32 {
    _mm_movemask_epi8(_mm_cmpeq_epi8(block(word), _mm_set1_epi8(byte as i8))) as u32
}

#[target_feature(enable = "sse2")]
#[inline]
fn letters_sse2(word: u128) -> u32 {
    let lower = _mm_or_si128(block(word), _mm_set1_epi8(0x20));
    let from_a = _mm_sub_epi8(lower, _mm_set1_epi8(b'a' as i8));
    _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(from_a, _mm_set1_epi8(25)), from_a)) as u32
}

#[target_feature(enable = "sse2")]
#[inline]
fn delimiters_sse2(word: u128) -> u32 {
    let block = block(word);
    let equal = |byte: u8| _mm_cmpeq_epi8(block, _mm_set1_epi8(byte as i8));
    let quotes = _mm_or_si128(equal(b'"'), equal(b'\''));
    _mm_movemask_epi8(_mm_or_si128(quotes, _mm_or_si128(equal(b'<'), equal(b'>')))) as u32
}

#[target_feature(enable = "sse2")]
#[inline]
fn tops_sse2(word: u128) -> u32 {
    _mm_movemask_epi8(block(word)) as u32
}

#[target_feature(enable = "sse2")]
#[inline]
fn first_of_sse2(word: u128) -> usize {
    let block = block(word);
    let byte = |byte: u8| _mm_set1_epi8(byte as i8);
    let space = _mm_cmpeq_epi8(_mm_min_epu8(block, byte(b' ')), block);
    let slash = _mm_cmpeq_epi8(block, byte(b'/'));
    let more = _mm_cmpeq_epi8(block, byte(b'>'));
    let found = _mm_or_si128(space, _mm_or_si128(slash, more));
    (_mm_movemask_epi8(found) as u32 | 1 << 16).trailing_zeros() as usize
}
