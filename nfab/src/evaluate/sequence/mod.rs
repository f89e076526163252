//! The compact evaluation of sequences of single events: one queue for each stage.
//!
//! If every stage takes one event, conditions look at single events and no event is both taken and
//! ignored, all partial matches that wait for the same stage move on together. So an event that moves
//! them is one [`Node`] in the queue of its stage, which refers to what it found in the queue before:
//! a range, since queues are first in, first out. This costs constant time an event and a stage,
//! however many partial matches there are; the matches that an event completes are read off in their
//! order, at a cost linear in the output.

pub(super) mod judge;
mod level;
mod pair;
mod row;
#[cfg(feature = "serde")]
mod save;

use std::ops::ControlFlow;

use judge::{Gap, Judge, Verdict};
use level::{Level, Node};
pub(crate) use pair::Pair;
pub(crate) use row::Row;

use crate::error::Error;
use crate::event::Event;
use crate::history::{EventIndex, Marks, Moved};
use crate::nfa::Automaton;
use crate::nfa::program::Window;
use crate::runtime::context::Context;
use crate::runtime::evaluator::{Arrival, Evaluator, Glance, Key, Taken};
use crate::stats::Stats;

/// What all partitions share.
#[derive(Debug)]
pub(crate) struct Sequence {
    judge: Judge,
    /// What is reported of a match: the stages in turn.
    stages: Box<[u32]>,
    /// The waits after which partial matches end with an event that is not taken, in bits.
    strict: u64,
    foreign: u64,
    window: Window,
    scratch: Vec<Taken>,
    /// What was found out of the event to be shown next.
    judged: Option<Verdict>,
    nodes: usize,
    runs: usize,
}

/// The partial matches of one partition.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// One for each stage but the last.
    levels: Vec<Level>,
    /// The levels where partial matches wait, in bits.
    waiting: u64,
    /// What an event completed: the range of the last level that it found, and the event.
    done: Option<Done>,
}

#[derive(Clone, Copy, Debug)]
struct Done {
    from: u64,
    to: u64,
    event: EventIndex,
    horizon: Key,
}

impl Sequence {
    /// Whether a program, of which the compact evaluation is possible, is a sequence.
    pub(crate) fn fits(automaton: &Automaton) -> bool {
        judge::stages(automaton).is_some()
    }

    pub(crate) fn new(automaton: &Automaton) -> Option<Sequence> {
        let all = judge::stages(automaton)?;
        let bits = |wanted: &dyn Fn(Gap) -> bool| {
            (0..).zip(&all).fold(0, |mask, (bit, stage)| mask | u64::from(wanted(stage.gap)) << bit)
        };
        Some(Sequence {
            strict: bits(&|gap| !gap.skips),
            foreign: bits(&|gap| !gap.foreign_skips),
            stages: all.iter().map(|stage| stage.number).collect(),
            scratch: all.iter().map(|stage| (stage.number, 0)).collect(),
            judge: Judge::new(automaton, all),
            window: automaton.program.window,
            judged: None,
            nodes: 0,
            runs: 0,
        })
    }

    /// Which stages the event enters, of those where a partial match may take it.
    #[inline]
    fn entered<E: Event>(
        &mut self,
        part: &mut Part,
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> u64 {
        let judged = self.judged.take();
        let Verdict { mut holds, mut open } =
            judged.unwrap_or_else(|| self.judge.judge(part.waiting << 1 | 1, arrival.event));
        while open != 0 {
            let bit = open.trailing_zeros();
            open &= open - 1;
            // Counters of faults do not depend on when somebody notices that a window has passed.
            if bit > 0 && !self.alive(part, bit as usize - 1, cx.horizon) {
                continue;
            }
            let formula = self.judge.formula(bit);
            holds |= u64::from(formula.open(&mut |number| cx.holds(number, arrival))) << bit;
        }
        holds
    }

    /// Drops everything.
    #[inline]
    fn empty(&mut self, part: &mut Part) {
        for level in &mut part.levels {
            self.runs -= level.waiting();
            self.nodes -= level.len();
            level.clear();
        }
        (part.waiting, part.done) = (0, None);
    }

    /// What has passed its window does not wait any more.
    fn pass(&mut self, part: &mut Part, horizon: Key) {
        for at in 0..part.levels.len() {
            self.alive(part, at, horizon);
        }
    }

    /// Whether partial matches wait at a level, now that others have passed their window.
    fn alive(&mut self, part: &mut Part, at: usize, horizon: Key) -> bool {
        let level = &mut part.levels[at];
        if self.window != Window::None {
            let before = level.waiting();
            level.pass(horizon);
            self.runs -= before - level.waiting();
        }
        let alive = level.waiting() > 0;
        if !alive {
            part.waiting &= !(1 << at);
        }
        alive
    }

    /// What waits at some levels, in bits, ends.
    #[inline]
    fn end(&mut self, part: &mut Part, mut levels: u64) {
        while let Some(level) = levels.checked_ilog2() {
            levels ^= 1 << level;
            self.take(part, level as usize, Key::MIN);
        }
    }

    /// All partial matches that wait at a level are taken out, but for those whose window has
    /// passed; gives the range.
    #[inline]
    fn take(&mut self, part: &mut Part, level: usize, horizon: Key) -> (u64, u64) {
        let of = &mut part.levels[level];
        let before = of.waiting();
        if self.window != Window::None {
            of.pass(horizon);
        }
        let range = (of.cut(), of.end());
        of.take();
        part.waiting &= !(1 << level);
        self.runs -= before;
        range
    }
}

impl<E: Event> Evaluator<E> for Sequence {
    type Part = Part;

