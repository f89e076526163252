//! Light plans: answers are only counted, and numbers are all that has to be kept of them.
//!
//! A plan is light if each of its nodes is of one of these kinds ([`Part`]), and without tests of
//! attributes or text:
//! - steps of the spine whose one condition is the next step: the table alone says where they match;
//! - steps with conditions, and those below them, down to a return node without any;
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
//! | `act` | what elements in a state do |
//! | `witness` | conditions that are met, and answers that wait for them |
//! | `plain` | plans of which runs are all |

mod act;
mod parts;
mod plain;
mod witness;

use crate::automaton::compile::{Compiled, NONE, Node, Place};
use crate::automaton::lazy::{Children, StateId};
use crate::automaton::run_dfa::{RunDfa, RunNumber, Step};
use crate::pattern::Axis;
use crate::{Needs, Runs, Sink};

use super::Engine;
use act::Act;
use parts::{Part, conditions, is_free, parts, resorts};
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
    /// For each node its outermost frame that is confirmed.
    outermost: Vec<u32>,
    /// For each node where answers go that it has failed ([`resorts`]).
    resorts: Vec<u32>,
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
    /// Answers that hang below it and wait for them.
    waiting: u64,
    /// Of a step: all its conditions are met, and those of what it hangs below.
    confirmed: bool,
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
        tally.outermost = vec![NONE; parts.len()];
        tally.resorts = resorts(compiled);
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

    /// The depth of the outermost element inside which something happened that makes a difference to
    /// what is to come.
    pub(super) fn unsettled(&self) -> Option<usize> {
        let frame = self.frames.iter().find(|frame| !frame.confirmed).map(|frame| frame.depth);
        let running = self.running.first().map(|running| running.depth);
        frame.into_iter().chain(running).min()
    }

    /// The nodes of the frames of so many open elements, outermost first.
    pub(super) fn nodes(&self, depth: usize) -> impl Iterator<Item = u32> {
        self.frames.iter().take_while(move |frame| frame.depth <= depth).map(|frame| frame.node)
    }

    /// Goes on inside so many open elements, fewer than are [`unsettled`](Self::unsettled).
    pub(super) fn go_on(&mut self, other: &Self, depth: usize) {
        let inside = other.frames.iter().take_while(|frame| frame.depth <= depth);
        for frame in inside {
            let (node, at) = (frame.node as usize, self.frames.len() as u32);
            self.top[node] = at;
            self.outermost[node] = self.outermost[node].min(at);
            self.frames.push(*frame);
        }
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

    /// Whether what hangs below a frame, by a node, needs nothing more to be answers.
    #[inline]
    fn is_certain(&self, parent: u32, node: &Node) -> bool {
        match self.frames.get(parent as usize) {
            None => true,
            Some(frame) => {
                let outermost = self.outermost[frame.node as usize];
                frame.confirmed || (node.axis == Axis::Descendant && outermost <= parent)
            }
        }
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
                let confirmed =
                    part == Part::Step && unmet == 0 && self.tally.is_certain(parent, node);
                if confirmed {
                    let outermost = &mut self.tally.outermost[id as usize];
                    *outermost = (*outermost).min(frame);
                }
                let new = Frame { node: id, parent, previous, depth, unmet, waiting, confirmed };
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

    /// A frame is gone: what waited for its conditions goes to an outer element, if it hangs below
    /// one, too. Of two elements that match the same node, whatever the outer one hangs below, the inner
    /// one does: so no answer is lost that went to the inner one first.
    #[inline]
    fn tally_left(&mut self, frame: Frame) {
        let node = frame.node as usize;
        self.tally.top[node] = frame.previous;
        let at = self.tally.frames.len() as u32;
        if self.tally.outermost[node] == at {
            self.tally.outermost[node] = NONE;
        }
        if frame.waiting != 0
            && let Some(&outer) = self.tally.top.get(self.tally.resorts[node] as usize)
            && outer != NONE
        {
            self.deliver(outer, frame.waiting, self.compiled.nodes[node].query);
        }
    }
}
