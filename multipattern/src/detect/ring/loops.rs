//! What nested loops choose from in a ring: the word of each operand.

use std::ops::ControlFlow;

use super::highest;
use super::pairs::{Pairs, Rows};
use crate::detect::nest::{Before, Loops, Pair, Source, by_length, each};
use crate::detect::output::{Match, Out, Sink};
use crate::pattern::PatternId;

/// What the matches of a pattern of `N` operands are found from.
pub(super) struct Found<'a, const N: usize> {
    /// The events of each operand but the last one.
    words: [u64; N],
    pattern: PatternId,
    place: Place,
    pairs: Rows<'a>,
}

/// Where the events of words stand.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The index in the stream of the event of the lowest bit, and its slot.
    pub(super) row: u64,
    pub(super) slot: u32,
    /// The index of the current event.
    pub(super) last: u64,
}

impl<const N: usize> Source<N> for Found<'_, N> {
    /// A word that says which.
    type Left = u64;

    #[inline(always)]
    fn pattern(&self) -> PatternId {
        self.pattern
    }

    #[inline(always)]
    fn of(&self, at: usize, behind: u64) -> u64 {
        self.words[at] & behind
    }

    #[inline(always)]
    fn take(&self, _: usize, left: &mut u64) -> Option<(u64, u64)> {
        if *left == 0 {
            return None;
        }
        let bit = left.trailing_zeros();
        *left &= *left - 1;
        Some((self.place.row.wrapping_add(u64::from(bit)), !1 << bit))
    }

    #[inline(always)]
    fn pairs(&self, behind: u64) -> &[[u64; 2]] {
        let bit = (self.words[N - 3] & behind).trailing_zeros();
        self.pairs.from(self.place.slot.wrapping_add(bit))
    }
}

/// The last operand, which is chosen.
struct Last;

/// An operand before a shared pair and the last operand.
struct Runs;

impl<const N: usize> Loops<Found<'_, N>, N> for Last {
    const DEPTH: usize = 1;
    const SHARED: usize = 0;

    #[inline(always)]
    fn go<S: Sink>(
        found: &Found<'_, N>,
        _: u64,
        events: &mut [u64; N],
        matches: &mut u64,
        sink: &mut S,
    ) -> ControlFlow<()> {
        *matches += 1;
        sink.matched(Match { pattern: found.pattern, events })
    }
}

impl<const N: usize> Loops<Found<'_, N>, N> for Runs {
    const DEPTH: usize = 4;
    const SHARED: usize = 2;

    /// Where the pairs behind the next event begin is looked up before those behind this one are gone
    /// through: where that loop ends cannot be foreseen, and then the next one need not wait.
    #[inline(always)]
    fn go<S: Sink>(
        found: &Found<'_, N>,
        behind: u64,
        events: &mut [u64; N],
        matches: &mut u64,
        sink: &mut S,
    ) -> ControlFlow<()> {
        let at = N - 4;
        let Rows { rows, slots } = found.pairs;
        let from = |bit: u32| {
            let next = (found.words[at + 1] & (!1 << (bit & 63))).trailing_zeros();
            usize::from(slots[found.place.slot.wrapping_add(next) as usize & 63])
        };
        let mut word = found.words[at] & behind;
        let mut bit = word.trailing_zeros();
        let mut first = from(bit);
        while word != 0 {
            word &= word - 1;
            let next = word.trailing_zeros();
            let behind = from(next);
            events[at] = found.place.row.wrapping_add(u64::from(bit));
            each(found.pattern, &rows[first..], events, matches, sink)?;
            (bit, first) = (next, behind);
        }
        ControlFlow::Continue(())
    }
}

/// All events but the current one.
pub(super) const BEFORE: u64 = u64::MAX >> 1;

/// Cuts off the words of operands behind the last event that something can follow, so that every
/// choice leads to a match; for the last one of them events are `allowed`. False if one has none left.
#[inline(always)]
pub(super) fn cut<C: Copy>(
    words: &mut [u64],
    steps: &[C],
    mut allowed: u64,
    turned: impl Fn(C) -> u64,
) -> bool {
    for (word, &class) in words.iter_mut().zip(steps).rev() {
        *word = turned(class) & allowed;
        if *word == 0 {
            return false;
        }
        allowed = highest(*word) - 1;
    }
    true
}

/// A pattern that an event completes.
pub(super) struct Completed<'a> {
    pub(super) pattern: PatternId,
    /// The classes of all operands but the last one.
    pub(super) steps: &'a [u16],
    /// The events that a match may begin with; none is later than the latest one from which all
    /// operands but the last were found.
    pub(super) firsts: u64,
    pub(super) pairs: Option<&'a Pairs>,
}

/// All matches of a pattern of a length, by loops for it; of the operands before those of a shared
/// block the last one may have the events that are `allowed`. Rows and slots of pairs and the sink are
/// arguments of their own: so it is known that what the sink writes is none of them, and it need not
/// be written before the end of a loop.
#[inline(always)]
fn all<L: for<'a> Loops<Found<'a, N>, N>, S: Sink, const N: usize>(
    classes: &[u64],
    place: &Place,
    completed: &Completed<'_>,
    allowed: u64,
    rows: &[[u64; 2]],
    slots: &[u16; 64],
    matches: &mut u64,
    sink: &mut S,
) -> ControlFlow<()> {
    let place = *place;
    let &Completed { pattern, steps, firsts, .. } = completed;
    let steps = &steps[..N - 1];
    let turned = |class: u16| classes[usize::from(class)].rotate_right(place.slot);
    let mut words = [0; N];
    let chosen = N - 1 - L::SHARED;
    if L::SHARED > 0 {
        words[chosen] = turned(steps[chosen]);
    }
    if !cut(&mut words[..chosen], &steps[..chosen], allowed, turned) {
        return ControlFlow::Continue(());
    }
    words[0] &= firsts;
    if words[0] == 0 {
        return ControlFlow::Continue(());
    }
    let mut events = [0; N];
    events[N - 1] = place.last;
    let found = Found { words, pattern, place, pairs: Rows { rows, slots } };
    let mut own = 0;
    let flow = L::go(&found, u64::MAX, &mut events, &mut own, sink);
    *matches += own;
    flow
}

/// All matches, with pairs or without, where each of them is wanted, of a pattern of 2 operands or
/// more, but no more than there are loops for.
#[inline(always)]
pub(super) fn of_length<S: Sink>(
    classes: &[u64],
    place: &Place,
    completed: &Completed<'_>,
    out: &mut Out<'_, S>,
) {
    let &Completed { steps, pairs, .. } = completed;
    let (matches, sink) = out.counted_sink();
    let flow = if let Some(pairs) = pairs {
        let Rows { rows, slots } = pairs.rows();
        let allowed = pairs.before(place.slot);
        by_length!(
            steps.len() + 1,
            all(classes, place, completed, allowed, rows, slots, matches, sink),
            3: Pair, 4: Runs
        )
    } else {
        by_length!(
            steps.len() + 1,
            all(classes, place, completed, BEFORE, &[], &[0; 64], matches, sink),
            2: Before<Last>, 3: Before<Before<Last>>, 4: Before<Before<Before<Last>>>
        )
    };
    out.stopped |= flow.is_break();
}
