//! Element names, interned: a name is looked up once per tag, so this is on the hottest path.
//!
//! A name is told apart by its first eight bytes (as an integer) and its length; only longer names
//! are compared in full. Names get dense numbers in the order of their first appearance.

use super::Symbol;

/// Longer names are not remembered, so that the table's memory is bounded.
const LONGEST: usize = 1024;
/// A name that would sit further from its home slot is not remembered: nobody can make look-ups
/// slow by choosing names that collide.
const FARTHEST: usize = 32;
/// Marks a free slot, and in [`Names::find`]'s callers a name that is not in the table.
pub(super) const NONE: u32 = u32::MAX;

/// The first eight bytes of a name as a number, absent bytes being zero. `bytes` starts with the
/// name and may go on after it: with eight bytes at hand no loop is needed.
#[inline(always)]
pub(super) fn key(bytes: &[u8], len: usize) -> u64 {
    match bytes.first_chunk::<8>() {
        Some(first) => {
            let word = u64::from_le_bytes(*first);
            if len < 8 { word & !(u64::MAX << (8 * len)) } else { word }
        }
        None => key_of_few(bytes, len),
    }
}

#[cold]
fn key_of_few(bytes: &[u8], len: usize) -> u64 {
    bytes.iter().take(len).rev().fold(0, |word, b| word << 8 | u64::from(*b))
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    len: u32,
    id: u32,
}

const FREE: Slot = Slot { key: 0, len: 0, id: NONE };

#[derive(Clone, Copy, Debug)]
struct Entry {
    at: usize,
    len: u32,
    symbol: Option<Symbol>,
}

/// The table of names.
#[derive(Debug)]
pub(super) struct Names {
    slots: Vec<Slot>,
    /// `64 - log2(slots.len())`.
    shift: u32,
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    limit: usize,
}

impl Names {
    pub(super) fn new(limit: usize) -> Self {
        let log = 9;
        Names {
            slots: vec![FREE; 1 << log],
            shift: 64 - log,
            entries: Vec::new(),
            bytes: Vec::new(),
            limit: limit.min(NONE as usize - 1),
        }
    }

    #[inline(always)]
    fn home(&self, key: u64, name: &[u8]) -> usize {
        let mixed = if name.len() <= 8 { key } else { mix(name) };
        let mixed = (mixed ^ name.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> self.shift) as usize
    }

    /// The number of a name, if it is known. `key` is [`key`] of the name.
    #[inline(always)]
    pub(super) fn find(&self, key: u64, name: &[u8]) -> Option<u32> {
        let home = self.home(key, name);
        let mask = self.slots.len() - 1;
        for at in home..home + FARTHEST {
            let slot = &self.slots[at & mask];
            if slot.key == key
                && slot.len as usize == name.len()
                && slot.id != NONE
                && (name.len() <= 8 || self.name(slot.id) == name)
            {
                return Some(slot.id);
            }
            if slot.id == NONE {
                return None;
            }
        }
        None
    }

    /// Adds a name that [`find`](Self::find) did not know. `None` when it cannot be remembered.
    pub(super) fn add(&mut self, key: u64, name: &[u8]) -> Option<u32> {
        if name.len() > LONGEST || self.entries.len() >= self.limit {
            return None;
        }
        if self.entries.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let id = self.entries.len() as u32;
        let slot = Slot { key, len: name.len() as u32, id };
        let home = self.home(key, name);
        if !place(&mut self.slots, home, slot) {
            return None;
        }
        self.entries.push(Entry { at: self.bytes.len(), len: slot.len, symbol: None });
        self.bytes.extend_from_slice(name);
        Some(id)
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![FREE; old.len() * 2];
        self.shift -= 1;
        let mut slots = std::mem::take(&mut self.slots);
        for slot in old.iter().filter(|s| s.id != NONE) {
            // A name that finds no place now is forgotten by look-ups; its number stays valid for
            // elements that are open, and it may be added again under a new one.
            let home = self.home(slot.key, self.name(slot.id));
            place(&mut slots, home, *slot);
        }
        self.slots = slots;
    }

    /// The bytes of a name.
    #[inline]
    pub(super) fn name(&self, id: u32) -> &[u8] {
        let entry = &self.entries[id as usize];
        &self.bytes[entry.at..entry.at + entry.len as usize]
    }

    /// The handler's symbol for a name, if it was asked for one already.
    #[inline(always)]
    pub(super) fn symbol(&self, id: u32) -> Option<Symbol> {
        self.entries[id as usize].symbol
    }

    pub(super) fn set_symbol(&mut self, id: u32, symbol: Symbol) {
        self.entries[id as usize].symbol = Some(symbol);
    }
}

fn place(slots: &mut [Slot], home: usize, slot: Slot) -> bool {
    let mask = slots.len() - 1;
    for step in 0..FARTHEST {
        let at = (home + step) & mask;
        if slots[at].id == NONE {
            slots[at] = slot;
            return true;
        }
    }
    false
}

/// Mixes all bytes of a longer name.
#[inline]
fn mix(name: &[u8]) -> u64 {
    let mut words = name.chunks_exact(8);
    let mut mixed = 0u64;
    for word in &mut words {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(word);
        mixed =
            (mixed ^ u64::from_le_bytes(bytes)).wrapping_mul(0xA24B_AED4_963E_E407).rotate_left(29);
    }
    let rest = words.remainder();
    mixed ^ key_of_few(rest, rest.len())
}
