//! Interpreted runs in snapshots.

use super::queue::Queue;
use super::{Interpreter, Part, Run};
use crate::error::Error;
use crate::event::Event;
use crate::history::EventIndex;
use crate::history::save::Saved;
use crate::runtime::save::Save;
use crate::snapshot::{Loading, Stretch, corrupt, state};

impl<H: Saved> Interpreter<H> {
    fn save_runs(&self, runs: &Queue) -> Vec<state::Interpreted> {
        let run = |run: &Run| state::Interpreted {
            state: run.state,
            tail: run.has_started().then(|| self.history.number(run.tail)),
            registers: run.registers.as_deref().unwrap_or_default().to_vec(),
        };
        runs.iter().map(run).collect()
    }

    fn load_runs(
        &self,
        saved: Vec<state::Interpreted>,
        loading: &Loading<'_>,
    ) -> Result<Queue, Error> {
        let mut runs = Vec::with_capacity(saved.len());
        for state::Interpreted { state, tail, registers } in saved {
            if state as usize >= loading.automaton.states.len() {
                return Err(corrupt("a partial match waits for nothing"));
            }
            let Some(tail) = tail else {
                runs.push(Run::not_started(state));
                continue;
            };
            let Stretch { tail, first, last, length } = loading.stretch(tail)?;
            loading.registers(&registers)?;
            runs.push(Run {
                state,
                tail,
                start: loading.number(first),
                start_time: loading.time(first),
                last_time: loading.time(last),
                length: length as usize,
                registers: (!registers.is_empty()).then(|| registers.into()),
            });
        }
        Ok(Queue::lying(runs))
    }
}

impl<E: Event, H: Saved> Save<E> for Interpreter<H> {
    fn save(&self, first: EventIndex) -> state::History {
        self.history.save(first)
    }

    fn save_part(&self, part: &Part, _first: EventIndex) -> state::Part {
        let (runs, held) = (self.save_runs(&part.runs), self.save_runs(&part.held));
        state::Part::Interpreter { runs, held }
    }

    fn load(
        &mut self,
        saved: state::History,
        loading: &Loading<'_>,
    ) -> Result<Vec<Stretch>, Error> {
        self.history.load(saved, loading)
    }

    fn load_part(&mut self, saved: state::Part, loading: &Loading<'_>) -> Result<Part, Error> {
        let state::Part::Interpreter { runs, held } = saved else {
            return Err(corrupt("a partition is of another evaluation"));
        };
        let (runs, held) = (self.load_runs(runs, loading)?, self.load_runs(held, loading)?);
        let not_started = |queue: &Queue| queue.iter().filter(|run| !run.has_started()).count();
        if not_started(&runs) != 1 || not_started(&held) != 0 {
            return Err(corrupt("one run of a partition has not started"));
        }
        self.alive += runs.len() - 1;
        self.held += held.len();
        Ok(Part { runs, held })
    }
}
