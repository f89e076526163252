//! Shared blocks: all pairs `SEQ(a, b)` or triples `SEQ(a, b, c)` within the longest window, made
//! once and used by every pattern that contains them before its last operand.
//!
//! A block is sorted, so what may follow an event is the rest of its list. It stays valid until the
//! next event of its last class: others can only begin, not complete one of its rows.

use super::windows::Windows;

/// Blocks of so many rows or more are not made: their users walk over the classes instead.
const MOST_ROWS: usize = 1 << 16;

/// Rows of `T` indices, sorted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block<const T: usize> {
    /// The classes, and for each but the last the column of the next one.
    steps: Vec<(u32, u32)>,
    rows: Vec<[u64; T]>,
    /// Where the rows of each event of the first class begin.
    begins: Vec<u32>,
    /// What the first of them is in the count of the events of its class.
    from: u32,
    made_for: Option<(u64, u32)>,
}

impl<const T: usize> Block<T> {
    pub(crate) fn new(steps: &[(u32, u32)]) -> Self {
        debug_assert!(steps.len() == T && T > 1);
        Block { steps: steps.to_vec(), ..Block::default() }
    }

    /// How many rows there can be at most.
    fn bound(&self, windows: &Windows) -> usize {
        let alive = self.steps.iter().map(|&(class, _)| windows.of(class).alive());
        alive.fold(1, usize::saturating_mul)
    }

    /// Makes the block valid for a stream or partition, whose oldest event has a serial; gives whether
    /// it had to be made anew, or nothing if it is too large.
    pub(crate) fn refresh(&mut self, scope: u64, windows: &Windows, oldest: u64) -> Option<bool> {
        let stamp = (scope, windows.of(self.steps[T - 1].0).total());
        if self.made_for == Some(stamp) {
            return Some(false);
        }
        self.made_for = None;
        if self.bound(windows) >= MOST_ROWS {
            return None;
        }
        let first = windows.of(self.steps[0].0);
        let begin = first.first_from(oldest);
        self.rows.clear();
        self.begins.clear();
        self.from = first.dropped().wrapping_add(begin as u32);
        let second = windows.of(self.steps[1].0);
        for at in begin..first.len() {
            self.begins.push(self.rows.len() as u32);
            let next = first.next(at, self.steps[0].1, second.dropped());
            self.extend(windows, first.row(at), next);
        }
        self.made_for = Some(stamp);
        Some(true)
    }

    /// Adds the rows that begin with an event; `next` is the first of the second class behind it.
    #[inline]
    fn extend(&mut self, windows: &Windows, row: u64, next: usize) {
        let second = windows.of(self.steps[1].0);
        if T == 2 {
            self.rows.extend(second.rows_from(next).iter().map(|&end| {
                let mut rows = [row; T];
                rows[1] = end;
                rows
            }));
            return;
        }
        let third = windows.of(self.steps[2].0);
        for at in next..second.len() {
            let middle = second.row(at);
            let ends = third.rows_from(second.next(at, self.steps[1].1, third.dropped()));
            if ends.is_empty() {
                return;
            }
            self.rows.extend(ends.iter().map(|&end| {
                let mut rows = [row; T];
                rows[1] = middle;
                rows[2] = end;
                rows
            }));
        }
    }

    /// The rows that begin with the event of an index in the window of the first class, or later.
    #[inline]
    pub(crate) fn rows_from(&self, at: usize, dropped: u32) -> &[[u64; T]] {
        let event = dropped.wrapping_add(at as u32).wrapping_sub(self.from) as usize;
        match self.begins.get(event) {
            Some(&begin) => &self.rows[begin as usize..],
            None => &[],
        }
    }

    /// How many rows it holds.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.rows.capacity() * size_of::<[u64; T]>()
            + self.begins.capacity() * size_of::<u32>()
    }
}
