//! Segments of a directory, and which of them count.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::manifest::Manifest;
use super::segment::{self, SegmentReader};
use super::{
    SegmentId, SegmentMeta, SegmentSpec, Storage, StorageError, StorageErrorKind, StorageLock,
};
use crate::Tuple;

/// The segments of one directory, which it locks for as long as it lives.
///
/// All methods take `&self`: workers may write and read at the same time.
///
/// A checkpoint may name segments. They are then [*pinned*](SegmentStore::pin): retiring one keeps
/// its file until the next checkpoint no longer names it, so that a process that resumes finds all
/// that its checkpoint speaks of.
pub struct SegmentStore {
    storage: Arc<dyn Storage>,
    config: u64,
    next: AtomicU64,
    state: Mutex<State>,
    _lock: StorageLock,
}

struct State {
    manifest: Manifest,
    /// Every segment in use.
    live: BTreeMap<SegmentId, SegmentMeta>,
    /// Named by the last checkpoint.
    pinned: BTreeSet<SegmentId>,
    /// Out of use, but pinned: still listed.
    retired: BTreeSet<SegmentId>,
    /// Files that may not be removed before the manifest is known not to list them.
    doomed: Vec<SegmentId>,
}

impl SegmentStore {
    /// Opens a directory and recovers what it lists. `config` is a hash of the settings
    /// ([`Settings::hash`](crate::checkpoint::Settings::hash)).
    ///
    /// Of every listed segment the header, the length and the footer are verified here, the blocks
    /// when they are read. To begin afresh, call [`SegmentStore::create`] instead.
    ///
    /// # Errors
    /// [`Locked`](StorageErrorKind::Locked) while another process has it; other settings; a listed
    /// segment that is missing or damaged; the system's errors.
    pub fn open(storage: Arc<dyn Storage>, config: u64) -> Result<SegmentStore, StorageError> {
        let lock = lock_directory(&*storage)?;
        let manifest = Manifest::read(&*storage, config)?;
        let mut next = 0;
        let mut live = BTreeMap::new();
        let names = list(&*storage)?;
        for name in &names {
            let id = segment::id_of(name.strip_suffix(".tmp").unwrap_or(name));
            // Numbers are not used again, not even those of files that go now.
            next = next.max(id.map_or(0, |id| id.0.saturating_add(1)));
            let listed = segment::id_of(name).is_some_and(|id| manifest.listed().contains(&id));
            if id.is_some() && !listed {
                remove(&*storage, name)?;
            }
        }
        for &id in manifest.listed() {
            next = next.max(id.0.saturating_add(1));
            live.insert(id, *SegmentReader::open(&*storage, config, id)?.meta());
        }
        Ok(SegmentStore::with(storage, config, lock, manifest, live, next))
    }

    /// Opens a directory and deletes all segments that an earlier run left, whatever its settings.
    /// Files that are not ours stay.
    ///
    /// # Errors
    /// [`Locked`](StorageErrorKind::Locked) while another process has it; the system's errors.
    pub fn create(storage: Arc<dyn Storage>, config: u64) -> Result<SegmentStore, StorageError> {
        let lock = lock_directory(&*storage)?;
        let names = list(&*storage)?;
        // The manifest goes first, and durably: a list of files that are gone would be an error.
        for name in names.iter().filter(|n| n.starts_with(super::manifest::NAME)) {
            remove(&*storage, name)?;
        }
        sync_dir(&*storage)?;
        for name in &names {
            if segment::id_of(name.strip_suffix(".tmp").unwrap_or(name)).is_some() {
                remove(&*storage, name)?;
            }
        }
        let manifest = Manifest::read(&*storage, config)?;
        Ok(SegmentStore::with(storage, config, lock, manifest, BTreeMap::new(), 0))
    }

