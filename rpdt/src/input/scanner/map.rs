//! Where the bytes that matter stand: found for some thousand bytes at a time, and then walked through
//! without a look at the bytes between.

use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use super::avx2;
use super::skim::Skim;
use super::swar;
use super::table::Table;

/// Bytes of one word of bits.
pub(super) const BLOCK: usize = 64;
/// Bytes of a stretch, so that they and what is found in them stay in the nearest cache. Places in a
/// stretch are numbers of sixteen bits.
const STRETCH: usize = 8192;
/// The first stretch after a jump is shorter: there may be another jump.
const FIRST: usize = 1024;
/// So many places of a block are written at once, needed or not.
const AT_ONCE: usize = 4;

/// How places are found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instructions {
    /// Plain integers.
    Swar,
    /// AVX2, of a processor that has it.
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
}

/// Places in a stretch, ascending.
#[derive(Debug)]
pub(super) struct Places {
    places: Box<[u16; STRETCH + AT_ONCE]>,
    count: usize,
}

impl Places {
    fn new() -> Self {
        Places { places: Box::new([0; STRETCH + AT_ONCE]), count: 0 }
    }

    fn all(&self) -> &[u16] {
        &self.places[..self.count]
    }

    /// Adds the places of the bits of a block.
    #[inline(always)]
    pub(super) fn add(&mut self, block: usize, mut word: u64) {
        let count = word.count_ones() as usize;
        let base = block * BLOCK;
        let mut at = self.count;
        loop {
            // What is written too much is overwritten by the next block.
            if let Some(some) = self.places.get_mut(at..at + AT_ONCE) {
                for place in some {
                    *place = (base + word.trailing_zeros() as usize) as u16;
                    word &= word.wrapping_sub(1);
                }
            }
            at += AT_ONCE;
            if at >= self.count + count {
                break;
            }
        }
        self.count += count;
    }
}

/// The places that matter of a stretch of a chunk, and a cursor that goes from one to the next: those of
/// `<`, and with strict checks those of all bytes that the checks have to look at: characters that XML
/// may forbid, `&` and `]`, and where the stretch is not valid UTF-8 all that is not ASCII.
#[derive(Debug)]
pub(in crate::input) struct Map {
    instructions: Instructions,
    strict: bool,
    found: Places,
    /// The place at which the cursor is.
    next: usize,
    /// Where in the chunk the stretch is; a multiple of [`BLOCK`].
    from: usize,
    /// One past its last byte, or the end of the block in which the chunk ends.
    to: usize,
    pub(super) table: Table,
}

impl Map {
    fn new(instructions: Instructions, table: Table) -> Self {
        Map { instructions, strict: false, found: Places::new(), next: 0, from: 0, to: 0, table }
    }

    /// One for another part of the document, with the names that this one has seen.
    pub(in crate::input) fn fork(&self) -> Self {
        Map { strict: self.strict, ..Map::new(self.instructions, self.table.clone()) }
    }

    /// Takes over what another one was made for, and the names that it has seen.
    pub(in crate::input) fn copy(&mut self, from: &Self) {
        (self.instructions, self.strict) = (from.instructions, from.strict);
        self.table.copy(&from.table);
        self.forget();
    }

    /// Looks for what strict checks have to look at, too.
    pub(in crate::input) fn suspects(&mut self) {
        self.strict = true;
    }

