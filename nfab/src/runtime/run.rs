//! The computation state of a run, and what one event does to it.

use std::sync::Arc;

use crate::event::Event;
use crate::history::{Entry, EventIndex, History, Tail};
use crate::nfa::{Automaton, EdgeKind, Formula, StateKind};
use crate::predicate::evaluate::{Context, Faults};
use crate::predicate::register::Register;

/// A partial match.
#[derive(Clone, Debug)]
pub(crate) struct Run<T> {
    pub(crate) state: u32,
    pub(crate) tail: T,
    /// The arrival number of its first event; the greatest number of all before there is one.
    pub(crate) start: u64,
    pub(crate) start_time: i64,
    /// The time of its last event.
    pub(crate) last_time: i64,
    pub(crate) length: usize,
    /// What later conditions need of its events; `None` if no condition needs anything.
    pub(crate) registers: Option<Arc<[Register]>>,
}

impl<T> Run<T> {
    /// The run that waits for a first event.
    pub(crate) fn not_started(state: u32, tail: T) -> Self {
        let (start, length, registers) = (u64::MAX, 0, None);
        Run { state, tail, start, start_time: 0, last_time: 0, length, registers }
    }

    pub(crate) fn has_started(&self) -> bool {
        self.length > 0
    }
}

/// Whether conditions hold for the event at hand: 0 not evaluated, 1 no, 2 yes.
#[derive(Debug)]
pub(crate) struct Memo {
    unary: Vec<u8>,
    correlated: Vec<u8>,
}

impl Memo {
    pub(crate) fn new(automaton: &Automaton) -> Self {
        let count = automaton.conditions.len();
        Memo { unary: vec![0; count], correlated: vec![0; count] }
    }

    pub(crate) fn next_event(&mut self) {
        self.unary.fill(0);
    }

    fn next_run(&mut self) {
        self.correlated.fill(0);
    }

    fn open<E: Event>(
        &mut self,
        automaton: &Automaton,
        formula: &Formula,
        at: Context<'_, E>,
    ) -> bool {
        formula.open(&mut |number| {
            let condition = &automaton.conditions[number as usize];
            let known = if condition.unary { &mut self.unary } else { &mut self.correlated };
            let known = &mut known[number as usize];
            if *known == 0 {
                *known = 1 + u8::from(condition.test.evaluate(at).holds());
            }
            *known == 2
        })
    }
}

/// The event being processed.
pub(crate) struct Arrival<'a, E> {
    pub(crate) event: &'a E,
    pub(crate) number: u64,
    pub(crate) time: i64,
    /// The place that the event gets if a run takes it.
    pub(crate) place: EventIndex,
}

/// What became of a run.
#[derive(Debug)]
pub(crate) struct Step<T> {
    /// The runs that go on.
    pub(crate) alive: Vec<Run<T>>,
    /// The matches that are complete.
    pub(crate) complete: Vec<Run<T>>,
    /// Some run took the event.
    pub(crate) taken: bool,
    /// Runs that would have become too long.
    pub(crate) too_long: u64,
    stack: Vec<u32>,
    /// The states that the run has proceeded to, kept where proceed edges form a cycle.
    seen: Vec<u32>,
}

impl<T> Step<T> {
    pub(crate) fn new() -> Self {
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
pub(crate) struct Rules<'a> {
    pub(crate) automaton: &'a Automaton,
    /// The registers of a run without events.
    pub(crate) fresh: &'a [Register],
    pub(crate) faults: &'a Faults,
    /// The most events of a match.
    pub(crate) longest: usize,
}

/// Lets one run see an event.
pub(crate) fn step<E: Event, H: History>(
    rules: &Rules<'_>,
    run: &Run<Tail>,
    arrival: &Arrival<'_, E>,
    history: &mut H,
    memo: &mut Memo,
    into: &mut Step<Tail>,
) {
    let Rules { automaton, fresh, faults, longest } = *rules;
    let registers = run.registers.as_deref().unwrap_or(fresh);
    let at = Context { event: arrival.event, registers, faults };
    memo.next_run();
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
            if !memo.open(automaton, &edge.formula, at) {
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
                    if run.length >= longest {
                        into.too_long += 1;
                        continue;
                    }
                    let stage = automaton.states[state as usize].stage;
                    let entry = Entry {
                        stage,
                        event: arrival.place,
                        kind: edge.kind,
                        forks: true,
                        time: arrival.time,
                    };
                    let next = extended(rules, run, arrival, entry, target, history);
                    into.taken = true;
                    if automaton.states[target as usize].kind == StateKind::Final {
                        into.complete.push(next);
                        continue;
                    }
                    if reaches_end(automaton, target, memo, at) {
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
    run: &Run<Tail>,
    arrival: &Arrival<'_, E>,
    entry: Entry,
    target: u32,
    history: &mut H,
) -> Run<Tail> {
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
    let updates = &rules.automaton.stage_registers[entry.stage as usize];
    if let (Some(registers), false) = (&mut next.registers, updates.is_empty()) {
        let registers = Arc::make_mut(registers);
        for &index in updates {
            let spec = &rules.automaton.registers[index as usize];
            spec.update(&mut registers[index as usize], arrival.event);
        }
    }
    next
}

/// Whether proceed edges lead from a state to the end of the pattern. Their formulas see what the
/// run held before the event.
fn reaches_end<E: Event>(
    automaton: &Automaton,
    state: u32,
    memo: &mut Memo,
    at: Context<'_, E>,
) -> bool {
    let mut stack = vec![state];
    let mut seen = Vec::new();
    while let Some(state) = stack.pop() {
        for edge in &automaton.states[state as usize].edges {
            if edge.kind == EdgeKind::Proceed && memo.open(automaton, &edge.formula, at) {
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
