//! Matches and timeouts, and where they go.

use std::ops::ControlFlow;

use crate::history::{EventIndex, EventStore};

/// What brought an output about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// An event was processed; its number, counted from 0 over the events that were not late.
    Event(u64),
    /// The watermark advanced to a time, on its own or before an event of that time.
    Time(i64),
    /// The stream ended.
    End,
}

/// The events of a match, complete or partial.
#[derive(Debug)]
pub struct Events<'a, E> {
    pub(super) parts: &'a [(u32, EventIndex)],
    pub(super) store: &'a EventStore<E>,
    pub(super) names: &'a [String],
}

impl<'a, E> Events<'a, E> {
    /// The events with their stages, in the order in which they were taken.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &'a E)> + use<'a, E> {
        let Events { parts, store, names } = *self;
        parts.iter().map(move |&(stage, at)| (names[stage as usize].as_str(), store.get(at)))
    }

    /// The events of one stage.
    pub fn stage(&self, name: &str) -> impl Iterator<Item = &'a E> + use<'a, E> {
        let wanted = self.names.iter().position(|n| n == name).map(|n| n as u32);
        let Events { parts, store, .. } = *self;
        (parts.iter()).filter(move |part| Some(part.0) == wanted).map(move |part| store.get(part.1))
    }

    /// The numbers of the events, counted from 0 over the events that were not late.
    pub fn numbers(&self) -> impl Iterator<Item = u64> + use<'a, E> {
        let Events { parts, store, .. } = *self;
        parts.iter().map(move |part| store.arrival(part.1))
    }

    /// How many events there are; at least one.
    #[allow(clippy::len_without_is_empty)]
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.len()
    }
}

/// A match.
#[derive(Debug)]
pub struct Match<'a, E> {
    pub(super) cause: Cause,
    pub(super) events: Events<'a, E>,
}

impl<'a, E> Match<'a, E> {
    /// What brought it about.
    #[must_use]
    pub fn cause(&self) -> Cause {
        self.cause
    }

    /// Its events.
    #[must_use]
    pub fn events(&self) -> Events<'a, E> {
        self.events
    }
}

/// A partial match whose window has passed.
#[derive(Debug)]
pub struct TimedOut<'a, E> {
    pub(super) cause: Cause,
    pub(super) deadline: i64,
    pub(super) events: Events<'a, E>,
}

impl<'a, E> TimedOut<'a, E> {
    /// What brought it about: [`Cause::Time`] or [`Cause::End`].
    #[must_use]
    pub fn cause(&self) -> Cause {
        self.cause
    }

    /// The first time that is outside of its window.
    #[must_use]
    pub fn deadline(&self) -> i64 {
        self.deadline
    }

    /// Its events.
    #[must_use]
    pub fn events(&self) -> Events<'a, E> {
        self.events
    }
}

macro_rules! copies {
    ($($name:ident),*) => {$(
        impl<E> Clone for $name<'_, E> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<E> Copy for $name<'_, E> {}
    )*};
}

copies!(Events, Match, TimedOut);

/// Where an engine sends its output. `Break` ends the output of the current call; what it leaves
/// out is counted in [`Stats::undelivered`](crate::Stats::undelivered).
pub trait Sink<E> {
    /// A match.
    fn matched(&mut self, found: &Match<'_, E>) -> ControlFlow<()>;

    /// A partial match whose window has passed. Only called with
    /// [`Config::timeouts`](crate::Config::timeouts).
    fn timed_out(&mut self, _partial: &TimedOut<'_, E>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// An event that is older than the watermark.
    fn late(&mut self, _event: E) {}
}

impl<E, S: Sink<E> + ?Sized> Sink<E> for &mut S {
    fn matched(&mut self, found: &Match<'_, E>) -> ControlFlow<()> {
        (**self).matched(found)
    }

    fn timed_out(&mut self, partial: &TimedOut<'_, E>) -> ControlFlow<()> {
        (**self).timed_out(partial)
    }

    fn late(&mut self, event: E) {
        (**self).late(event);
    }
}

/// Counts matches, timeouts and late events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Matches.
    pub matches: u64,
    /// Partial matches whose window has passed.
    pub timed_out: u64,
    /// Events that came too late.
    pub late: u64,
}

impl<E> Sink<E> for Count {
    fn matched(&mut self, _: &Match<'_, E>) -> ControlFlow<()> {
        self.matches += 1;
        ControlFlow::Continue(())
    }

    fn timed_out(&mut self, _: &TimedOut<'_, E>) -> ControlFlow<()> {
        self.timed_out += 1;
        ControlFlow::Continue(())
    }

    fn late(&mut self, _: E) {
        self.late += 1;
    }
}

/// Calls a closure with each match.
#[derive(Clone, Debug)]
pub struct Visit<F>(pub F);

impl<E, F: FnMut(&Match<'_, E>) -> ControlFlow<()>> Sink<E> for Visit<F> {
    fn matched(&mut self, found: &Match<'_, E>) -> ControlFlow<()> {
        (self.0)(found)
    }
}
