//! What tuples on disk owe, and the log of arrivals that they may have to meet.

use std::collections::VecDeque;

use super::drain::Cursor;
use crate::storage::{
    SegmentId, SegmentKind, SegmentMeta, SegmentOrder, SegmentSpec, SegmentStore, StorageError,
};
use crate::{Probability, Tuple};

/// A segment of tuples that left memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owed {
    pub(super) meta: SegmentMeta,
    /// Its tuples have met every partner before this place, and none from it on.
    pub(super) out: u64,
}

/// Everything on disk, and the end of the log that is not there yet.
#[derive(Debug)]
pub(crate) struct Debts {
    pub(super) store: SegmentStore,
    pub(super) threshold: u64,
    pub(super) longest: i64,
    pub(super) owed: Vec<Owed>,
    /// The log of arrivals: segments in order of their places.
    pub(super) log: VecDeque<SegmentMeta>,
    /// Arrivals that are not in a segment yet.
    pub(super) tail: Vec<Tuple>,
    tail_limit: usize,
    /// The greatest probability and the latest time on disk: who cannot reach them is no partner.
    likeliest: Option<Probability>,
    latest: i64,
    pub(super) cursor: Option<Cursor>,
    /// To be deleted.
    pub(super) retired: Vec<SegmentId>,
    /// Tuples and bytes that were written.
    pub(crate) spilled_entries: u64,
    pub(crate) spilled_bytes: u64,
    pub(crate) owed_pairs: u64,
    pub(crate) drained_pairs: u64,
}

impl Debts {
    /// No debts.
    pub(crate) fn new(
        store: SegmentStore,
        threshold: u64,
        longest: i64,
        tail_limit: usize,
    ) -> Debts {
        Debts {
            store,
            threshold,
            longest,
            owed: Vec::new(),
            log: VecDeque::new(),
            tail: Vec::new(),
            tail_limit,
            likeliest: None,
            latest: i64::MIN,
            cursor: None,
            retired: Vec::new(),
            spilled_entries: 0,
            spilled_bytes: 0,
            owed_pairs: 0,
            drained_pairs: 0,
        }
    }

    /// Takes up the segments of an earlier run, with how far each has been joined.
    pub(crate) fn restore(&mut self, outs: impl Fn(SegmentId) -> Option<u64>) {
        for meta in self.store.segments() {
            match (meta.spec.kind, outs(meta.id)) {
                (SegmentKind::Spilled, Some(out)) => self.owed.push(Owed { meta, out }),
                (SegmentKind::Arrivals, Some(_)) => self.log.push_back(meta),
                (_, None) => {}
            }
        }
        self.log.make_contiguous().sort_by_key(|meta| meta.seqs);
        self.refresh();
    }

    pub(crate) fn store(&self) -> &SegmentStore {
        &self.store
    }

    /// Whether anything is on disk.
    pub(crate) fn is_empty(&self) -> bool {
        self.owed.is_empty()
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.cursor.is_some()
    }

    /// Segments with how far each has been joined.
    pub(crate) fn segments(&self) -> impl Iterator<Item = (SegmentId, u64)> {
        let owed = self.owed.iter().map(|owed| (owed.meta.id, owed.out));
        owed.chain(self.log.iter().map(|meta| (meta.id, 0)))
    }

    /// The memory that the lists of segments take.
    pub(crate) fn bytes(&self) -> usize {
        self.owed.capacity() * size_of::<Owed>()
            + self.log.capacity() * size_of::<SegmentMeta>()
            + self.store.bytes()
    }

    /// Writes tuples that leave memory before the arrival of `out`. When this has succeeded they may
    /// be forgotten.
    pub(crate) fn spill(&mut self, tuples: &[Tuple], out: u64) -> Result<(), StorageError> {
        let (kind, order) = (SegmentKind::Spilled, SegmentOrder::Bucket);
        let spec = SegmentSpec { kind, order, shard: 0, out };
        if let Some(meta) = self.store.write(spec, tuples)? {
            self.spilled_entries += meta.count;
            self.spilled_bytes += meta.file_bytes();
            self.owed.push(Owed { meta, out });
            self.likeliest = self.likeliest.max(Some(meta.max_probability));
            self.latest = self.latest.max(meta.times.1);
        }
        Ok(())
    }

    /// Whether something on disk may have to meet an arrival.
    #[inline]
    pub(crate) fn concerns(&self, tuple: &Tuple, watermark: i64) -> bool {
        self.likeliest.is_some_and(|likeliest| {
            likeliest.times(tuple.probability).units() >= self.threshold
                && watermark.saturating_sub(self.latest) < self.longest
        })
    }

    /// Whether the log's end must be written before anything is added.
    #[inline]
    pub(crate) fn is_log_full(&self) -> bool {
        self.tail.len() >= self.tail_limit
    }

    /// Adds an arrival to the log, in which there is room.
    #[inline]
    pub(crate) fn log(&mut self, tuple: &Tuple) {
        self.tail.push(*tuple);
    }

    /// Writes the log's end.
    pub(crate) fn write_log(&mut self) -> Result<(), StorageError> {
        let (kind, order) = (SegmentKind::Arrivals, SegmentOrder::Seq);
        let spec = SegmentSpec { kind, order, shard: 0, out: 0 };
        if let Some(meta) = self.store.write(spec, &self.tail)? {
            self.spilled_bytes += meta.file_bytes();
            self.log.push_back(meta);
        }
        self.tail.clear();
        Ok(())
    }

    /// Forgets what nothing is owed to any more: segments that have met all arrivals before `next`
    /// and can meet no further one, and the part of the log that all have met.
    pub(super) fn settle(&mut self, next: u64, watermark: i64) {
        let longest = self.longest;
        let is_paid = |owed: &Owed| {
            owed.out >= next && watermark.saturating_sub(owed.meta.times.1) >= longest
        };
        let paid = self.owed.iter().filter(|owed| is_paid(owed)).map(|owed| owed.meta.id);
        self.retired.extend(paid);
        self.owed.retain(|owed| !is_paid(owed));
        let first = self.owed.iter().map(|owed| owed.out).min();
        let is_met = |last: u64| first.is_none_or(|first| last < first);
        let met = self.log.iter().filter(|meta| is_met(meta.seqs.1)).map(|meta| meta.id);
        self.retired.extend(met);
        self.log.retain(|meta| !is_met(meta.seqs.1));
        self.tail.retain(|tuple| !is_met(tuple.seq));
        self.retire();
        self.refresh();
    }

    /// Deletes what is of no use any more. What cannot be deleted now takes room, but does no harm:
    /// it is tried again with the next.
    fn retire(&mut self) {
        if !self.retired.is_empty() && self.store.retire(&self.retired).is_ok() {
            self.retired.clear();
        }
    }

    fn refresh(&mut self) {
        self.likeliest = self.owed.iter().map(|owed| owed.meta.max_probability).max();
        self.latest = self.owed.iter().map(|owed| owed.meta.times.1).max().unwrap_or(i64::MIN);
    }

    /// Gives up everything on disk.
    pub(crate) fn clear(&mut self) {
        let all: Vec<_> = self.segments().map(|(id, _)| id).collect();
        self.retired.extend(all);
        self.owed.clear();
        self.log.clear();
        self.tail.clear();
        self.retire();
        self.refresh();
    }
}
