//! Leads a stream through an evaluation: time, partitions, output, limits, garbage.

#[cfg(feature = "serde")]
mod save;

use std::sync::Arc;

use bounds::{FORGET, SMALL};
use deliver::Call;

use super::alarms::Clock;
use super::context::{Context, Facts};
use super::emit::Output;
use super::evaluator::{Arrival, Evaluator, Glance, Key};
use super::output::{Cause, Sink};
use super::partitions::{Handle, Partitions};
use crate::config::{Config, EndOfInput};
use crate::error::Error;
use crate::event::{Event, TypeId};
use crate::history::EventStore;
use crate::nfa::kinds::Kinds;
use crate::nfa::program::Window;
use crate::nfa::{Automaton, Skip};
use crate::predicate::evaluate::Faults;
use crate::stats::Stats;

/// A stream on its way through one evaluation.
pub(super) struct Driver<E: Event, V: Evaluator<E>> {
    pub(super) automaton: Arc<Automaton>,
    config: Config,
    pub(super) evaluator: V,
    pub(super) partitions: Partitions<V::Part>,
    /// The partition of the event before, if it has one and that matters (S3).
    before: Option<Handle>,
    foreign_matters: bool,
    clocks: Vec<Clock>,
    /// Partitions to look at as soon as time advances.
    recheck: Vec<Handle>,
    unkeyed: bool,
    /// Time may advance without a look at anything.
    quiet: bool,
    /// Without keys: matches wait for windows.
    waits: bool,
    /// With keys: nothing comes out when a window passes, and nobody minds events of other partitions,
    /// so that events which change nothing need no partition.
    calm: Option<Kinds>,
    /// While nothing is held, events of other types than these change nothing.
    begins: Option<Box<[TypeId]>>,
    /// Nothing is held.
    idle: bool,
    prompt: bool,
    pub(super) store: EventStore<E>,
    facts: Facts,
    faults: Faults,
    out: Output,
    call: Call,
    /// The least key of a first event that is still in the window, as of the last event that was
    /// looked at.
    horizon: Key,
    pub(super) watermark: Option<i64>,
    /// Look for garbage when there are so many cells, or so many events.
    collect_at: usize,
    forget_at: usize,
    collect_events_at: usize,
    stats: Stats,
}

/// The fields that a context borrows, apart from the evaluator and its parts.
macro_rules! context {
    ($driver:expr, $now:expr) => {
        Context {
            automaton: &$driver.automaton,
            config: &$driver.config,
            facts: &mut $driver.facts,
            faults: &$driver.faults,
            store: &$driver.store,
            horizon: $driver.horizon,
            now: $now,
            watermark: $driver.watermark,
            recheck: false,
            out: &mut $driver.out,
            stats: &mut $driver.stats,
        }
    };
}

// Behind the macro that they use.
mod bounds;
mod deliver;
mod keyed;
mod unkeyed;

impl<E: Event, V: Evaluator<E>> Driver<E, V> {
    pub(super) fn new(automaton: Arc<Automaton>, config: Config, evaluator: V) -> Self {
        let program = &automaton.program;
        let (prompt, releases) = (evaluator.prompt(), evaluator.releases());
        let keyed = !program.key.is_empty();
        let begins = if keyed || !program.filters.is_empty() {
            None
        } else {
            program.begins(&automaton.conditions)
        };
        let foreign = |(at, wait): (usize, &crate::nfa::program::Wait)| wait.foreign != at as u32;
        let foreign_matters = keyed && program.waits.iter().enumerate().any(foreign);
        // Without waits, or with a skip, more than the program decides what becomes of a run.
        let plain = !program.waits.is_empty() && automaton.skip == Skip::None;
        let calm = keyed && plain && !prompt && !foreign_matters && program.filters.is_empty();
        let mut driver = Driver {
            calm: calm.then(|| Kinds::new(program, &automaton.conditions)),
            clocks: if keyed { Clock::all(&automaton, prompt) } else { Vec::new() },
            foreign_matters,
            facts: Facts::new(&automaton),
            automaton,
            evaluator,
            partitions: Partitions::new(),
            before: None,
            recheck: Vec::new(),
            unkeyed: !keyed,
            quiet: !keyed && !prompt,
            waits: !keyed && releases,
            begins,
            idle: false,
            prompt,
            store: EventStore::new(),
            faults: Faults::default(),
            out: Output::default(),
            call: Call::default(),
            horizon: Key::MIN,
            watermark: None,
            collect_at: SMALL.min(config.limits.history.most.saturating_add(1)),
            forget_at: FORGET,
            collect_events_at: SMALL,
            config,
            stats: Stats::default(),
        };
        if !keyed {
            driver.partitions.add(driver.evaluator.part());
        }
        driver
    }

