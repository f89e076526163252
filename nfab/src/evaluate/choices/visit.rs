//! Matches that end with any choice of some events.

use std::ops::ControlFlow;

use crate::runtime::evaluator::Taken;

/// So many events to choose from have a bit each.
pub(in crate::evaluate) const MOST: usize = 63;

/// Visits `taken` with any choice of some events behind it, and the last event behind that; the empty
/// choice, too, if `none`. There are at most [`MOST`] events to choose from.
///
/// The choices come in the order of their events if they are numbers that are counted down, in which
/// the first event has the highest bit. From one to the next, events are exchanged at the end only; two
/// that differ in the last event alone are visited together.
#[inline]
pub(in crate::evaluate) fn visit<T>(
    events: &[T],
    of: impl Fn(&T) -> Taken,
    none: bool,
    last: Taken,
    taken: &mut Vec<Taken>,
    visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let before = taken.len();
    let Some((end, others)) = events.split_last() else {
        if none {
            taken.push(last);
            visit(taken)?;
            taken.truncate(before);
        }
        return ControlFlow::Continue(());
    };
    let end = of(end);
    taken.extend(others.iter().map(&of));
    let mut len = taken.len();
    taken.extend([end, last]);
    let all = taken.as_mut_slice();
    let mut choice = (1_u64 << others.len()) - 1;
    loop {
        all[len] = end;
        all[len + 1] = last;
        visit(&all[..len + 2])?;
        if choice == 0 {
            break;
        }
        all[len] = last;
        visit(&all[..=len])?;
        // The last event that is chosen goes, and all after it come.
        len -= 1;
        let come = choice.trailing_zeros() as usize;
        for event in &others[others.len() - come..] {
            all[len] = of(event);
            len += 1;
        }
        choice -= 1;
    }
    if none {
        all[len] = last;
        visit(&all[..=len])?;
    }
    taken.truncate(before);
    ControlFlow::Continue(())
}
