//! Streams in snapshots.

use super::Driver;
use super::bounds::worth_while;
use crate::error::Error;
use crate::event::Event;
use crate::runtime::save::Save;
use crate::snapshot::state::State;
use crate::snapshot::{Loading, corrupt, fingerprint, options};

impl<E: Event, V: Save<E>> Driver<E, V> {
    /// All that is live, but for events that wait.
    pub(in crate::runtime) fn save(&mut self, kind: &str) -> State<&E> {
        self.horizon = self.horizon();
        self.collect();
        let keyed = !self.automaton.program.key.is_empty();
        let (evaluator, first) = (&self.evaluator, self.store.first());
        let (partitions, places) = self.partitions.save(|part| {
            let holds = !keyed || !evaluator.is_empty(part);
            holds.then(|| evaluator.save_part(part, first))
        });
        let number = |handle| places[self.partitions.place_of(handle)? as usize];
        let clocks = self.clocks.iter().map(|clock| {
            let alarms = clock.iter().filter_map(|(key, at)| Some((key, number(at)?)));
            alarms.collect()
        });
        State {
            query: self.automaton.text.clone(),
            fingerprint: fingerprint(&self.automaton),
            options: options(&self.config, kind),
            stats: self.stats(),
            watermark: self.watermark,
            idle: self.idle,
            events: self.store.all().iter().map(|(number, event)| (*number, event)).collect(),
            history: evaluator.save(first),
            before: self.before.and_then(number),
            recheck: self.recheck.iter().filter_map(|&handle| number(handle)).collect(),
            clocks: clocks.collect(),
            partitions,
            reorder: None,
        }
    }

    /// Takes in what was saved, while nothing has been pushed.
    pub(in crate::runtime) fn load(&mut self, state: State<E>) -> Result<(), Error> {
        let automaton = self.automaton.clone();
        let mut loading = Loading::new(&automaton, &state.events, state.watermark, &state.stats)?;
        self.stats = state.stats;
        self.faults.types.set(state.stats.type_errors);
        self.faults.overflows.set(state.stats.overflows);
        self.faults.divisions.set(state.stats.divisions_by_zero);
        self.facts.next_event();
        self.watermark = state.watermark;
        self.idle = state.idle && self.unkeyed;
        self.horizon = self.horizon();
        for (at, (number, event)) in (0..).zip(state.events) {
            self.store.push(number, loading.key(at), event);
        }
        loading.horizon = self.horizon;
        loading.stretches = self.evaluator.load(state.history, &loading)?;
        self.load_partitions(state.partitions, &loading)?;
        let count = self.partitions.places();
        let known = |at: u32| {
            let known = at < count;
            known.then_some(at).ok_or_else(|| corrupt("it refers to an unknown partition"))
        };
        let before = state.before.map(known).transpose()?;
        self.before = before.map(|at| self.partitions.handle(at));
        for at in state.recheck {
            self.recheck.push(self.partitions.handle(known(at)?));
        }
        if state.clocks.len() != self.clocks.len() {
            return Err(corrupt("its clocks are others"));
        }
        for (clock, alarms) in self.clocks.iter_mut().zip(state.clocks) {
            for (key, at) in alarms {
                self.partitions.at(known(at)?).alarm = true;
                clock.push(key, self.partitions.handle(at));
            }
        }
        // They will be counted when they are noticed, as they are now in all counters together.
        let now = self.stats().timed_out;
        self.stats.timed_out -= (now - state.stats.timed_out).min(state.stats.timed_out);
        let most = self.config.limits.history.most.min(self.evaluator.capacity());
        self.collect_at = worth_while(self.evaluator.cells()).min(most.saturating_add(1));
        self.collect_events_at = worth_while(self.store.len());
        Ok(())
    }

    fn load_partitions(
        &mut self,
        saved: Vec<crate::snapshot::state::Partition>,
        loading: &Loading<'_>,
    ) -> Result<(), Error> {
        let width = self.automaton.program.key.len();
        if width == 0 && saved.len() != 1 {
            return Err(corrupt("without a key there is one partition"));
        }
        for partition in saved {
            let part = self.evaluator.load_part(partition.part, loading)?;
            if width == 0 {
                self.partitions.at(0).part = part;
            } else {
                self.partitions.restore(partition.key, width, part)?;
            }
        }
        Ok(())
    }
}
