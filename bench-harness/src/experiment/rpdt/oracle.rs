//! Brute force, straight from the definitions and blind to cost: which elements satisfy which node,
//! all runs of all regular branches, all embeddings. It shares no code with the engines but the parsed
//! pattern.
//!
//! It knows what the experiments' queries use: no value tests, no prefixes, and nothing returned below
//! a symbol of a regular branch. It refuses other patterns.

use std::collections::{BTreeMap, BTreeSet};

use rpdt::Pattern;
use rpdt::pattern::{Axis, Branch, NameTest, NodeId, Regex};

use super::tree::{Element, Tree};
use crate::error::{Error, Result};

/// What one label is bound to: the offsets of elements in document order.
pub type Bindings = BTreeMap<String, Vec<u64>>;

/// A binding of some return nodes. Tuples are distinct by their elements and by the bounds of runs.
type Tuple = BTreeSet<Part>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// A return node outside regular branches.
    Node(NodeId, Element),
    /// A reported run: parent, first and one past the last child by position, returned elements.
    Run(Element, usize, usize, Vec<(NodeId, Element)>),
}

/// One pattern on one document.
#[derive(Debug)]
pub struct Oracle<'a> {
    pattern: &'a Pattern,
    tree: &'a Tree,
    /// For every pattern node: which elements satisfy it.
    satisfied: Vec<Vec<bool>>,
    /// Whether a node is returned or has a returned descendant.
    spine: Vec<bool>,
}

impl<'a> Oracle<'a> {
    /// Decides satisfaction for all nodes and elements.
    pub fn new(pattern: &'a Pattern, tree: &'a Tree) -> Result<Self> {
        let parents = pattern.parents();
        let symbols = pattern.symbols();
        let mut spine = vec![false; pattern.nodes().len()];
        for id in pattern.return_nodes() {
            let mut at = Some(id);
            while let Some(id) = at {
                spine[id.index()] = true;
                at = parents[id.index()];
                if at.is_some_and(|above| symbols[above.index()]) {
                    return Err(refuse("returns something below a symbol"));
                }
            }
        }
        for node in pattern.nodes() {
            if !node.value_tests.is_empty()
                || !matches!(node.test, NameTest::Any | NameTest::Name(_))
            {
                return Err(refuse("tests values or namespaces"));
            }
        }
        let satisfied = vec![vec![false; tree.len()]; spine.len()];
        let mut oracle = Self { pattern, tree, satisfied, spine };
        // Children come after their parents, in the pattern as in the document.
        for element in (0..tree.len()).rev() {
            for index in (0..oracle.spine.len()).rev() {
                oracle.satisfied[index][element] = oracle.decide(index, element);
            }
        }
        Ok(oracle)
    }

    fn decide(&self, index: usize, element: Element) -> bool {
        let node = &self.pattern.nodes()[index];
        let named = match &node.test {
            NameTest::Name(name) => **name == *self.tree.name(element),
            _ => true,
        };
        named
            && node.branches.iter().all(|branch| match branch {
                Branch::Node(id) => self.candidates(*id, element).any(|one| self.sat(*id, one)),
                Branch::Regular(regex) => {
                    regex.nullable() || !self.runs(&Nfa::new(regex), element).is_empty()
                }
            })
    }

    fn sat(&self, node: NodeId, element: Element) -> bool {
        self.satisfied[node.index()][element]
    }

