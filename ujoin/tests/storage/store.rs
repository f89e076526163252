//! Which segments count: the manifest, pins, the lock.

use std::io::Write;
use std::sync::Arc;

use proptest::prelude::*;
use ujoin::storage::{Files, Memory, SegmentId, SegmentStore, Storage, StorageErrorKind};

use super::{SPILLED, tuples};

fn open(memory: &Memory) -> SegmentStore {
    SegmentStore::open(Arc::new(memory.clone()), 1).unwrap()
}

fn ids(store: &SegmentStore) -> Vec<u64> {
    store.segments().iter().map(|m| m.id.0).collect()
}

/// The segments that have a file.
fn files(memory: &Memory) -> Vec<u64> {
    let number = |name: &String| u64::from_str_radix(name.strip_suffix(".segment")?, 16).ok();
    let mut all: Vec<u64> = memory.list().unwrap().iter().filter_map(number).collect();
    all.sort_unstable();
    all
}

fn write(store: &SegmentStore, n: u64) -> Vec<SegmentId> {
    (0..n)
        .map(|i| store.write(SPILLED, &tuples(i * 10..i * 10 + 10)).unwrap().unwrap().id)
        .collect()
}

#[test]
fn a_manifest_counts_up_to_its_first_torn_line() {
    let memory = Memory::new();
    write(&open(&memory), 5);
    let manifest = memory.contents("MANIFEST").unwrap();
    let ends: Vec<usize> =
        manifest.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1).collect();
    assert_eq!(ends.len(), 6, "a title and five lines");
    let segments: Vec<(String, Vec<u8>)> = memory
        .list()
        .unwrap()
        .into_iter()
        .filter(|n| n.ends_with(".segment"))
        .map(|n| (n.clone(), memory.contents(&n).unwrap()))
        .collect();
    for length in 0..=manifest.len() {
        for garbage in [&b""[..], b"\n", b"add 9 00000000\n", &[0; 40]] {
            let memory = Memory::new();
            segments.iter().for_each(|(n, b)| memory.put(n, b.clone()));
            memory.put("0000000000000009.segment.tmp", vec![1]);
            memory.put("MANIFEST", [&manifest[..length], garbage].concat());
            // A line that only lacks its end is whole with it.
            let whole = ends.iter().filter(|&&e| e <= length).count()
                + usize::from(garbage == b"\n" && ends.contains(&(length + 1)));
            if whole == 0 {
                let e = SegmentStore::open(Arc::new(memory), 1).unwrap_err();
                assert_eq!((e.kind(), e.file()), (StorageErrorKind::Corrupt, "MANIFEST"));
                continue;
            }
            let listed: Vec<u64> = (0..whole as u64 - 1).collect();
            let store = open(&memory);
            assert_eq!(ids(&store), listed, "{length} bytes and {garbage:?}");
            assert_eq!(files(&memory), listed, "what is not listed is deleted");
            assert!(memory.contents("0000000000000009.segment.tmp").is_none());
            // And what is written now is found next time.
            let id = write(&store, 1)[0];
            assert!(id.0 > 9, "a number is not used twice");
            drop(store);
            assert_eq!(ids(&open(&memory)), [&listed[..], &[id.0]].concat());
        }
    }
}

#[test]
fn a_listed_segment_that_is_missing_is_an_error() {
    let memory = Memory::new();
    write(&open(&memory), 2);
    memory.remove("0000000000000001.segment").unwrap();
    let e = SegmentStore::open(Arc::new(memory), 1).unwrap_err();
    assert_eq!(e.kind(), StorageErrorKind::Missing);
    assert_eq!(e.file(), "0000000000000001.segment");
}

#[test]
fn a_manifest_that_lies_is_an_error() {
    let line = |text: &str| format!("{text} {:08x}\n", crc32fast::hash(text.as_bytes()));
    let title = line("ujoin-manifest 1 1");
    for (text, kind) in [
        (line("ujoin-manifest 2 1"), StorageErrorKind::Version),
        (line("ujoin-manifest 1 2"), StorageErrorKind::Config),
        (line("something else"), StorageErrorKind::Corrupt),
        (line("ujoin-manifest 1"), StorageErrorKind::Corrupt),
        (title.clone() + &line("drop 3"), StorageErrorKind::Corrupt),
        (title.clone() + &line("add 3") + &line("add 3"), StorageErrorKind::Corrupt),
        (title.clone() + &line("add x"), StorageErrorKind::Corrupt),
        (title.clone() + &line("add 3 4"), StorageErrorKind::Corrupt),
        (title.clone() + &line("forget 3"), StorageErrorKind::Corrupt),
    ] {
        let memory = Memory::new();
        memory.put("MANIFEST", text.clone().into_bytes());
        let e = SegmentStore::open(Arc::new(memory), 1).unwrap_err();
        assert_eq!((e.kind(), e.file()), (kind, "MANIFEST"), "{text}");
    }
}

