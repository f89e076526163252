//! Paying what is owed: tuples on disk meet the arrivals after they had left.

use hashbrown::HashMap;

use super::debt::{Debts, Owed};
use crate::Tuple;
use crate::engine::{Give, Out, Predicate, Stored};
use crate::storage::{SegmentId, SegmentMeta, StorageError};

/// How far the segment that is being drained has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor {
    segment: SegmentId,
    /// Its next block.
    block: u64,
    /// It meets arrivals before this place.
    end: u64,
}

/// Tuples of one portion, by key.
struct Portion {
    tuples: Vec<Tuple>,
    /// First and last of each key.
    keys: HashMap<u64, (u32, u32)>,
}

impl Portion {
    fn new(mut tuples: Vec<Tuple>) -> Portion {
        tuples.sort_unstable_by_key(|tuple| (tuple.key, tuple.seq));
        let mut keys: HashMap<u64, (u32, u32)> = HashMap::new();
        for (number, tuple) in (0..).zip(&tuples) {
            keys.entry(tuple.key).and_modify(|range| range.1 = number).or_insert((number, number));
        }
        Portion { tuples, keys }
    }

    fn partners(&self, key: u64) -> &[Tuple] {
        match self.keys.get(&key) {
            Some(&(first, last)) => &self.tuples[first as usize..=last as usize],
            None => &[],
        }
    }
}

impl Debts {
    /// Joins one portion of about `limit` tuples (at least one block) with the arrivals before `next`
    /// that it has not met. Whether there was anything to do.
    ///
    /// # Errors
    /// Something cannot be read. Results may have been given already, so this cannot be repeated.
    pub(crate) fn drain(
        &mut self,
        next: u64,
        watermark: i64,
        limit: usize,
        predicate: &Predicate,
        give: &mut Give<'_>,
    ) -> Result<bool, StorageError> {
        let Some(cursor) = self.cursor.or_else(|| self.next_segment(next)) else {
            self.settle(next, watermark);
            return Ok(false);
        };
        let Some(place) = self.owed.iter().position(|owed| owed.meta.id == cursor.segment) else {
            self.cursor = None;
            return Ok(true);
        };
        let owed = self.owed[place];
        let mut next_block = owed.meta.blocks();
        if self.has_arrivals(&owed, cursor.end) {
            let mut reader = self.store.read(cursor.segment)?;
            reader.seek_block(cursor.block);
            let mut tuples = Vec::new();
            let mut block = Vec::new();
            while tuples.len() < limit.max(1) && reader.read_block(&mut block)? {
                tuples.append(&mut block);
            }
            next_block = reader.next_block();
            drop((reader, block));
            self.meet(&Portion::new(tuples), &owed, cursor.end, predicate, give)?;
        }
        if next_block < owed.meta.blocks() {
            self.cursor = Some(Cursor { block: next_block, ..cursor });
        } else {
            self.owed[place].out = cursor.end;
            self.cursor = None;
            self.settle(next, watermark);
        }
        Ok(true)
    }

    /// Finishes the segment that is under way, if any.
    pub(crate) fn complete(
        &mut self,
        watermark: i64,
        limit: usize,
        predicate: &Predicate,
        give: &mut Give<'_>,
    ) -> Result<(), StorageError> {
        while let Some(cursor) = self.cursor {
            self.drain(cursor.end, watermark, limit, predicate, give)?;
        }
        Ok(())
    }

    /// The first segment that has not met all arrivals before `next`.
    fn next_segment(&self, next: u64) -> Option<Cursor> {
        let owed = self.owed.iter().find(|owed| owed.out < next)?;
        Some(Cursor { segment: owed.meta.id, block: 0, end: next })
    }

    /// Whether a part of the log may have partners for a segment.
    fn may_meet(&self, owed: &Owed, log: &SegmentMeta, end: u64) -> bool {
        let apart = if log.times.0 > owed.meta.times.1 {
            log.times.0.saturating_sub(owed.meta.times.1)
        } else {
            owed.meta.times.0.saturating_sub(log.times.1)
        };
        log.seqs.1 >= owed.out
            && log.seqs.0 < end
            && apart < self.longest
            && log.max_probability.times(owed.meta.max_probability).units() >= self.threshold
    }

    fn has_arrivals(&self, owed: &Owed, end: u64) -> bool {
        let is_owed = |tuple: &Tuple| tuple.seq >= owed.out && tuple.seq < end;
        self.log.iter().any(|log| self.may_meet(owed, log, end)) || self.tail.iter().any(is_owed)
    }

    /// Joins tuples of a segment with all arrivals from its `out` on and before `end`.
    fn meet(
        &mut self,
        portion: &Portion,
        owed: &Owed,
        end: u64,
        predicate: &Predicate,
        give: &mut Give<'_>,
    ) -> Result<(), StorageError> {
        let before = give.results;
        let mut compared = 0;
        let mut hand_over = |pairs: &mut Vec<_>| give.pairs(pairs);
        let mut out = Out::new(Vec::new(), false, Out::FEW, &mut hand_over);
        let mut meet = |arrival: &Tuple| {
            if arrival.seq < owed.out || arrival.seq >= end {
                return;
            }
            for tuple in portion.partners(arrival.key) {
                compared += 1;
                if let Some(pair) = Stored::new(tuple).pair(arrival, predicate) {
                    out.push(pair);
                }
            }
        };
        let mut block = Vec::new();
        for log in self.log.iter().filter(|log| self.may_meet(owed, log, end)) {
            let mut reader = self.store.read(log.id)?;
            if log.seqs.0 < owed.out {
                reader.seek_seq(owed.out, &mut block)?;
            }
            while reader.read_block(&mut block)? {
                block.iter().for_each(&mut meet);
            }
        }
        self.tail.iter().for_each(&mut meet);
        out.finish();
        self.owed_pairs += compared;
        self.drained_pairs += give.results - before;
        Ok(())
    }
}
