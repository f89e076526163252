//! Regular branches at run time: the current longest run after every child (paper, section 3.3) and
//! the three policies of what is reported.

use std::collections::VecDeque;

use crate::automaton::compile::{NONE, Regular, Role};
use crate::automaton::readings::ReportedPart;
use crate::automaton::sibling_nfa::{RunState, Scratch};
use crate::{Error, Runs, Shape, Sink};

use super::Engine;
use super::buffer::{Buffers, InstanceId, Item, Run};

/// One regular branch of one open instance.
#[derive(Debug, Default)]
struct Tracker {
    regular: u32,
    /// The instance it belongs to.
    owner: u32,
    state: RunState,
    /// Number of the current child, from 1. Children that make no difference are not counted.
    child: u64,
    /// Some symbol may match the current child.
    pending: bool,
    /// Which symbols may: what its start tag allows.
    candidates: Vec<u64>,
    /// The symbols that the current child satisfies.
    symbols: Vec<u64>,
    /// The run to report when it is not prolonged (peak), or the best so far (nonoverlap).
    best: Option<(u64, u64)>,
    /// A run was reported.
    reported: bool,
    /// What the children from `remembered_from` on satisfy, `symbol_words` words a child.
    remembered: VecDeque<u64>,
    remembered_from: u64,
    /// (child, symbol, instance) of spine symbols; ascending children.
    members: VecDeque<(u64, u32, InstanceId)>,
    /// What was found out about the runs that start at a certain child.
    reported_part: ReportedPart,
    /// In document order: start offsets of the children that live runs may begin with.
    starts: VecDeque<(u64, u64)>,
    /// In document order: no further run begins before this offset.
    floor: Option<u64>,
}

/// The stack of all open regular branches.
#[derive(Debug, Default)]
pub(crate) struct RunTracker {
    stack: Vec<Tracker>,
    /// How many are in use; the others keep their allocations.
    used: usize,
    scratch: Scratch,
}

impl RunTracker {
    pub(super) fn len(&self) -> u32 {
        self.used as u32
    }

    pub(super) fn push(&mut self, regular: u32, owner: u32) {
        if self.used == self.stack.len() {
            self.stack.push(Tracker::default());
        }
        let t = &mut self.stack[self.used];
        self.used += 1;
        t.regular = regular;
        t.owner = owner;
        t.state.clear();
        t.child = 0;
        t.pending = false;
        t.candidates.clear();
        t.symbols.clear();
        t.best = None;
        t.reported = false;
        t.remembered.clear();
        t.reported_part.clear();
        t.starts.clear();
        debug_assert!(t.floor.is_none(), "a floor is removed when its tracker is dropped");
        debug_assert!(t.members.is_empty(), "members are released when a tracker is dropped");
    }

    pub(super) fn begin_child(&mut self, r: u32) {
        let t = &mut self.stack[r as usize];
        t.child += 1;
        t.pending = false;
        t.candidates.clear();
        t.symbols.clear();
    }

    pub(super) fn is_pending(&self, r: u32) -> bool {
        self.stack[r as usize].pending
    }

    /// A symbol may match the current child.
    pub(super) fn set_pending(&mut self, r: u32, symbol: u32) {
        let t = &mut self.stack[r as usize];
        t.pending = true;
        insert(&mut t.candidates, symbol);
    }

    /// A child that matches none of its symbols makes no difference to any of these branches.
    pub(super) fn are_idle(&self, from: u32) -> bool {
        let idle = |t: &Tracker| !t.pending && t.best.is_none() && t.state.is_empty();
        self.stack[from as usize..self.used].iter().all(idle)
    }

    pub(super) fn would_accept(&self, r: u32, symbol: u32, regular: &Regular) -> bool {
        regular.nfa.would_accept(&self.stack[r as usize].state, symbol)
    }

    /// The current child satisfies a symbol.
    pub(super) fn child_satisfies(&mut self, r: u32, symbol: u32, member: Option<InstanceId>) {
        let t = &mut self.stack[r as usize];
        insert(&mut t.symbols, symbol);
        if let Some(member) = member {
            t.members.push_back((t.child, symbol, member));
        }
    }
}

fn insert(set: &mut Vec<u64>, symbol: u32) {
    let word = symbol as usize / 64;
    if set.len() <= word {
        set.resize(word + 1, 0);
    }
    set[word] |= 1 << (symbol % 64);
}

