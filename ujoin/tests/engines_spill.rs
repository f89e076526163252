//! Whatever the budget, the policy, the engine and the threads, and whenever it is drained: in the end
//! the results are those of nested loops, each once.

mod oracle;

use std::sync::Arc;

use oracle::cases::{Case, ENGINES, cases, probability, tuple};
use proptest::prelude::*;
use ujoin::checkpoint::Checkpoint;
use ujoin::storage::{Memory, SegmentKind};
use ujoin::{
    Budget, Collect, Config, Drained, Engine, Join, Order, Policy, Product, SlotProbability, Spill,
    State, TravelTimes, Tuple,
};

fn less_than(hundredths: u64, slots: SlotProbability) -> Policy {
    let probability = Product::from_units(hundredths * 10_000_000_000_000_000);
    Policy::LessThanProbability { probability, share: 3, slots }
}

fn policies() -> [Policy; 5] {
    [
        Policy::WindowHalf,
        Policy::Quantile,
        less_than(80, SlotProbability::One),
        less_than(50, SlotProbability::Measured),
        less_than(5, SlotProbability::Given(vec![(1, probability(60_000_000))])),
    ]
}

fn config(case: &Case, engine: Engine, threads: usize, order: Order) -> Config {
    Config::new(case.travel.clone())
        .engine(engine)
        .threshold(case.threshold)
        .lateness(case.lateness)
        .slots(5)
        .threads(threads)
        .order(order)
}

/// What happens between two portions of input.
#[derive(Clone, Copy, Debug)]
enum Break {
    Nothing,
    Drain,
    Pause,
    /// The process ends and another goes on.
    Restart,
}

fn breaks() -> impl Strategy<Value = Break> {
    prop_oneof![
        6 => Just(Break::Nothing),
        2 => Just(Break::Drain),
        1 => Just(Break::Pause),
        1 => Just(Break::Restart),
    ]
}

/// Ends the join and makes another from its checkpoint.
fn restart(mut join: Box<dyn Join>, config: &Config, sink: &mut Collect) -> Box<dyn Join> {
    let mut checkpoint = Checkpoint::default();
    let live = join.checkpoint(&mut checkpoint, sink).expect("a checkpoint");
    let store = join.store().expect("a store");
    store.pin(&checkpoint.segment_ids()).expect("pins");
    drop(join);
    config.clone().resume(&checkpoint, &live).expect("a join")
}

fn run(case: &Case, config: &Config, breaks: &[Break]) -> (Collect, Box<dyn Join>) {
    let mut join = config.clone().build().expect("a join");
    let mut sink = Collect::default();
    let mut breaks = breaks.iter().cycle();
    for portion in case.tuples.chunks(7) {
        join.push(portion, &mut sink).expect("tuples");
        match breaks.next().unwrap_or(&Break::Nothing) {
            Break::Nothing => {}
            Break::Drain => {
                join.drain(&mut sink).expect("results");
            }
            Break::Pause => {
                join.pause(&mut sink).expect("results");
                assert_eq!(join.drain(&mut sink).expect("no results"), Drained::All);
            }
            Break::Restart => join = restart(join, config, &mut sink),
        }
    }
    join.finish(&mut sink).expect("the end");
    assert_eq!(join.state(), State::Memory);
    assert_eq!(join.store().expect("a store").segments(), [], "all segments are deleted");
    (sink, join)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn nothing_is_lost_and_nothing_found_twice(
        case in cases(100),
        entries in prop_oneof![Just(1_usize), 1..=40_usize],
        policy in 0..5_usize,
        breaks in proptest::collection::vec(breaks(), 1..10),
        threads in 0..=3_usize,
        deterministic in any::<bool>(),
    ) {
        let order = if deterministic { Order::Deterministic } else { Order::Fast };
        let (pairs, _) = oracle::join(&case.tuples, &case.travel, case.threshold, case.lateness);
        for engine in ENGINES {
            let policy = policies()[policy].clone();
            let storage = Arc::new(Memory::new());
            let spill = Spill::new(Budget::Entries(entries), policy.clone(), storage);
            let config = config(&case, engine, threads, order).spill(spill);
            let (mut sink, join) = run(&case, &config, &breaks);
            let stats = join.stats();
            prop_assert!(stats.resident_max <= entries as u64, "{stats:?}");
            oracle::sort(&mut sink.pairs);
            prop_assert_eq!(&sink.pairs, &pairs, "{:?} {:?}", engine, policy);
        }
    }

    #[test]
    fn budgets_of_bytes_too(
        case in cases(600),
        bytes in 0..60_000_usize,
        policy in 0..5_usize,
        breaks in proptest::collection::vec(breaks(), 1..20),
    ) {
        let (pairs, _) = oracle::join(&case.tuples, &case.travel, case.threshold, case.lateness);
        for engine in [Engine::Log, Engine::Keyed, ENGINES[2], ENGINES[4]] {
            let policy = policies()[policy].clone();
            let spill = Spill::new(Budget::Bytes(bytes), policy, Arc::new(Memory::new()));
            let config = config(&case, engine, 2, Order::Fast).spill(spill);
            let (mut sink, _) = run(&case, &config, &breaks);
            oracle::sort(&mut sink.pairs);
            prop_assert_eq!(&sink.pairs, &pairs, "{:?}", engine);
        }
    }
}

