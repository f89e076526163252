//! Output buffers: one for every configuration, as linked lists in one arena.

use super::super::shared::NONE;

/// A buffer: its first and its last entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buffer {
    head: u32,
    tail: u32,
}

impl Buffer {
    /// Nothing in it.
    pub(super) const EMPTY: Buffer = Buffer { head: NONE, tail: NONE };

    pub(super) fn is_empty(self) -> bool {
        self.head == NONE
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    element: u32,
    next: u32,
}

/// An element that entries refer to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub(super) start: u64,
    pub(super) label: u32,
    /// Entries that refer to it.
    entries: u32,
    /// It was output.
    given: bool,
}

/// All buffers and what is in them.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    entries: Vec<Entry>,
    free_entries: Vec<u32>,
    elements: Vec<Element>,
    free_elements: Vec<u32>,
}

impl Buffers {
    /// Records an element.
    pub(super) fn element(&mut self, start: u64, label: u32) -> u32 {
        let element = Element { start, label, entries: 0, given: false };
        place(&mut self.elements, &mut self.free_elements, element)
    }

    /// `add`: an element goes into the empty buffer of a new configuration.
    pub(super) fn add(&mut self, element: u32) -> Buffer {
        self.elements[element as usize].entries += 1;
        let entry = Entry { element, next: NONE };
        let at = place(&mut self.entries, &mut self.free_entries, entry);
        Buffer { head: at, tail: at }
    }

    /// `upload`: everything goes to the end of another buffer.
    pub(super) fn upload(&mut self, from: Buffer, to: &mut Buffer) {
        if from.is_empty() {
            return;
        }
        if to.is_empty() {
            to.head = from.head;
        } else {
            self.entries[to.tail as usize].next = from.head;
        }
        to.tail = from.tail;
    }

    /// Drops a buffer; `give` sees every element that was not seen before.
    pub(super) fn drain(&mut self, buffer: Buffer, mut give: impl FnMut(Element)) {
        self.release(buffer, |element| {
            if !element.given {
                element.given = true;
                give(*element);
            }
        });
    }

    /// Drops a buffer unseen.
    pub(super) fn discard(&mut self, buffer: Buffer) {
        self.release(buffer, |_| {});
    }

    fn release(&mut self, buffer: Buffer, mut see: impl FnMut(&mut Element)) {
        let mut at = buffer.head;
        while at != NONE {
            let Entry { element: number, next } = self.entries[at as usize];
            self.free_entries.push(at);
            let element = &mut self.elements[number as usize];
            see(element);
            element.entries -= 1;
            if element.entries == 0 {
                self.free_elements.push(number);
            }
            at = next;
        }
    }

    /// Most entries so far: the arena never shrinks.
    pub(super) fn peak(&self) -> usize {
        self.entries.len()
    }
}

fn place<T>(arena: &mut Vec<T>, free: &mut Vec<u32>, value: T) -> u32 {
    match free.pop() {
        Some(at) => {
            arena[at as usize] = value;
            at
        }
        None => {
            arena.push(value);
            arena.len() as u32 - 1
        }
    }
}
