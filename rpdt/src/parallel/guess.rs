//! Where the next segments of a document may begin. Guesses need not be right: whether one was is
//! found out when the segment before has arrived there.

use std::io;

use memchr::arch::all::packedpair::HeuristicFrequencyRank;
use memchr::memmem::{Finder, FinderBuilder};

use super::document::Document;
use crate::{Matcher, Sink};

/// Bytes that are looked at for the name of the next element.
const PEEK: u64 = 512;

/// The next segments are thought to begin inside so many open elements, before a start tag or
/// behind an end tag of a certain name.
#[derive(Debug)]
pub(super) struct Guess {
    pub(super) depth: usize,
    /// Behind the end tag of an element that has been open for long, which begins there; not before a
    /// start tag.
    pub(super) behind: Option<u64>,
    /// `<name` or `</name`.
    finder: Finder<'static>,
}

impl Guess {
    /// What is to be expected of a document that was read up to a place. Elements that have been
    /// open for `long` bytes will stay so for a while, as the elements around all records do, and
    /// the records inside of them mostly have the same name. `searched`: where the element begins
    /// whose end was looked for before; it may be far, so that is done once only.
    pub(super) fn new<S: Sink>(
        matcher: &Matcher<'_, S>,
        document: Document<'_>,
        at: u64,
        long: u64,
        searched: Option<u64>,
    ) -> io::Result<Option<Guess>> {
        let settled = matcher.settled_depth();
        let lasts = |open: Option<(u64, &[u8])>| open.is_some_and(|(start, _)| start + long <= at);
        let depth = (0..settled).take_while(|&d| lasts(matcher.source.open_at(d))).count();
        if depth == 0 {
            return Ok(None);
        }
        let open = matcher.source.open_at(depth);
        let behind = open.filter(|_| lasts(open)).map(|(start, _)| start);
        if behind.is_some() && behind == searched {
            return Ok(None);
        }
        let mut needle = if behind.is_some() { b"</".to_vec() } else { b"<".to_vec() };
        match open {
            Some((_, name)) => needle.extend_from_slice(name),
            None => {
                let mut buffer = Vec::new();
                let ahead = document.read(at, PEEK, &mut buffer)?;
                let tag = memchr::memchr(b'<', ahead).map_or(&[][..], |i| &ahead[i + 1..]);
                let len = tag.iter().position(|b| ends_name(*b)).unwrap_or(0);
                needle.extend_from_slice(&tag[..len]);
            }
        }
        let known = needle.last().is_some_and(|b| !b"</!?".contains(b));
        let finder = FinderBuilder::new().build_forward_with_ranker(Markup, &needle).into_owned();
        Ok(known.then_some(Guess { depth, behind, finder }))
    }

    /// Where a segment may begin, in a range of the document.
    pub(super) fn find(
        &self,
        document: Document<'_>,
        from: u64,
        to: u64,
    ) -> io::Result<Option<u64>> {
        let Some(tag) = document.find(from, to, &self.finder, ends_name)? else {
            return Ok(None);
        };
        if self.behind.is_none() {
            return Ok(Some(tag));
        }
        let mut buffer = Vec::new();
        let bytes = document.read(tag, PEEK, &mut buffer)?;
        Ok(memchr::memchr(b'>', bytes).map(|i| tag + i as u64 + 1))
    }
}

/// How frequent bytes are in documents: what begins and ends tags is nothing to look out for.
struct Markup;

impl HeuristicFrequencyRank for Markup {
    fn rank(&self, byte: u8) -> u8 {
        const LETTERS: &[u8] = b"zqxjkvbpygfwmucldrhsnioate";
        let letter = LETTERS.iter().position(|b| *b == byte.to_ascii_lowercase());
        match (byte, letter) {
            (b'<' | b'>' | b'/', _) => u8::MAX,
            (b'a'..=b'z', Some(rank)) => 100 + rank as u8,
            (b'A'..=b'Z', Some(rank)) => 50 + rank as u8,
            _ => 80,
        }
    }
}

fn ends_name(byte: u8) -> bool {
    matches!(byte, b'>' | b'/' | b' ' | b'\t' | b'\n' | b'\r')
}
