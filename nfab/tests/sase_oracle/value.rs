//! Values, exact comparison and three-valued logic, written anew and as plainly as possible.

use std::cmp::Ordering;

use nfab::language::{ArithmeticOp, CompareOp, Function, Literal};
use nfab::{Value, ValueRef};

/// A value of an expression; unknown truth is a missing value.
#[derive(Clone, Debug, PartialEq)]
pub enum Val {
    Missing,
    /// Numerator and positive denominator, in lowest terms.
    Ratio(i128, i128),
    Float(f64),
    Bool(bool),
    Text(String),
}

/// `None` is unknown.
pub type Truth = Option<bool>;

pub fn and(parts: impl IntoIterator<Item = Truth>) -> Truth {
    let parts: Vec<Truth> = parts.into_iter().collect();
    match () {
        () if parts.contains(&Some(false)) => Some(false),
        () if parts.contains(&None) => None,
        () => Some(true),
    }
}

pub fn or(parts: impl IntoIterator<Item = Truth>) -> Truth {
    not(and(parts.into_iter().map(not)))
}

pub fn not(truth: Truth) -> Truth {
    truth.map(|b| !b)
}

fn ratio(n: i128, d: i128) -> Val {
    let (mut a, mut b) = (n.unsigned_abs(), d.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let divisor = a as i128 * d.signum();
    Val::Ratio(n / divisor, d / divisor)
}

/// A float as mantissa and exponent of two: `x = m * 2^e`.
fn split(x: f64) -> (i128, i32) {
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let fraction = i128::from(bits & ((1 << 52) - 1));
    let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    (if x < 0.0 { -mantissa } else { mantissa }, exponent.max(1) - 1075)
}

/// The order of a fraction and a float. Exact for numbers of tests: numerators within 64 bits,
/// small denominators, floats that are no closer to zero than 2^-8 unless they are zero.
fn compare_ratio_float(n: i128, d: i128, x: f64) -> Option<Ordering> {
    if x.is_nan() {
        return None;
    }
    if x.abs() > 1e25 {
        return 0.0.partial_cmp(&x);
    }
    let (mantissa, exponent) = split(x);
    if mantissa == 0 {
        return Some(n.cmp(&0));
    }
    assert!((-60..=32).contains(&exponent), "a float beyond the oracle: {x}");
    Some(if exponent < 0 {
        (n << -exponent).cmp(&(mantissa * d))
    } else {
        n.cmp(&((mantissa << exponent) * d))
    })
}

/// How two values compare.
enum Compared {
    /// One is missing, or they are of different kinds.
    Unknown,
    /// One is NaN.
    Unordered,
    Ordered(Ordering),
}

fn compared(a: &Val, b: &Val) -> Compared {
    let number = |order: Option<Ordering>| order.map_or(Compared::Unordered, Compared::Ordered);
    match (a, b) {
        (Val::Ratio(a, b), Val::Ratio(c, d)) => Compared::Ordered((a * d).cmp(&(c * b))),
        (Val::Float(x), Val::Float(y)) => number(x.partial_cmp(y)),
        (&Val::Ratio(n, d), &Val::Float(x)) => number(compare_ratio_float(n, d, x)),
        (&Val::Float(x), &Val::Ratio(n, d)) => {
            number(compare_ratio_float(n, d, x).map(Ordering::reverse))
        }
        (Val::Bool(a), Val::Bool(b)) => Compared::Ordered(a.cmp(b)),
        (Val::Text(a), Val::Text(b)) => Compared::Ordered(a.cmp(b)),
        _ => Compared::Unknown,
    }
}

pub fn compare(op: CompareOp, a: &Val, b: &Val) -> Truth {
    match compared(a, b) {
        Compared::Unknown => None,
        Compared::Unordered => Some(op == CompareOp::Ne),
        Compared::Ordered(order) => Some(match op {
            CompareOp::Eq => order.is_eq(),
            CompareOp::Ne => order.is_ne(),
            CompareOp::Lt => order.is_lt(),
            CompareOp::Le => order.is_le(),
            CompareOp::Gt => order.is_gt(),
            CompareOp::Ge => order.is_ge(),
        }),
    }
}

impl Val {
    fn int(i: impl Into<i128>) -> Val {
        Val::Ratio(i.into(), 1)
    }

    pub fn of(value: &Value) -> Val {
        match value.as_ref() {
            ValueRef::Missing => Val::Missing,
            ValueRef::Int(i) => Val::int(i),
            ValueRef::Float(x) => Val::Float(x),
            ValueRef::Bool(b) => Val::Bool(b),
            ValueRef::Text(t) => Val::Text(t.to_owned()),
        }
    }

    pub fn literal(literal: &Literal) -> Val {
        match literal {
            Literal::Int(i) => Val::int(*i),
            Literal::Float(x) => Val::Float(*x),
            Literal::Bool(b) => Val::Bool(*b),
            Literal::Text(t) => Val::Text(t.to_string()),
        }
    }

    pub fn truth(truth: Truth) -> Val {
        truth.map_or(Val::Missing, Val::Bool)
    }

    /// The value as a condition; what is no truth value is unknown.
    pub fn holds(&self) -> Truth {
        match self {
            Val::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// Equal as keys of partitions.
    pub fn same_key(&self, other: &Val) -> bool {
        compare(CompareOp::Eq, self, other) == Some(true)
    }

    pub fn is_key(&self) -> bool {
        self.same_key(self)
    }

    fn float(&self) -> Option<f64> {
        match *self {
            Val::Ratio(n, d) => Some(n as f64 / d as f64),
            Val::Float(x) => Some(x),
            _ => None,
        }
    }

    pub fn negate(&self) -> Val {
        match *self {
            Val::Ratio(n, d) => Val::Ratio(-n, d),
            Val::Float(x) => Val::Float(-x),
            _ => Val::Missing,
        }
    }
}

pub fn arithmetic(op: ArithmeticOp, left: &Val, right: &Val) -> Val {
    if let (&Val::Ratio(a, b), &Val::Ratio(c, d)) = (left, right) {
        return match op {
            ArithmeticOp::Add => ratio(a * d + c * b, b * d),
            ArithmeticOp::Subtract => ratio(a * d - c * b, b * d),
            ArithmeticOp::Multiply => ratio(a * c, b * d),
            _ if c == 0 => Val::Missing,
            ArithmeticOp::Divide => ratio(a * d, b * c),
            // The sign is that of the dividend, as of `%` in Rust.
            ArithmeticOp::Remainder => ratio((a * d) % (c * b), b * d),
        };
    }
    let (Some(x), Some(y)) = (left.float(), right.float()) else { return Val::Missing };
    Val::Float(match op {
        ArithmeticOp::Add => x + y,
        ArithmeticOp::Subtract => x - y,
        ArithmeticOp::Multiply => x * y,
        ArithmeticOp::Divide => x / y,
        ArithmeticOp::Remainder => x % y,
    })
}

/// A function of the attribute of some events; without an attribute all values are `None`.
pub fn aggregate(function: Function, values: &[Option<Val>]) -> Val {
    let count = |n: usize| Val::int(n as i64);
    let known: Vec<&Val> = values.iter().flatten().filter(|v| **v != Val::Missing).collect();
    let numbers: Vec<&Val> = known.iter().copied().filter(|v| v.float().is_some()).collect();
    match function {
        Function::Count if values.iter().any(Option::is_some) => count(known.len()),
        Function::Count => count(values.len()),
        Function::First => values.first().cloned().flatten().unwrap_or(Val::Missing),
        Function::Last => values.last().cloned().flatten().unwrap_or(Val::Missing),
        Function::Sum => sum(&numbers),
        Function::Avg if numbers.is_empty() => Val::Missing,
        Function::Avg => arithmetic(ArithmeticOp::Divide, &sum(&numbers), &count(numbers.len())),
        Function::Min => best(&known, CompareOp::Lt),
        Function::Max => best(&known, CompareOp::Gt),
    }
}

/// Integers are added exactly; one float makes the sum a float.
fn sum(numbers: &[&Val]) -> Val {
    let add = |a: Val, b: &&Val| arithmetic(ArithmeticOp::Add, &a, b);
    numbers.iter().fold(Val::int(0), add)
}

/// The first value that no later one beats; NaN is left out.
fn best(known: &[&Val], better: CompareOp) -> Val {
    let mut best = Val::Missing;
    for &value in known.iter().filter(|v| v.is_key()) {
        if best == Val::Missing || compare(better, value, &best) == Some(true) {
            best = value.clone();
        }
    }
    best
}
