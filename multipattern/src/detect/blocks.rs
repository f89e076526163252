//! Shared blocks: all pairs `SEQ(a, b)` within the longest window, found once for every pattern that
//! has them before its last operand.
//!
//! A block is sorted, so what may follow an event is the rest of its list. It is valid until the next
//! event of its last class, since others can begin rows, but not complete them.

use super::windows::{ClassWindow, SLACK, Windows};
use crate::heap::heap;

/// Blocks of so many rows or more are not made: their users walk over the classes instead.
const MOST_ROWS: usize = 1 << 16;

/// Pairs are worth writing down if so many patterns have them: to find them anew is as quick, if they
/// are not used very often before they are made again.
pub(crate) const LEAST_USERS: u32 = 32;

/// The pairs of two classes.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    first: u32,
    /// In the window of the first class.
    column: u32,
    second: u32,
    users: u32,
    /// The rows; so many count as `length` says.
    rows: Vec<[u64; 2]>,
    length: usize,
    /// Where the rows of each event of the first class begin.
    begins: Vec<u32>,
    /// The same by the serials of these events modulo 64.
    slots: [u32; 64],
    /// What the first of them is in the count of the events of its class.
    from: u32,
    made_for: Option<(u64, u32)>,
}

impl Block {
    /// Of a class, with the column of the second one, and that one.
    pub(crate) fn new((first, column): (u32, u32), second: u32) -> Self {
        Block {
            first,
            column,
            second,
            users: 0,
            rows: Vec::new(),
            length: 0,
            begins: Vec::new(),
            slots: [0; 64],
            from: 0,
            made_for: None,
        }
    }

    /// A pattern has it.
    pub(crate) fn add_user(&mut self) {
        self.users += 1;
    }

    /// Whether so many patterns have it that it is worth while to write it down.
    #[inline]
    pub(crate) fn has_users(&self) -> bool {
        self.users >= LEAST_USERS
    }

    /// Makes the block valid for a stream or partition whose oldest event has a serial; gives whether
    /// it had to be made anew, or nothing if it would be too large.
    #[inline]
    pub(crate) fn refresh(&mut self, scope: u64, windows: &Windows, oldest: u64) -> Option<bool> {
        let stamp = (scope, windows.total(self.second));
        if self.made_for == Some(stamp) {
            return Some(false);
        }
        self.made_for = None;
        let (first, second) = (windows.of(self.first), windows.of(self.second));
        if first.alive().saturating_mul(second.alive()) >= MOST_ROWS {
            return None;
        }
        self.make(first, second, oldest);
        self.made_for = Some(stamp);
        Some(true)
    }

    fn make(&mut self, first: &ClassWindow, second: &ClassWindow, oldest: u64) {
        let begin = first.first_from(oldest);
        self.from = first.dropped().wrapping_add(begin as u32);
        self.begins.clear();
        let mut length = 0;
        for at in begin..first.len() {
            let ends = second.rows_and_slack(first.next(at, self.column, second.dropped()));
            let many = ends.len() - SLACK;
            if many == 0 {
                break;
            }
            self.begins.push(length as u32);
            self.slots[first.serial(at) as usize & 63] = length as u32;
            if self.rows.len() < length + many + SLACK {
                self.rows.resize((length + many) * 2 + SLACK, [0; 2]);
            }
            let row = first.row(at);
            let mut done = 0;
            // Always a few at once, and those that are none are written over: most lists are short,
            // and where they end cannot be foreseen.
            while done < many {
                let rows = &mut self.rows[length + done..length + done + SLACK];
                for (to, end) in rows.iter_mut().zip(&ends[done..done + SLACK]) {
                    *to = [row, *end];
                }
                done += SLACK;
            }
            length += many;
        }
        self.length = length;
    }

    /// The rows that begin with the event of an index in the window of the first class, or later.
    #[inline]
    pub(crate) fn rows_from(&self, at: usize, dropped: u32) -> &[[u64; 2]] {
        let event = dropped.wrapping_add(at as u32).wrapping_sub(self.from) as usize;
        match self.begins.get(event) {
            Some(&begin) => &self.rows[begin as usize..self.length],
            None => &[],
        }
    }

    /// The rows by serials; of events that are at most 64 old.
    #[inline]
    pub(crate) fn pairs(&self) -> Pairs<'_> {
        Pairs { rows: &self.rows[..self.length], slots: &self.slots }
    }

    /// Whether it is valid for what it was refreshed for last.
    pub(crate) fn is_made(&self) -> bool {
        self.made_for.is_some()
    }

    /// How many rows it holds.
    pub(crate) fn len(&self) -> usize {
        self.length
    }
}

/// The rows of a block, where at most 64 events are in the window.
pub(crate) struct Pairs<'b> {
    rows: &'b [[u64; 2]],
    slots: &'b [u32; 64],
}

impl Pairs<'_> {
    /// The rows that begin with an event that something follows, or with a later one.
    #[inline(always)]
    pub(crate) fn from(&self, serial: u64) -> &[[u64; 2]] {
        &self.rows[self.slots[serial as usize & 63] as usize..]
    }
}

heap! {
    Block { rows, begins }
}
