//! The events of each class that are in the longest window, in their order.
//!
//! What a pattern needs to know of an event is how many events of its next class came before: with
//! the event it is written down once, so that the events that can follow it are the rest of that
//! class's list; and likewise of the class before, the beginning of whose list it can follow. No window
//! is ever shifted or searched, however long it is.

use std::iter::once;

use crate::heap::heap;

/// Which counts are written down with the events of each class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// By class, the classes that come next in some pattern.
    followers: Vec<Vec<u32>>,
    /// By class, those that come before it.
    leaders: Vec<Vec<u32>>,
    /// No event belongs to two classes.
    is_plain: bool,
}

impl Layout {
    pub(crate) fn new(classes: usize) -> Self {
        let others = vec![Vec::new(); classes];
        Layout { followers: others.clone(), leaders: others, is_plain: false }
    }

    /// Where no event belongs to two classes. Then an event counts only in its own class, so that in any
    /// other one there have been as many with it as before it, and one column serves both ways. The first
    /// column is that of its own class as a follower.
    pub(crate) fn plain(classes: usize) -> Self {
        let all = 0..classes as u32;
        let others = if classes <= FEW { all.clone() } else { 0..0 };
        let leaders = all.map(|class| once(class).chain(others.clone()).collect()).collect();
        Layout { followers: vec![Vec::new(); classes], leaders, is_plain: true }
    }

    /// Whether each class has a column for each other one, in their order.
    #[inline]
    fn has_all(&self) -> bool {
        self.leaders.len() <= FEW
    }

    /// Makes most classes have as many columns as others, so that where writing them down ends can be
    /// foreseen.
    pub(crate) fn even_out(&mut self) {
        if self.has_all() {
            return;
        }
        for own in &mut self.leaders {
            own.resize(own.len().next_multiple_of(EVEN), own[0]);
        }
    }

    /// The column of a follower of a class.
    pub(crate) fn column(&mut self, class: u32, follower: u32) -> u32 {
        match self.is_plain {
            false => column(&mut self.followers[class as usize], 0, follower),
            true if follower == class => 0,
            true => column(&mut self.leaders[class as usize], 1, follower),
        }
    }

    /// The column of a class that comes before one.
    pub(crate) fn column_before(&mut self, class: u32, leader: u32) -> u32 {
        column(&mut self.leaders[class as usize], usize::from(self.is_plain), leader)
    }
}

/// So few classes are all counted for each event: to copy all of their numbers is quicker than to find
/// those that are wanted.
const FEW: usize = 32;

/// Columns are made up to a multiple of this.
const EVEN: usize = 8;

fn column(others: &mut Vec<u32>, from: usize, other: u32) -> u32 {
    match others[from..].iter().position(|&own| own == other) {
        Some(column) => (from + column) as u32,
        None => {
            others.push(other);
            others.len() as u32 - 1
        }
    }
}

/// Lists can be read so many numbers beyond their ends.
pub(crate) const SLACK: usize = 4;

/// The events of one class.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassWindow {
    /// Their serials; those before `head` are out of every window.
    serials: Vec<u64>,
    /// Their indices in the stream, and [`SLACK`] more numbers.
    rows: Vec<u64>,
    /// For each event a row: for each class that comes before its own, how many events of that class
    /// there had been, this one not included; then for each follower the same, this one included.
    counts: Vec<u32>,
    columns: usize,
    /// How many of them are of classes before.
    leaders: usize,
    head: usize,
    /// How many events were dropped before the first serial, modulo 2^32 as all counts.
    dropped: u32,
}

