//! What one event does to runs.

use super::bucket::{Bounds, Bucket, Run, find, find_in};
use super::filter::Candidates;
use super::harvest::Harvest;
use super::tree::{Effect, Fire, Outcome, Tree};
use crate::event::Event;
use crate::history::{Entry, History, Tail};
use crate::nfa::kinds::{Kind, bit};
use crate::nfa::program::{Finish, Move, NOWHERE, Sees, Wait};
use crate::nfa::{Automaton, Formula};
use crate::predicate::evaluate;
use crate::predicate::register::Register;

use super::super::context::Context;
use super::super::evaluator::{Arrival, Taken, oldest_time};

/// Everything that taking an event needs.
pub(super) struct Step<'s, 'c, E, H> {
    pub(super) arrival: &'s Arrival<'s, E>,
    pub(super) kind: Kind,
    pub(super) cx: &'s mut Context<'c, E>,
    pub(super) history: &'s mut H,
    pub(super) harvest: &'s mut Harvest,
    pub(super) candidates: &'s Candidates,
    /// For each wait whether its runs are matches already.
    pub(super) matches: &'s [bool],
}

/// Which runs of a wait have ended.
pub(super) fn bounds<E>(wait: &Wait, cx: &Context<'_, E>) -> Bounds {
    let Some(now) = cx.now else {
        return Bounds { key: i64::MIN, last: i64::MIN, now: i64::MAX, end: true };
    };
    let last = wait.gap.map_or(i64::MIN, |gap| oldest_time(gap, false, now));
    Bounds { key: cx.horizon, last, now, end: false }
}

impl<E: Event, H: History> Step<'_, '_, E, H> {
    /// Shows the event to all runs of a bucket. The buckets `above` have seen it.
    pub(super) fn show(&mut self, bucket: &mut Bucket, above: &mut [Bucket], tree: &mut Tree) {
        let automaton = self.cx.automaton;
        let wait = &automaton.program.waits[bucket.wait as usize];
        let bounds = bounds(wait, self.cx);
        // Nothing is judged for runs that have ended, whenever they are cleaned up: counters of faults
        // do not depend on that.
        if bucket.may_pass(&bounds) && bucket.iter().next_back().is_some_and(|r| bounds.passed(r)) {
            self.sweep(bucket, &bounds);
            if bucket.is_empty() {
                return;
            }
        }
        let node = self.walk_event(tree);
        let shared = tree.outcome(node).map(|outcome| outcome.effect);
        if bucket.may_pass(&bounds)
            && (shared != Some(Effect::Stay) || bucket.worth_sweeping(&bounds))
        {
            self.sweep(bucket, &bounds);
        }
        match shared {
            Some(Effect::Stay) => return,
            Some(Effect::End) => return bucket.clear(),
            Some(Effect::Move | Effect::Finish) => {
                let fire = tree.outcome(node).map(|outcome| outcome.moves[0]);
                if let Some(fire) = fire
                    && self.move_all(bucket, above, wait, fire)
                {
                    return;
                }
            }
            _ => {}
        }
        let conditions = automaton.conditions.as_slice();
        let (event, faults) = (self.arrival.event, self.cx.faults);
        // Most conditions on a run compare one of its registers with the event.
        let fork = tree.fork(node);
        let sieve = fork.and_then(|fork| conditions[fork.0 as usize].test.sieve(event, faults));
        let stays = fork.map_or([false; 2], |fork| fork.1);
        let places = bucket.places();
        let end = places.end;
        let (mut at, mut keep) = (places.start, places.start);
        while at < end {
            let mut node = node;
            if let Some(sieve) = &sieve {
                if keep == at {
                    at = bucket.position(at..end, |registers| {
                        sieve.check(registers).is_none_or(|branch| !stays[usize::from(branch)])
                    });
                    keep = at;
                    if at == end {
                        break;
                    }
                }
                if let Some(branch) = sieve.check(bucket.registers(at)) {
                    node = tree.follow(conditions, node, branch);
                }
            }
            let context = evaluate::Context { event, registers: bucket.registers(at), faults };
            let node = tree.walk_run(conditions, node, |number| {
                conditions[number as usize].test.evaluate(context).holds()
            });
            // The walk ends there.
            let Some(outcome) = tree.outcome(node) else { break };
            let stays = match outcome.effect {
                Effect::Stay => true,
                Effect::End => false,
                Effect::Take | Effect::Move => {
                    self.take_one(bucket, above, at, wait, outcome.moves[0])
                }
                Effect::Finish | Effect::Several => self.take_several(bucket, at, wait, outcome),
            };
            if stays {
                if keep != at {
                    bucket.shift(at, keep);
                }
                keep += 1;
            }
            at += 1;
        }
        bucket.remove(keep..end);
    }

