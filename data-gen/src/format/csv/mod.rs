//! Comma-separated values as in RFC 4180, with a header.
//!
//! The writer ends lines with `\n` and quotes a field only where it must. The reader takes `\n` and
//! `\r\n`, a byte order mark, columns in any order and rows without a final line break; it skips
//! empty lines. Types are inferred field by field:
//!
//! | field | value |
//! |---|---|
//! | empty | missing |
//! | `true`, `false` | a truth value |
//! | a number as JSON writes it, without fraction and exponent, within 64 bits: `7`, `-40` | a whole number |
//! | any other number as JSON writes it, if it is finite: `7.0`, `-1e-9`, `-0` | a floating point number |
//! | in quotes, whatever it is: `"7"`, `"true"`, `""` | text |
//! | anything else: `007`, `+1`, `.5`, `nan`, `99999999999999999999`, ` 7` | text |
//!
//! Whole numbers beyond 64 bits are text, so that different ones stay different. The type of an
//! event is always text, and its time must be a whole number.

mod reader;
mod writer;

pub use reader::Reader;
pub use writer::Writer;

use crate::stream::Field;

/// The value of a field that is not in quotes, by the rules of this module.
///
/// ```
/// use data_gen::format::csv::infer;
/// use data_gen::stream::Field;
/// assert_eq!(infer("12"), Field::Int(12));
/// assert_eq!(infer("1.50"), Field::Float(1.5));
/// assert_eq!(infer("012"), Field::Text("012"));
/// ```
#[inline]
#[must_use]
pub fn infer(field: &str) -> Field<'_> {
    match field.as_bytes() {
        [] => Field::Missing,
        b"true" => Field::Bool(true),
        b"false" => Field::Bool(false),
        [b'-' | b'0'..=b'9', ..] => number(field).unwrap_or(Field::Text(field)),
        _ => Field::Text(field),
    }
}

fn number(text: &str) -> Option<Field<'_>> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = usize::from(bytes[0] == b'-');
    let mut at = whole + digits(whole);
    if at == whole || (bytes[whole] == b'0' && at > whole + 1) {
        return None;
    }
    // Minus zero is no whole number: its sign would be lost.
    if at == bytes.len() && text != "-0" {
        if bytes.len() > 18 {
            return text.parse().ok().map(Field::Int);
        }
        let n = bytes[whole..].iter().fold(0, |n, byte| 10 * n + i64::from(byte - b'0'));
        return Some(Field::Int(if whole == 1 { -n } else { n }));
    }
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        if fraction == 0 {
            return None;
        }
        at += 1 + fraction;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at);
        if exponent == 0 {
            return None;
        }
        at += exponent;
    }
    if at < bytes.len() {
        return None;
    }
    text.parse().ok().filter(|x: &f64| x.is_finite()).map(Field::Float)
}
