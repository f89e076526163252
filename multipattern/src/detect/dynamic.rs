//! Patterns come and go.
//!
//! The mechanism of the new set is made before the next event; what it has to know of the events that
//! are still in windows, it is shown again. So the detector is from then on one that was made for the
//! new set, and changes of many patterns between two events cost one rebuild.

use std::sync::Arc;

use super::Detector;
use super::arrival::Arrival;
use super::history::History;
use super::mechanism::{Mechanism, State};
use super::output::{Count, Out};
use super::single::Dispatch;
use super::{too_many_names, too_many_patterns};
use crate::error::{Error, ErrorKind};
use crate::event::{Schema, Slot};
use crate::pattern::symbol::Symbol;
use crate::pattern::{Pattern, PatternId, Window};
use crate::stats::Counters;

impl Detector {
    /// Adds a pattern, which sees only later events; gives its number.
    ///
    /// Time: the mechanism of all patterns is made anew before the next event.
    ///
    /// # Errors
    /// Of kind [`ErrorKind::Name`] if a pattern that is alive has its id; of kind
    /// [`ErrorKind::Limit`] if there are as many patterns, or names of types and attributes, as the
    /// limits allow.
    pub fn add(&mut self, pattern: Pattern) -> Result<PatternId, Error> {
        self.insert(pattern, self.stats.events)
    }

    /// Adds a pattern that also sees the events that are remembered, as if it had been there when
    /// they came: the last ones that [`Config::hold_events`](crate::Config::hold_events) says, of
    /// which those in its window count. Matches that they complete are not reported.
    ///
    /// # Errors
    /// As [`add`](Self::add); of kind [`ErrorKind::Usage`] if the detector does not hold events, or
    /// if the pattern uses an attribute that was not in the schema when they came; of kind
    /// [`ErrorKind::Order`] if its window is one of time and the times of those events descend.
    pub fn add_backfilled(&mut self, pattern: Pattern) -> Result<PatternId, Error> {
        if self.config.hold_events == 0 {
            return Err(Error::new(ErrorKind::Usage, "events are not held for new patterns")
                .with_hint("`Config::hold_events` says how many are"));
        }
        let known = self.catalog.schema.attributes().len() as u32;
        let held = self.partitions.iter().any(|scope| scope.history.len() > 0);
        if held {
            let schema = self.schema_with(&pattern);
            if let Some(name) = schema.attributes().nth(known as usize) {
                let message = format!("the attribute `{name}` was not held");
                return Err(Error::new(ErrorKind::Usage, message)
                    .with_hint("add it to the schema before the stream begins"));
            }
        }
        if matches!(pattern.window(), Some(Window::Time(..))) {
            let descends = |history: &History| {
                let times = history.first()..history.next();
                !times.map(|serial| history.entry(serial).time).is_sorted()
            };
            if self.partitions.iter().any(|scope| descends(&scope.history)) {
                let message = "the times of the events that are held descend";
                return Err(Error::new(ErrorKind::Order, message)
                    .with_hint("windows of time need events in the order of their times"));
            }
        }
        let number = self.insert(pattern, 0)?;
        let Some(place) = self.catalog.place(number) else { return Ok(number) };
        self.prepare();
        for scope in self.partitions.iter_mut() {
            scope.history.classify_again(&self.catalog);
            // A partial match of each by itself is not made anew for the others.
            if let State::Single(state) = &mut scope.state {
                state.forget(place);
                let mut dispatch = Dispatch::only(&self.catalog, place);
                let mut counters = Counters::default();
                for serial in scope.history.first()..scope.history.next() {
                    let classes: Vec<u32> = scope.history.classes(serial).collect();
                    let entry = *scope.history.entry(serial);
                    let arrival = Arrival {
                        classes: &classes,
                        serial,
                        row: entry.row,
                        tick: entry.tick,
                        time: entry.time,
                        scope: scope.number,
                    };
                    state.arrive::<Count>(
                        &mut dispatch,
                        self.semantics,
                        &self.catalog,
                        &mut scope.history,
                        &arrival,
                        self.config.limits.instances,
                        &mut counters,
                        None,
                    );
                }
                scope.history.forget_cursors();
            }
        }
        Ok(number)
    }

    /// What the schema would be with the names of a pattern.
    fn schema_with(&self, pattern: &Pattern) -> Schema {
        let mut schema = self.catalog.schema.clone();
        for (at, operand) in pattern.operands().iter().enumerate() {
            Symbol::resolve(operand, at, &mut schema);
        }
        schema
    }

    fn insert(&mut self, pattern: Pattern, since: u64) -> Result<PatternId, Error> {
        if self.catalog.len() >= self.config.limits.patterns {
            return Err(too_many_patterns(self.config.limits.patterns));
        }
        let limit = self.config.limits.names;
        let terms = pattern.operands().iter().map(|operand| 1 + 2 * operand.conditions().len());
        // Names are only counted one by one if that many could be too many.
        if self.catalog.schema.names() + terms.sum::<usize>() > limit
            && self.schema_with(&pattern).names() > limit
        {
            return Err(too_many_names(limit));
        }
        let was_timed = self.catalog.is_timed();
        let place = Arc::make_mut(&mut self.catalog).add(pattern, since)?;
        self.settle();
        if self.catalog.is_timed() && !was_timed {
            let last = self.last_time.unwrap_or(i64::MIN);
            self.partitions.iter_mut().for_each(|scope| scope.history.order_times(last));
        }
        self.stale = true;
        Ok(self.catalog.live(place).number)
    }

