//! From rows to the join.

use ujoin::input::{
    Admission, Admitted, Fault, LONG, RowReader, Sighting, Streams, Unit, is_long, pack,
};
use ujoin::mode::{Retention, candidate_threshold, least_certain};
use ujoin::storage::StorageError;
use ujoin::{Drained, Error, Join, Probability, Product, Stats, Tuple};

use super::arguments::Mode;
use super::gather::{Gather, Gathered};
use super::results::{NAMED, Printer, UNIT};

/// Tuples that are joined at once.
const BATCH: usize = 4_096;

/// Why a run ended before its input.
pub(crate) enum Stop {
    /// Nothing more can be written.
    Output,
    /// A row that is refused.
    Fault(Fault),
    Join(Error),
    /// Rows cannot be moved to disk.
    Rows(StorageError),
}

/// Takes rows, decides which are joined, keeps them as long as results may need them.
pub(crate) struct Feed {
    pub(crate) join: Box<dyn Join>,
    pub(crate) printer: Printer,
    pub(crate) judge: Judge,
    pub(crate) counts: Counts,
    pub(crate) retention: Retention,
    /// The place in the order of arrival that the next tuple gets.
    pub(crate) next: u64,
    /// The first whose row may still be needed.
    pub(crate) needed: u64,
    batch: Vec<Tuple>,
    row: Vec<u8>,
    mode: Mode,
    /// The least product with a certain partner that is kept.
    threshold: Product,
    /// With --mode observation: the least, in billionths, of the likeliest alternative.
    likeliest: u64,
    /// What the join of a run before had counted, and what this one counted on the same rows.
    base: [Stats; 2],
}

/// Decides which rows are joined.
pub(crate) enum Judge {
    /// Rows that stand together.
    Rows {
        admission: Admission,
        unit: Unit,
    },
    Observations(Gather),
}

/// What is counted here.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Counts {
    pub(crate) rows: u64,
    pub(crate) late: u64,
    pub(crate) rounded: u64,
    pub(crate) duplicates: u64,
    pub(crate) rejected: u64,
    pub(crate) pruned: u64,
}

/// The least product of alternatives that the join has to find.
pub(crate) fn join_threshold(mode: Mode, threshold: Product) -> Product {
    match mode {
        Mode::Tuple => threshold,
        Mode::Observation => candidate_threshold(threshold),
        // Every pair counts.
        Mode::Expected => Product::from_units(0),
    }
}

impl Feed {
    pub(crate) fn new(
        join: Box<dyn Join>,
        printer: Printer,
        judge: Judge,
        longest: i64,
        (mode, threshold): (Mode, Product),
    ) -> Feed {
        Feed {
            join,
            printer,
            judge,
            counts: Counts::default(),
            retention: Retention::new(longest),
            next: 0,
            needed: 0,
            batch: Vec::with_capacity(BATCH),
            row: vec![],
            mode,
            threshold: join_threshold(mode, threshold),
            likeliest: least_certain(threshold),
            base: [Stats::default(); 2],
        }
    }

    /// Takes a row.
    pub(crate) fn take(&mut self, sighting: &Sighting<'_>, streams: &Streams) -> Result<(), Stop> {
        if let Judge::Rows { unit, .. } = &self.judge
            && !unit.fits(sighting)
        {
            self.settle(streams)?;
        }
        self.counts.rows += 1;
        self.counts.rounded += u64::from(sighting.rounded);
        match &mut self.judge {
            Judge::Rows { unit, .. } if sighting.observation.is_some() => {
                unit.push(sighting);
                Ok(())
            }
            Judge::Rows { admission, .. } => {
                if admission.admit(sighting.time) {
                    return self.accept(sighting, observation(sighting, self.next), None);
                }
                self.late(sighting);
                Ok(())
            }
            Judge::Observations(gather) => {
                match gather.push(sighting, streams) {
                    Gathered::Held => {}
                    Gathered::Late => self.late(sighting),
                    Gathered::Bad(problem) => {
                        let place = ujoin::input::Place::Row;
                        let fault = Fault { line: sighting.line, place, problem };
                        self.reject(fault, sighting.row.as_bytes())?;
                    }
                }
                self.release(false, streams)
            }
        }
    }

    /// A row is refused.
    pub(crate) fn bad(&mut self, fault: Fault, row: &[u8], streams: &Streams) -> Result<(), Stop> {
        self.counts.rows += 1;
        if matches!(self.judge, Judge::Rows { .. }) {
            // Rows are set aside in their order.
            self.settle(streams)?;
        }
        self.reject(fault, row)
    }

    fn reject(&mut self, fault: Fault, row: &[u8]) -> Result<(), Stop> {
        self.counts.rejected += 1;
        if self.printer.outputs.reject(row) { Ok(()) } else { Err(Stop::Fault(fault)) }
    }

