//! Opaque bytes by sequence number: what a program keeps of each row until no result can need it.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use super::codec::{u32_at, u64_at};
use super::{ReadFile, Storage, StorageError, StorageErrorKind, WriteFile, read_exact_at};

/// A page is closed once it has so many bytes. One row may be longer than that.
const PAGE_BYTES: usize = 64 * 1024;
/// Pages read from disk that are kept.
const CACHED_PAGES: usize = 4;
const MAGIC: &[u8; 8] = b"ujoinROW";
const PAGE_HEADER: usize = 24;
const INDEX_ENTRY: usize = 28;
const FOOTER_BYTES: usize = 16;
const CRC_BYTES: usize = 4;

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
    /// The last read first.
    cache: VecDeque<(u64, Rows)>,
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

struct Page {
    first: u64,
    last: u64,
    rows: Option<Rows>,
    stored: Option<Place>,
}

/// Where a page is on disk.
#[derive(Clone, Copy)]
struct Place {
    file: u64,
    offset: u64,
    bytes: u32,
}

/// The rows of one page.
#[derive(Default)]
struct Rows {
    first: u64,
    /// Of each row: its seq, less `first`.
    seqs: Vec<u32>,
    /// Of each row: where it ends in `data`.
    ends: Vec<u32>,
    data: Vec<u8>,
}

impl Rows {
    fn bytes(&self) -> usize {
        (self.seqs.capacity() + self.ends.capacity()) * 4 + self.data.capacity()
    }

    fn get(&self, seq: u64) -> Option<&[u8]> {
        let delta = u32::try_from(seq.checked_sub(self.first)?).ok()?;
        let at = self.seqs.binary_search(&delta).ok()?;
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        Some(&self.data[start..self.ends[at] as usize])
    }

    fn has_room(&self, seq: u64, bytes: usize) -> bool {
        self.data.len() + bytes <= PAGE_BYTES && seq - self.first <= u64::from(u32::MAX)
    }

    /// Frees what growing has left over.
    fn close(&mut self) {
        self.seqs.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.data.shrink_to_fit();
    }

    fn encode(&self) -> Vec<u8> {
        let rows = self.seqs.len();
        let mut bytes = Vec::with_capacity(PAGE_HEADER + rows * 8 + self.data.len() + CRC_BYTES);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&self.first.to_le_bytes());
        bytes.extend_from_slice(&(rows as u32).to_le_bytes());
        bytes.extend_from_slice(&(self.data.len() as u32).to_le_bytes());
        for n in self.seqs.iter().chain(&self.ends) {
            bytes.extend_from_slice(&n.to_le_bytes());
        }
        bytes.extend_from_slice(&self.data);
        let crc = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// `None` if the bytes are no page.
    fn decode(bytes: &[u8]) -> Option<Rows> {
        let (body, crc) = bytes.split_at_checked(bytes.len().checked_sub(CRC_BYTES)?)?;
        if crc32fast::hash(body) != u32_at(crc, 0)
            || body.len() < PAGE_HEADER
            || &body[..8] != MAGIC
        {
            return None;
        }
        let rows = u32_at(body, 16) as usize;
        let (places, data) = body[PAGE_HEADER..].split_at_checked(rows.checked_mul(8)?)?;
        let words: Vec<u32> =
            places.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        let (seqs, ends) = words.split_at(rows);
        let sound = data.len() == u32_at(body, 20) as usize
            && ends.is_sorted()
            && ends.last().is_none_or(|&e| e as usize == data.len());
        sound.then(|| Rows {
            first: u64_at(body, 8),
            seqs: seqs.to_vec(),
            ends: ends.to_vec(),
            data: data.to_vec(),
        })
    }
}

fn file_name(id: u64) -> String {
    format!("{id:016x}.rows")
}

