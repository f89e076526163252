//! Runs that walk the automaton's states and edges as they are, in the order of Flink's heap.
//!
//! For patterns of the builder with an after-match skip, where ties between matches that start with
//! the same event depend on that order, and for automata that cannot be flattened.

mod queue;
#[cfg(feature = "serde")]
mod save;
mod step;

use queue::Queue;
use step::{Rules, Run, Step, Truths, step};

use super::context::Context;
use super::evaluator::{Arrival, Evaluator, Key};
use super::held::prune_before;
use super::over;
use crate::config::HoldBack;
use crate::error::Error;
use crate::event::Event;
use crate::history::{History, Marks, Moved, Tail};
use crate::limits::Policy;
use crate::nfa::{Automaton, Skip, StateKind};
use crate::predicate::register::Register;

/// What the runs of all partitions share.
#[derive(Debug)]
pub(crate) struct Interpreter<H> {
    history: H,
    step: Step,
    truths: Truths,
    /// The registers of a run without events.
    fresh: Box<[Register]>,
    start: u32,
    windowed: bool,
    /// Runs in all parts, those that have not started left out.
    alive: usize,
    held: usize,
}

/// The runs of one partition.
#[derive(Debug)]
pub(crate) struct Part {
    /// The partial matches, and among them the run that has not started, which waits for a first
    /// event.
    runs: Queue,
    /// Matches that wait for earlier runs.
    held: Queue,
}

/// Whether the window of length `window` from `start` has passed; at `None` every window has. The
/// difference of two times may exceed 64 bits.
fn has_passed(start: i64, window: i64, now: Option<i64>) -> bool {
    now.is_none_or(|now| i128::from(now) - i128::from(start) >= i128::from(window))
}

/// When the run's window ended, if it has.
fn passed(run: &Run, automaton: &Automaton, now: Option<i64>) -> Option<i64> {
    if !run.has_started() {
        return None;
    }
    let gap = automaton.states[run.state as usize].gap;
    let gap = gap.filter(|&window| has_passed(run.last_time, window, now));
    if let Some(window) = gap {
        return Some(run.last_time.saturating_add(window));
    }
    let whole = automaton.within;
    let whole = whole.filter(|&window| has_passed(run.start_time, window, now));
    whole.map(|window| run.start_time.saturating_add(window))
}

impl<H: History> Interpreter<H> {
    pub(crate) fn new(automaton: &Automaton, history: H) -> Self {
        Interpreter {
            history,
            step: Step::new(),
            truths: Truths::new(automaton),
            fresh: automaton.registers.iter().map(|r| r.empty()).collect(),
            start: automaton.start,
            windowed: automaton.is_windowed(),
            alive: 0,
            held: 0,
        }
    }

    /// Hands out complete matches, at once or behind earlier runs.
    fn conclude<E: Event>(
        &mut self,
        part: &mut Part,
        complete: &mut Vec<Run>,
        cx: &mut Context<'_, E>,
    ) -> Result<(), Error> {
        self.bound_matches(complete, cx)?;
        if cx.automaton.skip == Skip::None {
            for run in complete.drain(..) {
                cx.out.complete(&self.history, run.tail, None);
            }
            return Ok(());
        }
        let before = part.held.len();
        let mut completed_now = Queue::new();
        complete.drain(..).for_each(|run| completed_now.push(run));
        completed_now.drain().for_each(|run| part.held.push(run));
        let result = self.hand_out(part, cx);
        self.held = self.held + part.held.len() - before;
        result
    }

