//! The short way under `strict`: where types say everything, a stream is a state of the automaton and
//! a number of events, and nothing else is remembered.

use std::ops::ControlFlow;

use super::Detector;
use super::mechanism::{Mechanism, State};
use super::out_of_order;
use super::output::{Out, Sink};
use super::strict::{self, Source};
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::limits::{Limit, Policy};

impl Detector {
    /// Takes the next events of the stream one after the other, as [`push`](Self::push) does; quicker
    /// under `strict`, where little happens for each of them. A sink that breaks off gets nothing more
    /// of one event, not of those behind it. Some hundred events may be taken from the iterator before
    /// what they complete is delivered.
    ///
    /// # Errors
    /// As [`push`](Self::push), at the first event that has one: `Stats::events` says how many were
    /// taken.
    pub fn push_all<'e, E: Event + 'e, S: Sink>(
        &mut self,
        events: impl IntoIterator<Item = &'e E>,
        sink: &mut S,
    ) -> Result<(), Error> {
        let mut events = events.into_iter();
        let Some(first) = events.next() else { return Ok(()) };
        let _ = self.push(first, sink)?;
        let unlimited = self.config.limits.matches_per_event.most == usize::MAX;
        // So nothing can fail on the way.
        if let (Some(state), Mechanism::Automaton(automaton), true) =
            (self.direct, &self.mechanism, unlimited)
            && let Some(plain) = automaton.as_plain()
        {
            let (mut matches, buffer) = (0, &mut self.buffer);
            let (state, last) =
                plain.read(state, &mut self.stats.events, events, |row, completed| {
                    matches += completed.deliver(row, sink, buffer);
                });
            self.direct = Some(state);
            self.stats.matches = self.stats.matches.saturating_add(matches);
            if let Some(last) = last {
                self.last_time = Some(last.time());
            }
            return Ok(());
        }
        for event in events {
            let _ = self.push(event, sink)?;
        }
        Ok(())
    }

    /// What ends in a state with the event of a row, where the state is all that is remembered.
    pub(super) fn report<S: Sink>(
        &mut self,
        state: strict::State,
        row: u64,
        sink: &mut S,
    ) -> Result<ControlFlow<()>, Error> {
        let Mechanism::Automaton(automaton) = &mut self.mechanism else {
            return Ok(ControlFlow::Continue(()));
        };
        let limit = self.config.limits.matches_per_event;
        let mut out = Out::new(sink, limit, std::mem::take(&mut self.buffer));
        let source = Source::Row(row);
        automaton.output(state, &self.catalog, source, &mut self.counters, &mut out);
        self.stats.matches = self.stats.matches.saturating_add(out.matches);
        let (over, stopped) = (out.over, out.stopped);
        self.buffer = out.buffer;
        self.flow(over, stopped, row)
    }

    /// An event of a stream of which only the state of an automaton is remembered.
    pub(super) fn step<E: Event + ?Sized, S: Sink>(
        &mut self,
        place: u32,
        event: &E,
        sink: &mut S,
    ) -> Result<ControlFlow<()>, Error> {
        let row = self.stats.events;
        self.stats.events += 1;
        self.last_time = Some(event.time());
        let scope = self.partitions.scope(place);
        scope.history.ticks += 1;
        let (Mechanism::Automaton(automaton), State::Automaton(state)) =
            (&self.mechanism, &mut scope.state)
        else {
            return Ok(ControlFlow::Continue(()));
        };
        let (next, output) = automaton.step(*state, event.event_type(), &mut self.counters);
        *state = next;
        self.counters.transitions += 1;
        if automaton.as_plain().is_some() {
            (self.direct, self.direct_since) = (Some(next), self.stats.events);
        }
        if output { self.report(next, row, sink) } else { Ok(ControlFlow::Continue(())) }
    }

    /// An event of a stream that is a ring.
    #[inline]
    pub(super) fn turn<E: Event + ?Sized, S: Sink>(
        &mut self,
        event: &E,
        sink: &mut S,
    ) -> Result<ControlFlow<()>, Error> {
        let Mechanism::Ring(ring) = &mut self.mechanism else {
            return Ok(ControlFlow::Continue(()));
        };
        let time = event.time();
        if ring.is_long() {
            if self.catalog.is_timed()
                && let Some(before) = self.last_time.filter(|&before| time < before)
            {
                return Err(out_of_order(time, before));
            }
            if !ring.make_room(time) {
                return self.leave_ring(event, sink);
            }
        }
        let (row, event_type) = (self.stats.events, event.event_type());
        self.stats.events += 1;
        self.last_time = Some(time);
        let Some(class) = ring.class(event_type) else {
            self.stats.unused += 1;
            ring.pass(time);
            return Ok(ControlFlow::Continue(()));
        };
        let limit = self.config.limits.matches_per_event;
        let mut out = Out::new(sink, limit, std::mem::take(&mut self.buffer));
        ring.arrive(class, event_type, time, &mut self.counters, &mut out);
        self.stats.matches = self.stats.matches.saturating_add(out.matches);
        let (over, stopped) = (out.over, out.stopped);
        self.buffer = out.buffer;
        self.flow(over, stopped, row)
    }

    /// Goes on without a ring: it would have to look back too far. The next change of patterns may bring
    /// it back.
    #[cold]
    #[inline(never)]
    fn leave_ring<E: Event + ?Sized, S: Sink>(
        &mut self,
        event: &E,
        sink: &mut S,
    ) -> Result<ControlFlow<()>, Error> {
        self.settle();
        self.remake(u64::MAX);
        self.push(event, sink)
    }

    /// The transitions that no counter has yet: they are not counted one by one.
    pub(super) fn direct_moves(&self) -> u64 {
        self.direct.map_or(0, |_| self.stats.events - self.direct_since)
    }

    /// Puts the state of the stream back where all others are.
    pub(super) fn settle(&mut self) {
        if std::mem::take(&mut self.turning)
            && let Mechanism::Ring(ring) = &self.mechanism
        {
            let scope = self.partitions.scope(0);
            ring.recall(&mut scope.history, self.last_time.unwrap_or(0));
        }
        self.counters.transitions += self.direct_moves();
        if let Some(state) = self.direct.take() {
            let events = self.stats.events;
            let scope = self.partitions.scope(0);
            scope.state = State::Automaton(state);
            // Without a key, all events are of this stream.
            scope.history.ticks = events;
        }
    }

    /// Whether the sink had enough, or more was found than the limit allows.
    #[inline]
    pub(super) fn flow(
        &mut self,
        over: bool,
        stopped: bool,
        row: u64,
    ) -> Result<ControlFlow<()>, Error> {
        if over {
            let Limit { most, policy } = self.config.limits.matches_per_event;
            if policy == Policy::Error {
                let message = format!("event {row} completes more than {most} matches");
                return Err(Error::new(ErrorKind::Limit, message));
            }
            self.stats.cut_off += 1;
        }
        Ok(if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}
