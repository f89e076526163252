//! The shared evaluations against runs moved one by one, on random programs: stranger ones than the
//! front ends make.

use std::ops::ControlFlow;

use proptest::prelude::*;

use super::{Choices, Compact, Grouped};
use crate::config::Config;
use crate::event::{Record, Schema, Slot, TypeId};
use crate::history::EventStore;
use crate::nfa::program::{COMPLETE, Finish, Ignore, Move, NOWHERE, Program, Sees, Wait, Window};
use crate::nfa::{Automaton, Condition, EdgeKind, Formula};
use crate::pattern::Pattern;
use crate::predicate::evaluate::{Context as At, Faults};
use crate::predicate::register::Register;
use crate::predicate::typecheck::Compiler;
use crate::predicate::{Expr, Pick};
use crate::runtime::context::{Context, Facts};
use crate::runtime::evaluator::{Arrival, Evaluator, Key, Taken};
use crate::stats::Stats;
use crate::value::ValueType;

const STAGES: [&str; 3] = ["a", "b", "c"];

fn schema() -> (Schema, Slot) {
    let mut schema = Schema::new();
    schema.add_type("T");
    let val = schema.add_attribute("val", Some(ValueType::Int));
    (schema, val)
}

/// An automaton around a program.
fn automaton(program: &Program, correlated: bool) -> Automaton {
    let (schema, _) = schema();
    let pattern = Pattern::begin("a").build().expect("a pattern");
    let mut automaton = Automaton::compile(&pattern, &schema).expect("it compiles");
    automaton.stages = STAGES.map(str::to_owned).to_vec();
    let val = || Expr::attribute("val");
    let mut exprs = vec![val().ge(2), val().rem(2).eq(0), val().le(3)];
    if correlated {
        exprs.push(val().ge(Expr::last("a", "val")).assume(true));
        exprs.push(val().ne(Expr::first("b", "val")).assume(false));
    }
    let mut compiler = Compiler::new(&schema, &automaton.stages, false);
    automaton.conditions = exprs
        .into_iter()
        .map(|expr| {
            let test = compiler.test(&expr).expect("it compiles");
            let unary = !test.reads_registers();
            Condition { expr, test, unary }
        })
        .collect();
    let registers = compiler.registers;
    automaton.stage_registers = vec![Vec::new(); STAGES.len()];
    for (at, register) in registers.iter().enumerate() {
        assert!(matches!(register.pick, Pick::First | Pick::Last));
        automaton.stage_registers[register.stage as usize].push(at as u32);
    }
    automaton.registers = registers;
    automaton.program = program.clone();
    automaton
}

fn formula(conditions: u32) -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![1 => Just(Formula::True), 3 => (0..conditions).prop_map(Formula::Holds)];
    leaf.prop_recursive(2, 3, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(Formula::negated),
            (inner.clone(), inner).prop_map(|(a, b)| a.and(b)),
        ]
    })
}

fn wait(waits: u32, conditions: u32, registers: u32) -> impl Strategy<Value = Wait> {
    let target = move || prop_oneof![6 => 1..waits, 1 => Just(NOWHERE)];
    let finish = prop_oneof![
        2 => Just(Finish::No),
        1 => (formula(conditions), any::<bool>()).prop_map(|(formula, after)| {
            Finish::Emit { formula, sees: if after { Sees::After } else { Sees::Before } }
        }),
        1 => (formula(conditions), target())
            .prop_map(|(formula, otherwise)| Finish::Hold { formula, otherwise }),
    ];
    let resets = prop::collection::vec(0..registers.max(1), usize::from(registers > 0));
    let resets = prop_oneof![3 => Just(Vec::new()), 1 => resets];
    let moves = (formula(conditions), 0..STAGES.len() as u32, target(), finish, resets).prop_map(
        |(formula, stage, target, finish, resets)| Move {
            kind: EdgeKind::Take,
            formula,
            stage,
            target,
            resets: resets.into(),
            finish,
        },
    );
    let passed = move || prop_oneof![6 => 1..waits, 1 => Just(COMPLETE)];
    let ignore = (formula(conditions), passed(), any::<bool>());
    (
        prop::collection::vec(moves, 1..4),
        prop::collection::vec(ignore, 0..3),
        prop::option::weighted(0.1, formula(conditions)),
        prop_oneof![8 => Just(None), 1 => passed().prop_map(Some), 1 => Just(Some(NOWHERE))],
        prop::bool::weighted(0.6),
        prop::bool::weighted(0.3),
    )
        .prop_map(|(moves, ignores, stop, foreign, patient, holds_match)| {
            let last = moves.len() as u32 - 1;
            let mut ignores: Vec<Ignore> = ignores
                .into_iter()
                .map(|(formula, target, unless)| {
                    let unless = if unless { Box::from([last]) } else { Box::default() };
                    Ignore { formula, unless, target }
                })
                .collect();
            if patient {
                // NOWHERE stands for the wait itself.
                let formula = Formula::True;
                ignores.push(Ignore { formula, unless: Box::default(), target: NOWHERE });
            }
            let foreign = foreign.unwrap_or(NOWHERE - 7);
            let stops = stop.into_iter().collect();
            Wait { moves, ignores, stops, foreign, holds_match, ..Wait::default() }
        })
}

