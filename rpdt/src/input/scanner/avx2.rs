//! Thirty-two bytes at a time with AVX2.
#![allow(unsafe_code, reason = "loads of vectors, and code for a processor that was asked first")]

use std::arch::x86_64::{
    __m256i, _mm_cvtsi128_si64, _mm_unpackhi_epi64, _mm_xor_si128, _mm256_and_si256,
    _mm256_andnot_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8,
    _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_or_si256,
    _mm256_set1_epi8, _mm256_setr_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_srli_epi16, _mm256_storeu_si256, _mm256_testz_si256, _mm256_xor_si256, _pext_u64,
};

use super::super::TagHandler;
use super::super::body::Body;
use super::map::{BLOCK, Map, Places};
use super::skim::{BEHIND, Course, Marks, Skim, Verdict, ends_of_tags};
use super::swar::last_of_plane;
use super::vector::{Vectors, WIDTH, mixed};
use crate::Error;

/// Who has one knows that this machine can do it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2(());

impl Avx2 {
    /// `None` if this machine cannot do it.
    pub(super) fn new() -> Option<Self> {
        let is_there = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        is_there.then_some(Avx2(()))
    }

    /// The hot path, made of the instructions that this machine has.
    #[inline]
    pub(super) fn scan<H: TagHandler>(
        self,
        body: &mut Body,
        map: &mut Map,
        bytes: &[u8],
        at: usize,
        handler: &mut H,
    ) -> Result<usize, Error> {
        // SAFETY: `Avx2::new` has asked for all of the function's features; nobody else makes one.
        unsafe { scan_avx2(self, body, map, bytes, at, handler) }
    }

    /// See [`swar::less`](super::swar::less).
    pub(super) fn less(self, bytes: &[[u8; BLOCK]], first: usize, found: &mut Places) {
        // SAFETY: as above.
        unsafe { less_avx2(bytes, first, found) }
    }

    /// See [`swar::suspects`](super::swar::suspects).
    pub(super) fn suspects(self, bytes: &[[u8; BLOCK]], first: usize, found: &mut Places) -> bool {
        // SAFETY: as above.
        unsafe { suspects_avx2(bytes, first, found) }
    }

    /// Passes over as many blocks as can be passed over at once.
    pub(super) fn skim(self, skim: &mut Skim, bytes: &[u8]) -> usize {
        // SAFETY: as above.
        unsafe { skim_avx2(skim, bytes) }
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn scan_avx2<H: TagHandler>(
    avx2: Avx2,
    body: &mut Body,
    map: &mut Map,
    bytes: &[u8],
    at: usize,
    handler: &mut H,
) -> Result<usize, Error> {
    body.scan_with(avx2, map, bytes, at, handler)
}

impl Vectors for Avx2 {
    type Word = __m256i;

    #[inline(always)]
    fn load(self, bytes: &[u8; WIDTH]) -> __m256i {
        // SAFETY: as above.
        unsafe { load(bytes) }
    }

    #[inline(always)]
    fn store(self, word: __m256i) -> [u8; WIDTH] {
        let mut bytes = [0; WIDTH];
        // SAFETY: as above, and there are 32 bytes to write to; unaligned stores may start anywhere.
        unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast::<__m256i>(), word) };
        bytes
    }

    #[inline(always)]
    fn name_len(self, word: __m256i) -> usize {
        // SAFETY: as above.
        unsafe { name_len_avx2(word) }
    }

    #[inline(always)]
    fn up_to(self, word: __m256i, place: usize) -> __m256i {
        // SAFETY: as above.
        unsafe { up_to_avx2(word, place) }
    }

    #[inline(always)]
    fn hash(self, word: __m256i) -> u64 {
        // SAFETY: as above.
        unsafe { hash_avx2(word) }
    }

    #[inline(always)]
    fn is(self, word: __m256i, bytes: &[u8; WIDTH]) -> bool {
        // SAFETY: as above.
        unsafe { is_avx2(word, bytes) }
    }

