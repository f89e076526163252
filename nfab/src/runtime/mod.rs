//! The engine: start reading here.
//!
//! [`Engine::push`] lets the watermark catch up with the event (`window`), shows the event to every
//! run and to the start state (`run`), and hands out what is complete (`skip`, `emit`).

mod emit;
mod output;
mod queue;
mod run;
mod skip;
mod window;

pub use output::{Cause, Count, Events, Match, Sink, TimedOut, Visit};

use std::sync::Arc;

use crate::config::{Config, EndOfInput};
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::history::{ChainBuffer, EventStore, History, Tail, collect};
use crate::limits::{Limit, Policy};
use crate::nfa::Automaton;
use crate::predicate::evaluate::Faults;
use crate::predicate::register::Register;
use crate::stats::Stats;
use queue::Queue;
use run::{Arrival, Memo, Rules, Run, Step, step};

/// Cells below which looking for garbage is not worth while.
const SMALL: usize = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    Open,
    Failed,
    Finished,
}

/// Matches one pattern against one stream.
///
/// Events come in the order of their times; events of one time in any order, which then is their
/// order. An event that is older than the watermark is late: it is handed to [`Sink::late`],
/// counted, and not matched.
///
/// Output comes in a defined order: by what completed it, then by the number of the first event,
/// then by the numbers of the further events in turn. What one call completes is sorted so; each
/// match is reported once, also if the pattern admits it in several ways.
#[derive(Debug)]
pub struct Engine<E> {
    automaton: Arc<Automaton>,
    config: Config,
    history: ChainBuffer,
    store: EventStore<E>,
    /// The partial matches, and among them the run that has not started, which waits for a first
    /// event.
    runs: Queue<Tail>,
    /// Matches that wait for earlier runs.
    held: Queue<Tail>,
    step: Step<Tail>,
    memo: Memo,
    faults: Faults,
    /// The registers of a run without events.
    fresh: Box<[Register]>,
    watermark: Option<i64>,
    condition: Condition,
    /// Look for garbage when there are so many cells.
    collect_at: usize,
    stats: Stats,
}

impl<E: Event> Engine<E> {
    /// An engine with the default options.
    #[must_use]
    pub fn new(automaton: impl Into<Arc<Automaton>>) -> Self {
        Self::with_config(automaton, Config::default())
    }

    /// An engine with options.
    #[must_use]
    pub fn with_config(automaton: impl Into<Arc<Automaton>>, config: Config) -> Self {
        let automaton = automaton.into();
        let mut runs = Queue::new();
        runs.push(Run::not_started(automaton.start, Tail::EMPTY));
        Engine {
            memo: Memo::new(&automaton),
            fresh: automaton.registers.iter().map(|r| r.empty()).collect(),
            history: ChainBuffer::new(automaton.stages.len()),
            automaton,
            config,
            store: EventStore::new(),
            runs,
            held: Queue::new(),
            step: Step::new(),
            faults: Faults::default(),
            watermark: None,
            condition: Condition::Open,
            collect_at: SMALL,
            stats: Stats::default(),
        }
    }

    /// The automaton that runs.
    #[must_use]
    pub fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// The time that the stream has reached.
    #[must_use]
    pub fn watermark(&self) -> Option<i64> {
        self.watermark
    }