    /// Lets runs begin. This comes last, so they go straight into their buckets.
    #[inline]
    pub(super) fn begin(&mut self, tree: &mut Tree, fresh: &[Register], buckets: &mut Vec<Bucket>) {
        let automaton = self.cx.automaton;
        let mut node = self.walk_event(tree);
        if tree.outcome(node).is_none() {
            let (event, faults) = (self.arrival.event, self.cx.faults);
            let context = evaluate::Context { event, registers: fresh, faults };
            node = tree.walk_run(&automaton.conditions, node, |number| {
                automaton.conditions[number as usize].test.evaluate(context).holds()
            });
        }
        match tree.outcome(node) {
            Some(outcome) if !outcome.moves.is_empty() => self.begin_with(outcome, fresh, buckets),
            _ => {}
        }
    }

    fn begin_with(&mut self, outcome: &Outcome, fresh: &[Register], buckets: &mut Vec<Bucket>) {
        let automaton = self.cx.automaton;
        let first = outcome.moves[0];
        let Arrival { number, time, .. } = *self.arrival;
        let key = automaton.program.window.key(number, time);
        let run = Run {
            tail: Tail::EMPTY,
            length: 0,
            start: number,
            key,
            last: time,
            entered: time,
            matched: false,
        };
        let wait = &automaton.program.waits[automaton.program.start as usize];
        let m = &wait.moves[first.at as usize];
        let plain = match &m.finish {
            Finish::Hold { formula, .. } => *formula == Formula::True,
            Finish::Emit { .. } => false,
            Finish::No => true,
        };
        if !plain || outcome.moves.len() > 1 || self.cx.config.limits.match_length.most == 0 {
            for &fire in &outcome.moves {
                if let Some((target, next)) = self.fork(&run, fresh, wait, fire, outcome.forks) {
                    self.harvest.stage_made(target, next);
                }
            }
            return;
        }
        if first.target == NOWHERE {
            return;
        }
        let tail = self.history.append(&run.tail, self.entry(m, false));
        self.harvest.kept = true;
        let matched = self.matches[first.target as usize];
        let bucket = find(buckets, first.target, fresh.len());
        self.harvest.entered += 1;
        self.harvest.entered_in |= bit(first.target);
        bucket.push(Run { tail, length: 1, matched, ..run }, fresh.iter().cloned());
        update(automaton, m, bucket.newest_registers(), self.arrival.event);
    }

    #[inline(always)]
    fn walk_event(&mut self, tree: &mut Tree) -> u32 {
        if let Some(outcome) = tree.decided(self.kind) {
            return outcome;
        }
        let Context { automaton, facts, faults, .. } = &mut *self.cx;
        let event = self.arrival.event;
        tree.walk_event(&automaton.conditions, self.kind, |number| {
            facts.holds(number, event, automaton, faults)
        })
    }

    /// Removes the runs whose window has passed where nothing comes of it.
    fn sweep(&mut self, bucket: &mut Bucket, bounds: &Bounds) {
        let saves = self.cx.automaton.program.matched_is_no_timeout;
        let mut passed = 0;
        bucket.sweep(bounds, |run, _| passed += u64::from(!(saves && run.matched)));
        self.cx.stats.timed_out += passed;
    }

    /// A run may not take one event more.
    fn too_long(&mut self, run: &Run) -> bool {
        let too_long = run.length as usize >= self.cx.config.limits.match_length.most;
        self.harvest.too_long += u64::from(too_long);
        too_long
    }

