//! A worker: an engine that sees to some of the partitions.

use std::ops::ControlFlow;
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender};

use crate::config::Config;
use crate::error::Error;
use crate::event::Event;
use crate::history::EventIndex;
use crate::nfa::Automaton;
use crate::runtime::evaluator::Taken;
use crate::runtime::{Engine, Events};
use crate::stats::Stats;
use crate::{Cause, Match, Sink, TimedOut};

/// Something that happens in the stream.
#[derive(Debug)]
pub(super) enum Step<E> {
    /// An event, and whose it is.
    Event(Arc<E>, u32),
    Watermark(i64),
    Finish,
}

/// Steps, the first of which has a number.
#[derive(Debug)]
pub(super) struct Batch<E> {
    pub(super) first: u64,
    pub(super) steps: Vec<Step<E>>,
    /// The sink wants to know how many matches there are, and no more.
    pub(super) only_counts: bool,
}

/// What an output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Match,
    /// Matches that were only counted.
    Counted(u64),
    /// With its deadline.
    TimedOut(i64),
}

/// An output of a worker; its events lie in the reply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Out {
    pub(super) step: u64,
    pub(super) cause: Cause,
    pub(super) kind: Kind,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// What came of a batch.
#[derive(Debug)]
pub(super) struct Reply<E> {
    pub(super) outputs: Vec<Out>,
    /// The events of the outputs: stages with places that count from the first event of the output.
    pub(super) taken: Vec<Taken>,
    /// The same with their numbers.
    pub(super) events: Vec<(u64, Arc<E>)>,
    /// The step at which the engine failed.
    pub(super) error: Option<(u64, Error)>,
    pub(super) stats: Stats,
}

pub(super) struct Worker<E: Event> {
    number: u32,
    engine: Engine<Arc<E>>,
}

impl<E: Event> Worker<E> {
    pub(super) fn new(number: usize, automaton: Arc<Automaton>, config: Config) -> Self {
        Worker { number: number as u32, engine: Engine::with_config(automaton, config) }
    }

    /// Answers every batch, until nobody is there any more.
    pub(super) fn work(mut self, tasks: &Receiver<Arc<Batch<E>>>, replies: &Sender<Reply<E>>) {
        for batch in tasks {
            if replies.send(self.answer(&batch)).is_err() {
                break;
            }
        }
    }

    fn answer(&mut self, batch: &Batch<E>) -> Reply<E> {
        let mut collect = Collect {
            step: batch.first,
            only_counts: batch.only_counts,
            outputs: Vec::new(),
            taken: Vec::new(),
            events: Vec::new(),
        };
        let mut error = None;
        for step in &batch.steps {
            let result = match step {
                Step::Event(event, of) if *of == self.number => {
                    self.engine.push(event.clone(), &mut collect)
                }
                Step::Event(event, _) => self.engine.pass_over(event.time(), &mut collect),
                Step::Watermark(time) => self.engine.advance_watermark(*time, &mut collect),
                Step::Finish => self.engine.finish(&mut collect),
            };
            if let Err(failure) = result {
                error = Some((collect.step, failure));
                break;
            }
            collect.step += 1;
        }
        let Collect { outputs, taken, events, .. } = collect;
        Reply { outputs, taken, events, error, stats: self.engine.stats() }
    }
}

/// Keeps everything.
struct Collect<E> {
    step: u64,
    only_counts: bool,
    outputs: Vec<Out>,
    taken: Vec<Taken>,
    events: Vec<(u64, Arc<E>)>,
}

impl<E> Collect<E> {
    fn add(&mut self, cause: Cause, kind: Kind, events: Option<Events<'_, Arc<E>>>) {
        let from = self.events.len();
        if let Some(events) = events {
            let stages = events.stage_numbers().zip(0..);
            self.taken.extend(stages.map(|(stage, at)| (stage, at as EventIndex)));
            let events = events.numbers().zip(events.iter());
            self.events.extend(events.map(|(number, (_, event))| (number, event.clone())));
        }
        self.outputs.push(Out { step: self.step, cause, kind, from, to: self.events.len() });
    }
}

impl<E: Event> Sink<Arc<E>> for Collect<E> {
    fn matched(&mut self, found: &Match<'_, Arc<E>>) -> ControlFlow<()> {
        if self.only_counts {
            self.add(found.cause(), Kind::Counted(1), None);
        } else {
            self.add(found.cause(), Kind::Match, Some(found.events()));
        }
        ControlFlow::Continue(())
    }

    fn timed_out(&mut self, partial: &TimedOut<'_, Arc<E>>) -> ControlFlow<()> {
        self.add(partial.cause(), Kind::TimedOut(partial.deadline()), Some(partial.events()));
        ControlFlow::Continue(())
    }

    fn only_counts(&self) -> bool {
        self.only_counts
    }

    fn counted(&mut self, cause: Cause, matches: u64) -> ControlFlow<()> {
        self.add(cause, Kind::Counted(matches), None);
        ControlFlow::Continue(())
    }
}
