//! Reading matches off a graph: in order, each once, or only how many.

use std::ops::ControlFlow;

use super::ambiguity::is_ambiguous;
use super::few::Few;
use super::graph::{Graph, Starts};
use super::marked::{End, Marked};
use super::walk::Walk;
use crate::history::EventIndex;
use crate::nfa::program::Program;
use crate::runtime::evaluator::Taken;

/// Working space, shared by all partitions.
#[derive(Debug, Default)]
pub(super) struct Reader {
    few: Few,
    marked: Marked,
    walk: Walk,
    /// The same match may come about in several ways.
    ambiguous: bool,
}

impl Reader {
    pub(super) fn new(program: &Program) -> Self {
        Reader { ambiguous: is_ambiguous(program), ..Reader::default() }
    }

    /// Visits the matches that end so, with the event at hand at a place.
    pub(super) fn visit(
        &mut self,
        graph: &Graph,
        ends: &[End],
        event: EventIndex,
        starts: Starts,
        visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.few.read(graph, ends, event, starts) {
            return self.few.matches().try_for_each(visit);
        }
        self.marked.turn(graph, ends, event, starts);
        self.walk.visit(&self.marked, visit)
    }

    /// How many there are, `u64::MAX` for so many or more; `None` if each would have to be looked at,
    /// as some may come about in several ways.
    pub(super) fn count(&mut self, graph: &Graph, ends: &[End], starts: Starts) -> Option<u64> {
        if let Some(matches) = self.few.count(graph, ends, starts) {
            return Some(matches);
        }
        (!self.ambiguous).then(|| self.marked.count(graph, ends, starts))
    }
}
