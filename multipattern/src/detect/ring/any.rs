//! `any`: all matches that an event completes, one by one, as blocks, or their numbers.

use super::loops::{self, BEFORE, Completed, Place};
use super::pairs::Pairs;
use super::shape::{NONE, Recipe};
use super::{Ring, SLOTS, Sums, alone, count};
use crate::detect::output::{Level, Out, Sink};
use crate::pattern::PatternId;
use crate::stats::Counters;

impl Ring {
    /// All matches that an event completes.
    #[inline]
    pub(super) fn complete<S: Sink>(
        &mut self,
        class: u32,
        time: i64,
        counters: &mut Counters,
        out: &mut Out<'_, S>,
    ) {
        let (begin, probes, length) = match self.long {
            None => self.ready::<false>(class),
            Some(_) => self.ready_long(class, time),
        };
        counters.probes += probes as u64;
        if length == 0 {
        } else if self.is_wide() {
            self.lists(begin, length, counters, out);
        } else if out.level == Level::Count {
            self.count(begin, length, counters, out);
        } else {
            self.deliver(begin, length, counters, out);
        }
    }

    /// The matches of those that are ready, one by one or as blocks.
    #[inline]
    fn deliver<S: Sink>(
        &mut self,
        begin: u32,
        length: usize,
        counters: &mut Counters,
        out: &mut Out<'_, S>,
    ) {
        let (now, last) = (self.next + 1, self.row());
        let place = Place { row: last.wrapping_sub(SLOTS - 1), slot: now & 63, last };
        let first = now - SLOTS as u32;
        let Ring { shape, long, words, totals, blocks, scratch, ready, recipes, .. } = self;
        let span = |at: u32| shape.endings[(begin + at) as usize].window;
        let long = |at: u32| long.as_deref().map(|long| (long, first, span(at)));
        // Together, since nothing delays it here: where the loops of a pattern end cannot be foreseen, and
        // then what the next one reads first is waited for.
        recipes.clear();
        let all = &shape.recipes[begin as usize..];
        recipes.extend(ready[..length].iter().map(|&(at, _)| all[at as usize]));
        let has_loops = out.wants_all() && shape.is_near();
        let mut stream = Stream { words, totals, blocks, counters, place };
        for (recipe, &(at, latest)) in recipes.iter().zip(&ready[..length]) {
            // None is later than the latest one from which all operands but the last were found.
            let firsts = Self::firsts(recipe, place.row, long(at)) & u64::MAX >> (now - latest);
            match recipe.near.get(..usize::from(recipe.length) - 1).filter(|_| has_loops) {
                Some([]) => alone(recipe, last, out),
                Some(steps) => {
                    let pairs = stream.pairs(recipe, steps);
                    let completed = Completed { pattern: recipe.number, steps, firsts, pairs };
                    loops::of_length(words, &place, &completed, out);
                }
                None => {
                    let steps = shape.steps(recipe);
                    let own = &mut scratch.words[..steps.len()];
                    stream.choose(recipe, steps, firsts, own, out);
                }
            }
            if out.stopped {
                return;
            }
        }
    }

