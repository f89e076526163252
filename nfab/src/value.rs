//! Attribute values, exact comparison and three-valued logic.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// The declared type of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// 64-bit integers.
    Int,
    /// 64-bit floating point numbers.
    Float,
    /// Truth values.
    Bool,
    /// Text.
    Text,
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ValueType::Int => "int",
            ValueType::Float => "float",
            ValueType::Bool => "bool",
            ValueType::Text => "text",
        })
    }
}

/// A value that owns its text. With the feature `serde` it can be written and read; floats are
/// written by their bits, so that every format keeps them, NaN included.
#[derive(Clone, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Value {
    /// The attribute is absent.
    #[default]
    Missing,
    /// An integer.
    Int(i64),
    /// A floating point number.
    Float(#[cfg_attr(feature = "serde", serde(with = "crate::snapshot::codec::bits"))] f64),
    /// A truth value.
    Bool(bool),
    /// Text.
    Text(#[cfg_attr(feature = "serde", serde(with = "crate::snapshot::codec::text"))] Arc<str>),
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
}

/// The three truth values of SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Truth {
    /// It does not hold.
    False,
    /// A value that it needs is missing, or is not comparable.
    Unknown,
    /// It holds.
    True,
}

impl Truth {
    /// True only if it is known to hold.
    #[must_use]
    pub fn holds(self) -> bool {
        self == Truth::True
    }

    /// Conjunction: the weaker of the two.
    #[must_use]
    pub fn and(self, other: Truth) -> Truth {
        if (self as u8) < (other as u8) { self } else { other }
    }

    /// Disjunction: the stronger of the two.
    #[must_use]
    pub fn or(self, other: Truth) -> Truth {
        if (self as u8) > (other as u8) { self } else { other }
    }

    /// Negation; unknown stays unknown.
    #[must_use]
    #[allow(clippy::should_implement_trait)]
    pub fn not(self) -> Truth {
        match self {
            Truth::False => Truth::True,
            Truth::Unknown => Truth::Unknown,
            Truth::True => Truth::False,
        }
    }
}

impl From<bool> for Truth {
    fn from(b: bool) -> Self {
        if b { Truth::True } else { Truth::False }
    }
}

/// 2^127 as a float; the first one above every `i128`.
const TWO_127: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;

/// Compares an integer with a float, without rounding either. `None` for NaN.
#[must_use]
pub fn compare_int_float(i: i128, x: f64) -> Option<Ordering> {
    compare_ratio_float(i, 1, x)
}

/// Compares the fraction `numerator / denominator` (denominator positive) with a float, exactly.
/// `None` for NaN.
#[must_use]
pub fn compare_ratio_float(numerator: i128, denominator: i128, x: f64) -> Option<Ordering> {
    debug_assert!(denominator > 0);
    if x.is_nan() {
        return None;
    }
    if x >= TWO_127 {
        return Some(Ordering::Less);
    }
    if x < -TWO_127 {
        return Some(Ordering::Greater);
    }
    let floor = x.floor();
    let quotient = numerator.div_euclid(denominator);
    let whole = quotient.cmp(&(floor as i128));
    if whole != Ordering::Equal {
        return Some(whole);
    }
    // Both fractions lie in [0, 1): compare their binary digits until the float's run out.
    let denominator = denominator.unsigned_abs();
    let mut rest = numerator.rem_euclid(denominator as i128).unsigned_abs();
    let mut part = x - floor;
    while part != 0.0 {
        part *= 2.0;
        rest *= 2;
        let (theirs, ours) = (part >= 1.0, rest >= denominator);
        if theirs != ours {
            return Some(if theirs { Ordering::Less } else { Ordering::Greater });
        }
        if theirs {
            part -= 1.0;
            rest -= denominator;
        }
    }
    Some(if rest > 0 { Ordering::Greater } else { Ordering::Equal })
}
