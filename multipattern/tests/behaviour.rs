//! Limits, early stops, errors, and what each method does.

mod common;

use std::ops::ControlFlow;

use common::{METHODS, collect, count, detector, set_of, ways};
use multipattern::{
    Block, Config, Detector, ErrorKind, Level, Limit, Limits, Match, Method, Pattern, PatternSet,
    Policy, Record, Ring, Semantics, Sink, Visit,
};

fn set(texts: &[&str], semantics: Semantics) -> PatternSet {
    let patterns: Vec<_> = texts.iter().map(|text| Pattern::parse(text).expect(text)).collect();
    set_of(&patterns, semantics, 40)
}

fn stream(set: &PatternSet, names: &str) -> Vec<Record> {
    let one = |(time, name): (usize, char)| {
        let name = if name == '-' { common::UNUSED.to_owned() } else { name.to_string() };
        Record::new(set.schema().type_id(&name).expect("a type"), time as i64)
    };
    names.chars().enumerate().map(one).collect()
}

fn limits(change: impl FnOnce(&mut Limits)) -> Config {
    let mut limits = Limits::default();
    change(&mut limits);
    Config::new().limits(limits)
}

#[test]
fn a_sink_that_has_enough_gets_nothing_more_of_the_event() {
    let set = set(&["x: SEQ(A, B)", "y: SEQ(A, A, B)"], Semantics::Any);
    for method in METHODS {
        for level in [Level::Matches, Level::Blocks, Level::Count] {
            struct Once(Level, u64);
            impl Sink for Once {
                fn level(&self) -> Level {
                    self.0
                }
                fn count(&mut self, _: multipattern::PatternId, _: u64, _: u64) -> ControlFlow<()> {
                    self.1 += 1;
                    ControlFlow::Break(())
                }
                fn block(&mut self, _: Block<'_>) -> ControlFlow<()> {
                    self.1 += 1;
                    ControlFlow::Break(())
                }
                fn matched(&mut self, _: Match<'_>) -> ControlFlow<()> {
                    self.1 += 1;
                    ControlFlow::Break(())
                }
            }
            let mut detector = detector(&set, Config::new().method(method));
            let mut sink = Once(level, 0);
            for event in stream(&set, "AAAB") {
                let _ = detector.push(&event, &mut sink).expect("an event");
            }
            assert_eq!(sink.1, 1, "{method} {level:?}");
            // It goes on as if it had not been stopped.
            let rest = collect(&mut detector, &stream(&set, "B"));
            assert_eq!(rest.len(), 6, "{method} {level:?}");
        }
    }
}

#[test]
fn events_out_of_order_are_refused_where_windows_are_of_time() {
    let set = set(&["x: SEQ(A, B) WITHIN 5 ms"], Semantics::Any);
    let [a, b] = ["A", "B"].map(|name| set.schema().type_id(name).expect("a type"));
    for method in METHODS {
        let mut detector = detector(&set, Config::new().method(method));
        assert!(collect(&mut detector, &[Record::new(a, 10)]).is_empty());
        let late = detector.push(&Record::new(b, 9), &mut common::Expand::default());
        assert_eq!(late.expect_err("late").kind(), ErrorKind::Order);
        // It was not taken.
        assert_eq!(collect(&mut detector, &[Record::new(b, 15)]), [(0, vec![0, 1])]);
        assert!(collect(&mut detector, &[Record::new(b, 16)]).is_empty());
    }
    let extreme =
        [Record::new(a, i64::MIN), Record::new(b, i64::MIN + 5), Record::new(b, i64::MAX)];
    for method in METHODS {
        let mut detector = detector(&set, Config::new().method(method));
        assert_eq!(collect(&mut detector, &extreme), [(0, vec![0, 1])], "{method}");
    }
}

