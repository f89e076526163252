//! What a detector gives: counts, factorised blocks, or matches.

use std::ops::ControlFlow;

use crate::limits::Limit;
use crate::pattern::PatternId;

/// How much a sink wants to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Level {
    /// How many matches of which pattern an event completes.
    Count,
    /// The matches, factorised: one beginning with many ends.
    Blocks,
    /// Every match with the indices of its events.
    #[default]
    Matches,
}

/// A match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Match<'m> {
    /// The pattern.
    pub pattern: PatternId,
    /// How many events had been pushed before each of its events, in order.
    pub events: &'m [u64],
}

/// Matches that share their beginning: each of the ends behind it, and the completing event.
#[derive(Clone, Copy, Debug)]
pub struct Block<'b> {
    /// The pattern.
    pub pattern: PatternId,
    /// The indices of the events that all of the matches begin with.
    pub head: &'b [u64],
    /// The ends, one after the other, each of `width` indices.
    pub ends: &'b [u64],
    /// How many indices an end has. With 0 there is one match, and no end.
    pub width: usize,
    /// The event that completes all of the matches.
    pub last: u64,
}

impl Block<'_> {
    /// How many matches it stands for.
    #[must_use]
    pub fn matches(&self) -> usize {
        self.ends.len().checked_div(self.width).unwrap_or(1)
    }

    /// Its matches one by one, in order, as the indices of their events.
    pub fn expand(&self, mut each: impl FnMut(&[u64])) {
        let mut events = self.head.to_vec();
        for at in 0..self.matches() {
            events.truncate(self.head.len());
            events.extend_from_slice(&self.ends[at * self.width..(at + 1) * self.width]);
            events.push(self.last);
            each(&events);
        }
    }
}

/// Takes what a detector finds. Everything that one event completes comes in the order of the
/// patterns' numbers, and of one pattern in the lexicographic order of the indices. A method that
/// returns [`ControlFlow::Break`] gets nothing more of this event; the detector itself goes on.
pub trait Sink {
    /// What it wants to know; asked once for each event.
    fn level(&self) -> Level {
        Level::Matches
    }

    /// At [`Level::Count`]: the event of an index completes so many matches of a pattern, at least
    /// one. The number saturates at `u64::MAX`.
    fn count(&mut self, pattern: PatternId, last: u64, matches: u64) -> ControlFlow<()> {
        let _ = (pattern, last, matches);
        ControlFlow::Continue(())
    }

    /// At [`Level::Blocks`]: a block of matches.
    fn block(&mut self, block: Block<'_>) -> ControlFlow<()> {
        let _ = block;
        ControlFlow::Continue(())
    }

    /// At [`Level::Matches`]: a match.
    fn matched(&mut self, found: Match<'_>) -> ControlFlow<()> {
        let _ = found;
        ControlFlow::Continue(())
    }
}

/// Calls a function for every match.
#[derive(Clone, Debug)]
pub struct Visit<F>(pub F);

impl<F: FnMut(Match<'_>) -> ControlFlow<()>> Sink for Visit<F> {
    #[inline]
    fn matched(&mut self, found: Match<'_>) -> ControlFlow<()> {
        (self.0)(found)
    }
}

/// Keeps all matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collect(pub Vec<(PatternId, Vec<u64>)>);

impl Sink for Collect {
    fn matched(&mut self, found: Match<'_>) -> ControlFlow<()> {
        self.0.push((found.pattern, found.events.to_vec()));
        ControlFlow::Continue(())
    }
}

/// Counts matches by pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// By the numbers of the patterns; may be shorter than there are patterns.
    pub by_pattern: Vec<u64>,
    /// Of all patterns; saturates.
    pub total: u64,
}

impl Sink for Count {
    fn level(&self) -> Level {
        Level::Count
    }

    fn count(&mut self, pattern: PatternId, _: u64, matches: u64) -> ControlFlow<()> {
        if self.by_pattern.len() <= pattern.index() {
            self.by_pattern.resize(pattern.index() + 1, 0);
        }
        let own = &mut self.by_pattern[pattern.index()];
        *own = own.saturating_add(matches);
        self.total = self.total.saturating_add(matches);
        ControlFlow::Continue(())
    }
}

/// Where the mechanisms deliver to while one event is worked on.
pub(crate) struct Out<'s, S> {
    sink: &'s mut S,
    pub(crate) level: Level,
    /// The sink has had enough, or the limit is reached.
    pub(crate) stopped: bool,
    /// The limit was reached.
    pub(crate) over: bool,
    left: u64,
    /// Matches of this event, as far as they were delivered.
    pub(crate) matches: u64,
    /// The indices of the match that is being put together.
    pub(crate) buffer: Vec<u64>,
}

