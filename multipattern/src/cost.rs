//! The cost model: eq. (1) of the paper, with each term mapped to something that is counted.
//!
//! The paper asks of its model that `Cost_opt(DS + MS) <= Cost(DS) + Cost(MS)`, where DS is
//! decomposition sharing alone and MS is merge sharing alone (the text has TS once), and
//!
//! ```text
//! Cost(DS) = Cost_a + Cost_r + Cost_v(T, P_N(s)) + Selv(T, P_N(s)) Cost_n + Cost(D) + Cost(filter)
//! Cost(MS) = Cost_a + Cost_r + Cost_v(T, P_N(s)) + Selv(T, P_N(s)) Cost_n + Cost(M) + Cost(filter)
//! ```
//!
//! | term | in the paper | here, expected for each event |
//! |---|---|---|
//! | `Cost_a` | accessing event instances | edges whose label is complete: [`Terms::accesses`] |
//! | `Cost_v` | verification against the events before | instances in order in the window: [`Terms::checks`] |
//! | `Selv * Cost_n` | creating and inserting instances | those checked that fit: [`Terms::creations`] |
//! | `Cost_r` | removing instances | those that wait for something and expire: [`Terms::expiries`] |
//!
//! | term | in the paper | here, once, when planning |
//! |---|---|---|
//! | `Cost(D)` | decomposing | parts looked up for the rules: [`Terms::decomposition`] |
//! | `Cost(M)` | merging | labels of words found to have an edge: [`Terms::merging`] |
//! | `Cost(filter)` | filtering redundant parts | labels left out for that: [`Terms::filter`] |
//!
//! Every counted step weighs the same, and what is counted for each event is multiplied by the
//! number of events. The expectations are those of independent events under `any`: of n given
//! symbols, the last at the current event, there are C(W - 1, n - 1) places in a window of W
//! events, each as probable as the product of the symbols' rates.

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::model::{Label, Model, Sequences};
use crate::{PatternSet, Window};

/// What the stream is expected to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// The window, in events.
    pub window: u32,
    /// The number of events.
    pub events: u64,
    /// How probable it is that an event fits a symbol.
    pub rate: f64,
    /// The same by symbol, for the first symbols, where it differs.
    pub rates: Vec<f64>,
    /// The share of the instances checked that fit, `Selv`: 1 without predicates.
    pub selectivity: f64,
}

impl Workload {
    /// The paper's Table 1: 10^5 events, a window of 40, all symbols of the set equally frequent.
    pub fn paper(set: &Sequences) -> Self {
        let rate = 1.0 / f64::from(set.symbols().max(1));
        Self { window: 40, events: 100_000, rate, rates: Vec::new(), selectivity: 1.0 }
    }

    /// The rate of a symbol.
    pub fn rate_of(&self, symbol: u32) -> f64 {
        self.rates.get(symbol as usize).copied().unwrap_or(self.rate)
    }
}

impl From<&PatternSet> for Workload {
    /// Table 1 with the window of the set, if it counts events, and all types equally frequent.
    fn from(set: &PatternSet) -> Self {
        let rate = 1.0 / set.schema().types().len().max(1) as f64;
        let window = match set.window() {
            Window::Events(events) => events.min(u32::MAX.into()) as u32,
            Window::Time(..) => 40,
        };
        Self { window, events: 100_000, rate, rates: Vec::new(), selectivity: 1.0 }
    }
}

/// The terms of eq. (1) for one model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Terms {
    /// `Cost_a`: edges accessed, for each event.
    pub accesses: f64,
    /// `Cost_v`: candidates checked, for each event.
    pub checks: f64,
    /// `Selv * Cost_n`: instances created, for each event.
    pub creations: f64,
    /// `Cost_r`: instances that expire, for each event.
    pub expiries: f64,
    /// `Cost(D)`: steps of the decomposition, once.
    pub decomposition: f64,
    /// `Cost(M)`: steps of the merging, once.
    pub merging: f64,
    /// `Cost(filter)`: steps of filtering, once.
    pub filter: f64,
    /// The number of events by which the terms that count for each event are multiplied.
    pub events: u64,
}

impl Terms {
    /// What is spent for each event.
    pub fn per_event(&self) -> f64 {
        self.accesses + self.checks + self.creations + self.expiries
    }

    /// What is spent once.
    pub fn planning(&self) -> f64 {
        self.decomposition + self.merging + self.filter
    }