    /// With the best instructions that this machine has.
    pub(in crate::input) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = avx2::Avx2::new() {
            return Map::new(Instructions::Avx2(avx2), Table::new());
        }
        Map::portable()
    }

    /// With instructions that every machine has.
    pub(in crate::input) fn portable() -> Self {
        Map::new(Instructions::Swar, Table::new())
    }

    #[inline]
    pub(super) fn instructions(&self) -> Instructions {
        self.instructions
    }

    /// Another chunk is looked at.
    pub(in crate::input) fn forget(&mut self) {
        (self.from, self.to, self.next, self.found.count) = (0, 0, 0, 0);
    }

    /// Looks at the stretch that a place of the chunk is in. Bytes behind the end of the chunk have
    /// no places.
    #[cold]
    #[inline(never)]
    fn fill(&mut self, bytes: &[u8], at: usize, most: usize) {
        self.from = at / BLOCK * BLOCK;
        let rest = &bytes[self.from..];
        let rest = &rest[..rest.len().min(most)];
        let (whole, tail) = rest.as_chunks::<BLOCK>();
        self.to = self.from + whole.len() * BLOCK;
        // No byte that matters is white space.
        let mut last = [b' '; BLOCK];
        last[..tail.len()].copy_from_slice(tail);
        let last = if tail.is_empty() { &[][..] } else { &[last] };
        self.to += last.len() * BLOCK;
        let blocks = [(whole, 0), (last, whole.len())];
        self.found.count = 0;
        let others = blocks.map(|(bytes, first)| self.fill_blocks(bytes, first));
        if others.contains(&true) && !is_utf8(bytes, self.from..self.from + rest.len()) {
            self.found.count = 0;
            for (bytes, first) in blocks {
                swar::all_suspects(bytes, first, &mut self.found);
            }
        }
        self.next = 0;
    }

    /// Whether the places are all that matter only if the bytes are valid UTF-8.
    fn fill_blocks(&mut self, bytes: &[[u8; BLOCK]], first: usize) -> bool {
        let found = &mut self.found;
        if self.strict {
            return match self.instructions {
                Instructions::Swar => swar::suspects(bytes, first, found),
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2(avx2) => avx2.suspects(bytes, first, found),
            };
        }
        match self.instructions {
            Instructions::Swar => swar::less(bytes, first, found),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(avx2) => avx2.less(bytes, first, found),
        }
        false
    }

    /// Moves the cursor to the first place that is not before another one.
    #[inline]
    pub(super) fn seek(&mut self, bytes: &[u8], at: usize) {
        if at < self.from || at >= self.to {
            if at >= bytes.len() {
                (self.from, self.to, self.next, self.found.count) = (at, at, 0, 0);
                return;
            }
            self.fill(bytes, at, FIRST);
        }
        let at = at - self.from;
        let places = self.found.all();
        let is_before = |place: &u16| usize::from(*place) < at;
        let (before, behind) = places.split_at(self.next.min(places.len()));
        self.next = if before.last().is_some_and(|place| !is_before(place)) {
            before.partition_point(is_before)
        } else {
            // Mostly the next place or the one after it.
            let near = behind.iter().take(2).take_while(|place| is_before(place)).count();
            let far = if near < 2 { 0 } else { behind[near..].partition_point(is_before) };
            before.len() + near + far
        };
    }

    /// Goes on to the next stretch. `false`: there is none.
    pub(super) fn advance(&mut self, bytes: &[u8]) -> bool {
        if self.to >= bytes.len() {
            return false;
        }
        let most = (2 * (self.to - self.from)).clamp(FIRST, STRETCH);
        self.fill(bytes, self.to, most);
        true
    }

    /// Where the stretch begins, its places from the cursor on, and the names.
    #[inline(always)]
    pub(super) fn rest(&self) -> (usize, &[u16], &Table) {
        (self.from, self.found.all().get(self.next..).unwrap_or(&[]), &self.table)
    }

    /// So many places are left from the cursor on.
    #[inline(always)]
    pub(super) fn leave(&mut self, places: usize) {
        self.next = self.found.count - places;
    }

    /// Whether no place that matters is between the one of the cursor and another one.
    #[inline]
    pub(super) fn is_next_from(&self, to: usize) -> bool {
        to <= self.to
            && self.found.all().get(self.next + 1).is_none_or(|p| self.from + usize::from(*p) >= to)
    }

    /// Passes over as many blocks inside a skipped element as can be passed over at once.
    pub(super) fn skim(&self, skim: &mut Skim, bytes: &[u8]) -> usize {
        match self.instructions {
            Instructions::Swar => swar::skim(skim, bytes),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(avx2) => avx2.skim(skim, bytes),
        }
    }
}

