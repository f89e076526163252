//! Observations, expected numbers and the best of each slice, against sums over all pairs.

use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;
use ujoin::mode::{
    Alternative, Expected, Observation, ObservationError, ObservationJoin, ObservationPair, Slices,
    TopK, candidate_threshold,
};
use ujoin::{Config, Engine, Expiry, Probability, Product, TravelTimes};

/// An observation of the tests: name, stream, time, alternatives.
#[derive(Clone, Debug)]
struct Seen {
    id: u64,
    stream: u32,
    time: i64,
    alternatives: Vec<Alternative>,
}

/// Alternatives that add up to at most one.
fn alternatives() -> impl Strategy<Value = Vec<Alternative>> {
    proptest::collection::btree_map(0..6_u64, 1..1_000_u32, 1..5).prop_map(|weights| {
        let sum: u32 = weights.values().sum();
        let share = |weight: u32| u64::from(weight) * 1_000_000_000 / u64::from(sum);
        let nanos = |weight| Probability::from_nanos(share(weight) as u32).expect("a probability");
        weights
            .into_iter()
            .rev()
            .map(|(key, weight)| Alternative { key, probability: nanos(weight) })
            .collect()
    })
}

fn observations() -> impl Strategy<Value = Vec<Seen>> {
    let one = (0..4_u32, 0..9_i64, alternatives(), 0..12_u64);
    proptest::collection::vec(one, 1..50).prop_map(|all| {
        let all = all.into_iter().enumerate();
        all.map(|(i, (stream, back, alternatives, id))| {
            // Some names stand in two streams.
            let id = if id < 2 { id } else { 100 + i as u64 };
            Seen { id, stream, time: 2 * i as i64 - back, alternatives }
        })
        .collect()
    })
}

fn matrix() -> TravelTimes {
    let times = (0..16).map(|i| 3 + (i * 7) % 23).collect();
    TravelTimes::from_rows(4, times).expect("times")
}

/// A rank, and what has it.
type Ranked = ((u16, usize), usize);

const ONE: u64 = 1_000_000_000_000_000_000;

/// All pairs of observations, by nested loops over observations and alternatives.
fn oracle(all: &[Seen], lateness: i64, threshold: u64) -> Vec<ObservationPair> {
    let times = matrix();
    let mut newest = i64::MIN / 2;
    let mut taken: Vec<&Seen> = vec![];
    let mut pairs = vec![];
    for b in all {
        if b.time < newest - lateness {
            continue;
        }
        newest = newest.max(b.time);
        for a in &taken {
            let (first, second) = if a.time <= b.time { (*a, b) } else { (b, *a) };
            let limit = times.between(first.stream, second.stream);
            if a.stream == b.stream || a.id == b.id || second.time - first.time >= limit {
                continue;
            }
            let mut sum = 0;
            let mut best = (0, 0);
            for x in &first.alternatives {
                for y in second.alternatives.iter().filter(|y| y.key == x.key) {
                    let product = x.probability.times(y.probability).units();
                    sum += product;
                    if product > best.0 || (product == best.0 && x.key < best.1) {
                        best = (product, x.key);
                    }
                }
            }
            if sum > 0 && sum >= threshold {
                pairs.push(ObservationPair {
                    first: (first.id, first.stream, first.time),
                    second: (second.id, second.stream, second.time),
                    probability: Product::from_units(sum),
                    key: best.1,
                    limit,
                });
            }
        }
        taken.push(b);
    }
    sort(&mut pairs);
    pairs
}

fn sort(pairs: &mut [ObservationPair]) {
    pairs.sort_by_key(|pair| (pair.second, pair.first, pair.probability, pair.key));
}