/// What is known of segments counts in a budget of bytes. If small ones were not put together there
/// would be one for each tuple before long, each met with all arrivals by itself.
#[test]
fn small_segments_are_put_together() {
    let mut tuples = Vec::new();
    for seq in 0..6000_u64 {
        let nanos = 700_000_000 + (seq * 7919 % 300) as u32 * 1_000_000;
        let stream = (seq * 5 % 7) as u32;
        tuples.push(Tuple {
            probability: probability(nanos),
            ..tuple(seq, stream, seq as i64, seq * 31 % 400, 1)
        });
    }
    let case = Case {
        travel: TravelTimes::constant(7, 2000).expect("a matrix"),
        tuples,
        threshold: Product::from_units(700_000_000_000_000_000),
        lateness: 0,
    };
    let (pairs, _) = oracle::join(&case.tuples, &case.travel, case.threshold, case.lateness);
    assert!(pairs.len() > 1000);
    for engine in ENGINES {
        let spill =
            Spill::new(Budget::Bytes(64 << 10), policies()[2].clone(), Arc::new(Memory::new()));
        let config = config(&case, engine, 0, Order::Fast).spill(spill);
        let mut join = config.build().expect("a join");
        let mut sink = Collect::default();
        let mut most = 0;
        for portion in case.tuples.chunks(50) {
            join.push(portion, &mut sink).expect("tuples");
            most = most.max(join.store().expect("a store").segments().len());
        }
        join.finish(&mut sink).expect("the end");
        oracle::sort(&mut sink.pairs);
        assert_eq!(sink.pairs, pairs, "{engine:?}");
        assert!(join.stats().spilled_entries > 1000, "{engine:?}: {:?}", join.stats());
        // Of a table of keys, too: what went to disk leaves room for what comes.
        assert!(join.stats().flushes < 150, "{engine:?}: {:?}", join.stats());
        assert!(most < 200, "{engine:?}: {most} segments at a time");
    }
}

/// Letters A to L as in Figs. 4 and 5; the observation is the letter's number.
fn figure() -> Case {
    let rows = [
        (1, 10012, 95),
        (1, 10112, 90),
        (1, 10212, 80),
        (1, 10312, 75),
        (1, 10056, 95),
        (1, 20056, 90),
        (1, 20056, 85),
        (1, 10156, 80),
        (1, 10090, 90),
        (1, 10190, 80),
        (1, 10290, 75),
        (2, 20056, 90),
    ];
    let tuple = |(seq, (stream, key, hundredths)): (u64, (u32, u64, u32))| Tuple {
        probability: probability(hundredths * 10_000_000),
        ..tuple(seq, stream, seq as i64, key, 10)
    };
    Case {
        travel: TravelTimes::constant(3, 3600).expect("a matrix"),
        tuples: (1..).zip(rows).map(tuple).collect(),
        threshold: Product::from_units(700_000_000_000_000_000),
        lateness: 0,
    }
}

