//! The queue of a stage.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use crate::history::EventIndex;
use crate::runtime::evaluator::{Key, Taken};

/// Memory for so many nodes is kept when a queue is emptied.
const SPARE: usize = 64;

/// Partial matches whose last event is the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) place: EventIndex,
    /// The keys of their first events.
    oldest: Key,
    newest: Key,
    /// What the event found in the queue before. Nothing, at the first stage.
    pub(super) from: u64,
    pub(super) to: u64,
    /// How many partial matches this node and all before it are, garbage or not.
    total: u64,
}

impl Node {
    /// An event that moves a range of the queue before on. The range is not empty.
    pub(super) fn over(below: &Level, from: u64, to: u64, place: EventIndex) -> Node {
        let (oldest, newest) = (below.node(from).oldest, below.node(to - 1).newest);
        Node { place, oldest, newest, from, to, total: below.between(from, to) }
    }

    fn is_past(&self, horizon: Key) -> bool {
        self.newest < horizon
    }
}

/// Nodes in the order of their events, and so of the first events of their partial matches: those
/// that have moved on, then those that wait. Each has a number, counted from the first ever.
#[derive(Debug, Default)]
pub(super) struct Level {
    nodes: VecDeque<Node>,
    /// The number of the first node.
    first: u64,
    /// The number of the first that waits.
    cut: u64,
    /// The total of the node before the first.
    base: u64,
}

impl Level {
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn cut(&self) -> u64 {
        self.cut
    }

    pub(super) fn end(&self) -> u64 {
        self.first + self.nodes.len() as u64
    }

    #[inline]
    fn node(&self, number: u64) -> &Node {
        &self.nodes[(number - self.first) as usize]
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter()
    }

    pub(super) fn nodes_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        self.nodes.iter_mut()
    }

    /// The place of a node.
    #[cfg(feature = "serde")]
    pub(super) fn place(&self, number: u64) -> EventIndex {
        self.node(number).place
    }

    /// Where the part of the queue before ends that has moved on to this one.
    #[cfg(feature = "serde")]
    pub(super) fn reach(&self) -> u64 {
        self.nodes.back().map_or(0, |last| last.to)
    }

    /// The first so many have moved on.
    #[cfg(feature = "serde")]
    pub(super) fn set_cut(&mut self, moved: u64) -> Option<()> {
        self.cut = self.first + moved;
        (moved <= self.nodes.len() as u64).then_some(())
    }

    fn total_before(&self, number: u64) -> u64 {
        if number == self.first { self.base } else { self.node(number - 1).total }
    }

    /// How many partial matches a range is.
    fn between(&self, from: u64, to: u64) -> u64 {
        self.total_before(to) - self.total_before(from)
    }

    /// How many wait.
    pub(super) fn waiting(&self) -> usize {
        self.between(self.cut, self.end()) as usize
    }

    /// A match begins.
    #[inline]
    pub(super) fn begin(&mut self, place: EventIndex, key: Key) {
        let node = Node { place, oldest: key, newest: key, from: 0, to: 0, total: 1 };
        self.push(node);
    }

    /// Adds a node, whose total is only its own yet; gives that.
    #[inline]
    pub(super) fn push(&mut self, mut node: Node) -> usize {
        let own = node.total;
        node.total += self.nodes.back().map_or(self.base, |last| last.total);
        self.nodes.push_back(node);
        own as usize
    }

    /// Nothing waits any more.
    #[inline]
    pub(super) fn take(&mut self) {
        self.cut = self.end();
    }

    /// What waits and has passed its window does not wait any more.
    #[inline]
    pub(super) fn pass(&mut self, horizon: Key) {
        while self.cut < self.end() && self.node(self.cut).is_past(horizon) {
            self.cut += 1;
        }
    }

    /// Drops everything.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.base = self.nodes.back().map_or(self.base, |last| last.total);
        self.first = self.end();
        self.cut = self.first;
        self.nodes.clear();
        // What was long once would stay so in every partition.
        self.nodes.shrink_to(SPARE);
    }
}

/// How many partial matches of a range have not passed their window.
pub(super) fn count(levels: &[Level], at: usize, mut from: u64, to: u64, horizon: Key) -> u64 {
    let level = &levels[at];
    let mut some = 0;
    while from < to && level.node(from).oldest < horizon {
        let node = level.node(from);
        if at > 0 && !node.is_past(horizon) {
            some += count(levels, at - 1, node.from, node.to, horizon);
        }
        from += 1;
    }
    some + level.between(from, to)
}

/// Visits the partial matches of a range that have not passed their window, in their order: the
/// events from the first stage to that of the range lie in `taken`.
pub(super) fn read(
    levels: &[Level],
    at: usize,
    (from, to): (u64, u64),
    horizon: Key,
    taken: &mut [Taken],
    visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for number in from..to {
        let node = levels[at].node(number);
        if node.is_past(horizon) {
            continue;
        }
        taken[at].1 = node.place;
        if at == 0 {
            visit(taken)?;
        } else {
            read(levels, at - 1, (node.from, node.to), horizon, taken, visit)?;
        }
    }
    ControlFlow::Continue(())
}

/// Drops what nobody can reach any more; what waits stays, but for what has passed its window, which
/// is not counted any more. Gives how many partial matches wait.
pub(super) fn compact(levels: &mut [Level], horizon: Key) -> usize {
    // The nodes of the level above, which refer to this one.
    let mut above: Option<&mut Level> = None;
    for level in levels.iter_mut().rev() {
        let mut live = VecDeque::with_capacity(level.waiting().min(level.len()));
        let mut keep = |level: &Level, from: u64, to: u64| {
            let start = level.first + live.len() as u64;
            for number in from..to {
                let node = *level.node(number);
                if !node.is_past(horizon) {
                    live.push_back(node);
                }
            }
            (start, level.first + live.len() as u64)
        };
        for node in above.into_iter().flat_map(|above| &mut above.nodes) {
            (node.from, node.to) = keep(level, node.from, node.to);
        }
        (level.cut, _) = keep(level, level.cut, level.end());
        level.nodes = live;
        above = Some(level);
    }
    // Nodes of which some have passed have become smaller.
    let mut below: Option<&Level> = None;
    let mut waiting = 0;
    for level in levels {
        let mut total = level.base;
        for node in &mut level.nodes {
            let own = match below {
                Some(below) => Node::over(below, node.from, node.to, node.place),
                None => Node { total: 1, ..*node },
            };
            total += own.total;
            *node = Node { total, ..own };
        }
        waiting += level.waiting();
        below = Some(level);
    }
    waiting
}
