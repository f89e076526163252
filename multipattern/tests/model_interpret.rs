//! Every model, run by the reference interpreter, finds what a search of all combinations finds.

use multipattern::cost::Workload;
use multipattern::model::{self, Found, Model, Sequences, Stream, interpret};
use multipattern::share::{self, Merge};
use multipattern::{Method, Plan, Semantics, decompose};
use proptest::prelude::*;

/// A symbol: a kind, a condition on the event alone, a condition on an earlier event.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    kind: u32,
    /// The smallest value.
    least: u32,
    /// The value is not below that of the event so many positions before.
    rises: u32,
}

#[derive(Clone, Debug)]
struct Case {
    symbols: Vec<Symbol>,
    patterns: Vec<Vec<u32>>,
    windows: Vec<usize>,
    /// Kind and value.
    events: Vec<(u32, u32)>,
}

impl Case {
    fn sequences(&self) -> Sequences {
        let reach = self.symbols.iter().map(|symbol| symbol.rises).collect();
        Sequences::new(self.patterns.clone()).reach(reach)
    }
}

impl Stream for Case {
    fn events(&self) -> usize {
        self.events.len()
    }

    fn fits(&self, symbol: u32, positions: &[usize]) -> bool {
        let Symbol { kind, least, rises } = self.symbols[symbol as usize];
        let at = positions.len() - 1;
        let (event, value) = self.events[positions[at]];
        let before = at.checked_sub(rises as usize).map_or(0, |at| self.events[positions[at]].1);
        event == kind && value >= least && value >= before
    }

    fn within(&self, pattern: u32, first: usize, last: usize) -> bool {
        last - first < self.windows[pattern as usize]
    }

    fn kind(&self, event: usize) -> u32 {
        self.events[event].0
    }

    fn kind_of(&self, symbol: u32) -> u32 {
        self.symbols[symbol as usize].kind
    }

    fn expired(&self, first: usize, now: usize) -> bool {
        self.windows.iter().all(|&window| now - first >= window)
    }
}

/// All matches of one pattern, by trying everything.
fn search(case: &Case, pattern: usize, semantics: Semantics, found: &mut Vec<Found>) {
    let sequence = &case.patterns[pattern];
    for first in 0..case.events.len() {
        let mut partial = vec![vec![first]];
        for (at, &symbol) in sequence.iter().enumerate() {
            partial.retain(|events| case.fits(symbol, events));
            if at + 1 == sequence.len() {
                break;
            }
            let next = sequence[at + 1];
            partial = partial
                .into_iter()
                .flat_map(|events| {
                    let last = events[events.len() - 1];
                    let all = (last + 1..case.events.len())
                        .map(move |event| [&events[..], &[event]].concat());
                    match semantics {
                        Semantics::Any => all.collect::<Vec<_>>(),
                        Semantics::Next => all.filter(|e| case.fits(next, e)).take(1).collect(),
                        Semantics::Strict => all.take(1).collect(),
                    }
                })
                .collect();
        }
        let pattern = pattern as u32;
        let whole = partial.into_iter().filter(|events| {
            events.len() == sequence.len() && case.within(pattern, first, events[events.len() - 1])
        });
        found.extend(whole.map(|events| Found { pattern, events }));
    }
}

fn everything(case: &Case, semantics: Semantics) -> Vec<Found> {
    let mut found = Vec::new();
    for pattern in 0..case.patterns.len() {
        search(case, pattern, semantics, &mut found);
    }
    found.sort();
    found
}

/// The models of all methods, of the baseline decomposition, and decomposed without merging.
fn models(set: &Sequences) -> Vec<(String, Model)> {
    let load = Workload::paper(set);
    let methods = [Method::Single, Method::Trie, Method::Sharing, Method::Proposed];
    let mut models: Vec<(String, Model)> = methods
        .into_iter()
        .map(|method| (method.to_string(), Plan::of(method, set, &load).model().clone()))
        .collect();
    let pairs = decompose::most_frequent_pairs(set);
    for (name, rules) in [
        ("improved", decompose::improve(set, &decompose::undivided(set))),
        ("improved pairs", decompose::improve(set, &pairs)),
        ("pairs", pairs),
    ] {
        let chains = share::build(rules.words.clone(), rules.rules.clone(), Merge::Nothing);
        models.push((format!("{name}, not merged"), chains));
        models.push((name.to_owned(), model::proposed::proposed(set, rules)));
    }
    models
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let set = case.sequences();
    for semantics in [Semantics::Any, Semantics::Next, Semantics::Strict] {
        let expected = everything(case, semantics);
        for (name, model) in models(&set) {
            let mut found = interpret(&model, semantics, case);
            let order = found.iter().map(|one| one.events[one.events.len() - 1]);
            prop_assert!(order.is_sorted(), "{name} {semantics:?}: not in order of completion");
            found.sort();
            prop_assert_eq!(&found, &expected, "{} {:?}", name, semantics);
        }
    }
    Ok(())
}

fn symbols(conditions: bool) -> impl Strategy<Value = Vec<Symbol>> {
    let condition = if conditions { 0..3u32 } else { 0..1 };
    let symbol = (0..3u32, condition.clone(), condition).prop_map(|(kind, least, rises)| Symbol {
        kind,
        least,
        rises,
    });
    prop::collection::vec(symbol, 1..6)
}

