//! Which programs the last event of a run decides.

use crate::evaluate::choose::{forks, gather, literals};
use crate::evaluate::grouped::live::{live, overwrites};
use crate::nfa::program::{Finish, Move, NOWHERE, Wait, Window};
use crate::nfa::{Automaton, Formula};
use crate::predicate::evaluate::Test;

/// Whether a program, of which the grouped evaluation is possible, leads runs that have taken the same
/// event for the same stage the same way, and each run one way only.
pub(crate) fn fits(automaton: &Automaton) -> bool {
    let program = &automaton.program;
    let waits = &program.waits;
    let holds = |wait: &Wait| wait.holds_match;
    // What was a match never comes to where it might time out.
    let silent = |wait: &Wait| {
        let mut after = wait.moves.iter().flat_map(targets);
        !wait.is_match || holds(wait) && after.all(|at| waits.get(at as usize).is_none_or(holds))
    };
    program.window != Window::None
        && waits.iter().any(holds)
        && (!program.matched_is_no_timeout || waits.iter().all(silent))
        && (0..).zip(waits).all(|(at, wait)| is_plain(automaton, at, wait))
        && !forks(program)
        && remembers_the_last(automaton)
}

/// Nothing but one move leads away from a wait.
fn is_plain(automaton: &Automaton, own: u32, wait: &Wait) -> bool {
    let unary = |formula: &Formula| {
        let mut all = Vec::new();
        gather(formula, &mut all);
        all.iter().all(|&number| automaton.conditions[number as usize].unary)
    };
    let ends = |m: &Move| match &m.finish {
        Finish::No => true,
        Finish::Hold { formula, .. } => unary(formula),
        Finish::Emit { .. } => false,
    };
    let mut others = wait.moves.as_slice();
    let mut alone = true;
    while let Some((one, rest)) = others.split_first() {
        alone &= rest.iter().all(|other| exclude(automaton, &one.formula, &other.formula));
        others = rest;
    }
    alone
        && wait.stops.is_empty()
        && wait.gap.is_none()
        && (automaton.program.key.is_empty() || wait.foreign == own)
        && wait.ignores.iter().all(|ignore| ignore.target == own || ignore.target == NOWHERE)
        && wait.moves.iter().all(ends)
}

/// Two formulas surely do not hold at once.
fn exclude(automaton: &Automaton, a: &Formula, b: &Formula) -> bool {
    let of = |formula: &Formula| {
        let mut all = Vec::new();
        literals(formula, &mut all);
        all
    };
    let (a, b) = (of(a), of(b));
    let type_of = |(number, holds): (u32, bool)| match automaton.conditions[number as usize].test {
        Test::TypeIs(of) if holds => Some(of),
        _ => None,
    };
    a.iter().any(|&one| {
        b.iter().any(|&other| {
            let types = type_of(one).zip(type_of(other));
            (one.0 == other.0 && one.1 != other.1) || types.is_some_and(|(a, b)| a != b)
        })
    })
}

/// Where a move leads.
fn targets(m: &Move) -> [u32; 2] {
    match m.finish {
        Finish::Hold { otherwise, .. } => [m.target, otherwise],
        _ => [m.target, NOWHERE],
    }
}

/// All that is read of a run later comes from the event that it took last.
fn remembers_the_last(automaton: &Automaton) -> bool {
    let program = &automaton.program;
    let live = live(automaton);
    let started = (0..).zip(&program.waits).filter(|(at, _)| *at != program.start);
    started.flat_map(|(_, wait)| &wait.moves).all(|m| {
        let targets = targets(m).into_iter().filter_map(|at| live.get(at as usize));
        let read = targets.flat_map(|live| (0..).zip(live).filter(|(_, live)| **live));
        read.map(|(register, _)| register).all(|register| overwrites(automaton, m, register))
    })
}
