//! What a cell says: a number, a truth value, text or nothing.

use multipattern::ValueRef;

/// Whole numbers of so many digits fit into 64 bits.
const SAFE_DIGITS: usize = 18;

/// An unquoted cell: a number or a truth value if it looks like one, nothing if it is empty, else
/// text. Leading zeros make text (`007` is a code, not a number).
///
/// # Errors
/// Numbers that no 64 bits hold.
pub(crate) fn typed(cell: &str) -> Result<ValueRef<'_>, &'static str> {
    match cell.as_bytes().first() {
        None => Ok(ValueRef::Missing),
        Some(b'0'..=b'9' | b'-' | b'+' | b'.') => match number(cell) {
            Some(number) => number,
            None => Ok(special(cell)),
        },
        _ => Ok(special(cell)),
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
/// point. `None` if it is no number.
pub(crate) fn number(text: &str) -> Option<Result<ValueRef<'static>, &'static str>> {
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
        return (whole > 0).then(|| integer(text, unsigned));
    }
    let mut rest = &unsigned[whole..];
    let mut fraction = 0;
    if rest[0] == b'.' {
        fraction = digits(&rest[1..]);
        rest = &rest[1 + fraction..];
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
    if value.is_infinite() {
        return Some(Err("a number beyond 64-bit floating point"));
    }
    Some(Ok(ValueRef::Float(value)))
}

fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| b.is_ascii_digit()).count()
}

fn integer(text: &str, digits: &[u8]) -> Result<ValueRef<'static>, &'static str> {
    if digits.len() <= SAFE_DIGITS {
        let value = digits.iter().fold(0, |value, d| 10 * value + i64::from(d - b'0'));
        return Ok(ValueRef::Int(if text.starts_with('-') { -value } else { value }));
    }
    match text.parse() {
        Ok(value) => Ok(ValueRef::Int(value)),
        Err(_) => Err("a whole number beyond 64 bits"),
    }
}
