//! What holds of the plans of any set of patterns.

use std::collections::{BTreeSet, HashMap};

use multipattern::cost::Workload;
use multipattern::model::{self, Label, Model, Path, Sequences};
use multipattern::{Method, PatternId, Plan, decompose};
use proptest::prelude::*;

/// Random patterns, and patterns that have much in common.
fn patterns() -> impl Strategy<Value = Vec<Vec<u32>>> {
    let random = |symbols: u32| {
        prop::collection::vec(prop::collection::vec(0..symbols, 1..11), 0..30).boxed()
    };
    let base = prop::collection::vec(0..6u32, 30);
    let places = prop::collection::vec((0..29usize, 1..12usize), 0..40);
    let parts = (base, places).prop_map(|(base, places)| {
        let part = |(from, length): (usize, usize)| base[from..(from + length).min(30)].to_vec();
        places.into_iter().map(part).collect()
    });
    // All words over a few symbols: merging alone has next to nothing left to save.
    let dense = (1..4u32, 1..5usize).prop_map(|(symbols, length)| {
        let mut all: Vec<Vec<u32>> = vec![Vec::new()];
        for _ in 0..length {
            let longer = |word: &Vec<u32>| {
                (0..symbols).map(|symbol| [&word[..], &[symbol]].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    });
    prop_oneof![random(2), random(10), random(40), parts, dense]
}

fn size(model: &Model) -> (usize, usize) {
    (model.states(), model.edges().len())
}

/// All words that a model accepts from its starts, with their ranks.
fn language(model: &Model) -> Vec<(usize, Vec<Label>, u32)> {
    let mut words = Vec::new();
    let mut todo: Vec<(usize, Path, Vec<Label>)> = Vec::new();
    for (number, &start) in model.starts().iter().enumerate() {
        todo.push((number, Path::at(start), Vec::new()));
    }
    while let Some((start, path, word)) = todo.pop() {
        for edge in model.edges_of(path.state) {
            let next = model.transition(path, edge.label).unwrap();
            todo.push((start, next, [&word[..], &[edge.label]].concat()));
        }
        if model.accepts(path.state) {
            words.push((start, word, path.rank));
        }
    }
    words
}

fn plans(set: &Sequences) -> HashMap<Method, Plan> {
    let load = Workload::paper(set);
    [Method::Single, Method::Optimized, Method::Trie, Method::Sharing, Method::Proposed]
        .into_iter()
        .map(|method| (method, Plan::of(method, set, &load)))
        .collect()
}

/// Ranks are the numbers of the accepted words, and lead to what was read.
fn check_ranks(plan: &Plan) -> Result<(), TestCaseError> {
    let (model, set) = (plan.model(), plan.sequences());
    let language = language(model);
    let mut ranks: Vec<u32> = language.iter().map(|(_, _, rank)| *rank).collect();
    ranks.sort_unstable();
    prop_assert_eq!(ranks, (0..model.outputs().len() as u32).collect::<Vec<_>>());
    let mut patterns = Vec::new();
    for (_, word, rank) in &language {
        let output = &model.outputs()[*rank as usize];
        let symbols = model.expand(word);
        for &pattern in &output.patterns {
            prop_assert_eq!(set.sequence(pattern as usize), Some(&symbols[..]));
            prop_assert_eq!(model.word(pattern), Some(&word[..]));
            patterns.push(pattern);
        }
        if let Some(rule) = output.rule {
            prop_assert_eq!(&model.rules()[rule as usize].word, word);
            prop_assert_eq!(&model.rules()[rule as usize].expansion, &symbols);
        }
        prop_assert!(!output.patterns.is_empty() || output.rule.is_some());
    }
    patterns.sort_unstable();
    prop_assert_eq!(patterns, (0..set.len() as u32).collect::<Vec<_>>());
    Ok(())
}

/// The rules are what the specification of the model says of them.
fn check_rules(model: &Model) -> Result<(), TestCaseError> {
    let mut used = BTreeSet::new();
    let words = (0..model.patterns() as u32).map(|pattern| model.word(pattern).unwrap());
    for word in words.chain(model.rules().iter().map(|rule| &rule.word[..])) {
        prop_assert!(matches!(word.first(), Some(Label::Symbol(_))), "front: {:?}", word);
        used.extend(word.iter().filter_map(|label| match label {
            Label::Composite(rule) => Some(*rule),
            Label::Symbol(_) => None,
        }));
    }
    prop_assert_eq!(used, (0..model.rules().len() as u32).collect());
    for rule in model.rules() {
        prop_assert!(rule.word.len() >= 2);
        prop_assert_eq!(&model.expand(&rule.word), &rule.expansion);
    }
    Ok(())
}

/// No two states accept the same words: the automaton is minimal.
fn check_minimal(model: &Model) -> Result<(), TestCaseError> {
    let mut rights: BTreeSet<BTreeSet<Vec<Label>>> = BTreeSet::new();
    for state in 0..model.states() as u32 {
        let mut right = BTreeSet::new();
        let mut todo = vec![(state, Vec::new())];
        while let Some((state, word)) = todo.pop() {
            for edge in model.edges_of(state) {
                todo.push((edge.target, [&word[..], &[edge.label]].concat()));
            }
            if model.accepts(state) {
                right.insert(word);
            }
        }
        prop_assert!(rights.insert(right), "two states accept the same");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn plans_keep_what_they_promise(patterns in patterns()) {
        let set = Sequences::new(patterns);
        let plans = plans(&set);
        let [single, optimized, trie, sharing, proposed] = [
            Method::Single, Method::Optimized, Method::Trie, Method::Sharing, Method::Proposed,
        ].map(|method| &plans[&method]);

        for plan in [single, trie, sharing, proposed] {
            check_ranks(plan)?;
            check_rules(plan.model())?;
        }
        for plan in [sharing, proposed] {
            check_minimal(plan.model())?;
        }

        // proposed <= sharing <= trie, and <= single where there are patterns.
        let no_larger = |a: &Plan, b: &Plan| a.states() <= b.states() && a.edges() <= b.edges();
        prop_assert!(no_larger(proposed, sharing));
        prop_assert!(no_larger(sharing, trie));
        prop_assert!(set.is_empty() || no_larger(trie, single));
        let total: usize = set.iter().map(<[u32]>::len).sum();
        prop_assert_eq!(size(single.model()), (total + set.len(), total));
        prop_assert_eq!(size(optimized.model()), size(single.model()));
        prop_assert_eq!(single.shared_nodes(), 0);

        // Eq. (1).
        let comparison = proposed.comparison();
        prop_assert!(comparison.holds(), "{:?}", comparison);
        prop_assert!(proposed.cost().total() <= single.cost().total() * (1.0 + 1e-12));
    }

    #[test]
    fn improving_never_adds(patterns in patterns()) {
        let set = Sequences::new(patterns);
        let sharing = size(&model::sharing::sharing(&set));
        let undivided = decompose::improve(&set, &decompose::undivided(&set));
        let model = model::proposed::proposed(&set, undivided);
        prop_assert!(model.states() <= sharing.0 && model.edges().len() <= sharing.1);
    }

    #[test]
    fn plans_are_the_same_every_time(patterns in patterns()) {
        let set = Sequences::new(patterns);
        let load = Workload::paper(&set);
        let [a, b] = [(); 2].map(|()| Plan::of(Method::Proposed, &set, &load));
        prop_assert_eq!(a.model(), b.model());
    }

    /// Shared nodes by the definition: for each state, the patterns whose derivation it is on.
    #[test]
    fn shared_nodes_are_those_of_two_patterns(patterns in patterns()) {
        let set = Sequences::new(patterns);
        for plan in plans(&set).values() {
            let model = plan.model();
            let mut users: HashMap<u32, BTreeSet<u32>> = HashMap::new();
            for pattern in 0..model.patterns() as u32 {
                let rules = plan.explain(PatternId(pattern)).unwrap().subexpressions();
                let ways = rules.iter().map(|(rule, _)| model.states_of_rule(*rule));
                for way in ways.chain([model.states_of(pattern)]) {
                    for &state in &way[1..] {
                        users.entry(state).or_default().insert(pattern);
                    }
                }
            }
            let shared = users.values().filter(|patterns| patterns.len() >= 2).count();
            prop_assert_eq!(plan.shared_nodes(), shared, "{}", plan.method());
        }
    }
}

#[test]
fn a_symbol_that_looks_back_is_not_cut_off_from_what_it_looks_at() {
    // C looks back to A.
    let patterns = [vec![0, 1, 2, 3], vec![4, 0, 1, 2], vec![5, 0, 1, 2, 3], vec![4, 1, 2, 3]];
    let free = Sequences::new(patterns.clone());
    let bound = Sequences::new(patterns).reach(vec![0, 0, 2]);
    let rules = |set: &Sequences| {
        let plan = Plan::of(Method::Proposed, set, &Workload::paper(set));
        let rules = plan.model().rules().to_vec();
        rules.into_iter().map(|rule| rule.expansion).collect::<Vec<_>>()
    };
    assert!(rules(&free).iter().any(|rule| rule.starts_with(&[1, 2])), "{:?}", rules(&free));
    let bound = rules(&bound);
    assert!(bound.iter().all(|rule| !rule.contains(&2) || rule.starts_with(&[0, 1, 2])));
    assert!(bound.contains(&vec![0, 1, 2]) || bound.contains(&vec![0, 1, 2, 3]), "{bound:?}");
}

/// Fewer states and fewer edges come before far fewer states and as many edges.
#[test]
fn fewer_of_both_if_that_can_be_had() {
    let patterns: [&[u32]; 7] =
        [&[2, 1, 0], &[0, 1, 2, 0], &[2, 1, 0], &[0, 1, 2, 2], &[1, 1, 1], &[2, 2, 1], &[2, 2]];
    let set = Sequences::new(patterns.map(<[u32]>::to_vec));
    let load = Workload::paper(&set);
    let [sharing, proposed] =
        [Method::Sharing, Method::Proposed].map(|method| Plan::of(method, &set, &load));
    assert_eq!((sharing.states(), sharing.edges()), (10, 13));
    assert_eq!((proposed.states(), proposed.edges()), (9, 12));
}

#[test]
fn unusual_sets() {
    for (patterns, states, edges) in [
        (vec![], 1, 0),
        (vec![vec![]], 1, 0),
        (vec![vec![0]], 2, 1),
        (vec![vec![0]; 3], 2, 1),
        (vec![vec![], vec![0, 0]], 3, 2),
        (vec![(0..5000).collect()], 5001, 5000),
        (vec![vec![u32::MAX, u32::MAX - 1, u32::MAX]; 2], 4, 3),
    ] {
        let set = Sequences::new(patterns);
        let plan = Plan::of(Method::Proposed, &set, &Workload::paper(&set));
        assert_eq!((plan.states(), plan.edges()), (states, edges));
        assert!(plan.cost().total().is_finite());
    }
}

#[test]
fn very_long_patterns_with_everything_in_common() {
    // Longer than a call stack is deep, if it were used.
    let long: Vec<u32> = (0..50_000).map(|at| at % 7).collect();
    let set = Sequences::new([long.clone(), long[1..].to_vec(), long]);
    let load = Workload::paper(&set);
    for method in [Method::Single, Method::Trie, Method::Sharing, Method::Proposed] {
        let plan = Plan::of(method, &set, &load);
        assert_eq!(plan.model().expand(plan.model().word(1).unwrap()), set.sequence(1).unwrap());
    }
}
