//! How many pairs of a key are true, on average.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::Hash;

use super::Slices;
use crate::Product;

/// A sum of probabilities: an expected number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Expectation {
    /// In units of 1e-18.
    pub units: u128,
    /// Of how many pairs.
    pub pairs: u64,
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ONE: u128 = 1_000_000_000_000_000_000;
        write!(f, "{}", self.units / ONE)?;
        let mut rest = self.units % ONE;
        let mut places = 18;
        if rest > 0 {
            while rest.is_multiple_of(10) {
                rest /= 10;
                places -= 1;
            }
            write!(f, ".{rest:0places$}")?;
        }
        Ok(())
    }
}

/// Expected numbers of true pairs, by key and time slice.
///
/// The number is the sum of the pairs' probabilities, also when they depend on each other. Adding a
/// pair takes constant time; memory is that of the keys with pairs in open slices.
///
/// ```
/// use ujoin::mode::{Expected, Slices};
/// use ujoin::Product;
/// let mut expected = Expected::new(Slices::new(60).unwrap());
/// expected.add(10, "B-AB 123", Product::from_units(720_000_000_000_000_000));
/// expected.add(50, "B-AB 123", Product::from_units(810_000_000_000_000_000));
/// expected.finish(|start, counts| {
///     assert_eq!((start, counts[0].0, counts[0].1.to_string()), (0, "B-AB 123", "1.53".to_owned()));
/// });
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound(deserialize = "K: Hash + Eq + serde::Deserialize<'de>")))]
pub struct Expected<K> {
    slices: Slices,
    open: BTreeMap<i64, HashMap<K, Expectation>>,
}

impl<K: Hash + Ord> Expected<K> {
    /// By these slices.
    #[must_use]
    pub fn new(slices: Slices) -> Expected<K> {
        Expected { slices, open: BTreeMap::new() }
    }

    /// Adds a pair of a key.
    pub fn add(&mut self, time: i64, key: K, probability: Product) {
        let counts = self.open.entry(self.slices.start(time)).or_default();
        let count = counts.entry(key).or_default();
        count.units = count.units.saturating_add(u128::from(probability.units()));
        count.pairs += 1;
    }

    /// Whether a slice ends at or before a time.
    #[must_use]
    pub fn is_due(&self, time: i64) -> bool {
        self.open.first_key_value().is_some_and(|(&start, _)| self.slices.end(start) <= time)
    }

    /// Closes all slices that end at or before a time, in order, and shows each with its keys: the
    /// greatest number first, equal ones in the order of keys.
    pub fn close(&mut self, time: i64, mut show: impl FnMut(i64, Vec<(K, Expectation)>)) {
        while self.is_due(time) {
            self.close_first(&mut show);
        }
    }

    /// Closes all slices.
    pub fn finish(&mut self, mut show: impl FnMut(i64, Vec<(K, Expectation)>)) {
        while !self.open.is_empty() {
            self.close_first(&mut show);
        }
    }

    fn close_first(&mut self, show: &mut impl FnMut(i64, Vec<(K, Expectation)>)) {
        if let Some((start, counts)) = self.open.pop_first() {
            let mut counts: Vec<_> = counts.into_iter().collect();
            counts.sort_unstable_by(|(a, m), (b, n)| n.units.cmp(&m.units).then_with(|| a.cmp(b)));
            show(start, counts);
        }
    }
}