    pub(super) fn stats(&self) -> Stats {
        let (now, horizon) = (self.watermark, self.horizon());
        let runs = |part| self.evaluator.runs(part, horizon, now, &self.automaton);
        let unnoticed = |part| self.evaluator.unnoticed(part, horizon, now, &self.automaton);
        let unnoticed: usize = self.partitions.iter().map(unnoticed).sum();
        Stats {
            runs: self.partitions.iter().map(runs).sum(),
            timed_out: self.stats.timed_out + unnoticed as u64,
            held_back: self.evaluator.held(),
            cells: self.evaluator.cells(),
            entries: self.evaluator.entries(),
            cell_bytes: self.evaluator.bytes(),
            stored_events: self.store.len(),
            type_errors: self.faults.types.get(),
            overflows: self.faults.overflows.get(),
            divisions_by_zero: self.faults.divisions.get(),
            ..self.stats
        }
    }

    /// An event is late.
    pub(super) fn late(&mut self, event: E, sink: &mut impl Sink<E>) {
        self.stats.late += 1;
        sink.late(event);
    }

    /// Processes an event, unless it is late.
    #[inline]
    pub(super) fn push(&mut self, event: E, sink: &mut impl Sink<E>) -> Result<(), Error> {
        let time = event.time();
        if self.watermark.is_some_and(|now| now <= time) {
            if self.quiet {
                return self.push_quiet(event, time, sink);
            }
            if self.calm.is_some() {
                return self.push_keyed(event, time, sink);
            }
            if self.waits {
                return self.push_waiting(event, time, sink);
            }
        }
        self.push_on(event, time, sink)
    }

    fn push_on(&mut self, event: E, time: i64, sink: &mut impl Sink<E>) -> Result<(), Error> {
        match self.watermark {
            Some(now) if time == now => {}
            Some(now) if time < now => {
                self.late(event, sink);
                return Ok(());
            }
            _ => self.advance(time, sink)?,
        }
        let number = self.stats.events;
        self.begin_call();
        self.stats.events += 1;
        self.facts.next_event();
        let window = self.automaton.program.window;
        self.horizon = window.horizon(number, time);
        if let Window::Events(_) = window {
            self.pass(time, Cause::Event(number), sink)?;
        }
        if self.unkeyed
            && !self.quiet
            && self.out.is_empty()
            && self.glance(&event, number, time) == Glance::Nothing
        {
            return Ok(());
        }
        self.process(event, number, time, sink)
    }

    /// The horizon, events included that were passed over.
    fn horizon(&self) -> Key {
        let window = self.automaton.program.window;
        match (window, self.watermark) {
            (Window::Events(_), _) if self.stats.events > 0 => {
                window.horizon(self.stats.events - 1, 0)
            }
            (Window::Time { .. }, Some(now)) => window.horizon(0, now),
            _ => Key::MIN,
        }
    }

    /// Nothing is held, and nothing begins with an event.
    #[inline]
    fn is_idle(&self, event: &E) -> bool {
        let begins = |begins: &[TypeId]| begins.contains(&event.event_type());
        self.idle && self.begins.as_ref().is_some_and(|types| !begins(types))
    }

