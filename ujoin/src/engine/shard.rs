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

    /// Shows the pairs of a newer arrival with tuples of its key, in their order.
    ///
    /// Which of them are likely enough cannot be foreseen, so nothing branches on it.
    #[inline]
    pub(crate) fn pairs(&self, stored: &[Stored], new: &Tuple, emit: &mut impl FnMut(Pair)) {
        const MANY: usize = 64;
        let mut chosen = [0_usize; MANY];
        for part in stored.chunks(MANY) {
            let mut count = 0;
            for (place, stored) in part.iter().enumerate() {
                chosen[count % MANY] = place;
                let product = stored.probability.times(new.probability).units();
                let is_likely = product >= self.threshold;
                let others =
                    (stored.stream != new.stream) & (stored.observation != new.observation);
                count += usize::from(is_likely & others);
            }
            for &place in &chosen[..count] {
                let stored = &part[place];
                if let Some(limit) = self.too_fast(stored.time, stored.stream, new) {
                    emit(stored.pair_of(new, stored.probability.times(new.probability), limit));
                }
            }
        }
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

/// Spreads keys: high and low bits of a full product, multiplied once more. Without that the high bits
/// of keys that follow one another are multiples of one number, of which many fall together.
#[inline]
pub(crate) fn mix(key: u64) -> u64 {
    let product = u128::from(key ^ 0xa076_1d64_78bd_642f) * 0xe703_7ed1_a0b4_28db;
    ((product >> 64) as u64 ^ product as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::mix;

    /// What the engines' test of keys that look alike relies on.
    #[test]
    fn some_keys_look_alike() {
        let alike = |key| (mix(key) as u32, mix(key) >> 58);
        assert_eq!(alike(3835086355272930), alike(2879995262659666));
        assert_eq!(alike(6060495035429755), alike(4479085283354832));
        assert_eq!(alike(8207842269018325), alike(4533895353245272));
    }

    /// Of n keys in n places a share of 1 - 1/e is alone or first in its place, if by chance.
    #[test]
    fn keys_with_a_pattern_are_spread_as_if_by_chance() {
        const KEYS: u64 = 100_000;
        let patterns: [fn(u64) -> u64; 5] =
            [|n| n, |n| n * 100, |n| n << 16, |n| n << 40, |n| 7_000_000_000 + n * 36];
        for (pattern, key) in patterns.into_iter().enumerate() {
            for shift in [32, 0] {
                let mut used = vec![false; KEYS as usize];
                for n in 0..KEYS {
                    let bits = (mix(key(n)) >> shift) & 0xffff_ffff;
                    used[((bits * KEYS) >> 32) as usize] = true;
                }
                let used = used.iter().filter(|used| **used).count();
                assert!((60_000..67_000).contains(&used), "{pattern} {shift}: {used}");
            }
        }
    }
}
