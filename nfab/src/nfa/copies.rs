//! Greedy, and the copies of states that it and negations call for.

use hashbrown::HashMap;

use super::compile::Compiler;
use super::place::Place;
use super::{EdgeKind, Formula, StateKind};
use crate::error::Error;

impl<'p> Compiler<'p> {
    /// Greedy: the edges of a state no longer open for events that the loop takes.
    pub(super) fn close_to(&mut self, state: u32, take: &Formula) {
        for edge in &mut self.states[state as usize].edges {
            let formula = std::mem::replace(&mut edge.formula, Formula::True);
            edge.formula = formula.and(take.clone().negated());
        }
    }

    fn twin(&mut self, state: u32) -> Result<u32, Error> {
        self.check_size()?;
        let original = self.states[state as usize].clone();
        let name = original.label.split(':').next().unwrap_or_default();
        let copy = self.state(name, original.kind, None);
        self.states[copy as usize].stage = original.stage;
        self.states[copy as usize].gap = original.gap.filter(|_| !self.twins_wait);
        Ok(copy)
    }

    pub(super) fn keep_open_copy(&mut self, state: u32) -> Result<u32, Error> {
        let copy = self.twin(state)?;
        for edge in self.states[state as usize].edges.clone() {
            let target = if edge.target == state { copy } else { edge.target };
            self.edge(copy, edge.kind, target, edge.formula);
        }
        self.open_copies.insert(state, copy);
        Ok(copy)
    }

    /// For an optional element after a `not_followed_by`: its sink as it is once the element has
    /// taken an event, without the stops that only apply while it has not.
    pub(super) fn without_negations(&mut self, place: Place<'p>, sink: u32) -> Result<u32, Error> {
        let negations = place.negations();
        if negations.is_empty() || !place.element().quantifier.optional {
            return Ok(sink);
        }
        let stops: Vec<u32> = (negations.iter())
            .filter_map(|n| n.name())
            .filter_map(|n| self.stop_states.get(n).copied())
            .collect();
        self.copy_without(sink, &stops)
    }

    /// A copy of what a state proceeds to, itself included, without certain stops.
    fn copy_without(&mut self, state: u32, stops: &[u32]) -> Result<u32, Error> {
        let first = self.twin(state)?;
        let mut copies: HashMap<u32, u32> = HashMap::new();
        copies.insert(state, first);
        let mut open = vec![state];
        while let Some(state) = open.pop() {
            let copy = copies[&state];
            for edge in self.states[state as usize].edges.clone() {
                let mut target = edge.target;
                if edge.kind != EdgeKind::Proceed {
                    if target == state {
                        target = copy;
                    }
                } else if stops.contains(&target) {
                    continue;
                } else if self.states[target as usize].kind != StateKind::Stop {
                    target = match copies.get(&target) {
                        Some(&known) => known,
                        None => {
                            let new = self.twin(target)?;
                            copies.insert(target, new);
                            open.push(target);
                            new
                        }
                    };
                }
                self.edge(copy, edge.kind, target, edge.formula);
            }
        }
        Ok(first)
    }
}
