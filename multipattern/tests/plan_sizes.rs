//! States and edges on random sets of patterns: the order of Figs. 12 and 13, and how far it goes.
//!
//! `cargo test -p multipattern --test plan_sizes -- --nocapture` shows the table.

use multipattern::cost::Workload;
use multipattern::model::Sequences;
use multipattern::{Method, Plan};

/// SplitMix64: the same patterns everywhere and always.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(z ^ (z >> 31)) * u128::from(bound)) >> 64) as u64
    }
}

/// Patterns of the paper's Table 1: 10 types, lengths 3 to 10, all alike probable.
fn random(count: usize, lengths: std::ops::RangeInclusive<u64>, seed: u64) -> Sequences {
    let mut random = Random(seed);
    Sequences::new((0..count).map(|_| {
        let length = lengths.start() + random.below(lengths.end() - lengths.start() + 1);
        (0..length).map(|_| random.below(10) as u32).collect()
    }))
}

/// The mean numbers of states and edges of single, sharing and proposed. Fails where the order is
/// not proposed < sharing < single, or proposed costs more than single.
#[allow(clippy::print_stdout, reason = "the table is what one wants to see")]
fn means(
    count: usize,
    lengths: std::ops::RangeInclusive<u64>,
    seeds: std::ops::Range<u64>,
) -> [(f64, f64); 3] {
    let mut sums = [(0, 0); 3];
    let runs = (seeds.end - seeds.start) as f64;
    for seed in seeds {
        let set = random(count, lengths.clone(), seed);
        let load = Workload::paper(&set);
        let plans = [Method::Single, Method::Sharing, Method::Proposed]
            .map(|method| Plan::of(method, &set, &load));
        let [single, sharing, proposed] = &plans;
        for (less, more) in [(proposed, sharing), (sharing, single)] {
            assert!(less.states() < more.states(), "{count} patterns, seed {seed}: states");
            assert!(less.edges() < more.edges(), "{count} patterns, seed {seed}: edges");
        }
        assert!(proposed.cost().total() < single.cost().total(), "{count} patterns, seed {seed}");
        for (sum, plan) in sums.iter_mut().zip(&plans) {
            *sum = (sum.0 + plan.states(), sum.1 + plan.edges());
        }
    }
    let means = sums.map(|(states, edges)| (states as f64 / runs, edges as f64 / runs));
    let [single, sharing, proposed] =
        means.map(|(states, edges)| format!("{states:.0}/{edges:.0}"));
    println!(
        "{count:6} patterns of {lengths:?}: single {single}, sharing {sharing}, proposed {proposed}"
    );
    means
}

#[test]
fn up_to_100_patterns() {
    for (count, states, edges) in [
        (10, 52.0, 62.0),
        (20, 75.0, 100.0),
        (40, 95.0, 152.0),
        (70, 135.0, 235.0),
        (100, 175.0, 305.0),
    ] {
        let [_, _, proposed] = means(count, 3..=10, 0..20);
        assert!(proposed.0 <= states && proposed.1 <= edges, "{count}: {proposed:?}");
    }
}

#[test]
fn hundreds_of_patterns() {
    for (count, states, edges) in [(400, 400.0, 870.0), (1000, 680.0, 1780.0)] {
        let [_, _, proposed] = means(count, 3..=10, 0..3);
        assert!(proposed.0 <= states && proposed.1 <= edges, "{count}: {proposed:?}");
    }
}

#[test]
fn ten_thousand_patterns() {
    let [_, sharing, proposed] = means(10_000, 3..=10, 0..1);
    assert!(proposed.0 <= 0.30 * sharing.0, "{proposed:?}");
    assert!(proposed.1 <= 0.69 * sharing.1, "{proposed:?}");
}

/// The second panel. Where patterns are so short that hardly any two have a pair in common behind
/// their first symbol, a single set may have nothing to save.
#[test]
fn forty_patterns_of_each_length() {
    for length in 3..=10 {
        let mut sums = [(0, 0); 2];
        for seed in 0..5 {
            let set = random(40, length..=length, seed);
            let load = Workload::paper(&set);
            let plans =
                [Method::Proposed, Method::Sharing].map(|method| Plan::of(method, &set, &load));
            assert!(plans[0].states() <= plans[1].states());
            assert!(plans[0].edges() <= plans[1].edges());
            for (sum, plan) in sums.iter_mut().zip(&plans) {
                *sum = (sum.0 + plan.states(), sum.1 + plan.edges());
            }
        }
        let [proposed, sharing] = sums;
        assert!(proposed.0 < sharing.0 && proposed.1 < sharing.1, "{length}: {sums:?}");
    }
}

/// Where nearly every short word is a pattern, composites of the most frequent pairs only add edges
/// to what merging gives; there is something to save all the same.
#[test]
fn nearly_all_short_words() {
    for (count, length) in [(400, 3), (1000, 3), (1000, 4), (4000, 4)] {
        means(count, length..=length, 0..1);
    }
}
