//! Conditions between operands before the last one: which earlier events an event goes with.
//!
//! What a condition says of two events does not change, so it is tested once: an event is *linked* when a
//! pattern is first asked for behind it, to the events of earlier operands its conditions hold with. With
//! it stands the latest start of a match that it may be in; an event without any is no candidate.
//! From the last event back, the links say which candidates a match may have, and
//! [`walk`](super::walk) goes through these in their order. Prefixes with equal classes, conditions and
//! windows share candidates.

use hashbrown::HashMap;

use super::catalog::{Check, Live};
use super::conditions::Bitmap;
use super::history::History;
use super::walk::Path;
use super::windows::Windows;
use crate::heap::heap;
use crate::pattern::Relation;
use crate::pattern::symbol::PairTest;
use crate::stats::Counters;

/// So many links of an event are remembered. One with more is tested anew each time: it is part of so
/// many matches, or nearly is, that this is not what they cost.
const MOST_LINKS: usize = 64;

/// An operand behind all those before it.
#[derive(Clone, Debug)]
struct Node {
    class: u32,
    checks: Vec<Check>,
    /// The condition whose links are remembered.
    linked: Option<usize>,
}

/// What tells nodes apart: whether it is a first one, and the window or the node before; the class; the
/// conditions.
type Key = ((bool, u32), u32, Vec<(u32, PairTest)>);

/// The operands of all patterns with conditions before the last one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    nodes: Vec<Node>,
    numbers: HashMap<Key, u32>,
    scratch: Scratch,
}

/// What a match may be made of, by position.
#[derive(Clone, Debug, Default)]
struct Scratch {
    sets: Vec<Vec<u64>>,
    edges: Vec<Vec<(u64, u64)>>,
}

/// The candidates of a node, in a stream or partition.
#[derive(Clone, Debug, Default)]
struct Candidates {
    serials: Vec<u64>,
    /// The latest first event of a match that the event may be in.
    starts: Vec<u64>,
    /// The latest of these up to an event.
    latest: Vec<u64>,
    /// Where the links of an event end, or [`Candidates::MANY`] added.
    ends: Vec<u64>,
    links: Vec<u64>,
    /// How many links were dropped.
    dropped: u64,
    /// Candidates before are out of the window.
    head: usize,
    /// The serial of the first event that was not looked at.
    next: u64,
}

/// The candidates of a stream or partition, by node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    nodes: Vec<Candidates>,
}

/// The window that is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    /// The serial of its first event.
    pub(crate) window: u64,
    /// A match begins there or later.
    pub(crate) low: u64,
    /// The serial of the event that completes.
    pub(crate) last: u64,
}

impl Candidates {
    const MANY: u64 = 1 << 63;

    /// The index of the first one from a serial on.
    fn from(&self, serial: u64) -> usize {
        self.head + self.serials[self.head..].partition_point(|&own| own < serial)
    }

    /// The links of a candidate; nothing if there are too many.
    fn links(&self, at: usize) -> Option<&[u64]> {
        let end = self.ends[at];
        if end & Self::MANY != 0 {
            return None;
        }
        let begin = at.checked_sub(1).map_or(self.dropped, |before| self.ends[before]);
        let place = |end: u64| ((end & !Self::MANY) - self.dropped) as usize;
        Some(&self.links[place(begin)..place(end)])
    }

    fn forget(&mut self, low: u64) {
        while self.serials.get(self.head).is_some_and(|&own| own < low) {
            self.head += 1;
        }
        if self.head < 8 || self.head * 2 < self.serials.len() {
            return;
        }
        let end = self.ends[self.head - 1] & !Self::MANY;
        self.links.drain(..(end - self.dropped) as usize);
        self.dropped = end;
        for of in [&mut self.serials, &mut self.starts, &mut self.latest, &mut self.ends] {
            of.drain(..self.head);
        }
        self.head = 0;
    }
}

impl Nodes {
    /// The nodes of all operands but the last one, of a pattern with a condition between these; none if
    /// there is no such condition.
    pub(crate) fn add(&mut self, live: &Live, classes: &[u32]) -> Vec<u32> {
        let before = 0..classes.len() - 1;
        if before.clone().all(|at| live.checks_at(at).is_empty()) {
            return Vec::new();
        }
        let mut path = Vec::new();
        for at in before {
            let checks = live.checks_at(at);
            let tests = checks.iter().map(|check| (check.earlier as u32, check.test)).collect();
            let before = path.last().map_or((true, live.span), |&node| (false, node));
            let nodes = &mut self.nodes;
            let number = *self.numbers.entry((before, classes[at], tests)).or_insert_with(|| {
                let is_equal = |check: &Check| check.test.relation == Relation::Equal;
                // Fewer events are equal than not, as a rule.
                let linked = checks.iter().position(is_equal);
                let linked = linked.or((!checks.is_empty()).then_some(0));
                nodes.push(Node { class: classes[at], checks: checks.to_vec(), linked });
                nodes.len() as u32 - 1
            });
            path.push(number);
        }
        path
    }