fn program(correlated: bool) -> impl Strategy<Value = Program> {
    let (conditions, registers) = if correlated { (5, 2) } else { (3, 0) };
    let window = prop_oneof![
        Just(Window::None),
        (1i64..9, any::<bool>()).prop_map(|(length, inclusive)| Window::Time { length, inclusive }),
        (1u64..9).prop_map(Window::Events),
    ];
    (2u32..5)
        .prop_flat_map(move |waits| {
            prop::collection::vec(wait(waits, conditions, registers), waits as usize)
        })
        .prop_flat_map(move |waits| (Just(waits), window.clone(), any::<bool>()))
        .prop_map(|(mut waits, window, holds)| {
            for (own, wait) in (0..).zip(&mut waits) {
                // Half of the programs report nothing when a window passes, so they can count.
                wait.holds_match &= holds && own > 0;
                for ignore in &mut wait.ignores {
                    ignore.target = if ignore.target == NOWHERE { own } else { ignore.target };
                }
                wait.foreign = if wait.foreign == NOWHERE - 7 { own } else { wait.foreign };
            }
            Program { waits, window, ..Program::default() }
        })
}

/// A run, moved on its own.
#[derive(Clone)]
struct Run {
    wait: u32,
    start: Key,
    taken: Vec<(u64, u32)>,
    registers: Vec<Register>,
}

/// The matches of each event, in order.
struct Reference<'a> {
    automaton: &'a Automaton,
    runs: Vec<Run>,
    faults: Faults,
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
    fn expire(&mut self, horizon: Option<Key>) -> Vec<Run> {
        let program = &self.automaton.program;
        let passed = |run: &Run| horizon.is_none_or(|horizon| run.start < horizon);
        let (gone, alive) = std::mem::take(&mut self.runs).into_iter().partition(passed);
        self.runs = alive;
        let gone: Vec<Run> = gone;
        gone.into_iter().filter(|run| program.waits[run.wait as usize].holds_match).collect()
    }

    /// Without an event: one of another partition.
    fn show(&mut self, number: u64, key: Key, event: Option<&Record>) -> Vec<Run> {
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

/// Numbers first, then stages.
fn order(matches: impl Iterator<Item = Vec<(u64, u32)>>) -> Vec<(Vec<u64>, Vec<u32>)> {
    let mut all: Vec<(Vec<u64>, Vec<u32>)> = matches.map(|m| m.into_iter().unzip()).collect();
    all.sort();
    all.dedup();
    all
}

/// How the matches of an event are asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ask {
    Enumerate,
    Count,
    First(usize),
}

type Stream = Vec<(i64, i64, bool)>;

