//! Passing over skipped elements: all that matters is where they end.
//!
//! What counts as a tag here is a matter of single bytes: `<`, unless `!` or `?` follows, and what
//! comes up to the first `>` outside of quotes, or up to the next `<`. (In well-formed documents there
//! is no `<` before that `>`.) So the depth changes by the number of `<` less twice that of `</`, and
//! less one for each `/>` that ends a tag, and whole blocks of 64 bytes are passed over by counting
//! bits. Whether a `/>` does end a tag is looked at for each: it may stand in text or in quotes. A
//! block with other markup, or with the end of the skipped element, is gone over tag by tag.

use super::super::body::Body;
use super::super::document::Document;
use super::super::scan::Quote;
use super::map::BLOCK;
use super::name::delimiters_of;
use super::{MARGIN, Map};
use crate::Error;

/// So many tags are looked at one by one before blocks are tried.
const PATIENCE: usize = 6;

/// Where the bytes that matter are in a block, the first byte in the lowest bit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    /// `<`.
    pub less: u64,
    /// `>`.
    pub more: u64,
    /// `/`.
    pub slash: u64,
    /// `!` and `?`.
    pub other: u64,
}

/// How far blocks have been passed over.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Skim {
    /// Open elements inside the skipped one. Every `<` counts as a start tag until it is known to be
    /// none.
    below: usize,
    /// How many there may be at most.
    room: usize,
    tags: usize,
    /// Whether the last byte was `<`, or `/`.
    after_less: u64,
    after_slash: u64,
}

impl Skim {
    /// Passes over the block at a place, unless something in it has to be looked at: `false`, and
    /// nothing has changed. The bytes begin with a tag.
    #[inline(always)]
    pub(super) fn block(&mut self, marks: &Marks, bytes: &[u8], at: usize) -> bool {
        let Marks { less, more, slash, other } = *marks;
        let after = less << 1 | self.after_less;
        let close = after & slash;
        let mut empty = (slash << 1 | self.after_slash) & more;
        if empty != 0 {
            empty = ends_of_tags(bytes, at, empty);
        }
        let opens = less.count_ones() as usize;
        let closes = close.count_ones() as usize;
        let empties = empty.count_ones() as usize;
        if (after & other != 0) | (self.below + opens > self.room)
            || (closes >= self.below && self.reaches_end(less, close, empty))
        {
            return false;
        }
        self.below = self.below + opens - 2 * closes - empties;
        self.tags += opens + empties;
        self.after_less = less >> 63;
        self.after_slash = slash >> 63;
        true
    }

    /// Whether one of the end tags is that of the skipped element.
    #[inline(never)]
    fn reaches_end(&self, less: u64, mut close: u64, empty: u64) -> bool {
        let mut closed = 0;
        while close != 0 {
            let before = (close & close.wrapping_neg()) - 1;
            // The `<` of the end tag itself is among those counted.
            let open = self.below + (less & before).count_ones() as usize;
            if open <= 2 * closed + (empty & before).count_ones() as usize + 1 {
                return true;
            }
            close &= close - 1;
            closed += 1;
        }
        false
    }
}

/// Those of the `>` of a block, in bits, that end start tags.
#[inline(never)]
fn ends_of_tags(bytes: &[u8], block: usize, mut more: u64) -> u64 {
    let mut ends = 0;
    while more != 0 {
        let bit = more & more.wrapping_neg();
        more ^= bit;
        let at = block + bit.trailing_zeros() as usize;
        let tag = memchr::memrchr(b'<', &bytes[..at]).unwrap_or(0);
        if bytes[tag + 1] != b'/' && end(bytes, tag) == Some(at + 1) {
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
    /// end tag has been reached; else the shared code has to go on at the new place. The cursor is
    /// there then.
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
        let mut patience = PATIENCE;
        let mut until = 0;
        loop {
            let tag = map.peek(bytes);
            if tag + MARGIN > bytes.len() {
                return Ok(false);
            }
            let second = bytes[tag + 1];
            let own = second == b'/' && document.below == 0;
            if own || matches!(second, b'!' | b'?') {
                document.offset += (tag - *at) as u64;
                *at = tag;
                return Ok(own);
            }
            if patience == 0 && tag >= until {
                let (to, next) = skim_blocks(document, map, bytes, tag);
                document.offset += (to - *at) as u64;
                (*at, until) = (to, next);
                map.seek(bytes, to);
                continue;
            }
            let Some(end) = end(bytes, tag) else {
                document.offset += (tag - *at) as u64;
                *at = tag;
                return Ok(false);
            };
            document.skim(&bytes[tag..end])?;
            document.offset += (end - *at) as u64;
            *at = end;
            map.pass();
            patience = patience.saturating_sub(1);
        }
    }
}

/// Passes over whole blocks, the first of which begins with a tag. Gives a place outside of tags, or at
/// a tag, and where the block ends that has to be looked at.
fn skim_blocks(document: &mut Document, map: &Map, bytes: &[u8], tag: usize) -> (usize, usize) {
    let mut skim = Skim {
        below: document.below,
        room: document.counts.max_depth - document.stack.len(),
        ..Skim::default()
    };
    let rest = &bytes[tag..];
    let done = map.skim(&mut skim, rest);
    let until = tag + done + BLOCK;
    if done == 0 {
        return (tag, until);
    }
    let mut to = done;
    let last = memchr::memrchr(b'<', &rest[..done]).unwrap_or(0);
    if end(rest, last).is_none_or(|end| end > done) {
        // The last tag is for others.
        to = last;
        skim.tags -= 1;
        let closes = last + 1 < done && rest[last + 1] == b'/';
        skim.below = if closes { skim.below + 1 } else { skim.below - 1 };
    }
    document.below = skim.below;
    document.counts.tags += skim.tags as u64;
    (tag + to, until)
}
