//! Methods `optimized`, `sharing` and `proposed` under `any` and `next`: nothing is put together
//! before the last event of a match has come.
//!
//! Until then events only stand in the windows of their classes, and the latest starts say which
//! patterns the event completes. `optimized` has one [`Plan`] and one [`LazyState`] for each pattern;
//! `sharing` has one for all, so that windows and prefixes are shared; `proposed` adds blocks of two
//! and three operands, vectors of counts for suffixes, and bitmaps for conditions.

use super::arrival::Arrival;
use super::blocks::Block;
use super::catalog::{Catalog, Live};
use super::conditions::Bitmaps;
use super::counts::Suffixes;
use super::history::History;
use super::latest::{Latest, ROOT, Trie};
use super::output::{Level, Out, Sink};
use super::runs::Runs;
use super::walk::{self, Path};
use super::windows::{Layout, Windows};
use crate::pattern::{PatternId, Semantics};
use crate::stats::Counters;

use hashbrown::HashMap;

/// What is used for the operands before the last one.
#[derive(Clone, Copy, Debug)]
enum Tail {
    /// The list of the last class.
    Class,
    Pair(u32),
    Triple(u32),
}

/// How one pattern is evaluated.
#[derive(Clone, Debug)]
struct Recipe {
    place: u32,
    number: PatternId,
    length: usize,
    /// The classes of all operands but the last one, each with the column of the next.
    steps: Vec<(u32, u32)>,
    /// The node of these operands.
    node: u32,
    /// The node of the whole pattern; under `next`.
    whole: u32,
    tail: Tail,
    suffix: Option<u32>,
    has_checks: bool,
    /// Bitmaps of the conditions of the last operand: position and number.
    bitmaps: Vec<(usize, u32)>,
}

/// How a set of patterns is evaluated, and what is shared by all streams and partitions.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    semantics: Semantics,
    layout: Layout,
    trie: Trie,
    recipes: Vec<Recipe>,
    /// By class: those that end with it, in the order of the patterns.
    endings: Vec<Vec<u32>>,
    /// Under `next`, those with conditions between events: by class, pattern and position.
    runners: Vec<Vec<(u32, u32, u32)>>,
    pairs: Vec<Block<2>>,
    triples: Vec<Block<3>>,
    suffixes: Suffixes,
    bitmaps: Bitmaps,
    merged: Vec<u32>,
    merged_runners: Vec<(u32, u32, u32)>,
    scratch: Vec<(u32, u64)>,
    chosen: Vec<u64>,
}

/// What is remembered of one stream or partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct LazyState {
    windows: Windows,
    latest: Latest,
    /// By recipe.
    runs: Vec<Runs>,
}

impl Plan {
    /// For patterns with their places, whose classes are numbered below `classes`. `rename` gives the
    /// number of a class here.
    pub(crate) fn new<'c>(
        lives: impl Iterator<Item = (u32, &'c Live)>,
        classes: usize,
        rename: impl Fn(u32) -> u32,
        semantics: Semantics,
        decompose: bool,
    ) -> Self {
        let mut plan = Plan {
            semantics,
            layout: Layout::new(classes),
            trie: Trie::new(classes),
            recipes: Vec::new(),
            endings: vec![Vec::new(); classes],
            runners: vec![Vec::new(); classes],
            pairs: Vec::new(),
            triples: Vec::new(),
            suffixes: Suffixes::new(decompose),
            bitmaps: Bitmaps::default(),
            merged: Vec::new(),
            merged_runners: Vec::new(),
            scratch: Vec::new(),
            chosen: Vec::new(),
        };
        let mut known = Known::default();
        for (place, live) in lives {
            let own: Vec<u32> = live.classes.iter().map(|&class| rename(class)).collect();
            plan.add(place, live, &own, decompose, &mut known);
        }
        plan
    }

