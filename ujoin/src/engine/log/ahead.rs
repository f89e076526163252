//! Looking ahead: many tuples are searched for side by side, a step at a time, so that memory is
//! waited for by all at once, and nothing branches on what has not arrived yet.

use std::hint::black_box;
use std::mem::size_of;

use super::entry::{Cold, Hot, Kin};
use super::{Log, mix, tag_of};
use crate::{Pair, Tuple};

/// How many tuples are searched for at a time.
pub(super) const AHEAD: usize = 128;
/// How many steps of a walk are made ahead. What takes more is searched for again, by itself.
const STEPS: usize = 6;
/// How many entries of a tag can be found.
const FOUND: usize = 4 * AHEAD;
/// Bytes of a cache line.
const LINE: usize = 64;

/// What a look at a tuple's bucket has shown. It holds as long as the bucket is unchanged.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The bucket as it was.
    pub(super) head: u64,
    /// Its tags once the tuple is in it.
    pub(super) tags: u64,
    pub(super) bucket: u32,
    pub(super) tag: u32,
    /// All ones if the newest entry of the bucket is in the log, else 0.
    pub(super) mask: u32,
    pub(super) kin: Kin,
    /// Whether the search was not finished: all of it is still to be done.
    pub(super) is_open: bool,
}

const NOWHERE: Place =
    Place { head: 0, tags: 0, bucket: 0, tag: 0, mask: 0, kin: Kin::First, is_open: false };

/// A search on its way through a chain.
#[derive(Clone, Copy, Default)]
struct Walk {
    position: u32,
    at: u32,
    tag: u32,
    /// The tuple, by its place among those looked at.
    tuple: u32,
}

/// What is known of the tuples that are looked at.
#[derive(Default)]
pub(super) struct Ahead {
    pub(super) places: Vec<Place>,
    walks: Vec<Walk>,
    /// Tuples and stored entries of their tags.
    found: Vec<(u32, u32)>,
    /// How many of these are left.
    count: usize,
}

impl Log {
    /// Searches for tuples that will come next. There must be room for them.
    #[inline]
    pub(super) fn look(&self, tuples: &[Tuple], ahead: &mut Ahead) {
        let layout = self.layout;
        if ahead.places.is_empty() {
            ahead.places = vec![NOWHERE; AHEAD];
            ahead.walks = vec![Walk::default(); AHEAD];
            ahead.found = vec![(0, 0); FOUND];
        }
        let places = &mut ahead.places[..tuples.len()];
        for (place, tuple) in places.iter_mut().zip(tuples) {
            let spread = mix(tuple.key);
            (place.bucket, place.tag) = (self.bucket(spread), spread as u32);
        }
        // The less is done between two loads, the more of them are under way at a time.
        for place in &mut *places {
            place.head = self.heads[place.bucket as usize];
        }
        let walks = &mut ahead.walks[..AHEAD];
        let mut count = 0;
        for (number, place) in places.iter_mut().enumerate() {
            let position = self.next.wrapping_sub(layout.age(place.head, self.next));
            let is_in = self.is_in(position);
            let tags = if is_in { layout.tags(place.head) } else { 0 };
            let tag = tag_of(place.tag);
            let walk = layout.has(tags, tag);
            place.tags = if walk { tags } else { layout.add_new(tags, tag) };
            place.mask = if is_in { u32::MAX } else { 0 };
            place.kin = Kin::First;
            // Where a chain had too many keys, those that it has now are to be noted anew.
            place.is_open = tags == layout.any;
            walks[count % AHEAD] = Walk { position, at: 0, tag: place.tag, tuple: number as u32 };
            count += usize::from(walk);
        }
        ahead.count = self.walk(places, &mut walks[..count.min(AHEAD)], &mut ahead.found);
        self.touch_room(tuples.len());
    }

    /// Walks through chains. Gives how many entries were found.
    #[inline]
    fn walk(&self, places: &mut [Place], walks: &mut [Walk], found: &mut [(u32, u32)]) -> usize {
        let (mut count, mut equal) = (walks.len(), 0);
        let mut touched = 0;
        for _ in 0..STEPS {
            if count == 0 || equal + count > FOUND {
                break;
            }
            for walk in &mut walks[..count] {
                let at = self.at(walk.position);
                walk.at = at as u32;
                touched ^= self.hot[at].tag;
            }
            black_box(touched);
            let mut left = 0;
            for number in 0..count {
                let walk = walks[number];
                let hot = &self.hot[walk.at as usize];
                let is_equal = hot.tag == walk.tag;
                found[equal % FOUND] = (walk.tuple, walk.at);
                equal += usize::from(is_equal);
                let place = &mut places[walk.tuple as usize];
                place.kin = if is_equal { Kin::Some } else { place.kin };
                place.is_open |= is_equal & hot.is_in_run();
                let position = walk.position.wrapping_sub(hot.back);
                walks[left] = Walk { position, ..walk };
                let ends = (is_equal & hot.is_first()) | (hot.back == 0);
                left += usize::from(!ends & self.is_in(position));
            }
            count = left;
        }
        for walk in &walks[..count] {
            places[walk.tuple as usize].is_open = true;
        }
        equal
    }

    /// Touches where tuples will go.
    #[inline]
    fn touch_room(&self, tuples: usize) {
        let mut touched = 0;
        let end = self.hot.len().min(self.next_at + tuples);
        for hot in self.hot[self.next_at..end].iter().step_by(LINE / size_of::<Hot>()) {
            touched ^= u64::from(hot.tag);
        }
        for cold in self.cold[self.next_at..end].iter().step_by(LINE / size_of::<Cold>()) {
            touched ^= cold.seq;
        }
        black_box(touched);
    }

    /// Shows the results of the searches that were finished.
    #[inline]
    pub(super) fn show(&self, tuples: &[Tuple], ahead: &mut Ahead, emit: &mut impl FnMut(Pair)) {
        let threshold = self.predicate.threshold;
        let Ahead { places, found, count: all, .. } = ahead;
        let mut count = 0;
        for number in 0..*all {
            let (tuple, at) = found[number];
            let (place, new) = (&places[tuple as usize], &tuples[tuple as usize]);
            let hot = &self.hot[at as usize];
            let product = u64::from(hot.nanos()) * u64::from(new.probability.nanos());
            let is_likely = product >= threshold;
            found[count] = (tuple, at);
            count += usize::from(is_likely & (hot.stream() != new.stream) & !place.is_open);
        }
        let mut touched = 0;
        for &(_, at) in &found[..count] {
            touched ^= self.cold[at as usize].key;
        }
        black_box(touched);
        for &(tuple, at) in &found[..count] {
            self.probe(at as usize, &tuples[tuple as usize], 0, emit);
        }
    }

    /// Has everything searched for again that has any results, one tuple after the other.
    #[inline]
    pub(super) fn open_all(&self, tuples: usize, ahead: &mut Ahead) {
        for place in &mut ahead.places[..tuples] {
            place.is_open |= place.kin != Kin::First;
        }
    }
}
