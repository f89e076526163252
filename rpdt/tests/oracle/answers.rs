//! The three result shapes, by brute combination.

use std::collections::{BTreeMap, BTreeSet};

use rpdt::Shape;
use rpdt::pattern::{Branch, NameTest, NodeId, Regex};

use super::Oracle;
use super::runs::{Run, symbols};

/// One expected answer. Labels without elements are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Elements by label, in document order, each once.
    pub fields: BTreeMap<String, Vec<usize>>,
    /// The labels that must be a single node; the others must be a list.
    pub single: BTreeSet<String>,
    /// Labels that the definition leaves open: several return nodes could have given them, but in
    /// this answer only one outside a run did.
    pub either: BTreeSet<String>,
}

impl Expected {
    /// (start, label) in document order: what answers are sorted by.
    pub fn order_key(&self, starts: impl Fn(usize) -> usize) -> Vec<(usize, String)> {
        let each = |(l, es): (&String, &Vec<usize>)| {
            es.iter().map(|&e| (starts(e), l.clone())).collect::<Vec<_>>()
        };
        let mut key: Vec<_> = self.fields.iter().flat_map(each).collect();
        key.sort();
        key
    }
}

/// What one part of the spine is bound to. The order of the slots of a tuple is that of the
/// pattern, so that two bindings are the same tuple exactly when they are equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Slot {
    /// A return node outside regular branches.
    Node(NodeId, usize),
    /// A regular branch (node and index of the branch) below a parent: a run or the empty run.
    Run(NodeId, usize, usize, Option<Run>),
}

type Binding = Vec<Slot>;

