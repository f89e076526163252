//! Method `single`: each pattern by itself, eagerly. Every partial match is an instance of its own;
//! an event extends those that wait for its class. Nothing is shared: the baseline.

use super::arrival::Arrival;
use super::catalog::{Catalog, Live};
use super::history::History;
use super::output::{Level, Out, Sink};
use super::runs::Runs;
use super::strict::Consecutive;
use crate::heap::{Heap, heap};
use crate::limits::{Limit, Policy};
use crate::pattern::Semantics;
use crate::stats::Counters;

/// Which patterns have a class at which position.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dispatch {
    /// By class: number, place and position, of one pattern the last position first.
    of_class: Vec<Vec<(u32, u32, u32)>>,
    merged: Vec<(u32, u32, u32)>,
}

impl Dispatch {
    pub(crate) fn new(catalog: &Catalog) -> Self {
        let mut of_class = vec![Vec::new(); catalog.class_count()];
        for (place, live) in catalog.lives() {
            for (position, &class) in live.classes.iter().enumerate().rev() {
                of_class[class as usize].push((live.number.0, place, position as u32));
            }
        }
        Dispatch { of_class, merged: Vec::new() }
    }

    /// One pattern alone.
    pub(crate) fn only(catalog: &Catalog, place: u32) -> Self {
        let mut of_class = vec![Vec::new(); catalog.class_count()];
        let live = catalog.live(place);
        for (position, &class) in live.classes.iter().enumerate().rev() {
            of_class[class as usize].push((live.number.0, place, position as u32));
        }
        Dispatch { of_class, merged: Vec::new() }
    }

    /// The patterns and positions of an event's classes, in the order of the patterns.
    fn of(&mut self, classes: &[u32]) -> &[(u32, u32, u32)] {
        if let [class] = classes {
            return &self.of_class[*class as usize];
        }
        self.merged.clear();
        for &class in classes {
            self.merged.extend_from_slice(&self.of_class[class as usize]);
        }
        self.merged.sort_unstable_by_key(|&(number, _, position)| (number, u32::MAX - position));
        &self.merged
    }
}

/// The partial matches of one pattern and length.
#[derive(Clone, Debug, Default)]
struct Stage {
    /// The serials of their first events.
    firsts: Vec<u64>,
    /// Their indices in the stream, one instance after the other.
    rows: Vec<u64>,
    /// Their serials, likewise, if conditions look at earlier events.
    serials: Vec<u64>,
    /// When to look for instances that are out of the window.
    look: usize,
}

impl Stage {
    fn len(&self) -> usize {
        self.firsts.len()
    }

    /// Removes instances that begin before a serial.
    fn expire(&mut self, width: usize, low: u64) -> u64 {
        let Some(first_gone) = self.firsts.iter().position(|&first| first < low) else {
            self.look = (self.firsts.len() * 2).max(16);
            return 0;
        };
        let checked = !self.serials.is_empty();
        let mut kept = first_gone;
        for at in first_gone..self.firsts.len() {
            if self.firsts[at] < low {
                continue;
            }
            if kept < at {
                self.firsts[kept] = self.firsts[at];
                self.rows.copy_within(at * width..(at + 1) * width, kept * width);
                if checked {
                    self.serials.copy_within(at * width..(at + 1) * width, kept * width);
                }
            }
            kept += 1;
        }
        let gone = self.firsts.len() - kept;
        self.firsts.truncate(kept);
        self.rows.truncate(kept * width);
        if checked {
            self.serials.truncate(kept * width);
        }
        self.look = (kept * 2).max(16);
        gone as u64
    }
}

/// The partial matches of one pattern.
#[derive(Clone, Debug)]
enum Instances {
    Any(Vec<Stage>),
    Next(Runs),
    Strict(Consecutive),
}

/// The partial matches of all patterns in one stream or partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct SingleState {
    /// By place of the pattern.
    patterns: Vec<Option<Instances>>,
    /// How many instances there are, under `any`.
    alive: usize,
    order: Vec<u32>,
}

