//! What one event does to the groups of a partition.
//!
//! All groups are looked at before any is changed, and what is to be done is written down with the
//! lists as they were. A group whose runs stay keeps its list; the others lose it, so that whoever
//! enters them begins a list of its own. A list that is left behind goes on in the first group that
//! its runs enter, if that one has none.

use super::Rules;
use super::groups::{Group, Groups};
use crate::evaluate::graph::{Graph, JOIN, NONE};
use crate::evaluate::marked::{End, PASSED};
use crate::event::Event;
use crate::nfa::kinds::stays;
use crate::nfa::program::{COMPLETE, Finish, Move, NOWHERE, Sees};
use crate::nfa::{Automaton, Formula};
use crate::predicate::evaluate;
use crate::predicate::register::Register;
use crate::runtime::context::Context;
use crate::runtime::evaluator::{Arrival, Key};

/// Runs that enter a group.
#[derive(Clone, Copy, Debug)]
struct Entry {
    group: u32,
    /// The stage that takes the event, or [`JOIN`].
    stage: u32,
    source: u32,
    newest: Key,
    /// Nobody else continues the list.
    free: bool,
}

/// Runs that one event is shown to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runs {
    pub(super) wait: u32,
    /// Their group; [`NONE`] for the run that has not started.
    pub(super) group: u32,
    /// Their list; [`NONE`] for the run that has not started.
    pub(super) source: u32,
    pub(super) newest: Key,
}

impl Runs {
    /// All runs of a group.
    pub(super) fn of(groups: &Groups, at: usize) -> Runs {
        let group = &groups.all[at];
        let Group { wait, head, newest, .. } = *group;
        Runs { wait, group: at as u32, source: head, newest }
    }

    /// The run that has not started.
    pub(super) fn start(wait: u32) -> Runs {
        Runs { wait, group: NONE, source: NONE, newest: Key::MIN }
    }

    fn registers<'a>(&self, rules: &'a Rules, groups: &'a Groups) -> &'a [Register] {
        match self.group {
            NONE => &rules.fresh,
            group => &groups.all[group as usize].registers,
        }
    }
}

/// What an event alone says of the formulas of a wait.
#[derive(Clone, Debug, Default)]
struct Verdicts {
    /// In the order of the moves, as far as it is known whether they hold.
    moves: Vec<Option<bool>>,
    /// The runs stay as they are, whatever they remember.
    idle: bool,
}

/// Working space.
#[derive(Debug, Default)]
pub(super) struct Step {
    entries: Vec<Entry>,
    /// For each group whether its runs stay.
    stay: Vec<bool>,
    /// For each condition that looks back the group for which it is known, twice, and what is known.
    known: Vec<u64>,
    group: u64,
    registers: Vec<Register>,
    fires: Vec<bool>,
    /// For each wait that has groups.
    verdicts: Vec<Verdicts>,
}

impl Step {
    pub(super) fn begin(&mut self, conditions: usize) {
        self.entries.clear();
        self.stay.clear();
        self.known.resize(conditions, 0);
    }

