//! The front end of our own: finds tags by bitmaps of the bytes that matter.
//!
//! The hot path, [`Body::scan`], deals with tags that are whole, written as almost all are and well
//! away from the end of the chunk: their ends are found, their names looked up and their attributes
//! checked in one go, over bytes that the cache holds. Whatever is not as expected (markup of other
//! kinds, tags that straddle chunks, faults) is left, before anything has happened, to the code
//! that front ends share, so that answers, errors and their places are the same.
//!
//! | file | what |
//! |---|---|
//! | `mod` | the hot path |
//! | `skim` | passing over skipped elements |
//! | `tail` | the part of a start tag behind its name |
//! | `name` | where a name ends |
//! | `map` | bitmaps of a stretch of input |
//! | `avx2`, `sse2`, `swar` | what single instructions do |

#[cfg(target_arch = "x86_64")]
mod avx2;
mod map;
mod name;
mod skim;
#[cfg(target_arch = "x86_64")]
mod sse2;
mod swar;
mod tail;

pub(in crate::input) use map::Map;
pub(in crate::input) use skim::end as skimmed_end;

use name::ends_name;
use tail::{Tail, tail};

use super::body::Body;
use super::document::Open;
use super::encoding::Measure;
use super::names::{Key, NONE};
use super::source::Source;
use super::{EndTag, Flow, Interest, SourceConfig, SourceCounts, TagHandler, TagSource};
use crate::{Error, Position};

/// Tags that start nearer to the end of a chunk are left to the shared code. A power of two.
const MARGIN: usize = 32;

/// Reads tags with bitmaps of the input, made by AVX2 where the processor has it.
///
/// # What is checked
///
/// The same as by [`QuickXmlSource`](super::QuickXmlSource), but that with
/// [`Checks::Fast`](super::Checks::Fast) tags inside skipped elements are only counted: their
/// names, whether those of start and end tags agree, their attributes and their encoding are not
/// looked at. Where such a tag ends is exact all the same (`>` in quotes, comments, CDATA sections and
/// processing instructions are known), `<` inside a tag is an error, and so is an element that is
/// not closed.
#[derive(Debug)]
pub struct ScannerSource(Source);

impl ScannerSource {
    /// A source for one document.
    #[must_use]
    pub fn new(config: SourceConfig) -> Self {
        ScannerSource(Source::new(config, Some(Map::best())))
    }

    /// The same without instructions that only some processors have.
    #[must_use]
    pub fn portable(config: SourceConfig) -> Self {
        ScannerSource(Source::new(config, Some(Map::portable())))
    }
}

impl TagSource for ScannerSource {
    #[inline]
    fn feed<H: TagHandler>(&mut self, chunk: &[u8], handler: &mut H) -> Result<Flow, Error> {
        self.0.feed(chunk, handler)
    }

    fn finish<H: TagHandler>(&mut self, handler: &mut H) -> Result<(), Error> {
        self.0.finish(handler)
    }

    fn position(&self) -> Position {
        self.0.position()
    }

    fn counts(&self) -> SourceCounts {
        self.0.counts()
    }
}

/// A tag and what follows, as far as the hot path looks without asking whether there is more.
type Window = [u8; MARGIN];

/// What has become of a tag.
enum Step {
    /// It is done; the chunk goes on there.
    To(usize),
    /// The same, and what follows is to be passed over.
    Skip(usize),
    /// It is done; the shared code goes on there, if anybody wants more.
    Last(usize),
    /// Nothing: it is for the shared code.
    Left,
}

impl Body {
    /// Deals with as many bytes of a chunk, from a place on, as the hot path can. Gives the place
    /// where the shared code has to go on.
    pub(super) fn scan<H: TagHandler>(
        &mut self,
        bytes: &[u8],
        at: usize,
        handler: &mut H,
    ) -> Result<usize, Error> {
        let document = &self.document;
        if document.measure != Measure::Same || !document.in_root() {
            return Ok(at);
        }
        let Some(mut map) = self.map.take() else { return Ok(at) };
        map.seek(bytes, at);
        let result = self.scan_on(&mut map, bytes, at, handler);
        self.map = Some(map);
        result
    }

    /// The offset of the document is kept up only where somebody may look at it.
    fn scan_on<H: TagHandler>(
        &mut self,
        map: &mut Map,
        bytes: &[u8],
        mut at: usize,
        handler: &mut H,
    ) -> Result<usize, Error> {
        let origin = self.document.offset - at as u64;
        if self.document.is_skimming() {
            let own = self.skim(map, bytes, &mut at)?;
            self.document.offset = origin + at as u64;
            if !own {
                return Ok(at);
            }
        }
        loop {
            let tag = map.peek(bytes);
            let Some(window) = bytes.get(tag..).and_then(|rest| rest.first_chunk::<MARGIN>())
            else {
                break;
            };
            if self.document.watch && tag > at && !self.is_fine(map, at, tag) {
                self.document.offset = origin + at as u64;
                at += self.document.text(&bytes[at..], handler)?;
                if at != tag {
                    break;
                }
            }
            at = tag;
            let place = (tag, origin + tag as u64);
            let step = if window[1] == b'/' {
                self.end(bytes, window, place, handler)?
            } else {
                self.start(map, bytes, window, place, handler)?
            };
            match step {
                Step::To(next) => {
                    at = next;
                    map.pass();
                }
                Step::Skip(next) => {
                    at = next;
                    map.pass();
                    self.document.offset = origin + at as u64;
                    let own = self.skim(map, bytes, &mut at)?;
                    if !own {
                        break;
                    }
                }
                Step::Last(next) => {
                    at = next;
                    break;
                }
                Step::Left => break,
            }
        }
        self.document.offset = origin + at as u64;
        Ok(at)
    }

