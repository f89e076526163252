//! One circular log of arrivals, chained by key.
//!
//! Entries of one bucket are linked from the newest back; a few bits of their keys stand in the bucket
//! itself, so that most searches end there. To forget, the tail of the log moves on; whatever points
//! behind the tail means "end". Nothing is freed one by one. Positions count arrivals modulo 2^32; a
//! bucket not used for so long may point to an entry of another bucket, which does no harm: keys are
//! compared, and links lead back only.
//!
//! A key with many entries has them in a *run*, too: side by side, in the order of arrival. Only its
//! newest entry stays in the chain, and knows the run.

mod ahead;
mod runs;

use std::collections::VecDeque;
use std::mem::size_of;

use self::ahead::{AHEAD, Place};
use super::layout::{Layout, tag_of};
use super::out::Out;
use super::shard::{Part, Predicate, Shard, Stored, mix};
use super::sweep::Sweep;
use crate::{Config, Pair, Probability, StreamId, Tuple};

/// What a probe looks at: half a cache line.
#[derive(Clone, Copy)]
struct Hot {
    key: u64,
    time: i64,
    probability: Probability,
    stream: StreamId,
    /// Distance to the entry before in the bucket; 0: none.
    back: u32,
    /// Number of the run, or [`SOME`] or [`FIRST`] if it has none.
    run: u32,
}

/// What only results need.
#[derive(Clone, Copy)]
struct Cold {
    seq: u64,
    observation: u64,
}

const NOTHING: Hot =
    Hot { key: 0, time: 0, probability: Probability::ONE, stream: 0, back: 0, run: FIRST };
/// In no run; there may be older entries of its key.
const SOME: u32 = u32::MAX;
/// In no run; there was no older entry of its key. A search for the key ends here, which spares it
/// what lies behind: memory that nobody has looked at for long.
const FIRST: u32 = u32::MAX - 1;
/// From this many entries of one key on they get a run.
const RUN: usize = 8;
const LEAST: usize = 64;
pub(crate) struct Log {
    predicate: Predicate,
    hot: Vec<Hot>,
    cold: Vec<Cold>,
    heads: Vec<u64>,
    layout: Layout,
    /// Position of the next entry, and the place in the arrays where it goes.
    next: u32,
    next_at: usize,
    len: usize,
    runs: Vec<VecDeque<Stored>>,
    free_runs: Vec<u32>,
    run_bytes: usize,
    sweep: Sweep,
    /// How many entries were asked for; beyond these the log grows. None: it grows as it likes.
    reserved: Option<usize>,
}

impl Log {
    /// With a limit in bytes all of it is taken at once.
    pub(crate) fn new(config: &Config, limit: Option<usize>) -> Log {
        // A bucket an entry, and what choosing the ones to go takes.
        let each = size_of::<Hot>() + size_of::<Cold>() + size_of::<u64>() + 8;
        let reserved = limit.map(|limit| (limit / each).max(2));
        let mut log = Log {
            predicate: Predicate::new(config),
            hot: Vec::new(),
            cold: Vec::new(),
            heads: Vec::new(),
            layout: Layout::new(0),
            // Not 0, so that no empty bucket points to an entry.
            next: 1,
            next_at: 0,
            len: 0,
            runs: Vec::new(),
            free_runs: Vec::new(),
            run_bytes: 0,
            sweep: Sweep::new(config),
            reserved,
        };
        let capacity = reserved.unwrap_or(LEAST);
        log.hot = vec![NOTHING; capacity];
        log.cold = vec![Cold { seq: 0, observation: 0 }; capacity];
        log.heads = vec![0; capacity];
        log.layout = Layout::new(capacity);
        log
    }

    #[inline]
    fn is_in(&self, position: u32) -> bool {
        (self.next.wrapping_sub(position).wrapping_sub(1) as usize) < self.len
    }

    /// Where an entry in the log is stored.
    #[inline]
    fn at(&self, position: u32) -> usize {
        let age = self.next.wrapping_sub(position) as usize;
        if age <= self.next_at { self.next_at - age } else { self.next_at + self.hot.len() - age }
    }

    #[inline]
    fn tail_at(&self) -> usize {
        if self.len <= self.next_at {
            self.next_at - self.len
        } else {
            self.next_at + self.hot.len() - self.len
        }
    }

    /// The bucket of a key, and its tag.
    #[inline]
    fn bucket(&self, key: u64) -> (usize, u64) {
        let spread = mix(key);
        let bucket = ((spread >> 32) * self.heads.len() as u64) >> 32;
        (bucket as usize, tag_of(spread))
    }

    /// Makes room for so many entries, more than there are.
    #[cold]
    fn grow(&mut self, capacity: usize) {
        let (tail, len) = (self.tail_at(), self.len);
        self.hot.rotate_left(tail);
        self.hot.reserve_exact(capacity - len);
        self.hot.resize(capacity, NOTHING);
        self.cold.rotate_left(tail);
        self.cold.reserve_exact(capacity - len);
        self.cold.resize(capacity, Cold { seq: 0, observation: 0 });
        self.next_at = len;
        // Positions and chains stay as they are while there are enough buckets.
        if self.heads.len() < capacity - capacity / 4 {
            self.heads = vec![0; capacity + capacity / 4];
            self.layout = Layout::new(capacity);
            self.rebuild(&mut |_| true);
        }
    }