    fn holds<E: Event>(
        &mut self,
        number: u32,
        registers: &[Register],
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> bool {
        let condition = &cx.automaton.conditions[number as usize];
        if condition.unary {
            return cx.holds(number, arrival);
        }
        let known = &mut self.known[number as usize];
        if *known & !1 != self.group {
            let at = evaluate::Context { event: arrival.event, registers, faults: cx.faults };
            *known = self.group | u64::from(condition.test.evaluate(at).holds());
        }
        *known & 1 == 1
    }

    fn open<E: Event>(
        &mut self,
        formula: &Formula,
        registers: &[Register],
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> bool {
        formula.open(&mut |number| self.holds(number, registers, arrival, cx))
    }

    /// Whether a formula holds with the event entered.
    fn open_after<E: Event>(
        &mut self,
        m: &Move,
        formula: &Formula,
        registers: &[Register],
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> bool {
        self.enter(cx.automaton, m, registers, arrival.event);
        let after = std::mem::take(&mut self.registers);
        // What is known of conditions is for other registers.
        self.group += 2;
        let open = self.open(formula, &after, arrival, cx);
        self.group += 2;
        self.registers = after;
        open
    }

    /// Whether some group may not stay as it is. Each wait is judged once by what is known of the
    /// event alone, so that an event that means nothing to anyone costs the same for any number of
    /// groups.
    pub(super) fn concerns<E: Event>(
        &mut self,
        groups: &mut Groups,
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> bool {
        let automaton = cx.automaton;
        let waits = &automaton.program.waits;
        self.verdicts.resize_with(waits.len(), Verdicts::default);
        let mut concerned = false;
        let mut known = |formula: &Formula| {
            formula.value(&mut |number| {
                let unary = automaton.conditions[number as usize].unary;
                unary.then(|| cx.holds(number, arrival))
            })
        };
        for &number in groups.waits().iter().chain([&automaton.program.start]) {
            let (wait, verdicts) = (&waits[number as usize], &mut self.verdicts[number as usize]);
            verdicts.moves.clear();
            verdicts.moves.extend(wait.moves.iter().map(|m| known(&m.formula)));
            if number != automaton.program.start {
                let moves = verdicts.moves.iter().all(|&holds| holds == Some(false));
                verdicts.idle = moves && stays(wait, number, &mut known);
                concerned |= !verdicts.idle;
            }
        }
        concerned
    }

    /// The groups of a wait stay as they are.
    pub(super) fn is_idle(&self, wait: u32) -> bool {
        self.verdicts[wait as usize].idle
    }

    /// A group stays as it is.
    pub(super) fn keep_group(&mut self) {
        self.stay.push(true);
    }

    /// Finds which moves fire; gives whether some do.
    fn fire<E: Event>(
        &mut self,
        rules: &Rules,
        wait: u32,
        registers: &[Register],
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> bool {
        let automaton = cx.automaton;
        let mut fires = std::mem::take(&mut self.fires);
        fires.clear();
        let moves = &automaton.program.waits[wait as usize].moves;
        let looks_back = &rules.looks_back[wait as usize];
        for (at, (m, looks_back)) in moves.iter().zip(looks_back).enumerate() {
            fires.push(match (self.verdicts[wait as usize].moves[at], looks_back) {
                (Some(holds), _) => holds,
                (None, Some(all)) => {
                    all.iter().all(|&number| self.holds(number, registers, arrival, cx))
                }
                (None, None) => self.open(&m.formula, registers, arrival, cx),
            });
        }
        let some = fires.contains(&true);
        self.fires = fires;
        some
    }

    /// What the runs of a group do with an event, of which [`concerns`](Self::concerns) was told.
    pub(super) fn look<E: Event>(
        &mut self,
        rules: &Rules,
        runs: Runs,
        (arrival, cx): (&Arrival<'_, E>, &mut Context<'_, E>),
        (groups, ends): (&mut Groups, &mut Vec<End>),
    ) -> bool {
        let automaton = cx.automaton;
        let wait = &automaton.program.waits[runs.wait as usize];
        self.group += 2;
        let registers = runs.registers(rules, groups);
        let some = self.fire(rules, runs.wait, registers, arrival, cx);
        let stopped = wait.stops.iter().any(|formula| self.open(formula, registers, arrival, cx));
        let (first, first_end) = (self.entries.len(), ends.len());
        let mut keep = false;
        let fires = std::mem::take(&mut self.fires);
        for (m, _) in wait.moves.iter().zip(&fires).filter(|(_, fires)| some && **fires) {
            let registers = runs.registers(rules, groups);
            let (target, emits) = match &m.finish {
                Finish::No => (m.target, false),
                Finish::Emit { formula: Formula::True, .. } => (m.target, true),
                Finish::Emit { formula, sees: Sees::Before } => {
                    (m.target, self.open(formula, registers, arrival, cx))
                }
                Finish::Emit { formula, sees: Sees::After } => {
                    (m.target, self.open_after(m, formula, registers, arrival, cx))
                }
                Finish::Hold { formula, otherwise } => {
                    let holds = self.open_after(m, formula, registers, arrival, cx);
                    (if holds { m.target } else { *otherwise }, false)
                }
            };
            // No other group has this list.
            let end = End { source: runs.source, stage: m.stage };
            if emits && !ends[first_end..].contains(&end) {
                ends.push(end);
            }
            keep |= emits;
            if target == NOWHERE || stopped {
                continue;
            }
            keep = true;
            self.enter(automaton, m, registers, arrival.event);
            let group = self.group_of(rules, target, groups);
            let newest = if runs.source == NONE { rules.key(arrival) } else { runs.newest };
            let entry = Entry { group, stage: m.stage, source: runs.source, newest, free: false };
            let known = |e: &Entry| (e.group, e.stage) == (group, m.stage);
            if !self.entries[first..].iter().any(known) {
                self.entries.push(entry);
            }
        }
        if runs.group != NONE {
            let mut stays = false;
            for ignore in &wait.ignores {
                let registers = runs.registers(rules, groups);
                let open = !ignore.unless.iter().any(|&m| fires[m as usize])
                    && self.open(&ignore.formula, registers, arrival, cx);
                if open && (ignore.target == COMPLETE || !stopped) {
                    stays |= self.pass(rules, runs, ignore.target, (groups, ends), first);
                }
            }
            self.entries[first..].iter_mut().for_each(|entry| entry.free &= !stays);
            self.stay.push(stays);
        }
        self.fires = fires;
        keep
    }

    /// What the runs of a group do with an event of another partition.
    pub(super) fn look_foreign(
        &mut self,
        rules: &Rules,
        runs: Runs,
        target: u32,
        out: (&mut Groups, &mut Vec<End>),
    ) {
        let first = self.entries.len();
        let stays = self.pass(rules, runs, target, out, first);
        self.stay.push(stays);
    }

    /// The runs pass over the event. Gives whether they stay.
    fn pass(
        &mut self,
        rules: &Rules,
        runs: Runs,
        target: u32,
        (groups, ends): (&mut Groups, &mut Vec<End>),
        first: usize,
    ) -> bool {
        if target == COMPLETE {
            // No other group has this list, and this was the last that is written down for it.
            let end = End { source: runs.source, stage: PASSED };
            if ends.last() != Some(&end) {
                ends.push(end);
            }
        }
        if target == COMPLETE || target == NOWHERE || target == runs.wait {
            return target == runs.wait;
        }
        self.registers.clear();
        self.registers.extend_from_slice(runs.registers(rules, groups));
        let group = self.group_of(rules, target, groups);
        let known = |e: &Entry| (e.group, e.stage) == (group, JOIN);
        if !self.entries[first..].iter().any(known) {
            let Runs { source, newest, .. } = runs;
            self.entries.push(Entry { group, stage: JOIN, source, newest, free: true });
        }
        false
    }

    /// The registers with the event entered.
    fn enter<E: Event>(
        &mut self,
        automaton: &Automaton,
        m: &Move,
        registers: &[Register],
        event: &E,
    ) {
        self.registers.clear();
        self.registers.extend_from_slice(registers);
        for &index in &m.resets {
            self.registers[index as usize] = automaton.registers[index as usize].empty();
        }
        for &index in &automaton.stage_registers[m.stage as usize] {
            let spec = &automaton.registers[index as usize];
            spec.update(&mut self.registers[index as usize], event);
        }
    }

    /// The group of a wait with the registers at hand, of which those that are dead are emptied.
    fn group_of(&mut self, rules: &Rules, wait: u32, groups: &mut Groups) -> u32 {
        let live = &rules.live[wait as usize];
        for ((register, live), fresh) in self.registers.iter_mut().zip(live).zip(&rules.fresh) {
            if !live {
                register.clone_from(fresh);
            }
        }
        groups.find(wait, &self.registers)
    }

    /// Does what was written down. `event` is the place of the event.
    pub(super) fn carry_out(&mut self, groups: &mut Groups, graph: &mut Graph, event: u64) {
        let mut gone = false;
        for (group, stays) in groups.all.iter_mut().zip(&self.stay) {
            if !stays {
                group.head = NONE;
                group.newest = Key::MIN;
                gone = true;
            }
        }
        // Lists of groups that stay, and those that go on elsewhere already, are not free.
        let mut last_free = NONE;
        for entry in &self.entries {
            groups.note(entry.newest);
            let group = &mut groups.all[entry.group as usize];
            group.newest = group.newest.max(entry.newest);
            group.head = if entry.stage != JOIN {
                graph.take(group.head, (event, entry.stage), entry.source, entry.newest)
            } else if entry.free && group.head == NONE && entry.source != last_free {
                last_free = entry.source;
                entry.source
            } else {
                graph.join(group.head, entry.source, entry.newest)
            };
        }
        if gone {
            groups.sweep();
        }
    }
}
