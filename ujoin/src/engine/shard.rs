//! What one join thread owns and does.

use std::sync::Arc;

use crate::{Config, Pair, Probability, Product, StreamId, TravelTimes, Tuple};

/// Results on their way to the sink: handed over whenever there are enough.
pub(crate) struct Out<'a> {
    pairs: Vec<Pair>,
    /// Takes all pairs; false: no more are wanted.
    hand_over: &'a mut dyn FnMut(&mut Vec<Pair>) -> bool,
    wanted: bool,
}

impl<'a> Out<'a> {
    /// So few that they stay in the nearest cache.
    const MANY: usize = 128;

    pub(crate) fn new(
        buffer: Vec<Pair>,
        hand_over: &'a mut dyn FnMut(&mut Vec<Pair>) -> bool,
    ) -> Out<'a> {
        Out { pairs: buffer, hand_over, wanted: true }
    }

    #[inline]
    pub(crate) fn push(&mut self, pair: Pair) {
        self.pairs.push(pair);
        if self.pairs.len() >= Out::MANY {
            self.flush();
        }
    }

    #[cold]
    fn flush(&mut self) {
        if self.wanted && !self.pairs.is_empty() {
            self.wanted = (self.hand_over)(&mut self.pairs);
        }
        self.pairs.clear();
    }

    /// Hands over what is left. The buffer can be used again.
    pub(crate) fn finish(mut self) -> Vec<Pair> {
        self.flush();
        self.pairs
    }
}

/// The tuples of some keys or streams, and the search for partners among them.
pub(crate) trait Shard: Send {
    /// Finds the partners of each tuple among those before, and keeps it. `watermark` is that of the
    /// time before the first of these tuples.
    fn join(&mut self, tuples: &[Tuple], watermark: i64, out: &mut Out<'_>);

    /// Forgets what no tuple at or after the watermark can meet.
    fn expire(&mut self, watermark: i64);

    /// How many tuples are held.
    fn resident(&self) -> usize;
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
        if self.observation == new.observation {
            return None;
        }
        let stored = self.tuple(new.key);
        let (first, second) = if self.time <= new.time { (stored, *new) } else { (*new, stored) };
        Some(Pair { first, second, probability, limit })
    }
}
