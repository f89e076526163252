//! Children that nothing hangs on but the runs that they are in, or that they break: where nobody
//! asks for more than counts, all that they do is done at their start tag, and no instance is opened.

use crate::automaton::compile::{Compiled, NONE, Place, Role};
use crate::automaton::lazy::StateId;
use crate::{Error, Needs, Shape, Sink};

use super::Engine;

/// Which nodes of the queries are such: symbols of regular branches without any condition, of
/// which, once they are read, nobody wants to know anything.
pub(super) fn light_nodes(compiled: &Compiled, needs: Needs) -> Vec<bool> {
    let light = |node: &crate::automaton::compile::Node| {
        let Place::Symbol { regular, .. } = node.place else { return false };
        let owner = &compiled.nodes[compiled.regulars[regular as usize].owner as usize];
        let counted = compiled.queries[node.query as usize].shape == Shape::Tuples
            && matches!(owner.role, Role::Key | Role::Below);
        let leaf = node.child_kids.is_empty()
            && node.descendant_kids.is_empty()
            && node.regulars.is_empty()
            && node.attribute_tests.is_empty()
            && node.conditions == 0;
        leaf && match node.role {
            Role::Off => true,
            Role::InRun => needs.count_only && counted,
            _ => false,
        }
    };
    compiled.nodes.iter().map(|node| needs.count_only && light(node)).collect()
}

impl<S: Sink> Engine<'_, S> {
    /// Reads a child of the innermost element, in whose state all nodes that it may match are light.
    /// `false`: the run cannot go on.
    #[inline(never)]
    pub(super) fn read_light(&mut self, state: StateId) -> bool {
        if self.stopped || self.failure.is_some() {
            return false;
        }
        match self.try_read_light(state) {
            Ok(()) => !self.stopped,
            Err(e) => {
                self.failure = Some(e);
                false
            }
        }
    }

    fn try_read_light(&mut self, state: StateId) -> Result<(), Error> {
        let compiled = self.compiled;
        let from = self.regulars_of(self.depth);
        let to = self.trackers.len();
        for r in from..to {
            self.trackers.begin_child(r);
        }
        for k in 0..self.table.matched(state).len() {
            let node = &compiled.nodes[self.table.matched(state)[k] as usize];
            let Place::Symbol { regular, symbol } = node.place else { continue };
            let owner = self.top[node.parent as usize];
            if owner == NONE {
                continue;
            }
            let open = &self.open[owner as usize];
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
