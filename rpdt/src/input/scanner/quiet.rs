//! The hot path: tags of which the handler needs next to nothing.
//!
//! It goes from place to place of the map. A start tag is looked up by its name and the byte behind;
//! an end tag is compared with what is open. When the tag that follows a start tag is its own end
//! tag, as is the case with most elements, both are done at once and nothing is opened.

use super::super::document::{Document, Shape};
use super::super::stack::Open;
use super::super::{Interest, TagHandler};
use super::map::Map;
use super::tail::{Tail, tail};
use super::vector::{Vectors, WIDTH};

/// Tags that start nearer to the end of a chunk are left to the shared code. A power of two.
pub(super) const MARGIN: usize = 64;

/// A tag and what follows, as far as the hot path looks without asking whether there is more.
pub(super) type Window = [u8; MARGIN];

#[inline(always)]
pub(super) fn window(bytes: &[u8], at: usize) -> Option<&Window> {
    bytes.get(at..).and_then(|rest| rest.first_chunk())
}

/// The bytes of a window from a place on.
#[inline(always)]
pub(super) fn word<const FROM: usize>(window: &Window) -> &[u8; WIDTH] {
    const NONE: &[u8; WIDTH] = &[0; WIDTH];
    window[FROM..].first_chunk().unwrap_or(NONE)
}

/// Whether what text has there is a reference to a predefined entity, or no part of `]]>`.
#[inline(always)]
fn is_harmless(window: &Window) -> bool {
    match window {
        [b']', next, last, ..] => (*next, *last) != (b']', b'>'),
        [b'&', rest @ ..] => [&b"lt;"[..], b"gt;", b"amp;", b"quot;", b"apos;"]
            .iter()
            .any(|name| rest.starts_with(name)),
        _ => false,
    }
}

/// Why the hot path stops, and where. The cursor of the map is there, except after `Skip`.
pub(super) enum Pause {
    /// There are no more tags, or only such that are too near to the end.
    End,
    /// A tag that is not written as almost all are, or of an unknown name.
    Other(usize),
    /// Something that strict checks have to look at.
    Suspect,
    /// A start tag that the handler has to see: where it is, its number.
    Start(usize, Shape, u32),
    /// The end tag of the innermost element, which the handler has to see: where it is and ends.
    Close(usize, usize),
    /// An element was opened whose content is skipped.
    Skip,
}

/// Goes on from a place, which is moved along. `origin`: the offset of the chunk.
#[inline(always)]
pub(super) fn quiet<V: Vectors, H: TagHandler, const STRICT: bool>(
    vectors: V,
    document: &mut Document,
    map: &mut Map,
    bytes: &[u8],
    at: &mut usize,
    origin: u64,
    handler: &mut H,
) -> Pause {
    let longest = document.limits.attribute_bytes;
    let (frames, height) = document.stack.parts();
    let mut depth = *height;
    let mut done = *at;
    let mut tags = 0;
    let pause = loop {
        let (from, places, table) = map.rest();
        let mut places = places.iter();
        let pause = loop {
            let Some(place) = places.next() else { break None };
            let tag = from + usize::from(*place);
            let Some(window) = window(bytes, tag) else { break Some(Pause::End) };
            if STRICT && window[0] != b'<' {
                // In the name of a tag that is done with, or fine at a closer look.
                if tag < done || is_harmless(window) {
                    continue;
                }
                break Some(Pause::Suspect);
            }
            if window[1] == b'/' {
                let above = depth.wrapping_sub(1);
                let Some(open) = frames.get(above) else { break Some(Pause::Other(tag)) };
                let word = vectors.load(word::<2>(window));
                let len = open.size as usize;
                let same = vectors.agree(word, &open.name) >= len;
                if !same || window[(2 + len) % MARGIN] != b'>' {
                    break Some(Pause::Other(tag));
                }
                let end = tag + len + 3;
                if above == 0 || !handler.leave() {
                    break Some(Pause::Close(tag, end));
                }
                tags += 1;
                depth = above;
                done = end;
                continue;
            }
            let head = vectors.load(word::<1>(window));
            let len = vectors.name_len(head);
            let key = vectors.up_to(head, len);
            let Some(slot) = table.find(vectors, key, vectors.hash(key)) else {
                break Some(Pause::Other(tag));
            };
            let stop = tag + 1 + len;
            let Tail { end, empty } = if slot.plain {
                Tail { end: stop + 1, empty: false }
            } else {
                let Some(tail) = tail::<STRICT>(bytes, stop) else { break Some(Pause::Other(tag)) };
                if tail.end - tag > longest {
                    break Some(Pause::Other(tag));
                }
                if STRICT {
                    // Within the tag there is nothing to look at.
                    let next = places.as_slice().first();
                    if next.is_none_or(|next| from + usize::from(*next) < tail.end) {
                        break Some(Pause::Other(tag));
                    }
                }
                tail
            };
            let shape = Shape { len: end - tag, name: len, empty };
            let Some(frame) = frames.get_mut(depth) else { break Some(Pause::Other(tag)) };
            if empty {
                if !handler.leaf(slot.symbol) {
                    break Some(Pause::Start(tag, shape, slot.id));
                }
                tags += 2;
                done = end;
                continue;
            }
            if let Some(next) = places.as_slice().first()
                && let close = from + usize::from(*next)
                && let Some(behind) = self::window(bytes, close)
                && behind[1] == b'/'
                && (!STRICT || behind[0] == b'<')
                && vectors.agree(head, word::<2>(behind)) >= len
                && behind[(2 + len) % MARGIN] == b'>'
                && handler.leaf(slot.symbol)
            {
                places.next();
                tags += 2;
                done = close + len + 3;
                continue;
            }
            let Some(interest) = handler.enter(slot.symbol) else {
                break Some(Pause::Start(tag, shape, slot.id));
            };
            *frame = Open {
                name: vectors.store(head),
                start: origin + tag as u64,
                id: slot.id,
                size: len as u32,
            };
            depth += 1;
            tags += 1;
            done = end;
            if interest.contains(Interest::SKIP) {
                break Some(Pause::Skip);
            }
        };
        let left = places.len();
        match pause {
            Some(Pause::Skip) => map.leave(left),
            Some(_) => map.leave(left + 1),
            None => map.leave(0),
        }
        if let Some(pause) = pause {
            break pause;
        }
        if !map.advance(bytes) {
            break Pause::End;
        }
    };
    *height = depth;
    document.counts.tags += tags;
    *at = done;
    pause
}
