//! nfab itself on a workload, in this process.

use std::ops::ControlFlow;
use std::sync::Arc;

use nfab::{Automaton, Config, Engine, Events, Match, Sink, TimedOut};

use super::workload::{Tick, Workload, schema};
use super::{Answer, Round, Runner, repeated};
use crate::error::{Error, Result};

/// Runs nfab on a workload.
#[derive(Debug)]
pub struct Own<'a> {
    automaton: Arc<Automaton>,
    config: Config,
    ticks: &'a [Tick],
    repeats: u32,
}

impl<'a> Own<'a> {
    /// Compiles the pattern.
    pub fn new(workload: &Workload, ticks: &'a [Tick]) -> Result<Self> {
        let automaton = (workload.pattern().build())
            .and_then(|pattern| Automaton::compile(&pattern, &schema()))
            .map_err(|error| Error::failed(error.to_string()).within(workload.name))?;
        Ok(Self {
            automaton: Arc::new(automaton),
            config: Config::new().timeouts(workload.timeouts),
            ticks,
            repeats: 1,
        })
    }

    fn once(&self) -> Result<Answer, nfab::Error> {
        let mut sink = Digest::default();
        let mut engine = Engine::with_config(Arc::clone(&self.automaton), self.config);
        for tick in self.ticks {
            engine.push(*tick, &mut sink)?;
        }
        Ok(sink.answer)
    }
}

impl Runner for Own<'_> {
    fn name(&self) -> &str {
        "nfab"
    }

    fn round(&mut self) -> Result<Round> {
        let mut repeats = self.repeats;
        let once =
            |(): &mut ()| self.once().map_err(|error| Error::failed(format!("nfab: {error}")));
        let round = repeated(&mut repeats, || (), once);
        self.repeats = repeats;
        round
    }
}

/// Reads every event of every match, as the peers do that hand them out as lists.
#[derive(Default)]
struct Digest {
    answer: Answer,
}

impl Sink<Tick> for Digest {
    fn matched(&mut self, found: &Match<'_, Tick>) -> ControlFlow<()> {
        self.answer.matches += 1;
        self.answer.digest = self.answer.digest.wrapping_add(digest(found.events()));
        ControlFlow::Continue(())
    }

    fn timed_out(&mut self, _: &TimedOut<'_, Tick>) -> ControlFlow<()> {
        self.answer.timeouts += 1;
        ControlFlow::Continue(())
    }
}

/// Depends on the events of a match and their order; the peers compute the same.
fn digest(events: Events<'_, Tick>) -> u64 {
    let mix = |hash: u64, event: &Tick| {
        hash.wrapping_add(event.number).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    let hash = events.iter().fold(0, |hash, (_, event)| mix(hash, event));
    hash ^ (hash >> 29)
}
