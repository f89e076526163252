//! The shared versioned match buffer of the paper.
//!
//! One stack for each state that takes events: for a component `a`, or for the Kleene component
//! `a+` two, `a[1]` for its first event and `a[i]` for the others. An entry of a stack is an event
//! with *edges* to the entries that came before it in some run, each labelled with a
//! [`Version`]. However many runs took an event in a state, it is stored there once; the versions
//! keep their edges apart.
//!
//! ```text
//! stack a[1]          stack a[i]                        stack b
//! e1 -> (1)           e2 -> a[1].e1 (1.0)
//! e3 -> (2)           e3 -> e2 (1.0)
//!                     e4 -> e3 (1.0), a[1].e3 (2.0)
//!                     e6 -> e4 (1.1, 2.1)               e6 -> a[i].e4 (1.0.0, 2.0.0)
//! ```
//!
//! The match that ends in `b.e6` with version `2.0.0` is read by walking back: its edge leads to
//! `a[i].e4`, of whose edges `2.0` fits (a proper prefix) and `1.0` does not; so it is e3, e4, e6.
//! Which edge fits, and how versions are given out, says [`version`](super::version).
//!
//! # What a run holds
//!
//! The edge that it added last: this is its place in the buffer and, by the label, its version.
//! The rules refer to the version of the state in which the run waits; the zeros that R2 appends on
//! the way there are appended when an event is taken, since the state that takes it tells how many
//! numbers there must be.
//!
//! # Where things lie
//!
//! Entries and edges of all stacks lie in one arena each, in the order of their times, so that what
//! the window has passed goes from the front in whole chunks. What belongs to runs that failed
//! before goes with it; without a window garbage is found by marking, edge by edge from the newest
//! to the oldest, since the walk from an edge depends on its label alone.

#[cfg(feature = "serde")]
mod save;

use super::arena::{Arena, widen};
use super::version::{Fit, Rules, Version, fit};
use super::view::{BufferView, EdgeView, EntryView, StackView};
use super::{Entry, EventIndex, History, Marks, Moved, Shape, Tail};
use crate::nfa::EdgeKind;

/// No entry, no edge.
const NONE: u32 = u32::MAX;

/// All 32 bits of a place.
const MASK: u64 = u32::MAX as u64;

/// An [`Edge::forks`]: another edge goes on with the same version, or the numbers are used up.
const PASSED_ON: u32 = u32::MAX;

/// An entry of a stack.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The low bits of the event.
    event: u32,
    stack: u32,
    first_edge: u32,
    last_edge: u32,
}

#[derive(Debug)]
struct Edge {
    version: Version,
    /// The entry that it leaves.
    entry: u32,
    /// The entry that it leads to.
    to: u32,
    /// The next edge of the same entry.
    sibling: u32,
    /// Tree versions: the number that the next fork of the run appends.
    forks: u32,
}

/// A stack: the state that it is of, and its newest entry.
#[derive(Debug)]
struct Stack {
    /// How many numbers the labels of its edges have (rules of the paper).
    numbers: usize,
    top: Option<(EventIndex, u32)>,
}

/// The buffer.
#[derive(Debug)]
pub(crate) struct VersionedBuffer {
    shape: Shape,
    /// For each stage that of its first event and that of the others.
    stacks: Vec<Stack>,
    nodes: Arena<Node, 9>,
    edges: Arena<Edge, 9>,
    /// What versions hold outside of their edges.
    heap: usize,
    /// Runs that have started.
    started: u64,
    /// The next of the numbers that are given out once in the whole buffer; none of them is one of
    /// [`Edge::forks`].
    once: u64,
    newest: EventIndex,
}

impl VersionedBuffer {
    pub(crate) fn new(shape: Shape) -> Self {
        Self::starting_at(shape, 0)
    }

    /// The first entry and the first edge get this place.
    pub(super) fn starting_at(shape: Shape, first: u64) -> Self {
        let mut stacks = Vec::new();
        let mut numbers = 0;
        for stage in &shape.stages {
            numbers += 1;
            stacks.push(Stack { numbers, top: None });
            numbers += usize::from(stage.kleene);
            stacks.push(Stack { numbers, top: None });
        }
        VersionedBuffer {
            shape,
            stacks,
            nodes: Arena::starting_at(first),
            edges: Arena::starting_at(first),
            heap: 0,
            started: 0,
            once: u64::from(PASSED_ON),
            newest: 0,
        }
    }

    fn node(&self, place: u32) -> &Node {
        self.nodes.at(self.nodes.find(u64::from(place), MASK))
    }

