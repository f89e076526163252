//! Runs whose window has passed.

use super::bucket::{Bounds, Bucket, Run};
use crate::nfa::Automaton;
use crate::nfa::program::Window;
use crate::runtime::context::Context;
use crate::runtime::evaluator::{Key, oldest_time};

/// How many runs have ended because a window has passed, of those that are wanted.
pub(super) fn passed(
    bucket: &Bucket,
    horizon: Key,
    now: Option<i64>,
    automaton: &Automaton,
    wanted: impl Fn(&Run) -> bool,
) -> usize {
    let gap = automaton.program.waits[bucket.wait as usize].gap;
    let last = gap.zip(now).map_or(i64::MIN, |(gap, now)| oldest_time(gap, false, now));
    let bounds = Bounds { key: horizon, last, now: now.unwrap_or(i64::MAX), end: false };
    if !bucket.may_pass(&bounds) {
        return 0;
    }
    bucket.iter().filter(|run| bounds.passed(run) && wanted(run)).count()
}

/// The first time that is outside of the window of a run.
pub(super) fn deadline<E>(run: &Run, gap: Option<i64>, window: Window, cx: &Context<'_, E>) -> i64 {
    if let Some(gap) = gap
        && cx.now.is_none_or(|now| run.last < oldest_time(gap, false, now))
    {
        return run.last.saturating_add(gap);
    }
    match window {
        Window::Time { length, inclusive } => {
            run.key.saturating_add(length).saturating_add(i64::from(inclusive))
        }
        Window::Events(_) | Window::None => cx.now.or(cx.watermark).unwrap_or(i64::MAX),
    }
}
