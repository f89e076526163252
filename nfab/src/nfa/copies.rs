//! Greedy, and the copies of states that it and negations call for.

use super::compile::Compiler;
use super::place::Place;
use super::{EdgeKind, Formula, StateKind};

impl<'p> Compiler<'p> {
    /// Greedy: the edges of a state no longer open for events that the loop takes.
    pub(super) fn close_to(&mut self, state: u32, take: &Formula) {
        for edge in &mut self.states[state as usize].edges {
            let formula = std::mem::replace(&mut edge.formula, Formula::True);
            edge.formula = formula.and(take.clone().negated());
        }
    }

    fn twin(&mut self, state: u32) -> u32 {
        let original = self.states[state as usize].clone();
        let name = original.label.split(':').next().unwrap_or_default();
        let copy = self.state(name, original.kind, None);
        self.states[copy as usize].stage = original.stage;
        self.states[copy as usize].gap = original.gap.filter(|_| !self.twins_wait);
        copy
    }

    pub(super) fn keep_open_copy(&mut self, state: u32) -> u32 {
        let copy = self.twin(state);
        for edge in self.states[state as usize].edges.clone() {
            let target = if edge.target == state { copy } else { edge.target };
            self.edge(copy, edge.kind, target, edge.formula);
        }
        self.open_copies.insert(state, copy);
        copy
    }

    /// For an optional element after a `not_followed_by`: its sink as it is once the element has
    /// taken an event, without the stops that only apply while it has not.
    pub(super) fn without_negations(&mut self, place: Place<'p>, sink: u32) -> u32 {
        let negations = place.negations();
        if negations.is_empty() || !place.element().quantifier.optional {
            return sink;
        }
        let stops: Vec<u32> = (negations.iter())
            .filter_map(|n| n.name())
            .filter_map(|n| self.stop_states.get(n).copied())
            .collect();
        self.copy_without(sink, &stops, 0)
    }

    fn copy_without(&mut self, state: u32, stops: &[u32], depth: usize) -> u32 {
        // A chain of proceed edges is never longer than the states there are.
        if depth > self.states.len() {
            return state;
        }
        let copy = self.twin(state);
        for edge in self.states[state as usize].edges.clone() {
            if edge.kind == EdgeKind::Proceed {
                if stops.contains(&edge.target) {
                    continue;
                }
                let target = if self.states[edge.target as usize].kind == StateKind::Stop {
                    edge.target
                } else {
                    self.copy_without(edge.target, stops, depth + 1)
                };
                self.edge(copy, edge.kind, target, edge.formula);
            } else {
                let target = if edge.target == state { copy } else { edge.target };
                self.edge(copy, edge.kind, target, edge.formula);
            }
        }
        copy
    }
}
