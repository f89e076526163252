//! What one join thread owns and does.

use std::sync::Arc;

use super::out::Out;
use crate::{Config, Pair, Probability, Product, StreamId, TravelTimes, Tuple};

/// Tuples to be joined, and for the paper's engines the slot of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    pub(crate) tuples: Vec<Tuple>,
    /// Empty where no engine asks for slots.
    pub(crate) slots: Vec<u32>,
    /// That of the time before the first of the tuples.
    pub(crate) watermark: i64,
}

impl Batch {
    pub(crate) fn clear(&mut self) {
        self.tuples.clear();
        self.slots.clear();
    }

    pub(crate) fn part(&self) -> Part<'_> {
        Part { tuples: &self.tuples, slots: &self.slots, watermark: self.watermark }
    }
}

/// A view of a [`Batch`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a> {
    pub(crate) tuples: &'a [Tuple],
    pub(crate) slots: &'a [u32],
    pub(crate) watermark: i64,
}

/// The tuples of some keys or streams, and the search for partners among them: what one join thread
/// owns.
///
/// A *handle* numbers a tuple that is held, as long as nothing is joined, expired or removed.
pub(crate) trait Shard: Send {
    /// Finds the partners of each tuple among those before, and keeps it.
    fn join(&mut self, part: Part<'_>, out: &mut Out<'_>);

    /// Forgets what no tuple at or after the watermark can meet.
    fn expire(&mut self, watermark: i64);

    /// How many tuples are held.
    fn resident(&self) -> usize;

    /// How many bytes they and their index take.
    fn bytes(&self) -> usize;

    /// How many bytes one more tuple takes at most.
    fn growth(&self) -> usize;

    /// How many more tuples find room without more memory being taken than was set aside.
    fn room(&self) -> usize {
        usize::MAX
    }

    /// Keeps a tuple without looking for partners.
    fn restore(&mut self, tuple: &Tuple, slot: u32);

    /// The handles of all tuples, ascending.
    fn handles(&self) -> Vec<u32>;

    /// The tuple of a handle.
    fn get(&self, handle: u32) -> Tuple;

    /// Forgets the tuples of these handles, which ascend.
    fn remove(&mut self, handles: &[u32]);
}

/// What every engine asks of a pair.
#[derive(Clone, Debug)]
pub(crate) struct Predicate {
    pub(crate) threshold: u64,
    pub(crate) travel: Arc<TravelTimes>,
}

impl Predicate {
    pub(crate) fn new(config: &Config) -> Predicate {
        Predicate { threshold: config.threshold.units(), travel: Arc::clone(&config.travel) }
    }

    /// The product, if it reaches the threshold.
    #[inline]
    pub(crate) fn likely(&self, a: Probability, b: Probability) -> Option<Product> {
        let product = a.times(b);
        (product.units() >= self.threshold).then_some(product)
    }

    /// The travel time that the distance in time of a stored tuple and a newer arrival undercuts.
    #[inline]
    pub(crate) fn too_fast(&self, time: i64, stream: StreamId, new: &Tuple) -> Option<i64> {
        // Of equal times the one that arrived before is the earlier.
        let limit = if time <= new.time {
            self.travel.between(stream, new.stream)
        } else {
            self.travel.between(new.stream, stream)
        };
        (time.abs_diff(new.time) < limit as u64).then_some(limit)
    }

    /// Whether no tuple at or after the watermark can meet one of this time and stream. The
    /// difference saturates only where it is beyond every horizon.
    #[inline]
    pub(crate) fn is_over(&self, time: i64, stream: StreamId, watermark: i64) -> bool {
        watermark.saturating_sub(time) >= self.travel.horizon(stream)
    }
}

/// A stored tuple without its key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored {
    pub(crate) seq: u64,
    pub(crate) observation: u64,
    pub(crate) time: i64,
    pub(crate) stream: StreamId,
    pub(crate) probability: Probability,
}

impl Stored {
    #[inline]
    pub(crate) fn new(tuple: &Tuple) -> Stored {
        let Tuple { seq, observation, time, stream, probability, .. } = *tuple;
        Stored { seq, observation, time, stream, probability }
    }

    #[inline]
    pub(crate) fn tuple(&self, key: u64) -> Tuple {
        let Stored { seq, observation, time, stream, probability } = *self;
        Tuple { seq, observation, key, time, stream, probability }
    }

    /// The pair with a newer arrival of the same key, if it is a result.
    #[inline]
    pub(crate) fn pair(&self, new: &Tuple, predicate: &Predicate) -> Option<Pair> {
        if self.stream == new.stream {
            return None;
        }
        let probability = predicate.likely(self.probability, new.probability)?;
        let limit = predicate.too_fast(self.time, self.stream, new)?;
        (self.observation != new.observation).then(|| self.pair_of(new, probability, limit))
    }

    /// The pair with a newer arrival of the same key.
    #[inline]
    pub(crate) fn pair_of(&self, new: &Tuple, probability: Product, limit: i64) -> Pair {
        let stored = self.tuple(new.key);
        let (first, second) = if self.time <= new.time { (stored, *new) } else { (*new, stored) };
        Pair { first, second, probability, limit }
    }
}

/// Spreads keys: high and low bits of a full product.
#[inline]
pub(crate) fn mix(key: u64) -> u64 {
    let product = u128::from(key ^ 0xa076_1d64_78bd_642f) * 0xe703_7ed1_a0b4_28db;
    (product >> 64) as u64 ^ product as u64
}