    /// Chains anew those entries of which `keep` says so. It is asked in the order of arrival.
    #[cold]
    fn rebuild(&mut self, keep: &mut dyn FnMut(&Hot) -> bool) {
        let (tail, len, capacity) = (self.tail_at(), self.len, self.hot.len());
        self.runs.clear();
        self.free_runs.clear();
        self.run_bytes = 0;
        self.heads.fill(0);
        self.next = 1;
        self.len = 0;
        // In place: what is kept never overtakes what is read.
        self.next_at = tail;
        let mut tuples = Vec::with_capacity(AHEAD);
        let mut places = [Place::default(); AHEAD];
        for offset in 0..len {
            let at = tail + offset;
            let at = if at < capacity { at } else { at - capacity };
            if keep(&self.hot[at]) {
                tuples.push(tuple(&self.hot[at], &self.cold[at]));
            }
            if tuples.len() == AHEAD || offset + 1 == len {
                self.insert_all(&tuples, &mut places);
                tuples.clear();
            }
        }
    }

    /// Adds tuples without looking for results.
    fn insert_all(&mut self, tuples: &[Tuple], places: &mut [Place; AHEAD]) {
        self.reserve(tuples.len());
        self.fetch(tuples, places);
        for (tuple, place) in tuples.iter().zip(&*places) {
            self.insert(tuple, place, |_| ());
        }
    }

    /// Makes room for so many entries more.
    #[inline]
    fn reserve(&mut self, entries: usize) {
        if self.hot.len() - self.len < entries {
            // By a quarter: all of the log is gone round, so room that is not needed costs cache.
            self.grow(self.len + entries.max(self.len / 4 + 1));
        }
    }

    /// Adds a tuple that was looked at ahead; shows the results with those that were there before.
    /// There must be room.
    #[inline]
    fn insert(&mut self, tuple: &Tuple, place: &Place, emit: impl FnMut(Pair)) {
        let head = self.heads[place.bucket as usize];
        let (back, tags, run) = if place.walk | (head != place.head) {
            self.search(tuple, emit)
        } else {
            (self.layout.age(head, self.next) & place.mask, place.tags, FIRST)
        };
        let at = self.next_at;
        let Tuple { seq, observation, key, time, stream, probability } = *tuple;
        self.hot[at] = Hot { key, time, probability, stream, back, run };
        self.cold[at] = Cold { seq, observation };
        self.heads[place.bucket as usize] = self.layout.head(self.next, tags);
        self.next = self.next.wrapping_add(1);
        self.next_at = if at + 1 == self.hot.len() { 0 } else { at + 1 };
        self.len += 1;
    }

    /// Shows the results of a tuple with those that were there before. Gives the distance to the entry
    /// before it in its bucket, the tags of the bucket, and its run, with the tuple in it.
    #[inline(never)]
    fn search(&mut self, tuple: &Tuple, mut emit: impl FnMut(Pair)) -> (u32, u64, u32) {
        let (bucket, tag) = self.bucket(tuple.key);
        let layout = self.layout;
        let mut tags = layout.tags(self.heads[bucket]);
        let mut back = layout.age(self.heads[bucket], self.next);
        let head = self.next.wrapping_sub(back);
        let mut run = FIRST;
        if !self.is_in(head) {
            (back, tags) = (0, 0);
        }
        if back != 0 && layout.has(tags, tag) {
            let mut equal = 0;
            let mut position = head;
            // Where a chain had too many keys, those that it has now are noted anew.
            let crowded = tags == layout.any;
            let mut seen = 0;
            // The entry before in the chain, if any.
            let mut newer: Option<usize> = None;
            loop {
                let at = self.at(position);
                let hot = self.hot[at];
                if hot.key == tuple.key {
                    if hot.run < FIRST {
                        // The new entry stands for the run in the chain from now on.
                        let link = match newer {
                            Some(newer) => &mut self.hot[newer].back,
                            None => &mut back,
                        };
                        *link = if hot.back == 0 { 0 } else { *link + hot.back };
                        run = hot.run;
                        break;
                    }
                    equal += 1;
                    run = SOME;
                    self.probe(at, tuple, &mut emit);
                    if hot.run == FIRST && !crowded {
                        break;
                    }
                }
                if crowded {
                    seen = layout.add(seen, tag_of(mix(hot.key)));
                }
                if hot.back == 0 {
                    break;
                }
                newer = Some(at);
                position = position.wrapping_sub(hot.back);
                if !self.is_in(position) {
                    break;
                }
            }
            if crowded && run >= FIRST {
                tags = seen;
            }
            if run < FIRST {
                let (older, newer) = self.runs[run as usize].as_slices();
                for part in [older, newer] {
                    self.predicate.pairs(part, tuple, &mut emit);
                }
                self.add_to_run(run, Stored::new(tuple));
            } else if equal >= RUN {
                (run, back) = self.make_run(tuple, head);
            }
        }
        (back, layout.add(tags, tag), run)
    }