#[test]
fn limits_are_kept_as_their_policies_say() {
    let any = set(&["x: SEQ(A, B) WITHIN 100 s"], Semantics::Any);
    let events = stream(&any, "AAAAB");
    let held = |policy| limits(|limits| limits.held_events = Limit::new(3, policy));

    let mut fails = detector(&any, held(Policy::Error));
    let error = events.iter().find_map(|e| fails.push(e, &mut common::Expand::default()).err());
    assert_eq!(error.expect("a limit").kind(), ErrorKind::Limit);
    let mut oldest = detector(&any, held(Policy::DropOldest));
    assert_eq!(collect(&mut oldest, &events), [(0, vec![2, 4]), (0, vec![3, 4])]);
    assert_eq!(oldest.stats().dropped_events, 2);
    let mut newest = detector(&any, held(Policy::DropNewest));
    assert!(collect(&mut newest, &events).is_empty());
    assert_eq!((newest.stats().dropped_events, newest.stats().held_events), (2, 3));

    let per_event = |policy| limits(|limits| limits.matches_per_event = Limit::new(2, policy));
    for method in METHODS {
        let mut cut = detector(&any, per_event(Policy::DropNewest).method(method));
        let mut found = Vec::new();
        for event in &events {
            let _ = cut
                .push(
                    event,
                    &mut Visit(|one: Match<'_>| {
                        found.push(one.events.to_vec());
                        ControlFlow::Continue(())
                    }),
                )
                .expect("an event");
        }
        assert_eq!(found, [[0, 4], [1, 4]], "{method}");
        assert_eq!(cut.stats().cut_off, 1);
        let mut fails = detector(&any, per_event(Policy::Error).method(method));
        let failed =
            events.iter().find_map(|e| fails.push(e, &mut common::Expand::default()).err());
        assert_eq!(failed.expect("a limit").kind(), ErrorKind::Limit, "{method}");
    }

    let instances =
        |policy| limits(|limits| limits.instances = Limit::new(2, policy)).method(Method::Single);
    let mut oldest = detector(&any, instances(Policy::DropOldest));
    assert_eq!(collect(&mut oldest, &events), [(0, vec![2, 4]), (0, vec![3, 4])]);
    assert_eq!((oldest.stats().dropped_instances, oldest.stats().instances), (2, 2));
    let mut newest = detector(&any, instances(Policy::DropNewest));
    assert_eq!(collect(&mut newest, &events), [(0, vec![0, 4]), (0, vec![1, 4])]);
    let mut fails = detector(&any, instances(Policy::Error));
    let failed = events.iter().find_map(|e| fails.push(e, &mut common::Expand::default()).err());
    assert_eq!(failed.expect("a limit").kind(), ErrorKind::Limit);
}

#[test]
fn partitions_are_bounded() {
    let set = set(&["x: SEQ(A, A)"], Semantics::Any);
    let key = set.schema().slot("k").expect("k");
    let a = set.schema().type_id("A").expect("A");
    let event = |key_of: i64| Record::new(a, 0).with(key, key_of);
    let with =
        |policy| limits(|limits| limits.partitions = Limit::new(2, policy)).partition_by(["k"]);
    let events = [1, 2, 1, 3, 2, 1].map(event);
    // 2 was idle for longest when 3 came, then 1.
    let mut oldest = detector(&set, with(Policy::DropOldest));
    assert_eq!(collect(&mut oldest, &events), [(0, vec![0, 2])]);
    assert_eq!((oldest.stats().partitions, oldest.stats().dropped_partitions), (2, 3));
    let mut newest = detector(&set, with(Policy::DropNewest));
    let found = [(0, vec![0, 2]), (0, vec![1, 4]), (0, vec![0, 5]), (0, vec![2, 5])];
    assert_eq!(collect(&mut newest, &events), found);
    let mut fails = detector(&set, with(Policy::Error));
    let failed = events.iter().find_map(|e| fails.push(e, &mut common::Expand::default()).err());
    assert_eq!(failed.expect("a limit").kind(), ErrorKind::Limit);

    // Idle partitions of windows of time go by themselves.
    let timed = super_timed();
    let mut detector = detector(&timed, Config::new().partition_by(["k"]));
    let a = timed.schema().type_id("A").expect("A");
    let key = timed.schema().slot("k").expect("k");
    for number in 0..20_000_i64 {
        let event = Record::new(a, number).with(key, number);
        assert!(collect(&mut detector, &[event]).is_empty());
    }
    assert!(detector.stats().partitions < 3_000, "{}", detector.stats().partitions);
}

