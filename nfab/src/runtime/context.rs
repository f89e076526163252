//! What an evaluation is given with each call.

use super::emit::Output;
use super::evaluator::{Arrival, Key};
use crate::config::Config;
use crate::event::Event;
use crate::history::{EventIndex, EventStore};
use crate::nfa::Automaton;
use crate::predicate::evaluate::{self, Faults};
use crate::stats::Stats;

/// What is at hand while an event is shown or a window passes.
pub(crate) struct Context<'a, E> {
    pub(crate) automaton: &'a Automaton,
    pub(crate) config: &'a Config,
    pub(crate) facts: &'a mut Facts,
    pub(crate) faults: &'a Faults,
    /// The events that are kept, and the one being shown.
    pub(crate) store: &'a EventStore<E>,
    /// The least key of a first event that is still in the window.
    pub(crate) horizon: Key,
    /// The time that the stream has reached; `None` at its end, when all windows have passed.
    pub(crate) now: Option<i64>,
    /// The same, also at the end.
    pub(crate) watermark: Option<i64>,
    /// To be set where something may happen in this partition as soon as time advances.
    pub(crate) recheck: bool,
    pub(crate) out: &'a mut Output,
    pub(crate) stats: &'a mut Stats,
}

impl<E: Event> Context<'_, E> {
    /// Whether a condition on the event alone holds.
    #[inline]
    pub(crate) fn holds(&mut self, condition: u32, arrival: &Arrival<'_, E>) -> bool {
        self.facts.holds(condition, arrival.event, self.automaton, self.faults)
    }
}

impl<'a, E: Event> Context<'a, E> {
    /// An event that is kept, or the one being shown.
    pub(crate) fn event<'b>(&self, at: EventIndex, arrival: Option<&Arrival<'b, E>>) -> &'b E
    where
        'a: 'b,
    {
        match arrival {
            Some(arrival) if arrival.place == at => arrival.event,
            _ => self.store.get(at),
        }
    }

    /// Its time.
    pub(crate) fn time(&self, at: EventIndex, arrival: Option<&Arrival<'_, E>>) -> i64 {
        self.event(at, arrival).time()
    }
}

impl<E> Context<'_, E> {
    /// The number of an event that is kept, or of the one being shown.
    pub(crate) fn number(&self, at: EventIndex) -> u64 {
        self.store.arrival(at)
    }
}

/// Which conditions on the event alone hold for the event at hand, each evaluated when it is first
/// asked for.
#[derive(Debug)]
pub(crate) struct Facts {
    /// For each condition the event for which it is known, and in the lowest bit what is known.
    known: Vec<u64>,
    event: u64,
}

impl Facts {
    pub(crate) fn new(automaton: &Automaton) -> Self {
        Facts { known: vec![0; automaton.conditions.len()], event: 0 }
    }

    /// Another event is at hand.
    #[inline]
    pub(crate) fn next_event(&mut self) {
        self.event += 2;
    }

    #[inline]
    pub(crate) fn holds<E: Event>(
        &mut self,
        condition: u32,
        event: &E,
        automaton: &Automaton,
        faults: &Faults,
    ) -> bool {
        let known = &mut self.known[condition as usize];
        if *known & !1 != self.event {
            let at = evaluate::Context { event, registers: &[], faults };
            let test = &automaton.conditions[condition as usize].test;
            *known = self.event | u64::from(test.evaluate(at).holds());
        }
        *known & 1 == 1
    }
}
