//! The automaton of Aho and Corasick over types of events, with the three functions of the paper:
//! state transition (goto), failure transition, and conditional output.
//!
//! With failure links (method `sharing`) a state has its own edges, and what has none is tried from
//! the state of the longest proper suffix. Dense (method `proposed`) the failures are followed in
//! advance: one look-up an event, in a [`Table`].

use std::collections::VecDeque;
use std::sync::Arc;

use super::table::{Dense, Endings};
use super::{deliver, is_match};
use crate::detect::arrival::Arrival;
use crate::detect::catalog::{Catalog, Span};
use crate::detect::history::History;
use crate::detect::output::{Level, Match, Out, Sink};
use crate::event::{Event, TypeId};
use crate::heap::heap;
use crate::limits::{Limit, Policy};
use crate::pattern::PatternId;
use crate::stats::Counters;

/// The column of all types that no pattern uses.
const OTHER: u32 = 0;

/// Where a stream or partition is: the number of a state, or the place of its row in a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct State(pub(super) u32);

/// A pattern that ends in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Output {
    pub(super) number: PatternId,
    pub(super) length: u32,
    pub(super) place: u32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    /// Columns with the states behind them, sorted.
    pub(super) edges: Vec<(u32, u32)>,
    pub(super) failure: u32,
    /// The nearest state on the way of failures that has output of its own.
    pub(super) link: u32,
    /// Own output, in the order of the patterns.
    pub(super) output: Vec<Output>,
    pub(super) back: Back,
}

impl Node {
    fn edge(&self, column: u32) -> Option<u32> {
        let at = self.edges.binary_search_by_key(&column, |edge| edge.0).ok()?;
        Some(self.edges[at].1)
    }
}

/// How a state is reached.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Back {
    pub(super) parent: u32,
    pub(super) column: u32,
}

/// The automaton of a set of patterns; clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    functions: Arc<Functions>,
    found: Vec<Output>,
}

/// The three functions.
#[derive(Clone, Debug, Default)]
struct Functions {
    /// By type, its column.
    columns: Vec<u32>,
    types: Vec<TypeId>,
    /// The first one is the start. In the order of their depths; empty if there is a table.
    nodes: Vec<Node>,
    dense: Option<Dense>,
    /// By place of a pattern, from which event on it sees.
    since: Vec<u64>,
    /// The most operands of a pattern.
    longest: usize,
    /// Every pattern sees all events of what ends with this event or a later one.
    settled: u64,
    /// Whether every pattern is made of types alone, without windows of time: then nothing has to be
    /// remembered.
    plain: bool,
}

impl Automaton {
    pub(crate) fn new(catalog: &Catalog, dense: bool) -> Self {
        let mut this =
            Functions { types: vec![TypeId(u32::MAX)], plain: true, ..Functions::default() };
        let mut trie = vec![Node::default()];
        let mut youngest = 0_u64;
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
                        let back = Back { parent: node as u32, column };
                        trie.push(Node { back, ..Node::default() });
                        next
                    }
                };
            }
            if this.since.len() <= place as usize {
                this.since.resize(place as usize + 1, 0);
            }
            this.since[place as usize] = live.since;
            youngest = youngest.max(live.since);
            this.longest = this.longest.max(live.len());
            let length = live.len() as u32;
            trie[node].output.push(Output { number: live.number, length, place });
        }
        // Where all saw the beginning, none is too young for an event.
        this.settled = if youngest == 0 { 0 } else { youngest.saturating_add(this.longest as u64) };
        this.nodes = by_depth(trie);
        this.link();
        if dense && let Some(dense) = Dense::new(&this.nodes, this.types.len(), this.longest) {
            this.dense = Some(dense);
            this.nodes = Vec::new();
        }
        Automaton { functions: Arc::new(this), found: Vec::new() }
    }

    /// The state after an event.
    pub(crate) fn after(&self, state: State, event_type: TypeId) -> State {
        self.step(state, event_type, &mut Counters::default()).0
    }

    /// The state after a type of events, and whether it has output.
    #[inline]
    pub(crate) fn step(
        &self,
        state: State,
        event_type: TypeId,
        counters: &mut Counters,
    ) -> (State, bool) {
        let this = &*self.functions;
        let Some(dense) = &this.dense else {
            let next = this.follow(state.0, this.column(event_type), &mut counters.failures);
            let node = &this.nodes[next as usize];
            return (State(next), !node.output.is_empty() || node.link != 0);
        };
        dense.step(state, this.column(event_type))
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

    /// The conditional output of a state.
    pub(crate) fn output<S: Sink>(
        &mut self,
        state: State,
        catalog: &Catalog,
        source: Source<'_, '_>,
        counters: &mut Counters,
        out: &mut Out<'_, S>,
    ) {
        let this = &*self.functions;
        if let Some(dense) = &this.dense {
            return this.report(dense.endings(state).outputs(), catalog, source, counters, out);
        }
        let node = &this.nodes[state.0 as usize];
        if node.link == 0 {
            return this.report(node.output.iter().copied(), catalog, source, counters, out);
        }
        self.found.clear();
        let mut at = state.0;
        while at != 0 {
            let node = &this.nodes[at as usize];
            self.found.extend_from_slice(&node.output);
            at = node.link;
        }
        self.found.sort_unstable();
        this.report(self.found.iter().copied(), catalog, source, counters, out);
    }

    /// The way without a history, if that is how it is.
    #[inline]
    pub(crate) fn as_plain(&self) -> Option<Plain<'_>> {
        let functions = &*self.functions;
        let dense = functions.dense.as_ref().filter(|_| functions.plain)?;
        Some(Plain { functions, dense })
    }

    /// Whether nothing has to be remembered of a stream but its state.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.functions.plain
    }

    /// The types of events that lead to a state from the start: all that it remembers.
    pub(crate) fn word(&self, state: State) -> Vec<TypeId> {
        let this = &*self.functions;
        let mut at = this.dense.as_ref().map_or(state.0, |dense| dense.number(state));
        let mut word = Vec::new();
        while at != 0 {
            let back = match &this.dense {
                Some(dense) => dense.back(at),
                None => this.nodes[at as usize].back,
            };
            word.push(this.types[back.column as usize]);
            at = back.parent;
        }
        word.reverse();
        word
    }

    /// The state after some types of events.
    pub(crate) fn read(&self, word: &[TypeId]) -> State {
        word.iter().fold(State::default(), |state, event_type| self.after(state, *event_type))
    }

    pub(crate) fn nodes(&self) -> usize {
        self.functions.dense.as_ref().map_or(self.functions.nodes.len(), Dense::states)
    }
}

