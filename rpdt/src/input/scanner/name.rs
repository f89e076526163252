//! Where names and values end, and where they differ: sixteen bytes at once.

/// How many bytes stand before the first that certainly is no part of a name: white space (or another
/// control character), `/`, `>`; all sixteen if there is none.
#[inline(always)]
pub(super) fn ends_name(bytes: &[u8; 16]) -> usize {
    first_of(bytes)
}

/// How many bytes, from the first on, are the same.
#[inline(always)]
pub(super) fn mismatches(a: &[u8; 16], b: &[u8; 16]) -> usize {
    let differ = u128::from_le_bytes(*a) ^ u128::from_le_bytes(*b);
    differ.trailing_zeros() as usize / 8
}

/// Where a byte is, the first place in the lowest bit.
#[inline(always)]
pub(super) fn equals(bytes: &[u8; 16], byte: u8) -> u32 {
    equal(bytes, byte)
}

/// Where ASCII letters are.
#[inline(always)]
pub(super) fn letters_of(bytes: &[u8; 16]) -> u32 {
    letters(bytes)
}

/// Where `<`, `>` and quotes are.
#[inline(always)]
pub(super) fn delimiters_of(bytes: &[u8; 16]) -> u32 {
    delimiters(bytes)
}

/// Where bytes are that are not ASCII.
#[inline(always)]
pub(super) fn not_ascii(bytes: &[u8; 16]) -> u32 {
    tops(bytes)
}

#[cfg(target_arch = "x86_64")]
use super::sse2::{delimiters, equal, first_of, letters, tops};

#[cfg(not(target_arch = "x86_64"))]
use plain::{delimiters, equal, first_of, letters, tops};

#[cfg(any(test, not(target_arch = "x86_64")))]
mod plain {
    fn mask(bytes: &[u8; 16], holds: impl Fn(u8) -> bool) -> u32 {
        bytes.iter().rev().fold(0, |mask, b| mask << 1 | u32::from(holds(*b)))
    }

    #[inline(always)]
    pub(super) fn equal(bytes: &[u8; 16], byte: u8) -> u32 {
        mask(bytes, |b| b == byte)
    }

    #[inline(always)]
    pub(super) fn tops(bytes: &[u8; 16]) -> u32 {
        mask(bytes, |b| !b.is_ascii())
    }

    #[inline(always)]
    pub(super) fn letters(bytes: &[u8; 16]) -> u32 {
        mask(bytes, |b| b.is_ascii_alphabetic())
    }

    #[inline(always)]
    pub(super) fn delimiters(bytes: &[u8; 16]) -> u32 {
        mask(bytes, |b| matches!(b, b'<' | b'>' | b'"' | b'\''))
    }

    #[inline(always)]
    pub(super) fn first_of(bytes: &[u8; 16]) -> usize {
        (mask(bytes, |b| b <= b' ' || b == b'/' || b == b'>') | 1 << 16).trailing_zeros() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_at_every_place() {
        for byte in 0..=u8::MAX {
            for place in 0..16 {
                let mut bytes = *b"abc-def.ghi_jkl:";
                bytes[place] = byte;
                assert_eq!(ends_name(&bytes), plain::first_of(&bytes));
                assert_eq!(equals(&bytes, byte), plain::equal(&bytes, byte));
                assert_eq!(not_ascii(&bytes), plain::tops(&bytes));
                assert_eq!(letters_of(&bytes), plain::letters(&bytes));
                assert_eq!(delimiters_of(&bytes), plain::delimiters(&bytes));
                assert_eq!(plain::equal(&bytes, byte) >> place & 1, 1);
                let ends = b"\t\n\r />".contains(&byte) || byte < b' ';
                assert_eq!(plain::first_of(&bytes) == place, ends);
            }
        }
    }
}
