//! Conditions that are met by witnesses, and answers that no condition is in the way of any more.

use crate::Sink;
use crate::automaton::compile::{NONE, Node, Place};
use crate::engine::Engine;
use crate::pattern::Axis;

use super::parts::{Part, shares};

impl<S: Sink> Engine<'_, S> {
    /// A child of the innermost element, at `depth`, is a witness or returned.
    pub(super) fn note(&mut self, id: u32, depth: usize) {
        let compiled = self.compiled;
        let node = &compiled.nodes[id as usize];
        if self.tally.parts[id as usize] == Part::Returned && self.tally.is_free(node) {
            return self.deliver(NONE, 1, node.query);
        }
        let above = match self.tally.parts.get(node.parent as usize) {
            Some(Part::Below) => {
                self.tally.frame_around(&compiled.nodes[node.parent as usize], depth)
            }
            _ => self.tally.frame_above(node, depth),
        };
        let Some(above) = above else { return };
        if self.tally.parts[id as usize] == Part::Returned {
            self.deliver(above, 1, node.query);
        } else {
            self.witness_of(above, node);
        }
    }

    /// An element satisfies a node: the frames of the node above learn of it, the innermost of which is
    /// given. Of those that know already, all outer ones know, too.
    fn witness_of(&mut self, innermost: u32, node: &Node) {
        let mut above = innermost;
        while let Some(frame) = self.tally.frames.get_mut(above as usize)
            && frame.unmet & node.bit != 0
        {
            frame.unmet &= !node.bit;
            let (met, outer) = (frame.unmet == 0, frame.previous);
            if met {
                self.all_met(above);
            }
            if node.axis == Axis::Child {
                break;
            }
            above = outer;
        }
    }

    /// The last condition of a frame is met.
    fn all_met(&mut self, at: u32) {
        let compiled = self.compiled;
        let frame = self.tally.frames[at as usize];
        let node = &compiled.nodes[frame.node as usize];
        match self.tally.parts[frame.node as usize] {
            Part::Condition => self.witness_of(frame.parent, node),
            Part::Guarded => {
                if let Place::Symbol { symbol, .. } = node.place
                    && let Some(running) = self.tally.running.get_mut(frame.parent as usize)
                {
                    running.bits |= 1 << symbol;
                }
            }
            _ => {
                let mut waiting = std::mem::take(&mut self.tally.frames[at as usize].waiting);
                let lowest = self.tally.lowest[frame.node as usize];
                if shares(compiled, node) && at < lowest {
                    // What waits further inside hangs below this element, too.
                    let mut inner = match self.tally.frames.get(lowest as usize) {
                        Some(lowest) => lowest.previous,
                        None => self.tally.top[frame.node as usize],
                    };
                    while inner != at
                        && let Some(frame) = self.tally.frames.get_mut(inner as usize)
                    {
                        waiting += std::mem::take(&mut frame.waiting);
                        inner = frame.previous;
                    }
                    self.tally.lowest[frame.node as usize] = at;
                }
                self.deliver(frame.parent, waiting, node.query);
            }
        }
    }

    /// So many answers hang below a frame, or nothing is in their way any more.
    pub(super) fn deliver(&mut self, mut at: u32, answers: u64, query: u32) {
        while let Some(frame) = self.tally.frames.get_mut(at as usize) {
            if frame.unmet != 0 && at < self.tally.lowest[frame.node as usize] {
                frame.waiting += answers;
                return;
            }
            at = frame.parent;
        }
        for _ in 0..answers {
            // A sink that wants no more is told no more.
            if self.stopped {
                break;
            }
            self.count(query, 1);
        }
    }
}
