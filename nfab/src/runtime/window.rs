//! Windows: what the passing of time does to runs.

use super::queue::Queue;
use super::{Cause, Engine, Run, Sink, Tail};
use crate::error::Error;
use crate::event::Event;
use crate::nfa::{State, StateKind};

/// Whether the window of length `window` from `start` has passed; at `None` every window has. The
/// difference of two times may exceed 64 bits.
fn has_passed(start: i64, window: i64, now: Option<i64>) -> bool {
    now.is_none_or(|now| i128::from(now) - i128::from(start) >= i128::from(window))
}

impl<E: Event> Engine<E> {
    fn state(&self, run: &Run<Tail>) -> &State {
        &self.automaton.states[run.state as usize]
    }

    /// When the run's window ended, if it has.
    fn passed(&self, run: &Run<Tail>, now: Option<i64>) -> Option<i64> {
        if !run.has_started() {
            return None;
        }
        let gap = self.state(run).gap;
        let gap = gap.filter(|&window| has_passed(run.last_time, window, now));
        if let Some(window) = gap {
            return Some(run.last_time.saturating_add(window));
        }
        let whole = self.automaton.within;
        let whole = whole.filter(|&window| has_passed(run.start_time, window, now));
        whole.map(|window| run.start_time.saturating_add(window))
    }

    /// Ends the runs whose window has passed; `None` is the end of the stream.
    pub(super) fn pass_windows(
        &mut self,
        now: Option<i64>,
        sink: &mut impl Sink<E>,
    ) -> Result<(), Error> {
        let cause = now.map_or(Cause::End, Cause::Time);
        let mut complete = Vec::new();
        let mut timed_out = Vec::new();
        if self.automaton.is_windowed() {
            let mut runs = std::mem::replace(&mut self.runs, Queue::new());
            for run in runs.drain() {
                match self.passed(&run, now) {
                    None => self.runs.push(run),
                    Some(_) if self.state(&run).kind == StateKind::Pending => complete.push(run),
                    Some(deadline) => timed_out.push((deadline, run)),
                }
            }
        }
        self.stats.timed_out += timed_out.len() as u64;
        let go_on = self.conclude(complete, cause, sink)?;
        if self.config.timeouts {
            self.emit_timeouts(timed_out, cause, go_on, sink);
        }
        Ok(())
    }
}
