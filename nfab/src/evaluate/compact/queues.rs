//! Matches of sequences under skip-till-any, without a graph.
//!
//! If every event may be ignored, a partial match is any choice of events of the stages in turn. So the
//! events of each stage in a queue are enough: an event is followed by any later one of the next
//! stage. Each knows how many there were of the next stage before it, so nothing is searched; and
//! what nothing follows is left out by the last event of each queue that something follows. So
//! enumerating is linear in the output, without anything done beforehand.
//!
//! The stage before the last may be a loop; its events are [chosen](choices).

use std::ops::ControlFlow;

use crate::evaluate::choices;
use crate::history::{EventIndex, Moved};
use crate::nfa::program::{Finish, NOWHERE, Wait};
use crate::nfa::{Automaton, Formula};
use crate::runtime::evaluator::Taken;

/// Places at the front that are gone are kept until there are so many.
const SLACK: usize = 32;

/// An event of a stage.
#[derive(Clone, Copy, Debug)]
struct Item {
    place: EventIndex,
    /// How many events of the next stage came before it, counted from the first ever.
    next: u64,
}

/// The events of a stage, in their order.
#[derive(Debug, Default)]
struct Queue {
    items: Vec<Item>,
    /// Those before are gone.
    head: usize,
    /// How many there were before the first of `items`.
    base: u64,
}

impl Queue {
    fn end(&self) -> u64 {
        self.base + self.items.len() as u64
    }

    /// Those that are left.
    #[inline]
    fn items(&self) -> &[Item] {
        &self.items[self.head..]
    }

    /// How many of those that are left come before one of them or the end.
    #[inline]
    fn before(&self, number: u64) -> usize {
        number.saturating_sub(self.base + self.head as u64) as usize
    }

    #[inline]
    fn leave(&mut self, place: EventIndex) {
        let leaves = self.items.get(self.head).is_some_and(|item| item.place <= place);
        self.head += usize::from(leaves);
        if self.head > SLACK && self.head > self.items.len() / 2 {
            self.items.drain(..self.head);
            self.base += self.head as u64;
            self.head = 0;
        }
    }
}

/// The queues of a partition: of each stage but the last.
#[derive(Debug, Default)]
pub(super) struct Queues {
    all: Vec<Queue>,
}

impl Queues {
    /// For so many stages but the last.
    pub(super) fn new(stages: usize) -> Queues {
        Queues { all: (0..stages).map(|_| Queue::default()).collect() }
    }

    /// An event was taken for some stages, in bits.
    #[inline]
    pub(super) fn push(&mut self, place: EventIndex, mut stages: u64) {
        // From the last to the first: an event does not follow itself.
        while let Some(stage) = stages.checked_ilog2() {
            stages ^= 1 << stage;
            let stage = stage as usize;
            let next = self.all.get(stage + 1).map_or(0, Queue::end);
            self.all[stage].items.push(Item { place, next });
        }
    }

    /// No event up to a place is used any more; no other has left since the one before it.
    #[inline]
    pub(super) fn leave(&mut self, place: EventIndex) {
        self.all.iter_mut().for_each(|queue| queue.leave(place));
    }

    /// An event can be taken in without more memory.
    #[inline]
    pub(super) fn have_room(&self) -> bool {
        self.all.iter().all(|queue| queue.items.len() < queue.items.capacity())
    }

    pub(super) fn clear(&mut self) {
        for queue in &mut self.all {
            queue.base = queue.end();
            queue.items.clear();
            queue.head = 0;
        }
    }

