//! The one place that sees all tuples in order: drops, counts, hands on, and gives out results.

use super::crew::Crew;
use super::give::Give;
use super::live::Live;
use super::shard::{Batch, Shard};
use super::spilling::Spilling;
use super::{Drained, Join, State};
use crate::checkpoint::Checkpoint;
use crate::spill::Plan;
use crate::storage::SegmentStore;
use crate::{Config, Engine, Error, ErrorKind, Sink, Stats, Tuple};

/// So many tuples are looked at together.
const MANY: usize = 128;

pub(crate) struct Distributor {
    config: Config,
    crew: Crew,
    spilling: Option<Spilling>,
    batch: Batch,
    /// How many tuples make a batch.
    round: usize,
    /// Slots of the paper's index if batches carry them.
    slots: Option<u64>,
    /// The least probability, in billionths, of what is not dropped.
    least_likely: u64,
    watermark: i64,
    /// The least place that the next tuple may have.
    least: u64,
    live: Live,
    stats: Stats,
    finished: bool,
}

impl Distributor {
    pub(crate) fn new(
        config: Config,
        earlier: Option<(&Checkpoint, &[Tuple])>,
    ) -> Result<Distributor, Error> {
        let plan = Plan::new(&config, Crew::threads(&config));
        let checkpoint = earlier.map(|(checkpoint, _)| checkpoint);
        let spilling = match &config.spill {
            Some(spill) => Some(Spilling::new(&config, spill, plan, checkpoint)?),
            None if checkpoint.is_some_and(|checkpoint| !checkpoint.segments.is_empty()) => {
                let text = "the checkpoint has tuples on disk, and no place for them was given";
                return Err(ErrorKind::Config(text.to_owned()).into());
            }
            None => None,
        };
        let live = Live::new(config.travel.longest() as u64 + config.lateness as u64);
        let paper = matches!(config.engine, Engine::Paper(_) | Engine::PaperBatched(_));
        let mut distributor = Distributor {
            crew: Crew::new(&config, &plan)?,
            spilling,
            batch: Batch { watermark: i64::MIN, ..Batch::default() },
            round: plan.round,
            slots: paper.then_some(plan.slots as u64),
            least_likely: config.threshold.units().div_ceil(config.cap.nanos().into()),
            config,
            watermark: i64::MIN,
            least: 0,
            live,
            stats: Stats::default(),
            finished: false,
        };
        if let Some((checkpoint, live)) = earlier {
            distributor.restore(checkpoint, live)?;
        }
        Ok(distributor)
    }

    fn restore(&mut self, checkpoint: &Checkpoint, live: &[Tuple]) -> Result<(), ErrorKind> {
        self.watermark = checkpoint.watermark.unwrap_or(i64::MIN);
        self.batch.watermark = self.watermark;
        self.least = checkpoint.next_seq;
        let streams = self.config.travel.streams();
        let is_known = |tuple: &&Tuple| (tuple.stream as usize) < streams;
        if live.iter().filter(is_known).count() < live.len()
            || !live.is_sorted_by_key(|tuple| tuple.seq)
        {
            return Err(ErrorKind::Config("the tuples are not those of the checkpoint".to_owned()));
        }
        let owners: Vec<usize> = live.iter().map(|tuple| self.crew.owner(tuple)).collect();
        let slots = self.slots.unwrap_or(1);
        self.crew.all(|shards| {
            for (tuple, owner) in live.iter().zip(owners) {
                shards[owner].restore(tuple, (tuple.key % slots) as u32);
            }
        });
        Ok(())
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
        let late = tuple.time < self.watermark;
        let dropped = u64::from(tuple.probability.nanos()) < self.least_likely;
        if let Some(spilling) = &self.spilling
            && spilling.is_short()
            && !late
            && !dropped
        {
            self.make_room(tuple.seq, give)?;
        }
        self.least = tuple.seq + 1;
        self.stats.input_tuples += 1;
        if late {
            self.stats.late += 1;
            give.late(tuple);
            return Ok(());
        }
        self.watermark = self.watermark.max(tuple.time.saturating_sub(self.config.lateness));
        if dropped {
            self.stats.pruned += 1;
            return Ok(());
        }
        if let Some(spilling) = &mut self.spilling {
            spilling.admit(tuple, self.watermark);
        }
        let end = tuple.time.saturating_add(self.config.travel.horizon(tuple.stream));
        self.live.add(end, self.watermark);
        self.batch.tuples.push(*tuple);
        if let Some(slots) = self.slots {
            self.batch.slots.push((tuple.key % slots) as u32);
        }
        Ok(())
    }

