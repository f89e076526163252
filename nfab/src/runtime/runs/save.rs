//! Runs in snapshots.

use super::bucket::Run;
use super::{Bucket, Part, Runs, find};
use crate::error::Error;
use crate::event::Event;
use crate::history::EventIndex;
use crate::history::save::Saved;
use crate::runtime::evaluator::Evaluator;
use crate::runtime::save::Save;
use crate::snapshot::{Loading, Stretch, corrupt, state};

impl<E: Event, H: Saved> Save<E> for Runs<H> {
    fn save(&self, first: EventIndex) -> state::History {
        self.history.save(first)
    }

    fn save_part(&self, part: &Part, first: EventIndex) -> state::Part {
        let runs = |bucket: &Bucket| {
            let run = |at| {
                let Run { tail, entered, matched, .. } = *bucket.run(at);
                let entered = self.gaps.then_some(entered);
                let registers = bucket.registers(at).to_vec();
                state::Run { tail: self.history.number(tail), entered, matched, registers }
            };
            bucket.places().map(run).collect()
        };
        let full = part.buckets.iter().filter(|bucket| !bucket.is_empty());
        state::Part::Runs {
            buckets: full.map(|bucket| (bucket.wait, runs(bucket))).collect(),
            candidates: part.candidates.save(first),
            held: part.held.save(first),
        }
    }

    fn load(
        &mut self,
        saved: state::History,
        loading: &Loading<'_>,
    ) -> Result<Vec<Stretch>, Error> {
        self.history.load(saved, loading)
    }

    fn load_part(&mut self, saved: state::Part, loading: &Loading<'_>) -> Result<Part, Error> {
        let state::Part::Runs { buckets, candidates, held } = saved else {
            return Err(corrupt("a partition is of another evaluation"));
        };
        let mut part = Evaluator::<E>::part(self);
        let width = self.fresh.len();
        for (wait, runs) in buckets {
            let bucket = find(&mut part.buckets, loading.wait(wait)?, width);
            self.alive += runs.len();
            for state::Run { tail, entered, matched, registers } in runs {
                let Stretch { tail, first, last, length } = loading.stretch(tail)?;
                loading.registers(&registers)?;
                let last = loading.time(last);
                let run = Run {
                    tail,
                    length,
                    start: loading.number(first),
                    key: loading.key(first),
                    last,
                    entered: entered.unwrap_or(last),
                    matched,
                };
                bucket.push(run, registers.into_iter());
            }
        }
        part.candidates.load(&candidates, loading)?;
        for events in held {
            part.held.add(&loading.taken(&events)?);
        }
        part.note();
        self.candidates += part.candidates.len();
        self.held += part.held.len();
        Ok(part)
    }
}
