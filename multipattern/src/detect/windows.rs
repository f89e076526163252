//! The events of each class that are in the longest window, in their order.
//!
//! What a pattern needs to know of an event is how many events of its next class came before: with
//! the event it is written down once, so that the events that can follow it are the rest of that
//! class's list. No window is ever shifted or searched, however long it is.

/// Which counts are written down with the events of each class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// By class, the classes that come next in some pattern.
    followers: Vec<Vec<u32>>,
}

impl Layout {
    pub(crate) fn new(classes: usize) -> Self {
        Layout { followers: vec![Vec::new(); classes] }
    }

    /// The column of a follower of a class.
    pub(crate) fn column(&mut self, class: u32, follower: u32) -> u32 {
        let followers = &mut self.followers[class as usize];
        match followers.iter().position(|&own| own == follower) {
            Some(column) => column as u32,
            None => {
                followers.push(follower);
                followers.len() as u32 - 1
            }
        }
    }
}

/// The events of one class.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassWindow {
    /// Their serials; those before `head` are out of every window.
    serials: Vec<u64>,
    /// Their indices in the stream.
    rows: Vec<u64>,
    /// For each event, and for each follower of the class, how many events of the follower there had
    /// been, this one included.
    counts: Vec<u32>,
    columns: usize,
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

    /// How many events there have been.
    #[inline]
    pub(crate) fn total(&self) -> u32 {
        self.dropped.wrapping_add(self.serials.len() as u32)
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
        self.counts[at * self.columns + column as usize].wrapping_sub(dropped) as usize
    }

    fn push(&mut self, serial: u64, row: u64, oldest: u64) {
        while self.serials.get(self.head).is_some_and(|&own| own < oldest) {
            self.head += 1;
        }
        if self.head >= 32 && self.head * 2 >= self.serials.len() {
            self.serials.drain(..self.head);
            self.rows.drain(..self.head);
            self.counts.drain(..self.head * self.columns);
            self.dropped = self.dropped.wrapping_add(self.head as u32);
            self.head = 0;
        }
        self.serials.push(serial);
        self.rows.push(row);
    }

    fn bytes(&self) -> usize {
        (self.serials.capacity() + self.rows.capacity()) * size_of::<u64>()
            + self.counts.capacity() * size_of::<u32>()
    }
}

/// The events of all classes of a stream or a partition.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    /// By class, the place of its window; 0 while it had no event.
    places: Vec<u32>,
    /// The first is empty.
    windows: Vec<ClassWindow>,
}

impl Default for Windows {
    fn default() -> Self {
        Windows { places: Vec::new(), windows: vec![ClassWindow::default()] }
    }
}

impl Windows {
    #[inline]
    pub(crate) fn of(&self, class: u32) -> &ClassWindow {
        let place = self.places.get(class as usize).copied().unwrap_or(0);
        &self.windows[place as usize]
    }

    /// Adds an event to each of its classes, and forgets those that are older than all windows.
    pub(crate) fn push(
        &mut self,
        layout: &Layout,
        classes: &[u32],
        serial: u64,
        row: u64,
        oldest: u64,
    ) {
        for &class in classes {
            if self.places.len() <= class as usize {
                self.places.resize(class as usize + 1, 0);
            }
            let place = &mut self.places[class as usize];
            if *place == 0 {
                *place = self.windows.len() as u32;
                let columns = layout.followers[class as usize].len();
                self.windows.push(ClassWindow { columns, ..ClassWindow::default() });
            }
            self.windows[*place as usize].push(serial, row, oldest);
        }
        for &class in classes {
            for &follower in &layout.followers[class as usize] {
                let count = self.of(follower).total();
                let place = self.places[class as usize];
                self.windows[place as usize].counts.push(count);
            }
        }
    }

    /// The bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<u32>()
            + self
                .windows
                .iter()
                .map(|window| window.bytes() + size_of::<ClassWindow>())
                .sum::<usize>()
    }
}
