//! Finding the matches of all patterns in one pass over a stream.
//!
//! Start reading here: [`Detector::push`] finds the classes of an event (`catalog`), remembers it
//! (`history`), and shows it to the mechanism of the method (`mechanism`): `single`; `lazy`, which is
//! `optimized`, `sharing` and `proposed` under `any` and `next`; or `strict`.

mod arrival;
mod bits;
mod blocks;
mod catalog;
mod conditions;
mod config;
mod counts;
mod direct;
mod dynamic;
mod history;
mod latest;
mod lazy;
mod links;
mod lists;
mod mechanism;
mod nest;
mod next;
mod output;
mod partition;
mod ring;
mod runs;
mod single;
#[cfg(feature = "serde")]
mod snapshot;
mod starts;
mod strict;
mod walk;
mod windows;

use std::ops::ControlFlow;
use std::sync::Arc;

use arrival::Arrival;
use catalog::Catalog;
use mechanism::{Mechanism, State};
use output::Out;
use partition::Partitions;

pub use config::{Config, Ring};
pub use output::{Block, Collect, Count, Level, Match, Sink, Visit};
#[cfg(feature = "serde")]
pub use snapshot::Snapshot;

use crate::error::{Error, ErrorKind};
use crate::event::{Event, Schema};
use crate::heap::{Heap, heap};
use crate::limits::Policy;
use crate::pattern::{Pattern, PatternId, PatternSet, Semantics};
use crate::plan::Method;
use crate::stats::{Counters, Stats};

/// Finds every match of every pattern of a set.
///
/// ```
/// use multipattern::{Collect, Detector, PatternSet, Record};
///
/// let set = PatternSet::parse("ab: SEQ(A, B)\nabc: SEQ(A, B, C) WITHIN 3 EVENTS")?;
/// let [a, b, c] = ["A", "B", "C"].map(|name| set.schema().type_id(name).unwrap());
/// let mut detector = Detector::new(&set)?;
/// let mut found = Collect::default();
/// for (time, event_type) in [a, a, b, c].into_iter().enumerate() {
///     let _ = detector.push(&Record::new(event_type, time as i64), &mut found)?;
/// }
/// let found: Vec<_> = found.0.iter().map(|(id, events)| (id.0, &events[..])).collect();
/// assert_eq!(found, [(0, &[0, 2][..]), (0, &[1, 2]), (1, &[1, 2, 3])]);
/// # Ok::<(), multipattern::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Detector {
    /// Shared with clones until patterns change.
    catalog: Arc<Catalog>,
    semantics: Semantics,
    config: Config,
    mechanism: Mechanism,
    /// Patterns were added or removed, and the mechanism is of those before.
    stale: bool,
    partitions: Partitions,
    counters: Counters,
    stats: Stats,
    last_time: Option<i64>,
    /// The state of the one stream, where it is all that is remembered, and a look-up gives the next.
    direct: Option<strict::State>,
    /// How many events there had been when it began to be: each one since is a transition.
    direct_since: u64,
    /// The one stream is all in the ring.
    turning: bool,
    /// The classes of the current event.
    classes: Vec<u32>,
    buffer: Vec<u64>,
}

impl Detector {
    /// A detector with method `proposed`.
    ///
    /// # Errors
    /// As [`with_config`](Self::with_config).
    pub fn new(set: &PatternSet) -> Result<Self, Error> {
        Self::with_config(set, Config::default())
    }

