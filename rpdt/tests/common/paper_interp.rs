//! Runs the seven-tuple of the paper over a document in memory. It looks at nothing but the
//! automaton: states, edges, guards, actions, buffers.
//!
//! All runs of the nondeterministic automaton are followed at once: within one element, every edge
//! that can be completed is, and checks ask which ones were. Conditions are monotone, so this finds
//! what the union of all single runs finds. Slow, and meant to be.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use rpdt::paper::{Action, Edge, EdgeKind, Input, PaperAutomaton, Q0, StateId, StateKind};
use rpdt::pattern::{Axis, Literal, NameTest, Op, Operand, ValueTest};

use crate::dom::Document;

/// A label and an element (index in [`Document::elements`]).
pub type Found = BTreeSet<(String, usize)>;

/// The elements in the buffer of q0 after the document, for the policy `peak`.
pub fn interpret(automaton: &PaperAutomaton, doc: &Document) -> Found {
    let run = Run { automaton, doc, read: RefCell::default() };
    run.content(Q0, &[0], true).buffer
}

/// What reading the content of an element has brought about.
#[derive(Clone, Debug, Default)]
struct Content {
    /// Edges that were completed.
    completed: BTreeSet<usize>,
    /// The buffer of the state.
    buffer: Found,
}

impl Content {
    fn merge(&mut self, other: Content) {
        self.completed.extend(other.completed);
        self.buffer.extend(other.buffer);
    }
}

/// An element that an edge has read: the state it leads to, and what came into its buffer.
type Read = Option<(StateId, Found)>;

struct Run<'a> {
    automaton: &'a PaperAutomaton,
    doc: &'a Document,
    /// Edge and element that were looked at before; a speed-up only.
    read: RefCell<HashMap<(usize, usize), Read>>,
}

