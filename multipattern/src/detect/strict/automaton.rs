//! The automaton of Aho and Corasick over types of events, with the three functions of the paper:
//! state transition (goto), failure transition, and conditional output.
//!
//! With failure links (method `sharing`) a state has its own edges, and what has none is tried from
//! the state of the longest proper suffix. Dense (method `proposed`) the failures are followed in
//! advance: one look-up an event.

use std::collections::VecDeque;

use super::{deliver, is_match};
use crate::detect::arrival::Arrival;
use crate::detect::catalog::{Catalog, Span};
use crate::detect::history::History;
use crate::detect::output::{Level, Out, Sink};
use crate::event::TypeId;
use crate::heap::heap;
use crate::pattern::PatternId;
use crate::stats::Counters;

/// Tables of more entries are not made: failure links are followed.
const MOST_ENTRIES: usize = 1 << 26;
/// More outputs than these are not brought together for each state.
const MOST_OUTPUTS: usize = 1 << 22;
/// The column of all types that no pattern uses.
const OTHER: u32 = 0;

/// Where a stream or partition is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct State(u32);

/// A pattern that ends in a state, with all that is needed where types say everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Output {
    number: PatternId,
    place: u32,
    length: u32,
    since: u64,
}

#[derive(Clone, Debug, Default)]
struct Node {
    /// Columns with the states behind them, sorted.
    edges: Vec<(u32, u32)>,
    failure: u32,
    /// The nearest state on the way of failures that has output of its own.
    link: u32,
    /// Own output, in the order of the patterns.
    output: Vec<Output>,
    parent: u32,
    column: u32,
}

impl Node {
    fn edge(&self, column: u32) -> Option<u32> {
        let at = self.edges.binary_search_by_key(&column, |edge| edge.0).ok()?;
        Some(self.edges[at].1)
    }
}

/// What ends in a state, close together: a stream is often in states that are far from each other.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    begin: u32,
    end: u32,
    /// That of the node.
    link: u32,
}

/// The automaton of a set of patterns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Automaton {
    /// By type, its column.
    columns: Vec<u32>,
    types: Vec<TypeId>,
    /// The first one is the start. In the order of their depths, unless there is a table: then those
    /// with output come last.
    nodes: Vec<Node>,
    /// By state and column, the next state times the number of columns; empty without.
    table: Vec<u32>,
    stride: usize,
    /// The first state in the table that has output.
    first_output: u32,
    /// By state.
    marks: Vec<Mark>,
    outputs: Vec<Output>,
    /// Whether every pattern is made of types alone, without windows of time: then nothing has to be
    /// remembered.
    pub(crate) plain: bool,
    found: Vec<Output>,
}

impl Automaton {
    pub(crate) fn new(catalog: &Catalog, dense: bool) -> Self {
        let mut this = Automaton { types: vec![TypeId(u32::MAX)], plain: true, ..Self::default() };
        let mut trie = vec![Node::default()];
        for (place, live) in catalog.lives() {
            match catalog.span(live.span) {
                // It can never match.
                Span::Events(events) if events < live.len() as u64 => continue,
                Span::Events(_) => {}
                Span::Time(_) => this.plain = false,
            }
            this.plain &= !live.has_checks();
            let mut node = 0;
            for &class in &live.classes {
                let class = catalog.class(class);
                this.plain &= class.own.is_empty();
                let column = this.add_type(class.event_type);
                node = match trie[node].edges.iter().find(|edge| edge.0 == column) {
                    Some(edge) => edge.1 as usize,
                    None => {
                        let next = trie.len();
                        trie[node].edges.push((column, next as u32));
                        trie.push(Node { parent: node as u32, column, ..Node::default() });
                        next
                    }
                };
            }
            let (length, since) = (live.len() as u32, live.since);
            trie[node].output.push(Output { number: live.number, place, length, since });
        }
        this.nodes = by_depth(trie);
        this.stride = this.types.len();
        this.link();
        let merged = dense && this.merge_outputs();
        if !merged {
            for node in &this.nodes {
                let begin = this.outputs.len() as u32;
                this.outputs.extend_from_slice(&node.output);
                let end = this.outputs.len() as u32;
                this.marks.push(Mark { begin, end, link: node.link });
            }
        }
        if dense && this.nodes.len().saturating_mul(this.stride) <= MOST_ENTRIES {
            this.fill();
        }
        this
    }

    fn add_type(&mut self, event_type: TypeId) -> u32 {
        let at = event_type.0 as usize;
        if self.columns.len() <= at {
            self.columns.resize(at + 1, OTHER);
        }
        if self.columns[at] == OTHER {
            self.columns[at] = self.types.len() as u32;
            self.types.push(event_type);
        }
        self.columns[at]
    }