/// Keys come again in any order; what is dropped is always the one whose last event is oldest. Events that
/// no pattern can use bring no key.
#[test]
fn the_partition_that_was_idle_for_longest_is_dropped() {
    let set = set(&["x: SEQ(A, A) WITHIN 2 EVENTS"], Semantics::Any);
    let key = set.schema().slot("k").expect("k");
    let [a, unused] = ["A", common::UNUSED].map(|name| set.schema().type_id(name).expect("a type"));
    let config = || {
        let with = |limits: &mut Limits| limits.partitions = Limit::new(5, Policy::DropOldest);
        limits(with).partition_by(["k"])
    };
    for method in METHODS {
        let mut detector = detector(&set, config());
        // The keys that are remembered, with their last rows.
        let (mut last, mut dropped) = (Vec::<(i64, u64)>::new(), 0);
        let mut seed = 7_u64;
        for row in (1..4_000).step_by(2) {
            let event = Record::new(unused, 0).with(key, 100 + row as i64);
            assert!(collect(&mut detector, &[event]).is_empty());
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let own = (seed >> 40) as i64 % 8;
            let before = last.iter().position(|one| one.0 == own).map(|at| last.remove(at).1);
            if last.len() == 5 {
                let at = (0..5).min_by_key(|&at| last[at].1).expect("five");
                last.remove(at);
                dropped += 1;
            }
            last.push((own, row));
            let expected: Vec<_> =
                before.map(|before| (0, vec![before, row])).into_iter().collect();
            let event = Record::new(a, 0).with(key, own);
            assert_eq!(collect(&mut detector, &[event]), expected, "{method} {row}");
            #[cfg(feature = "serde")]
            if row % 200 == 99 {
                detector = multipattern::Detector::restore(detector.snapshot(), config())
                    .expect("restored");
            }
        }
        assert!(dropped > 500);
        let stats = detector.stats();
        assert_eq!((stats.dropped_partitions, stats.unused), (dropped, 2_000), "{method}");
    }
}

/// No limit counts keys of which nothing can come.
#[test]
fn a_limit_on_partitions_is_of_those_that_matter() {
    let with =
        |policy| limits(|limits| limits.partitions = Limit::new(20, policy)).partition_by(["k"]);
    let timed = super_timed();
    let (a, key) = (timed.schema().type_id("A").expect("A"), timed.schema().slot("k").expect("k"));
    for policy in [Policy::Error, Policy::DropOldest, Policy::DropNewest] {
        let mut detector = detector(&timed, with(policy));
        for number in 0..200_i64 {
            let events = [0, 0].map(|_| Record::new(a, number).with(key, number));
            assert_eq!(collect(&mut detector, &events).len(), 1, "{policy:?} {number}");
        }
        let stats = detector.stats();
        assert_eq!((stats.partitions, stats.dropped_partitions), (20, 0), "{policy:?}");
    }
    // Of windows of events, those that an error would be about.
    let set = set(&["x: SEQ(A, B)"], Semantics::Any);
    let [a, b] = ["A", "B"].map(|name| set.schema().type_id(name).expect("a type"));
    let key = set.schema().slot("k").expect("k");
    let mut detector = detector(&set, with(Policy::Error));
    for number in 0..200_i64 {
        let begins = if number < 19 { a } else { b };
        assert!(collect(&mut detector, &[Record::new(begins, 0).with(key, number)]).is_empty());
    }
    assert_eq!(collect(&mut detector, &[Record::new(b, 0).with(key, 7)]), [(0, vec![7, 200])]);
    let mut begin = |number: i64| {
        let event = Record::new(a, 0).with(key, number);
        detector.push(&event, &mut common::Expand::default())
    };
    assert!(begin(1_000).is_ok());
    assert_eq!(begin(1_001).expect_err("a limit").kind(), ErrorKind::Limit);
}