    fn add(&mut self, place: u32, live: &Live, own: &[u32], decompose: bool, known: &mut Known) {
        let number = self.recipes.len() as u32;
        let last = own.len() - 1;
        let (has_checks, runs) = (live.has_checks(), self.semantics == Semantics::Next);
        if has_checks && runs {
            for (position, &class) in own.iter().enumerate().rev() {
                self.runners[class as usize].push((live.number.0, number, position as u32));
            }
        }
        let mut steps = Vec::with_capacity(last);
        for at in 0..last {
            let column = match own[..last].get(at + 1) {
                Some(&next) => self.layout.column(own[at], next),
                None => 0,
            };
            steps.push((own[at], column));
        }
        let node = self.trie.add(&own[..last]);
        let whole = if runs { self.trie.add(own) } else { ROOT };
        let mut tail = Tail::Class;
        let mut bitmaps = Vec::new();
        if decompose && !has_checks && !runs {
            tail = self.tail(&steps, known);
        }
        if decompose && has_checks && !runs {
            for check in live.checks_at(last) {
                let bitmap = self.bitmaps.add(own[check.earlier], check.test);
                bitmaps.push((check.earlier, bitmap));
            }
        }
        let suffix = if has_checks || runs { None } else { self.suffixes.add(&steps) };
        self.endings[own[last] as usize].push(number);
        self.recipes.push(Recipe {
            place,
            number: live.number,
            length: own.len(),
            steps,
            node,
            whole,
            tail,
            suffix,
            has_checks,
            bitmaps,
        });
    }

    /// The block that ends a pattern before its last operand.
    fn tail(&mut self, steps: &[(u32, u32)], known: &mut Known) -> Tail {
        match steps {
            [] | [_] => Tail::Class,
            [a, b] => {
                let key = [a.0, b.0];
                Tail::Pair(*known.pairs.entry(key).or_insert_with(|| {
                    self.pairs.push(Block::new(&[*a, *b]));
                    self.pairs.len() as u32 - 1
                }))
            }
            [.., a, b, c] => {
                let key = [a.0, b.0, c.0];
                Tail::Triple(*known.triples.entry(key).or_insert_with(|| {
                    self.triples.push(Block::new(&[*a, *b, *c]));
                    self.triples.len() as u32 - 1
                }))
            }
        }
    }

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
        self.run(state, catalog, history, arrival, counters);
        let recipes = self.merge(arrival.classes);
        if let Some(out) = out {
            for &recipe in &recipes {
                counters.probes += 1;
                let (number, recipe) = (recipe as usize, &self.recipes[recipe as usize]);
                if recipe.has_checks {
                    let live = catalog.live(recipe.place);
                    state.runs[number].deliver(live, history, arrival, out);
                } else {
                    chains(recipe, state, catalog, history, arrival, out);
                }
                if out.stopped {
                    break;
                }
            }
        }
        self.merged = recipes;
        self.advance(state, history, arrival, counters);
    }

    /// The recipes of patterns that an event may complete, in the order of the patterns.
    fn merge(&mut self, classes: &[u32]) -> Vec<u32> {
        let mut merged = std::mem::take(&mut self.merged);
        merged.clear();
        for &class in classes {
            merged.extend_from_slice(&self.endings[class as usize]);
        }
        if classes.len() > 1 {
            merged.sort_unstable();
        }
        merged
    }

    fn advance(
        &mut self,
        state: &mut LazyState,
        history: &History,
        arrival: &Arrival<'_>,
        counters: &mut Counters,
    ) {
        let (serial, row) = (arrival.serial, arrival.row);
        state.windows.push(&self.layout, arrival.classes, serial, row, history.first());
        let moves = state.latest.advance(&self.trie, arrival.classes, serial, &mut self.scratch);
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
        let recipes = self.merge(arrival.classes);
        for &recipe in &recipes {
            let recipe = &self.recipes[recipe as usize];
            let live = catalog.live(recipe.place);
            counters.probes += 1;
            let low = arrival.low(catalog, history, live);
            if state.latest.start(recipe.node) <= low {
                continue;
            }
            let path = Path {
                windows: &state.windows,
                steps: &recipe.steps,
                pattern: recipe.number,
                length: recipe.length,
                low,
            };
            if recipe.steps.is_empty() || recipe.has_checks {
                let bitmaps =
                    self.bitmaps.refresh(&recipe.bitmaps, &path, history, arrival, counters);
                let chosen = &mut self.chosen;
                walk::checked(&path, live, history, arrival, bitmaps, chosen, counters, out);
            } else if out.level == Level::Count {
                let from = path.first();
                let matches = recipe.suffix.map_or(0, |suffix| {
                    let (count, made) = self.suffixes.count(
                        suffix,
                        arrival.scope,
                        &state.windows,
                        history.first(),
                        from,
                    );
                    counters.block_misses += made;
                    counters.block_hits += u64::from(made == 0);
                    count
                });
                out.count(recipe.number, arrival.row, matches);
            } else {
                out.begin(recipe.length, arrival.row);
                let made = match recipe.tail {
                    Tail::Class => None,
                    Tail::Pair(pair) => self.pairs[pair as usize].refresh(
                        arrival.scope,
                        &state.windows,
                        history.first(),
                    ),
                    Tail::Triple(triple) => self.triples[triple as usize].refresh(
                        arrival.scope,
                        &state.windows,
                        history.first(),
                    ),
                };
                match made {
                    Some(true) => counters.block_misses += 1,
                    Some(false) => counters.block_hits += 1,
                    None => {}
                }
                match (recipe.tail, made) {
                    (Tail::Pair(pair), Some(_)) => path.block(&self.pairs[pair as usize], out),
                    (Tail::Triple(triple), Some(_)) => {
                        path.block(&self.triples[triple as usize], out);
                    }
                    _ => path.classes(out),
                }
            }
            if out.stopped {
                break;
            }
        }
        self.merged = recipes;
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
            merged.sort_unstable_by_key(|&(number, _, position)| (number, u32::MAX - position));
        }
        if !merged.is_empty() {
            state.runs.resize_with(self.recipes.len(), Runs::default);
        }
        let mut rest = &merged[..];
        while let Some(&(number, recipe, _)) = rest.first() {
            let length = rest.iter().take_while(|entry| entry.0 == number).count();
            let (own, behind) = rest.split_at(length);
            rest = behind;
            let live = catalog.live(self.recipes[recipe as usize].place);
            let low = arrival.low(catalog, history, live);
            let positions = own.iter().map(|entry| entry.2 as usize);
            let runs = &mut state.runs[recipe as usize];
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
        self.pairs.iter().map(Block::len).sum::<usize>()
            + self.triples.iter().map(Block::len).sum::<usize>()
            + self.suffixes.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        let steps: usize = self.recipes.iter().map(|recipe| recipe.steps.capacity()).sum();
        self.recipes.capacity() * size_of::<Recipe>()
            + steps * size_of::<(u32, u32)>()
            + self.trie.nodes() * size_of::<(u32, u32)>()
            + self.pairs.iter().map(Block::bytes).sum::<usize>()
            + self.triples.iter().map(Block::bytes).sum::<usize>()
            + self.suffixes.bytes()
            + self.bitmaps.bytes()
    }
}

