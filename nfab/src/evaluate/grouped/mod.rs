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
pub(super) mod live;
#[cfg(feature = "serde")]
mod save;
mod step;

use std::ops::ControlFlow;

use self::groups::Groups;
use self::live::live;
use self::step::{Runs, Step};
use super::choose::gather as gather_conditions;
use super::graph::{self, Graph, Starts};
use super::held::{gather, holds};
use super::marked::{End, PASSED};
use super::reader::Reader;
use crate::error::Error;
use crate::event::Event;
use crate::history::{EventIndex, Marks, Moved};
use crate::nfa::kinds::Kinds;
use crate::nfa::program::{Move, Window};
use crate::nfa::{Automaton, Formula};
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
    /// For each wait and move the conditions that look back, if the formula of the move holds
    /// wherever all of them and what looks at the event alone do.
    looks_back: Vec<Vec<Option<Box<[u32]>>>>,
}

impl Rules {
    fn key<E>(&self, arrival: &Arrival<'_, E>) -> Key {
        self.window.key(arrival.number, arrival.time)
    }
}

/// For each wait and move the conditions that look back, as [`Rules::looks_back`] has them.
fn looks_back(automaton: &Automaton) -> Vec<Vec<Option<Box<[u32]>>>> {
    fn add(formula: &Formula, automaton: &Automaton, into: &mut Vec<u32>) -> bool {
        let unary = |number: &u32| automaton.conditions[*number as usize].unary;
        match formula {
            Formula::True => true,
            Formula::Holds(number) => {
                into.extend((!unary(number)).then_some(number));
                true
            }
            Formula::And(a, b) => add(a, automaton, into) && add(b, automaton, into),
            Formula::Not(inner) => {
                let mut all = Vec::new();
                gather_conditions(inner, &mut all);
                all.iter().all(unary)
            }
        }
    }
    let of = |m: &Move| {
        let mut all = Vec::new();
        add(&m.formula, automaton, &mut all).then(|| all.into())
    };
    automaton.program.waits.iter().map(|wait| wait.moves.iter().map(of).collect()).collect()
}

/// A partition.
#[derive(Debug)]
pub(crate) struct Part {
    groups: Groups,
    graph: Graph,
    /// How the last event completes matches.
    ends: Vec<End>,
    /// Which starts they have.
    starts: Starts,
    /// Its place, and the horizon then.
    event: EventIndex,
    horizon: Key,
}

impl Part {
    /// `holds`: matches may come out when a window passes.
    fn new(holds: bool) -> Part {
        Part {
            groups: Groups::default(),
            graph: Graph::new(holds),
            ends: Vec::new(),
            starts: Starts::since(Key::MIN),
            event: 0,
            horizon: Key::MIN,
        }
    }

    fn bytes(&self) -> usize {
        self.graph.bytes() + self.groups.bytes()
    }

    /// Forgets the runs that started before the horizon.
    fn expire(&mut self, horizon: Key) {
        self.ends.clear();
        self.horizon = horizon;
        self.starts = Starts::since(horizon);
        self.groups.expire(horizon);
        if self.groups.all.is_empty() {
            self.graph.clear();
        }
    }

    /// Gets the matches ready that wait for the window of their runs, which passes with the horizon;
    /// all without one.
    fn release(&mut self, horizon: Option<Key>, holds: &[bool]) {
        self.ends.clear();
        let Some(starts) = self.graph.passing(self.horizon, horizon) else { return };
        self.starts = starts;
        let holding =
            self.groups.all.iter().filter(|group| {
                holds[group.wait as usize] && self.graph.may_have(group.head, starts)
            });
        self.ends.extend(holding.map(|group| End { source: group.head, stage: PASSED }));
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
    kinds: Kinds,
    /// The waits that hold matches, if there are any.
    holds: Option<Box<[bool]>>,
    step: Step,
    reader: Reader,
    cells: usize,
    bytes: usize,
    /// The groups of all parts.
    groups: usize,
}

impl Grouped {
    pub(crate) fn new(automaton: &Automaton) -> Self {
        Grouped {
            rules: Rules {
                window: automaton.program.window,
                live: live(automaton),
                fresh: automaton.registers.iter().map(|r| r.empty()).collect(),
                looks_back: looks_back(automaton),
            },
            kinds: Kinds::new(&automaton.program, &automaton.conditions),
            holds: holds(&automaton.program),
            step: Step::default(),
            reader: Reader::new(&automaton.program),
            cells: 0,
            bytes: 0,
            groups: 0,
        }
    }

