//! One circular log of arrivals, chained by key.
//!
//! Entries of one bucket are linked from the newest back; a few bits of their keys stand in the bucket
//! itself, so that most searches end there. The others compare 32 bits of the spread key, which stand
//! with the link in 16 bytes of their own, and look at the rest of an entry only for likely results.
//! Many tuples are searched for side by side. To forget, the tail of the log moves on; whatever points
//! behind the tail means "end". Nothing is freed one by one. Positions count arrivals modulo 2^32; a
//! bucket not used for so long may point to an entry of another bucket, which does no harm: keys are
//! compared, and links lead back only.
//!
//! A key with many entries has them in a *run*, too: side by side, in the order of arrival. Only its
//! newest entry stays in the chain, and knows the run.

mod ahead;
mod entry;
mod runs;
mod search;
mod tail;

use std::collections::VecDeque;
use std::mem::{size_of, take};

use self::ahead::{AHEAD, Ahead, Place};
use self::entry::{Cold, Hot, Kin, NO_COLD, NO_HOT};
use self::tail::Block;
use super::layout::{Layout, tag_of};
use super::out::Out;
use super::shard::{Part, Predicate, Shard, Stored, mix};
use super::sweep::Sweep;
use crate::{Config, Pair, Tuple};

const LEAST: usize = 64;

pub(crate) struct Log {
    predicate: Predicate,
    hot: Vec<Hot>,
    cold: Vec<Cold>,
    blocks: Vec<Block>,
    /// What is no later is forgotten, if its block is.
    over: Option<i64>,
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
    ahead: Ahead,
}

