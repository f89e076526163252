//! Methods `optimized`, `sharing` and `proposed` under `any` and `next`: nothing is put together
//! before the last event of a match has come.
//!
//! Until then events only stand in the windows of their classes, and the latest starts say which
//! patterns the event completes. `optimized` has one [`Plan`] and one [`LazyState`] for each pattern;
//! `sharing` has one for all, so that windows and prefixes are shared; `proposed` adds blocks of two
//! and three operands, vectors of counts for suffixes, and bitmaps for conditions.

mod build;

use super::arrival::Arrival;
use super::bits;
use super::blocks::Block;
use super::catalog::Catalog;
use super::conditions::Bitmaps;
use super::counts::Suffixes;
use super::history::History;
use super::latest::{Latest, Trie};
use super::links::{Bounds, Links, Nodes};
use super::lists;
use super::next;
use super::output::{Level, Out, Sink};
use super::runs::Runs;
use super::starts::Starts;
use super::walk::{self, Path};
use super::windows::{Layout, Windows};
use crate::heap::heap;
use crate::pattern::{PatternId, Semantics};
use crate::stats::Counters;

/// How one pattern is evaluated.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    pub(super) place: u32,
    pub(super) number: PatternId,
    pub(super) length: usize,
    /// The classes of all operands but the last one, each with the column of the next; none where chains
    /// are kept one by one.
    pub(super) steps: Vec<(u32, u32)>,
    /// The column, in the class of each of these operands, of the one before; where windows are long.
    leaders: Vec<u32>,
    /// The node of these classes.
    pub(super) node: u32,
    /// The node of the whole pattern; under `next`.
    pub(super) whole: u32,
    /// The block of the two operands before the last one.
    pub(super) pair: Option<u32>,
    pub(super) suffix: Option<u32>,
    pub(super) has_checks: bool,
    pub(super) span: u32,
    pub(super) since: u64,
    /// Bitmaps of the conditions of the last operand: position and number.
    pub(super) bitmaps: Vec<(usize, u32)>,
    /// The nodes of all operands but the last one, if there are conditions between these.
    links: Vec<u32>,
}

/// What says whether an event completes a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ending {
    recipe: u32,
    /// The node of all operands but the last one.
    node: u32,
    span: u32,
    /// Under `next`: the node of the whole pattern, and whether chains are kept one by one.
    whole: u32,
    always: bool,
}

/// How a set of patterns is evaluated, and what is shared by all streams and partitions.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    semantics: Semantics,
    /// Under `next`, whether chains are sets of starts that move along the trie.
    sets: bool,
    /// Under `next`: at most 64 events are in any window, so that words are enough.
    short: bool,
    /// Under `any`: more may be, so that lists are needed, and words are not kept.
    long: bool,
    layout: Layout,
    trie: Trie,
    recipes: Vec<Recipe>,
    /// By class: those that end with it, in the order of the patterns.
    endings: Vec<Vec<Ending>>,
    /// Under `next`, those with conditions between events: by class, pattern and position.
    runners: Vec<Vec<(u32, u32, u32)>>,
    blocks: Vec<Block>,
    suffixes: Suffixes,
    bitmaps: Bitmaps,
    links: Nodes,
    ready: Vec<u32>,
    sums: [[u64; 64]; 2],
    merged_runners: Vec<(u32, u32, u32)>,
    scratch: Vec<(u32, u64)>,
    chosen: Vec<u64>,
}

/// What is remembered of the chains of `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chains {
    /// For each node of the trie, the starts that wait for it.
    Sets,
    /// For each node of the trie, the latest start that reached it: those between it and that of the
    /// next node are the set.
    Latest,
}

/// What is remembered of one stream or partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct LazyState {
    pub(super) starts: Starts,
    pub(super) windows: Windows,
    pub(super) latest: Latest,
    /// By recipe.
    runs: Vec<Runs>,
    links: Links,
}

impl Plan {
    /// Reports what an event completes, and remembers it. Without `out` it is only remembered.
    pub(crate) fn arrive<S: Sink>(
        &mut self,
        state: &mut LazyState,
        catalog: &Catalog,
        history: &mut History,
        arrival: &Arrival<'_>,
        counters: &mut Counters,
        out: Option<&mut Out<'_, S>>,
    ) {
        if self.semantics == Semantics::Any {
            if let Some(out) = out {
                self.complete(state, catalog, history, arrival, counters, out);
            }
            self.advance(state, history, arrival, counters);
            return;
        }
        if self.sets {
            let (serial, oldest) = (arrival.serial, history.first());
            counters.transitions +=
                state.starts.advance(&self.trie, arrival.classes, serial, oldest);
        }
        state.latest.fit(&self.trie);
        self.run(state, catalog, history, arrival, counters);
        state.windows.settle(arrival.serial);
        let (recipes, length) = self.merge(&state.latest, arrival.classes, counters);
        if let Some(out) = out {
            for &recipe in &recipes[..length] {
                let number = recipe as usize;
                let recipe = &self.recipes[number];
                if recipe.has_checks {
                    let live = catalog.live(recipe.place);
                    state.runs[number].deliver(live, history, arrival, out);
                } else {
                    next::chains(recipe, state, self.sets, catalog, history, arrival, out);
                }
                if out.stopped {
                    break;
                }
            }
        }
        self.ready = recipes;
        self.advance(state, history, arrival, counters);
    }

