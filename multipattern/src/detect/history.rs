//! What is remembered of the events of a stream or a partition while they are in some window.

use std::collections::VecDeque;

use super::catalog::{Catalog, Check, NO_CLASS, Span};
use crate::event::{Event, Record, Slot, TypeId};
use crate::heap::heap;
use crate::value::ValueRef;

/// An event as it is remembered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// How many events were pushed before it.
    pub(crate) row: u64,
    /// How many events of its stream or partition came before it.
    pub(crate) tick: u64,
    pub(crate) time: i64,
    pub(crate) event_type: TypeId,
    /// Behind its last class in the list of classes, counted from the beginning of the stream.
    classes_end: u64,
}

#[derive(Clone, Copy, Debug, Default)]
enum Kind {
    #[default]
    Missing,
    Int(i64),
    Float(f64),
    Bool(bool),
    Text,
}

/// A value; the room of a text is used again for later ones.
#[derive(Clone, Debug, Default)]
struct Cell {
    kind: Kind,
    text: String,
}

impl Cell {
    fn set(&mut self, value: ValueRef<'_>) {
        self.kind = match value {
            ValueRef::Missing => Kind::Missing,
            ValueRef::Int(i) => Kind::Int(i),
            ValueRef::Float(x) => Kind::Float(x),
            ValueRef::Bool(b) => Kind::Bool(b),
            ValueRef::Text(text) => {
                self.text.clear();
                self.text.push_str(text);
                Kind::Text
            }
        };
    }

    fn get(&self) -> ValueRef<'_> {
        match self.kind {
            Kind::Missing => ValueRef::Missing,
            Kind::Int(i) => ValueRef::Int(i),
            Kind::Float(x) => ValueRef::Float(x),
            Kind::Bool(b) => ValueRef::Bool(b),
            Kind::Text => ValueRef::Text(&self.text),
        }
    }
}

/// The events of a stream or a partition that are in some window, and that some pattern can use.
/// Their *serials* number them from the first one of the stream on.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    entries: VecDeque<Entry>,
    /// The serial of the first entry.
    first: u64,
    classes: VecDeque<u32>,
    classes_first: u64,
    /// The attributes that are remembered.
    kept: Vec<Slot>,
    cells: VecDeque<Cell>,
    spare: Vec<Cell>,
    /// How many events there were.
    pub(crate) ticks: u64,
    /// By window: the serial of the first event in it.
    cursors: Vec<u64>,
}

