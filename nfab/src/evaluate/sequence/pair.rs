//! Sequences of two single events, the second of which is compared with the first.
//!
//! Under skip-till-next a partial match is its first event, and what it remembers is a function of
//! that event. First events wait in a list, in their order. Most conditions compare an attribute of
//! the second event with one of the first: where both are integers, the latter lies in the list, and
//! an event is compared with all that wait by a look at the list alone.

use std::ops::ControlFlow;

use super::judge::{self, Judge, Stage, Verdict};
use crate::error::Error;
use crate::event::{Event, Slot};
use crate::history::{EventIndex, Marks, Moved};
use crate::nfa::Automaton;
use crate::nfa::program::Window;
use crate::predicate::evaluate::{self, Comparison};
use crate::predicate::register::Register;
use crate::runtime::context::Context;
use crate::runtime::evaluator::{Arrival, Evaluator, Glance, Key, Taken};
use crate::stats::Stats;
use crate::value::ValueRef;

/// Memory for so many is kept when a list is emptied.
const SPARE: usize = 16;

/// In verdicts: the event may be the first one, or the second.
const BEGINS: u64 = 1;
const ENDS: u64 = 2;

/// What all partitions share.
#[derive(Debug)]
pub(crate) struct Pair {
    judge: Judge,
    window: Window,
    /// The conditions on the second event that look back at the first.
    back: Box<[u32]>,
    /// One of them, as a comparison with an attribute of the first event.
    compared: Option<(Comparison, Slot)>,
    /// The registers of a run without events, and space for those of one.
    fresh: Box<[Register]>,
    registers: Vec<Register>,
    /// What is reported of a match.
    taken: [Taken; 2],
    /// The first events that an event has completed.
    done: Vec<EventIndex>,
    /// What was found out of the event to be shown next.
    judged: Option<Verdict>,
    /// First events in all parts, those included whose window has passed unnoticed.
    runs: usize,
}

/// A first event that waits.
#[derive(Clone, Copy, Debug)]
struct First {
    place: EventIndex,
    key: Key,
    /// What the second event is compared with.
    value: i64,
}

/// The first events of one partition, in their order.
#[derive(Debug)]
pub(crate) struct Part {
    all: Vec<First>,
    /// The key of the first that waits, so that most of the time nobody looks at the list.
    oldest: Key,
    /// Those before this place are gone.
    head: u32,
    /// Of some the value is not an integer.
    odd: bool,
}

impl Default for Part {
    fn default() -> Self {
        Part { all: Vec::new(), oldest: Key::MAX, head: 0, odd: false }
    }
}

impl Part {
    #[inline]
    fn waiting(&self) -> &[First] {
        &self.all[self.head as usize..]
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    #[inline]
    fn push(&mut self, place: EventIndex, key: Key, value: Option<i64>) {
        self.odd |= value.is_none();
        self.oldest = self.oldest.min(key);
        self.all.push(First { place, key, value: value.unwrap_or_default() });
    }

    /// Drops what has passed its window; gives how many that were.
    #[inline]
    fn pass(&mut self, horizon: Key) -> usize {
        if self.oldest < horizon { self.pass_some(horizon) } else { 0 }
    }

    fn pass_some(&mut self, horizon: Key) -> usize {
        let passed = self.passed(horizon);
        let head = self.head as usize + passed;
        // So the head stays small where the list is.
        let far = head > self.all.len() / 2 || u32::try_from(head).is_err();
        if far {
            self.all.drain(..head);
        }
        self.head = if far { 0 } else { head as u32 };
        self.note_oldest();
        passed
    }

    /// How many have passed their window.
    fn passed(&self, horizon: Key) -> usize {
        self.waiting().iter().take_while(|first| first.key < horizon).count()
    }

    /// Keeps those that are wanted.
    #[inline]
    fn retain(&mut self, mut wanted: impl FnMut(&First) -> bool) {
        if self.head > 0 {
            self.all.drain(..self.head as usize);
            self.head = 0;
        }
        self.all.retain(|first| wanted(first));
        self.note_oldest();
    }

    /// Drops all; gives how many that were.
    fn clear(&mut self) -> usize {
        let all = self.waiting().len();
        self.all.clear();
        self.head = 0;
        self.note_oldest();
        all
    }

    fn note_oldest(&mut self) {
        self.oldest = self.waiting().first().map_or(Key::MAX, |first| first.key);
        if self.is_empty() {
            self.odd = false;
            // What was long once would stay so in every partition.
            self.all.shrink_to(SPARE);
        }
    }
}

/// The stages, without the conditions that look back, and these.
fn pair(automaton: &Automaton) -> Option<([Stage; 2], Vec<u32>)> {
    let mut stages: [Stage; 2] = judge::stages(automaton)?.try_into().ok()?;
    let (alone, back) = judge::split(&stages[1].formula, &automaton.conditions)?;
    let (_, none) = judge::split(&stages[0].formula, &automaton.conditions)?;
    let gap = stages[0].gap;
    let fits = gap.skips && gap.foreign_skips && none.is_empty() && !back.is_empty();
    stages[1].formula = alone;
    fits.then_some((stages, back))
}

impl Pair {
    /// Whether a program, of which the grouped evaluation is possible, is of that kind.
    pub(crate) fn fits(automaton: &Automaton) -> bool {
        pair(automaton).is_some()
    }

