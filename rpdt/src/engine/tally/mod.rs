//! Light plans: answers are only counted, and numbers are all that has to be kept of them.
//!
//! A plan is light if each of its nodes is of one of these kinds ([`Part`]), and without tests of
//! attributes or text:
//! - steps of the spine whose one condition is the next step: the table alone says where they match;
//! - one step with conditions, or several on the child axis, and below them a return node
//!   without any; a return node on the descendant axis hangs below the first, as does one on the child
//!   axis of a step there without conditions;
//! - or an owner of one regular branch, whose runs are the answers, on symbols with or
//!   without conditions;
//! - conditions without regular branches.
//!
//! Of an open element then remain [`Frame`]s: conditions that are unmet, and how many answers
//! wait for them. A regular branch is the state of a [`RunDfa`] ([`Running`]).
//!
//! | file | what |
//! |---|---|
//! | `mod` | frames and runs |
//! | `parts` | what each node is |
//! | `plain` | plans of which runs are all |

mod parts;
mod plain;

use crate::automaton::compile::{Compiled, NONE, Node, Place};
use crate::automaton::lazy::{Children, StateId};
use crate::automaton::run_dfa::{RunDfa, RunNumber, Step};
use crate::pattern::Axis;
use crate::{Needs, Runs, Sink};

use super::Engine;
use parts::{Part, conditions, is_free, parts, shares};
use plain::is_plain;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// What each node is; nothing if the plan is not light.
    parts: Vec<Part>,
    /// The automata of the regular branches.
    automata: Vec<RunDfa>,
    /// For each state of the table what its elements do, once that has been asked for.
    acts: Vec<Option<Act>>,
    /// The same in short, for a plain plan.
    deeds: Vec<plain::Deed>,
    /// Of open elements, outermost first.
    frames: Vec<Frame>,
    /// Regular branches of open elements, outermost first.
    running: Vec<Running>,
    /// Runs are all that there is, and all of one regular branch.
    is_plain: bool,
    /// For each node its innermost frame.
    top: Vec<u32>,
    /// For each node the outermost frame without unmet conditions, if answers hang below it on the
    /// descendant axis. No answer waits further inside.
    lowest: Vec<u32>,
}

/// What elements in a state do.
#[derive(Clone, Debug, Default)]
struct Act {
    /// They are witnesses, or returned, by these nodes.
    notes: Vec<u32>,
    /// They get frames, or own regular branches, by these nodes, children before their parents.
    opened: Vec<u32>,
    /// They are children that satisfy, for a regular branch, a set of symbols.
    sets: Vec<Letter>,
}

/// The symbols of a regular branch that elements in a state satisfy.
#[derive(Clone, Copy, Debug)]
struct Letter {
    regular: u32,
    /// Those without conditions, and the number of this set.
    bits: u64,
    set: u32,
    /// There are such with conditions, too.
    guarded: bool,
}

/// An open element that a node with conditions may match.
#[derive(Clone, Copy, Debug)]
struct Frame {
    node: u32,
    /// The frame, or for a symbol the regular branch, that it belongs to.
    parent: u32,
    /// The next outer frame of the same node.
    previous: u32,
    depth: usize,
    /// Conditions that are not met yet, but for that of the next step of the spine.
    unmet: u64,
    /// Answers that are certain once they are met.
    waiting: u64,
}

/// A regular branch of an open element.
#[derive(Clone, Copy, Debug)]
struct Running {
    depth: usize,
    regular: u32,
    state: RunNumber,
    /// The frame of its owner, if that has other conditions.
    frame: u32,
    /// A child is open that may still satisfy more symbols than these.
    open: bool,
    bits: u64,
}

impl Tally {
    pub(super) fn new(compiled: &Compiled, needs: Needs, runs: Runs) -> Self {
        let mut tally = Tally::default();
        if !needs.count_only || compiled.needs_namespaces {
            return tally;
        }
        let automata = compiled.regulars.iter().map(|r| RunDfa::new(&r.nfa, runs));
        let Some(automata) = automata.collect() else { return tally };
        let Some(parts) = parts(compiled) else { return tally };
        tally.automata = automata;
        tally.is_plain = is_plain(compiled, &parts);
        tally.top = vec![NONE; parts.len()];
        tally.lowest = vec![NONE; parts.len()];
        tally.parts = parts;
        tally
    }

    #[inline(always)]
    pub(super) fn is_plan(&self) -> bool {
        !self.parts.is_empty()
    }

