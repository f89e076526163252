//! Element names, interned: a name is looked up once per tag, so this is on the hottest path.
//!
//! A name is told apart by its [`Key`]; only longer names than that holds are compared in full. Names get dense numbers in the order of their first appearance.

use super::Symbol;

/// Longer names are not remembered, so that the table's memory is bounded.
const LONGEST: usize = 1024;
/// A name that would sit further from its home slot is not remembered: nobody can make look-ups
/// slow by choosing names that collide.
const FARTHEST: usize = 32;
/// Marks a free slot, and in [`Names::find`]'s callers a name that is not in the table.
pub(super) const NONE: u32 = u32::MAX;

/// What mostly tells a name apart: its length and its first sixteen bytes as numbers, absent bytes
/// being zero. Up to [`Key::WHOLE`] bytes that is all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    head: u64,
    next: u64,
    len: u32,
}

/// A word whose first bytes are ones.
const fn mask(bytes: usize) -> u64 {
    if bytes >= 8 { u64::MAX } else { !(u64::MAX << (8 * bytes)) }
}

/// For each length up to sixteen the masks of the first two words of a name.
static MASKS: [(u64, u64); 17] = {
    let mut masks = [(0, 0); 17];
    let mut len = 0;
    while len < 17 {
        masks[len] = (mask(len), mask(len.saturating_sub(8)));
        len += 1;
    }
    masks
};

impl Key {
    /// Names of up to so many bytes are the same if their keys are.
    pub(super) const WHOLE: usize = 16;

    /// The key of the first `len` bytes, of which `bytes` are the first, and may go on after them.
    /// Longer names than `u32` counts are to be refused by the caller.
    #[inline(always)]
    pub(super) fn of(bytes: &[u8; Self::WHOLE], len: usize) -> Key {
        let word = u128::from_le_bytes(*bytes);
        let (head, next) = MASKS[len.min(Self::WHOLE)];
        Key { head: word as u64 & head, next: (word >> 64) as u64 & next, len: len as u32 }
    }

    /// The key of the first `len` of some bytes.
    #[inline(always)]
    pub(super) fn new(bytes: &[u8], len: usize) -> Key {
        match bytes.first_chunk() {
            Some(first) => Key::of(first, len),
            None => Key::of_few(bytes, len),
        }
    }

    #[cold]
    fn of_few(bytes: &[u8], len: usize) -> Key {
        let mut first = [0; Self::WHOLE];
        first[..bytes.len()].copy_from_slice(bytes);
        Key::of(&first, len)
    }

    /// Bytes of the name.
    #[inline(always)]
    pub(super) fn len(self) -> usize {
        self.len as usize
    }

    /// The key is all of the name.
    #[inline(always)]
    pub(super) fn is_whole(self) -> bool {
        self.len() <= Self::WHOLE
    }
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: Key,
    id: u32,
    symbol: Option<Symbol>,
}

const FREE: Slot = Slot { key: Key { head: 0, next: 0, len: 0 }, id: NONE, symbol: None };

#[derive(Clone, Copy, Debug)]
struct Entry {
    at: usize,
    len: u32,
    symbol: Option<Symbol>,
}

/// The table of names.
#[derive(Debug, Default)]
pub(super) struct Names {
    slots: Vec<Slot>,
    /// `64 - log2(slots.len())`.
    shift: u32,
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    limit: usize,
}

impl Names {
    /// Takes over the names of another table.
    pub(super) fn copy(&mut self, from: &Self) {
        self.slots.clone_from(&from.slots);
        self.entries.clone_from(&from.entries);
        self.bytes.clone_from(&from.bytes);
        (self.shift, self.limit) = (from.shift, from.limit);
    }

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
    fn home(&self, key: Key, name: &[u8]) -> usize {
        let mixed = if key.is_whole() { key.head ^ key.next.rotate_left(21) } else { mix(name) };
        let mixed = (mixed ^ u64::from(key.len)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> self.shift) as usize
    }

    /// The slot of a name, if it is known.
    #[inline(always)]
    fn slot(&self, key: Key, name: &[u8]) -> Option<&Slot> {
        let home = self.home(key, name);
        let mask = self.slots.len() - 1;
        for at in home..home + FARTHEST {
            let slot = &self.slots[at & mask];
            if slot.key == key && slot.id != NONE && (key.is_whole() || self.name(slot.id) == name)
            {
                return Some(slot);
            }
            if slot.id == NONE {
                return None;
            }
        }
        None
    }

    /// The number of a name, if it is known.
    #[inline(always)]
    pub(super) fn find(&self, key: Key, name: &[u8]) -> Option<u32> {
        self.slot(key, name).map(|slot| slot.id)
    }

    /// The number of a name and the handler's symbol for it, if both are known.
    #[inline(always)]
    pub(super) fn find_symbol(&self, key: Key, name: &[u8]) -> Option<(u32, Symbol)> {
        let slot = self.slot(key, name)?;
        slot.symbol.map(|symbol| (slot.id, symbol))
    }

    /// Adds a name that [`find`](Self::find) did not know. `None` when it cannot be remembered.
    pub(super) fn add(&mut self, key: Key, name: &[u8]) -> Option<u32> {
        if name.len() > LONGEST || self.entries.len() >= self.limit {
            return None;
        }
        if self.entries.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let id = self.entries.len() as u32;
        let slot = Slot { key, id, symbol: None };
        let home = self.home(key, name);
        if !place(&mut self.slots, home, slot) {
            return None;
        }
        self.entries.push(Entry { at: self.bytes.len(), len: key.len, symbol: None });
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
        let name = self.name(id);
        let home = self.home(Key::new(name, name.len()), name);
        let mask = self.slots.len() - 1;
        let places = (home..home + FARTHEST).map(|at| at & mask);
        if let Some(at) = places.into_iter().find(|at| self.slots[*at].id == id) {
            self.slots[at].symbol = Some(symbol);
        }
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
    words.remainder().iter().fold(mixed, |mixed, b| mixed.rotate_left(8) ^ u64::from(*b))
}