fn letters(tuples: impl IntoIterator<Item = Tuple>) -> String {
    let mut letters: Vec<_> =
        tuples.into_iter().map(|t| char::from(b'A' + t.seq as u8 - 1)).collect();
    letters.sort_unstable();
    letters.into_iter().collect()
}

fn on_disk(join: &dyn Join) -> String {
    let store = join.store().expect("a store");
    let mut all = Vec::new();
    for meta in store.segments() {
        if meta.spec.kind == SegmentKind::Spilled {
            let mut reader = store.read(meta.id).expect("a segment");
            let mut block = Vec::new();
            while reader.read_block(&mut block).expect("a block") {
                all.append(&mut block);
            }
        }
    }
    letters(all)
}

/// Runs a figure; gives what is on disk and in memory after the last tuple has asked for room, and
/// the results before and after the drain.
fn draw(policy: &Policy, engine: Engine, threads: usize) -> [String; 4] {
    let case = figure();
    let storage = Arc::new(Memory::new());
    let spill = Spill::new(Budget::Entries(11), policy.clone(), storage);
    let config = Config::new(case.travel.clone())
        .engine(engine)
        .threads(threads)
        .slots(100)
        .order(Order::Deterministic)
        .spill(spill);
    let mut join = config.build().expect("a join");
    let mut sink = Collect::default();
    join.push(&case.tuples[..11], &mut sink).expect("A to K");
    assert_eq!(join.resident(&mut sink).expect("a number"), 11);
    assert_eq!((join.state(), join.stats().flushes), (State::Memory, 0));
    join.push(&case.tuples[11..], &mut sink).expect("L");
    let disk = on_disk(&*join);
    let memory = join.checkpoint(&mut Checkpoint::default(), &mut sink).expect("what is there");
    assert_eq!(join.stats().flushes, 1);
    let results = |sink: &Collect| {
        let one = |pair: &ujoin::Pair| {
            let (first, second) = (letters([pair.first]), letters([pair.second]));
            let distance = pair.second.time - pair.first.time;
            format!("{second}+{first} {} dt {distance}; ", pair.probability)
        };
        sink.pairs.iter().map(one).collect()
    };
    let early = results(&sink);
    join.finish(&mut sink).expect("the end");
    [disk, letters(memory), early, results(&sink)]
}

#[test]
fn figure_4() {
    for engine in ENGINES {
        for threads in [0, 1, 2] {
            let [disk, memory, early, all] = draw(&Policy::WindowHalf, engine, threads);
            assert_eq!((disk.as_str(), memory.as_str()), ("CDGHJK", "ABEFIL"), "{engine:?}");
            assert_eq!(early, "L+F 0.81 dt 6; ");
            assert_eq!(all, "L+F 0.81 dt 6; L+G 0.765 dt 5; ");
        }
    }
}

#[test]
fn figure_5() {
    let slots = [(12, 100_000_000), (56, 80_000_000), (90, 200_000_000)];
    let slots = slots.map(|(slot, nanos)| (slot, probability(nanos))).to_vec();
    let policy = less_than(8, SlotProbability::Given(slots));
    for engine in ENGINES {
        for threads in [0, 1, 2] {
            let [disk, memory, early, all] = draw(&policy, engine, threads);
            assert_eq!((disk.as_str(), memory.as_str()), ("CDEFGH", "ABIJKL"), "{engine:?}");
            assert_eq!(early, "");
            assert_eq!(all, "L+F 0.81 dt 6; L+G 0.765 dt 5; ");
        }
    }
}

/// Tuples of a long run, many of whose results are owed.
fn long(tuples: u64) -> Case {
    Case {
        travel: TravelTimes::constant(8, 500).expect("a matrix"),
        tuples: (0..tuples)
            .map(|n| Tuple {
                probability: probability(700_000_000 + (n * 7919 % 300_000) as u32 * 1000),
                ..tuple(n, (n % 8) as u32, n as i64, n * 31 % 97, 10)
            })
            .collect(),
        threshold: Product::from_units(700_000_000_000_000_000),
        lateness: 0,
    }
}

