//! After-match skip: which complete matches are reported, and what each prunes.

use super::queue::Queue;
use super::{Cause, Engine, Run, Sink, Tail, over};
use crate::config::HoldBack;
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::history::{EventIndex, History};
use crate::limits::Policy;
use crate::nfa::Skip;

/// What a match prunes: whatever starts before an arrival number.
type Prune = Option<u64>;

impl<E: Event> Engine<E> {
    /// Hands out complete matches, at once or behind earlier runs. Gives whether the sink wants
    /// more.
    pub(super) fn conclude(
        &mut self,
        complete: Vec<Run<Tail>>,
        cause: Cause,
        sink: &mut impl Sink<E>,
    ) -> Result<bool, Error> {
        let skip = self.automaton.skip;
        let complete = self.bound_matches(complete)?;
        if skip == Skip::None {
            return Ok(complete.is_empty() || self.emit(complete, cause, sink));
        }
        let mut completed_now = Queue::new();
        complete.into_iter().for_each(|run| completed_now.push(run));
        completed_now.drain().for_each(|run| self.held.push(run));
        let mut out = Vec::new();
        let mut events = Vec::new();
        let mut failure = None;
        while let Some(first) = self.held.first() {
            let earlier = self.runs.first().is_some_and(|run| run.start < first.start);
            if earlier && self.config.hold_back == HoldBack::Wait {
                break;
            }
            let Some(run) = self.held.pop() else { break };
            self.history.events(&run.tail, &mut events);
            match self.prune_before(skip, &events) {
                Ok(Some(bound)) => {
                    self.runs.retain(|run| run.start >= bound);
                    self.held.retain(|run| run.start >= bound);
                }
                Ok(None) => {}
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
            out.push(run);
        }
        let go_on = out.is_empty() || self.emit(out, cause, sink);
        failure.map_or(Ok(go_on), Err)
    }

    fn bound_matches(&mut self, mut complete: Vec<Run<Tail>>) -> Result<Vec<Run<Tail>>, Error> {
        let limit = self.config.limits.matches;
        let beyond = (complete.len() + self.held.len()).saturating_sub(limit.most);
        if beyond > 0 && !complete.is_empty() {
            let beyond = beyond.min(complete.len());
            complete.sort_by_key(|run| run.start);
            match limit.policy {
                Policy::Error => return Err(over("matches at once", limit)),
                Policy::DropOldest => drop(complete.drain(..beyond)),
                Policy::DropNewest => complete.truncate(complete.len() - beyond),
            }
            self.stats.dropped_matches += beyond as u64;
        }
        Ok(complete)
    }

    fn prune_before(&self, skip: Skip, events: &[(u32, EventIndex)]) -> Result<Prune, Error> {
        let number = |at: Option<&(u32, EventIndex)>| at.map(|part| self.store.arrival(part.1));
        let (target, of, must_exist) = match skip {
            Skip::None => return Ok(None),
            Skip::ToNext => return Ok(number(events.first()).map(|n| n + 1)),
            Skip::PastLast => return Ok(number(events.last()).map(|n| n + 1)),
            Skip::ToFirst(stage, must_exist) => {
                (number(events.iter().find(|part| part.0 == stage)), stage, must_exist)
            }
            Skip::ToLast(stage, must_exist) => {
                (number(events.iter().rev().find(|part| part.0 == stage)), stage, must_exist)
            }
        };
        if must_exist && (target.is_none() || target == number(events.first())) {
            let stage = &self.automaton.stages[of as usize];
            let message = match target {
                None => "a match holds no event of the stage to skip to",
                Some(_) => "the event to skip to is the first one of the match",
            };
            return Err(Error::new(ErrorKind::SkipTargetMissing, message)
                .in_stage(stage)
                .with_hint("without must_exist such a match prunes nothing"));
        }
        Ok(target)
    }
}
