//! Dewey versions: which edges of a shared buffer belong to a run.
//!
//! A version is a list of numbers such as `1.0.2`. Where several runs share an entry of the buffer,
//! the version of a run tells which of the edges that leave it is the run's ([`fit`]).
//!
//! # The rules of the paper
//!
//! | rule | what happens | version |
//! |---|---|---|
//! | R1 | a run starts | a fresh first number |
//! | R2 | it enters the next state | `.0` is appended |
//! | R3 | it forks: one clone stays in the state | that clone's last number is incremented |
//! | R4 | it takes an event | the edge carries the version after R2 and R3 |
//!
//! So there are as many numbers as states up to the one that took the event, and the last one
//! counts the forks in it. Walking back with version `v`, an edge labelled `u` fits if both are
//! equally long and equal but for the last number, `v`'s being at least `u`'s (the same run at an
//! earlier fork), or if `u` is a proper prefix of `v` (the run in an earlier state); `v` becomes
//! `u`.
//!
//! That is exact if at most one of the runs that share all numbers but the last stays in the state:
//! under skip-till-next, where a fork sends the other clone on. Under skip-till-any both clones
//! stay, one with the event and one without, and the increments of different runs cannot be told
//! apart.
//!
//! # Tree versions
//!
//! Exact under every strategy: a run that takes an event *and* becomes something else gets a number
//! *appended* that none of its siblings has or will have; without a fork its version stays. All
//! versions then form a tree, each given out once, and an edge labelled `u` fits `v` if `u` is a
//! prefix of `v`; of several the longest is the run's. (A longer prefix of `v` was given out later
//! on the run's own way, hence with a later event than that of this entry; so it labels no edge of
//! it.)
//!
//! # Representation
//!
//! Each number is written in base 128, the low digit first, all bytes but its last marked. So a
//! number ends where it ends whatever follows, and a prefix of the bytes of a version up to the end
//! of a number is a prefix of its numbers: comparing bytes is enough. Most numbers are one byte; up
//! to 22 bytes are stored in place, in 24 bytes in all.

use std::fmt;

/// How versions are given out and read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rules {
    /// R1 to R4: exact if a run that forks sends all but one clone to later states.
    Paper,
    /// Tree versions: exact always, and longer.
    Tree,
}

const INLINE: usize = 22;

/// Marks the bytes of a number but for its last.
const MORE: u8 = 0x80;

#[derive(Clone)]
enum Bytes {
    Inline(u8, [u8; INLINE]),
    Heap(Box<[u8]>),
}

/// A list of numbers.
#[derive(Clone)]
pub(crate) struct Version(Bytes);

/// How well an edge fits a version: of those that fit, the greatest is the run's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// A proper prefix, of so many bytes.
    Prefix(usize),
    /// As long, with this last number.
    Level(u64),
}

impl Fit {
    /// Nothing fits better.
    pub(super) const BEST: Fit = Fit::Level(u64::MAX);
}

impl Version {
    /// The version of the given numbers.
    pub(super) fn new(numbers: impl IntoIterator<Item = u64>) -> Self {
        numbers.into_iter().fold(Version(Bytes::Inline(0, [0; INLINE])), |v, n| v.child(n))
    }

    fn bytes(&self) -> &[u8] {
        match &self.0 {
            Bytes::Inline(len, bytes) => &bytes[..usize::from(*len)],
            Bytes::Heap(bytes) => bytes,
        }
    }

    /// What it holds outside of itself.
    pub(super) fn heap(&self) -> usize {
        match &self.0 {
            Bytes::Inline(..) => 0,
            Bytes::Heap(bytes) => bytes.len(),
        }
    }

    fn of(head: &[u8], tail: &[u8]) -> Self {
        let len = head.len() + tail.len();
        if len > INLINE {
            return Version(Bytes::Heap([head, tail].concat().into()));
        }
        let mut bytes = [0; INLINE];
        bytes[..head.len()].copy_from_slice(head);
        bytes[head.len()..len].copy_from_slice(tail);
        Version(Bytes::Inline(len as u8, bytes))
    }

    /// With this number for the bytes from `keep` on.
    fn with(&self, keep: usize, mut number: u64) -> Self {
        let (mut code, mut len) = ([0; 10], 0);
        while number >= u64::from(MORE) {
            code[len] = number as u8 | MORE;
            number >>= 7;
            len += 1;
        }
        code[len] = number as u8;
        Version::of(&self.bytes()[..keep], &code[..=len])
    }

    /// A number appended.
    #[inline]
    pub(super) fn child(&self, number: u64) -> Self {
        if let Bytes::Inline(len, mut bytes) = self.0 {
            // A number of one byte, and room for it.
            if number < u64::from(MORE) && usize::from(len) < INLINE {
                bytes[usize::from(len)] = number as u8;
                return Version(Bytes::Inline(len + 1, bytes));
            }
        }
        self.with(self.bytes().len(), number)
    }

    /// The last number incremented.
    #[inline]
    pub(super) fn next(&self) -> Self {
        if let Bytes::Inline(len @ 2.., mut bytes) = self.0 {
            let last = usize::from(len) - 1;
            // A number of one byte, also afterwards.
            if bytes[last - 1] & MORE == 0 && bytes[last] + 1 < MORE {
                bytes[last] += 1;
                return Version(Bytes::Inline(len, bytes));
            }
        }
        let at = start_of_last(self.bytes());
        self.with(at, number(&self.bytes()[at..]) + 1)
    }

