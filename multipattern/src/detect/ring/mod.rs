//! The short way under `any` and `next`: where types say everything and no window has more than 64
//! events, the stream is a ring of its last 64 events, and nothing else is remembered of them. Under
//! `any` there may be windows of time and longer ones too (`long`).
//!
//! A word for each class says which slots of the ring have its events: the slot of an event is its
//! number modulo 64. Nothing is shifted when an event comes; words are turned when they are used, so
//! that the highest bit is the current event.

mod any;
mod chains;
mod count;
mod long;
mod loops;
mod pairs;
mod shape;
mod wide;

use std::cell::Cell;
use std::sync::Arc;

use count::Sums;
use long::{Long, MOST};
use pairs::Pairs;
use shape::{NONE, Recipe, Shape};

use super::catalog::Catalog;
use super::history::History;
use super::latest::ROOT;
use super::output::{Level, Out, Sink};
use crate::event::{Record, TypeId};
use crate::heap::heap;
use crate::pattern::Semantics;
use crate::stats::Counters;

/// How many events a ring has.
pub(crate) const SLOTS: u64 = 64;
/// The number of the first event: so the numbers of all events that it looks back to are positive.
const FIRST: u32 = 1 << 16;
/// An event in a slot that no pattern can use.
const NO_TYPE: TypeId = TypeId(u32::MAX);

/// The place of the highest bit of a word that has one.
#[inline(always)]
fn highest_bit(word: u64) -> u32 {
    63 - word.leading_zeros()
}

/// The highest bit of a word that has one.
#[inline(always)]
fn highest(word: u64) -> u64 {
    1 << highest_bit(word)
}

/// The patterns and the stream.
#[derive(Clone, Debug)]
pub(crate) struct Ring {
    semantics: Semantics,
    shape: Arc<Shape>,
    /// Where windows are of time or of more than 64 events.
    long: Option<Box<Long>>,
    /// By how much the index in the stream is greater than the number, modulo 2^64.
    base: u64,
    /// The number of the next event.
    next: u32,
    /// By class, its slots; the last word is of events without class.
    words: Vec<u64>,
    /// By slot.
    classes: [u32; 64],
    types: [TypeId; 64],
    /// By node of the trie of prefixes: one more than the number of the latest event from which it was
    /// found.
    starts: Vec<u32>,
    /// By class, how many events there have been.
    totals: Vec<u64>,
    /// By pair, where matches were counted.
    sums: Vec<Sums>,
    blocks: Vec<Pairs>,
    /// Patterns among those that end with a class, with the latest start of all operands but the last.
    ready: Vec<(u32, u32)>,
    /// Their recipes.
    recipes: Vec<Recipe>,
    scratch: Scratch,
}

#[derive(Clone, Debug)]
struct Scratch {
    words: [u64; 64],
    /// Those of the one pattern that is looked at, where patterns share none.
    pair: Sums,
    sums: [[u64; 64]; 2],
}

impl Ring {
    /// Whether it can have the patterns, if so many events may be remembered at most, and a stream that
    /// looks back so many.
    pub(crate) fn can(catalog: &Catalog, semantics: Semantics, most: u64, back: u64) -> bool {
        let fits = || {
            let longest = catalog.lives().iter().map(|(_, live)| live.len()).max();
            semantics == Semantics::Any
                && catalog.longest_events.max(back) <= most.min(MOST)
                && longest.is_none_or(|longest| longest <= usize::from(u8::MAX))
        };
        semantics != Semantics::Strict
            && most >= SLOTS
            && catalog.is_of_types()
            && (catalog.is_short() || fits())
    }

    /// For patterns that it [`can`](Self::can) have. If `decompose`, they share the pairs of the operands
    /// before the last one.
    pub(crate) fn new(catalog: &Catalog, semantics: Semantics, decompose: bool, most: u64) -> Self {
        let shape = Shape::new(catalog, semantics, decompose);
        let long = || Box::new(Long::new(catalog, &shape, decompose, most));
        let most = (0..shape.classes as u32).map(|class| shape.endings(class).1.len()).max();
        let mut this = Ring {
            semantics,
            long: (!catalog.is_short()).then(long),
            base: 0,
            next: 0,
            words: vec![0; shape.classes + 1],
            classes: [0; 64],
            types: [NO_TYPE; 64],
            starts: vec![0; shape.places()],
            totals: vec![0; shape.classes],
            sums: Vec::new(),
            blocks: vec![Pairs::default(); shape.blocks],
            ready: vec![(0, 0); most.unwrap_or(0)],
            recipes: Vec::new(),
            shape: Arc::new(shape),
            scratch: Scratch { words: [0; 64], pair: Sums::default(), sums: [[0; 64]; 2] },
        };
        this.begin(0);
        this
    }

