//! A document that is matched in segments, by several engines at a time.
//!
//! Most queries leave places in a document at which an engine has nothing to remember: no open
//! element owns a run, a candidate or a condition that something before the place may have met. At
//! such a place everything that follows from the open elements is known from their start tags, so
//! that a second engine can start there ([`Engine::fork`]) while the first is still on its way, as
//! long as it is checked afterwards that the first one arrives as was assumed
//! ([`Engine::agrees`]). What the second could not know, numbers of answers and of siblings, it
//! learns then ([`Engine::join`]).

use crate::automaton::compile::NONE;
use crate::automaton::lazy::StateId;
use crate::{Config, Sink};

use super::Engine;
use super::instance::Open;

/// What is assumed of the open elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assumed {
    /// For each instance its node, its conditions and whether it is confirmed.
    instances: Vec<(u32, u64, bool)>,
    /// For each frame of a light plan its node; all are confirmed.
    frames: Vec<u32>,
}

impl<'p, S: Sink> Engine<'p, S> {
    /// Inside how many of the open elements, the outermost first, a segment may begin.
    pub(crate) fn settled_depth(&self) -> usize {
        let mut depth = self.depth;
        if let Some(open) = self.open.iter().find(|open| !self.is_settled(open)) {
            depth = depth.min(open.depth as usize - 1);
        }
        if let Some(extra) = self.extras.first() {
            depth = depth.min(extra.depth - 1);
        }
        if let Some(unsettled) = self.tally.unsettled() {
            depth = depth.min(unsettled - 1);
        }
        let transient = (1..=depth).find(|&d| self.state_at(d).is_transient());
        transient.map_or(depth, |d| d - 1)
    }

    /// Nothing that happened inside the element so far makes a difference to what is to come.
    fn is_settled(&self, open: &Open) -> bool {
        let node = &self.compiled.nodes[open.node as usize];
        if !self.compiled.only_has_conditions(node) {
            return false;
        }
        let holds = open.instance.is_some_and(|id| {
            let lists = self.buffers.instance(id).lists.len() as u32;
            (0..lists).any(|l| self.buffers.list(id, l).is_some())
        });
        !holds && (self.compiled.only_passes(node) || (open.conditions == 0 && open.confirmed))
    }

    /// The state of the open element at a depth; of the document at 0.
    fn state_at(&self, depth: usize) -> StateId {
        self.states[depth]
    }

    /// What a fork inside so many open elements assumes.
    pub(crate) fn assumed(&self, depth: usize) -> Assumed {
        let inside = self.open.iter().take_while(|open| open.depth as usize <= depth);
        Assumed {
            instances: inside.map(|open| (open.node, open.conditions, open.confirmed)).collect(),
            frames: self.tally.nodes(depth).collect(),
        }
    }

    /// An engine that goes on inside the outermost `depth` open elements, at most
    /// [`settled_depth`](Self::settled_depth).
    pub(crate) fn fork<T: Sink>(&self, depth: usize, config: &Config, sink: T) -> Engine<'p, T> {
        let mut new = Engine::new(self.compiled, config, sink);
        debug_assert_eq!(new.needs, self.needs, "what is light must be the same");
        new.table = self.table.without_transient();
        new.classes = self.classes.clone();
        new.namespaces = self.namespaces.as_ref().map(|n| n.up_to(depth));
        new.states = self.states[..=depth].to_vec();
        new.depth = depth;
        new.marks = self.marks.iter().copied().take_while(|mark| mark.depth <= depth).collect();
        for (i, open) in self.open.iter().take_while(|o| o.depth as usize <= depth).enumerate() {
            let node = open.node as usize;
            new.top[node] = i as u32;
            if open.confirmed && new.lowest_confirmed[node] == NONE {
                new.lowest_confirmed[node] = i as u32;
            }
            new.open.push(Open { instance: None, ..*open });
        }
        new.tally.go_on(&self.tally, depth);
        new.paths = self.paths.as_ref().map(|paths| paths.fork(depth));
        new.update_slow();
        new.update_live();
        new.update_children();
        new
    }

    /// Whether this engine has arrived where one that was forked inside `depth` open elements, with
    /// these assumptions, began.
    pub(crate) fn agrees(&self, depth: usize, assumed: &Assumed) -> bool {
        let same = |(open, known): (&Open, &(u32, u64, bool))| {
            let node = &self.compiled.nodes[open.node as usize];
            open.node == known.0
                && (self.compiled.only_passes(node)
                    || (open.conditions, open.confirmed) == (known.1, known.2))
        };
        !self.stopped
            && self.failure.is_none()
            && self.depth == depth
            && self.settled_depth() == depth
            && self.open.len() == assumed.instances.len()
            && self.open.iter().zip(&assumed.instances).all(same)
            && self.tally.nodes(depth).eq(assumed.frames.iter().copied())
            && self.pending_keys.iter().all(|n| *n == 0)
            && self.order.as_ref().is_none_or(|order| order.is_empty())
            && !self.wants_content()
    }

    /// Takes over the numbers of the engine that came before.
    pub(crate) fn join(&mut self, before: &Self) {
        if let Some(order) = &mut self.order {
            order.count_on(before.answers);
        }
        self.answers += before.answers;
        if let (Some(paths), Some(before)) = (&mut self.paths, &before.paths) {
            self.buffers.change_paths(|path| before.complete(path));
            paths.join(before);
        }
    }

    /// The path of an element that was recorded since the fork, given the engine that came before.
    pub(crate) fn complete_path(&self, path: &str) -> Option<Box<str>> {
        self.paths.as_ref().and_then(|paths| paths.complete(path))
    }
}
