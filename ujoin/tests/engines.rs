//! Every engine, with any number of threads and any portions of input, gives what nested loops give.

mod oracle;

use oracle::cases::{Case, ENGINES, cases, tuple};
use proptest::prelude::*;
use ujoin::{
    Collect, Config, Count, Drained, Engine, ErrorKind, Expiry, Order, Pair, Product, SinkError,
    TravelTimes, Tuple, Visit,
};

/// Runs an engine, with so many tuples in each call.
fn run(case: &Case, engine: Engine, threads: usize, portion: usize, order: Order) -> Collect {
    let mut join = Config::new(case.travel.clone())
        .engine(engine)
        .threshold(case.threshold)
        .lateness(case.lateness)
        .slots(5)
        .threads(threads)
        .order(order)
        .build()
        .expect("a join");
    let mut sink = Collect::default();
    for portion in case.tuples.chunks(portion) {
        join.push(portion, &mut sink).expect("tuples");
    }
    join.finish(&mut sink).expect("the end");
    let stats = join.stats();
    assert_eq!(stats.input_tuples, case.tuples.len() as u64);
    assert_eq!(stats.results, sink.pairs.len() as u64);
    assert_eq!(stats.late, sink.late.len() as u64);
    assert_eq!(stats.pruned + stats.survivors + stats.late, stats.input_tuples);
    sink
}

fn agrees(case: &Case, engine: Engine, threads: usize, portion: usize) {
    let (pairs, late) = oracle::join(&case.tuples, &case.travel, case.threshold, case.lateness);
    let exact = run(case, engine, threads, portion, Order::Deterministic);
    assert_eq!(exact.pairs, pairs, "{engine:?} with {threads} threads");
    assert_eq!(exact.late, late);
    let mut fast = run(case, engine, threads, portion, Order::Fast);
    oracle::sort(&mut fast.pairs);
    assert_eq!(fast.pairs, pairs, "{engine:?} with {threads} threads, fast");
    assert_eq!(fast.late, late);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_engine_agrees_with_nested_loops(
        case in cases(120),
        portion in prop_oneof![1..=3_usize, Just(50), Just(1000)],
        threads in 0..=3_usize,
    ) {
        for engine in ENGINES {
            agrees(&case, engine, threads, portion);
        }
    }

    #[test]
    fn long_inputs_agree_too(case in cases(1500), threads in 0..=2_usize) {
        for engine in [Engine::Keyed, Engine::Log] {
            agrees(&case, engine, threads, 400);
        }
    }
}

#[test]
fn products_at_the_threshold_pass_and_distances_at_the_limit_do_not() {
    let travel = TravelTimes::from_rows(2, vec![0, 10, 5, 0]).expect("a matrix");
    let tuples = vec![
        tuple(1, 0, 0, 1, 9),
        tuple(2, 1, 9, 1, 8),
        tuple(3, 1, 10, 1, 8),
        tuple(4, 0, 13, 1, 9),
        tuple(5, 0, 14, 1, 9),
        tuple(6, 0, 15, 1, 9),
    ];
    let threshold = Product::from_units(720_000_000_000_000_000);
    let case = Case { travel, tuples, threshold, lateness: 0 };
    for engine in ENGINES {
        agrees(&case, engine, 0, 10);
        let pairs = run(&case, engine, 0, 10, Order::Deterministic).pairs;
        let seqs: Vec<_> = pairs.iter().map(|pair| (pair.first.seq, pair.second.seq)).collect();
        assert_eq!(seqs, [(1, 2), (2, 4), (3, 4), (3, 5)]);
        assert!(pairs.iter().all(|pair| pair.probability == threshold));
    }
}

#[test]
fn a_hundred_and_fifty_threads_and_two_hundred_streams() {
    for (streams, threads) in [(150, 0), (200, 7)] {
        let tuples = (0..3000).map(|n| {
            tuple(n, (n * 7 % streams) as u32, n as i64 / 4, n * n % 60, 7 + (n % 4) as u32)
        });
        let case = Case {
            travel: TravelTimes::constant(streams as usize, 60).expect("a matrix"),
            tuples: tuples.collect(),
            threshold: Product::from_units(700_000_000_000_000_000),
            lateness: 2,
        };
        for engine in ENGINES {
            agrees(&case, engine, threads, 700);
        }
    }
}

