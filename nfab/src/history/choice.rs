//! Which rules the versions of an automaton follow.
//!
//! Those of the paper suffice if no two runs that differ only in which events they took can wait in
//! the same state with the same numbers but for the last: that is, if a run that does anything with
//! an event stays in its state in one way at most. Looked at here are the moves themselves and not
//! the strategy in the text, so that what holds for a query in one language holds in the other. The
//! rules of the paper are chosen if
//!
//! - a run that waits has one way to take more of the component at hand and one to begin a later
//!   one, at most;
//! - it ignores an event only if it takes it in neither way.
//!
//! That is skip-till-next and both contiguities over components of which none is optional;
//! everything else gets tree versions.

use super::shape::{Shape, StageShape};
use super::version::Rules;
use crate::nfa::program::{Finish, Move, Program, Wait};
use crate::nfa::{Automaton, EdgeKind};

impl Shape {
    /// What a match buffer needs to know of an automaton.
    pub(crate) fn of(automaton: &Automaton) -> Shape {
        let program = &automaton.program;
        let mut stages: Vec<StageShape> = (automaton.stages.iter())
            .map(|name| StageShape { name: name.clone(), kleene: false })
            .collect();
        for m in moves(program).filter(|m| m.kind == EdgeKind::Take) {
            stages[m.stage as usize].kleene = true;
        }
        let rules = if is_linear(program) { Rules::Paper } else { Rules::Tree };
        Shape { stages, rules }
    }
}

fn moves(program: &Program) -> impl Iterator<Item = &Move> {
    program.waits.iter().flat_map(|wait| &wait.moves)
}

/// The rules of the paper are exact.
fn is_linear(program: &Program) -> bool {
    let Some(before) = stages_before(program) else { return false };
    program.waits.iter().zip(before).enumerate().all(|(at, (wait, before))| {
        let begins = wait.moves.iter().filter(|m| m.kind == EdgeKind::Begin);
        let takes = wait.moves.iter().filter(|m| m.kind == EdgeKind::Take);
        let start = at == program.start as usize;
        begins.clone().count() <= 1
            && takes.clone().count() <= usize::from(!start)
            && begins.clone().all(|m| before.is_none_or(|before| m.stage > before))
            && takes.clone().all(|m| before.is_none_or(|before| m.stage == before))
            && ignores_what_it_does_not_take(wait)
    })
}

fn ignores_what_it_does_not_take(wait: &Wait) -> bool {
    let all = 0..wait.moves.len() as u32;
    wait.ignores.iter().all(|ignore| all.clone().all(|m| ignore.unless.contains(&m)))
}

/// For each wait the stage of a run's last event; `None` if there are several for one wait.
fn stages_before(program: &Program) -> Option<Vec<Option<u32>>> {
    let mut before: Vec<Option<u32>> = vec![None; program.waits.len()];
    let mut open = Vec::new();
    for m in moves(program) {
        open.push((m.target, m.stage));
        if let Finish::Hold { otherwise, .. } = m.finish {
            open.push((otherwise, m.stage));
        }
    }
    while let Some((at, stage)) = open.pop() {
        // There is no wait where a run ends.
        let Some(known) = before.get_mut(at as usize) else { continue };
        match *known {
            Some(other) if other != stage => return None,
            Some(_) => {}
            None => {
                *known = Some(stage);
                let wait = &program.waits[at as usize];
                open.extend(wait.ignores.iter().map(|ignore| (ignore.target, stage)));
                open.push((wait.foreign, stage));
            }
        }
    }
    Some(before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nfa::Formula;
    use crate::nfa::program::{Ignore, NOWHERE, Sees};
    use EdgeKind::{Begin, Take};

    fn wait(at: u32, moves: &[(EdgeKind, u32, u32)], unless: Option<&[u32]>) -> Wait {
        let finish = Finish::Emit { formula: Formula::True, sees: Sees::Before };
        let one = |&(kind, stage, target)| Move {
            kind,
            formula: Formula::True,
            stage,
            target,
            resets: Box::default(),
            finish: if target == NOWHERE { finish.clone() } else { Finish::No },
        };
        let ignore =
            |unless: &[u32]| Ignore { formula: Formula::True, unless: unless.into(), target: at };
        Wait {
            moves: moves.iter().map(one).collect(),
            ignores: unless.into_iter().map(ignore).collect(),
            foreign: at,
            ..Wait::default()
        }
    }

    fn linear(waits: &[Wait]) -> bool {
        is_linear(&Program { waits: waits.to_vec(), ..Program::default() })
    }

    #[test]
    fn the_rules_of_the_paper_are_for_runs_that_stay_in_one_way() {
        let start = wait(0, &[(Begin, 0, 1)], None);
        let moves = [(Take, 0, 1), (Begin, 1, NOWHERE)];
        assert!(linear(&[start.clone(), wait(1, &moves, Some(&[0, 1]))]), "skip till next");
        assert!(linear(&[start.clone(), wait(1, &moves, None)]), "strict contiguity");
        assert!(!linear(&[start.clone(), wait(1, &moves, Some(&[]))]), "skip till any");
        assert!(!linear(&[start.clone(), wait(1, &moves, Some(&[0]))]), "any before b only");
        let optional = [(Begin, 1, 1), (Begin, 2, NOWHERE)];
        assert!(!linear(&[start.clone(), wait(1, &optional, Some(&[0, 1]))]), "b?, c");
        let again = [(Begin, 0, 1)];
        assert!(!linear(&[start.clone(), wait(1, &again, Some(&[0]))]), "another round of a group");
        let other = [wait(1, &[(Begin, 1, 1)], Some(&[0]))];
        assert!(!linear(&[start, other[0].clone()]), "two stages lead to one wait");
    }
}