impl Functions {
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

    #[inline(always)]
    fn column(&self, event_type: TypeId) -> u32 {
        self.columns.get(event_type.0 as usize).copied().unwrap_or(OTHER)
    }

    /// Finds the failure transitions and the links between outputs.
    fn link(&mut self) {
        // Those before are nearer to the start, and done.
        for at in 1..self.nodes.len() {
            let Back { parent, column } = self.nodes[at].back;
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

    /// Reports the patterns that end in a state, as far as their conditions hold.
    #[inline]
    fn report<S: Sink>(
        &self,
        found: impl Iterator<Item = Output>,
        catalog: &Catalog,
        source: Source<'_, '_>,
        counters: &mut Counters,
        out: &mut Out<'_, S>,
    ) {
        match source {
            Source::Row(row) => self.report_types(found, row, out),
            Source::History(history, arrival) => {
                for Output { place, .. } in found {
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

    /// The same where types say everything.
    fn report_types<S: Sink>(
        &self,
        found: impl Iterator<Item = Output>,
        row: u64,
        out: &mut Out<'_, S>,
    ) {
        for Output { number, length, place } in found {
            // Events before the first one do not lead to a state with output.
            let first = row + 1 - u64::from(length);
            if row < self.settled && first < self.since[place as usize] {
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
}

/// What is known of the events before.
pub(crate) enum Source<'h, 'a> {
    /// Nothing is needed: the index of the current one says where those before are.
    Row(u64),
    History(&'h mut History, &'h Arrival<'a>),
}

/// The way without a history, where every pattern is made of types alone and there is a table.
#[derive(Clone, Copy)]
pub(crate) struct Plain<'a> {
    functions: &'a Functions,
    dense: &'a Dense,
}

impl<'a> Plain<'a> {
    /// The state after a type of events, and whether it has output.
    #[inline(always)]
    pub(crate) fn look_up(self, state: State, event_type: TypeId) -> (State, bool) {
        self.dense.step(state, self.functions.column(event_type))
    }

    /// Goes on to the end of a stream whose next event has the index `row`, and says which events
    /// complete something. Events are taken in blocks, and what they complete is said at the end of
    /// their block. Gives the state and the last event.
    #[inline]
    pub(crate) fn read<'e, E: Event + 'e>(
        self,
        state: State,
        row: &mut u64,
        events: impl Iterator<Item = &'e E>,
        mut completes: impl FnMut(u64, Completed<'a>),
    ) -> (State, Option<&'e E>) {
        let functions = self.functions;
        let column = |event: &E| functions.column(event.event_type());
        let completes = |row, endings| completes(row, Completed { functions, endings });
        self.dense.read(state, row, events, column, completes)
    }
}

/// What an event completes.
#[derive(Clone, Copy)]
pub(crate) struct Completed<'a> {
    functions: &'a Functions,
    endings: Endings<'a>,
}

/// Matches of at most so many events, which follow one another, are parts of one list of their indices.
const NEAR: usize = 16;

impl Completed<'_> {
    /// Delivers it to a sink without a limit; gives how many matches there were. `buffer` is room for
    /// indices.
    #[inline]
    pub(crate) fn deliver<S: Sink>(self, row: u64, sink: &mut S, buffer: &mut Vec<u64>) -> u64 {
        let Completed { functions, endings } = self;
        if functions.longest > NEAR || row < functions.settled || sink.level() != Level::Matches {
            let unlimited = Limit::new(usize::MAX, Policy::Error);
            let mut out = Out::new(sink, unlimited, std::mem::take(buffer));
            functions.report_types(endings.outputs(), row, &mut out);
            *buffer = out.buffer;
            return out.matches;
        }
        let first = row.wrapping_sub(NEAR as u64 - 1);
        let near: [u64; NEAR] = std::array::from_fn(|at| first.wrapping_add(at as u64));
        let mut matches = 0;
        for &ending in endings.all {
            matches += 1;
            let events = &near[NEAR - ending.length() as usize..];
            let flow = sink.matched(Match { pattern: ending.number, events });
            if flow.is_break() || ending.is_last() {
                break;
            }
        }
        matches
    }
}

/// The nodes of a trie in the order of their depths.
fn by_depth(mut trie: Vec<Node>) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::with_capacity(trie.len());
    let mut queue = VecDeque::from([(0, 0)]);
    while let Some((old, parent)) = queue.pop_front() {
        let at = nodes.len() as u32;
        let mut node = std::mem::take(&mut trie[old]);
        node.back.parent = parent;
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
    Functions { columns, types, nodes, dense, since }
    Automaton { functions, found }
}
