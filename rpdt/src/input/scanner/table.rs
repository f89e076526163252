//! The names that start tags of a document begin with, and what the hot path has to know of them.
//!
//! A name is looked up together with the byte that ends it, so that one comparison tells both the
//! element and whether attributes may follow.

use super::super::Symbol;
use super::vector::{Vectors, WIDTH};

/// How many slots there are, as a power of two.
const LOG: u32 = 10;
/// A name is nowhere else than in so many slots from its home on.
const FARTHEST: usize = 8;

/// A name and the byte that ends it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// Both, then zeros.
    key: [u8; WIDTH],
    pub symbol: Symbol,
    /// The name's number.
    pub id: u32,
    /// It is ended by `>`.
    pub plain: bool,
}

/// No key is like that: a key has the end of a name in it.
const FREE: Slot = Slot { key: [0xFF; WIDTH], symbol: Symbol(0), id: 0, plain: false };

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Table {
    slots: Box<[Slot; 1 << LOG]>,
}

impl Table {
    pub(super) fn new() -> Self {
        Table { slots: Box::new([FREE; 1 << LOG]) }
    }

    /// Takes over the names of another table.
    pub(super) fn copy(&mut self, from: &Self) {
        *self.slots = *from.slots;
    }

    /// The slot of a key with a hash.
    #[inline(always)]
    pub(super) fn find<V: Vectors>(&self, vectors: V, key: V::Word, hash: u64) -> Option<&Slot> {
        let slot = &self.slots[home(hash)];
        if vectors.is(key, &slot.key) {
            return Some(slot);
        }
        self.find_on(&vectors.store(key), hash)
    }

    #[inline(never)]
    fn find_on(&self, key: &[u8; WIDTH], hash: u64) -> Option<&Slot> {
        let places = (1..FARTHEST).map(|step| &self.slots[(home(hash) + step) % (1 << LOG)]);
        places.into_iter().find(|slot| slot.key == *key)
    }

    /// Remembers a name, if there is room; the bytes begin with it and have its end.
    #[cold]
    pub(super) fn add<V: Vectors>(
        &mut self,
        vectors: V,
        bytes: &[u8; WIDTH],
        (id, symbol): (u32, Symbol),
    ) {
        let word = vectors.load(bytes);
        let len = vectors.name_len(word);
        let Some(&end) = bytes.get(len) else { return };
        if !matches!(end, b'>' | b'/' | b' ' | b'\t' | b'\n' | b'\r') {
            return;
        }
        let key = vectors.up_to(word, len);
        let home = home(vectors.hash(key));
        let key = vectors.store(key);
        let slot = Slot { key, symbol, id, plain: end == b'>' };
        for step in 0..FARTHEST {
            let place = &mut self.slots[(home + step) % (1 << LOG)];
            if place.key == FREE.key || place.key == key {
                *place = slot;
                return;
            }
        }
    }
}

#[inline(always)]
fn home(hash: u64) -> usize {
    (hash >> (u64::BITS - LOG)) as usize
}
