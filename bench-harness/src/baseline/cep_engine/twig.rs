//! The query as the engine sees it: nodes with numbered branches.

use rpdt::Pattern;
use rpdt::pattern::{Axis, Branch as PatternBranch, NodeId};

use super::super::shared::{NONE, spine};
use super::nfa::Nfa;

/// All nodes and regular branches of a query.
#[derive(Clone, Debug)]
pub(super) struct Twig {
    /// Parents before their descendants; the first is the root.
    pub nodes: Vec<TwigNode>,
    pub nfas: Vec<Nfa>,
    /// Values of a tuple.
    pub values: usize,
    /// Different embeddings may give the same tuple.
    pub ambiguous: bool,
    /// Two return nodes may give an element the same label.
    pub shared_labels: bool,
}

/// A pattern node.
#[derive(Clone, Debug)]
pub(super) struct TwigNode {
    /// The parent, or [`NONE`].
    pub parent: u32,
    pub axis: Axis,
    pub place: Place,
    pub branches: Vec<Branch>,
    /// The number of branches on the spine.
    pub spine_branches: usize,
    /// Candidates are stored.
    pub on_spine: bool,
    pub returned: bool,
    /// Which value of a tuple the node is, or [`NONE`].
    pub value: u32,
}

/// How a node belongs to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Root,
    /// The branch with this number.
    Ordinary(u32),
    /// Of the regular branch with this number, the symbol with this number.
    Symbol {
        branch: u32,
        symbol: u32,
    },
}

/// A branch of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    pub kind: Kind,
    pub on_spine: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Child(u32),
    Descendant(u32),
    /// NFA, and which value of a tuple the run is, or [`NONE`].
    Regular {
        nfa: u32,
        value: u32,
    },
}

impl Twig {
    pub(super) fn new(pattern: &Pattern) -> Self {
        let spine = spine(pattern);
        let parents = pattern.parents();
        let returned = pattern.return_nodes();
        let make = |i: usize| TwigNode {
            parent: parents[i].map_or(NONE, |p| p.0),
            axis: pattern.nodes()[i].axis,
            place: Place::Root,
            branches: Vec::new(),
            spine_branches: 0,
            on_spine: spine[i],
            returned: returned.contains(&NodeId(i as u32)),
            value: NONE,
        };
        let mut twig = Twig {
            nodes: (0..spine.len()).map(make).collect(),
            nfas: Vec::new(),
            values: 0,
            ambiguous: false,
            shared_labels: returned.len() > 1,
        };
        for (i, node) in pattern.nodes().iter().enumerate() {
            for (b, branch) in node.branches.iter().enumerate() {
                let branch = twig.branch(b as u32, branch);
                twig.nodes[i].branches.push(branch);
                twig.nodes[i].spine_branches += usize::from(branch.on_spine);
            }
        }
        twig.number_values();
        twig.ambiguous = twig.is_ambiguous();
        twig
    }

    fn branch(&mut self, number: u32, branch: &PatternBranch) -> Branch {
        match branch {
            PatternBranch::Node(NodeId(child)) => {
                let node = &mut self.nodes[*child as usize];
                node.place = Place::Ordinary(number);
                let kind = match node.axis {
                    Axis::Child => Kind::Child(*child),
                    Axis::Descendant => Kind::Descendant(*child),
                };
                Branch { kind, on_spine: node.on_spine }
            }
            PatternBranch::Regular(regex) => {
                let mut on_spine = false;
                let nfa = Nfa::new(regex);
                for (symbol, id) in nfa.nodes().enumerate() {
                    let node = &mut self.nodes[id as usize];
                    node.place = Place::Symbol { branch: number, symbol: symbol as u32 };
                    on_spine |= node.on_spine;
                }
                self.nfas.push(nfa);
                let nfa = self.nfas.len() as u32 - 1;
                Branch { kind: Kind::Regular { nfa, value: NONE }, on_spine }
            }
        }
    }

    /// Return nodes and regular branches outside runs are the values of a tuple.
    fn number_values(&mut self) {
        let mut in_run = vec![false; self.nodes.len()];
        for i in 0..self.nodes.len() {
            let node = &mut self.nodes[i];
            in_run[i] = matches!(node.place, Place::Symbol { .. })
                || (node.parent != NONE && in_run[node.parent as usize]);
            if in_run[i] {
                continue;
            }
            if node.returned {
                node.value = self.values as u32;
                self.values += 1;
            }
            for branch in node.branches.iter_mut().filter(|b| b.on_spine) {
                if let Kind::Regular { value, .. } = &mut branch.kind {
                    *value = self.values as u32;
                    self.values += 1;
                }
            }
        }
    }

    /// Whether some spine node outside runs is not fixed by the values of a tuple: by its own, by
    /// that of a regular branch (a run has one parent), by a fixed child, or by its depth.
    fn is_ambiguous(&self) -> bool {
        let n = self.nodes.len();
        let mut fixed = vec![false; n];
        let mut at_depth = vec![false; n];
        for i in (0..n).rev() {
            let by_branch = |branch: &Branch| match branch.kind {
                Kind::Child(c) => branch.on_spine && fixed[c as usize],
                Kind::Descendant(_) => false,
                Kind::Regular { value, .. } => value != NONE,
            };
            fixed[i] = self.nodes[i].value != NONE || self.nodes[i].branches.iter().any(by_branch);
        }
        for i in 0..n {
            let node = &self.nodes[i];
            let parent = node.parent;
            at_depth[i] = node.axis == Axis::Child && (parent == NONE || at_depth[parent as usize]);
        }
        let mut in_run = vec![false; n];
        (0..n).any(|i| {
            let node = &self.nodes[i];
            in_run[i] = matches!(node.place, Place::Symbol { .. })
                || (node.parent != NONE && in_run[node.parent as usize]);
            node.on_spine && !in_run[i] && !fixed[i] && !at_depth[i]
        })
    }
}
