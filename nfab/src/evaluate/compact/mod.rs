//! The compact evaluation: for patterns whose conditions look at single events.
//!
//! What a run does with an event then depends on its wait alone. All runs in a wait are one
//! population, and an event moves whole populations: which ones, says a deterministic automaton over
//! sets of waits ([`sets`]). For each wait the newest start of its runs is known, so whether any run
//! is left in the window.
//!
//! An event that changes nothing costs two look-ups and is forgotten. What is remembered of the
//! others depends on what is asked for:
//!
//! - **Matches**: populations are lists in a [`Graph`](super::graph), to which an event adds an element
//!   for each population that takes it. That is constant in the window and in the number of runs.
//!   [`walk`](super::walk) enumerates, at a cost linear in the output.
//! - **Numbers of matches** only: a log of the events that changed something, which is
//!   [counted](super::counting) in constant time an event. If the automaton that this needs has more
//!   than 32 states, matches are counted in the graph, without being enumerated.
//!
//! A part begins with a log. The first time that matches are asked for, the log is replayed, and from
//! then on the part has lists.
//!
//! Conditions are evaluated for each event once, all of them, unless its type alone shows that nothing
//! changes ([`Kinds`](crate::nfa::kinds::Kinds)): counters of faults count events.

mod part;
#[cfg(feature = "serde")]
mod save;
pub(super) mod sets;

use std::ops::ControlFlow;

use self::part::{Part, Spare};
use self::sets::{FOREIGN, Sets};
use super::choose::conditions;
use super::counting::{Counting, Entry, NOT_KEPT};
use super::graph;
use super::held::{gather, holds};
use super::reader::Reader;
use crate::error::Error;
use crate::event::Event;
use crate::history::{EventIndex, Marks, Moved};
use crate::nfa::Automaton;
use crate::nfa::kinds::Kinds;
use crate::nfa::program::Window;
use crate::predicate::evaluate::Test;
use crate::runtime::context::Context;
use crate::runtime::evaluator::{Arrival, Evaluator, Key, Taken};

/// What all partitions share.
#[derive(Debug)]
pub(crate) struct Compact {
    kinds: Kinds,
    /// For each class of types the bits of the conditions on the type that hold.
    kind_bits: Box<[u64]>,
    /// The other conditions, with their bits.
    tested: Vec<(u64, u32)>,
    window: Window,
    /// The waits that hold matches, if there are any.
    holds: Option<Box<[bool]>>,
    sets: Sets,
    counting: Counting,
    spare: Spare,
    reader: Reader,
    cells: usize,
    bytes: usize,
    /// The lists, or kinds of runs in logs, of all parts.
    lists: usize,
}

impl Compact {
    pub(crate) fn new(automaton: &Automaton) -> Self {
        let numbers = conditions(&automaton.program);
        let kinds = Kinds::new(&automaton.program, &automaton.conditions);
        let mut kind_bits = vec![0; kinds.types().len()];
        let mut tested = Vec::new();
        for (bit, &number) in numbers.iter().enumerate() {
            let Test::TypeIs(of) = automaton.conditions[number as usize].test else {
                tested.push((1 << bit, number));
                continue;
            };
            for (bits, kind) in kind_bits.iter_mut().zip(kinds.types()) {
                *bits |= u64::from(*kind == of) << bit;
            }
        }
        Compact {
            kind_bits: kind_bits.into(),
            kinds,
            window: automaton.program.window,
            holds: holds(&automaton.program),
            sets: Sets::new(automaton.program.clone(), &numbers),
            tested,
            counting: Counting::new(),
            spare: Spare::default(),
            reader: Reader::new(&automaton.program),
            cells: 0,
            bytes: 0,
            lists: 0,
        }
    }

    /// Does something to a part and keeps the totals up.
    fn on<T>(&mut self, part: &mut Part, act: impl FnOnce(&mut Self, &mut Part) -> T) -> T {
        let (cells, bytes, lists) = (part.cells(), part.bytes(), part.waits());
        let result = act(self, part);
        self.lists = self.lists - lists + part.waits();
        self.cells = self.cells - cells + part.cells();
        self.bytes = self.bytes - bytes + part.bytes();
        result
    }

    fn new_part(&self) -> Part {
        Part::new(self.holds.is_some())
    }

    fn expired(&mut self, part: &mut Part, horizon: Key) {
        self.sets.bound();
        part.expire(horizon, &mut self.sets, &mut self.counting);
    }

    fn visit(
        &mut self,
        part: &mut Part,
        visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if part.lists().is_none() {
            self.on(part, |this, part| part.replay(&mut this.sets, &mut this.spare));
        }
        let Some((graph, event, starts)) = part.lists() else {
            return ControlFlow::Continue(());
        };
        self.reader.visit(graph, &part.ends, event, starts, visit)
    }
}