    /// The recipes of patterns that an event may complete under `next`, in the order of the patterns.
    fn merge(
        &mut self,
        latest: &Latest,
        classes: &[u32],
        counters: &mut Counters,
    ) -> (Vec<u32>, usize) {
        let mut ready = std::mem::take(&mut self.ready);
        let mut length = 0;
        for &class in classes {
            let endings = &self.endings[class as usize];
            counters.probes += endings.len() as u64;
            if ready.len() < length + endings.len() {
                ready.resize(length + endings.len(), 0);
            }
            for ending in endings {
                ready[length] = ending.recipe;
                let ends = latest.start(ending.node) > latest.start(ending.whole);
                length += usize::from(ends | ending.always | self.sets);
            }
        }
        if classes.len() > 1 {
            ready[..length].sort_unstable();
        }
        (ready, length)
    }

    /// The recipes of patterns that an event completes, as far as types say, in the order of the
    /// patterns.
    fn ready(
        &mut self,
        state: &LazyState,
        catalog: &Catalog,
        history: &mut History,
        arrival: &Arrival<'_>,
        counters: &mut Counters,
    ) -> (Vec<u32>, usize) {
        let mut ready = std::mem::take(&mut self.ready);
        let mut length = 0;
        let (mut span, mut in_window) = (u32::MAX, 0);
        for &class in arrival.classes {
            let endings = &self.endings[class as usize];
            counters.probes += endings.len() as u64;
            if ready.len() < length + endings.len() {
                ready.resize(length + endings.len(), 0);
            }
            for ending in endings {
                if ending.span != span {
                    span = ending.span;
                    in_window = history.low(catalog, span, arrival.tick, arrival.time);
                }
                // Written in any case, and kept if it is one: which are cannot be foreseen.
                ready[length] = ending.recipe;
                length += usize::from(state.latest.start(ending.node) > in_window);
            }
        }
        if arrival.classes.len() > 1 {
            ready[..length].sort_unstable();
        }
        (ready, length)
    }

    fn advance(
        &mut self,
        state: &mut LazyState,
        history: &History,
        arrival: &Arrival<'_>,
        counters: &mut Counters,
    ) {
        let (serial, row) = (arrival.serial, arrival.row);
        // Words where they may be enough, lists where they may not.
        if !self.long {
            state.windows.mark(&self.layout, arrival.classes, serial, row);
        }
        if !self.short {
            let oldest = history.first();
            state.windows.push(&self.layout, arrival.classes, serial, row, oldest);
        }
        if self.sets {
            return;
        }
        let at = (serial, history.first());
        let moves = state.latest.advance(&self.trie, arrival.classes, at, &mut self.scratch);
        counters.transitions += moves as u64;
    }

