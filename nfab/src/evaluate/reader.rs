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

/// The longest pause between two attempts to read the matches one by one.
const LONGEST_PAUSE: u32 = 15;

/// Working space, shared by all partitions.
#[derive(Debug, Default)]
pub(super) struct Reader {
    few: Few,
    marked: Marked,
    walk: Walk,
    /// So many times nobody tries whether the matches are few: they were not, and trying costs.
    pause: u32,
    /// How often in a row they were not, up to a bound.
    many: u32,
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
        if self.pause > 0 {
            self.pause -= 1;
        } else if self.few.read(graph, ends, event, starts) {
            self.many = 0;
            return self.few.matches().try_for_each(visit);
        } else {
            self.many = LONGEST_PAUSE.min(2 * self.many + 1);
            self.pause = self.many;
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
