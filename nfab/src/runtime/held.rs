//! After-match skip: which complete matches are reported, and what each prunes.

use std::collections::VecDeque;

use super::context::Context;
use super::emit::order;
use super::evaluator::Taken;
use crate::error::{Error, ErrorKind};
use crate::history::{Marks, Moved};
use crate::limits::Policy;
use crate::nfa::Skip;

/// What a match prunes: whatever starts before an arrival number.
pub(crate) type Prune = Option<u64>;

/// What an after-match skip prunes after a match.
pub(crate) fn prune_before<E>(events: &[Taken], cx: &Context<'_, E>) -> Result<Prune, Error> {
    let number = |taken: Option<&Taken>| taken.map(|taken| cx.number(taken.1));
    let (target, of, must_exist) = match cx.automaton.skip {
        Skip::None => return Ok(None),
        Skip::ToNext => return Ok(number(events.first()).map(|n| n + 1)),
        Skip::PastLast => return Ok(number(events.last()).map(|n| n + 1)),
        Skip::ToFirst(stage, must_exist) => {
            (number(events.iter().find(|taken| taken.0 == stage)), stage, must_exist)
        }
        Skip::ToLast(stage, must_exist) => {
            (number(events.iter().rev().find(|taken| taken.0 == stage)), stage, must_exist)
        }
    };
    if must_exist && (target.is_none() || target == number(events.first())) {
        let stage = &cx.automaton.stages[of as usize];
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

/// Matches of one partition that wait for earlier partial matches, in the order of output (S14).
#[derive(Clone, Debug, Default)]
pub(crate) struct Held {
    all: VecDeque<Vec<Taken>>,
}

impl Held {
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Adds a match, unless it is there.
    pub(crate) fn add(&mut self, events: &[Taken]) -> bool {
        match self.all.binary_search_by(|held| order(held, events)) {
            Ok(_) => false,
            Err(at) => {
                self.all.insert(at, events.to_vec());
                true
            }
        }
    }

    pub(crate) fn first(&self) -> Option<&[Taken]> {
        self.all.front().map(Vec::as_slice)
    }

    pub(crate) fn pop(&mut self) -> Option<Vec<Taken>> {
        self.all.pop_front()
    }

    /// Drops a match: the first or the last one.
    pub(crate) fn shed(&mut self, policy: Policy) {
        if policy == Policy::DropOldest {
            self.all.pop_front()
        } else {
            self.all.pop_back()
        };
    }

    /// Drops the matches that start before an event.
    pub(crate) fn prune(&mut self, start: impl Fn(&Taken) -> u64, before: u64) {
        // They are in the order of their first events.
        while self.first().and_then(<[Taken]>::first).is_some_and(|first| start(first) < before) {
            self.all.pop_front();
        }
    }

    #[cfg(feature = "serde")]
    pub(crate) fn save(&self, first: crate::history::EventIndex) -> Vec<Vec<(u32, u32)>> {
        let taken = |&(stage, at): &Taken| (stage, (at - first) as u32);
        self.all.iter().map(|events| events.iter().map(taken).collect()).collect()
    }

    pub(crate) fn mark(&self, used: &mut Marks) {
        self.all.iter().flatten().for_each(|taken| used.mark(taken.1));
    }

    pub(crate) fn renumber(&mut self, moved: &Moved) {
        self.all.iter_mut().flatten().for_each(|taken| taken.1 = moved.to(taken.1));
    }
}
