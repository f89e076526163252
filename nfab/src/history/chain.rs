//! The chain buffer: an append-only arena in which every cell points to the one before it.

use super::{Entry, EventIndex, History, Marks, Moved, Tail};

/// No cell.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Cell {
    event: EventIndex,
    stage: u32,
    /// Always smaller than the cell's own place.
    previous: u32,
}

/// Runs that have a beginning in common share its cells: a run that forks appends two cells with
/// the same predecessor. Nothing is counted while events flow; garbage is found by marking, which
/// takes two passes over the arena since a cell only points to earlier ones.
#[derive(Debug)]
pub(crate) struct ChainBuffer {
    cells: Vec<Cell>,
}

impl ChainBuffer {
    /// For so many stages.
    pub(crate) fn new(_stages: usize) -> Self {
        ChainBuffer { cells: Vec::new() }
    }
}

impl History for ChainBuffer {
    fn append(&mut self, tail: &Tail, entry: Entry) -> Tail {
        let Entry { stage, event, .. } = entry;
        self.cells.push(Cell { event, stage, previous: tail.0 });
        Tail((self.cells.len() - 1) as u32)
    }

    fn events(&self, tail: &Tail, into: &mut Vec<(u32, EventIndex)>) {
        into.clear();
        let mut at = tail.0;
        while at != NONE {
            let cell = self.cells[at as usize];
            into.push((cell.stage, cell.event));
            at = cell.previous;
        }
        into.reverse();
    }

    fn expire(&mut self, _before: i64) {}

    fn cells(&self) -> usize {
        self.cells.len()
    }

    fn edges(&self) -> usize {
        self.cells.len()
    }

    fn bytes(&self) -> usize {
        self.cells.capacity() * size_of::<Cell>()
    }

    fn capacity(&self) -> usize {
        1 << 31
    }

    fn compact<'t>(&mut self, tails: impl Iterator<Item = &'t mut Tail>, used: &mut Marks) {
        let mut tails: Vec<&mut Tail> = tails.filter(|t| t.0 != NONE).collect();
        // First which cells are live, then their new places.
        let mut places = vec![NONE; self.cells.len()];
        for tail in &tails {
            places[tail.0 as usize] = 0;
        }
        for at in (0..self.cells.len()).rev() {
            let cell = self.cells[at];
            if places[at] != NONE {
                used.mark(cell.event);
                if cell.previous != NONE {
                    places[cell.previous as usize] = 0;
                }
            }
        }
        let mut live = 0;
        for at in 0..self.cells.len() {
            if places[at] != NONE {
                places[at] = live;
                let mut cell = self.cells[at];
                if cell.previous != NONE {
                    cell.previous = places[cell.previous as usize];
                }
                self.cells[live as usize] = cell;
                live += 1;
            }
        }
        self.cells.truncate(live as usize);
        self.cells.shrink_to(2 * live as usize);
        for tail in &mut tails {
            tail.0 = places[tail.0 as usize];
        }
    }

    fn renumber(&mut self, moved: &Moved) {
        for cell in &mut self.cells {
            cell.event = moved.to(cell.event);
        }
    }
}