    /// Counters.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Stats {
            runs: self.runs.len() - 1,
            held_back: self.held.len(),
            cells: self.history.cells(),
            stored_events: self.store.len(),
            type_errors: self.faults.types.get(),
            overflows: self.faults.overflows.get(),
            divisions_by_zero: self.faults.divisions.get(),
            ..self.stats
        }
    }

    fn usable(&self) -> Result<(), Error> {
        match self.condition {
            Condition::Open => Ok(()),
            Condition::Failed => Err(Error::new(ErrorKind::Usage, "the engine failed before")
                .with_hint("its first error tells why; build another engine")),
            Condition::Finished => {
                Err(Error::new(ErrorKind::Usage, "the stream was finished before")
                    .with_hint("build another engine for another stream"))
            }
        }
    }

    /// Remembers that the engine has failed.
    fn guard<T>(&mut self, result: Result<T, Error>) -> Result<T, Error> {
        if result.is_err() {
            self.condition = Condition::Failed;
        }
        result
    }

    /// Processes an event. The watermark advances to its time first.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`], [`ErrorKind::SkipTargetMissing`], and [`ErrorKind::Usage`] after
    /// either or after [`finish`](Self::finish).
    pub fn push(&mut self, event: E, sink: &mut impl Sink<E>) -> Result<(), Error> {
        self.usable()?;
        let result = self.accept(event, sink);
        self.guard(result)
    }

    /// Lets the watermark advance: no event older than `time` will come. Windows pass, without any
    /// event. A watermark never goes back; an older time does nothing.
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push).
    pub fn advance_watermark(&mut self, time: i64, sink: &mut impl Sink<E>) -> Result<(), Error> {
        self.usable()?;
        if self.watermark.is_none_or(|now| time > now) {
            self.watermark = Some(time);
            let result = self.pass_windows(Some(time), sink);
            self.guard(result)?;
        }
        Ok(())
    }

    /// Ends the stream. With [`EndOfInput::Max`] all windows pass; by default nothing is concluded
    /// from silence.
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push).
    pub fn finish(&mut self, sink: &mut impl Sink<E>) -> Result<(), Error> {
        self.usable()?;
        if self.config.end_of_input == EndOfInput::Max {
            let result = self.pass_windows(None, sink);
            self.guard(result)?;
        }
        self.condition = Condition::Finished;
        Ok(())
    }

    fn accept(&mut self, event: E, sink: &mut impl Sink<E>) -> Result<(), Error> {
        let time = event.time();
        if self.watermark.is_some_and(|now| time < now) {
            self.stats.late += 1;
            sink.late(event);
            return Ok(());
        }
        if self.watermark.is_none_or(|now| time > now) {
            self.watermark = Some(time);
            self.pass_windows(Some(time), sink)?;
        }
        let number = self.stats.events;
        self.stats.events += 1;
        let complete = self.show(event, number, time)?;
        self.conclude(complete, Cause::Event(number), sink)?;
        self.bound_runs()?;
        self.collect_garbage()
    }

    /// Shows an event to all runs; gives the matches that it completes.
    fn show(&mut self, event: E, number: u64, time: i64) -> Result<Vec<Run<Tail>>, Error> {
        let Engine { automaton, history, runs, step: into, memo, faults, fresh, .. } = self;
        let longest = self.config.limits.match_length;
        memo.next_event();
        into.taken = false;
        into.too_long = 0;
        let place = self.store.next();
        let arrival = Arrival { event: &event, number, time, place };
        let rules = Rules { automaton, fresh, faults, longest: longest.most };
        for run in runs.iter() {
            step(&rules, run, &arrival, history, memo, into);
        }
        drop(runs.drain());
        into.alive.drain(..).for_each(|run| runs.push(run));
        if into.taken {
            self.store.push(number, time, event);
        }
        if into.too_long > 0 {
            if longest.policy == Policy::Error {
                return Err(over("events of one match", longest));
            }
            self.stats.dropped_runs += into.too_long;
        }
        self.stats.peak_runs = self.stats.peak_runs.max(self.runs.len() - 1);
        self.stats.peak_cells = self.stats.peak_cells.max(self.history.cells());
        Ok(std::mem::take(&mut self.step.complete))
    }

    fn bound_runs(&mut self) -> Result<(), Error> {
        let limit = self.config.limits.runs;
        let beyond = (self.runs.len() - 1).saturating_sub(limit.most);
        if beyond > 0 {
            if limit.policy == Policy::Error {
                return Err(over("partial matches", limit));
            }
            self.drop_runs(beyond, limit.policy);
        }
        Ok(())
    }

    /// Drops runs: those that started first or last, and of one start those that were taken up
    /// first or last.
    fn drop_runs(&mut self, count: usize, policy: Policy) {
        let mut order: Vec<(u64, usize)> =
            self.runs.iter().enumerate().map(|(at, run)| (run.start, at)).collect();
        order.sort_unstable();
        // The run that has not started is last, and stays.
        order.pop();
        let dropped = match policy {
            Policy::DropOldest => &order[..count],
            _ => &order[order.len() - count..],
        };
        let mut drop = vec![false; self.runs.len()];
        dropped.iter().for_each(|&(_, at)| drop[at] = true);
        let mut drop = drop.into_iter();
        self.runs.retain(|_| !drop.next().unwrap_or(false));
        self.stats.dropped_runs += count as u64;
    }

    fn collect_garbage(&mut self) -> Result<(), Error> {
        let mut limit = self.config.limits.history;
        limit.most = limit.most.min(self.history.capacity());
        if self.history.cells() < self.collect_at && self.history.cells() <= limit.most {
            return Ok(());
        }
        self.compact();
        while self.history.cells() > limit.most {
            let started = self.runs.len() - 1;
            if limit.policy == Policy::Error || started == 0 {
                return Err(over("remembered events", limit));
            }
            self.drop_runs(started.div_ceil(2), limit.policy);
            self.compact();
        }
        // Each collection is paid for by the cells appended since the one before.
        self.collect_at = SMALL.max(2 * self.history.cells());
        Ok(())
    }

    fn compact(&mut self) {
        let tails = self.runs.iter_mut().chain(self.held.iter_mut()).map(|run| &mut run.tail);
        collect(&mut self.history, &mut self.store, tails);
    }
}

/// A limit is exceeded.
fn over(what: &str, limit: Limit) -> Error {
    Error::new(ErrorKind::Limit, format!("there are more than {} {what}", limit.most))
        .with_hint("a window or a stricter condition bounds them; Limits sets bound and policy")
}
