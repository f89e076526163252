//! The computation state of a run, and what one event does to it.

use std::sync::Arc;

use super::super::context::Context;
use super::super::evaluator::Arrival;
use crate::event::Event;
use crate::history::{Entry, History, Tail};
use crate::nfa::{Automaton, EdgeKind, Formula, StateKind};
use crate::predicate::evaluate;
use crate::predicate::register::Register;

/// A partial match.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) state: u32,
    pub(super) tail: Tail,
    /// The arrival number of its first event; the greatest number of all before there is one.
    pub(super) start: u64,
    pub(super) start_time: i64,
    /// The time of its last event.
    pub(super) last_time: i64,
    pub(super) length: usize,
    /// What later conditions need of its events; `None` if no condition needs anything.
    pub(super) registers: Option<Arc<[Register]>>,
}

impl Run {
    /// The run that waits for a first event.
    pub(super) fn not_started(state: u32) -> Self {
        let (tail, start, length, registers) = (Tail::EMPTY, u64::MAX, 0, None);
        Run { state, tail, start, start_time: 0, last_time: 0, length, registers }
    }

    pub(super) fn has_started(&self) -> bool {
        self.length > 0
    }
}

/// Whether conditions that look back hold for the run at hand: 0 not evaluated, 1 no, 2 yes.
#[derive(Debug)]
pub(super) struct Truths(Vec<u8>);

impl Truths {
    pub(super) fn new(automaton: &Automaton) -> Self {
        Truths(vec![0; automaton.conditions.len()])
    }

    fn open<E: Event>(
        &mut self,
        formula: &Formula,
        registers: &[Register],
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> bool {
        let at = evaluate::Context { event: arrival.event, registers, faults: cx.faults };
        formula.open(&mut |number| {
            let condition = &cx.automaton.conditions[number as usize];
            if condition.unary {
                return cx.holds(number, arrival);
            }
            let known = &mut self.0[number as usize];
            if *known == 0 {
                *known = 1 + u8::from(condition.test.evaluate(at).holds());
            }
            *known == 2
        })
    }
}

/// What became of a run.
#[derive(Debug)]
pub(super) struct Step {
    /// The runs that go on.
    pub(super) alive: Vec<Run>,
    /// The matches that are complete.
    pub(super) complete: Vec<Run>,
    /// Some run took the event.
    pub(super) taken: bool,
    /// Runs that would have become too long.
    pub(super) too_long: u64,
    stack: Vec<u32>,
    /// The states that the run has proceeded to, kept where proceed edges form a cycle.
    seen: Vec<u32>,
}

impl Step {
    pub(super) fn new() -> Self {
        Step {
            alive: Vec::new(),
            complete: Vec::new(),
            taken: false,
            too_long: 0,
            stack: Vec::new(),
            seen: Vec::new(),
        }
    }
}

/// What is the same for all runs.
pub(super) struct Rules<'a> {
    /// The registers of a run without events.
    pub(super) fresh: &'a [Register],
    /// The most events of a match.
    pub(super) longest: usize,
}

/// Lets one run see an event.
pub(super) fn step<E: Event, H: History>(
    rules: &Rules<'_>,
    run: &Run,
    arrival: &Arrival<'_, E>,
    history: &mut H,
    truths: &mut Truths,
    cx: &mut Context<'_, E>,
    into: &mut Step,
) {
    let automaton = cx.automaton;
    let registers = run.registers.as_deref().unwrap_or(rules.fresh);
    truths.0.fill(0);
    let alive_before = into.alive.len();
    into.seen.clear();
    let mut stopped = false;
    let mut stack = std::mem::take(&mut into.stack);
    stack.push(run.state);
    while let Some(state) = stack.pop() {
        for edge in &automaton.states[state as usize].edges {
            // The run that has not started has nothing to hold on to while it ignores events.
            if edge.kind == EdgeKind::Ignore && !run.has_started() {
                continue;
            }
            if !truths.open(&edge.formula, registers, arrival, cx) {
                continue;
            }
            let target = edge.target;
            match edge.kind {
                EdgeKind::Proceed if automaton.states[target as usize].kind == StateKind::Stop => {
                    stopped = true;
                }
                EdgeKind::Proceed => {
                    if automaton.cyclic {
                        if into.seen.contains(&target) {
                            continue;
                        }
                        into.seen.push(target);
                    }
                    stack.push(target);
                }
                EdgeKind::Ignore => {
                    let next = Run { state: target, ..run.clone() };
                    let last = automaton.states[target as usize].kind == StateKind::Final;
                    if last { &mut into.complete } else { &mut into.alive }.push(next);
                }
                EdgeKind::Begin | EdgeKind::Take => {
                    if run.length >= rules.longest {
                        into.too_long += 1;
                        continue;
                    }
                    let entry = Entry {
                        stage: automaton.states[state as usize].stage,
                        event: arrival.place,
                        kind: edge.kind,
                        forks: true,
                        time: arrival.time,
                    };
                    let next = extended(rules, run, arrival, entry, target, history, automaton);
                    into.taken = true;
                    if automaton.states[target as usize].kind == StateKind::Final {
                        into.complete.push(next);
                        continue;
                    }
                    if reaches_end(target, truths, registers, arrival, cx) {
                        into.complete.push(next.clone());
                    }
                    into.alive.push(next);
                }
            }
        }
    }
    into.stack = stack;
    if stopped {
        into.alive.truncate(alive_before);
    }
    if !run.has_started() {
        into.alive.push(run.clone());
    }
}

/// The run with the event added.
fn extended<E: Event, H: History>(
    rules: &Rules<'_>,
    run: &Run,
    arrival: &Arrival<'_, E>,
    entry: Entry,
    target: u32,
    history: &mut H,
    automaton: &Automaton,
) -> Run {
    let mut next = Run {
        state: target,
        tail: history.append(&run.tail, entry),
        last_time: arrival.time,
        length: run.length + 1,
        ..run.clone()
    };
    if !run.has_started() {
        next.start = arrival.number;
        next.start_time = arrival.time;
        next.registers = (!rules.fresh.is_empty()).then(|| rules.fresh.into());
    }
    let updates = &automaton.stage_registers[entry.stage as usize];
    if let (Some(registers), false) = (&mut next.registers, updates.is_empty()) {
        let registers = Arc::make_mut(registers);
        for &index in updates {
            let spec = &automaton.registers[index as usize];
            spec.update(&mut registers[index as usize], arrival.event);
        }
    }
    next
}

/// Whether proceed edges lead from a state to the end of the pattern. Their formulas see what the
/// run held before the event.
fn reaches_end<E: Event>(
    state: u32,
    truths: &mut Truths,
    registers: &[Register],
    arrival: &Arrival<'_, E>,
    cx: &mut Context<'_, E>,
) -> bool {
    let automaton = cx.automaton;
    let mut stack = vec![state];
    let mut seen = Vec::new();
    while let Some(state) = stack.pop() {
        for edge in &automaton.states[state as usize].edges {
            let proceeds = edge.kind == EdgeKind::Proceed;
            if proceeds && truths.open(&edge.formula, registers, arrival, cx) {
                if automaton.states[edge.target as usize].kind == StateKind::Final {
                    return true;
                }
                if automaton.cyclic {
                    if seen.contains(&edge.target) {
                        continue;
                    }
                    seen.push(edge.target);
                }
                stack.push(edge.target);
            }
        }
    }
    false
}
