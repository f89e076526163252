//! A crew with a memory budget.

use std::cmp::Reverse;

use super::crew::Crew;
use super::shard::{Predicate, Shard};
use crate::checkpoint::{Checkpoint, SegmentState};
use crate::spill::{Debts, Plan, Selector, select};
use crate::storage::{SegmentStore, StorageError};
use crate::{Config, ErrorKind, Spill, Tuple, WhenFull};
use std::sync::Arc;

use super::give::Give;

/// Name of the section in a checkpoint that has the slots' counters.
const SEEN: &str = "slots seen";

pub(crate) struct Spilling {
    pub(crate) debts: Debts,
    selector: Selector,
    plan: Plan,
    predicate: Predicate,
    when_full: WhenFull,
    /// How many tuples there surely is room for before anything need be asked.
    pub(crate) room: usize,
}

fn storage(error: StorageError) -> ErrorKind {
    ErrorKind::Storage(Box::new(error))
}

fn full(error: StorageError) -> ErrorKind {
    ErrorKind::SpillFull(Box::new(error))
}

fn unreadable(error: StorageError) -> ErrorKind {
    ErrorKind::SpillRead(Box::new(error))
}

impl Spilling {
    pub(crate) fn new(
        config: &Config,
        spill: &Spill,
        plan: Plan,
        earlier: Option<&Checkpoint>,
    ) -> Result<Spilling, ErrorKind> {
        let hash = config.settings().hash();
        let place = Arc::clone(&spill.storage);
        let store = match earlier {
            None => SegmentStore::create(place, hash).map_err(storage)?,
            Some(checkpoint) => {
                let store = SegmentStore::open(place, hash).map_err(storage)?;
                store.keep(&checkpoint.segment_ids()).map_err(storage)?;
                store
            }
        };
        let threshold = config.threshold.units();
        let mut debts = Debts::new(store, threshold, config.travel.longest(), plan.tail);
        let mut selector = Selector::new(spill.policy.clone(), config.slots);
        if let Some(checkpoint) = earlier {
            let find = |id| checkpoint.segments.iter().find(|state| state.id == id);
            debts.restore(|id| find(id).map(|state| state.out));
            if let Some(seen) = checkpoint.sections.get(SEEN) {
                let (numbers, _) = seen.as_chunks::<8>();
                selector.restore(numbers.iter().map(|bytes| u64::from_le_bytes(*bytes)));
            }
        }
        Ok(Spilling {
            debts,
            selector,
            plan,
            predicate: Predicate::new(config),
            when_full: spill.when_full,
            room: 0,
        })
    }

    /// Notes that a tuple goes to the crew, for which room has been made.
    #[inline]
    pub(crate) fn admit(&mut self, tuple: &Tuple, watermark: i64) {
        self.room -= 1;
        self.selector.count(tuple);
        if self.debts.concerns(tuple, watermark) {
            self.debts.log(tuple);
        }
    }

    /// Whether the next tuple needs room to be made first.
    #[inline]
    pub(crate) fn is_short(&self) -> bool {
        self.room == 0 || self.debts.is_log_full()
    }

    /// Makes room for the tuple `next`, before which all have been joined. Gives the number of
    /// flushes.
    pub(crate) fn make_room(
        &mut self,
        crew: &mut Crew,
        next: u64,
        watermark: i64,
        give: &mut Give<'_>,
    ) -> Result<u64, ErrorKind> {
        let mut flushes = 0;
        let mut drained = false;
        let Plan { segments, portion, slots, .. } = self.plan;
        if self.debts.is_scattered(segments, portion) {
            self.debts
                .merge(next, watermark, portion, slots as u64, &self.predicate, give)
                .map_err(unreadable)?;
        }
        loop {
            let result = self.try_to_make_room(crew, next, watermark, &mut flushes);
            match result {
                Err(_) if self.when_full == WhenFull::Drain && !drained => {
                    while self.drain(next, watermark, give)? {}
                    drained = true;
                }
                Err(error) => return Err(full(error)),
                Ok(()) => return Ok(flushes),
            }
        }
    }

    fn try_to_make_room(
        &mut self,
        crew: &mut Crew,
        next: u64,
        watermark: i64,
        flushes: &mut u64,
    ) -> Result<(), StorageError> {
        if self.debts.is_log_full() {
            self.debts.write_log()?;
        }
        if self.room > 0 {
            return Ok(());
        }
        crew.all(|shards| {
            shards.iter_mut().for_each(|shard| shard.expire(watermark));
            loop {
                self.room = self.plan.room(shards, self.debts.bytes());
                if self.room > 0 {
                    return Ok(());
                }
                if shards.iter().all(|shard| shard.resident() == 0) {
                    self.room = 1;
                    return Ok(());
                }
                self.flush(shards, next)?;
                *flushes += 1;
            }
        })
    }

    /// Moves tuples to disk. Those that have been written are forgotten, also if others fail.
    fn flush(&mut self, shards: &mut [&mut dyn Shard], out: u64) -> Result<(), StorageError> {
        let chosen = select(&self.selector, shards);
        let mut written = vec![0; shards.len()];
        let mut reached = written.clone();
        let mut chunk: Vec<Tuple> = Vec::new();
        let mut result = Ok(());
        'all: for (number, handles) in chosen.iter().enumerate() {
            for &handle in handles {
                chunk.push(shards[number].get(handle));
                reached[number] += 1;
                if chunk.len() == self.plan.chunk {
                    result = self.write(&mut chunk, out);
                    if result.is_err() {
                        break 'all;
                    }
                    written.clone_from(&reached);
                }
            }
        }
        if result.is_ok() {
            result = self.write(&mut chunk, out);
            if result.is_ok() {
                written = reached;
            }
        }
        for ((shard, handles), written) in shards.iter_mut().zip(&chosen).zip(written) {
            shard.remove(&handles[..written]);
        }
        result
    }

    fn write(&mut self, chunk: &mut Vec<Tuple>, out: u64) -> Result<(), StorageError> {
        let slots = self.plan.slots as u64;
        let order = |tuple: &Tuple| (tuple.key % slots, Reverse(tuple.probability), tuple.seq);
        chunk.sort_unstable_by_key(order);
        self.debts.spill(chunk, out)?;
        chunk.clear();
        Ok(())
    }

    /// Drains one portion; whether there was anything to do.
    pub(crate) fn drain(
        &mut self,
        next: u64,
        watermark: i64,
        give: &mut Give<'_>,
    ) -> Result<bool, ErrorKind> {
        let portion = self.plan.portion;
        self.debts.drain(next, watermark, portion, &self.predicate, give).map_err(unreadable)
    }

    /// Brings everything to disk that a later run needs, and says what there is.
    pub(crate) fn checkpoint(
        &mut self,
        checkpoint: &mut Checkpoint,
        watermark: i64,
        give: &mut Give<'_>,
    ) -> Result<(), ErrorKind> {
        let portion = self.plan.portion;
        self.debts.complete(watermark, portion, &self.predicate, give).map_err(unreadable)?;
        self.debts.write_log().map_err(full)?;
        let state = |(id, out)| SegmentState { id, out };
        checkpoint.segments = self.debts.segments().map(state).collect();
        let seen = self.selector.seen().iter().flat_map(|count| count.to_le_bytes());
        checkpoint.sections.insert(SEEN.to_owned(), seen.collect());
        Ok(())
    }
}