    /// Compares with an entry of the same key.
    #[inline]
    fn probe(&self, at: usize, tuple: &Tuple, emit: &mut impl FnMut(Pair)) {
        let hot = &self.hot[at];
        if hot.stream != tuple.stream
            && let Some(product) = self.predicate.likely(hot.probability, tuple.probability)
            && let Some(limit) = self.predicate.too_fast(hot.time, hot.stream, tuple)
            && self.cold[at].observation != tuple.observation
        {
            emit(stored(hot, &self.cold[at]).pair_of(tuple, product, limit));
        }
    }

    /// Forgets the oldest arrivals, up to the first that is later than `time`.
    fn forget_until(&mut self, time: i64) {
        while self.len > 0 {
            let tail = self.tail_at();
            let end = self.hot.len().min(tail + self.len);
            let goes = |hot: &&Hot| (hot.time <= time) & (hot.run >= FIRST);
            let gone = self.hot[tail..end].iter().take_while(goes).count();
            self.len -= gone;
            match self.hot[tail..end].get(gone) {
                // The rest is at the beginning.
                None => {}
                Some(hot) if hot.time <= time => self.forget_oldest(),
                Some(_) => break,
            }
        }
    }

    /// Forgets the oldest arrival, which may be in a run.
    fn forget_oldest(&mut self) {
        let run = self.hot[self.tail_at()].run;
        self.len -= 1;
        if run < FIRST {
            let members = &mut self.runs[run as usize];
            members.pop_front();
            if members.is_empty() {
                self.run_bytes -= members.capacity() * size_of::<Stored>();
                *members = VecDeque::new();
                self.free_runs.push(run);
            }
        }
    }
}

impl Shard for Log {
    fn join(&mut self, part: Part<'_>, out: &mut Out<'_>) {
        self.expire(part.watermark);
        let mut places = [Place::default(); AHEAD];
        for tuples in part.tuples.chunks(AHEAD) {
            self.reserve(tuples.len());
            self.fetch(tuples, &mut places);
            for (tuple, place) in tuples.iter().zip(&places) {
                self.insert(tuple, place, |pair| out.push(pair));
                out.end_of_tuple();
            }
        }
        self.sweep.inserted(part.tuples.len());
    }

    fn expire(&mut self, watermark: i64) {
        if let Some(time) = watermark.checked_sub(self.predicate.travel.longest()) {
            self.forget_until(time);
        }
        if self.sweep.is_due(self.len) {
            let predicate = self.predicate.clone();
            let is_over = |hot: &Hot| predicate.is_over(hot.time, hot.stream, watermark);
            self.rebuild(&mut |hot| !is_over(hot));
        }
    }

    fn resident(&self) -> usize {
        self.len
    }

    fn bytes(&self) -> usize {
        // What was set aside counts when it is used.
        let spare = self.reserved.map_or(0, |reserved| reserved.saturating_sub(self.len));
        (self.hot.len() - spare) * (size_of::<Hot>() + size_of::<Cold>())
            + self.heads.len() * size_of::<u64>()
            + self.runs.capacity() * size_of::<VecDeque<Stored>>()
            + self.run_bytes
    }

    fn growth(&self) -> usize {
        // A run that doubles, and the list of runs.
        let run = 4 * size_of::<Stored>();
        size_of::<Hot>() + size_of::<Cold>() + run
    }

    fn room(&self) -> usize {
        self.reserved.map_or(usize::MAX, |reserved| reserved.saturating_sub(self.len))
    }

    fn restore(&mut self, tuple: &Tuple, _: u32) {
        self.insert_all(std::slice::from_ref(tuple), &mut [Place::default(); AHEAD]);
    }

    fn handles(&self) -> Vec<u32> {
        (0..self.len as u32).collect()
    }

    fn get(&self, handle: u32) -> Tuple {
        let at = self.tail_at() + handle as usize;
        let at = if at < self.hot.len() { at } else { at - self.hot.len() };
        tuple(&self.hot[at], &self.cold[at])
    }

    fn remove(&mut self, handles: &[u32]) {
        let (mut handles, mut at) = (handles.iter().copied().peekable(), 0_u32);
        self.rebuild(&mut |_| {
            at += 1;
            handles.next_if_eq(&(at - 1)).is_none()
        });
    }
}

fn stored(hot: &Hot, cold: &Cold) -> Stored {
    let Hot { time, stream, probability, .. } = *hot;
    Stored { seq: cold.seq, observation: cold.observation, time, stream, probability }
}

fn tuple(hot: &Hot, cold: &Cold) -> Tuple {
    stored(hot, cold).tuple(hot.key)
}