impl LazyState {
    pub(crate) fn instances(&self) -> usize {
        self.runs.iter().map(Runs::len).sum()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.windows.bytes()
            + self.latest.bytes()
            + self.runs.iter().map(Runs::bytes).sum::<usize>()
    }
}

#[derive(Debug, Default)]
struct Known {
    pairs: HashMap<[u32; 2], u32>,
    triples: HashMap<[u32; 3], u32>,
}

/// The chains of `next` that an event ends: they began behind those that ended with the event of the
/// last class before, and not behind the latest start of the operands before the last one. A chain
/// that began later is never ahead of one that began earlier, so all in between end here.
fn chains<S: Sink>(
    recipe: &Recipe,
    state: &LazyState,
    catalog: &Catalog,
    history: &mut History,
    arrival: &Arrival<'_>,
    out: &mut Out<'_, S>,
) {
    let (ended, latest) = (state.latest.start(recipe.whole), state.latest.start(recipe.node));
    let live = catalog.live(recipe.place);
    let Some(&(first, _)) = recipe.steps.first() else {
        if out.level == Level::Count {
            out.count(recipe.number, arrival.row, 1);
        } else {
            out.begin(1, arrival.row);
            out.single(recipe.number);
        }
        return;
    };
    if latest <= ended {
        return;
    }
    // Starts are noted as one more than serials.
    let low = arrival.low(catalog, history, live).max(ended);
    if latest <= low {
        return;
    }
    let window = state.windows.of(first);
    let from = window.first_from(low);
    let behind = window.first_from(latest);
    if out.level == Level::Count {
        out.count(recipe.number, arrival.row, (behind - from) as u64);
        return;
    }
    out.begin(recipe.length, arrival.row);
    for start in from..behind {
        let mut at = start;
        for (position, &(class, column)) in recipe.steps.iter().enumerate() {
            let window = state.windows.of(class);
            out.buffer[position] = window.row(at);
            if let Some(&(next, _)) = recipe.steps.get(position + 1) {
                at = window.next(at, column, state.windows.of(next).dropped());
            }
        }
        out.single(recipe.number);
        if out.stopped {
            return;
        }
    }
}