    /// Under `any`: all matches that an event completes.
    fn complete<S: Sink>(
        &mut self,
        state: &mut LazyState,
        catalog: &Catalog,
        history: &mut History,
        arrival: &Arrival<'_>,
        counters: &mut Counters,
        out: &mut Out<'_, S>,
    ) {
        if !self.long {
            state.windows.settle(arrival.serial);
        }
        state.latest.fit(&self.trie);
        let (recipes, length) = self.ready(state, catalog, history, arrival, counters);
        let oldest = history.entry(history.first()).row;
        let (mut span, mut in_window) = (u32::MAX, 0);
        for &recipe in &recipes[..length] {
            let recipe = &self.recipes[recipe as usize];
            if recipe.span != span {
                span = recipe.span;
                in_window = history.low(catalog, span, arrival.tick, arrival.time);
            }
            let mut low = in_window;
            if recipe.since > oldest {
                low = low.max(history.first_from(recipe.since));
                if state.latest.start(recipe.node) <= low {
                    continue;
                }
            }
            let path = Path {
                windows: &state.windows,
                steps: &recipe.steps,
                leaders: &recipe.leaders,
                pattern: recipe.number,
                length: recipe.length,
                low,
            };
            if recipe.steps.is_empty() || recipe.has_checks {
                let live = catalog.live(recipe.place);
                let bitmaps =
                    self.bitmaps.refresh(&recipe.bitmaps, &path, history, arrival, counters);
                let chosen = &mut self.chosen;
                if recipe.links.is_empty() {
                    walk::checked(&path, live, history, arrival, bitmaps, chosen, counters, out);
                } else {
                    let bounds = Bounds { window: in_window, low, last: arrival.serial };
                    let viable = self.links.viable(
                        &mut state.links,
                        &recipe.links,
                        (&path, live),
                        history,
                        bounds,
                        &bitmaps,
                        counters,
                    );
                    if let Some(viable) = viable {
                        walk::linked(&path, &viable, history, arrival.row, chosen, counters, out);
                    }
                }
            } else if self.long {
                let blocks = &mut self.blocks;
                let block = recipe.pair.and_then(|pair| blocks.get_mut(pair as usize));
                let shared = lists::Shared {
                    scope: arrival.scope,
                    oldest: history.first(),
                    suffixes: &mut self.suffixes,
                    suffix: recipe.suffix,
                    block: block.filter(|block| block.has_users()),
                };
                lists::deliver(&path, arrival.row, shared, counters, out);
            } else if out.level == Level::Count {
                let [one, other] = &mut self.sums;
                let at = (low, arrival.serial);
                let matches = bits::count(&state.windows, &recipe.steps, at, [one, other]);
                out.count(recipe.number, arrival.row, matches);
            } else {
                let mut block = None;
                if let Some(pair) = recipe.pair {
                    let (scope, oldest) = (arrival.scope, history.first());
                    match self.blocks[pair as usize].refresh(scope, &state.windows, oldest) {
                        Some(true) => counters.block_misses += 1,
                        Some(false) => counters.block_hits += 1,
                        None => {}
                    }
                    block = Some(&self.blocks[pair as usize]).filter(|block| block.is_made());
                }
                let at = (arrival.serial, arrival.row);
                if !(out.wants_all() && path.short(at, block, out)) {
                    out.begin(recipe.length, arrival.row);
                    match block {
                        Some(block) => path.block(block, out),
                        None => path.classes(out),
                    }
                }
            }
            if out.stopped {
                break;
            }
        }
        self.ready = recipes;
    }

    /// Under `next`: moves the chains of patterns with conditions between events, which differ one by
    /// one.
    fn run(
        &mut self,
        state: &mut LazyState,
        catalog: &Catalog,
        history: &mut History,
        arrival: &Arrival<'_>,
        counters: &mut Counters,
    ) {
        let mut merged = std::mem::take(&mut self.merged_runners);
        merged.clear();
        for &class in arrival.classes {
            merged.extend_from_slice(&self.runners[class as usize]);
        }
        if arrival.classes.len() > 1 {
            // Each class's own are in order: a stable sort merges them.
            merged.sort_by_key(|&(number, _, position)| {
                u64::from(number) << 32 | u64::from(!position)
            });
        }
        if !merged.is_empty() {
            state.runs.resize_with(self.recipes.len(), Runs::default);
        }
        let oldest = history.entry(history.first()).row;
        let (mut span, mut in_window) = (u32::MAX, 0);
        let mut rest = &merged[..];
        while let Some(&(number, recipe, _)) = rest.first() {
            let length = rest.iter().take_while(|entry| entry.0 == number).count();
            let (own, behind) = rest.split_at(length);
            rest = behind;
            let Recipe { place, span: own_span, since, .. } = self.recipes[recipe as usize];
            if own_span != span {
                span = own_span;
                in_window = history.low(catalog, span, arrival.tick, arrival.time);
            }
            let mut low = in_window;
            if since > oldest {
                low = low.max(history.first_from(since));
            }
            let positions = own.iter().map(|entry| entry.2 as usize);
            let runs = &mut state.runs[recipe as usize];
            let live = catalog.live(place);
            let moved = runs.step(live, positions, history, arrival, low);
            counters.instances_created += moved.began;
            counters.candidates_checked += moved.checked;
            counters.expired += moved.expired;
        }
        self.merged_runners = merged;
    }

    /// Nodes of the trie.
    pub(crate) fn nodes(&self) -> usize {
        self.trie.nodes()
    }

    /// Rows of blocks, and numbers of vectors.
    pub(crate) fn shared_rows(&self) -> usize {
        self.blocks.iter().map(Block::len).sum::<usize>() + self.suffixes.len()
    }
}

impl LazyState {
    pub(crate) fn instances(&self) -> usize {
        self.runs.iter().map(Runs::len).sum::<usize>() + self.starts.len()
    }
}

heap! {
    Recipe { steps, leaders, bitmaps, links }
    Ending {}
    Plan {
        layout, trie, recipes, endings, runners, blocks, suffixes, bitmaps, links, ready, merged_runners,
        scratch, chosen,
    }
    LazyState { starts, windows, latest, runs, links }
}