    fn edge(&self, place: u32) -> &Edge {
        self.edges.at(self.edges.find(u64::from(place), MASK))
    }

    fn edge_mut(&mut self, place: u32) -> &mut Edge {
        self.edges.at_mut(self.edges.find(u64::from(place), MASK))
    }

    fn event(&self, node: &Node) -> EventIndex {
        widen(u64::from(node.event), self.newest, MASK)
    }

    /// The label of the edge that a run adds, and the number of its own next fork.
    fn label(&mut self, tail: Tail, stack: usize, entry: Entry) -> (Version, u32) {
        let numbers = self.stacks[stack].numbers;
        if tail == Tail::EMPTY {
            self.started += 1;
            let version = Version::new([self.started]);
            return (if self.paper() { version.padded(numbers) } else { version }, 0);
        }
        if self.paper() {
            let version = self.edge(tail.0).version.padded(numbers);
            let stays = entry.forks && entry.kind == EdgeKind::Take;
            return (if stays { version.next() } else { version }, 0);
        }
        let once = self.once;
        let from = self.edge_mut(tail.0);
        if from.forks == PASSED_ON {
            // Two runs with one tail: clones that ignored the same event.
            let version = from.version.child(once);
            self.once += 1;
            return (version, 0);
        }
        if entry.forks {
            from.forks += 1;
            return (from.version.child(u64::from(from.forks - 1)), 0);
        }
        let forks = std::mem::replace(&mut from.forks, PASSED_ON);
        (from.version.clone(), forks)
    }

    fn paper(&self) -> bool {
        self.shape.rules == Rules::Paper
    }

    /// The entry of an event in a stack, a new one if there is none.
    fn entry(&mut self, stack: usize, event: EventIndex, time: i64) -> u32 {
        if let Some((_, place)) = self.stacks[stack].top.filter(|top| top.0 == event) {
            return place;
        }
        let place = self.push_node(time, event as u32, stack as u32);
        self.stacks[stack].top = Some((event, place));
        place
    }

    fn push_node(&mut self, time: i64, event: u32, stack: u32) -> u32 {
        let node = Node { event, stack, first_edge: NONE, last_edge: NONE };
        // The place that stands for no entry is nobody's.
        if self.nodes.next() & MASK == MASK {
            self.nodes.push(time, node);
        }
        self.nodes.push(time, node) as u32
    }

    fn push_edge(&mut self, time: i64, edge: Edge) -> u32 {
        if self.edges.next() & MASK == MASK {
            let version = Version::new([]);
            let filler = Edge { version, entry: NONE, to: NONE, sibling: NONE, forks: 0 };
            self.edges.push(time, filler);
        }
        let entry = edge.entry;
        self.heap += edge.version.heap();
        let place = self.edges.push(time, edge) as u32;
        let at = self.nodes.find(u64::from(entry), MASK);
        let node = self.nodes.at_mut(at);
        let last = std::mem::replace(&mut node.last_edge, place);
        if last == NONE {
            node.first_edge = place;
        } else {
            self.edge_mut(last).sibling = place;
        }
        place
    }

    /// The edge before: of the edges that leave the entry to which this one leads, that which fits
    /// best, the oldest of several.
    fn before(&self, edge: &Edge) -> Option<u32> {
        if edge.to == NONE {
            return None;
        }
        let best = self.best(edge);
        debug_assert!(best.is_some(), "the edge that the run took fits");
        best
    }

    fn best(&self, edge: &Edge) -> Option<u32> {
        let mut best: Option<(Fit, u32)> = None;
        let mut place = self.node(edge.to).first_edge;
        while place != NONE {
            let other = self.edge(place);
            if let Some(fit) = fit(self.shape.rules, &other.version, &edge.version) {
                if best.is_none_or(|(least, _)| fit > least) {
                    best = Some((fit, place));
                }
                if fit == Fit::BEST {
                    break;
                }
            }
            place = other.sibling;
        }
        best.map(|(_, place)| place)
    }

    /// What the buffer holds, garbage included, for people; `number` is how they count events,
    /// `None` for what has gone.
    pub(crate) fn view(&self, number: impl Fn(EventIndex) -> Option<u64>) -> BufferView {
        let mut stacks = Vec::new();
        for stage in &self.shape.stages {
            let [first, other] = if stage.kleene { ["[1]", "[i]"] } else { ["", "[]"] };
            stacks.extend([first, other].map(|part| StackView {
                name: format!("{}{part}", stage.name),
                entries: Vec::new(),
            }));
        }
        let held = |place: u32| self.edges.find(u64::from(place), MASK) < self.edges.len();
        for node in self.nodes.iter().filter(|node| node.first_edge != NONE) {
            let Some(event) = number(self.event(node)) else { continue };
            let mut edges = Vec::new();
            let mut place = node.first_edge;
            while place != NONE && held(place) {
                let edge = self.edge(place);
                let at = self.nodes.find(u64::from(edge.to), MASK);
                let to = (edge.to != NONE && at < self.nodes.len()).then(|| self.nodes.at(at));
                let to = to.and_then(|to| Some((to.stack as usize, number(self.event(to))?)));
                edges.push(EdgeView { version: edge.version.to_string(), to });
                place = edge.sibling;
            }
            stacks[node.stack as usize].entries.push(EntryView { event, edges });
        }
        BufferView { stacks }
    }
}

