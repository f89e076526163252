//! The runs of one partition that wait in the same place.

use crate::history::Tail;
use crate::predicate::register::Register;

use super::super::evaluator::Key;

/// A partial match. Its registers lie beside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) tail: Tail,
    pub(crate) length: u32,
    /// The number of its first event.
    pub(crate) start: u64,
    /// What the window measures of its first event.
    pub(crate) key: Key,
    /// The time of its last event.
    pub(crate) last: i64,
    /// The time at which it came to wait here.
    pub(crate) entered: i64,
    /// It was a match.
    pub(crate) matched: bool,
}

/// Which runs have ended because a window has passed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The least key that is still in the window.
    pub(crate) key: Key,
    /// The least time of a last event that is still near enough. A window passes when time advances
    /// while a run waits for it.
    pub(crate) last: i64,
    pub(crate) now: i64,
    /// All have.
    pub(crate) end: bool,
}

impl Bounds {
    pub(crate) fn passed(&self, run: &Run) -> bool {
        run.key < self.key || (run.last < self.last && run.entered < self.now) || self.end
    }
}

/// Runs with a lower bound of what windows look at, so that most of the time nobody looks at each.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    pub(crate) wait: u32,
    /// The runs before this place are gone.
    head: usize,
    runs: Vec<Run>,
    /// Of each run in turn, `width` each.
    registers: Vec<Register>,
    width: usize,
    oldest: Key,
    oldest_last: i64,
    /// Keys do not descend.
    sorted: bool,
    /// Clean up when there are so many.
    sweep_at: usize,
}

