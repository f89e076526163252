//! What operands are told apart by, once names have become numbers.

use std::sync::Arc;

use hashbrown::HashMap;

use super::{Condition, Operand, Relation, Term};
use crate::event::{Schema, Slot, TypeId};
use crate::heap::{Heap, heap};
use crate::value::Value;

/// A constant; equal if it is written equally. Its text is its own, which patterns that come and go do
/// not share.
#[derive(Debug)]
pub(crate) struct Constant(pub(crate) Value);

impl Clone for Constant {
    fn clone(&self) -> Self {
        Constant::new(&self.0)
    }
}

impl Constant {
    fn new(value: &Value) -> Self {
        Constant(match value {
            Value::Text(text) => Value::Text(Arc::from(&**text)),
            other => other.clone(),
        })
    }

    fn key(&self) -> (u8, u64, &str) {
        match &self.0 {
            Value::Missing => (0, 0, ""),
            Value::Int(i) => (1, *i as u64, ""),
            Value::Float(x) => (2, x.to_bits(), ""),
            Value::Bool(b) => (3, u64::from(*b), ""),
            Value::Text(t) => (4, 0, t),
        }
    }
}

impl PartialEq for Constant {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Constant {}

impl std::hash::Hash for Constant {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl PartialOrd for Constant {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Constant {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// A condition on one event.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum OwnTest {
    Constant(Slot, Relation, Constant),
    Slots(Slot, Relation, Slot),
}

/// A condition on two events: an attribute of the later one, and one of the earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PairTest {
    pub(crate) later: Slot,
    pub(crate) relation: Relation,
    pub(crate) earlier: Slot,
}

/// The events that an operand accepts as far as they themselves say: a type and conditions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Class {
    pub(crate) event_type: TypeId,
    /// Sorted, each once.
    pub(crate) own: Vec<OwnTest>,
}

/// A class, and the conditions with earlier events, which are named by how many operands they stand
/// before this one. Equal symbols mean equal conditions, wherever they stand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Symbol {
    pub(crate) class: Class,
    /// Sorted, each once.
    pub(crate) pairs: Vec<(u32, PairTest)>,
}

impl Symbol {
    /// The symbol of the operand at a position; adds the names that it uses to the schema.
    pub(crate) fn resolve(operand: &Operand, at: usize, schema: &mut Schema) -> Symbol {
        let event_type = schema.add_type(operand.event_type());
        let (mut own, mut pairs) = (Vec::new(), Vec::new());
        for Condition { left, relation, right } in operand.conditions() {
            // The operand's own attribute comes first.
            let (left, relation, right) = match left {
                Term::Own(name) => (name, *relation, right),
                _ => match right {
                    Term::Own(name) => (name, relation.flipped(), left),
                    // Checked when the pattern was made.
                    _ => unreachable!("a condition without an attribute of its own operand"),
                },
            };
            let slot = schema.add_attribute(left);
            match right {
                Term::Value(value) => {
                    own.push(OwnTest::Constant(slot, relation, Constant::new(value)));
                }
                Term::Own(name) => {
                    let other = schema.add_attribute(name);
                    own.push(if slot <= other {
                        OwnTest::Slots(slot, relation, other)
                    } else {
                        OwnTest::Slots(other, relation.flipped(), slot)
                    });
                }
                Term::Of(position, name) => {
                    let earlier = schema.add_attribute(name);
                    pairs.push((
                        (at - position) as u32,
                        PairTest { later: slot, relation, earlier },
                    ));
                }
            }
        }
        own.sort_unstable();
        own.dedup();
        pairs.sort_unstable();
        pairs.dedup();
        Symbol { class: Class { event_type, own }, pairs }
    }
}

/// Numbers symbols.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    numbers: HashMap<Symbol, u32>,
}

impl Symbols {
    pub(crate) fn intern(&mut self, symbol: Symbol) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(symbol).or_insert(next)
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }
}

heap! {
    Class { own }
    PairTest {}
}

impl Heap for OwnTest {
    fn heap(&self) -> usize {
        match self {
            OwnTest::Constant(_, _, constant) => constant.0.heap(),
            OwnTest::Slots(..) => 0,
        }
    }
}
