//! The pass over the document: the stack, and what end tags decide.

use rpdt::input::{EndTag, Interest, Markup, StartTag, Symbol, TagHandler, Text};
use rpdt::pattern::Axis;
use rpdt::{Error, Shape};

use super::super::Outcome;
use super::super::shared::{Dispatch, Labels, NONE};
use super::enumerate::Enumeration;
use super::nfa::Simulation;
use super::reach::Reached;
use super::store::{Candidate, Link, Run, Store};
use super::twig::{Kind, Place, Twig};
use super::{CepEngine, Stats};

/// An open element that may match a pattern node.
#[derive(Clone, Copy, Debug)]
struct Open {
    node: u32,
    level: u32,
    /// The next outer open element of the same node.
    previous: u32,
    label: u32,
    /// Where its branches begin on their stack.
    branches: u32,
    offset: u64,
    /// Number of the start tag.
    start: u64,
}

/// What an open element has found of a branch.
#[derive(Clone, Copy, Debug)]
struct Found {
    /// Child branch: the first of the chain, or anything but [`NONE`] for an existence check.
    /// Descendant branch: length of the list below, or its count, at the start tag.
    /// Regular branch: the first link.
    first: u32,
    /// The last of the chain.
    last: u32,
    /// Regular branch: length of the stored sequences at the start tag.
    base: u32,
}

/// A run over one document.
#[derive(Debug)]
pub(super) struct Machine<'q> {
    dispatch: Dispatch,
    stack: Stack<'q>,
}

#[derive(Debug)]
struct Stack<'q> {
    twig: &'q Twig,
    labels: Labels,
    /// Labels matter: answers are kept, or elements compared by label.
    labelled: bool,
    level: u32,
    /// Tags so far.
    tags: u64,
    open: Vec<Open>,
    /// The innermost open element of every node.
    innermost: Vec<u32>,
    branches: Vec<Found>,
    /// How many elements satisfied each node that is only existence-checked.
    satisfied: Vec<u32>,
    store: Store,
    simulation: Simulation,
    /// Runs of a branch that is only existence-checked.
    scratch: Vec<Run>,
    enumeration: Enumeration<'q>,
    reached: Option<Reached>,
    stats: Stats,
}

impl<'q> Machine<'q> {
    pub(super) fn new(query: &'q CepEngine, collect: bool) -> Self {
        let twig = &query.twig;
        let nodes = twig.nodes.len();
        let reached = (query.shape == Shape::Nodes).then(|| Reached::new(twig));
        Machine {
            dispatch: query.dispatch.clone(),
            stack: Stack {
                twig,
                labels: query.labels.clone(),
                labelled: collect || (twig.shared_labels && reached.is_some()),
                level: 0,
                tags: 0,
                open: Vec::new(),
                innermost: vec![NONE; nodes],
                branches: Vec::new(),
                satisfied: vec![0; nodes],
                store: Store::new(twig),
                simulation: Simulation::default(),
                scratch: Vec::new(),
                enumeration: Enumeration::new(twig, collect),
                reached,
                stats: Stats::default(),
            },
        }
    }

    pub(super) fn into_outcome(self) -> Outcome<Stats> {
        let (count, answers) = self.stack.enumeration.into_answers();
        Outcome { count, answers, stats: self.stack.stats }
    }
}

