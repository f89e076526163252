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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Sum {
    #[cfg_attr(feature = "serde", serde(with = "crate::snapshot::codec::wide"))]
    exact: i128,
    #[cfg_attr(feature = "serde", serde(with = "crate::snapshot::codec::bits"))]
    float: f64,
    any_float: bool,
    values: u64,
}

/// The contents of a register.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Register {
    /// `None` before the first event (first, last) or value (min, max).
    Value(Option<Value>),
    /// A sum of integers that 64 bits hold, and how many there were.
    Ints(i64, u64),
    /// A sum of floats.
    Floats(#[cfg_attr(feature = "serde", serde(with = "crate::snapshot::codec::bits"))] f64, u64),
    /// Any other sum.
    Sum(Box<Sum>),
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
            Pick::Sum | Pick::Avg => Register::Ints(0, 0),
            Pick::Count => Register::Count(0),
        }
    }

    /// Takes an event into account.
    #[inline]
    pub(crate) fn update<E: Event>(&self, register: &mut Register, event: &E) {
        if let (Pick::Last, Some(slot)) = (self.pick, self.slot) {
            let value = event.attribute(slot);
            match (&mut *register, value) {
                // Neither owns anything.
                (Register::Value(Some(Value::Int(held))), ValueRef::Int(i)) => *held = i,
                _ => *register = Register::Value(Some(value.to_value())),
            }
        } else {
            self.update_any(register, event);
        }
    }

    fn update_any<E: Event>(&self, register: &mut Register, event: &E) {
        let Some(slot) = self.slot else {
            if let Register::Count(n) = register {
                *n = n.saturating_add(1);
            }
            return;
        };
        let value = event.attribute(slot);
        match (register, self.pick) {
            (Register::Value(held @ None), Pick::First) => *held = Some(value.to_value()),
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
            (register, Pick::Sum | Pick::Avg) => register.add(value),
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
    /// Its value, if that is an integer.
    #[inline]
    pub(crate) fn int(&self) -> Option<i64> {
        match self {
            Register::Value(Some(Value::Int(i))) => Some(*i),
            _ => None,
        }
    }

    /// It may be what is picked of so many events, or of fewer.
    #[cfg(feature = "serde")]
    pub(crate) fn fits(&self, pick: Pick, events: u64) -> bool {
        match self {
            Register::Value(_) => pick.is_value(),
            Register::Count(n) => pick == Pick::Count && *n <= events,
            _ => matches!(pick, Pick::Sum | Pick::Avg) && self.sum().values <= events,
        }
    }

    /// It is a sum, in whichever form.
    pub(crate) fn is_sum(&self) -> bool {
        matches!(self, Register::Ints(..) | Register::Floats(..) | Register::Sum(_))
    }

    /// Adds to a sum.
    fn add(&mut self, value: ValueRef<'_>) {
        match (&mut *self, value) {
            (Register::Ints(sum, values), ValueRef::Int(i)) => {
                if let Some(more) = sum.checked_add(i) {
                    (*sum, *values) = (more, *values + 1);
                    return;
                }
            }
            (Register::Ints(0, 0), ValueRef::Float(x)) => {
                *self = Register::Floats(0.0 + x, 1);
                return;
            }
            (Register::Floats(sum, values), ValueRef::Float(x)) => {
                (*sum, *values) = (*sum + x, *values + 1);
                return;
            }
            (_, ValueRef::Int(_) | ValueRef::Float(_)) => {}
            _ => return,
        }
        let mut sum = self.sum();
        sum.add(value);
        *self = Register::Sum(Box::new(sum));
    }

    fn sum(&self) -> Sum {
        match *self {
            Register::Ints(sum, values) => Sum { exact: sum.into(), values, ..Sum::default() },
            Register::Floats(float, values) => {
                Sum { float, any_float: true, values, ..Sum::default() }
            }
            Register::Sum(ref sum) => **sum,
            Register::Value(_) | Register::Count(_) => Sum::default(),
        }
    }

    /// The value of the register for the given use.
    pub(crate) fn read(&self, pick: Pick) -> Scalar<'_> {
        match self {
            Register::Value(None) => Scalar::Missing,
            Register::Value(Some(v)) => Scalar::from(v.as_ref()),
            Register::Count(n) => Scalar::Number(Number::Exact(i128::from(*n), 1)),
            Register::Ints(..) | Register::Floats(..) | Register::Sum(_) => {
                let sum = self.sum();
                if pick == Pick::Sum {
                    return Scalar::Number(sum.total());
                }
                if sum.values == 0 {
                    return Scalar::Missing;
                }
                Scalar::Number(match sum.total() {
                    Number::Exact(n, _) => Number::Exact(n, i128::from(sum.values)),
                    Number::Float(x) => Number::Float(x / sum.values as f64),
                })
            }
        }
    }
}

impl Pick {
    /// It is one of the values, not something made of them.
    #[inline]
    pub(crate) fn is_value(self) -> bool {
        matches!(self, Pick::First | Pick::Last | Pick::Min | Pick::Max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(values: &[ValueRef<'_>]) -> Number {
        let mut register = Register::Ints(0, 0);
        values.iter().for_each(|&value| register.add(value));
        register.sum().total()
    }

    #[test]
    fn sums_widen_and_mix() {
        let max = ValueRef::Int(i64::MAX);
        let Number::Exact(wide, 1) = sum(&[max, max, ValueRef::Missing]) else {
            panic!("a sum of integers is exact")
        };
        assert_eq!(wide, 2 * i128::from(i64::MAX));
        for mixed in [
            [ValueRef::Int(1), ValueRef::Float(0.5), ValueRef::Int(2)],
            [ValueRef::Float(0.5), ValueRef::Int(1), ValueRef::Int(2)],
        ] {
            assert!(matches!(sum(&mixed), Number::Float(3.5)));
        }
        assert!(matches!(sum(&[ValueRef::Float(0.25), ValueRef::Float(0.5)]), Number::Float(0.75)));
    }
}
