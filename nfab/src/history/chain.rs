//! The chain buffer: an append-only arena in which every cell points to the one before it.
//!
//! A cell is eight bytes: the event, the stage that took it and the cell before. Runs that have a
//! beginning in common share its cells, since a run that forks appends two cells with the same
//! predecessor. Nothing is counted while events flow:
//!
//! - with a window, whole chunks go when their newest event is older than what any run can hold;
//! - without one, garbage is found by marking, in two passes over the arena, since a cell only
//!   points to earlier ones.
//!
//! # Eight bytes
//!
//! The stage needs as many bits as there are stages to tell apart; the rest is halved between the
//! places of the event and of the cell before. Both are low bits of absolute places, so it does not
//! matter how many events and cells have gone. With one or two stages 31 bits are left for each,
//! with 256 stages 28, which is 2^27 cells that a buffer may hold.

#[cfg(feature = "serde")]
mod save;

use super::arena::{Arena, widen};
use super::{Entry, EventIndex, History, Marks, Moved, Tail};

/// In the place of a cell's new place: it has none. Read as a place, it is no cell.
const DEAD: u32 = u32::MAX;

/// How a cell is divided: from the lowest bit, the cell before, the event, the stage.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// The bits of a place.
    bits: u32,
    mask: u64,
}

impl Layout {
    fn new(stages: usize) -> Self {
        let stage_bits = usize::BITS - stages.saturating_sub(1).leading_zeros();
        let bits = (64 - stage_bits.max(1)) / 2;
        Layout { bits, mask: (1 << bits) - 1 }
    }

    fn cell(self, stage: u32, event: u64, previous: u64) -> Cell {
        let event = event & self.mask;
        Cell(u64::from(stage) << (2 * self.bits) | event << self.bits | previous & self.mask)
    }

    fn stage(self, cell: Cell) -> u32 {
        (cell.0 >> (2 * self.bits)) as u32
    }

    fn event(self, cell: Cell) -> u64 {
        cell.0 >> self.bits & self.mask
    }

    fn previous(self, cell: Cell) -> u64 {
        cell.0 & self.mask
    }
}

#[derive(Clone, Copy, Debug)]
struct Cell(u64);

/// A cell where a place would read as no cell.
const FILLER: Cell = Cell(0);

/// The default match buffer.
#[derive(Debug)]
pub(crate) struct ChainBuffer {
    cells: Arena<Cell, 10>,
    layout: Layout,
    /// The newest event of a cell.
    newest: EventIndex,
}

impl ChainBuffer {
    /// For so many stages.
    pub(crate) fn new(stages: usize) -> Self {
        Self::starting_at(stages, 0)
    }

    /// The first cell gets this place.
    pub(super) fn starting_at(stages: usize, first: u64) -> Self {
        let layout = Layout::new(stages);
        ChainBuffer { cells: Arena::starting_at(first), layout, newest: 0 }
    }

    /// Where the cell of a tail lies; `None` at the beginning of a run.
    #[inline]
    fn index(&self, place: u64) -> Option<usize> {
        let mask = self.layout.mask;
        (place & mask != mask).then(|| self.cells.find(place, mask))
    }

    #[inline]
    fn push(&mut self, time: i64, cell: Cell) -> u64 {
        // The place that stands for no cell is nobody's.
        if self.cells.next() & self.layout.mask == self.layout.mask {
            self.cells.push(time, FILLER);
        }
        self.cells.push(time, cell)
    }
}

impl History for ChainBuffer {
    const SHOWN: bool = false;

    #[inline]
    fn append(&mut self, tail: &Tail, entry: Entry) -> Tail {
        let Entry { stage, event, time, .. } = entry;
        self.newest = event;
        let cell = self.layout.cell(stage, event, u64::from(tail.0));
        Tail((self.push(time, cell) & self.layout.mask) as u32)
    }

    fn events(&self, tail: &Tail, into: &mut Vec<(u32, EventIndex)>) {
        let Layout { mask, .. } = self.layout;
        into.clear();
        let mut place = u64::from(tail.0);
        while let Some(index) = self.index(place) {
            let cell = *self.cells.at(index);
            let event = widen(self.layout.event(cell), self.newest, mask);
            into.push((self.layout.stage(cell), event));
            place = self.layout.previous(cell);
        }
        into.reverse();
    }

    fn expire(&mut self, before: i64) {
        self.cells.expire(before, |_| ());
    }

    fn cells(&self) -> usize {
        self.cells.len()
    }

    fn edges(&self) -> usize {
        self.cells.len()
    }

    fn bytes(&self) -> usize {
        self.cells.bytes()
    }

    fn capacity(&self) -> usize {
        1 << (self.layout.bits - 1)
    }

    fn compact<'t>(&mut self, tails: impl Iterator<Item = &'t mut Tail>, used: &mut Marks) {
        let layout = self.layout;
        let mut tails: Vec<&mut Tail> = tails.filter(|t| **t != Tail::EMPTY).collect();
        // First which cells are live, then their new places.
        let mut places = vec![DEAD; self.cells.len()];
        for tail in &tails {
            places[self.cells.find(u64::from(tail.0), layout.mask)] = 0;
        }
        for at in (0..self.cells.len()).rev() {
            if places[at] != DEAD {
                let cell = *self.cells.at(at);
                used.mark(widen(layout.event(cell), self.newest, layout.mask));
                if let Some(previous) = self.index(layout.previous(cell)) {
                    places[previous] = 0;
                }
            }
        }
        let mut live = ChainBuffer { cells: Arena::starting_at(self.cells.first()), ..*self };
        for at in 0..self.cells.len() {
            if places[at] != DEAD {
                let cell = *self.cells.at(at);
                let previous = self.index(layout.previous(cell)).map_or(DEAD, |p| places[p]);
                let (stage, event) = (layout.stage(cell), layout.event(cell));
                let cell = layout.cell(stage, event, u64::from(previous));
                let place = live.push(self.cells.time_at(at), cell);
                places[at] = (place & layout.mask) as u32;
            }
        }
        for tail in &mut tails {
            tail.0 = places[self.cells.find(u64::from(tail.0), layout.mask)];
        }
        *self = live;
    }

    fn renumber(&mut self, moved: &Moved) {
        let (layout, before, first) = (self.layout, self.newest, self.cells.first());
        for (at, cell) in self.cells.iter_mut().enumerate() {
            if (first + at as u64) & layout.mask == layout.mask {
                continue;
            }
            let event = moved.to(widen(layout.event(*cell), before, layout.mask));
            // Cells are in the order of their events.
            self.newest = event;
            *cell = layout.cell(layout.stage(*cell), event, layout.previous(*cell));
        }
    }
}
