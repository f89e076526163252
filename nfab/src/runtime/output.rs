//! Matches and timeouts, and where they go.

use std::ops::ControlFlow;

use super::evaluator::Taken;
use crate::event::{Event, Slot};
use crate::history::{EventIndex, EventStore};
use crate::value::ValueRef;

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

/// What the outputs of one cause have in common: what they lead to is not written for each.
#[derive(Debug)]
pub(crate) struct Scene<'a, E> {
    cause: Cause,
    /// Events with the numbers of their arrival, and the place of the first.
    events: &'a [(u64, E)],
    first: EventIndex,
    names: &'a [String],
    key: &'a [Slot],
}

impl<'a, E> Scene<'a, E> {
    pub(crate) fn new(
        cause: Cause,
        store: &'a EventStore<E>,
        names: &'a [String],
        key: &'a [Slot],
    ) -> Self {
        Scene { cause, events: store.all(), first: store.first(), names, key }
    }

    /// Events in a list of their own, where places count from 0.
    #[cfg(feature = "parallel")]
    pub(crate) fn owned(
        cause: Cause,
        events: &'a [(u64, E)],
        names: &'a [String],
        key: &'a [Slot],
    ) -> Self {
        Scene { cause, events, first: 0, names, key }
    }

    #[inline]
    pub(crate) fn found(&'a self, parts: &'a [Taken]) -> Match<'a, E> {
        Match { events: self.events(parts) }
    }

    pub(crate) fn timed_out(&'a self, parts: &'a [Taken], deadline: i64) -> TimedOut<'a, E> {
        TimedOut { deadline, events: self.events(parts) }
    }

    #[inline]
    fn events(&'a self, parts: &'a [Taken]) -> Events<'a, E> {
        Events { parts, scene: self }
    }

    /// The event at a place, with its number.
    #[inline]
    fn get(&self, at: EventIndex) -> &'a (u64, E) {
        &self.events[(at - self.first) as usize]
    }
}

/// The events of a match, complete or partial.
#[derive(Debug)]
pub struct Events<'a, E> {
    parts: &'a [Taken],
    scene: &'a Scene<'a, E>,
}

impl<'a, E> Events<'a, E> {
    /// The stages in turn.
    #[cfg(feature = "parallel")]
    pub(crate) fn stage_numbers(&self) -> impl Iterator<Item = u32> + use<'a, E> {
        self.parts.iter().map(|taken| taken.0)
    }

    /// The events with their stages, in the order in which they were taken.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &'a E)> + use<'a, E> {
        let Events { parts, scene } = *self;
        // By value, so that nobody looks there for each event.
        let Scene { names, events, first, .. } = *scene;
        parts.iter().map(move |&(stage, at)| {
            let event = &events[(at - first) as usize].1;
            // Whoever does not look at the names does not pay for them.
            (names.get(stage as usize).map_or("", String::as_str), event)
        })
    }

    /// The events of one stage; none if no stage has the name.
    pub fn stage(&self, name: &str) -> impl Iterator<Item = &'a E> + use<'a, E> {
        let Events { parts, scene } = *self;
        let wanted = scene.names.iter().position(|n| n == name).map(|n| n as u32);
        let of = move |part: &&Taken| Some(part.0) == wanted;
        parts.iter().filter(of).map(move |part| &scene.get(part.1).1)
    }

    /// The numbers of the events, counted from 0 over the events that were not late.
    pub fn numbers(&self) -> impl Iterator<Item = u64> + use<'a, E> {
        let Events { parts, scene } = *self;
        parts.iter().map(move |part| scene.get(part.1).0)
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
    events: Events<'a, E>,
}

impl<'a, E> Match<'a, E> {
    /// What brought it about.
    #[must_use]
    pub fn cause(&self) -> Cause {
        self.events.scene.cause
    }

    /// Its events.
    #[must_use]
    #[inline]
    pub fn events(&self) -> Events<'a, E> {
        self.events
    }

    /// The values of the partition key, as its first event has them; none without a key.
    pub fn key(&self) -> impl Iterator<Item = ValueRef<'a>> + use<'a, E>
    where
        E: Event,
    {
        let Events { parts, scene } = self.events;
        let first = &scene.get(parts[0].1).1;
        scene.key.iter().map(move |&slot| first.attribute(slot))
    }
}

/// A partial match whose window has passed.
#[derive(Debug)]
pub struct TimedOut<'a, E> {
    deadline: i64,
    events: Events<'a, E>,
}

impl<'a, E> TimedOut<'a, E> {
    /// What brought it about: [`Cause::Time`] or [`Cause::End`].
    #[must_use]
    pub fn cause(&self) -> Cause {
        self.events.scene.cause
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

    /// Whether the sink only wants to know how many matches there are. Where they can be counted
    /// without a look at each, [`counted`](Self::counted) is called instead of
    /// [`matched`](Self::matched); everywhere else `matched` is called all the same.
    fn only_counts(&self) -> bool {
        false
    }

    /// So many matches, one or more, all brought about by the same.
    fn counted(&mut self, _cause: Cause, _matches: u64) -> ControlFlow<()> {
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

    fn only_counts(&self) -> bool {
        (**self).only_counts()
    }

    fn counted(&mut self, cause: Cause, matches: u64) -> ControlFlow<()> {
        (**self).counted(cause, matches)
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

    fn only_counts(&self) -> bool {
        true
    }

    fn counted(&mut self, _: Cause, matches: u64) -> ControlFlow<()> {
        self.matches = self.matches.saturating_add(matches);
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

/// Hands the first matches to another sink and stops the output of each call when there were
/// enough. Timeouts and late events go through.
#[derive(Clone, Debug)]
pub struct First<S> {
    sink: S,
    left: u64,
}

impl<S> First<S> {
    /// The first match alone.
    #[must_use]
    pub fn new(sink: S) -> Self {
        Self::many(1, sink)
    }

    /// The first matches, as many as `most`.
    #[must_use]
    pub fn many(most: u64, sink: S) -> Self {
        First { sink, left: most }
    }

    /// Whether there were enough.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.left == 0
    }

    /// The sink inside.
    #[must_use]
    pub fn into_inner(self) -> S {
        self.sink
    }
}

impl<E, S: Sink<E>> Sink<E> for First<S> {
    fn matched(&mut self, found: &Match<'_, E>) -> ControlFlow<()> {
        if self.left == 0 {
            return ControlFlow::Break(());
        }
        self.left -= 1;
        self.sink.matched(found)?;
        if self.left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn timed_out(&mut self, partial: &TimedOut<'_, E>) -> ControlFlow<()> {
        self.sink.timed_out(partial)
    }

    fn late(&mut self, event: E) {
        self.sink.late(event);
    }
}