impl History {
    /// The serial of the next event.
    pub(crate) fn next(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    /// The serial of the oldest event.
    pub(crate) fn first(&self) -> u64 {
        self.first
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The oldest event.
    pub(crate) fn oldest(&self) -> Option<&Entry> {
        self.entries.front()
    }

    #[inline]
    pub(crate) fn entry(&self, serial: u64) -> &Entry {
        &self.entries[(serial - self.first) as usize]
    }

    /// The classes of an event.
    pub(crate) fn classes(&self, serial: u64) -> impl Iterator<Item = u32> {
        let at = (serial - self.first) as usize;
        let from = match at.checked_sub(1) {
            Some(before) => self.entries[before].classes_end,
            None => self.classes_first,
        };
        let range = (from - self.classes_first) as usize
            ..(self.entries[at].classes_end - self.classes_first) as usize;
        self.classes.range(range).copied().filter(|&class| class != NO_CLASS)
    }

    /// Whether an event belongs to a class.
    pub(crate) fn is(&self, serial: u64, class: u32) -> bool {
        self.classes(serial).any(|own| own == class)
    }

    /// Remembers an event.
    pub(crate) fn push<E: Event + ?Sized>(
        &mut self,
        event: &E,
        row: u64,
        tick: u64,
        classes: &[u32],
    ) {
        self.classes.extend(classes);
        self.entries.push_back(Entry {
            row,
            tick,
            time: event.time(),
            event_type: event.event_type(),
            classes_end: self.classes_first + self.classes.len() as u64,
        });
        for at in 0..self.kept.len() {
            let mut cell = self.spare.pop().unwrap_or_default();
            cell.set(event.attribute(self.kept[at]));
            self.cells.push_back(cell);
        }
    }

    /// Forgets the oldest event.
    fn pop(&mut self) {
        let Some(entry) = self.entries.pop_front() else { return };
        self.first += 1;
        let gone = (entry.classes_end - self.classes_first) as usize;
        self.classes.drain(..gone);
        self.classes_first = entry.classes_end;
        for _ in 0..self.kept.len() {
            self.spare.extend(self.cells.pop_front());
        }
    }

    /// Forgets events that are in no window of an event at a tick and a time, but not that event.
    pub(crate) fn expire(&mut self, catalog: &Catalog, hold: u64, tick: u64, time: i64) {
        let events = (tick + 1).saturating_sub(catalog.longest_events.max(hold));
        let time = catalog.longest_time.map(|longest| time.saturating_sub_unsigned(longest));
        while let Some(front) = self.entries.front() {
            let in_time = time.is_some_and(|oldest| front.time >= oldest);
            if front.tick >= events || in_time {
                return;
            }
            self.pop();
        }
    }

    /// Forgets the oldest events until so many are left.
    pub(crate) fn shrink(&mut self, most: usize) -> u64 {
        let mut gone = 0;
        while self.entries.len() > most {
            self.pop();
            gone += 1;
        }
        gone
    }

    /// Forgets all events, and gives back their memory.
    pub(crate) fn release(&mut self) {
        self.shrink(0);
        self.entries = VecDeque::new();
        self.classes = VecDeque::new();
        self.cells = VecDeque::new();
        self.spare = Vec::new();
        self.cursors = Vec::new();
    }

    /// Whether an event belongs to one of some classes.
    pub(crate) fn has_any(&self, of_class: &[bool]) -> bool {
        self.classes.iter().any(|&class| of_class.get(class as usize) == Some(&true))
    }

    /// The serial of the first event in a window that ends with an event at a tick and a time. Asked
    /// in the order of the stream.
    #[inline]
    pub(crate) fn low(&mut self, catalog: &Catalog, span: u32, tick: u64, time: i64) -> u64 {
        if self.cursors.len() <= span as usize {
            self.cursors.resize(span as usize + 1, 0);
        }
        let mut cursor = self.cursors[span as usize].max(self.first);
        let next = self.next();
        match catalog.span(span) {
            Span::Events(events) => {
                let oldest = (tick + 1).saturating_sub(events);
                while cursor < next && self.entry(cursor).tick < oldest {
                    cursor += 1;
                }
            }
            Span::Time(longest) => {
                let oldest = time.saturating_sub_unsigned(longest);
                while cursor < next && self.entry(cursor).time < oldest {
                    cursor += 1;
                }
            }
        }
        self.cursors[span as usize] = cursor;
        cursor
    }

    /// Numbers of windows mean other windows from now on.
    pub(crate) fn forget_cursors(&mut self) {
        self.cursors.clear();
    }

    /// The serial of the first event that is not before a row.
    #[inline]
    pub(crate) fn first_from(&self, row: u64) -> u64 {
        match self.entries.front() {
            Some(front) if front.row < row => {
                self.first + self.entries.partition_point(|entry| entry.row < row) as u64
            }
            _ => self.first,
        }
    }

    /// Nobody has looked at times so far, so they may descend; from now on windows of time end one after
    /// the other. An event that is later than one behind it gets that one's time: no pattern with such a
    /// window sees it.
    pub(crate) fn order_times(&mut self, last: i64) {
        let mut least = last;
        for entry in self.entries.iter_mut().rev() {
            least = least.min(entry.time);
            entry.time = least;
        }
    }

    /// A class is none any more.
    pub(crate) fn forget_class(&mut self, class: u32) {
        for own in &mut self.classes {
            if *own == class {
                *own = NO_CLASS;
            }
        }
    }

    /// Remembers other attributes from now on; those of earlier events that are new are missing.
    pub(crate) fn keep(&mut self, kept: &[Slot]) {
        if self.kept == kept {
            return;
        }
        let mut cells = VecDeque::with_capacity(self.entries.len() * kept.len());
        for at in 0..self.entries.len() {
            for slot in kept {
                let old = self.kept.binary_search(slot).ok();
                let cell = old.map(|old| self.cells[at * self.kept.len() + old].clone());
                cells.push_back(cell.unwrap_or_default());
            }
        }
        self.cells = cells;
        self.spare.clear();
        self.kept = kept.to_vec();
    }

    /// The value of an attribute of an event.
    #[inline]
    pub(crate) fn value(&self, serial: u64, slot: Slot) -> ValueRef<'_> {
        match self.kept.binary_search(&slot) {
            Ok(column) => {
                let at = (serial - self.first) as usize;
                self.cells[at * self.kept.len() + column].get()
            }
            Err(_) => ValueRef::Missing,
        }
    }

    /// Whether a condition holds of two events.
    #[inline]
    pub(crate) fn holds(&self, check: &Check, later: u64, earlier: u64) -> bool {
        let test = &check.test;
        test.relation.holds(self.value(later, test.later), self.value(earlier, test.earlier))
    }

    /// An event as one.
    pub(crate) fn view(&self, serial: u64) -> View<'_> {
        View { history: self, serial }
    }

    /// Remembers again the last events of a stream, of which only the types are known: those that
    /// patterns of types alone, with windows of events, may still need.
    pub(crate) fn recall(&mut self, catalog: &Catalog, types: &[TypeId], rows: u64, time: i64) {
        let back = types.len() as u64;
        let mut classes = Vec::new();
        for (at, &event_type) in types.iter().enumerate() {
            let event = Record::new(event_type, time);
            catalog.classify(&event, &mut classes);
            let at = at as u64;
            self.push(&event, rows - back + at, self.ticks - back + at, &classes);
        }
    }

    /// The remembered attributes of an event, with their values.
    #[cfg(feature = "serde")]
    pub(crate) fn values(&self, serial: u64) -> Vec<(Slot, crate::value::Value)> {
        self.kept.iter().map(|&slot| (slot, self.value(serial, slot).to_value())).collect()
    }

    /// Goes on at a serial and a tick, without events.
    pub(crate) fn begin_at(&mut self, first: u64, ticks: u64) {
        (self.first, self.ticks) = (first, ticks);
    }

    /// An event belongs to these classes and no others.
    pub(crate) fn classify_again(&mut self, catalog: &Catalog) {
        let mut all = VecDeque::new();
        let mut own = Vec::new();
        let mut ends = Vec::with_capacity(self.entries.len());
        for at in 0..self.entries.len() {
            catalog.classify(&self.view(self.first + at as u64), &mut own);
            all.extend(&own);
            ends.push(self.classes_first + all.len() as u64);
        }
        self.classes = all;
        for (entry, end) in self.entries.iter_mut().zip(ends) {
            entry.classes_end = end;
        }
    }
}

/// A remembered event.
pub(crate) struct View<'h> {
    history: &'h History,
    serial: u64,
}

impl Event for View<'_> {
    fn event_type(&self) -> TypeId {
        self.history.entry(self.serial).event_type
    }

    fn time(&self) -> i64 {
        self.history.entry(self.serial).time
    }

    fn attribute(&self, slot: Slot) -> ValueRef<'_> {
        self.history.value(self.serial, slot)
    }
}

heap! {
    Entry {}
    Cell { text }
    History { entries, classes, kept, cells, spare, cursors }
}
