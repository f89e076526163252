//! The chain buffer in snapshots.

use super::super::save::Saved;
use super::{ChainBuffer, widen};
use crate::error::Error;
use crate::history::{Entry, EventIndex, History, Tail};
use crate::nfa::EdgeKind;
use crate::snapshot::{Loading, Stretch, corrupt, state};

impl Saved for ChainBuffer {
    fn save(&self, first: EventIndex) -> state::History {
        let (layout, mask) = (self.layout, self.layout.mask);
        let place = |at: usize| (self.cells.first() + at as u64) & mask;
        let cells = self.cells.iter().enumerate().filter(|&(at, _)| place(at) != mask);
        let saved = cells.map(|(_, &cell)| {
            let event = widen(layout.event(cell), self.newest, mask) - first;
            let previous = layout.previous(cell);
            let previous = (previous != mask).then(|| self.cells.dense(previous, mask));
            (layout.stage(cell), event as u32, previous)
        });
        state::History::Chain(saved.collect())
    }

    fn number(&self, tail: Tail) -> u32 {
        self.cells.dense(u64::from(tail.0), self.layout.mask)
    }

    fn load(
        &mut self,
        saved: state::History,
        loading: &Loading<'_>,
    ) -> Result<Vec<Stretch>, Error> {
        let state::History::Chain(cells) = saved else {
            return Err(corrupt("its match buffer is another one"));
        };
        if cells.len().max(loading.events()) >= self.capacity() {
            return Err(corrupt("its match buffer is larger than any"));
        }
        let mut all: Vec<Stretch> = Vec::with_capacity(cells.len());
        for (stage, event, previous) in cells {
            let (stage, place) = (loading.stage(stage)?, loading.event(event)?);
            let before = match previous {
                None => None,
                Some(at) => match all.get(at as usize) {
                    Some(before) if before.last < event => Some(*before),
                    _ => return Err(corrupt("its match buffer leads forward")),
                },
            };
            if place < self.newest {
                return Err(corrupt("its match buffer is not in order"));
            }
            let time = loading.key(event);
            let entry = Entry { stage, event: place, kind: EdgeKind::Take, forks: false, time };
            let tail = self.append(&before.map_or(Tail::EMPTY, |before| before.tail), entry);
            all.push(Stretch {
                tail,
                first: before.map_or(event, |before| before.first),
                last: event,
                length: before.map_or(0, |before| before.length) + 1,
            });
        }
        Ok(all)
    }
}
