//! The forest of one partition.

use super::reads::Held;
use crate::history::{EventIndex, Moved};
use crate::nfa::kinds::bit;
use crate::runtime::evaluator::{Key, Taken};

/// No node: nothing has followed yet.
pub(super) const NONE: u64 = u64::MAX;
/// The wait of runs that have ended.
pub(super) const ENDED: u32 = u32::MAX;

/// Nodes at the front that have passed are kept until there are so many.
const SLACK: usize = 64;

/// An event that runs have taken for a stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(super) place: EventIndex,
    pub(super) key: Key,
    /// The key of the newest first event from which it is reached.
    pub(super) newest: Key,
    /// The node that follows, or [`NONE`].
    pub(super) next: u64,
    pub(super) stage: u32,
    /// What the runs wait for then, or [`ENDED`]; out of date once a node follows.
    pub(super) wait: u32,
    /// A run begins here.
    pub(super) first: bool,
}

/// A node that waits for an event.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) node: u64,
    pub(super) wait: u32,
    pub(super) newest: Key,
    /// What its runs remember.
    pub(super) held: Held,
}

/// The matches that wait to be read: those of runs that begin with a key before the horizon, or of
/// all without one; or only that with one first event.
#[derive(Clone, Copy, Debug)]
struct Released {
    horizon: Option<Key>,
    only: Option<EventIndex>,
}

/// The forest of one partition.
#[derive(Debug)]
pub(crate) struct Part {
    /// In the order of their events. The first is the first event of the oldest run; those before
    /// `head` are gone.
    nodes: Vec<Node>,
    head: usize,
    /// The number of the node at the beginning of `nodes`.
    base: u64,
    pub(super) open: Vec<Open>,
    /// The least key of their newest first events.
    pub(super) oldest: Key,
    /// The waits of the open nodes, in bits.
    pub(super) busy: u64,
    released: Option<Released>,
    /// Some runs have ended without a match.
    ended: bool,
}

impl Part {
    pub(super) fn new() -> Part {
        Part {
            nodes: Vec::new(),
            head: 0,
            base: 0,
            open: Vec::new(),
            oldest: Key::MAX,
            busy: 0,
            released: None,
            ended: false,
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.nodes.len() - self.head
    }

    #[cfg(feature = "serde")]
    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes[self.head..]
    }

    /// The place of a node among [`nodes`](Self::nodes).
    #[cfg(feature = "serde")]
    pub(super) fn place_of(&self, number: u64) -> u32 {
        (self.index(number) - self.head) as u32
    }

    #[inline]
    fn index(&self, number: u64) -> usize {
        (number - self.base) as usize
    }

    #[inline]
    pub(super) fn node(&self, number: u64) -> &Node {
        &self.nodes[self.index(number)]
    }

    #[inline]
    fn node_mut(&mut self, number: u64) -> &mut Node {
        let at = self.index(number);
        &mut self.nodes[at]
    }

    /// Adds a node to which nothing leads yet; gives its number.
    #[inline]
    pub(super) fn add(&mut self, (stage, place): Taken, key: Key, wait: u32) -> u64 {
        let (newest, next) = (Key::MIN, NONE);
        self.nodes.push(Node { place, key, newest, next, stage, wait, first: false });
        self.base + self.nodes.len() as u64 - 1
    }

    /// A node follows another one, to which runs came that began at a key or earlier.
    #[inline]
    pub(super) fn link(&mut self, from: u64, next: u64, newest: Key) {
        self.node_mut(from).next = next;
        let next = self.node_mut(next);
        next.newest = next.newest.max(newest);
    }

    /// A run begins with a node.
    #[inline]
    pub(super) fn begin(&mut self, number: u64) {
        let node = self.node_mut(number);
        (node.first, node.newest) = (true, node.key);
    }

    /// The runs that wait at a node have ended.
    #[inline]
    pub(super) fn end(&mut self, number: u64) {
        self.node_mut(number).wait = ENDED;
        self.ended = true;
    }

