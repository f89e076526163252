//! multipattern against other ways to find many sequence patterns, in one run on the same events.
//!
//! | Module | What it holds |
//! | --- | --- |
//! | [`workload`] | the patterns and the events; **start reading here** |
//! | [`input`] | events of a file in place of generated ones |
//! | [`own`] | multipattern itself, proposed and single |
//! | [`automata`] | the crates aho-corasick and daachorse, for `strict` |
//! | [`others`] | naive sharing for `any`, and varpulis-sase in a process of its own |
//!
//! Which of the peers can run what is said by [`Peer::runs`].

pub mod automata;
pub mod input;
pub mod others;
pub mod own;
pub mod workload;

use std::fmt;

use multipattern::Semantics;

use super::Found;
use workload::Load;

/// What multipattern is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// The DFA of the crate aho-corasick.
    AhoCorasick,
    /// The double array of the crate daachorse.
    Daachorse,
    /// The crate varpulis-sase, one of its engines for each pattern.
    Varpulis,
    /// A graph of joins that keeps all partial matches: our baseline.
    NaiveSharing,
    /// Our own engine, a pattern at a time and eagerly.
    Single,
}

impl Peer {
    /// All peers.
    pub const ALL: [Self; 5] =
        [Self::AhoCorasick, Self::Daachorse, Self::Varpulis, Self::NaiveSharing, Self::Single];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::AhoCorasick => "aho-corasick",
            Self::Daachorse => "daachorse",
            Self::Varpulis => "varpulis",
            Self::NaiveSharing => "naive-sharing",
            Self::Single => "single",
        }
    }

    /// What it is.
    pub fn title(self) -> &'static str {
        match self {
            Self::AhoCorasick => "the DFA of the crate aho-corasick, all overlapping matches",
            Self::Daachorse => "the double array of the crate daachorse, all overlapping matches",
            Self::Varpulis => "varpulis-sase 0.11.0, an engine for each pattern",
            Self::NaiveSharing => "a graph of joins by Re-Pair that stores every partial match",
            Self::Single => "multipattern's method single: each pattern by itself and eagerly",
        }
    }

    /// Whether it states these patterns at all. Automata know only what stands directly together, and
    /// an engine for each pattern is too slow for hundreds of them.
    pub fn runs(self, load: &Load) -> bool {
        match self {
            Self::AhoCorasick | Self::Daachorse => load.semantics == Semantics::Strict,
            Self::NaiveSharing => load.semantics == Semantics::Any,
            Self::Varpulis => load.patterns.len() <= 40,
            Self::Single => true,
        }
    }

    /// Why its answer is known not to be that of the patterns. Where there is no reason, a different
    /// answer is an error.
    pub fn known_to_differ(self, load: &Load) -> Option<&'static str> {
        match (self, load.semantics) {
            (Self::Varpulis, Semantics::Any) => Some(
                "runs do not fork: its skip till any match takes the first event that fits, as skip \
                 till next match does",
            ),
            _ => None,
        }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A number that depends on the pattern of a match, its events and their order; the peers compute the
/// same. The sum over all matches does not depend on the order in which they are given.
#[inline]
pub fn digest(pattern: u32, events: impl Iterator<Item = u64>) -> u64 {
    let mix = |hash: u64, number: u64| {
        hash.wrapping_add(number).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    let hash = events.fold(mix(0, u64::from(pattern)), mix);
    hash ^ (hash >> 29)
}

/// Some matches that one has and the other has not, in words; nothing where they are equal.
pub fn difference(
    load: &Load,
    name: &str,
    own: &[Found],
    peer: &[Found],
    events: u64,
) -> Vec<String> {
    let missing = |from: &[Found], of: &[Found]| -> Vec<Found> {
        let (mut from, mut of) = (from.to_vec(), of.to_vec());
        from.sort_unstable();
        of.sort_unstable();
        let mut of = of.into_iter().peekable();
        from.retain(|one| {
            while of.next_if(|other| other < one).is_some() {}
            of.next_if(|other| other == one).is_none()
        });
        from
    };
    let line = |found: Vec<Found>, what: &str| {
        let (pattern, at) = found.first()?;
        let numbers: Vec<String> = at.iter().map(u64::to_string).collect();
        Some(format!(
            "of the first {events} events {name} {what} {} matches, such as {} at events {}",
            found.len(),
            load.text(*pattern),
            numbers.join(" ")
        ))
    };
    let lines = [line(missing(own, peer), "lacks"), line(missing(peer, own), "adds")];
    lines.into_iter().flatten().collect()
}
