//! The segments ahead of the one that is certain, for all threads to see.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::document::Document;
use super::segment::{Frames, Segment};
use crate::Sink;

/// Who has nothing to do looks for news so often before it sleeps: waking up takes longer than most
/// segments last.
const LOOKS: u32 = 4_000;
/// And so often lets others run instead, which may be those it waits for.
const LOOKS_A_TURN: u32 = 40;

/// A segment ahead: where it begins and ends, and in what.
#[derive(Clone, Debug)]
pub(super) struct Slot<'p> {
    pub(super) place: u64,
    pub(super) to: u64,
    pub(super) frames: Arc<Frames<'p>>,
}

#[derive(Debug)]
enum Work<T> {
    Waiting,
    Running,
    Done(T),
}

/// The foremost segment ahead.
#[derive(Debug)]
pub(super) enum Next<'p, T> {
    /// There is none.
    None,
    /// Nobody has begun with it, so it was taken away.
    Waiting(Slot<'p>),
    /// Somebody works on it; the news so far.
    Running(usize),
    /// It was done, and taken away.
    Done(Slot<'p>, T),
}

#[derive(Debug)]
struct Queue<'p, T> {
    slots: VecDeque<(Slot<'p>, Work<T>)>,
    /// Slots that were taken away.
    gone: u64,
    /// Threads that sleep.
    asleep: usize,
    /// Segments that are done for, by the thread whose memory they are: memory that another thread
    /// gives back is slow to get and to use.
    spare: BTreeMap<usize, T>,
    /// Nothing is to be done any more.
    closed: bool,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Board<'p, 's, S> {
    queue: Mutex<Queue<'p, Segment<'p, 's, S>>>,
    news: AtomicUsize,
    woken: Condvar,
    /// Bytes of answers that a segment may keep.
    most: usize,
}

impl<'p, 's, S: Sink> Board<'p, 's, S> {
    pub(super) fn new(most: usize) -> Self {
        let spare = BTreeMap::new();
        let queue = Queue { slots: VecDeque::new(), gone: 0, asleep: 0, spare, closed: false };
        Board { queue: Mutex::new(queue), news: AtomicUsize::new(0), woken: Condvar::new(), most }
    }

    /// A thread that failed leaves nothing half done behind.
    fn queue(&self) -> MutexGuard<'_, Queue<'p, Segment<'p, 's, S>>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, queue: MutexGuard<'_, Queue<'p, Segment<'p, 's, S>>>) {
        self.news.fetch_add(1, Ordering::Release);
        if queue.asleep > 0 {
            self.woken.notify_all();
        }
    }

    pub(super) fn add(&self, slots: impl Iterator<Item = Slot<'p>>) {
        let mut queue = self.queue();
        queue.slots.extend(slots.map(|slot| (slot, Work::Waiting)));
        self.tell(queue);
    }

    /// How many segments are ahead, and where the foremost begins.
    pub(super) fn ahead(&self) -> (usize, Option<u64>) {
        let queue = self.queue();
        (queue.slots.len(), queue.slots.front().map(|(slot, _)| slot.place))
    }

    /// The foremost segment.
    pub(super) fn next(&self) -> Next<'p, Segment<'p, 's, S>> {
        let mut queue = self.queue();
        match queue.slots.pop_front() {
            None => Next::None,
            Some((slot, Work::Running)) => {
                queue.slots.push_front((slot, Work::Running));
                Next::Running(self.news.load(Ordering::Acquire))
            }
            Some((slot, work)) => {
                queue.gone += 1;
                match work {
                    Work::Done(segment) => Next::Done(slot, segment),
                    _ => Next::Waiting(slot),
                }
            }
        }
    }

    /// All segments ahead are for nothing.
    pub(super) fn clear(&self) {
        let mut queue = self.queue();
        queue.gone += queue.slots.len() as u64;
        let slots = std::mem::take(&mut queue.slots);
        drop(queue);
        slots.iter().for_each(|(slot, _)| slot.frames.end(0));
    }

    /// No thread shall wait for more.
    pub(super) fn close(&self) {
        self.clear();
        let mut queue = self.queue();
        queue.closed = true;
        self.tell(queue);
    }

    /// A segment is done for.
    pub(super) fn spare(&self, segment: Segment<'p, 's, S>) {
        let before = self.queue().spare.insert(segment.maker, segment);
        drop(before);
    }

    /// Works until the board is closed, as a thread of some number.
    pub(super) fn work(&self, thread: usize, document: Document<'_>) {
        let mut buffer = Vec::new();
        loop {
            let seen = self.news.load(Ordering::Acquire);
            if !self.work_once(thread, document, &mut buffer) {
                if self.queue().closed {
                    return;
                }
                self.wait(seen);
            }
        }
    }

    /// Matches the first segment that waits for it, if there is one.
    pub(super) fn work_once(
        &self,
        thread: usize,
        document: Document<'_>,
        buffer: &mut Vec<u8>,
    ) -> bool {
        let Some((number, slot, spare)) = self.take(thread) else { return false };
        // Whatever happens: who waits for this segment must be told.
        let mut done = Told { board: self, number, segment: None };
        let mut segment = Segment::inside(&slot.frames, slot.place, self.most, thread, spare);
        segment.to = slot.to;
        segment.run(document, buffer, Some(&slot.frames), true);
        done.segment = Some(segment);
        true
    }

    /// The first segment that waits, and one whose memory may be used for it.
    fn take(&self, thread: usize) -> Option<(u64, Slot<'p>, Option<Segment<'p, 's, S>>)> {
        let mut queue = self.queue();
        let waits = |(slot, work): &(Slot<'p>, Work<_>)| {
            matches!(work, Work::Waiting) && !slot.frames.have_ended(slot.place)
        };
        let at = queue.slots.iter().position(waits)?;
        let number = queue.gone + at as u64;
        let (slot, work) = &mut queue.slots[at];
        *work = Work::Running;
        let slot = slot.clone();
        let spare = queue.spare.remove(&thread);
        Some((number, slot, spare))
    }

    /// Waits for more news than have been seen.
    pub(super) fn wait(&self, seen: usize) {
        for look in 1..LOOKS {
            if self.news.load(Ordering::Acquire) != seen {
                return;
            }
            if look % LOOKS_A_TURN == 0 {
                thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
        let mut queue = self.queue();
        queue.asleep += 1;
        while self.news.load(Ordering::Acquire) == seen {
            queue = self.woken.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        queue.asleep -= 1;
    }
}

/// Tells that a segment is done when it is dropped, or that it will never be.
struct Told<'a, 'p, 's, S: Sink> {
    board: &'a Board<'p, 's, S>,
    number: u64,
    segment: Option<Segment<'p, 's, S>>,
}

impl<S: Sink> Drop for Told<'_, '_, '_, S> {
    fn drop(&mut self) {
        let mut queue = self.board.queue();
        let at = self.number.checked_sub(queue.gone).and_then(|at| usize::try_from(at).ok());
        // Else it was cleared away meanwhile.
        if let Some((_, work)) = at.and_then(|at| queue.slots.get_mut(at)) {
            *work = self.segment.take().map_or(Work::Waiting, Work::Done);
        } else if let Some(segment) = self.segment.take() {
            queue.spare.insert(segment.maker, segment);
        }
        self.board.tell(queue);
    }
}
