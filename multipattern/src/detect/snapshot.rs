//! The state of a detector, to be kept and gone on from.
//!
//! It is logical: patterns as text, and the events that are in some window. Whatever a mechanism
//! remembers follows from them, and is made anew by showing them again.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::mechanism::{Mechanism, State};
use super::{Config, Detector, strict};
use crate::error::{Error, ErrorKind};
use crate::event::{Event, Record, Slot, TypeId};
use crate::pattern::{Pattern, PatternSet, Semantics, TimeUnit, Window};
use crate::stats::{Counters, Stats};
use crate::value::Value;

/// Changes when snapshots of one version cannot be read by another.
const FORMAT: u32 = 1;

/// All that a detector knows of a stream between two events: made by [`Detector::snapshot`], taken by
/// [`Detector::restore`]. It can be written and read by any format of serde.
///
/// It holds attributes of events as they are: it is no less confidential than the stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    format: u32,
    fingerprint: u64,
    model: Model,
    next_number: u32,
    stats: Stats,
    counters: Vec<u64>,
    last_time: Option<i64>,
    scopes: Vec<Saved>,
}

/// What is looked for, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Model {
    method: String,
    semantics: Semantics,
    window: Window,
    unit: TimeUnit,
    partition_by: Vec<String>,
    hold_events: u64,
    types: Vec<String>,
    attributes: Vec<String>,
    /// Numbers, texts, and the events from which on they see.
    patterns: Vec<(u32, String, u64)>,
}

/// A stream or a partition.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Saved {
    key: Vec<u8>,
    ticks: u64,
    first: u64,
    last_row: u64,
    last_time: i64,
    events: Vec<SavedEvent>,
    /// The types of events that lead to the state of an automaton.
    word: Vec<TypeId>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedEvent {
    row: u64,
    tick: u64,
    time: i64,
    event_type: TypeId,
    values: Vec<(Slot, Value)>,
}

#[cold]
fn corrupt(what: &str) -> Error {
    Error::new(ErrorKind::Snapshot, format!("the snapshot is damaged: {what}"))
        .with_hint("go on from another snapshot, or begin the stream anew")
}

impl Model {
    /// FNV-1a over what it says.
    fn fingerprint(&self) -> u64 {
        let text = format!("{self:?}");
        let hash =
            |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        text.bytes().fold(0xcbf2_9ce4_8422_2325, hash)
    }
}

impl Snapshot {
    /// How many events had been pushed: a stream that is read again goes on behind so many.
    #[must_use]
    pub fn pushed(&self) -> u64 {
        self.stats.events
    }

    /// Counters as they were.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// A number that differs, most likely, for other patterns, another schema, or other options that
    /// change the output.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

impl Detector {
    /// The state, to be gone on from.
    #[must_use]
    pub fn snapshot(&mut self) -> Snapshot {
        if self.stale {
            self.rebuild();
        }
        self.settle();
        let patterns = self.catalog.lives().into_iter();
        let model = Model {
            method: self.config.method.name().to_owned(),
            semantics: self.semantics,
            window: self.catalog.window(),
            unit: self.catalog.unit(),
            partition_by: self.config.partition_by.clone(),
            hold_events: self.config.hold_events,
            types: self.catalog.schema.types().map(str::to_owned).collect(),
            attributes: self.catalog.schema.attributes().map(str::to_owned).collect(),
            patterns: patterns
                .map(|(_, live)| (live.number.0, live.pattern.to_string(), live.since))
                .collect(),
        };
        let scopes = self.partitions.iter().map(|scope| {
            let history = &scope.history;
            let events = (history.first()..history.next()).map(|serial| {
                let entry = history.entry(serial);
                SavedEvent {
                    row: entry.row,
                    tick: entry.tick,
                    time: entry.time,
                    event_type: entry.event_type,
                    values: history.values(serial),
                }
            });
            Saved {
                key: scope.key.to_vec(),
                ticks: history.ticks,
                first: history.first(),
                last_row: scope.last_row,
                last_time: scope.last_time,
                events: events.collect(),
                word: self.mechanism.word(&scope.state),
            }
        });
        Snapshot {
            format: FORMAT,
            fingerprint: model.fingerprint(),
            model,
            next_number: self.catalog.next_number(),
            stats: self.stats(),
            counters: self.counters.to_list(),
            last_time: self.last_time,
            scopes: scopes.collect(),
        }
    }

