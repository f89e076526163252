//! Checkpoints and the sink that goes with them.

use std::sync::Arc;

use proptest::prelude::*;
use ujoin::checkpoint::{
    Checkpoint, Delivered, InputPosition, ResultsFile, SegmentState, Settings, SinkPosition,
};
use ujoin::storage::{
    Memory, PayloadFile, PayloadState, SegmentId, Storage, StorageError, StorageErrorKind,
};
use ujoin::{Pair, Product, Tuple};

use super::{any_tuple, tuple, tuples};

fn settings() -> Settings {
    Settings::new().with("threshold", "0.7").with_bytes("travel times", [1, 2, 3])
}

fn load(memory: &Memory) -> Result<Option<(Checkpoint, Vec<Tuple>)>, StorageError> {
    let mut live = Vec::new();
    let found =
        Checkpoint::load(memory, "run", &settings(), |tuples| live.extend_from_slice(tuples))?;
    Ok(found.map(|c| (c, live)))
}

fn any_checkpoint() -> impl Strategy<Value = Checkpoint> {
    let inputs = prop::collection::vec((any::<u64>(), any::<u64>()), 0..4);
    let segments = prop::collection::vec((any::<u64>(), any::<u64>()), 0..9000);
    let sections = prop::collection::btree_map(
        "[a-z]{0,9}",
        prop_oneof![
            prop::collection::vec(any::<u8>(), 0..50),
            (0..200_000_usize).prop_map(|n| (0..n).map(|i| (i / 7) as u8).collect()),
        ],
        0..4,
    );
    let numbers = (any::<u64>(), any::<Option<i64>>(), any::<u64>(), any::<u64>());
    (inputs, segments, sections, numbers).prop_map(|(inputs, segments, sections, n)| Checkpoint {
        inputs: inputs.into_iter().map(|(offset, rows)| InputPosition { offset, rows }).collect(),
        next_seq: n.0,
        watermark: n.1,
        payload: PayloadState {
            files: segments.iter().map(|&(id, last)| PayloadFile { id, last, bytes: 9 }).collect(),
        },
        segments: segments
            .into_iter()
            .map(|(id, out)| SegmentState { id: SegmentId(id), out })
            .collect(),
        sink: SinkPosition { bytes: n.2, results: n.3 },
        sections,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_saved_is_loaded(
        checkpoint in any_checkpoint(),
        live in prop::collection::vec(any_tuple(), 0..5000),
    ) {
        let memory = Memory::new();
        prop_assert!(load(&memory).unwrap().is_none());
        checkpoint.save(&memory, "run", &settings(), tuples(0..9)).unwrap();
        checkpoint.save(&memory, "run", &settings(), live.iter().copied()).unwrap();
        prop_assert_eq!(load(&memory).unwrap(), Some((checkpoint, live)));
        prop_assert_eq!(memory.list().unwrap(), ["run"]);
    }
}

fn small() -> (Memory, Vec<u8>, Checkpoint) {
    let memory = Memory::new();
    let checkpoint = Checkpoint {
        inputs: vec![InputPosition { offset: 7, rows: 3 }],
        watermark: Some(-1),
        segments: vec![SegmentState { id: SegmentId(4), out: 5 }],
        sections: [("rows".to_owned(), b"abc".to_vec())].into(),
        ..Checkpoint::default()
    };
    checkpoint.save(&memory, "run", &settings(), tuples(0..3)).unwrap();
    let bytes = memory.contents("run").unwrap();
    (memory, bytes, checkpoint)
}

#[test]
fn every_flipped_bit_and_every_cut_is_an_error() {
    let (memory, sound, checkpoint) = small();
    for at in 0..sound.len() {
        for bit in 0..8 {
            let mut bytes = sound.clone();
            bytes[at] ^= 1 << bit;
            memory.put("run", bytes);
            let e = load(&memory).unwrap_err();
            let version = (8..12).contains(&at) && e.kind() == StorageErrorKind::Version;
            assert!(e.kind() == StorageErrorKind::Corrupt || version, "byte {at}: {e}");
        }
        memory.put("run", sound[..at].to_vec());
        assert_eq!(load(&memory).unwrap_err().kind(), StorageErrorKind::Corrupt, "{at} bytes");
    }
    memory.put("run", [&sound[..], &[0]].concat());
    assert_eq!(load(&memory).unwrap_err().kind(), StorageErrorKind::Corrupt);
    memory.put("run", sound);
    assert_eq!(load(&memory).unwrap(), Some((checkpoint, tuples(0..3))));
}

#[test]
fn other_settings_are_refused_by_name() {
    let (memory, ..) = small();
    let base = || Settings::new().with("threshold", "0.7");
    for (other, message) in [
        (
            Settings::new().with("threshold", "0.8").with_bytes("travel times", [1, 2, 3]),
            "run: the checkpoint was made with threshold 0.7; this run has threshold 0.8",
        ),
        (
            settings().with("mode", "observation"),
            "run: the checkpoint was made without mode; this run has mode observation",
        ),
        (base(), "run: the checkpoint was made with travel times hash"),
        (
            base().with_bytes("travel times", [1, 2, 4]),
            "run: the checkpoint was made with travel times hash",
        ),
    ] {
        let e = Checkpoint::load(&memory, "run", &other, |_| ()).unwrap_err();
        assert_eq!(e.kind(), StorageErrorKind::Config);
        let shown = e.to_string();
        assert!(shown.starts_with(message), "{shown}");
        assert_ne!(other.hash(), settings().hash());
    }
}

#[test]
fn a_hash_that_never_changes() {
    // Segments on disk carry it.
    assert_eq!(Settings::new().hash(), 0xcbf2_9ce4_8422_2325);
    let a = Settings::new().with("a", "bc").hash();
    assert_ne!(a, Settings::new().with("ab", "c").hash());
    assert_ne!(a, Settings::new().with("a", "b").with("c", "").hash());
}

#[test]
fn results_are_cut_back_to_what_was_committed() {
    let memory = Memory::new();
    let storage: Arc<dyn Storage> = Arc::new(memory.clone());
    let mut out = ResultsFile::create(storage.clone(), "out").unwrap();
    out.write_result(b"one\n").unwrap();
    let committed = out.commit().unwrap();
    assert_eq!(committed, SinkPosition { bytes: 4, results: 1 });
    out.write_result(b"two\n").unwrap();
    out.flush().unwrap();
    assert_eq!(out.position(), SinkPosition { bytes: 8, results: 2 });
    drop(out);
    assert_eq!(memory.contents("out").unwrap(), b"one\ntwo\n");
    let mut out = ResultsFile::resume(storage.clone(), "out", committed).unwrap();
    out.write_result(b"2\n").unwrap();
    assert_eq!(out.commit().unwrap(), SinkPosition { bytes: 6, results: 2 });
    assert_eq!(memory.contents("out").unwrap(), b"one\n2\n");

    let gone = SinkPosition { bytes: 99, results: 9 };
    let e = ResultsFile::resume(storage.clone(), "out", gone).unwrap_err();
    assert_eq!(e.kind(), StorageErrorKind::Corrupt);
    let e = ResultsFile::resume(storage, "other", gone).unwrap_err();
    assert_eq!(e.kind(), StorageErrorKind::Missing);
}

#[test]
fn a_result_that_is_out_does_not_come_again() {
    let pair = |a: u64, b: u64| Pair {
        first: tuple(a),
        second: tuple(b),
        probability: Product::from_units(1),
        limit: 1,
    };
    let mut out = Delivered::new([(1, 2), (5, 3)]);
    assert!(out.is_new(&pair(1, 3)));
    assert!(!out.is_new(&pair(2, 1)));
    assert_eq!(out.len(), 1);
    assert!(!out.is_new(&pair(3, 5)));
    assert!(out.is_empty());
    assert!(out.is_new(&pair(3, 5)));
}