#[test]
fn a_working_set_beyond_the_budget_shows_in_the_counters() {
    let case = long(5000);
    for engine in ENGINES {
        for policy in policies() {
            let storage = Arc::new(Memory::new());
            let spill = Spill::new(Budget::Entries(100), policy, storage);
            let config = config(&case, engine, 2, Order::Fast).spill(spill);
            let (sink, join) = run(&case, &config, &[Break::Nothing]);
            let stats = join.stats();
            assert!(stats.flushes > 0 && stats.spilled_entries > 0 && stats.spilled_bytes > 0);
            assert!(stats.owed_pairs >= stats.drained_pairs && stats.drained_pairs > 0);
            assert!(stats.drained_pairs < stats.results);
            assert_eq!(stats.results, sink.pairs.len() as u64);
        }
    }
}

#[test]
fn early_results_are_those_whose_first_had_not_left() {
    let case = long(3000);
    let (pairs, _) = oracle::join(&case.tuples, &case.travel, case.threshold, 0);
    let spill = Spill::new(Budget::Entries(100), Policy::Quantile, Arc::new(Memory::new()));
    let config = config(&case, Engine::Log, 0, Order::Deterministic).spill(spill);
    let mut join = config.build().expect("a join");
    let mut sink = Collect::default();
    join.push(&case.tuples, &mut sink).expect("tuples");
    let store = join.store().expect("a store");
    let mut outs = std::collections::HashMap::new();
    for meta in store.segments().iter().filter(|meta| meta.spec.kind == SegmentKind::Spilled) {
        let mut reader = store.read(meta.id).expect("a segment");
        let mut block = Vec::new();
        while reader.read_block(&mut block).expect("a block") {
            outs.extend(block.iter().map(|tuple| (tuple.seq, meta.spec.out)));
        }
    }
    let is_early = |pair: &ujoin::Pair| {
        let (a, b) = (pair.first.seq, pair.second.seq);
        outs.get(&a.min(b)).is_none_or(|out| a.max(b) < *out)
    };
    let (early, owed): (Vec<_>, Vec<_>) = pairs.into_iter().partition(is_early);
    assert_eq!(sink.pairs, early);
    let mut rest = Collect::default();
    join.finish(&mut rest).expect("the end");
    oracle::sort(&mut rest.pairs);
    assert_eq!(rest.pairs, owed);
    assert!(!early.is_empty() && !owed.is_empty());
}

#[test]
fn draining_stops_for_new_tuples_and_goes_on_later() {
    let case = long(8_000);
    let spill = Spill::new(Budget::Bytes(30_000), Policy::WindowHalf, Arc::new(Memory::new()));
    let config = config(&case, Engine::Log, 0, Order::Fast).spill(spill);
    let mut join = config.build().expect("a join");
    let mut sink = Collect::default();
    let mut portions = 0;
    for tuples in case.tuples.chunks(2000) {
        join.push(tuples, &mut sink).expect("tuples");
        assert_eq!(join.state(), State::Spilling);
        while portions < 3 && join.drain(&mut sink).expect("results") == Drained::More {
            portions += 1;
        }
    }
    join.pause(&mut sink).expect("results");
    join.finish(&mut sink).expect("the end");
    oracle::sort(&mut sink.pairs);
    let (pairs, _) = oracle::join(&case.tuples, &case.travel, case.threshold, 0);
    assert_eq!(sink.pairs.len(), pairs.len());
    assert!(sink.pairs == pairs);
}

#[test]
fn segments_go_as_soon_as_nothing_is_owed() {
    let case = long(20_000);
    let storage = Arc::new(Memory::new());
    let spill = Spill::new(Budget::Entries(100), Policy::Quantile, storage.clone());
    let config = config(&case, Engine::Log, 0, Order::Fast).spill(spill);
    let mut join = config.build().expect("a join");
    let mut sink = Collect::default();
    let mut most = 0;
    for tuples in case.tuples.chunks(500) {
        join.push(tuples, &mut sink).expect("tuples");
        join.pause(&mut sink).expect("results");
        most = most.max(storage.bytes());
    }
    // Two windows of a thousand tuples, at 40 bytes, and what surrounds them.
    assert!(most < 300_000, "{most} bytes on disk");
    let spilled = join.stats().spilled_bytes;
    assert!(spilled > 500_000, "{spilled} bytes written");
}
