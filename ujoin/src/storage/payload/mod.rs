//! Opaque bytes by sequence number: what a program keeps of each row until no result can need it.

mod page;

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use hashbrown::HashMap;

use self::page::{Encoded, Page, Place, Rows, file_name, id_of, read_index, write_file};
use super::{ReadFile, Storage, StorageError, StorageErrorKind, read_exact_at};

/// Files that are kept open for reading.
const OPEN_FILES: usize = 8;

/// Rows by ascending sequence number, the youngest in memory, the others on disk when memory is
/// short.
///
/// [`push`](PayloadLog::push) always succeeds and always keeps the row. When
/// [`over_limit`](PayloadLog::over_limit) says so, [`spill`](PayloadLog::spill) writes the older
/// half to a file; if that fails, all stays in memory, and what to do is the caller's decision.
/// A read takes O(log pages), and one page from disk if it is there.
pub struct PayloadLog {
    storage: Option<Arc<dyn Storage>>,
    limit: usize,
    /// Ascending; those without rows in memory come first.
    pages: VecDeque<Page>,
    /// The bytes of rows and their places in memory.
    resident: usize,
    /// Files in use, ascending.
    files: VecDeque<PayloadFile>,
    next_file: u64,
    pinned: BTreeSet<u64>,
    /// Out of use, but named by the last checkpoint.
    retired: BTreeSet<u64>,
    /// Pages read back, by their first seq; each with when it was last used.
    cache: HashMap<u64, (u64, Encoded)>,
    /// The bytes of the pages read back.
    cached: usize,
    /// How often a page was asked for that is on disk.
    clock: u64,
    /// The last opened first.
    open: VecDeque<(u64, Box<dyn ReadFile>)>,
    spilled: u64,
}

/// A file of rows that a checkpoint names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayloadFile {
    /// Its number.
    pub id: u64,
    /// The last seq in it.
    pub last: u64,
    /// How long it is.
    pub bytes: u64,
}

/// What a checkpoint keeps of a [`PayloadLog`]: the files that hold all its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PayloadState {
    /// In ascending order.
    pub files: Vec<PayloadFile>,
}

impl PayloadLog {
    /// A log that stays in memory.
    #[must_use]
    pub fn in_memory() -> PayloadLog {
        PayloadLog::with(None, usize::MAX)
    }

    /// A log that may write to a directory when it has more than `limit` bytes in memory. Deletes
    /// rows that an earlier run left there. The directory must be locked by the caller, as a
    /// [`SegmentStore`](super::SegmentStore) on it does.
    ///
    /// # Errors
    /// The system's.
    pub fn create(storage: Arc<dyn Storage>, limit: usize) -> Result<PayloadLog, StorageError> {
        PayloadLog::recover(storage, limit, &PayloadState::default())
    }

    /// A log with the rows of a checkpoint. Deletes all other files of rows.
    ///
    /// # Errors
    /// A file that is missing or damaged; the system's.
    pub fn recover(
        storage: Arc<dyn Storage>,
        limit: usize,
        state: &PayloadState,
    ) -> Result<PayloadLog, StorageError> {
        let place = storage.place();
        let names =
            storage.list().map_err(|e| StorageError::io(&place, "list the directory", e))?;
        let mut log = PayloadLog::with(None, limit);
        for name in names {
            let Some(id) = id_of(&name) else { continue };
            log.next_file = log.next_file.max(id.saturating_add(1));
            if !state.files.iter().any(|f| f.id == id) {
                storage.remove(&name).map_err(|e| StorageError::io(&name, "remove the file", e))?;
            }
        }
        for file in &state.files {
            read_index(&*storage, file, &mut log.pages)?;
            log.files.push_back(*file);
            log.pinned.insert(file.id);
        }
        log.storage = Some(storage);
        Ok(log)
    }

    fn with(storage: Option<Arc<dyn Storage>>, limit: usize) -> PayloadLog {
        PayloadLog {
            storage,
            limit,
            pages: VecDeque::new(),
            resident: 0,
            files: VecDeque::new(),
            next_file: 0,
            pinned: BTreeSet::new(),
            retired: BTreeSet::new(),
            cache: HashMap::new(),
            cached: 0,
            clock: 0,
            open: VecDeque::new(),
            spilled: 0,
        }
    }

