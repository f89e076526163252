//! Looking ahead, so that memory is waited for by many tuples at once.

use std::hint::black_box;

use super::{Cold, Hot, Log, SOME};
use crate::Tuple;

/// How many tuples' cache lines are fetched at a time.
pub(super) const AHEAD: usize = 128;
/// How many steps of a walk are fetched.
const STEPS: usize = 6;
/// Bytes of a cache line.
const LINE: usize = 64;

/// What a look at a tuple's bucket has shown, some tuples ahead.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    /// The bucket as it was.
    pub(super) head: u64,
    /// Its tags once the tuple is in it, if its chain need not be walked.
    pub(super) tags: u64,
    pub(super) bucket: u32,
    /// All ones if the newest entry of the bucket is in the log, else 0.
    pub(super) mask: u32,
    /// Whether an entry of the key may be in the chain.
    pub(super) walk: bool,
}

impl Log {
    /// Touches what the tuples' probes will look at, so that the memory answers all at once and not
    /// one after the other. Notes what their buckets have.
    #[inline]
    pub(super) fn fetch(&self, tuples: &[Tuple], places: &mut [Place; AHEAD]) {
        let layout = self.layout;
        let places = &mut places[..tuples.len()];
        for (place, tuple) in places.iter_mut().zip(tuples) {
            let (bucket, tag) = self.bucket(tuple.key);
            (place.tags, place.bucket) = (tag, bucket as u32);
        }
        // The less is done between two loads, the more of them are under way at a time.
        for place in &mut *places {
            place.head = self.heads[place.bucket as usize];
        }
        // Few chains need be walked. These are walked side by side, a step at a time; nothing branches
        // on what has not arrived yet.
        let mut walks = [(0, 0); AHEAD];
        let mut count = 0;
        for (place, tuple) in places.iter_mut().zip(tuples) {
            let position = self.next.wrapping_sub(layout.age(place.head, self.next));
            let is_in = self.is_in(position);
            let tags = if is_in { layout.tags(place.head) } else { 0 };
            place.walk = layout.has(tags, place.tags);
            place.mask = if is_in { u32::MAX } else { 0 };
            place.tags = layout.add_new(tags, place.tags);
            walks[count % AHEAD] = (position, tuple.key);
            count += usize::from(place.walk);
        }
        let mut found = [0; 2 * AHEAD];
        let mut equal = 0;
        let mut touched = 0;
        for _ in 0..STEPS {
            for &(position, _) in &walks[..count.min(AHEAD)] {
                touched ^= self.hot[self.at(position)].key;
            }
            black_box(touched);
            let mut left = 0;
            for walk in 0..count.min(AHEAD) {
                let (position, key) = walks[walk];
                let at = self.at(position);
                let hot = &self.hot[at];
                let is_equal = hot.key == key;
                found[equal % (2 * AHEAD)] = at;
                equal += usize::from(is_equal);
                let next = position.wrapping_sub(hot.back);
                walks[left] = (next, key);
                let ends = (is_equal & (hot.run != SOME)) | (hot.back == 0);
                left += usize::from(!ends & self.is_in(next));
            }
            count = left;
        }
        for &at in &found[..equal.min(2 * AHEAD)] {
            touched ^= self.cold[at].observation;
        }
        // Where the tuples go.
        let end = self.hot.len().min(self.next_at + tuples.len());
        for hot in self.hot[self.next_at..end].iter().step_by(LINE / size_of::<Hot>()) {
            touched ^= hot.key;
        }
        for cold in self.cold[self.next_at..end].iter().step_by(LINE / size_of::<Cold>()) {
            touched ^= cold.seq;
        }
        black_box(touched);
    }
}
