//! What elements in a state of the table do, found out once for each.

use crate::Sink;
use crate::automaton::compile::Place;
use crate::automaton::lazy::StateId;
use crate::engine::Engine;

use super::parts::Part;

/// What elements in a state do.
#[derive(Clone, Debug, Default)]
pub(super) struct Act {
    /// They are witnesses, or returned, by these nodes.
    pub(super) notes: Vec<u32>,
    /// They get frames, or own regular branches, by these nodes, children before their parents.
    pub(super) opened: Vec<u32>,
    /// They are children that satisfy, for a regular branch, a set of symbols.
    pub(super) sets: Vec<Letter>,
}

/// The symbols of a regular branch that elements in a state satisfy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Letter {
    pub(super) regular: u32,
    /// Those without conditions, and the number of this set.
    pub(super) bits: u64,
    pub(super) set: u32,
    /// There are such with conditions, too.
    pub(super) guarded: bool,
}

impl<S: Sink> Engine<'_, S> {
    #[inline(always)]
    pub(super) fn act(&self, place: usize) -> &Act {
        static NOTHING: Act = Act { notes: Vec::new(), opened: Vec::new(), sets: Vec::new() };
        self.tally.acts.get(place).and_then(Option::as_ref).unwrap_or(&NOTHING)
    }

    /// The place of what elements in a state do, which is found out if it has not been yet.
    #[inline(always)]
    pub(super) fn prepare_act(&mut self, state: StateId) -> usize {
        // No element is in the start state: its place is for states that are not remembered.
        let place = if state.is_transient() { 0 } else { state.number() };
        match self.tally.acts.get(place) {
            Some(Some(_)) if place != 0 => {}
            _ => self.find_act(state, place),
        }
        place
    }

    #[cold]
    fn find_act(&mut self, state: StateId, place: usize) {
        let (mut notes, mut opened) = (Vec::new(), Vec::new());
        let mut sets: Vec<Letter> = Vec::new();
        for &id in self.table.matched(state) {
            let node = &self.compiled.nodes[id as usize];
            match self.tally.parts[id as usize] {
                Part::Passes | Part::Below => {}
                Part::Witness | Part::Returned => notes.push(id),
                Part::Step | Part::Owner | Part::Condition => opened.push(id),
                Part::Symbol | Part::Guarded => {
                    let Place::Symbol { regular, symbol } = node.place else { continue };
                    let at = sets.iter().position(|letter| letter.regular == regular);
                    let at = at.unwrap_or_else(|| {
                        sets.push(Letter { regular, bits: 0, set: 0, guarded: false });
                        sets.len() - 1
                    });
                    if self.tally.parts[id as usize] == Part::Guarded {
                        sets[at].guarded = true;
                        opened.push(id);
                    } else {
                        sets[at].bits |= 1 << symbol;
                    }
                }
            }
        }
        for letter in &mut sets {
            letter.set = self.tally.automata[letter.regular as usize].set(letter.bits);
        }
        let act = Act { notes, opened, sets };
        let acts = &mut self.tally.acts;
        if acts.len() <= place {
            acts.resize(place + 1, None);
        }
        acts[place] = Some(act);
    }
}