fn id_of(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(".rows")?;
    if digits.len() == 16 { u64::from_str_radix(digits, 16).ok() } else { None }
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
            cache: VecDeque::new(),
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
            let rows = Some(Rows { first: seq, ..Rows::default() });
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
                self.cache.front().and_then(|(_, rows)| rows.get(seq))
            }
            (None, None) => None,
        };
        row.extend_from_slice(found.unwrap_or_default());
        Ok(found.is_some())
    }

    /// Brings the page that begins with `first` to the front of the cache.
    fn fetch(&mut self, first: u64, place: Place) -> Result<(), StorageError> {
        if let Some(at) = self.cache.iter().position(|(f, _)| *f == first) {
            if let Some(found) = self.cache.remove(at) {
                self.cache.push_front(found);
            }
            return Ok(());
        }
        let Some(storage) = &self.storage else { return Ok(()) };
        let name = file_name(place.file);
        let file = storage.open(&name).map_err(|e| StorageError::io(&name, "open", e))?;
        let mut bytes = vec![0; place.bytes as usize];
        read_exact_at(&*file, place.offset, &mut bytes)
            .map_err(|e| StorageError::io(&name, "read", e))?;
        let rows = Rows::decode(&bytes).filter(|rows| rows.first == first).ok_or_else(|| {
            let reason = format!("the page at byte {} does not fit its checksum", place.offset);
            StorageError::corrupt(&name, reason)
        })?;
        self.cache.truncate(CACHED_PAGES - 1);
        self.cache.push_front((first, rows));
        Ok(())
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

    /// Writes the oldest rows to disk and frees them, until half the limit is in use. Without a
    /// directory nothing happens.
    ///
    /// # Errors
    /// The system's. The rows then stay in memory.
    pub fn spill(&mut self) -> Result<(), StorageError> {
        self.cache.clear();
        let goal = self.limit / 2;
        let mut excess = self.bytes().saturating_sub(goal);
        let mut end = self.pages.partition_point(|p| p.rows.is_none());
        while excess > 0 && end < self.pages.len() {
            let rows = self.pages[end].rows.as_ref();
            excess = excess.saturating_sub(rows.map_or(0, Rows::bytes));
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
            self.resident -= page.rows.as_ref().map_or(0, Rows::bytes);
            self.cache.retain(|(first, _)| *first != page.first);
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
    fn remove(&self, id: u64) {
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
            + self.cache.iter().map(|(_, rows)| rows.bytes()).sum::<usize>()
    }

    /// How many bytes of rows were moved from memory to disk so far.
    #[must_use]
    pub fn spilled_bytes(&self) -> u64 {
        self.spilled
    }
}

/// Writes pages that are not on disk, then their index. Returns the file's length.
fn write_file<'a>(
    storage: &dyn Storage,
    name: &str,
    pages: impl Iterator<Item = &'a Page>,
    places: &mut Vec<(u64, u32)>,
) -> Result<u64, StorageError> {
    let fail = |e| StorageError::io(name, "write", e);
    let mut file: Box<dyn WriteFile> =
        storage.create(name).map_err(|e| StorageError::io(name, "create the file", e))?;
    let mut offset = 0;
    let mut index = Vec::new();
    for page in pages.filter(|p| p.stored.is_none()) {
        let Some(rows) = &page.rows else { continue };
        let bytes = rows.encode();
        file.write_all(&bytes).map_err(fail)?;
        places.push((offset, bytes.len() as u32));
        for n in [page.first, page.last, offset] {
            index.extend_from_slice(&n.to_le_bytes());
        }
        index.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        offset += bytes.len() as u64;
    }
    let count = places.len() as u32;
    index.extend_from_slice(&count.to_le_bytes());
    let crc = crc32fast::hash(&index);
    index.extend_from_slice(&crc.to_le_bytes());
    index.extend_from_slice(MAGIC);
    file.write_all(&index).map_err(fail)?;
    file.flush().map_err(fail)?;
    file.sync().map_err(|e| StorageError::io(name, "sync", e))?;
    Ok(offset + index.len() as u64)
}

/// Adds the pages of a file that a checkpoint names.
fn read_index(
    storage: &dyn Storage,
    file: &PayloadFile,
    pages: &mut VecDeque<Page>,
) -> Result<(), StorageError> {
    let name = file_name(file.id);
    let fail = |e| StorageError::io(&name, "read", e);
    let corrupt = || StorageError::corrupt(&name, "the index does not fit its checksum");
    let reader: Box<dyn ReadFile> = storage
        .open(&name)
        .map_err(|e| StorageError::io(&name, "open the rows that the checkpoint names", e))?;
    let size = reader.size().map_err(fail)?;
    if size != file.bytes {
        let reason = format!("{size} bytes; the checkpoint speaks of {}", file.bytes);
        return Err(StorageError::corrupt(&name, reason));
    }
    let mut end = [0; FOOTER_BYTES];
    let at = size.checked_sub(FOOTER_BYTES as u64).ok_or_else(corrupt)?;
    read_exact_at(&*reader, at, &mut end).map_err(fail)?;
    let bytes = u32_at(&end, 0) as usize * INDEX_ENTRY;
    let start = at.checked_sub(bytes as u64).ok_or_else(corrupt)?;
    if &end[8..] != MAGIC {
        return Err(corrupt());
    }
    let mut index = vec![0; bytes + 4];
    read_exact_at(&*reader, start, &mut index).map_err(fail)?;
    if crc32fast::hash(&index) != u32_at(&end, 4) {
        return Err(corrupt());
    }
    for entry in index.as_chunks::<INDEX_ENTRY>().0 {
        let place = Place { file: file.id, offset: u64_at(entry, 16), bytes: u32_at(entry, 24) };
        let (first, last) = (u64_at(entry, 0), u64_at(entry, 8));
        pages.push_back(Page { first, last, rows: None, stored: Some(place) });
    }
    Ok(())
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