    /// A detector for a set of patterns. Attributes of the partition key that the set does not use
    /// are added to the detector's [`schema`](Self::schema).
    ///
    /// # Errors
    /// Of kind [`ErrorKind::Limit`] if there are more patterns or names than the limits allow; of kind
    /// [`ErrorKind::Usage`] for a method that does not detect.
    pub fn with_config(set: &PatternSet, config: Config) -> Result<Self, Error> {
        if config.method == Method::Trie {
            return Err(Error::new(
                ErrorKind::Usage,
                "the trie is a model, not a method of detection",
            )
            .with_hint("methods are single, optimized, sharing and proposed"));
        }
        let mut catalog = Catalog::new(set.schema().clone(), set.time_unit(), set.window());
        let mut partitions = Partitions::default();
        for name in &config.partition_by {
            partitions.slots.push(catalog.schema.add_attribute(name));
        }
        if set.len() > config.limits.patterns {
            return Err(too_many_patterns(config.limits.patterns));
        }
        for pattern in set.patterns() {
            catalog.add(pattern.clone(), 0)?;
        }
        if catalog.schema.names() > config.limits.names {
            return Err(too_many_names(config.limits.names));
        }
        catalog.shrink();
        let semantics = set.semantics();
        let mechanism = Mechanism::new(&config, semantics, &catalog, 0);
        Ok(Detector {
            catalog: Arc::new(catalog),
            semantics,
            config,
            mechanism,
            stale: false,
            partitions,
            counters: Counters::default(),
            stats: Stats::default(),
            last_time: None,
            direct: None,
            direct_since: 0,
            turning: false,
            classes: Vec::new(),
            buffer: Vec::new(),
        })
    }

    /// Takes the next event of the stream, and gives to the sink what it completes. `Break` says that
    /// the sink had enough of this event; the detector goes on with the next one as if it had not.
    ///
    /// Time: under `any`, with the default method, one copy for each prefix of a pattern that ends
    /// with the event's type, one comparison for each pattern that does, and the output.
    ///
    /// # Errors
    /// Of kind [`ErrorKind::Order`] if the event is older than one before and some window is one of
    /// time; of kind [`ErrorKind::Limit`] as [`Limits`](crate::Limits) says. The event is not taken
    /// then, except if a limit on instances or matches was reached.
    #[inline]
    pub fn push<E: Event + ?Sized, S: Sink>(
        &mut self,
        event: &E,
        sink: &mut S,
    ) -> Result<ControlFlow<()>, Error> {
        if let (Some(state), Mechanism::Automaton(automaton)) = (self.direct, &self.mechanism)
            && let Some(plain) = automaton.as_plain()
        {
            let (next, output) = plain.look_up(state, event.event_type());
            self.direct = Some(next);
            self.last_time = Some(event.time());
            self.stats.events += 1;
            if !output {
                return Ok(ControlFlow::Continue(()));
            }
            return self.report(next, self.stats.events - 1, sink);
        }
        if self.turning {
            return self.turn(event, sink);
        }
        if self.catalog.is_timed() {
            let time = event.time();
            if let Some(before) = self.last_time.filter(|&before| time < before) {
                return Err(out_of_order(time, before));
            }
        }
        if self.stale {
            self.rebuild();
        }
        let place = match self.partitions.find(event) {
            Ok(place) => place,
            Err(true) => match self.new_partition(event)? {
                Some(place) => place,
                None => return Ok(self.pass(event)),
            },
            Err(false) => {
                self.stats.without_key += 1;
                return Ok(self.pass(event));
            }
        };
        if self.mechanism.is_plain()
            && self.config.hold_events == 0
            && self.config.partition_by.is_empty()
        {
            return self.step(place, event, sink);
        }
        if matches!(self.mechanism, Mechanism::Ring(_)) {
            self.partitions.scope(place).history.release();
            self.turning = true;
            return self.turn(event, sink);
        }
        self.catalog.classify(event, &mut self.classes);
        let held = self.remember(place, event)?;
        if !held {
            return Ok(self.pass(event));
        }
        self.stats.events += 1;
        self.last_time = Some(event.time());
        self.show(place, sink)
    }

    /// An event that means nothing.
    fn pass<E: Event + ?Sized>(&mut self, event: &E) -> ControlFlow<()> {
        self.stats.events += 1;
        self.last_time = Some(event.time());
        ControlFlow::Continue(())
    }

