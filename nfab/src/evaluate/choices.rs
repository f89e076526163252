//! Matches that end with any choice of some events.

use std::ops::ControlFlow;

use crate::runtime::evaluator::Taken;

/// So many events to choose from have a bit each.
pub(super) const MOST: usize = 63;

/// Visits `taken` with any choice of some events behind it, and the last event behind that; the empty
/// choice, too, if `none`. There are at most [`MOST`] events to choose from.
///
/// The choices come in the order of their events if they are numbers that are counted down, in which
/// the first event has the highest bit. From one to the next, events are exchanged at the end only.
#[inline]
pub(super) fn visit<T>(
    events: &[T],
    of: impl Fn(&T) -> Taken,
    none: bool,
    last: Taken,
    taken: &mut Vec<Taken>,
    visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let before = taken.len();
    taken.extend(events.iter().map(&of));
    taken.push(last);
    let all = taken.as_mut_slice();
    let mut len = all.len();
    let least = u64::from(!none);
    let mut choice = (1_u64 << events.len()) - 1;
    while choice >= least {
        visit(&all[..len])?;
        if choice == 0 {
            break;
        }
        // The last event that is chosen goes, and all after it come: every other time there are none.
        if choice & 1 == 0 {
            let come = choice.trailing_zeros() as usize;
            for event in &events[events.len() - come..] {
                all[len - 2] = of(event);
                len += 1;
            }
        }
        choice -= 1;
        len -= 1;
        all[len - 1] = last;
    }
    taken.truncate(before);
    ControlFlow::Continue(())
}