    /// Takes tuples as [`take`](Self::take) does up to the first that is an exception, but no more
    /// than find room in the batch. Gives how many.
    ///
    /// Which tuples are dropped cannot be foreseen, so nothing branches on it.
    fn take_plain(&mut self, tuples: &[Tuple]) -> usize {
        let room = self.round.saturating_sub(self.batch.tuples.len()).min(MANY);
        if self.spilling.is_some() || room == 0 {
            return 0;
        }
        let tuples = &tuples[..room.min(tuples.len())];
        if self.config.lateness == 0 {
            self.take_plain_with::<true>(tuples)
        } else {
            self.take_plain_with::<false>(tuples)
        }
    }

    /// `IN_ORDER`: the newest time is the watermark.
    #[inline]
    fn take_plain_with<const IN_ORDER: bool>(&mut self, tuples: &[Tuple]) -> usize {
        let streams = self.config.travel.streams();
        let lateness = self.config.lateness;
        let least_likely = self.least_likely;
        let (mut watermark, mut least) = (self.watermark, self.least);
        // Of those that stay: the place in the chunk, and the watermark then.
        let (mut staying, mut watermarks) = ([0_u32; MANY], [0_i64; MANY]);
        let (mut taken, mut count) = (0, 0);
        for tuple in tuples {
            // The last place there is must not be taken.
            let is_next = tuple.seq.wrapping_sub(least) < u64::MAX - least;
            if (tuple.stream as usize >= streams) | !is_next | (tuple.time < watermark) {
                break;
            }
            least = tuple.seq + 1;
            if IN_ORDER {
                watermark = tuple.time;
            } else {
                watermark = watermark.max(tuple.time.saturating_sub(lateness));
                watermarks[count % MANY] = watermark;
            }
            staying[count % MANY] = taken as u32;
            count += usize::from(u64::from(tuple.probability.nanos()) >= least_likely);
            taken += 1;
        }
        let tuples = &tuples[..taken];
        let staying = &staying[..count];
        let travel = &self.config.travel;
        self.live.add_all(staying.iter().zip(&watermarks).map(|(&place, &watermark)| {
            let tuple = &tuples[place as usize];
            let end = tuple.time.saturating_add(travel.horizon(tuple.stream));
            (end, if IN_ORDER { tuple.time } else { watermark })
        }));
        self.batch.tuples.extend(staying.iter().map(|&place| tuples[place as usize]));
        if let Some(slots) = self.slots {
            let slot = |&place: &u32| (tuples[place as usize].key % slots) as u32;
            self.batch.slots.extend(staying.iter().map(slot));
        }
        (self.watermark, self.least) = (watermark, least);
        self.stats.input_tuples += taken as u64;
        self.stats.pruned += (taken - count) as u64;
        taken
    }

    /// Makes room for the tuple of this place.
    #[cold]
    fn make_room(&mut self, next: u64, give: &mut Give<'_>) -> Result<(), Box<ErrorKind>> {
        self.settle(give);
        let Some(spilling) = &mut self.spilling else { return Ok(()) };
        let room = spilling.make_room(&mut self.crew, next, self.watermark, give);
        self.stats.flushes += room.map_err(Box::new)?;
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
    }

    fn settle(&mut self, give: &mut Give<'_>) {
        self.hand_on(give);
        self.crew.settle(give);
        self.count_resident();
    }

    /// Accounts for what was given, and stops for good if the sink failed or something on disk
    /// cannot be read: results that go with it may have been given already.
    fn close(&mut self, give: Give<'_>, result: Result<(), ErrorKind>) -> Result<(), ErrorKind> {
        self.stats.results += give.results;
        let result = match give.failed {
            None => result,
            Some(error) => Err(ErrorKind::Sink(error)),
        };
        if let Err(ErrorKind::Sink(_) | ErrorKind::SpillRead(_)) = result {
            self.finished = true;
        }
        result
    }

    fn count_resident(&mut self) -> usize {
        let resident = self.crew.all(|shards| shards.iter().map(|shard| shard.resident()).sum());
        self.stats.resident_max = self.stats.resident_max.max(resident as u64);
        resident
    }