    pub(crate) fn new(automaton: &Automaton) -> Option<Pair> {
        let (stages, back) = pair(automaton)?;
        let compared = back.iter().find_map(|&number| {
            let comparison = automaton.conditions[number as usize].test.comparison()?;
            let register = automaton.registers[comparison.register];
            Some((comparison, register.slot.filter(|_| register.stage == stages[0].number)?))
        });
        Some(Pair {
            window: automaton.program.window,
            back: back.into(),
            compared,
            fresh: automaton.registers.iter().map(|register| register.empty()).collect(),
            registers: Vec::new(),
            taken: [(stages[0].number, 0), (stages[1].number, 0)],
            judge: Judge::new(automaton, stages.into()),
            done: Vec::new(),
            judged: None,
            runs: 0,
        })
    }

    #[inline]
    fn judge<E: Event>(&self, part: &Part, event: &E) -> Verdict {
        self.judge.judge(if part.is_empty() { BEGINS } else { BEGINS | ENDS }, event)
    }

    /// What has passed its window does not wait any more.
    #[inline]
    fn pass(&mut self, part: &mut Part, horizon: Key, stats: &mut Stats) {
        let passed = part.pass(horizon);
        self.runs -= passed;
        stats.timed_out += passed as u64;
    }

    /// An event waits.
    #[inline]
    fn begin<E: Event>(&mut self, part: &mut Part, arrival: &Arrival<'_, E>) {
        let value = match self.compared.map(|(_, slot)| arrival.event.attribute(slot)) {
            Some(ValueRef::Int(value)) => Some(value),
            _ => None,
        };
        part.push(arrival.place, self.window.key(arrival.number, arrival.time), value);
        self.runs += 1;
    }

    #[inline]
    fn look<E: Event>(
        &mut self,
        part: &mut Part,
        arrival: &Arrival<'_, E>,
        horizon: Key,
        stats: &mut Stats,
    ) -> Glance {
        self.pass(part, horizon, stats);
        let verdict = self.judge(part, arrival.event);
        if verdict.open != 0 || verdict.holds & ENDS != 0 && self.may_end(part, arrival.event) {
            self.judged = Some(verdict);
            return Glance::Show;
        }
        if verdict.holds & BEGINS == 0 {
            return Glance::Nothing;
        }
        self.begin(part, arrival);
        Glance::Keeps
    }

    /// Whether an event may be the second one for some that wait.
    #[inline]
    fn may_end<E: Event>(&self, part: &Part, event: &E) -> bool {
        let range = self.compared.and_then(|(comparison, _)| comparison.range(event));
        match range {
            Some(range) if !part.odd => part.waiting().iter().any(|first| range.holds(first.value)),
            _ => true,
        }
    }

    /// Whether the conditions that look back hold for a first event.
    fn holds<E: Event>(&mut self, first: &First, event: &E, cx: &Context<'_, E>) -> bool {
        let automaton = cx.automaton;
        self.registers.clear();
        self.registers.extend(self.fresh.iter().cloned());
        for &index in &automaton.stage_registers[self.taken[0].0 as usize] {
            let register = &mut self.registers[index as usize];
            automaton.registers[index as usize].update(register, cx.store.get(first.place));
        }
        let at = evaluate::Context { event, registers: &self.registers, faults: cx.faults };
        let conditions = &automaton.conditions;
        self.back.iter().all(|&number| conditions[number as usize].test.evaluate(at).holds())
    }
}

impl<E: Event> Evaluator<E> for Pair {
    type Part = Part;

    fn part(&self) -> Part {
        Part::default()
    }

    #[inline]
    fn is_empty(&self, part: &Part) -> bool {
        part.is_empty()
    }

    #[inline]
    fn glance(&mut self, part: &mut Part, arrival: &Arrival<'_, E>, stats: &mut Stats) -> Glance {
        self.look(part, arrival, self.window.horizon(arrival.number, arrival.time), stats)
    }

    #[inline]
    fn glance_keyed(
        &mut self,
        part: &mut Part,
        arrival: &Arrival<'_, E>,
        horizon: Key,
        stats: &mut Stats,
    ) -> Glance {
        self.look(part, arrival, horizon, stats)
    }