impl<S: Sink> Engine<'_, S> {
    /// Whether the children of a regular branch are remembered: to know who is in a run, or to
    /// rescan.
    pub(super) fn remembers(&self, r: u32) -> bool {
        let regular = &self.compiled.regulars[self.trackers.stack[r as usize].regular as usize];
        self.reports(regular) && !self.only_counts(regular)
    }

    fn reports(&self, regular: &Regular) -> bool {
        let query = self.compiled.nodes[regular.owner as usize].query;
        regular.on_spine && self.modes[query as usize].collect
    }

    /// Only the number of runs matters.
    fn only_counts(&self, regular: &Regular) -> bool {
        let owner = &self.compiled.nodes[regular.owner as usize];
        self.needs.count_only
            && self.modes[owner.query as usize].shape == Shape::Tuples
            && matches!(owner.role, Role::Key | Role::Below)
    }

    /// The current child of a regular branch is decided: one step of the automaton.
    pub(super) fn read_child(&mut self, r: u32) -> Result<(), Error> {
        let compiled = self.compiled;
        let t = &mut self.trackers.stack[r as usize];
        t.pending = false;
        let regular = &compiled.regulars[t.regular as usize];
        let broken = t.symbols.iter().all(|&w| w == 0);
        if broken && t.state.is_empty() && t.best.is_none() {
            return Ok(());
        }
        t.symbols.resize(regular.nfa.symbol_words, 0);
        let child = t.child;
        let remember = self.remembers(r) || (self.runs == Runs::NonOverlap && regular.on_spine);
        let t = &mut self.trackers.stack[r as usize];
        if remember {
            if t.remembered.is_empty() {
                t.remembered_from = child;
            }
            t.remembered.extend(&t.symbols);
        }
        regular.nfa.step(&mut t.state, &t.symbols, child, &mut self.trackers.scratch);
        let current = regular.nfa.current(&t.state);
        let (owner, bit) = (t.owner, regular.bit);
        if current.is_some() {
            self.meet(owner, bit)?;
        }
        if self.reports(regular) {
            match self.runs {
                Runs::Live => {
                    if let Some(first) = current {
                        self.report(r, first, child)?;
                    }
                }
                Runs::Peak => self.peak(r, current, child)?,
                Runs::NonOverlap => self.nonoverlap(r, current, child)?,
            }
        }
        self.forget(r);
        Ok(())
    }

    fn peak(&mut self, r: u32, current: Option<u64>, child: u64) -> Result<(), Error> {
        let t = &mut self.trackers.stack[r as usize];
        let before = t.best;
        t.best = current.map(|first| (first, child));
        if let Some((first, last)) = before
            && current != Some(first)
        {
            self.report(r, first, last)?;
        }
        self.settle(r, None)
    }

    /// Reports the pending run of policy peak if the next child cannot prolong it: `next` is what
    /// that child's start tag allows, `None` = nothing known of it.
    fn settle(&mut self, r: u32, next: Option<&[u64]>) -> Result<(), Error> {
        let compiled = self.compiled;
        let t = &mut self.trackers.stack[r as usize];
        let Some((first, last)) = t.best else { return Ok(()) };
        let nfa = &compiled.regulars[t.regular as usize].nfa;
        if nfa.can_prolong(&t.state, first, next) {
            return Ok(());
        }
        t.best = None;
        self.report(r, first, last)
    }

    /// After the start tag of a child that may match some symbols: a run that none of them can
    /// prolong is certain already.
    pub(super) fn child_began(&mut self, r: u32, start: u64) -> Result<(), Error> {
        if self.order.is_some() {
            let t = &mut self.trackers.stack[r as usize];
            t.starts.push_back((t.child, start));
            self.update_floor(r);
        }
        let t = &mut self.trackers.stack[r as usize];
        if self.runs != Runs::Peak || t.best.is_none() {
            return Ok(());
        }
        let candidates = std::mem::take(&mut t.candidates);
        self.settle(r, Some(&candidates))?;
        let t = &mut self.trackers.stack[r as usize];
        t.candidates = candidates;
        if t.best.is_none() {
            self.forget(r);
        }
        Ok(())
    }

    /// Leftmost-longest: the best run is final once no run with its start, or an earlier one, is
    /// alive. Then the children after it are read again.
    fn nonoverlap(&mut self, r: u32, current: Option<u64>, child: u64) -> Result<(), Error> {
        let compiled = self.compiled;
        let regular = &compiled.regulars[self.trackers.stack[r as usize].regular as usize];
        let (mut at, mut current) = (child, current);
        loop {
            let t = &mut self.trackers.stack[r as usize];
            if let Some(first) = current
                && t.best.is_none_or(|(best, _)| first <= best)
            {
                t.best = Some((first, at));
            }
            if let Some((first, last)) = t.best
                && t.state.earliest().is_none_or(|e| e > first)
            {
                t.best = None;
                t.state.clear();
                at = last;
                self.report(r, first, last)?;
            }
            if at == child {
                return Ok(());
            }
            at += 1;
            let words = regular.nfa.symbol_words;
            let t = &mut self.trackers.stack[r as usize];
            let from = (at - t.remembered_from) as usize * words;
            let symbols: Vec<u64> = t.remembered.range(from..from + words).copied().collect();
            regular.nfa.step(&mut t.state, &symbols, at, &mut self.trackers.scratch);
            current = regular.nfa.current(&t.state);
        }
    }

    /// Document order, for a confirmed key whose only list is a regular branch: answers wait for the
    /// runs that may still come, not for the end of the key's element.
    fn update_floor(&mut self, r: u32) {
        let t = &mut self.trackers.stack[r as usize];
        let owner = self.open[t.owner as usize];
        let node = &self.compiled.nodes[owner.node as usize];
        let passes = node.role == Role::Key
            && owner.confirmed
            && node.lists == 1
            && node.returned == NONE
            && self.compiled.regulars[t.regular as usize].on_spine
            && self.modes[node.query as usize].shape == Shape::Tuples;
        let current = t.pending.then_some(t.child);
        let live = t.state.earliest().into_iter().chain(t.best.map(|b| b.0)).chain(current).min();
        let keep = live.unwrap_or(u64::MAX);
        while t.starts.front().is_some_and(|s| s.0 < keep) {
            t.starts.pop_front();
        }
        let Some(order) = self.order.as_mut().filter(|_| passes) else { return };
        let floor = t.starts.front().map(|s| s.1);
        if floor != t.floor {
            order.move_floor(t.regular, t.floor, floor);
            t.floor = floor;
        }
        self.resolved(owner.start, owner.node);
    }

    /// Drops remembered children that no live or unreported run holds.
    fn forget(&mut self, r: u32) {
        if self.order.is_some() {
            self.update_floor(r);
        }
        let t = &mut self.trackers.stack[r as usize];
        let words = self.compiled.regulars[t.regular as usize].nfa.symbol_words;
        let live = t.state.earliest().into_iter().chain(t.best.map(|b| b.0)).min();
        let keep = live.unwrap_or(u64::MAX);
        while !t.remembered.is_empty() && t.remembered_from < keep {
            t.remembered.drain(..words);
            t.remembered_from += 1;
        }
        while t.members.front().is_some_and(|m| m.0 < keep) {
            if let Some((_, _, member)) = t.members.pop_front() {
                self.buffers.release_instance(member);
            }
        }
    }

    /// The parent element ends: what is still to report of a branch.
    pub(super) fn finish_runs(&mut self, r: u32) -> Result<(), Error> {
        let compiled = self.compiled;
        let t = &mut self.trackers.stack[r as usize];
        let regular = &compiled.regulars[t.regular as usize];
        if !self.reports(regular) {
            return Ok(());
        }
        let t = &mut self.trackers.stack[r as usize];
        match self.runs {
            Runs::Live => {}
            Runs::Peak => {
                if let Some((first, last)) = t.best.take() {
                    self.report(r, first, last)?;
                }
            }
            Runs::NonOverlap => {
                // A child that nothing matches ends every run.
                t.child += 1;
                t.symbols.clear();
                self.read_child(r)?;
            }
        }
        let t = &self.trackers.stack[r as usize];
        let owner = t.owner;
        if regular.nfa.nullable && !t.reported && self.makes_runs(regular) {
            let run = Run {
                regular: t.regular,
                parent: self.open[owner as usize].start,
                first: 1,
                ..Run::default()
            };
            self.add_run(owner, regular, run)?;
        }
        Ok(())
    }

    /// Whether a reported run is one value of a tuple. Elsewhere only its members matter.
    fn makes_runs(&self, regular: &Regular) -> bool {
        let owner = &self.compiled.nodes[regular.owner as usize];
        self.modes[owner.query as usize].shape == Shape::Tuples
            && matches!(owner.role, Role::Key | Role::Below)
    }

    /// Reports the run of the children `first..=last`.
    fn report(&mut self, r: u32, first: u64, last: u64) -> Result<(), Error> {
        let compiled = self.compiled;
        let t = &mut self.trackers.stack[r as usize];
        t.reported = true;
        let regular = &compiled.regulars[t.regular as usize];
        let (number, owner) = (t.regular, t.owner);
        if !self.makes_runs(regular) {
            let members = self.new_members(r, first, last);
            return self.add_members(owner, regular, members);
        }
        let mut members = Vec::new();
        if self.remembers(r) {
            let t = &mut self.trackers.stack[r as usize];
            let words = regular.nfa.symbol_words;
            let from = (first - t.remembered_from) as usize * words;
            let to = (last + 1 - t.remembered_from) as usize * words;
            let children = &t.remembered.make_contiguous()[from..to];
            let mut chosen = Vec::new();
            regular.nfa.readings(children, |k, symbol| chosen.push((first + k as u64, symbol)));
            members = members_of(t, chosen);
        }
        for &member in &members {
            self.buffers.retain_instance(member);
        }
        let parent = self.open[owner as usize].start;
        let run = Run { regular: number, parent, first, last, members };
        self.add_run(owner, regular, run)
    }

    /// The members of a run that no earlier report with the same start gave. A run that grows and
    /// is reported again and again costs only its new part.
    fn new_members(&mut self, r: u32, first: u64, last: u64) -> Vec<InstanceId> {
        let t = &mut self.trackers.stack[r as usize];
        let nfa = &self.compiled.regulars[t.regular as usize].nfa;
        let words = nfa.symbol_words;
        let from = (first - t.remembered_from) as usize * words;
        let to = (last + 1 - t.remembered_from) as usize * words;
        let children = &t.remembered.make_contiguous()[from..to];
        let mut chosen = Vec::new();
        t.reported_part.extend(nfa, first, children, |k, symbol| {
            chosen.push((first + k as u64, symbol));
        });
        members_of(t, chosen)
    }

    /// Where runs are not values of their own: their members are candidates of the owner.
    fn add_members(
        &mut self,
        owner: u32,
        regular: &Regular,
        members: Vec<InstanceId>,
    ) -> Result<(), Error> {
        let node = &self.compiled.nodes[regular.owner as usize];
        if node.role == Role::Chain && self.open[owner as usize].confirmed {
            self.confirm(members);
            return Ok(());
        }
        if members.is_empty() {
            return Ok(());
        }
        let owner = self.keep(owner);
        for member in members {
            self.buffers.retain_instance(member);
            self.buffers.push(owner, regular.list, node.lists, Item::Instance(member));
        }
        self.check_buffers()
    }

    /// Drops trackers, and what they remember, down to a height.
    pub(super) fn truncate_trackers(&mut self, to: u32) {
        for t in &mut self.trackers.stack[to as usize..self.trackers.used] {
            release_members(t, &mut self.buffers);
            if let Some(order) = &mut self.order {
                order.move_floor(t.regular, t.floor.take(), None);
            }
        }
        self.trackers.used = to as usize;
    }
}

/// The instances of chosen (child, symbol) pairs, in document order.
fn members_of(tracker: &Tracker, mut chosen: Vec<(u64, u32)>) -> Vec<InstanceId> {
    chosen.sort_unstable();
    let Some(&(first, _)) = chosen.first() else { return Vec::new() };
    let begin = tracker.members.partition_point(|m| m.0 < first);
    let mut at = 0;
    let mut members = Vec::with_capacity(chosen.len());
    for &(child, symbol, member) in tracker.members.range(begin..) {
        while chosen.get(at).is_some_and(|c| c.0 < child) {
            at += 1;
        }
        // The symbols of one child may stand in any order; there are few.
        let same_child = chosen[at..].iter().take_while(|c| c.0 == child);
        if same_child.clone().any(|c| c.1 == symbol) {
            members.push(member);
        } else if at == chosen.len() {
            break;
        }
    }
    members
}

fn release_members(tracker: &mut Tracker, buffers: &mut Buffers) {
    for (_, _, member) in tracker.members.drain(..) {
        buffers.release_instance(member);
    }
}
