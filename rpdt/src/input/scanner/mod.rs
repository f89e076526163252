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
//! | `mod` | which code deals with what |
//! | `quiet` | the hot path: tags of which the handler needs next to nothing |
//! | `table` | names as start tags begin with them |
//! | `skim` | passing over skipped elements |
//! | `tail` | the part of a start tag behind its name |
//! | `name` | where a name ends |
//! | `map` | the places of the bytes that matter |
//! | `vector` | what the hot path needs of instructions |
//! | `avx2`, `sse2`, `swar` | what single instructions do |

#[cfg(target_arch = "x86_64")]
mod avx2;
mod map;
mod name;
mod quiet;
mod skim;
#[cfg(target_arch = "x86_64")]
mod sse2;
mod swar;
mod table;
mod tail;
mod vector;

pub(in crate::input) use map::Map;
pub(in crate::input) use skim::end as skimmed_end;

use map::Instructions;
use name::ends_name;
use quiet::{MARGIN, Pause, quiet, window};
use tail::{Tail, tail};
use vector::{Plain, Vectors};

use super::body::Body;
use super::document::Shape;
use super::encoding::Measure;
use super::names::Key;
use super::source::Source;
use super::{
    EndTag, Flow, Interest, Markup, SourceConfig, SourceCounts, StartTag, Symbol, TagHandler,
    TagSource, Text,
};
use crate::{Error, Position};

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

