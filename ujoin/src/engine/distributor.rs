//! The one place that sees all tuples in order: drops, counts, hands on, and gives out results.

use super::crew::Crew;
use super::give::Give;
use super::shard::Batch;
use super::{Drained, Join};
use crate::{Config, Engine, Error, ErrorKind, Sink, Stats, Tuple};

pub(crate) struct Distributor {
    config: Config,
    crew: Crew,
    batch: Batch,
    /// How many tuples make a batch.
    round: usize,
    /// Whether batches carry slots.
    slotted: bool,
    watermark: i64,
    /// The least place that the next tuple may have.
    least: u64,
    stats: Stats,
    /// Set while tuples may be on their way.
    busy: bool,
    finished: bool,
}

impl Distributor {
    pub(crate) fn new(config: Config) -> Result<Distributor, Error> {
        Ok(Distributor {
            crew: Crew::new(&config)?,
            batch: Batch { watermark: i64::MIN, ..Batch::default() },
            round: Crew::round_of(&config),
            slotted: matches!(config.engine, Engine::Paper(_) | Engine::PaperBatched(_)),
            config,
            watermark: i64::MIN,
            least: 0,
            stats: Stats::default(),
            busy: false,
            finished: false,
        })
    }

    fn check(&self) -> Result<(), Error> {
        if self.finished { Err(ErrorKind::Finished.into()) } else { Ok(()) }
    }

    /// Takes a tuple into the batch unless it is late or dropped.
    #[inline]
    fn take(&mut self, tuple: &Tuple, give: &mut Give<'_>) -> Result<(), Box<ErrorKind>> {
        if tuple.stream as usize >= self.config.travel.streams()
            || tuple.seq < self.least
            || tuple.seq == u64::MAX
        {
            return Err(self.refusal(tuple));
        }
        self.least = tuple.seq + 1;
        self.stats.input_tuples += 1;
        if tuple.time < self.watermark {
            self.stats.late += 1;
            give.late(tuple);
            return Ok(());
        }
        self.watermark = self.watermark.max(tuple.time.saturating_sub(self.config.lateness));
        if tuple.probability.times(self.config.cap) < self.config.threshold {
            self.stats.pruned += 1;
            return Ok(());
        }
        self.batch.tuples.push(*tuple);
        if self.slotted {
            self.batch.slots.push((tuple.key % self.config.slots as u64) as u32);
        }
        Ok(())
    }

    #[cold]
    fn refusal(&self, tuple: &Tuple) -> Box<ErrorKind> {
        let Tuple { stream, seq, .. } = *tuple;
        let streams = self.config.travel.streams();
        Box::new(if stream as usize >= streams {
            ErrorKind::UnknownStream { stream, streams, seq }
        } else {
            ErrorKind::Order { seq, least: self.least }
        })
    }

    /// Hands the batch to the crew.
    fn hand_on(&mut self, give: &mut Give<'_>) {
        self.stats.survivors += self.batch.tuples.len() as u64;
        let (enqueues, batches) = self.crew.join(&mut self.batch, give);
        self.stats.enqueues += enqueues;
        self.stats.batches += batches;
        self.batch.watermark = self.watermark;
        self.busy = true;
    }

    fn settle(&mut self, give: &mut Give<'_>) {
        self.hand_on(give);
        self.crew.settle(give);
        self.busy = false;
    }

    /// Accounts for what was given, and stops for good if the sink failed.
    fn close(&mut self, give: Give<'_>) -> Result<(), ErrorKind> {
        self.stats.results += give.results;
        match give.failed {
            None => Ok(()),
            Some(error) => {
                self.finished = true;
                Err(ErrorKind::Sink(error))
            }
        }
    }

    fn count_resident(&mut self) -> usize {
        let mut resident = 0;
        self.crew.each(|shard| resident += shard.resident());
        self.stats.resident_max = self.stats.resident_max.max(resident as u64);
        resident
    }
}

impl Join for Distributor {
    fn push(&mut self, tuples: &[Tuple], sink: &mut dyn Sink) -> Result<(), Error> {
        self.check()?;
        let mut give = Give::new(sink);
        let mut refused = Ok(());
        let mut taken = 0;
        for tuple in tuples {
            refused = self.take(tuple, &mut give);
            if refused.is_err() || give.failed.is_some() {
                break;
            }
            taken += 1;
            if self.batch.tuples.len() >= self.round {
                self.hand_on(&mut give);
            }
        }
        if self.crew.is_alone() {
            self.hand_on(&mut give);
            self.count_resident();
        }
        self.close(give).and(refused.map_err(|kind| *kind)).map_err(|kind| Error::new(kind, taken))
    }

    fn advance(&mut self, watermark: i64, sink: &mut dyn Sink) -> Result<(), Error> {
        self.check()?;
        self.watermark = self.watermark.max(watermark);
        self.resident(sink).map(|_| ())
    }

    fn drain(&mut self, sink: &mut dyn Sink) -> Result<Drained, Error> {
        self.check()?;
        let mut give = Give::new(sink);
        self.settle(&mut give);
        self.close(give)?;
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

    fn resident(&mut self, sink: &mut dyn Sink) -> Result<usize, Error> {
        self.check()?;
        let mut give = Give::new(sink);
        self.settle(&mut give);
        let watermark = self.watermark;
        self.crew.each(|shard| shard.expire(watermark));
        let resident = self.count_resident();
        self.close(give)?;
        Ok(resident)
    }

    fn stats(&self) -> Stats {
        self.stats
    }
}
