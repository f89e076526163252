//! What the engine asks of an event, and a ready-made record.

use hashbrown::HashMap;

use crate::value::{Value, ValueRef, ValueType};

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
    /// The time of the event, in whatever unit the windows of the pattern use.
    fn time(&self) -> i64;
    /// The attribute in a slot; [`ValueRef::Missing`] if this event has none.
    fn attribute(&self, slot: Slot) -> ValueRef<'_>;
}

/// The names that a pattern may use: types of events, and attributes with their types. Compiling a
/// pattern turns names into numbers once; no name is looked up while events flow.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    types: Vec<String>,
    type_ids: HashMap<String, TypeId>,
    attributes: Vec<(String, Option<ValueType>)>,
    slots: HashMap<String, Slot>,
}

impl Schema {
    /// A schema without names.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a type of events, or finds it.
    pub fn add_type(&mut self, name: &str) -> TypeId {
        if let Some(&id) = self.type_ids.get(name) {
            return id;
        }
        let id = TypeId(self.types.len() as u32);
        self.types.push(name.to_owned());
        self.type_ids.insert(name.to_owned(), id);
        id
    }

    /// Adds an attribute, or finds it. An attribute without a declared type is checked only when
    /// events arrive: comparisons that make no sense are unknown, and counted. Declaring an
    /// attribute again replaces its type.
    pub fn add_attribute(&mut self, name: &str, of: Option<ValueType>) -> Slot {
        if let Some(&slot) = self.slots.get(name) {
            self.attributes[slot.0 as usize].1 = of;
            return slot;
        }
        let slot = Slot(self.attributes.len() as u32);
        self.attributes.push((name.to_owned(), of));
        self.slots.insert(name.to_owned(), slot);
        slot
    }

    /// The number of a type.
    #[must_use]
    pub fn type_id(&self, name: &str) -> Option<TypeId> {
        self.type_ids.get(name).copied()
    }

    /// The name of a type.
    #[must_use]
    pub fn type_name(&self, id: TypeId) -> Option<&str> {
        self.types.get(id.0 as usize).map(String::as_str)
    }

    /// The slot of an attribute.
    #[must_use]
    pub fn slot(&self, name: &str) -> Option<Slot> {
        self.slots.get(name).copied()
    }

    /// The declared type of the attribute in a slot.
    #[must_use]
    pub fn attribute_type(&self, slot: Slot) -> Option<ValueType> {
        self.attributes.get(slot.0 as usize).and_then(|a| a.1)
    }

    /// The names of the attributes, in the order of their slots.
    pub fn attributes(&self) -> impl Iterator<Item = &str> {
        self.attributes.iter().map(|a| a.0.as_str())
    }

    /// The names of the types, in the order of their numbers.
    pub fn types(&self) -> impl Iterator<Item = &str> {
        self.types.iter().map(String::as_str)
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
        let at = slot.0 as usize;
        if self.values.len() <= at {
            self.values.resize(at + 1, Value::Missing);
        }
        self.values[at] = value.into();
        self
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

impl<E: Event + ?Sized> Event for std::sync::Arc<E> {
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
