//! Which readings of a growing run are new: the run is reported again and again, its members once.

use super::sibling_nfa::{SiblingNfa, for_each_bit, intersects};

/// What is known of the runs with one start that were reported before: the positions reached from
/// the start, and those that some accepting reading has used.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReportedPart {
    start: Option<u64>,
    /// `words` a child, from the start on.
    forward: Vec<u64>,
    used: Vec<u64>,
}

impl ReportedPart {
    pub(crate) fn clear(&mut self) {
        self.start = None;
        self.forward.clear();
        self.used.clear();
    }

    /// Calls `report(k, symbol)` for what the accepting readings of the run `children`, which
    /// starts at child `start`, have beyond those of shorter runs with that start.
    ///
    /// The backward pass stops at the first child where all positions were used before: what leads
    /// to them was used, too. So a run that grows costs O(positions) for each new child, and a
    /// child's positions are newly used at most once each.
    pub(crate) fn extend(
        &mut self,
        nfa: &SiblingNfa,
        start: u64,
        children: &[u64],
        mut report: impl FnMut(usize, u32),
    ) {
        let w = nfa.words;
        let n = children.len() / nfa.symbol_words;
        if self.start != Some(start) {
            self.clear();
            self.start = Some(start);
        }
        let mut wanted = Vec::new();
        let reached = self.forward.len() / w;
        self.forward.resize(n * w, 0);
        for k in reached..n {
            let symbols = &children[k * nfa.symbol_words..][..nfa.symbol_words];
            nfa.symbol_set_positions(symbols, &mut wanted);
            let (before, next) = self.forward[..(k + 1) * w].split_at_mut(k * w);
            match k {
                0 => next.copy_from_slice(&nfa.first),
                _ => nfa.or_follow(&before[(k - 1) * w..], next),
            }
            next.iter_mut().zip(&wanted).for_each(|(a, b)| *a &= b);
        }
        self.used.resize(n * w, 0);
        let mut kept = nfa.last.clone();
        let mut earlier = vec![0; w];
        let mut seen = vec![0u64; nfa.symbol_words];
        kept.iter_mut().zip(&self.forward[(n - 1) * w..]).for_each(|(a, b)| *a &= b);
        for k in (0..n).rev() {
            let used = &mut self.used[k * w..][..w];
            if kept.iter().zip(&*used).all(|(x, u)| x & !u == 0) {
                return;
            }
            seen.fill(0);
            let mut first_use = |p: usize| {
                let s = nfa.position_symbol[p];
                let (word, bit) = (s as usize / 64, 1 << (s % 64));
                let fresh = seen[word] & bit == 0;
                seen[word] |= bit;
                fresh.then_some(s)
            };
            for_each_bit(used, |p| {
                first_use(p);
            });
            for_each_bit(&kept, |p| {
                if let Some(s) = first_use(p) {
                    report(k, s);
                }
            });
            used.iter_mut().zip(&kept).for_each(|(u, x)| *u |= x);
            if k == 0 {
                return;
            }
            earlier.fill(0);
            for_each_bit(&self.forward[(k - 1) * w..][..w], |p| {
                if intersects(&nfa.follow[p * w..][..w], &kept) {
                    earlier[p / 64] |= 1 << (p % 64);
                }
            });
            std::mem::swap(&mut kept, &mut earlier);
        }
    }
}
