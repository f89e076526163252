//! Making few segments of many: a budget in bytes counts what is known of each, so that many small
//! ones leave no room for tuples, which then go to disk one by one, each a segment.

use std::cmp::Reverse;

use super::debt::{Debts, Owed};
use crate::Tuple;
use crate::engine::{Give, Predicate};
use crate::storage::{SegmentKind, SegmentMeta, SegmentOrder, SegmentSpec, StorageError};

impl Debts {
    /// What is known of a segment, in bytes: here and in the store.
    pub(crate) const KNOWN_BYTES: usize = size_of::<Owed>() + 2 * size_of::<SegmentMeta>();

    /// Whether there are more segments than so many, and fewer would do: small ones of tuples, or
    /// much of the log that was kept for those that have not met it.
    #[inline]
    pub(crate) fn is_scattered(&self, segments: usize, limit: usize) -> bool {
        let is_small = |owed: &&Owed| owed.meta.count * 2 <= limit as u64;
        self.owed.len() + self.log.len() > segments
            && (self.log.len() > segments / 2
                || self.owed.iter().filter(is_small).count() > self.owed.len() / 2)
    }

    /// Pays all that is owed up to the arrival `next`, so that all segments have met the same, and
    /// makes one of several small ones, of at most about `limit` tuples. What cannot be written stays
    /// as it is.
    ///
    /// # Errors
    /// Something cannot be read. Results may have been given already, so this cannot be repeated.
    pub(crate) fn merge(
        &mut self,
        next: u64,
        watermark: i64,
        limit: usize,
        slots: u64,
        predicate: &Predicate,
        give: &mut Give<'_>,
    ) -> Result<(), StorageError> {
        while give.failed.is_none() && self.drain(next, watermark, limit, predicate, give)? {}
        if give.failed.is_some() {
            return Ok(());
        }
        let (small, mut kept): (Vec<Owed>, Vec<Owed>) =
            self.owed.iter().partition(|owed| owed.meta.count * 2 <= limit as u64);
        let mut rest = &small[..];
        while !rest.is_empty() {
            let mut count = 0;
            let fits = |owed: &&Owed| {
                count += owed.meta.count;
                count <= limit as u64
            };
            let (group, others) = rest.split_at(rest.iter().take_while(fits).count().max(1));
            rest = others;
            if let [alone] = group {
                kept.push(*alone);
                continue;
            }
            match self.write_merged(group, next, watermark, slots)? {
                Ok(merged) => {
                    kept.extend(merged.map(|meta| Owed { meta, out: next }));
                    self.retired.extend(group.iter().map(|owed| owed.meta.id));
                }
                Err(_) => {
                    kept.extend(group);
                    kept.extend(rest);
                    break;
                }
            }
        }
        kept.shrink_to_fit();
        self.owed = kept;
        self.log.shrink_to_fit();
        self.settle(next, watermark);
        Ok(())
    }

    /// Writes the tuples of some segments that can still meet any to one; the inner error is the
    /// writer's.
    fn write_merged(
        &mut self,
        group: &[Owed],
        out: u64,
        watermark: i64,
        slots: u64,
    ) -> Result<Result<Option<SegmentMeta>, StorageError>, StorageError> {
        let mut tuples: Vec<Tuple> = Vec::new();
        let mut block = Vec::new();
        for owed in group {
            let mut reader = self.store.read(owed.meta.id)?;
            while reader.read_block(&mut block)? {
                tuples.append(&mut block);
            }
        }
        tuples.retain(|tuple| watermark.saturating_sub(tuple.time) < self.longest);
        tuples.sort_unstable_by_key(|tuple| {
            (tuple.key % slots, Reverse(tuple.probability), tuple.seq)
        });
        let (kind, order) = (SegmentKind::Spilled, SegmentOrder::Bucket);
        let written = self.store.write(SegmentSpec { kind, order, shard: 0, out }, &tuples);
        if let Ok(Some(meta)) = &written {
            self.spilled_bytes += meta.file_bytes();
        }
        Ok(written)
    }
}
