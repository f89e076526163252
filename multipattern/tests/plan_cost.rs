//! Eq. (1): what the terms expect is what happens in a stream.

use multipattern::cost::{self, Workload};
use multipattern::model::{Label, Model, Sequences, Stream, interpret};
use multipattern::{Method, PatternSet, Plan, Semantics, Window};

/// Independent events, all kinds equally frequent.
struct Events {
    kinds: Vec<u32>,
    window: usize,
}

impl Events {
    fn new(kinds: u32, count: usize, window: usize) -> Self {
        let mut state = 7u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((u64::from(state >> 8) * u64::from(kinds)) >> 24) as u32
        };
        Self { kinds: (0..count).map(|_| next()).collect(), window }
    }
}

impl Stream for Events {
    fn events(&self) -> usize {
        self.kinds.len()
    }

    fn fits(&self, symbol: u32, positions: &[usize]) -> bool {
        self.kinds[positions[positions.len() - 1]] == symbol
    }

    fn within(&self, _: u32, first: usize, last: usize) -> bool {
        last - first < self.window
    }

    fn kind(&self, event: usize) -> u32 {
        self.kinds[event]
    }

    fn kind_of(&self, symbol: u32) -> u32 {
        symbol
    }

    fn expired(&self, first: usize, now: usize) -> bool {
        now - first >= self.window
    }
}

/// How often each sequence is complete, for each event: an instance is created each time.
fn rates(sequences: Vec<Vec<u32>>, events: &Events) -> Vec<f64> {
    let set = Sequences::new(sequences);
    let plan = Plan::of(Method::Trie, &set, &Workload::paper(&set));
    let mut counts = vec![0.0; set.len()];
    for found in interpret(plan.model(), Semantics::Any, events) {
        counts[found.pattern as usize] += 1.0;
    }
    counts.iter().map(|count| count / events.kinds.len() as f64).collect()
}

/// What every path of a model has read, the starts left out, and whether something may follow.
fn paths(model: &Model) -> Vec<(Vec<u32>, bool)> {
    let paths = model.paths();
    let mut read: Vec<Vec<u32>> = Vec::new();
    for &(_, from) in &paths {
        read.push(match from {
            None => Vec::new(),
            Some((before, label)) => [&read[before][..], &model.expand(&[label])].concat(),
        });
    }
    let open = |at: usize| !model.edges_of(paths[at].0.state).is_empty();
    (0..paths.len())
        .filter(|&at| paths[at].1.is_some())
        .map(|at| (read[at].clone(), open(at)))
        .collect()
}

fn close(expected: f64, measured: f64, what: &str) {
    assert!(
        (expected - measured).abs() <= 0.05 * measured,
        "{what}: expected {expected}, measured {measured}"
    );
}

#[test]
fn terms_are_what_happens() {
    let set = Sequences::new([
        vec![0, 1, 3],
        vec![4, 0, 1],
        vec![0, 1, 2, 3],
        vec![1, 2, 3, 4],
        vec![0, 1, 3],
    ]);
    let load = Workload { window: 8, ..Workload::paper(&set) };
    let events = Events::new(5, 40_000, 8);
    for method in [Method::Single, Method::Trie, Method::Sharing, Method::Proposed] {
        let plan = Plan::of(method, &set, &load);
        let (model, terms) = (plan.model(), plan.cost());
        let (read, open): (Vec<_>, Vec<_>) = paths(model).into_iter().unzip();
        let created = rates(read, &events);
        close(terms.creations, created.iter().sum(), "instances created");
        close(terms.checks, created.iter().sum(), "candidates checked");
        let kept = created.iter().zip(&open).filter(|(_, open)| **open);
        close(terms.expiries, kept.map(|(created, _)| created).sum(), "instances that expire");
        let labels = model.edges().iter().map(|edge| model.expand(&[edge.label])).collect();
        close(terms.accesses, rates(labels, &events).iter().sum(), "edges accessed");
    }
}