    #[inline(always)]
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// The depth of the outermost element of which something is kept.
    pub(super) fn outermost(&self) -> Option<usize> {
        let frame = self.frames.first().map(|frame| frame.depth);
        let running = self.running.first().map(|running| running.depth);
        frame.into_iter().chain(running).min()
    }

    /// Which children of the innermost owner matter even if they match nothing. Where the innermost
    /// element is no owner, none do: its state says so.
    #[inline]
    fn children(&self) -> Children {
        let Some(last) = self.running.last() else { return Children::new(false, false) };
        let inner = self.running.iter().rev().take_while(|running| running.depth == last.depth);
        Children::new(false, inner.into_iter().any(|running| running.state != 0))
    }

    /// A regular branch reads a child that satisfies a numbered set of symbols.
    #[inline(always)]
    fn step(&mut self, compiled: &Compiled, at: usize, set: u32) -> Step {
        let regular = self.running[at].regular;
        let automaton = &mut self.automata[regular as usize];
        if automaton.is_full() {
            let used = self.running.iter_mut().filter(|running| running.regular == regular);
            automaton.forget(used.map(|running| &mut running.state));
        }
        let running = &mut self.running[at];
        let step = automaton.step(&compiled.regulars[regular as usize].nfa, running.state, set);
        running.state = step.state();
        step
    }

    /// The frame of the parent of a node, which a child of the innermost element, at `depth`, matches.
    #[inline]
    fn frame_above(&self, node: &Node, depth: usize) -> Option<u32> {
        let top = *self.top.get(node.parent as usize)?;
        let frame = self.frames.get(top as usize)?;
        (node.axis == Axis::Descendant || frame.depth == depth).then_some(top)
    }

    /// The innermost frame of the parent of a node, which the innermost element, at `depth`, matches:
    /// that element may match both.
    #[inline]
    fn frame_around(&self, node: &Node, depth: usize) -> Option<u32> {
        let mut at = *self.top.get(node.parent as usize)?;
        while self.frames.get(at as usize)?.depth >= depth {
            at = self.frames[at as usize].previous;
        }
        Some(at)
    }

    /// The regular branch that a child at a depth belongs to.
    fn running_above(&self, regular: u32, depth: usize) -> Option<u32> {
        let mut at = self.running.len();
        // The child itself may own some already.
        while at > 0 && self.running[at - 1].depth + 1 >= depth {
            at -= 1;
            if self.running[at].depth + 1 == depth && self.running[at].regular == regular {
                return Some(at as u32);
            }
        }
        None
    }

    /// Whether nothing is kept of the elements that the parent of a node matches.
    fn is_free(&self, node: &Node) -> bool {
        is_free(node, &self.parts)
    }
}