    /// Forgets all; the next event has an index.
    fn begin(&mut self, row: u64) {
        (self.next, self.base) = (FIRST, row.wrapping_sub(u64::from(FIRST)));
        self.words.fill(0);
        self.classes = [self.shape.classes as u32; 64];
        self.types = [NO_TYPE; 64];
        self.starts.fill(0);
        self.totals.fill(0);
        self.sums.iter_mut().for_each(Sums::forget);
        self.blocks.iter_mut().for_each(Pairs::forget);
        if let Some(long) = &mut self.long {
            long.begin(self.next);
        }
    }

    /// Whether windows are of time or of more than 64 events.
    #[inline(always)]
    pub(crate) fn is_long(&self) -> bool {
        self.long.is_some()
    }

    /// Makes room for an event of a time; false if it would have to look back too far.
    #[inline]
    pub(crate) fn make_room(&mut self, time: i64) -> bool {
        let (next, base) = (self.next, self.base);
        self.long.as_mut().is_none_or(|long| long.make_room(next, time, base))
    }

    /// Whether it may look back so many events.
    #[cfg(feature = "serde")]
    pub(crate) fn has_room(&self, events: u64) -> bool {
        self.long.as_ref().is_none_or(|long| long.has_room(events))
    }

    /// Whether events are in lists.
    #[inline(always)]
    fn is_wide(&self) -> bool {
        self.long.as_ref().is_some_and(|long| long.is_wide)
    }

    /// The index of the next event.
    fn row(&self) -> u64 {
        self.base.wrapping_add(u64::from(self.next))
    }

    /// The class of a type of events, if some pattern uses it.
    #[inline]
    pub(crate) fn class(&self, event_type: TypeId) -> Option<u32> {
        Some(self.shape.class(event_type)).filter(|&class| class != NONE)
    }

    /// The event that was in the next slot is out of every window.
    #[inline]
    fn clear(&mut self) {
        let slot = self.next as usize & 63;
        self.words[self.classes[slot] as usize] &= !(1 << slot);
    }

    /// An event of no class; there must be room.
    #[inline]
    pub(crate) fn pass(&mut self, time: i64) {
        self.clear();
        if let Some(long) = &mut self.long {
            long.remember(self.next, NONE, NO_TYPE, time);
        }
        let slot = self.next as usize & 63;
        self.classes[slot] = self.shape.classes as u32;
        self.types[slot] = NO_TYPE;
        self.go_on();
    }

    #[inline]
    fn go_on(&mut self) {
        self.next += 1;
        if self.next == u32::MAX {
            self.number_again();
        }
    }

    /// Lower numbers from now on; those of events that are out of every window become 0.
    #[cold]
    fn number_again(&mut self) {
        let less = (self.next - 2 * FIRST) & !(FIRST - 1);
        self.next -= less;
        if let Some(long) = &mut self.long {
            long.number_again(less);
        }
        self.base = self.base.wrapping_add(u64::from(less));
        self.starts.iter_mut().for_each(|start| *start = start.saturating_sub(less));
    }

    /// Remembers an event, for which there must be room; gives how many prefixes it went on from.
    #[inline]
    fn remember(&mut self, class: u32, event_type: TypeId, time: i64) -> usize {
        if let Some(long) = &mut self.long {
            long.remember(self.next, class, event_type, time);
            if long.is_wide {
                long.wide.push(class, self.base.wrapping_add(self.next.into()));
            }
        }
        let slot = self.next as usize & 63;
        self.words[class as usize] |= 1 << slot;
        self.classes[slot] = class;
        self.types[slot] = event_type;
        self.totals[class as usize] += 1;
        self.starts[ROOT as usize] = self.next + 1;
        let (first, parents) = self.shape.moves(class);
        let moves = self.shape.own(class)[0];
        let starts = Cell::from_mut(&mut self.starts[..]).as_slice_of_cells();
        let own = &starts[first..first + parents.len()];
        // Children before their parents, which still say what held before this event: among the nodes of
        // a class those of shorter prefixes come first.
        for (own, &parent) in own.iter().zip(parents).rev() {
            own.set(starts[parent as usize].get());
        }
        self.go_on();
        moves as usize
    }