impl SingleState {
    /// A place is that of another pattern from now on.
    pub(crate) fn forget(&mut self, place: u32) {
        let gone = self.patterns.get_mut(place as usize).and_then(Option::take);
        if let Some(instances @ Instances::Any(_)) = gone {
            self.alive -= instances.len();
        }
        while let Some(None) = self.patterns.last() {
            self.patterns.pop();
        }
    }

    /// Gives back memory that is not needed.
    pub(crate) fn shrink(&mut self) {
        self.patterns.shrink_to_fit();
        self.order = Vec::new();
    }

    /// How many instances there are.
    pub(crate) fn instances(&self) -> usize {
        self.patterns.iter().flatten().map(Instances::len).sum()
    }

    /// Shows an event to every pattern that waits for its classes. Without `out` nothing is found:
    /// the event is only remembered.
    #[expect(clippy::too_many_arguments, reason = "what one event is shown with")]
    pub(crate) fn arrive<S: Sink>(
        &mut self,
        dispatch: &mut Dispatch,
        semantics: Semantics,
        catalog: &Catalog,
        history: &mut History,
        arrival: &Arrival<'_>,
        limit: Limit,
        counters: &mut Counters,
        mut out: Option<&mut Out<'_, S>>,
    ) {
        let SingleState { patterns, alive, order } = self;
        if patterns.len() < catalog.places() {
            patterns.resize_with(catalog.places(), || None);
        }
        let entries = dispatch.of(arrival.classes);
        let mut rest = entries;
        while let Some(&(number, place, _)) = rest.first() {
            let length = rest.iter().take_while(|entry| entry.0 == number).count();
            let (own, behind) = rest.split_at(length);
            rest = behind;
            let live = catalog.live(place);
            let low = arrival.low(catalog, history, live);
            let positions = own.iter().map(|entry| entry.2 as usize);
            let instances =
                patterns[place as usize].get_or_insert_with(|| Instances::new(semantics, live));
            match instances {
                Instances::Any(stages) => {
                    let mut extend = Extend { live, history, arrival, low, counters, order, alive };
                    for position in positions {
                        extend.position(stages, position, limit, &mut out);
                    }
                }
                Instances::Next(runs) => {
                    let moved = runs.step(live, positions, history, arrival, low);
                    if let Some(out) = out.as_deref_mut() {
                        runs.deliver(live, history, arrival, out);
                    }
                    counters.instances_created += moved.began;
                    counters.candidates_checked += moved.checked;
                    counters.expired += moved.expired;
                }
                Instances::Strict(run) => {
                    run.step(live, positions, history, arrival, low, counters, out.as_deref_mut());
                }
            }
        }
    }
}

impl Instances {
    fn new(semantics: Semantics, live: &Live) -> Self {
        match semantics {
            Semantics::Any => Instances::Any(vec![Stage::default(); live.len() - 1]),
            Semantics::Next => Instances::Next(Runs::default()),
            Semantics::Strict => Instances::Strict(Consecutive::default()),
        }
    }

    fn len(&self) -> usize {
        match self {
            Instances::Any(stages) => stages.iter().map(Stage::len).sum(),
            Instances::Next(runs) => runs.len(),
            Instances::Strict(run) => run.len(),
        }
    }
}

/// One event and one pattern.
struct Extend<'a, 'b> {
    live: &'a Live,
    history: &'a History,
    arrival: &'a Arrival<'b>,
    low: u64,
    counters: &'a mut Counters,
    order: &'a mut Vec<u32>,
    alive: &'a mut usize,
}