    /// Puts an event into the history of its partition; false if it means nothing there.
    fn remember<E: Event + ?Sized>(&mut self, place: u32, event: &E) -> Result<bool, Error> {
        let hold = self.config.hold_events;
        let limit = self.config.limits.held_events;
        let scope = self.partitions.scope(place);
        let tick = scope.history.ticks;
        if self.classes.is_empty() {
            self.stats.unused += 1;
            if let State::Automaton(state) = &mut scope.state {
                *state = strict::State::default();
            }
            if hold == 0 {
                scope.history.ticks += 1;
                return Ok(false);
            }
        }
        let time = event.time();
        scope.history.expire(&self.catalog, hold, tick, time);
        if scope.history.len() >= limit.most.max(1) {
            match limit.policy {
                Policy::Error => {
                    let message = format!("more than {} events are in windows", limit.most);
                    return Err(Error::new(ErrorKind::Limit, message)
                        .with_hint("shorter windows or a larger limit help"));
                }
                Policy::DropOldest => {
                    self.stats.dropped_events += scope.history.shrink(limit.most.max(1) - 1);
                }
                Policy::DropNewest => {
                    self.stats.dropped_events += 1;
                    scope.history.ticks += 1;
                    return Ok(false);
                }
            }
        }
        scope.history.ticks += 1;
        scope.history.push(event, self.stats.events, tick, &self.classes);
        scope.last_row = self.stats.events;
        scope.last_time = time;
        Ok(true)
    }

    /// Shows the newest event of a partition to the mechanism.
    fn show<S: Sink>(&mut self, place: u32, sink: &mut S) -> Result<ControlFlow<()>, Error> {
        if self.classes.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        let limits = &self.config.limits;
        let scope = self.partitions.scope(place);
        let serial = scope.history.next() - 1;
        let entry = *scope.history.entry(serial);
        let arrival = Arrival {
            classes: &self.classes,
            serial,
            row: entry.row,
            tick: entry.tick,
            time: entry.time,
            scope: scope.number,
        };
        let buffer = std::mem::take(&mut self.buffer);
        let mut out = Out::new(sink, limits.matches_per_event, buffer);
        self.mechanism.arrive(
            &mut scope.state,
            self.semantics,
            &self.catalog,
            &mut scope.history,
            &arrival,
            limits.instances,
            &mut self.counters,
            Some(&mut out),
        );
        self.stats.matches = self.stats.matches.saturating_add(out.matches);
        let (over, stopped) = (out.over, out.stopped);
        self.buffer = out.buffer;
        if std::mem::take(&mut self.counters.over_limit) {
            let message = format!("more than {} partial matches", limits.instances.most);
            return Err(Error::new(ErrorKind::Limit, message)
                .with_hint("other methods than `single` keep none"));
        }
        self.flow(over, stopped, entry.row)
    }

    /// Makes room for a partition and makes it; nothing if its events are passed over.
    #[cold]
    fn new_partition<E: Event + ?Sized>(&mut self, event: &E) -> Result<Option<u32>, Error> {
        if !self.config.partition_by.is_empty() && self.config.hold_events == 0 {
            // What no pattern can use is no reason for a partition, let alone for dropping another one.
            self.catalog.classify(event, &mut self.classes);
            if self.classes.is_empty() {
                self.stats.unused += 1;
                return Ok(None);
            }
        }
        let limit = self.config.limits.partitions;
        let catalog = &self.catalog;
        let is_crowded = self.partitions.is_crowded();
        let is_full = |partitions: &Partitions| partitions.len() >= limit.most;
        if (is_crowded || is_full(&self.partitions)) && self.config.hold_events == 0 {
            let oldest = match catalog.longest_time {
                Some(longest) if catalog.longest_events == 0 => {
                    event.time().saturating_sub_unsigned(longest)
                }
                // Windows of events count those of the partition alone: no other one ends them.
                _ => i64::MIN,
            };
            // Of windows of time, the partition that had no event for longest is over first.
            if is_full(&self.partitions) {
                self.partitions.drop_oldest(|scope| scope.last_time < oldest);
            }
            // An error is worth a look at all. Where partitions are dropped, that would be one for each
            // of endless new keys.
            if is_crowded || (is_full(&self.partitions) && limit.policy == Policy::Error) {
                let beginnings = catalog.beginnings();
                // A match begins with an event to come, if none that is remembered can begin one.
                self.partitions
                    .sweep(|scope| scope.last_time < oldest || !scope.history.has_any(&beginnings));
            }
        }
        if is_full(&self.partitions) {
            match limit.policy {
                Policy::Error => {
                    let message = format!("more than {} partitions", limit.most);
                    return Err(Error::new(ErrorKind::Limit, message));
                }
                Policy::DropOldest => {
                    self.stats.dropped_partitions += 1;
                    self.partitions.drop_oldest(|_| true);
                }
                Policy::DropNewest => {
                    self.stats.dropped_partitions += 1;
                    return Ok(None);
                }
            }
        }
        let place = self.partitions.insert(self.mechanism.state(), self.stats.events);
        let kept = self.kept();
        self.partitions.scope(place).history.keep(&kept);
        Ok(Some(place))
    }

