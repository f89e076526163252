//! The peer for `strict`: the DFA of the crate aho-corasick, which reads a byte for an event.

use aho_corasick::automaton::{Automaton as _, OverlappingState};
use aho_corasick::dfa::DFA;
use aho_corasick::{Input, MatchKind};

use super::engines::{Load, Sum};
use crate::error::{Error, Result};

/// A DFA, the bytes that it reads, and the lengths of its patterns.
#[derive(Debug)]
pub struct Peer {
    dfa: DFA,
    bytes: Vec<u8>,
    lengths: Vec<usize>,
}

fn fail(error: impl std::fmt::Display) -> Error {
    Error::failed(format!("aho-corasick: {error}"))
}

impl Peer {
    /// The DFA of all patterns, and the types of all events as bytes.
    pub fn new(load: &Load) -> Result<Self> {
        let mut builder = DFA::builder();
        let dfa = builder.match_kind(MatchKind::Standard).build(&load.patterns).map_err(fail)?;
        let bytes = load.events.iter().map(|event| event.0.letter).collect();
        Ok(Self { dfa, bytes, lengths: load.patterns.iter().map(Vec::len).collect() })
    }

    /// Every match of every pattern, overlapping ones too; the sum is that of all indices.
    pub fn read(&self) -> Result<Sum> {
        let mut sum = Sum::default();
        self.each(|_, from, to| {
            sum.matches += 1;
            for at in from..to {
                sum.indices = sum.indices.wrapping_add(at as u64);
            }
        })?;
        Ok(sum)
    }

    /// All matches as pattern and first index, in the order of the end, the pattern.
    pub fn matches(&self) -> Result<Vec<(u32, u64)>> {
        let mut found = Vec::new();
        self.each(|pattern, from, to| found.push((to, pattern, from)))?;
        found.sort_unstable();
        Ok(found.into_iter().map(|(_, pattern, from)| (pattern as u32, from as u64)).collect())
    }

    #[inline]
    fn each(&self, mut each: impl FnMut(usize, usize, usize)) -> Result<()> {
        let input = Input::new(&self.bytes);
        let mut state = OverlappingState::start();
        loop {
            self.dfa.try_find_overlapping(&input, &mut state).map_err(fail)?;
            let Some(found) = state.get_match() else { return Ok(()) };
            let pattern = found.pattern().as_usize();
            each(pattern, found.end() - self.lengths[pattern], found.end());
        }
    }
}
