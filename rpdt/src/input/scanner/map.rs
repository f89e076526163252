//! Where the bytes that matter stand: bitmaps of a stretch of input, made some thousand bytes at a time.

#[cfg(target_arch = "x86_64")]
use super::avx2;
use super::skim::Skim;
use super::swar;

/// Bytes of one word of bits.
pub(super) const BLOCK: usize = 64;
/// Blocks of a stretch: 8 KiB, so that bytes and bits stay in the nearest cache.
const BLOCKS: usize = 128;

/// How bitmaps are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instructions {
    /// Plain integers.
    Swar,
    /// AVX2, of a processor that has it.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

/// The bitmaps of a stretch of a chunk, and a cursor that goes from `<` to `<`.
#[derive(Debug)]
pub(in crate::input) struct Map {
    instructions: Instructions,
    /// `<`.
    less: Box<[u64; BLOCKS]>,
    /// What strict checks have to look at: characters that are not ASCII, or that XML may forbid,
    /// `&` and `]`. Only if there are strict checks.
    suspect: Option<Box<[u64; BLOCKS]>>,
    /// Where in the chunk the stretch is; a multiple of [`BLOCK`].
    from: usize,
    /// One past its last byte, or the end of the block in which the chunk ends.
    to: usize,
    /// The block that the cursor is in: where it begins, and the bits from the cursor on.
    base: usize,
    word: u64,
}

impl Map {
    fn new(instructions: Instructions) -> Self {
        let less = Box::new([0; BLOCKS]);
        Map { instructions, less, suspect: None, from: 0, to: 0, base: 0, word: 0 }
    }

    /// Looks for what strict checks have to look at, too.
    pub(in crate::input) fn suspects(&mut self) {
        self.suspect = Some(Box::new([0; BLOCKS]));
    }

