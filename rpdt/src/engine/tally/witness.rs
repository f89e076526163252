//! Conditions that are met by witnesses, and answers that no condition is in the way of any more.

use crate::Sink;
use crate::automaton::compile::{NONE, Node, Place, SpineBranch};
use crate::engine::Engine;
use crate::pattern::Axis;

use super::parts::{Part, next_axis};

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
            _ if self.tally.is_certain(frame.parent, node) => self.confirm_frame(at),
            _ => {
                self.tally.frames[at as usize].waiting = 0;
                self.deliver(frame.parent, frame.waiting, node.query);
            }
        }
    }

    /// All conditions of a frame are met, and those of what it hangs below: so nothing is in the way of
    /// the answers below it any more. Each frame is passed over once for each step of the spine, since
    /// what is inside a confirmed one has been.
    fn confirm_frame(&mut self, at: u32) {
        let compiled = self.compiled;
        let frame = &mut self.tally.frames[at as usize];
        frame.confirmed = true;
        let (id, depth, mut answers) =
            (frame.node, frame.depth, std::mem::take(&mut frame.waiting));
        let node = &compiled.nodes[id as usize];
        let outermost = &mut self.tally.outermost[id as usize];
        let known = (*outermost).min(self.tally.frames.len() as u32);
        *outermost = (*outermost).min(at);
        let mut below = NONE;
        if let [SpineBranch::Node(next)] = node.spine[..] {
            below = next;
        }
        match next_axis(compiled, node) {
            // Of open elements one is a child of this one.
            Some(Axis::Child) => {
                let inside = at as usize + 1..self.tally.frames.len();
                for inner in inside {
                    let frame = &self.tally.frames[inner];
                    if frame.depth > depth + 1 {
                        break;
                    }
                    if frame.node == below && frame.parent == at && frame.unmet == 0 {
                        self.confirm_frame(inner as u32);
                    }
                }
            }
            Some(Axis::Descendant) => {
                for inner in at + 1..known {
                    let frame = &mut self.tally.frames[inner as usize];
                    if self.tally.resorts[frame.node as usize] == id {
                        answers += std::mem::take(&mut frame.waiting);
                    } else if frame.node == below && frame.unmet == 0 && !frame.confirmed {
                        self.confirm_frame(inner);
                    }
                }
            }
            None => {}
        }
        self.certain(answers, node.query);
    }

    /// So many answers hang below a frame, or nothing is in their way any more.
    pub(super) fn deliver(&mut self, mut at: u32, answers: u64, query: u32) {
        while let Some(frame) = self.tally.frames.get_mut(at as usize) {
            let id = frame.node as usize;
            let is_outer = self.tally.resorts[id] == frame.node && self.tally.outermost[id] <= at;
            if frame.confirmed || is_outer {
                break;
            }
            if frame.unmet != 0 {
                frame.waiting += answers;
                return;
            }
            at = frame.parent;
        }
        self.certain(answers, query);
    }

    /// So many answers are certain.
    fn certain(&mut self, answers: u64, query: u32) {
        for _ in 0..answers {
            // A sink that wants no more is told no more.
            if self.stopped {
                break;
            }
            self.count(query, 1);
        }
    }
}