    /// Adds a row. Its seq must be greater than all before.
    ///
    /// # Panics
    /// A seq that is not greater; a row of 4 GiB or more.
    pub fn push(&mut self, seq: u64, row: &[u8]) {
        assert!(self.pages.back().is_none_or(|p| p.last < seq), "seqs ascend");
        assert!(u32::try_from(row.len()).is_ok(), "a row is shorter than 4 GiB");
        let open = self.pages.back().is_some_and(|p| {
            p.stored.is_none() && p.rows.as_ref().is_some_and(|r| r.has_room(seq, row.len()))
        });
        if !open {
            self.close();
            let rows = Some(Box::new(Rows { first: seq, ..Rows::default() }));
            self.pages.push_back(Page { first: seq, last: seq, rows, stored: None });
        }
        let Some(page) = self.pages.back_mut() else { return };
        let Some(rows) = &mut page.rows else { return };
        page.last = seq;
        self.resident -= rows.bytes();
        rows.seqs.push((seq - rows.first) as u32);
        rows.data.extend_from_slice(row);
        rows.ends.push(rows.data.len() as u32);
        self.resident += rows.bytes();
    }

    fn close(&mut self) {
        if let Some(rows) = self.pages.back_mut().and_then(|p| p.rows.as_mut()) {
            self.resident -= rows.bytes();
            rows.close();
            self.resident += rows.bytes();
        }
    }

    /// Puts a row in place of what is in `row`; `false` if there is none of this seq.
    ///
    /// # Errors
    /// A page on disk is damaged; the system's.
    pub fn get(&mut self, seq: u64, row: &mut Vec<u8>) -> Result<bool, StorageError> {
        row.clear();
        let at = self.pages.partition_point(|p| p.last < seq);
        let Some(page) = self.pages.get(at).filter(|p| p.first <= seq) else { return Ok(false) };
        let found = match (&page.rows, page.stored) {
            (Some(rows), _) => rows.get(seq),
            (None, Some(place)) => {
                let first = page.first;
                self.fetch(first, place)?;
                self.cache.get(&first).and_then(|(_, page)| page.get(seq))
            }
            (None, None) => None,
        };
        row.extend_from_slice(found.unwrap_or_default());
        Ok(found.is_some())
    }

    /// Brings the page that begins with `first` into the cache.
    fn fetch(&mut self, first: u64, place: Place) -> Result<(), StorageError> {
        self.clock += 1;
        if let Some((used, _)) = self.cache.get_mut(&first) {
            *used = self.clock;
            return Ok(());
        }
        let bytes = self.read(place)?;
        let page = Encoded::new(bytes, first).ok_or_else(|| {
            let reason = format!("the page at byte {} does not fit its checksum", place.offset);
            StorageError::corrupt(&file_name(place.file), reason)
        })?;
        if self.cached + page.bytes() > self.limit / 4 {
            self.evict();
        }
        self.cached += page.bytes();
        self.cache.insert(first, (self.clock, page));
        Ok(())
    }

    fn read(&mut self, place: Place) -> Result<Vec<u8>, StorageError> {
        let name = file_name(place.file);
        let failed = |e| StorageError::io(&name, "read", e);
        let at = match self.open.iter().position(|(id, _)| *id == place.file) {
            Some(at) => at,
            None => {
                let Some(storage) = &self.storage else { return Ok(Vec::new()) };
                let file = storage.open(&name).map_err(|e| StorageError::io(&name, "open", e))?;
                self.open.truncate(OPEN_FILES - 1);
                self.open.push_front((place.file, file));
                0
            }
        };
        let mut bytes = vec![0; place.bytes as usize];
        read_exact_at(&*self.open[at].1, place.offset, &mut bytes).map_err(failed)?;
        Ok(bytes)
    }

    /// Drops the half of the pages read back that were not used for longest.
    fn evict(&mut self) {
        let mut used: Vec<u64> = self.cache.values().map(|(used, _)| *used).collect();
        let middle = used.len() / 2;
        if let Some(&mut middle) = (!used.is_empty()).then(|| used.select_nth_unstable(middle).1) {
            self.cache.retain(|_, (used, _)| *used > middle);
        }
        self.cached = self.cache.values().map(|(_, page)| page.bytes()).sum();
    }

    /// Whether the rows take more memory than they should, and there is a disk to write them to.
    #[must_use]
    pub fn over_limit(&self) -> bool {
        self.storage.is_some() && self.bytes() > self.limit
    }

