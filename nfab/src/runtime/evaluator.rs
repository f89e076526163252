//! What an evaluation is to the engine: the partial matches of a partition, however they are kept.

use std::ops::ControlFlow;

use super::context::Context;
use crate::error::Error;
use crate::event::Event;
use crate::history::{EventIndex, Marks, Moved};
use crate::limits::Policy;
use crate::nfa::Automaton;
use crate::nfa::program::Window;
use crate::stats::Stats;

/// The event being processed.
#[derive(Debug)]
pub(crate) struct Arrival<'a, E> {
    pub(crate) event: &'a E,
    /// Its number, counted from 0 over the events that were not late.
    pub(crate) number: u64,
    pub(crate) time: i64,
    /// Its place; it is given up if the event is not kept.
    pub(crate) place: EventIndex,
}

/// An event of a match: its stage and its place.
pub(crate) type Taken = (u32, EventIndex);

/// What a window measures of the first event of a match: its time, or its number. Keys of later
/// events are not less.
pub(crate) type Key = i64;

impl Window {
    /// The key of an event.
    pub(crate) fn key(&self, number: u64, time: i64) -> Key {
        match self {
            Window::Events(_) => number as i64,
            Window::Time { .. } | Window::None => time,
        }
    }

    /// The least key of a first event that is still in the window at an event or, if the window is
    /// one of time, at a watermark.
    pub(crate) fn horizon(&self, number: u64, time: i64) -> Key {
        match *self {
            Window::None => i64::MIN,
            Window::Events(most) => {
                let oldest = i128::from(number) - i128::from(most) + 1;
                oldest.max(i128::from(i64::MIN)) as i64
            }
            Window::Time { length, inclusive } => oldest_time(length, inclusive, time),
        }
    }
}

/// The least time from which less than a length, or no more if inclusive, has passed until now.
pub(crate) fn oldest_time(length: i64, inclusive: bool, now: i64) -> i64 {
    let oldest = i128::from(now) - i128::from(length) + i128::from(!inclusive);
    oldest.max(i128::from(i64::MIN)) as i64
}

/// What comes of an event, as far as that is known without showing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Glance {
    /// It need not be shown, and nobody keeps it.
    Nothing,
    /// It need not be shown; it has been taken in and is to be kept at its place.
    Keeps,
    /// It is to be shown, next.
    Show,
}

/// One way to evaluate a program, for all partitions of a stream. What they share lies in the
/// evaluator, what each has of its own in a part.
///
/// An evaluator need not support everything: `evaluate::choose` says when it is used.
pub(crate) trait Evaluator<E: Event> {
    /// What one partition holds.
    type Part;

    /// A partition without partial matches.
    fn part(&self) -> Self::Part;

    /// Nothing is held: once what waits there has been handed out, the part is as good as a new one.
    fn is_empty(&self, part: &Self::Part) -> bool;

    /// Makes a part that holds nothing a new one.
    fn clear(&mut self, part: &mut Self::Part) {
        *part = self.part();
    }

    /// Whether an event surely changes nothing in the part of a stream without keys: then it need not
    /// be shown. If it is shown, that comes next.
    fn passes_over(&mut self, _part: &Self::Part, _event: &E) -> bool {
        false
    }

    /// What comes of an event in the part of a stream without keys. Its place is the next one.
    #[inline]
    fn glance(
        &mut self,
        part: &mut Self::Part,
        arrival: &Arrival<'_, E>,
        _stats: &mut Stats,
    ) -> Glance {
        if self.passes_over(part, arrival.event) { Glance::Nothing } else { Glance::Show }
    }

    /// The same for one of several parts.
    #[inline]
    fn glance_keyed(
        &mut self,
        _part: &mut Self::Part,
        _arrival: &Arrival<'_, E>,
        _horizon: Key,
        _stats: &mut Stats,
    ) -> Glance {
        Glance::Show
    }