impl Extend<'_, '_> {
    /// The event fits a position.
    fn position<S: Sink>(
        &mut self,
        stages: &mut [Stage],
        position: usize,
        limit: Limit,
        out: &mut Option<&mut Out<'_, S>>,
    ) {
        if position + 1 == self.live.len() {
            if let Some(out) = out.as_deref_mut() {
                self.complete(stages, out);
            }
            return;
        }
        let checked = self.live.has_checks();
        if position == 0 {
            if self.arrival.serial < self.low {
                return;
            }
            let stage = &mut stages[0];
            if stage.len() >= stage.look {
                self.expire(stage, 1);
            }
            if self.is_full(stages, 0, limit) {
                return;
            }
            let stage = &mut stages[0];
            stage.firsts.push(self.arrival.serial);
            stage.rows.push(self.arrival.row);
            if checked {
                stage.serials.push(self.arrival.serial);
            }
            self.counters.instances_created += 1;
            *self.alive += 1;
            return;
        }
        // Those out of the window are removed on the way.
        self.expire(&mut stages[position - 1], position);
        let waiting = stages[position - 1].len();
        self.counters.candidates_checked += waiting as u64;
        if stages[position].len() >= stages[position].look {
            self.expire(&mut stages[position], position + 1);
        }
        for at in 0..waiting {
            if !self.fits(&stages[position - 1], position, at) {
                continue;
            }
            if self.is_full(stages, position, limit) {
                continue;
            }
            let (before, behind) = stages.split_at_mut(position);
            let (from, to) = (&before[position - 1], &mut behind[0]);
            to.firsts.push(from.firsts[at]);
            to.rows.extend_from_slice(&from.rows[at * position..(at + 1) * position]);
            to.rows.push(self.arrival.row);
            if checked {
                to.serials.extend_from_slice(&from.serials[at * position..(at + 1) * position]);
                to.serials.push(self.arrival.serial);
            }
            self.counters.instances_created += 1;
            *self.alive += 1;
        }
    }

    /// Removes instances that are out of the window.
    fn expire(&mut self, stage: &mut Stage, width: usize) {
        let gone = stage.expire(width, self.low);
        self.counters.expired += gone;
        *self.alive -= gone as usize;
    }

    /// Whether conditions with earlier events hold for an instance.
    #[inline]
    fn fits(&self, stage: &Stage, position: usize, at: usize) -> bool {
        self.live.checks_at(position).iter().all(|check| {
            let earlier = stage.serials[at * position + check.earlier];
            self.history.holds(check, self.arrival.serial, earlier)
        })
    }

    /// Whether there is no room for one more instance, after what the policy does about it.
    fn is_full(&mut self, stages: &mut [Stage], position: usize, limit: Limit) -> bool {
        if *self.alive < limit.most {
            return false;
        }
        let stage = &mut stages[position];
        let width = position + 1;
        match limit.policy {
            Policy::DropOldest if stage.len() > 0 => {
                stage.firsts.remove(0);
                stage.rows.drain(..width);
                if !stage.serials.is_empty() {
                    stage.serials.drain(..width);
                }
                self.counters.dropped_instances += 1;
                *self.alive -= 1;
                false
            }
            policy => {
                self.counters.dropped_instances += u64::from(policy != Policy::Error);
                self.counters.over_limit |= policy == Policy::Error;
                true
            }
        }
    }

    /// The event fits the last position.
    fn complete<S: Sink>(&mut self, stages: &mut [Stage], out: &mut Out<'_, S>) {
        let length = self.live.len();
        if out.stopped {
            return;
        }
        let (number, row) = (self.live.number, self.arrival.row);
        let Some(stage) = stages.last_mut() else {
            if out.level == Level::Count {
                out.count(number, row, 1);
            } else {
                out.begin(1, row);
                out.single(number);
            }
            return;
        };
        let width = length - 1;
        self.expire(stage, width);
        self.counters.candidates_checked += stage.len() as u64;
        let mut order = std::mem::take(self.order);
        order.clear();
        let stage = &*stage;
        order.extend((0..stage.len() as u32).filter(|&at| self.fits(stage, width, at as usize)));
        if out.level == Level::Count {
            out.count(number, row, order.len() as u64);
            *self.order = order;
            return;
        }
        let rows = |at: u32| &stage.rows[at as usize * width..(at as usize + 1) * width];
        if width > 1 {
            order.sort_unstable_by(|&a, &b| rows(a).cmp(rows(b)));
        }
        out.begin(length, row);
        for &at in &order {
            out.buffer[..width].copy_from_slice(rows(at));
            out.single(number);
            if out.stopped {
                break;
            }
        }
        *self.order = order;
    }
}

heap! {
    Dispatch { of_class, merged }
    Stage { firsts, rows, serials }
    SingleState { patterns, order }
}

impl Heap for Instances {
    fn heap(&self) -> usize {
        match self {
            Instances::Any(stages) => stages.heap(),
            Instances::Next(runs) => runs.heap(),
            Instances::Strict(run) => run.heap(),
        }
    }
}
