//! The one place that sees all tuples in order: drops, counts, hands on, and gives out results.

use super::keyed::Keyed;
use super::shard::{Out, Shard};
use super::{Drained, Join};
use crate::{Config, Error, ErrorKind, Pair, Sink, SinkError, Stats, Tuple};

/// How many tuples are joined at a time.
const BATCH: usize = 256;

pub(crate) struct Distributor {
    config: Config,
    shard: Box<dyn Shard>,
    batch: Vec<Tuple>,
    pairs: Vec<Pair>,
    watermark: i64,
    last: Option<u64>,
    stats: Stats,
    finished: bool,
}

impl Distributor {
    pub(crate) fn new(config: Config) -> Result<Distributor, Error> {
        Ok(Distributor {
            shard: Box::new(Keyed::new(&config)),
            config,
            batch: Vec::new(),
            pairs: Vec::new(),
            watermark: i64::MIN,
            last: None,
            stats: Stats::default(),
            finished: false,
        })
    }

    fn check(&self) -> Result<(), Error> {
        if self.finished { Err(ErrorKind::Finished.into()) } else { Ok(()) }
    }

    /// Takes a tuple into the batch unless it is late or dropped.
    fn take(&mut self, tuple: &Tuple, sink: &mut dyn Sink) -> Result<(), ErrorKind> {
        let streams = self.config.travel.streams();
        if tuple.stream as usize >= streams {
            let Tuple { stream, seq, .. } = *tuple;
            return Err(ErrorKind::UnknownStream { stream, streams, seq });
        }
        if let Some(previous) = self.last
            && tuple.seq <= previous
        {
            return Err(ErrorKind::Order { seq: tuple.seq, previous });
        }
        self.last = Some(tuple.seq);
        self.stats.input_tuples += 1;
        if tuple.time < self.watermark {
            self.stats.late += 1;
            return sink.late(tuple).map_err(ErrorKind::Sink);
        }
        self.watermark = self.watermark.max(tuple.time.saturating_sub(self.config.lateness));
        if tuple.probability.times(self.config.cap) < self.config.threshold {
            self.stats.pruned += 1;
            return Ok(());
        }
        self.stats.survivors += 1;
        self.batch.push(*tuple);
        Ok(())
    }

    fn join(&mut self, watermark: i64, sink: &mut dyn Sink) -> Result<(), ErrorKind> {
        let mut failed: Option<SinkError> = None;
        let mut results = 0;
        let mut hand_over = |pairs: &mut Vec<Pair>| {
            results += pairs.len() as u64;
            failed = sink.pairs(pairs).err();
            pairs.clear();
            failed.is_none()
        };
        let mut out = Out::new(std::mem::take(&mut self.pairs), &mut hand_over);
        self.shard.join(&self.batch, watermark, &mut out);
        self.pairs = out.finish();
        self.stats.batches += 1;
        self.stats.enqueues += self.batch.len() as u64;
        self.batch.clear();
        self.stats.results += results;
        let resident = self.shard.resident() as u64;
        self.stats.resident_max = self.stats.resident_max.max(resident);
        failed.map_or(Ok(()), |error| Err(ErrorKind::Sink(error)))
    }
}

impl Join for Distributor {
    fn push(&mut self, tuples: &[Tuple], sink: &mut dyn Sink) -> Result<(), Error> {
        self.check()?;
        let mut taken = 0;
        for part in tuples.chunks(BATCH) {
            let watermark = self.watermark;
            let mut result = Ok(());
            for tuple in part {
                result = self.take(tuple, sink);
                if result.is_err() {
                    break;
                }
                taken += 1;
            }
            let joined = self.join(watermark, sink);
            if let Err(kind) = result.and(joined) {
                self.finished = matches!(kind, ErrorKind::Sink(_));
                return Err(Error::new(kind, taken));
            }
        }
        Ok(())
    }

    fn advance(&mut self, watermark: i64, _: &mut dyn Sink) -> Result<(), Error> {
        self.check()?;
        self.watermark = self.watermark.max(watermark);
        self.shard.expire(self.watermark);
        Ok(())
    }

    fn drain(&mut self, _: &mut dyn Sink) -> Result<Drained, Error> {
        self.check()?;
        Ok(Drained::All)
    }

    fn finish(&mut self, sink: &mut dyn Sink) -> Result<(), Error> {
        self.pause(sink)?;
        self.finished = true;
        Ok(())
    }

    fn watermark(&self) -> i64 {
        self.watermark
    }

    fn resident(&mut self, _: &mut dyn Sink) -> Result<usize, Error> {
        self.shard.expire(self.watermark);
        Ok(self.shard.resident())
    }

    fn stats(&self) -> Stats {
        self.stats
    }
}