    fn with(
        storage: Arc<dyn Storage>,
        config: u64,
        lock: StorageLock,
        manifest: Manifest,
        live: BTreeMap<SegmentId, SegmentMeta>,
        next: u64,
    ) -> SegmentStore {
        let state = State {
            manifest,
            live,
            pinned: BTreeSet::new(),
            retired: BTreeSet::new(),
            doomed: Vec::new(),
        };
        let state = Mutex::new(state);
        SegmentStore { storage, config, next: AtomicU64::new(next), state, _lock: lock }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every critical section leaves the state whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the files are; a [`PayloadLog`](super::PayloadLog) can share it.
    #[must_use]
    pub fn storage(&self) -> &Arc<dyn Storage> {
        &self.storage
    }

    /// Writes one segment. When this returns `Ok` the tuples are durable and may be freed; when it
    /// returns `Err` nothing was written that counts. `None` if there are no tuples.
    ///
    /// # Errors
    /// The system's; [`Full`](StorageErrorKind::Full) if there is no room.
    pub fn write(
        &self,
        spec: SegmentSpec,
        tuples: &[Tuple],
    ) -> Result<Option<SegmentMeta>, StorageError> {
        Ok(self.write_all([(spec, tuples)])?.pop())
    }

    /// Writes several segments, all or none, with one sync of the directory and of the manifest.
    /// Those without tuples are left out of what is returned.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_all<'a>(
        &self,
        segments: impl IntoIterator<Item = (SegmentSpec, &'a [Tuple])>,
    ) -> Result<Vec<SegmentMeta>, StorageError> {
        let mut metas = Vec::new();
        let written = self.write_files(segments, &mut metas);
        let ids: Vec<SegmentId> = metas.iter().map(|m| m.id).collect();
        if let Err(e) = written {
            for &id in &ids {
                self.remove_files(id);
            }
            return Err(e);
        }
        if ids.is_empty() {
            return Ok(metas);
        }
        let mut state = self.state();
        if let Err(e) = state.manifest.change(&*self.storage, &ids, &[]) {
            // They may be listed on disk all the same.
            state.doomed.extend(&ids);
            return Err(e);
        }
        state.live.extend(metas.iter().map(|m| (m.id, *m)));
        self.remove_doomed(&mut state);
        Ok(metas)
    }

    fn write_files<'a>(
        &self,
        segments: impl IntoIterator<Item = (SegmentSpec, &'a [Tuple])>,
        metas: &mut Vec<SegmentMeta>,
    ) -> Result<(), StorageError> {
        let storage = &*self.storage;
        for (spec, tuples) in segments {
            let id = SegmentId(self.next.fetch_add(1, Ordering::Relaxed));
            metas.extend(segment::write_temporary(storage, self.config, id, spec, tuples)?);
        }
        if metas.is_empty() {
            return Ok(());
        }
        for meta in metas.iter() {
            let name = segment::file_name(meta.id);
            storage
                .rename(&segment::temporary_name(meta.id), &name)
                .map_err(|e| StorageError::io(&name, "rename to", e))?;
        }
        sync_dir(storage)
    }

    /// Removes files that nothing lists, as far as that works; the rest is tried another time, and
    /// at the next opening in any case.
    fn remove_doomed(&self, state: &mut State) {
        if !state.manifest.is_settled(&*self.storage) || state.doomed.is_empty() {
            return;
        }
        state.doomed.retain(|&id| !self.remove_files(id));
    }

    /// Whether the segment's files are gone.
    fn remove_files(&self, id: SegmentId) -> bool {
        [segment::file_name(id), segment::temporary_name(id)].iter().all(|name| {
            match self.storage.remove(name) {
                Ok(()) => true,
                Err(e) => e.kind() == io::ErrorKind::NotFound,
            }
        })
    }

    /// Opens a segment for reading.
    ///
    /// # Errors
    /// Missing, damaged, or the system's.
    pub fn read(&self, id: SegmentId) -> Result<SegmentReader, StorageError> {
        SegmentReader::open(&*self.storage, self.config, id)
    }

    /// Gives up segments whose debt is cleared. Their files are deleted, now or, if a checkpoint
    /// names them, after the next one. Numbers that are not in use are ignored.
    ///
    /// # Errors
    /// The manifest cannot be written: the segments remain listed and count as in use. Calling again
    /// is possible; a file that cannot be removed is no error.
    pub fn retire(&self, ids: &[SegmentId]) -> Result<(), StorageError> {
        let mut state = self.state();
        let (pinned, free): (Vec<_>, Vec<_>) = ids
            .iter()
            .copied()
            .filter(|id| state.live.contains_key(id))
            .partition(|id| state.pinned.contains(id));
        for id in pinned {
            state.live.remove(&id);
            state.retired.insert(id);
        }
        self.forget(&mut state, &free)
    }

    fn forget(&self, state: &mut State, ids: &[SegmentId]) -> Result<(), StorageError> {
        if !ids.is_empty() {
            state.manifest.change(&*self.storage, &[], ids)?;
            for id in ids {
                state.live.remove(id);
                state.retired.remove(id);
            }
            state.doomed.extend(ids);
        }
        self.remove_doomed(state);
        Ok(())
    }

    /// Says that a checkpoint is about to name these segments, besides those that the last one names:
    /// until it is known to be durable, a process that resumes may find either.
    pub fn prepare(&self, ids: &[SegmentId]) {
        self.state().pinned.extend(ids);
    }

    /// Says that a durable checkpoint names exactly these segments. Those that the last one named,
    /// that are retired and that this one does not name are deleted.
    ///
    /// # Errors
    /// As [`retire`](Self::retire). The pins are set in any case.
    pub fn pin(&self, ids: &[SegmentId]) -> Result<(), StorageError> {
        let mut state = self.state();
        state.pinned = ids.iter().copied().collect();
        let free: Vec<_> = state.retired.difference(&state.pinned).copied().collect();
        self.forget(&mut state, &free)
    }

    /// At resume: keeps exactly the segments that the checkpoint names, pins them, and deletes
    /// all others, for they were written after it and will be written again.
    ///
    /// # Errors
    /// A named segment is not listed; the manifest cannot be written.
    pub fn keep(&self, ids: &[SegmentId]) -> Result<(), StorageError> {
        let mut state = self.state();
        let kept: BTreeSet<SegmentId> = ids.iter().copied().collect();
        if let Some(missing) = kept.iter().find(|id| !state.live.contains_key(id)) {
            let name = segment::file_name(*missing);
            let reason = "the checkpoint names this segment, and the manifest does not list it";
            return Err(StorageError::new(StorageErrorKind::Missing, &name, reason));
        }
        let free: Vec<_> = state.live.keys().copied().filter(|id| !kept.contains(id)).collect();
        state.pinned = kept;
        self.forget(&mut state, &free)
    }

    /// All segments in use, by number.
    #[must_use]
    pub fn segments(&self) -> Vec<SegmentMeta> {
        self.state().live.values().copied().collect()
    }

    /// The memory that the list of segments takes, in bytes: part of a budget.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let state = self.state();
        let each = size_of::<(SegmentId, SegmentMeta)>() + 2 * size_of::<SegmentId>();
        (state.live.len() + state.retired.len() + state.doomed.len()) * each
    }