    /// Does something to a part and keeps the totals up.
    fn on<T>(&mut self, part: &mut Part, act: impl FnOnce(&mut Self, &mut Part) -> T) -> T {
        let (cells, bytes, groups) = (part.graph.len(), part.bytes(), part.groups.all.len());
        let result = act(self, part);
        self.groups = self.groups - groups + part.groups.all.len();
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
        let Part { groups, graph, ends, starts, event, horizon } = part;
        ends.clear();
        (*event, *horizon) = (arrival.place, cx.horizon);
        *starts = Starts::since(cx.horizon);
        // Counters of faults do not depend on when somebody notices that a window has passed.
        groups.expire(*horizon);
        groups.waits();
        if self.kinds.changes_nothing(arrival.event.event_type(), groups.busy()) {
            if groups.all.is_empty() {
                graph.clear();
            }
            return false;
        }
        if graph.is_due() {
            let heads = groups.all.iter_mut().map(|group| &mut group.head);
            graph.compact(heads, *horizon, |_| ());
        }
        self.step.begin(cx.automaton.conditions.len());
        let mut keep = false;
        let concerned = if self.step.concerns(groups, arrival, cx) { groups.all.len() } else { 0 };
        for at in 0..concerned {
            let group = &groups.all[at];
            if self.step.is_idle(group.wait) {
                self.step.keep_group();
                continue;
            }
            let runs = Runs::of(groups, at);
            keep |= self.step.look(&self.rules, runs, (arrival, cx), (groups, ends));
        }
        let runs = Runs::start(cx.automaton.program.start);
        keep |= self.step.look(&self.rules, runs, (arrival, cx), (groups, ends));
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
        self.reader.visit(&part.graph, &part.ends, part.event, part.starts, visit)
    }
}

impl<E: Event> Evaluator<E> for Grouped {
    type Part = Part;

    fn part(&self) -> Part {
        Part::new(self.holds.is_some())
    }

    fn is_empty(&self, part: &Part) -> bool {
        part.groups.all.is_empty()
    }

    fn clear(&mut self, part: &mut Part) {
        self.on(part, |this, part| *part = Part::new(this.holds.is_some()));
    }

    #[inline]
    fn passes_over(&mut self, part: &Part, event: &E) -> bool {
        let of = event.event_type();
        self.kinds.changes_nothing(of, part.groups.busy())
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
                let runs = Runs::of(groups, at);
                let target = cx.automaton.program.waits[runs.wait as usize].foreign;
                this.step.look_foreign(&this.rules, runs, target, (groups, ends));
            }
            this.step.carry_out(groups, graph, part.event);
        });
        if !part.ends.is_empty() {
            let _ = self.visit(part, &mut |events| gather(cx, events));
            part.ends.clear();
        }
        Ok(())
    }

    fn releases(&self) -> bool {
        self.holds.is_some()
    }

    fn release(&mut self, part: &mut Part, horizon: Option<Key>) -> bool {
        let Some(holds) = &self.holds else { return false };
        part.release(horizon, holds);
        !part.ends.is_empty()
    }

    fn narrow(
        &mut self,
        part: &mut Part,
        horizon: Option<Key>,
        after: Option<EventIndex>,
    ) -> Option<EventIndex> {
        let passing = part.graph.passing(part.horizon, horizon)?;
        part.starts = part.graph.next_first(passing, after)?;
        part.starts.first
    }

    fn expire(&mut self, part: &mut Part, cx: &mut Context<'_, E>) -> Result<(), Error> {
        let horizon = cx.now.map(|_| cx.horizon);
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
        self.reader.count(&part.graph, &part.ends, part.starts)
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

    fn runs(&self, part: &Part, horizon: Key, _: Option<i64>, _: &Automaton) -> usize {
        part.groups.all.iter().filter(|group| group.newest >= horizon).count()
    }

    fn all_runs(&self) -> usize {
        self.groups
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