impl Stack<'_> {
    /// Puts an element on the stack for a node, if one of its parent node is open above it and it
    /// can matter.
    fn push(&mut self, id: u32, tag: &StartTag<'_>) {
        let node = &self.twig.nodes[id as usize];
        if node.parent == NONE {
            if node.axis == Axis::Child && self.level != 1 {
                return;
            }
        } else {
            let above = self.innermost[node.parent as usize];
            if above == NONE {
                return;
            }
            let parent = &self.open[above as usize];
            if node.axis == Axis::Child && parent.level + 1 != self.level {
                return;
            }
            if let (false, Place::Ordinary(branch)) = (node.on_spine, node.place) {
                let found = self.branches[(parent.branches + branch) as usize].first;
                let known = match node.axis {
                    Axis::Child => found != NONE,
                    Axis::Descendant => self.satisfied[id as usize] > found,
                };
                if known {
                    return;
                }
            }
        }
        let branches = self.branches.len() as u32;
        for branch in &node.branches {
            let (first, base) = match branch.kind {
                Kind::Child(_) => (NONE, 0),
                Kind::Descendant(below) if branch.on_spine => {
                    (self.store.lists[below as usize].len() as u32, 0)
                }
                Kind::Descendant(below) => (self.satisfied[below as usize], 0),
                Kind::Regular { nfa, .. } => (NONE, self.store.links[nfa as usize].len() as u32),
            };
            self.branches.push(Found { first, last: NONE, base });
        }
        let label = match node.returned && self.labelled {
            true => self.labels.of(id, tag.name),
            false => NONE,
        };
        let previous = self.innermost[id as usize];
        self.innermost[id as usize] = self.open.len() as u32;
        self.open.push(Open {
            node: id,
            level: self.level,
            previous,
            label,
            branches,
            offset: tag.start,
            start: self.tags,
        });
    }

    /// Takes the elements of the innermost level off the stack.
    fn pop(&mut self) {
        while let Some(&open) = self.open.last()
            && open.level == self.level
        {
            self.open.pop();
            self.innermost[open.node as usize] = open.previous;
            if self.is_satisfied(open) {
                self.satisfy(open);
            }
            self.branches.truncate(open.branches as usize);
            if open.node == 0 && open.previous == NONE {
                self.enumerate();
            }
        }
    }

    /// Whether all branches were found: existence of the twig branches first, then the NFAs.
    fn is_satisfied(&mut self, open: Open) -> bool {
        let twig = self.twig;
        let node = &twig.nodes[open.node as usize];
        let found = &self.branches[open.branches as usize..];
        let twigs_found =
            node.branches.iter().zip(found).all(|(branch, found)| match branch.kind {
                Kind::Child(_) => found.first != NONE,
                Kind::Descendant(below) if branch.on_spine => {
                    self.store.lists[below as usize].len() as u32 > found.first
                }
                Kind::Descendant(below) => self.satisfied[below as usize] > found.first,
                Kind::Regular { .. } => true,
            });
        let mut satisfied = twigs_found;
        for (b, branch) in node.branches.iter().enumerate() {
            let Kind::Regular { nfa, .. } = branch.kind else { continue };
            let found = &mut self.branches[open.branches as usize + b];
            let (head, base) = (found.first, found.base as usize);
            if satisfied {
                let automaton = &twig.nfas[nfa as usize];
                let runs = match branch.on_spine {
                    true => &mut self.store.runs[nfa as usize],
                    false => &mut self.scratch,
                };
                let before = runs.len();
                self.stats.nfa_steps += automaton.longest_runs(
                    &self.store.links[nfa as usize],
                    head,
                    !branch.on_spine,
                    &mut self.simulation,
                    runs,
                );
                satisfied = runs.len() > before || automaton.nullable;
                if branch.on_spine && runs.len() == before && satisfied {
                    runs.push(Run::EMPTY);
                }
                if branch.on_spine {
                    (found.first, found.last) = (before as u32, runs.len() as u32);
                } else {
                    runs.clear();
                }
            }
            if !branch.on_spine {
                self.stats.peak_stored = self.stats.peak_stored.max(self.store.stored());
                self.store.links[nfa as usize].truncate(base);
            }
        }
        satisfied
    }

    /// A satisfied element becomes a candidate, and its parent learns of it.
    fn satisfy(&mut self, open: Open) {
        let twig = self.twig;
        let id = open.node as usize;
        let node = &twig.nodes[id];
        let mut candidate = NONE;
        if node.on_spine {
            candidate = self.store.lists[id].len() as u32;
            for (b, branch) in node.branches.iter().enumerate().filter(|(_, b)| b.on_spine) {
                let found = self.branches[open.branches as usize + b];
                let last = match branch.kind {
                    Kind::Descendant(below) => self.store.lists[below as usize].len() as u32,
                    Kind::Child(_) | Kind::Regular { .. } => found.last,
                };
                self.store.below[id].push((found.first, last));
            }
            let Open { offset, label, .. } = open;
            self.store.lists[id].push(Candidate { offset, label, next: NONE });
        } else {
            self.satisfied[id] += 1;
        }
        if node.axis == Axis::Descendant || node.parent == NONE {
            return;
        }
        let parent = &self.open[self.innermost[node.parent as usize] as usize];
        let (branch, symbol) = match node.place {
            Place::Root => return,
            Place::Ordinary(branch) => (branch, NONE),
            Place::Symbol { branch, symbol } => (branch, symbol),
        };
        let found = &mut self.branches[(parent.branches + branch) as usize];
        let kind = twig.nodes[node.parent as usize].branches[branch as usize].kind;
        if let Kind::Regular { nfa, .. } = kind {
            let links = &mut self.store.links[nfa as usize];
            let link = links.len() as u32;
            links.push(Link { start: open.start, end: self.tags, symbol, candidate, next: NONE });
            match found.last {
                NONE => found.first = link,
                last => links[last as usize].next = link,
            }
            found.last = link;
        } else if !node.on_spine {
            found.first = 0;
        } else {
            match found.last {
                NONE => found.first = candidate,
                last => self.store.lists[id][last as usize].next = candidate,
            }
            found.last = candidate;
        }
    }

    /// The outermost element of the root was closed: answers, and an empty store.
    fn enumerate(&mut self) {
        self.stats.peak_candidates = self.stats.peak_candidates.max(self.store.candidates());
        self.stats.peak_stored = self.stats.peak_stored.max(self.store.stored());
        if !self.store.lists[0].is_empty() {
            match &mut self.reached {
                Some(reached) => {
                    reached.all(self.twig, &self.store);
                    self.enumeration.nodes(reached, &self.store, &self.labels);
                }
                None => self.enumeration.tuples(&self.store, &self.labels),
            }
        }
        self.store.clear();
    }
}

impl TagHandler for Machine<'_> {
    fn symbol(&mut self, name: &[u8]) -> Symbol {
        self.dispatch.symbol(name)
    }

    #[inline]
    fn start_tag(&mut self, tag: &StartTag<'_>) -> Result<Interest, Error> {
        self.stack.level += 1;
        self.stack.tags += 1;
        for &node in self.dispatch.nodes(tag.symbol) {
            self.stack.push(node, tag);
        }
        Ok(Interest::TAGS)
    }

    #[inline]
    fn end_tag(&mut self, _: &EndTag<'_>) -> Result<Interest, Error> {
        let stack = &mut self.stack;
        stack.tags += 1;
        if stack.open.last().is_some_and(|o| o.level == stack.level) {
            stack.pop();
        }
        stack.level -= 1;
        Ok(Interest::TAGS)
    }

    fn text(&mut self, _: &Text<'_>) -> Result<(), Error> {
        Ok(())
    }

    fn markup(&mut self, _: &Markup<'_>) -> Result<(), Error> {
        Ok(())
    }
}