/// The log compares 32 bits of spread keys first. In each of these pairs they are equal, and so is the
/// bucket, for as long as there are few buckets.
#[test]
fn keys_that_look_alike() {
    const ALIKE: [(u64, u64); 3] = [
        (3835086355272930, 2879995262659666),
        (6060495035429755, 4479085283354832),
        (8207842269018325, 4533895353245272),
    ];
    for (a, b) in ALIKE {
        // Alone, by turns, and so often that they get runs.
        for pattern in [&[a, b][..], &[a, a, b, a], &[a, b, b, b, b, b], &[b, a, a, 7]] {
            let tuple = |n: u64| {
                let key = pattern[n as usize % pattern.len()];
                tuple(n, (n * 5 % 7) as u32, n as i64, key, 7 + (n % 4) as u32)
            };
            let case = Case {
                travel: TravelTimes::constant(7, 45).expect("a matrix"),
                tuples: (0..300).map(tuple).collect(),
                threshold: Product::from_units(700_000_000_000_000_000),
                lateness: 0,
            };
            for portion in [1, 3, 300] {
                agrees(&case, Engine::Log, 0, portion);
            }
        }
    }
}

#[test]
fn keys_that_are_seen_all_the_time() {
    let tuples = (0..2500).map(|n| {
        let key = if n % 5 == 0 { n } else { n % 3 };
        tuple(n, (n % 4) as u32, n as i64 / 3 - (n % 7) as i64, key, 10)
    });
    let case = Case {
        travel: TravelTimes::from_rows(4, (1..=16).map(|n| n * 9).collect()).expect("a matrix"),
        tuples: tuples.collect(),
        threshold: Product::from_units(500_000_000_000_000_000),
        lateness: 10,
    };
    for engine in ENGINES {
        agrees(&case, engine, 2, 100);
    }
}

#[test]
fn nothing_is_held_long_after_it_has_left_the_window() {
    // Streams with long and short horizons, and tuples out of order: the oldest arrival is not
    // always the first to go.
    let mut times = vec![2000; 16];
    times[1] = 4000;
    times[4] = 4000;
    let travel = TravelTimes::from_rows(4, times).expect("a matrix");
    for engine in [
        Engine::Keyed,
        Engine::Log,
        Engine::Paper(Expiry::Inline),
        Engine::PaperBatched(Expiry::Inline),
        Engine::PaperBatched(Expiry::Batch { interval: 300 }),
    ] {
        let config = Config::new(travel.clone()).engine(engine).threads(2).lateness(500);
        let mut join = config.build().expect("a join");
        let mut sink = Count::default();
        let mut taken: Vec<Tuple> = Vec::new();
        for n in 0..24 * 4000_u64 {
            let next =
                tuple(n, (n % 4) as u32, n as i64 - (n * 7919 % 500) as i64, n * n % 3001, 9);
            taken.push(next);
            if taken.len().is_multiple_of(1000) {
                join.push(&taken[taken.len() - 1000..], &mut sink).expect("tuples");
                let watermark = join.watermark();
                let is_live = |t: &&Tuple| t.time + travel.horizon(t.stream) > watermark;
                let live = taken.iter().rev().take(9000).filter(is_live).count();
                let resident = join.resident(&mut sink).expect("a number");
                assert!(resident >= live, "{engine:?}: {resident} of {live}");
                assert!(resident * 4 <= live * 5, "{engine:?}: {resident} of {live}");
            }
        }
        // Between these moments, a batch may come before what it makes superfluous has gone.
        let stats = join.stats();
        let most = stats.live_max * 5 / 4 + 1024;
        assert!(stats.live_max >= 2000 && stats.resident_max <= most, "{stats:?}");
        assert!(sink.pairs > 0);
    }
}

#[test]
fn a_promise_makes_older_tuples_late() {
    let travel = TravelTimes::constant(2, 10).expect("a matrix");
    for engine in ENGINES {
        let mut join = Config::new(travel.clone()).engine(engine).build().expect("a join");
        let mut sink = Collect::default();
        join.push(&[tuple(0, 0, 5, 1, 10)], &mut sink).expect("a tuple");
        join.advance(3, &mut sink).expect("nothing to do");
        assert_eq!(join.watermark(), 5);
        join.advance(15, &mut sink).expect("a promise");
        join.push(&[tuple(1, 1, 14, 1, 10)], &mut sink).expect("a tuple");
        assert_eq!(join.drain(&mut sink).expect("results"), Drained::All);
        assert_eq!((sink.pairs.len(), sink.late.len()), (0, 1));
    }
}

