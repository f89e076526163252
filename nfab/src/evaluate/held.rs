//! Matches that wait for their window to pass: loops at the end of which only the longest counts,
//! negations at the end.

use std::ops::ControlFlow;

use crate::nfa::program::Program;
use crate::runtime::context::Context;
use crate::runtime::evaluator::Taken;

/// For each wait whether a run in it is a match once its window passes; `None` if there is no such
/// wait.
pub(super) fn holds(program: &Program) -> Option<Box<[bool]>> {
    let holds: Box<[bool]> = program.waits.iter().map(|wait| wait.holds_match).collect();
    holds.contains(&true).then_some(holds)
}

/// Hands a match to the engine; not more of them than show that there are too many.
pub(super) fn gather<E>(cx: &mut Context<'_, E>, events: &[Taken]) -> ControlFlow<()> {
    cx.out.add(events);
    if cx.out.matches() > cx.config.limits.matches.most {
        return ControlFlow::Break(());
    }
    ControlFlow::Continue(())
}