    /// An event of the stream that another engine sees to: it counts for windows and for strict
    /// contiguity.
    #[cfg(feature = "parallel")]
    pub(super) fn pass_over(&mut self, time: i64, sink: &mut impl Sink<E>) -> Result<(), Error> {
        if self.watermark != Some(time) {
            self.advance(time, sink)?;
        }
        let number = self.stats.events;
        self.stats.events += 1;
        self.begin_call();
        let window = self.automaton.program.window;
        if let Window::Events(_) = window {
            self.horizon = window.horizon(number, time);
            self.pass(time, Cause::Event(number), sink)?;
        }
        let result = self.leave(None, time);
        let delivered = self.deliver(Cause::Event(number), sink);
        result.and(delivered)
    }

    fn process(
        &mut self,
        event: E,
        number: u64,
        time: i64,
        sink: &mut impl Sink<E>,
    ) -> Result<(), Error> {
        let cause = Cause::Event(number);
        let key = self.automaton.program.key.as_slice();
        let evaluator = &mut self.evaluator;
        let mut found = Some(0);
        let mut result = Ok(());
        if !self.unkeyed {
            // Not at the end of a call, where the matches of a part that is empty by now may wait.
            self.partitions.give_up(|part| evaluator.clear(part));
            let at = self.partitions.find(&event, key);
            found = at.map(|found| self.partitions.place(found, || evaluator.part()));
            result = self.leave(found, time);
        }
        let Some(at) = found else {
            self.stats.without_key += 1;
            let delivered = self.deliver(cause, sink);
            return result.and(delivered);
        };
        self.show(result, event, (number, time, at), sink)
    }

    /// Shows an event to its partition, unless something has failed before.
    fn show(
        &mut self,
        mut result: Result<(), Error>,
        event: E,
        (number, time, at): (u64, i64, u32),
        sink: &mut impl Sink<E>,
    ) -> Result<(), Error> {
        let cause = Cause::Event(number);
        // Kept until it turns out that nobody needs it.
        let place = self.store.push(number, self.automaton.program.window.key(number, time), event);
        let event = self.store.get(place);
        let part = &mut self.partitions.at(at).part;
        let arrival = Arrival { event, number, time, place };
        let mut cx = context!(self, Some(time));
        let mut kept = false;
        if result.is_ok() {
            match self.evaluator.show(part, &arrival, &mut cx) {
                Ok(keeps) => kept = keeps,
                Err(error) => result = Err(error),
            }
        }
        let recheck = cx.recheck;
        let waiting = self.evaluator.has_matches(part);
        if self.unkeyed {
            self.idle = !waiting && self.evaluator.is_empty(part);
            if self.idle && self.store.len() >= self.forget_at {
                self.forget_all();
            }
        } else {
            let holds = !self.evaluator.is_empty(part);
            self.partitions.settle(at, holds, event, &self.automaton.program.key);
            self.note(at, holds, kept, number, time);
            if recheck && holds {
                self.recheck.push(self.partitions.handle(at));
            }
        }
        if waiting {
            result = result.and(self.enumerate(at, cause, sink));
        }
        if !self.out.is_empty() {
            result = result.and(self.deliver(cause, sink));
        }
        if kept {
            return result.and_then(|()| self.bound(at));
        }
        self.store.pop();
        result
    }

    /// Nothing is held, so nothing that is remembered is needed: without a window nobody else would
    /// see to that before there is much.
    #[cold]
    fn forget_all(&mut self) {
        if self.evaluator.forgets() && self.out.is_empty() {
            self.evaluator.forget(Key::MAX);
            self.store.expire(Key::MAX);
        }
        self.forget_at = self.store.len() + FORGET;
    }

    /// Sets alarms in a partition and remembers that the stream was there.
    #[inline]
    fn note(&mut self, at: u32, holds: bool, kept: bool, number: u64, time: i64) {
        let handle = self.partitions.handle(at);
        if self.foreign_matters {
            self.before = holds.then_some(handle);
        }
        if kept && holds && (self.prompt || !self.partitions.at(at).alarm) {
            self.partitions.at(at).alarm = true;
            let window = self.automaton.program.window;
            self.clocks.iter_mut().for_each(|clock| clock.set(window, number, time, handle));
        }
    }