    /// Text that strict checks have nothing to say of, and that nobody wants to see.
    #[inline(always)]
    fn is_fine(&self, map: &Map, from: usize, to: usize) -> bool {
        let document = &self.document;
        document.strict && !document.interest.contains(Interest::CONTENT) && map.is_clean(from, to)
    }

    /// The start tag at a place and offset, or markup of another kind.
    #[inline(always)]
    fn start<H: TagHandler>(
        &mut self,
        map: &Map,
        bytes: &[u8],
        window: &Window,
        (tag, start): (usize, u64),
        handler: &mut H,
    ) -> Result<Step, Error> {
        let (_, behind) = window.split_at(1);
        let Some(first) = behind.first_chunk() else { return Ok(Step::Left) };
        let len = ends_name(first);
        let (len, name) = match len {
            16 => {
                let len = long_name(bytes, tag + 1);
                (len, &bytes[tag + 1..tag + 1 + len])
            }
            _ => (len, &first[..len]),
        };
        let stop = tag + 1 + len;
        let Tail { end, empty } = match window.get(1 + len) {
            Some(b'>') => Tail { end: stop + 1, empty: false },
            _ => match tail(bytes, stop) {
                Some(tail) => tail,
                None => return Ok(Step::Left),
            },
        };
        let document = &mut self.document;
        let too_long = end - tag > document.limits.attribute_bytes;
        if too_long || (document.strict && !map.is_clean(tag, end)) {
            return Ok(Step::Left);
        }
        let key = Key::of(first, len);
        let Some((id, symbol)) = document.names.find_symbol(key, name) else {
            return Ok(Step::Left);
        };
        if document.stack.len() < document.counts.max_depth
            && document.skipped == 0
            && let Some(interest) = handler.enter(symbol)
        {
            document.counts.tags += 1;
            if !empty {
                document.stack.push(Open { key, start, id });
                if interest.contains(Interest::SKIP) {
                    document.skip();
                    return Ok(if document.skims { Step::Skip(end) } else { Step::To(end) });
                }
                return Ok(Step::To(end));
            }
            document.counts.tags += 1;
            if handler.leave() {
                return Ok(Step::To(end));
            }
            let at = start + (end - tag) as u64;
            let stop = document.report_end(&EndTag { start: at, end: at, raw: &[] }, handler)?;
            self.stopped |= stop;
            return Ok(if stop { Step::Last(end) } else { Step::To(end) });
        }
        document.offset = start;
        let stop = document.start_tag(&bytes[tag..], end - tag, len, empty, handler)?;
        self.stopped |= stop;
        Ok(match stop {
            true => Step::Last(end),
            false if document.is_skimming() => Step::Skip(end),
            false => Step::To(end),
        })
    }

    /// The end tag at a place and offset.
    #[inline(always)]
    fn end<H: TagHandler>(
        &mut self,
        bytes: &[u8],
        window: &Window,
        (tag, start): (usize, u64),
        handler: &mut H,
    ) -> Result<Step, Error> {
        let document = &mut self.document;
        let Some(open) = document.stack.last() else { return Ok(Step::Left) };
        let len = open.key.len();
        let Some(first) = window[2..].first_chunk() else { return Ok(Step::Left) };
        let mut same = Key::of(first, len) == open.key;
        if open.key.is_whole() {
            same &= window[(2 + len) % MARGIN] == b'>';
        } else {
            let name = tag + 2..tag + 2 + len;
            same &= bytes.get(name.end) == Some(&b'>');
            same = same && document.open_name(*open) == &bytes[name];
        }
        if !same {
            return Ok(Step::Left);
        }
        let end = tag + len + 3;
        let plain = document.skipped == 0 && open.id != NONE && document.stack.len() > 1;
        if plain && handler.leave() {
            document.stack.pop();
            document.counts.tags += 1;
            return Ok(Step::To(end));
        }
        document.offset = start;
        let stop = document.end_tag(&bytes[tag..], end - tag, handler)?;
        self.stopped |= stop;
        Ok(if stop || !document.in_root() { Step::Last(end) } else { Step::To(end) })
    }
}

/// The length of a name that has sixteen bytes at least.
#[cold]
fn long_name(bytes: &[u8], name: usize) -> usize {
    let mut len = 16;
    while let Some(more) = bytes[name + len..].first_chunk() {
        let ends = ends_name(more);
        len += ends;
        if ends < 16 {
            break;
        }
    }
    len
}
