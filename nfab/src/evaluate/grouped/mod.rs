//! The grouped evaluation: for patterns whose conditions look back at first and last events only.
//!
//! What a run does with an event depends on its wait and on the registers that later formulas read
//! ([`live`]). Runs that agree on both are one [group](groups): an event is shown to it once, and
//! what it becomes are groups again. The events that the runs of a group took are a list in a
//! [`Graph`], so a group costs the same whether one run is in it or a million.
//!
//! With conditions on the last event (`a[i].price > a[i-1].price`) there are at most as many groups in
//! a wait as events in the window, or as different values, where the runs may be exponentially
//! many; without any condition that looks back there is one. Aggregates over all events of a run
//! would differ from run to run, so patterns that have them are left to the run engine.
//!
//! Time: an event is shown to each group, and each group that takes it adds an element to a list.
//! Memory: 40 bytes for each element, and the groups. Enumerating is linear in the output, counting
//! in the elements that lead to the event.

mod groups;
mod live;
#[cfg(feature = "serde")]
mod save;
mod step;

use std::ops::ControlFlow;

use self::groups::Groups;
use self::live::live;
use self::step::{Runs, Step};
use super::graph::{self, Graph, NONE, Starts};
use super::held::{gather, holds};
use super::marked::{End, PASSED};
use super::reader::Reader;
use crate::error::Error;
use crate::event::Event;
use crate::history::{EventIndex, Marks, Moved};
use crate::nfa::Automaton;
use crate::nfa::program::Window;
use crate::predicate::register::Register;
use crate::runtime::context::Context;
use crate::runtime::evaluator::{Arrival, Evaluator, Key, Taken};

/// What is the same for all groups.
#[derive(Debug)]
struct Rules {
    window: Window,
    /// For each wait which registers are live in it.
    live: Vec<Box<[bool]>>,
    /// The registers of a run without events.
    fresh: Box<[Register]>,
}

impl Rules {
    fn key<E>(&self, arrival: &Arrival<'_, E>) -> Key {
        self.window.key(arrival.number, arrival.time)
    }
}

/// A partition.
#[derive(Debug, Default)]
pub(crate) struct Part {
    groups: Groups,
    graph: Graph,
    /// How the last event completes matches.
    ends: Vec<End>,
    /// Its place, and the horizon then.
    event: EventIndex,
    horizon: Key,
}

impl Part {
    fn bytes(&self) -> usize {
        self.graph.bytes() + self.groups.bytes()
    }

    /// Forgets the runs that started before the horizon.
    fn expire(&mut self, horizon: Key) {
        self.ends.clear();
        self.horizon = horizon;
        self.groups.expire(horizon);
        if self.groups.all.is_empty() {
            self.graph.clear();
        }
    }

    /// Finds the runs that hold a match and whose window passes; they are those of `ends`, as far as
    /// they started then.
    fn holding(&self, horizon: Option<Key>, holds: &[bool], ends: &mut Vec<End>) -> Option<Starts> {
        let to = horizon.map_or(Some(Key::MAX), |horizon| horizon.checked_sub(1))?;
        let starts = Starts { from: self.horizon, to };
        ends.clear();
        let holding =
            self.groups.all.iter().filter(|group| {
                holds[group.wait as usize] && self.graph.may_have(group.head, starts)
            });
        ends.extend(holding.map(|group| End { source: group.head, stage: PASSED }));
        (!ends.is_empty()).then_some(starts)
    }

    fn collect(&mut self, used: impl FnMut(EventIndex)) {
        let heads = self.groups.all.iter_mut().map(|group| &mut group.head);
        self.graph.compact(heads, self.horizon, used);
    }
}

/// What all partitions share.
#[derive(Debug)]
pub(crate) struct Grouped {
    rules: Rules,
    /// The waits that hold matches, if there are any.
    holds: Option<Box<[bool]>>,
    step: Step,
    ends: Vec<End>,
    own: Vec<Register>,
    reader: Reader,
    cells: usize,
    bytes: usize,
}

impl Grouped {
    pub(crate) fn new(automaton: &Automaton) -> Self {
        Grouped {
            rules: Rules {
                window: automaton.program.window,
                live: live(automaton),
                fresh: automaton.registers.iter().map(|r| r.empty()).collect(),
            },
            holds: holds(&automaton.program),
            ends: Vec::new(),
            step: Step::default(),
            own: Vec::new(),
            reader: Reader::new(&automaton.program),
            cells: 0,
            bytes: 0,
        }
    }

    /// Does something to a part and keeps the totals up.
    fn on<T>(&mut self, part: &mut Part, act: impl FnOnce(&mut Self, &mut Part) -> T) -> T {
        let (cells, bytes) = (part.graph.len(), part.bytes());
        let result = act(self, part);
        self.cells = self.cells - cells + part.graph.len();
        self.bytes = self.bytes - bytes + part.bytes();
        result
    }