impl Oracle<'_> {
    /// All answers of a shape, sorted by start offsets and labels; `None` when there would be
    /// more than `most`.
    pub fn answers(&self, shape: Shape, most: usize) -> Option<Vec<Expected>> {
        let roots = self.roots();
        let mut answers = match shape {
            Shape::Nodes => {
                let mut nodes = BTreeSet::new();
                roots.iter().for_each(|&e| self.collect(NodeId::ROOT, e, &mut nodes));
                nodes.into_iter().map(|node| flatten([node].into(), &BTreeSet::new())).collect()
            }
            Shape::Instances => {
                let instance = |&e: &usize| {
                    let mut nodes = BTreeSet::new();
                    self.collect(NodeId::ROOT, e, &mut nodes);
                    flatten(nodes, &BTreeSet::new())
                };
                roots.iter().map(instance).collect::<Vec<_>>()
            }
            Shape::Tuples => {
                let mut tuples = BTreeSet::new();
                for &e in &roots {
                    tuples.extend(self.tuples(NodeId::ROOT, e, most)?);
                }
                tuples.iter().map(|t| self.flatten_tuple(t)).collect()
            }
        };
        if answers.len() > most {
            return None;
        }
        answers.sort_by_key(|a| a.order_key(|e| self.doc.elements[e].start));
        Some(answers)
    }

    /// Whether a node is returned: by its own mark, or as the last trunk step of a query without
    /// marks.
    fn returned(&self, node: NodeId) -> bool {
        let marked = self.pattern.nodes().iter().any(|n| n.mark.is_some());
        match marked {
            true => self.pattern.node(node).mark.is_some(),
            false => self.pattern.trunk().last() == Some(&node),
        }
    }

    fn label(&self, node: NodeId, element: usize) -> String {
        let given = self.pattern.node(node).mark.as_ref().and_then(|m| m.label.as_deref());
        given.unwrap_or(&self.doc.elements[element].name).to_owned()
    }

    fn on_spine(&self, node: NodeId) -> bool {
        self.returned(node)
            || self.pattern.node(node).branches.iter().any(|b| self.branch_on_spine(b))
    }

    fn branch_on_spine(&self, branch: &Branch) -> bool {
        match branch {
            Branch::Node(m) => self.on_spine(*m),
            Branch::Regular(regex) => symbols(regex).into_iter().any(|s| self.on_spine(s)),
        }
    }

    /// Every (element, label) returned by some embedding of the node's part of the pattern that
    /// puts the node on the element.
    fn collect(&self, node: NodeId, element: usize, out: &mut BTreeSet<(usize, String)>) {
        if self.returned(node) {
            out.insert((element, self.label(node, element)));
        }
        for branch in self.pattern.node(node).branches.iter().filter(|b| self.branch_on_spine(b)) {
            match branch {
                Branch::Node(m) => {
                    for below in self.matches_below(*m, element) {
                        self.collect(*m, below, out);
                    }
                }
                Branch::Regular(regex) => {
                    for run in self.word(element).reported(regex) {
                        self.collect_run(regex, element, run, out);
                    }
                }
            }
        }
    }

    /// What is returned inside one run.
    fn collect_run(
        &self,
        regex: &Regex,
        parent: usize,
        run: Run,
        out: &mut BTreeSet<(usize, String)>,
    ) {
        let word = self.word(parent);
        for (child, symbol) in word.readings(regex, run) {
            if self.on_spine(symbol) {
                self.collect(symbol, word.children[child], out);
            }
        }
    }

    /// The distinct bindings of the node's part of the pattern that put the node on the element.
    fn tuples(&self, node: NodeId, element: usize, most: usize) -> Option<BTreeSet<Binding>> {
        let own = if self.returned(node) { vec![Slot::Node(node, element)] } else { Vec::new() };
        let mut all = BTreeSet::from([own]);
        for (index, branch) in self.pattern.node(node).branches.iter().enumerate() {
            if !self.branch_on_spine(branch) {
                continue;
            }
            let choices: BTreeSet<Binding> = match branch {
                Branch::Node(m) => {
                    let mut choices = BTreeSet::new();
                    for below in self.matches_below(*m, element) {
                        choices.extend(self.tuples(*m, below, most)?);
                    }
                    choices
                }
                Branch::Regular(regex) => {
                    let runs = self.word(element).reported(regex);
                    let slot = |run| vec![Slot::Run(node, index, element, run)];
                    if runs.is_empty() {
                        [slot(None)].into()
                    } else {
                        runs.into_iter().map(|run| slot(Some(run))).collect()
                    }
                }
            };
            if all.len() * choices.len() > most {
                return None;
            }
            let pair = |a: &Binding| {
                choices.iter().map(|c| [a.as_slice(), c].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(pair).collect();
        }
        Some(all)
    }

    fn flatten_tuple(&self, tuple: &Binding) -> Expected {
        let mut nodes = BTreeSet::new();
        let mut in_runs = BTreeSet::new();
        let mut outside: BTreeMap<String, usize> = BTreeMap::new();
        for slot in tuple {
            match slot {
                Slot::Node(node, element) => {
                    let label = self.label(*node, *element);
                    *outside.entry(label.clone()).or_default() += 1;
                    nodes.insert((*element, label));
                }
                Slot::Run(_, _, _, None) => {}
                Slot::Run(node, index, parent, Some(run)) => {
                    let Branch::Regular(regex) = &self.pattern.node(*node).branches[*index] else {
                        unreachable!("runs belong to regular branches")
                    };
                    self.collect_run(regex, *parent, *run, &mut in_runs);
                }
            }
        }
        let inside: BTreeSet<&String> = in_runs.iter().map(|(_, l)| l).collect();
        let once = outside.iter().filter(|(l, n)| **n == 1 && !inside.contains(l));
        let (single, either) =
            once.map(|(l, _)| l.clone()).partition(|l| self.possible_sources(l) == 1);
        Expected { either, ..flatten(nodes.into_iter().chain(in_runs).collect(), &single) }
    }

    /// How many return nodes could give the label in some answer.
    fn possible_sources(&self, label: &str) -> usize {
        let local = label.rsplit(':').next().expect("a split has a part");
        let could = |id: &NodeId| {
            let node = self.pattern.node(*id);
            self.returned(*id)
                && match (node.mark.as_ref().and_then(|m| m.label.as_deref()), &node.test) {
                    (Some(given), _) => given == label,
                    (None, NameTest::Any) => true,
                    (None, NameTest::Name(name)) if self.prefixes.default.is_none() => {
                        **name == *label
                    }
                    (None, NameTest::Name(name) | NameTest::AnyNamespace(name)) => **name == *local,
                    (None, NameTest::Prefixed { local: name, .. }) => **name == *local,
                }
        };
        (0..self.pattern.nodes().len() as u32).map(NodeId).filter(could).count()
    }
}

fn flatten(nodes: BTreeSet<(usize, String)>, single: &BTreeSet<String>) -> Expected {
    let mut fields: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (element, label) in nodes {
        fields.entry(label).or_default().push(element);
    }
    Expected { fields, single: single.clone(), either: BTreeSet::new() }
}
