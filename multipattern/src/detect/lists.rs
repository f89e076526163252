//! Finding matches where more than 64 events may be in the window: the events of each class are a list.
//!
//! With each event stands how many events of a class there had been when it came, for every class that
//! comes before or behind its own in some pattern. So what can follow an event is the rest of a list,
//! and what can be followed by it is the beginning of one: a look-up each, however long the window is.
//! As in the ring, lists are cut off from the last operand back, so that every choice leads to a match,
//! and loops are in one another, one function for each length.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use super::blocks::Block;
use super::output::{Match, Out, Sink};
use super::walk::Path;
use crate::pattern::PatternId;

/// The events of one operand.
#[derive(Clone, Copy, Default)]
struct Choices<'a> {
    /// Their rows, up to the last one that something can follow.
    rows: &'a [u64],
    /// At `stride` times its index: how many events of the next operand's class there had been.
    counts: &'a [u32],
    stride: usize,
    /// How many of those are not in their list any more.
    dropped: u32,
}

impl Choices<'_> {
    /// The index of the first event of the next operand that can follow an event.
    #[inline(always)]
    fn next(&self, at: usize) -> usize {
        self.counts[at * self.stride].wrapping_sub(self.dropped) as usize
    }
}

/// What the matches of a pattern of `N` operands are found from.
struct Found<'a, const N: usize> {
    pattern: PatternId,
    choices: [Choices<'a>; N],
    /// The pairs of the two operands before the last one, and how many events of the first one's class
    /// are not in its list any more.
    pairs: Option<(&'a Block, u32)>,
}

/// Chooses the events of one operand and those behind it.
trait Loops<const N: usize> {
    /// How many operands it chooses, the last one included.
    const DEPTH: usize;

    /// All choices that begin with an event of an index or a later one.
    fn go<S: Sink>(
        found: &Found<'_, N>,
        from: usize,
        events: &mut [u64; N],
        matches: &mut u64,
        sink: &mut S,
    ) -> ControlFlow<()>;
}

/// The operand before the last one.
struct End;

/// A shared pair before the last operand.
struct Pair;

/// An operand, and those behind it.
struct Before<L>(PhantomData<L>);

impl<const N: usize> Loops<N> for End {
    const DEPTH: usize = 2;

    #[inline(always)]
    fn go<S: Sink>(
        found: &Found<'_, N>,
        from: usize,
        events: &mut [u64; N],
        matches: &mut u64,
        sink: &mut S,
    ) -> ControlFlow<()> {
        let rows = &found.choices[N - 2].rows[from..];
        *matches += rows.len() as u64;
        for &row in rows {
            events[N - 2] = row;
            sink.matched(Match { pattern: found.pattern, events })?;
        }
        ControlFlow::Continue(())
    }
}

impl<const N: usize> Loops<N> for Pair {
    const DEPTH: usize = 3;

    #[inline(always)]
    fn go<S: Sink>(
        found: &Found<'_, N>,
        from: usize,
        events: &mut [u64; N],
        matches: &mut u64,
        sink: &mut S,
    ) -> ControlFlow<()> {
        let Some((block, dropped)) = found.pairs else { return ControlFlow::Continue(()) };
        let pairs = block.rows_from(from, dropped);
        *matches += pairs.len() as u64;
        for pair in pairs {
            events[N - 3..N - 1].copy_from_slice(pair);
            sink.matched(Match { pattern: found.pattern, events })?;
        }
        ControlFlow::Continue(())
    }
}

impl<L: Loops<N>, const N: usize> Loops<N> for Before<L> {
    const DEPTH: usize = L::DEPTH + 1;

    #[inline(always)]
    fn go<S: Sink>(
        found: &Found<'_, N>,
        from: usize,
        events: &mut [u64; N],
        matches: &mut u64,
        sink: &mut S,
    ) -> ControlFlow<()> {
        let at = N - Self::DEPTH;
        let choices = &found.choices[at];
        for index in from..choices.rows.len() {
            events[at] = choices.rows[index];
            L::go(found, choices.next(index), events, matches, sink)?;
        }
        ControlFlow::Continue(())
    }
}

/// All matches of a pattern of a length, by loops for it.
#[inline(never)]
fn all<L: Loops<N>, S: Sink, const N: usize>(
    path: &Path<'_>,
    last: u64,
    pairs: Option<&Block>,
    matches: &mut u64,
    sink: &mut S,
) -> ControlFlow<()> {
    let mut choices = [Choices::default(); N];
    // How many events of an operand's class something can follow; all, at the one before the last one.
    let mut followed = None;
    // How many events of the operand behind are not in their list any more.
    let mut gone = 0;
    for (at, &(class, column)) in path.steps[..N - 1].iter().enumerate().rev() {
        let window = path.windows.of(class);
        let dropped = window.dropped();
        let length =
            followed.map_or(window.len(), |count: u32| count.wrapping_sub(dropped) as usize);
        let (Some(rows), Some(end)) = (window.rows_until(length), length.checked_sub(1)) else {
            return ControlFlow::Continue(());
        };
        let (counts, stride) = window.nexts(column);
        choices[at] = Choices { rows, counts, stride, dropped: gone };
        gone = dropped;
        if at > 0 {
            followed = Some(window.before(end, path.leaders[at]));
        }
    }
    let first = path.first();
    if first >= choices[0].rows.len() {
        return ControlFlow::Continue(());
    }
    let head = N.checked_sub(3).map_or(0, |head| path.steps[head].0);
    let pairs = pairs.map(|block| (block, path.windows.of(head).dropped()));
    let mut events = [0; N];
    events[N - 1] = last;
    let found = Found { pattern: path.pattern, choices, pairs };
    let mut own = 0;
    let flow = L::go(&found, first, &mut events, &mut own, sink);
    *matches += own;
    flow
}

/// All matches, with pairs or without, where each of them is wanted; false if there are no loops for
/// the length of the pattern.
#[inline]
pub(crate) fn of_length<S: Sink>(
    path: &Path<'_>,
    last: u64,
    pairs: Option<&Block>,
    out: &mut Out<'_, S>,
) -> bool {
    type B<L> = Before<L>;
    type B2<L> = B<B<L>>;
    type B4<L> = B2<B2<L>>;
    macro_rules! loops {
        ($($length:literal: $loops:ty),*) => {{
            let (matches, sink) = out.counted_sink();
            match path.length {
                $($length => all::<$loops, S, $length>(path, last, pairs, matches, sink),)*
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
            2: End, 3: B<End>, 4: B2<End>, 5: B2<B<End>>, 6: B4<End>, 7: B4<B<End>>,
            8: B4<B2<End>>, 9: B4<B2<B<End>>>, 10: B4<B4<End>>
        )
    };
    out.stopped |= flow.is_break();
    true
}
