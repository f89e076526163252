//! A table of keys, each with the list of its tuples in the order of arrival.

use std::collections::VecDeque;
use std::mem::size_of;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::out::Out;
use super::shard::{Part, Predicate, Shard, Stored};
use super::sweep::Sweep;
use crate::{Config, Tuple};

/// The tuples of one key. Most keys have one at a time, which needs no allocation.
enum List {
    One(Stored),
    Many(VecDeque<Stored>),
}

impl List {
    fn get(&self, seq: u64) -> Option<&Stored> {
        match self {
            List::One(one) => Some(one),
            List::Many(many) => many.get(many.partition_point(|stored| stored.seq < seq)),
        }
    }

    /// Bytes that are not in the table.
    fn bytes(&self) -> usize {
        match self {
            List::One(_) => 0,
            List::Many(many) => many.capacity() * size_of::<Stored>(),
        }
    }
}

pub(crate) struct Keyed {
    predicate: Predicate,
    lists: HashMap<u64, List>,
    /// Keys and places of all tuples in the order of arrival, which is the order of each list, too:
    /// what leaves here leaves the front of its list, whatever the order of times.
    arrivals: VecDeque<(u64, u64)>,
    /// What all lists that have more than one tuple take.
    list_bytes: usize,
    sweep: Sweep,
}

impl Keyed {
    pub(crate) fn new(config: &Config) -> Keyed {
        Keyed {
            predicate: Predicate::new(config),
            lists: HashMap::new(),
            arrivals: VecDeque::new(),
            list_bytes: 0,
            sweep: Sweep::new(config),
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
            self.list_bytes -= list.remove().bytes();
        }
    }

    /// The oldest arrival's tuple.
    fn oldest(&self) -> Option<&Stored> {
        let (key, seq) = self.arrivals.front()?;
        self.lists.get(key)?.get(*seq)
    }

    /// Keeps those tuples of which `keep` says so; it is asked in the order of arrival.
    fn retain(&mut self, mut keep: impl FnMut(&Stored) -> bool) {
        let arrivals = std::mem::take(&mut self.arrivals);
        let lists = std::mem::take(&mut self.lists);
        self.list_bytes = 0;
        for (key, seq) in arrivals {
            if let Some(stored) = lists.get(&key).and_then(|list| list.get(seq))
                && keep(stored)
            {
                self.insert(key, *stored, |_| ());
            }
        }
        self.arrivals.shrink_to_fit();
    }

    /// Adds a tuple; shows those of its key that were there before.
    #[inline]
    fn insert(&mut self, key: u64, stored: Stored, mut show: impl FnMut(&Stored)) {
        self.arrivals.push_back((key, stored.seq));
        match self.lists.entry(key) {
            Entry::Vacant(place) => {
                place.insert(List::One(stored));
            }
            Entry::Occupied(mut place) => match place.get_mut() {
                List::One(before) => {
                    show(before);
                    let many = List::Many(VecDeque::from([*before, stored]));
                    self.list_bytes += many.bytes();
                    place.insert(many);
                }
                List::Many(many) => {
                    let (older, newer) = many.as_slices();
                    older.iter().for_each(&mut show);
                    newer.iter().for_each(&mut show);
                    let before = many.capacity();
                    many.push_back(stored);
                    self.list_bytes += (many.capacity() - before) * size_of::<Stored>();
                }
            },
        }
    }
}

impl Shard for Keyed {
    fn join(&mut self, part: Part<'_>, out: &mut Out<'_>) {
        self.expire(part.watermark);
        let predicate = self.predicate.clone();
        for tuple in part.tuples {
            self.insert(tuple.key, Stored::new(tuple), |before| {
                if let Some(pair) = before.pair(tuple, &predicate) {
                    out.push(pair);
                }
            });
            out.end_of_tuple();
        }
        self.sweep.inserted(part.tuples.len());
    }

    fn expire(&mut self, watermark: i64) {
        let longest = self.predicate.travel.longest();
        while let Some(oldest) = self.oldest()
            && watermark.saturating_sub(oldest.time) >= longest
        {
            self.forget_oldest();
        }
        if self.sweep.is_due(self.arrivals.len()) {
            let predicate = self.predicate.clone();
            self.retain(|stored| !predicate.is_over(stored.time, stored.stream, watermark));
        }
    }

    fn resident(&self) -> usize {
        self.arrivals.len()
    }

    fn bytes(&self) -> usize {
        self.arrivals.capacity() * size_of::<(u64, u64)>()
            + self.lists.allocation_size()
            + self.list_bytes
    }

    fn handles(&self) -> Vec<u32> {
        (0..self.arrivals.len() as u32).collect()
    }

    fn get(&self, handle: u32) -> Tuple {
        let (key, seq) = self.arrivals[handle as usize];
        self.lists[&key].get(seq).expect("every arrival is in a list").tuple(key)
    }

    fn remove(&mut self, handles: &[u32]) {
        let (mut handles, mut at) = (handles.iter().copied().peekable(), 0_u32);
        self.retain(|_| {
            at += 1;
            handles.next_if_eq(&(at - 1)).is_none()
        });
    }
}
