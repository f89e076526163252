//! The compact evaluation of sequences under skip-till-any: a queue of events for each stage.
//!
//! If every event may be ignored, a partial match is any choice of events of the stages in turn. So the
//! events of each stage in a [`Queue`] are enough: an event is followed by any later one of the next
//! stage. Each knows how many there were of the next stage before it, so nothing is searched; and
//! what nothing follows is left out by the last event of each queue that something follows. So
//! enumerating ([`read`]) is linear in the output, without anything done beforehand. An event costs
//! constant time for each stage that takes it.
//!
//! The stage before the last may be a loop; its events are [chosen](visit).
//!
//! Whether some partial match waits behind a stage is known from the newest first event of those
//! that do: the next event of the stage behind it carries that on. What has passed its window lies in
//! its queue until the room is needed.
//!
//! Numbers of matches are [counted](count) in constant time an event, whatever the window: the first
//! time that they are asked for, a log of the events is made and kept from then on.

mod count;
mod fits;
mod queue;
mod read;
#[cfg(feature = "serde")]
mod save;
mod visit;

pub(super) use self::visit::{MOST, visit};

use std::ops::ControlFlow;

use self::count::{Log, Tally};
use self::queue::{Item, Queue};
use self::read::Reader;
use super::sequence::judge::{Judge, Verdict};
use crate::error::Error;
use crate::event::Event;
use crate::history::{EventIndex, Marks, Moved};
use crate::nfa::Automaton;
use crate::nfa::program::Window;
use crate::runtime::context::Context;
use crate::runtime::evaluator::{Arrival, Evaluator, Glance, Key, Taken};
use crate::stats::Stats;

/// What all partitions share.
#[derive(Debug)]
pub(crate) struct Choices {
    judge: Judge,
    /// How many stages there are but for the last, which has no queue.
    width: usize,
    window: Window,
    reader: Reader,
    tally: Tally,
    /// What was found out of the event to be shown next.
    judged: Option<Verdict>,
    items: usize,
    /// The stages of all parts behind which partial matches wait.
    waiting: usize,
}

/// The partial matches of one partition.
#[derive(Debug)]
pub(crate) struct Part {
    /// One for each stage but the last.
    queues: Box<[Queue]>,
    /// The stages behind which partial matches wait, in bits; those included of which all have passed
    /// their window unnoticed.
    waiting: u64,
    done: Option<Done>,
    /// From when matches were first counted on.
    log: Option<Box<Log>>,
}

/// An event that has completed matches.
#[derive(Clone, Copy, Debug)]
struct Done {
    event: EventIndex,
    horizon: Key,
    /// It has entered some queue.
    entered: bool,
}

impl Choices {
    /// The evaluation of a program, of which the compact one is possible, if it is of that kind.
    pub(crate) fn new(automaton: &Automaton) -> Option<Choices> {
        let (stages, repeats) = fits::stages(automaton)?;
        let numbers: Vec<u32> = stages.iter().map(|stage| stage.number).collect();
        let width = stages.len() - 1;
        Some(Choices {
            width,
            window: automaton.program.window,
            reader: Reader::new(numbers, repeats),
            tally: Tally::new(width, repeats),
            judge: Judge::new(automaton, stages),
            judged: None,
            items: 0,
            waiting: 0,
        })
    }

    fn new_part(&self) -> Part {
        let queues = (0..self.width).map(|_| Queue::default()).collect();
        Part { queues, waiting: 0, done: None, log: None }
    }

    /// What an event says of the stages that it could enter.
    #[inline]
    fn look<E: Event>(&self, part: &Part, event: &E) -> Verdict {
        self.judge.judge(part.waiting << 1 | 1, event)
    }

