//! Merging sub-PDTs and NFAs into one automaton (section 3.4), and the numbers of the states.
//!
//! A *twig* is an ordinary node, or a symbol with conditions below it, together with all that hangs
//! under it by ordinary branches. States are numbered twig by twig: first the second states of its
//! nodes in the order of the text, then its NFAs; then come the twigs that hang in these NFAs. For
//! Fig. 1 this gives the numbers of Fig. 4: A, B, C are 2, 3, 4, the NFA is 5 to 8, then D, F, G.

use std::collections::VecDeque;

use super::nfa::Nfa;
use super::pdt::{NodeView, any, waits_for_descendants};
use super::{
    Action, Buffer, BufferId, Edge, EdgeKind, Input, PaperAutomaton, Q0, State, StateId, StateKind,
};
use crate::Pattern;
use crate::pattern::{Axis, Branch, Mark, NodeId};

/// A twig whose states have no numbers yet.
struct Twig {
    root: NodeId,
    /// From where its root is entered, and where its end leads: once for an ordinary root, once for
    /// every transition of the NFA for a symbol.
    at: Vec<(StateId, StateId)>,
}

pub(super) fn build(pattern: &Pattern) -> PaperAutomaton {
    let mut builder = Builder::new(pattern);
    let mut twigs = VecDeque::from([Twig { root: NodeId::ROOT, at: vec![(Q0, Q0)] }]);
    while let Some(twig) = twigs.pop_front() {
        builder.twig(twig, &mut twigs);
    }
    builder.finish()
}

struct Builder<'p> {
    pattern: &'p Pattern,
    marks: Vec<Option<Mark>>,
    /// For every node whether it is returned or has a returned descendant.
    spine: Vec<bool>,
    states: Vec<State>,
    buffers: Vec<Buffer>,
    edges: Vec<Edge>,
}

impl<'p> Builder<'p> {
    fn new(pattern: &'p Pattern) -> Self {
        let mut marks = vec![None; pattern.nodes().len()];
        let mut spine = vec![false; marks.len()];
        for id in pattern.return_nodes() {
            marks[id.index()] = pattern.return_mark(id);
            spine[id.index()] = true;
        }
        let parents = pattern.parents();
        for i in (1..spine.len()).rev() {
            if let (true, Some(parent)) = (spine[i], parents[i]) {
                spine[parent.index()] = true;
            }
        }
        let mut builder =
            Builder { pattern, marks, spine, states: vec![], buffers: vec![], edges: vec![] };
        let answers = builder.buffer(Q0);
        builder.state(StateKind::Start, Some(answers));
        builder
    }