    fn entry(&self, m: &Move, forks: bool) -> Entry {
        let Arrival { number, time, place, .. } = *self.arrival;
        let key = self.cx.automaton.program.window.key(number, time);
        Entry { stage: m.stage, event: place, kind: m.kind, forks, time: key }
    }

    /// All runs make the same move and leave their bucket, which is known of the event alone. Gives
    /// `false`, having done nothing, if there is more to it.
    #[inline]
    fn move_all(
        &mut self,
        bucket: &mut Bucket,
        above: &mut [Bucket],
        wait: &Wait,
        fire: Fire,
    ) -> bool {
        let m = &wait.moves[fire.at as usize];
        let emits = match &m.finish {
            Finish::No => false,
            Finish::Emit { sees: Sees::Before, .. } => fire.emits,
            Finish::Emit { formula: Formula::True, .. } => true,
            _ => return false,
        };
        let longest = self.cx.config.limits.match_length.most;
        if fire.target == NOWHERE {
            if H::SHOWN || !self.candidates.is_empty() {
                return false;
            }
            let last = Some((m.stage, self.arrival.place));
            for run in bucket.iter() {
                if run.length as usize >= longest {
                    self.harvest.too_long += 1;
                } else if emits {
                    self.cx.out.complete(self.history, run.tail, last);
                }
            }
            bucket.clear();
            return true;
        }
        let Some(target) = find_in(above, fire.target) else { return false };
        if emits {
            return false;
        }
        let entry = self.entry(m, false);
        let matched = self.matches[fire.target as usize];
        let before = target.len();
        for at in bucket.places() {
            let (run, registers) = bucket.both_mut(at);
            if run.length as usize >= longest {
                self.harvest.too_long += 1;
                continue;
            }
            run.tail = self.history.append(&run.tail, entry);
            run.length += 1;
            (run.last, run.entered) = (self.arrival.time, self.arrival.time);
            run.matched |= matched;
            update(self.cx.automaton, m, registers, self.arrival.event);
            target.push(*run, registers.iter_mut().map(std::mem::take));
        }
        self.harvest.entered += target.len() - before;
        self.harvest.entered_in |= bit(fire.target);
        self.harvest.kept = true;
        bucket.clear();
        true
    }

    /// The only thing that happens to a run is one move: it is changed where it is. Gives whether it
    /// stays in the bucket.
    #[inline]
    fn take_one(
        &mut self,
        bucket: &mut Bucket,
        above: &mut [Bucket],
        at: usize,
        wait: &Wait,
        fire: Fire,
    ) -> bool {
        if self.too_long(bucket.run(at)) {
            return false;
        }
        let m = &wait.moves[fire.at as usize];
        let entry = self.entry(m, false);
        let own = bucket.wait;
        let (run, registers) = bucket.both_mut(at);
        run.tail = self.history.append(&run.tail, entry);
        run.length += 1;
        run.last = self.arrival.time;
        self.harvest.kept = true;
        update(self.cx.automaton, m, registers, self.arrival.event);
        let (emits, target) = self.end(m, fire, registers);
        if emits {
            self.complete(run.tail, None, registers);
            run.matched = true;
        }
        if target != own && target != NOWHERE {
            match find_in(above, target) {
                Some(bucket) => {
                    run.matched |= self.matches[target as usize];
                    run.entered = self.arrival.time;
                    self.harvest.entered += 1;
                    self.harvest.entered_in |= bit(target);
                    bucket.push(*run, registers.iter_mut().map(std::mem::take));
                }
                None => {
                    self.harvest.stage(target, *run, registers.iter_mut().map(std::mem::take));
                }
            }
        }
        target == own
    }

    /// Several things happen to a run. Gives whether it also stays as it is.
    fn take_several(
        &mut self,
        bucket: &mut Bucket,
        at: usize,
        wait: &Wait,
        outcome: &Outcome,
    ) -> bool {
        let run = *bucket.run(at);
        for &fire in &outcome.moves {
            let made = self.fork(&run, bucket.registers(at), wait, fire, outcome.forks);
            let Some((target, next)) = made else { continue };
            if target == bucket.wait {
                // Behind those that see the event.
                bucket.push(next, self.harvest.scratch.drain(..));
            } else {
                self.harvest.stage_made(target, next);
            }
        }
        let registers = bucket.registers(at);
        let mut stays = false;
        for &target in &outcome.ignores {
            if target == bucket.wait {
                stays = true;
            } else {
                self.harvest.stage(target, run, registers.iter().cloned());
            }
        }
        if outcome.completes {
            self.complete(run.tail, None, registers);
        }
        stays
    }