    /// Reports what an event completes, and remembers it; there must be room.
    #[inline]
    pub(crate) fn arrive<S: Sink>(
        &mut self,
        class: u32,
        event_type: TypeId,
        time: i64,
        counters: &mut Counters,
        out: &mut Out<'_, S>,
    ) {
        self.clear();
        if self.semantics == Semantics::Next {
            self.chains(class, counters, out);
        } else {
            self.complete(class, time, counters, out);
        }
        counters.transitions += self.remember(class, event_type, time) as u64;
    }

    /// The patterns that an event completes, as far as latest starts say: the first one that ends with
    /// the class, how many do, and how many are ready.
    #[inline]
    fn ready<const NEXT: bool>(&mut self, class: u32) -> (u32, usize, usize) {
        let now = self.next + 1;
        let (shape, starts, ready) = (&self.shape, &mut self.starts[..], &mut self.ready[..]);
        starts[ROOT as usize] = now;
        let (first, endings) = shape.endings(class);
        let mut length = 0;
        for (at, ending) in (0..).zip(endings) {
            let start = starts[ending.node as usize];
            // Written in any case, and kept if it is one: which are cannot be foreseen.
            ready[length] = (at, start);
            let in_window = now - start < ending.window;
            length += usize::from(in_window & (!NEXT || start > starts[ending.whole as usize]));
        }
        (first, shape.own(class)[1] as usize, length)
    }

    /// The events that a match may begin with; `row` is the index of that of the lowest bit. With `long`
    /// its number too, and that of the pattern's window.
    #[inline]
    fn firsts(recipe: &Recipe, row: u64, long: Option<(&Long, u32, u32)>) -> u64 {
        let in_window = match long {
            None => u64::MAX << (SLOTS - u64::from(recipe.window)),
            Some((long, first, span)) => u64::MAX << (long.last_low(span) - first),
        };
        let young = recipe.since.wrapping_sub(row) as i64;
        if young <= 0 { in_window } else { in_window & u64::MAX << young.min(63) }
    }

    /// Shows it the events of a stream that are remembered, of which so many were pushed.
    pub(crate) fn replay(&mut self, history: &History, pushed: u64) {
        let mut back = SLOTS;
        if let (Some(long), true) = (&self.long, history.len() > 0) {
            back = (pushed - history.entry(history.first()).row).clamp(SLOTS, long.room());
        }
        self.begin(pushed.saturating_sub(back));
        let mut time = i64::MIN;
        for serial in history.first()..history.next() {
            let entry = history.entry(serial);
            let Some(class) = history.classes(serial).next() else { continue };
            // Those before are out of every window.
            if entry.row < self.row() {
                continue;
            }
            time = entry.time;
            while self.row() < entry.row {
                self.make_room(time);
                self.pass(time);
            }
            self.make_room(time);
            self.clear();
            self.remember(class, entry.event_type, time);
        }
        while self.row() < pushed {
            self.make_room(time);
            self.pass(time);
        }
    }

    /// Puts the events that may be in a window into a history; they are all that is known of the
    /// stream.
    pub(crate) fn recall(&self, history: &mut History, time: i64) {
        let pushed = self.row();
        history.shrink(0);
        if let Some(long) = &self.long {
            let events = || long.events(self.next);
            history.begin_at(pushed - events().count() as u64, pushed);
            for (number, class, event_type, time) in events() {
                let row = self.base.wrapping_add(number.into());
                history.push(&Record::new(event_type, time), row, row, &[class]);
            }
            return;
        }
        let events = || {
            let back = (1..=SLOTS.min(pushed)).rev();
            back.filter_map(|back| {
                let slot = self.next.wrapping_sub(back as u32) as usize & 63;
                let class = self.classes[slot];
                (class < self.shape.classes as u32).then_some((pushed - back, slot, class))
            })
        };
        history.begin_at(pushed - events().count() as u64, pushed);
        for (row, slot, class) in events() {
            history.push(&Record::new(self.types[slot], time), row, row, &[class]);
        }
    }

    /// How many of the last events it remembers; where windows are long, of those in some window.
    pub(crate) fn held(&self, last: u64) -> usize {
        if let Some(long) = &self.long {
            return long.events(self.next).count();
        }
        let known = |back: u64| {
            let slot = self.next.wrapping_sub(back as u32) as usize & 63;
            self.classes[slot] < self.shape.classes as u32
        };
        (1..=last.min(SLOTS)).filter(|&back| known(back)).count()
    }