    /// The elements that the axis of a node leads to.
    fn candidates(&self, node: NodeId, above: Element) -> Box<dyn Iterator<Item = Element> + '_> {
        match self.pattern.node(node).axis {
            Axis::Child => Box::new(self.tree.children[above].iter().copied()),
            Axis::Descendant => Box::new(above + 1..self.tree.end[above]),
        }
    }

    /// All runs among the children of an element, as positions: first, one past the last.
    fn runs(&self, nfa: &Nfa, element: Element) -> BTreeSet<(usize, usize)> {
        let children = &self.tree.children[element];
        let mut runs = BTreeSet::new();
        for first in 0..children.len() {
            let mut states = nfa.closure(BTreeSet::from([nfa.start]));
            for (position, &child) in children.iter().enumerate().skip(first) {
                states = nfa.step(&states, |symbol| self.sat(symbol, child));
                if states.is_empty() {
                    break;
                }
                if states.contains(&nfa.accept) {
                    runs.insert((first, position + 1));
                }
            }
        }
        runs
    }

    /// The current longest run after each child, as the position of its first element.
    fn current(&self, nfa: &Nfa, element: Element) -> Vec<Option<usize>> {
        let mut current = vec![None; self.tree.children[element].len()];
        // In order of their first element: the smallest comes first and stays.
        for (first, end) in self.runs(nfa, element) {
            current[end - 1].get_or_insert(first);
        }
        current
    }

    /// The current longest runs of the first regular branch of a node, as Table 1 lists them.
    pub fn current_longest(&self, node: NodeId, element: Element) -> Vec<Option<(usize, usize)>> {
        let regular = self.pattern.node(node).branches.iter().find_map(|branch| match branch {
            Branch::Regular(regex) => Some(regex),
            Branch::Node(_) => None,
        });
        let Some(regex) = regular else { return Vec::new() };
        let current = self.current(&Nfa::new(regex), element).into_iter().enumerate();
        current.map(|(last, first)| first.map(|first| (first, last + 1))).collect()
    }

    /// The runs that are reported: current longest ones that the next child does not prolong.
    fn peaks(&self, nfa: &Nfa, element: Element) -> Vec<(usize, usize)> {
        let current = self.current(nfa, element);
        let ends =
            |last: usize| current[last].is_some() && current.get(last + 1) != Some(&current[last]);
        let lasts = (0..current.len()).filter(|&last| ends(last));
        lasts.filter_map(|last| Some((current[last]?, last + 1))).collect()
    }

    /// The returned elements of a run: each at every symbol where some accepting reading puts it.
    fn returned(
        &self,
        nfa: &Nfa,
        element: Element,
        (first, end): (usize, usize),
    ) -> Vec<(NodeId, Element)> {
        let run = &self.tree.children[element][first..end];
        let mut forward = vec![nfa.closure(BTreeSet::from([nfa.start]))];
        for &child in run {
            let states =
                forward.last().map(|from| nfa.step(from, |symbol| self.sat(symbol, child)));
            forward.extend(states);
        }
        let mut returned = BTreeSet::new();
        let mut behind = nfa.backward(BTreeSet::from([nfa.accept]));
        for (position, &child) in run.iter().enumerate().rev() {
            let mut before = BTreeSet::new();
            for &(from, symbol, to) in &nfa.symbols {
                let read = forward[position].contains(&from) && behind.contains(&to);
                if read && self.sat(symbol, child) {
                    before.insert(from);
                    if self.pattern.return_mark(symbol).is_some() {
                        returned.insert((symbol, child));
                    }
                }
            }
            behind = nfa.backward(before);
        }
        returned.into_iter().collect()
    }

    /// All bindings of the return nodes at and below a node that is matched by an element.
    fn bindings(&self, node: NodeId, element: Element) -> BTreeSet<Tuple> {
        let own = self.pattern.return_mark(node).map(|_| Part::Node(node, element));
        let mut tuples = BTreeSet::from([Tuple::from_iter(own)]);
        for branch in &self.pattern.node(node).branches {
            let below: BTreeSet<Tuple> = match branch {
                Branch::Node(id) if self.spine[id.index()] => self
                    .candidates(*id, element)
                    .filter(|&one| self.sat(*id, one))
                    .flat_map(|one| self.bindings(*id, one))
                    .collect(),
                Branch::Regular(regex) if self.on_spine(regex) => {
                    let nfa = Nfa::new(regex);
                    let peaks = self.peaks(&nfa, element);
                    let part = |run: (usize, usize)| {
                        Part::Run(element, run.0, run.1, self.returned(&nfa, element, run))
                    };
                    match peaks.is_empty() {
                        // A nullable branch without a run stands for one empty list.
                        true => BTreeSet::from([Tuple::new()]),
                        false => peaks.into_iter().map(|run| Tuple::from([part(run)])).collect(),
                    }
                }
                _ => continue,
            };
            let joined = tuples.iter().flat_map(|one| {
                below.iter().map(|other| one.union(other).cloned().collect::<Tuple>())
            });
            tuples = joined.collect();
        }
        tuples
    }

    fn on_spine(&self, regex: &Regex) -> bool {
        let mut any = false;
        regex.for_each_symbol(&mut |symbol| any |= self.spine[symbol.index()]);
        any
    }

    /// The elements that satisfy the pattern's root.
    fn roots(&self) -> impl Iterator<Item = Element> + '_ {
        let all = match self.pattern.node(NodeId::ROOT).axis {
            Axis::Child => 0..self.tree.len().min(1),
            Axis::Descendant => 0..self.tree.len(),
        };
        all.filter(|&element| self.sat(NodeId::ROOT, element))
    }

    /// Shape *tuples*: the distinct bindings of the return nodes.
    pub fn tuples(&self) -> Vec<Bindings> {
        let all: BTreeSet<Tuple> =
            self.roots().flat_map(|root| self.bindings(NodeId::ROOT, root)).collect();
        all.iter().map(|tuple| self.gather([tuple])).collect()
    }

    /// Shape *instances*: for each satisfied root element all that is bound below it.
    pub fn instances(&self) -> Vec<Bindings> {
        self.roots().map(|root| self.gather(&self.bindings(NodeId::ROOT, root))).collect()
    }

    /// Shape *nodes*: each returned element once for each label.
    pub fn nodes(&self) -> Vec<Bindings> {
        let all = self.roots().map(|root| self.gather(&self.bindings(NodeId::ROOT, root)));
        let pairs: BTreeSet<(u64, String)> = all
            .flatten()
            .flat_map(|(label, starts)| starts.into_iter().map(move |start| (start, label.clone())))
            .collect();
        pairs.into_iter().map(|(start, label)| Bindings::from([(label, vec![start])])).collect()
    }

    fn gather<'t>(&self, tuples: impl IntoIterator<Item = &'t Tuple>) -> Bindings {
        let mut sets: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
        for part in tuples.into_iter().flatten() {
            let elements = match part {
                Part::Node(node, element) => &[(*node, *element)][..],
                Part::Run(.., elements) => elements,
            };
            for &(node, element) in elements {
                let mark = self.pattern.return_mark(node).and_then(|mark| mark.label);
                let label = mark.as_deref().unwrap_or(self.tree.name(element)).to_owned();
                sets.entry(label).or_default().insert(self.tree.start[element]);
            }
        }
        sets.into_iter().map(|(label, starts)| (label, starts.into_iter().collect())).collect()
    }
}

