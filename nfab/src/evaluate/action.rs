//! What the runs in a wait do with an event, once it is known which formulas hold.

use crate::nfa::Formula;
use crate::nfa::program::{COMPLETE, Finish, NOWHERE, Program};

/// One way to take the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Take {
    pub(super) stage: u32,
    /// A wait, or [`NOWHERE`].
    pub(super) target: u32,
    /// The runs are matches.
    pub(super) emits: bool,
}

/// What becomes of all runs in a wait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Action {
    /// In order, each stage and target once.
    pub(super) takes: Vec<Take>,
    /// The waits to which the runs pass over the event, in order, each once.
    pub(super) passes: Vec<u32>,
    /// The runs are complete by passing over the event.
    pub(super) completes: bool,
}

impl Action {
    /// The action of a wait on an event of the partition, conditions being on the event alone.
    pub(super) fn of(program: &Program, wait: u32, mut holds: impl FnMut(u32) -> bool) -> Action {
        let start = wait == program.start;
        let wait = &program.waits[wait as usize];
        let mut action = Action::default();
        let mut open = |formula: &Formula| formula.open(&mut holds);
        let fires: Vec<bool> = wait.moves.iter().map(|m| open(&m.formula)).collect();
        for (m, _) in wait.moves.iter().zip(&fires).filter(|(_, fires)| **fires) {
            let (target, emits) = match &m.finish {
                Finish::No => (m.target, false),
                Finish::Emit { formula, .. } => (m.target, open(formula)),
                Finish::Hold { formula, otherwise } => {
                    (if open(formula) { m.target } else { *otherwise }, false)
                }
            };
            action.takes.push(Take { stage: m.stage, target, emits });
        }
        // The run that has not started stays, whatever comes.
        if !start {
            for ignore in &wait.ignores {
                if open(&ignore.formula) && !ignore.unless.iter().any(|&m| fires[m as usize]) {
                    action.passes.push(ignore.target);
                }
            }
        }
        if wait.stops.iter().any(open) {
            action.passes.retain(|&target| target == COMPLETE);
            action.takes.iter_mut().for_each(|take| take.target = NOWHERE);
        }
        action.tidy();
        action
    }

    /// The action of a wait on an event of the stream that is not of the partition.
    pub(super) fn foreign(program: &Program, wait: u32) -> Action {
        let target = program.waits[wait as usize].foreign;
        let mut action = Action { passes: vec![target], ..Action::default() };
        action.tidy();
        action
    }

    fn tidy(&mut self) {
        self.completes = self.passes.contains(&COMPLETE);
        self.passes.retain(|&target| target != COMPLETE && target != NOWHERE);
        self.passes.sort_unstable();
        self.passes.dedup();
        self.takes.retain(|take| take.emits || take.target != NOWHERE);
        // What emits comes last, and stays.
        self.takes.sort_unstable();
        self.takes.reverse();
        self.takes.dedup_by_key(|take| (take.stage, take.target));
        self.takes.reverse();
    }
}
