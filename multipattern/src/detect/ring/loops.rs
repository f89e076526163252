//! Nested loops over the operands of a pattern, one function for each length: the loops are in one
//! another, and how many indices a match has is known where it is delivered.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use super::highest;
use super::pairs::Pairs;
use crate::detect::output::{Match, Out, Sink};
use crate::pattern::PatternId;

/// What the matches of a pattern of `N` operands are found from.
pub(super) struct Found<'a, const N: usize> {
    /// The events of each operand but the last one.
    words: [u64; N],
    place: Place<'a>,
}

/// Where the events of words stand.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) pattern: PatternId,
    /// The index in the stream of the event of the lowest bit, and its slot.
    pub(super) row: u64,
    pub(super) slot: u32,
    pub(super) pairs: Option<&'a Pairs>,
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
        let Place { pattern, slot, pairs, .. } = found.place;
        let Some(pairs) = pairs else { return ControlFlow::Continue(()) };
        let bit = (found.words[N - 3] & allowed).trailing_zeros();
        let pairs = pairs.from(slot.wrapping_add(bit));
        *matches += pairs.len() as u64;
        each(pattern, events, pairs, sink)
    }
}

/// Matches with each of some pairs.
#[inline(always)]
fn each<S: Sink, const N: usize>(
    pattern: PatternId,
    events: &mut [u64; N],
    pairs: &[[u64; 2]],
    sink: &mut S,
) -> ControlFlow<()> {
    for pair in pairs {
        events[N - 3..N - 1].copy_from_slice(pair);
        sink.matched(Match { pattern, events })?;
    }
    ControlFlow::Continue(())
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

/// All matches of a pattern of a length, by loops for it.
fn all<L: Loops<N>, S: Sink, const N: usize>(
    steps: &[u32],
    first: u64,
    turned: impl Fn(u32) -> u64,
    place: Place<'_>,
    last: u64,
    out: &mut Out<'_, S>,
) {
    let mut words = [0; N];
    if !cut(&mut words[..N - 1], &steps[..N - 1], first, turned) {
        return;
    }
    let mut events = [0; N];
    events[N - 1] = last;
    let mut matches = 0;
    let flow = L::go(&Found { words, place }, u64::MAX, &mut events, &mut matches, out.sink());
    out.matches += matches;
    out.stopped |= flow.is_break();
}

/// All matches, with pairs or without, where each of them is wanted; false if there are no loops for
/// the length of the pattern.
#[inline(always)]
pub(super) fn of_length<S: Sink>(
    steps: &[u32],
    first: u64,
    turned: impl Fn(u32) -> u64,
    place: Place<'_>,
    last: u64,
    out: &mut Out<'_, S>,
) -> bool {
    type B<L> = Before<L>;
    type B2<L> = B<B<L>>;
    type B4<L> = B2<B2<L>>;
    macro_rules! loops {
        ($($length:literal: $loops:ty),*) => {
            match steps.len() + 1 {
                $($length => all::<$loops, S, $length>(steps, first, turned, place, last, out),)*
                _ => return false,
            }
        };
    }
    if place.pairs.is_some() {
        loops!(
            3: Pair, 4: B<Pair>, 5: B2<Pair>, 6: B2<B<Pair>>, 7: B4<Pair>, 8: B4<B<Pair>>,
            9: B4<B2<Pair>>, 10: B4<B2<B<Pair>>>
        );
    } else {
        loops!(
            2: B<Last>, 3: B2<Last>, 4: B2<B<Last>>, 5: B4<Last>, 6: B4<B<Last>>, 7: B4<B2<Last>>,
            8: B4<B2<B<Last>>>, 9: B4<B4<Last>>, 10: B4<B4<B<Last>>>
        );
    }
    true
}
