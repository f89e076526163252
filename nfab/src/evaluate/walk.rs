//! Enumerating matches in their order, each once.
//!
//! A depth-first walk over what is [`Marked`]. A node of the walk is a sequence of events, the
//! beginning of matches; its *layer* is the set of elements at which such a beginning may be: one,
//! unless the same events can be bound in several ways. Its successors are the events that some
//! element of the layer hands to, met in the order of their arrival. There are no dead ends: every
//! sequence that is visited goes on to a match, so the step from one match to the next costs what the
//! two differ in (times the width of a layer), and a visitor that stops early pays for what it saw.
//!
//! Mostly a layer is never wider than one element; then the walk is a plain one over the nodes. Where
//! a single loop is left in front of the end, each further event of it may be in a match or not, so
//! the walk counts through these choices.
//!
//! Since a sequence of events is visited once, whatever the number of ways to bind it, no match
//! comes twice and nothing needs to be remembered. Where layers are wider than one element,
//! [`stages`](super::stages) lists the different bindings of a complete sequence.
//!
//! A sequence that is complete by passing over the event at hand comes before those that it begins.

use std::ops::ControlFlow;

use super::choices;
use super::graph::{JOIN, NONE};
use super::marked::{Marked, Node, Rest};
use super::stages;
use crate::history::EventIndex;
use crate::runtime::evaluator::Taken;

/// A step from an element of the layer before to one of this layer, both by their places there.
pub(super) type Link = (u32, u32);

/// Where a sequence of events is.
#[derive(Debug)]
struct Frame {
    /// Where its layer, its links and its cursors begin.
    layer: usize,
    links: usize,
    cursors: usize,
}

/// An element of a layer.
#[derive(Clone, Copy, Debug)]
struct Place {
    element: u32,
    stage: u32,
    after: Rest,
    complete: bool,
}

/// Working space, used again for each event.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// What is left to visit after each event of a plain sequence.
    rests: Vec<Rest>,
    frames: Vec<Frame>,
    /// The layers of all frames.
    layers: Vec<Place>,
    links: Vec<Link>,
    /// For each frame what comes after it, never nothing, with the place in the layer that it comes
    /// after.
    cursors: Vec<(Rest, u32)>,
    /// How many frames have more than one element.
    wide: usize,
    taken: Vec<Taken>,
    opened: Vec<(u32, u32)>,
}

impl Walk {
    /// Visits all matches of what is marked.
    pub(super) fn visit(
        &mut self,
        marked: &Marked,
        visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if marked.is_plain() {
            self.visit_plain(marked.nodes(), marked.first(), visit)
        } else {
            self.visit_layers(marked.nodes(), marked.first(), visit)
        }
    }

    fn visit_plain(
        &mut self,
        nodes: &[Node],
        mut rest: Rest,
        visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Walk { rests, taken, .. } = self;
        rests.clear();
        taken.clear();
        loop {
            if rest.is_empty() {
                let Some(before) = rests.pop() else { return ControlFlow::Continue(()) };
                rest = before;
                taken.pop();
                continue;
            }
            let node = &nodes[rest.at as usize];
            if node.leads_to_choices()
                && rest.len() <= choices::MOST
                && let Some((last, events)) =
                    nodes[rest.at as usize..rest.end as usize].split_last()
            {
                let of = |node: &Node| (node.stage, node.event);
                choices::visit(events, of, true, of(last), taken, visit)?;
                rest = Rest::default();
                continue;
            }
            rest = rest.skip();
            taken.push((node.stage, node.event));
            if node.is_complete() {
                visit(taken)?;
            }
            if node.after.is_empty() {
                taken.pop();
            } else {
                rests.push(rest);
                rest = node.after;
            }
        }
    }

