//! From candidates to answers: **upload** to the parent's list while something above is undecided,
//! confirmation where a chain of satisfied instances leads to the root.

use std::ops::ControlFlow;

use crate::automaton::compile::{NONE, Node, Place, Regular, Role, SpineBranch};
use crate::pattern::Axis;
use crate::{Answer, Error, Shape, Sink};

use super::Engine;
use super::answer::View;
use super::buffer::{ElementId, InstanceId, Item, ListId, Run};
use super::order::Payload;

impl<S: Sink> Engine<'_, S> {
    /// A spine instance has just been satisfied.
    pub(super) fn candidate(&mut self, i: u32, id: u32, node: &Node) -> Result<(), Error> {
        match node.role {
            Role::Off => Ok(()),
            Role::Chain | Role::Key => {
                let parent = self.open[i as usize].parent;
                let confirmed = match (node.place, node.axis) {
                    (Place::Root, _) => true,
                    // Members of runs are confirmed with their run.
                    (Place::Symbol { .. }, _) => return Ok(()),
                    (Place::Ordinary, Axis::Child) => self.open[parent as usize].confirmed,
                    (Place::Ordinary, Axis::Descendant) => {
                        self.lowest_confirmed[node.parent as usize] <= parent
                    }
                };
                if confirmed {
                    self.confirm_open(i, id, node);
                    return Ok(());
                }
                self.push_up(i, parent, node);
                if node.role == Role::Key && self.buffers.watch_drops {
                    let instance = self.keep(i);
                    self.buffers.instance_mut(instance).pending = true;
                    self.pending_keys[node.query as usize] += 1;
                }
                self.check_buffers()
            }
            Role::Below | Role::InRun => {
                let waits = node.returned != NONE && self.modes[node.query as usize].wait_for_end;
                if waits || node.place != Place::Ordinary {
                    return Ok(());
                }
                self.link(i)
            }
        }
    }

    /// Puts an open instance into its parent's list.
    fn push_up(&mut self, i: u32, parent: u32, node: &Node) {
        let instance = self.keep(i);
        self.buffers.retain_instance(instance);
        let lists = self.compiled.nodes[node.parent as usize].lists;
        let parent = self.keep(parent);
        self.buffers.push(parent, node.list, lists, Item::Instance(instance));
    }

    /// An open instance leads to an answer for certain, and so does what hangs below it.
    fn confirm_open(&mut self, i: u32, id: u32, node: &Node) {
        let mut found = Found::default();
        self.mark_confirmed(i, id, node, &mut found);
        if node.role == Role::Key {
            found.push(self.open[i as usize].start, Candidate::Open(i));
        } else if node.returned != NONE {
            let at = self
                .extras
                .binary_search_by_key(&(self.open[i as usize].depth as usize), |e| e.depth);
            let element = at.ok().and_then(|at| self.extras[at].element);
            found.push(self.open[i as usize].start, Candidate::Element(id, element));
        }
        self.confirm_found(found);
    }

    /// Confirms members of a run, which the caller keeps alive.
    pub(super) fn confirm(&mut self, members: Vec<InstanceId>) {
        let mut found = Found::default();
        for member in members {
            self.buffers.retain_instance(member);
            found.confirm_instance(member);
        }
        self.confirm_found(found);
    }

    fn mark_confirmed(&mut self, i: u32, id: u32, node: &Node, found: &mut Found) {
        self.open[i as usize].confirmed = true;
        let lowest = self.lowest_confirmed[id as usize];
        self.lowest_confirmed[id as usize] = lowest.min(i);
        if let Some(instance) = self.open[i as usize].instance {
            self.buffers.instance_mut(instance).confirmed = true;
            if node.role == Role::Chain {
                found.lists.extend(self.buffers.instance(instance).lists.iter().flatten());
            }
        }
        if node.role != Role::Chain || lowest < i {
            // Below an outer confirmed instance no candidate waits.
            return;
        }
        // Candidates below an inner instance of the same node hang below this one, too. Those below
        // an inner confirmed one wait no longer.
        let mut inner = match lowest {
            NONE => self.top[id as usize],
            lowest => self.open[lowest as usize].previous,
        };
        while inner != i && inner != NONE {
            if let Some(instance) = self.open[inner as usize].instance {
                for (l, branch) in node.spine.iter().enumerate() {
                    if let SpineBranch::Node(c) = *branch
                        && self.compiled.nodes[c as usize].axis == Axis::Descendant
                        && let Some(list) = self.buffers.list(instance, l as u32)
                    {
                        found.lists.push(list);
                    }
                }
            }
            inner = self.open[inner as usize].previous;
        }
    }

    /// Works through everything that a confirmation confirms in turn, then gives the answers in
    /// the order of their elements.
    fn confirm_found(&mut self, mut found: Found) {
        loop {
            if let Some(list) = found.lists.pop() {
                for item in self.buffers.drain(list) {
                    match item {
                        Item::Instance(instance) => found.confirm_instance(instance),
                        Item::Shared(inner) => {
                            found.lists.push(inner);
                            found.release.push(item);
                        }
                        Item::Run(_) => found.release.push(item),
                    }
                }
            } else if let Some(instance) = found.instances.pop() {
                self.confirm_kept(instance, &mut found);
                found.release.push(Item::Instance(instance));
            } else {
                break;
            }
        }
        found.candidates.sort_by_key(|c| c.0);
        for (_, candidate) in found.candidates {
            match candidate {
                _ if self.stopped => {}
                Candidate::Element(node, element) => self.give_node(node, element),
                Candidate::Open(i) => self.key_confirmed(i),
                Candidate::Kept(instance) => {
                    self.enumerate_kept(instance);
                    let key = self.buffers.instance(instance);
                    self.resolved(key.start, key.node);
                }
            }
        }
        for item in found.release {
            self.buffers.release(item);
        }
    }

    fn confirm_kept(&mut self, id: InstanceId, found: &mut Found) {
        let compiled = self.compiled;
        let instance = self.buffers.instance(id);
        if instance.confirmed {
            return;
        }
        let (open, start, number) = (instance.open, instance.start, instance.node);
        let node = &compiled.nodes[number as usize];
        let element = instance.element;
        if open == NONE {
            if node.role == Role::Chain {
                found.lists.extend(instance.lists.iter().flatten());
            }
            self.buffers.instance_mut(id).confirmed = true;
        } else {
            self.mark_confirmed(open, number, node, found);
        }
        if node.role == Role::Key {
            if std::mem::take(&mut self.buffers.instance_mut(id).pending) {
                self.pending_keys[node.query as usize] -= 1;
            }
            let candidate = if open == NONE { Candidate::Kept(id) } else { Candidate::Open(open) };
            found.push(start, candidate);
        } else if node.returned != NONE {
            found.push(start, Candidate::Element(number, element));
        }
    }

    /// An answer of shape *nodes* is certain; it is given when its element is complete.
    pub(super) fn give_node(&mut self, number: u32, element: Option<ElementId>) {
        let compiled = self.compiled;
        let node = &compiled.nodes[number as usize];
        let query = &compiled.queries[node.query as usize];
        if self.stopped {
            return;
        }
        let Some(id) = element else {
            return self.count(node.query, 1);
        };
        let closed = self.buffers.element(id).closed;
        if self.modes[node.query as usize].wait_for_end && !closed {
            self.buffers.element_mut(id).waiting.push(number);
            return;
        }
        if query.shared_labels {
            let element = self.buffers.element(id);
            let label = query.returns[node.returned as usize].label.as_deref();
            let label: Box<str> = label.unwrap_or(&element.name).into();
            let key = (node.query, label);
            if element.given.contains(&key) {
                let start = element.start;
                self.resolved(start, number);
                return;
            }
            self.buffers.element_mut(id).given.push(key);
        }
        if self.needs.count_only {
            return self.count(node.query, 1);
        }
        if self.order.is_some() {
            self.buffers.retain_element(id);
            self.postpone(node.query, Payload::Node { node: number, element: id });
            let start = self.buffers.element(id).start;
            self.resolved(start, number);
            return;
        }
        let sequence = self.answers;
        self.answers += 1;
        let view = View { compiled: self.compiled, buffers: &self.buffers, needs: self.needs };
        let answer = Answer::Node(view.node_ref(node.query, number, id));
        let flow = self.sink.answer(node.query as usize, sequence, &answer);
        self.stopped |= flow.is_break();
    }

    pub(super) fn count(&mut self, query: u32, n: u64) {
        if self.stopped || n == 0 {
            return;
        }
        self.answers += n;
        if self.sink.count(query as usize, n) == ControlFlow::Break(()) {
            self.stopped = true;
        }
    }

    /// An answer of shape *instances*: the root's instance is closed and satisfied.
    pub(super) fn give_instance(&mut self, i: u32) {
        let query = self.compiled.nodes[self.open[i as usize].node as usize].query;
        if self.stopped {
            return;
        }
        if self.needs.count_only {
            return self.count(query, 1);
        }
        let instance = self.keep(i);
        if self.order.is_some() {
            self.buffers.retain_instance(instance);
            self.postpone(query, Payload::Instance(instance));
            return;
        }
        let sequence = self.answers;
        self.answers += 1;
        let view = View { compiled: self.compiled, buffers: &self.buffers, needs: self.needs };
        let answer = Answer::Instance(view.instance_fields(query, instance));
        let flow = self.sink.answer(query as usize, sequence, &answer);
        self.stopped |= flow.is_break();
    }

    fn key_confirmed(&mut self, i: u32) {
        let node = &self.compiled.nodes[self.open[i as usize].node as usize];
        let mode = self.modes[node.query as usize];
        let id = self.open[i as usize].node;
        let covered = self.compiled.queries[node.query as usize].nested_keys
            && self.lowest_confirmed[id as usize] < i;
        let waits = node.returned != NONE && mode.wait_for_end;
        if mode.shape == Shape::Tuples && !waits && !covered {
            self.enumerate_open(i);
        }
    }

    /// Hangs a satisfied (and, if that matters, closed) instance below the key into its parent's
    /// list, and gives the tuples that this completes.
    pub(super) fn link(&mut self, i: u32) -> Result<(), Error> {
        let compiled = self.compiled;
        let node = &compiled.nodes[self.open[i as usize].node as usize];
        let parent = self.open[i as usize].parent;
        self.open[i as usize].linked = true;
        let tuples = self.modes[node.query as usize].shape == Shape::Tuples;
        if !tuples || node.role == Role::InRun {
            self.push_up(i, parent, node);
            return self.check_buffers();
        }
        let instance = self.keep(i);
        self.buffers.retain_instance(instance);
        let nested = compiled.queries[node.query as usize].nested_keys
            && compiled.nodes[node.parent as usize].role == Role::Key;
        let (owners, keep) = if nested {
            // The outermost key has all the tuples of the inner ones.
            let outermost = self.lowest_confirmed[node.parent as usize];
            (if outermost <= parent { vec![outermost] } else { Vec::new() }, true)
        } else {
            let owners = match node.axis {
                Axis::Child => vec![parent],
                Axis::Descendant => self.enclosing(parent),
            };
            let keep = owners.iter().any(|&p| !self.passes_through(p));
            (owners, keep)
        };
        self.complete(owners, node.list, Item::Instance(instance));
        if keep {
            let lists = compiled.nodes[node.parent as usize].lists;
            let parent = self.keep(parent);
            self.buffers.push(parent, node.list, lists, Item::Instance(instance));
        } else {
            self.buffers.release_instance(instance);
        }
        self.check_buffers()
    }

    /// A run of a branch below or at the key, or inside another run.
    pub(super) fn add_run(&mut self, owner: u32, regular: &Regular, run: Run) -> Result<(), Error> {
        let node = &self.compiled.nodes[regular.owner as usize];
        let tuples = self.modes[node.query as usize].shape == Shape::Tuples;
        let direct = tuples && node.role != Role::InRun;
        let keep = !(direct && self.passes_through(owner));
        if !keep && self.needs.count_only && !self.compiled.queries[node.query as usize].ambiguous {
            self.count(node.query, 1);
            return Ok(());
        }
        let run = self.buffers.new_run(run);
        if direct {
            self.complete(vec![owner], regular.list, Item::Run(run));
        }
        if keep {
            let owner = self.keep(owner);
            self.buffers.push(owner, regular.list, node.lists, Item::Run(run));
        } else {
            self.buffers.release(Item::Run(run));
        }
        self.check_buffers()
    }

    /// Whether every tuple with a new entry of this instance can be given at once, so that the
    /// entry need not be kept: a confirmed key that has one list and is itself not returned.
    fn passes_through(&self, i: u32) -> bool {
        let open = &self.open[i as usize];
        let node = &self.compiled.nodes[open.node as usize];
        node.role == Role::Key && open.confirmed && node.lists == 1 && node.returned == NONE
    }

    /// A key instance opens: the memory of given tuples starts afresh when nothing can repeat one.
    pub(super) fn open_key(&mut self, id: u32, start: u64) {
        let compiled = self.compiled;
        let node = &compiled.nodes[id as usize];
        let query = &compiled.queries[node.query as usize];
        if let Some(order) = &mut self.order
            && (node.role == Role::Key || (query.key == NONE && node.returned != NONE))
        {
            order.begin(start, id);
        }
        if query.ambiguous
            && node.role == Role::Key
            && self.top[id as usize] == NONE
            && self.pending_keys[node.query as usize] == 0
        {
            self.given[node.query as usize].clear();
            self.given_bytes[node.query as usize] = 0;
        }
    }
}

/// What a confirmation has found and still has to look at. Every item in it is owned.
#[derive(Debug, Default)]
struct Found {
    lists: Vec<ListId>,
    instances: Vec<InstanceId>,
    candidates: Vec<(u64, Candidate)>,
    release: Vec<Item>,
}

#[derive(Clone, Copy, Debug)]
enum Candidate {
    /// A return node with its recorded element, if it has one.
    Element(u32, Option<ElementId>),
    /// An open key instance.
    Open(u32),
    /// A closed key instance.
    Kept(InstanceId),
}

impl Found {
    fn push(&mut self, start: u64, candidate: Candidate) {
        self.candidates.push((start, candidate));
    }

    fn confirm_instance(&mut self, instance: InstanceId) {
        self.instances.push(instance);
    }
}
