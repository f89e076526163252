//! Pages of rows, and the files that they are written to.
//!
//! ```text
//! page*    magic, first seq, number of rows, bytes of rows, seqs, ends, rows, crc32
//! index    of each page: first and last seq, offset, length; number of pages, crc32, magic
//! ```

use std::collections::VecDeque;

use super::PayloadFile;
use crate::storage::codec::{u32_at, u64_at};
use crate::storage::{ReadFile, Storage, StorageError, WriteFile, read_exact_at};

/// A page is closed once it has so many bytes. One row may be longer than that. To read one row back
/// costs a page, and each page has an entry in memory.
const PAGE_BYTES: usize = 16 * 1024;
const MAGIC: &[u8; 8] = b"ujoinROW";
const PAGE_HEADER: usize = 24;
const INDEX_ENTRY: usize = 28;
const FOOTER_BYTES: usize = 16;
const CRC_BYTES: usize = 4;

/// A stretch of rows: in memory, on disk, or both.
pub(super) struct Page {
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) rows: Option<Box<Rows>>,
    pub(super) stored: Option<Place>,
}

/// Where a page is on disk.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) file: u64,
    pub(super) offset: u64,
    pub(super) bytes: u32,
}

/// The rows of one page.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) first: u64,
    /// Of each row: its seq, less `first`.
    pub(super) seqs: Vec<u32>,
    /// Of each row: where it ends in `data`.
    pub(super) ends: Vec<u32>,
    pub(super) data: Vec<u8>,
}

impl Rows {
    pub(super) fn bytes(&self) -> usize {
        (self.seqs.capacity() + self.ends.capacity()) * 4 + self.data.capacity()
    }

    pub(super) fn get(&self, seq: u64) -> Option<&[u8]> {
        let delta = u32::try_from(seq.checked_sub(self.first)?).ok()?;
        let at = self.seqs.binary_search(&delta).ok()?;
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        Some(&self.data[start..self.ends[at] as usize])
    }

    pub(super) fn has_room(&self, seq: u64, bytes: usize) -> bool {
        self.data.len() + bytes <= PAGE_BYTES && seq - self.first <= u64::from(u32::MAX)
    }

    /// Frees what growing has left over.
    pub(super) fn close(&mut self) {
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
}

/// A page as it is on disk, read back.
pub(super) struct Encoded {
    bytes: Vec<u8>,
    rows: usize,
}

impl Encoded {
    /// `None` if the bytes are not the page that begins with this seq.
    pub(super) fn new(bytes: Vec<u8>, first: u64) -> Option<Encoded> {
        let (body, crc) = bytes.split_at_checked(bytes.len().checked_sub(CRC_BYTES)?)?;
        if crc32fast::hash(body) != u32_at(crc, 0) || body.len() < PAGE_HEADER {
            return None;
        }
        let (rows, data) = (u32_at(body, 16) as usize, u32_at(body, 20) as usize);
        let sound = &body[..8] == MAGIC
            && u64_at(body, 8) == first
            && rows.checked_mul(8)?.checked_add(data)? == body.len() - PAGE_HEADER;
        sound.then_some(Encoded { bytes, rows })
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes.capacity()
    }

    pub(super) fn get(&self, seq: u64) -> Option<&[u8]> {
        let delta = u32::try_from(seq.checked_sub(u64_at(&self.bytes, 8))?).ok()?;
        let (places, rest) = self.bytes[PAGE_HEADER..].split_at(self.rows * 8);
        let (seqs, ends) = places.split_at(self.rows * 4);
        let (seqs, _) = seqs.as_chunks::<4>();
        let at = seqs.binary_search_by_key(&delta, |bytes| u32::from_le_bytes(*bytes)).ok()?;
        let end = |row: usize| u32_at(ends, row * 4) as usize;
        rest.get(if at == 0 { 0 } else { end(at - 1) }..end(at))
    }
}

pub(super) fn file_name(id: u64) -> String {
    format!("{id:016x}.rows")
}

pub(super) fn id_of(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(".rows")?;
    if digits.len() == 16 { u64::from_str_radix(digits, 16).ok() } else { None }
}

/// Writes pages that are not on disk, then their index. Returns the file's length.
pub(super) fn write_file<'a>(
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
pub(super) fn read_index(
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
