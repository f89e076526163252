//! Finding matches where at most 64 events are in the window: a word for each class says which.
//!
//! The words are rings, the bit of an event is its serial modulo 64; nothing is shifted when an event
//! comes, and they are turned once when they are used. From the last operand back, every word is cut
//! off behind the last event that something can follow: then every choice leads to a match.

use super::blocks::Pairs;
use super::output::{Out, Sink};
use super::windows::Windows;
use crate::pattern::PatternId;

/// The lowest bits, so many.
#[inline]
pub(crate) fn below(bits: u64) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// How many matches of a pattern an event completes; `steps` are the classes of all operands but the
/// last one, and `low` and `serial` those of the first event of the window and of the last one.
///
/// From the operand before the last one back, each event gets the number of ways to go on behind it;
/// what is kept is the sum over it and those behind it, at its bit.
#[inline]
pub(crate) fn count(
    windows: &Windows,
    steps: &[(u32, u32)],
    (low, serial): (u64, u64),
    [mut behind, mut own]: [&mut [u64; 64]; 2],
) -> u64 {
    let count = serial - low;
    let mut allowed = below(count);
    // The events of the operand behind.
    let mut next = 0_u64;
    let mut total = 0;
    for (back, &(class, _)) in steps.iter().rev().enumerate() {
        let events = windows.turned(class, low) & allowed;
        if events == 0 {
            return 0;
        }
        total = 0_u64;
        let mut rest = events;
        while rest != 0 {
            let bit = 63 - rest.leading_zeros();
            rest ^= 1 << bit;
            let ways = if back == 0 {
                1
            } else {
                // Cut off behind the last event that something follows, so there is one.
                behind[(next & (!1 << bit)).trailing_zeros() as usize & 63]
            };
            total = total.saturating_add(ways);
            own[bit as usize & 63] = total;
        }
        std::mem::swap(&mut behind, &mut own);
        next = events;
        allowed = (1 << (63 - events.leading_zeros())) - 1;
    }
    total
}

/// A pattern of `N` operands that an event completes.
pub(crate) struct Bits<'a, const N: usize> {
    /// Of each operand but the last one, the events in the window, the first one first; only those
    /// from which there is a match, if the earlier ones fit.
    words: [u64; N],
    windows: &'a Windows,
    /// The serial of the first bit.
    low: u64,
    pattern: PatternId,
    /// The block of the two operands before the last one.
    pairs: Option<Pairs<'a>>,
}

impl<'a, const N: usize> Bits<'a, N> {
    /// All matches that an event completes; `steps` are the classes of all operands but the last.
    #[inline]
    pub(crate) fn all<S: Sink>(
        windows: &'a Windows,
        steps: &[(u32, u32)],
        pattern: PatternId,
        (low, serial, row): (u64, u64, u64),
        pairs: Option<Pairs<'a>>,
        out: &mut Out<'_, S>,
    ) {
        debug_assert_eq!(steps.len() + 1, N);
        let count = serial - low;
        let mut allowed = below(count);
        let mut words = [0; N];
        for at in (0..N - 1).rev() {
            let word = windows.turned(steps[at].0, low) & allowed;
            if word == 0 {
                return;
            }
            words[at] = word;
            allowed = (1 << (63 - word.leading_zeros())) - 1;
        }
        let mut events = [0; N];
        events[N - 1] = row;
        let this = Bits { words, windows, low, pattern, pairs };
        match &this.pairs {
            Some(pairs) if N == 3 => this.ends(pairs, words[0], &mut events, out),
            Some(pairs) if N == 4 => this.before_pairs(pairs, 0, u64::MAX, &mut events, out),
            Some(pairs) => this.with_pairs(pairs, 0, u64::MAX, &mut events, out),
            None => this.alone(0, u64::MAX, &mut events, out),
        }
    }

    #[inline(always)]
    fn row(&self, bit: u32) -> u64 {
        self.windows.row_of(self.low.wrapping_add(u64::from(bit)))
    }

    /// The matches that end with pairs which begin with one of some events or a later one.
    #[inline(always)]
    fn ends<S: Sink>(
        &self,
        pairs: &Pairs<'_>,
        from: u64,
        events: &mut [u64; N],
        out: &mut Out<'_, S>,
    ) {
        let first = self.low.wrapping_add(u64::from(from.trailing_zeros()));
        out.each(self.pattern, events, pairs.from(first));
    }

    /// Chooses the event before a pair.
    #[inline(always)]
    fn before_pairs<S: Sink>(
        &self,
        pairs: &Pairs<'_>,
        at: usize,
        allowed: u64,
        events: &mut [u64; N],
        out: &mut Out<'_, S>,
    ) {
        let mut word = self.words[at] & allowed;
        while word != 0 && !out.stopped {
            let bit = word.trailing_zeros();
            word &= word - 1;
            events[at] = self.row(bit);
            self.ends(pairs, self.words[at + 1] & (!1 << bit), events, out);
        }
    }

    fn with_pairs<S: Sink>(
        &self,
        pairs: &Pairs<'_>,
        at: usize,
        allowed: u64,
        events: &mut [u64; N],
        out: &mut Out<'_, S>,
    ) {
        let mut word = self.words[at] & allowed;
        while word != 0 && !out.stopped {
            let bit = word.trailing_zeros();
            word &= word - 1;
            events[at] = self.row(bit);
            if at + 5 == N {
                self.before_pairs(pairs, at + 1, !1 << bit, events, out);
            } else {
                self.with_pairs(pairs, at + 1, !1 << bit, events, out);
            }
        }
    }

    fn alone<S: Sink>(&self, at: usize, allowed: u64, events: &mut [u64; N], out: &mut Out<'_, S>) {
        let mut word = self.words[at] & allowed;
        while word != 0 {
            let bit = word.trailing_zeros();
            word &= word - 1;
            events[at] = self.row(bit);
            if at + 2 == N {
                out.one(self.pattern, events);
            } else {
                self.alone(at + 1, !1 << bit, events, out);
            }
            if out.stopped {
                return;
            }
        }
    }
}
