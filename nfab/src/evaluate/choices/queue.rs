//! The queue of a stage.

use crate::history::EventIndex;
use crate::runtime::evaluator::Key;

/// Memory for so many events is kept when a queue is emptied.
const SPARE: usize = 64;

/// An event of a stage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) place: EventIndex,
    pub(super) key: Key,
    /// How many events of the next stage came before it, counted from the first ever.
    pub(super) next: u64,
}

/// The events of a stage, in their order.
#[derive(Debug, Default)]
pub(super) struct Queue {
    items: Vec<Item>,
    /// Those before have passed their window; perhaps others have.
    head: usize,
    /// How many there were before the first of `items`.
    base: u64,
    /// The key of the newest first event of the partial matches that wait behind the stage.
    pub(super) newest: Key,
}

impl Queue {
    /// How many there were ever.
    #[inline]
    pub(super) fn end(&self) -> u64 {
        self.base + self.items.len() as u64
    }

    /// Those that have not passed their window, and perhaps some that have.
    #[inline]
    pub(super) fn items(&self) -> &[Item] {
        &self.items[self.head..]
    }

    pub(super) fn items_mut(&mut self) -> &mut [Item] {
        &mut self.items[self.head..]
    }

    /// How many of [`items`](Self::items) come before the one of a number, counted from the first
    /// ever, or before the end.
    #[inline]
    pub(super) fn before(&self, number: u64) -> usize {
        number.saturating_sub(self.base + self.head as u64) as usize
    }

    /// Another event cannot be taken in without more room.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.items.len() == self.items.capacity()
    }

    #[inline]
    pub(super) fn push(&mut self, item: Item) {
        self.items.push(item);
    }

    /// Those before the horizon have passed their window.
    #[inline]
    pub(super) fn pass(&mut self, horizon: Key) {
        while self.items.get(self.head).is_some_and(|first| first.key < horizon) {
            self.head += 1;
        }
    }

    /// Drops what has passed its window, if that is much; gives how many events that are.
    #[cold]
    pub(super) fn make_room(&mut self, horizon: Key) -> usize {
        self.pass(horizon);
        if self.head >= self.items.len() / 2 { self.drop_passed() } else { 0 }
    }

    fn drop_passed(&mut self) -> usize {
        let passed = std::mem::take(&mut self.head);
        self.items.drain(..passed);
        self.base += passed as u64;
        passed
    }

    /// Drops everything; gives how many events that are.
    #[inline]
    pub(super) fn clear(&mut self) -> usize {
        self.head = self.items.len();
        if self.head == 0 { 0 } else { self.clear_now() }
    }

    fn clear_now(&mut self) -> usize {
        let dropped = self.drop_passed();
        // What was long once would stay so in every partition.
        self.items.shrink_to(SPARE);
        dropped
    }
}

/// Drops what no match can hold any more, and the room for it; gives how many events that are.
pub(super) fn trim(queues: &mut [Queue], horizon: Key) -> usize {
    let mut dropped = 0;
    // The first event that may follow those of the queue before; none without any there.
    let mut first = None;
    for (at, queue) in queues.iter_mut().enumerate() {
        if at == 0 {
            queue.pass(horizon);
        } else {
            let before = first.map_or(queue.items().len(), |first| queue.before(first));
            queue.head += before;
        }
        dropped += queue.drop_passed();
        queue.items.shrink_to(2 * queue.items.len());
        first = queue.items.first().map(|item| item.next);
    }
    dropped
}