    fn late(&mut self, sighting: &Sighting<'_>) {
        self.counts.late += 1;
        self.printer.outputs.late(sighting.row.as_bytes());
    }

    /// Decides on rows that wait for others of their observation to follow them directly.
    pub(crate) fn settle(&mut self, streams: &Streams) -> Result<(), Stop> {
        let Judge::Rows { admission, unit } = &mut self.judge else { return Ok(()) };
        if unit.is_empty() {
            return Ok(());
        }
        let mut settled = std::mem::take(unit);
        admission.settle(&mut settled, streams);
        let done = settled.iter().try_for_each(|(sighting, admitted)| {
            let number = observation(&sighting, self.next);
            self.judged(&sighting, admitted, number, None)
        });
        settled.clear();
        if let Judge::Rows { unit, .. } = &mut self.judge {
            *unit = settled;
        }
        done
    }

    fn judged(
        &mut self,
        sighting: &Sighting<'_>,
        admitted: &Admitted,
        number: u64,
        place: Option<(u16, u16)>,
    ) -> Result<(), Stop> {
        match admitted {
            Admitted::Yes => self.accept(sighting, number, place),
            Admitted::Late => {
                self.late(sighting);
                Ok(())
            }
            Admitted::Duplicate => {
                self.counts.duplicates += 1;
                Ok(())
            }
            Admitted::Bad(problem) => {
                let (line, place) = (sighting.line, ujoin::input::Place::Row);
                let fault = Fault { line, place, problem: problem.clone() };
                self.reject(fault, sighting.row.as_bytes())
            }
        }
    }

    /// Joins observations that are complete.
    fn release(&mut self, at_the_end: bool, streams: &Streams) -> Result<(), Stop> {
        while let Judge::Observations(gather) = &mut self.judge
            && let Some(unit) = gather.next(at_the_end, streams)
        {
            let good = || unit.iter().filter(|(_, admitted)| **admitted == Admitted::Yes);
            let nanos = |sighting: &Sighting<'_>| u64::from(sighting.probability.nanos());
            let likeliest = good().map(|(sighting, _)| nanos(&sighting)).max();
            let hopeless = likeliest.is_some_and(|likeliest| likeliest < self.likeliest);
            // There are at most a thousand.
            let count = good().count() as u16;
            let first = self.next;
            let mut place = 0;
            for (sighting, admitted) in unit.iter() {
                if hopeless && *admitted == Admitted::Yes {
                    self.counts.pruned += 1;
                    continue;
                }
                let number = observation(&sighting, first);
                self.judged(&sighting, admitted, number, Some((place, count)))?;
                place += u16::from(*admitted == Admitted::Yes);
            }
            if let Judge::Observations(gather) = &mut self.judge {
                gather.recycle(unit);
            }
        }
        Ok(())
    }

    /// Gives a row to the join. `place` is that among the alternatives of its observation.
    fn accept(
        &mut self,
        sighting: &Sighting<'_>,
        observation: u64,
        place: Option<(u16, u16)>,
    ) -> Result<(), Stop> {
        let Sighting { stream, time, probability, .. } = *sighting;
        let seq = self.next;
        self.next += 1;
        if let Some((place, count)) = place {
            self.row.clear();
            debug_assert_eq!(UNIT, 4);
            self.row.extend_from_slice(&place.to_le_bytes());
            self.row.extend_from_slice(&count.to_le_bytes());
            self.row.extend_from_slice(sighting.row.as_bytes());
            self.printer.rows.push(seq, &self.row);
            self.retention.note(seq, time);
        } else if probability.times(Probability::ONE) >= self.threshold {
            self.printer.rows.push(seq, sighting.row.as_bytes());
            self.retention.note(seq, time);
        }
        let key = pack(sighting.key);
        self.batch.push(Tuple { seq, observation, key, time, stream, probability });
        if self.batch.len() == BATCH { self.flush() } else { Ok(()) }
    }

    /// Joins what was taken, prints slices that are over, forgets rows that are not needed.
    pub(crate) fn flush(&mut self) -> Result<(), Stop> {
        self.join.push(&self.batch, &mut self.printer).map_err(Stop::Join)?;
        self.batch.clear();
        if let Judge::Observations(gather) = &self.judge
            && let Some(watermark) = gather.watermark()
        {
            self.join.advance(watermark, &mut self.printer).map_err(Stop::Join)?;
        }
        if self.printer.rows.over_limit() {
            self.printer.rows.spill().map_err(Stop::Rows)?;
        }
        let watermark = self.join.watermark();
        if self.printer.is_due(watermark) || self.retention.is_worth_it(watermark) {
            self.join.pause(&mut self.printer).map_err(Stop::Join)?;
            self.printer.close(Some(watermark));
            self.needed = self.needed.max(self.retention.release(watermark));
            self.printer.rows.forget_before(self.needed);
        }
        if self.printer.outputs.error().is_some() { Err(Stop::Output) } else { Ok(()) }
    }

