//! Answers from the lists.

use hashbrown::HashSet;

use super::super::shared::{Labels, NONE};
use super::super::{Answer, Node};
use super::reach::Reached;
use super::store::Store;
use super::twig::{Kind, Twig};

/// A branch from which one entry is still to be chosen.
#[derive(Clone, Copy, Debug)]
enum Choice {
    /// One of an interval of a list.
    Interval { node: u32, from: u32, to: u32 },
    /// One of a chain of siblings.
    Chain { node: u32, head: u32 },
    /// One of the runs of a regular branch.
    Runs { nfa: u32, value: u32, from: u32, to: u32 },
}

/// What a value of a tuple is bound to.
#[derive(Clone, Copy, Debug)]
enum Bound {
    Candidate { node: u32, candidate: u32 },
    Run { nfa: u32, run: u32 },
}

/// Enumerates, and keeps the answers.
#[derive(Debug)]
pub(super) struct Enumeration<'q> {
    twig: &'q Twig,
    collect: bool,
    count: u64,
    answers: Vec<Answer>,
    choices: Vec<Choice>,
    values: Vec<Bound>,
    /// Tuples of this enumeration, where embeddings can give one twice.
    given: HashSet<Box<[u32]>>,
    /// (offset, label) of the nodes of this enumeration, where labels can coincide.
    elements: Vec<(u64, u32)>,
}

impl<'q> Enumeration<'q> {
    pub(super) fn new(twig: &'q Twig, collect: bool) -> Self {
        Enumeration {
            twig,
            collect,
            count: 0,
            answers: Vec::new(),
            choices: Vec::new(),
            values: vec![Bound::Run { nfa: NONE, run: NONE }; twig.values],
            given: HashSet::new(),
            elements: Vec::new(),
        }
    }

    pub(super) fn into_answers(self) -> (u64, Vec<Answer>) {
        (self.count, self.answers)
    }

    /// Shape *nodes*.
    pub(super) fn nodes(&mut self, reached: &Reached, store: &Store, labels: &Labels) {
        self.elements.clear();
        for (id, _) in self.twig.nodes.iter().enumerate().filter(|(_, n)| n.returned) {
            for (c, candidate) in store.lists[id].iter().enumerate() {
                if !reached.contains(id, c) {
                    continue;
                }
                if self.collect || self.twig.shared_labels {
                    self.elements.push((candidate.offset, candidate.label));
                } else {
                    self.count += 1;
                }
            }
        }
        self.elements.sort_unstable();
        self.elements.dedup();
        self.count += self.elements.len() as u64;
        if self.collect {
            let answer = |&(start, label): &(u64, u32)| {
                Answer(vec![Node { start, label: labels.name(label).into() }])
            };
            self.answers.extend(self.elements.iter().map(answer));
        }
    }

    /// Shape *tuples*.
    pub(super) fn tuples(&mut self, store: &Store, labels: &Labels) {
        self.given.clear();
        for candidate in 0..store.lists[0].len() as u32 {
            self.bind(0, candidate, store);
            self.choose(0, store, labels);
            self.choices.clear();
        }
    }

    /// Takes a candidate; what is below it is to be chosen next.
    fn bind(&mut self, id: u32, candidate: u32, store: &Store) {
        let twig = self.twig;
        let node = &twig.nodes[id as usize];
        if node.value != NONE {
            self.values[node.value as usize] = Bound::Candidate { node: id, candidate };
        }
        let branches = node.branches.iter().filter(|b| b.on_spine);
        let below = store.below(twig, id, candidate);
        self.choices.extend(branches.zip(below).map(|(branch, &(from, to))| match branch.kind {
            Kind::Child(node) => Choice::Chain { node, head: from },
            Kind::Descendant(node) => Choice::Interval { node, from, to },
            Kind::Regular { nfa, value } => Choice::Runs { nfa, value, from, to },
        }));
    }

