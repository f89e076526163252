//! Naive sharing of many sequence patterns: one graph of joins that keeps what each of them found.
//!
//! This is how systems that evaluate trees of joins (OpenCEP's multi-pattern mode is one) share work:
//! sub-sequences that patterns have in common become one node, and a node stores all its partial
//! matches within the window for whoever joins them. Which sub-sequences those are is chosen by
//! Re-Pair: as long as two neighbours stand together more than once, the most frequent two become one
//! node; what is left of a pattern is joined from the left. It finds what semantics `any` asks for.
//!
//! Expiry is lazy and joins begin at the first stored match that can follow, by binary search, so what
//! makes it slow is what the method is: every partial match is made and stored, also those that no
//! pattern ever completes.

use std::collections::{BTreeMap, HashMap};

/// A type of events, or a join.
type Node = u32;

/// The graph for a set of patterns.
#[derive(Clone, Debug)]
pub struct JoinDag {
    window: u64,
    /// The joins; node `types + n` is the n-th. Both sides of a join come before it.
    joins: Vec<Join>,
    types: usize,
    /// The joins that an event of a type can complete, in order.
    ends: Vec<Vec<u32>>,
    /// The patterns that are found when a node is.
    patterns: Vec<Vec<u32>>,
    /// What was found of each node, where a join reads it as its left side.
    stores: Vec<Store>,
    /// What the current event completes, by node.
    fresh: Vec<Vec<u64>>,
    next: u64,
}

#[derive(Clone, Copy, Debug)]
struct Join {
    left: Node,
    right: Node,
}

/// Partial matches of equal length, one behind the other, in the order of their last events.
#[derive(Clone, Debug, Default)]
struct Store {
    kept: bool,
    length: usize,
    events: Vec<u64>,
    /// So many events at the front are out of date.
    gone: usize,
}

impl Store {
    fn add(&mut self, found: &[u64]) {
        if self.kept {
            self.events.extend_from_slice(found);
        }
    }

    /// Drops from the front what begins before the oldest event; what is behind it goes with it later.
    fn expire(&mut self, oldest: u64) {
        while self.events.get(self.gone).is_some_and(|&first| first < oldest) {
            self.gone += self.length;
        }
        // Moving is paid by what was added since.
        if self.gone > self.events.len() / 2 {
            self.events.drain(..self.gone);
            self.gone = 0;
        }
    }

    /// Those that end before an event.
    fn before(&self, event: u64) -> &[u64] {
        let events = &self.events[self.gone..];
        let (mut low, mut high) = (0, events.len() / self.length);
        while low < high {
            let middle = usize::midpoint(low, high);
            if events[(middle + 1) * self.length - 1] < event {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        &events[..low * self.length]
    }
}

impl JoinDag {
    /// The graph of patterns over so many types, each pattern a list of types, none empty.
    pub fn new(types: usize, patterns: &[Vec<u8>], window: u64) -> Self {
        let mut builder = Builder { types, joins: Vec::new(), known: HashMap::new() };
        let mut words: Vec<Vec<Node>> =
            patterns.iter().map(|one| one.iter().map(|&kind| Node::from(kind)).collect()).collect();
        while let Some(pair) = most_frequent(&words) {
            let node = builder.join(pair);
            for word in &mut words {
                replace(word, pair, node);
            }
        }
        let mut roots = Vec::with_capacity(words.len());
        for word in &words {
            let first = word.first().copied().unwrap_or_default();
            roots.push(word.iter().skip(1).fold(first, |left, &right| builder.join((left, right))));
        }
        let Builder { joins, .. } = builder;
        let nodes = types + joins.len();
        let mut dag = Self {
            window,
            joins,
            types,
            ends: vec![Vec::new(); types],
            patterns: vec![Vec::new(); nodes],
            stores: vec![Store { length: 1, ..Store::default() }; nodes],
            fresh: vec![Vec::new(); nodes],
            next: 0,
        };
        for (number, root) in (0..).zip(roots) {
            dag.patterns[root as usize].push(number);
        }
        let mut last: Vec<usize> = (0..types).collect();
        for (at, &Join { left, right }) in dag.joins.iter().enumerate() {
            let (left, right) = (left as usize, right as usize);
            dag.stores[types + at].length = dag.stores[left].length + dag.stores[right].length;
            dag.stores[left].kept = true;
            last.push(last[right]);
            dag.ends[last[right]].push(at as u32);
        }
        dag
    }

    /// The number of joins.
    pub fn joins(&self) -> usize {
        self.joins.len()
    }

    /// Takes the next event, and gives each match that it completes: its pattern, and the numbers of
    /// its events.
    pub fn push(&mut self, kind: u8, mut each: impl FnMut(u32, &[u64])) {
        let (event, kind) = (self.next, usize::from(kind));
        self.next += 1;
        let oldest = (event + 1).saturating_sub(self.window);
        let Some(ends) = self.ends.get(kind) else { return };
        self.fresh[kind].clear();
        self.fresh[kind].push(event);
        for &at in ends {
            let Join { left, right } = self.joins[at as usize];
            let node = self.types + at as usize;
            let mut found = std::mem::take(&mut self.fresh[node]);
            found.clear();
            let store = &mut self.stores[left as usize];
            store.expire(oldest);
            let length = self.stores[right as usize].length;
            let store = &self.stores[left as usize];
            for suffix in self.fresh[right as usize].chunks_exact(length) {
                for prefix in store.before(suffix[0]).chunks_exact(store.length) {
                    if prefix[0] >= oldest {
                        found.extend_from_slice(prefix);
                        found.extend_from_slice(suffix);
                    }
                }
            }
            self.fresh[node] = found;
        }
        let nodes = ends.iter().map(|&at| self.types + at as usize);
        for node in std::iter::once(kind).chain(nodes) {
            let (store, found) = (&mut self.stores[node], &self.fresh[node]);
            store.add(found);
            for one in found.chunks_exact(store.length) {
                self.patterns[node].iter().for_each(|&pattern| each(pattern, one));
            }
        }
    }
}

struct Builder {
    types: usize,
    joins: Vec<Join>,
    known: HashMap<(Node, Node), Node>,
}

impl Builder {
    fn join(&mut self, (left, right): (Node, Node)) -> Node {
        let Self { types, joins, known } = self;
        *known.entry((left, right)).or_insert_with(|| {
            joins.push(Join { left, right });
            (*types + joins.len() - 1) as Node
        })
    }
}

/// The neighbours that stand together most often, if any do so twice; the least of several.
fn most_frequent(words: &[Vec<Node>]) -> Option<(Node, Node)> {
    let mut counts: BTreeMap<(Node, Node), u32> = BTreeMap::new();
    for word in words {
        let mut at = 0;
        while at + 1 < word.len() {
            let pair = (word[at], word[at + 1]);
            *counts.entry(pair).or_default() += 1;
            // In A A A the two are there once.
            let overlaps = pair.0 == pair.1 && word.get(at + 2) == Some(&pair.0);
            at += if overlaps { 2 } else { 1 };
        }
    }
    let most = counts.into_iter().max_by_key(|&(pair, count)| (count, std::cmp::Reverse(pair)))?;
    (most.1 > 1).then_some(most.0)
}

fn replace(word: &mut Vec<Node>, pair: (Node, Node), node: Node) {
    let mut to = 0;
    let mut at = 0;
    while at < word.len() {
        let fits = word[at] == pair.0 && word.get(at + 1) == Some(&pair.1);
        word[to] = if fits { node } else { word[at] };
        to += 1;
        at += if fits { 2 } else { 1 };
    }
    word.truncate(to);
}
