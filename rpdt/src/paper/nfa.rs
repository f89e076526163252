//! The NFA of a regular expression as the paper draws it (section 3.3, Fig. 3).
//!
//! `E:D*` gives 5 -e-> 6 -ε-> 7 -ε-> 8 with a loop d at 7: a symbol is one transition, a
//! concatenation shares the state in between, and a repetition has a state of its own between two
//! ε transitions. Bounded repetitions are written out.

use crate::pattern::{NodeId, Regex};

/// An NFA over states from 0, the start, to `states - 1`, the only accepting state.
#[derive(Debug)]
pub(super) struct Nfa {
    pub(super) states: u32,
    /// From, symbol (`None`: ε), to; in the order of construction.
    pub(super) edges: Vec<(u32, Option<NodeId>, u32)>,
}

/// Stands for the accepting state while the number of states is not known.
const ACCEPT: u32 = u32::MAX;

impl Nfa {
    pub(super) fn new(regex: &Regex) -> Self {
        let mut nfa = Nfa { states: 1, edges: Vec::new() };
        nfa.words(regex, 0, ACCEPT);
        let accept = nfa.fresh();
        for (from, _, to) in &mut nfa.edges {
            for state in [from, to] {
                if *state == ACCEPT {
                    *state = accept;
                }
            }
        }
        nfa
    }

    fn fresh(&mut self) -> u32 {
        self.states += 1;
        self.states - 1
    }

    fn epsilon(&mut self, from: u32, to: u32) {
        if from != to {
            self.edges.push((from, None, to));
        }
    }

    /// Adds paths for the words of the expression. Both ends may be shared with other paths: no
    /// path comes back to `from` or leaves `to` unless the two are the same state.
    fn words(&mut self, regex: &Regex, from: u32, to: u32) {
        match regex {
            Regex::Symbol(id) => self.edges.push((from, Some(*id), to)),
            Regex::Concat(parts) => {
                let mut at = from;
                for (i, part) in parts.iter().enumerate() {
                    let next = if i + 1 == parts.len() { to } else { self.fresh() };
                    self.words(part, at, next);
                    at = next;
                }
            }
            Regex::Alt(parts) => parts.iter().for_each(|part| self.words(part, from, to)),
            Regex::Repeat { inner, min: 0, max: None } => {
                let again = self.fresh();
                self.epsilon(from, again);
                self.words(inner, again, again);
                self.epsilon(again, to);
            }
            Regex::Repeat { inner, min, max: None } => {
                let first = self.copies(inner, from, min - 1);
                let (before, after) = (self.fresh(), self.fresh());
                self.epsilon(first, before);
                self.words(inner, before, after);
                self.epsilon(after, before);
                self.epsilon(after, to);
            }
            Regex::Repeat { inner, min, max: Some(max) } => {
                // At least one copy may go to the end directly.
                let mut at = self.copies(inner, from, (*min).min(max - 1));
                for done in (*min).min(max - 1)..*max {
                    if done >= *min {
                        self.epsilon(at, to);
                    }
                    let next = if done + 1 == *max { to } else { self.fresh() };
                    self.words(inner, at, next);
                    at = next;
                }
            }
        }
    }

    /// `n` copies in a row; returns the state behind the last.
    fn copies(&mut self, inner: &Regex, from: u32, n: u32) -> u32 {
        (0..n).fold(from, |at, _| {
            let next = self.fresh();
            self.words(inner, at, next);
            next
        })
    }
}