impl<E: Event> Evaluator<E> for Compact {
    type Part = Part;

    fn part(&self) -> Part {
        self.new_part()
    }

    fn is_empty(&self, part: &Part) -> bool {
        part.is_empty()
    }

    fn clear(&mut self, part: &mut Part) {
        self.on(part, |this, part| *part = this.new_part());
    }

    #[inline]
    fn passes_over(&mut self, part: &Part, event: &E) -> bool {
        self.kinds.changes_nothing(event.event_type(), part.busy())
    }

    fn show(
        &mut self,
        part: &mut Part,
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> Result<bool, Error> {
        let of = arrival.event.event_type();
        self.on(part, |this, part| this.expired(part, cx.horizon));
        // Counters of faults do not depend on when somebody notices that a window has passed.
        if self.kinds.changes_nothing(of, part.busy()) {
            return Ok(false);
        }
        let mut bits = self.kind_bits[self.kinds.class(of)];
        for &(bit, condition) in &self.tested {
            if cx.holds(condition, arrival) {
                bits |= bit;
            }
        }
        let key = self.window.key(arrival.number, arrival.time);
        Ok(self.on(part, |this, part| {
            let entry = Entry::new(key, arrival.place, bits);
            let step = part.show(entry, &mut this.sets, &mut this.spare);
            this.sets.get(step).keep
        }))
    }

    fn foreign(&mut self, part: &mut Part, cx: &mut Context<'_, E>) -> Result<(), Error> {
        self.on(part, |this, part| {
            this.expired(part, cx.horizon);
            let entry = Entry::new(part.last_key(), NOT_KEPT, FOREIGN);
            part.show(entry, &mut this.sets, &mut this.spare);
        });
        if !part.ends.is_empty() {
            let _ = self.visit(part, &mut |events| gather(cx, events));
            part.ends.clear();
        }
        Ok(())
    }

    fn releases(&self) -> bool {
        self.holds.is_some()
    }

    fn release(&mut self, part: &mut Part, horizon: Option<Key>) -> bool {
        let Some(holds) = &self.holds else { return false };
        part.release(horizon, holds);
        !part.ends.is_empty()
    }

    fn narrow(
        &mut self,
        part: &mut Part,
        horizon: Option<Key>,
        after: Option<EventIndex>,
    ) -> Option<EventIndex> {
        part.narrow(horizon, after)
    }

    fn expire(&mut self, part: &mut Part, cx: &mut Context<'_, E>) -> Result<(), Error> {
        let horizon = cx.now.map(|_| cx.horizon);
        self.on(part, |this, part| this.expired(part, horizon.unwrap_or(Key::MAX)));
        Ok(())
    }

    fn prompt(&self) -> bool {
        self.holds.is_some()
    }

    fn has_matches(&self, part: &Part) -> bool {
        !part.ends.is_empty()
    }

    fn count(&mut self, part: &mut Part) -> Option<u64> {
        if part.ends.is_empty() {
            return Some(0);
        }
        let counted = self.on(part, |this, part| part.count(&this.sets, &mut this.counting));
        if counted.is_some() {
            return counted;
        }
        if part.lists().is_none() {
            self.on(part, |this, part| part.replay(&mut this.sets, &mut this.spare));
        }
        let Some((graph, _, starts)) = part.lists() else { return Some(0) };
        self.reader.count(graph, &part.ends, starts)
    }

    fn enumerate(
        &mut self,
        part: &mut Part,
        visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if part.ends.is_empty() {
            return ControlFlow::Continue(());
        }
        self.visit(part, visit)
    }

    fn runs(&self, part: &Part, horizon: Key, _: Option<i64>, _: &Automaton) -> usize {
        part.alive(horizon)
    }

    fn all_runs(&self) -> usize {
        self.lists
    }

    fn cells(&self) -> usize {
        self.cells
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn capacity(&self) -> usize {
        graph::CAPACITY
    }

    fn collect<'p>(
        &mut self,
        parts: &mut dyn Iterator<Item = &'p mut Part>,
        cx: &mut Context<'_, E>,
        used: &mut Marks,
    ) where
        Part: 'p,
    {
        for part in parts {
            self.on(part, |this, part| {
                this.expired(part, cx.horizon);
                part.collect(|event| used.mark(event));
            });
        }
    }

    fn renumber<'p>(&mut self, parts: &mut dyn Iterator<Item = &'p mut Part>, moved: &Moved)
    where
        Part: 'p,
    {
        parts.for_each(|part| part.renumber(moved));
    }
}
