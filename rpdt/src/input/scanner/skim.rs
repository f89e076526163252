//! Passing over skipped elements: all that matters is where they end.
//!
//! What counts as a tag here is a matter of single bytes: `<`, unless `!` or `?` follows, and what
//! comes up to the first `>` outside of quotes, or up to the next `<`. (In well-formed documents there
//! is no `<` before that `>`.) So the depth changes by the number of `<` less twice that of `</`, and
//! less one for each `/>` that ends a tag, and whole blocks of 64 bytes are passed over by counting
//! bits. Whether a `/>` does end a tag is looked at for each: it may stand in text or in quotes. How far the
//! depth falls and rises on the way is looked up in a [table](Course) of all courses of a few tags. Only
//! blocks in which the element ends, or which are deeper than anything before, are gone through
//! bit by bit, and only blocks with other markup tag by tag.

use super::super::body::Body;
use super::super::document::Document;
use super::super::scan::Quote;
use super::map::BLOCK;
use super::name::delimiters_of;
use super::{MARGIN, Map};
use crate::Error;

/// Where bytes that matter are in a block, the first byte in the lowest bit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    /// `<`, whatever follows.
    pub less: u64,
    /// `</`.
    pub close: u64,
    /// `<!`, `<?`; perhaps also other `<` that begin neither a name nor an end tag.
    pub other: u64,
    /// Other bytes than `<` behind which there is a `/`. Those before the `/>` of tags count as where an
    /// element ends.
    pub slash: u64,
}

/// So many bytes behind a block have to be there, too.
pub(super) const BEHIND: usize = 2;

/// What is said of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It has been passed over.
    Passed,
    /// The end tag of the skipped element begins at this place of it; what is before has been passed
    /// over.
    Ends(usize),
    /// It has to be looked at tag by tag; nothing has changed.
    Look,
}

/// The changes of the depth in some bytes, in their order: up by one at each tag, down by one at each end
/// tag and where an empty element ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    /// The first change in the lowest bit; ones are downs.
    pub downs: u64,
    pub count: usize,
}

/// Courses of so many changes are in the table.
const LONGEST: usize = 10;

impl Course {
    /// As many changes as a mask has bits.
    #[inline(always)]
    pub(super) fn new(downs: u64, mask: u64) -> Self {
        Course { downs, count: mask.count_ones() as usize }
    }

    /// One course, then another; what is too much is lost, which their count tells.
    #[inline(always)]
    pub(super) fn then(self, next: Self) -> Self {
        let downs = self.downs | next.downs.wrapping_shl(self.count as u32);
        Course { downs, count: self.count + next.count }
    }

    /// How far the depth gets below where it was at first, and above; `None` for longer courses.
    #[inline(always)]
    fn extremes(self) -> Option<(usize, usize)> {
        if self.count > LONGEST {
            return None;
        }
        let (falls, rises) = *EXTREMES.get(1 << self.count | self.downs as usize)?;
        Some((usize::from(falls), usize::from(rises)))
    }
}

/// For all courses, in binary behind a one, how far they fall and rise.
static EXTREMES: [(u8, u8); 2 << LONGEST] = {
    let mut extremes = [(0, 0); 2 << LONGEST];
    let mut number: usize = 1;
    while number < 2 << LONGEST {
        let (mut depth, mut least, mut most): (i8, i8, i8) = (0, 0, 0);
        let mut bit = 0;
        while bit < number.ilog2() {
            depth += if number >> bit & 1 == 0 { 1 } else { -1 };
            least = if depth < least { depth } else { least };
            most = if depth > most { depth } else { most };
            bit += 1;
        }
        extremes[number] = (least.unsigned_abs(), most.unsigned_abs());
        number += 1;
    }
    extremes
};

/// How far blocks have been passed over.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Skim {
    /// Open elements inside the skipped one.
    below: usize,
    /// How many there were at most so far, and how many there may be.
    deepest: usize,
    limit: usize,
    tags: usize,
    /// The last `<` is the last one in so many bytes from here on.
    pub last: (usize, usize),
    /// The element's end tag begins here.
    pub end: Option<usize>,
}