    #[inline(always)]
    fn agree(self, word: __m256i, bytes: &[u8; WIDTH]) -> usize {
        // SAFETY: as above.
        unsafe { agree_avx2(word, bytes) }
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn load(bytes: &[u8; WIDTH]) -> __m256i {
    // SAFETY: there are 32 bytes, and unaligned loads may start anywhere.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast::<__m256i>()) }
}

/// The bytes that end names have different lower halves: at each of those, that byte.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn ends() -> __m256i {
    const NO: i8 = -1;
    _mm256_setr_epi8(
        0x20, NO, NO, NO, NO, NO, NO, NO, NO, 0x09, 0x0A, NO, NO, 0x0D, 0x3E, 0x2F, //
        0x20, NO, NO, NO, NO, NO, NO, NO, NO, 0x09, 0x0A, NO, NO, 0x0D, 0x3E, 0x2F,
    )
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn name_len_avx2(word: __m256i) -> usize {
    // Bytes with the highest bit become zero, which they are not.
    let found = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(ends(), word), word);
    let found = _mm256_movemask_epi8(found) as u32;
    (u64::from(found) | 1 << WIDTH).trailing_zeros() as usize
}

/// Ones, then zeros.
static STEP: [u8; 2 * WIDTH + 1] = {
    let mut step = [0; 2 * WIDTH + 1];
    let mut at = 0;
    while at < WIDTH + 1 {
        step[at] = 0xFF;
        at += 1;
    }
    step
};

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn up_to_avx2(word: __m256i, place: usize) -> __m256i {
    let from = WIDTH - place.min(WIDTH);
    match STEP[from..].first_chunk() {
        Some(mask) => _mm256_and_si256(word, load(mask)),
        None => word,
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn hash_avx2(word: __m256i) -> u64 {
    let half = _mm_xor_si128(_mm256_castsi256_si128(word), _mm256_extracti128_si256::<1>(word));
    let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(half, half));
    mixed(_mm_cvtsi128_si64(half) as u64, high as u64)
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn is_avx2(word: __m256i, bytes: &[u8; WIDTH]) -> bool {
    let differ = _mm256_xor_si256(word, load(bytes));
    _mm256_testz_si256(differ, differ) == 1
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn agree_avx2(word: __m256i, bytes: &[u8; WIDTH]) -> usize {
    let same = _mm256_movemask_epi8(_mm256_cmpeq_epi8(word, load(bytes))) as u32;
    (!same).trailing_zeros() as usize
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn less_avx2(bytes: &[[u8; BLOCK]], first: usize, found: &mut Places) {
    for (block, bytes) in (first..).zip(bytes) {
        found.add(block, equal(load_block(bytes), b'<'));
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn suspects_avx2(bytes: &[[u8; BLOCK]], first: usize, found: &mut Places) -> bool {
    let mut others = false;
    for (block, bytes) in (first..).zip(bytes) {
        let halves = load_block(bytes);
        let mut word = gather(halves.map(|half| suspects(half)));
        let both = _mm256_or_si256(halves[0], halves[1]);
        if _mm256_testz_si256(both, _mm256_set1_epi8(i8::MIN)) == 0 {
            word |= last_of_plane(equal(halves, 0xEF), equal(halves, 0xBF));
            others = true;
        }
        found.add(block, word);
    }
    others
}

/// Ones at each byte that is a control character but white space, `<`, `&` or `]`: a set of bits for the lower half of a byte and one for the upper have a bit in common.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn suspects(half: __m256i) -> __m256i {
    // 1: U+0000 to U+000F but white space; 2: U+0010 to U+001F; 4: `&`; 8: `<`; 16: `]`.
    let lower = _mm256_setr_epi8(
        3, 3, 3, 3, 3, 3, 7, 3, 3, 2, 2, 3, 11, 18, 3, 3, //
        3, 3, 3, 3, 3, 3, 7, 3, 3, 2, 2, 3, 11, 18, 3, 3,
    );
    let upper = _mm256_setr_epi8(
        1, 2, 4, 8, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, //
        1, 2, 4, 8, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    );
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(half), _mm256_set1_epi8(0x0F));
    let both = _mm256_and_si256(_mm256_shuffle_epi8(lower, half), _mm256_shuffle_epi8(upper, high));
    _mm256_cmpgt_epi8(both, _mm256_setzero_si256())
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn skim_avx2(skim: &mut Skim, bytes: &[u8]) -> usize {
    // A copy, so that it is held in registers.
    let mut state = *skim;
    let mut done = 0;
    'blocks: loop {
        // Two blocks at once, as long as they can be passed over by counting.
        let mut rest = &bytes[done..];
        while let Some(pair) = rest.first_chunk::<{ 2 * BLOCK + BEHIND }>() {
            let [first, second] = blocks(pair);
            let others = _mm256_or_si256(first.others(), second.others());
            if _mm256_testz_si256(others, others) == 0 {
                break;
            }
            let (a, b) = (first.marks(), second.marks());
            let mut close = [a.close, b.close];
            let mut changes = [a.less, b.less];
            let at = bytes.len() - rest.len();
            if a.slash != 0 {
                let ends = ends_avx2(bytes, (at, state.last), &a);
                close[0] |= ends;
                changes[0] |= ends;
            }
            if b.slash != 0 {
                let last = if a.less == 0 { state.last } else { (at, BLOCK) };
                let ends = ends_avx2(bytes, (at + BLOCK, last), &b);
                close[1] |= ends;
                changes[1] |= ends;
            }
            let first = Course::new(_pext_u64(close[0], changes[0]), changes[0]);
            let second = Course::new(_pext_u64(close[1], changes[1]), changes[1]);
            if !state.passes(first.then(second), a.less | b.less != 0, at, 2 * BLOCK) {
                break;
            }
            rest = &rest[2 * BLOCK..];
        }
        done = bytes.len() - rest.len();
        for _ in 0..2 {
            let Some(two) = bytes[done..].first_chunk::<{ BLOCK + BEHIND }>() else {
                break 'blocks;
            };
            let (Some(block), Some(next)) = (two.first_chunk(), two[1..].first_chunk()) else {
                break 'blocks;
            };
            let found = Found::of(load_block(block), load_block(next));
            let marks = Marks { other: gather(found.other), ..found.marks() };
            let ends = |place, marks: &Marks| ends_avx2(bytes, place, marks);
            let order = |bits, mask| _pext_u64(bits, mask);
            match state.block(&marks, ends, order, done) {
                Verdict::Passed => done += BLOCK,
                Verdict::Look => break 'blocks,
                Verdict::Ends(at) => {
                    state.end = Some(done + at);
                    break 'blocks;
                }
            }
        }
    }
    *skim = state;
    done
}

/// See [`ends_of_tags`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn ends_avx2(bytes: &[u8], place: (usize, (usize, usize)), marks: &Marks) -> u64 {
    ends_of_tags(|block, byte| equal(load_block(block), byte), bytes, place, marks)
}

/// What is where in a block, bytes being all ones there.
#[derive(Clone, Copy)]
struct Found {
    less: [__m256i; 2],
    /// A `/` is one byte further on.
    slash: [__m256i; 2],
    /// See [`Marks::other`].
    other: [__m256i; 2],
}

impl Found {
    /// `next`: the block that begins one byte later.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline]
    fn of(block: [__m256i; 2], next: [__m256i; 2]) -> Self {
        let [low, high] = [half(block[0], next[0]), half(block[1], next[1])];
        Found { less: [low.0, high.0], slash: [low.1, high.1], other: [low.2, high.2] }
    }

    /// Without [`Marks::other`].
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline]
    fn marks(&self) -> Marks {
        let (less, slash) = (gather(self.less), gather(self.slash));
        Marks { less, close: less & slash, other: 0, slash: slash & !less }
    }

    /// Not all zeros if there is other markup.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline]
    fn others(&self) -> __m256i {
        _mm256_or_si256(self.other[0], self.other[1])
    }
}

/// The same for half a block.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn half(half: __m256i, next: __m256i) -> (__m256i, __m256i, __m256i) {
    let less = _mm256_cmpeq_epi8(half, _mm256_set1_epi8(b'<' as i8));
    let slash = _mm256_cmpeq_epi8(next, _mm256_set1_epi8(b'/' as i8));
    // Of what is not above `?`, only `/` begins no other markup.
    let above = _mm256_cmpgt_epi8(next, _mm256_set1_epi8(b'?' as i8));
    let other = _mm256_andnot_si256(_mm256_or_si256(above, slash), less);
    (less, slash, other)
}

/// Two blocks, of which the byte behind is there, too.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn blocks(bytes: &[u8; 2 * BLOCK + BEHIND]) -> [Found; 2] {
    // SAFETY: a load of 32 bytes that begins at byte 97 or before ends within the 130 bytes, and
    // unaligned loads may start anywhere.
    let at = |from: usize| unsafe {
        debug_assert!(from <= 97);
        _mm256_loadu_si256(bytes.as_ptr().add(from).cast::<__m256i>())
    };
    [Found::of([at(0), at(32)], [at(1), at(33)]), Found::of([at(64), at(96)], [at(65), at(97)])]
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn load_block(bytes: &[u8; BLOCK]) -> [__m256i; 2] {
    let (low, high) = bytes.split_at(BLOCK / 2);
    // SAFETY: each half is 32 bytes long, and unaligned loads may start anywhere.
    unsafe {
        [
            _mm256_loadu_si256(low.as_ptr().cast::<__m256i>()),
            _mm256_loadu_si256(high.as_ptr().cast::<__m256i>()),
        ]
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn gather(halves: [__m256i; 2]) -> u64 {
    let [low, high] = halves.map(|half| _mm256_movemask_epi8(half) as u32);
    u64::from(low) | u64::from(high) << 32
}

/// Where a byte is.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn equal(block: [__m256i; 2], byte: u8) -> u64 {
    let byte = _mm256_set1_epi8(byte as i8);
    gather(block.map(|half| _mm256_cmpeq_epi8(half, byte)))
}
