//! The best of each time slice.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::Slices;

/// Keeps the `k` greatest of each time slice until the slice is closed.
///
/// Adding one costs O(log k + log open slices); memory is that of k values for each open slice.
///
/// ```
/// use ujoin::mode::{Slices, TopK};
/// let mut top = TopK::new(2, Slices::new(10).unwrap());
/// for (time, rank) in [(1, 5), (2, 9), (9, 7), (12, 1)] {
///     top.offer(time, rank, || format!("{rank} at {time}"));
/// }
/// let mut closed = vec![];
/// top.close(10, |start, best| closed.push((start, best)));
/// assert_eq!(closed, [(0, vec![(9, "9 at 2".to_owned()), (7, "7 at 9".to_owned())])]);
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(deserialize = "R: Ord + serde::Deserialize<'de>, V: serde::Deserialize<'de>"))
)]
pub struct TopK<R, V> {
    k: usize,
    slices: Slices,
    /// By the start of the slice; the least on top.
    open: BTreeMap<i64, BinaryHeap<Reverse<Ranked<R, V>>>>,
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Ranked<R, V>(R, V);

impl<R: Ord, V> PartialEq for Ranked<R, V> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<R: Ord, V> Eq for Ranked<R, V> {}

impl<R: Ord, V> PartialOrd for Ranked<R, V> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<R: Ord, V> Ord for Ranked<R, V> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

impl<R: Ord, V> TopK<R, V> {
    /// For the best `k` of each slice.
    #[must_use]
    pub fn new(k: usize, slices: Slices) -> TopK<R, V> {
        TopK { k, slices, open: BTreeMap::new() }
    }

    /// Adds a value, which is made only if it is among the best so far. Ranks should differ; of
    /// equal ones it is not said which stays.
    pub fn offer(&mut self, time: i64, rank: R, value: impl FnOnce() -> V) {
        if self.k == 0 {
            return;
        }
        let best = self.open.entry(self.slices.start(time)).or_default();
        if best.len() == self.k {
            if best.peek().is_some_and(|Reverse(least)| least.0 >= rank) {
                return;
            }
            best.pop();
        }
        best.push(Reverse(Ranked(rank, value())));
    }

    /// Whether a slice ends at or before a time.
    #[must_use]
    pub fn is_due(&self, time: i64) -> bool {
        self.open.first_key_value().is_some_and(|(&start, _)| self.slices.end(start) <= time)
    }

    /// Closes all slices that end at or before a time, in order, and shows each with its best, the
    /// greatest first.
    pub fn close(&mut self, time: i64, mut show: impl FnMut(i64, Vec<(R, V)>)) {
        while self.is_due(time) {
            self.close_first(&mut show);
        }
    }

    /// Closes all slices.
    pub fn finish(&mut self, mut show: impl FnMut(i64, Vec<(R, V)>)) {
        while !self.open.is_empty() {
            self.close_first(&mut show);
        }
    }

    fn close_first(&mut self, show: &mut impl FnMut(i64, Vec<(R, V)>)) {
        if let Some((start, best)) = self.open.pop_first() {
            // The order of reversed values: the greatest comes first.
            let best = best.into_sorted_vec().into_iter();
            show(start, best.map(|Reverse(Ranked(rank, value))| (rank, value)).collect());
        }
    }
}