    /// With the best instructions that this machine has.
    pub(in crate::input) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if avx2::is_there() {
            return Map::new(Instructions::Avx2);
        }
        Map::portable()
    }

    /// With instructions that every machine has.
    pub(in crate::input) fn portable() -> Self {
        Map::new(Instructions::Swar)
    }

    /// Another chunk is looked at.
    pub(in crate::input) fn forget(&mut self) {
        (self.from, self.to) = (0, 0);
    }

    /// Looks at the stretch that a place of the chunk is in. Bytes behind the end of the chunk have
    /// no bits.
    #[cold]
    #[inline(never)]
    fn fill(&mut self, bytes: &[u8], at: usize) {
        self.from = at / BLOCK * BLOCK;
        let rest = &bytes[self.from..];
        let rest = &rest[..rest.len().min(BLOCKS * BLOCK)];
        let (whole, tail) = rest.as_chunks::<BLOCK>();
        self.fill_blocks(whole, 0);
        self.to = self.from + whole.len() * BLOCK;
        if !tail.is_empty() {
            let mut last = [0; BLOCK];
            last[..tail.len()].copy_from_slice(tail);
            self.fill_blocks(&[last], whole.len());
            self.to += BLOCK;
        }
    }

    fn fill_blocks(&mut self, bytes: &[[u8; BLOCK]], at: usize) {
        let range = at..at + bytes.len();
        let into = &mut self.less[range.clone()];
        match self.instructions {
            Instructions::Swar => swar::less(bytes, into),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => avx2::less(bytes, into),
        }
        let Some(suspect) = &mut self.suspect else { return };
        let into = &mut suspect[range];
        match self.instructions {
            Instructions::Swar => swar::suspect(bytes, into),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => avx2::suspect(bytes, into),
        }
    }

    /// Certainly there is nothing from one place to another that strict checks have to look at.
    #[inline(always)]
    pub(super) fn is_clean(&self, from: usize, to: usize) -> bool {
        let Some(suspect) = &self.suspect else { return false };
        if from < self.from || to > self.to || from >= to {
            return from >= to;
        }
        let (first, last) = ((from - self.from) / BLOCK, (to - 1 - self.from) / BLOCK);
        let head = u64::MAX << (from % BLOCK);
        let tail = u64::MAX >> (BLOCK - 1 - (to - 1) % BLOCK);
        if first == last {
            return suspect[first % BLOCKS] & head & tail == 0;
        }
        let ends = (suspect[first % BLOCKS] & head) | (suspect[last % BLOCKS] & tail);
        ends == 0 && suspect[first + 1..last].iter().all(|word| *word == 0)
    }

    /// Moves the cursor.
    #[inline]
    pub(super) fn seek(&mut self, bytes: &[u8], at: usize) {
        self.base = at / BLOCK * BLOCK;
        self.word = self.word_at(bytes, self.base) & (u64::MAX << (at % BLOCK));
    }

    #[inline(always)]
    fn word_at(&mut self, bytes: &[u8], base: usize) -> u64 {
        if base < self.from || base >= self.to {
            if base >= bytes.len() {
                return 0;
            }
            self.fill(bytes, base);
        }
        self.less[(base - self.from) / BLOCK % BLOCKS]
    }

    /// The first `<` from the cursor on, where the cursor is then; the length of the chunk if there
    /// is none.
    #[inline(always)]
    pub(super) fn peek(&mut self, bytes: &[u8]) -> usize {
        while self.word == 0 {
            if self.base >= bytes.len() {
                return bytes.len();
            }
            self.base += BLOCK;
            self.word = self.word_at(bytes, self.base);
        }
        self.base + self.word.trailing_zeros() as usize
    }

    /// The cursor goes on behind the `<` where it is.
    #[inline(always)]
    pub(super) fn pass(&mut self) {
        self.word &= self.word.wrapping_sub(1);
    }

    /// Passes over as many blocks inside a skipped element as can be passed over at once.
    pub(super) fn skim(&self, skim: &mut Skim, bytes: &[u8]) -> usize {
        match self.instructions {
            Instructions::Swar => swar::skim(skim, bytes),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => avx2::skim(skim, bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all() -> [Map; 2] {
        [Map::portable(), Map::best()]
    }

    proptest! {
        #[test]
        fn every_kind_of_instructions_finds_the_same(
            bytes in proptest::collection::vec(
                prop_oneof![any::<u8>(), proptest::sample::select(&b"<>=;|\xBC\x1C\x3D"[..])],
                0..300,
            ),
        ) {
            for mut map in all() {
                for at in 0..=bytes.len() {
                    let slow = bytes[at..].iter().position(|b| *b == b'<');
                    let slow = slow.map_or(bytes.len(), |i| at + i);
                    map.seek(&bytes, at);
                    prop_assert_eq!(map.peek(&bytes), slow);
                }
                map.seek(&bytes, 0);
                for at in (0..bytes.len()).filter(|at| bytes[*at] == b'<') {
                    prop_assert_eq!(map.peek(&bytes), at);
                    map.pass();
                }
                prop_assert_eq!(map.peek(&bytes), bytes.len());
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_clean_is_clean(
            bytes in proptest::collection::vec(
                prop_oneof![30 => Just(b'x'), 1 => any::<u8>(), 1 => Just(b']'), 1 => Just(b'&')],
                1..400,
            ),
            places in (0..400usize, 0..400usize),
        ) {
            let suspect = |b: &u8| {
                !b.is_ascii() || matches!(b, b'&' | b']' | 0..=8 | 11 | 12 | 14..=31)
            };
            let (from, to) = (places.0 % bytes.len(), places.1 % (bytes.len() + 1));
            for mut map in all() {
                map.suspects();
                map.seek(&bytes, 0);
                let clean = from >= to || !bytes[from..to].iter().any(suspect);
                prop_assert_eq!(map.is_clean(from, to), clean);
            }
        }
    }

    #[test]
    fn a_map_goes_on_and_back() {
        let mut bytes = vec![b'x'; 3 * BLOCKS * BLOCK + 7];
        let places = [0, 63, 64, 8191, 8192, 20_000, bytes.len() - 1];
        places.iter().for_each(|at| bytes[*at] = b'<');
        for mut map in all() {
            for at in places.iter().rev().chain(&places) {
                map.seek(&bytes, *at);
                assert_eq!(map.peek(&bytes), *at);
            }
            map.seek(&bytes, 8193);
            assert_eq!(map.peek(&bytes), 20_000);
            map.seek(&bytes, bytes.len());
            assert_eq!(map.peek(&bytes), bytes.len());
        }
    }
}
