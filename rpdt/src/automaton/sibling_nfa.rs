//! The NFA of one regular branch (paper, section 3.3): Glushkov positions, no epsilon edges, and
//! for each position the earliest start of a run that reaches it.
//!
//! Positions that the same set of starts reaches are kept together: a [`RunState`] is a list of
//! groups (start, set of positions) with ascending starts and disjoint sets. Keeping only the
//! earliest start of a position loses nothing, since the position alone decides the future.

use crate::pattern::{NodeId, Regex};

/// Glushkov automaton over the symbol occurrences of one expression. Sets are bit vectors of
/// `words` 64-bit words; `{m,n}` makes several positions of one symbol.
#[derive(Clone, Debug)]
pub(crate) struct SiblingNfa {
    /// Words of a set of positions.
    pub words: usize,
    /// Words of a set of symbols.
    pub symbol_words: usize,
    /// The empty word belongs to the language.
    pub nullable: bool,
    /// The pattern node of each symbol.
    pub symbols: Vec<NodeId>,
    pub(super) first: Vec<u64>,
    pub(super) last: Vec<u64>,
    /// `follow[p * words ..]`: positions that may come after position p.
    pub(super) follow: Vec<u64>,
    /// `symbol_positions[s * words ..]`: the positions of symbol s.
    symbol_positions: Vec<u64>,
    /// The symbol of each position.
    pub(super) position_symbol: Vec<u32>,
}

/// Live runs of one regular branch of one open element.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunState {
    starts: Vec<u64>,
    /// `words` a start; disjoint sets.
    sets: Vec<u64>,
}

impl RunState {
    /// Runs with these sets of positions, one word each, the first of which start at 0, 1, ...
    pub(super) fn ordered(sets: &[u64]) -> Self {
        RunState { starts: (0..sets.len() as u64).collect(), sets: sets.to_vec() }
    }

    /// How many runs begin before one.
    pub(super) fn order_of(&self, start: u64) -> Option<usize> {
        self.starts.binary_search(&start).ok()
    }

    pub(super) fn into_sets(self) -> Vec<u64> {
        self.sets
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.starts.clear();
        self.sets.clear();
    }

    /// The earliest start of a live run.
    pub(crate) fn earliest(&self) -> Option<u64> {
        self.starts.first().copied()
    }
}

/// Fragment of the Glushkov construction.
struct Fragment {
    nullable: bool,
    first: Vec<u32>,
    last: Vec<u32>,
}

#[derive(Default)]
struct Builder {
    position_symbol: Vec<u32>,
    edges: Vec<(u32, u32)>,
    symbols: Vec<NodeId>,
}

impl Builder {
    fn symbol(&mut self, id: NodeId) -> u32 {
        // Symbols are met in ascending order, except inside an expanded repetition.
        match self.symbols.binary_search(&id) {
            Ok(i) => i as u32,
            Err(i) => {
                debug_assert_eq!(i, self.symbols.len());
                self.symbols.push(id);
                i as u32
            }
        }
    }

    fn connect(&mut self, from: &[u32], to: &[u32]) {
        for &a in from {
            self.edges.extend(to.iter().map(|&b| (a, b)));
        }
    }

    fn concat(&mut self, a: Fragment, b: Fragment) -> Fragment {
        self.connect(&a.last, &b.first);
        let mut first = a.first;
        if a.nullable {
            first.extend(&b.first);
        }
        let mut last = b.last;
        if b.nullable {
            last.extend(&a.last);
        }
        Fragment { nullable: a.nullable && b.nullable, first, last }
    }

    fn build(&mut self, regex: &Regex) -> Fragment {
        match regex {
            Regex::Symbol(id) => {
                let p = self.position_symbol.len() as u32;
                let s = self.symbol(*id);
                self.position_symbol.push(s);
                Fragment { nullable: false, first: vec![p], last: vec![p] }
            }
            Regex::Concat(parts) => {
                let mut whole = empty();
                for part in parts {
                    let f = self.build(part);
                    whole = self.concat(whole, f);
                }
                whole
            }
            Regex::Alt(parts) => {
                let mut whole = Fragment { nullable: false, first: vec![], last: vec![] };
                for part in parts {
                    let f = self.build(part);
                    whole.nullable |= f.nullable;
                    whole.first.extend(f.first);
                    whole.last.extend(f.last);
                }
                whole
            }
            Regex::Repeat { inner, min, max } => self.repeat(inner, *min, *max),
        }
    }