    /// Removes a pattern; gives it back, or nothing if it is not alive. Others that share with it are
    /// not touched, also in the middle of a match. Names of types and attributes stay in the
    /// [`schema`](Self::schema), also those that no other pattern uses: events are made with their
    /// numbers, which must not come to mean something else.
    ///
    /// Time: as [`add`](Self::add).
    pub fn remove(&mut self, number: PatternId) -> Option<Pattern> {
        let (place, live, gone) = Arc::make_mut(&mut self.catalog).remove(number)?;
        self.settle();
        for scope in self.partitions.iter_mut() {
            for &class in &gone {
                scope.history.forget_class(class);
            }
            if let State::Single(state) = &mut scope.state {
                state.forget(place);
            }
        }
        self.stale = true;
        Some(live.pattern)
    }

    /// The attributes that are remembered of events.
    pub(super) fn kept(&self) -> Vec<Slot> {
        if self.config.hold_events > 0 {
            return (0..self.catalog.schema.attributes().len() as u32).map(Slot).collect();
        }
        self.catalog.kept()
    }

    /// Histories fit the patterns.
    fn prepare(&mut self) {
        let kept = self.kept();
        for scope in self.partitions.iter_mut() {
            scope.history.keep(&kept);
            scope.history.forget_cursors();
        }
    }

    /// Makes the mechanism of the patterns that are alive, and shows it what is remembered.
    #[cold]
    pub(super) fn rebuild(&mut self) {
        self.stale = false;
        let rows = self.stats.events;
        let oldest = |history: &History| Some(rows - history.oldest()?.row);
        let back = self.partitions.iter().filter_map(|scope| oldest(&scope.history)).max();
        self.remake(back.unwrap_or(0));
    }

    /// The same, for streams that look back so many events.
    pub(super) fn remake(&mut self, back: u64) {
        Arc::make_mut(&mut self.catalog).shrink();
        (self.classes, self.buffer) = (Vec::new(), Vec::new());
        self.prepare();
        let next = Mechanism::new(&self.config, self.semantics, &self.catalog, back);
        let before = std::mem::replace(&mut self.mechanism, next);
        let hold = self.config.hold_events > 0;
        let (rows, time) = (self.stats.events, self.last_time.unwrap_or(0));
        let alone = !hold && self.config.partition_by.is_empty();
        let (was_plain, is_plain) =
            (alone && before.is_plain(), alone && self.mechanism.is_plain());
        for scope in self.partitions.iter_mut() {
            match &mut scope.state {
                State::Backwards => {}
                State::Single(state) => state.shrink(),
                State::Automaton(_) if !hold => {
                    let word = before.word(&scope.state);
                    scope.state = self.mechanism.read(&word);
                    // Events are remembered only where the state is not enough.
                    if is_plain || was_plain {
                        scope.history.release();
                    }
                    if was_plain && !is_plain {
                        scope.history.recall(&self.catalog, &word, rows, time);
                    }
                }
                _ => {
                    scope.state = self.mechanism.state();
                    self.mechanism.replay(
                        &mut scope.state,
                        self.semantics,
                        &self.catalog,
                        &mut scope.history,
                        scope.number,
                        rows,
                    );
                }
            }
        }
    }
}

impl Mechanism {
    /// Shows to a new state what is remembered of a stream, of which so many events were pushed.
    pub(super) fn replay(
        &mut self,
        state: &mut State,
        semantics: crate::pattern::Semantics,
        catalog: &super::catalog::Catalog,
        history: &mut super::history::History,
        scope: u64,
        pushed: u64,
    ) {
        if let Mechanism::Ring(ring) = self {
            return ring.replay(history, pushed);
        }
        let mut counters = Counters::default();
        let mut classes = Vec::new();
        let mut tick = None;
        for serial in history.first()..history.next() {
            classes.clear();
            classes.extend(history.classes(serial));
            let entry = *history.entry(serial);
            if let State::Automaton(state) = state {
                // Events between that mean nothing end what was before them.
                if classes.is_empty() || tick.is_some_and(|before: u64| before + 1 != entry.tick) {
                    *state = super::strict::State::default();
                }
            }
            tick = Some(entry.tick);
            if classes.is_empty() {
                continue;
            }
            let arrival = Arrival {
                classes: &classes,
                serial,
                row: entry.row,
                tick: entry.tick,
                time: entry.time,
                scope,
            };
            let unlimited = crate::limits::Limit::new(usize::MAX, crate::limits::Policy::Error);
            let none: Option<&mut Out<'_, Count>> = None;
            self.arrive(
                state,
                semantics,
                catalog,
                history,
                &arrival,
                unlimited,
                &mut counters,
                none,
            );
        }
        history.forget_cursors();
    }
}