    fn view(&self, id: NodeId) -> NodeView<'_> {
        NodeView {
            id,
            node: self.pattern.node(id),
            spine: self.spine[id.index()],
            label: self.marks[id.index()].as_ref().map(|mark| &mark.label),
        }
    }

    fn next_state(&self) -> StateId {
        StateId(self.states.len() as u32 + 1)
    }

    fn state(&mut self, kind: StateKind, buffer: Option<BufferId>) -> StateId {
        let id = self.next_state();
        self.states.push(State { id, kind, buffer });
        id
    }

    fn buffer(&mut self, state: StateId) -> BufferId {
        let id = BufferId(self.buffers.len() as u32);
        self.buffers.push(Buffer { id, state });
        id
    }

    /// Numbers the states of a twig and of its NFAs and makes their edges.
    fn twig(&mut self, twig: Twig, twigs: &mut VecDeque<Twig>) {
        let members = self.members(twig.root);
        let first = self.next_state();
        for &(id, _) in &members {
            let buffer = self.spine[id.index()].then(|| self.buffer(self.next_state()));
            self.state(StateKind::Element(id), buffer);
        }
        // Section 3.4, rule 2, when the root is a symbol; section 3.2 otherwise.
        for (from, to) in twig.at {
            self.sub_pdt(twig.root, from, first, to);
        }
        if self.pattern.node(twig.root).axis == Axis::Descendant {
            self.edges.push(any(Q0));
        }
        for (i, &(id, parent)) in members.iter().enumerate() {
            let state = StateId(first.0 + i as u32);
            if let Some(parent) = parent {
                let parent = StateId(first.0 + parent as u32);
                self.sub_pdt(id, parent, state, parent);
            }
            if waits_for_descendants(self.pattern, id) {
                self.edges.push(any(state));
            }
        }
        for (i, &(id, _)) in members.iter().enumerate() {
            self.regular_branches(id, StateId(first.0 + i as u32), twigs);
        }
    }

    /// The nodes of a twig in the order of the text, each with the place of its parent.
    fn members(&self, root: NodeId) -> Vec<(NodeId, Option<usize>)> {
        let mut members = Vec::new();
        let mut stack = vec![(root, None)];
        while let Some((id, parent)) = stack.pop() {
            let place = members.len();
            members.push((id, parent));
            for branch in self.pattern.node(id).branches.iter().rev() {
                if let Branch::Node(child) = branch {
                    stack.push((*child, Some(place)));
                }
            }
        }
        members
    }

    /// Start edge and end edge of a node.
    fn sub_pdt(&mut self, id: NodeId, from: StateId, state: StateId, to: StateId) {
        let view = self.view(id);
        let start = self.edges.len();
        let edges = [view.enter(from, state, EdgeKind::Enter), view.leave(state, to, start)];
        self.edges.extend(edges);
    }

    /// The NFAs of a node, connected by rule 1 of section 3.4.
    fn regular_branches(&mut self, owner: NodeId, state: StateId, twigs: &mut VecDeque<Twig>) {
        let pattern = self.pattern;
        for (branch, regex) in pattern.node(owner).branches.iter().enumerate() {
            let Branch::Regular(regex) = regex else { continue };
            let nfa = Nfa::new(regex);
            let mut symbols = Vec::new();
            regex.for_each_symbol(&mut |id| symbols.push(id));
            let spine = symbols.iter().any(|id| self.spine[id.index()]);
            let first = self.next_state();
            let buffer = spine.then(|| self.buffer(first));
            for i in 0..nfa.states {
                let accepting = i + 1 == nfa.states;
                self.state(StateKind::Sequence { owner, branch, accepting }, buffer);
            }
            let number = |i: u32| StateId(first.0 + i);
            let last = number(nfa.states - 1);
            self.edges.push(epsilon(state, first, EdgeKind::Call, vec![]));
            let mut uses = vec![Vec::new(); symbols.len()];
            for (from, symbol, to) in nfa.edges {
                let (from, to) = (number(from), number(to));
                let Some(id) = symbol else {
                    self.edges.push(epsilon(from, to, EdgeKind::Inner, vec![]));
                    continue;
                };
                let view = self.view(id);
                if view.has_conditions_below() {
                    // Symbols are numbered from left to right, so this finds the place.
                    let place = symbols.partition_point(|&other| other < id);
                    uses[place].push((from, to));
                } else {
                    let edge = view.enter(from, to, EdgeKind::Symbol);
                    self.edges.push(edge);
                }
            }
            let mut actions = vec![Action::Check { requires: vec![] }];
            actions.extend(spine.then_some(Action::Upload));
            self.edges.push(epsilon(last, state, EdgeKind::Return, actions));
            let used = symbols.into_iter().zip(uses).filter(|(_, at)| !at.is_empty());
            twigs.extend(used.map(|(root, at)| Twig { root, at }));
        }
    }

    /// Orders the edges and says what each check requires.
    fn finish(self) -> PaperAutomaton {
        let mut order: Vec<usize> = (0..self.edges.len()).collect();
        order.sort_by_key(|&i| self.edges[i].from);
        let mut place = vec![0; order.len()];
        for (now, &before) in order.iter().enumerate() {
            place[before] = now;
        }
        let mut edges: Vec<Option<Edge>> = self.edges.into_iter().map(Some).collect();
        let mut edges: Vec<Edge> = order.iter().filter_map(|&i| edges[i].take()).collect();
        let mut required = vec![Vec::new(); self.states.len()];
        for (i, edge) in edges.iter_mut().enumerate() {
            match &mut edge.kind {
                EdgeKind::Leave(start) => *start = place[*start],
                EdgeKind::Enter if is_element(&self.states, edge.from) => {
                    required[edge.from.index()].push(i);
                }
                EdgeKind::Return => required[edge.to.index()].push(i),
                _ => {}
            }
        }
        for edge in &mut edges {
            let EdgeKind::Leave(_) = edge.kind else { continue };
            for action in &mut edge.actions {
                if let Action::Check { requires } = action {
                    requires.clone_from(&required[edge.from.index()]);
                }
            }
        }
        PaperAutomaton {
            pattern: self.pattern.clone(),
            states: self.states,
            edges,
            buffers: self.buffers,
        }
    }
}

fn is_element(states: &[State], id: StateId) -> bool {
    matches!(states[id.index()].kind, StateKind::Element(_))
}

fn epsilon(from: StateId, to: StateId, kind: EdgeKind, actions: Vec<Action>) -> Edge {
    Edge {
        from,
        input: Input::Epsilon,
        guards: vec![],
        actions,
        to,
        kind,
        node: None,
        axis: Axis::Child,
    }
}