impl Bucket {
    pub(crate) fn new(wait: u32, width: usize) -> Bucket {
        Bucket {
            wait,
            head: 0,
            runs: Vec::new(),
            registers: Vec::new(),
            width,
            oldest: Key::MAX,
            oldest_last: i64::MAX,
            sorted: true,
            sweep_at: 0,
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.runs.len() - self.head
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.len() == self.head
    }

    /// The places of the runs.
    #[inline]
    pub(crate) fn places(&self) -> std::ops::Range<usize> {
        self.head..self.runs.len()
    }

    #[inline]
    pub(crate) fn run(&self, at: usize) -> &Run {
        &self.runs[at]
    }

    #[inline]
    pub(crate) fn registers(&self, at: usize) -> &[Register] {
        &self.registers[at * self.width..(at + 1) * self.width]
    }

    /// The first of some places whose registers are wanted, or the end.
    #[inline]
    pub(crate) fn position(
        &self,
        places: std::ops::Range<usize>,
        wanted: impl FnMut(&[Register]) -> bool,
    ) -> usize {
        let registers = &self.registers[places.start * self.width..places.end * self.width];
        let found = registers.chunks_exact(self.width).position(wanted);
        found.map_or(places.end, |at| places.start + at)
    }

    /// The registers of the run added last.
    #[inline]
    pub(crate) fn newest_registers(&mut self) -> &mut [Register] {
        let from = self.registers.len() - self.width;
        &mut self.registers[from..]
    }

    /// A run to be changed; its key stays.
    #[inline]
    pub(crate) fn both_mut(&mut self, at: usize) -> (&mut Run, &mut [Register]) {
        let registers = &mut self.registers[at * self.width..(at + 1) * self.width];
        (&mut self.runs[at], registers)
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Run> {
        self.runs[self.head..].iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Run> {
        self.runs[self.head..].iter_mut()
    }

    /// Adds a run.
    #[inline]
    pub(crate) fn push(&mut self, run: Run, registers: impl Iterator<Item = Register>) {
        if let Some(newest) = self.runs.last() {
            self.sorted &= newest.key <= run.key;
        }
        self.oldest = self.oldest.min(run.key);
        self.oldest_last = self.oldest_last.min(run.last);
        self.runs.push(run);
        if self.width > 0 {
            self.registers.extend(registers);
        }
    }

    /// Adds the runs of another one.
    pub(crate) fn append(&mut self, other: &mut Bucket) {
        let mut registers = other.registers.drain(other.head * other.width..);
        for run in other.runs.drain(other.head..) {
            self.push(run, registers.by_ref().take(other.width));
        }
        drop(registers);
        other.clear();
    }

    /// Moves the run at a place to an earlier one, which nobody needs any more.
    #[inline]
    pub(crate) fn shift(&mut self, from: usize, to: usize) {
        self.runs.swap(from, to);
        for i in 0..self.width {
            self.registers.swap(from * self.width + i, to * self.width + i);
        }
    }

    /// Removes the runs at some places.
    pub(crate) fn remove(&mut self, places: std::ops::Range<usize>) {
        if places.is_empty() {
            return;
        }
        let of = |at: usize| at * self.width;
        self.registers.drain(of(places.start)..of(places.end));
        self.runs.drain(places);
        self.check_empty();
    }

    pub(crate) fn clear(&mut self) {
        self.head = 0;
        self.runs.clear();
        self.registers.clear();
        self.check_empty();
    }

    fn check_empty(&mut self) {
        if self.runs.len() == self.head {
            self.runs.clear();
            self.registers.clear();
            self.head = 0;
            (self.oldest, self.oldest_last) = (Key::MAX, i64::MAX);
            self.sorted = true;
            self.sweep_at = 0;
        }
    }

    /// A window of some run may have passed.
    #[inline]
    pub(crate) fn may_pass(&self, bounds: &Bounds) -> bool {
        self.oldest < bounds.key || self.oldest_last < bounds.last || bounds.end
    }

    /// Cleaning up costs little, or is paid for by the runs added since the last time.
    #[inline]
    pub(crate) fn worth_sweeping(&self, bounds: &Bounds) -> bool {
        (self.sorted && self.oldest_last >= bounds.last) || self.len() >= self.sweep_at
    }

    /// Removes the runs whose window has passed; each is shown before. Gives how many there were.
    pub(crate) fn sweep(
        &mut self,
        bounds: &Bounds,
        mut gone: impl FnMut(&Run, &[Register]),
    ) -> usize {
        let before = self.len();
        if self.sorted && self.oldest_last >= bounds.last && !bounds.end {
            while self.head < self.runs.len() && self.runs[self.head].key < bounds.key {
                gone(&self.runs[self.head], self.registers(self.head));
                self.head += 1;
            }
            let gone = before - self.len();
            self.oldest = self.runs.get(self.head).map_or(Key::MAX, |run| run.key);
            if self.head > self.runs.len() / 2 {
                self.registers.drain(..self.head * self.width);
                self.runs.drain(..self.head);
                self.head = 0;
            }
            self.check_empty();
            return gone;
        }
        self.retain(|run, registers| {
            let passed = bounds.passed(run);
            if passed {
                gone(run, registers);
            }
            !passed
        });
        self.sweep_at = 2 * self.len() + 16;
        before - self.len()
    }

    /// Keeps the runs that are wanted.
    pub(crate) fn retain(&mut self, mut wanted: impl FnMut(&Run, &[Register]) -> bool) {
        let mut keep = self.head;
        (self.oldest, self.oldest_last) = (Key::MAX, i64::MAX);
        self.sorted = true;
        let mut newest = Key::MIN;
        for at in self.places() {
            let run = self.runs[at];
            if !wanted(&run, self.registers(at)) {
                continue;
            }
            self.oldest = self.oldest.min(run.key);
            self.oldest_last = self.oldest_last.min(run.last);
            self.sorted &= newest <= run.key;
            newest = run.key;
            if keep != at {
                self.shift(at, keep);
            }
            keep += 1;
        }
        self.registers.truncate(keep * self.width);
        self.runs.truncate(keep);
        self.check_empty();
    }
}

/// The bucket of a wait. They are in the order of the waits.
#[inline]
pub(crate) fn find(buckets: &mut Vec<Bucket>, wait: u32, width: usize) -> &mut Bucket {
    let at = match buckets.get(wait as usize) {
        Some(bucket) if bucket.wait == wait => wait as usize,
        _ => match buckets.binary_search_by_key(&wait, |bucket| bucket.wait) {
            Ok(at) => at,
            Err(at) => {
                buckets.insert(at, Bucket::new(wait, width));
                at
            }
        },
    };
    &mut buckets[at]
}

/// The bucket of a wait among some that are in the order of the waits.
#[inline]
pub(crate) fn find_in(buckets: &mut [Bucket], wait: u32) -> Option<&mut Bucket> {
    let first = buckets.first()?.wait;
    let near = wait.checked_sub(first)? as usize;
    let at = match buckets.get(near) {
        Some(bucket) if bucket.wait == wait => near,
        _ => buckets.binary_search_by_key(&wait, |bucket| bucket.wait).ok()?,
    };
    buckets.get_mut(at)
}
