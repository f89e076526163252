//! What waits for the enumeration: candidates, stored sequences, runs.

use super::super::shared::NONE;
use super::twig::Twig;

/// An element that satisfies a pattern node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// Byte offset of the element.
    pub offset: u64,
    pub label: u32,
    /// The next sibling in the chain of a child branch.
    pub next: u32,
}

/// A child in the stored sequence of a regular branch, for one symbol that it satisfies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// Region: numbers of the start tag and of the end tag, all tags counted.
    pub start: u64,
    pub end: u64,
    /// The symbol's number in its expression.
    pub symbol: u32,
    /// Its candidate, or [`NONE`] when the node is not stored.
    pub candidate: u32,
    /// The next link of the same parent; links of one child follow one another.
    pub next: u32,
}

/// A run: its first link and the last link of its last child. The empty run has neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub first: u32,
    pub last: u32,
}

impl Run {
    pub(super) const EMPTY: Run = Run { first: NONE, last: NONE };
}

/// All lists of a query.
#[derive(Clone, Debug)]
pub(super) struct Store {
    /// The candidates of every node, in the order of their end tags.
    pub lists: Vec<Vec<Candidate>>,
    /// For every spine branch of every candidate what is below: an interval of a list (descendant
    /// branch), the ends of a chain (child branch), an interval of runs (regular branch).
    pub below: Vec<Vec<(u32, u32)>>,
    /// The stored sequences of every regular branch.
    pub links: Vec<Vec<Link>>,
    /// The runs of every regular branch.
    pub runs: Vec<Vec<Run>>,
}

impl Store {
    pub(super) fn new(twig: &Twig) -> Self {
        let nodes = twig.nodes.len();
        let regulars = twig.nfas.len();
        Store {
            lists: vec![Vec::new(); nodes],
            below: vec![Vec::new(); nodes],
            links: vec![Vec::new(); regulars],
            runs: vec![Vec::new(); regulars],
        }
    }

    pub(super) fn clear(&mut self) {
        self.lists.iter_mut().for_each(Vec::clear);
        self.below.iter_mut().for_each(Vec::clear);
        self.links.iter_mut().for_each(Vec::clear);
        self.runs.iter_mut().for_each(Vec::clear);
    }

    pub(super) fn candidates(&self) -> usize {
        self.lists.iter().map(Vec::len).sum()
    }

    pub(super) fn stored(&self) -> usize {
        self.links.iter().map(Vec::len).sum()
    }

    /// What is below a candidate, in the order of the spine branches of its node.
    pub(super) fn below(&self, twig: &Twig, node: u32, candidate: u32) -> &[(u32, u32)] {
        let each = twig.nodes[node as usize].spine_branches;
        &self.below[node as usize][candidate as usize * each..][..each]
    }
}
