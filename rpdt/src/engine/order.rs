//! Document order: answers wait until nothing undecided starts before them.

use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};

use crate::{Answer, Error, Sink};

use super::Engine;
use super::answer::View;
use super::buffer::{ElementId, InstanceId, Item};
use super::tuples::Slot;

/// An answer that was certain, not yet given.
#[derive(Clone, Debug)]
pub(crate) enum Payload {
    Node { node: u32, element: ElementId },
    Tuple(Vec<Slot>),
    Instance(InstanceId),
}

#[derive(Debug)]
struct Postponed {
    /// (start, label) of the answer's nodes in document order.
    key: Vec<(u64, Box<str>)>,
    query: u32,
    sequence: u64,
    payload: Payload,
}

impl Postponed {
    fn rank(&self) -> (&[(u64, Box<str>)], u32, u64) {
        (&self.key, self.query, self.sequence)
    }
}

impl PartialEq for Postponed {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Postponed {}

impl PartialOrd for Postponed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Postponed {
    fn cmp(&self, other: &Self) -> Ordering {
        // The heap gives the greatest first; we want the earliest.
        other.rank().cmp(&self.rank())
    }
}

/// Tells places of regular branches from those of nodes.
const FLOOR: u32 = 1 << 31;

/// Answers held back, and what they wait for.
#[derive(Debug, Default)]
pub(crate) struct DocumentOrder {
    /// (start, node) of return nodes, or of key nodes, that may still give answers.
    undecided: BTreeSet<(u64, u32)>,
    waiting: BinaryHeap<Postponed>,
}

impl DocumentOrder {
    /// A return node or key node opens.
    pub(crate) fn begin(&mut self, start: u64, node: u32) {
        self.undecided.insert((start, node));
    }

    /// Moves the place before which a regular branch can give no further answer.
    pub(crate) fn move_floor(&mut self, regular: u32, from: Option<u64>, to: Option<u64>) {
        if let Some(from) = from {
            self.undecided.remove(&(from, FLOOR | regular));
        }
        if let Some(to) = to {
            self.undecided.insert((to, FLOOR | regular));
        }
    }
}

impl DocumentOrder {
    /// Nothing is held back, and nothing undecided.
    pub(crate) fn is_empty(&self) -> bool {
        self.undecided.is_empty() && self.waiting.is_empty()
    }

    /// So many answers came before those that are held back.
    pub(crate) fn count_on(&mut self, answers: u64) {
        let mut waiting = std::mem::take(&mut self.waiting).into_vec();
        for answer in &mut waiting {
            answer.sequence += answers;
        }
        self.waiting = waiting.into();
    }
}

impl<S: Sink> Engine<'_, S> {
    /// A return node or key node will give no further answer.
    pub(super) fn resolved(&mut self, start: u64, node: u32) {
        if let Some(order) = &mut self.order {
            order.undecided.remove(&(start, node));
        }
    }

    /// Holds an answer back; the payload's references are the order's now.
    pub(super) fn postpone(&mut self, query: u32, payload: Payload) {
        let sequence = self.answers;
        self.answers += 1;
        let key = self.sort_key(query, &payload);
        if let Some(order) = &mut self.order {
            order.waiting.push(Postponed { key, query, sequence, payload });
        }
    }

    fn sort_key(&self, query: u32, payload: &Payload) -> Vec<(u64, Box<str>)> {
        let mut key: Vec<(u64, Box<str>)> = match payload {
            Payload::Node { node, element } => {
                let node = self.view().node_ref(query, *node, *element);
                return vec![(node.start, node.label.into())];
            }
            Payload::Tuple(slots) => nodes_of(&self.view().tuple_fields(query, slots)),
            Payload::Instance(id) => nodes_of(&self.view().instance_fields(query, *id)),
        };
        key.sort_unstable();
        if key.is_empty() {
            // Empty lists stand where the element stands that they belong to.
            let start = match payload {
                Payload::Tuple(slots) => slots.iter().find_map(|slot| match *slot {
                    Slot::Run(run) => Some(self.buffers.run(run).parent),
                    _ => None,
                }),
                Payload::Instance(id) => Some(self.buffers.instance(*id).start),
                Payload::Node { .. } => None,
            };
            key.push((start.unwrap_or(0), Box::default()));
        }
        key
    }

    /// After an end tag: notes what was dropped, and gives the answers that nothing precedes.
    pub(super) fn after_drops(&mut self) -> Result<(), Error> {
        for drop in std::mem::take(&mut self.buffers.dropped) {
            self.resolved(drop.start, drop.node);
            if drop.pending {
                let query = self.compiled.nodes[drop.node as usize].query;
                self.pending_keys[query as usize] -= 1;
            }
        }
        if self.order.is_some() {
            self.release_in_order();
        }
        self.check_buffers()
    }

    fn release_in_order(&mut self) {
        loop {
            let Some(order) = &mut self.order else { return };
            let Some(first) = order.waiting.peek() else { return };
            let start = first.key.first().map_or(0, |k| k.0);
            if order.undecided.first().is_some_and(|&(s, _)| s <= start) {
                return;
            }
            let Some(answer) = order.waiting.pop() else { return };
            if !self.stopped {
                let view =
                    View { compiled: self.compiled, buffers: &self.buffers, needs: self.needs };
                let fields = match &answer.payload {
                    Payload::Node { node, element } => {
                        Answer::Node(view.node_ref(answer.query, *node, *element))
                    }
                    Payload::Tuple(slots) => Answer::Tuple(view.tuple_fields(answer.query, slots)),
                    Payload::Instance(id) => {
                        Answer::Instance(view.instance_fields(answer.query, *id))
                    }
                };
                let flow = self.sink.answer(answer.query as usize, answer.sequence, &fields);
                self.stopped |= flow.is_break();
            }
            match answer.payload {
                Payload::Node { element, .. } => self.buffers.release_element(element),
                Payload::Instance(id) => self.buffers.release_instance(id),
                Payload::Tuple(slots) => {
                    for slot in slots {
                        match slot {
                            Slot::Instance(id) => self.buffers.release_instance(id),
                            Slot::Run(run) => self.buffers.release(Item::Run(run)),
                            Slot::Empty => {}
                        }
                    }
                }
            }
        }
    }
}

fn nodes_of(fields: &[crate::Field<'_>]) -> Vec<(u64, Box<str>)> {
    let mut nodes = Vec::new();
    for field in fields {
        match &field.value {
            crate::Value::Node(node) => nodes.push((node.start, node.label.into())),
            crate::Value::List(list) => {
                nodes.extend(list.iter().map(|n| (n.start, Box::from(n.label))));
            }
        }
    }
    nodes
}
