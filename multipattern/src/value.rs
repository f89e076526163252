//! Attribute values, and comparing them exactly.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use crate::heap::Heap;

/// A value that owns its text. With the feature `serde` it can be written and read.
#[derive(Clone, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Value {
    /// The attribute is absent.
    #[default]
    Missing,
    /// An integer.
    Int(i64),
    /// A floating point number; written by its bits, so that every format keeps it, NaN included.
    Float(#[cfg_attr(feature = "serde", serde(with = "crate::codec::bits"))] f64),
    /// A truth value.
    Bool(bool),
    /// Text.
    Text(#[cfg_attr(feature = "serde", serde(with = "crate::codec::text"))] Arc<str>),
}

impl Value {
    /// The value without its text's ownership.
    #[must_use]
    pub fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Value::Missing => ValueRef::Missing,
            Value::Int(i) => ValueRef::Int(*i),
            Value::Float(x) => ValueRef::Float(*x),
            Value::Bool(b) => ValueRef::Bool(*b),
            Value::Text(t) => ValueRef::Text(t),
        }
    }
}

impl From<i64> for Value {
    fn from(i: i64) -> Self {
        Value::Int(i)
    }
}

impl From<i32> for Value {
    fn from(i: i32) -> Self {
        Value::Int(i64::from(i))
    }
}

impl From<f64> for Value {
    fn from(x: f64) -> Self {
        Value::Float(x)
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Value::Bool(b)
    }
}

impl From<&str> for Value {
    fn from(t: &str) -> Self {
        Value::Text(t.into())
    }
}

impl From<String> for Value {
    fn from(t: String) -> Self {
        Value::Text(t.into())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Missing => f.write_str("null"),
            Value::Int(i) => write!(f, "{i}"),
            Value::Float(x) => write!(f, "{x:?}"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Text(t) => write!(f, "'{}'", t.replace('\'', "''")),
        }
    }
}

/// A value that borrows its text; what an [`Event`](crate::Event) hands out.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum ValueRef<'a> {
    /// The attribute is absent.
    #[default]
    Missing,
    /// An integer.
    Int(i64),
    /// A floating point number.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// Text.
    Text(&'a str),
}

impl ValueRef<'_> {
    /// The value with text of its own.
    #[must_use]
    pub fn to_value(self) -> Value {
        match self {
            ValueRef::Missing => Value::Missing,
            ValueRef::Int(i) => Value::Int(i),
            ValueRef::Float(x) => Value::Float(x),
            ValueRef::Bool(b) => Value::Bool(b),
            ValueRef::Text(t) => Value::Text(t.into()),
        }
    }

    /// The order of two values; `None` if there is none: a value is missing or NaN, or one is text
    /// and the other a number. Integers and floats compare exactly, without rounding either.
    #[must_use]
    pub fn compare(self, other: ValueRef<'_>) -> Option<Ordering> {
        match (self, other) {
            (ValueRef::Int(a), ValueRef::Int(b)) => Some(a.cmp(&b)),
            (ValueRef::Float(a), ValueRef::Float(b)) => a.partial_cmp(&b),
            (ValueRef::Int(a), ValueRef::Float(b)) => compare_int_float(a, b),
            (ValueRef::Float(a), ValueRef::Int(b)) => {
                compare_int_float(b, a).map(Ordering::reverse)
            }
            (ValueRef::Bool(a), ValueRef::Bool(b)) => Some(a.cmp(&b)),
            (ValueRef::Text(a), ValueRef::Text(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }
}

/// Compares an integer with a float, without rounding either. `None` for NaN.
fn compare_int_float(i: i64, x: f64) -> Option<Ordering> {
    /// 2^63 as a float; the first one above every `i64`.
    const TWO_63: f64 = 9_223_372_036_854_775_808.0;
    if x.is_nan() {
        return None;
    }
    if x >= TWO_63 {
        return Some(Ordering::Less);
    }
    if x < -TWO_63 {
        return Some(Ordering::Greater);
    }
    let whole = x.floor();
    // In range, so that the cast is exact.
    Some(i.cmp(&(whole as i64)).then(if x > whole { Ordering::Less } else { Ordering::Equal }))
}

impl Heap for Value {
    fn heap(&self) -> usize {
        match self {
            Value::Text(text) => text.heap(),
            Value::Missing | Value::Int(_) | Value::Float(_) | Value::Bool(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_floats_compare_exactly() {
        let order = |i: i64, x: f64| ValueRef::Int(i).compare(ValueRef::Float(x));
        assert_eq!(order(3, 3.0), Some(Ordering::Equal));
        assert_eq!(order(3, 3.5), Some(Ordering::Less));
        assert_eq!(order(-3, -3.5), Some(Ordering::Greater));
        assert_eq!(order(-4, -3.5), Some(Ordering::Less));
        assert_eq!(order((1 << 53) + 1, (1_u64 << 53) as f64), Some(Ordering::Greater));
        assert_eq!(order(i64::MAX, 9_223_372_036_854_775_807.0), Some(Ordering::Less));
        assert_eq!(order(i64::MIN, -9_223_372_036_854_775_808.0), Some(Ordering::Equal));
        assert_eq!(order(0, f64::NEG_INFINITY), Some(Ordering::Greater));
        assert_eq!(order(0, f64::NAN), None);
        assert_eq!(ValueRef::Float(3.5).compare(ValueRef::Int(3)), Some(Ordering::Greater));
    }

    #[test]
    fn values_of_different_kinds_have_no_order() {
        assert_eq!(ValueRef::Text("1").compare(ValueRef::Int(1)), None);
        assert_eq!(ValueRef::Missing.compare(ValueRef::Missing), None);
        assert_eq!(ValueRef::Bool(true).compare(ValueRef::Int(1)), None);
        assert_eq!(ValueRef::Text("a").compare(ValueRef::Text("b")), Some(Ordering::Less));
    }
}
