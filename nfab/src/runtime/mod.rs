//! The engine: start reading here.
//!
//! [`Engine`] is what users see. `driver` leads the stream: it lets the watermark catch up with each
//! event, finds the event's partition (`partitions`, `key`), shows it to an evaluation and hands out
//! what is complete (`emit`, `output`). An evaluation (`evaluator`) is one way to keep the partial
//! matches of a partition: `runs` keeps each on its own, for every program; `interpret` does so for
//! patterns that depend on the layout of Flink's heap; the shared ones are in `crate::evaluate`.

mod alarms;
pub(crate) mod context;
mod driver;
mod emit;
pub(crate) mod evaluator;
mod held;
mod interpret;
pub(crate) mod key;
pub(crate) mod output;
mod partitions;
pub(crate) mod runs;
#[cfg(feature = "serde")]
pub(crate) mod save;
#[cfg(test)]
mod tests;

pub use output::{Cause, Count, Events, First, Match, Sink, TimedOut, Visit};

use std::fmt;
use std::sync::Arc;

use crate::config::{Config, HistoryKind};
use crate::error::{Error, ErrorKind};
use crate::evaluate::{
    Choices, Compact, Forest, Grouped, Pair, Row, Sequence, fits_forest, with_config,
};
use crate::event::Event;
use crate::history::{BufferView, ChainBuffer, Shape, VersionedBuffer};
use crate::limits::Limit;
use crate::nfa::{Automaton, Evaluation, Skip};
use crate::reorder::{Offered, Reorder};
use crate::stats::Stats;
use driver::Driver;
use interpret::Interpreter;
use runs::Runs;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    Open,
    Failed,
    Finished,
}

/// The evaluations.
#[allow(clippy::large_enum_variant, reason = "there is one in an engine, and it stays where it is")]
enum Core<E: Event> {
    Runs(Driver<E, Runs<ChainBuffer>>),
    Versioned(Driver<E, Runs<VersionedBuffer>>),
    Interpreter(Driver<E, Interpreter<ChainBuffer>>),
    Grouped(Driver<E, Grouped>),
    Forest(Driver<E, Forest>),
    Compact(Driver<E, Compact>),
    Choices(Driver<E, Choices>),
    Sequence(Driver<E, Sequence>),
    Row(Driver<E, Row>),
    Pair(Driver<E, Pair>),
}

/// Does the same with whichever evaluation there is.
macro_rules! each {
    ($core:expr, $driver:ident => $do:expr) => {
        match $core {
            Core::Runs($driver) => $do,
            Core::Versioned($driver) => $do,
            Core::Interpreter($driver) => $do,
            Core::Grouped($driver) => $do,
            Core::Forest($driver) => $do,
            Core::Compact($driver) => $do,
            Core::Choices($driver) => $do,
            Core::Sequence($driver) => $do,
            Core::Row($driver) => $do,
            Core::Pair($driver) => $do,
        }
    };
}

#[cfg(feature = "serde")]
use each;

/// Matches one pattern against one stream.
///
/// Events come in the order of their times; events of one time in any order, which then is their
/// order. With [`Config::lateness`] they may come later by a bound: they wait until they can be
/// put in order, and everything below is about the stream in order. An event that is older than the
/// watermark is late: it is handed to [`Sink::late`], counted, and not matched.
///
/// Output comes in a defined order: by what completed it, then by the number of the first event,
/// then by the numbers of the further events in turn. What one call completes is sorted so; each
/// match is reported once, also if the pattern admits it in several ways.
pub struct Engine<E: Event> {
    core: Core<E>,
    /// Unless no event may come late.
    reorder: Option<Reorder<E>>,
    condition: Condition,
}