impl<'a> Run<'a> {
    fn edge(&self, index: usize) -> &'a Edge {
        &self.automaton.edges()[index]
    }

    /// Reads children in a state of the PDT. `entered`: they are the children of the element whose
    /// start tag led into the state, not of one that `<*>` reads.
    fn content(&self, state: StateId, children: &[usize], entered: bool) -> Content {
        let mut all = Content::default();
        for (index, edge) in self.automaton.delta(state) {
            match edge.kind {
                EdgeKind::Enter if entered || edge.axis == Axis::Descendant => {
                    for &child in children {
                        if let Some((_, found)) = self.element(index, child) {
                            all.completed.insert(index);
                            all.buffer.extend(found);
                        }
                    }
                }
                EdgeKind::Loop => {
                    for &child in children {
                        all.merge(self.content(state, &self.doc.children(child), false));
                    }
                }
                EdgeKind::Call if entered => all.merge(self.sequence(edge.to, children)),
                _ => {}
            }
        }
        all
    }

    /// Reads one element through a start edge and what belongs to it.
    fn element(&self, index: usize, element: usize) -> Read {
        if let Some(known) = self.read.borrow().get(&(index, element)) {
            return known.clone();
        }
        let read = self.read_element(index, element);
        self.read.borrow_mut().insert((index, element), read.clone());
        read
    }

    fn read_element(&self, index: usize, element: usize) -> Read {
        let edge = self.edge(index);
        let Input::Start(test) = &edge.input else { return None };
        if !name_matches(test, &self.doc.elements[element].name) || !self.guards(edge, element) {
            return None;
        }
        let mut found = Found::new();
        for action in &edge.actions {
            if let Action::Add { label } = action {
                let name = &self.doc.elements[element].name;
                found.insert((label.as_deref().unwrap_or(name).to_owned(), element));
            }
        }
        if edge.kind == EdgeKind::Symbol {
            return Some((edge.to, found));
        }
        let (_, end) = self
            .automaton
            .delta(edge.to)
            .find(|(_, end)| end.kind == EdgeKind::Leave(index))
            .expect("every start edge of a sub-PDT has its end edge");
        let content = self.content(edge.to, &self.doc.children(element), true);
        let required = end.check().unwrap_or_default();
        if !required.iter().all(|e| content.completed.contains(e)) || !self.guards(end, element) {
            return None;
        }
        // The buffer of the state holds what start edge and content put there.
        found.extend(content.buffer);
        if !end.uploads() {
            found.clear();
        }
        Some((end.to, found))
    }

    fn guards(&self, edge: &Edge, element: usize) -> bool {
        edge.guards.iter().all(|test| self.holds(test, element))
    }

    /// Reads children in an NFA that is entered at `start`.
    fn sequence(&self, start: StateId, children: &[usize]) -> Content {
        let n = children.len();
        let initial = self.closure([start].into());
        let mut content = Content::default();
        if let Some((index, _)) = self.exit(&initial) {
            content.completed.insert(index);
        }
        // current[i]: the smallest j such that the children from j to i are a run.
        let mut current = vec![None; n];
        for j in 0..n {
            let mut states = initial.clone();
            for i in j..n {
                states = self.closure(self.step(&states, children[i]));
                if self.exit(&states).is_some() && current[i].is_none() {
                    current[i] = Some(j);
                }
            }
        }
        for i in 0..n {
            let Some(j) = current[i] else { continue };
            let next = current.get(i + 1).copied().flatten();
            let found = self.run_buffer(&initial, &children[j..=i]);
            let (index, exit) = found.0;
            content.completed.insert(index);
            if next != Some(j) && exit.uploads() {
                content.buffer.extend(found.1);
            }
        }
        content
    }

    /// The way out at the end of a run, and the buffer of the NFA: what the transitions on any
    /// accepting path have put there.
    fn run_buffer(&self, initial: &BTreeSet<StateId>, run: &[usize]) -> ((usize, &'a Edge), Found) {
        let mut before = vec![initial.clone()];
        for &child in run {
            let states = self.step(before.last().expect("not empty"), child);
            before.push(self.closure(states));
        }
        let last = before.pop().expect("not empty");
        let exit = self.exit(&last).expect("a run ends in an accepting state");
        let mut wanted = BTreeSet::from([exit.1.from]);
        let mut found = Found::new();
        for (states, &child) in before.iter().zip(run).rev() {
            // A transition is on an accepting path when a wanted state is in reach behind it.
            let mut useful = BTreeSet::new();
            for (state, to, added) in self.transitions(states, child) {
                if !self.closure([to].into()).is_disjoint(&wanted) {
                    found.extend(added);
                    useful.insert(state);
                }
            }
            wanted = useful;
        }
        (exit, found)
    }

    fn step(&self, states: &BTreeSet<StateId>, child: usize) -> BTreeSet<StateId> {
        self.transitions(states, child).into_iter().map(|(_, to, _)| to).collect()
    }

    fn transitions(
        &self,
        states: &BTreeSet<StateId>,
        child: usize,
    ) -> Vec<(StateId, StateId, Found)> {
        let mut all = vec![];
        for &state in states {
            for (index, edge) in self.automaton.delta(state) {
                if matches!(edge.kind, EdgeKind::Enter | EdgeKind::Symbol)
                    && let Some((to, found)) = self.element(index, child)
                {
                    all.push((state, to, found));
                }
            }
        }
        all
    }

    /// With all states in reach by ε within the NFA.
    fn closure(&self, mut states: BTreeSet<StateId>) -> BTreeSet<StateId> {
        let mut open: Vec<StateId> = states.iter().copied().collect();
        while let Some(state) = open.pop() {
            for (_, edge) in self.automaton.delta(state) {
                if edge.kind == EdgeKind::Inner && states.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
        states
    }

    /// The ε edge back into the PDT, when one of the states has it.
    fn exit(&self, states: &BTreeSet<StateId>) -> Option<(usize, &'a Edge)> {
        states.iter().find_map(|&state| {
            let kind = self.automaton.states()[state.index()].kind;
            let accepting = matches!(kind, StateKind::Sequence { accepting: true, .. });
            let (index, _) =
                self.automaton.delta(state).find(|(_, e)| e.kind == EdgeKind::Return)?;
            assert!(accepting, "an NFA is left from its accepting state");
            Some((index, self.edge(index)))
        })
    }

    fn holds(&self, test: &ValueTest, element: usize) -> bool {
        let values: Vec<String> = match &test.operand {
            Operand::Attribute(name) => {
                let all = self.doc.elements[element].attributes.iter();
                all.filter(|(key, _)| **key == **name).map(|(_, value)| value.clone()).collect()
            }
            Operand::Text => self.doc.text_nodes(element),
            Operand::StringValue => vec![self.doc.string_value(element)],
        };
        values.iter().any(|value| match &test.comparison {
            None => true,
            Some((op, literal)) => compares(value, *op, literal),
        })
    }
}

/// For documents without namespaces.
fn name_matches(test: &NameTest, name: &str) -> bool {
    match test {
        NameTest::Any => true,
        NameTest::Name(wanted) => **wanted == *name,
        NameTest::AnyNamespace(local) => name.rsplit(':').next() == Some(local),
        NameTest::Prefixed { .. } => panic!("the interpreter knows no namespaces"),
    }
}

/// A comparison of XPath 1.0: `=` and `!=` with a string compare strings, all else numbers.
fn compares(value: &str, op: Op, literal: &Literal) -> bool {
    if let (Literal::String(right), Op::Eq | Op::Ne) = (literal, op) {
        return (*value == **right) == (op == Op::Eq);
    }
    let right = match literal {
        Literal::Number(n) => *n,
        Literal::String(s) => number(s),
    };
    let left = number(value);
    match op {
        Op::Eq => left == right,
        Op::Ne => left != right,
        Op::Lt => left < right,
        Op::Le => left <= right,
        Op::Gt => left > right,
        Op::Ge => left >= right,
    }
}

fn number(text: &str) -> f64 {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if plain { text.parse().unwrap_or(f64::NAN) } else { f64::NAN }
}
