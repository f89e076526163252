//! Sequences of single events in a row: strict contiguity in a stream without keys.
//!
//! Where no event is passed over, the events of a partial match are the newest ones of the stream, so
//! all that is to be known of it is how many they are: a bit of a word. An event moves all partial
//! matches on by a shift of the word, and those stay that its conditions let pass (Shift-And, as for
//! matching strings; Baeza-Yates and Gonnet, 1992). The events of a match are the last ones that are
//! stored, one for each stage.

use std::ops::ControlFlow;

use super::judge::{self, Judge, Verdict};
use crate::error::Error;
use crate::event::Event;
use crate::history::{EventIndex, Marks, Moved};
use crate::nfa::Automaton;
use crate::nfa::program::Window;
use crate::runtime::context::Context;
use crate::runtime::evaluator::{Arrival, Evaluator, Glance, Key, Taken};
use crate::stats::Stats;

/// So many keys are remembered: one for each event that a partial match may have.
const KEYS: usize = 64;

/// The partial matches of the only partition.
#[derive(Debug)]
pub(crate) struct Row {
    judge: Judge,
    /// For each number of events, less one, whether a partial match has so many.
    at: u64,
    /// The last stage.
    last: u64,
    /// The stages that an event in the window can enter.
    reach: u64,
    /// Under a window of time the times of the newest events in a ring, and where the next one goes.
    keys: Box<[Key]>,
    next: usize,
    /// What is reported of a match.
    taken: Vec<Taken>,
    /// What was found out of the event to be shown next.
    judged: Option<Verdict>,
    /// The event that has completed a match.
    done: Option<EventIndex>,
}

impl Row {
    /// An evaluation of a program, of which the compact one is possible, if it is of that kind.
    pub(crate) fn new(automaton: &Automaton) -> Option<Row> {
        let stages = judge::stages(automaton)?;
        let (_, gaps) = stages.split_last()?;
        if !automaton.program.key.is_empty() || gaps.iter().any(|stage| stage.gap.skips) {
            return None;
        }
        let (window, last) = (automaton.program.window, 1 << gaps.len());
        let reach = match window {
            Window::Events(most) if most < 64 => (1 << most.max(1)) - 1,
            _ => u64::MAX,
        };
        let timed = matches!(window, Window::Time { .. });
        Some(Row {
            at: 0,
            last,
            reach,
            keys: if timed { [0; KEYS].into() } else { Box::default() },
            next: 0,
            taken: stages.iter().map(|stage| (stage.number, 0)).collect(),
            judge: Judge::new(automaton, stages),
            judged: None,
            done: None,
        })
    }

    /// How many events partial matches hold.
    #[inline]
    fn held(&self) -> u32 {
        u64::BITS - self.at.leading_zeros()
    }

    #[inline]
    fn judge<E: Event>(&self, event: &E) -> Verdict {
        self.judge.judge((self.at << 1 | 1) & self.reach, event)
    }

    /// Some partial match holds the event at hand.
    #[inline]
    fn keep(&mut self, time: i64) {
        if !self.keys.is_empty() {
            self.keys[self.next % KEYS] = time;
            self.next += 1;
        }
    }

    /// Whether the partial match with so many events has not passed its window, where that is not
    /// known from `reach`.
    fn is_alive(&self, events: u32, horizon: Key) -> bool {
        let first = self.next.wrapping_sub(events as usize) % KEYS;
        self.keys.get(first).is_none_or(|&key| key >= horizon)
    }

    /// The partial matches that have not passed their window.
    fn alive(&self, horizon: Key) -> u64 {
        let all = (0..u64::BITS).filter(|bit| self.at >> bit & 1 == 1);
        all.filter(|bit| self.is_alive(bit + 1, horizon)).fold(0, |alive, bit| alive | 1 << bit)
    }

    /// The partial matches, in bits.
    #[cfg(feature = "serde")]
    pub(super) fn bits(&self) -> u64 {
        self.at
    }

