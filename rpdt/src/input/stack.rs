//! The open elements of a document.

use super::names::{Key, NONE};

/// An element whose end tag has not come yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// The first bytes of its name; what stands behind a shorter name means nothing.
    pub name: [u8; HELD],
    /// Offset of the start tag.
    pub start: u64,
    /// The name's number, or [`NONE`]: then its bytes are the last of `Document::loose`.
    pub id: u32,
    /// Bytes of the name, and [`Open::LOOSE`] if it has no number.
    pub size: u32,
}

/// So many bytes of a name are at hand without a look at the table.
pub(super) const HELD: usize = 32;

impl Open {
    const LOOSE: u32 = 1 << 31;
    /// Names are no longer.
    pub(super) const LONGEST: usize = Self::LOOSE as usize - 1;

    /// An element that begins at an offset; the bytes begin with its name.
    #[inline(always)]
    pub(super) fn new(bytes: &[u8], len: usize, id: u32, start: u64) -> Self {
        let name = match bytes.first_chunk() {
            Some(name) => *name,
            None => few(bytes),
        };
        let loose = if id == NONE { Self::LOOSE } else { 0 };
        Open { name, start, id, size: len as u32 | loose }
    }

    /// Bytes of the name.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        (self.size & !Self::LOOSE) as usize
    }

    /// What tells the name apart if it is not long.
    #[inline(always)]
    pub(super) fn key(&self) -> Key {
        Key::new(&self.name, self.len())
    }
}

#[cold]
fn few(bytes: &[u8]) -> [u8; HELD] {
    let mut name = [0; HELD];
    name[..bytes.len()].copy_from_slice(bytes);
    name
}

/// The open elements, outermost first.
#[derive(Debug, Default)]
pub(super) struct Stack {
    /// As many as there were at once so far, so that it has room for elements that are no deeper;
    /// those that count come first.
    pub(super) frames: Vec<Open>,
    pub(super) depth: usize,
}

impl Stack {
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.depth
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.depth == 0
    }

    #[inline(always)]
    pub(super) fn last(&self) -> Option<&Open> {
        self.frames.get(self.depth.wrapping_sub(1))
    }

    #[inline(always)]
    pub(super) fn push(&mut self, open: Open) {
        match self.frames.get_mut(self.depth) {
            Some(frame) => *frame = open,
            None => self.frames.push(open),
        }
        self.depth += 1;
    }

    #[inline(always)]
    pub(super) fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// The frames, and how many of them count.
    #[inline(always)]
    pub(super) fn parts(&mut self) -> (&mut [Open], &mut usize) {
        (&mut self.frames, &mut self.depth)
    }
}