    /// Nodes of the trie.
    pub(crate) fn nodes(&self) -> usize {
        self.shape.nodes()
    }

    /// Rows of shared blocks.
    pub(crate) fn shared_rows(&self) -> usize {
        let wide = self.long.as_ref().map_or(0, |long| long.wide.shared_rows());
        wide + self.blocks.iter().map(Pairs::len).sum::<usize>()
    }
}

/// The match of a pattern of one operand.
fn alone<S: Sink>(recipe: &Recipe, last: u64, out: &mut Out<'_, S>) {
    if out.level == Level::Count {
        out.count(recipe.number, last, 1);
    } else {
        out.begin(1, last);
        out.single(recipe.number);
    }
}

heap! {
    Ring { shape, long, words, starts, totals, sums, blocks, ready, recipes }
}

#[cfg(test)]
mod tests {
    use super::super::mechanism::Mechanism;
    use super::*;
    use crate::{Collect, Config, Detector, Event as _, Method, PatternSet, Ring as Rings};

    /// Who has a ring.
    #[test]
    fn a_ring_is_where_it_is_asked_for() {
        let mut set = PatternSet::parse("one: SEQ(A, B, A)").expect("patterns");
        for semantics in [Semantics::Any, Semantics::Next, Semantics::Strict] {
            set.set_semantics(semantics);
            let has = |method, ring| {
                let config = Config::new().method(method).ring(ring);
                let detector = Detector::with_config(&set, config).expect("a detector");
                matches!(detector.mechanism, Mechanism::Ring(_))
            };
            let can = semantics != Semantics::Strict;
            for method in Method::COMPARED {
                let proposed = method == Method::Proposed;
                let together = proposed || method == Method::Sharing;
                let rings = [Rings::ByMethod, Rings::Never, Rings::Always];
                let expected = [proposed && can, false, together && can];
                assert_eq!(rings.map(|ring| has(method, ring)), expected, "{method}");
            }
        }
    }

    /// Numbers of events begin anew before they end, and nothing is lost.
    #[test]
    fn numbers_begin_anew() {
        let short = "one: SEQ(A, B, A)\ntwo: SEQ(B, B) WITHIN 64 EVENTS\nthree: SEQ(C, A)
            four: SEQ(A, B, C, A, B) WITHIN 30 EVENTS\nfive: SEQ(B)";
        let long =
            "one: SEQ(A, B, A) WITHIN 90 EVENTS\ntwo: SEQ(B, B) WITHIN 80 ms\nthree: SEQ(C, A)
            four: SEQ(A, B, C) WITHIN 12 ms\nfive: SEQ(B)";
        let timed = "one: SEQ(A, B, A) WITHIN 9 ms\ntwo: SEQ(B, B) WITHIN 70 ms\nfive: SEQ(B)";
        let [any, next] = [Semantics::Any, Semantics::Next];
        for (semantics, patterns) in [(any, short), (next, short), (any, long), (any, timed)] {
            let mut set = PatternSet::parse(patterns).expect("patterns");
            set.set_semantics(semantics);
            let mut detector = Detector::new(&set).expect("a detector");
            let mut late = detector.clone();
            let Mechanism::Ring(ring) = &mut late.mechanism else { panic!("no ring") };
            let number = (u32::MAX - 250) & !63;
            (ring.next, ring.base) = (number, 0_u64.wrapping_sub(u64::from(number)));
            if let Some(long) = &mut ring.long {
                long.begin(number);
            }
            assert_eq!(ring.is_long(), patterns != short);
            let mut seed = 7_u64;
            let (mut found, mut expected) = (Collect::default(), Collect::default());
            for time in 0..600 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                // Long without any, and one type that no pattern uses.
                let types =
                    if (200..320).contains(&time) { [3; 8] } else { [0, 1, 2, 3, 0, 1, 3, 3] };
                let event = Record::new(TypeId(types[(seed >> 40) as usize % 8]), time);
                let _ = detector.push(&event, &mut expected).expect("an event");
                let _ = late.push(&event, &mut found).expect("an event");
                assert_eq!(event.time(), time);
            }
            let Mechanism::Ring(ring) = &late.mechanism else { panic!("no ring") };
            assert!(ring.next < 4 * FIRST);
            assert!(expected.0.len() > 200);
            assert_eq!(found, expected);
        }
    }
}