/// Whether all characters of a chunk of which a byte is in a range are valid UTF-8.
fn is_utf8(chunk: &[u8], range: Range<usize>) -> bool {
    let is_inside = |at: usize| chunk.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    let Range { start, end } = range;
    let before = (0..4).find(|back| *back == start || !is_inside(start - back)).unwrap_or(0);
    let behind = (0..4).find(|on| !is_inside(end + on)).unwrap_or(0);
    let characters = chunk.get(start - before..end + behind);
    characters.is_some_and(|characters| simdutf8::basic::from_utf8(characters).is_ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    impl Map {
        /// The first place that matters from the cursor on, where the cursor is then; the length of
        /// the chunk if there is none.
        fn peek(&mut self, bytes: &[u8]) -> usize {
            loop {
                if let Some(place) = self.found.all().get(self.next) {
                    return self.from + usize::from(*place);
                }
                if !self.advance(bytes) {
                    return bytes.len();
                }
            }
        }

        /// The cursor goes on behind the place where it is.
        fn pass(&mut self) {
            self.next += 1;
        }
    }

    fn all() -> [Map; 2] {
        [Map::portable(), Map::best()]
    }

    fn is_suspect(b: u8) -> bool {
        matches!(b, b'<' | b'&' | b']' | 0..=8 | 11 | 12 | 14..=31)
    }

    /// Where U+FFFE or U+FFFF may begin, as far as a block shows it.
    fn is_last_of_plane(bytes: &[u8], at: usize) -> bool {
        let next = bytes.get(at + 1);
        bytes[at] == 0xEF && (at % BLOCK == BLOCK - 1 || next == Some(&0xBF))
    }

    proptest! {
        #[test]
        fn every_kind_of_instructions_finds_the_same(
            bytes in proptest::collection::vec(
                prop_oneof![
                    any::<u8>().prop_map(|byte| vec![byte]),
                    proptest::sample::select(&b"<>=;|\xBC\x1C\x3D&]\t\r"[..]).prop_map(|byte| vec![byte]),
                    any::<char>().prop_map(|c| c.to_string().into_bytes()),
                    proptest::sample::select(&["\u{FFFF}", "\u{FFFE}", "\u{FF00}", "\u{7FF}"][..])
                        .prop_map(|c| c.as_bytes().to_vec()),
                ],
                0..300,
            ),
            mostly_valid in any::<bool>(),
            strict in any::<bool>(),
        ) {
            let mut bytes = bytes.concat();
            if mostly_valid {
                bytes = String::from_utf8_lossy(&bytes).into_owned().into_bytes();
            }
            // One stretch.
            bytes.truncate(FIRST);
            let valid = std::str::from_utf8(&bytes).is_ok();
            let matters = |at: usize| match (strict, bytes[at]) {
                (false, b) => b == b'<',
                (true, b) if b.is_ascii() => is_suspect(b),
                (true, _) => !valid || is_last_of_plane(&bytes, at),
            };
            for mut map in all() {
                map.strict = strict;
                for at in 0..=bytes.len() {
                    let slow = (at..bytes.len()).find(|at| matters(*at)).unwrap_or(bytes.len());
                    map.seek(&bytes, at);
                    prop_assert_eq!(map.peek(&bytes), slow);
                }
                map.seek(&bytes, 0);
                let places = (0..bytes.len()).filter(|at| matters(*at)).collect::<Vec<_>>();
                for (i, at) in places.iter().enumerate() {
                    prop_assert_eq!(map.peek(&bytes), *at);
                    let next = places.get(i + 1).copied().unwrap_or(bytes.len());
                    prop_assert!(map.is_next_from(next));
                    prop_assert!(next == bytes.len() || !map.is_next_from(next + 1));
                    map.pass();
                }
                prop_assert_eq!(map.peek(&bytes), bytes.len());
            }
        }
    }

    #[test]
    fn every_byte_of_a_stretch_may_matter() {
        let bytes = vec![b'<'; 3 * STRETCH + 70];
        for mut map in all() {
            map.seek(&bytes, 0);
            for at in 0..bytes.len() {
                assert_eq!(map.peek(&bytes), at);
                map.pass();
            }
            assert_eq!(map.peek(&bytes), bytes.len());
        }
    }

    #[test]
    fn a_map_goes_on_and_back() {
        let mut bytes = vec![b'x'; 3 * STRETCH + 7];
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
