//! Inputs to be joined: strategies for all kinds of trouble.

use proptest::prelude::*;
use ujoin::{Engine, Expiry, Probability, Product, TravelTimes, Tuple};

/// Tuples with what they are to be joined by.
#[derive(Clone, Debug)]
pub struct Case {
    pub travel: TravelTimes,
    pub tuples: Vec<Tuple>,
    pub threshold: Product,
    pub lateness: i64,
}

pub const ENGINES: [Engine; 8] = [
    Engine::Keyed,
    Engine::Log,
    Engine::Paper(Expiry::Inline),
    Engine::Paper(Expiry::Batch { interval: 7 }),
    Engine::PaperBatched(Expiry::Inline),
    Engine::PaperBatched(Expiry::Batch { interval: 1 }),
    Engine::Paper(Expiry::Batch { interval: i64::MAX }),
    Engine::PaperBatched(Expiry::Batch { interval: 100 }),
];

pub fn probability(nanos: u32) -> Probability {
    Probability::from_nanos(nanos).expect("a probability")
}

/// A tuple that is an observation of its own; its probability in tenths.
pub fn tuple(seq: u64, stream: u32, time: i64, key: u64, tenths: u32) -> Tuple {
    let probability = probability(tenths * 100_000_000);
    Tuple { seq, observation: seq, key, time, stream, probability }
}

/// A product of one digit decimals is often exactly the threshold.
fn probabilities() -> impl Strategy<Value = Probability> {
    prop_oneof![
        4 => (1..=10_u32).prop_map(|tenths| probability(tenths * 100_000_000)),
        1 => (1..=1_000_000_000_u32).prop_map(probability),
    ]
}

fn thresholds() -> impl Strategy<Value = Product> {
    let hundredths = |n: u64| Product::from_units(n * 10_000_000_000_000_000);
    prop_oneof![
        Just(hundredths(56)),
        Just(hundredths(72)),
        Just(hundredths(8)),
        (0..=100_u64).prop_map(hundredths),
    ]
}

/// A matrix with times of a few ticks, with one time for all, or of times that no clock can count.
fn matrices(streams: usize) -> impl Strategy<Value = TravelTimes> {
    let few = proptest::collection::vec(1..=12_i64, streams * streams);
    let vast = proptest::collection::vec(
        prop_oneof![1..=12_i64, i64::MAX - 3..=i64::MAX],
        streams * streams,
    );
    prop_oneof![
        3 => few.prop_map(move |times| TravelTimes::from_rows(streams, times).expect("a matrix")),
        2 => (1..=12_i64).prop_map(move |time| TravelTimes::constant(streams, time).expect("one")),
        1 => vast.prop_map(move |times| TravelTimes::from_rows(streams, times).expect("a matrix")),
    ]
}

/// Steps of time: small ones either way, and from one end of time to the other.
fn times(length: usize) -> impl Strategy<Value = Vec<i64>> {
    let steps = proptest::collection::vec(-3..=4_i64, length);
    let start = prop_oneof![8 => Just(0), 1 => Just(i64::MIN), 1 => Just(i64::MAX - 20)];
    (start, steps).prop_map(|(start, steps)| {
        let mut now = start;
        let step = |step| {
            now = i64::saturating_add(now, step);
            now
        };
        steps.into_iter().map(step).collect()
    })
}

pub fn cases(most: usize) -> impl Strategy<Value = Case> {
    let streams = prop_oneof![4 => 1..=5_usize, 1 => 6..=40_usize];
    (streams, 0..=most, 1..=40_u64).prop_flat_map(|(streams, length, keys)| {
        let rows = proptest::collection::vec(
            (0..streams as u32, 0..keys, probabilities(), 0..=length as u64, 1..=3_u64),
            length,
        );
        (matrices(streams), rows, times(length), thresholds(), 0..=9_i64).prop_map(
            |(travel, rows, times, threshold, lateness)| {
                let mut seq = 0;
                let tuple = |((stream, key, probability, observation, step), time)| {
                    seq += step;
                    Tuple { seq, observation, key, time, stream, probability }
                };
                let tuples = rows.into_iter().zip(times).map(tuple).collect();
                Case { travel, tuples, threshold, lateness }
            },
        )
    })
}