    /// Whether partial matches wait behind a stage.
    #[inline]
    fn is_alive(&mut self, part: &mut Part, stage: usize, horizon: Key) -> bool {
        let waits = part.waiting >> stage & 1 == 1;
        let alive = waits && part.queues[stage].newest >= horizon;
        if waits && !alive {
            part.waiting ^= 1 << stage;
            self.waiting -= 1;
        }
        alive
    }

    /// Enters an event in the queues of some stages, in bits, where a partial match takes it. Gives
    /// these.
    #[inline]
    fn enter(
        &mut self,
        part: &mut Part,
        (place, key): (EventIndex, Key),
        mut stages: u64,
        horizon: Key,
    ) -> u64 {
        if part.waiting == 0 {
            self.empty(part);
        }
        let mut entered = 0;
        // From the last to the first: an event does not follow itself.
        while let Some(stage) = stages.checked_ilog2() {
            stages ^= 1 << stage;
            let at = stage as usize;
            let mut newest = key;
            if at > 0 {
                if !self.is_alive(part, at - 1, horizon) {
                    continue;
                }
                newest = part.queues[at - 1].newest;
            }
            let next = part.queues.get(at + 1).map_or(0, Queue::end);
            let queue = &mut part.queues[at];
            if queue.is_full() {
                self.items -= queue.make_room(horizon);
            }
            queue.push(Item { place, key, next });
            queue.newest = newest;
            self.items += 1;
            self.waiting += usize::from(part.waiting >> stage & 1 == 0);
            part.waiting |= 1 << stage;
            entered |= 1 << stage;
        }
        if let Some(log) = &mut part.log
            && entered != 0
        {
            self.tally.note(log, key, entered, horizon);
        }
        entered
    }

    /// Takes in an event at a glance, if all is known of it and it completes nothing.
    #[inline(never)]
    fn take<E: Event>(
        &mut self,
        part: &mut Part,
        arrival: &Arrival<'_, E>,
        horizon: Key,
    ) -> Glance {
        let verdict = self.look(part, arrival.event);
        let completes = verdict.holds >> self.width & 1 == 1;
        if verdict.open != 0 || (completes && self.is_alive(part, self.width - 1, horizon)) {
            self.judged = Some(verdict);
            return Glance::Show;
        }
        part.done = None;
        let stages = verdict.holds & !(1 << self.width);
        let key = self.window.key(arrival.number, arrival.time);
        match self.enter(part, (arrival.place, key), stages, horizon) {
            0 => Glance::Nothing,
            _ => Glance::Keeps,
        }
    }

    /// Drops everything.
    fn empty(&mut self, part: &mut Part) {
        self.items -= part.queues.iter_mut().map(Queue::clear).sum::<usize>();
        self.waiting -= part.waiting.count_ones() as usize;
        (part.waiting, part.done) = (0, None);
        if let Some(log) = &mut part.log {
            log.clear();
        }
    }

    /// What has passed its window does not wait any more.
    fn pass(&mut self, part: &mut Part, horizon: Key) {
        for stage in 0..self.width {
            self.is_alive(part, stage, horizon);
        }
        if part.waiting == 0 {
            self.empty(part);
        }
    }
}

impl<E: Event> Evaluator<E> for Choices {
    type Part = Part;

    fn part(&self) -> Part {
        self.new_part()
    }

    #[inline]
    fn is_empty(&self, part: &Part) -> bool {
        part.waiting == 0
    }

    fn clear(&mut self, part: &mut Part) {
        self.empty(part);
        *part = self.new_part();
    }

    #[inline]
    fn passes_over(&mut self, part: &Part, event: &E) -> bool {
        self.judge.possible(part.waiting << 1 | 1, event.event_type()) == 0
    }

    #[inline]
    fn glance(&mut self, part: &mut Part, arrival: &Arrival<'_, E>, _: &mut Stats) -> Glance {
        if self.passes_over(part, arrival.event) {
            return Glance::Nothing;
        }
        self.take(part, arrival, self.window.horizon(arrival.number, arrival.time))
    }