    /// A detector that goes on from a snapshot as if it had never stopped. `config` has to be that of
    /// the detector that made it, but for limits and [`Config::ring`]. Patterns, schema and semantics are in the snapshot.
    ///
    /// # Errors
    /// Of kind [`ErrorKind::Snapshot`] if the snapshot is damaged or of another format, or if the
    /// configuration is another one.
    pub fn restore(snapshot: Snapshot, config: Config) -> Result<Detector, Error> {
        let Snapshot { format, fingerprint, model, .. } = &snapshot;
        if *format != FORMAT {
            let message = format!("the snapshot has format {format}, not {FORMAT}");
            return Err(Error::new(ErrorKind::Snapshot, message)
                .with_hint("read it with the version that made it"));
        }
        if *fingerprint != model.fingerprint() {
            return Err(corrupt("its fingerprint is another one"));
        }
        let own = (config.method.name(), &config.partition_by, config.hold_events);
        if own != (model.method.as_str(), &model.partition_by, model.hold_events) {
            let message = "the snapshot was made with another method, partition key or held events";
            return Err(Error::new(ErrorKind::Snapshot, message)
                .with_hint("of the configuration only limits and the ring may change"));
        }
        let mut set = PatternSet::new();
        set.set_semantics(model.semantics);
        set.set_time_unit(model.unit);
        set.set_window(model.window).map_err(|error| corrupt(error.message()))?;
        for name in &model.types {
            set.schema_mut().add_type(name);
        }
        for name in &model.attributes {
            set.schema_mut().add_attribute(name);
        }
        let mut detector = Detector::with_config(&set, config)?;
        for (number, text, since) in &model.patterns {
            let pattern = Pattern::parse(text).map_err(|error| corrupt(error.message()))?;
            if *number < detector.catalog.next_number() {
                return Err(corrupt("its patterns are not in order"));
            }
            Arc::make_mut(&mut detector.catalog).set_next_number(*number);
            Arc::make_mut(&mut detector.catalog).add(pattern, *since)?;
        }
        if snapshot.next_number < detector.catalog.next_number() {
            return Err(corrupt("its patterns are not in order"));
        }
        Arc::make_mut(&mut detector.catalog).set_next_number(snapshot.next_number);
        detector.rebuild();
        detector.stats = snapshot.stats;
        detector.counters = Counters::from_list(&snapshot.counters);
        detector.last_time = snapshot.last_time;
        for saved in snapshot.scopes {
            detector.load(saved)?;
        }
        Ok(detector)
    }

    fn load(&mut self, saved: Saved) -> Result<(), Error> {
        let in_order =
            |pair: &[SavedEvent]| pair[0].row < pair[1].row && pair[0].tick < pair[1].tick;
        let last = saved.events.last();
        if !saved.events.windows(2).all(in_order)
            || last.is_some_and(|last| last.tick >= saved.ticks || last.row >= self.stats.events)
            || saved.ticks > self.stats.events
            || saved.first > saved.ticks
        {
            return Err(corrupt("its events are not in order"));
        }
        let back = saved.events.first().map_or(0, |first| self.stats.events - first.row);
        if matches!(&self.mechanism, Mechanism::Ring(ring) if !ring.has_room(back)) {
            let (method, semantics) = (self.config.method, self.semantics);
            self.mechanism = Mechanism::without_ring(method, semantics, &self.catalog);
        }
        let state = self.mechanism.state();
        let place = self.partitions.insert_key(saved.key.into(), state, saved.last_row);
        let kept = self.kept();
        let scope = self.partitions.scope(place);
        scope.last_time = saved.last_time;
        scope.history.keep(&kept);
        scope.history.begin_at(saved.first, saved.ticks);
        let mut classes = Vec::new();
        for event in &saved.events {
            let mut record = Record::new(event.event_type, event.time);
            for (slot, value) in &event.values {
                if kept.binary_search(slot).is_err() {
                    return Err(corrupt("an event has an attribute that no pattern uses"));
                }
                record.set(*slot, value.clone());
            }
            self.catalog.classify(&record as &dyn Event, &mut classes);
            scope.history.push(&record, event.row, event.tick, &classes);
        }
        let pushed = self.stats.events;
        let is_state = match &self.mechanism {
            Mechanism::Ring(_) => false,
            mechanism => mechanism.is_plain() || saved.events.is_empty(),
        };
        if is_state {
            scope.state = self.mechanism.read(&saved.word);
            return Ok(());
        }
        let number = scope.number;
        let (state, history) = (&mut scope.state, &mut scope.history);
        self.mechanism.replay(state, self.semantics, &self.catalog, history, number, pushed);
        let ended = last.is_some_and(|last| last.tick + 1 < saved.ticks);
        if let (Mechanism::Automaton(_), true) = (&self.mechanism, ended) {
            *state = State::Automaton(strict::State::default());
        }
        Ok(())
    }
}
