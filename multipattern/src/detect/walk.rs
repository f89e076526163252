//! Finding the matches that an event completes, in their order.
//!
//! Events are chosen from the first operand on. What can follow an event is the rest of a list, and
//! what can follow a later event is part of it; so without conditions the first choice that leads to
//! nothing ends the loop.

use super::arrival::Arrival;
use super::bits::Bits;
use super::blocks::Block;
use super::catalog::Live;
use super::conditions::Bitmap;
use super::history::History;
use super::links::{Choice, Viable};
use super::output::{Level, Out, Sink};
use super::windows::Windows;
use crate::pattern::PatternId;
use crate::stats::Counters;

/// A pattern that an event may complete.
pub(crate) struct Path<'a> {
    pub(crate) windows: &'a Windows,
    /// The classes of all operands but the last one, each with the column of the next.
    pub(crate) steps: &'a [(u32, u32)],
    /// The column, in the class of each of these operands, of the one before.
    pub(crate) leaders: &'a [u32],
    pub(crate) pattern: PatternId,
    pub(crate) length: usize,
    /// The serial of the first event that a match can begin with.
    pub(crate) low: u64,
}

impl Path<'_> {
    /// The index, in the window of the first class, of the first event of a match.
    pub(crate) fn first(&self) -> usize {
        self.steps.first().map_or(0, |&(class, _)| self.windows.of(class).first_from(self.low))
    }

    /// All matches, by the lists of the classes.
    pub(crate) fn classes<S: Sink>(&self, out: &mut Out<'_, S>) {
        let (last, _) = self.steps[self.steps.len() - 1];
        let last = self.windows.of(last);
        let tail = |at: usize| last.rows_from(at).as_chunks::<1>().0;
        self.descend(0, self.first(), &tail, out);
    }

    /// All matches, with a block before the last operand.
    pub(crate) fn block<S: Sink>(&self, block: &Block, out: &mut Out<'_, S>) {
        let (first, _) = self.steps[self.steps.len() - 2];
        let dropped = self.windows.of(first).dropped();
        let tail = |at: usize| block.rows_from(at, dropped);
        self.descend(0, self.first(), &tail, out);
    }

    /// All matches where at most 64 events are in the window and every match is wanted; false if this
    /// is not made for the length of the pattern.
    #[inline(always)]
    pub(crate) fn short<S: Sink>(
        &self,
        (serial, row): (u64, u64),
        block: Option<&Block>,
        out: &mut Out<'_, S>,
    ) -> bool {
        let at = (self.low, serial, row);
        let pairs = block.map(Block::pairs);
        let Path { windows, steps, pattern, length, .. } = *self;
        match length {
            2 => Bits::<2>::all(windows, steps, pattern, at, pairs, out),
            3 => Bits::<3>::all(windows, steps, pattern, at, pairs, out),
            4 => Bits::<4>::all(windows, steps, pattern, at, pairs, out),
            5 => Bits::<5>::all(windows, steps, pattern, at, pairs, out),
            6 => Bits::<6>::all(windows, steps, pattern, at, pairs, out),
            7 => Bits::<7>::all(windows, steps, pattern, at, pairs, out),
            8 => Bits::<8>::all(windows, steps, pattern, at, pairs, out),
            9 => Bits::<9>::all(windows, steps, pattern, at, pairs, out),
            10 => Bits::<10>::all(windows, steps, pattern, at, pairs, out),
            _ => return false,
        }
        true
    }

    /// Chooses the events of a position and those behind it, from an index on. Gives whether there is
    /// a match.
    fn descend<'r, S: Sink, const T: usize>(
        &self,
        position: usize,
        from: usize,
        tail: &impl Fn(usize) -> &'r [[u64; T]],
        out: &mut Out<'_, S>,
    ) -> bool {
        let head = self.steps.len() - T;
        if position == head {
            let ends = tail(from);
            if !ends.is_empty() {
                out.run(self.pattern, head, ends);
            }
            return !ends.is_empty();
        }
        let (class, column) = self.steps[position];
        let window = self.windows.of(class);
        let dropped = self.windows.of(self.steps[position + 1].0).dropped();
        for at in from..window.len() {
            out.buffer[position] = window.row(at);
            let next = window.next(at, column, dropped);
            if !self.descend(position + 1, next, tail, out) {
                return at > from;
            }
            if out.stopped {
                return true;
            }
        }
        from < window.len()
    }
}