    /// How many bytes the segments in use have on disk.
    #[must_use]
    pub fn disk_bytes(&self) -> u64 {
        self.state().live.values().map(SegmentMeta::file_bytes).sum()
    }
}

fn lock_directory(storage: &dyn Storage) -> Result<StorageLock, StorageError> {
    storage.lock().map_err(|e| match e.kind() {
        io::ErrorKind::WouldBlock => StorageError::new(
            StorageErrorKind::Locked,
            &storage.place(),
            "another process uses this directory",
        ),
        _ => StorageError::io(&storage.place(), "lock the directory", e),
    })
}

fn list(storage: &dyn Storage) -> Result<Vec<String>, StorageError> {
    storage.list().map_err(|e| StorageError::io(&storage.place(), "list the directory", e))
}

fn remove(storage: &dyn Storage, name: &str) -> Result<(), StorageError> {
    match storage.remove(name) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => {
            Err(StorageError::io(name, "remove the file", e))
        }
        _ => Ok(()),
    }
}

fn sync_dir(storage: &dyn Storage) -> Result<(), StorageError> {
    if storage.is_temporary() {
        return Ok(());
    }
    storage.sync_dir().map_err(|e| StorageError::io(&storage.place(), "sync the directory", e))
}

impl fmt::Debug for SegmentStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SegmentStore")
            .field("place", &self.storage.place())
            .field("segments", &self.segments().len())
            .finish_non_exhaustive()
    }
}
