//! Passing over skipped elements: all that matters is where they end.
//!
//! What counts as a tag here is a matter of single bytes: `<`, unless `!` or `?` follows, and what
//! comes up to the first `>` outside of quotes, or up to the next `<`. (In well-formed documents there
//! is no `<` before that `>`.) So the depth changes by the number of `<` less twice that of `</`, and
//! less one for each `/>` that ends a tag, and whole blocks of 64 bytes are passed over by counting
//! bits. Whether a `/>` does end a tag is looked at for each: it may stand in text or in quotes. Only
//! blocks in which the element may end, or which may be deeper than anything before, are gone through
//! bit by bit, and only blocks with other markup tag by tag.

use super::super::body::Body;
use super::super::document::Document;
use super::super::scan::Quote;
use super::map::BLOCK;
use super::name::delimiters_of;
use super::{MARGIN, Map};
use crate::Error;

/// Where pairs of bytes that matter begin in a block, the first byte in the lowest bit. The second
/// byte of a pair may be the first one behind the block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    /// `<`, whatever follows.
    pub less: u64,
    /// `</`.
    pub close: u64,
    /// `<!`, `<?`; perhaps also other `<` that begin neither a name nor an end tag.
    pub other: u64,
    /// `/>`.
    pub empty: u64,
}

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

/// How far blocks have been passed over.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Skim {
    /// Open elements inside the skipped one.
    below: usize,
    /// How many there were at most so far, and how many there may be.
    deepest: usize,
    limit: usize,
    tags: usize,
    /// Where the last `<` was.
    last: usize,
    /// The element's end tag begins here.
    pub end: Option<usize>,
}

impl Skim {
    /// Passes over the block at a place, unless something in it has to be looked at. The bytes begin
    /// with a tag; `bits` says where a byte is in the block.
    #[inline(always)]
    pub(super) fn block(
        &mut self,
        marks: &Marks,
        bits: impl Fn(u8) -> u64,
        bytes: &[u8],
        at: usize,
    ) -> Verdict {
        let Marks { less, close, other, mut empty } = *marks;
        if other | empty != 0 {
            if other != 0 {
                return Verdict::Look;
            }
            let [more, double, single] = [b'>', b'"', b'\''].map(bits);
            empty = ends_of_tags(bytes, (at, self.last), marks, [more | single, double]);
        }
        if less != 0 {
            self.last = at + 63 - less.leading_zeros() as usize;
        }
        let tags = less.count_ones() as usize;
        let closes = close.count_ones() as usize;
        let empties = empty.count_ones() as usize;
        if closes + empties > self.below || self.below + (tags - closes) > self.deepest {
            return self.walk(less, close, empty);
        }
        self.below = self.below + tags - 2 * closes - empties;
        self.tags += tags + empties;
        Verdict::Passed
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

/// Those of the `/>` of a block, in bits, that end start tags; `doubtful`: where `>` and `'` are, and `"`.
#[inline(never)]
fn ends_of_tags(
    bytes: &[u8],
    (block, last): (usize, usize),
    marks: &Marks,
    doubtful: [u64; 2],
) -> u64 {
    let mut ends = 0;
    let mut rest = marks.empty;
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        rest ^= bit;
        let less = marks.less & (bit - 1);
        if less != 0 {
            // From the last `<` to the `/`.
            let first = 1 << (63 - less.leading_zeros());
            let inside = (bit - 1) & !(first - 1);
            let [others, quotes] = doubtful.map(|bits| bits & inside);
            if others == 0 && quotes.count_ones().is_multiple_of(2) {
                if marks.close & first == 0 {
                    ends |= bit;
                }
                continue;
            }
        }
        let at = block + bit.trailing_zeros() as usize;
        let tag = if less == 0 { last } else { block + 63 - less.leading_zeros() as usize };
        if bytes[tag + 1] != b'/' && end(bytes, tag) == Some(at + 2) {
            ends |= bit;
        }
    }
    ends
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
            } else if rest[done - 1] == b'/' && end == Some(done + 1) {
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