impl ClassWindow {
    /// Indices of its events are below this.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.serials.len()
    }

    /// How many events are in the window.
    pub(crate) fn alive(&self) -> usize {
        self.serials.len() - self.head
    }

    #[inline]
    pub(crate) fn dropped(&self) -> u32 {
        self.dropped
    }

    #[inline]
    pub(crate) fn serial(&self, at: usize) -> u64 {
        self.serials[at]
    }

    #[inline]
    pub(crate) fn row(&self, at: usize) -> u64 {
        self.rows[at]
    }

    /// The rows of the events from one on.
    #[inline]
    pub(crate) fn rows_from(&self, at: usize) -> &[u64] {
        &self.rows[at..self.serials.len()]
    }

    /// The rows of the events from one on, and what stands behind them: so many as there are.
    #[inline]
    pub(crate) fn rows_and_slack(&self, at: usize) -> &[u64] {
        &self.rows[at..]
    }

    /// The index of the first event that is not before a serial.
    #[inline]
    pub(crate) fn first_from(&self, serial: u64) -> usize {
        let mut at = self.head;
        // Events leave one by one, so that the first one is near.
        for _ in 0..8 {
            match self.serials.get(at) {
                Some(&own) if own < serial => at += 1,
                _ => return at,
            }
        }
        at + self.serials[at..].partition_point(|&own| own < serial)
    }

    /// The index, in the window of a follower, of its first event behind one of this class.
    /// `dropped` is of the follower's window.
    #[inline]
    pub(crate) fn next(&self, at: usize, column: u32, dropped: u32) -> usize {
        self.counts[at * self.columns + self.leaders + column as usize].wrapping_sub(dropped)
            as usize
    }

    /// How many events of a class before its own there had been when an event came, modulo 2^32.
    #[inline(always)]
    pub(crate) fn before(&self, at: usize, column: u32) -> u32 {
        self.counts[at * self.columns + column as usize]
    }

    /// The rows of so many events, if there are as many.
    #[inline(always)]
    pub(crate) fn rows_until(&self, length: usize) -> Option<&[u64]> {
        self.rows.get(..length)
    }

    /// What is [`next`](Self::next) of events: at these multiples of their indices, with nothing taken
    /// off.
    #[inline(always)]
    pub(crate) fn nexts(&self, column: u32) -> (&[u32], usize) {
        let behind = self.counts.get(self.leaders + column as usize..);
        (behind.unwrap_or_default(), self.columns)
    }

    fn expire(&mut self, oldest: u64) {
        while self.serials.get(self.head).is_some_and(|&own| own < oldest) {
            self.head += 1;
        }
    }

    #[inline]
    fn push(&mut self, serial: u64, row: u64) {
        if self.head >= 8 && self.head * 2 >= self.serials.len() {
            self.serials.drain(..self.head);
            self.rows.drain(..self.head);
            self.counts.drain(..self.head * self.columns);
            self.dropped = self.dropped.wrapping_add(self.head as u32);
            self.head = 0;
        }
        let last = self.serials.len();
        self.serials.push(serial);
        if self.rows.is_empty() {
            self.rows.resize(SLACK, 0);
        }
        self.rows[last] = row;
        self.rows.push(0);
    }
}

/// The events of all classes of a stream or a partition.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    /// By class, the place of its window; 0 while it had no event.
    places: Vec<u32>,
    /// By class, how many events there have been.
    totals: Vec<u32>,
    /// By class, which of the last 64 events belong to it: the bit is the serial modulo 64.
    words: Vec<u64>,
    /// The rows of the last 64 events, likewise.
    recent: [u64; 64],
    /// The serial of the first event that the words know nothing of.
    settled: u64,
    /// The first is empty.
    windows: Vec<ClassWindow>,
}

impl Default for Windows {
    fn default() -> Self {
        Windows {
            places: Vec::new(),
            totals: Vec::new(),
            words: Vec::new(),
            recent: [0; 64],
            settled: 0,
            windows: vec![ClassWindow::default()],
        }
    }
}

impl Windows {
    #[inline]
    pub(crate) fn of(&self, class: u32) -> &ClassWindow {
        let place = self.places.get(class as usize).copied().unwrap_or(0);
        &self.windows[place as usize]
    }

    /// Forgets, of the last 64 events, those that are older now that the next one has a serial. Not all
    /// events are shown to all windows.
    #[inline]
    pub(crate) fn settle(&mut self, next: u64) {
        let new = next.saturating_sub(self.settled);
        if new == 0 {
            return;
        }
        let gone = match new {
            1 => 1 << (self.settled & 63),
            2..64 => ((1_u64 << new) - 1).rotate_left(self.settled as u32 & 63),
            _ => u64::MAX,
        };
        for word in &mut self.words {
            *word &= !gone;
        }
        self.settled = next;
    }

