//! One run for each partial match: the evaluation for every program.
//!
//! The runs of a partition lie in buckets, one for each wait. An event is first judged by conditions
//! that look at it alone, once for a whole bucket (`tree`); most of the time this shows that
//! nothing happens there. What is left is judged for each run (`step`).

mod bucket;
mod ended;
mod filter;
mod harvest;
#[cfg(feature = "serde")]
mod save;
mod skip;
mod step;
pub(crate) mod tree;

use bucket::{Bucket, Run, find};
use ended::{deadline, passed};
use filter::Candidates;
use harvest::Harvest;
use step::{Step, bounds};
use tree::Tree;

use super::context::Context;
use super::evaluator::{Arrival, Evaluator, Key};
use super::held::Held;
use super::over;
use crate::config::Config;
use crate::error::Error;
use crate::event::Event;
use crate::history::{History, Marks, Moved, Tail};
use crate::limits::Policy;
use crate::nfa::kinds::{Kinds, bit};
use crate::nfa::program::{COMPLETE, NOWHERE, Window};
use crate::nfa::{Automaton, Skip};
use crate::predicate::register::Register;

/// So many waits are few enough to have a bucket for each from the start.
const FEW: usize = 16;

/// What the runs of all partitions share.
#[derive(Debug)]
pub(crate) struct Runs<H> {
    history: H,
    kinds: Kinds,
    /// For each wait its decisions.
    trees: Box<[Tree]>,
    start: Tree,
    /// The registers of a run without events.
    fresh: Box<[Register]>,
    /// The only part has a bucket for each wait from the start.
    dense: bool,
    /// An event that changes nothing in the waits with runs need not be shown.
    unconcerned: bool,
    /// For each wait whether its runs are matches already.
    matches: Box<[bool]>,
    harvest: Harvest,
    prompt: bool,
    /// Some wait has a window to the event before.
    gaps: bool,
    filtered: bool,
    /// An after-match skip holds matches back.
    skips: bool,
    /// Runs in all parts.
    alive: usize,
    /// Matches held back in all parts, and events that might refute one.
    held: usize,
    candidates: usize,
}

/// The runs of one partition.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// In the order of their waits.
    buckets: Vec<Bucket>,
    /// The waits with runs, in bits, if there is a bucket for each wait.
    busy: u64,
    candidates: Candidates,
    held: Held,
}

impl Part {
    /// Notes where there are runs.
    fn note(&mut self) {
        self.busy = 0;
        for bucket in self.buckets.iter().filter(|bucket| !bucket.is_empty()) {
            self.busy |= bit(bucket.wait);
        }
    }

    /// The first event of the oldest run.
    fn earliest(&self) -> u64 {
        let runs = self.buckets.iter().flat_map(Bucket::iter);
        runs.map(|run| run.start).min().unwrap_or(u64::MAX)
    }
}

impl<H: History> Runs<H> {
    pub(crate) fn new(automaton: &Automaton, config: &Config, history: H) -> Self {
        let program = &automaton.program;
        let waits = program.waits.len();
        let start = &program.waits[program.start as usize];
        let trees = (0..)
            .zip(&program.waits)
            .map(|(at, wait)| Tree::new(wait, at, false, automaton.conditions.len()));
        let skips = automaton.skip != Skip::None;
        let holds = program.waits.iter().any(|wait| wait.holds_match);
        let dense = waits <= FEW && program.key.is_empty();
        let gaps = program.waits.iter().any(|wait| wait.gap.is_some());
        let prompt = holds || skips || config.timeouts;
        let filtered = !program.filters.is_empty();
        Runs {
            history,
            kinds: Kinds::new(program, &automaton.conditions),
            trees: trees.collect(),
            start: Tree::new(start, program.start, true, automaton.conditions.len()),
            fresh: automaton.registers.iter().map(|r| r.empty()).collect(),
            dense,
            unconcerned: dense && !(filtered || skips || prompt && gaps),
            harvest: Harvest::new(),
            gaps,
            prompt,
            matches: program.waits.iter().map(|wait| wait.is_match).collect(),
            filtered,
            skips,
            alive: 0,
            held: 0,
            candidates: 0,
        }
    }

