//! Keys of partitions (S12).

use std::hash::{BuildHasher, Hash, Hasher};

use crate::event::{Event, Slot};
use crate::value::ValueRef;

/// 2^63 as a float: the first one above every `i64`.
const TWO_63: f64 = 9_223_372_036_854_775_808.0;

/// One value of a key. Equal numbers are equal whatever their type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Item {
    Int(i64),
    /// The bits of a float that no integer equals.
    Float(u64),
    Bool(bool),
    Text(Box<str>),
}

/// The same, as an event lends it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Lent<'a> {
    Int(i64),
    Float(u64),
    Bool(bool),
    Text(&'a str),
}

impl<'a> Lent<'a> {
    /// `None` if nothing equals the value.
    #[inline]
    pub(crate) fn new(value: ValueRef<'a>) -> Option<Lent<'a>> {
        Some(match value {
            ValueRef::Int(i) => Lent::Int(i),
            ValueRef::Text(t) => Lent::Text(t),
            ValueRef::Bool(b) => Lent::Bool(b),
            ValueRef::Missing => return None,
            ValueRef::Float(x) if x.is_nan() => return None,
            ValueRef::Float(x) => {
                let whole = x.trunc() == x && (-TWO_63..TWO_63).contains(&x);
                if whole { Lent::Int(x as i64) } else { Lent::Float(x.to_bits()) }
            }
        })
    }

    /// The hash of a key of this value alone.
    #[inline]
    pub(crate) fn hash_alone(self, hasher: &impl BuildHasher) -> u64 {
        match self {
            Lent::Int(i) => hasher.hash_one(i),
            other => hasher.hash_one(other),
        }
    }

    fn keep(self) -> Item {
        match self {
            Lent::Int(i) => Item::Int(i),
            Lent::Float(bits) => Item::Float(bits),
            Lent::Bool(b) => Item::Bool(b),
            Lent::Text(t) => Item::Text(t.into()),
        }
    }
}

impl Item {
    #[cfg(feature = "serde")]
    fn lend(&self) -> Lent<'_> {
        match self {
            Item::Int(i) => Lent::Int(*i),
            Item::Float(bits) => Lent::Float(*bits),
            Item::Bool(b) => Lent::Bool(*b),
            Item::Text(t) => Lent::Text(t),
        }
    }

    #[inline]
    fn is(&self, value: Lent<'_>) -> bool {
        match (self, value) {
            (Item::Int(a), Lent::Int(b)) => *a == b,
            (Item::Float(a), Lent::Float(b)) => *a == b,
            (Item::Bool(a), Lent::Bool(b)) => *a == b,
            (Item::Text(a), Lent::Text(b)) => **a == *b,
            _ => false,
        }
    }
}

/// The key of a partition. That of the partition without a key is empty.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Key {
    first: Option<Item>,
    /// Of a key of several values the others.
    others: Box<[Item]>,
}

impl Key {
    /// The hash of an event's key; `None` if it has none.
    #[inline]
    pub(crate) fn hash<E: Event>(
        event: &E,
        slots: &[Slot],
        hasher: &impl BuildHasher,
    ) -> Option<u64> {
        if let [slot] = slots {
            return Some(Lent::new(event.attribute(*slot))?.hash_alone(hasher));
        }
        let mut state = hasher.build_hasher();
        for &slot in slots {
            Lent::new(event.attribute(slot))?.hash(&mut state);
        }
        Some(state.finish())
    }

    /// Whether an event has a key.
    #[inline]
    pub(crate) fn is_in<E: Event>(event: &E, slots: &[Slot]) -> bool {
        slots.iter().all(|&slot| Lent::new(event.attribute(slot)).is_some())
    }

    /// The key of an event that has one.
    pub(crate) fn of<E: Event>(event: &E, slots: &[Slot]) -> Key {
        let mut items = slots.iter().filter_map(|&slot| Lent::new(event.attribute(slot)));
        let first = items.next().map(Lent::keep);
        Key { first, others: items.map(Lent::keep).collect() }
    }

    /// The hash, which is that of the events.
    #[cfg(feature = "serde")]
    pub(crate) fn rehash(&self, hasher: &impl BuildHasher) -> u64 {
        let items = || self.first.iter().chain(self.others.iter()).map(Item::lend);
        match items().next() {
            Some(alone) if self.others.is_empty() => alone.hash_alone(hasher),
            _ => {
                let mut state = hasher.build_hasher();
                items().for_each(|item| item.hash(&mut state));
                state.finish()
            }
        }
    }

    /// Of how many values it is.
    #[cfg(feature = "serde")]
    pub(crate) fn width(&self) -> usize {
        usize::from(self.first.is_some()) + self.others.len()
    }

    /// Whether it is a key of this value alone.
    #[inline]
    pub(crate) fn is(&self, value: Lent<'_>) -> bool {
        self.first.as_ref().is_some_and(|first| first.is(value))
    }

    /// Whether an event has this key.
    #[inline]
    pub(crate) fn is_of<E: Event>(&self, event: &E, slots: &[Slot]) -> bool {
        let Some((slot, more)) = slots.split_first() else { return true };
        let is = |item: &Item, slot: Slot| {
            Lent::new(event.attribute(slot)).is_some_and(|value| item.is(value))
        };
        self.first.as_ref().is_some_and(|first| is(first, *slot))
            && self.others.iter().zip(more).all(|(item, &slot)| is(item, slot))
    }
}