    fn show(
        &mut self,
        part: &mut Part,
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> Result<bool, Error> {
        self.done.clear();
        self.pass(part, cx.horizon, cx.stats);
        let event = arrival.event;
        let judged = self.judged.take();
        let Verdict { mut holds, mut open } = judged.unwrap_or_else(|| self.judge(part, event));
        while open != 0 {
            let bit = open.trailing_zeros();
            open &= open - 1;
            let formula = self.judge.formula(bit);
            holds |= u64::from(formula.open(&mut |number| cx.holds(number, arrival))) << bit;
        }
        if holds & ENDS != 0 && !part.is_empty() {
            self.taken[1].1 = arrival.place;
            let range = self.compared.and_then(|(comparison, _)| comparison.range(event));
            let range = range.filter(|_| !part.odd);
            let only = self.back.len() == 1;
            let mut done = std::mem::take(&mut self.done);
            part.retain(|first| {
                let ends = match range {
                    Some(range) if only => range.holds(first.value),
                    Some(range) => range.holds(first.value) && self.holds(first, event, cx),
                    None => self.holds(first, event, cx),
                };
                if ends {
                    done.push(first.place);
                }
                !ends
            });
            self.runs -= done.len();
            self.done = done;
        }
        if holds & BEGINS != 0 {
            self.begin(part, arrival);
        }
        Ok(holds & BEGINS != 0)
    }

    fn expire(&mut self, part: &mut Part, cx: &mut Context<'_, E>) -> Result<(), Error> {
        if cx.now.is_some() {
            self.pass(part, cx.horizon, cx.stats);
            return Ok(());
        }
        let ended = part.clear();
        self.runs -= ended;
        // Without a window they are silent, but no second event will come.
        if self.window != Window::None {
            cx.stats.timed_out += ended as u64;
        }
        Ok(())
    }

    #[inline]
    fn has_matches(&self, _part: &Part) -> bool {
        !self.done.is_empty()
    }

    fn count(&mut self, _part: &mut Part) -> Option<u64> {
        Some(self.done.len() as u64)
    }

    #[inline]
    fn enumerate(
        &mut self,
        _part: &mut Part,
        visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for &first in &self.done {
            self.taken[0].1 = first;
            visit(&self.taken)?;
        }
        ControlFlow::Continue(())
    }

    fn runs(&self, part: &Part, horizon: Key, _: Option<i64>, _: &Automaton) -> usize {
        part.waiting().len() - part.passed(horizon)
    }

    fn unnoticed(&self, part: &Part, horizon: Key, _: Option<i64>, _: &Automaton) -> usize {
        part.passed(horizon)
    }

    fn all_runs(&self) -> usize {
        self.runs
    }

    fn cells(&self) -> usize {
        self.runs
    }

    fn bytes(&self) -> usize {
        self.runs * size_of::<First>()
    }

    fn collect<'p>(
        &mut self,
        parts: &mut dyn Iterator<Item = &'p mut Part>,
        cx: &mut Context<'_, E>,
        used: &mut Marks,
    ) where
        Part: 'p,
    {
        self.done.clear();
        for part in parts {
            self.pass(part, cx.horizon, cx.stats);
            part.waiting().iter().for_each(|first| used.mark(first.place));
        }
    }

    fn renumber<'p>(&mut self, parts: &mut dyn Iterator<Item = &'p mut Part>, moved: &Moved)
    where
        Part: 'p,
    {
        for part in parts {
            let head = part.head;
            part.all[head as usize..]
                .iter_mut()
                .for_each(|first| first.place = moved.to(first.place));
        }
    }
}

#[cfg(feature = "serde")]
mod save {
    use super::{Pair, Part};
    use crate::error::Error;
    use crate::event::Event;
    use crate::history::EventIndex;
    use crate::runtime::save::Save;
    use crate::snapshot::{Loading, corrupt, state};

    impl<E: Event> Save<E> for Pair {
        fn save_part(&self, part: &Part, from: EventIndex) -> state::Part {
            let value = |value| (!part.odd).then_some(value);
            let firsts = part.waiting().iter();
            state::Part::Pair(
                firsts.map(|first| ((first.place - from) as u32, value(first.value))).collect(),
            )
        }

        fn load_part(&mut self, saved: state::Part, loading: &Loading<'_>) -> Result<Part, Error> {
            let state::Part::Pair(firsts) = saved else {
                return Err(corrupt("a partition is of another evaluation"));
            };
            if !firsts.is_sorted_by(|a, b| a.0 < b.0) {
                return Err(corrupt("events that wait are not in order"));
            }
            let mut part = Part::default();
            for (at, value) in firsts {
                part.push(loading.event(at)?, loading.key(at), value);
            }
            self.runs += part.all.len();
            Ok(part)
        }
    }
}
