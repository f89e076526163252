//! The partitions of a stream: found by key, dropped when nothing is held for them.

#[cfg(feature = "serde")]
mod save;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::key::{Key, Lent};
use crate::event::{Event, Slot};

/// Partitions without partial matches that are kept for another key.
const SPARE: usize = 64;

/// A partition.
#[derive(Debug)]
pub(crate) struct Partition<P> {
    pub(crate) part: P,
    key: Key,
    hash: u64,
    /// Changes when the place is given to another key.
    generation: u32,
    /// It is in the table.
    known: bool,
    /// Something is held.
    busy: bool,
    /// An alarm is set; for evaluations that need not be prompt.
    pub(crate) alarm: bool,
}

/// A partition among the others, as long as it is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handle {
    place: u32,
    generation: u32,
}

/// Where the partition of an event is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found {
    /// At this place.
    At(u32),
    /// There is none; its key has this hash.
    New(u64),
}

/// All partitions. Without a key there is one.
#[derive(Debug)]
pub(crate) struct Partitions<P> {
    all: Vec<Partition<P>>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
    free: Vec<u32>,
    /// How many in the table hold something.
    busy: usize,
    /// Of the next partition.
    generation: u32,
}

impl<P> Partitions<P> {
    pub(crate) fn new() -> Self {
        Partitions {
            all: Vec::new(),
            table: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            free: Vec::new(),
            busy: 0,
            generation: 0,
        }
    }

    /// Looks for the partition of an event with a key; `None` if the event has none.
    #[inline]
    pub(crate) fn find<E: Event>(&self, event: &E, slots: &[Slot]) -> Option<Found> {
        let [slot] = slots else { return self.find_many(event, slots) };
        let value = Lent::new(event.attribute(*slot))?;
        let hash = value.hash_alone(&self.hasher);
        let all = &self.all;
        let known = self.table.find(hash, |&at| all[at as usize].key.is(value));
        Some(known.map_or(Found::New(hash), |&at| Found::At(at)))
    }

    /// The same for a key of several values.
    fn find_many<E: Event>(&self, event: &E, slots: &[Slot]) -> Option<Found> {
        let hash = Key::hash(event, slots, &self.hasher)?;
        let all = &self.all;
        let known = self.table.find(hash, |&at| all[at as usize].key.is_of(event, slots));
        Some(known.map_or(Found::New(hash), |&at| Found::At(at)))
    }

    /// The place of a partition, perhaps one that is given up again in [`settle`](Self::settle).
    #[inline]
    pub(crate) fn place(&mut self, found: Found, part: impl FnOnce() -> P) -> u32 {
        match found {
            Found::At(at) => at,
            Found::New(hash) => {
                let at = self.free.pop().unwrap_or_else(|| self.add(part()));
                self.all[at as usize].hash = hash;
                at
            }
        }
    }

    /// The part of a stream without keys.
    #[inline]
    pub(crate) fn first(&mut self) -> &mut P {
        &mut self.all[0].part
    }

    /// Adds a partition; the first one is that of a stream without keys.
    pub(crate) fn add(&mut self, part: P) -> u32 {
        self.generation = self.generation.wrapping_add(1);
        self.all.push(Partition {
            part,
            key: Key::default(),
            hash: 0,
            generation: self.generation,
            known: false,
            busy: false,
            alarm: false,
        });
        (self.all.len() - 1) as u32
    }

    #[inline]
    pub(crate) fn at(&mut self, place: u32) -> &mut Partition<P> {
        &mut self.all[place as usize]
    }

    /// The partition, unless its place was given to another key.
    pub(crate) fn get(&mut self, handle: Handle) -> Option<(u32, &mut Partition<P>)> {
        let found = self.all.get_mut(handle.place as usize)?;
        (found.generation == handle.generation).then_some((handle.place, found))
    }

    pub(crate) fn handle(&self, place: u32) -> Handle {
        Handle { place, generation: self.all[place as usize].generation }
    }

    /// Keeps the partition, in which an event was shown, if something is held there.
    #[inline]
    pub(crate) fn settle<E: Event>(&mut self, place: u32, holds: bool, event: &E, slots: &[Slot]) {
        let found = &mut self.all[place as usize];
        if found.known || slots.is_empty() {
            self.note(place, holds);
        } else if holds {
            found.key = Key::of(event, slots);
            (found.known, found.busy) = (true, true);
            self.busy += 1;
            let (hash, all) = (found.hash, &self.all);
            self.table.insert_unique(hash, place, |&at| all[at as usize].hash);
        } else {
            self.free.push(place);
        }
    }

    /// Whether it is noted already that something is held in a partition, or that nothing is.
    #[inline]
    pub(crate) fn is_noted(&self, place: u32, holds: bool) -> bool {
        let found = &self.all[place as usize];
        found.known && found.busy == holds
    }

    /// Notes whether something is held in a partition that is known.
    #[inline]
    pub(crate) fn note(&mut self, place: u32, holds: bool) {
        let found = &mut self.all[place as usize];
        if found.busy != holds {
            found.busy = holds;
            if holds { self.busy += 1 } else { self.busy -= 1 }
        }
    }

    /// Gives up partitions that hold nothing, where there are many of them: each call that does
    /// something is paid for by those that became known since. `clear` empties a part; what waits
    /// there to be handed out is lost.
    #[inline]
    pub(crate) fn give_up(&mut self, clear: impl FnMut(&mut P)) {
        if self.table.len() > 2 * self.busy + SPARE {
            self.give_up_now(clear);
        }
    }

    #[cold]
    fn give_up_now(&mut self, mut clear: impl FnMut(&mut P)) {
        let Partitions { all, table, free, generation, .. } = self;
        table.retain(|&mut at| {
            let found = &mut all[at as usize];
            if !found.busy {
                found.known = false;
                found.alarm = false;
                *generation = generation.wrapping_add(1);
                found.generation = *generation;
                found.key = Key::default();
                if free.len() > SPARE {
                    clear(&mut found.part);
                }
                free.push(at);
            }
            found.busy
        });
        if table.capacity() > 4 * table.len() + SPARE {
            table.shrink_to(2 * table.len(), |&at| all[at as usize].hash);
        }
        // Places at the end that nobody uses.
        let used = all.iter().rposition(|found| found.known).map_or(0, |at| at + 1);
        if all.len() > 2 * used + SPARE {
            all[used..].iter_mut().for_each(|found| clear(&mut found.part));
            all.truncate(used);
            all.shrink_to(2 * used);
            free.retain(|&at| (at as usize) < used);
        }
    }

    /// All of them, those included that nothing is held for.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut P> {
        self.all.iter_mut().map(|found| &mut found.part)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &P> {
        self.all.iter().map(|found| &found.part)
    }

    /// Places, used or not.
    pub(crate) fn places(&self) -> u32 {
        self.all.len() as u32
    }
}
