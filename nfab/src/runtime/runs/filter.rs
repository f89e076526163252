//! Negations that are judged on complete matches (S5).

use super::super::context::Context;
use super::super::evaluator::{Arrival, Key, Taken};
use crate::event::Event;
use crate::history::{EventIndex, Marks, Moved};
use crate::nfa::program::{Filter, Window};
use crate::predicate::evaluate;
use crate::predicate::register::Register;

/// An event that might refute a match.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    filter: u32,
    at: EventIndex,
    number: u64,
    key: Key,
}

/// The events of one partition that might refute a match, in the order of their arrival.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    all: Vec<Candidate>,
    /// Clean up when there are so many.
    sweep_at: usize,
}

impl Candidates {
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Remembers an event if it is a candidate; gives whether it is. Negations behind an event only
    /// matter while there are partial matches.
    pub(crate) fn offer<E: Event>(
        &mut self,
        arrival: &Arrival<'_, E>,
        runs: bool,
        cx: &mut Context<'_, E>,
    ) -> bool {
        let automaton = cx.automaton;
        let mut remembered = false;
        for (number, filter) in automaton.program.filters.iter().enumerate() {
            let wanted = runs || filter.after.is_none();
            if wanted && filter.candidate.open(&mut |condition| cx.holds(condition, arrival)) {
                self.all.push(Candidate {
                    filter: number as u32,
                    at: arrival.place,
                    number: arrival.number,
                    key: automaton.program.window.key(arrival.number, arrival.time),
                });
                remembered = true;
            }
        }
        remembered
    }

    /// Forgets what no match can come across any more. `earliest` is the first event of the oldest
    /// partial match.
    pub(crate) fn sweep(
        &mut self,
        filters: &[Filter],
        window: Window,
        horizon: Key,
        earliest: impl FnOnce() -> u64,
    ) {
        if self.all.len() < self.sweep_at {
            return;
        }
        self.sweep_now(filters, window, horizon, earliest());
        self.sweep_at = 2 * self.all.len() + 16;
    }

    pub(crate) fn sweep_now(
        &mut self,
        filters: &[Filter],
        window: Window,
        horizon: Key,
        earliest: u64,
    ) {
        // What begins the pattern is looked for in a window that ends with the last event of a
        // match; the first event lies at the horizon or later.
        let far = match window {
            Window::None => Key::MIN,
            Window::Events(_) => window.horizon(horizon.max(0) as u64, 0),
            Window::Time { .. } => window.horizon(0, horizon),
        };
        self.all.retain(|candidate| match filters[candidate.filter as usize].after {
            Some(_) => candidate.number > earliest,
            None => candidate.key >= far,
        });
    }

    /// Whether a match is refuted; the registers are those of the complete run.
    pub(crate) fn refute<E: Event>(
        &self,
        events: &[Taken],
        registers: &[Register],
        arrival: Option<&Arrival<'_, E>>,
        cx: &Context<'_, E>,
    ) -> bool {
        if self.all.is_empty() {
            return false;
        }
        let program = &cx.automaton.program;
        let Some(&(_, last)) = events.last() else { return false };
        self.all.iter().any(|candidate| {
            let filter = &program.filters[candidate.filter as usize];
            let of = |stages: &[u32], taken: &&Taken| stages.contains(&taken.0);
            let inside = match &filter.after {
                Some(stages) => {
                    // Without a neighbour the negation is at an end, or is absent with its group.
                    let after = events.iter().rev().find(|taken| of(stages, taken));
                    let before = events.iter().find(|taken| of(&filter.before, taken));
                    after.zip(before).is_some_and(|(after, before)| {
                        candidate.at > after.1
                            && candidate.at < before.1
                            && (!filter.adjacent || candidate.number == cx.number(after.1) + 1)
                    })
                }
                // It begins the match, unless what comes before it is there.
                None => events.first().is_some_and(|first| {
                    let (number, time) = (cx.number(last), cx.time(last, arrival));
                    of(&filter.before, &first)
                        && candidate.at < first.1
                        && candidate.key >= program.window.horizon(number, time)
                }),
            };
            inside && {
                let event = cx.event(candidate.at, arrival);
                let at = evaluate::Context { event, registers, faults: cx.faults };
                filter.refutes.open(&mut |condition| {
                    cx.automaton.conditions[condition as usize].test.evaluate(at).holds()
                })
            }
        })
    }

    #[cfg(feature = "serde")]
    pub(crate) fn save(&self, first: EventIndex) -> Vec<(u32, u32)> {
        let saved = self.all.iter().map(|of| (of.filter, (of.at - first) as u32));
        saved.collect()
    }

    #[cfg(feature = "serde")]
    pub(crate) fn load(
        &mut self,
        saved: &[(u32, u32)],
        loading: &crate::snapshot::Loading<'_>,
    ) -> Result<(), crate::error::Error> {
        for &(filter, at) in saved {
            if filter as usize >= loading.automaton.program.filters.len() {
                return Err(crate::snapshot::corrupt("it refers to an unknown negation"));
            }
            let place = loading.event(at)?;
            let (number, key) = (loading.number(at), loading.key(at));
            self.all.push(Candidate { filter, at: place, number, key });
        }
        Ok(())
    }

    pub(crate) fn mark(&self, used: &mut Marks) {
        self.all.iter().for_each(|candidate| used.mark(candidate.at));
    }

    pub(crate) fn renumber(&mut self, moved: &Moved) {
        self.all.iter_mut().for_each(|candidate| candidate.at = moved.to(candidate.at));
    }
}
