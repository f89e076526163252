//! The paper's index: for each stream a list a slot, in descending probability (ULI).
//!
//! A shard has the indexes of one join thread: of one stream, or of several where fewer threads than
//! streams are wanted.

use std::mem::{replace, size_of};
use std::ops::Range;

use super::out::Out;
use super::shard::{Part, Predicate, Shard, Stored};
use crate::{Config, Expiry, Probability, StreamId, Tuple};

const NONE: u32 = u32::MAX;

/// An element of a list.
#[derive(Clone, Copy)]
struct Node {
    key: u64,
    time: i64,
    probability: Probability,
    next: u32,
    /// [`NONE`]: not in use.
    stream: StreamId,
}

/// What only results need.
#[derive(Clone, Copy)]
struct Cold {
    seq: u64,
    observation: u64,
}

pub(crate) struct Paper {
    predicate: Predicate,
    lateness: i64,
    slots: usize,
    streams: Range<StreamId>,
    /// First node of each list: those of the first stream, of the second, ...
    heads: Vec<u32>,
    nodes: Vec<Node>,
    cold: Vec<Cold>,
    free: Vec<u32>,
    watermark: i64,
    /// Whether walks unlink what is over.
    inline: bool,
    /// How much event time lies between two sweeps of all lists. Walks alone would leave what lies
    /// behind their early end for ever.
    interval: i64,
    /// The watermark from which on the next sweep is due; none before the first tuple.
    next_sweep: Option<i64>,
}

impl Paper {
    pub(crate) fn new(
        config: &Config,
        expiry: Expiry,
        slots: usize,
        streams: Range<StreamId>,
    ) -> Paper {
        let predicate = Predicate::new(config);
        let interval = match expiry {
            Expiry::Inline => (predicate.travel.longest() / 8).max(1),
            Expiry::Batch { interval } => interval,
        };
        Paper {
            lateness: config.lateness,
            slots,
            heads: vec![NONE; streams.len() * slots],
            streams,
            nodes: Vec::new(),
            cold: Vec::new(),
            free: Vec::new(),
            watermark: i64::MIN,
            inline: expiry == Expiry::Inline,
            interval,
            next_sweep: None,
            predicate,
        }
    }

    #[inline]
    fn list(&self, stream: StreamId, slot: u32) -> usize {
        (stream - self.streams.start) as usize * self.slots + slot as usize
    }

    #[inline]
    fn is_over(&self, node: &Node) -> bool {
        self.predicate.is_over(node.time, node.stream, self.watermark)
    }

    /// Joins the tuple with the list of one stream, or puts it there if it is its own.
    #[inline]
    fn visit(&mut self, stream: StreamId, tuple: &Tuple, slot: u32, out: &mut Out<'_>) {
        let list = self.list(stream, slot);
        if tuple.stream == stream {
            self.insert(list, tuple);
        } else if self.heads[list] != NONE {
            self.probe(list, tuple, out);
        }
    }

    fn probe(&mut self, list: usize, tuple: &Tuple, out: &mut Out<'_>) {
        let mut before = NONE;
        let mut at = self.heads[list];
        while at != NONE {
            let node = self.nodes[at as usize];
            if self.inline && self.is_over(&node) {
                self.unlink(list, before, at);
                at = node.next;
                continue;
            }
            // All that follow are less probable still.
            let Some(product) = self.predicate.likely(node.probability, tuple.probability) else {
                break;
            };
            if node.key == tuple.key
                && let Some(limit) = self.predicate.too_fast(node.time, node.stream, tuple)
                && self.cold[at as usize].observation != tuple.observation
            {
                out.push(self.stored(at).pair_of(tuple, product, limit));
            }
            before = at;
            at = node.next;
        }
    }

    fn insert(&mut self, list: usize, tuple: &Tuple) {
        let mut before = NONE;
        let mut at = self.heads[list];
        while at != NONE {
            let node = self.nodes[at as usize];
            if self.inline && self.is_over(&node) {
                self.unlink(list, before, at);
                at = node.next;
                continue;
            }
            if node.probability < tuple.probability {
                break;
            }
            before = at;
            at = node.next;
        }
        let Tuple { seq, observation, key, time, stream, probability } = *tuple;
        let node = Node { key, time, probability, next: at, stream };
        let cold = Cold { seq, observation };
        let new = match self.free.pop() {
            Some(new) => {
                (self.nodes[new as usize], self.cold[new as usize]) = (node, cold);
                new
            }
            None => {
                if self.nodes.len() == self.nodes.capacity() {
                    // By an eighth, so that a budget is not overshot by far.
                    let more = self.nodes.len() / 8 + 16;
                    self.nodes.reserve_exact(more);
                    self.cold.reserve_exact(more);
                }
                self.nodes.push(node);
                self.cold.push(cold);
                self.nodes.len() as u32 - 1
            }
        };
        *self.link(list, before) = new;
    }