fn refuse(what: &str) -> Error {
    Error::failed(format!("the oracle cannot evaluate a pattern that {what}"))
}

/// A regular expression as an automaton with ε moves (Thompson's construction), repetitions written
/// out.
#[derive(Debug, Default)]
struct Nfa {
    start: usize,
    accept: usize,
    states: usize,
    epsilon: Vec<(usize, usize)>,
    symbols: Vec<(usize, NodeId, usize)>,
}

impl Nfa {
    fn new(regex: &Regex) -> Self {
        let mut nfa = Self::default();
        nfa.start = nfa.state();
        nfa.accept = nfa.build(regex, nfa.start);
        nfa
    }

    fn state(&mut self) -> usize {
        self.states += 1;
        self.states - 1
    }

    /// Adds an expression that begins in a state; returns the state in which it ends.
    fn build(&mut self, regex: &Regex, from: usize) -> usize {
        match regex {
            Regex::Symbol(id) => {
                let to = self.state();
                self.symbols.push((from, *id, to));
                to
            }
            Regex::Concat(parts) => parts.iter().fold(from, |at, part| self.build(part, at)),
            Regex::Alt(parts) => {
                let to = self.state();
                for part in parts {
                    // A state of its own for each part: a star in it must not lead into the others.
                    let first = self.state();
                    self.epsilon.push((from, first));
                    let end = self.build(part, first);
                    self.epsilon.push((end, to));
                }
                to
            }
            Regex::Repeat { inner, min, max } => {
                let mut at = (0..*min).fold(from, |at, _| self.build(inner, at));
                match max {
                    None => {
                        let (before, to) = (self.state(), self.state());
                        self.epsilon.push((at, before));
                        let end = self.build(inner, before);
                        self.epsilon.extend([(end, before), (before, to)]);
                        to
                    }
                    Some(max) => {
                        let to = self.state();
                        for _ in *min..*max {
                            self.epsilon.push((at, to));
                            at = self.build(inner, at);
                        }
                        self.epsilon.push((at, to));
                        to
                    }
                }
            }
        }
    }

    fn closure(&self, states: BTreeSet<usize>) -> BTreeSet<usize> {
        spread(states, self.epsilon.iter().copied())
    }

    fn backward(&self, states: BTreeSet<usize>) -> BTreeSet<usize> {
        spread(states, self.epsilon.iter().map(|&(from, to)| (to, from)))
    }

    fn step(&self, states: &BTreeSet<usize>, reads: impl Fn(NodeId) -> bool) -> BTreeSet<usize> {
        let edges = self.symbols.iter().filter(|(from, ..)| states.contains(from));
        self.closure(edges.filter(|edge| reads(edge.1)).map(|edge| edge.2).collect())
    }
}

/// Everything that moves lead to, any number of them.
fn spread(
    mut states: BTreeSet<usize>,
    moves: impl Iterator<Item = (usize, usize)> + Clone,
) -> BTreeSet<usize> {
    loop {
        let size = states.len();
        for (from, to) in moves.clone() {
            if states.contains(&from) {
                states.insert(to);
            }
        }
        if states.len() == size {
            return states;
        }
    }
}
