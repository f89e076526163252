//! Which programs are sequences in which every event may be ignored.

use super::visit::MOST;
use crate::evaluate::sequence::judge::{Gap, Stage};
use crate::nfa::program::{Finish, NOWHERE, Wait};
use crate::nfa::{Automaton, Formula};

/// The stages of a program, of which the compact evaluation is possible, if it is such a sequence; and
/// whether the last but one is a loop.
pub(super) fn stages(automaton: &Automaton) -> Option<(Vec<Stage>, bool)> {
    let program = &automaton.program;
    let mut stages: Vec<Stage> = Vec::new();
    let mut at = program.start;
    let mut repeats = false;
    loop {
        let wait: &Wait = program.waits.get(at as usize)?;
        let plain = wait.stops.is_empty() && wait.gap.is_none() && !wait.holds_match;
        if !plain || stages.len() > MOST {
            return None;
        }
        let mut moves = wait.moves.as_slice();
        if at != program.start {
            let mut ignores = wait.ignores.iter().filter(|ignore| ignore.target != NOWHERE);
            let (ignore, None) = (ignores.next()?, ignores.next()) else { return None };
            let any = ignore.formula == Formula::True && ignore.unless.is_empty();
            let stays = ignore.target == at && (program.key.is_empty() || wait.foreign == at);
            if !any || !stays {
                return None;
            }
            // A loop takes whatever began it.
            if let [take, others @ ..] = moves
                && take.target == at
            {
                let same = |last: &Stage| last.number == take.stage && last.formula == take.formula;
                if !stages.last().is_some_and(same) || take.finish != Finish::No {
                    return None;
                }
                repeats = true;
                moves = others;
            }
        }
        let [m] = moves else { return None };
        if stages.iter().any(|stage| stage.number == m.stage) {
            return None;
        }
        let gap = Gap { skips: true, foreign_skips: true };
        let stage = Stage { number: m.stage, formula: m.formula.clone(), gap };
        let first = stages.is_empty();
        stages.push(stage);
        if let Finish::Emit { formula: Formula::True, .. } = m.finish
            && m.target == NOWHERE
            && !first
        {
            return Some((stages, repeats));
        }
        // Only the last stage of the queues may be a loop.
        if m.finish != Finish::No || repeats || m.target == at {
            return None;
        }
        at = m.target;
    }
}