    /// The numbers of matches of those that are ready.
    #[inline]
    fn count<S: Sink>(
        &mut self,
        begin: u32,
        length: usize,
        counters: &mut Counters,
        out: &mut Out<'_, S>,
    ) {
        let last = self.row();
        let row = last.wrapping_sub(SLOTS - 1);
        let slot = self.next.wrapping_add(1) & 63;
        let first = self.next + 1 - SLOTS as u32;
        let Ring { shape, long, words, totals, sums, scratch, ready, .. } = self;
        let span = |at: u32| shape.endings[(begin + at) as usize].window;
        let long = |at: u32| long.as_deref().map(|long| (long, first, span(at)));
        let turned = |class: u32| words[class as usize].rotate_right(slot);
        sums.resize_with(shape.pairs.len(), Sums::default);
        for &(at, _) in &ready[..length] {
            let recipe = &shape.recipes[(begin + at) as usize];
            let steps = shape.steps(recipe);
            let words = &mut scratch.words[..steps.len()];
            if steps.is_empty() {
                alone(recipe, last, out);
                if out.stopped {
                    return;
                }
                continue;
            }
            let firsts = Self::firsts(recipe, row, long(at));
            if loops::cut(words, steps, BEFORE, turned) && words[0] & firsts != 0 {
                words[0] &= firsts;
                let pair = steps.last_chunk().map(|&[first, second]| {
                    if recipe.pair == NONE {
                        scratch.pair.make([turned(first), turned(second)], slot, 0);
                        return &scratch.pair;
                    }
                    let own = &mut sums[recipe.pair as usize];
                    let total = totals[second as usize];
                    if own.is_for(total) {
                        counters.block_hits += 1;
                    } else {
                        counters.block_misses += 1;
                        own.make([turned(first), turned(second)], slot, total);
                    }
                    &*own
                });
                let [one, other] = &mut scratch.sums;
                out.count(recipe.number, last, count::count(words, slot, pair, [one, other]));
            }
            if out.stopped {
                return;
            }
        }
    }
}

/// What the matches that an event completes are found from.
struct Stream<'a> {
    /// By class.
    words: &'a [u64],
    totals: &'a [u64],
    blocks: &'a mut [Pairs],
    counters: &'a mut Counters,
    place: Place,
}

impl Stream<'_> {
    /// The pairs of the last of some operands, if they are shared.
    #[inline(always)]
    fn pairs<C: Copy + Into<u32>>(&mut self, recipe: &Recipe, steps: &[C]) -> Option<&Pairs> {
        let own = self.blocks.get_mut(recipe.block as usize)?;
        let [first, second] = steps.last_chunk()?.map(|class| class.into() as usize);
        let (total, Place { row, slot, .. }) = (self.totals[second], self.place);
        if own.is_for(total) {
            self.counters.block_hits += 1;
        } else {
            self.counters.block_misses += 1;
            let words = [first, second].map(|class| self.words[class].rotate_right(slot));
            own.make(words, row, slot, total);
        }
        Some(own)
    }

    /// Matches of any length, as blocks or one by one.
    #[inline(never)]
    fn choose<S: Sink>(
        &mut self,
        recipe: &Recipe,
        steps: &[u32],
        firsts: u64,
        own: &mut [u64],
        out: &mut Out<'_, S>,
    ) {
        let place = self.place;
        if steps.is_empty() {
            return alone(recipe, place.last, out);
        }
        let turned = |class: u32| self.words[class as usize].rotate_right(place.slot);
        if loops::cut(own, steps, BEFORE, turned) {
            out.begin(steps.len() + 1, place.last);
            choose(recipe.number, own, 0, firsts, &place, self.pairs(recipe, steps), out);
        }
    }
}

/// Matches of any length, as blocks or one by one: chooses the events of a position and those behind
/// it among the allowed ones. The first indices and the last one stand in the buffer.
fn choose<S: Sink>(
    pattern: PatternId,
    words: &[u64],
    at: usize,
    allowed: u64,
    place: &Place,
    pairs: Option<&Pairs>,
    out: &mut Out<'_, S>,
) {
    let row = |bit: u32| place.row.wrapping_add(u64::from(bit));
    let mut word = words[at] & allowed;
    if word == 0 {
        return;
    }
    if let Some(pairs) = pairs.filter(|_| at + 2 == words.len()) {
        let ends = pairs.rows().from(place.slot.wrapping_add(word.trailing_zeros()));
        return out.run(pattern, at, ends);
    }
    if at + 1 == words.len() {
        let mut ends = [[0]; 64];
        let mut length = 0;
        while word != 0 {
            ends[length] = [row(word.trailing_zeros())];
            length += 1;
            word &= word - 1;
        }
        return out.run(pattern, at, &ends[..length]);
    }
    while word != 0 && !out.stopped {
        let bit = word.trailing_zeros();
        word &= word - 1;
        out.buffer[at] = row(bit);
        choose(pattern, words, at + 1, !1 << bit, place, pairs, out);
    }
}
