//! One segment: format, checksums, reading in part.

use std::sync::Arc;

use proptest::prelude::*;
use ujoin::Tuple;
use ujoin::storage::{
    Files, Memory, RECORDS_PER_BLOCK, SegmentId, SegmentStore, Storage, StorageError,
    StorageErrorKind,
};

use super::{ARRIVALS, SPILLED, any_tuple, tuple, tuples};

const CONFIG: u64 = 0xfeed;

fn read_all(store: &SegmentStore, id: SegmentId) -> Result<Vec<Tuple>, StorageError> {
    let mut reader = store.read(id)?;
    let (mut all, mut block) = (Vec::new(), Vec::new());
    while reader.read_block(&mut block)? {
        assert!(block.len() <= RECORDS_PER_BLOCK);
        all.extend_from_slice(&block);
    }
    Ok(all)
}

fn segment_file(memory: &Memory) -> String {
    let names = memory.list().unwrap();
    names.into_iter().find(|n| n.ends_with(".segment")).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read(tuples in prop::collection::vec(any_tuple(), 1..4000)) {
        let memory = Memory::new();
        let store = SegmentStore::open(Arc::new(memory.clone()), CONFIG).unwrap();
        let meta = store.write(SPILLED, &tuples).unwrap().unwrap();
        prop_assert_eq!(meta.count, tuples.len() as u64);
        prop_assert_eq!(meta.spec, SPILLED);
        prop_assert_eq!(meta.seqs.0, tuples.iter().map(|t| t.seq).min().unwrap());
        prop_assert_eq!(meta.seqs.1, tuples.iter().map(|t| t.seq).max().unwrap());
        prop_assert_eq!(meta.times.0, tuples.iter().map(|t| t.time).min().unwrap());
        prop_assert_eq!(meta.times.1, tuples.iter().map(|t| t.time).max().unwrap());
        let p = tuples.iter().map(|t| t.probability);
        prop_assert_eq!(meta.max_probability, p.clone().max().unwrap());
        prop_assert_eq!(meta.min_probability, p.min().unwrap());
        let bytes = memory.contents(&segment_file(&memory)).unwrap().len();
        prop_assert_eq!(meta.file_bytes(), bytes as u64);
        prop_assert_eq!(&read_all(&store, meta.id).unwrap(), &tuples);
        // What the file says is what the writer said.
        drop(store);
        let store = SegmentStore::open(Arc::new(memory), CONFIG).unwrap();
        prop_assert_eq!(store.segments(), vec![meta]);
        prop_assert_eq!(read_all(&store, meta.id).unwrap(), tuples);
    }

    #[test]
    fn a_seq_is_found(step in 1_u64..5, count in 1_u64..6000, wanted in 0_u64..30_000) {
        let tuples: Vec<Tuple> = (0..count).map(|n| tuple(10 + n * step)).collect();
        let store = SegmentStore::open(Arc::new(Memory::new()), CONFIG).unwrap();
        let id = store.write(ARRIVALS, &tuples).unwrap().unwrap().id;
        let mut reader = store.read(id).unwrap();
        let (mut block, mut rest) = (Vec::new(), Vec::<Tuple>::new());
        reader.seek_seq(wanted, &mut block).unwrap();
        let mut skipped = 0;
        while reader.read_block(&mut block).unwrap() {
            skipped += block.iter().filter(|t| t.seq < wanted).count();
            rest.extend(block.iter().filter(|t| t.seq >= wanted));
        }
        prop_assert!(skipped < RECORDS_PER_BLOCK);
        let expected: Vec<Tuple> = tuples.into_iter().filter(|t| t.seq >= wanted).collect();
        prop_assert_eq!(rest, expected);
    }
}

/// Opens a directory whose one segment has these bytes and reads it through.
fn open_damaged(memory: &Memory, name: &str, bytes: Vec<u8>) -> Result<Vec<Tuple>, StorageError> {
    memory.put(name, bytes);
    let store = SegmentStore::open(Arc::new(memory.clone()), CONFIG)?;
    read_all(&store, SegmentId(0))
}

fn written(tuples: &[Tuple]) -> (Memory, String, Vec<u8>) {
    let memory = Memory::new();
    let store = SegmentStore::open(Arc::new(memory.clone()), CONFIG).unwrap();
    store.write(SPILLED, tuples).unwrap();
    let name = segment_file(&memory);
    let bytes = memory.contents(&name).unwrap();
    (memory, name, bytes)
}

