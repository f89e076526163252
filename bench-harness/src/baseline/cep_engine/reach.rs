//! Shape *nodes*: which candidates belong to a full match.

use super::super::shared::NONE;
use super::store::Store;
use super::twig::{Kind, Twig};

/// Marks on all candidates, node by node.
#[derive(Debug)]
pub(super) struct Reached {
    marks: Vec<Vec<bool>>,
}

impl Reached {
    pub(super) fn new(twig: &Twig) -> Self {
        Reached { marks: vec![Vec::new(); twig.nodes.len()] }
    }

    /// Marks what can be reached from the candidates of the root. Nodes from the root down; the
    /// candidates of a node from the last, so that intervals come before those inside them, which
    /// then have nothing to add: every candidate is marked a bounded number of times.
    pub(super) fn all(&mut self, twig: &Twig, store: &Store) {
        for (marks, list) in self.marks.iter_mut().zip(&store.lists) {
            marks.clear();
            marks.resize(list.len(), false);
        }
        self.marks[0].fill(true);
        let mut lowest = Vec::new();
        for (id, node) in twig.nodes.iter().enumerate().filter(|(_, n)| n.spine_branches > 0) {
            lowest.clear();
            lowest.resize(node.spine_branches, u32::MAX);
            for candidate in (0..store.lists[id].len()).rev() {
                if !self.marks[id][candidate] {
                    continue;
                }
                let below = store.below(twig, id as u32, candidate as u32);
                let branches = node.branches.iter().filter(|b| b.on_spine);
                for ((branch, &(from, to)), lowest) in branches.zip(below).zip(&mut lowest) {
                    match branch.kind {
                        Kind::Child(child) => {
                            let mut at = from;
                            while at != NONE {
                                self.marks[child as usize][at as usize] = true;
                                at = store.lists[child as usize][at as usize].next;
                            }
                        }
                        Kind::Descendant(child) => {
                            let to = to.min(*lowest);
                            if from < to {
                                self.marks[child as usize][from as usize..to as usize].fill(true);
                            }
                            *lowest = from.min(*lowest);
                        }
                        Kind::Regular { nfa, .. } => {
                            for &run in &store.runs[nfa as usize][from as usize..to as usize] {
                                if run.first == NONE {
                                    continue;
                                }
                                let links = &store.links[nfa as usize];
                                let nfa = &twig.nfas[nfa as usize];
                                nfa.readings(links, run, |link| {
                                    if link.candidate != NONE {
                                        let node = nfa.node(link.symbol);
                                        let marks = &mut self.marks[node as usize];
                                        marks[link.candidate as usize] = true;
                                    }
                                });
                            }
                        }
                    }
                }
            }
        }
    }

    /// Whether a candidate was marked.
    pub(super) fn contains(&self, node: usize, candidate: usize) -> bool {
        self.marks[node][candidate]
    }
}