fn join(all: &[Seen], config: Config) -> Vec<ObservationPair> {
    let mut join = ObservationJoin::new(config).expect("a join");
    let mut pairs = vec![];
    for Seen { id, stream, time, alternatives } in all {
        let observation = Observation { id: *id, stream: *stream, time: *time, alternatives };
        join.push(&observation, &mut |pair| {
            pairs.push(*pair);
            Ok(())
        })
        .expect("it is joined");
    }
    join.finish(&mut |pair| {
        pairs.push(*pair);
        Ok(())
    })
    .expect("it ends");
    sort(&mut pairs);
    pairs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn observations_are_compared_as_a_whole(
        all in observations(),
        lateness in 0..6_i64,
        threshold in prop_oneof![Just(0), 1..ONE, Just(ONE)],
        engine in prop_oneof![
            Just(Engine::Log),
            Just(Engine::Keyed),
            Just(Engine::Paper(Expiry::Inline)),
            Just(Engine::PaperBatched(Expiry::Batch { interval: 10 })),
        ],
        threads in 1..3_usize,
    ) {
        let expected = oracle(&all, lateness, threshold);
        let config = Config::new(matrix())
            .engine(engine)
            .threads(threads)
            .lateness(lateness)
            .threshold(Product::from_units(threshold));
        prop_assert_eq!(join(&all, config), expected);
    }

    /// No sum that reaches a threshold is without a product that reaches that of candidates.
    #[test]
    fn candidates_suffice(a in alternatives(), b in alternatives()) {
        let product = |x: &Alternative| {
            let y = b.iter().find(|y| y.key == x.key)?;
            Some(x.probability.times(y.probability).units())
        };
        let products: Vec<u64> = a.iter().filter_map(product).collect();
        let threshold = Product::from_units(products.iter().sum());
        if let Some(&most) = products.iter().max() {
            prop_assert!(most >= candidate_threshold(threshold).units());
        }
    }

    #[test]
    fn expected_numbers_are_sums(
        pairs in proptest::collection::vec((-40..40_i64, 0..5_u8, 0..ONE), 0..60),
        length in 1..30_i64,
    ) {
        let slices = Slices::new(length).expect("slices");
        let mut expected: BTreeMap<i64, HashMap<u8, (u128, u64)>> = BTreeMap::new();
        let mut counts = Expected::new(slices);
        for &(time, key, units) in &pairs {
            counts.add(time, key, Product::from_units(units));
            let slice = (time + 1200 * length) / length * length - 1200 * length;
            let count = expected.entry(slice).or_default().entry(key).or_default();
            *count = (count.0 + u128::from(units), count.1 + 1);
        }
        let mut found = BTreeMap::new();
        let mut last = i64::MIN;
        let mut show = |start: i64, counts: Vec<(u8, ujoin::mode::Expectation)>| {
            assert!(start > last && counts.is_sorted_by(|(_, a), (_, b)| a.units >= b.units));
            last = start;
            let counts = counts.into_iter().map(|(key, n)| (key, (n.units, n.pairs)));
            found.insert(start, counts.collect::<HashMap<_, _>>());
        };
        counts.close(0, &mut show);
        assert!(!counts.is_due(0));
        counts.finish(&mut show);
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn the_best_are_the_first_of_all_sorted(
        ranks in proptest::collection::vec((-40..40_i64, any::<u16>()), 0..80),
        k in 0..5_usize,
        length in 1..30_i64,
    ) {
        let slices = Slices::new(length).expect("slices");
        let mut top = TopK::new(k, slices);
        let mut expected: BTreeMap<i64, Vec<Ranked>> = BTreeMap::new();
        for (i, &(time, rank)) in ranks.iter().enumerate() {
            top.offer(time, (rank, i), || i);
            expected.entry(slices.start(time)).or_default().push(((rank, i), i));
        }
        for best in expected.values_mut() {
            best.sort_by(|a, b| b.cmp(a));
            best.truncate(k);
        }
        expected.retain(|_, best| !best.is_empty());
        let mut found = BTreeMap::new();
        top.close(7, |start, best| assert!(found.insert(start, best).is_none()));
        let all_over = found.keys().all(|&start| slices.end(start) <= 7);
        prop_assert!(all_over);
        top.finish(|start, best| assert!(found.insert(start, best).is_none()));
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn slices_reach_to_the_ends_of_time() {
    for length in [1, 7, 3_600_000_000_000, i64::MAX] {
        let slices = Slices::new(length).expect("slices");
        for time in [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX] {
            let start = slices.start(time);
            let end = slices.end(start);
            assert!(start <= time && (time < end || end == i64::MAX), "{length} {time}");
            assert!(start == i64::MIN || start % length == 0);
        }
    }
    assert_eq!(Slices::new(0), None);
    assert_eq!(Slices::new(-5), None);
}

#[test]
fn observations_that_are_none() {
    let p = |nanos| Probability::from_nanos(nanos).expect("a probability");
    let mut join = ObservationJoin::new(Config::new(matrix())).expect("a join");
    let mut push = |alternatives: &[Alternative]| {
        let observation = Observation { id: 7, stream: 0, time: 0, alternatives };
        join.push(&observation, &mut |_| Ok(())).expect_err("refused")
    };
    let one = |key, nanos| Alternative { key, probability: p(nanos) };
    assert!(matches!(push(&[]), ObservationError::Empty(7)));
    let twice = push(&[one(1, 5), one(2, 5), one(1, 5)]);
    assert!(matches!(twice, ObservationError::Twice { id: 7, key: 1 }));
    let sum = push(&[one(1, 600_000_000), one(2, 400_000_003)]);
    assert!(matches!(sum, ObservationError::Sum { id: 7 }));
    let many: Vec<_> = (0..1_001).map(|key| one(key, 1)).collect();
    assert!(matches!(push(&many), ObservationError::Many(7)));
}

/// Rows are forgotten with the window.
#[test]
fn memory_of_observations_is_bounded() {
    let p = Probability::ONE;
    let config = Config::new(TravelTimes::constant(2, 1_000).expect("times"));
    let mut join = ObservationJoin::new(config).expect("a join");
    let mut found = 0;
    for time in 0..100_000 {
        let alternatives = [Alternative { key: time as u64 / 2 % 997, probability: p }];
        let stream = (time % 2) as u32;
        let observation =
            Observation { id: time as u64, stream, time, alternatives: &alternatives };
        join.push(&observation, &mut |_| {
            found += 1;
            Ok(())
        })
        .expect("it is joined");
    }
    assert_eq!(found, 50_000);
    let debug = format!("{join:?}");
    let bytes = debug.split("bytes: ").nth(1).and_then(|rest| rest.split(',').next());
    let bytes: usize = bytes.and_then(|n| n.parse().ok()).expect("a number");
    assert!(bytes < 400_000, "{bytes} bytes are kept for a window of 1,000");
}