    /// A copy of a run makes a move; gives it and where it waits, its registers lie in `scratch`.
    #[inline]
    fn fork(
        &mut self,
        run: &Run,
        registers: &[Register],
        wait: &Wait,
        fire: Fire,
        forks: bool,
    ) -> Option<(u32, Run)> {
        if self.too_long(run) {
            return None;
        }
        let m = &wait.moves[fire.at as usize];
        if fire.target == NOWHERE && self.candidates.is_empty() {
            let emits = match &m.finish {
                Finish::Emit { sees: Sees::Before, .. } => Some(fire.emits),
                Finish::Emit { formula: Formula::True, .. } => Some(true),
                _ => None,
            };
            if let Some(emits) = emits {
                if emits {
                    self.complete_with(run, m, forks, &[]);
                }
                return None;
            }
        }
        let mut scratch = std::mem::take(&mut self.harvest.scratch);
        scratch.clear();
        scratch.extend(registers.iter().cloned());
        update(self.cx.automaton, m, &mut scratch, self.arrival.event);
        let (emits, target) = self.end(m, fire, &scratch);
        let mut made = None;
        if target != NOWHERE {
            let tail = self.history.append(&run.tail, self.entry(m, forks));
            self.harvest.kept = true;
            if emits {
                self.complete(tail, None, &scratch);
            }
            let (length, last) = (run.length + 1, self.arrival.time);
            let matched = run.matched || emits;
            made = Some((target, Run { tail, length, last, matched, ..*run }));
        } else if emits {
            self.complete_with(run, m, forks, &scratch);
        }
        self.harvest.scratch = scratch;
        made
    }

    /// Whether a run that has made a move is a match, and where it goes.
    #[inline]
    fn end(&self, m: &Move, fire: Fire, registers: &[Register]) -> (bool, u32) {
        let holds = |formula: &Formula| {
            let (event, faults) = (self.arrival.event, self.cx.faults);
            let context = evaluate::Context { event, registers, faults };
            holds(self.cx.automaton, formula, context)
        };
        match &m.finish {
            Finish::No => (false, fire.target),
            Finish::Emit { sees: Sees::Before, .. } => (fire.emits, fire.target),
            Finish::Emit { formula, sees: Sees::After } => (holds(formula), fire.target),
            Finish::Hold { formula, otherwise } => {
                (false, if holds(formula) { fire.target } else { *otherwise })
            }
        }
    }

    /// A run is a match with the event, and ends.
    fn complete_with(&mut self, run: &Run, m: &Move, forks: bool, registers: &[Register]) {
        if H::SHOWN {
            let tail = self.history.append(&run.tail, self.entry(m, forks));
            self.harvest.kept = true;
            self.complete(tail, None, registers);
        } else {
            self.complete(run.tail, Some((m.stage, self.arrival.place)), registers);
        }
    }

    fn complete(&mut self, tail: Tail, last: Option<Taken>, registers: &[Register]) {
        self.cx.out.complete(self.history, tail, last);
        let refuted =
            self.candidates.refute(self.cx.out.newest(), registers, Some(self.arrival), self.cx);
        if refuted {
            self.cx.out.take_back();
        }
    }
}

fn holds<E: Event>(automaton: &Automaton, formula: &Formula, at: evaluate::Context<'_, E>) -> bool {
    formula.open(&mut |number| automaton.conditions[number as usize].test.evaluate(at).holds())
}

/// Enters the event into the registers.
#[inline]
fn update<E: Event>(automaton: &Automaton, m: &Move, registers: &mut [Register], event: &E) {
    if registers.is_empty() {
        return;
    }
    for &index in &m.resets {
        registers[index as usize] = automaton.registers[index as usize].empty();
    }
    for &index in &automaton.stage_registers[m.stage as usize] {
        automaton.registers[index as usize].update(&mut registers[index as usize], event);
    }
}
