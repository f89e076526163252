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
    /// How many keys the table holds, if it must not grow.
    limit: Option<usize>,
}

impl Keyed {
    /// With a limit in bytes, the table takes at most half of it, and does not grow.
    pub(crate) fn new(config: &Config, limit: Option<usize>) -> Keyed {
        let lists = limit.map_or_else(HashMap::new, |limit| {
            let mut keys = limit / 2 / size_of::<(u64, List)>();
            loop {
                let lists = HashMap::with_capacity(keys);
                if keys <= 1 || lists.allocation_size() <= limit / 2 {
                    break lists;
                }
                keys /= 2;
            }
        });
        Keyed {
            predicate: Predicate::new(config),
            limit: limit.map(|_| lists.capacity()),
            lists,
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

    /// Makes the places of keys that have gone usable again if they are more than half of a table
    /// that must not grow: a table takes new keys only where there never was one.
    fn tidy(&mut self) {
        let Some(limit) = self.limit else { return };
        // What is asked for at most half fills the table, so that it is put in order where it is.
        let wanted = (limit / 2).saturating_sub(self.lists.len());
        if wanted > self.room() {
            let before = self.lists.allocation_size();
            self.lists.reserve(wanted);
            debug_assert_eq!(self.lists.allocation_size(), before);
        }
    }

    /// The oldest arrival's tuple.
    fn oldest(&self) -> Option<&Stored> {
        let (key, seq) = self.arrivals.front()?;
        self.lists.get(key)?.get(*seq)
    }

    /// Forgets the tuples of these places, which ascend.
    fn forget(&mut self, seqs: &[u64]) {
        let stays = |seq: &u64| seqs.binary_search(seq).is_err();
        self.arrivals.retain(|(_, seq)| stays(seq));
        let mut bytes = 0;
        self.lists.retain(|_, list| match list {
            List::One(one) => stays(&one.seq),
            List::Many(many) => {
                many.retain(|stored| stays(&stored.seq));
                if many.len() < many.capacity() / 4 {
                    many.shrink_to_fit();
                }
                if many.is_empty() {
                    return false;
                }
                bytes += many.capacity() * size_of::<Stored>();
                true
            }
        });
        self.list_bytes = bytes;
        self.tidy();
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
            let predicate = &self.predicate;
            let is_over = |(key, seq): &(u64, u64)| {
                let stored = self.lists[key].get(*seq).expect("every arrival is in a list");
                predicate.is_over(stored.time, stored.stream, watermark)
            };
            let over = self.arrivals.iter().filter(|arrival| is_over(arrival));
            let seqs: Vec<u64> = over.map(|(_, seq)| *seq).collect();
            if !seqs.is_empty() {
                self.forget(&seqs);
            }
        }
        self.tidy();
    }

    fn resident(&self) -> usize {
        self.arrivals.len()
    }

    fn bytes(&self) -> usize {
        self.arrivals.capacity() * size_of::<(u64, u64)>()
            + self.lists.allocation_size()
            + self.list_bytes
    }

    fn growth(&self) -> usize {
        // A list that doubles, and the list of arrivals that grows.
        4 * size_of::<Stored>() + 2 * size_of::<(u64, u64)>()
    }

    fn room(&self) -> usize {
        if self.limit.is_some() { self.lists.capacity() - self.lists.len() } else { usize::MAX }
    }

    fn restore(&mut self, tuple: &Tuple, _: u32) {
        self.insert(tuple.key, Stored::new(tuple), |_| ());
    }

    fn handles(&self) -> Vec<u32> {
        (0..self.arrivals.len() as u32).collect()
    }

    fn get(&self, handle: u32) -> Tuple {
        let (key, seq) = self.arrivals[handle as usize];
        self.lists[&key].get(seq).expect("every arrival is in a list").tuple(key)
    }

    fn remove(&mut self, handles: &[u32]) {
        let seqs: Vec<u64> = handles.iter().map(|&at| self.arrivals[at as usize].1).collect();
        self.forget(&seqs);
    }
}