/// All matches of a pattern that has conditions between operands before the last one, of what a match may
/// be made of. Those with the last event hold.
pub(crate) fn linked<S: Sink>(
    path: &Path<'_>,
    viable: &Viable<'_>,
    history: &History,
    row: u64,
    chosen: &mut Vec<u64>,
    counters: &mut Counters,
    out: &mut Out<'_, S>,
) {
    out.begin(path.length, row);
    chosen.clear();
    let mut matches = 0;
    choose(path.pattern, viable, history, chosen, counters, &mut matches, out);
    if out.level == Level::Count {
        out.count(path.pattern, row, matches);
    }
}

/// Chooses the events of the next position and those behind it.
fn choose<S: Sink>(
    pattern: PatternId,
    viable: &Viable<'_>,
    history: &History,
    chosen: &mut Vec<u64>,
    counters: &mut Counters,
    matches: &mut u64,
    out: &mut Out<'_, S>,
) {
    let position = chosen.len();
    if position == viable.len() {
        *matches = matches.saturating_add(1);
        if out.level != Level::Count {
            out.single(pattern);
        }
        return;
    }
    let choice = viable.choice(chosen);
    let holds = |serial: u64, chosen: &[u64]| {
        let mut checks = viable.checks(position).iter().enumerate();
        checks.all(|(number, check)| {
            matches!(choice, Choice::Linked(_, linked) if linked == number)
                || history.holds(check, serial, chosen[check.earlier])
        })
    };
    for at in 0..choice.len() {
        let serial = choice.serial(at);
        counters.candidates_checked += 1;
        if !holds(serial, chosen) {
            continue;
        }
        out.buffer[position] = history.entry(serial).row;
        chosen.push(serial);
        choose(pattern, viable, history, chosen, counters, matches, out);
        chosen.pop();
        if out.stopped {
            return;
        }
    }
}

/// All matches of a pattern with conditions with the last operand only, or of one operand.
pub(crate) fn checked<S: Sink>(
    path: &Path<'_>,
    live: &Live,
    history: &History,
    arrival: &Arrival<'_>,
    bitmaps: Vec<(usize, &Bitmap)>,
    chosen: &mut Vec<u64>,
    counters: &mut Counters,
    out: &mut Out<'_, S>,
) {
    out.begin(path.length, arrival.row);
    chosen.clear();
    let mut search = Search { path, live, history, arrival, bitmaps, chosen, counters, matches: 0 };
    search.choose(0, path.first(), out);
    let matches = search.matches;
    if out.level == Level::Count {
        out.count(path.pattern, arrival.row, matches);
    }
}

struct Search<'a, 'b> {
    path: &'a Path<'a>,
    live: &'a Live,
    history: &'a History,
    arrival: &'a Arrival<'b>,
    /// By position, conditions of the last operand; without them they are tested one by one.
    bitmaps: Vec<(usize, &'a Bitmap)>,
    /// The serials of the events that were chosen.
    chosen: &'a mut Vec<u64>,
    counters: &'a mut Counters,
    matches: u64,
}

impl Search<'_, '_> {
    fn choose<S: Sink>(&mut self, position: usize, from: usize, out: &mut Out<'_, S>) {
        let steps = self.path.steps;
        if position == steps.len() {
            self.matches += 1;
            if out.level != Level::Count {
                out.single(self.path.pattern);
            }
            return;
        }
        let (class, column) = steps[position];
        let window = self.path.windows.of(class);
        let next = steps.get(position + 1).map_or(0, |next| self.path.windows.of(next.0).dropped());
        for at in from..window.len() {
            let serial = window.serial(at);
            self.counters.candidates_checked += 1;
            if !self.fits(position, at, serial, window.dropped()) {
                continue;
            }
            out.buffer[position] = window.row(at);
            self.chosen.push(serial);
            let behind = if position + 1 < steps.len() { window.next(at, column, next) } else { 0 };
            self.choose(position + 1, behind, out);
            self.chosen.pop();
            if out.stopped {
                return;
            }
        }
    }

    /// Whether conditions hold between an event, those before it and the last one.
    fn fits(&self, position: usize, at: usize, serial: u64, dropped: u32) -> bool {
        let own = self.live.checks_at(position).iter();
        let mut last = self.live.checks_at(self.path.steps.len()).iter();
        let with_last = if self.bitmaps.is_empty() {
            last.all(|check| {
                check.earlier != position || self.history.holds(check, self.arrival.serial, serial)
            })
        } else {
            let of_position =
                |(own, bitmap): &(usize, &Bitmap)| *own != position || bitmap.holds(at, dropped);
            self.bitmaps.iter().all(of_position)
        };
        with_last
            && own
                .into_iter()
                .all(|check| self.history.holds(check, serial, self.chosen[check.earlier]))
    }
}
