//! Faults under the simple join of [`model`](super::model).

use std::collections::BTreeMap;
use std::sync::Arc;

use ujoin::storage::faults::{Crash, Fault, Plan, SimulatedDisk};
use ujoin::storage::{SegmentKind, SegmentOrder, SegmentSpec, SegmentStore, StorageErrorKind};

use super::model::{Fallback, input, lines, oracle, run};

const FAULTS: [Fault; 5] =
    [Fault::ShortWrite, Fault::NoSpace, Fault::Sync, Fault::Io, Fault::PowerCut];
const CRASHES: [Crash; 4] = [Crash::Lose, Crash::Keep, Crash::Tear(1), Crash::Tear(2)];

#[test]
fn without_faults_the_model_is_right_and_spills() {
    let input = input(80);
    let disk = SimulatedDisk::new();
    assert_eq!(run(&disk, &input, Fallback::Stop).unwrap(), 0);
    assert_eq!(lines(&disk), oracle(&input));
    assert!(lines(&disk).len() > 100);
    assert!(disk.operations() > 300, "{} operations", disk.operations());
}

/// A failure at each operation, in each way; then a crash, then the rest. Of the `cases` of crash,
/// fallback and whether the failure stays, `each` says how many are tried at an operation; the next
/// operation goes on with the next. Returns how many failures there were.
fn every_operation(each: usize) -> u64 {
    let cases: Vec<(Crash, Fallback, bool)> = CRASHES
        .into_iter()
        .flat_map(|crash| [Fallback::Stop, Fallback::Keep].map(|fallback| (crash, fallback)))
        .flat_map(|(crash, fallback)| [false, true].map(|lasting| (crash, fallback, lasting)))
        .collect();
    let input = input(50);
    let expected = oracle(&input);
    let mut injected = 0;
    for fault in FAULTS {
        let mut next = cases.iter().cycle();
        'operations: for operation in 1.. {
            for &(crash, fallback, lasting) in next.by_ref().take(each) {
                let case = format!("{fault:?} at {operation}, {crash:?}, {fallback:?}, {lasting}");
                let disk = SimulatedDisk::new();
                disk.plan(Some(Plan { operation, fault, lasting }));
                let result = run(&disk, &input, fallback);
                if disk.failures() == 0 {
                    result.unwrap();
                    break 'operations;
                }
                injected += 1;
                match result {
                    Ok(_) => assert_eq!(lines(&disk), expected, "{case}"),
                    Err(e) => {
                        let full = fault == Fault::NoSpace;
                        let kind = if full { StorageErrorKind::Full } else { StorageErrorKind::Io };
                        assert_eq!(e.kind(), kind, "{case}: {e}");
                        assert_ne!(fault, Fault::ShortWrite, "{case}: {e}");
                    }
                }
                disk.crash(crash);
                run(&disk, &input, fallback).unwrap_or_else(|e| panic!("{case}: resuming: {e}"));
                assert_eq!(lines(&disk), expected, "{case}");
            }
        }
    }
    injected
}

#[test]
fn a_failure_at_every_operation() {
    let injected = every_operation(1);
    println!("{injected} failures: 0 lost, 0 twice");
    assert!(injected > 3000, "{injected}");
}

#[test]
#[ignore = "takes minutes"]
fn every_failure_at_every_operation() {
    let injected = every_operation(16);
    println!("{injected} failures: 0 lost, 0 twice");
    assert!(injected > 50_000, "{injected}");
}

/// Failures follow each other until nothing is left to do: also while resuming, also in the middle
/// of cleaning up after another one.
#[test]
fn failure_upon_failure() {
    let input = input(60);
    let expected = oracle(&input);
    let (mut injected, mut longest) = (0, 0);
    for seed in 0..300_u64 {
        let disk = SimulatedDisk::new();
        let mut random = seed;
        let mut below = |n: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) % n
        };
        let mut failures = 0;
        for attempt in 0.. {
            let fault = FAULTS[below(5) as usize];
            // Later attempts are let through further, or no end would be reached.
            let operation = 1 + below(40 + attempt * 20);
            let lasting = below(2) == 0;
            disk.plan(Some(Plan { operation, fault, lasting }));
            let fallback = [Fallback::Stop, Fallback::Keep][below(2) as usize];
            let result = run(&disk, &input, fallback);
            failures += disk.failures().min(1);
            disk.crash(match below(4) {
                0 => Crash::Lose,
                1 => Crash::Keep,
                _ => Crash::Tear(below(1 << 30)),
            });
            if result.is_ok() {
                break;
            }
            assert!(attempt < 200, "seed {seed} does not get on");
        }
        assert_eq!(lines(&disk), expected, "seed {seed}");
        injected += failures;
        longest = longest.max(failures);
    }
    println!("{injected} failures in 300 runs, up to {longest} in one: 0 lost, 0 twice");
    assert!(injected > 1000 && longest > 5, "{injected}, {longest}");
}

/// Whatever goes wrong and whenever the power goes: what was acknowledged is there, whole; what was
/// not, is there whole or not at all.
#[test]
fn what_is_acknowledged_is_durable() {
    let input = input(40);
    let spec =
        SegmentSpec { kind: SegmentKind::Spilled, order: SegmentOrder::Bucket, shard: 0, out: 0 };
    let mut crashes = 0;
    for fault in FAULTS {
        for operation in 1..60 {
            for steps in 0..8_usize {
                for crash in CRASHES {
                    let disk = SimulatedDisk::new();
                    disk.plan(Some(Plan::at(operation, fault)));
                    let Ok(store) = SegmentStore::open(Arc::new(disk.clone()), 1) else { continue };
                    // By number: the tuples, and whether they must, may or must not be there.
                    let mut written = BTreeMap::new();
                    for step in 0..steps {
                        let tuples = &input[step * 5..step * 5 + 5];
                        if let Ok(Some(meta)) = store.write(spec, tuples) {
                            written.insert(meta.id, (tuples, true));
                        }
                        let oldest = written.first_key_value().map(|(id, _)| *id);
                        if let Some(id) = oldest.filter(|_| step % 3 == 2) {
                            if store.retire(&[id]).is_ok() {
                                written.remove(&id);
                            } else if let Some(segment) = written.get_mut(&id) {
                                segment.1 = false;
                            }
                        }
                    }
                    disk.crash(crash);
                    crashes += 1;
                    drop(store);
                    let case = format!("{fault:?} at {operation}, {steps} steps, {crash:?}");
                    let store = SegmentStore::open(Arc::new(disk), 1).expect(&case);
                    for (id, (tuples, must)) in &written {
                        match store.read(*id) {
                            Ok(mut reader) => {
                                let mut found = Vec::new();
                                reader.read_block(&mut found).expect(&case);
                                assert_eq!(found, *tuples, "{case}");
                            }
                            Err(e) => assert!(!must, "{case}: {e}"),
                        }
                    }
                    for meta in store.segments() {
                        store.read(meta.id).and_then(|mut r| r.verify()).expect(&case);
                    }
                }
            }
        }
    }
    assert!(crashes > 5000, "{crashes}");
}