    /// Settles, and drains one portion.
    fn drain_portion(&mut self, give: &mut Give<'_>) -> Result<Drained, ErrorKind> {
        self.settle(give);
        if let Some(spilling) = &mut self.spilling
            && give.failed.is_none()
            && spilling.drain(self.least, self.watermark, give)?
        {
            return Ok(Drained::More);
        }
        Ok(Drained::All)
    }
}

impl Join for Distributor {
    fn push(&mut self, tuples: &[Tuple], sink: &mut dyn Sink) -> Result<(), Error> {
        self.check()?;
        let mut give = Give::new(sink);
        let mut refused = Ok(());
        let mut taken = 0;
        while taken < tuples.len() && give.failed.is_none() {
            let plain = self.take_plain(&tuples[taken..]);
            taken += plain;
            if plain == 0 {
                refused = self.take(&tuples[taken], &mut give);
                if refused.is_err() || give.failed.is_some() {
                    break;
                }
                taken += 1;
            }
            // A batch that is nearly full goes, too: little would find room in it at a time.
            let slack = if plain > 0 { MANY / 8 } else { 0 };
            if self.batch.tuples.len() + slack >= self.round {
                self.hand_on(&mut give);
            }
        }
        if self.crew.is_alone() {
            self.hand_on(&mut give);
            self.count_resident();
        }
        let refused = refused.map_err(|kind| *kind);
        self.close(give, refused).map_err(|kind| Error::new(kind, taken))
    }

    fn advance(&mut self, watermark: i64, sink: &mut dyn Sink) -> Result<(), Error> {
        self.check()?;
        self.watermark = self.watermark.max(watermark);
        self.resident(sink).map(|_| ())
    }

    fn drain(&mut self, sink: &mut dyn Sink) -> Result<Drained, Error> {
        self.check()?;
        let mut give = Give::new(sink);
        let result = self.drain_portion(&mut give);
        let (drained, result) = match result {
            Ok(drained) => (drained, Ok(())),
            Err(error) => (Drained::All, Err(error)),
        };
        self.close(give, result)?;
        Ok(drained)
    }

    fn finish(&mut self, sink: &mut dyn Sink) -> Result<(), Error> {
        self.pause(sink)?;
        if let Some(spilling) = &mut self.spilling {
            spilling.debts.clear();
        }
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
        self.crew.all(|shards| shards.iter_mut().for_each(|shard| shard.expire(watermark)));
        let resident = self.count_resident();
        self.close(give, Ok(()))?;
        Ok(resident)
    }

    fn stats(&self) -> Stats {
        let stats = Stats { live_max: self.live.most, ..self.stats };
        match &self.spilling {
            None => stats,
            Some(Spilling { debts, .. }) => Stats {
                spilled_entries: debts.spilled_entries,
                spilled_bytes: debts.spilled_bytes,
                owed_pairs: debts.owed_pairs,
                drained_pairs: debts.drained_pairs,
                ..stats
            },
        }
    }

    fn state(&self) -> State {
        match &self.spilling {
            Some(Spilling { debts, .. }) if debts.is_draining() => State::Draining,
            Some(Spilling { debts, .. }) if !debts.is_empty() => State::Spilling,
            _ => State::Memory,
        }
    }

    fn checkpoint(
        &mut self,
        checkpoint: &mut Checkpoint,
        sink: &mut dyn Sink,
    ) -> Result<Vec<Tuple>, Error> {
        self.check()?;
        let mut give = Give::new(sink);
        self.settle(&mut give);
        let watermark = self.watermark;
        let result = match &mut self.spilling {
            Some(spilling) => spilling.checkpoint(checkpoint, watermark, &mut give),
            None => Ok(()),
        };
        self.close(give, result)?;
        checkpoint.next_seq = self.least;
        checkpoint.watermark = (watermark > i64::MIN).then_some(watermark);
        let mut live: Vec<Tuple> = self.crew.all(|shards| {
            let tuples = |shard: &&mut dyn Shard| -> Vec<Tuple> {
                shard.handles().into_iter().map(|handle| shard.get(handle)).collect()
            };
            shards.iter().flat_map(tuples).collect()
        });
        live.sort_unstable_by_key(|tuple| tuple.seq);
        Ok(live)
    }

    fn store(&self) -> Option<&SegmentStore> {
        self.spilling.as_ref().map(|spilling| spilling.debts.store())
    }
}