    fn visit_layers(
        &mut self,
        nodes: &[Node],
        first: Rest,
        visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.frames.clear();
        self.layers.clear();
        self.links.clear();
        self.cursors.clear();
        self.taken.clear();
        self.wide = 0;
        self.frames.push(Frame { layer: 0, links: 0, cursors: 0 });
        self.layers.push(Place { element: NONE, stage: JOIN, after: first, complete: false });
        self.settle(nodes, first, 0, 0);
        while let Some(frame) = self.frames.last() {
            let Frame { layer, links, cursors } = *frame;
            let Some(event) = self.next_event(nodes, cursors) else {
                self.wide -= usize::from(self.layers.len() - layer > 1);
                self.layers.truncate(layer);
                self.links.truncate(links);
                self.frames.pop();
                self.taken.pop();
                continue;
            };
            self.enter(nodes, cursors, event);
            let layer = self.frames.last().map_or(0, |frame| frame.layer);
            if self.layers[layer..].iter().any(|place| place.complete) {
                self.emit(visit)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The first event that comes after a frame.
    fn next_event(&self, nodes: &[Node], cursors: usize) -> Option<EventIndex> {
        let event = |cursor: &(Rest, u32)| nodes[cursor.0.at as usize].event;
        self.cursors[cursors..].iter().map(event).min()
    }

    /// Adds a cursor, unless nothing is left there, to the cursors that begin at `frame`, past joins,
    /// which get their own.
    fn settle(&mut self, nodes: &[Node], rest: Rest, parent: u32, frame: usize) {
        let next = |rest: Rest| (!rest.is_empty()).then(|| &nodes[rest.at as usize]);
        let Some(node) = next(rest) else { return };
        if !node.is_join() {
            if !self.cursors[frame..].contains(&(rest, parent)) {
                self.cursors.push((rest, parent));
            }
            return;
        }
        let mut pending = vec![rest];
        self.opened.clear();
        while let Some(rest) = pending.pop() {
            let Some(node) = next(rest) else { continue };
            if !node.is_join() {
                if !self.cursors[frame..].contains(&(rest, parent)) {
                    self.cursors.push((rest, parent));
                }
                continue;
            }
            if !self.opened.contains(&(node.element, parent)) {
                self.opened.push((node.element, parent));
                pending.push(node.after);
            }
            pending.push(rest.skip());
        }
    }

    /// Goes on to an event: makes its frame, and moves the cursors that were there past it.
    fn enter(&mut self, nodes: &[Node], cursors: usize, event: EventIndex) {
        let frame = Frame { layer: self.layers.len(), links: self.links.len(), cursors: 0 };
        let mut at = cursors;
        while at < self.cursors.len() {
            let (rest, parent) = self.cursors[at];
            let node = &nodes[rest.at as usize];
            if node.event != event {
                at += 1;
                continue;
            }
            self.reach(node, parent, &frame);
            // What it is replaced by is looked at in turn.
            let rest = rest.skip();
            if !rest.is_empty() && !nodes[rest.at as usize].is_join() {
                self.cursors[at].0 = rest;
            } else {
                self.cursors.swap_remove(at);
                self.settle(nodes, rest, parent, cursors);
            }
        }
        let first = self.cursors.len();
        for place in frame.layer..self.layers.len() {
            self.settle(nodes, self.layers[place].after, (place - frame.layer) as u32, first);
        }
        self.wide += usize::from(self.layers.len() - frame.layer > 1);
        self.taken.push((self.layers[frame.layer].stage, event));
        self.frames.push(Frame { cursors: first, ..frame });
    }

    /// Adds an element to the layer of a frame.
    fn reach(&mut self, node: &Node, parent: u32, frame: &Frame) {
        let layer = &self.layers[frame.layer..];
        let place = layer.iter().position(|other| other.element == node.element);
        let place = place.unwrap_or_else(|| {
            let Node { element, stage, after, .. } = *node;
            self.layers.push(Place { element, stage, after, complete: node.is_complete() });
            self.layers.len() - 1 - frame.layer
        });
        let link = (parent, place as u32);
        if !self.links[frame.links..].contains(&link) {
            self.links.push(link);
        }
    }

    /// Visits the bindings of the sequence of the last frame, which is complete.
    fn emit(&mut self, visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.wide == 0 {
            return visit(&self.taken);
        }
        let ends = |start: usize, next: Option<usize>, all: usize| start..next.unwrap_or(all);
        let mut layers = Vec::with_capacity(self.frames.len() - 1);
        for (at, frame) in self.frames.iter().enumerate().skip(1) {
            let next = self.frames.get(at + 1);
            let layer = ends(frame.layer, next.map(|f| f.layer), self.layers.len());
            let links = ends(frame.links, next.map(|f| f.links), self.links.len());
            let stages = self.layers[layer].iter().map(|place| place.stage).collect();
            layers.push(stages::Layer { stages, links: &self.links[links] });
        }
        let last = self.frames.last().map_or(0, |frame| frame.layer);
        let complete = self.layers[last..].iter().map(|place| place.complete).collect();
        stages::visit(&layers, complete, &mut self.taken, visit)
    }
}
