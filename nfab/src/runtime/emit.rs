//! What one call brings about: gathered, put in order, handed to the sink.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use super::Sink;
use super::evaluator::Taken;
use super::output::Scene;
use crate::history::{History, Tail};
use crate::limits::{Limit, Policy};
use crate::stats::Stats;

/// Events in [`Output::taken`], from one place to another.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: usize,
    to: usize,
}

/// Matches and timeouts. Empty between calls; the memory is used again.
#[derive(Debug, Default)]
pub(crate) struct Output {
    taken: Vec<Taken>,
    matches: Vec<Span>,
    timeouts: Vec<(Span, i64)>,
    scratch: Vec<Taken>,
}

/// The order of output (S15). Places of events are ordered as the events arrived.
pub(crate) fn order(a: &[Taken], b: &[Taken]) -> Ordering {
    let places = a.iter().map(|taken| taken.1).cmp(b.iter().map(|taken| taken.1));
    places.then_with(|| a.iter().map(|taken| taken.0).cmp(b.iter().map(|taken| taken.0)))
}

impl Output {
    pub(crate) fn is_empty(&self) -> bool {
        self.matches.is_empty() && self.timeouts.is_empty()
    }

    pub(crate) fn matches(&self) -> usize {
        self.matches.len()
    }

    fn span(&mut self, from: usize) -> Span {
        Span { from, to: self.taken.len() }
    }

    fn read(&mut self, history: &impl History, tail: Tail, last: Option<Taken>) -> Span {
        let from = self.taken.len();
        if tail != Tail::EMPTY {
            history.events(&tail, &mut self.scratch);
            self.taken.extend_from_slice(&self.scratch);
        }
        self.taken.extend(last);
        self.span(from)
    }

    /// Adds a match: what a run holds, and the event that completes it if the run does not.
    pub(crate) fn complete(&mut self, history: &impl History, tail: Tail, last: Option<Taken>) {
        let span = self.read(history, tail, last);
        self.matches.push(span);
    }

    /// Adds a match.
    pub(crate) fn add(&mut self, events: &[Taken]) {
        let from = self.taken.len();
        self.taken.extend_from_slice(events);
        let span = self.span(from);
        self.matches.push(span);
    }

    /// The match that was added last.
    pub(crate) fn newest(&self) -> &[Taken] {
        self.matches.last().map_or(&[], |span| &self.taken[span.from..span.to])
    }

    /// Takes it back.
    pub(crate) fn take_back(&mut self) {
        if let Some(span) = self.matches.pop()
            && span.to == self.taken.len()
        {
            self.taken.truncate(span.from);
        }
    }

    /// Adds a partial match whose window has passed.
    pub(crate) fn time_out(&mut self, history: &impl History, tail: Tail, deadline: i64) {
        let span = self.read(history, tail, None);
        self.timeouts.push((span, deadline));
    }

    pub(crate) fn clear(&mut self) {
        self.taken.clear();
        self.matches.clear();
        self.timeouts.clear();
    }

    /// Puts everything in order, each once.
    fn arrange(&mut self) {
        let taken = &self.taken;
        let of = |span: &Span| &taken[span.from..span.to];
        let ascending = |pair: &[Span]| order(of(&pair[0]), of(&pair[1])).is_lt();
        if !self.matches.windows(2).all(ascending) {
            self.matches.sort_unstable_by(|a, b| order(of(a), of(b)));
            self.matches.dedup_by(|a, b| of(a) == of(b));
        }
        if self.timeouts.len() > 1 {
            let key =
                |a: &(Span, i64), b: &(Span, i64)| order(of(&a.0), of(&b.0)).then(a.1.cmp(&b.1));
            self.timeouts.sort_unstable_by(key);
            self.timeouts.dedup_by(|a, b| key(a, b).is_eq());
        }
    }

    /// Drops matches beyond a limit; gives how many, or nothing where that is an error.
    pub(crate) fn bound(&mut self, limit: Limit) -> Option<u64> {
        if self.matches.len() <= limit.most {
            return Some(0);
        }
        self.arrange();
        let beyond = self.matches.len().saturating_sub(limit.most);
        match limit.policy {
            Policy::Error if beyond > 0 => return None,
            Policy::DropOldest => drop(self.matches.drain(..beyond)),
            _ => self.matches.truncate(limit.most),
        }
        Some(beyond as u64)
    }

    /// Hands everything out, unless the sink has `stopped` it before. What the sink does not want any
    /// more is counted.
    pub(crate) fn deliver<E>(
        &mut self,
        scene: &Scene<'_, E>,
        timeouts: bool,
        stopped: bool,
        stats: &mut Stats,
        sink: &mut impl Sink<E>,
    ) -> ControlFlow<()> {
        self.arrange();
        let mut go_on = !stopped;
        for span in &self.matches {
            if !go_on {
                stats.undelivered = stats.undelivered.saturating_add(1);
                continue;
            }
            let found = scene.found(&self.taken[span.from..span.to]);
            stats.matches = stats.matches.saturating_add(1);
            go_on = sink.matched(&found).is_continue();
        }
        for (span, deadline) in self.timeouts.iter().filter(|_| timeouts) {
            if !go_on {
                stats.undelivered = stats.undelivered.saturating_add(1);
                continue;
            }
            let partial = scene.timed_out(&self.taken[span.from..span.to], *deadline);
            go_on = sink.timed_out(&partial).is_continue();
        }
        self.clear();
        if go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
