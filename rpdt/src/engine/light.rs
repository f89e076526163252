//! What is light: much of a query needs no instances.
//!
//! A *light witness* is an element that meets a condition of an open instance, and no more. Where
//! answers are only counted, a *light child* is one on which nothing hangs but the runs that it is in,
//! or that it breaks. All that they do is done at their start tags, and their end tags are nobody's.
//!
//! In a *light plan* answers are only counted and every node is of a kind for which numbers are enough:
//! see [`tally`](super::tally). Then no instance is ever opened.

use crate::automaton::compile::{Compiled, NONE, Node, Place, Role};
use crate::automaton::lazy::StateId;
use crate::pattern::Axis;
use crate::{Error, Needs, Shape, Sink};

use super::Engine;

/// For each node whether it is light, where the plan as a whole is not.
pub(super) fn light_nodes(compiled: &Compiled, needs: Needs) -> Vec<bool> {
    let light = |node| is_witness(node) || (needs.count_only && is_child(compiled, node));
    compiled.nodes.iter().map(light).collect()
}

/// Nothing is asked of an element of this node but its name and its conditions.
pub(super) fn is_untested(node: &Node) -> bool {
    node.attribute_tests.is_empty() && node.text_tests.is_empty() && node.string_tests.is_empty()
}

/// Nothing hangs on an element of this node, and nothing is asked of it but its name.
pub(super) fn is_bare(node: &Node) -> bool {
    node.child_kids.is_empty()
        && node.descendant_kids.is_empty()
        && node.regulars.is_empty()
        && node.attribute_tests.is_empty()
        && node.conditions == 0
}

fn is_witness(node: &Node) -> bool {
    node.place == Place::Ordinary && node.role == Role::Off && is_bare(node)
}

/// A symbol without any condition, of which, once it is read, nobody wants to know anything.
fn is_child(compiled: &Compiled, node: &Node) -> bool {
    let Place::Symbol { regular, .. } = node.place else { return false };
    let owner = &compiled.nodes[compiled.regulars[regular as usize].owner as usize];
    let counted = compiled.queries[node.query as usize].shape == Shape::Tuples
        && matches!(owner.role, Role::Key | Role::Below);
    let role = node.role == Role::Off || (node.role == Role::InRun && counted);
    role && is_bare(node)
}

impl<S: Sink> Engine<'_, S> {
    /// Reads a child of the innermost element, in whose state all nodes that it may match are light.
    /// `opens`: it will be open; else it has no children. `false`: the run cannot go on.
    #[inline(never)]
    pub(super) fn read_light(&mut self, state: StateId, opens: bool) -> bool {
        if self.stopped || self.failure.is_some() {
            return false;
        }
        if self.tally.is_plan() {
            self.tally_child(state, opens);
        } else if let Err(e) = self.read_light_child(state) {
            self.failure = Some(e);
            return false;
        }
        !self.stopped
    }

    fn read_light_child(&mut self, state: StateId) -> Result<(), Error> {
        let compiled = self.compiled;
        let from = self.regulars_of(self.depth);
        let to = self.trackers.len();
        for r in from..to {
            self.trackers.begin_child(r);
        }
        for k in 0..self.table.matched(state).len() {
            let node = &compiled.nodes[self.table.matched(state)[k] as usize];
            let owner = self.top[node.parent as usize];
            if owner == NONE {
                continue;
            }
            let open = &self.open[owner as usize];
            let Place::Symbol { regular, symbol } = node.place else {
                if node.axis == Axis::Descendant || open.depth as usize == self.depth {
                    self.witness(owner, node)?;
                }
                continue;
            };
            let regular = &compiled.regulars[regular as usize];
            // Off the spine one witness is enough.
            let wanted = regular.on_spine || open.conditions & regular.bit != 0;
            if open.depth as usize == self.depth && wanted {
                self.trackers.child_satisfies(open.trackers + regular.local, symbol, None);
            }
        }
        for r in from..to {
            self.read_child(r)?;
        }
        self.update_live();
        self.update_children();
        if self.buffers.watch_drops { self.after_drops() } else { Ok(()) }
    }
}
