//! Which registers matter in a wait.
//!
//! Two runs in one wait are the same for their future if they agree on what later formulas read. A
//! register that is overwritten before it is read, or never read again, must not keep them apart: so
//! liveness is computed backwards over the program, as a compiler does it for variables. A group's
//! other registers are emptied.

use crate::evaluate::choose::{gather, reads};
use crate::nfa::program::{Finish, Move, Sees};
use crate::nfa::{Automaton, Formula};
use crate::predicate::Pick;

/// For each register whether it is live.
pub(in crate::evaluate) type Live = Box<[bool]>;

/// For each wait, which registers are live in it.
pub(in crate::evaluate) fn live(automaton: &Automaton) -> Vec<Live> {
    let count = automaton.registers.len();
    let waits = &automaton.program.waits;
    let mut live = vec![vec![false; count].into_boxed_slice(); waits.len()];
    let read = |formula: &Formula, into: &mut [bool]| {
        let mut conditions = Vec::new();
        gather(formula, &mut conditions);
        for number in conditions {
            for register in reads(&automaton.conditions[number as usize].test) {
                into[register as usize] = true;
            }
        }
    };
    loop {
        let mut changed = false;
        for at in (0..waits.len()).rev() {
            let wait = &waits[at];
            let mut now = live[at].clone();
            wait.stops.iter().for_each(|formula| read(formula, &mut now));
            for ignore in &wait.ignores {
                read(&ignore.formula, &mut now);
                merge(&mut now, live.get(ignore.target as usize), |_| true);
            }
            merge(&mut now, live.get(wait.foreign as usize), |_| true);
            for m in &wait.moves {
                read(&m.formula, &mut now);
                // What is read after the event was entered.
                let mut after = vec![false; count].into_boxed_slice();
                merge(&mut after, live.get(m.target as usize), |_| true);
                match &m.finish {
                    Finish::Emit { formula, sees: Sees::Before } => read(formula, &mut now),
                    Finish::Emit { formula, sees: Sees::After } => read(formula, &mut after),
                    Finish::Hold { formula, otherwise } => {
                        read(formula, &mut after);
                        merge(&mut after, live.get(*otherwise as usize), |_| true);
                    }
                    Finish::No => {}
                }
                merge(&mut now, Some(&after), |register| !overwrites(automaton, m, register));
            }
            if live[at] != now {
                live[at] = now;
                changed = true;
            }
        }
        if !changed {
            return live;
        }
    }
}

fn merge(into: &mut [bool], other: Option<&Live>, keep: impl Fn(usize) -> bool) {
    for (at, live) in other.into_iter().flat_map(|other| other.iter().enumerate()) {
        into[at] |= *live && keep(at);
    }
}

/// The move leaves nothing of what the register held before.
pub(in crate::evaluate) fn overwrites(automaton: &Automaton, m: &Move, register: usize) -> bool {
    let spec = &automaton.registers[register];
    let last = spec.pick == Pick::Last
        && automaton.stage_registers[m.stage as usize].contains(&(register as u32));
    last || m.resets.contains(&(register as u32))
}