    /// Which of the last 64 events belong to a class.
    #[inline]
    pub(crate) fn word(&self, class: u32) -> u64 {
        self.words.get(class as usize).copied().unwrap_or(0)
    }

    /// The same, with the event of a serial as the lowest bit.
    #[inline]
    pub(crate) fn turned(&self, class: u32, low: u64) -> u64 {
        self.word(class).rotate_right(low as u32 & 63)
    }

    /// How many events of a class there have been.
    #[inline]
    pub(crate) fn total(&self, class: u32) -> u32 {
        self.totals.get(class as usize).copied().unwrap_or(0)
    }

    /// The row of one of the last 64 events.
    #[inline(always)]
    pub(crate) fn row_of(&self, serial: u64) -> u64 {
        self.recent[serial as usize & 63]
    }

    /// Makes room for all classes.
    #[inline]
    fn fit(&mut self, layout: &Layout) {
        let known = layout.followers.len();
        if self.places.len() < known {
            self.places.resize(known, 0);
            self.totals.resize(known, 0);
        }
    }

    /// Adds an event to the words of its classes.
    #[inline]
    pub(crate) fn mark(&mut self, layout: &Layout, classes: &[u32], serial: u64, row: u64) {
        if self.words.len() < layout.followers.len() {
            self.words.resize(layout.followers.len(), 0);
        }
        self.settle(serial + 1);
        self.recent[serial as usize & 63] = row;
        for &class in classes {
            self.words[class as usize] |= 1 << (serial & 63);
        }
    }

    /// The first event of a class, of those that are there, is in no window any more.
    #[inline]
    pub(crate) fn drop_first(&mut self, class: u32) {
        let place = self.places.get(class as usize).copied().unwrap_or(0);
        self.windows[place as usize].head += 1;
    }

    /// As [`push`](Self::push), where no event belongs to two classes, and its row is its serial; those
    /// that are in no window were dropped.
    #[inline]
    pub(crate) fn push_one(&mut self, layout: &Layout, class: u32, row: u64) {
        self.fit(layout);
        let others = &layout.leaders[class as usize];
        let place = &mut self.places[class as usize];
        if *place == 0 {
            *place = self.windows.len() as u32;
            let columns = others.len();
            self.windows.push(ClassWindow { columns, ..ClassWindow::default() });
        }
        let window = &mut self.windows[*place as usize];
        window.push(row, row);
        let totals = &mut self.totals[..];
        let total = totals[class as usize].wrapping_add(1);
        window.counts.push(total);
        if layout.has_all() {
            window.counts.extend_from_slice(totals);
        } else {
            window.counts.extend(others[1..].iter().map(|&other| totals[other as usize]));
        }
        totals[class as usize] = total;
    }

    /// Adds an event to the list of each of its classes, and forgets those that are older than all
    /// windows.
    pub(crate) fn push(
        &mut self,
        layout: &Layout,
        classes: &[u32],
        serial: u64,
        row: u64,
        oldest: u64,
    ) {
        self.fit(layout);
        for &class in classes {
            let (place, own) = (&mut self.places[class as usize], class as usize);
            let leaders = &layout.leaders[own];
            if *place == 0 {
                *place = self.windows.len() as u32;
                let columns = leaders.len() + layout.followers[own].len();
                let leaders = leaders.len();
                self.windows.push(ClassWindow { columns, leaders, ..ClassWindow::default() });
            }
            let window = &mut self.windows[*place as usize];
            window.expire(oldest);
            window.push(serial, row);
            let totals = &self.totals;
            window.counts.extend(leaders.iter().map(|&leader| totals[leader as usize]));
        }
        for &class in classes {
            let total = &mut self.totals[class as usize];
            *total = total.wrapping_add(1);
        }
        for &class in classes {
            let followers = &layout.followers[class as usize];
            let window = &mut self.windows[self.places[class as usize] as usize];
            let totals = &self.totals;
            window.counts.extend(followers.iter().map(|&follower| totals[follower as usize]));
        }
    }
}

heap! {
    Layout { followers, leaders }
    ClassWindow { serials, rows, counts }
    Windows { places, totals, words, windows }
}