    /// Changes how much memory the rows may take, in bytes.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Writes the oldest rows to disk and frees them, until half the limit is in use. (Up to a quarter
    /// of it holds pages read back.) Without a directory nothing happens.
    ///
    /// # Errors
    /// The system's. The rows then stay in memory.
    pub fn spill(&mut self) -> Result<(), StorageError> {
        let goal = self.limit / 2;
        let mut excess = (self.bytes() - self.cached).saturating_sub(goal);
        let mut end = self.pages.partition_point(|p| p.rows.is_none());
        while excess > 0 && end < self.pages.len() {
            let rows = self.pages[end].rows.as_ref();
            excess = excess.saturating_sub(rows.map_or(0, |rows| rows.bytes()));
            end += 1;
        }
        self.store(end)?;
        for page in self.pages.range_mut(..end) {
            if let Some(rows) = page.rows.take_if(|_| page.stored.is_some()) {
                self.resident -= rows.bytes();
                self.spilled += rows.data.len() as u64;
            }
        }
        Ok(())
    }

    /// Makes all rows durable, for a checkpoint, and says where they are. They stay in memory.
    ///
    /// # Errors
    /// The system's; a log without a directory.
    pub fn persist(&mut self) -> Result<PayloadState, StorageError> {
        let Some(storage) = self.storage.clone() else {
            let reason = "these rows are kept in memory only";
            return Err(StorageError::new(StorageErrorKind::Missing, "rows", reason));
        };
        self.close();
        self.store(self.pages.len())?;
        storage
            .sync_dir()
            .map_err(|e| StorageError::io(&storage.place(), "sync the directory", e))?;
        Ok(PayloadState { files: self.files.iter().copied().collect() })
    }

    /// Writes those of the first `end` pages that are not on disk to one new file.
    fn store(&mut self, end: usize) -> Result<(), StorageError> {
        let Some(storage) = self.storage.clone() else { return Ok(()) };
        if self.pages.range(..end).all(|p| p.stored.is_some()) {
            return Ok(());
        }
        let id = self.next_file;
        self.next_file += 1;
        let name = file_name(id);
        let mut places = Vec::new();
        match write_file(&*storage, &name, self.pages.range(..end), &mut places) {
            Ok(bytes) => {
                let mut last = 0;
                let pages = self.pages.range_mut(..end).filter(|p| p.stored.is_none());
                for (page, (offset, bytes)) in pages.zip(places) {
                    page.stored = Some(Place { file: id, offset, bytes });
                    last = page.last;
                }
                self.files.push_back(PayloadFile { id, last, bytes });
                Ok(())
            }
            Err(e) => {
                let _ = storage.remove(&name);
                Err(e)
            }
        }
    }

    /// Forgets rows before `seq`, as far as whole pages and whole files allow.
    pub fn forget_before(&mut self, seq: u64) {
        while self.pages.front().is_some_and(|p| p.last < seq) {
            let Some(page) = self.pages.pop_front() else { break };
            self.resident -= page.rows.as_ref().map_or(0, |rows| rows.bytes());
            if let Some((_, page)) = self.cache.remove(&page.first) {
                self.cached -= page.bytes();
            }
        }
        while self.files.front().is_some_and(|f| f.last < seq) {
            let Some(file) = self.files.pop_front() else { break };
            if self.pinned.contains(&file.id) {
                self.retired.insert(file.id);
            } else {
                self.remove(file.id);
            }
        }
    }

    /// A file that cannot be removed now is removed when the directory is next opened.
    fn remove(&mut self, id: u64) {
        self.open.retain(|(open, _)| *open != id);
        if let Some(storage) = &self.storage {
            let _ = storage.remove(&file_name(id));
        }
    }

    /// Says that a checkpoint is about to name these files, besides those that the last one names.
    pub fn prepare(&mut self, state: &PayloadState) {
        self.pinned.extend(state.files.iter().map(|f| f.id));
    }

    /// Says that a durable checkpoint names exactly these files. Those that only the last one named
    /// and that are out of use are deleted.
    pub fn pin(&mut self, state: &PayloadState) {
        self.pinned = state.files.iter().map(|f| f.id).collect();
        for id in std::mem::take(&mut self.retired) {
            if self.pinned.contains(&id) {
                self.retired.insert(id);
            } else {
                self.remove(id);
            }
        }
    }

    /// The memory in use, in bytes: rows, the index of pages, pages read back. Part of a budget.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.resident
            + self.pages.len() * size_of::<Page>()
            + self.files.len() * size_of::<PayloadFile>()
            + self.cached
    }

    /// How many bytes of rows were moved from memory to disk so far.
    #[must_use]
    pub fn spilled_bytes(&self) -> u64 {
        self.spilled
    }
}

impl fmt::Debug for PayloadLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PayloadLog")
            .field("pages", &self.pages.len())
            .field("bytes", &self.bytes())
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}
