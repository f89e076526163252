//! What a detector asks of an event, and a ready-made record.

use hashbrown::HashMap;

use crate::heap::heap;
use crate::value::{Value, ValueRef};

/// A type of events, as numbered by a [`Schema`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TypeId(pub u32);

/// The place of an attribute, as numbered by a [`Schema`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Slot(pub u32);

/// An event of a stream. Implement it for your own type, or use [`Record`].
pub trait Event {
    /// The type of the event.
    fn event_type(&self) -> TypeId;
    /// The time of the event, in the unit of [`PatternSet::time_unit`](crate::PatternSet::time_unit).
    fn time(&self) -> i64;
    /// The attribute in a slot; [`ValueRef::Missing`] if this event has none.
    fn attribute(&self, slot: Slot) -> ValueRef<'_>;
}

/// The names of types and attributes. Patterns turn names into numbers once; no name is looked up
/// while events flow. Numbers are given once and for all: no name ever leaves.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    types: Names,
    attributes: Names,
}

#[derive(Clone, Debug, Default)]
struct Names {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Names {
    fn add(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

impl Schema {
    /// A schema without names.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a type of events, or finds it.
    pub fn add_type(&mut self, name: &str) -> TypeId {
        TypeId(self.types.add(name))
    }

    /// Adds an attribute, or finds it.
    pub fn add_attribute(&mut self, name: &str) -> Slot {
        Slot(self.attributes.add(name))
    }

    /// How many names there are.
    pub(crate) fn names(&self) -> usize {
        self.types.names.len() + self.attributes.names.len()
    }

    /// The number of a type.
    #[must_use]
    pub fn type_id(&self, name: &str) -> Option<TypeId> {
        self.types.numbers.get(name).copied().map(TypeId)
    }

    /// The name of a type.
    #[must_use]
    pub fn type_name(&self, id: TypeId) -> Option<&str> {
        self.types.names.get(id.0 as usize).map(String::as_str)
    }

    /// The slot of an attribute.
    #[must_use]
    pub fn slot(&self, name: &str) -> Option<Slot> {
        self.attributes.numbers.get(name).copied().map(Slot)
    }

    /// The names of the attributes, in the order of their slots.
    pub fn attributes(&self) -> impl ExactSizeIterator<Item = &str> {
        self.attributes.names.iter().map(String::as_str)
    }

    /// The names of the types, in the order of their numbers.
    pub fn types(&self) -> impl ExactSizeIterator<Item = &str> {
        self.types.names.iter().map(String::as_str)
    }
}

/// A ready-made event: a type, a time and values by slot.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Record {
    event_type: TypeId,
    time: i64,
    values: Vec<Value>,
}

impl Record {
    /// An event without attributes.
    #[must_use]
    pub fn new(event_type: TypeId, time: i64) -> Self {
        Record { event_type, time, values: Vec::new() }
    }

    /// The same event with a value in a slot.
    #[must_use]
    pub fn with(mut self, slot: Slot, value: impl Into<Value>) -> Self {
        self.set(slot, value.into());
        self
    }

    /// Sets the value in a slot.
    pub fn set(&mut self, slot: Slot, value: Value) {
        let at = slot.0 as usize;
        if self.values.len() <= at {
            self.values.resize(at + 1, Value::Missing);
        }
        self.values[at] = value;
    }
}

impl Event for Record {
    fn event_type(&self) -> TypeId {
        self.event_type
    }

    fn time(&self) -> i64 {
        self.time
    }

    fn attribute(&self, slot: Slot) -> ValueRef<'_> {
        self.values.get(slot.0 as usize).map_or(ValueRef::Missing, Value::as_ref)
    }
}

impl<E: Event + ?Sized> Event for &E {
    fn event_type(&self) -> TypeId {
        (**self).event_type()
    }

    fn time(&self) -> i64 {
        (**self).time()
    }

    fn attribute(&self, slot: Slot) -> ValueRef<'_> {
        (**self).attribute(slot)
    }
}

heap! {
    TypeId {}
    Slot {}
    Names { names, numbers }
    Schema { types, attributes }
}
