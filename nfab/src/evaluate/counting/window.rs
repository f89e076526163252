//! Counting the matches in a sliding window in constant time an event.
//!
//! The matches that an event completes are the words that lead from the first event of the window
//! to it, so their number lies in the product of the [matrices](super::labelled) of the events in
//! between. An event enters the window at one end and another leaves at the other, but a product
//! cannot be divided by what leaves. Two stacks avoid it:
//!
//! - the *back* is the product of the newer events; an event that enters is multiplied from the right,
//!   which changes only those columns that its matrix does;
//! - the *front* has, for each of the older events, the product of it and all after it in the
//!   front. Only the row of state 0 is needed of it, as matches begin there. An event that leaves is
//!   the top of this stack.
//!
//! When the front is used up, the events of the back are taken over from the newest to the oldest:
//! each event is taken over once, so that with Q states an event costs O(Q) for each column that
//! changes, twice, whatever the length of the window. (A single event that finds the front used up
//! pays for all of them.)
//!
//! Numbers saturate: with `min(x, 2^64 - 1)` for each of them, sums and products of numbers that are
//! not negative come out as `min` of the true result. A count is exact below `u64::MAX`.

use super::labelled::{Labelled, Matrix};

/// The two stacks. Whoever owns them has the events: first those of the front.
#[derive(Debug, Default)]
pub(in crate::evaluate) struct Window {
    /// The number of states.
    width: usize,
    /// A row for each event of the front, that of the oldest event last.
    front: Vec<u64>,
    /// The product of the back, column by column.
    back: Vec<u64>,
    in_back: usize,
    spare: Vec<u64>,
}

impl Window {
    /// Without events.
    pub(in crate::evaluate) fn reset(&mut self, width: usize) {
        self.width = width;
        self.front.clear();
        self.unit();
    }

    pub(in crate::evaluate) fn width(&self) -> usize {
        self.width
    }

    fn unit(&mut self) {
        self.in_back = 0;
        self.back.clear();
        self.back.resize(self.width * self.width, 0);
        for state in 0..self.width {
            self.back[state * self.width + state] = 1;
        }
    }

    /// How many events there are.
    pub(in crate::evaluate) fn len(&self) -> usize {
        self.front.len().checked_div(self.width).unwrap_or(0) + self.in_back
    }

    /// An event enters.
    pub(super) fn push(&mut self, matrix: &Matrix) {
        let Window { width, back, spare, .. } = self;
        let width = *width;
        let column = |state: u32| state as usize * width..(state as usize + 1) * width;
        if let [(target, letters)] = matrix.columns.as_slice()
            && let &[one @ (_, 1), other @ (_, 1)] = letters.as_slice()
            && let Some(from) = other_than(*target, one.0, other.0)
        {
            // One state gets runs from another one: the usual case, in place.
            let (from, target) = (column(from).start, column(*target).start);
            for row in 0..width {
                back[target + row] = back[target + row].saturating_add(back[from + row]);
            }
        } else {
            spare.clear();
            for (_, letters) in &matrix.columns {
                let at = spare.len();
                spare.resize(at + width, 0);
                for &(from, times) in letters {
                    add(&mut spare[at..], &back[column(from)], times);
                }
            }
            for ((target, _), new) in matrix.columns.iter().zip(spare.chunks_exact(width)) {
                back[column(*target)].copy_from_slice(new);
            }
        }
        self.in_back += 1;
    }

    /// The oldest event leaves. `event` gives the matrix of each event from the oldest, and all of
    /// them know `width` states.
    pub(super) fn pop(&mut self, labelled: &Labelled, event: impl Fn(usize) -> u32) {
        if self.front.is_empty() {
            self.turn_over(labelled, event);
        }
        self.front.truncate(self.front.len().saturating_sub(self.width));
    }

    fn turn_over(&mut self, labelled: &Labelled, event: impl Fn(usize) -> u32) {
        let width = self.width;
        let events = self.in_back;
        self.unit();
        // The back serves as the product, row by row.
        let product = &mut self.back;
        let row = |state: u32| state as usize * width..(state as usize + 1) * width;
        self.front.reserve(events * width);
        for at in (0..events).rev() {
            let matrix = labelled.get(event(at));
            self.spare.clear();
            for (_, letters) in &matrix.rows {
                let at = self.spare.len();
                self.spare.resize(at + width, 0);
                for &(to, times) in letters {
                    add(&mut self.spare[at..], &product[row(to)], times);
                }
            }
            for ((from, _), new) in matrix.rows.iter().zip(self.spare.chunks_exact(width)) {
                product[row(*from)].copy_from_slice(new);
            }
            self.front.extend_from_slice(&product[row(0)]);
        }
        self.unit();
    }

    /// How many matches an event completes that comes after all of these.
    pub(super) fn count(&self, matrix: &Matrix) -> u64 {
        let width = self.width;
        let front = self.front.len().checked_sub(width).map(|at| &self.front[at..]);
        let mut all = 0_u64;
        for &(state, times) in &matrix.ends {
            let column = &self.back[state as usize * width..(state as usize + 1) * width];
            let words = match front {
                None => column[0],
                Some(row) => (row.iter().zip(column))
                    .fold(0, |sum: u64, (a, b)| sum.saturating_add(a.saturating_mul(*b))),
            };
            all = all.saturating_add(words.saturating_mul(times));
        }
        all
    }

    pub(in crate::evaluate) fn bytes(&self) -> usize {
        (self.front.capacity() + self.back.capacity()) * size_of::<u64>()
    }
}

/// Adds a multiple.
fn add(to: &mut [u64], from: &[u64], times: u64) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = to.saturating_add(from.saturating_mul(times));
    }
}

/// The other one of two, if one of them is the given one.
fn other_than(given: u32, one: u32, other: u32) -> Option<u32> {
    if one == given { Some(other) } else { (other == given).then_some(one) }
}
