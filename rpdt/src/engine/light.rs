//! What is light: much of a query needs no instances.
//!
//! A *light witness* is an element that meets a condition of an open instance, and no more. Where
//! answers are only counted, a *light child* is one on which nothing hangs but the runs that it is in,
//! or that it breaks. All that they do is done at their start tags, and their end tags are nobody's.
//!
//! A *light plan* has no other nodes than light children and the roots that they are children of. Then
//! the runs of an open root are the state of a [`RunDfa`], and no instance is ever opened.

use crate::automaton::compile::{Compiled, NONE, Node, Place, Role};
use crate::automaton::lazy::{Children, StateId};
use crate::automaton::run_dfa::{RunDfa, RunNumber, Step};
use crate::pattern::Axis;
use crate::{Error, Needs, Runs, Shape, Sink};

use super::Engine;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Light {
    /// The automata of the regular branches of a light plan; none otherwise.
    automata: Vec<RunDfa>,
    /// For each state of the table what its elements do, once that has been asked for.
    acts: Vec<Option<Act>>,
    /// The open roots of a light plan, outermost first.
    frames: Vec<Frame>,
}

/// What elements do in a light plan.
#[derive(Clone, Debug, Default)]
struct Act {
    /// They are children that satisfy these sets of symbols: regular branch, number of the set.
    sets: Box<[(u32, u32)]>,
    /// They own these regular branches.
    owned: Box<[u32]>,
}

/// A regular branch of an open root.
#[derive(Clone, Copy, Debug)]
struct Frame {
    depth: usize,
    regular: u32,
    state: RunNumber,
}

impl Light {
    /// Finds out what is light. Gives for each node whether it is, too.
    pub(super) fn new(compiled: &Compiled, needs: Needs, runs: Runs) -> (Self, Vec<bool>) {
        let mut light = Light::default();
        let witnesses = compiled.nodes.iter().map(is_witness);
        if !needs.count_only {
            return (light, witnesses.collect());
        }
        let children: Vec<bool> = compiled.nodes.iter().map(|n| is_child(compiled, n)).collect();
        let roots: Vec<bool> =
            compiled.nodes.iter().map(|n| is_root(compiled, n, &children)).collect();
        let all = children.iter().zip(&roots).all(|(child, root)| *child || *root);
        if all && !compiled.needs_namespaces {
            let automata = compiled.regulars.iter().map(|r| RunDfa::new(&r.nfa, runs));
            light.automata = automata.collect::<Option<_>>().unwrap_or_default();
        }
        if light.is_plan() {
            return (light, vec![true; compiled.nodes.len()]);
        }
        let nodes = witnesses.zip(&children).map(|(witness, child)| witness || *child);
        (light, nodes.collect())
    }

    #[inline(always)]
    pub(super) fn is_plan(&self) -> bool {
        !self.automata.is_empty()
    }

    /// The depth of the outermost open root.
    pub(super) fn outermost(&self) -> Option<usize> {
        self.frames.first().map(|frame| frame.depth)
    }

    /// Which children of the innermost root matter even if they match nothing. Where the innermost
    /// element is no root, none do: its state says so.
    #[inline]
    fn children(&self) -> Children {
        let Some(last) = self.frames.last() else { return Children::new(false, false) };
        let inner = self.frames.iter().rev().take_while(|frame| frame.depth == last.depth);
        Children::new(false, inner.into_iter().any(|frame| frame.state != 0))
    }

    /// A child, of a state whose act has a place, of the root of a frame.
    #[inline(always)]
    fn step(&mut self, compiled: &Compiled, at: usize, place: usize) -> Step {
        let regular = self.frames[at].regular;
        let act = self.acts.get(place).and_then(Option::as_ref);
        let sets = act.map_or(&[][..], |act| &act.sets);
        let set = match sets {
            [] => 0,
            [(only, set)] if *only == regular => *set,
            _ => sets.iter().find(|(r, _)| *r == regular).map_or(0, |(_, set)| *set),
        };
        let automaton = &mut self.automata[regular as usize];
        if automaton.is_full() {
            let used = self.frames.iter_mut().filter(|frame| frame.regular == regular);
            automaton.forget(used.map(|frame| &mut frame.state));
        }
        let frame = &mut self.frames[at];
        let step = automaton.step(&compiled.regulars[regular as usize].nfa, frame.state, set);
        frame.state = step.state();
        step
    }
}

/// Nothing hangs on an element of this node, and nothing is asked of it but its name.
fn is_bare(node: &Node) -> bool {
    node.child_kids.is_empty()
        && node.descendant_kids.is_empty()
        && node.regulars.is_empty()
        && node.attribute_tests.is_empty()
        && node.conditions == 0
}

fn is_witness(node: &Node) -> bool {
    node.place == Place::Ordinary && node.role == Role::Off && is_bare(node)
}

/// A symbol without any condition, of which, once it is read, nobody wants to know anything.
fn is_child(compiled: &Compiled, node: &Node) -> bool {
    let Place::Symbol { regular, .. } = node.place else { return false };
    let owner = &compiled.nodes[compiled.regulars[regular as usize].owner as usize];
    let counted = compiled.queries[node.query as usize].shape == Shape::Tuples
        && matches!(owner.role, Role::Key | Role::Below);
    let role = node.role == Role::Off || (node.role == Role::InRun && counted);
    role && is_bare(node)
}