    #[inline]
    fn glance_keyed(
        &mut self,
        part: &mut Part,
        arrival: &Arrival<'_, E>,
        horizon: Key,
        _: &mut Stats,
    ) -> Glance {
        if self.passes_over(part, arrival.event) {
            return Glance::Nothing;
        }
        self.take(part, arrival, horizon)
    }

    fn show(
        &mut self,
        part: &mut Part,
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> Result<bool, Error> {
        let judged = self.judged.take();
        let Verdict { mut holds, mut open } =
            judged.unwrap_or_else(|| self.look(part, arrival.event));
        while open != 0 {
            let bit = open.trailing_zeros();
            open &= open - 1;
            // Counters of faults do not depend on when somebody notices that a window has passed.
            if bit > 0 && !self.is_alive(part, bit as usize - 1, cx.horizon) {
                continue;
            }
            let formula = self.judge.formula(bit);
            holds |= u64::from(formula.open(&mut |number| cx.holds(number, arrival))) << bit;
        }
        let completes = holds >> self.width & 1 == 1;
        let done = completes && self.is_alive(part, self.width - 1, cx.horizon);
        let (event, horizon) = (arrival.place, cx.horizon);
        let key = self.window.key(arrival.number, arrival.time);
        let entered = self.enter(part, (event, key), holds & !(1 << self.width), horizon) != 0;
        part.done = done.then_some(Done { event, horizon, entered });
        Ok(entered)
    }

    fn expire(&mut self, part: &mut Part, cx: &mut Context<'_, E>) -> Result<(), Error> {
        if cx.now.is_some() {
            self.pass(part, cx.horizon);
        } else {
            self.empty(part);
        }
        Ok(())
    }

    #[inline]
    fn has_matches(&self, part: &Part) -> bool {
        part.done.is_some()
    }

    fn count(&mut self, part: &mut Part) -> Option<u64> {
        let Some(Done { event, horizon, entered }) = part.done else { return Some(0) };
        let log = part.log.get_or_insert_with(|| Box::new(Log::of(&part.queues)));
        Some(self.tally.count(log, horizon, entered).unwrap_or_else(|| {
            part.queues[0].pass(horizon);
            self.reader.count(&part.queues, event)
        }))
    }

    fn enumerate(
        &mut self,
        part: &mut Part,
        visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(Done { event, horizon, .. }) = part.done else {
            return ControlFlow::Continue(());
        };
        part.queues[0].pass(horizon);
        self.reader.visit(&part.queues, event, visit)
    }

    fn runs(&self, part: &Part, horizon: Key, _: Option<i64>, _: &Automaton) -> usize {
        let waits = |at: &usize| part.waiting >> at & 1 == 1;
        let alive = |at: &usize| part.queues[*at].newest >= horizon;
        (0..self.width).filter(waits).filter(alive).count()
    }

    fn all_runs(&self) -> usize {
        self.waiting
    }

    fn cells(&self) -> usize {
        self.items
    }

    fn bytes(&self) -> usize {
        self.items * size_of::<Item>()
    }

    fn collect<'p>(
        &mut self,
        parts: &mut dyn Iterator<Item = &'p mut Part>,
        cx: &mut Context<'_, E>,
        used: &mut Marks,
    ) where
        Part: 'p,
    {
        for part in parts {
            self.pass(part, cx.horizon);
            part.done = None;
            self.items -= queue::trim(&mut part.queues, cx.horizon);
            let items = part.queues.iter().flat_map(Queue::items);
            items.for_each(|item| used.mark(item.place));
        }
    }

    fn renumber<'p>(&mut self, parts: &mut dyn Iterator<Item = &'p mut Part>, moved: &Moved)
    where
        Part: 'p,
    {
        let queues = parts.flat_map(|part| &mut part.queues);
        queues.flat_map(Queue::items_mut).for_each(|item| item.place = moved.to(item.place));
    }
}