impl Skim {
    /// Passes over the bytes that a course is taken in, unless the element ends there, or gets deeper than
    /// anything before. The last `<` of the course, if there is one, is in so many bytes from a place on.
    #[inline(always)]
    pub(super) fn passes(&mut self, course: Course, less: bool, at: usize, len: usize) -> bool {
        let Some((falls, rises)) = course.extremes() else { return false };
        if falls > self.below || self.below + rises > self.deepest {
            return false;
        }
        if less {
            self.last = (at, len);
        }
        self.below = self.below + course.count - 2 * course.downs.count_ones() as usize;
        self.tags += course.count;
        true
    }

    /// Passes over the block at a place, unless something in it has to be looked at. The bytes begin
    /// with a tag; `ends` is [`ends_of_tags`], `order` gathers those of some bits that are in a mask in the
    /// lowest bits.
    #[inline(always)]
    pub(super) fn block(
        &mut self,
        marks: &Marks,
        ends: impl Fn((usize, (usize, usize)), &Marks) -> u64,
        order: impl Fn(u64, u64) -> u64,
        at: usize,
    ) -> Verdict {
        let Marks { less, close, other, slash } = *marks;
        let mut empty = 0;
        if other | slash != 0 {
            if other != 0 {
                return Verdict::Look;
            }
            empty = ends((at, self.last), marks);
        }
        let course = Course::new(order(close | empty, less | empty), less | empty);
        if self.passes(course, less != 0, at, BLOCK) {
            return Verdict::Passed;
        }
        if less != 0 {
            self.last = (at, BLOCK);
        }
        self.walk(less, close, empty)
    }

    /// The same, bit by bit.
    #[inline(never)]
    fn walk(&mut self, less: u64, close: u64, empty: u64) -> Verdict {
        let Skim { mut below, mut deepest, mut tags, .. } = *self;
        let mut rest = less | empty;
        let mut verdict = Verdict::Passed;
        while rest != 0 {
            let bit = rest & rest.wrapping_neg();
            if less & bit == 0 {
                below -= 1;
            } else if close & bit == 0 {
                below += 1;
                deepest = deepest.max(below);
            } else if below == 0 {
                verdict = Verdict::Ends(bit.trailing_zeros() as usize);
                break;
            } else {
                below -= 1;
            }
            tags += 1;
            rest ^= bit;
        }
        if deepest > self.limit {
            return Verdict::Look;
        }
        (self.below, self.deepest, self.tags) = (below, deepest, tags);
        verdict
    }
}

/// Behind which bytes of a block there is a `/>` that ends a start tag. Before the block, the last `<` is
/// the last one in so many bytes from a place on. `bits` says where a byte is in a block.
#[inline(always)]
pub(super) fn ends_of_tags(
    bits: impl Fn(&[u8; BLOCK], u8) -> u64,
    bytes: &[u8],
    (block, last): (usize, (usize, usize)),
    marks: &Marks,
) -> u64 {
    let mut ends = 0;
    let mut rest = marks.slash;
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        rest ^= bit;
        let at = block + bit.trailing_zeros() as usize + 1;
        if bytes.get(at + 1) != Some(&b'>') {
            continue;
        }
        // Most such tags are so short that all of them is in the bytes before.
        let before = at.checked_sub(BLOCK).and_then(|from| bytes[from..].first_chunk());
        if let Some(before) = before
            && let less = bits(before, b'<')
            && less != 0
        {
            let first = 63 - less.leading_zeros() as usize;
            let inside = !1 << first;
            let others = bits(before, b'>') | bits(before, b'\'');
            let quotes = bits(before, b'"') & inside;
            if others & inside == 0 && quotes.count_ones().is_multiple_of(2) {
                if bytes[at - BLOCK + first + 1] != b'/' {
                    ends |= bit;
                }
                continue;
            }
        }
        let less = marks.less & (bit - 1);
        if ends_a_tag(bytes, (block, less), last, at) {
            ends |= bit;
        }
    }
    ends
}

/// Whether the `/>` at a place ends a start tag, which begins with the last `<` before it: the last of
/// some bits of a block, or, if there are none, the last one in so many bytes from a place on.
#[cold]
#[inline(never)]
fn ends_a_tag(
    bytes: &[u8],
    (block, less): (usize, u64),
    (last, len): (usize, usize),
    at: usize,
) -> bool {
    let tag = if less == 0 {
        last + memchr::memrchr(b'<', &bytes[last..(last + len).min(at)]).unwrap_or(0)
    } else {
        block + 63 - less.leading_zeros() as usize
    };
    bytes[tag + 1] != b'/' && end(bytes, tag) == Some(at + 2)
}

