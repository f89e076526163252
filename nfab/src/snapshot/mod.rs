//! The state of an engine, to be kept and gone on from.
//!
//! A snapshot holds what is live: garbage is looked for before. [`state`] says what it consists of;
//! caches (decisions on conditions, tables of automata) are not in it, they are made again. Reading
//! it checks every reference ([`loading`]).

pub(crate) mod codec;
mod loading;
pub(crate) mod state;

pub(crate) use loading::{Loading, Stretch};

use std::fmt::{self, Write};
use std::marker::PhantomData;

use serde::de::{Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::config::Config;
use crate::error::{Error, ErrorKind};
use crate::nfa::Automaton;
use crate::stats::Stats;
use state::State;

/// Changes when snapshots of one version cannot be read by another.
const FORMAT: u32 = 1;

/// All that an engine knows of a stream between two calls: given to another engine for the same
/// pattern, output goes on as if nothing had happened. Made by
/// [`Engine::snapshot`](crate::Engine::snapshot), taken by
/// [`Engine::restore`](crate::Engine::restore); written and read by any format of serde, if events
/// can be. `E` is the type of the events, or a reference to it while the engine owns them.
///
/// It holds events and values as they are: it is no less confidential than the stream.
#[derive(Clone, Debug)]
pub struct Snapshot<E> {
    content: Content<E>,
}

#[derive(Clone, Debug)]
enum Content<E> {
    Known(Box<State<E>>),
    /// Of another format; nobody knows what is in it.
    Other(u32),
}

/// The snapshot is not what it should be.
#[cold]
pub(crate) fn corrupt(what: &str) -> Error {
    Error::new(ErrorKind::Snapshot, format!("the snapshot is damaged: {what}"))
        .with_hint("go on from another snapshot, or begin the stream anew")
}

impl<E> Snapshot<E> {
    pub(crate) fn new(state: State<E>) -> Self {
        Snapshot { content: Content::Known(Box::new(state)) }
    }

    /// Counters as they were.
    #[must_use]
    pub fn stats(&self) -> Stats {
        match &self.content {
            Content::Known(state) => {
                let waiting = state.reorder.as_ref().map_or(0, |reorder| reorder.waiting.len());
                Stats { waiting, ..state.stats }
            }
            Content::Other(_) => Stats::default(),
        }
    }

    /// How many events had been pushed, late ones and those that wait included: a stream that is read
    /// again goes on behind so many.
    #[must_use]
    pub fn pushed(&self) -> u64 {
        let Stats { events, late, waiting, .. } = self.stats();
        events.saturating_add(late).saturating_add(waiting as u64)
    }

    /// The state, if it is one of an automaton with some options.
    pub(crate) fn open(
        self,
        automaton: &Automaton,
        options: &[(String, String)],
    ) -> Result<State<E>, Error> {
        let state = match self.content {
            Content::Known(state) => *state,
            Content::Other(format) => {
                let message = format!("the snapshot has format {format}, not {FORMAT}");
                return Err(Error::new(ErrorKind::Snapshot, message)
                    .with_hint("read it with the version that made it"));
            }
        };
        if state.query != automaton.text {
            let message = format!("the snapshot is of another query: {}", state.query);
            return Err(Error::new(ErrorKind::Snapshot, message)
                .with_hint("a snapshot only serves the query that it was taken from"));
        }
        let mut own = options.iter().zip(&state.options);
        if let Some((now, then)) = own.find(|(now, then)| now != then) {
            let message =
                format!("the snapshot was taken with {} {}, not {}", then.0, then.1, now.1);
            return Err(Error::new(ErrorKind::Snapshot, message)
                .with_hint("of all options only limits may change"));
        }
        if options.len() != state.options.len() || state.fingerprint != fingerprint(automaton) {
            let message = "the snapshot is of the same query, but compiled otherwise";
            return Err(Error::new(ErrorKind::Snapshot, message)
                .with_hint("the schema, the options of compiling or the version differ"));
        }
        Ok(state)
    }
}

impl<E: Clone> Snapshot<&E> {
    /// A snapshot with events of its own, which outlives the engine's next call.
    #[must_use]
    pub fn cloned(&self) -> Snapshot<E> {
        let content = match &self.content {
            Content::Known(state) => Content::Known(Box::new(state.cloned())),
            Content::Other(format) => Content::Other(*format),
        };
        Snapshot { content }
    }
}

impl<E: Clone> State<&E> {
    fn cloned(&self) -> State<E> {
        let State { reorder, events, .. } = self;
        State {
            query: self.query.clone(),
            fingerprint: self.fingerprint,
            options: self.options.clone(),
            stats: self.stats,
            watermark: self.watermark,
            idle: self.idle,
            events: events.iter().map(|&(number, event)| (number, event.clone())).collect(),
            history: self.history.clone(),
            partitions: self.partitions.clone(),
            before: self.before,
            recheck: self.recheck.clone(),
            clocks: self.clocks.clone(),
            reorder: reorder.as_ref().map(|reorder| state::Reorder {
                watermark: reorder.watermark,
                waiting: reorder.waiting.iter().map(|&event| event.clone()).collect(),
            }),
        }
    }
}

/// The options that change the output, but for limits.
pub(crate) fn options(config: &Config, evaluation: &str) -> Vec<(String, String)> {
    let Config { hold_back, end_of_input, timeouts, lateness, .. } = config;
    let all = [
        ("the evaluation", evaluation.to_owned()),
        ("hold_back", format!("{hold_back:?}")),
        ("end_of_input", format!("{end_of_input:?}")),
        ("timeouts", timeouts.to_string()),
        ("lateness", lateness.to_string()),
    ];
    all.map(|(name, value)| (name.to_owned(), value)).into()
}

/// A number that differs, most likely, from that of any automaton that does not run the same.
pub(crate) fn fingerprint(automaton: &Automaton) -> u64 {
    let Automaton { program, states, conditions, registers, stage_registers, .. } = automaton;
    let Automaton { stages, skip, within, start, cyclic, .. } = automaton;
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    // Writing to a hash does not fail.
    let _ = write!(hash, "{program:?} {states:?} {registers:?} {stage_registers:?}");
    let _ = write!(hash, "{stages:?} {skip:?} {within:?} {start} {cyclic}");
    for condition in conditions {
        let _ = write!(hash, "{:?}", condition.test);
    }
    hash.0
}

/// FNV-1a.
struct Hash(u64);

impl Write for Hash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Ok(())
    }
}

