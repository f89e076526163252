//! Random automata: around programs that no front end makes, and of sequences.

use proptest::prelude::*;

use crate::event::{Schema, Slot};
use crate::nfa::program::{COMPLETE, Finish, Ignore, Move, NOWHERE, Program, Sees, Wait, Window};
use crate::nfa::{Automaton, Condition, EdgeKind, Formula};
use crate::pattern::Pattern;
use crate::predicate::typecheck::Compiler;
use crate::predicate::{Expr, Pick};
use crate::value::ValueType;

const STAGES: [&str; 3] = ["a", "b", "c"];

pub fn schema() -> (Schema, Slot) {
    let mut schema = Schema::new();
    schema.add_type("T");
    let val = schema.add_attribute("val", Some(ValueType::Int));
    (schema, val)
}

/// An automaton around a program.
pub fn automaton(program: &Program, correlated: bool) -> Automaton {
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

pub fn program(correlated: bool) -> impl Strategy<Value = Program> {
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

/// A sequence under skip-till-any, of which the last stage but one may be a loop; also of more stages
/// than are counted by matrices.
pub fn sequence() -> impl Strategy<Value = Automaton> {
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
