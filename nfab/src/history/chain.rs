//! The chain buffer: an append-only arena in which every cell points to the one before it.

use super::{EventIndex, History};

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
#[derive(Debug, Default)]
pub(crate) struct ChainBuffer {
    cells: Vec<Cell>,
}

impl History for ChainBuffer {
    type Tail = u32;

    fn empty() -> u32 {
        NONE
    }

    fn append(&mut self, tail: &u32, stage: u32, event: EventIndex) -> u32 {
        self.cells.push(Cell { event, stage, previous: *tail });
        (self.cells.len() - 1) as u32
    }

    fn events(&self, tail: &u32, into: &mut Vec<(u32, EventIndex)>) {
        into.clear();
        let mut at = *tail;
        while at != NONE {
            let cell = self.cells[at as usize];
            into.push((cell.stage, cell.event));
            at = cell.previous;
        }
        into.reverse();
    }

    fn cells(&self) -> usize {
        self.cells.len()
    }

    fn compact<'t>(&mut self, tails: impl Iterator<Item = &'t mut u32>, used: &mut [bool]) {
        let mut tails: Vec<&mut u32> = tails.filter(|t| **t != NONE).collect();
        // First which cells are live, then their new places.
        let mut places = vec![NONE; self.cells.len()];
        for tail in &tails {
            places[**tail as usize] = 0;
        }
        for at in (0..self.cells.len()).rev() {
            let cell = self.cells[at];
            if places[at] != NONE {
                used[cell.event as usize] = true;
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
            **tail = places[**tail as usize];
        }
    }

    fn renumber(&mut self, new_places: &[EventIndex]) {
        for cell in &mut self.cells {
            cell.event = new_places[cell.event as usize];
        }
    }
}