/// One past the tag at a place, which ends with its first `>` outside of quotes or before the next
/// `<`; `None` if neither is there.
#[inline(always)]
pub(in crate::input) fn end(bytes: &[u8], tag: usize) -> Option<usize> {
    let mut at = tag + 1;
    while let Some(sixteen) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let found = delimiters_of(sixteen);
        if found != 0 {
            let first = found.trailing_zeros() as usize;
            return match sixteen[first] {
                b'>' => Some(at + first + 1),
                _ => quoted_end(bytes, at + first),
            };
        }
        at += 16;
    }
    Quote::default().feed(&bytes[at..]).map(|n| at + n)
}

/// The same, from a place in the tag that is not quoted.
#[inline(never)]
fn quoted_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut quote = None;
    while let Some(sixteen) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let mut found = delimiters_of(sixteen);
        while found != 0 {
            let place = found.trailing_zeros() as usize;
            found &= found - 1;
            match (sixteen[place], quote) {
                (b'<', _) => return Some(at + place),
                (b'>', None) => return Some(at + place + 1),
                (byte, None) => quote = Some(byte),
                (byte, Some(open)) if byte == open => quote = None,
                _ => {}
            }
        }
        at += 16;
    }
    Quote(quote).feed(&bytes[at..]).map(|n| at + n)
}

impl Body {
    /// Passes over what is inside a skipped element, from a place on. Gives whether the element's own
    /// end tag has been reached; else the shared code has to go on at the new place.
    #[inline(never)]
    pub(super) fn skim(
        &mut self,
        map: &mut Map,
        bytes: &[u8],
        at: &mut usize,
    ) -> Result<bool, Error> {
        if self.document.always_watch {
            return Ok(false);
        }
        let document = &mut self.document;
        // Before that place blocks have been tried.
        let mut until = 0;
        loop {
            let Some(text) = memchr::memchr(b'<', &bytes[*at..]) else { return Ok(false) };
            let tag = *at + text;
            if tag + MARGIN > bytes.len() {
                return Ok(false);
            }
            document.offset += text as u64;
            *at = tag;
            if tag >= until {
                let (to, own) = skim_blocks(document, map, bytes, tag);
                document.offset += (to - tag) as u64;
                *at = to;
                if own {
                    return Ok(true);
                }
                until = to + BLOCK;
                continue;
            }
            let second = bytes[tag + 1];
            let own = second == b'/' && document.below == 0;
            if own || matches!(second, b'!' | b'?') {
                return Ok(own);
            }
            let Some(end) = end(bytes, tag) else { return Ok(false) };
            document.skim(&bytes[tag..end])?;
            document.offset += (end - tag) as u64;
            *at = end;
        }
    }
}

/// Passes over whole blocks, the first of which begins with a tag. Gives a place outside of tags, or at
/// a tag, and whether that is the end tag of the skipped element.
fn skim_blocks(document: &mut Document, map: &Map, bytes: &[u8], tag: usize) -> (usize, bool) {
    let around = document.stack.len();
    let mut skim = Skim {
        below: document.below,
        deepest: document.counts.max_depth - around,
        limit: document.limits.depth - around,
        ..Skim::default()
    };
    let rest = &bytes[tag..];
    let done = map.skim(&mut skim, rest);
    let mut to = skim.end.unwrap_or(done);
    if skim.end.is_none() && done > 0 {
        let last = memchr::memrchr(b'<', &rest[..done]).unwrap_or(0);
        let end = end(rest, last);
        if end.is_none_or(|end| end > done) {
            // The last tag is for others.
            to = last;
            skim.tags -= 1;
            if rest[last + 1] == b'/' {
                skim.below += 1;
            } else if end.is_some_and(|end| end <= done + 2 && rest[..end].ends_with(b"/>")) {
                skim.tags -= 1;
            } else {
                skim.below -= 1;
            }
        }
    }
    document.below = skim.below;
    document.counts.tags += skim.tags as u64;
    document.counts.max_depth = around + skim.deepest;
    (tag + to, skim.end.is_some())
}