    /// Makes the choices from number `at` on in all possible ways. Recursion goes as deep as the
    /// spine has nodes.
    fn choose(&mut self, at: usize, store: &Store, labels: &Labels) {
        let Some(&choice) = self.choices.get(at) else {
            return self.give(store, labels);
        };
        let before = self.choices.len();
        match choice {
            Choice::Interval { node, from, to } => {
                for candidate in from..to {
                    self.bind(node, candidate, store);
                    self.choose(at + 1, store, labels);
                    self.choices.truncate(before);
                }
            }
            Choice::Chain { node, head } => {
                let mut candidate = head;
                while candidate != NONE {
                    self.bind(node, candidate, store);
                    self.choose(at + 1, store, labels);
                    self.choices.truncate(before);
                    candidate = store.lists[node as usize][candidate as usize].next;
                }
            }
            Choice::Runs { nfa, value, from, to } => {
                for run in from..to {
                    self.values[value as usize] = Bound::Run { nfa, run };
                    self.choose(at + 1, store, labels);
                }
            }
        }
    }

    /// All values of a tuple are bound.
    fn give(&mut self, store: &Store, labels: &Labels) {
        if self.twig.ambiguous {
            let number = |value: &Bound| match *value {
                Bound::Candidate { candidate, .. } => candidate,
                Bound::Run { run, .. } => run,
            };
            if !self.given.insert(self.values.iter().map(number).collect()) {
                return;
            }
        }
        self.count += 1;
        if self.collect {
            let mut nodes = Vec::new();
            let mut seen = HashSet::new();
            for &value in &self.values {
                match value {
                    Bound::Candidate { node, candidate } => {
                        let candidate = &store.lists[node as usize][candidate as usize];
                        let label = labels.name(candidate.label).into();
                        nodes.push(Node { start: candidate.offset, label });
                    }
                    Bound::Run { nfa, run } => {
                        self.gather_run(nfa, run, store, labels, &mut nodes, &mut seen);
                    }
                }
            }
            self.answers.push(Answer::new(nodes));
        }
    }

    /// Everything returned in a run.
    fn gather_run(
        &self,
        nfa: u32,
        run: u32,
        store: &Store,
        labels: &Labels,
        nodes: &mut Vec<Node>,
        seen: &mut HashSet<(u32, u32)>,
    ) {
        let run = store.runs[nfa as usize][run as usize];
        if run.first == NONE {
            return;
        }
        let automaton = &self.twig.nfas[nfa as usize];
        automaton.readings(&store.links[nfa as usize], run, |link| {
            if link.candidate != NONE {
                let node = automaton.node(link.symbol);
                self.gather(node, link.candidate, store, labels, nodes, seen);
            }
        });
    }

    /// Everything returned at or below a candidate.
    fn gather(
        &self,
        id: u32,
        candidate: u32,
        store: &Store,
        labels: &Labels,
        nodes: &mut Vec<Node>,
        seen: &mut HashSet<(u32, u32)>,
    ) {
        if !seen.insert((id, candidate)) {
            return;
        }
        let node = &self.twig.nodes[id as usize];
        if node.returned {
            let candidate = &store.lists[id as usize][candidate as usize];
            let label = labels.name(candidate.label).into();
            nodes.push(Node { start: candidate.offset, label });
        }
        let branches = node.branches.iter().filter(|b| b.on_spine);
        for (branch, &(from, to)) in branches.zip(store.below(self.twig, id, candidate)) {
            match branch.kind {
                Kind::Child(child) => {
                    let mut at = from;
                    while at != NONE {
                        self.gather(child, at, store, labels, nodes, seen);
                        at = store.lists[child as usize][at as usize].next;
                    }
                }
                Kind::Descendant(child) => {
                    for at in from..to {
                        self.gather(child, at, store, labels, nodes, seen);
                    }
                }
                Kind::Regular { nfa, .. } => {
                    for run in from..to {
                        self.gather_run(nfa, run, store, labels, nodes, seen);
                    }
                }
            }
        }
    }
}
