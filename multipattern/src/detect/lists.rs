//! Finding matches where more than 64 events may be in the window: the events of each class are a list.
//!
//! With each event stands how many events of a class there had been when it came, for every class that
//! comes before or behind its own in some pattern. So what can follow an event is the rest of a list,
//! and what can be followed by it is the beginning of one: a look-up each, however long the window is.
//! As in the ring, lists are cut off from the last operand back, so that every choice leads to a match,
//! and loops are in one another, one function for each length.

use std::ops::ControlFlow;

use super::blocks::Block;
use super::counts::Suffixes;
use super::nest::{Before, LONGEST, Loops, Pair, Source, by_length};
use super::output::{Level, Match, Out, Sink};
use super::walk::Path;
use crate::pattern::PatternId;
use crate::stats::Counters;

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

impl<const N: usize> Source<N> for Found<'_, N> {
    /// The index of the first one.
    type Left = usize;

    #[inline(always)]
    fn pattern(&self) -> PatternId {
        self.pattern
    }

    #[inline(always)]
    fn of(&self, _: usize, behind: usize) -> usize {
        behind
    }

    #[inline(always)]
    fn take(&self, at: usize, left: &mut usize) -> Option<(u64, usize)> {
        let choices = &self.choices[at];
        let row = *choices.rows.get(*left)?;
        let behind = choices.next(*left);
        *left += 1;
        Some((row, behind))
    }

    #[inline(always)]
    fn pairs(&self, behind: usize) -> &[[u64; 2]] {
        self.pairs.map_or(&[], |(block, dropped)| block.rows_from(behind, dropped))
    }
}

/// The operand before the last one.
struct End;

impl<const N: usize> Loops<Found<'_, N>, N> for End {
    const DEPTH: usize = 2;
    const SHARED: usize = 0;

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

/// All matches of a pattern of a length, by loops for it.
#[inline(never)]
fn all<L: for<'a> Loops<Found<'a, N>, N>, S: Sink, const N: usize>(
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

/// Where a path is, and what shares its parts.
pub(crate) struct Shared<'a> {
    /// Tells streams and partitions apart.
    pub(crate) scope: u64,
    /// The serial of the oldest event that is remembered.
    pub(crate) oldest: u64,
    pub(crate) suffixes: &'a mut Suffixes,
    pub(crate) suffix: Option<u32>,
    /// The pairs before the last operand, if they are worth writing down.
    pub(crate) block: Option<&'a mut Block>,
}

/// All matches of a pattern of two operands or more that end with the event of a row, or their number.
#[inline(always)]
pub(crate) fn deliver<S: Sink>(
    path: &Path<'_>,
    row: u64,
    shared: Shared<'_>,
    counters: &mut Counters,
    out: &mut Out<'_, S>,
) {
    let Shared { scope, oldest, suffixes, suffix, block } = shared;
    if out.level == Level::Count {
        let from = path.first();
        let matches = suffix.map_or(0, |suffix| {
            let (count, made) = suffixes.count(suffix, scope, path.windows, oldest, from);
            counters.block_misses += made;
            counters.block_hits += u64::from(made == 0);
            count
        });
        return out.count(path.pattern, row, matches);
    }
    let block = block.and_then(|block| {
        let is_new = block.refresh(scope, path.windows, oldest)?;
        counters.block_misses += u64::from(is_new);
        counters.block_hits += u64::from(!is_new);
        Some(&*block)
    });
    if !(out.wants_all() && of_length(path, row, block, out)) {
        out.begin(path.length, row);
        match block {
            Some(block) => path.block(block, out),
            None => path.classes(out),
        }
    }
}

/// All matches, with pairs or without, where each of them is wanted; false if there are no loops for
/// the length of the pattern.
#[inline]
fn of_length<S: Sink>(
    path: &Path<'_>,
    last: u64,
    pairs: Option<&Block>,
    out: &mut Out<'_, S>,
) -> bool {
    if path.length > LONGEST {
        return false;
    }
    let (matches, sink) = out.counted_sink();
    let flow = if pairs.is_some() {
        by_length!(
            path.length, all(path, last, pairs, matches, sink), 3: Pair, 4: Before<Pair>
        )
    } else {
        by_length!(
            path.length,
            all(path, last, pairs, matches, sink),
            2: End, 3: Before<End>, 4: Before<Before<End>>
        )
    };
    out.stopped |= flow.is_break();
    true
}