    /// Finds the failure transitions and the links between outputs.
    fn link(&mut self) {
        // Those before are nearer to the start, and done.
        for at in 1..self.nodes.len() {
            let (parent, column) = (self.nodes[at].parent, self.nodes[at].column);
            let failure = if parent == 0 {
                0
            } else {
                self.follow(self.nodes[parent as usize].failure, column, &mut 0)
            };
            let target = &self.nodes[failure as usize];
            let link = if target.output.is_empty() { target.link } else { failure };
            let node = &mut self.nodes[at];
            (node.failure, node.link) = (failure, link);
        }
    }

    /// Gives every state all that ends in it, in the order of the patterns, so that no links need be
    /// followed; not, if that is very much.
    fn merge_outputs(&mut self) -> bool {
        for node in &self.nodes {
            let begin = self.outputs.len();
            if node.link != 0 {
                // That of the link, which is nearer to the start, has its links in it.
                let Mark { begin, end, .. } = self.marks[node.link as usize];
                self.outputs.extend_from_within(begin as usize..end as usize);
            }
            self.outputs.extend_from_slice(&node.output);
            if self.outputs.len() > MOST_OUTPUTS {
                self.marks.clear();
                self.outputs.clear();
                return false;
            }
            self.outputs[begin..].sort_unstable();
            let end = self.outputs.len() as u32;
            self.marks.push(Mark { begin: begin as u32, end, link: 0 });
        }
        true
    }

    /// The state behind another one.
    fn follow(&self, mut state: u32, column: u32, failures: &mut u64) -> u32 {
        loop {
            match self.nodes[state as usize].edge(column) {
                Some(next) => return next,
                None if state == 0 => return 0,
                None => {
                    *failures += 1;
                    state = self.nodes[state as usize].failure;
                }
            }
        }
    }

    /// Makes the table: where a state has no edge, it has that of its failure.
    fn fill(&mut self) {
        let stride = self.stride;
        let mut table = vec![0; self.nodes.len() * stride];
        for (at, node) in self.nodes.iter().enumerate() {
            let failure = node.failure as usize * stride;
            if at > 0 {
                table.copy_within(failure..failure + stride, at * stride);
            }
            for &(column, next) in &node.edges {
                table[at * stride + column as usize] = next;
            }
        }
        self.table = table;
        self.put_outputs_last();
    }

    /// Numbers the states anew, those with output behind the others: so a number says which, and the
    /// way from look-up to look-up is short. States in the table become places of rows.
    fn put_outputs_last(&mut self) {
        let Automaton { nodes, marks, .. } = self;
        let (with, without): (Vec<u32>, Vec<u32>) = (0..nodes.len() as u32).partition(|&at| {
            marks[at as usize].end > marks[at as usize].begin || marks[at as usize].link > 0
        });
        self.first_output = (without.len() * self.stride) as u32;
        let order = [without, with].concat();
        let mut new = vec![0; order.len()];
        for (to, &from) in (0..).zip(&order) {
            new[from as usize] = to;
        }
        let stride = self.stride;
        let rows = order.iter().map(|&from| from as usize * stride);
        let table = rows.flat_map(|row| &self.table[row..row + stride]);
        self.table = table.map(|&next| new[next as usize] * stride as u32).collect();
        self.marks = order.iter().map(|&from| self.marks[from as usize]).collect();
        self.marks.iter_mut().for_each(|mark| mark.link = new[mark.link as usize]);
        self.nodes =
            order.iter().map(|&from| std::mem::take(&mut self.nodes[from as usize])).collect();
        for node in &mut self.nodes {
            for number in [&mut node.failure, &mut node.link, &mut node.parent] {
                *number = new[*number as usize];
            }
            node.edges.iter_mut().for_each(|edge| edge.1 = new[edge.1 as usize]);
        }
    }

    /// The state after a type of events, and whether it has output.
    #[inline]
    pub(crate) fn step(
        &self,
        state: State,
        event_type: TypeId,
        counters: &mut Counters,
    ) -> (State, bool) {
        if self.table.is_empty() {
            let column = self.columns.get(event_type.0 as usize).copied().unwrap_or(OTHER);
            let next = self.follow(state.0, column, &mut counters.failures);
            let node = &self.nodes[next as usize];
            return (State(next), !node.output.is_empty() || node.link != 0);
        }
        self.look_up(state, event_type)
    }

    /// Moves on by an event and reports what ends with it.
    #[inline]
    pub(crate) fn arrive<S: Sink>(
        &mut self,
        state: &mut State,
        event_type: TypeId,
        catalog: &Catalog,
        source: Source<'_, '_>,
        counters: &mut Counters,
        out: &mut Out<'_, S>,
    ) {
        let (next, output) = self.step(*state, event_type, counters);
        *state = next;
        counters.transitions += 1;
        if output {
            self.output(next, catalog, source, counters, out);
        }
    }

