//! The database that the uncertain join is measured against: it finds what the definition says.

#![cfg(feature = "sqlite")]

use bench_harness::baseline::sqlite::{Database, Illegal, Job, Layout};
use proptest::prelude::*;
use ujoin::{Probability, Product, Tuple};

const LAYOUTS: [Layout; 2] = [Layout::Plain, Layout::Tuned];

fn hundredths(percent: u32) -> Probability {
    Probability::from_nanos(percent * 10_000_000).unwrap()
}

/// Stream, time, key, probability in hundredths, observation.
fn tuples(rows: &[(u32, i64, u64, u32, u64)]) -> Vec<Tuple> {
    let tuple = |(seq, &(stream, time, key, percent, observation))| Tuple {
        seq,
        observation,
        key,
        time,
        stream,
        probability: hundredths(percent),
    };
    (0..).zip(rows).map(tuple).collect()
}

/// The definition, pair by pair, sorted by the later tuple and then by the earlier one.
fn oracle(tuples: &[Tuple], job: &Job) -> Vec<Illegal> {
    let mut found = Vec::new();
    for b in tuples {
        for a in tuples.iter().take_while(|a| a.seq < b.seq) {
            let product = a.probability.times(b.probability);
            let apart = a.stream != b.stream && a.observation != b.observation;
            let near = b.time - a.time < job.limit;
            if a.key == b.key && apart && near && product >= job.threshold {
                found.push((a.seq, b.seq, product.units()));
            }
        }
    }
    found
}

#[test]
fn products_and_limits_are_exact() {
    let rows = tuples(&[
        (0, 0, 7, 90, 1),
        (1, 0, 7, 80, 2),
        (1, 99, 7, 70, 3),
        (1, 100, 7, 80, 4),
        (0, 100, 7, 90, 4),
        (2, 101, 8, 99, 5),
    ]);
    let threshold = Product::from(hundredths(72));
    let job = Job { threshold, limit: 100, interval: 10 };
    for layout in LAYOUTS {
        let mut database = Database::new(layout, job).unwrap();
        // 0.9 times 0.8 is 0.72 to the last digit; 100 s are not less than 100 s, and alternatives of
        // one observation exclude each other.
        assert_eq!(database.run(&rows).unwrap(), 1);
        assert_eq!(database.illegal().unwrap(), [(0, 1, 720_000_000_000_000_000)]);
        // What has left the window is gone, and what is below the threshold was never there.
        assert_eq!(database.stored().unwrap(), 3);
    }
}

#[test]
fn keys_of_all_64_bits_are_told_apart() {
    let rows = tuples(&[
        (0, 0, u64::MAX, 100, 1),
        (1, 1, u64::MAX, 100, 2),
        (1, 1, u64::MAX >> 1, 100, 3),
        (0, 2, u64::MAX >> 1, 100, 4),
    ]);
    let job = Job { threshold: Product::from(hundredths(100)), limit: 10, interval: 5 };
    for layout in LAYOUTS {
        let mut database = Database::new(layout, job).unwrap();
        assert_eq!(database.run(&rows).unwrap(), 2);
        assert_eq!(database.illegal().unwrap(), oracle(&rows, &job));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn both_layouts_find_what_the_definition_says(
        mut rows in prop::collection::vec((0..4_u32, 0..60_i64, 0..5_u64, 40..=100_u32, 0..30_u64), 0..60),
        threshold in 30..=90_u32,
        limit in 1..40_i64,
        interval in 1..80_i64,
    ) {
        rows.sort_by_key(|row| row.1);
        let rows = tuples(&rows);
        let job = Job { threshold: Product::from(hundredths(threshold)), limit, interval };
        for layout in LAYOUTS {
            let mut database = Database::new(layout, job).unwrap();
            let expected = oracle(&rows, &job);
            prop_assert_eq!(database.run(&rows).unwrap(), expected.len() as u64);
            prop_assert_eq!(database.illegal().unwrap(), expected);
        }
    }
}