/// Patterns that have much in common: parts of two long ones, joined, some twice.
fn patterns(symbols: u32) -> impl Strategy<Value = Vec<Vec<u32>>> {
    let base = prop::collection::vec(0..symbols, 8);
    let part = (0..2usize, 0..7usize, 1..5usize);
    let pattern = prop::collection::vec(part, 1..3);
    let patterns = prop::collection::vec((pattern, any::<bool>()), 1..7);
    ([base.clone(), base], patterns).prop_map(|(bases, patterns)| {
        let mut all = Vec::new();
        for (parts, twice) in patterns {
            let mut pattern = Vec::new();
            for (base, from, length) in parts {
                pattern.extend_from_slice(&bases[base][from..(from + length).min(8)]);
            }
            pattern.truncate(6);
            if twice && all.len() % 2 == 0 {
                all.push(pattern.clone());
            }
            all.push(pattern);
        }
        all
    })
}

fn case(conditions: bool) -> impl Strategy<Value = Case> {
    symbols(conditions).prop_flat_map(|symbols| {
        patterns(symbols.len() as u32).prop_flat_map(move |patterns| {
            let windows = prop::collection::vec(1..12usize, patterns.len());
            let events = prop::collection::vec((0..3u32, 0..4u32), 0..13);
            let symbols = symbols.clone();
            (windows, events).prop_map(move |(windows, events)| Case {
                symbols: symbols.clone(),
                patterns: patterns.clone(),
                windows,
                events,
            })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn types_alone(case in case(false)) {
        check(&case)?;
    }

    #[test]
    fn with_conditions(case in case(true)) {
        check(&case)?;
    }
}

/// Letters as symbols, one a kind, and a stream of letters; windows are wide.
fn letters(patterns: &[&str], stream: &str) -> Case {
    let number = |letter: char| letter as u32 - 'A' as u32;
    Case {
        symbols: (0..26).map(|kind| Symbol { kind, least: 0, rises: 0 }).collect(),
        patterns: patterns.iter().map(|pattern| pattern.chars().map(number).collect()).collect(),
        windows: vec![1000; patterns.len()],
        events: stream.chars().map(|letter| (number(letter), 0)).collect(),
    }
}

fn proposed(case: &Case, semantics: Semantics) -> Vec<(u32, Vec<usize>)> {
    let set = case.sequences();
    let plan = Plan::of(Method::Proposed, &set, &Workload::paper(&set));
    assert!(plan.rules() > 0);
    let mut found = interpret(plan.model(), semantics, case);
    found.sort();
    found.into_iter().map(|one| (one.pattern, one.events)).collect()
}

#[test]
fn the_order_is_that_of_primitive_events() {
    // {A, B} is complete behind G, but begins before it.
    let case = letters(&["ABD", "GAB"], "AGB");
    assert_eq!(proposed(&case, Semantics::Any), []);
    let case = letters(&["ABD", "GAB"], "GAAB");
    assert_eq!(proposed(&case, Semantics::Any), [(1, vec![0, 1, 3]), (1, vec![0, 2, 3])]);
    assert_eq!(proposed(&case, Semantics::Next), [(1, vec![0, 1, 3])]);
    assert_eq!(proposed(&case, Semantics::Strict), []);
}

#[test]
fn a_composite_keeps_the_largest_window_of_its_users() {
    let mut case = letters(&["ABD", "GAB"], "GAXXXBXD");
    case.windows = vec![7, 5];
    assert_eq!(proposed(&case, Semantics::Any), [(0, vec![1, 5, 7])]);
    case.windows = vec![6, 6];
    assert_eq!(proposed(&case, Semantics::Any), [(1, vec![0, 1, 5])]);
    check(&case).unwrap();
}

#[test]
fn under_next_a_composite_begins_with_the_first_event_that_fits() {
    // From G, the chain takes the A at 1; B at 2 ends it. The pair of A at 3 is not G's.
    let case = letters(&["ABD", "GAB"], "GABAB");
    assert_eq!(proposed(&case, Semantics::Next), [(1, vec![0, 1, 2])]);
    check(&case).unwrap();
}

#[test]
fn equal_types_one_after_the_other() {
    let case = letters(&["AA", "BAA", "AAB", "AAAA", "AA"], "AABAAAB");
    check(&case).unwrap();
}

#[test]
fn no_patterns_and_no_events() {
    check(&letters(&[], "ABC")).unwrap();
    check(&letters(&["AB"], "")).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Under strict, types alone are letters, and the matches the overlapping occurrences.
    #[test]
    fn strict_finds_what_aho_corasick_finds(
        patterns in prop::collection::vec("[A-C]{1,5}", 1..12),
        stream in "[A-D]{0,60}",
    ) {
        let texts: Vec<&str> = patterns.iter().map(String::as_str).collect();
        let case = letters(&texts, &stream);
        let automaton = aho_corasick::AhoCorasick::new(&texts).unwrap();
        let mut expected: Vec<Found> = automaton
            .find_overlapping_iter(&stream)
            .map(|found| Found {
                pattern: found.pattern().as_u32(),
                events: (found.start()..found.end()).collect(),
            })
            .collect();
        expected.sort();
        for (name, model) in models(&case.sequences()) {
            let mut found = interpret(&model, Semantics::Strict, &case);
            found.sort();
            prop_assert_eq!(&found, &expected, "{}", name);
        }
    }
}
