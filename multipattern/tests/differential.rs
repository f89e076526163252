//! Every method under every semantics against the oracle, exactly and in order.

mod common;
mod oracle;

use common::{Expand, METHODS, SEMANTICS, Shape, collect, count, detector, events, set};
use multipattern::{Config, Event as _, PatternSet, Record, Semantics};
use proptest::prelude::*;

/// Compares all methods at all levels with the oracle.
fn compare(
    set: &PatternSet,
    events: &[Record],
    partition_by: &[&str],
) -> Result<(), TestCaseError> {
    let expected = oracle::all(set, events, partition_by, |_| (0, usize::MAX));
    let mut counts = vec![0; set.len()];
    for (pattern, _) in &expected {
        counts[*pattern as usize] += 1;
    }
    for method in METHODS {
        let config = || Config::new().method(method).partition_by(partition_by.iter().copied());
        let mut matches = detector(set, config());
        prop_assert_eq!(&collect(&mut matches, events), &expected, "{}", method);
        prop_assert_eq!(matches.stats().matches, expected.len() as u64);
        prop_assert_eq!(matches.stats().events, events.len() as u64);
        let mut counted = count(&mut detector(set, config()), events);
        counted.resize(set.len(), 0);
        prop_assert_eq!(&counted, &counts, "{}", method);
        let mut expand = Expand::default();
        let mut blocks = detector(set, config());
        for event in events {
            prop_assert!(blocks.push(event, &mut expand).expect("an event").is_continue());
        }
        prop_assert_eq!(&expand.found, &expected, "{}", method);
    }
    Ok(())
}

fn cases(shape: Shape) -> impl Strategy<Value = (PatternSet, Vec<Record>)> {
    prop::sample::select(SEMANTICS.to_vec())
        .prop_flat_map(move |semantics| (set(shape, semantics), events(shape)))
}

const PLAIN: Shape =
    Shape { types: 3, patterns: 6, length: 5, conditions: false, events: 24, window: 12 };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn patterns_of_types((set, events) in cases(PLAIN)) {
        compare(&set, &events, &[])?;
    }

    #[test]
    fn one_type((set, events) in cases(Shape { types: 1, length: 4, events: 12, ..PLAIN })) {
        compare(&set, &events, &[])?;
    }

    #[test]
    fn conditions((set, events) in cases(Shape { conditions: true, length: 4, ..PLAIN })) {
        compare(&set, &events, &[])?;
    }

    #[test]
    fn partitions((set, events) in cases(Shape { events: 40, window: 5, ..PLAIN })) {
        compare(&set, &events, &["k"])?;
    }

    #[test]
    fn partitions_and_conditions(
        (set, events) in cases(Shape { conditions: true, events: 50, window: 5, ..PLAIN })
    ) {
        compare(&set, &events, &["k", "v"])?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn windows_around_a_word(
        (set, events) in prop::sample::select(vec![1, 63, 64, 65, 200]).prop_flat_map(|window| {
            cases(Shape { types: 6, length: 3, events: 300, patterns: 4, window, ..PLAIN })
        })
    ) {
        compare(&set, &events, &[])?;
    }

    #[test]
    fn long_patterns(
        (set, events) in cases(Shape { types: 2, length: 13, events: 60, window: 14, ..PLAIN })
    ) {
        compare(&set, &events, &[])?;
    }

    #[test]
    fn windows_of_more_than_a_word(
        (set, events) in cases(Shape { types: 6, length: 4, events: 200, window: 70, ..PLAIN })
    ) {
        compare(&set, &events, &[])?;
    }

    #[test]
    fn strict_is_what_aho_and_corasick_find(
        (set, events) in set(Shape { types: 2, patterns: 12, window: 100, ..PLAIN }, Semantics::Strict)
            .prop_flat_map(|set| (Just(set), events(Shape { types: 2, events: 200, ..PLAIN })))
    ) {
        let letter = |name: &str| set.schema().type_id(name).map_or(u8::MAX, |id| id.0 as u8);
        let texts: Vec<Vec<u8>> = set
            .patterns()
            .iter()
            .map(|pattern| pattern.operands().iter().map(|one| letter(one.event_type())).collect())
            .collect();
        let stream: Vec<u8> = events.iter().map(|event| event.event_type().0 as u8).collect();
        let automaton = aho_corasick::AhoCorasick::new(&texts).expect("an automaton");
        let mut expected: Vec<(u64, u32)> = automaton
            .find_overlapping_iter(&stream)
            .filter(|found| {
                // Windows are of events or of time here; the oracle knows them, this does not.
                let window = set.patterns()[found.pattern().as_usize()].window();
                window.is_none()
            })
            .map(|found| (found.end() as u64 - 1, found.pattern().as_u32()))
            .collect();
        expected.sort_unstable();
        for method in METHODS {
            let mut found = collect(&mut detector(&set, Config::new().method(method)), &events);
            found.retain(|(number, _)| set.patterns()[*number as usize].window().is_none());
            let ends: Vec<(u64, u32)> =
                found.iter().map(|(number, events)| (events[events.len() - 1], *number)).collect();
            prop_assert_eq!(&ends, &expected, "{}", method);
        }
    }

    #[test]
    fn long_streams(
        (set, events) in cases(Shape { types: 4, events: 1500, window: 12, ..PLAIN })
    ) {
        compare(&set, &events, &[])?;
    }

    #[test]
    fn long_streams_of_partitions(
        (set, events) in cases(Shape { types: 2, length: 4, events: 2000, window: 9, ..PLAIN })
    ) {
        compare(&set, &events, &["k"])?;
    }

    #[test]
    fn long_streams_and_conditions(
        (set, events) in cases(Shape {
            types: 6, length: 4, conditions: true, events: 400, patterns: 5, window: 20,
        })
    ) {
        compare(&set, &events, &[])?;
    }
}
