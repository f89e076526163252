//! Events of streams with keys, where nothing comes out when a window passes and nobody minds events of
//! other partitions: most need less than to be shown.

use super::Driver;
use crate::error::Error;
use crate::event::Event;
use crate::runtime::evaluator::{Arrival, Evaluator, Glance};
use crate::runtime::key::Key;
use crate::runtime::output::Sink;
use crate::runtime::partitions::Found;

impl<E: Event, V: Evaluator<E>> Driver<E, V> {
    /// Processes an event that is not late, in a stream with keys that is calm.
    #[inline]
    pub(super) fn push_keyed(
        &mut self,
        event: E,
        time: i64,
        sink: &mut impl Sink<E>,
    ) -> Result<(), Error> {
        let number = self.stats.events;
        self.stats.events += 1;
        self.watermark = Some(time);
        let Some(kinds) = &self.calm else { return Ok(()) };
        let kind = kinds.kind(event.event_type());
        if !kinds.matters(kind) {
            let has_key = Key::is_in(&event, &self.automaton.program.key);
            self.stats.without_key += u64::from(!has_key);
            return Ok(());
        }
        let begins = kinds.begins(kind);
        let window = self.automaton.program.window;
        self.horizon = window.horizon(number, time);
        if self.clocks.first().is_some_and(|clock| clock.is_due(self.horizon, time)) {
            self.ring(time)?;
        }
        let key = self.automaton.program.key.as_slice();
        let evaluator = &mut self.evaluator;
        self.partitions.give_up(|part| evaluator.clear(part));
        let at = match self.partitions.find(&event, key) {
            Some(Found::At(at)) => at,
            Some(Found::New(_)) if !begins => return Ok(()),
            Some(found) => self.partitions.place(found, || evaluator.part()),
            None => {
                self.stats.without_key += 1;
                return Ok(());
            }
        };
        let arrival = Arrival { event: &event, number, time, place: self.store.next() };
        let part = &mut self.partitions.at(at).part;
        let glance = evaluator.glance_keyed(part, &arrival, self.horizon, &mut self.stats);
        if glance == Glance::Show {
            self.begin_call();
            self.facts.next_event();
            return self.show(Ok(()), event, (number, time, at), sink);
        }
        let holds = !evaluator.is_empty(part);
        if !self.partitions.is_noted(at, holds) {
            self.partitions.settle(at, holds, &event, key);
        }
        if glance == Glance::Nothing {
            return Ok(());
        }
        if !self.partitions.at(at).alarm {
            self.note(at, true, true, number, time);
        }
        self.store.push(number, window.key(number, time), event);
        self.bound(at)
    }
}