    /// The numbers of types and attributes, by which events are asked.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.catalog.schema
    }

    /// The numbers of types and attributes, to add some.
    pub fn schema_mut(&mut self) -> &mut Schema {
        &mut Arc::make_mut(&mut self.catalog).schema
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> Method {
        self.config.method
    }

    /// The semantics.
    #[must_use]
    pub fn semantics(&self) -> Semantics {
        self.semantics
    }

    /// A pattern that is alive.
    #[must_use]
    pub fn pattern(&self, number: PatternId) -> Option<&Pattern> {
        self.catalog.place(number).map(|place| &self.catalog.live(place).pattern)
    }

    /// The number of the pattern that is alive and has an id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<PatternId> {
        self.catalog.find(id)
    }

    /// The patterns that are alive, in the order of their numbers.
    pub fn patterns(&self) -> impl Iterator<Item = (PatternId, &Pattern)> {
        self.catalog.lives().into_iter().map(|(_, live)| (live.number, &live.pattern))
    }

    /// Counters, and how much is remembered now.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let Counters {
            instances_created,
            candidates_checked,
            probes,
            transitions,
            failures,
            block_hits,
            block_misses,
            bitmap_hits,
            expired,
            dropped_instances,
            over_limit: _,
        } = self.counters;
        let scopes = || self.partitions.iter();
        Stats {
            instances_created,
            candidates_checked,
            probes,
            transitions: transitions + self.direct_moves(),
            failures,
            block_hits,
            block_misses,
            bitmap_hits,
            expired,
            dropped_instances,
            patterns: self.catalog.len(),
            partitions: self.partitions.len(),
            held_events: match &self.mechanism {
                Mechanism::Ring(ring) if self.turning => ring.held(self.catalog.longest_events),
                _ => scopes().map(|scope| scope.history.len()).sum(),
            },
            instances: scopes().map(|scope| scope.state.instances()).sum(),
            nodes: self.mechanism.nodes(),
            shared_rows: self.mechanism.shared_rows(),
            bytes: size_of::<Self>() + self.heap(),
            ..self.stats
        }
    }
}

#[cold]
fn out_of_order(time: i64, before: i64) -> Error {
    let message = format!("an event at time {time} behind one at {before}");
    Error::new(ErrorKind::Order, message)
        .with_hint("windows of time need events in the order of their times")
}

#[cold]
fn too_many_patterns(most: usize) -> Error {
    Error::new(ErrorKind::Limit, format!("more than {most} patterns"))
}

#[cold]
fn too_many_names(most: usize) -> Error {
    let message = format!("more than {most} names of types and attributes");
    Error::new(ErrorKind::Limit, message)
        .with_hint("names stay when patterns are removed, since events are made with their numbers")
}

heap! {
    Detector { catalog, config, mechanism, partitions, classes, buffer }
    Config { partition_by }
}