fn check<V: Evaluator<Record>>(
    automaton: &Automaton,
    mut evaluator: V,
    stream: &Stream,
    ask: impl Fn(usize) -> Ask,
    collect_every: usize,
) {
    let (_, val) = schema();
    let mut reference = Reference { automaton, runs: vec![], faults: Faults::default() };
    let mut part = evaluator.part();
    let mut store = EventStore::new();
    let (config, faults) = (Config::default(), Faults::default());
    let mut facts = Facts::new(automaton);
    // An output, which has no name out of the runtime.
    let mut out = Default::default();
    let mut stats = Stats::default();
    let mut time = 0;
    let mut horizon = Key::MIN;
    macro_rules! context {
        ($now:expr) => {
            Context {
                automaton,
                config: &config,
                facts: &mut facts,
                faults: &faults,
                store: &store,
                horizon,
                now: $now,
                watermark: Some(time),
                recheck: false,
                out: &mut out,
                stats: &mut stats,
            }
        };
    }
    macro_rules! gathered {
        () => {{
            let mut found: Vec<(Vec<u64>, Vec<u32>)> = Vec::new();
            while out.matches() > 0 {
                let events = out.newest().iter();
                found.push(events.map(|&(stage, at)| (store.arrival(at), stage)).unzip());
                out.take_back();
            }
            found.reverse();
            found
        }};
    }
    macro_rules! ready {
        ($found:expr) => {{
            let flow = evaluator.enumerate(&mut part, &mut |m: &[Taken]| {
                let m = m.iter().map(|&(stage, at)| (store.arrival(at), stage));
                $found.push(m.unzip());
                ControlFlow::Continue(())
            });
            assert!(flow.is_continue());
        }};
    }
    // The matches that come out when windows pass.
    macro_rules! released {
        ($horizon:expr) => {{
            let mut found: Vec<(Vec<u64>, Vec<u32>)> = Vec::new();
            if evaluator.release(&mut part, $horizon) {
                ready!(found);
            }
            found
        }};
    }
    // The same, one first event after the other.
    macro_rules! narrowed {
        ($horizon:expr) => {{
            let mut found: Vec<(Vec<u64>, Vec<u32>)> = Vec::new();
            let mut after = None;
            while evaluator.releases() && evaluator.has_matches(&part) {
                after = evaluator.narrow(&mut part, $horizon, after);
                if after.is_none() {
                    break;
                }
                ready!(found);
            }
            found
        }};
    }
    for (number, &(pause, value, foreign)) in stream.iter().enumerate() {
        time += pause;
        let event = Record::new(TypeId(0), time).with(val, value);
        let window = automaton.program.window;
        let number64 = number as u64;
        let key = window.key(number64, time);
        horizon = window.horizon(number64, time);
        let expected = reference.expire(Some(horizon));
        if evaluator.prompt() {
            let expected = order(expected.into_iter().map(|run| run.taken));
            assert_eq!(released!(Some(horizon)), expected, "window before {number}");
            assert_eq!(narrowed!(Some(horizon)), expected, "window before {number}, by starts");
            evaluator.expire(&mut part, &mut context!(Some(time))).expect("no failure");
        }
        facts.next_event();
        let expected = reference.show(number64, key, (!foreign).then_some(&event));
        if reference.runs.len() > 3000 {
            return;
        }
        let expected = order(expected.into_iter().map(|run| run.taken));
        if foreign {
            evaluator.foreign(&mut part, &mut context!(Some(time))).expect("no failure");
            assert_eq!(gathered!(), expected, "foreign event {number}");
            continue;
        }
        // Kept until it turns out that nobody needs it, as in an engine.
        let place = store.push(number64, key, event.clone());
        let arrival = Arrival { event: &event, number: number64, time, place };
        let shown = evaluator.show(&mut part, &arrival, &mut context!(Some(time)));
        let kept = shown.expect("no failure");
        assert_eq!(evaluator.has_matches(&part), !expected.is_empty());
        match ask(number) {
            Ask::Count => {
                if let Some(count) = evaluator.count(&mut part) {
                    assert_eq!(count, expected.len() as u64, "count at {number}");
                }
            }
            how => {
                let most = if let Ask::First(most) = how { most } else { usize::MAX };
                let mut found: Vec<(Vec<u64>, Vec<u32>)> = Vec::new();
                let flow = evaluator.enumerate(&mut part, &mut |m: &[Taken]| {
                    let m = m.iter().map(|&(stage, at)| (store.arrival(at), stage));
                    found.push(m.unzip());
                    match found.len() >= most {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    }
                });
                let wanted = expected.len().min(most);
                assert_eq!(found, expected[..wanted], "matches at {number}");
                assert_eq!(flow.is_break(), expected.len() >= most);
            }
        }
        if !kept {
            store.pop();
        }
        if (number + 1) % collect_every == 0 {
            let mut used = store.marks();
            let mut cx = context!(Some(time));
            evaluator.collect(&mut std::iter::once(&mut part), &mut cx, &mut used);
            let moved = store.compact(&used);
            evaluator.renumber(&mut std::iter::once(&mut part), &moved);
        }
    }
    let expected = order(reference.expire(None).into_iter().map(|run| run.taken));
    assert_eq!(released!(None), expected, "end of the stream");
    assert_eq!(narrowed!(None), expected, "end of the stream, by starts");
    evaluator.expire(&mut part, &mut context!(None)).expect("no failure");
    assert!(evaluator.is_empty(&part));
    assert_eq!(evaluator.cells(), 0);
}