impl<'s, S: Sink> Out<'s, S> {
    pub(crate) fn new(sink: &'s mut S, limit: Limit, buffer: Vec<u64>) -> Self {
        let level = sink.level();
        let left = if limit.most == usize::MAX { u64::MAX } else { limit.most as u64 };
        Out { sink, level, stopped: false, over: false, left, matches: 0, buffer }
    }

    /// Prepares the buffer for matches of so many events that end with one.
    pub(crate) fn begin(&mut self, length: usize, last: u64) {
        self.buffer.clear();
        self.buffer.resize(length, 0);
        self.buffer[length - 1] = last;
    }

    /// So many matches, of which only the number counts.
    pub(crate) fn count(&mut self, pattern: PatternId, last: u64, matches: u64) {
        if matches == 0 {
            return;
        }
        self.matches = self.matches.saturating_add(matches);
        self.stopped |= self.sink.count(pattern, last, matches).is_break();
    }

    /// How many of so many matches may be delivered.
    #[inline]
    fn allowed(&mut self, matches: usize) -> usize {
        let allowed = self.left.min(matches as u64);
        if self.left < u64::MAX {
            self.left -= allowed;
        }
        if (allowed as usize) < matches {
            self.over = true;
            self.stopped = true;
        }
        self.matches += allowed;
        allowed as usize
    }

    /// Matches whose first `head` indices stand in the buffer, with each of some ends. Not for
    /// [`Level::Count`].
    pub(crate) fn run<const T: usize>(
        &mut self,
        pattern: PatternId,
        head: usize,
        ends: &[[u64; T]],
    ) {
        let allowed = self.allowed(ends.len());
        let ends = &ends[..allowed];
        if self.level == Level::Blocks {
            let (head, last) = (&self.buffer[..head], self.buffer[head + T]);
            let block = Block { pattern, head, ends: ends.as_flattened(), width: T, last };
            self.stopped |= !ends.is_empty() && self.sink.block(block).is_break();
            return;
        }
        let events = &mut self.buffer[..head + T + 1];
        for end in ends {
            events[head..head + T].copy_from_slice(end);
            if self.sink.matched(Match { pattern, events }).is_break() {
                self.stopped = true;
                return;
            }
        }
    }

    /// How many matches there were and where they go, if [`wants_all`](Self::wants_all).
    #[inline(always)]
    pub(crate) fn counted_sink(&mut self) -> (&mut u64, &mut S) {
        (&mut self.matches, self.sink)
    }

    /// Whether every match is wanted, one by one.
    pub(crate) fn wants_all(&self) -> bool {
        self.level == Level::Matches && self.left == u64::MAX
    }

    /// A match; only where [`wants_all`](Self::wants_all).
    #[inline(always)]
    pub(crate) fn one<const N: usize>(&mut self, pattern: PatternId, events: &[u64; N]) {
        self.matches += 1;
        self.stopped |= self.sink.matched(Match { pattern, events }).is_break();
    }

    /// Matches of `N` events, of which the two before the last are those of a pair; only where
    /// [`wants_all`](Self::wants_all). Of a length that is known, nothing has to be counted or copied
    /// for each match.
    #[inline(always)]
    pub(crate) fn each<const N: usize>(
        &mut self,
        pattern: PatternId,
        events: &mut [u64; N],
        pairs: &[[u64; 2]],
    ) {
        self.matches += pairs.len() as u64;
        for pair in pairs {
            events[N - 3..N - 1].copy_from_slice(pair);
            if self.sink.matched(Match { pattern, events }).is_break() {
                self.stopped = true;
                return;
            }
        }
    }

    /// The match that stands in the buffer.
    #[inline]
    pub(crate) fn single(&mut self, pattern: PatternId) {
        if self.allowed(1) == 0 {
            return;
        }
        let flow = if self.level == Level::Blocks {
            let (last, head) = (self.buffer.last(), self.buffer.len() - 1);
            let block = Block {
                pattern,
                head: &self.buffer[..head],
                ends: &[],
                width: 0,
                last: last.copied().unwrap_or_default(),
            };
            self.sink.block(block)
        } else {
            self.sink.matched(Match { pattern, events: &self.buffer })
        };
        self.stopped |= flow.is_break();
    }
}