    /// What points to the node after `before`.
    fn link(&mut self, list: usize, before: u32) -> &mut u32 {
        if before == NONE { &mut self.heads[list] } else { &mut self.nodes[before as usize].next }
    }

    fn unlink(&mut self, list: usize, before: u32, at: u32) {
        *self.link(list, before) = self.nodes[at as usize].next;
        self.nodes[at as usize].stream = NONE;
        self.free.push(at);
    }

    /// Takes a node out of its list, wherever it stands there.
    fn take_out(&mut self, at: u32) {
        let Node { key, stream, .. } = self.nodes[at as usize];
        let list = self.list(stream, (key % self.slots as u64) as u32);
        let mut before = NONE;
        let mut other = self.heads[list];
        while other != at {
            before = other;
            other = self.nodes[other as usize].next;
        }
        self.unlink(list, before, at);
    }

    /// Takes out of all lists what is over.
    fn sweep(&mut self) {
        for at in 0..self.nodes.len() as u32 {
            let node = &self.nodes[at as usize];
            if node.stream != NONE && self.is_over(node) {
                self.take_out(at);
            }
        }
    }

    fn stored(&self, at: u32) -> Stored {
        let Node { time, stream, probability, .. } = self.nodes[at as usize];
        let Cold { seq, observation } = self.cold[at as usize];
        Stored { seq, observation, time, stream, probability }
    }

    fn move_watermark(&mut self, watermark: i64) {
        if watermark <= self.watermark {
            return;
        }
        self.watermark = watermark;
        match self.next_sweep {
            Some(next) if watermark < next => return,
            Some(_) => self.sweep(),
            None => {}
        }
        self.next_sweep = Some(watermark.saturating_add(self.interval));
    }
}

impl Paper {
    /// Gives back what is free, each list in one piece.
    fn compact(&mut self) {
        let used = self.nodes.len() - self.free.len();
        let mut nodes: Vec<Node> = Vec::with_capacity(used);
        let mut cold = Vec::with_capacity(used);
        for head in &mut self.heads {
            let mut at = replace(head, NONE);
            let mut last: Option<usize> = None;
            while at != NONE {
                let node = self.nodes[at as usize];
                let place = nodes.len();
                match last {
                    Some(last) => nodes[last].next = place as u32,
                    None => *head = place as u32,
                }
                last = Some(place);
                nodes.push(Node { next: NONE, ..node });
                cold.push(self.cold[at as usize]);
                at = node.next;
            }
        }
        (self.nodes, self.cold, self.free) = (nodes, cold, Vec::new());
    }
}

impl Shard for Paper {
    fn join(&mut self, part: Part<'_>, out: &mut Out<'_>) {
        self.move_watermark(part.watermark);
        let tuples = part.tuples.iter().zip(part.slots);
        if out.is_ordered() || part.tuples.len() == 1 {
            for (tuple, &slot) in tuples {
                for stream in self.streams.clone() {
                    self.visit(stream, tuple, slot, out);
                }
                out.end_of_tuple();
                self.move_watermark(tuple.time.saturating_sub(self.lateness));
            }
        } else {
            // One index after the other, so that each is in the cache.
            for stream in self.streams.clone() {
                for (tuple, &slot) in tuples.clone() {
                    self.visit(stream, tuple, slot, out);
                }
            }
        }
    }

    fn expire(&mut self, watermark: i64) {
        self.move_watermark(watermark);
        if self.inline {
            self.sweep();
        }
    }

    fn resident(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    fn bytes(&self) -> usize {
        self.heads.len() * size_of::<u32>()
            + self.nodes.capacity() * size_of::<Node>()
            + self.cold.capacity() * size_of::<Cold>()
            + self.free.capacity() * size_of::<u32>()
    }

    fn growth(&self) -> usize {
        (size_of::<Node>() + size_of::<Cold>() + 2 * size_of::<u32>()) * 9 / 8
    }

    fn restore(&mut self, tuple: &Tuple, slot: u32) {
        self.insert(self.list(tuple.stream, slot), tuple);
    }

    fn handles(&self) -> Vec<u32> {
        let used = |at: &u32| self.nodes[*at as usize].stream != NONE;
        (0..self.nodes.len() as u32).filter(used).collect()
    }

    fn get(&self, handle: u32) -> Tuple {
        self.stored(handle).tuple(self.nodes[handle as usize].key)
    }

    fn remove(&mut self, handles: &[u32]) {
        for &at in handles {
            self.take_out(at);
        }
        // Room that is free but held would count in a budget as if it were used.
        if self.free.len() > self.nodes.len() / 2 {
            self.compact();
        }
    }
}
