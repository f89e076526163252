//! Runs that are moved one by one: what every evaluation must find.

use crate::event::Record;
use crate::nfa::program::{COMPLETE, Finish, Move, NOWHERE, Sees};
use crate::nfa::{Automaton, Formula};
use crate::predicate::evaluate::{Context as At, Faults};
use crate::predicate::register::Register;
use crate::runtime::evaluator::Key;

/// A run, moved on its own.
#[derive(Clone)]
pub struct Run {
    wait: u32,
    start: Key,
    pub taken: Vec<(u64, u32)>,
    registers: Vec<Register>,
}

/// The matches of each event, in order.
pub struct Reference<'a> {
    pub automaton: &'a Automaton,
    pub runs: Vec<Run>,
    pub faults: Faults,
}

impl Reference<'_> {
    fn open(&self, formula: &Formula, event: &Record, registers: &[Register]) -> bool {
        formula.open(&mut |condition| {
            let at = At { event, registers, faults: &self.faults };
            self.automaton.conditions[condition as usize].test.evaluate(at).holds()
        })
    }

    fn enter(&self, m: &Move, run: &Run, number: u64, event: &Record) -> Run {
        let mut next = run.clone();
        next.wait = m.target;
        next.taken.push((number, m.stage));
        for &at in &m.resets {
            next.registers[at as usize] = self.automaton.registers[at as usize].empty();
        }
        for &at in &self.automaton.stage_registers[m.stage as usize] {
            self.automaton.registers[at as usize].update(&mut next.registers[at as usize], event);
        }
        next
    }

    /// The matches of the runs whose window has passed; at the end of the stream all have.
    pub fn expire(&mut self, horizon: Option<Key>) -> Vec<Run> {
        let program = &self.automaton.program;
        let passed = |run: &Run| horizon.is_none_or(|horizon| run.start < horizon);
        let (gone, alive) = std::mem::take(&mut self.runs).into_iter().partition(passed);
        self.runs = alive;
        let gone: Vec<Run> = gone;
        gone.into_iter().filter(|run| program.waits[run.wait as usize].holds_match).collect()
    }

    /// Without an event: one of another partition.
    pub fn show(&mut self, number: u64, key: Key, event: Option<&Record>) -> Vec<Run> {
        let program = &self.automaton.program;
        let fresh = self.automaton.registers.iter().map(|r| r.empty()).collect();
        let start = Run { wait: program.start, start: key, taken: vec![], registers: fresh };
        let mut runs = std::mem::take(&mut self.runs);
        if event.is_some() {
            runs.push(start);
        }
        let (mut alive, mut complete) = (Vec::new(), Vec::new());
        for run in runs {
            let wait = &program.waits[run.wait as usize];
            let mut next = Vec::new();
            let mut passes = Vec::new();
            match event {
                None => passes.push(wait.foreign),
                Some(event) => {
                    let fires: Vec<bool> = wait
                        .moves
                        .iter()
                        .map(|m| self.open(&m.formula, event, &run.registers))
                        .collect();
                    for (m, _) in wait.moves.iter().zip(&fires).filter(|f| *f.1) {
                        let after = self.enter(m, &run, number, event);
                        if let Finish::Emit { formula, sees } = &m.finish {
                            let seen = match sees {
                                Sees::Before => &run.registers,
                                Sees::After => &after.registers,
                            };
                            if self.open(formula, event, seen) {
                                complete.push(after.clone());
                            }
                        }
                        let mut after = after;
                        if let Finish::Hold { formula, otherwise } = &m.finish
                            && !self.open(formula, event, &after.registers)
                        {
                            after.wait = *otherwise;
                        }
                        if after.wait != NOWHERE {
                            next.push(after);
                        }
                    }
                    for ignore in wait.ignores.iter().filter(|_| !run.taken.is_empty()) {
                        let closed = ignore.unless.iter().any(|&m| fires[m as usize]);
                        if !closed && self.open(&ignore.formula, event, &run.registers) {
                            passes.push(ignore.target);
                        }
                    }
                }
            }
            for target in passes {
                if target == COMPLETE {
                    complete.push(run.clone());
                } else if target != NOWHERE {
                    next.push(Run { wait: target, ..run.clone() });
                }
            }
            let stopped = event.is_some_and(|event| {
                wait.stops.iter().any(|stop| self.open(stop, event, &run.registers))
            });
            if !stopped {
                alive.extend(next);
            }
        }
        // Equal runs stay equal; without this their number explodes.
        alive.sort_by(|a, b| (a.wait, &a.taken).cmp(&(b.wait, &b.taken)));
        alive.dedup_by(|a, b| {
            (a.wait, &a.taken) == (b.wait, &b.taken)
                && format!("{:?}", a.registers) == format!("{:?}", b.registers)
        });
        self.runs = alive;
        complete
    }
}
