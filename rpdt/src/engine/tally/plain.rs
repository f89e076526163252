//! Light plans of which the runs of one regular branch are all: each element does next to nothing, and
//! that quickly.

use crate::Sink;
use crate::automaton::compile::{Compiled, NONE};
use crate::automaton::lazy::{Children, StateId};
use crate::engine::Engine;

use super::Running;
use super::parts::{Part, conditions};

/// Whether a light plan has one regular branch, and no conditions.
pub(super) fn is_plain(compiled: &Compiled, parts: &[Part]) -> bool {
    let is_plain = |(part, node): (&Part, &_)| match part {
        Part::Passes | Part::Symbol => true,
        Part::Owner => conditions(compiled, node) == 0,
        _ => false,
    };
    compiled.regulars.len() == 1 && parts.iter().zip(&compiled.nodes).all(is_plain)
}

/// What elements in a state do: as children they satisfy a numbered set of symbols, and they may own
/// a regular branch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deed(u32);

impl Deed {
    const OWNS: u32 = 1 << 31;
    const UNKNOWN: Deed = Deed(u32::MAX);

    #[inline(always)]
    fn set(self) -> u32 {
        self.0 & !Self::OWNS
    }

    #[inline(always)]
    fn owns(self) -> bool {
        self.0 & Self::OWNS != 0
    }
}

impl<S: Sink> Engine<'_, S> {
    /// A child of the innermost element. Gives the state that it is open in, if it `opens`; `None` if the
    /// hot path is not for it.
    #[inline(always)]
    pub(in crate::engine) fn plain_child(
        &mut self,
        state: StateId,
        opens: bool,
    ) -> Option<StateId> {
        let deed = match self.tally.deeds.get(state.number()) {
            Some(&deed) if deed.0 != Deed::UNKNOWN.0 => deed,
            _ => self.find_deed(state)?,
        };
        let depth = self.depth;
        if let Some(running) = self.tally.running.last_mut()
            && running.depth == depth
        {
            match self.tally.automata[0].known(running.state, deed.set()) {
                Some(step) if step.reports() == 0 => {
                    running.state = step.state();
                    self.children = Children::new(false, step.state() != 0);
                }
                _ => self.plain_step(deed.set())?,
            }
        }
        if !opens || !deed.owns() {
            return Some(state);
        }
        self.tally.running.push(Running {
            depth: depth + 1,
            regular: 0,
            state: 0,
            frame: NONE,
            open: false,
            bits: 0,
        });
        self.children = Children::new(false, false);
        Some(state.looked())
    }

    /// A step of the innermost run that reports something, or is new. `None` if the run cannot go on.
    #[inline(never)]
    fn plain_step(&mut self, set: u32) -> Option<()> {
        let live = self.tally_step(self.tally.running.len() - 1, set);
        self.children = Children::new(false, live);
        (!self.stopped).then_some(())
    }

    /// What elements in a state do, if the state is remembered.
    #[cold]
    fn find_deed(&mut self, state: StateId) -> Option<Deed> {
        if state.is_transient() || self.stopped {
            return None;
        }
        let number = state.number();
        self.prepare_act(state);
        let act = self.act(number);
        let set = act.sets.first().map_or(0, |letter| letter.set);
        let owns = if act.opened.is_empty() { 0 } else { Deed::OWNS };
        let deeds = &mut self.tally.deeds;
        if deeds.len() <= number {
            deeds.resize(number + 1, Deed::UNKNOWN);
        }
        deeds[number] = Deed(set | owns);
        Some(deeds[number])
    }

    /// The innermost element ends. `false`: it owns no runs, or the run cannot go on.
    #[inline(always)]
    pub(super) fn close_plain(&mut self) -> bool {
        let depth = self.depth;
        let Some(running) = self.tally.running.pop_if(|running| running.depth == depth) else {
            return false;
        };
        let reports = self.tally.automata[0].finish(running.state);
        if reports != 0 {
            self.tally_runs(running, reports);
        }
        let live = self.tally.running.last().is_some_and(|running| running.state != 0);
        self.children = Children::new(false, live);
        !self.stopped
    }
}
