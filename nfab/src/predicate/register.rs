//! Registers: what a run remembers of its events, updated in constant time an event.

use std::cmp::Ordering;

use super::Pick;
use super::evaluate::{Scalar, compare_scalars};
use super::number::Number;
use crate::event::{Event, Slot};
use crate::value::{Value, ValueRef};

/// What a register keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RegisterSpec {
    pub(crate) pick: Pick,
    /// The stage whose events it looks at.
    pub(crate) stage: u32,
    /// The attribute; a count of events has none.
    pub(crate) slot: Option<Slot>,
    /// It starts anew with each round of the group around the stage (S8).
    pub(crate) per_round: bool,
}

/// The sum of the values so far, and how many there were.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    exact: i128,
    float: f64,
    any_float: bool,
    values: u64,
}

/// The contents of a register.
#[derive(Clone, Debug)]
pub(crate) enum Register {
    /// `None` before the first event (first, last) or value (min, max).
    Value(Option<Value>),
    Sum(Sum),
    Count(u64),
}

impl Default for Register {
    fn default() -> Self {
        Register::Count(0)
    }
}

impl RegisterSpec {
    pub(crate) fn empty(&self) -> Register {
        match self.pick {
            Pick::First | Pick::Last | Pick::Min | Pick::Max => Register::Value(None),
            Pick::Sum | Pick::Avg => Register::Sum(Sum::default()),
            Pick::Count => Register::Count(0),
        }
    }

    /// Takes an event into account.
    pub(crate) fn update<E: Event>(&self, register: &mut Register, event: &E) {
        let Some(slot) = self.slot else {
            if let Register::Count(n) = register {
                *n = n.saturating_add(1);
            }
            return;
        };
        let value = event.attribute(slot);
        match (register, self.pick) {
            (Register::Value(held @ None), Pick::First) => *held = Some(value.to_value()),
            (Register::Value(held), Pick::Last) => *held = Some(value.to_value()),
            (Register::Value(held), Pick::Min | Pick::Max) => {
                let wanted =
                    if self.pick == Pick::Min { Ordering::Less } else { Ordering::Greater };
                let better = match held {
                    None => {
                        value != ValueRef::Missing
                            && !matches!(value, ValueRef::Float(x) if x.is_nan())
                    }
                    Some(old) => {
                        let (new, old) = (Scalar::from(value), Scalar::from(old.as_ref()));
                        compare_scalars(new, old) == Some(wanted)
                    }
                };
                if better {
                    *held = Some(value.to_value());
                }
            }
            (Register::Sum(sum), _) => sum.add(value),
            (Register::Count(n), _) if value != ValueRef::Missing => *n = n.saturating_add(1),
            _ => {}
        }
    }
}

impl Sum {
    fn add(&mut self, value: ValueRef<'_>) {
        match value {
            // Saturates only after 2^64 events.
            ValueRef::Int(i) => self.exact = self.exact.saturating_add(i128::from(i)),
            ValueRef::Float(x) => {
                self.float += x;
                self.any_float = true;
            }
            _ => return,
        }
        self.values += 1;
    }

    fn total(&self) -> Number {
        if self.any_float {
            Number::Float(self.float + self.exact as f64)
        } else {
            Number::Exact(self.exact, 1)
        }
    }
}

impl Register {
    /// The value of the register for the given use.
    pub(crate) fn read(&self, pick: Pick) -> Scalar<'_> {
        match self {
            Register::Value(None) => Scalar::Missing,
            Register::Value(Some(v)) => Scalar::from(v.as_ref()),
            Register::Count(n) => Scalar::Number(Number::Exact(i128::from(*n), 1)),
            Register::Sum(sum) if pick == Pick::Sum => Scalar::Number(sum.total()),
            Register::Sum(sum) if sum.values == 0 => Scalar::Missing,
            Register::Sum(sum) => Scalar::Number(match sum.total() {
                Number::Exact(n, _) => Number::Exact(n, i128::from(sum.values)),
                Number::Float(x) => Number::Float(x / sum.values as f64),
            }),
        }
    }
}