    /// A chain of copies, each followed by the next one only: a word of k parts uses the first k. So
    /// `x{1,500}` has 499 edges between its copies, not one from each to all later ones.
    fn repeat(&mut self, inner: &Regex, min: u32, max: Option<u32>) -> Fragment {
        let copies = max.unwrap_or(min.max(1));
        let mut whole = empty();
        let mut previous: Vec<u32> = Vec::new();
        for copy in 1..=copies {
            let f = self.build(inner);
            self.connect(&previous, &f.first);
            if copy == copies && max.is_none() {
                self.connect(&f.last, &f.first);
            }
            if copy == 1 {
                whole.nullable = min == 0 || f.nullable;
                whole.first = f.first;
            }
            // Parts that are empty words need no copy of their own.
            if copy >= min || f.nullable {
                whole.last.extend(&f.last);
            }
            previous = f.last;
        }
        whole
    }
}

fn empty() -> Fragment {
    Fragment { nullable: true, first: vec![], last: vec![] }
}

fn set_of(positions: &[u32], words: usize) -> Vec<u64> {
    let mut set = vec![0; words];
    for &p in positions {
        set[p as usize / 64] |= 1 << (p % 64);
    }
    set
}

/// Calls `f` for every member of a set.
pub(crate) fn for_each_bit(set: &[u64], mut f: impl FnMut(usize)) {
    for (w, &word) in set.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            f(w * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

pub(super) fn intersects(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(x, y)| x & y != 0)
}

impl SiblingNfa {
    /// Builds the automaton. Symbols are numbered from left to right.
    pub(crate) fn new(regex: &Regex) -> Self {
        let mut builder = Builder::default();
        let whole = builder.build(regex);
        let positions = builder.position_symbol.len();
        let words = positions.div_ceil(64).max(1);
        let symbols = builder.symbols.len();
        let mut follow = vec![0; positions * words];
        for (a, b) in builder.edges {
            follow[a as usize * words + b as usize / 64] |= 1 << (b % 64);
        }
        let mut symbol_positions = vec![0; symbols * words];
        for (p, &s) in builder.position_symbol.iter().enumerate() {
            symbol_positions[s as usize * words + p / 64] |= 1 << (p % 64);
        }
        SiblingNfa {
            words,
            symbols: builder.symbols,
            symbol_words: symbols.div_ceil(64).max(1),
            nullable: whole.nullable,
            first: set_of(&whole.first, words),
            last: set_of(&whole.last, words),
            follow,
            symbol_positions,
            position_symbol: builder.position_symbol,
        }
    }

    /// Number of positions.
    pub(crate) fn positions(&self) -> usize {
        self.position_symbol.len()
    }

    pub(super) fn symbol_set_positions(&self, symbols: &[u64], out: &mut Vec<u64>) {
        out.clear();
        out.resize(self.words, 0);
        for_each_bit(symbols, |s| {
            let of = &self.symbol_positions[s * self.words..][..self.words];
            out.iter_mut().zip(of).for_each(|(o, x)| *o |= x);
        });
    }

    pub(super) fn or_follow(&self, set: &[u64], out: &mut [u64]) {
        for_each_bit(set, |p| {
            let of = &self.follow[p * self.words..][..self.words];
            out.iter_mut().zip(of).for_each(|(o, x)| *o |= x);
        });
    }

    /// Reads child number `child`, which satisfies `symbols`; `scratch` keeps allocations.
    pub(crate) fn step(
        &self,
        state: &mut RunState,
        symbols: &[u64],
        child: u64,
        scratch: &mut Scratch,
    ) {
        if self.words == 1 {
            return self.step_narrow(state, symbols, child);
        }
        let w = self.words;
        self.symbol_set_positions(symbols, &mut scratch.wanted);
        scratch.next.clear();
        for (g, &start) in state.starts.iter().enumerate() {
            let at = scratch.next.sets.len();
            scratch.next.sets.resize(at + w, 0);
            self.or_follow(&state.sets[g * w..][..w], &mut scratch.next.sets[at..]);
            if take(&mut scratch.next.sets[at..], &mut scratch.wanted) {
                scratch.next.starts.push(start);
            } else {
                scratch.next.sets.truncate(at);
            }
        }
        let at = scratch.next.sets.len();
        scratch.next.sets.extend_from_slice(&self.first);
        if take(&mut scratch.next.sets[at..], &mut scratch.wanted) {
            scratch.next.starts.push(child);
        } else {
            scratch.next.sets.truncate(at);
        }
        std::mem::swap(state, &mut scratch.next);
    }

    /// The common case of at most 64 positions, in place.
    fn step_narrow(&self, state: &mut RunState, symbols: &[u64], child: u64) {
        let mut wanted = 0;
        for_each_bit(symbols, |s| wanted |= self.symbol_positions[s]);
        let mut kept = 0;
        for g in 0..state.starts.len() {
            let mut next = 0;
            let mut rest = state.sets[g];
            while rest != 0 {
                next |= self.follow[rest.trailing_zeros() as usize];
                rest &= rest - 1;
            }
            next &= wanted;
            if next != 0 {
                wanted &= !next;
                state.starts[kept] = state.starts[g];
                state.sets[kept] = next;
                kept += 1;
            }
        }
        state.starts.truncate(kept);
        state.sets.truncate(kept);
        let begin = self.first[0] & wanted;
        if begin != 0 {
            state.starts.push(child);
            state.sets.push(begin);
        }
    }

    /// The start of the longest run that ends at the child just read: cur(i) of the paper.
    pub(crate) fn current(&self, state: &RunState) -> Option<u64> {
        let w = self.words;
        (0..state.starts.len())
            .find(|&g| intersects(&state.sets[g * w..][..w], &self.last))
            .map(|g| state.starts[g])
    }

    /// Whether reading a child that satisfies `symbol` would complete a run.
    pub(crate) fn would_accept(&self, state: &RunState, symbol: u32) -> bool {
        let w = self.words;
        let of = &self.symbol_positions[symbol as usize * w..][..w];
        let accepting = |p: usize| self.last[p / 64] >> (p % 64) & 1 == 1;
        let mut found = false;
        for_each_bit(of, |p| {
            if !found && accepting(p) {
                found = self.first[p / 64] >> (p % 64) & 1 == 1 || self.reachable(state, p);
            }
        });
        found
    }

    fn reachable(&self, state: &RunState, position: usize) -> bool {
        let mut found = false;
        for set in state.sets.chunks_exact(self.words) {
            for_each_bit(set, |p| {
                found |= self.follow[p * self.words + position / 64] >> (position % 64) & 1 == 1;
            });
        }
        found
    }

    /// Whether a child could prolong a run that starts at `start`; `symbols` is what the child may
    /// satisfy, `None` = anything.
    pub(crate) fn can_prolong(
        &self,
        state: &RunState,
        start: u64,
        symbols: Option<&[u64]>,
    ) -> bool {
        let w = self.words;
        let Some(g) = state.starts.iter().position(|&s| s == start) else { return false };
        if w == 1 {
            let mut next = [0];
            self.or_follow(&state.sets[g..=g], &mut next);
            let mut wanted = u64::MAX;
            if let Some(symbols) = symbols {
                wanted = 0;
                for_each_bit(symbols, |s| wanted |= self.symbol_positions[s]);
            }
            return next[0] & wanted != 0;
        }
        let mut next = vec![0; w];
        self.or_follow(&state.sets[g * w..][..w], &mut next);
        match symbols {
            None => next.iter().any(|&word| word != 0),
            Some(symbols) => {
                let mut wanted = Vec::new();
                self.symbol_set_positions(symbols, &mut wanted);
                intersects(&next, &wanted)
            }
        }
    }

    /// Calls `report(k, symbol)` for each child k of a run and each symbol that some accepting
    /// reading of the run gives it. `children` holds `symbol_words` words a child: what it
    /// satisfies. Forward and backward pass, O(length * positions).
    pub(crate) fn readings(&self, children: &[u64], mut report: impl FnMut(usize, u32)) {
        let w = self.words;
        let n = children.len() / self.symbol_words;
        let mut forward: Vec<u64> = Vec::with_capacity(n * w);
        let mut wanted = Vec::new();
        for k in 0..n {
            self.symbol_set_positions(
                &children[k * self.symbol_words..][..self.symbol_words],
                &mut wanted,
            );
            let mut next = vec![0; w];
            if k == 0 {
                next.copy_from_slice(&self.first);
            } else {
                self.or_follow(&forward[(k - 1) * w..][..w], &mut next);
            }
            forward.extend(next.iter().zip(&wanted).map(|(a, b)| a & b));
        }
        let mut backward: Vec<u64> = vec![0; w];
        for k in (0..n).rev() {
            let reached = &forward[k * w..][..w];
            let mut kept = vec![0; w];
            for_each_bit(reached, |p| {
                let keep = if k + 1 == n {
                    self.last[p / 64] >> (p % 64) & 1 == 1
                } else {
                    intersects(&self.follow[p * w..][..w], &backward)
                };
                if keep {
                    kept[p / 64] |= 1 << (p % 64);
                }
            });
            let mut seen = vec![0u64; self.symbol_words];
            for_each_bit(&kept, |p| {
                let s = self.position_symbol[p];
                if seen[s as usize / 64] >> (s % 64) & 1 == 0 {
                    seen[s as usize / 64] |= 1 << (s % 64);
                    report(k, s);
                }
            });
            backward = kept;
        }
    }
}

/// Keeps of `set` what is `wanted` and takes it out of `wanted`; false when nothing is left.
fn take(set: &mut [u64], wanted: &mut [u64]) -> bool {
    let mut any = 0;
    for (s, w) in set.iter_mut().zip(wanted) {
        *s &= *w;
        *w &= !*s;
        any |= *s;
    }
    any != 0
}

/// Buffers that [`SiblingNfa::step`] reuses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    wanted: Vec<u64>,
    next: RunState,
}
