//! Keys as numbers.

use std::borrow::Cow;

/// Set in the number of a text that is longer than seven bytes.
pub const LONG: u64 = 1 << 63;

/// The number of a text that is not empty. Numbers as people write them (digits, no zero before
/// others) of up to 16 digits are themselves, other texts of up to seven bytes are packed: different
/// texts have different numbers, below [`LONG`]. Longer texts are hashed to 63 bits and [`LONG`] is
/// set; two of them may have one number, so whoever joins by numbers compares the texts where
/// [`is_long`] says so.
///
/// A packed text has its bytes in the lower seven bytes, the first lowest, and its length in the top
/// one.
/// The hash is fixed. With `h` the length, for every eight bytes `w` (little-endian, the last filled up
/// with zeros), `h = (h ^ w) * 0x9E3779B97F4A7C15; h ^= h >> 32`; last
/// `h *= 0xD6E8FEB86659FD93; h ^= h >> 32`. Linear in the length.
///
/// ```
/// use ujoin::input::{is_long, pack};
/// assert_ne!(pack("AB"), pack("AB\0"));
/// assert!(!is_long(pack("AB12345")) && is_long(pack("AB123456")));
/// assert_eq!(pack("10012"), 10_012);
/// ```
#[must_use]
pub fn pack(text: &str) -> u64 {
    let bytes = text.as_bytes();
    if let Some(number) = number(bytes) {
        return number;
    }
    if bytes.len() < 8 {
        return word(bytes) | (bytes.len() as u64) << 56;
    }
    let mut hash = bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        hash = (hash ^ word(chunk)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^= hash >> 32;
    }
    hash = hash.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (hash ^ hash >> 32) | LONG
}

/// Whether a number is that of a text that was hashed.
#[must_use]
pub fn is_long(key: u64) -> bool {
    key & LONG != 0
}

/// A number without needless zeros that stays below the lengths of packed texts.
fn number(bytes: &[u8]) -> Option<u64> {
    let first = *bytes.first()?;
    if bytes.len() > 16 || (first == b'0' && bytes.len() > 1) {
        return None;
    }
    let mut number = 0;
    for b in bytes {
        let digit = b.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = 10 * number + u64::from(digit);
    }
    Some(number)
}

/// Up to eight bytes as a number.
fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// A number plate without what readers write differently: in upper case, without white space and
/// dashes.
///
/// ```
/// use ujoin::input::normalize_plate;
/// assert_eq!(normalize_plate("b\u{2013}ab 123"), "BAB123");
/// ```
#[must_use]
pub fn normalize_plate(text: &str) -> Cow<'_, str> {
    // The hyphens and dashes of Unicode that are in use on keyboards, and the minus sign.
    let is_dash = |c| matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{00ad}');
    let drops = |c: char| c.is_whitespace() || is_dash(c);
    let is_normal = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit();
    if text.bytes().all(is_normal) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|&c| !drops(c)).flat_map(char::to_uppercase).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_packed_without_loss() {
        let texts = [
            "\0",
            "\0\0",
            "a",
            "a\0",
            "b",
            "1234567",
            "\x00234567",
            "0",
            "00",
            "01",
            "1",
            "12345678",
            "9999999999999999",
            "-1",
        ];
        for (i, a) in texts.iter().enumerate() {
            assert!(!is_long(pack(a)));
            for b in &texts[..i] {
                assert_ne!(pack(a), pack(b));
            }
        }
    }

    /// Programs in other languages may compute it, and files hold it.
    #[test]
    fn the_hash_is_fixed() {
        assert_eq!(pack("09345"), 0x0500_0035_3433_3930);
        assert_eq!(pack("AB-12345"), 0xBB7C_D5CB_69F6_FE04);
        assert_eq!(pack("AB-12345 and more"), 0xC081_2E03_848C_F577);
    }
}