/// A root of which nothing but the runs of one branch are asked for.
fn is_root(compiled: &Compiled, node: &Node, children: &[bool]) -> bool {
    let [regular] = node.regulars[..] else { return false };
    let regular = &compiled.regulars[regular as usize];
    let query = &compiled.queries[node.query as usize];
    node.place == Place::Root
        && node.role == Role::Key
        && node.returned == NONE
        && query.shape == Shape::Tuples
        && !query.ambiguous
        && !regular.nfa.nullable
        && node.conditions == regular.bit
        && node.attribute_tests.is_empty()
        && node.text_tests.is_empty()
        && node.string_tests.is_empty()
        && node.descendant_kids.is_empty()
        && node.child_kids.iter().all(|kid| children[*kid as usize])
}

impl<S: Sink> Engine<'_, S> {
    /// Reads a child of the innermost element, in whose state all nodes that it may match are light.
    /// `false`: the run cannot go on.
    #[inline(never)]
    pub(super) fn read_light(&mut self, state: StateId) -> bool {
        if self.stopped || self.failure.is_some() {
            return false;
        }
        if self.light.is_plan() {
            self.step_light(state);
        } else if let Err(e) = self.read_light_child(state) {
            self.failure = Some(e);
            return false;
        }
        !self.stopped
    }

    fn read_light_child(&mut self, state: StateId) -> Result<(), Error> {
        let compiled = self.compiled;
        let from = self.regulars_of(self.depth);
        let to = self.trackers.len();
        for r in from..to {
            self.trackers.begin_child(r);
        }
        for k in 0..self.table.matched(state).len() {
            let node = &compiled.nodes[self.table.matched(state)[k] as usize];
            let owner = self.top[node.parent as usize];
            if owner == NONE {
                continue;
            }
            let open = &self.open[owner as usize];
            let Place::Symbol { regular, symbol } = node.place else {
                if node.axis == Axis::Descendant || open.depth as usize == self.depth {
                    self.witness(owner, node)?;
                }
                continue;
            };
            let regular = &compiled.regulars[regular as usize];
            // Off the spine one witness is enough.
            let wanted = regular.on_spine || open.conditions & regular.bit != 0;
            if open.depth as usize == self.depth && wanted {
                self.trackers.child_satisfies(open.trackers + regular.local, symbol, None);
            }
        }
        for r in from..to {
            self.read_child(r)?;
        }
        self.update_live();
        self.update_children();
        if self.buffers.watch_drops { self.after_drops() } else { Ok(()) }
    }

    /// Light plan: a child of the innermost element.
    #[inline]
    fn step_light(&mut self, state: StateId) {
        let depth = self.depth;
        if self.light.frames.last().is_none_or(|frame| frame.depth != depth) {
            return;
        }
        let place = self.prepare_act(state);
        let mut live = false;
        let mut at = self.light.frames.len();
        while at > 0 && self.light.frames[at - 1].depth == depth {
            at -= 1;
            let step = self.light.step(self.compiled, at, place);
            live |= step.state() != 0;
            if step.reports() != 0 {
                self.count_light(self.light.frames[at].regular, step.reports());
            }
        }
        self.children = Children::new(false, live);
    }

    #[inline(never)]
    fn count_light(&mut self, regular: u32, reports: u32) {
        let owner = self.compiled.regulars[regular as usize].owner;
        self.count(self.compiled.nodes[owner as usize].query, u64::from(reports));
    }

    /// The place of what elements in a state do, which is found out if it has not been yet.
    #[inline(always)]
    fn prepare_act(&mut self, state: StateId) -> usize {
        // No element is in the start state: its place is for states that are not remembered.
        let place = if state.is_transient() { 0 } else { state.number() };
        match self.light.acts.get(place) {
            Some(Some(_)) if place != 0 => {}
            _ => self.find_act(state, place),
        }
        place
    }

    #[cold]
    fn find_act(&mut self, state: StateId, place: usize) {
        let compiled = self.compiled;
        let mut sets: Vec<(u32, u64)> = Vec::new();
        let mut owned = Vec::new();
        for &node in self.table.matched(state) {
            let node = &compiled.nodes[node as usize];
            match node.place {
                Place::Symbol { regular, symbol } => {
                    let bit = 1 << symbol;
                    match sets.iter_mut().find(|set| set.0 == regular) {
                        Some(set) => set.1 |= bit,
                        None => sets.push((regular, bit)),
                    }
                }
                _ => owned.extend(&node.regulars),
            }
        }
        let automata = &mut self.light.automata;
        let numbered = sets.into_iter().map(|(r, set)| (r, automata[r as usize].set(set)));
        let act = Act { sets: numbered.collect(), owned: owned.into() };
        let acts = &mut self.light.acts;
        if acts.len() <= place {
            acts.resize(place + 1, None);
        }
        acts[place] = Some(act);
    }

    /// Light plan: an element at a depth is open. Gives whether its end tag is to be looked at.
    #[inline(never)]
    pub(super) fn open_light(&mut self, state: StateId, depth: usize) -> bool {
        let place = self.prepare_act(state);
        let Light { acts, frames, .. } = &mut self.light;
        let Some(Some(act)) = acts.get(place) else { return false };
        if act.owned.is_empty() {
            return false;
        }
        frames.extend(act.owned.iter().map(|&regular| Frame { depth, regular, state: 0 }));
        self.children = Children::new(false, false);
        true
    }

    /// The innermost element ends. `false`: it is no root of a light plan, or the run cannot go on.
    #[inline(never)]
    pub(super) fn close_light(&mut self) -> bool {
        if self.light.frames.last().is_none_or(|frame| frame.depth != self.depth) {
            return false;
        }
        while let Some(frame) = self.light.frames.pop_if(|frame| frame.depth == self.depth) {
            let reports = self.light.automata[frame.regular as usize].finish(frame.state);
            if reports != 0 {
                self.count_light(frame.regular, reports);
            }
        }
        self.children = self.light.children();
        !self.stopped
    }
}
