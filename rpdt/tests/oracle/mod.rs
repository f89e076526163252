//! The oracle: answers of a pattern on a document in memory, straight from the definitions.
//!
//! Slow and obvious on purpose. Satisfaction is a recursive predicate on (pattern node, element);
//! a run is any stretch of siblings that a naive matcher accepts; the policies choose among all
//! runs by their definitions; answers are built by brute combination. Nothing here streams, and
//! nothing but the types of the pattern comes from the crate under test.
//!
//! - [`values`]: value tests, XPath numbers, names and namespaces
//! - [`runs`]: words, runs, policies, readings
//! - [`answers`]: the three result shapes
//! - [`observe`]: what the engine gave, compared with what the oracle expects

pub mod answers;
pub mod observe;
pub mod runs;
pub mod values;

use std::cell::RefCell;
use std::collections::HashMap;

use rpdt::pattern::{Axis, Branch, NodeId};
use rpdt::{Pattern, Runs};

use crate::dom::Document;

/// Prefixes declared for a query, as the oracle wants them.
#[derive(Clone, Debug, Default)]
pub struct Prefixes {
    /// Prefix and URI.
    pub declared: Vec<(String, String)>,
    /// The URI of unprefixed names in the query.
    pub default: Option<String>,
}

/// A pattern on a document.
#[derive(Debug)]
pub struct Oracle<'a> {
    doc: &'a Document,
    pattern: &'a Pattern,
    prefixes: &'a Prefixes,
    runs: Runs,
    /// Satisfaction that was computed before: a speed-up of the recursion, nothing else.
    known: RefCell<HashMap<(NodeId, usize), bool>>,
}

impl<'a> Oracle<'a> {
    /// An oracle for one policy of runs.
    pub fn new(
        doc: &'a Document,
        pattern: &'a Pattern,
        prefixes: &'a Prefixes,
        runs: Runs,
    ) -> Self {
        Oracle { doc, pattern, prefixes, runs, known: RefCell::default() }
    }

    /// sat(n, e): the name matches, all tests hold, every branch is met.
    pub fn sat(&self, node: NodeId, element: usize) -> bool {
        let n = self.pattern.node(node);
        if !self.name_matches(&n.test, element) {
            return false;
        }
        if let Some(&known) = self.known.borrow().get(&(node, element)) {
            return known;
        }
        let sat = n.value_tests.iter().all(|t| self.value_holds(t, element))
            && n.branches.iter().all(|b| self.branch_met(b, element));
        self.known.borrow_mut().insert((node, element), sat);
        sat
    }

    fn branch_met(&self, branch: &Branch, element: usize) -> bool {
        match branch {
            Branch::Node(m) => !self.matches_below(*m, element).is_empty(),
            Branch::Regular(regex) => {
                let word = self.word(element);
                word.nullable(regex) || !word.all_runs(regex).is_empty()
            }
        }
    }

    /// The elements below `element`, on the node's axis, that satisfy the node.
    fn matches_below(&self, node: NodeId, element: usize) -> Vec<usize> {
        let mut candidates = match self.pattern.node(node).axis {
            Axis::Child => self.doc.children(element),
            Axis::Descendant => self.doc.descendants(element),
        };
        candidates.retain(|&e| self.sat(node, e));
        candidates
    }

    /// The elements that satisfy the root of the pattern where the root may stand.
    fn roots(&self) -> Vec<usize> {
        let candidates = match self.pattern.node(NodeId::ROOT).axis {
            Axis::Child => vec![0],
            Axis::Descendant => (0..self.doc.elements.len()).collect(),
        };
        candidates.into_iter().filter(|&e| self.sat(NodeId::ROOT, e)).collect()
    }
}