/// A key is forgotten if what is remembered of it begins no pattern, and then nothing is missed.
#[test]
fn partitions_of_which_nothing_can_come_go() {
    let texts = ["x: SEQ(A, B, C)", "y: SEQ(A, C) WITHIN 3 EVENTS", "z: SEQ(A, A)"];
    for semantics in [Semantics::Any, Semantics::Next, Semantics::Strict] {
        let set = set(&texts, semantics);
        let slot = set.schema().slot("k").expect("k");
        let mut seed = 3_u64;
        let events: Vec<(i64, Record)> = (0..9_000)
            .map(|time| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let key = i64::from((seed >> 33) as u16 % 3_000);
                // One key in three begins no pattern, and all come again.
                let name =
                    if key % 3 == 0 { ["B", "C"][time % 2] } else { ["A", "B", "C"][time % 3] };
                let event_type = set.schema().type_id(name).expect("a type");
                (key, Record::new(event_type, time as i64).with(slot, key))
            })
            .collect();
        let records: Vec<Record> = events.iter().map(|event| event.1.clone()).collect();
        for method in METHODS {
            let mut expected = Vec::new();
            for key in 0..3_000 {
                let rows = (0_u64..).zip(&events).filter(|(_, event)| event.0 == key);
                let (rows, own): (Vec<u64>, Vec<Record>) =
                    rows.map(|(row, event)| (row, event.1.clone())).unzip();
                let found = collect(&mut detector(&set, Config::new().method(method)), &own);
                let row = |at: u64| rows[at as usize];
                expected.extend(found.into_iter().map(|(number, events)| {
                    (number, events.into_iter().map(row).collect::<Vec<u64>>())
                }));
            }
            expected.sort_by(|a, b| (a.1.last(), a.0, &a.1).cmp(&(b.1.last(), b.0, &b.1)));
            let config = Config::new().method(method).partition_by(["k"]);
            let mut detector = detector(&set, config);
            assert_eq!(collect(&mut detector, &records), expected, "{semantics:?} {method}");
            let left = detector.stats().partitions;
            assert!(left < 2_800, "{semantics:?} {method}: {left}");
        }
    }
}

fn super_timed() -> PatternSet {
    set(&["x: SEQ(A, A) WITHIN 10 ms"], Semantics::Any)
}

/// A ring has nothing to do with what is shared: it is none of `sharing` that pairs are, and one of
/// both that nothing else is kept of chains.
#[test]
fn what_a_method_shares_is_not_the_rings() {
    let texts = ["x: SEQ(A, B, C, D)", "y: SEQ(B, B, C, D)", "z: SEQ(A, B, C, E)"];
    for semantics in [Semantics::Any, Semantics::Next, Semantics::Strict] {
        let set = set(&texts, semantics);
        let events = stream(&set, &"ABBCDE-ABCDABCEBBCD".repeat(40));
        let run = |method, ring, read: fn(&mut Detector, &[Record])| {
            let mut detector = detector(&set, Config::new().method(method).ring(ring));
            read(&mut detector, &events);
            detector.stats()
        };
        let reading = |detector: &mut Detector, events: &[Record]| drop(collect(detector, events));
        let counting = |detector: &mut Detector, events: &[Record]| drop(count(detector, events));
        let all = |method| {
            [Ring::ByMethod, Ring::Never, Ring::Always].map(|ring| run(method, ring, reading))
        };
        for method in [Method::Single, Method::Optimized] {
            let [by_method, never, always] = all(method);
            assert_eq!((by_method, by_method), (never, always), "{method}");
        }
        let [sharing, never, sharing_ring] = all(Method::Sharing);
        assert_eq!(sharing, never);
        let [proposed, proposed_alone, always] = all(Method::Proposed);
        assert_eq!(proposed, always);
        match semantics {
            Semantics::Any => {
                assert!(sharing.bytes != sharing_ring.bytes);
                assert_eq!(sharing_ring.transitions, sharing.transitions);
                let count = run(Method::Sharing, Ring::Always, counting);
                for stats in [sharing, sharing_ring, count] {
                    assert_eq!(
                        (stats.block_hits, stats.block_misses, stats.shared_rows),
                        (0, 0, 0)
                    );
                }
                // Three patterns are too few for the ring to write pairs down, and not for lists.
                assert_eq!((proposed.block_misses, proposed.shared_rows), (0, 0));
                assert!(proposed_alone.block_misses > 0 && proposed_alone.shared_rows > 0);
                assert!(run(Method::Proposed, Ring::Always, counting).block_hits > 0);
            }
            Semantics::Next => {
                assert!(sharing.instances > 0 && sharing_ring.instances == 0, "sets of starts");
                assert_eq!(proposed_alone.instances, 0);
                assert!(proposed.bytes != proposed_alone.bytes);
                assert_eq!(sharing_ring, proposed, "chains have nothing else to share");
            }
            Semantics::Strict => {
                assert_eq!((sharing_ring, proposed_alone), (sharing, proposed));
                assert!(sharing.failures > 0 && proposed.failures == 0);
            }
        }
    }
}