    pub(crate) fn history(&self) -> &H {
        &self.history
    }
}

impl<E: Event, H: History> Evaluator<E> for Runs<H> {
    type Part = Part;

    fn part(&self) -> Part {
        let width = self.fresh.len();
        let all = 0..if self.dense { self.matches.len() as u32 } else { 0 };
        Part {
            buckets: all.map(|wait| Bucket::new(wait, width)).collect(),
            busy: 0,
            candidates: Candidates::default(),
            held: Held::default(),
        }
    }

    #[inline]
    fn is_empty(&self, part: &Part) -> bool {
        (if self.dense { part.busy == 0 } else { part.buckets.iter().all(Bucket::is_empty) })
            && part.candidates.is_empty()
            && part.held.is_empty()
    }

    #[inline]
    fn passes_over(&mut self, part: &Part, event: &E) -> bool {
        self.unconcerned && self.kinds.changes_nothing(event.event_type(), part.busy)
    }

    fn show(
        &mut self,
        part: &mut Part,
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> Result<bool, Error> {
        let Runs { history, kinds, trees, start, fresh, harvest, matches, .. } = self;
        let from = cx.out.matches();
        let Part { buckets, busy, candidates, .. } = &mut *part;
        harvest.kept = false;
        (harvest.entered, harvest.entered_in) = (0, 0);
        let kind = kinds.kind(arrival.event.event_type());
        let dense = self.dense;
        let mut step = Step { arrival, kind, cx, history, harvest, candidates, matches };
        let (mut before, mut after) = (0, 0);
        // From the last wait to the first: what moves on comes to where the event has been shown.
        let (mut bits, mut next) = (kinds.among(kind, *busy), buckets.len());
        loop {
            let at = if dense {
                let Some(at) = bits.checked_ilog2() else { break };
                bits ^= 1 << at;
                at as usize
            } else {
                let Some(at) = next.checked_sub(1) else { break };
                next = at;
                at
            };
            let Some((bucket, above)) = buckets[at..].split_first_mut() else { break };
            if !dense && (bucket.is_empty() || !kinds.concerns(kind, bucket.wait)) {
                continue;
            }
            before += bucket.len();
            step.show(bucket, above, &mut trees[bucket.wait as usize]);
            after += bucket.len();
        }
        step.harvest.settle(buckets, matches, fresh.len(), arrival.time);
        if kinds.begins(kind) {
            step.begin(start, fresh, buckets);
            step.harvest.settle(buckets, matches, fresh.len(), arrival.time);
        }
        self.alive = self.alive + self.harvest.entered + after - before;
        let mut bits = *busy | self.harvest.entered_in;
        *busy = bits;
        while dense && bits != 0 {
            let at = bits.trailing_zeros();
            bits &= bits - 1;
            if buckets[at as usize].is_empty() {
                *busy &= !bit(at);
            }
        }
        if self.prompt && self.gaps {
            // A run may have come to wait for what is too late already.
            let waits = &cx.automaton.program.waits;
            let late = |b: &Bucket| b.may_pass(&bounds(&waits[b.wait as usize], cx));
            cx.recheck = part.buckets.iter().any(|b| !b.is_empty() && late(b));
        }
        if self.filtered {
            let candidates = part.candidates.len();
            let runs = part.buckets.iter().any(|bucket| !bucket.is_empty());
            self.harvest.kept |= part.candidates.offer(arrival, runs, cx);
            let program = &cx.automaton.program;
            let earliest = || part.buckets.iter().flat_map(Bucket::iter).map(|run| run.start).min();
            let earliest = || earliest().unwrap_or(u64::MAX);
            part.candidates.sweep(&program.filters, program.window, cx.horizon, earliest);
            self.candidates = self.candidates + part.candidates.len() - candidates;
        }
        let mut kept = self.harvest.kept;
        let too_long = std::mem::take(&mut self.harvest.too_long);
        if too_long > 0 {
            let longest = cx.config.limits.match_length;
            if longest.policy == Policy::Error {
                return Err(over("events of one match", longest));
            }
            cx.stats.dropped_runs += too_long;
        }
        if self.skips {
            let completes = cx.out.matches() > from;
            self.release(part, from, cx)?;
            // If not one with the event, garbage is found later.
            kept |= completes && !part.held.is_empty();
        }
        Ok(kept)
    }

    fn foreign(&mut self, part: &mut Part, cx: &mut Context<'_, E>) -> Result<(), Error> {
        let program = &cx.automaton.program;
        let from = cx.out.matches();
        let mut moved = Vec::new();
        for bucket in part.buckets.iter_mut().filter(|bucket| !bucket.is_empty()) {
            let target = program.waits[bucket.wait as usize].foreign;
            if target == bucket.wait {
                continue;
            }
            if target != COMPLETE && target != NOWHERE {
                moved.push((
                    target,
                    std::mem::replace(bucket, Bucket::new(bucket.wait, self.fresh.len())),
                ));
                continue;
            }
            self.alive -= bucket.len();
            let bounds = bounds(&program.waits[bucket.wait as usize], cx);
            if bucket.may_pass(&bounds) {
                bucket.sweep(&bounds, |_, _| ());
            }
            if target == COMPLETE {
                for at in bucket.places() {
                    let tail = bucket.run(at).tail;
                    cx.out.complete(&self.history, tail, None);
                    let registers = bucket.registers(at);
                    if part.candidates.refute(cx.out.newest(), registers, None, cx) {
                        cx.out.take_back();
                    }
                }
            }
            bucket.clear();
        }
        for (target, mut bucket) in moved {
            find(&mut part.buckets, target, self.fresh.len()).append(&mut bucket);
        }
        part.note();
        if self.skips { self.release(part, from, cx) } else { Ok(()) }
    }

    fn expire(&mut self, part: &mut Part, cx: &mut Context<'_, E>) -> Result<(), Error> {
        let automaton = cx.automaton;
        let program = &automaton.program;
        let from = cx.out.matches();
        for bucket in part.buckets.iter_mut().filter(|bucket| !bucket.is_empty()) {
            let wait = &program.waits[bucket.wait as usize];
            let bounds = bounds(wait, cx);
            // At the end of the stream only what a window bounds has ended, and what is a match.
            // The others are silent, but no match waits for them any more.
            let endless = program.window == Window::None && wait.gap.is_none();
            if bounds.end && endless && !wait.holds_match {
                self.alive -= bucket.len();
                bucket.clear();
            }
            if !bucket.may_pass(&bounds) {
                continue;
            }
            let Runs { history, .. } = &*self;
            let candidates = &part.candidates;
            let gone = bucket.sweep(&bounds, |run, registers| {
                if wait.holds_match {
                    cx.out.complete(history, run.tail, None);
                    if candidates.refute(cx.out.newest(), registers, None, cx) {
                        cx.out.take_back();
                    }
                } else if !(run.matched && program.matched_is_no_timeout) {
                    cx.stats.timed_out += 1;
                    if cx.config.timeouts {
                        let deadline = deadline(run, wait.gap, program.window, cx);
                        cx.out.time_out(history, run.tail, deadline);
                    }
                }
            });
            self.alive -= gone;
        }
        part.note();
        if self.skips { self.release(part, from, cx) } else { Ok(()) }
    }

    fn prompt(&self) -> bool {
        self.prompt
    }

    fn runs(&self, part: &Part, horizon: Key, now: Option<i64>, automaton: &Automaton) -> usize {
        let passed = |bucket: &Bucket| passed(bucket, horizon, now, automaton, |_| true);
        part.buckets.iter().map(|bucket| bucket.len() - passed(bucket)).sum()
    }

    fn unnoticed(
        &self,
        part: &Part,
        horizon: Key,
        now: Option<i64>,
        automaton: &Automaton,
    ) -> usize {
        let saves = automaton.program.matched_is_no_timeout;
        let counts = |run: &Run| !(saves && run.matched);
        part.buckets.iter().map(|bucket| passed(bucket, horizon, now, automaton, counts)).sum()
    }

    fn all_runs(&self) -> usize {
        self.alive
    }

    fn held(&self) -> usize {
        self.held
    }

    fn shed<'p>(
        &mut self,
        parts: &mut dyn Iterator<Item = &'p mut Part>,
        count: usize,
        policy: Policy,
    ) where
        Part: 'p,
    {
        let mut parts: Vec<&mut Part> = parts.collect();
        let runs = parts.iter().flat_map(|part| &part.buckets).flat_map(Bucket::iter);
        let mut starts: Vec<u64> = runs.map(|run| run.start).collect();
        if count == 0 || starts.is_empty() {
            return;
        }
        // The start at which the line is drawn, and how many of that start go, too.
        let oldest = policy == Policy::DropOldest;
        let count = count.min(starts.len());
        let place = if oldest { count - 1 } else { starts.len() - count };
        let line = *starts.select_nth_unstable(place).1;
        let beyond = |start: u64| if oldest { start < line } else { start > line };
        let mut on_line = count - starts.iter().filter(|&&start| beyond(start)).count();
        for bucket in parts.iter_mut().flat_map(|part| &mut part.buckets) {
            bucket.retain(|run, _| {
                let drop = beyond(run.start) || (run.start == line && on_line > 0);
                on_line -= usize::from(drop && run.start == line);
                !drop
            });
        }
        parts.iter_mut().for_each(|part| part.note());
        self.alive -= count;
    }

