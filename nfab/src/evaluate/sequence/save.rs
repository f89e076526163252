//! Queues in snapshots.

use super::level::{Level, Node};
use super::{Part, Row, Sequence};
use crate::error::Error;
use crate::event::Event;
use crate::history::EventIndex;
use crate::runtime::evaluator::Evaluator;
use crate::runtime::save::Save;
use crate::snapshot::{Loading, corrupt, state};

impl<E: Event> Save<E> for Sequence {
    fn save_part(&self, part: &Part, first: EventIndex) -> state::Part {
        let mut below = 0;
        let queues = part.levels.iter().map(|level| {
            let node = |node: &Node| {
                ((node.place - first) as u32, (node.from - below) as u32, (node.to - below) as u32)
            };
            let nodes = level.nodes().map(node).collect();
            below = level.end() - level.len() as u64;
            state::Queue { nodes, moved: (level.cut() - below) as u32 }
        });
        state::Part::Sequence(queues.collect())
    }

    fn load_part(&mut self, saved: state::Part, loading: &Loading<'_>) -> Result<Part, Error> {
        let state::Part::Sequence(queues) = saved else {
            return Err(corrupt("a partition is of another evaluation"));
        };
        let mut part = Evaluator::<E>::part(self);
        if queues.len() != part.levels.len() {
            return Err(corrupt("its queues are others"));
        }
        for (at, queue) in queues.into_iter().enumerate() {
            let (below, above) = part.levels.split_at_mut(at);
            let (below, level) = (below.last(), &mut above[0]);
            let moved = load(queue, below, level, loading)?;
            level.set_cut(moved).ok_or_else(|| corrupt("more has moved on than there is"))?;
            if at > 0 && part.levels[at - 1].cut() < part.levels[at].reach() {
                return Err(corrupt("what waits has moved on as well"));
            }
            let level = &part.levels[at];
            self.nodes += level.len();
            self.runs += level.waiting();
            part.waiting |= u64::from(level.waiting() > 0) << at;
        }
        Ok(part)
    }
}

impl<E: Event> Save<E> for Row {
    fn save_part(&self, (): &(), _first: EventIndex) -> state::Part {
        state::Part::Row(self.bits())
    }

    fn load_part(&mut self, saved: state::Part, loading: &Loading<'_>) -> Result<(), Error> {
        let state::Part::Row(bits) = saved else {
            return Err(corrupt("a partition is of another evaluation"));
        };
        let fits = self.set_bits(bits, loading.newest()?);
        fits.ok_or_else(|| corrupt("its partial matches do not fit its events"))
    }
}

/// Takes in the nodes of a queue; gives how many have moved on.
fn load(
    queue: state::Queue,
    below: Option<&Level>,
    level: &mut Level,
    loading: &Loading<'_>,
) -> Result<u64, Error> {
    let (mut last, mut reached) = (None, 0);
    for (at, from, to) in queue.nodes {
        let (place, from, to) = (loading.event(at)?, u64::from(from), u64::from(to));
        if last >= Some(place) {
            return Err(corrupt("the events of a queue are not in order"));
        }
        last = Some(place);
        let Some(below) = below else {
            level.begin(place, loading.key(at));
            continue;
        };
        let before = from < to && reached <= from && to <= below.end();
        let node = before.then(|| Node::over(below, from, to, place));
        match node {
            Some(node) if below.place(to - 1) < place => level.push(node),
            _ => return Err(corrupt("an event moved what it cannot have moved")),
        };
        reached = to;
    }
    Ok(u64::from(queue.moved))
}
