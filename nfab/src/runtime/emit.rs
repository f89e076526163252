//! Putting output in order and handing it to the sink.

use super::output::{Events, Match, TimedOut};
use super::{Cause, Engine, Run, Sink, Tail};
use crate::event::Event;
use crate::history::{EventIndex, History};

/// The events of an output. Places of events are ordered as the events arrived, so the order of
/// two lists of them is the order of the output.
type Parts = Vec<(EventIndex, u32)>;

impl<E: Event> Engine<E> {
    fn parts(&self, run: &Run<Tail>, buffer: &mut Vec<(u32, EventIndex)>) -> Parts {
        self.history.events(&run.tail, buffer);
        buffer.iter().map(|&(stage, at)| (at, stage)).collect()
    }

    fn events<'a>(
        &'a self,
        parts: &[(EventIndex, u32)],
        buffer: &'a mut Vec<(u32, EventIndex)>,
    ) -> Events<'a, E> {
        buffer.clear();
        buffer.extend(parts.iter().map(|&(at, stage)| (stage, at)));
        Events { parts: buffer, store: &self.store, names: &self.automaton.stages }
    }

    /// Reports matches. Gives whether the sink wants more.
    pub(super) fn emit(
        &mut self,
        complete: Vec<Run<Tail>>,
        cause: Cause,
        sink: &mut impl Sink<E>,
    ) -> bool {
        let mut buffer = Vec::new();
        let mut all: Vec<Parts> = complete.iter().map(|r| self.parts(r, &mut buffer)).collect();
        all.sort_unstable();
        all.dedup();
        for (done, parts) in all.iter().enumerate() {
            let events = self.events(parts, &mut buffer);
            let found = Match { cause, events };
            let flow = sink.matched(&found);
            self.stats.matches += 1;
            if flow.is_break() {
                self.stats.undelivered += (all.len() - done - 1) as u64;
                return false;
            }
        }
        true
    }

    /// Reports partial matches whose window has passed, each once.
    pub(super) fn emit_timeouts(
        &mut self,
        runs: Vec<(i64, Run<Tail>)>,
        cause: Cause,
        go_on: bool,
        sink: &mut impl Sink<E>,
    ) {
        let mut buffer = Vec::new();
        let mut all: Vec<(Parts, i64)> =
            runs.iter().map(|(deadline, r)| (self.parts(r, &mut buffer), *deadline)).collect();
        all.sort_unstable();
        all.dedup();
        let mut go_on = go_on;
        for (parts, deadline) in &all {
            if !go_on {
                self.stats.undelivered += 1;
                continue;
            }
            let events = self.events(parts, &mut buffer);
            go_on = sink.timed_out(&TimedOut { cause, deadline: *deadline, events }).is_continue();
        }
    }
}