    /// Works off what is owed, as far as one portion; false if nothing is left.
    pub(crate) fn drain(&mut self) -> Result<bool, Stop> {
        let drained = self.join.drain(&mut self.printer).map_err(Stop::Join)?;
        Ok(drained == Drained::More)
    }

    /// Works off all that is owed; every result of what was joined is then printed.
    pub(crate) fn pause(&mut self) -> Result<(), Stop> {
        self.flush()?;
        self.join.pause(&mut self.printer).map_err(Stop::Join)
    }

    /// Joins all that was held back, and ends.
    pub(crate) fn finish(&mut self, streams: &Streams) -> Result<(), Stop> {
        self.settle(streams)?;
        self.release(true, streams)?;
        self.flush()?;
        self.join.finish(&mut self.printer).map_err(Stop::Join)?;
        self.printer.close(None);
        Ok(())
    }

    /// What the join has counted, in this run and those before.
    pub(crate) fn join_stats(&self) -> Stats {
        let (now, [base, replayed]) = (self.join.stats(), &self.base);
        let sum = |of: fn(&Stats) -> u64| of(base) + of(&now).saturating_sub(of(replayed));
        Stats {
            input_tuples: sum(|stats| stats.input_tuples),
            pruned: sum(|stats| stats.pruned),
            survivors: sum(|stats| stats.survivors),
            enqueues: sum(|stats| stats.enqueues),
            batches: sum(|stats| stats.batches),
            flushes: sum(|stats| stats.flushes),
            spilled_entries: sum(|stats| stats.spilled_entries),
            spilled_bytes: sum(|stats| stats.spilled_bytes),
            owed_pairs: sum(|stats| stats.owed_pairs),
            drained_pairs: sum(|stats| stats.drained_pairs),
            late: sum(|stats| stats.late),
            resident_max: base.resident_max.max(now.resident_max),
            live_max: base.live_max.max(now.live_max),
            ..now
        }
    }

    /// Goes on after a checkpoint: joins the rows in the window again.
    pub(crate) fn replay(
        &mut self,
        reader: &mut RowReader,
        (next, needed): (u64, u64),
        watermark: Option<i64>,
        base: Stats,
    ) -> Result<(), Stop> {
        (self.next, self.needed, self.printer.passed) = (next, needed, next);
        let mut row = vec![];
        for seq in needed..next {
            if !self.printer.rows.get(seq, &mut row).map_err(Stop::Rows)? {
                continue;
            }
            let header = if self.mode == Mode::Observation { UNIT } else { 0 };
            let place = if header > 0 { u16::from_le_bytes([row[0], row[1]]) } else { 0 };
            let text = std::str::from_utf8(&row[header..]).unwrap_or_default();
            let Some(sighting) = reader.read(text) else { continue };
            let Sighting { stream, time, probability, .. } = sighting;
            let observation = observation(&sighting, seq - u64::from(place));
            let key = pack(sighting.key);
            self.retention.note(seq, time);
            self.batch.push(Tuple { seq, observation, key, time, stream, probability });
            if self.batch.len() == BATCH {
                self.join.push(&self.batch, &mut self.printer).map_err(Stop::Join)?;
                self.batch.clear();
            }
        }
        self.join.push(&self.batch, &mut self.printer).map_err(Stop::Join)?;
        self.batch.clear();
        if let Some(watermark) = watermark {
            self.join.advance(watermark, &mut self.printer).map_err(Stop::Join)?;
        }
        self.join.pause(&mut self.printer).map_err(Stop::Join)?;
        self.base = [base, self.join.stats()];
        Ok(())
    }

    /// All counters.
    pub(crate) fn stats(&self) -> Stats {
        let Counts { rows, late, rounded, duplicates, rejected, pruned } = self.counts;
        let stats = self.join_stats();
        let pruned = stats.pruned + pruned;
        let input_tuples = rows;
        let results = self.printer.results;
        let late = stats.late + late;
        Stats { input_tuples, pruned, late, rounded, duplicates, rejected, results, ..stats }
    }
}

/// The number of a row's observation: equal for two rows only if they are of one. Long names have
/// the number of the row.
pub(crate) fn observation(sighting: &Sighting<'_>, seq: u64) -> u64 {
    match sighting.observation.map(pack) {
        None => LONG | seq,
        Some(number) if is_long(number) => LONG | NAMED | seq,
        Some(number) => number,
    }
}