    /// What the matches of a pattern may be made of; nothing if there are none.
    pub(crate) fn viable<'a>(
        &'a mut self,
        links: &mut Links,
        nodes: &'a [u32],
        (path, live): (&Path<'_>, &Live),
        history: &History,
        bounds: Bounds,
        bitmaps: &[(usize, &Bitmap)],
        counters: &mut Counters,
    ) -> Option<Viable<'a>> {
        if links.nodes.len() < self.nodes.len() {
            links.nodes.resize_with(self.nodes.len(), Candidates::default);
        }
        for at in 0..nodes.len() {
            links.fit(&self.nodes, &nodes[..=at], path.windows, history, bounds, counters);
        }
        let Scratch { sets, edges } = &mut self.scratch;
        if sets.len() < nodes.len() {
            sets.resize_with(nodes.len(), Vec::new);
            edges.resize_with(nodes.len(), Vec::new);
        }
        edges[..nodes.len()].iter_mut().for_each(Vec::clear);
        let with_last = live.checks_at(nodes.len());
        let mut before = bounds.last;
        for at in (0..nodes.len()).rev() {
            let own = &links.nodes[nodes[at] as usize];
            let set = &mut sets[at];
            set.clear();
            let linked = linked_to(&self.nodes, nodes, edges, at);
            match linked {
                Some(edges) => {
                    set.extend(edges.iter().map(|&(earlier, _)| earlier));
                    set.dedup();
                }
                None => set.extend_from_slice(&own.serials[own.from(bounds.window)..]),
            }
            let window = path.windows.of(self.nodes[nodes[at] as usize].class);
            set.retain(|&serial| {
                let is_candidate = || {
                    let place = own.from(serial);
                    own.serials.get(place) == Some(&serial) && own.starts[place] >= bounds.low
                };
                serial < before && is_candidate() && {
                    if bitmaps.is_empty() {
                        let mut own = with_last.iter().filter(|check| check.earlier == at);
                        counters.candidates_checked += 1;
                        own.all(|check| history.holds(check, bounds.last, serial))
                    } else {
                        let mut own = bitmaps.iter().filter(|(position, _)| *position == at);
                        let place = window.first_from(serial);
                        own.all(|(_, bitmap)| bitmap.holds(place, window.dropped()))
                    }
                }
            });
            before = *set.last()?;
            if self.nodes[nodes[at] as usize].linked.is_some() {
                own.edges(set, bounds.window, &mut edges[at]);
            }
        }
        Some(Viable { nodes: &self.nodes, path: nodes, sets, edges })
    }
}

/// The shortest list of edges that lead to a position from one behind it.
fn linked_to<'a>(
    all: &[Node],
    path: &[u32],
    edges: &'a [Vec<(u64, u64)>],
    at: usize,
) -> Option<&'a Vec<(u64, u64)>> {
    let linked = |later: &usize| {
        let node = &all[path[*later] as usize];
        let check = node.linked.map(|linked| &node.checks[linked]);
        check.is_some_and(|check| check.earlier == at) && !edges[*later].is_empty()
    };
    let later = (at + 1..path.len()).filter(linked).min_by_key(|&later| edges[later].len())?;
    Some(&edges[later])
}

impl Candidates {
    /// The links of some candidates, earlier events first; none at all if one of them has too many.
    fn edges(&self, set: &[u64], low: u64, edges: &mut Vec<(u64, u64)>) {
        for &later in set {
            let Some(links) = self.links(self.from(later)) else {
                edges.clear();
                return;
            };
            edges.extend(links.iter().filter(|&&own| own >= low).map(|&earlier| (earlier, later)));
        }
        edges.sort_unstable();
    }
}