    fn part(&self) -> Part {
        let levels = (1..self.stages.len()).map(|_| Level::default()).collect();
        Part { levels, waiting: 0, done: None }
    }

    #[inline]
    fn is_empty(&self, part: &Part) -> bool {
        part.waiting == 0
    }

    fn clear(&mut self, part: &mut Part) {
        self.empty(part);
        *part = Evaluator::<E>::part(self);
    }

    #[inline]
    fn passes_over(&mut self, part: &Part, event: &E) -> bool {
        let verdict = self.judge.judge(part.waiting << 1 | 1, event);
        self.judged = Some(verdict);
        verdict.holds | verdict.open | part.waiting & self.strict == 0
    }

    #[inline]
    fn glance_keyed(
        &mut self,
        part: &mut Part,
        arrival: &Arrival<'_, E>,
        _horizon: Key,
        _stats: &mut Stats,
    ) -> Glance {
        if self.passes_over(part, arrival.event) { Glance::Nothing } else { Glance::Show }
    }

    #[inline]
    fn show(
        &mut self,
        part: &mut Part,
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> Result<bool, Error> {
        if part.waiting == 0 {
            // Nobody can reach what has moved on.
            self.empty(part);
        }
        part.done = None;
        let mut entered = self.entered(part, arrival, cx);
        self.end(part, part.waiting & self.strict & !(entered >> 1));
        let last = self.stages.len() - 1;
        let mut kept = false;
        // From the last stage to the first, so that nothing moves twice.
        while let Some(bit) = entered.checked_ilog2() {
            entered ^= 1 << bit;
            let stage = bit as usize;
            let horizon = cx.horizon;
            if stage == 0 {
                if last == 0 {
                    part.done = Some(Done { from: 0, to: 0, event: arrival.place, horizon });
                } else {
                    let key = self.window.key(arrival.number, arrival.time);
                    part.levels[0].begin(arrival.place, key);
                    part.waiting |= 1;
                    self.runs += 1;
                    self.nodes += 1;
                    kept = true;
                }
                continue;
            }
            let (from, to) = self.take(part, stage - 1, horizon);
            if from == to {
                continue;
            }
            if stage == last {
                part.done = Some(Done { from, to, event: arrival.place, horizon });
                continue;
            }
            let (below, above) = part.levels.split_at_mut(stage);
            let (below, level) = (&below[stage - 1], &mut above[0]);
            self.runs += level.push(Node::over(below, from, to, arrival.place));
            part.waiting |= 1 << stage;
            self.nodes += 1;
            kept = true;
        }
        Ok(kept)
    }

    fn foreign(&mut self, part: &mut Part, _cx: &mut Context<'_, E>) -> Result<(), Error> {
        self.end(part, part.waiting & self.foreign);
        Ok(())
    }

    fn expire(&mut self, part: &mut Part, cx: &mut Context<'_, E>) -> Result<(), Error> {
        if cx.now.is_some() {
            self.pass(part, cx.horizon);
        } else {
            self.empty(part);
        }
        Ok(())
    }

    #[inline]
    fn has_matches(&self, part: &Part) -> bool {
        part.done.is_some()
    }

    fn count(&mut self, part: &mut Part) -> Option<u64> {
        let Some(done) = part.done else { return Some(0) };
        if part.levels.is_empty() {
            return Some(1);
        }
        let level = part.levels.len() - 1;
        Some(level::count(&part.levels, level, done.from, done.to, done.horizon))
    }

    fn enumerate(
        &mut self,
        part: &mut Part,
        visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(done) = part.done else { return ControlFlow::Continue(()) };
        let taken = &mut self.scratch;
        if let Some(last) = taken.last_mut() {
            last.1 = done.event;
        }
        match part.levels.len() {
            0 => visit(taken),
            n => level::read(&part.levels, n - 1, (done.from, done.to), done.horizon, taken, visit),
        }
    }

    fn runs(&self, part: &Part, horizon: Key, _: Option<i64>, _: &Automaton) -> usize {
        let waiting = |(at, level): (usize, &Level)| {
            level::count(&part.levels, at, level.cut(), level.end(), horizon)
        };
        part.levels.iter().enumerate().map(waiting).sum::<u64>() as usize
    }

    fn all_runs(&self) -> usize {
        self.runs
    }

    fn cells(&self) -> usize {
        self.nodes
    }

    fn bytes(&self) -> usize {
        self.nodes * size_of::<Node>()
    }

    fn collect<'p>(
        &mut self,
        parts: &mut dyn Iterator<Item = &'p mut Part>,
        cx: &mut Context<'_, E>,
        used: &mut Marks,
    ) where
        Part: 'p,
    {
        (self.nodes, self.runs) = (0, 0);
        for part in parts {
            part.done = None;
            self.runs += level::compact(&mut part.levels, cx.horizon);
            part.waiting = 0;
            for (at, level) in part.levels.iter().enumerate() {
                part.waiting |= u64::from(level.waiting() > 0) << at;
                self.nodes += level.len();
                level.nodes().for_each(|node| used.mark(node.place));
            }
        }
    }

    fn renumber<'p>(&mut self, parts: &mut dyn Iterator<Item = &'p mut Part>, moved: &Moved)
    where
        Part: 'p,
    {
        let levels = parts.flat_map(|part| &mut part.levels);
        levels.flat_map(Level::nodes_mut).for_each(|node| node.place = moved.to(node.place));
    }
}