#[test]
fn what_cannot_be_joined_is_refused_and_the_rest_goes_on() {
    let travel = TravelTimes::constant(2, 10).expect("a matrix");
    for engine in ENGINES {
        let mut join = Config::new(travel.clone()).engine(engine).build().expect("a join");
        let mut sink = Collect::default();
        let wrong = [tuple(5, 0, 0, 1, 10), tuple(6, 2, 0, 1, 10)];
        let error = join.push(&wrong, &mut sink).expect_err("no such stream");
        assert!(matches!(error.kind(), ErrorKind::UnknownStream { stream: 2, streams: 2, seq: 6 }));
        assert_eq!(error.taken(), 1);
        let error = join.push(&[tuple(5, 1, 0, 1, 10)], &mut sink).expect_err("out of order");
        assert!(matches!(error.kind(), ErrorKind::Order { seq: 5, least: 6 }));
        assert_eq!(
            error.to_string(),
            "tuple 5 is out of order: places ascend, and the next is at least 6"
        );
        assert!(join.push(&[tuple(u64::MAX, 1, 0, 1, 10)], &mut sink).is_err());
        join.push(&[tuple(7, 1, 0, 1, 10)], &mut sink).expect("a tuple");
        join.finish(&mut sink).expect("the end");
        assert_eq!(sink.pairs.len(), 1);
        let error = join.push(&[tuple(8, 1, 0, 1, 10)], &mut sink).expect_err("the end");
        assert!(matches!(error.kind(), ErrorKind::Finished));
    }
}

#[test]
fn configurations_that_make_no_sense_are_refused() {
    let config = || Config::new(TravelTimes::constant(2, 10).expect("a matrix"));
    let text = |config: Config| config.build().map(|_| ()).expect_err("an error").to_string();
    assert_eq!(text(config().lateness(-1)), "the lateness must not be negative");
    assert!(text(config().slots(0)).starts_with("there must be at least one slot"));
    let never = Engine::Paper(Expiry::Batch { interval: 0 });
    assert_eq!(text(config().engine(never)), "the interval of expiry must be positive");
}

#[test]
fn a_sink_that_stops_or_fails_stops_the_join() {
    let travel = TravelTimes::constant(4, 1000).expect("a matrix");
    let tuples: Vec<_> = (0..3000).map(|n| tuple(n, (n % 4) as u32, 0, n % 2, 10)).collect();
    for (engine, order) in
        ENGINES.into_iter().flat_map(|e| [(e, Order::Fast), (e, Order::Deterministic)])
    {
        let config = Config::new(travel.clone()).engine(engine).order(order);
        let mut join = config.build().expect("a join");
        let mut left = 1000;
        let mut sink = Visit(|_: &Pair| {
            left -= 1;
            if left == 0 { Err(SinkError::Stop) } else { Ok(()) }
        });
        let error = join.push(&tuples, &mut sink).and_then(|()| join.finish(&mut sink));
        assert!(matches!(error.expect_err("a stop").kind(), ErrorKind::Sink(SinkError::Stop)));
        assert_eq!(left, 0, "asked again after it wanted no more");
        let error = join.push(&tuples, &mut Count::default()).expect_err("finished");
        assert!(matches!(error.kind(), ErrorKind::Finished));
    }
}

#[test]
fn a_join_can_be_dropped_in_the_middle() {
    let travel = TravelTimes::constant(4, 1000).expect("a matrix");
    let tuples: Vec<_> = (0..2000).map(|n| tuple(n, (n % 4) as u32, 0, n % 2, 10)).collect();
    for engine in ENGINES {
        let mut join =
            Config::new(travel.clone()).engine(engine).threads(3).build().expect("a join");
        let mut sink = Count::default();
        join.push(&tuples, &mut sink).expect("tuples");
        drop(join);
        assert!(sink.pairs <= 2000 * 2000);
    }
}