    /// Takes in partial matches, while there are none, and the times of the events that they hold.
    /// Gives nothing if that does not fit.
    #[cfg(feature = "serde")]
    pub(super) fn set_bits(
        &mut self,
        at: u64,
        times: impl ExactSizeIterator<Item = i64>,
    ) -> Option<()> {
        let held = (u64::BITS - at.leading_zeros()) as usize;
        if at & !self.reach != 0 || at >= self.last || times.len() != held {
            return None;
        }
        self.at = at;
        times.for_each(|time| self.keep(time));
        Some(())
    }
}

impl<E: Event> Evaluator<E> for Row {
    /// There is one partition.
    type Part = ();

    fn part(&self) {}

    #[inline]
    fn is_empty(&self, (): &()) -> bool {
        self.at == 0
    }

    #[inline]
    fn glance(&mut self, (): &mut (), arrival: &Arrival<'_, E>, _stats: &mut Stats) -> Glance {
        let verdict = self.judge(arrival.event);
        if verdict.open | verdict.holds & self.last != 0 {
            self.judged = Some(verdict);
            return Glance::Show;
        }
        self.at = verdict.holds;
        if self.at == 0 {
            return Glance::Nothing;
        }
        self.keep(arrival.time);
        Glance::Keeps
    }

    fn show(
        &mut self,
        (): &mut (),
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> Result<bool, Error> {
        let judged = self.judged.take();
        let Verdict { mut holds, mut open } = judged.unwrap_or_else(|| self.judge(arrival.event));
        while open != 0 {
            let bit = open.trailing_zeros();
            open &= open - 1;
            // Counters of faults do not depend on when somebody notices that a window has passed.
            if bit > 0 && !self.is_alive(bit, cx.horizon) {
                continue;
            }
            let formula = self.judge.formula(bit);
            holds |= u64::from(formula.open(&mut |number| cx.holds(number, arrival))) << bit;
        }
        let before = self.last.trailing_zeros();
        let done = holds & self.last != 0 && (before == 0 || self.is_alive(before, cx.horizon));
        self.done = done.then_some(arrival.place);
        self.at = holds & !self.last;
        if self.at != 0 {
            self.keep(arrival.time);
        }
        Ok(self.at != 0)
    }

    fn expire(&mut self, (): &mut (), cx: &mut Context<'_, E>) -> Result<(), Error> {
        self.at = if cx.now.is_some() { self.alive(cx.horizon) } else { 0 };
        Ok(())
    }

    fn has_matches(&self, (): &()) -> bool {
        self.done.is_some()
    }

    fn count(&mut self, (): &mut ()) -> Option<u64> {
        Some(self.done.is_some().into())
    }

    fn enumerate(
        &mut self,
        (): &mut (),
        visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(done) = self.done else { return ControlFlow::Continue(()) };
        for (before, taken) in (0..).zip(self.taken.iter_mut().rev()) {
            taken.1 = done - before;
        }
        visit(&self.taken)
    }

    fn runs(&self, (): &(), horizon: Key, _: Option<i64>, _: &Automaton) -> usize {
        self.alive(horizon).count_ones() as usize
    }

    fn all_runs(&self) -> usize {
        self.at.count_ones() as usize
    }

    fn cells(&self) -> usize {
        self.held() as usize
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.keys)
    }

    fn needs(&self, next: EventIndex) -> Option<EventIndex> {
        Some(next - u64::from(self.held()))
    }

    fn collect<'p>(
        &mut self,
        _parts: &mut dyn Iterator<Item = &'p mut ()>,
        cx: &mut Context<'_, E>,
        used: &mut Marks,
    ) where
        (): 'p,
    {
        self.at = self.alive(cx.horizon);
        self.done = None;
        let next = cx.store.next();
        (1..=u64::from(self.held())).for_each(|before| used.mark(next - before));
    }

    /// The places are reckoned from that of the next event.
    fn renumber<'p>(&mut self, _parts: &mut dyn Iterator<Item = &'p mut ()>, _moved: &Moved)
    where
        (): 'p,
    {
    }
}