    /// The state after an event.
    pub(crate) fn after(&self, state: State, event_type: TypeId) -> State {
        self.step(state, event_type, &mut Counters::default()).0
    }

    /// The conditional output of a state.
    pub(crate) fn output<S: Sink>(
        &mut self,
        state: State,
        catalog: &Catalog,
        source: Source<'_, '_>,
        counters: &mut Counters,
        out: &mut Out<'_, S>,
    ) {
        let at = if self.table.is_empty() { state.0 } else { state.0 / self.stride as u32 };
        let mark = self.marks[at as usize];
        if mark.link == 0 {
            let own = &self.outputs[mark.begin as usize..mark.end as usize];
            return report(own, catalog, source, counters, out);
        }
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        let mut at = at;
        while at != 0 {
            let mark = self.marks[at as usize];
            found.extend_from_slice(&self.outputs[mark.begin as usize..mark.end as usize]);
            at = mark.link;
        }
        found.sort_unstable();
        report(&found, catalog, source, counters, out);
        self.found = found;
    }

    /// Whether failures were followed in advance.
    pub(crate) fn is_dense(&self) -> bool {
        !self.table.is_empty()
    }

    /// The state after a type of events, and whether it has output; only where
    /// [`is_dense`](Self::is_dense).
    #[inline(always)]
    pub(crate) fn look_up(&self, state: State, event_type: TypeId) -> (State, bool) {
        let column = self.columns.get(event_type.0 as usize).copied().unwrap_or(OTHER);
        let next = self.table[state.0 as usize + column as usize];
        (State(next), next >= self.first_output)
    }

    /// The types of events that lead to a state from the start: all that it remembers.
    pub(crate) fn word(&self, state: State) -> Vec<TypeId> {
        let mut at =
            if self.table.is_empty() { state.0 } else { state.0 / self.stride.max(1) as u32 };
        let mut word = Vec::new();
        while at != 0 {
            let node = &self.nodes[at as usize];
            word.push(self.types[node.column as usize]);
            at = node.parent;
        }
        word.reverse();
        word
    }

    /// The state after some types of events.
    pub(crate) fn read(&self, word: &[TypeId]) -> State {
        let mut counters = Counters::default();
        let step = |state, event_type: &TypeId| self.step(state, *event_type, &mut counters).0;
        word.iter().fold(State::default(), step)
    }

    pub(crate) fn nodes(&self) -> usize {
        self.nodes.len()
    }
}

/// What is known of the events before.
pub(crate) enum Source<'h, 'a> {
    /// Nothing is needed: the index of the current one says where those before are.
    Row(u64),
    History(&'h mut History, &'h Arrival<'a>),
}

/// Reports the patterns that end in a state, as far as their conditions hold.
fn report<S: Sink>(
    found: &[Output],
    catalog: &Catalog,
    source: Source<'_, '_>,
    counters: &mut Counters,
    out: &mut Out<'_, S>,
) {
    match source {
        Source::Row(row) => {
            for &Output { number, length, since, .. } in found {
                // Events before the first one do not lead to a state with output.
                let first = row + 1 - u64::from(length);
                if first < since {
                    continue;
                }
                if out.level == Level::Count {
                    out.count(number, row, 1);
                } else {
                    out.buffer.clear();
                    out.buffer.extend(first..=row);
                    out.single(number);
                }
                if out.stopped {
                    return;
                }
            }
        }
        Source::History(history, arrival) => {
            for &Output { place, .. } in found {
                let live = catalog.live(place);
                let low = arrival.low(catalog, history, live);
                counters.probes += 1;
                if is_match(live, history, arrival, low, counters) {
                    deliver(live, history, arrival, out);
                    if out.stopped {
                        return;
                    }
                }
            }
        }
    }
}

/// The nodes of a trie in the order of their depths.
fn by_depth(mut trie: Vec<Node>) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::with_capacity(trie.len());
    let mut queue = VecDeque::from([(0, 0)]);
    while let Some((old, parent)) = queue.pop_front() {
        let at = nodes.len() as u32;
        let mut node = std::mem::take(&mut trie[old]);
        node.parent = parent;
        node.edges.sort_unstable();
        for edge in &mut node.edges {
            queue.push_back((edge.1 as usize, at));
            // Breadth first, those that wait are numbered in their order.
            edge.1 = at + queue.len() as u32;
        }
        nodes.push(node);
    }
    nodes
}

heap! {
    Output {}
    Node { edges, output }
    Mark {}
    Automaton { columns, types, nodes, table, marks, outputs, found }
}