impl<S: Sink> Engine<'_, S> {
    /// A child of the innermost element. `opens`: it will be open; else it has no children.
    pub(super) fn tally_child(&mut self, state: StateId, opens: bool) {
        let depth = self.depth;
        let place = self.prepare_act(state);
        let noted = self.act(place).notes.len();
        for k in 0..noted {
            self.note(self.act(place).notes[k], depth);
        }
        if self.tally.running.last().is_none_or(|running| running.depth != depth) {
            return;
        }
        let mut live = false;
        let mut at = self.tally.running.len();
        while at > 0 && self.tally.running[at - 1].depth == depth {
            at -= 1;
            let regular = self.tally.running[at].regular;
            let sets = &self.act(place).sets;
            let letter = match sets[..] {
                [] => None,
                [only] if only.regular == regular => Some(only),
                _ => sets.iter().find(|letter| letter.regular == regular).copied(),
            };
            let set = match letter {
                Some(letter) if letter.guarded && opens => {
                    let running = &mut self.tally.running[at];
                    (running.open, running.bits) = (true, letter.bits);
                    continue;
                }
                letter => letter.map_or(0, |letter| letter.set),
            };
            live |= self.tally_step(at, set);
        }
        self.children = Children::new(false, live);
    }

    /// A regular branch reads a child. Gives whether it is live.
    #[inline]
    fn tally_step(&mut self, at: usize, set: u32) -> bool {
        let step = self.tally.step(self.compiled, at, set);
        if step.reports() != 0 {
            self.tally_runs(self.tally.running[at], step.reports());
        }
        step.state() != 0
    }

    #[inline(never)]
    fn tally_runs(&mut self, running: Running, reports: u32) {
        let owner = self.compiled.regulars[running.regular as usize].owner;
        let query = self.compiled.nodes[owner as usize].query;
        self.deliver(running.frame, u64::from(reports), query);
    }

    #[inline(always)]
    fn act(&self, place: usize) -> &Act {
        static NOTHING: Act = Act { notes: Vec::new(), opened: Vec::new(), sets: Vec::new() };
        self.tally.acts.get(place).and_then(Option::as_ref).unwrap_or(&NOTHING)
    }

    /// The place of what elements in a state do, which is found out if it has not been yet.
    #[inline(always)]
    fn prepare_act(&mut self, state: StateId) -> usize {
        // No element is in the start state: its place is for states that are not remembered.
        let place = if state.is_transient() { 0 } else { state.number() };
        match self.tally.acts.get(place) {
            Some(Some(_)) if place != 0 => {}
            _ => self.find_act(state, place),
        }
        place
    }

    #[cold]
    fn find_act(&mut self, state: StateId, place: usize) {
        let (mut notes, mut opened) = (Vec::new(), Vec::new());
        let mut sets: Vec<Letter> = Vec::new();
        for &id in self.table.matched(state) {
            let node = &self.compiled.nodes[id as usize];
            match self.tally.parts[id as usize] {
                Part::Passes | Part::Below => {}
                Part::Witness | Part::Returned => notes.push(id),
                Part::Step | Part::Owner | Part::Condition => opened.push(id),
                Part::Symbol | Part::Guarded => {
                    let Place::Symbol { regular, symbol } = node.place else { continue };
                    let at = sets.iter().position(|letter| letter.regular == regular);
                    let at = at.unwrap_or_else(|| {
                        sets.push(Letter { regular, bits: 0, set: 0, guarded: false });
                        sets.len() - 1
                    });
                    if self.tally.parts[id as usize] == Part::Guarded {
                        sets[at].guarded = true;
                        opened.push(id);
                    } else {
                        sets[at].bits |= 1 << symbol;
                    }
                }
            }
        }
        for letter in &mut sets {
            letter.set = self.tally.automata[letter.regular as usize].set(letter.bits);
        }
        let act = Act { notes, opened, sets };
        let acts = &mut self.tally.acts;
        if acts.len() <= place {
            acts.resize(place + 1, None);
        }
        acts[place] = Some(act);
    }

    /// A child of the innermost element, at `depth`, is a witness or returned.
    fn note(&mut self, id: u32, depth: usize) {
        let compiled = self.compiled;
        let node = &compiled.nodes[id as usize];
        if self.tally.parts[id as usize] == Part::Returned && self.tally.is_free(node) {
            return self.deliver(NONE, 1, node.query);
        }
        let above = match self.tally.parts.get(node.parent as usize) {
            Some(Part::Below) => {
                self.tally.frame_around(&compiled.nodes[node.parent as usize], depth)
            }
            _ => self.tally.frame_above(node, depth),
        };
        let Some(above) = above else { return };
        if self.tally.parts[id as usize] == Part::Returned {
            self.deliver(above, 1, node.query);
        } else {
            self.witness_of(above, node);
        }
    }

    /// An element satisfies a node: the frames of the node above learn of it, the innermost of which is
    /// given. Of those that know already, all outer ones know, too.
    fn witness_of(&mut self, innermost: u32, node: &Node) {
        let mut above = innermost;
        while let Some(frame) = self.tally.frames.get_mut(above as usize)
            && frame.unmet & node.bit != 0
        {
            frame.unmet &= !node.bit;
            let (met, outer) = (frame.unmet == 0, frame.previous);
            if met {
                self.all_met(above);
            }
            if node.axis == Axis::Child {
                break;
            }
            above = outer;
        }
    }

    /// The last condition of a frame is met.
    fn all_met(&mut self, at: u32) {
        let compiled = self.compiled;
        let frame = self.tally.frames[at as usize];
        let node = &compiled.nodes[frame.node as usize];
        match self.tally.parts[frame.node as usize] {
            Part::Condition => self.witness_of(frame.parent, node),
            Part::Guarded => {
                if let Place::Symbol { symbol, .. } = node.place
                    && let Some(running) = self.tally.running.get_mut(frame.parent as usize)
                {
                    running.bits |= 1 << symbol;
                }
            }
            _ => {
                let mut waiting = std::mem::take(&mut self.tally.frames[at as usize].waiting);
                let lowest = self.tally.lowest[frame.node as usize];
                if shares(compiled, node) && at < lowest {
                    // What waits further inside hangs below this element, too.
                    let mut inner = match self.tally.frames.get(lowest as usize) {
                        Some(lowest) => lowest.previous,
                        None => self.tally.top[frame.node as usize],
                    };
                    while inner != at
                        && let Some(frame) = self.tally.frames.get_mut(inner as usize)
                    {
                        waiting += std::mem::take(&mut frame.waiting);
                        inner = frame.previous;
                    }
                    self.tally.lowest[frame.node as usize] = at;
                }
                self.deliver(frame.parent, waiting, node.query);
            }
        }
    }

    /// So many answers hang below a frame, or nothing is in their way any more.
    fn deliver(&mut self, mut at: u32, answers: u64, query: u32) {
        while let Some(frame) = self.tally.frames.get_mut(at as usize) {
            if frame.unmet != 0 && at < self.tally.lowest[frame.node as usize] {
                frame.waiting += answers;
                return;
            }
            at = frame.parent;
        }
        for _ in 0..answers {
            // A sink that wants no more is told no more.
            if self.stopped {
                break;
            }
            self.count(query, 1);
        }
    }

    /// An element at a depth is open. Gives whether its end tag is to be looked at.
    #[inline(never)]
    pub(super) fn tally_open(&mut self, state: StateId, depth: usize) -> bool {
        let compiled = self.compiled;
        let place = self.prepare_act(state);
        let opened = self.act(place).opened.len();
        let mut looks = false;
        for k in 0..opened {
            let id = self.act(place).opened[k];
            let node = &compiled.nodes[id as usize];
            let part = self.tally.parts[id as usize];
            let parent = match node.place {
                Place::Symbol { regular, .. } => match self.tally.running_above(regular, depth) {
                    Some(at) => at,
                    None => continue,
                },
                _ if self.tally.is_free(node) && part != Part::Condition => NONE,
                _ => match self.tally.frame_above(node, depth - 1) {
                    Some(above) => above,
                    None => continue,
                },
            };
            if part == Part::Condition && self.tally.frames[parent as usize].unmet & node.bit == 0 {
                // One witness is enough.
                continue;
            }
            looks = true;
            let unmet = conditions(compiled, node);
            let mut frame = NONE;
            if part != Part::Owner || unmet != 0 {
                frame = self.tally.frames.len() as u32;
                let previous = std::mem::replace(&mut self.tally.top[id as usize], frame);
                let waiting = 0;
                let new = Frame { node: id, parent, previous, depth, unmet, waiting };
                self.tally.frames.push(new);
            }
            if let (Part::Owner, [regular]) = (part, &node.regulars[..]) {
                let running =
                    Running { depth, regular: *regular, state: 0, frame, open: false, bits: 0 };
                self.tally.running.push(running);
                self.children = Children::new(false, false);
            }
        }
        looks
    }

    /// The innermost element ends. `false`: nothing is kept of it, or the run cannot go on.
    #[inline(never)]
    pub(super) fn tally_close(&mut self) -> bool {
        if self.tally.is_plain {
            return self.close_plain();
        }
        let depth = self.depth;
        let mut kept = false;
        while let Some(running) = self.tally.running.pop_if(|running| running.depth == depth) {
            kept = true;
            let reports = self.tally.automata[running.regular as usize].finish(running.state);
            if reports != 0 {
                self.tally_runs(running, reports);
            }
        }
        while let Some(frame) = self.tally.frames.pop_if(|frame| frame.depth == depth) {
            kept = true;
            self.tally_left(frame);
        }
        if !kept {
            return false;
        }
        let mut at = self.tally.running.len();
        while at > 0 && self.tally.running[at - 1].depth + 1 == depth {
            at -= 1;
            let running = &mut self.tally.running[at];
            if running.open {
                running.open = false;
                let (regular, bits) = (running.regular as usize, running.bits);
                let set = self.tally.automata[regular].set(bits);
                self.tally_step(at, set);
            }
        }
        self.children = self.tally.children();
        !self.stopped
    }

    /// A frame is gone: what waited for its conditions hangs below the next outer one, if it is on the
    /// descendant axis.
    #[inline]
    fn tally_left(&mut self, frame: Frame) {
        let node = frame.node as usize;
        self.tally.top[node] = frame.previous;
        let at = self.tally.frames.len() as u32;
        if self.tally.lowest[node] == at {
            self.tally.lowest[node] = NONE;
        }
        if frame.waiting != 0
            && shares(self.compiled, &self.compiled.nodes[node])
            && let Some(outer) = self.tally.frames.get_mut(frame.previous as usize)
        {
            outer.waiting += frame.waiting;
        }
    }
}