#[test]
fn retired_segments_are_deleted_unless_a_checkpoint_names_them() {
    let memory = Memory::new();
    let store = open(&memory);
    let s = write(&store, 5);
    store.retire(&[s[0]]).unwrap();
    assert_eq!((ids(&store), files(&memory)), (vec![1, 2, 3, 4], vec![1, 2, 3, 4]));

    store.prepare(&[s[1], s[2]]);
    store.pin(&[s[1], s[2]]).unwrap();
    store.retire(&[s[1], s[3], SegmentId(99)]).unwrap();
    assert_eq!((ids(&store), files(&memory)), (vec![2, 4], vec![1, 2, 4]));

    // Between preparing and pinning, both checkpoints may be found.
    store.prepare(&[s[2], s[4]]);
    store.retire(&[s[4]]).unwrap();
    assert_eq!((ids(&store), files(&memory)), (vec![2], vec![1, 2, 4]));
    store.pin(&[s[2], s[4]]).unwrap();
    assert_eq!((ids(&store), files(&memory)), (vec![2], vec![2, 4]));

    // A process that resumes here finds what its checkpoint names.
    let later = write(&store, 1)[0];
    drop(store);
    let store = open(&memory);
    assert_eq!(ids(&store), [2, 4, later.0]);
    store.keep(&[s[2], s[4]]).unwrap();
    assert_eq!((ids(&store), files(&memory)), (vec![2, 4], vec![2, 4]));
    store.retire(&[s[4]]).unwrap();
    assert_eq!((ids(&store), files(&memory)), (vec![2], vec![2, 4]));
    let e = store.keep(&[s[2], s[0]]).unwrap_err();
    assert_eq!((e.kind(), e.file()), (StorageErrorKind::Missing, "0000000000000000.segment"));
}

#[test]
fn a_temporary_directory_has_no_manifest() {
    let files = Files::temporary().unwrap();
    let path = files.directory().to_owned();
    let names = || {
        let entries = std::fs::read_dir(&path).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let store = SegmentStore::create(Arc::new(files), 1).unwrap();
    let s = write(&store, 3);
    store.read(s[1]).unwrap().verify().unwrap();
    store.retire(&s[..2]).unwrap();
    assert_eq!(ids(&store), [2]);
    assert_eq!(names(), ["0000000000000002.segment", "LOCK"]);
    drop(store);
    assert!(!path.exists());
}

#[test]
fn the_manifest_does_not_grow_for_ever() {
    let memory = Memory::new();
    let store = open(&memory);
    let mut longest = 0;
    for _ in 0..6000 {
        let id = store.write(SPILLED, &tuples(0..1)).unwrap().unwrap().id;
        store.retire(&[id]).unwrap();
        longest = longest.max(memory.contents("MANIFEST").unwrap().len());
    }
    assert!(longest < 120_000, "{longest} bytes");
    assert!(memory.contents("MANIFEST").unwrap().len() < longest, "it was written anew");
}

#[test]
fn beginning_afresh_leaves_the_files_of_others() {
    let memory = Memory::new();
    write(&open(&memory), 3);
    memory.put("letter.txt", b"dear all".to_vec());
    memory.put("xyz.segment", vec![]);
    // Whatever the settings were.
    let store = SegmentStore::create(Arc::new(memory.clone()), 2).unwrap();
    assert_eq!(ids(&store), [] as [u64; 0]);
    let mut left = memory.list().unwrap();
    left.sort();
    assert_eq!(left, ["letter.txt", "xyz.segment"]);
    write(&store, 1);
    drop(store);
    assert_eq!(SegmentStore::open(Arc::new(memory), 2).unwrap().segments().len(), 1);
}

#[test]
fn one_process_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let storages: [Arc<dyn Storage>; 2] =
        [Arc::new(Files::open(directory.path()).unwrap()), Arc::new(Memory::new())];
    for storage in storages {
        let store = SegmentStore::open(storage.clone(), 1).unwrap();
        for e in [
            SegmentStore::open(storage.clone(), 1).unwrap_err(),
            SegmentStore::create(storage.clone(), 1).unwrap_err(),
        ] {
            assert_eq!(e.kind(), StorageErrorKind::Locked);
            assert_eq!(e.file(), storage.place());
        }
        drop(store);
        SegmentStore::open(storage, 1).unwrap();
    }
}

#[test]
fn a_lock_file_that_a_killed_process_left_is_no_obstacle() {
    let directory = tempfile::tempdir().unwrap();
    let mut file = std::fs::File::create(directory.path().join("LOCK")).unwrap();
    file.write_all(b"4711").unwrap();
    drop(file);
    SegmentStore::open(Arc::new(Files::open(directory.path()).unwrap()), 1).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any order of writing, retiring, pinning and opening again agrees with two sets.
    #[test]
    fn a_model_of_two_sets(steps in prop::collection::vec((0..5_u8, any::<prop::sample::Index>()), 1..60)) {
        let memory = Memory::new();
        let mut store = open(&memory);
        let (mut live, mut pinned, mut kept) = (Vec::<u64>::new(), Vec::new(), Vec::<u64>::new());
        for (step, pick) in steps {
            match step {
                0 | 1 => live.push(write(&store, 1)[0].0),
                2 if !live.is_empty() => {
                    let id = live.remove(pick.index(live.len()));
                    store.retire(&[SegmentId(id)]).unwrap();
                    if pinned.contains(&id) {
                        kept.push(id);
                    }
                }
                3 => {
                    pinned = live.clone();
                    kept.clear();
                    let named: Vec<SegmentId> = pinned.iter().map(|&id| SegmentId(id)).collect();
                    store.prepare(&named);
                    store.pin(&named).unwrap();
                }
                4 => {
                    drop(store);
                    store = open(&memory);
                    let named: Vec<SegmentId> = pinned.iter().map(|&id| SegmentId(id)).collect();
                    store.keep(&named).unwrap();
                    live = pinned.clone();
                    kept.clear();
                }
                _ => {}
            }
            prop_assert_eq!(ids(&store), live.clone());
            let mut on_disk = [&live[..], &kept].concat();
            on_disk.sort_unstable();
            prop_assert_eq!(files(&memory), on_disk);
            let total: u64 = store.segments().iter().map(|m| m.file_bytes()).sum();
            prop_assert_eq!(store.disk_bytes(), total);
        }
    }
}