    /// The events have moved.
    pub(super) fn renumber(&mut self, moved: &Moved) {
        for queue in &mut self.all {
            queue.items.drain(..queue.head);
            queue.base += queue.head as u64;
            queue.head = 0;
            queue.items.iter_mut().for_each(|item| item.place = moved.to(item.place));
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.all.iter().map(|queue| queue.items.capacity() * size_of::<Item>()).sum()
    }
}

/// What is the same for all partitions.
#[derive(Debug)]
pub(super) struct Rules {
    /// The stages but for the last one.
    stages: Box<[u32]>,
    last: u32,
    /// The last of `stages` is a loop.
    repeats: bool,
    /// Of each queue how many events may be in a match.
    ends: Vec<usize>,
    taken: Vec<Taken>,
}

impl Rules {
    /// The rules of a program of which the compact evaluation is possible, if it is such a sequence.
    pub(super) fn new(automaton: &Automaton) -> Option<Rules> {
        let program = &automaton.program;
        let mut stages = Vec::new();
        let mut before: Option<(u32, &Formula)> = None;
        let mut at = program.start;
        let mut repeats = false;
        loop {
            let wait: &Wait = program.waits.get(at as usize)?;
            let plain = wait.stops.is_empty() && wait.gap.is_none() && !wait.holds_match;
            if !plain || stages.len() > choices::MOST {
                return None;
            }
            let mut moves = wait.moves.as_slice();
            if at != program.start {
                let mut ignores = wait.ignores.iter().filter(|ignore| ignore.target != NOWHERE);
                let (ignore, None) = (ignores.next()?, ignores.next()) else { return None };
                let any = ignore.formula == Formula::True && ignore.unless.is_empty();
                let stays = ignore.target == at && (program.key.is_empty() || wait.foreign == at);
                if !any || !stays {
                    return None;
                }
                // A loop takes whatever began it.
                if let [take, others @ ..] = moves
                    && take.target == at
                {
                    let same = before == Some((take.stage, &take.formula));
                    if !same || take.finish != Finish::No {
                        return None;
                    }
                    repeats = true;
                    moves = others;
                }
            }
            let [m] = moves else { return None };
            if stages.contains(&m.stage) {
                return None;
            }
            if let Finish::Emit { formula: Formula::True, .. } = m.finish
                && m.target == NOWHERE
                && !stages.is_empty()
            {
                let ends = vec![0; stages.len()];
                let (stages, last) = (stages.into(), m.stage);
                return Some(Rules { stages, last, repeats, ends, taken: Vec::new() });
            }
            // Only the last stage of the queues may be a loop.
            if m.finish != Finish::No || repeats || m.target == at {
                return None;
            }
            stages.push(m.stage);
            before = Some((m.stage, &m.formula));
            at = m.target;
        }
    }

    /// How many stages have a queue.
    pub(super) fn width(&self) -> usize {
        self.stages.len()
    }

    /// The bit of a stage.
    pub(super) fn bit(&self, stage: u32) -> u64 {
        let at = self.stages.iter().position(|&other| other == stage);
        at.map_or(0, |at| 1 << at)
    }

    /// Visits the matches that the event at a place completes.
    pub(super) fn visit(
        &mut self,
        queues: &Queues,
        event: EventIndex,
        visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Rules { stages, last, repeats, ends, taken } = self;
        let mut limit = event;
        for (queue, end) in queues.all.iter().zip(ends.iter_mut()).rev() {
            let items = queue.items();
            *end = match items.last() {
                Some(last) if last.place >= limit => {
                    items.partition_point(|item| item.place < limit)
                }
                _ => items.len(),
            };
            match items[..*end].last() {
                Some(item) => limit = item.place,
                None => return ControlFlow::Continue(()),
            }
        }
        taken.clear();
        let last = (*last, event);
        let walk = Walk { stages, last, repeats: *repeats, ends, queues: &queues.all };
        walk.descend(0, 0, taken, visit)
    }
}

/// A walk from the first stage on.
struct Walk<'a> {
    stages: &'a [u32],
    last: Taken,
    repeats: bool,
    ends: &'a [usize],
    queues: &'a [Queue],
}

impl Walk<'_> {
    /// Visits the matches that begin with what is taken, and go on with an event of a queue from a
    /// place on.
    fn descend(
        &self,
        at: usize,
        from: usize,
        taken: &mut Vec<Taken>,
        visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(mut items) = self.queues[at].items().get(from..self.ends[at]) else {
            return ControlFlow::Continue(());
        };
        let stage = self.stages[at];
        let before = taken.len();
        if at + 1 < self.queues.len() {
            for item in items {
                taken.push((stage, item.place));
                let from = self.queues[at + 1].before(item.next);
                self.descend(at + 1, from, taken, visit)?;
                taken.pop();
            }
        } else if self.repeats {
            // Of more events there are more choices than anybody can look at.
            if let Some(more) = items.len().checked_sub(choices::MOST) {
                let (first, others) = items.split_at(more);
                taken.extend(first.iter().map(|item| (stage, item.place)));
                items = others;
            }
            let of = |item: &Item| (stage, item.place);
            choices::visit(items, of, taken.len() > before, self.last, taken, visit)?;
            taken.truncate(before);
        } else {
            for item in items {
                taken.push((stage, item.place));
                taken.push(self.last);
                visit(taken)?;
                taken.truncate(before);
            }
        }
        ControlFlow::Continue(())
    }
}