fn stream() -> impl Strategy<Value = Stream> {
    let event = (0i64..3, 0i64..6, prop::bool::weighted(0.1));
    prop::collection::vec(event, 0..11)
}

fn asks() -> impl Strategy<Value = Vec<Ask>> {
    let any = prop_oneof![Just(Ask::Enumerate), Just(Ask::Count), (1usize..4).prop_map(Ask::First)];
    prop_oneof![
        Just(vec![Ask::Enumerate]),
        Just(vec![Ask::Count]),
        prop::collection::vec(any, 1..6),
    ]
}

/// A sequence under skip-till-any, of which the last stage but one may be a loop; also of more stages
/// than are counted by matrices.
fn sequence() -> impl Strategy<Value = Automaton> {
    let conditions = ["", "v.val >= 2", "v.val % 2 = 0", "v.val <= 3"];
    let stage = prop::sample::select(conditions.to_vec());
    let window = prop_oneof![
        2 => (1..12_u32).prop_map(|length| format!(" WITHIN {length} ms")),
        2 => (1..12_u32).prop_map(|length| format!(" WITHIN {length} EVENTS")),
        1 => Just(String::new()),
    ];
    let stages = prop_oneof![3 => 2..5_usize, 1 => 5..12_usize];
    let stages = stages.prop_flat_map(move |stages| prop::collection::vec(stage.clone(), stages));
    (stages, any::<bool>(), window).prop_map(|(stages, repeats, window)| {
        let mut wanted = Vec::new();
        let items = stages.iter().enumerate().map(|(at, condition)| {
            let (item, of) = if repeats && at + 2 == stages.len() {
                // What begins the loop is what it takes.
                (format!("T+ v{at}[]"), vec![format!("v{at}[1]."), format!("v{at}[i].")])
            } else {
                (format!("T v{at}"), vec![format!("v{at}.")])
            };
            if !condition.is_empty() {
                wanted.extend(of.iter().map(|of| condition.replace("v.", of)));
            }
            item
        });
        let items: Vec<String> = items.collect();
        let (items, wanted) = (items.join(", "), wanted.join(" AND "));
        let wanted = if wanted.is_empty() { wanted } else { format!(" {{ {wanted} }}") };
        let text = format!("PATTERN SEQ({items}) WHERE skip_till_any_match{wanted}{window}");
        Automaton::from_text(&text, &schema().0).unwrap_or_else(|e| panic!("{text}: {e}"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn choices_are_as_runs(
        automaton in sequence(), stream in stream(), asks in asks(), every in 1usize..12,
    ) {
        let stream = stream.into_iter().map(|(pause, value, _)| (pause, value, false)).collect();
        let ask = |number: usize| asks[number % asks.len()];
        let choices = Choices::new(&automaton).expect("it is such a sequence");
        check(&automaton, choices, &stream, ask, every);
    }

    #[test]
    fn compact_is_as_runs(
        program in program(false), stream in stream(), asks in asks(), every in 1usize..12,
    ) {
        let automaton = automaton(&program, false);
        let ask = |number: usize| asks[number % asks.len()];
        check(&automaton, Compact::new(&automaton), &stream, ask, every);
    }

    #[test]
    fn grouped_is_as_runs(
        program in program(true), stream in stream(), asks in asks(), every in 1usize..12,
    ) {
        let automaton = automaton(&program, true);
        let ask = |number: usize| asks[number % asks.len()];
        check(&automaton, Grouped::new(&automaton), &stream, ask, every);
    }
}
