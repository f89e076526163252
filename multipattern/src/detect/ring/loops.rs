//! Nested loops over the operands of a pattern, one function for each length: the loops are in one
//! another, and how many indices a match has is known where it is delivered.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use super::highest;
use super::pairs::{NO_ROWS, Pairs, Rows};
use crate::detect::output::{Match, Out, Sink};
use crate::pattern::PatternId;

/// What the matches of a pattern of `N` operands are found from.
pub(super) struct Found<'a, const N: usize> {
    /// The events of each operand but the last one.
    words: [u64; N],
    place: Place,
    pairs: Rows<'a>,
}

/// Where the events of words stand.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) pattern: PatternId,
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

/// An operand, and those behind it.
pub(super) struct Before<L>(PhantomData<L>);

impl<const N: usize> Loops<N> for Last {
    const DEPTH: usize = 1;

    #[inline(always)]
    fn go<S: Sink>(
        found: &Found<'_, N>,
        _: u64,
        events: &mut [u64; N],
        matches: &mut u64,
        sink: &mut S,
    ) -> ControlFlow<()> {
        *matches += 1;
        sink.matched(Match { pattern: found.place.pattern, events })
    }
}

impl<const N: usize> Loops<N> for Pair {
    const DEPTH: usize = 3;

    #[inline(always)]
    fn go<S: Sink>(
        found: &Found<'_, N>,
        allowed: u64,
        events: &mut [u64; N],
        matches: &mut u64,
        sink: &mut S,
    ) -> ControlFlow<()> {
        let Place { pattern, slot, .. } = found.place;
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

impl<L: Loops<N>, const N: usize> Loops<N> for Before<L> {
    const DEPTH: usize = L::DEPTH + 1;

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

/// Cuts off the words of all operands but the last one behind the last event that something can
/// follow, so that every choice leads to a match; `first` are the events that a match may begin with.
/// False if there is no match.
#[inline(always)]
pub(super) fn cut(
    words: &mut [u64],
    steps: &[u32],
    first: u64,
    turned: impl Fn(u32) -> u64,
) -> bool {
    let mut allowed = u64::MAX >> 1;
    for (word, &class) in words.iter_mut().zip(steps).rev() {
        *word = turned(class) & allowed;
        if *word == 0 {
            return false;
        }
        allowed = highest(*word) - 1;
    }
    words[0] &= first;
    words[0] != 0
}

/// All matches of a pattern of a length, by loops for it. The words of all classes, rows and slots of
/// pairs and the sink are arguments of their own: so it is known that what the sink writes is none of
/// them, and it need not be written before the end of a loop.
#[inline(never)]
fn all<L: Loops<N>, S: Sink, const N: usize>(
    steps: &[u32],
    classes: &[u64],
    first: u64,
    place: &Place,
    rows: &[[u64; 2]],
    slots: &[u16; 64],
    matches: &mut u64,
    sink: &mut S,
) -> ControlFlow<()> {
    let place = *place;
    let mut words = [0; N];
    let turned = |class: u32| classes[class as usize].rotate_right(place.slot);
    if !cut(&mut words[..N - 1], &steps[..N - 1], first, turned) {
        return ControlFlow::Continue(());
    }
    let mut events = [0; N];
    events[N - 1] = place.last;
    let found = Found { words, place, pairs: Rows { rows, slots } };
    let mut own = 0;
    let flow = L::go(&found, u64::MAX, &mut events, &mut own, sink);
    *matches += own;
    flow
}

/// All matches, with pairs or without, where each of them is wanted; false if there are no loops for
/// the length of the pattern.
#[inline]
pub(super) fn of_length<S: Sink>(
    steps: &[u32],
    classes: &[u64],
    first: u64,
    place: &Place,
    pairs: Option<&Pairs>,
    out: &mut Out<'_, S>,
) -> bool {
    type B<L> = Before<L>;
    type B2<L> = B<B<L>>;
    type B4<L> = B2<B2<L>>;
    let Rows { rows, slots } = pairs.map_or(NO_ROWS, Pairs::rows);
    macro_rules! loops {
        ($($length:literal: $loops:ty),*) => {{
            let (matches, sink) = out.counted_sink();
            match steps.len() + 1 {
                $($length => all::<$loops, S, $length>(
                    steps, classes, first, place, rows, slots, matches, sink,
                ),)*
                _ => return false,
            }
        }};
    }
    let flow = if pairs.is_some() {
        loops!(
            3: Pair, 4: B<Pair>, 5: B2<Pair>, 6: B2<B<Pair>>, 7: B4<Pair>, 8: B4<B<Pair>>,
            9: B4<B2<Pair>>, 10: B4<B2<B<Pair>>>
        )
    } else {
        loops!(
            2: B<Last>, 3: B2<Last>, 4: B2<B<Last>>, 5: B4<Last>, 6: B4<B<Last>>, 7: B4<B2<Last>>,
            8: B4<B2<B<Last>>>, 9: B4<B4<Last>>, 10: B4<B4<B<Last>>>
        )
    };
    out.stopped |= flow.is_break();
    true
}