    /// An open node stays open, perhaps at an earlier place of the list.
    #[inline]
    pub(super) fn keep(&mut self, from: usize, to: usize) {
        if from != to {
            self.open.swap(from, to);
        }
    }

    /// Of the open nodes those from a place to the end, if that is another one, are not open any more.
    #[inline]
    pub(super) fn close(&mut self, from: usize, end: usize) {
        if from < end {
            self.open.truncate(from);
            (self.oldest, self.busy) = (Key::MAX, 0);
            for at in 0..from {
                self.note(self.open[at].wait, self.open[at].newest);
            }
        }
    }

    /// A node waits.
    #[inline]
    pub(super) fn open(&mut self, node: u64, wait: u32, held: Held) {
        let newest = self.node(node).newest;
        self.open.push(Open { node, wait, newest, held });
        self.note(wait, newest);
    }

    #[inline]
    fn note(&mut self, wait: u32, newest: Key) {
        self.oldest = self.oldest.min(newest);
        self.busy |= bit(wait);
    }

    /// Open nodes whose runs have all passed are not open any more.
    #[inline]
    pub(super) fn close_passed(&mut self, horizon: Key) {
        if self.oldest < horizon {
            self.close_passed_now(horizon);
        }
    }

    fn close_passed_now(&mut self, horizon: Key) {
        let (mut keep, all) = (0, self.open.len());
        for at in 0..all {
            if self.open[at].newest >= horizon {
                self.keep(at, keep);
                keep += 1;
            }
        }
        self.close(keep, all);
    }

    /// Drops everything.
    pub(super) fn clear(&mut self) {
        self.base += self.nodes.len() as u64;
        self.nodes.clear();
        self.head = 0;
        self.open.clear();
        (self.oldest, self.busy) = (Key::MAX, 0);
        self.ended = false;
    }

    /// Gets the matches ready that come out as a window passes. Gives whether there are some; `holds`
    /// says where matches are, if they are not everywhere.
    #[inline]
    pub(super) fn release(&mut self, horizon: Option<Key>, holds: Option<&[bool]>) -> bool {
        let ready = (self.nodes.get(self.head))
            .is_some_and(|first| horizon.is_none_or(|horizon| first.key < horizon));
        self.released = ready.then_some(Released { horizon, only: None });
        ready && (holds.is_none() && !self.ended || self.releases_some(holds))
    }

    fn releases_some(&self, holds: Option<&[bool]>) -> bool {
        let is_match = |wait: u32| holds.is_none_or(|holds| holds[wait as usize]);
        self.released().any(|first| self.last(first).is_some_and(is_match))
    }

    /// The first nodes of what was released.
    #[inline]
    pub(super) fn released(&self) -> impl Iterator<Item = &Node> {
        let released = self.released;
        let until = move |node: &&Node| match released {
            None => false,
            Some(of) => of.horizon.is_none_or(|horizon| node.key < horizon),
        };
        let only = released.and_then(|of| of.only);
        let wanted = move |node: &&Node| node.first && only.is_none_or(|only| only == node.place);
        self.nodes[self.head..].iter().take_while(until).filter(wanted)
    }

    /// Of what was released only the match with the next first event behind a place is ready from now
    /// on.
    pub(super) fn narrow(
        &mut self,
        after: Option<EventIndex>,
        holds: &[bool],
    ) -> Option<EventIndex> {
        self.released.as_mut()?.only = None;
        let later = |first: &&Node| after.is_none_or(|after| first.place > after);
        let matches = |first: &&Node| self.last(first).is_some_and(|wait| holds[wait as usize]);
        let only = self.released().filter(later).find(matches).map(|first| first.place);
        self.released = self.released.filter(|_| only.is_some());
        self.released.iter_mut().for_each(|of| of.only = only);
        only
    }

