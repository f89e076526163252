//! Tuples: the distinct bindings of the return nodes, enumerated lazily.
//!
//! Below the key node every spine branch of an instance has a list of entries. An embedding is a
//! choice of one entry a list, all the way down; it is complete when its last entry is linked. So
//! each new entry gives exactly the embeddings that contain it: whatever was linked before, times
//! the entry, upwards through the linked instances that enclose it.

use hashbrown::HashSet;

use crate::automaton::compile::{NONE, Role, SpineBranch};
use crate::pattern::Axis;
use crate::{Answer, Sink};

use super::Engine;
use super::answer::View;
use super::buffer::{InstanceId, Item, ListId, RunId};
use super::order::Payload;

/// What a return node or a run is bound to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Slot {
    #[default]
    Empty,
    Instance(InstanceId),
    Run(RunId),
}

/// A list from which an entry is still to be chosen.
#[derive(Clone, Copy, Debug)]
enum Choice {
    /// Of an open instance: its own list and, on the descendant axis, those of inner ones.
    Open { instance: u32, list: u32 },
    /// Of a closed instance.
    Kept { instance: InstanceId, list: u32 },
}

impl<S: Sink> Engine<'_, S> {
    /// All tuples of an open key instance so far.
    pub(super) fn enumerate_open(&mut self, i: u32) {
        let query = self.query_of(i);
        self.reset_slots(query);
        let mut choices = Vec::new();
        self.bind_open(i);
        self.choose_open(i, NONE, &mut choices);
        self.enumerate(query, &mut choices, 0);
    }

    /// All tuples of a closed key instance.
    pub(super) fn enumerate_kept(&mut self, id: InstanceId) {
        let query = self.compiled.nodes[self.buffers.instance(id).node as usize].query;
        self.reset_slots(query);
        let mut choices = Vec::new();
        self.bind(id);
        self.choose_below(id, &mut choices);
        self.enumerate(query, &mut choices, 0);
    }

    /// A new entry of the same list of some open instances of one node, outermost last: gives the
    /// tuples that contain it.
    pub(super) fn complete(&mut self, owners: Vec<u32>, list: u32, item: Item) {
        let Some(&first) = owners.first() else { return };
        let query = self.query_of(first);
        self.reset_slots(query);
        let mut choices = Vec::new();
        self.bind_item(item, &mut choices);
        self.ascend(query, owners, list, &mut choices);
    }

    fn query_of(&self, i: u32) -> u32 {
        self.compiled.nodes[self.open[i as usize].node as usize].query
    }

    fn reset_slots(&mut self, query: u32) {
        let slots = self.compiled.queries[query as usize].slots as usize;
        self.slots.clear();
        self.slots.resize(slots, Slot::Empty);
    }

    /// Goes up to the key through all linked instances that enclose the entry.
    fn ascend(&mut self, query: u32, owners: Vec<u32>, via: u32, choices: &mut Vec<Choice>) {
        let Some(&first) = owners.first() else { return };
        let compiled = self.compiled;
        let node = &compiled.nodes[self.open[first as usize].node as usize];
        if node.relay {
            // A relay binds nothing, so all its instances are taken at once: that several of them
            // lie on the way must not multiply the work.
            let parents = self.linked_parents(&owners, node.axis);
            return self.ascend(query, parents, node.list, choices);
        }
        let waits = node.returned != NONE && self.modes[query as usize].wait_for_end;
        let before = choices.len();
        for i in owners {
            let open = self.open[i as usize];
            if node.role == Role::Key {
                // A returned key gives its tuples when it closes.
                if open.confirmed && !waits {
                    self.bind_open(i);
                    self.choose_open(i, via, choices);
                    self.enumerate(query, choices, 0);
                }
            } else if open.linked {
                self.bind_open(i);
                self.choose_open(i, via, choices);
                let parents = self.linked_parents(&[i], node.axis);
                self.ascend(query, parents, node.list, choices);
            }
            choices.truncate(before);
            if self.stopped {
                return;
            }
        }
    }

    /// The instances in whose lists the linked ones among `owners` hang, outermost last.
    fn linked_parents(&self, owners: &[u32], axis: Axis) -> Vec<u32> {
        let linked = owners.iter().map(|&i| &self.open[i as usize]).filter(|o| o.linked);
        match axis {
            Axis::Child => {
                let mut parents: Vec<u32> = linked.map(|o| o.parent).collect();
                parents.dedup();
                parents
            }
            // All that enclose the innermost one enclose the others or lie between.
            Axis::Descendant => match linked.map(|o| o.parent).max() {
                Some(innermost) => self.enclosing(innermost),
                None => Vec::new(),
            },
        }
    }

    /// An open instance and all outer ones of its node.
    pub(super) fn enclosing(&self, innermost: u32) -> Vec<u32> {
        std::iter::successors(Some(innermost), |&i| {
            let previous = self.open[i as usize].previous;
            (previous != NONE).then_some(previous)
        })
        .collect()
    }

    fn bind_open(&mut self, i: u32) {
        let slot = self.compiled.nodes[self.open[i as usize].node as usize].slot;
        if slot != NONE {
            let id = self.keep(i);
            self.slots[slot as usize] = Slot::Instance(id);
        }
    }

    fn bind(&mut self, id: InstanceId) {
        let slot = self.compiled.nodes[self.buffers.instance(id).node as usize].slot;
        if slot != NONE {
            self.slots[slot as usize] = Slot::Instance(id);
        }
    }

    /// Adds the lists of an open instance, except the one through which we came.
    fn choose_open(&self, instance: u32, via: u32, choices: &mut Vec<Choice>) {
        let node = &self.compiled.nodes[self.open[instance as usize].node as usize];
        let lists = (0..node.lists).filter(|&l| l != via);
        choices.extend(lists.map(|list| Choice::Open { instance, list }));
    }

    fn choose_below(&self, id: InstanceId, choices: &mut Vec<Choice>) {
        let instance = self.buffers.instance(id);
        if instance.open != NONE {
            return self.choose_open(instance.open, NONE, choices);
        }
        let lists = self.compiled.nodes[instance.node as usize].lists;
        choices.extend((0..lists).map(|list| Choice::Kept { instance: id, list }));
    }

    fn bind_item(&mut self, item: Item, choices: &mut Vec<Choice>) {
        match item {
            Item::Instance(id) => {
                self.bind(id);
                self.choose_below(id, choices);
            }
            Item::Run(run) => {
                let parent = self.run_slot(run);
                if parent != NONE {
                    self.slots[parent as usize] = Slot::Run(run);
                }
            }
            Item::Shared(_) => debug_assert!(false, "walks resolve shared lists"),
        }
    }

    fn run_slot(&self, run: RunId) -> u32 {
        let regular = self.buffers.run(run).regular;
        self.compiled.regulars[regular as usize].slot
    }

    /// Makes the choices from number `at` on in all possible ways.
    fn enumerate(&mut self, query: u32, choices: &mut Vec<Choice>, at: usize) {
        if self.stopped {
            return;
        }
        let Some(&choice) = choices.get(at) else {
            return self.give_tuple(query);
        };
        let before = choices.len();
        let mut walk = Walk::new(self.lists(choice));
        while let Some(item) = walk.next(self) {
            self.bind_item(item, choices);
            self.enumerate(query, choices, at + 1);
            choices.truncate(before);
            if self.stopped {
                return;
            }
        }
    }

    /// The lists that hold the entries of a choice.
    fn lists(&self, choice: Choice) -> Vec<ListId> {
        let (instance, list) = match choice {
            Choice::Kept { instance, list } => {
                return self.buffers.list(instance, list).into_iter().collect();
            }
            Choice::Open { instance, list } => (instance, list),
        };
        let open = &self.open[instance as usize];
        let node = &self.compiled.nodes[open.node as usize];
        let of = |i: u32| self.open[i as usize].instance.and_then(|id| self.buffers.list(id, list));
        let mut lists: Vec<ListId> = of(instance).into_iter().collect();
        let shared = matches!(node.spine[list as usize], SpineBranch::Node(c)
            if self.compiled.nodes[c as usize].axis == Axis::Descendant);
        if shared {
            // Inner instances hand their lists over when they close.
            let mut inner = self.top[open.node as usize];
            while inner != instance && inner != NONE {
                lists.extend(of(inner));
                inner = self.open[inner as usize].previous;
            }
        }
        lists
    }

    /// All slots are bound.
    fn give_tuple(&mut self, query: u32) {
        let compiled = self.compiled;
        if compiled.queries[query as usize].ambiguous {
            let key = self.identity();
            let bytes = size_of_val(&*key) + size_of::<Box<[u64]>>();
            if !self.given[query as usize].insert(key) {
                return;
            }
            self.given_bytes[query as usize] += bytes;
            if self.check_buffers().is_err() {
                // Reported by whoever made the entry; giving more would only make it worse.
                return;
            }
        }
        if self.needs.count_only {
            return self.count(query, 1);
        }
        if self.order.is_some() {
            let slots = self.slots.clone();
            for slot in &slots {
                match *slot {
                    Slot::Instance(id) => self.buffers.retain_item(Item::Instance(id)),
                    Slot::Run(run) => self.buffers.retain_item(Item::Run(run)),
                    Slot::Empty => {}
                }
            }
            return self.postpone(query, Payload::Tuple(slots));
        }
        let sequence = self.answers;
        self.answers += 1;
        let view = View { compiled: self.compiled, buffers: &self.buffers, needs: self.needs };
        let answer = Answer::Tuple(view.tuple_fields(query, &self.slots));
        let flow = self.sink.answer(query as usize, sequence, &answer);
        self.stopped |= flow.is_break();
    }

    /// What makes a tuple distinct: the elements, and for a run its parent and bounds.
    fn identity(&self) -> Box<[u64]> {
        let mut key = Vec::with_capacity(self.slots.len() * 3);
        for slot in &self.slots {
            match *slot {
                Slot::Empty => key.push(u64::MAX),
                Slot::Instance(id) => key.push(self.buffers.instance(id).start),
                Slot::Run(id) => {
                    let run = self.buffers.run(id);
                    key.extend([run.parent, run.first, run.last]);
                }
            }
        }
        key.into()
    }
}

