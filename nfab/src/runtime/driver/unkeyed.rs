//! Events of streams without keys that are not late: the short ways.

use super::Driver;
use crate::error::Error;
use crate::event::Event;
use crate::nfa::program::Window;
use crate::runtime::evaluator::{Arrival, Evaluator, Glance};
use crate::runtime::output::{Cause, Sink};

impl<E: Event, V: Evaluator<E>> Driver<E, V> {
    /// Processes an event of a stream that is quiet: of most events in most streams nothing comes but
    /// that time advances.
    #[inline(always)]
    pub(super) fn push_quiet(
        &mut self,
        event: E,
        time: i64,
        sink: &mut impl Sink<E>,
    ) -> Result<(), Error> {
        match self.glance(&event, self.stats.events, time) {
            Glance::Nothing => {
                self.watermark = Some(time);
                self.stats.events += 1;
                Ok(())
            }
            Glance::Keeps => self.keep(event, time),
            Glance::Show => self.show_now(event, time, sink),
        }
    }

    /// What comes of an event in a stream without keys, as far as that is known without showing it.
    #[inline(always)]
    pub(super) fn glance(&mut self, event: &E, number: u64, time: i64) -> Glance {
        let arrival = Arrival { event, number, time, place: self.store.next() };
        match self.evaluator.glance(self.partitions.first(), &arrival, &mut self.stats) {
            Glance::Show if self.is_idle(event) => Glance::Nothing,
            glance => glance,
        }
    }

    /// Keeps an event that was taken in at a glance.
    #[inline(never)]
    fn keep(&mut self, event: E, time: i64) -> Result<(), Error> {
        let number = self.begin_event(time);
        self.idle = false;
        self.store.push(number, self.automaton.program.window.key(number, time), event);
        self.bound(0)
    }

    /// Shows an event.
    #[inline(never)]
    fn show_now(&mut self, event: E, time: i64, sink: &mut impl Sink<E>) -> Result<(), Error> {
        let number = self.begin_event(time);
        self.begin_call();
        self.facts.next_event();
        self.show(Ok(()), event, (number, time, 0), sink)
    }

    /// Processes an event that is not late in a stream without keys where matches wait for windows.
    #[inline(never)]
    pub(super) fn push_waiting(
        &mut self,
        event: E,
        time: i64,
        sink: &mut impl Sink<E>,
    ) -> Result<(), Error> {
        let window = self.automaton.program.window;
        if let Window::Time { .. } = window {
            self.advance(time, sink)?;
        }
        let number = self.begin_event(time);
        self.begin_call();
        if let Window::Events(_) = window {
            self.pass_first(time, Cause::Event(number), sink)?;
        }
        if self.glance(&event, number, time) == Glance::Nothing {
            return Ok(());
        }
        self.facts.next_event();
        self.show(Ok(()), event, (number, time, 0), sink)
    }

    /// In a stream without keys where matches wait for windows, windows pass.
    #[inline]
    pub(super) fn pass_first(
        &mut self,
        time: i64,
        cause: Cause,
        sink: &mut impl Sink<E>,
    ) -> Result<(), Error> {
        let part = self.partitions.first();
        if !self.evaluator.passes(part, self.horizon) {
            return Ok(());
        }
        let ready = self.evaluator.release(part, Some(self.horizon));
        let result = if ready { self.enumerate(0, cause, sink) } else { Ok(()) };
        result.and(self.passed(0, Some(time)))
    }

    /// An event is processed, and nothing comes of it that time advances. Gives its number.
    #[inline(always)]
    fn begin_event(&mut self, time: i64) -> u64 {
        let number = self.stats.events;
        self.stats.events += 1;
        self.watermark = Some(time);
        self.horizon = self.automaton.program.window.horizon(number, time);
        number
    }
}
