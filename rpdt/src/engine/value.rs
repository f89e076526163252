//! Value tests, with the comparisons of XPath 1.0.

use crate::pattern::{Literal, Op};

/// Whether a value passes a comparison; `None` asks only that there is a value.
pub(crate) fn holds(value: &str, comparison: Option<&(Op, Literal)>) -> bool {
    let Some((op, literal)) = comparison else { return true };
    match (op, literal) {
        (Op::Eq, Literal::String(s)) => value == &**s,
        (Op::Ne, Literal::String(s)) => value != &**s,
        (_, Literal::String(s)) => compare(number(value), *op, number(s)),
        (_, Literal::Number(n)) => compare(number(value), *op, *n),
    }
}

#[allow(clippy::float_cmp, reason = "XPath compares numbers exactly")]
fn compare(a: f64, op: Op, b: f64) -> bool {
    match op {
        Op::Eq => a == b,
        Op::Ne => a != b,
        Op::Lt => a < b,
        Op::Le => a <= b,
        Op::Gt => a > b,
        Op::Ge => a >= b,
    }
}

/// The `number()` of XPath 1.0: white space, an optional minus, digits with an optional fraction;
/// anything else is NaN.
pub(crate) fn number(text: &str) -> f64 {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let numeric = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !numeric(whole) || !numeric(fraction) {
        return f64::NAN;
    }
    text.parse().unwrap_or(f64::NAN)
}
