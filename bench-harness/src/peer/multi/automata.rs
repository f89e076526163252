//! Automata for bytes: they find what `strict` asks for, a byte being an event's type.

use std::rc::Rc;

use aho_corasick::automaton::{Automaton as _, OverlappingState};
use aho_corasick::dfa::DFA;
use aho_corasick::{Input, MatchKind};
use daachorse::DoubleArrayAhoCorasick;

use super::workload::Load;
use super::{Peer, digest};
use crate::error::{Error, Result};
use crate::peer::{Answer, Found, Round, Runner, repeated};

/// An automaton with the stream that it reads.
#[derive(Debug)]
pub struct Automaton {
    peer: Peer,
    kind: Kind,
    load: Rc<Load>,
    repeats: u32,
}

enum Kind {
    Dfa(Box<DFA>),
    DoubleArray(DoubleArrayAhoCorasick<u32>),
}

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Dfa(_) => "DFA",
            Self::DoubleArray(_) => "double array",
        })
    }
}

impl Automaton {
    /// The DFA of aho-corasick, the fastest of its automata.
    pub fn aho_corasick(load: &Rc<Load>) -> Result<Self> {
        let fail = |error| Error::failed(format!("aho-corasick: {error}"));
        let mut builder = DFA::builder();
        let dfa = builder.match_kind(MatchKind::Standard).build(&load.patterns).map_err(fail)?;
        Ok(Self::new(Peer::AhoCorasick, Kind::Dfa(Box::new(dfa)), load))
    }

    /// The double array of daachorse.
    pub fn daachorse(load: &Rc<Load>) -> Result<Self> {
        let fail = |error| Error::failed(format!("daachorse: {error}"));
        let values = load.patterns.iter().zip(0_u32..);
        let automaton = DoubleArrayAhoCorasick::with_values(values).map_err(fail)?;
        Ok(Self::new(Peer::Daachorse, Kind::DoubleArray(automaton), load))
    }

    fn new(peer: Peer, kind: Kind, load: &Rc<Load>) -> Self {
        Self { peer, kind, load: Rc::clone(load), repeats: 1 }
    }
}

impl Kind {
    /// Gives each match: its pattern, its first event, and the one behind its last.
    #[inline]
    fn each(&self, load: &Load, bytes: &[u8], mut each: impl FnMut(u32, u64, u64)) -> Result<()> {
        match self {
            Self::Dfa(dfa) => {
                let input = Input::new(bytes);
                let mut state = OverlappingState::start();
                loop {
                    dfa.try_find_overlapping(&input, &mut state)
                        .map_err(|error| Error::failed(format!("aho-corasick: {error}")))?;
                    let Some(found) = state.get_match() else { return Ok(()) };
                    let pattern = found.pattern().as_usize();
                    let from = found.end() - load.patterns[pattern].len();
                    each(pattern as u32, from as u64, found.end() as u64);
                }
            }
            Self::DoubleArray(automaton) => {
                for found in automaton.find_overlapping_iter(bytes) {
                    each(found.value(), found.start() as u64, found.end() as u64);
                }
                Ok(())
            }
        }
    }
}

impl Runner for Automaton {
    fn name(&self) -> &str {
        self.peer.name()
    }

    fn round(&mut self) -> Result<Round> {
        let (kind, load) = (&self.kind, &self.load);
        repeated(
            &mut self.repeats,
            || (),
            |_| {
                let mut answer = Answer::default();
                kind.each(load, &load.events, |pattern, from, to| {
                    answer.matches += 1;
                    answer.digest = answer.digest.wrapping_add(digest(pattern, from..to));
                })?;
                Ok(answer)
            },
        )
    }

    fn found(&mut self, events: u64) -> Result<Option<Vec<Found>>> {
        let length = usize::try_from(events).unwrap_or(usize::MAX).min(self.load.events.len());
        let mut found = Vec::new();
        self.kind.each(&self.load, &self.load.events[..length], |pattern, from, to| {
            found.push((pattern, (from..to).collect()));
        })?;
        Ok(Some(found))
    }
}
