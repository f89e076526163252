//! Whether a match can come about in several ways.
//!
//! Two runs that took the same events for the same stages are the same match. The automaton allows
//! such runs if in its product with itself, both halves doing the same with each event, a pair of
//! runs that once differed can be complete at once. Conditions are left out of account, so the answer
//! "yes" may be wrong; then counting is slower, not wrong.

use hashbrown::HashSet;

use crate::nfa::program::{COMPLETE, Finish, Move, NOWHERE, Program, Wait};

/// More pairs of waits than this are not looked at.
const MOST_PAIRS: usize = 1 << 18;

/// Where a move leads.
fn targets(m: &Move) -> Vec<u32> {
    match m.finish {
        Finish::Hold { otherwise, .. } => vec![m.target, otherwise],
        _ => vec![m.target],
    }
}

/// The same match may come about in several ways.
pub(super) fn is_ambiguous(program: &Program) -> bool {
    let mut seen = HashSet::new();
    // Two waits, and whether the runs in them differ.
    let mut pending = vec![(program.start, program.start, false)];
    while let Some(pair) = pending.pop() {
        if !seen.insert(pair) {
            continue;
        }
        if seen.len() > MOST_PAIRS {
            return true;
        }
        let (a, b, differ) = pair;
        let (one, other) = (&program.waits[a as usize], &program.waits[b as usize]);
        if differ && one.holds_match && other.holds_match {
            return true;
        }
        let mut next = |(a, b): (u32, u32), remember_the_same: bool| {
            pending.push((a.min(b), a.max(b), differ || a != b || !remember_the_same));
        };
        for m in &one.moves {
            for n in other.moves.iter().filter(|n| n.stage == m.stage) {
                let emit = |finish: &Finish| matches!(finish, Finish::Emit { .. });
                if differ && emit(&m.finish) && emit(&n.finish) {
                    return true;
                }
                for &to in &targets(m) {
                    for &other in targets(n).iter().filter(|&&t| t != NOWHERE && to != NOWHERE) {
                        // One run goes one way.
                        if differ || a != b || m != n || to == other {
                            next((to, other), m.resets == n.resets);
                        }
                    }
                }
            }
        }
        if a == program.start || b == program.start {
            continue;
        }
        let passes = |wait: &Wait| wait.ignores.iter().map(|i| i.target).collect::<Vec<_>>();
        let both = [(passes(one), passes(other)), (vec![one.foreign], vec![other.foreign])];
        for (ones, others) in both {
            for &m in &ones {
                for &n in &others {
                    if differ && m == COMPLETE && n == COMPLETE {
                        return true;
                    }
                    if m < COMPLETE && n < COMPLETE {
                        next((m, n), true);
                    }
                }
            }
        }
    }
    false
}
