//! Streams apart by the values of some attributes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

use super::history::History;
use super::mechanism::State;
use crate::event::{Event, Slot};
use crate::heap::heap;
use crate::value::ValueRef;

/// What is remembered of the stream or a partition.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// Not that of any other one, before or now.
    pub(crate) number: u64,
    pub(crate) key: Box<[u8]>,
    pub(crate) history: History,
    pub(crate) state: State,
    pub(crate) last_row: u64,
    pub(crate) last_time: i64,
}

/// All partitions; without a key there is one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Partitions {
    pub(crate) slots: Vec<Slot>,
    scopes: Vec<Option<Scope>>,
    free: Vec<u32>,
    places: HashMap<Box<[u8]>, u32>,
    /// All of them, by a row of theirs that was the last one when it was written down: the row, the place
    /// and the number.
    idle: BinaryHeap<Reverse<(u64, u32, u64)>>,
    key: Vec<u8>,
    next_number: u64,
    /// How many there may be before idle ones are looked for.
    sweep_at: usize,
}

impl Partitions {
    /// Writes down the key of an event; false if it has none.
    fn read_key<E: Event + ?Sized>(&mut self, event: &E) -> bool {
        self.key.clear();
        for &slot in &self.slots {
            match event.attribute(slot) {
                ValueRef::Missing => return false,
                ValueRef::Int(i) => integer(&mut self.key, i),
                // A float that is whole is equal to the integer.
                ValueRef::Float(x) if x.is_nan() => return false,
                ValueRef::Float(x) => {
                    let whole = x as i64;
                    if ValueRef::Int(whole).compare(ValueRef::Float(x))
                        == Some(std::cmp::Ordering::Equal)
                    {
                        integer(&mut self.key, whole);
                    } else {
                        self.key.push(b'f');
                        self.key.extend_from_slice(&x.to_bits().to_le_bytes());
                    }
                }
                ValueRef::Bool(b) => self.key.extend_from_slice(if b { b"b1" } else { b"b0" }),
                ValueRef::Text(text) => {
                    self.key.push(b't');
                    self.key.extend_from_slice(&(text.len() as u64).to_le_bytes());
                    self.key.extend_from_slice(text.as_bytes());
                }
            }
        }
        true
    }

    /// The place of an event's partition; `Err(true)` if it would be a new one, `Err(false)` if the
    /// event has no key.
    #[inline]
    pub(crate) fn find<E: Event + ?Sized>(&mut self, event: &E) -> Result<u32, bool> {
        if self.slots.is_empty() {
            return if self.scopes.is_empty() { Err(true) } else { Ok(0) };
        }
        if !self.read_key(event) {
            return Err(false);
        }
        self.places.get(&self.key[..]).copied().ok_or(true)
    }

    /// Makes a partition for the key that was looked for last.
    pub(crate) fn insert(&mut self, state: State, row: u64) -> u32 {
        let key: Box<[u8]> = self.key.as_slice().into();
        self.insert_key(key, state, row)
    }

    pub(crate) fn insert_key(&mut self, key: Box<[u8]>, state: State, row: u64) -> u32 {
        let number = self.next_number;
        self.next_number += 1;
        let scope = Scope {
            number,
            key: key.clone(),
            history: History::default(),
            state,
            last_row: row,
            last_time: i64::MIN,
        };
        let place = match self.free.pop() {
            Some(place) => {
                self.scopes[place as usize] = Some(scope);
                place
            }
            None => {
                self.scopes.push(Some(scope));
                self.scopes.len() as u32 - 1
            }
        };
        if !self.slots.is_empty() {
            self.places.insert(key, place);
            self.idle.push(Reverse((row, place, number)));
        }
        place
    }

    /// Whether it is time to look for partitions that are over.
    pub(crate) fn is_crowded(&self) -> bool {
        self.len() >= self.sweep_at.max(1024)
    }

    pub(crate) fn len(&self) -> usize {
        self.scopes.len() - self.free.len()
    }

    #[inline]
    pub(crate) fn scope(&mut self, place: u32) -> &mut Scope {
        self.scopes[place as usize].as_mut().expect("a partition that is remembered")
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Scope> {
        self.scopes.iter().flatten()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Scope> {
        self.scopes.iter_mut().flatten()
    }

    fn remove(&mut self, place: u32) {
        if let Some(scope) = self.scopes[place as usize].take() {
            self.places.remove(&scope.key);
            self.free.push(place);
        }
    }

    /// Forgets the partition that had no event for longest, if it is one of some.
    pub(crate) fn drop_oldest(&mut self, is_one: impl Fn(&Scope) -> bool) {
        while let Some(Reverse((row, place, number))) = self.idle.pop() {
            match &self.scopes[place as usize] {
                Some(scope) if scope.number == number && scope.last_row > row => {
                    self.idle.push(Reverse((scope.last_row, place, number)));
                }
                Some(scope) if scope.number == number => {
                    if is_one(scope) {
                        self.remove(place);
                    } else {
                        self.idle.push(Reverse((row, place, number)));
                    }
                    return;
                }
                _ => {}
            }
        }
    }

    /// Forgets partitions of which nothing is needed any more.
    pub(crate) fn sweep(&mut self, is_over: impl Fn(&Scope) -> bool) {
        for place in 0..self.scopes.len() as u32 {
            if self.scopes[place as usize].as_ref().is_some_and(&is_over) {
                self.remove(place);
            }
        }
        let alive = |&Reverse((_, place, number)): &Reverse<(u64, u32, u64)>| {
            self.scopes[place as usize].as_ref().is_some_and(|scope| scope.number == number)
        };
        self.idle.retain(alive);
        self.sweep_at = self.len() * 2;
    }
}

fn integer(key: &mut Vec<u8>, i: i64) {
    key.push(b'i');
    key.extend_from_slice(&i.to_le_bytes());
}

heap! {
    Scope { key, history, state }
    Partitions { slots, scopes, free, places, idle, key }
}