impl History for VersionedBuffer {
    const SHOWN: bool = true;

    fn append(&mut self, tail: &Tail, entry: Entry) -> Tail {
        self.newest = entry.event;
        let stack = 2 * entry.stage as usize + usize::from(entry.kind == EdgeKind::Take);
        let (version, forks) = self.label(*tail, stack, entry);
        let to = if *tail == Tail::EMPTY { NONE } else { self.edge(tail.0).entry };
        let own = self.entry(stack, entry.event, entry.time);
        Tail(self.push_edge(entry.time, Edge { version, entry: own, to, sibling: NONE, forks }))
    }

    fn events(&self, tail: &Tail, into: &mut Vec<(u32, EventIndex)>) {
        into.clear();
        let mut next = (*tail != Tail::EMPTY).then_some(tail.0);
        while let Some(place) = next {
            let edge = self.edge(place);
            let node = self.node(edge.entry);
            into.push((node.stack / 2, self.event(node)));
            next = self.before(edge);
        }
        into.reverse();
    }

    fn expire(&mut self, before: i64) {
        self.nodes.expire(before, |_| ());
        let heap = &mut self.heap;
        self.edges.expire(before, |edge| *heap -= edge.version.heap());
    }

    fn cells(&self) -> usize {
        self.nodes.len()
    }

    fn edges(&self) -> usize {
        self.edges.len()
    }

    fn bytes(&self) -> usize {
        let stacks = self.stacks.capacity() * size_of::<Stack>();
        self.nodes.bytes() + self.edges.bytes() + self.heap + stacks
    }

    fn capacity(&self) -> usize {
        1 << 31
    }

    fn compact<'t>(&mut self, tails: impl Iterator<Item = &'t mut Tail>, used: &mut Marks) {
        let mut tails: Vec<&mut Tail> = tails.filter(|tail| **tail != Tail::EMPTY).collect();
        let find = |edges: &Arena<Edge, 9>, place: u32| edges.find(u64::from(place), MASK);
        // First which edges are live, then their new places.
        let mut places = vec![NONE; self.edges.len()];
        for tail in &tails {
            places[find(&self.edges, tail.0)] = 0;
        }
        for at in (0..places.len()).rev() {
            if places[at] != NONE {
                let edge = self.edges.at(at);
                used.mark(self.event(self.node(edge.entry)));
                if let Some(before) = self.before(edge) {
                    places[find(&self.edges, before)] = 0;
                }
            }
        }
        let first = (self.nodes.first(), self.edges.first());
        let nodes = std::mem::replace(&mut self.nodes, Arena::starting_at(first.0));
        let edges = std::mem::replace(&mut self.edges, Arena::starting_at(first.1));
        self.heap = 0;
        let mut entries = vec![NONE; nodes.len()];
        let entry_at = |place: u32| nodes.find(u64::from(place), MASK);
        for (at, (time, edge)) in edges.into_items().enumerate() {
            if places[at] == NONE {
                continue;
            }
            let old = entry_at(edge.entry);
            if entries[old] == NONE {
                let Node { event, stack, .. } = *nodes.at(old);
                entries[old] = self.push_node(time, event, stack);
            }
            let to = if edge.to == NONE { NONE } else { entries[entry_at(edge.to)] };
            let edge = Edge { entry: entries[old], to, sibling: NONE, ..edge };
            places[at] = self.push_edge(time, edge);
        }
        for tail in &mut tails {
            tail.0 = places[(u64::from(tail.0).wrapping_sub(first.1) & MASK) as usize];
        }
        // The event after this one has no entry yet.
        self.stacks.iter_mut().for_each(|stack| stack.top = None);
    }

    fn renumber(&mut self, moved: &Moved) {
        let before = self.newest;
        for node in self.nodes.iter_mut().filter(|node| node.first_edge != NONE) {
            self.newest = moved.to(widen(u64::from(node.event), before, MASK));
            node.event = self.newest as u32;
        }
    }
}