#[test]
fn every_flipped_bit_is_an_error() {
    let (memory, name, sound) = written(&tuples(0..20));
    for at in 0..sound.len() {
        for bit in 0..8 {
            let mut bytes = sound.clone();
            bytes[at] ^= 1 << bit;
            let e = open_damaged(&memory, &name, bytes).unwrap_err();
            let kind = e.kind();
            let version = (8..12).contains(&at) && kind == StorageErrorKind::Version;
            assert!(kind == StorageErrorKind::Corrupt || version, "byte {at}: {e}");
            assert_eq!(e.file(), name);
        }
    }
    assert_eq!(open_damaged(&memory, &name, sound).unwrap(), tuples(0..20));
}

#[test]
fn every_cut_and_everything_added_is_an_error() {
    let (memory, name, sound) = written(&tuples(0..20));
    for length in 0..sound.len() {
        let e = open_damaged(&memory, &name, sound[..length].to_vec()).unwrap_err();
        assert_eq!(e.kind(), StorageErrorKind::Corrupt, "{length} bytes: {e}");
    }
    let longer = [&sound[..], b"x"].concat();
    assert_eq!(open_damaged(&memory, &name, longer).unwrap_err().kind(), StorageErrorKind::Corrupt);
}

#[test]
fn the_error_names_the_block() {
    let all = tuples(0..4 * RECORDS_PER_BLOCK as u64);
    let (memory, name, sound) = written(&all);
    let block = RECORDS_PER_BLOCK * 40 + 4;
    let mut bytes = sound.clone();
    bytes[128 + 2 * block + 100] ^= 1;
    let e = open_damaged(&memory, &name, bytes).unwrap_err();
    assert_eq!((e.kind(), e.block()), (StorageErrorKind::Corrupt, Some(2)));
    assert_eq!(
        e.to_string(),
        "0000000000000000.segment, block 2: the block does not fit its checksum"
    );

    // Two blocks in each other's place are whole, each by itself.
    let mut bytes = sound;
    let (a, b) = bytes[128..].split_at_mut(block);
    a.swap_with_slice(&mut b[..block]);
    assert_eq!(open_damaged(&memory, &name, bytes).unwrap_err().block(), Some(0));
}

#[test]
fn a_segment_in_place_of_another_is_an_error() {
    let memory = Memory::new();
    let store = SegmentStore::open(Arc::new(memory.clone()), CONFIG).unwrap();
    let a = store.write(SPILLED, &tuples(0..20)).unwrap().unwrap().id;
    let b = store.write(SPILLED, &tuples(20..40)).unwrap().unwrap().id;
    let name = |id: SegmentId| format!("{:016x}.segment", id.0);
    memory.put(&name(a), memory.contents(&name(b)).unwrap());
    assert_eq!(store.read(a).unwrap_err().kind(), StorageErrorKind::Corrupt);
    assert_eq!(read_all(&store, b).unwrap(), tuples(20..40));
}

#[test]
fn other_settings_are_refused() {
    let (memory, ..) = written(&tuples(0..20));
    let e = SegmentStore::open(Arc::new(memory), CONFIG + 1).unwrap_err();
    assert_eq!(e.kind(), StorageErrorKind::Config);
}

#[test]
fn no_tuples_are_no_segment() {
    let memory = Memory::new();
    let store = SegmentStore::open(Arc::new(memory.clone()), CONFIG).unwrap();
    assert_eq!(store.write(SPILLED, &[]).unwrap(), None);
    assert_eq!(memory.list().unwrap(), Vec::<String>::new());
    let two = tuples(0..2);
    let metas = store.write_all([(SPILLED, &[][..]), (SPILLED, &two[..])]).unwrap();
    assert_eq!(metas.len(), 1);
    assert_eq!(read_all(&store, metas[0].id).unwrap(), two);
}

#[test]
fn files_are_as_memory() {
    let directory = tempfile::tempdir().unwrap();
    let files = Files::open(directory.path()).unwrap();
    let all = tuples(0..10_000);
    let meta = {
        let store = SegmentStore::open(Arc::new(files.clone()), CONFIG).unwrap();
        store.write(SPILLED, &all).unwrap().unwrap()
    };
    let memory = Memory::new();
    let store = SegmentStore::open(Arc::new(memory.clone()), CONFIG).unwrap();
    store.write(SPILLED, &all).unwrap();
    let name = segment_file(&memory);
    assert_eq!(std::fs::read(files.directory().join(&name)).ok(), memory.contents(&name));
    let store = SegmentStore::open(Arc::new(files), CONFIG).unwrap();
    assert_eq!(store.segments(), [meta]);
    assert_eq!(read_all(&store, meta.id).unwrap(), all);
}
