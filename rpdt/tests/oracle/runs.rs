//! Runs of a regular branch: which stretches of siblings are words, which of them a policy
//! reports, and at which symbols their elements stand.

use std::collections::BTreeSet;

use rpdt::Runs;
use rpdt::pattern::{NodeId, Regex};

use super::Oracle;

/// The element children of one element, read as letters.
#[derive(Clone)]
pub(super) struct Word<'o, 'a> {
    oracle: &'o Oracle<'a>,
    /// The children in order.
    pub(super) children: Vec<usize>,
    /// A child that may be read as one symbol only.
    pinned: Option<(usize, NodeId)>,
}

/// A run: the children `from..to` of an element, never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// Index of the first child.
    pub from: usize,
    /// One past the index of the last child.
    pub to: usize,
}

impl<'a> Oracle<'a> {
    pub(super) fn word(&self, element: usize) -> Word<'_, 'a> {
        Word { oracle: self, children: self.doc.children(element), pinned: None }
    }
}

impl Word<'_, '_> {
    /// All `to` such that the children `from..to` spell a word of the expression.
    fn ends(&self, regex: &Regex, from: usize) -> BTreeSet<usize> {
        match regex {
            Regex::Symbol(s) => {
                let allowed = self.pinned.is_none_or(|(child, only)| child != from || only == *s);
                let reads = self.children.get(from).is_some_and(|&e| self.oracle.sat(*s, e));
                (allowed && reads).then_some(from + 1).into_iter().collect()
            }
            Regex::Concat(parts) => parts.iter().fold([from].into(), |starts, part| {
                starts.iter().flat_map(|&s| self.ends(part, s)).collect()
            }),
            Regex::Alt(parts) => parts.iter().flat_map(|p| self.ends(p, from)).collect(),
            Regex::Repeat { inner, min, max } => {
                let again = |starts: &BTreeSet<usize>| -> BTreeSet<usize> {
                    starts.iter().flat_map(|&s| self.ends(inner, s)).collect()
                };
                let least = (0..*min).fold([from].into(), |starts, _| again(&starts));
                // More rounds than children give nothing that fewer rounds do not give.
                let more = max.map_or(self.children.len(), |max| (max - min) as usize);
                let mut all = least.clone();
                let mut latest = least;
                for _ in 0..more.min(self.children.len()) {
                    latest = again(&latest);
                    all.extend(&latest);
                }
                all
            }
        }
    }

    /// Whether the empty word belongs to the language.
    pub(super) fn nullable(&self, regex: &Regex) -> bool {
        let none = Word { oracle: self.oracle, children: Vec::new(), pinned: None };
        none.ends(regex, 0).contains(&0)
    }

    /// Every run, whatever the policy.
    pub(super) fn all_runs(&self, regex: &Regex) -> BTreeSet<Run> {
        let from_each = |from| {
            let ends = self.ends(regex, from).into_iter();
            ends.filter(move |&to| to > from).map(move |to| Run { from, to })
        };
        (0..self.children.len()).flat_map(from_each).collect()
    }

    /// The runs that the policy reports.
    pub(super) fn reported(&self, regex: &Regex) -> Vec<Run> {
        let all = self.all_runs(regex);
        // The longest run that ends with child `i`.
        let cur = |i: usize| all.iter().copied().find(|r| r.to == i + 1);
        let n = self.children.len();
        match self.oracle.runs {
            Runs::Live => (0..n).filter_map(cur).collect(),
            Runs::Peak => {
                let goes_on = |r: &Run| r.to < n && cur(r.to).is_some_and(|s| s.from == r.from);
                (0..n).filter_map(cur).filter(|r| !goes_on(r)).collect()
            }
            Runs::NonOverlap => {
                let mut chosen = Vec::new();
                let mut at = 0;
                while let Some(first) = all.iter().find(|r| r.from >= at) {
                    let same_start = all.iter().filter(|r| r.from == first.from);
                    let longest = *same_start.max_by_key(|r| r.to).expect("the first is one");
                    chosen.push(longest);
                    at = longest.to;
                }
                chosen
            }
        }
    }

    /// All (child, symbol) such that some accepting reading of the run puts the child there: the
    /// run is still a word when that child may be read as nothing but that symbol.
    pub(super) fn readings(&self, regex: &Regex, run: Run) -> BTreeSet<(usize, NodeId)> {
        let mut readings = BTreeSet::new();
        for child in run.from..run.to {
            for symbol in symbols(regex) {
                let pinned = Word { pinned: Some((child, symbol)), ..self.clone() };
                if pinned.ends(regex, run.from).contains(&run.to) {
                    readings.insert((child, symbol));
                }
            }
        }
        readings
    }
}

/// The symbol occurrences of an expression.
pub(super) fn symbols(regex: &Regex) -> Vec<NodeId> {
    match regex {
        Regex::Symbol(s) => vec![*s],
        Regex::Concat(parts) | Regex::Alt(parts) => parts.iter().flat_map(symbols).collect(),
        Regex::Repeat { inner, .. } => symbols(inner),
    }
}
