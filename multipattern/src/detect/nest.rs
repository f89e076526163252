//! Nested loops over the operands of a pattern, one function for each length: the loops are in one
//! another, and how many indices a match has is known where it is delivered. What is chosen from, the
//! words of a ring or lists, is a [`Source`].

use std::marker::PhantomData;
use std::ops::ControlFlow;

use super::output::{Match, Sink};
use crate::pattern::PatternId;

/// What the matches of a pattern of `N` operands are found from; every choice leads to a match.
pub(crate) trait Source<const N: usize> {
    /// Which events an operand may be chosen from.
    type Left: Copy;

    fn pattern(&self) -> PatternId;

    /// Those of an operand among the ones behind the event that was chosen before it.
    fn of(&self, at: usize, behind: Self::Left) -> Self::Left;

    /// Takes the first one: its index in the stream, and those behind it.
    fn take(&self, at: usize, left: &mut Self::Left) -> Option<(u64, Self::Left)>;

    /// The shared pairs of the two operands before the last one, behind the event that was chosen
    /// before them.
    fn pairs(&self, behind: Self::Left) -> &[[u64; 2]];
}

/// Chooses the events of one operand and those behind it.
pub(crate) trait Loops<F: Source<N>, const N: usize> {
    /// How many operands it chooses, the last one included.
    const DEPTH: usize;
    /// How many of them are those of a shared block.
    const SHARED: usize;

    /// All choices among the events behind the one that was chosen before.
    fn go<S: Sink>(
        found: &F,
        behind: F::Left,
        events: &mut [u64; N],
        matches: &mut u64,
        sink: &mut S,
    ) -> ControlFlow<()>;
}

/// A shared pair and the last operand.
pub(crate) struct Pair;

/// An operand, and those behind it.
pub(crate) struct Before<L>(PhantomData<L>);

impl<F: Source<N>, const N: usize> Loops<F, N> for Pair {
    const DEPTH: usize = 3;
    const SHARED: usize = 2;

    #[inline(always)]
    fn go<S: Sink>(
        found: &F,
        behind: F::Left,
        events: &mut [u64; N],
        matches: &mut u64,
        sink: &mut S,
    ) -> ControlFlow<()> {
        each(found.pattern(), found.pairs(behind), events, matches, sink)
    }
}

/// A match with each of some pairs before the last operand.
#[inline(always)]
pub(crate) fn each<S: Sink, const N: usize>(
    pattern: PatternId,
    pairs: &[[u64; 2]],
    events: &mut [u64; N],
    matches: &mut u64,
    sink: &mut S,
) -> ControlFlow<()> {
    *matches += pairs.len() as u64;
    for pair in pairs {
        events[N - 3..N - 1].copy_from_slice(pair);
        sink.matched(Match { pattern, events })?;
    }
    ControlFlow::Continue(())
}

impl<L: Loops<F, N>, F: Source<N>, const N: usize> Loops<F, N> for Before<L> {
    const DEPTH: usize = L::DEPTH + 1;
    const SHARED: usize = L::SHARED;

    #[inline(always)]
    fn go<S: Sink>(
        found: &F,
        behind: F::Left,
        events: &mut [u64; N],
        matches: &mut u64,
        sink: &mut S,
    ) -> ControlFlow<()> {
        let at = N - Self::DEPTH;
        let mut left = found.of(at, behind);
        while let Some((row, behind)) = found.take(at, &mut left) {
            events[at] = row;
            L::go(found, behind, events, matches, sink)?;
        }
        ControlFlow::Continue(())
    }
}

/// The longest patterns that there are loops for.
pub(crate) const LONGEST: usize = 10;

/// Calls a function with the loops for a length: those for two operands, if there are any, for three
/// and for four are given, and longer ones put more operands before them. Nothing happens for other
/// lengths.
macro_rules! by_length {
    (
        $length:expr, $all:ident $arguments:tt, $(2: $two:ty,)? 3: $three:ty, 4: $four:ty
    ) => {{
        use crate::detect::nest::Before as B;
        type F = $four;
        type B2<L> = B<B<L>>;
        type B4<L> = B2<B2<L>>;
        match $length {
            $(2 => by_length!($all $arguments, $two, 2),)?
            3 => by_length!($all $arguments, $three, 3),
            4 => by_length!($all $arguments, F, 4),
            5 => by_length!($all $arguments, B<F>, 5),
            6 => by_length!($all $arguments, B2<F>, 6),
            7 => by_length!($all $arguments, B2<B<F>>, 7),
            8 => by_length!($all $arguments, B4<F>, 8),
            9 => by_length!($all $arguments, B4<B<F>>, 9),
            10 => by_length!($all $arguments, B4<B2<F>>, 10),
            _ => std::ops::ControlFlow::Continue(()),
        }
    }};
    ($all:ident ($($argument:expr),*), $loops:ty, $length:literal) => {
        $all::<$loops, _, $length>($($argument),*)
    };
}
pub(crate) use by_length;