    fn hand_out<E: Event>(
        &mut self,
        part: &mut Part,
        cx: &mut Context<'_, E>,
    ) -> Result<(), Error> {
        while let Some(first) = part.held.first() {
            let earlier = part.runs.first().is_some_and(|run| run.start < first.start);
            if earlier && cx.config.hold_back == HoldBack::Wait {
                break;
            }
            let Some(run) = part.held.pop() else { break };
            cx.out.complete(&self.history, run.tail, None);
            match prune_before(cx.out.newest(), cx) {
                Ok(Some(bound)) => {
                    part.runs.retain(|run| run.start >= bound);
                    part.held.retain(|run| run.start >= bound);
                }
                Ok(None) => {}
                Err(error) => {
                    cx.out.take_back();
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn bound_matches<E: Event>(
        &self,
        complete: &mut Vec<Run>,
        cx: &mut Context<'_, E>,
    ) -> Result<(), Error> {
        let limit = cx.config.limits.matches;
        let beyond = (complete.len() + self.held).saturating_sub(limit.most);
        if beyond > 0 && !complete.is_empty() {
            let beyond = beyond.min(complete.len());
            complete.sort_by_key(|run| run.start);
            match limit.policy {
                Policy::Error => return Err(over("matches at once", limit)),
                Policy::DropOldest => drop(complete.drain(..beyond)),
                Policy::DropNewest => complete.truncate(complete.len() - beyond),
            }
            cx.stats.dropped_matches += beyond as u64;
        }
        Ok(())
    }
}

impl<E: Event, H: History> Evaluator<E> for Interpreter<H> {
    type Part = Part;

    fn part(&self) -> Part {
        let mut runs = Queue::new();
        runs.push(Run::not_started(self.start));
        Part { runs, held: Queue::new() }
    }

    fn is_empty(&self, part: &Part) -> bool {
        part.runs.len() == 1 && part.held.len() == 0
    }

    fn show(
        &mut self,
        part: &mut Part,
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> Result<bool, Error> {
        let longest = cx.config.limits.match_length;
        let into = &mut self.step;
        into.taken = false;
        into.too_long = 0;
        let rules = Rules { fresh: &self.fresh, longest: longest.most };
        for run in part.runs.iter() {
            step(&rules, run, arrival, &mut self.history, &mut self.truths, cx, into);
        }
        let before = part.runs.len();
        drop(part.runs.drain());
        into.alive.drain(..).for_each(|run| part.runs.push(run));
        let (taken, too_long) = (into.taken, into.too_long);
        if too_long > 0 {
            if longest.policy == Policy::Error {
                return Err(over("events of one match", longest));
            }
            cx.stats.dropped_runs += too_long;
        }
        let mut complete = std::mem::take(&mut self.step.complete);
        let result = self.conclude(part, &mut complete, cx);
        self.step.complete = complete;
        self.alive = self.alive + part.runs.len() - before;
        if self.windowed && !cx.automaton.program.key.is_empty() {
            let late = |run: &Run| passed(run, cx.automaton, Some(arrival.time)).is_some();
            cx.recheck = part.runs.iter().any(late);
        }
        result.map(|()| taken)
    }

    fn expire(&mut self, part: &mut Part, cx: &mut Context<'_, E>) -> Result<(), Error> {
        let mut complete = Vec::new();
        let before = part.runs.len();
        if self.windowed {
            let runs = std::mem::replace(&mut part.runs, Queue::new());
            for run in runs.into_runs() {
                match passed(&run, cx.automaton, cx.now) {
                    None => part.runs.push(run),
                    Some(_)
                        if cx.automaton.states[run.state as usize].kind == StateKind::Pending =>
                    {
                        complete.push(run);
                    }
                    Some(deadline) => {
                        cx.stats.timed_out += 1;
                        if cx.config.timeouts {
                            cx.out.time_out(&self.history, run.tail, deadline);
                        }
                    }
                }
            }
        }
        let result = self.conclude(part, &mut complete, cx);
        self.alive = self.alive + part.runs.len() - before;
        result
    }

    fn prompt(&self) -> bool {
        self.windowed
    }

    fn runs(&self, part: &Part, _: Key, _: Option<i64>, _: &Automaton) -> usize {
        part.runs.len() - 1
    }

    fn all_runs(&self) -> usize {
        self.alive
    }

    fn held(&self) -> usize {
        self.held
    }

    /// Of one start, those that were taken up first or last.
    fn shed<'p>(
        &mut self,
        parts: &mut dyn Iterator<Item = &'p mut Part>,
        count: usize,
        policy: Policy,
    ) where
        Part: 'p,
    {
        let mut parts: Vec<&mut Part> = parts.collect();
        let mut order: Vec<(u64, usize, usize)> = Vec::new();
        for (of, part) in parts.iter().enumerate() {
            let started = part.runs.iter().enumerate().filter(|(_, run)| run.has_started());
            order.extend(started.map(|(at, run)| (run.start, of, at)));
        }
        order.sort_unstable();
        let count = count.min(order.len());
        let dropped = match policy {
            Policy::DropOldest => &order[..count],
            _ => &order[order.len() - count..],
        };
        let mut drop: Vec<Vec<bool>> = parts.iter().map(|p| vec![false; p.runs.len()]).collect();
        dropped.iter().for_each(|&(_, of, at)| drop[of][at] = true);
        for (part, drop) in parts.iter_mut().zip(drop) {
            let mut drop = drop.into_iter();
            part.runs.retain(|_| !drop.next().unwrap_or(false));
        }
        self.alive -= count;
    }

    fn cells(&self) -> usize {
        self.history.cells()
    }

    fn capacity(&self) -> usize {
        self.history.capacity()
    }

    fn bytes(&self) -> usize {
        self.history.bytes()
    }

    fn forgets(&self) -> bool {
        false
    }

    fn collect<'p>(
        &mut self,
        parts: &mut dyn Iterator<Item = &'p mut Part>,
        _: &mut Context<'_, E>,
        used: &mut Marks,
    ) where
        Part: 'p,
    {
        let tails: Vec<&mut Tail> = parts
            .flat_map(|part| part.runs.iter_mut().chain(part.held.iter_mut()))
            .map(|run| &mut run.tail)
            .collect();
        self.history.compact(tails.into_iter(), used);
    }

    fn renumber<'p>(&mut self, _: &mut dyn Iterator<Item = &'p mut Part>, moved: &Moved)
    where
        Part: 'p,
    {
        self.history.renumber(moved);
    }
}