/// What has become of a tag.
enum Step {
    /// It is done; the chunk goes on there.
    To(usize),
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
        let fits = document.measure == Measure::Same && document.limits.attribute_bytes >= MARGIN;
        if !fits || !document.in_root() {
            return Ok(at);
        }
        let Some(mut map) = self.map.take() else { return Ok(at) };
        let result = match map.instructions() {
            Instructions::Swar => self.scan_with(Plain, &mut map, bytes, at, handler),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(avx2) => avx2.scan(self, &mut map, bytes, at, handler),
        };
        self.map = Some(map);
        result
    }

    /// The offset of the document is kept up only where somebody may look at it.
    #[inline(always)]
    fn scan_with<V: Vectors, H: TagHandler>(
        &mut self,
        vectors: V,
        map: &mut Map,
        bytes: &[u8],
        mut at: usize,
        handler: &mut H,
    ) -> Result<usize, Error> {
        let origin = self.document.offset - at as u64;
        loop {
            if self.document.is_skimming() {
                let own = self.skim(map, bytes, &mut at)?;
                if !own {
                    break;
                }
                if !self.ends_last(bytes, at) {
                    break;
                }
                // Its own end tag is like any other, if it is written like most.
                self.document.skipped = 0;
            }
            let step = if self.is_quiet() {
                map.seek(bytes, at);
                let pause = self.run_quiet(vectors, map, bytes, &mut at, origin, handler);
                self.document.offset = origin + at as u64;
                self.resume_after(pause, vectors, map, bytes, (at, origin), handler)?
            } else {
                self.document.offset = origin + at as u64;
                if bytes.get(at).is_some_and(|b| *b != b'<') {
                    at += self.document.text(&bytes[at..], handler)?;
                }
                self.tag_at(vectors, map, bytes, (at, origin), handler)?
            };
            match step {
                Step::To(next) => at = next,
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

    /// Nobody wants to see text, and if it has to be checked the map shows where.
    #[inline(always)]
    fn is_quiet(&self) -> bool {
        let document = &self.document;
        !document.interest.contains(Interest::CONTENT) && document.always_watch == document.strict
    }

    #[inline(always)]
    fn run_quiet<V: Vectors, H: TagHandler>(
        &mut self,
        vectors: V,
        map: &mut Map,
        bytes: &[u8],
        at: &mut usize,
        origin: u64,
        handler: &mut H,
    ) -> Pause {
        let document = &mut self.document;
        if !document.strict {
            return quiet::<V, H, false>(vectors, document, map, bytes, at, origin, handler);
        }
        if document.skipped == 0 {
            return quiet::<V, H, true>(vectors, document, map, bytes, at, origin, handler);
        }
        let mut nobody = Nobody { below: document.stack.len() - document.skipped };
        quiet::<V, Nobody, true>(vectors, document, map, bytes, at, origin, &mut nobody)
    }

    /// What made the hot path stop, all before the place being done.
    #[inline(always)]
    fn resume_after<V: Vectors, H: TagHandler>(
        &mut self,
        pause: Pause,
        vectors: V,
        map: &mut Map,
        bytes: &[u8],
        (at, origin): (usize, u64),
        handler: &mut H,
    ) -> Result<Step, Error> {
        let document = &mut self.document;
        match pause {
            Pause::End => Ok(Step::Last(at)),
            Pause::Skip => {
                document.skip();
                Ok(Step::To(at))
            }
            Pause::Suspect => {
                let to = at + document.text(&bytes[at..], handler)?;
                // The text may go on behind the chunk.
                Ok(if bytes.get(to) == Some(&b'<') { Step::To(to) } else { Step::Last(to) })
            }
            Pause::Start(tag, shape, id) => {
                document.offset = origin + tag as u64;
                let stop = document.opened(&bytes[tag..], shape, id, handler)?;
                self.stopped |= stop;
                let end = tag + shape.len;
                Ok(if stop { Step::Last(end) } else { Step::To(end) })
            }
            Pause::Close(tag, end) => {
                document.offset = origin + tag as u64;
                let stop = document.closed(&bytes[tag..end], handler)?;
                self.stopped |= stop;
                Ok(if stop || !document.in_root() { Step::Last(end) } else { Step::To(end) })
            }
            Pause::Other(tag) => {
                let step = self.tag_at(vectors, map, bytes, (tag, origin), handler)?;
                Ok(if matches!(step, Step::Left) { Step::Last(at) } else { step })
            }
        }
    }

    /// The tag at a place, if there is one: with all that the handler may want of it.
    #[inline(never)]
    fn tag_at<V: Vectors, H: TagHandler>(
        &mut self,
        vectors: V,
        map: &mut Map,
        bytes: &[u8],
        (tag, origin): (usize, u64),
        handler: &mut H,
    ) -> Result<Step, Error> {
        let Some(window) = window(bytes, tag) else { return Ok(Step::Left) };
        if window[0] != b'<' || matches!(window[1], b'!' | b'?') {
            return Ok(Step::Left);
        }
        let end = if window[1] == b'/' {
            if !self.ends_last(bytes, tag) {
                return Ok(Step::Left);
            }
            let len = self.document.stack.last().map_or(0, |open| open.len() + 3);
            self.document.offset = origin + tag as u64;
            self.stopped |= self.document.end_tag(&bytes[tag..], len, handler)?;
            tag + len
        } else {
            let Some(shape) = self.start_at(vectors, map, bytes, tag, handler) else {
                return Ok(Step::Left);
            };
            self.document.offset = origin + tag as u64;
            self.stopped |= self.document.start_tag(&bytes[tag..], shape, handler)?;
            tag + shape.len
        };
        let last = self.stopped || !self.document.in_root();
        Ok(if last { Step::Last(end) } else { Step::To(end) })
    }

    /// Whether at a place there is `</name>`, of the innermost element.
    #[inline(always)]
    fn ends_last(&self, bytes: &[u8], tag: usize) -> bool {
        let Some(open) = self.document.stack.last() else { return false };
        let name = tag + 2..tag + 2 + open.len();
        bytes.get(name.end) == Some(&b'>') && bytes[name] == *self.document.open_name(open)
    }

    /// The start tag at a place, if it is all there, its name is known and there is nothing in it to
    /// look at. Its name is remembered for the hot path.
    fn start_at<V: Vectors, H: TagHandler>(
        &mut self,
        vectors: V,
        map: &mut Map,
        bytes: &[u8],
        tag: usize,
        handler: &mut H,
    ) -> Option<Shape> {
        let len = name_len(bytes, tag + 1);
        let stop = tag + 1 + len;
        let name = bytes.get(tag + 1..stop)?;
        let Tail { end, empty } = match bytes.get(stop)? {
            b'>' => Tail { end: stop + 1, empty: false },
            _ if self.document.strict => tail::<true>(bytes, stop)?,
            _ => tail::<false>(bytes, stop)?,
        };
        if self.document.strict {
            map.seek(bytes, tag);
            if !map.is_next_from(end) {
                return None;
            }
        }
        let key = Key::new(&bytes[tag + 1..], len);
        let known = match self.document.names.find_symbol(key, name) {
            Some(known) => known,
            None => {
                // Seen in skipped elements only: the handler has not been asked yet.
                let id = self.document.names.find(key, name)?;
                (id, self.document.symbol(id, name, handler))
            }
        };
        map.table.add(vectors, quiet::word::<1>(window(bytes, tag)?), known);
        Some(Shape { len: end - tag, name: len, empty })
    }
}

/// The length of a name.
fn name_len(bytes: &[u8], name: usize) -> usize {
    let mut len = 0;
    while let Some(more) = bytes.get(name + len..).and_then(|rest| rest.first_chunk()) {
        let ends = ends_name(more);
        len += ends;
        if ends < 16 {
            break;
        }
    }
    len
}

/// The handler inside a skipped element: all tags there but that element's own end tag are nothing
/// to it.
struct Nobody {
    /// Open elements inside the skipped one.
    below: usize,
}

impl TagHandler for Nobody {
    fn symbol(&mut self, _: &[u8]) -> Symbol {
        Symbol(0)
    }

    fn start_tag(&mut self, _: &StartTag<'_>) -> Result<Interest, Error> {
        Ok(Interest::TAGS)
    }

    #[inline(always)]
    fn enter(&mut self, _: Symbol) -> Option<Interest> {
        self.below += 1;
        Some(Interest::TAGS)
    }

    #[inline(always)]
    fn leaf(&mut self, _: Symbol) -> bool {
        true
    }

    #[inline(always)]
    fn leave(&mut self) -> bool {
        let inside = self.below > 0;
        self.below = self.below.saturating_sub(1);
        inside
    }

    fn end_tag(&mut self, _: &EndTag<'_>) -> Result<Interest, Error> {
        Ok(Interest::TAGS)
    }

    fn text(&mut self, _: &Text<'_>) -> Result<(), Error> {
        Ok(())
    }

    fn markup(&mut self, _: &Markup<'_>) -> Result<(), Error> {
        Ok(())
    }
}