#[test]
fn planning_terms() {
    let set = Sequences::new([vec![0, 1, 3], vec![4, 0, 1]]);
    let load = Workload::paper(&set);
    let planning = |method| {
        let terms = Plan::of(method, &set, &load).cost();
        (terms.decomposition > 0.0, terms.merging, terms.filter)
    };
    assert_eq!(planning(Method::Single), (false, 0.0, 0.0));
    // Nothing but states is merged.
    assert_eq!(planning(Method::Sharing), (false, 0.0, 0.0));
    // A B D, G {A, B}, and A B for the rule, with five edges.
    assert_eq!(planning(Method::Proposed), (true, 2.0, 2.0));
}

#[test]
fn rates_of_symbols() {
    let set = Sequences::new([vec![0, 1]]);
    let load = Workload { rates: vec![0.0], ..Workload::paper(&set) };
    assert_eq!([0, 1, 2].map(|symbol| load.rate_of(symbol)), [0.0, 0.5, 0.5]);
    let terms = Plan::of(Method::Single, &set, &load).cost();
    assert_eq!((terms.accesses, terms.creations, terms.expiries), (0.5, 0.0, 0.0));
}

#[test]
fn late_evaluation_creates_only_what_is_complete() {
    let set = Sequences::new([vec![0, 1], vec![1, 2, 0]]);
    let load = Workload { window: 4, ..Workload::paper(&set) };
    let terms = Plan::of(Method::Optimized, &set, &load).cost();
    let third = 1.0 / 3.0f64;
    // Every event is kept once; a match needs one or two events of the three before the last.
    let (two, three) = (3.0 * third.powi(2), 3.0 * third.powi(3));
    let is = |term: f64, value: f64| assert!((term - value).abs() < 1e-12, "{term} {value}");
    is(terms.accesses, 1.0 + 2.0 * third);
    is(terms.creations, 1.0 + two + three);
    is(terms.checks, 2.0 * third + 2.0 * two + three);
    is(terms.expiries, 1.0);
}

#[test]
fn selectivity_counts_for_what_is_created() {
    let set = Sequences::new([vec![0, 1, 2]]);
    let load = Workload { selectivity: 0.25, ..Workload::paper(&set) };
    let terms = Plan::of(Method::Single, &set, &load).cost();
    assert_eq!(terms.creations, terms.checks / 4.0);
}

#[test]
fn a_pattern_longer_than_the_window_costs_only_its_beginning() {
    let set = Sequences::new([vec![0; 50]]);
    let terms = |window| {
        Plan::of(Method::Single, &set, &Workload { window, ..Workload::paper(&set) }).cost()
    };
    assert_eq!(terms(1).creations, 1.0);
    // Of one kind alone, every choice of events in the window is an instance.
    assert!((terms(3).creations - 4.0).abs() < 1e-9);
    assert!(terms(u32::MAX).total().is_finite());
    assert_eq!(terms(0).creations, 0.0);
}

#[test]
fn the_load_of_a_set_of_patterns() {
    let set = PatternSet::builder()
        .window(Window::Events(7))
        .seq("a", ["A", "B"])
        .seq("b", ["A", "C", "D"])
        .where_("C.x > 1")
        .build()
        .unwrap();
    let load = Workload::from(&set);
    // Of four types, whatever the conditions.
    assert_eq!((load.window, load.rate), (7, 0.25));
}

#[test]
fn composites_cost_when_they_are_complete() {
    let set = Sequences::new([vec![0, 1, 3], vec![4, 0, 1]]);
    let load = Workload { window: 3, ..Workload::paper(&set) };
    let plan = Plan::of(Method::Proposed, &set, &load);
    let composite = |label| matches!(label, Label::Composite(_));
    assert!(plan.model().edges().iter().any(|edge| composite(edge.label)));
    // Five edges: four symbols with a rate of 1/5, and {0, 1}, complete 2/25 times an event.
    let terms = cost::terms(plan.model(), &load, 0, true);
    assert!((terms.accesses - (0.8 + 0.08)).abs() < 1e-12, "{terms:?}");
}
