//! A search by itself, which can also change the chain that it walks.

use super::ahead::Place;
use super::entry::Kin;
use super::{Log, Stored, tag_of};
use crate::{Pair, Tuple};

/// From this many entries of one key on they get a run.
const RUN: usize = 8;

impl Log {
    /// Whether a bucket is not what it was when it was looked at.
    #[inline]
    pub(super) fn is_changed(&self, place: &Place) -> bool {
        self.heads[place.bucket as usize] != place.head
    }

    /// Shows the results of a tuple with those that were there before, from the place `since` on.
    /// Gives the distance to the entry before it in its bucket, the tags of the bucket, and its kin;
    /// if that is a run, the tuple is in it.
    #[inline(never)]
    pub(super) fn search(
        &mut self,
        tuple: &Tuple,
        place: &Place,
        since: u64,
        mut emit: impl FnMut(Pair),
    ) -> (u32, u64, Kin) {
        let (bucket, tag) = (place.bucket as usize, tag_of(place.tag));
        let layout = self.layout;
        let mut tags = layout.tags(self.heads[bucket]);
        let mut back = layout.age(self.heads[bucket], self.next);
        let head = self.next.wrapping_sub(back);
        let mut kin = Kin::First;
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
                if hot.tag == place.tag {
                    if let Kin::Run(run) = hot.kin()
                        && self.cold[at].key == tuple.key
                    {
                        // The new entry stands for the run in the chain from now on.
                        let link = match newer {
                            Some(newer) => &mut self.hot[newer].back,
                            None => &mut back,
                        };
                        *link = if hot.back == 0 { 0 } else { *link + hot.back };
                        kin = Kin::Run(run);
                        break;
                    }
                    equal += 1;
                    kin = Kin::Some;
                    self.probe(at, tuple, since, &mut emit);
                    if hot.is_first() && !crowded {
                        break;
                    }
                }
                if crowded {
                    seen = layout.add(seen, tag_of(hot.tag));
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
            let run = if let Kin::Run(run) = kin { Some(run) } else { None };
            if crowded && run.is_none() {
                tags = seen;
            }
            if let Some(run) = run {
                self.show_run(run, tuple, since, &mut emit);
                self.add_to_run(run, Stored::new(tuple));
            } else if equal >= RUN {
                let run;
                (run, back) = self.make_run(tuple, place.tag, head);
                kin = Kin::Run(run);
            }
        }
        (back, layout.add(tags, tag), kin)
    }

    /// Compares with an entry of the same tag that is in no run, unless it came before `since`.
    #[inline]
    pub(super) fn probe(&self, at: usize, tuple: &Tuple, since: u64, emit: &mut impl FnMut(Pair)) {
        let hot = &self.hot[at];
        if !hot.is_in_run()
            && hot.stream() != tuple.stream
            && let Some(product) = self.predicate.likely(hot.probability(), tuple.probability)
        {
            let cold = &self.cold[at];
            if cold.key == tuple.key
                && cold.seq >= since
                && let Some(limit) = self.predicate.too_fast(cold.time, hot.stream(), tuple)
                && cold.observation != tuple.observation
            {
                let stored = Stored::new(&cold.tuple(hot.stream(), hot.probability()));
                emit(stored.pair_of(tuple, product, limit));
            }
        }
    }
}