    /// What a run waits for, unless it has ended.
    pub(super) fn last(&self, first: &Node) -> Option<u32> {
        let mut node = first;
        while node.next != NONE {
            node = self.node(node.next);
        }
        (node.wait != ENDED).then_some(node.wait)
    }

    /// Reads a run from its first node on. Gives its length, and what it waits for or [`ENDED`].
    #[inline]
    pub(super) fn read(&self, first: &Node, into: &mut Vec<Taken>) -> (usize, u32) {
        let (mut node, mut len) = (first, 0);
        loop {
            match into.get_mut(len) {
                Some(taken) => *taken = (node.stage, node.place),
                None => into.push((node.stage, node.place)),
            }
            len += 1;
            if node.next == NONE {
                return (len, node.wait);
            }
            node = self.node(node.next);
        }
    }

    /// Whether that changes anything: something is released, or some run has passed.
    #[inline]
    pub(super) fn passes(&self, horizon: Option<Key>) -> bool {
        let Some(horizon) = horizon else { return true };
        let first = self.nodes.get(self.head);
        self.released.is_some()
            || self.oldest < horizon
            || first.is_some_and(|first| first.key < horizon)
    }

    /// Runs that began before a horizon have passed their window; all have without one. Gives how
    /// many of them wait for something that does not hold a match; `holds` says where matches are,
    /// if they are not everywhere.
    #[inline]
    pub(super) fn pass(&mut self, horizon: Option<Key>, holds: Option<&[bool]>) -> u64 {
        self.released = None;
        let mut waiting = 0;
        let mut head = self.head;
        while let Some(node) = self.nodes.get(head)
            && (!node.first || horizon.is_none_or(|horizon| node.key < horizon))
        {
            if let Some(holds) = holds
                && node.first
            {
                let waits = self.last(node).is_some_and(|wait| !holds[wait as usize]);
                waiting += u64::from(waits);
            }
            head += 1;
        }
        self.head = head;
        match horizon {
            Some(horizon) => self.close_passed(horizon),
            None => self.open.clear(),
        }
        if self.open.is_empty() {
            self.clear();
        } else if head > SLACK && head > self.nodes.len() / 2 {
            self.drop_passed();
        }
        waiting
    }

    fn drop_passed(&mut self) {
        self.nodes.drain(..self.head);
        self.base += self.head as u64;
        self.head = 0;
    }

    /// Drops the nodes of runs that have ended; calls `used` with the events of the others.
    pub(super) fn collect(&mut self, mut used: impl FnMut(EventIndex)) {
        let nodes = &self.nodes[self.head..];
        let first = self.base + self.head as u64;
        let mut alive = vec![false; nodes.len()];
        for (at, node) in nodes.iter().enumerate().rev() {
            alive[at] = match node.next {
                NONE => node.wait != ENDED,
                next => alive[(next - first) as usize],
            };
        }
        // Reached from a first event, too; then the new places.
        let mut wanted: Vec<bool> = nodes.iter().map(|node| node.first).collect();
        let mut numbers = vec![NONE; nodes.len()];
        let mut live: Vec<Node> = Vec::with_capacity(self.open.len());
        for (at, node) in nodes.iter().enumerate() {
            if wanted[at] && alive[at] {
                if node.next != NONE {
                    wanted[(node.next - first) as usize] = true;
                }
                numbers[at] = live.len() as u64;
                live.push(*node);
                used(node.place);
            }
        }
        for node in live.iter_mut().filter(|node| node.next != NONE) {
            node.next = numbers[(node.next - first) as usize];
        }
        for open in &mut self.open {
            open.node = numbers[(open.node - first) as usize];
        }
        (self.nodes, self.head, self.base) = (live, 0, 0);
    }

    /// The events have moved.
    pub(super) fn renumber(&mut self, moved: &Moved) {
        self.drop_passed();
        self.nodes.iter_mut().for_each(|node| node.place = moved.to(node.place));
    }
}