    fn cells(&self) -> usize {
        self.history.edges() + self.candidates
    }

    fn entries(&self) -> usize {
        self.history.cells() + self.candidates
    }

    fn capacity(&self) -> usize {
        self.history.capacity()
    }

    fn bytes(&self) -> usize {
        self.history.bytes()
    }

    fn forgets(&self) -> bool {
        // Matches that are held back, and negations judged later, need older events.
        !self.skips && !self.filtered
    }

    fn forget(&mut self, horizon: Key) {
        self.history.expire(horizon);
    }

    fn collect<'p>(
        &mut self,
        parts: &mut dyn Iterator<Item = &'p mut Part>,
        cx: &mut Context<'_, E>,
        used: &mut Marks,
    ) where
        Part: 'p,
    {
        let program = &cx.automaton.program;
        let mut tails: Vec<&mut Tail> = Vec::new();
        for part in parts {
            // Promptly expired, none has passed; and if one had, something would come of it.
            for bucket in part.buckets.iter_mut().filter(|_| !self.prompt) {
                let bounds = bounds(&program.waits[bucket.wait as usize], cx);
                if bucket.may_pass(&bounds) {
                    let mut passed = 0;
                    let saves = program.matched_is_no_timeout;
                    self.alive -= bucket.sweep(&bounds, |run, _| {
                        passed += u64::from(!(saves && run.matched));
                    });
                    cx.stats.timed_out += passed;
                }
            }
            if self.filtered {
                let (earliest, candidates) = (part.earliest(), part.candidates.len());
                part.candidates.sweep_now(&program.filters, program.window, cx.horizon, earliest);
                self.candidates = self.candidates + part.candidates.len() - candidates;
                part.candidates.mark(used);
            }
            part.held.mark(used);
            part.note();
            let runs = part.buckets.iter_mut().flat_map(Bucket::iter_mut);
            tails.extend(runs.map(|run| &mut run.tail));
        }
        self.history.compact(tails.into_iter(), used);
    }

    fn renumber<'p>(&mut self, parts: &mut dyn Iterator<Item = &'p mut Part>, moved: &Moved)
    where
        Part: 'p,
    {
        self.history.renumber(moved);
        for part in parts {
            part.candidates.renumber(moved);
            part.held.renumber(moved);
        }
    }
}