/// Without a ring or with one, output is the same where a ring can be and where it cannot.
#[test]
fn a_ring_is_only_where_it_can_be() {
    for text in ["x: SEQ(A, B)", "x: SEQ(A, B) WITHIN 65 EVENTS", "x: SEQ(A, B) WITHIN 9 ms"] {
        let set = set(&[text], Semantics::Any);
        let events = stream(&set, &"ABBA-BAAB".repeat(30));
        let expected = collect(&mut detector(&set, Config::new().method(Method::Single)), &events);
        assert!(!expected.is_empty());
        for (method, ring) in ways() {
            let config = Config::new().method(method).ring(ring);
            for config in [config.clone(), config.clone().hold_events(9)] {
                assert_eq!(collect(&mut detector(&set, config), &events), expected, "{method}");
            }
            let mut few = Limits::default();
            few.held_events = Limit::new(63, Policy::DropOldest);
            let config = config.limits(few);
            let single = config.clone().method(Method::Single);
            let expected = collect(&mut detector(&set, single), &events);
            assert_eq!(collect(&mut detector(&set, config), &events), expected, "{method}");
        }
    }
}

/// The counters say what each method does, and that no two do the same.
#[test]
fn every_method_has_a_mechanism_of_its_own() {
    let texts = ["x: SEQ(A, B, C, D)", "y: SEQ(B, B, C, D)", "z: SEQ(A, B, C, E)"];
    for semantics in [Semantics::Any, Semantics::Next, Semantics::Strict] {
        let set = set(&texts, semantics);
        let events = stream(&set, &"ABBCDE-ABCDABCEBBCD".repeat(40));
        let stats = METHODS.map(|method| {
            let mut detector = detector(&set, Config::new().method(method));
            assert!(!collect(&mut detector, &events).is_empty());
            detector.stats()
        });
        let [single, optimized, sharing, proposed] = stats;
        assert!(single.instances_created > 0);
        for lazy in [optimized, sharing, proposed] {
            assert_eq!(lazy.instances_created, 0);
        }
        match semantics {
            Semantics::Any => {
                assert!(single.instances > 0 && proposed.instances == 0);
                assert!(optimized.transitions > sharing.transitions, "prefixes are shared");
                assert_eq!(sharing.transitions, proposed.transitions);
                assert_eq!((sharing.block_misses, optimized.block_misses), (0, 0));
                let mut counting = detector(&set, Config::new());
                let _ = count(&mut counting, &events);
                let counting = counting.stats();
                assert!(counting.block_hits > 0 && counting.block_misses > 0);
                assert!(proposed.nodes < optimized.nodes);
            }
            Semantics::Next => {
                assert!(sharing.instances > 0 && proposed.instances == 0, "sets of starts");
                assert_ne!(sharing.transitions, proposed.transitions);
                assert!(optimized.transitions > proposed.transitions);
            }
            Semantics::Strict => {
                assert!(optimized.probes > 0 && optimized.transitions == 0, "backwards");
                assert!(sharing.failures > 0 && proposed.failures == 0, "a dense table");
                let events = events.len() as u64;
                assert_eq!((sharing.transitions, proposed.transitions), (events, events));
                assert!(proposed.bytes != sharing.bytes);
            }
        }
    }
    let set = set(
        &["x: SEQ(A, B[v = A.v])", "y: SEQ(C, A, B[v = A.v])", "z: SEQ(A, C, B[v != A.v])"],
        Semantics::Any,
    );
    let events = stream(&set, &"CAACB".repeat(20));
    let hits = METHODS.map(|method| {
        let mut detector = detector(&set, Config::new().method(method));
        collect(&mut detector, &events);
        detector.stats().bitmap_hits
    });
    assert!(hits[..3].iter().all(|&hits| hits == 0) && hits[3] > 0, "{hits:?}");
}

#[test]
fn what_no_pattern_uses_is_passed_over_and_counted() {
    let set = set(&["x: SEQ(A, B)"], Semantics::Strict);
    for method in METHODS {
        let mut detector = detector(&set, Config::new().method(method).hold_events(2));
        let found = collect(&mut detector, &stream(&set, "-A-BAB"));
        assert_eq!(found, [(0, vec![4, 5])], "{method}");
        assert_eq!(detector.stats().unused, 2);
    }
    let trie = Detector::with_config(&set, Config::new().method(Method::Trie));
    assert_eq!(trie.expect_err("no detection").kind(), ErrorKind::Usage);
}
