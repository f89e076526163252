//! Windows of time, and of more than 64 events: how far back a ring has to look.
//!
//! The numbers, times and types of events are kept as far back as the longest window reaches, in a ring
//! of their own that grows as it must. While no window holds more than 64 events, words are enough, and
//! windows of time only cut them off; when one does, the events of each class are listed (`wide`).

use super::shape::{NONE, Shape};
use super::wide::Wide;
use super::{FIRST, NO_TYPE, SLOTS};
use crate::detect::catalog::{Catalog, Span};
use crate::event::TypeId;
use crate::heap::heap;

/// No ring looks back further than so many events.
pub(super) const MOST: u64 = FIRST as u64;
/// Lists are given up when no window holds more events than this: some fewer than words can have, so
/// that it is not done at every other event.
const FEW: u64 = SLOTS / 2;

/// An event.
#[derive(Clone, Copy, Debug)]
struct Slot {
    class: u32,
    event_type: TypeId,
    time: i64,
}

const NOTHING: Slot = Slot { class: NONE, event_type: NO_TYPE, time: 0 };

/// What is remembered besides words.
#[derive(Clone, Debug)]
pub(super) struct Long {
    spans: Vec<Span>,
    /// By span, the number of the first event in the window, when it was last asked for.
    lows: Vec<u32>,
    /// By slot: the number of an event modulo how many slots there are, a power of two.
    slots: Vec<Slot>,
    /// The number of the first event in any window.
    oldest: u32,
    /// Of all windows of events.
    longest_events: u64,
    longest_time: Option<u64>,
    /// So many events it looks back at most.
    room: u64,
    pub(super) wide: Wide,
    pub(super) is_wide: bool,
}

impl Long {
    pub(super) fn new(catalog: &Catalog, shape: &Shape, share: bool, most: u64) -> Self {
        let (longest_events, longest_time) = (catalog.longest_events, catalog.longest_time);
        let slots = longest_events.max(SLOTS).next_power_of_two() as usize;
        let spans = catalog.spans();
        Long {
            lows: vec![0; spans.len()],
            spans,
            slots: vec![NOTHING; slots],
            oldest: FIRST,
            longest_events,
            longest_time,
            room: most.min(MOST),
            wide: Wide::new(shape, share),
            is_wide: longest_events > SLOTS,
        }
    }

    /// Forgets all; the next event has a number.
    pub(super) fn begin(&mut self, next: u32) {
        self.lows.fill(next);
        self.slots.fill(NOTHING);
        self.oldest = next;
        self.is_wide = self.longest_events > SLOTS;
        self.wide.begin();
    }

    #[inline(always)]
    fn slot(&self, number: u32) -> usize {
        number as usize & (self.slots.len() - 1)
    }

    /// Forgets what no window of an event of a number and a time holds; false if more is left than there
    /// may be.
    #[inline]
    pub(super) fn make_room(&mut self, now: u32, time: i64, base: u64) -> bool {
        let events = (u64::from(now) + 1).saturating_sub(self.longest_events);
        let times = self.longest_time.map(|longest| time.saturating_sub_unsigned(longest));
        while self.oldest < now && u64::from(self.oldest) < events {
            let slot = self.slot(self.oldest);
            let event = self.slots[slot];
            if times.is_some_and(|oldest| event.time >= oldest) {
                break;
            }
            if self.is_wide && event.class != NONE {
                self.wide.drop_first(event.class);
            }
            self.oldest += 1;
        }
        let held = u64::from(now - self.oldest) + 1;
        if held > self.room {
            return false;
        }
        if held > self.slots.len() as u64 {
            self.grow(now);
        }
        if self.is_wide {
            if held <= FEW && self.longest_events <= SLOTS {
                self.is_wide = false;
                self.wide.begin();
            }
        } else if held > SLOTS {
            self.is_wide = true;
            for number in self.oldest..now {
                let class = self.slots[self.slot(number)].class;
                if class != NONE {
                    self.wide.push(class, base.wrapping_add(u64::from(number)));
                }
            }
        }
        true
    }

    /// Twice as many slots.
    #[cold]
    fn grow(&mut self, now: u32) {
        let length = self.slots.len() * 2;
        let mut slots = vec![NOTHING; length];
        for number in self.oldest..now {
            slots[number as usize & (length - 1)] = self.slots[self.slot(number)];
        }
        self.slots = slots;
    }

    /// Remembers an event; there must be room.
    #[inline]
    pub(super) fn remember(&mut self, number: u32, class: u32, event_type: TypeId, time: i64) {
        let slot = self.slot(number);
        self.slots[slot] = Slot { class, event_type, time };
    }

    /// The number of the first event in a window that ends with an event of a number and a time; asked
    /// in the order of the stream.
    #[inline]
    pub(super) fn low(&mut self, span: u32, now: u32, time: i64) -> u32 {
        let mut low = self.oldest;
        match self.spans[span as usize] {
            Span::Events(events) => {
                low = low.max((u64::from(now) + 1).saturating_sub(events) as u32);
            }
            Span::Time(longest) => {
                let oldest = time.saturating_sub_unsigned(longest);
                low = low.max(self.lows[span as usize]);
                while low < now && self.slots[self.slot(low)].time < oldest {
                    low += 1;
                }
            }
        }
        self.lows[span as usize] = low;
        low
    }

    /// What [`low`](Self::low) was last.
    #[inline(always)]
    pub(super) fn last_low(&self, span: u32) -> u32 {
        self.lows[span as usize]
    }

    /// The number of the first event in any window.
    #[inline(always)]
    pub(super) fn oldest(&self) -> u32 {
        self.oldest
    }

    /// The events that some window may hold, from the oldest one on: number, class, type and time.
    pub(super) fn events(&self, next: u32) -> impl Iterator<Item = (u32, u32, TypeId, i64)> {
        (self.oldest..next)
            .map(|number| {
                let Slot { class, event_type, time } = self.slots[self.slot(number)];
                (number, class, event_type, time)
            })
            .filter(|&(_, class, ..)| class != NONE)
    }

    /// How many events it may look back.
    pub(super) fn room(&self) -> u64 {
        self.room
    }

    /// Whether so many events are no more than it may look back.
    #[cfg(feature = "serde")]
    pub(super) fn has_room(&self, held: u64) -> bool {
        held <= self.room
    }

    /// Numbers are lower from now on.
    #[cold]
    pub(super) fn number_again(&mut self, less: u32) {
        self.oldest = self.oldest.saturating_sub(less);
        self.lows.iter_mut().for_each(|low| *low = low.saturating_sub(less));
    }
}

heap! {
    Slot {}
    Long { spans, lows, slots, wide }
}