impl<E: Serialize> Serialize for Snapshot<E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Content::Known(state) = &self.content else {
            return Err(S::Error::custom("a snapshot of another format cannot be written"));
        };
        let mut snapshot = serializer.serialize_struct("Snapshot", 2)?;
        snapshot.serialize_field("format", &FORMAT)?;
        snapshot.serialize_field("state", state)?;
        snapshot.end()
    }
}

impl<'de, E: Deserialize<'de>> Deserialize<'de> for Snapshot<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct("Snapshot", &["format", "state"], Read(PhantomData))
    }
}

/// Reads the format first, and the rest only if it is known.
struct Read<E>(PhantomData<E>);

impl<'de, E: Deserialize<'de>> Visitor<'de> for Read<E> {
    type Value = Snapshot<E>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a snapshot")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Snapshot<E>, A::Error> {
        let format = seq.next_element()?.ok_or_else(|| A::Error::missing_field("format"))?;
        let content = if format == FORMAT {
            let state = seq.next_element()?.ok_or_else(|| A::Error::missing_field("state"))?;
            Content::Known(state)
        } else {
            Content::Other(format)
        };
        Ok(Snapshot { content })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Snapshot<E>, A::Error> {
        let mut format: Option<u32> = None;
        let mut state = None;
        while let Some(key) = map.next_key::<String>()? {
            match (key.as_str(), format) {
                ("format", _) => format = Some(map.next_value()?),
                ("state", Some(FORMAT)) => state = Some(map.next_value()?),
                ("state", None) => return Err(A::Error::missing_field("format")),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        let content = match format {
            None => return Err(A::Error::missing_field("format")),
            Some(FORMAT) => Content::Known(state.ok_or_else(|| A::Error::missing_field("state"))?),
            Some(format) => Content::Other(format),
        };
        Ok(Snapshot { content })
    }
}