    /// Shows an event of the partition to all its partial matches, and lets one start. Matches that
    /// the event completes go to `cx.out`, in any order, each perhaps several times; or they stay
    /// in the part, to be enumerated until the next call. Gives whether the event is to be kept.
    fn show(
        &mut self,
        part: &mut Self::Part,
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> Result<bool, Error>;

    /// The event is the next one of the stream after one of this partition, and is not of it (S3).
    /// Called only if some [`foreign`](crate::nfa::program::Wait::foreign) leads elsewhere. What is
    /// complete goes to `cx.out`.
    fn foreign(&mut self, _part: &mut Self::Part, _cx: &mut Context<'_, E>) -> Result<(), Error> {
        Ok(())
    }

    /// Matches that come out when a window passes are handed out by [`release`](Self::release).
    fn releases(&self) -> bool {
        false
    }

    /// Whether [`release`](Self::release) and [`expire`](Self::expire) do anything for a horizon.
    fn passes(&self, _part: &Self::Part, _horizon: Key) -> bool {
        true
    }

    /// Gets the matches ready that come out as the window passes of the partial matches that started
    /// before the horizon, or of all without one: they wait in the part, to be counted or
    /// enumerated. Gives whether there are some. To be called before [`expire`](Self::expire).
    fn release(&mut self, _part: &mut Self::Part, _horizon: Option<Key>) -> bool {
        false
    }

    /// Of the matches that were released only those with the next first event behind a place are
    /// ready from now on. Gives that event; `None` if there is no other.
    fn narrow(
        &mut self,
        _part: &mut Self::Part,
        _horizon: Option<Key>,
        _after: Option<EventIndex>,
    ) -> Option<EventIndex> {
        None
    }

    /// Partial matches that started before `cx.horizon` have ended, those of a wait with a gap also
    /// after `cx.now`; at the end of the stream all have. Matches and timeouts that this brings
    /// about go to `cx.out`. Called promptly only if [`prompt`](Self::prompt) says so; `show` sees
    /// to the exactness of windows on its own.
    fn expire(&mut self, part: &mut Self::Part, cx: &mut Context<'_, E>) -> Result<(), Error>;

    /// Whether something comes out when a window passes, so that `expire` must be called at once.
    fn prompt(&self) -> bool {
        false
    }

    /// Whether matches wait in the part to be counted or enumerated.
    fn has_matches(&self, _part: &Self::Part) -> bool {
        false
    }

    /// How many matches wait in the part, each counted once; `u64::MAX` for so many or more; `None`
    /// if this has to be found by `enumerate`. For a sink that wants no events: a part whose matches
    /// are only ever counted takes a cheaper way.
    fn count(&mut self, _part: &mut Self::Part) -> Option<u64> {
        Some(0)
    }

    /// Visits the matches that wait in the part: by the numbers of their events in turn, then by
    /// their stages; each once. The event just shown is at its place.
    fn enumerate(
        &mut self,
        _part: &mut Self::Part,
        _visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// The partial matches of a part whose window has not passed; those that are kept as one count
    /// as one.
    fn runs(
        &self,
        _part: &Self::Part,
        _horizon: Key,
        _now: Option<i64>,
        _automaton: &Automaton,
    ) -> usize {
        0
    }

    /// The partial matches of a part whose window has passed and that were not counted as timeouts
    /// yet, but will be.
    fn unnoticed(
        &self,
        _part: &Self::Part,
        _horizon: Key,
        _now: Option<i64>,
        _automaton: &Automaton,
    ) -> usize {
        0
    }

    /// The partial matches of all parts, those included that have ended and still lie about.
    fn all_runs(&self) -> usize {
        0
    }

    /// The matches of all parts that are held back behind earlier partial matches.
    fn held(&self) -> usize {
        0
    }

    /// Drops so many partial matches, those that started first or last. Called if `all_runs` exceeds
    /// a limit.
    fn shed<'p>(
        &mut self,
        _parts: &mut dyn Iterator<Item = &'p mut Self::Part>,
        _count: usize,
        _policy: Policy,
    ) where
        Self::Part: 'p,
    {
    }

    /// What [`Limits::history`](crate::Limits::history) bounds, garbage included.
    fn cells(&self) -> usize;

    /// Of the cells those that hold an event; the versioned buffer has several for one.
    fn entries(&self) -> usize {
        self.cells()
    }

    /// Bytes of the structures that `cells` counts.
    fn bytes(&self) -> usize;

    /// The most cells that it can address.
    fn capacity(&self) -> usize {
        usize::MAX
    }

    /// Whether events before the horizon are not used any more, so that they may go without
    /// [`collect`](Self::collect).
    fn forgets(&self) -> bool {
        true
    }

    /// The place of the first event that is still used, if that is known at once; `next` is the place
    /// of the next one.
    fn needs(&self, _next: EventIndex) -> Option<EventIndex> {
        None
    }

    /// The first events of all partial matches have keys at or after the horizon: what is older
    /// may go, where that is cheap. Events that are older go likewise. Called often.
    fn forget(&mut self, _horizon: Key) {}

    /// Drops garbage and what is outside of its window, and marks the events that are left.
    /// Called when about as many cells or stored events have been added as were left the last time.
    fn collect<'p>(
        &mut self,
        parts: &mut dyn Iterator<Item = &'p mut Self::Part>,
        cx: &mut Context<'_, E>,
        used: &mut Marks,
    ) where
        Self::Part: 'p;

    /// The events have moved; called after [`collect`](Self::collect).
    fn renumber<'p>(&mut self, parts: &mut dyn Iterator<Item = &'p mut Self::Part>, moved: &Moved)
    where
        Self::Part: 'p;
}
