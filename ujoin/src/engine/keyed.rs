//! A table of keys, each with the list of its tuples in the order of arrival.

use std::collections::VecDeque;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::shard::{Out, Predicate, Shard, Stored};
use crate::{Config, Tuple};

/// The tuples of one key. Most keys have one at a time, which needs no allocation.
enum List {
    One(Stored),
    Many(VecDeque<Stored>),
}

pub(crate) struct Keyed {
    predicate: Predicate,
    lists: HashMap<u64, List>,
    /// Keys and times of all tuples in the order of arrival, which is the order of each list, too:
    /// what leaves here leaves the front of its list, whatever the order of times.
    arrivals: VecDeque<(u64, i64)>,
}

impl Keyed {
    pub(crate) fn new(config: &Config) -> Keyed {
        Keyed {
            predicate: Predicate::new(config),
            lists: HashMap::new(),
            arrivals: VecDeque::new(),
        }
    }

    fn forget_oldest(&mut self) {
        let Some((key, _)) = self.arrivals.pop_front() else { return };
        let Entry::Occupied(mut list) = self.lists.entry(key) else { return };
        let is_empty = match list.get_mut() {
            List::One(_) => true,
            List::Many(many) => {
                many.pop_front();
                many.is_empty()
            }
        };
        if is_empty {
            list.remove();
        }
    }
}

impl Shard for Keyed {
    fn join(&mut self, tuples: &[Tuple], watermark: i64, out: &mut Out<'_>) {
        self.expire(watermark);
        for tuple in tuples {
            let stored = Stored::new(tuple);
            self.arrivals.push_back((tuple.key, tuple.time));
            match self.lists.entry(tuple.key) {
                Entry::Vacant(place) => {
                    place.insert(List::One(stored));
                }
                Entry::Occupied(mut place) => match place.get_mut() {
                    List::One(before) => {
                        if let Some(pair) = before.pair(tuple, &self.predicate) {
                            out.push(pair);
                        }
                        let many = VecDeque::from([*before, stored]);
                        place.insert(List::Many(many));
                    }
                    List::Many(many) => {
                        let (older, newer) = many.as_slices();
                        for before in older.iter().chain(newer) {
                            if let Some(pair) = before.pair(tuple, &self.predicate) {
                                out.push(pair);
                            }
                        }
                        many.push_back(stored);
                    }
                },
            }
        }
    }

    fn expire(&mut self, watermark: i64) {
        let longest = self.predicate.travel.longest();
        while let Some(&(_, time)) = self.arrivals.front()
            && watermark.saturating_sub(time) >= longest
        {
            self.forget_oldest();
        }
    }

    fn resident(&self) -> usize {
        self.arrivals.len()
    }
}