    fn look<E: Event>(
        &mut self,
        part: &mut Part,
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> bool {
        let Part { groups, graph, ends, event, horizon } = part;
        ends.clear();
        (*event, *horizon) = (arrival.place, cx.horizon);
        if graph.is_due() {
            groups.expire(*horizon);
            let heads = groups.all.iter_mut().map(|group| &mut group.head);
            graph.compact(heads, *horizon, |_| ());
        }
        self.step.begin(cx.automaton.conditions.len());
        let mut keep = false;
        let concerned = if self.step.concerns(groups, arrival, cx) { groups.all.len() } else { 0 };
        for at in 0..concerned {
            let group = &groups.all[at];
            if group.newest < *horizon {
                self.step.drop_group();
                continue;
            }
            if self.step.is_idle(group.wait) {
                self.step.keep_group();
                continue;
            }
            self.own.clear();
            self.own.extend_from_slice(&group.registers);
            let runs = Runs { wait: group.wait, source: group.head, newest: group.newest };
            keep |= self.step.look(&self.rules, runs, &self.own, (arrival, cx), (groups, ends));
        }
        let runs = Runs { wait: cx.automaton.program.start, source: NONE, newest: Key::MIN };
        let fresh = &self.rules.fresh;
        keep |= self.step.look(&self.rules, runs, fresh, (arrival, cx), (groups, ends));
        self.step.carry_out(groups, graph, arrival.place);
        if groups.all.is_empty() && ends.is_empty() {
            graph.clear();
        }
        keep
    }

    fn visit(
        &mut self,
        part: &Part,
        visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let starts = Starts::since(part.horizon);
        self.reader.visit(&part.graph, &part.ends, part.event, starts, visit)
    }
}

impl<E: Event> Evaluator<E> for Grouped {
    type Part = Part;

    fn part(&self) -> Part {
        Part::default()
    }

    fn is_empty(&self, part: &Part) -> bool {
        part.groups.all.is_empty()
    }

    fn clear(&mut self, part: &mut Part) {
        self.on(part, |_, part| *part = Part::default());
    }

    fn show(
        &mut self,
        part: &mut Part,
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> Result<bool, Error> {
        Ok(self.on(part, |this, part| this.look(part, arrival, cx)))
    }

    fn foreign(&mut self, part: &mut Part, cx: &mut Context<'_, E>) -> Result<(), Error> {
        self.on(part, |this, part| {
            part.expire(cx.horizon);
            this.step.begin(cx.automaton.conditions.len());
            let Part { groups, graph, ends, .. } = part;
            for at in 0..groups.all.len() {
                let group = &groups.all[at];
                this.own.clear();
                this.own.extend_from_slice(&group.registers);
                let runs = Runs { wait: group.wait, source: group.head, newest: group.newest };
                let target = cx.automaton.program.waits[runs.wait as usize].foreign;
                this.step.look_foreign(&this.rules, runs, target, &this.own, (groups, ends));
            }
            this.step.carry_out(groups, graph, part.event);
        });
        if !part.ends.is_empty() {
            let _ = self.visit(part, &mut |events| gather(cx, events));
            part.ends.clear();
        }
        Ok(())
    }

    fn expire(&mut self, part: &mut Part, cx: &mut Context<'_, E>) -> Result<(), Error> {
        let horizon = cx.now.map(|_| cx.horizon);
        if let Some(holds) = &self.holds
            && let Some(starts) = part.holding(horizon, holds, &mut self.ends)
        {
            let reader = &mut self.reader;
            let _ = reader.visit(&part.graph, &self.ends, 0, starts, &mut |m| gather(cx, m));
        }
        self.on(part, |_, part| part.expire(horizon.unwrap_or(Key::MAX)));
        Ok(())
    }

    fn prompt(&self) -> bool {
        self.holds.is_some()
    }

    fn has_matches(&self, part: &Part) -> bool {
        !part.ends.is_empty()
    }

    fn count(&mut self, part: &mut Part) -> Option<u64> {
        let starts = Starts::since(part.horizon);
        self.reader.count(&part.graph, &part.ends, starts)
    }

    fn enumerate(
        &mut self,
        part: &mut Part,
        visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if part.ends.is_empty() {
            return ControlFlow::Continue(());
        }
        self.visit(part, visit)
    }

    fn cells(&self) -> usize {
        self.cells
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn capacity(&self) -> usize {
        graph::CAPACITY
    }

    fn collect<'p>(
        &mut self,
        parts: &mut dyn Iterator<Item = &'p mut Part>,
        cx: &mut Context<'_, E>,
        used: &mut Marks,
    ) where
        Part: 'p,
    {
        for part in parts {
            self.on(part, |_, part| {
                part.expire(cx.horizon);
                part.collect(|event| used.mark(event));
            });
        }
    }

    fn renumber<'p>(&mut self, parts: &mut dyn Iterator<Item = &'p mut Part>, moved: &Moved)
    where
        Part: 'p,
    {
        parts.for_each(|part| part.graph.renumber(moved));
    }
}