impl<E: Event> fmt::Debug for Engine<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("automaton", &self.automaton().text)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
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
        let automaton: Arc<Automaton> = automaton.into();
        let reorder = (config.lateness > 0).then(|| Reorder::new(&config));
        let flink_skip = automaton.pattern.is_some() && automaton.skip != Skip::None;
        let stages = automaton.stages.len();
        let evaluation = with_config(&automaton, &config).0;
        let compact = evaluation == Evaluation::Compact;
        let row = compact.then(|| Row::new(&automaton)).flatten();
        let grouped = evaluation == Evaluation::Grouped;
        let pair = grouped.then(|| Pair::new(&automaton)).flatten();
        let sequence = compact.then(|| Sequence::new(&automaton)).flatten();
        let choices = compact.then(|| Choices::new(&automaton)).flatten();
        let core = if automaton.program.waits.is_empty() || flink_skip {
            let evaluator = Interpreter::new(&automaton, ChainBuffer::new(stages));
            Core::Interpreter(Driver::new(automaton, config, evaluator))
        } else if let Some(evaluator) = row {
            Core::Row(Driver::new(automaton, config, evaluator))
        } else if let Some(evaluator) = pair {
            Core::Pair(Driver::new(automaton, config, evaluator))
        } else if let Some(evaluator) = sequence {
            Core::Sequence(Driver::new(automaton, config, evaluator))
        } else if let Some(evaluator) = choices {
            Core::Choices(Driver::new(automaton, config, evaluator))
        } else if compact {
            let evaluator = Compact::new(&automaton);
            Core::Compact(Driver::new(automaton, config, evaluator))
        } else if grouped && fits_forest(&automaton) {
            let evaluator = Forest::new(&automaton);
            Core::Forest(Driver::new(automaton, config, evaluator))
        } else if grouped {
            let evaluator = Grouped::new(&automaton);
            Core::Grouped(Driver::new(automaton, config, evaluator))
        } else if config.history == HistoryKind::Versioned {
            let history = VersionedBuffer::new(Shape::of(&automaton));
            let evaluator = Runs::new(&automaton, &config, history);
            Core::Versioned(Driver::new(automaton, config, evaluator))
        } else {
            let evaluator = Runs::new(&automaton, &config, ChainBuffer::new(stages));
            Core::Runs(Driver::new(automaton, config, evaluator))
        };
        Engine { core, reorder, condition: Condition::Open }
    }

    /// The automaton that runs.
    #[must_use]
    pub fn automaton(&self) -> &Automaton {
        each!(&self.core, driver => &driver.automaton)
    }

    /// The time that the stream has reached: events older than this are late.
    #[must_use]
    pub fn watermark(&self) -> Option<i64> {
        match &self.reorder {
            Some(reorder) => reorder.watermark(),
            None => each!(&self.core, driver => driver.watermark),
        }
    }

    /// Counters.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let waiting = self.reorder.as_ref().map_or(0, Reorder::len);
        Stats { waiting, ..each!(&self.core, driver => driver.stats()) }
    }

    /// What the shared versioned match buffer holds now, for people; events have the numbers of
    /// [`Events::numbers`]. `None` unless the engine has that buffer: it is asked for by
    /// [`HistoryKind::Versioned`].
    #[must_use]
    pub fn buffer(&self) -> Option<BufferView> {
        let Core::Versioned(driver) = &self.core else { return None };
        let number = |event| driver.store.arrival_if_held(event);
        Some(driver.evaluator.history().view(number))
    }

    #[cold]
    fn unusable(&self) -> Error {
        match self.condition {
            Condition::Finished => Error::new(ErrorKind::Usage, "the stream was finished before")
                .with_hint("build another engine for another stream"),
            _ => Error::new(ErrorKind::Usage, "the engine failed before")
                .with_hint("its first error tells why; build another engine"),
        }
    }

    /// Remembers that the engine has failed.
    #[inline]
    fn guard<T>(&mut self, result: Result<T, Error>) -> Result<T, Error> {
        if result.is_err() {
            self.condition = Condition::Failed;
        }
        result
    }

    /// Processes an event. The watermark advances to its time first; with [`Config::lateness`], to
    /// so much before it, and the event may have to wait.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`], [`ErrorKind::SkipTargetMissing`], and [`ErrorKind::Usage`] after
    /// either or after [`finish`](Self::finish).
    #[inline]
    pub fn push(&mut self, event: E, sink: &mut impl Sink<E>) -> Result<(), Error> {
        if self.condition != Condition::Open {
            return Err(self.unusable());
        }
        let result = if self.reorder.is_some() {
            self.push_in_order(event, sink)
        } else {
            each!(&mut self.core, driver => driver.push(event, sink))
        };
        self.guard(result)
    }

    #[inline(never)]
    fn push_in_order(&mut self, event: E, sink: &mut impl Sink<E>) -> Result<(), Error> {
        let Some(reorder) = &mut self.reorder else { return Ok(()) };
        match reorder.push(event)? {
            Offered::Late(event) => each!(&mut self.core, driver => driver.late(event, sink)),
            Offered::Now(event) => each!(&mut self.core, driver => driver.push(event, sink))?,
            Offered::Waits => {}
        }
        self.release(sink)
    }

    /// Processes the events that need not wait any more.
    fn release(&mut self, sink: &mut impl Sink<E>) -> Result<(), Error> {
        let Some(reorder) = &mut self.reorder else { return Ok(()) };
        each!(&mut self.core, driver => {
            while let Some(event) = reorder.next() {
                driver.push(event, sink)?;
            }
        });
        Ok(())
    }

    /// Counts an event that another engine sees to. Not older than the watermark.
    #[cfg(feature = "parallel")]
    pub(crate) fn pass_over(&mut self, time: i64, sink: &mut impl Sink<E>) -> Result<(), Error> {
        if self.condition != Condition::Open {
            return Err(self.unusable());
        }
        let result = each!(&mut self.core, driver => driver.pass_over(time, sink));
        self.guard(result)
    }

    /// Lets the watermark advance: no event older than `time` will come. Windows pass, without any
    /// event. A watermark never goes back; an older time does nothing.
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push).
    pub fn advance_watermark(&mut self, time: i64, sink: &mut impl Sink<E>) -> Result<(), Error> {
        if self.condition != Condition::Open {
            return Err(self.unusable());
        }
        let mut result = Ok(());
        if let Some(reorder) = &mut self.reorder {
            if reorder.watermark() > Some(time) {
                return Ok(());
            }
            reorder.advance(time);
            result = self.release(sink);
        }
        let result =
            result.and_then(|()| each!(&mut self.core, driver => driver.advance(time, sink)));
        self.guard(result)
    }

    /// Ends the stream: no event waits any more. With [`EndOfInput::Max`](crate::EndOfInput::Max) all
    /// windows pass; by default nothing is concluded from silence.
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push).
    pub fn finish(&mut self, sink: &mut impl Sink<E>) -> Result<(), Error> {
        if self.condition != Condition::Open {
            return Err(self.unusable());
        }
        let mut result = Ok(());
        if let Some(reorder) = &mut self.reorder {
            reorder.end();
            result = self.release(sink);
        }
        let result = result.and_then(|()| each!(&mut self.core, driver => driver.finish(sink)));
        self.guard(result)?;
        self.condition = Condition::Finished;
        Ok(())
    }
}

/// A limit is exceeded.
fn over(what: &str, limit: Limit) -> Error {
    Error::new(ErrorKind::Limit, format!("there are more than {} {what}", limit.most))
        .with_hint("a window or a stricter condition bounds them; Limits sets bound and policy")
}