    /// The stream leaves the partition of the event before (S3).
    fn leave(&mut self, to: Option<u32>, time: i64) -> Result<(), Error> {
        let Some(before) = self.before else { return Ok(()) };
        let Some((at, found)) = self.partitions.get(before) else { return Ok(()) };
        if Some(at) == to {
            return Ok(());
        }
        self.before = None;
        let mut cx = context!(self, Some(time));
        let result = self.evaluator.foreign(&mut found.part, &mut cx);
        let holds = !self.evaluator.is_empty(&found.part);
        self.partitions.note(at, holds);
        result
    }

    /// The watermark advances; windows of time pass.
    pub(super) fn advance(&mut self, time: i64, sink: &mut impl Sink<E>) -> Result<(), Error> {
        if self.watermark.is_some_and(|now| time <= now) {
            return Ok(());
        }
        self.watermark = Some(time);
        let window = self.automaton.program.window;
        if let Window::Time { .. } = window {
            self.horizon = window.horizon(0, time);
        }
        self.begin_call();
        let result = self.pass(time, Cause::Time(time), sink);
        let delivered = self.deliver(Cause::Time(time), sink);
        result.and(delivered)
    }

    /// Runs whose window has passed end, where something comes of it or nobody else would see it.
    #[inline(always)]
    fn pass(&mut self, time: i64, cause: Cause, sink: &mut impl Sink<E>) -> Result<(), Error> {
        if self.unkeyed && !self.prompt { Ok(()) } else { self.pass_now(time, cause, sink) }
    }

    fn pass_now(&mut self, time: i64, cause: Cause, sink: &mut impl Sink<E>) -> Result<(), Error> {
        if self.evaluator.releases() {
            // Windows of events pass with events.
            let window = self.automaton.program.window;
            if matches!((cause, window), (Cause::Time(_), Window::Events(_))) {
                return Ok(());
            }
            if self.unkeyed {
                return self.pass_first(time, cause, sink);
            }
            let due = self.due(time);
            return self.release(&due, Some(time), cause, sink);
        }
        if self.unkeyed {
            let mut cx = context!(self, Some(time));
            return self.evaluator.expire(&mut self.partitions.at(0).part, &mut cx);
        }
        self.ring(time)
    }

    fn ring(&mut self, time: i64) -> Result<(), Error> {
        let window = self.automaton.program.window;
        let number = self.stats.events.saturating_sub(1);
        for handle in std::mem::take(&mut self.recheck) {
            let Some((at, found)) = self.partitions.get(handle) else { continue };
            let mut cx = context!(self, Some(time));
            self.evaluator.expire(&mut found.part, &mut cx)?;
            let holds = !self.evaluator.is_empty(&found.part);
            self.partitions.note(at, holds);
        }
        for clock in 0..self.clocks.len() {
            while let Some(handle) = self.clocks[clock].next(self.horizon, time) {
                let Some((at, found)) = self.partitions.get(handle) else { continue };
                let mut cx = context!(self, Some(time));
                self.evaluator.expire(&mut found.part, &mut cx)?;
                let holds = !self.evaluator.is_empty(&found.part);
                self.partitions.note(at, holds);
                if !self.prompt {
                    self.partitions.at(at).alarm = holds;
                    if holds {
                        self.clocks[clock].set(window, number, time, handle);
                    }
                }
            }
        }
        Ok(())
    }

    /// The stream ends.
    pub(super) fn finish(&mut self, sink: &mut impl Sink<E>) -> Result<(), Error> {
        if self.config.end_of_input != EndOfInput::Max {
            return Ok(());
        }
        self.begin_call();
        if self.evaluator.releases() {
            let all: Vec<u32> = (0..self.partitions.places()).collect();
            return self.release(&all, None, Cause::End, sink);
        }
        let mut result = Ok(());
        for part in self.partitions.iter_mut() {
            let mut cx = context!(self, None);
            result = self.evaluator.expire(part, &mut cx);
            if result.is_err() {
                break;
            }
        }
        let delivered = self.deliver(Cause::End, sink);
        result.and(delivered)
    }
}
