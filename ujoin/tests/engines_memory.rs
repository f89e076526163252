//! A budget in bytes is kept, whatever the engine: counted by the allocator.

use std::sync::Arc;

use peak_alloc::PeakAlloc;
use ujoin::storage::Files;
use ujoin::{
    Budget, Config, Count, Engine, Policy, Probability, Product, Spill, TravelTimes, Tuple,
};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// 17,000 tuples in a window, of frequent and of rare keys.
fn tuples() -> impl Iterator<Item = Tuple> {
    (0..30_000_u64).map(|n| Tuple {
        seq: n,
        observation: n,
        key: if n % 3 == 0 { n % 300 } else { n * 7919 % 1_000_003 },
        time: n as i64,
        stream: (n % 10) as u32,
        probability: Probability::from_nanos(700_000_000 + (n * 31 % 300) as u32 * 1_000_000)
            .expect("a probability"),
    })
}

/// The most that a join takes, and what it finds.
fn run(engine: Engine, threads: usize, spill: Option<Spill>) -> (usize, Count) {
    let travel = TravelTimes::constant(10, 17_000).expect("a matrix");
    let mut config = Config::new(travel)
        .engine(engine)
        .threads(threads)
        .threshold(Product::from_units(800_000_000_000_000_000));
    if let Some(spill) = spill {
        config = config.spill(spill);
    }
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    let mut join = config.build().expect("a join");
    let mut count = Count::default();
    let mut portion = Vec::with_capacity(1000);
    for tuple in tuples() {
        portion.push(tuple);
        if portion.len() == portion.capacity() {
            join.push(&portion, &mut count).expect("tuples");
            portion.clear();
        }
    }
    join.finish(&mut count).expect("the end");
    (HEAP.peak_usage() - before, count)
}

#[test]
fn a_budget_of_bytes_is_kept() {
    let (_, all) = run(Engine::Log, 0, None);
    for (engine, threads) in [(Engine::Log, 0), (Engine::Keyed, 0)] {
        let (unlimited, count) = run(engine, threads, None);
        assert_eq!(count, all);
        let budget = 512 << 10;
        let storage = Arc::new(Files::temporary().expect("a directory"));
        let spill = Spill::new(Budget::Bytes(budget), Policy::WindowHalf, storage);
        let (most, count) = run(engine, threads, Some(spill));
        assert_eq!(count, all);
        assert!(unlimited > budget * 2, "{engine:?}: {unlimited} without limit");
        // Blocks of segments, channels and the like come on top.
        let allowed = budget + budget / 8 + (256 << 10);
        assert!(most <= allowed, "{engine:?} with {threads} threads: {most} of {budget}");
    }
}
