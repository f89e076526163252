//! Rows by number.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use ujoin::storage::{Memory, PayloadLog, PayloadState, Storage, StorageErrorKind};

fn row(seq: u64, length: usize) -> Vec<u8> {
    (0..length).map(|i| (seq as usize * 31 + i) as u8).collect()
}

fn row_files(memory: &Memory) -> Vec<String> {
    memory.list().unwrap().into_iter().filter(|n| n.ends_with(".rows")).collect()
}

#[derive(Clone, Debug)]
enum Step {
    /// So many rows, so far apart, so long.
    Push(u64, u64, usize),
    Spill,
    Forget(prop::sample::Index),
    Checkpoint,
    Resume,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (1..200_u64, prop_oneof![Just(1_u64), 1..5_u64, Just(1 << 33)], 0..2000_usize)
            .prop_map(|(n, gap, length)| Step::Push(n, gap, length)),
        1 => Just(Step::Push(1, 1, 200_000)),
        4 => Just(Step::Spill),
        2 => any::<prop::sample::Index>().prop_map(Step::Forget),
        2 => Just(Step::Checkpoint),
        1 => Just(Step::Resume),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_model_of_a_map(steps in prop::collection::vec(step(), 1..40), limit in 0..400_000_usize) {
        let memory = Memory::new();
        let create = || PayloadLog::create(Arc::new(memory.clone()), limit).unwrap();
        let mut log = create();
        let mut model = BTreeMap::<u64, usize>::new();
        let mut next = 5;
        let mut saved = (PayloadState::default(), BTreeMap::new(), next);
        let mut bytes = Vec::new();
        for step in steps {
            match step {
                Step::Push(n, gap, length) => {
                    for _ in 0..n {
                        log.push(next, &row(next, length));
                        model.insert(next, length);
                        next += gap;
                    }
                }
                Step::Spill => {
                    log.spill().unwrap();
                    let overhead = log_overhead(&model);
                    prop_assert!(log.bytes() <= limit / 2 + overhead, "{} of {limit}", log.bytes());
                }
                Step::Forget(pick) if !model.is_empty() => {
                    let forgotten = *model.keys().nth(pick.index(model.len())).unwrap();
                    log.forget_before(forgotten);
                    model = model.split_off(&forgotten);
                }
                Step::Forget(_) => {}
                Step::Checkpoint => {
                    let state = log.persist().unwrap();
                    log.prepare(&state);
                    log.pin(&state);
                    prop_assert_eq!(row_files(&memory).len(), state.files.len());
                    saved = (state, model.clone(), next);
                }
                Step::Resume => {
                    log = PayloadLog::recover(Arc::new(memory.clone()), limit, &saved.0).unwrap();
                    model = saved.1.clone();
                    next = saved.2;
                    prop_assert_eq!(row_files(&memory).len(), saved.0.files.len());
                }
            }
        }
        for (&seq, &length) in &model {
            prop_assert!(log.get(seq, &mut bytes).unwrap(), "row {seq}");
            prop_assert_eq!(&bytes, &row(seq, length));
            if !model.contains_key(&(seq + 1)) {
                prop_assert!(!log.get(seq + 1, &mut bytes).unwrap());
            }
        }
        prop_assert!(!log.get(4, &mut bytes).unwrap());
        prop_assert!(!log.get(u64::MAX, &mut bytes).unwrap());
        log.pin(&PayloadState::default());
        log.forget_before(u64::MAX);
        prop_assert_eq!(row_files(&memory), Vec::<String>::new());
        prop_assert!(log.bytes() < 100);
    }
}

/// The index of pages on disk: rows whose numbers are far apart have a page each.
fn log_overhead(model: &BTreeMap<u64, usize>) -> usize {
    1000 + model.len() * 160
}

#[test]
fn memory_stays_small_and_files_go() {
    let memory = Memory::new();
    let limit = 1 << 20;
    let mut log = PayloadLog::create(Arc::new(memory.clone()), limit).unwrap();
    let (mut most, mut most_on_disk) = (0, 0);
    let window = 200_000;
    for seq in 0..1_000_000_u64 {
        log.push(seq, &row(seq, 50));
        if log.over_limit() {
            log.spill().unwrap();
        }
        if seq % 1000 == 0 {
            log.forget_before(u64::saturating_sub(seq, window));
            most = most.max(log.bytes());
            most_on_disk = most_on_disk.max(memory.bytes());
        }
    }
    assert!(most <= limit + 100_000, "{most} bytes in memory");
    assert!(most_on_disk < 58 * (window + 30_000), "{most_on_disk} bytes on disk");
    assert!(log.spilled_bytes() > 40_000_000);
    let mut bytes = Vec::new();
    for seq in (999_999 - window..1_000_000).step_by(4999) {
        assert!(log.get(seq, &mut bytes).unwrap());
        assert_eq!(bytes, row(seq, 50));
    }
}

#[test]
fn damage_is_an_error() {
    let memory = Memory::new();
    let mut log = PayloadLog::create(Arc::new(memory.clone()), 0).unwrap();
    (0..2000).for_each(|seq| log.push(seq, &row(seq, 50)));
    let state = log.persist().unwrap();
    log.spill().unwrap();
    let [name] = &row_files(&memory)[..] else { panic!("one file") };
    let sound = memory.contents(name).unwrap();
    let mut bytes = Vec::new();
    for at in (0..sound.len()).step_by(97).chain(sound.len() - 100..sound.len()) {
        let mut damaged = sound.clone();
        damaged[at] ^= 4;
        memory.put(name, damaged);
        let result = PayloadLog::recover(Arc::new(memory.clone()), 0, &state)
            .and_then(|mut log| (0..2000).try_for_each(|seq| log.get(seq, &mut bytes).map(drop)));
        let e = result.unwrap_err();
        assert_eq!((e.kind(), e.file()), (StorageErrorKind::Corrupt, name.as_str()), "byte {at}");
    }
    memory.put(name, sound[..sound.len() - 1].to_vec());
    let e = PayloadLog::recover(Arc::new(memory.clone()), 0, &state).unwrap_err();
    assert_eq!(e.kind(), StorageErrorKind::Corrupt);
    memory.remove(name).unwrap();
    let e = PayloadLog::recover(Arc::new(memory.clone()), 0, &state).unwrap_err();
    assert_eq!(e.kind(), StorageErrorKind::Missing);
}

#[test]
fn without_a_directory_all_stays_in_memory() {
    let mut log = PayloadLog::in_memory();
    (0..100_000).for_each(|seq| log.push(seq, &row(seq, 20)));
    assert!(!log.over_limit());
    log.spill().unwrap();
    let mut bytes = Vec::new();
    assert!(log.get(77_777, &mut bytes).unwrap());
    assert_eq!(bytes, row(77_777, 20));
    assert_eq!(log.persist().unwrap_err().kind(), StorageErrorKind::Missing);
}
