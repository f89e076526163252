//! Nested loops over the operands of a pattern, one function for each length: the loops are in one
//! another, and how many indices a match has is known where it is delivered.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use super::highest;
use super::pairs::{Pairs, Rows};
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

/// Chooses the events of one operand and those behind it.
pub(super) trait Loops<const N: usize> {
    /// How many operands it chooses, the last one included.
    const DEPTH: usize;
    /// How many of them are those of a shared block.
    const SHARED: usize;

    /// All choices among the `allowed` events.
    fn go<S: Sink>(
        found: &Found<'_, N>,
        allowed: u64,
        events: &mut [u64; N],
        matches: &mut u64,
        sink: &mut S,
    ) -> ControlFlow<()>;
}

/// The last operand, which is chosen.
pub(super) struct Last;

/// A shared pair and the last operand.
pub(super) struct Pair;

/// An operand before a shared pair and the last operand.
pub(super) struct Runs;

/// An operand, and those behind it.
pub(super) struct Before<L>(PhantomData<L>);

impl<const N: usize> Loops<N> for Last {
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

impl<const N: usize> Loops<N> for Pair {
    const DEPTH: usize = 3;
    const SHARED: usize = 2;

    #[inline(always)]
    fn go<S: Sink>(
        found: &Found<'_, N>,
        allowed: u64,
        events: &mut [u64; N],
        matches: &mut u64,
        sink: &mut S,
    ) -> ControlFlow<()> {
        let (pattern, slot) = (found.pattern, found.place.slot);
        let bit = (found.words[N - 3] & allowed).trailing_zeros();
        let pairs = found.pairs.from(slot.wrapping_add(bit));
        *matches += pairs.len() as u64;
        for pair in pairs {
            events[N - 3..N - 1].copy_from_slice(pair);
            sink.matched(Match { pattern, events })?;
        }
        ControlFlow::Continue(())
    }
}

impl<const N: usize> Loops<N> for Runs {
    const DEPTH: usize = 4;
    const SHARED: usize = 2;

    /// Where the pairs behind the next event begin is looked up before those behind this one are gone
    /// through: where that loop ends cannot be foreseen, and then the next one need not wait.
    #[inline(always)]
    fn go<S: Sink>(
        found: &Found<'_, N>,
        allowed: u64,
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
        let mut word = found.words[at] & allowed;
        let mut bit = word.trailing_zeros();
        let mut first = from(bit);
        while word != 0 {
            word &= word - 1;
            let next = word.trailing_zeros();
            let behind = from(next);
            events[at] = found.place.row.wrapping_add(u64::from(bit));
            let pairs = &rows[first..];
            *matches += pairs.len() as u64;
            for pair in pairs {
                events[N - 3..N - 1].copy_from_slice(pair);
                sink.matched(Match { pattern: found.pattern, events })?;
            }
            (bit, first) = (next, behind);
        }
        ControlFlow::Continue(())
    }
}

impl<L: Loops<N>, const N: usize> Loops<N> for Before<L> {
    const DEPTH: usize = L::DEPTH + 1;
    const SHARED: usize = L::SHARED;

    #[inline(always)]
    fn go<S: Sink>(
        found: &Found<'_, N>,
        allowed: u64,
        events: &mut [u64; N],
        matches: &mut u64,
        sink: &mut S,
    ) -> ControlFlow<()> {
        let at = N - Self::DEPTH;
        let mut word = found.words[at] & allowed;
        while word != 0 {
            let bit = word.trailing_zeros();
            word &= word - 1;
            events[at] = found.place.row.wrapping_add(u64::from(bit));
            L::go(found, !1 << bit, events, matches, sink)?;
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

/// The longest patterns that there are loops for.
pub(super) const LONGEST: usize = 10;

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
fn all<L: Loops<N>, S: Sink, const N: usize>(
    classes: &[u64],
    place: &Place,
    pattern: PatternId,
    steps: &[u16],
    firsts: u64,
    allowed: u64,
    rows: &[[u64; 2]],
    slots: &[u16; 64],
    matches: &mut u64,
    sink: &mut S,
) -> ControlFlow<()> {
    let place = *place;
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

/// All matches, with pairs or without, where each of them is wanted, of a pattern of 2 to [`LONGEST`]
/// operands.
#[inline(always)]
pub(super) fn of_length<S: Sink>(
    classes: &[u64],
    place: &Place,
    completed: &Completed<'_>,
    out: &mut Out<'_, S>,
) {
    type B<L> = Before<L>;
    type B2<L> = B<B<L>>;
    type B4<L> = B2<B2<L>>;
    let &Completed { pattern, steps, firsts, pairs } = completed;
    macro_rules! loops {
        ($allowed:expr, $rows:expr, $slots:expr; $($length:literal: $loops:ty),*) => {{
            let (allowed, rows, slots) = ($allowed, $rows, $slots);
            let (matches, sink) = out.counted_sink();
            match steps.len() + 1 {
                $($length => all::<$loops, S, $length>(
                    classes, place, pattern, steps, firsts, allowed, rows, slots, matches, sink,
                ),)*
                _ => ControlFlow::Continue(()),
            }
        }};
    }
    let flow = if let Some(pairs) = pairs {
        let Rows { rows, slots } = pairs.rows();
        loops!(
            pairs.before(place.slot), rows, slots;
            3: Pair, 4: Runs, 5: B<Runs>, 6: B2<Runs>, 7: B2<B<Runs>>, 8: B4<Runs>, 9: B4<B<Runs>>,
            10: B4<B2<Runs>>
        )
    } else {
        loops!(
            BEFORE, &[], &[0; 64];
            2: B<Last>, 3: B2<Last>, 4: B2<B<Last>>, 5: B4<Last>, 6: B4<B<Last>>, 7: B4<B2<Last>>,
            8: B4<B2<B<Last>>>, 9: B4<B4<Last>>, 10: B4<B4<B<Last>>>
        )
    };
    out.stopped |= flow.is_break();
}