    /// The whole cost.
    pub fn total(&self) -> f64 {
        self.per_event() * self.events as f64 + self.planning()
    }
}

/// The terms of a model. `decomposition` are the steps that its rules have taken, `merged` is
/// whether its words were merged. Time: linear in the trie of the model's words.
pub fn terms(model: &Model, load: &Workload, decomposition: u64, merged: bool) -> Terms {
    let ways = Ways::new(load.window);
    let mut terms =
        Terms { decomposition: decomposition as f64, events: load.events, ..Terms::default() };
    // Of each rule: symbols, and the logarithm of the product of their rates.
    let rules: Vec<(usize, f64)> = model
        .rules()
        .iter()
        .map(|rule| {
            let logs = rule.expansion.iter().map(|&symbol| load.rate_of(symbol).ln());
            (rule.expansion.len(), logs.sum())
        })
        .collect();
    let of = |label| match label {
        Label::Symbol(symbol) => (1, load.rate_of(symbol).ln()),
        Label::Composite(rule) => rules[rule as usize],
    };
    for edge in model.edges() {
        let (length, log) = of(edge.label);
        terms.accesses += ways.expected(length, log);
    }
    let paths = model.paths();
    let mut read: Vec<(usize, f64)> = Vec::with_capacity(paths.len());
    for &(path, from) in &paths {
        let Some((before, label)) = from else {
            read.push((0, 0.0));
            continue;
        };
        let ((length, log), (more, factor)) = (read[before], of(label));
        let here = (length + more, log + factor);
        let checks = ways.expected(here.0, here.1);
        terms.checks += checks;
        terms.creations += checks * load.selectivity;
        if !model.edges_of(path.state).is_empty() {
            terms.expiries += checks * load.selectivity;
        }
        read.push(here);
    }
    if merged {
        let patterns = (0..model.patterns() as u32).filter_map(|pattern| model.word(pattern));
        let rules = model.rules().iter().map(|rule| &rule.word[..]);
        let labels: usize = patterns.chain(rules).map(<[Label]>::len).sum();
        // Each is found to be there already, and left out.
        terms.merging = labels.saturating_sub(model.edges().len()) as f64;
        terms.filter = terms.merging;
    }
    terms
}

/// The terms of chains whose matches are built at the last event: until then an event is only kept
/// once, whatever waits for it; then the events before it are looked for backwards.
pub fn lazy_terms(model: &Model, load: &Workload) -> Terms {
    let ways = Ways::new(load.window);
    let symbols: BTreeSet<Label> = model.edges().iter().map(|edge| edge.label).collect();
    let rate = |label: &Label| match *label {
        Label::Symbol(symbol) => load.rate_of(symbol),
        Label::Composite(_) => 0.0,
    };
    let kept: f64 = symbols.iter().map(rate).sum();
    let mut terms = Terms {
        accesses: kept,
        creations: kept,
        expiries: kept,
        events: load.events,
        ..Terms::default()
    };
    for pattern in 0..model.patterns() as u32 {
        let word = model.word(pattern).map_or_else(Vec::new, |word| model.expand(word));
        let mut log = 0.0;
        for (before, &symbol) in word.iter().rev().enumerate() {
            log += load.rate_of(symbol).ln();
            let checks = ways.expected(before + 1, log);
            if before == 0 {
                terms.accesses += checks;
            }
            terms.checks += checks;
            if before + 1 == word.len() {
                terms.creations += checks * load.selectivity;
            }
        }
    }
    terms
}

/// In how many ways events can lie in a window, as logarithms.
struct Ways {
    window: u32,
    /// ln C(window - 1, n) by n.
    logs: RefCell<Vec<f64>>,
}

impl Ways {
    /// Nothing is counted beyond this, so that sums stay finite.
    const MOST: f64 = 1e250;

    fn new(window: u32) -> Self {
        Self { window, logs: vec![0.0].into() }
    }

    /// The expected number of instances of `length` symbols that the current event completes.
    fn expected(&self, length: usize, log: f64) -> f64 {
        let others = f64::from(self.window) - 1.0;
        let before = length.saturating_sub(1);
        if before as f64 > others {
            return 0.0;
        }
        let mut logs = self.logs.borrow_mut();
        while logs.len() <= before {
            let n = logs.len() as f64;
            let last = logs[logs.len() - 1];
            logs.push(last + ((others - n + 1.0) / n).ln());
        }
        (logs[before] + log).exp().min(Self::MOST)
    }
}
