//! Exact numbers: fractions of wide integers, and floats where the data are floats.

use std::cmp::Ordering;

use super::Arithmetic;
use crate::value::compare_ratio_float;

/// A number. Integers and their averages are exact.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    /// Numerator and denominator; the denominator is positive.
    Exact(i128, i128),
    Float(f64),
}

/// Why an operator has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoNumber {
    /// Not even 128 bits hold it.
    Overflow,
    /// Division by zero of exact numbers.
    DivisionByZero,
}

fn greatest_common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The fraction in lowest terms with a positive denominator.
fn reduced(n: i128, d: i128) -> Result<Number, NoNumber> {
    if d == 1 {
        return Ok(Number::Exact(n, 1));
    }
    let divisor = greatest_common_divisor(n.unsigned_abs(), d.unsigned_abs());
    let divisor = i128::try_from(divisor).map_err(|_| NoNumber::Overflow)?;
    let (n, d) = (n / divisor, d / divisor);
    if d > 0 {
        return Ok(Number::Exact(n, d));
    }
    match (n.checked_neg(), d.checked_neg()) {
        (Some(n), Some(d)) => Ok(Number::Exact(n, d)),
        _ => Err(NoNumber::Overflow),
    }
}

/// Compares two fractions by their continued fractions: exact, and nothing can overflow.
fn compare_ratios(mut a: i128, mut b: i128, mut c: i128, mut d: i128) -> Ordering {
    loop {
        let whole = a.div_euclid(b).cmp(&c.div_euclid(d));
        if whole != Ordering::Equal {
            return whole;
        }
        let (left, right) = (a.rem_euclid(b), c.rem_euclid(d));
        if left == 0 || right == 0 {
            return left.cmp(&right);
        }
        // left/b < right/d exactly if d/right < b/left.
        (a, b, c, d) = (d, right, b, left);
    }
}

impl Number {
    fn as_float(self) -> f64 {
        match self {
            Number::Exact(n, 1) => n as f64,
            Number::Exact(n, d) => n as f64 / d as f64,
            Number::Float(x) => x,
        }
    }

    /// The order of two numbers; `None` if one is NaN.
    pub(crate) fn compare(self, other: Number) -> Option<Ordering> {
        match (self, other) {
            (Number::Exact(a, 1), Number::Exact(b, 1)) => Some(a.cmp(&b)),
            (Number::Exact(a, b), Number::Exact(c, d)) => Some(compare_ratios(a, b, c, d)),
            (Number::Float(x), Number::Float(y)) => x.partial_cmp(&y),
            (Number::Exact(a, b), Number::Float(y)) => compare_ratio_float(a, b, y),
            (Number::Float(x), Number::Exact(c, d)) => {
                compare_ratio_float(c, d, x).map(Ordering::reverse)
            }
        }
    }

    pub(crate) fn negate(self) -> Result<Number, NoNumber> {
        match self {
            Number::Exact(n, d) => {
                n.checked_neg().map(|n| Number::Exact(n, d)).ok_or(NoNumber::Overflow)
            }
            Number::Float(x) => Ok(Number::Float(-x)),
        }
    }

    pub(crate) fn apply(self, op: Arithmetic, other: Number) -> Result<Number, NoNumber> {
        let (Number::Exact(a, b), Number::Exact(c, d)) = (self, other) else {
            let (x, y) = (self.as_float(), other.as_float());
            return Ok(Number::Float(match op {
                Arithmetic::Add => x + y,
                Arithmetic::Subtract => x - y,
                Arithmetic::Multiply => x * y,
                Arithmetic::Divide => x / y,
                Arithmetic::Remainder => x % y,
            }));
        };
        if b == 1 && d == 1 {
            // Whole numbers.
            let whole = match op {
                Arithmetic::Add => a.checked_add(c),
                Arithmetic::Subtract => a.checked_sub(c),
                Arithmetic::Multiply => a.checked_mul(c),
                Arithmetic::Remainder if c != 0 => match (i64::try_from(a), i64::try_from(c)) {
                    (Ok(a), Ok(c)) => Some(i128::from(a.wrapping_rem(c))),
                    _ => a.checked_rem(c),
                },
                Arithmetic::Divide | Arithmetic::Remainder => None,
            };
            if let Some(whole) = whole {
                return Ok(Number::Exact(whole, 1));
            }
        }
        let times = |x: i128, y: i128| x.checked_mul(y).ok_or(NoNumber::Overflow);
        match op {
            Arithmetic::Add | Arithmetic::Subtract => {
                let (left, right) = (times(a, d)?, times(c, b)?);
                let sum = match op {
                    Arithmetic::Add => left.checked_add(right),
                    _ => left.checked_sub(right),
                };
                reduced(sum.ok_or(NoNumber::Overflow)?, times(b, d)?)
            }
            Arithmetic::Multiply => reduced(times(a, c)?, times(b, d)?),
            Arithmetic::Divide | Arithmetic::Remainder if c == 0 => Err(NoNumber::DivisionByZero),
            Arithmetic::Divide => reduced(times(a, d)?, times(b, c)?),
            Arithmetic::Remainder => {
                let rest = times(a, d)?.checked_rem(times(c, b)?).ok_or(NoNumber::Overflow)?;
                reduced(rest, times(b, d)?)
            }
        }
    }
}