    /// Zeros appended until there are so many numbers.
    #[inline]
    pub(super) fn padded(&self, numbers: usize) -> Self {
        let have = self.bytes().iter().filter(|byte| **byte & MORE == 0).count();
        let mut padded = self.clone();
        for _ in have..numbers {
            padded = padded.child(0);
        }
        padded
    }

    /// The numbers.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u64> {
        self.bytes().split_inclusive(|byte| byte & MORE == 0).map(number)
    }
}

/// Where the last number begins.
fn start_of_last(bytes: &[u8]) -> usize {
    let before = &bytes[..bytes.len().saturating_sub(1)];
    before.iter().rposition(|byte| byte & MORE == 0).map_or(0, |end| end + 1)
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, byte| n << 7 | u64::from(byte & !MORE))
}

/// Whether an edge with this label belongs to a run with that version.
#[inline]
pub(super) fn fit(rules: Rules, label: &Version, version: &Version) -> Option<Fit> {
    let (u, v) = (label.bytes(), version.bytes());
    let equal = u.iter().zip(v).take_while(|(u, v)| u == v).count();
    if equal == u.len() {
        return Some(if equal == v.len() { Fit::BEST } else { Fit::Prefix(equal) });
    }
    // Only within the last number may they differ.
    let ends_before = u[equal..u.len() - 1].iter().any(|byte| byte & MORE == 0);
    if ends_before || rules == Rules::Tree {
        return None;
    }
    let (of_u, of_v) = (start_of_last(u), start_of_last(v));
    let last = number(&u[of_u..]);
    (of_u == of_v && last <= number(&v[of_v..])).then_some(Fit::Level(last))
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, number) in self.numbers().enumerate() {
            let dot = if at == 0 { "" } else { "." };
            write!(f, "{dot}{number}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_version_is_three_words() {
        assert_eq!(size_of::<Version>(), 24);
    }

    #[test]
    fn the_examples_of_the_paper_fit_or_do_not() {
        let fits = |u: &[u64], v: &[u64]| {
            let [u, v] = [u, v].map(|numbers| Version::new(numbers.iter().copied()));
            fit(Rules::Paper, &u, &v).is_some()
        };
        assert!(fits(&[1, 0], &[1, 1]), "the same run before its fork");
        assert!(!fits(&[1, 2], &[1, 1]), "the same run after a later fork");
        assert!(!fits(&[1, 0], &[2, 0]), "another run");
        assert!(fits(&[2, 0], &[2, 0, 0]), "e4 to e3 in the walk from e6");
        assert!(!fits(&[1, 0], &[2, 0, 0]), "e4 to e3 of the other run");
        assert!(!fits(&[1, 0], &[1, 1, 0]), "neither as long nor a prefix");
        assert!(!fits(&[1, 0, 0], &[1, 0]), "longer");
    }

    fn versions() -> impl Strategy<Value = Vec<u64>> {
        let number = prop_oneof![0..3_u64, 126..130_u64, any::<u64>()];
        proptest::collection::vec(number, 1..30)
    }

    proptest! {
        /// Bytes are compared instead of numbers.
        #[test]
        fn fitting_is_as_defined(
            mut u in versions(), mut v in versions(), common in versions(), cut in 0..30_usize,
        ) {
            if cut % 2 == 0 {
                u.splice(0..0, common.iter().copied());
                v.splice(0..0, common.iter().copied());
            }
            if cut % 3 == 0 {
                u = v.clone();
                u.truncate(1 + cut % v.len());
            }
            if cut % 5 == 0 {
                *u.last_mut().unwrap() /= 2;
            }
            let [a, b] = [&u, &v].map(|numbers| Version::new(numbers.iter().copied()));
            prop_assert_eq!(a.numbers().collect::<Vec<_>>(), u.clone());
            let prefix = v.starts_with(&u);
            prop_assert_eq!(fit(Rules::Tree, &a, &b).is_some(), prefix);
            let (end, last) = (u.len() - 1, *u.last().unwrap());
            let level = u.len() == v.len() && u[..end] == v[..end] && last <= v[end];
            prop_assert_eq!(fit(Rules::Paper, &a, &b).is_some(), prefix || level);
        }

        #[test]
        fn numbers_are_appended_incremented_and_padded(numbers in versions(), more in 0..30_usize) {
            let version = Version::new(numbers.iter().copied());
            let read = |v: Version| v.numbers().collect::<Vec<_>>();
            let mut next = numbers.clone();
            let last = next.last_mut().unwrap();
            *last = (*last).min(u64::MAX - 1);
            let before = Version::new(next.iter().copied());
            *next.last_mut().unwrap() += 1;
            prop_assert_eq!(read(before.next()), next);
            let mut padded = numbers.clone();
            padded.resize(numbers.len().max(more), 0);
            prop_assert_eq!(read(version.padded(more)), padded);
            let text: Vec<String> = numbers.iter().map(u64::to_string).collect();
            prop_assert_eq!(version.to_string(), text.join("."));
        }
    }
}