impl Links {
    /// Links the events of the last node of a path that are new; those of the nodes before it are.
    fn fit(
        &mut self,
        nodes: &[Node],
        path: &[u32],
        windows: &Windows,
        history: &History,
        Bounds { window: low, last, .. }: Bounds,
        counters: &mut Counters,
    ) {
        let Some((&number, before)) = path.split_last() else { return };
        let node = &nodes[number as usize];
        let mut own = std::mem::take(&mut self.nodes[number as usize]);
        if own.next < last {
            own.forget(low);
            let window = windows.of(node.class);
            for at in window.first_from(own.next.max(low))..window.len() {
                let serial = window.serial(at);
                let kept = own.links.len();
                let Some(start) = self.link(node, before, &mut own, serial, low, history, counters)
                else {
                    own.links.truncate(kept);
                    continue;
                };
                let is_many = own.links.len() - kept > MOST_LINKS;
                if is_many {
                    own.links.truncate(kept);
                }
                let latest = own.latest.last().map_or(start, |&latest| latest.max(start));
                let end = own.dropped + own.links.len() as u64;
                own.serials.push(serial);
                own.starts.push(start);
                own.latest.push(latest);
                own.ends.push(end | if is_many { Candidates::MANY } else { 0 });
            }
            own.next = last;
        }
        self.nodes[number as usize] = own;
    }

    /// Tests an event against the candidates of the operands before its own. Gives the latest start of a
    /// match that it may be in.
    fn link(
        &self,
        node: &Node,
        before: &[u32],
        own: &mut Candidates,
        serial: u64,
        low: u64,
        history: &History,
        counters: &mut Counters,
    ) -> Option<u64> {
        let Some(&last) = before.last() else { return Some(serial) };
        let last = &self.nodes[last as usize];
        // The one before must have an event before this one.
        let mut start = *last.latest.get(last.from(serial).checked_sub(1)?)?;
        if start < low {
            return None;
        }
        let mut links = 0;
        for (number, check) in node.checks.iter().enumerate() {
            let earlier = &self.nodes[before[check.earlier] as usize];
            let candidates = earlier.from(low)..earlier.from(serial);
            let mut latest = None;
            for at in candidates {
                if earlier.starts[at] < low {
                    continue;
                }
                counters.candidates_checked += 1;
                if history.holds(check, serial, earlier.serials[at]) {
                    latest = latest.max(Some(earlier.starts[at]));
                    if node.linked == Some(number) && links <= MOST_LINKS {
                        own.links.push(earlier.serials[at]);
                        links += 1;
                    }
                }
            }
            start = start.min(latest?);
        }
        Some(start)
    }
}

/// What the matches of a pattern with an event may be made of.
pub(crate) struct Viable<'a> {
    nodes: &'a [Node],
    path: &'a [u32],
    sets: &'a [Vec<u64>],
    edges: &'a [Vec<(u64, u64)>],
}

/// The events that may be chosen at a position, as far as one condition says.
pub(crate) enum Choice<'a> {
    /// All of these.
    Set(&'a [u64]),
    /// Those of these pairs that the earlier event stands first in; a condition need not be tested.
    Linked(&'a [(u64, u64)], usize),
}

impl Choice<'_> {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Choice::Set(set) => set.len(),
            Choice::Linked(edges, _) => edges.len(),
        }
    }

    #[inline]
    pub(crate) fn serial(&self, at: usize) -> u64 {
        match self {
            Choice::Set(set) => set[at],
            Choice::Linked(edges, _) => edges[at].1,
        }
    }
}

impl<'a> Viable<'a> {
    /// The events behind those that were chosen, for the next position.
    pub(crate) fn choice(&self, chosen: &[u64]) -> Choice<'a> {
        let at = chosen.len();
        let behind = chosen.last().map_or(0, |last| last + 1);
        let node = &self.nodes[self.path[at] as usize];
        if let Some(linked) = node.linked
            && let edges = &self.edges[at][..]
            && !edges.is_empty()
        {
            let earlier = chosen[node.checks[linked].earlier];
            let edges = &edges[edges.partition_point(|&edge| edge < (earlier, behind))..];
            let length = edges.iter().take_while(|edge| edge.0 == earlier).count();
            return Choice::Linked(&edges[..length], linked);
        }
        let set = &self.sets[at][..];
        Choice::Set(&set[set.partition_point(|&own| own < behind)..])
    }

    /// How many operands it has.
    pub(crate) fn len(&self) -> usize {
        self.path.len()
    }

    /// The conditions of a position.
    pub(crate) fn checks(&self, at: usize) -> &'a [Check] {
        &self.nodes[self.path[at] as usize].checks
    }
}

heap! {
    Node { checks }
    Scratch { sets, edges }
    Nodes { nodes, numbers, scratch }
    Candidates { serials, starts, latest, ends, links }
    Links { nodes }
}
