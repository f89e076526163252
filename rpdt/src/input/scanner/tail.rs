//! The part of a start tag behind its name, checked while its end is sought.

use super::super::wellformed::{in_name, is_space, starts_name};
use super::name::{equals, letters_of, not_ascii};

/// Where a start tag ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tail {
    /// One past the `>`.
    pub end: usize,
    /// It is `/>`.
    pub empty: bool,
}

/// So many attributes are compared with each other.
const FEW: usize = 8;

/// The tail of a tag whose name ends at a place. `None` if it is not all there, not quite ASCII, has
/// very many attributes or a fault. With `SEEN` somebody else sees to values that are not ASCII.
#[inline(always)]
pub(super) fn tail<const SEEN: bool>(bytes: &[u8], stop: usize) -> Option<Tail> {
    if *bytes.get(stop)? != b' ' {
        return end(bytes, stop).or_else(|| attributes::<SEEN>(bytes, stop));
    }
    // Most tags that have attributes have one, with one space before and nothing behind.
    let at = one::<SEEN>(bytes, stop + 1)?;
    end(bytes, at).or_else(|| attributes::<SEEN>(bytes, stop))
}

#[inline(always)]
fn end(bytes: &[u8], at: usize) -> Option<Tail> {
    match *bytes.get(at..at + 2)? {
        [b'>', _] => Some(Tail { end: at + 1, empty: false }),
        [b'/', b'>'] => Some(Tail { end: at + 2, empty: true }),
        _ => None,
    }
}

/// Where the value ends of an attribute that begins at a place.
#[inline(always)]
fn one<const SEEN: bool>(bytes: &[u8], at: usize) -> Option<usize> {
    let len = name(bytes.get(at..)?)?;
    match *bytes.get(at + len..at + len + 2)? {
        [b'=', quote @ (b'"' | b'\'')] => value_end::<SEEN>(bytes, at + len + 2, quote),
        _ => None,
    }
}

#[inline(never)]
fn attributes<const SEEN: bool>(bytes: &[u8], mut at: usize) -> Option<Tail> {
    let mut seen: [&[u8]; FEW] = [&[]; FEW];
    let mut count = 0;
    loop {
        let gap = at;
        while is_space(*bytes.get(at)?) {
            at += 1;
        }
        let first = bytes[at];
        if !starts_name(first) {
            return end(bytes, at);
        }
        if gap == at || count == FEW {
            return None;
        }
        let name = &bytes[at..at + name(&bytes[at..])?];
        at = one::<SEEN>(bytes, at)?;
        if seen[..count].contains(&name) {
            return None;
        }
        seen[count] = name;
        count += 1;
    }
}

/// How many bytes the name of an attribute has, which has a `=` behind it and is ASCII.
#[inline(always)]
fn name(bytes: &[u8]) -> Option<usize> {
    let first = bytes.first_chunk()?;
    let found = equals(first, b'=');
    // Ones for the bytes before the first `=`.
    let before = found.wrapping_sub(1) & !found;
    if before != 0 && before & !letters_of(first) == 0 {
        return Some(found.trailing_zeros() as usize);
    }
    name_of_all_kinds(bytes)
}

#[inline(never)]
fn name_of_all_kinds(bytes: &[u8]) -> Option<usize> {
    let len = bytes.iter().position(|b| *b == b'=')?;
    let fits = |b: &u8| in_name(*b) & b.is_ascii();
    let name = &bytes[..len];
    (starts_name(*name.first()?) && name.iter().all(fits)).then_some(len)
}

/// One past the quote that ends a value; `None` if it is not there, or if the value has a `<` in it or,
/// unless somebody else has `SEEN` to that, is not ASCII.
#[inline(always)]
fn value_end<const SEEN: bool>(bytes: &[u8], mut at: usize, quote: u8) -> Option<usize> {
    loop {
        let block = bytes.get(at..)?.first_chunk()?;
        let quotes = equals(block, quote);
        let faults = equals(block, b'<') | if SEEN { 0 } else { not_ascii(block) };
        // What stands before the first quote.
        let value = quotes.wrapping_sub(1) & !quotes;
        if faults & value != 0 {
            return None;
        }
        if quotes != 0 {
            return Some(at + 1 + quotes.trailing_zeros() as usize);
        }
        at += block.len();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::attributes;
    use super::*;

    fn found(text: &str) -> Option<(usize, bool)> {
        let padded = format!("{text}................");
        let ascii = tail::<false>(padded.as_bytes(), 0);
        let any = tail::<true>(padded.as_bytes(), 0);
        assert!(ascii == any || !text.is_ascii());
        any.map(|tail| (tail.end, tail.empty))
    }

    #[test]
    fn tails_of_all_kinds() {
        assert_eq!(found(">"), Some((1, false)));
        assert_eq!(found("/>"), Some((2, true)));
        assert_eq!(found(" a='1'>"), Some((7, false)));
        assert_eq!(found(" a='>'\n b=\"/>'\" />"), Some((18, true)));
        assert_eq!(found(" a='123456789' >"), Some((16, false)));
        assert_eq!(found(" a2345678901234567890='1234567890123456'>"), Some((41, false)));
        assert_eq!(found(" a='é'>"), Some((8, false)));
        assert_eq!(tail::<false>(" a='é'>................".as_bytes(), 0), None);
        for fault in [
            " a='1' a='2'>",
            " a=1>",
            " a>",
            "/ >",
            " a='<'>",
            " a='1'b='2'>",
            " é='1'>",
            " a ='1'>",
            "<",
            "\"",
            " a='1",
            " ab/='1'>",
            " a>='1'>",
            " ='1'>=",
        ] {
            assert_eq!(found(fault), None, "{fault}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn what_is_taken_is_what_the_check_of_attributes_takes(
            text in "[ \n]?(([ab][ab1/>é]?)(='[^'éx]{0,19}'|=\"[^\"<x]{0,9}\")[ \t]?){0,4}/?>",
        ) {
            if let Some((end, empty)) = found(&text) {
                let tail = &text.as_bytes()[..end - 1 - usize::from(empty)];
                prop_assert_eq!(attributes::check(tail), Ok(()), "{}", text);
                prop_assert!(tail.is_empty() || is_space(tail[0]));
            }
        }
    }
}