/// Walks the entries of lists, lists of inner elements and what relays let pass included: every
/// list once, without recursion.
#[derive(Debug)]
struct Walk {
    stack: Vec<(ListId, usize)>,
    /// Lists met so far, kept only where a list can be met twice.
    seen: HashSet<ListId>,
    /// Entries met so far, likewise.
    entries: HashSet<InstanceId>,
}

impl Walk {
    fn new(lists: Vec<ListId>) -> Self {
        let seen = if lists.len() > 1 { lists.iter().copied().collect() } else { HashSet::new() };
        let stack = lists.into_iter().rev().map(|l| (l, 0)).collect();
        Walk { stack, seen, entries: HashSet::new() }
    }

    fn next<S: Sink>(&mut self, engine: &Engine<'_, S>) -> Option<Item> {
        loop {
            let (list, at) = self.stack.last_mut()?;
            let Some(&item) = engine.buffers.items(*list).get(*at) else {
                self.stack.pop();
                continue;
            };
            *at += 1;
            match item {
                Item::Shared(inner) => {
                    if self.seen.insert(inner) {
                        self.stack.push((inner, 0));
                    }
                }
                Item::Run(_) => return Some(item),
                Item::Instance(id) => {
                    let instance = engine.buffers.instance(id);
                    if !engine.compiled.nodes[instance.node as usize].relay {
                        return Some(item);
                    }
                    if !self.entries.insert(id) {
                        continue;
                    }
                    let choice = match instance.open {
                        NONE => Choice::Kept { instance: id, list: 0 },
                        open => Choice::Open { instance: open, list: 0 },
                    };
                    let lists = engine.lists(choice).into_iter().filter(|&l| self.seen.insert(l));
                    self.stack.extend(lists.map(|l| (l, 0)));
                }
            }
        }
    }
}
