//! What a cell says: a number, a truth value, text or nothing.

use multipattern::ValueRef;

/// Integers of so many digits fit into 64 bits.
const SAFE_DIGITS: usize = 18;

/// A cell: a number or a truth value if it looks like one, nothing if it is empty, else text. Leading
/// zeros make text (`007` is a code, not a number), and so does what no number of 64 bits holds: codes
/// of many digits stay apart from each other, which rounding would not do.
pub(crate) fn typed(cell: &str) -> ValueRef<'_> {
    match cell.as_bytes().first() {
        None => ValueRef::Missing,
        Some(b'0'..=b'9' | b'-' | b'+' | b'.') => number(cell).unwrap_or_else(|| special(cell)),
        _ => special(cell),
    }
}

fn special(cell: &str) -> ValueRef<'_> {
    match cell {
        "true" | "True" | "TRUE" => ValueRef::Bool(true),
        "false" | "False" | "FALSE" => ValueRef::Bool(false),
        "NaN" => ValueRef::Float(f64::NAN),
        "inf" | "+inf" | "Infinity" | "+Infinity" => ValueRef::Float(f64::INFINITY),
        "-inf" | "-Infinity" => ValueRef::Float(f64::NEG_INFINITY),
        text => ValueRef::Text(text),
    }
}

/// A number as JSON writes it, also with a `+` before it and without digits on one side of the
/// point. `None` if it is no number, an integer beyond 64 bits, with an exponent or without, or beyond
/// the floats.
pub(crate) fn number(text: &str) -> Option<ValueRef<'static>> {
    let bytes = text.as_bytes();
    let unsigned = match bytes.first() {
        Some(b'-' | b'+') => &bytes[1..],
        _ => bytes,
    };
    let whole = digits(unsigned);
    if whole > 1 && unsigned[0] == b'0' {
        return None;
    }
    if whole == unsigned.len() {
        return if whole > 0 { integer(text, unsigned) } else { None };
    }
    let mut rest = &unsigned[whole..];
    let mut fraction = 0;
    if rest[0] == b'.' {
        fraction = digits(&rest[1..]);
        rest = &rest[1 + fraction..];
    } else if whole > 0 {
        integer(&text[..text.len() - rest.len()], &unsigned[..whole])?;
    }
    if whole + fraction == 0 {
        return None;
    }
    if let Some((b'e' | b'E', exponent)) = rest.split_first() {
        let exponent = match exponent.first() {
            Some(b'-' | b'+') => &exponent[1..],
            _ => exponent,
        };
        rest = &exponent[digits(exponent)..];
        if exponent.is_empty() {
            return None;
        }
    }
    if !rest.is_empty() {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    value.is_finite().then_some(ValueRef::Float(value))
}

fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| b.is_ascii_digit()).count()
}

fn integer(text: &str, digits: &[u8]) -> Option<ValueRef<'static>> {
    if digits.len() <= SAFE_DIGITS {
        let value = digits.iter().fold(0, |value, d| 10 * value + i64::from(d - b'0'));
        return Some(ValueRef::Int(if text.starts_with('-') { -value } else { value }));
    }
    text.parse().ok().map(ValueRef::Int)
}