impl Log {
    /// With a limit in bytes all of it is taken at once.
    pub(crate) fn new(config: &Config, limit: Option<usize>) -> Log {
        // A bucket an entry, and what choosing the ones to go takes.
        let each = size_of::<Hot>() + size_of::<Cold>() + size_of::<u64>() + 9;
        let reserved = limit.map(|limit| (limit / each).max(2));
        let mut log = Log {
            predicate: Predicate::new(config),
            hot: Vec::new(),
            cold: Vec::new(),
            blocks: Vec::new(),
            over: None,
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
            ahead: Ahead::default(),
        };
        let capacity = reserved.unwrap_or(LEAST);
        log.hot = vec![NO_HOT; capacity];
        log.cold = vec![NO_COLD; capacity];
        log.blocks = Log::blocks(capacity);
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

    /// The bucket of a key that was spread.
    #[inline]
    fn bucket(&self, spread: u64) -> u32 {
        (((spread >> 32) * self.heads.len() as u64) >> 32) as u32
    }

    /// Makes room for so many entries, more than there are.
    #[cold]
    fn grow(&mut self, capacity: usize) {
        let (tail, len) = (self.tail_at(), self.len);
        self.hot.rotate_left(tail);
        self.hot.reserve_exact(capacity - len);
        self.hot.resize(capacity, NO_HOT);
        self.cold.rotate_left(tail);
        self.cold.reserve_exact(capacity - len);
        self.cold.resize(capacity, NO_COLD);
        self.next_at = len;
        self.note_all();
        // Positions and chains stay as they are while there are enough buckets.
        if self.heads.len() < capacity - capacity / 4 {
            self.heads = vec![0; capacity + capacity / 4];
            self.layout = Layout::new(capacity);
            self.rebuild(&mut |_| true);
        }
    }

    /// Chains anew those entries of which `keep` says so. It is asked in the order of arrival.
    #[cold]
    fn rebuild(&mut self, keep: &mut dyn FnMut(&Tuple) -> bool) {
        self.dissolve_runs();
        let (tail, len, capacity) = (self.tail_at(), self.len, self.hot.len());
        self.heads.fill(0);
        self.next = 1;
        self.len = 0;
        // In place: what is kept never overtakes what is read.
        self.next_at = tail;
        let mut tuples = Vec::with_capacity(AHEAD);
        for offset in 0..len {
            let at = tail + offset;
            let at = if at < capacity { at } else { at - capacity };
            let tuple = self.tuple(at);
            if keep(&tuple) {
                tuples.push(tuple);
            }
            if tuples.len() == AHEAD || offset + 1 == len {
                self.insert_all(&tuples);
                tuples.clear();
            }
        }
    }

    /// Adds tuples without looking for results, no more than are looked at ahead.
    fn insert_all(&mut self, tuples: &[Tuple]) {
        let mut ahead = take(&mut self.ahead);
        self.reserve(tuples.len());
        self.look(tuples, &mut ahead);
        for (tuple, place) in tuples.iter().zip(&ahead.places) {
            self.insert(tuple, place, 0, |_| ());
        }
        self.ahead = ahead;
    }

    /// Makes room for so many entries more.
    #[inline]
    fn reserve(&mut self, entries: usize) {
        if self.hot.len() - self.len < entries
            && let Some(time) = self.over
        {
            self.forget_until(time, true);
        }
        if self.hot.len() - self.len < entries {
            // By a quarter: all of the log is gone round, so room that is not needed costs cache.
            self.grow(self.len + entries.max(self.len / 4 + 1));
        }
    }

    /// Adds a tuple that was looked at ahead. Shows those of its results that the look ahead has not
    /// shown: all if it says so, else those with tuples from the place `since` on. There must be room.
    #[inline]
    fn insert(&mut self, tuple: &Tuple, place: &Place, since: u64, emit: impl FnMut(Pair)) {
        let (back, tags, kin) = if place.is_open | self.is_changed(place) {
            let since = if place.is_open { 0 } else { since };
            self.search(tuple, place, since, emit)
        } else {
            (self.layout.age(place.head, self.next) & place.mask, place.tags, place.kin)
        };
        let at = self.next_at;
        self.note(at, tuple.time, matches!(kin, Kin::Run(_)));
        self.hot[at] = Hot::new(tuple, place.tag, back, kin);
        self.cold[at] = Cold::new(tuple);
        self.heads[place.bucket as usize] = self.layout.head(self.next, tags);
        self.next = self.next.wrapping_add(1);
        self.next_at = if at + 1 == self.hot.len() { 0 } else { at + 1 };
        self.len += 1;
    }

    /// Forgets what no tuple at or after the watermark can meet; what is over but may stay, as
    /// [`forget_until`](Log::forget_until) has it, unless all of it is to go.
    fn forget(&mut self, watermark: i64, all: bool) {
        if let Some(time) = watermark.checked_sub(self.predicate.travel.longest()) {
            self.over = Some(time);
            self.forget_until(time, all);
        }
        if self.sweep.is_due(self.len) {
            let predicate = self.predicate.clone();
            self.rebuild(&mut |tuple| !predicate.is_over(tuple.time, tuple.stream, watermark));
        }
    }

    /// Where the entry is stored before which so many are older.
    #[inline]
    fn at_offset(&self, offset: usize) -> usize {
        let at = self.tail_at() + offset;
        if at < self.hot.len() { at } else { at - self.hot.len() }
    }

    fn tuple(&self, at: usize) -> Tuple {
        let (hot, cold) = (&self.hot[at], &self.cold[at]);
        let stream = match hot.kin() {
            Kin::Run(run) => self.stream_in(run, cold.seq),
            Kin::First | Kin::Some => hot.stream(),
        };
        cold.tuple(stream, hot.probability())
    }
}

impl Shard for Log {
    fn join(&mut self, part: Part<'_>, out: &mut Out<'_>) {
        self.forget(part.watermark, false);
        let mut ahead = take(&mut self.ahead);
        for tuples in part.tuples.chunks(AHEAD) {
            self.reserve(tuples.len());
            self.look(tuples, &mut ahead);
            if out.is_ordered() {
                self.open_all(tuples.len(), &mut ahead);
            }
            self.show(tuples, &mut ahead, &mut |pair| out.push(pair));
            let since = tuples[0].seq;
            for (tuple, place) in tuples.iter().zip(&ahead.places) {
                self.insert(tuple, place, since, |pair| out.push(pair));
                out.end_of_tuple();
            }
        }
        self.ahead = ahead;
        self.sweep.inserted(part.tuples.len());
    }

    fn expire(&mut self, watermark: i64) {
        self.forget(watermark, true);
    }

    fn resident(&self) -> usize {
        self.len
    }

    fn bytes(&self) -> usize {
        // What was set aside counts when it is used.
        let spare = self.reserved.map_or(0, |reserved| reserved.saturating_sub(self.len));
        (self.hot.len() - spare) * (size_of::<Hot>() + size_of::<Cold>())
            + self.blocks.len() * size_of::<Block>()
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
        self.insert_all(std::slice::from_ref(tuple));
    }

    fn handles(&self) -> Vec<u32> {
        (0..self.len as u32).collect()
    }

    fn get(&self, handle: u32) -> Tuple {
        self.tuple(self.at_offset(handle as usize))
    }

    fn remove(&mut self, handles: &[u32]) {
        let (mut handles, mut at) = (handles.iter().copied().peekable(), 0_u32);
        self.rebuild(&mut |_| {
            at += 1;
            handles.next_if_eq(&(at - 1)).is_none()
        });
    }
}
