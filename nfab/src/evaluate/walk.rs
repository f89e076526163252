//! Enumerating matches in their order, each once.
//!
//! A depth-first walk over what is [`Marked`]. A node of the walk is a sequence of events, the
//! beginning of matches; its *layer* is the set of elements at which such a beginning may be: one,
//! unless the same events can be bound in several ways. Its successors are the events that some
//! element of the layer hands to, met in the order of their arrival. There are no dead ends: every
//! sequence that is visited goes on to a match, so the step from one match to the next costs what the
//! two differ in (times the width of a layer), and a visitor that stops early pays for what it saw.
//!
//! Since a sequence of events is visited once, whatever the number of ways to bind it, no match
//! comes twice and nothing needs to be remembered. Where layers are wider than one element,
//! [`stages`](super::stages) lists the different bindings of a complete sequence.
//!
//! A sequence that is complete by passing over the event at hand comes before those that it begins.

use std::ops::ControlFlow;

use super::marked::{Cursor, Marked};
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

/// Working space, used again for each event.
#[derive(Debug, Default)]
pub(super) struct Walk {
    frames: Vec<Frame>,
    /// The layers of all frames.
    layers: Vec<u32>,
    links: Vec<Link>,
    /// For each frame what comes after it, with the place in the layer that it comes after.
    cursors: Vec<(Cursor, u32)>,
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
        visit: &mut dyn FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.frames.clear();
        self.layers.clear();
        self.links.clear();
        self.cursors.clear();
        self.taken.clear();
        self.wide = 0;
        self.frames.push(Frame { layer: 0, links: 0, cursors: 0 });
        self.layers.push(marked.root());
        self.open(marked, marked.root(), 0, 0);
        while let Some(frame) = self.frames.last() {
            let Frame { layer, links, cursors } = *frame;
            let Some(event) = self.next_event(marked, cursors) else {
                self.wide -= usize::from(self.layers.len() - layer > 1);
                self.layers.truncate(layer);
                self.links.truncate(links);
                self.frames.pop();
                self.taken.pop();
                continue;
            };
            self.enter(marked, cursors, event);
            let layer = self.frames.last().map_or(0, |frame| frame.layer);
            let complete = |&at: &u32| marked.is_end(at) || marked.spot(at).ends;
            if self.layers[layer..].iter().any(complete) {
                self.emit(marked, visit)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The first event that comes after a frame.
    fn next_event(&self, marked: &Marked, cursors: usize) -> Option<EventIndex> {
        let event = |cursor: &(Cursor, u32)| marked.spot(cursor.0.consumer).event;
        self.cursors[cursors..].iter().map(event).min()
    }

    /// Adds the cursors for what comes after an element; populations that it joined are followed.
    fn open(&mut self, marked: &Marked, element: u32, parent: u32, frame: usize) {
        if let Some(cursor) = marked.after(element) {
            self.settle(marked, cursor, parent, frame);
        }
    }

    /// Adds a cursor to the cursors that begin at `frame`, past joins, which get their own.
    fn settle(&mut self, marked: &Marked, cursor: Cursor, parent: u32, frame: usize) {
        if !marked.is_join(cursor.consumer) {
            if !self.cursors[frame..].contains(&(cursor, parent)) {
                self.cursors.push((cursor, parent));
            }
            return;
        }
        let mut pending = vec![cursor];
        self.opened.clear();
        while let Some(cursor) = pending.pop() {
            if !marked.is_join(cursor.consumer) {
                if !self.cursors[frame..].contains(&(cursor, parent)) {
                    self.cursors.push((cursor, parent));
                }
                continue;
            }
            if !self.opened.contains(&(cursor.consumer, parent)) {
                self.opened.push((cursor.consumer, parent));
                pending.extend(marked.after(cursor.consumer));
            }
            pending.extend(marked.next(cursor));
        }
    }

    /// Goes on to an event: makes its frame, and moves the cursors that were there past it.
    fn enter(&mut self, marked: &Marked, cursors: usize, event: EventIndex) {
        let frame = Frame { layer: self.layers.len(), links: self.links.len(), cursors: 0 };
        let mut at = cursors;
        while at < self.cursors.len() {
            let (cursor, parent) = self.cursors[at];
            if marked.spot(cursor.consumer).event != event {
                at += 1;
                continue;
            }
            self.reach(cursor.consumer, parent, &frame);
            // What it is replaced by is looked at in turn.
            match marked.next(cursor) {
                Some(next) if !marked.is_join(next.consumer) => self.cursors[at].0 = next,
                next => {
                    self.cursors.swap_remove(at);
                    if let Some(next) = next {
                        self.settle(marked, next, parent, cursors);
                    }
                }
            }
        }
        let first = self.cursors.len();
        for place in frame.layer..self.layers.len() {
            let element = self.layers[place];
            if !marked.is_end(element) {
                self.open(marked, element, (place - frame.layer) as u32, first);
            }
        }
        self.wide += usize::from(self.layers.len() - frame.layer > 1);
        self.taken.push((marked.spot(self.layers[frame.layer]).stage, event));
        self.frames.push(Frame { cursors: first, ..frame });
    }

    /// Adds an element to the layer of a frame.
    fn reach(&mut self, element: u32, parent: u32, frame: &Frame) {
        let layer = &self.layers[frame.layer..];
        let place = layer.iter().position(|&other| other == element).unwrap_or_else(|| {
            self.layers.push(element);
            self.layers.len() - 1 - frame.layer
        });
        let link = (parent, place as u32);
        if !self.links[frame.links..].contains(&link) {
            self.links.push(link);
        }
    }

    /// Visits the bindings of the sequence of the last frame, which is complete.
    fn emit(
        &mut self,
        marked: &Marked,
        visit: &mut dyn FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.wide == 0 {
            return visit(&self.taken);
        }
        let ends = |start: usize, next: Option<usize>, all: usize| start..next.unwrap_or(all);
        let mut layers = Vec::with_capacity(self.frames.len() - 1);
        for (at, frame) in self.frames.iter().enumerate().skip(1) {
            let next = self.frames.get(at + 1);
            let layer = ends(frame.layer, next.map(|f| f.layer), self.layers.len());
            let links = ends(frame.links, next.map(|f| f.links), self.links.len());
            let stages = self.layers[layer].iter().map(|&at| marked.spot(at).stage).collect();
            layers.push(stages::Layer { stages, links: &self.links[links] });
        }
        let last = self.frames.last().map_or(0, |frame| frame.layer);
        let complete = self.layers[last..].iter();
        let complete = complete.map(|&at| marked.is_end(at) || marked.spot(at).ends).collect();
        stages::visit(&layers, complete, &mut self.taken, visit)
    }
}
