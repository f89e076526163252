//! The format of a segment: what one file of tuples looks like.
//!
//! ```text
//! header   128 bytes, the last 4 their crc32
//! block*   up to 1,638 records of 40 bytes, then a crc32 over segment, block number and records
//! footer   magic, count, crc32 over the blocks' checksums, crc32 of the footer
//! ```
//!
//! All numbers are little-endian. A file's length follows from the count in its header, so a cut is
//! seen when it is opened; everything else when the block is read.

use std::ops::RangeInclusive;

use super::codec::{RECORD_BYTES, decode, encode, u32_at, u64_at};
use super::{ReadFile, Storage, StorageError, StorageErrorKind, WriteFile, read_exact_at};
use crate::{Probability, Tuple};

/// The most bytes of one block.
pub const BLOCK_BYTES: usize = 64 * 1024;
/// Records in each block but the last.
pub const RECORDS_PER_BLOCK: usize = (BLOCK_BYTES - CRC_BYTES) / RECORD_BYTES;

const CRC_BYTES: usize = 4;
pub(super) const HEADER_BYTES: usize = 128;
const FOOTER_BYTES: usize = 24;
const MAGIC: &[u8; 8] = b"ujoinSEG";
const FOOTER_MAGIC: &[u8; 8] = b"ujoinEND";
const VERSION: u32 = 1;

/// A segment's number: unique in its directory, and never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SegmentId(pub u64);

/// What the tuples of a segment are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum SegmentKind {
    /// Entries that left memory and still have partners to meet.
    Spilled = 0,
    /// A stretch of the arrival log: every accepted tuple, in order of arrival.
    Arrivals = 1,
}

/// How the tuples of a segment are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum SegmentOrder {
    /// By the bucket of the key, then by descending probability, then by seq. Which bucket a key has
    /// is the writer's business.
    Bucket = 0,
    /// By ascending seq.
    Seq = 1,
}

/// What the writer of a segment says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentSpec {
    /// What the tuples are.
    pub kind: SegmentKind,
    /// How they are ordered.
    pub order: SegmentOrder,
    /// Which worker wrote it.
    pub shard: u32,
    /// The seq at which the tuples left memory: they have met every partner before it, and none from
    /// it on. 0 for arrivals.
    pub out: u64,
}

/// What is known of a segment without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentMeta {
    /// Its number.
    pub id: SegmentId,
    /// What its writer said.
    pub spec: SegmentSpec,
    /// How many tuples it has; at least one.
    pub count: u64,
    /// The least and the greatest seq.
    pub seqs: (u64, u64),
    /// The least and the greatest event time, in ticks. With the horizon and the lateness they say
    /// when no further partner can come.
    pub times: (i64, i64),
    /// The greatest probability.
    pub max_probability: Probability,
    /// The least probability.
    pub min_probability: Probability,
}

impl SegmentMeta {
    /// The range of seqs.
    #[must_use]
    pub fn seq_range(&self) -> RangeInclusive<u64> {
        self.seqs.0..=self.seqs.1
    }

    /// How many blocks it has.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.count.div_ceil(RECORDS_PER_BLOCK as u64)
    }

    /// How many bytes it takes on disk.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        // The count was checked to leave room when it came from a file.
        HEADER_BYTES as u64
            + FOOTER_BYTES as u64
            + self.count * RECORD_BYTES as u64
            + self.blocks() * CRC_BYTES as u64
    }

    fn of(id: SegmentId, spec: SegmentSpec, tuples: &[Tuple]) -> Option<SegmentMeta> {
        let first = tuples.first()?;
        let mut meta = SegmentMeta {
            id,
            spec,
            count: tuples.len() as u64,
            seqs: (first.seq, first.seq),
            times: (first.time, first.time),
            max_probability: first.probability,
            min_probability: first.probability,
        };
        for t in tuples {
            meta.seqs = (meta.seqs.0.min(t.seq), meta.seqs.1.max(t.seq));
            meta.times = (meta.times.0.min(t.time), meta.times.1.max(t.time));
            meta.max_probability = meta.max_probability.max(t.probability);
            meta.min_probability = meta.min_probability.min(t.probability);
        }
        Some(meta)
    }
}

/// The name of a segment's file.
pub(super) fn file_name(id: SegmentId) -> String {
    format!("{:016x}.segment", id.0)
}

/// Whether a file is a segment.
pub(super) fn id_of(name: &str) -> Option<SegmentId> {
    let digits = name.strip_suffix(".segment")?;
    if digits.len() != 16 {
        return None;
    }
    u64::from_str_radix(digits, 16).ok().map(SegmentId)
}

fn header(meta: &SegmentMeta, config: u64) -> Vec<u8> {
    let mut h = Vec::with_capacity(HEADER_BYTES);
    h.extend_from_slice(MAGIC);
    h.extend_from_slice(&VERSION.to_le_bytes());
    h.extend_from_slice(&[meta.spec.kind as u8, meta.spec.order as u8, 0, 0]);
    for n in [config, meta.id.0, u64::from(meta.spec.shard), meta.spec.out, meta.count] {
        h.extend_from_slice(&n.to_le_bytes());
    }
    for n in [meta.seqs.0, meta.seqs.1, meta.times.0 as u64, meta.times.1 as u64] {
        h.extend_from_slice(&n.to_le_bytes());
    }
    h.extend_from_slice(&meta.max_probability.nanos().to_le_bytes());
    h.extend_from_slice(&meta.min_probability.nanos().to_le_bytes());
    h.resize(HEADER_BYTES - CRC_BYTES, 0);
    let crc = crc32fast::hash(&h);
    h.extend_from_slice(&crc.to_le_bytes());
    h
}

fn parse_header(
    h: &[u8; HEADER_BYTES],
    file: &str,
    config: u64,
) -> Result<SegmentMeta, StorageError> {
    let corrupt = |reason: &str| StorageError::corrupt(file, reason);
    if &h[..8] != MAGIC {
        return Err(corrupt("not a segment: the magic number is missing"));
    }
    let version = u32_at(h, 8);
    if version != VERSION {
        let reason = format!("segment format {version}; this version reads format {VERSION}");
        return Err(StorageError::new(StorageErrorKind::Version, file, reason));
    }
    if crc32fast::hash(&h[..HEADER_BYTES - CRC_BYTES]) != u32_at(h, HEADER_BYTES - CRC_BYTES) {
        return Err(corrupt("the header does not fit its checksum"));
    }
    if u64_at(h, 16) != config {
        let reason = "the segment was written by a run with other settings";
        return Err(StorageError::new(StorageErrorKind::Config, file, reason));
    }
    let kind = match h[12] {
        0 => SegmentKind::Spilled,
        1 => SegmentKind::Arrivals,
        _ => return Err(corrupt("the header names an unknown kind of segment")),
    };
    let order = match h[13] {
        0 => SegmentOrder::Bucket,
        1 => SegmentOrder::Seq,
        _ => return Err(corrupt("the header names an unknown order")),
    };
    let probability =
        |at| Probability::from_nanos(u32_at(h, at)).map_err(|_| corrupt("no probability"));
    let count = u64_at(h, 48);
    if count == 0 || count > u64::MAX / 64 {
        return Err(corrupt("the header's count is impossible"));
    }
    Ok(SegmentMeta {
        id: SegmentId(u64_at(h, 24)),
        spec: SegmentSpec { kind, order, shard: u64_at(h, 32) as u32, out: u64_at(h, 40) },
        count,
        seqs: (u64_at(h, 56), u64_at(h, 64)),
        times: (u64_at(h, 72) as i64, u64_at(h, 80) as i64),
        max_probability: probability(88)?,
        min_probability: probability(92)?,
    })
}

fn block_crc(id: SegmentId, block: u64, records: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&id.0.to_le_bytes());
    crc.update(&block.to_le_bytes());
    crc.update(records);
    crc.finalize()
}

fn footer(count: u64, crcs: &crc32fast::Hasher) -> Vec<u8> {
    let mut f = Vec::with_capacity(FOOTER_BYTES);
    f.extend_from_slice(FOOTER_MAGIC);
    f.extend_from_slice(&count.to_le_bytes());
    f.extend_from_slice(&crcs.clone().finalize().to_le_bytes());
    let crc = crc32fast::hash(&f);
    f.extend_from_slice(&crc.to_le_bytes());
    f
}

/// Writes a segment under a temporary name and syncs it. Removes the file if that fails.
/// `None` if there are no tuples.
pub(super) fn write_temporary(
    storage: &dyn Storage,
    config: u64,
    id: SegmentId,
    spec: SegmentSpec,
    tuples: &[Tuple],
) -> Result<Option<SegmentMeta>, StorageError> {
    let Some(meta) = SegmentMeta::of(id, spec, tuples) else { return Ok(None) };
    let name = temporary_name(id);
    let fail = |doing| {
        let name = name.clone();
        move |e| StorageError::io(&name, doing, e)
    };
    let result = (|| {
        let mut file = storage.create(&name).map_err(fail("create the file"))?;
        write_contents(&mut *file, config, &meta, tuples).map_err(fail("write"))?;
        file.sync().map_err(fail("sync"))
    })();
    match result {
        Ok(()) => Ok(Some(meta)),
        Err(e) => {
            // Should this fail too, the file is deleted when the directory is next opened.
            let _ = storage.remove(&name);
            Err(e)
        }
    }
}

pub(super) fn temporary_name(id: SegmentId) -> String {
    format!("{}.tmp", file_name(id))
}

fn write_contents(
    file: &mut dyn WriteFile,
    config: u64,
    meta: &SegmentMeta,
    tuples: &[Tuple],
) -> std::io::Result<()> {
    file.write_all(&header(meta, config))?;
    let mut crcs = crc32fast::Hasher::new();
    let mut buffer = Vec::with_capacity(BLOCK_BYTES);
    for (block, records) in tuples.chunks(RECORDS_PER_BLOCK).enumerate() {
        buffer.clear();
        for tuple in records {
            encode(tuple, &mut buffer);
        }
        let crc = block_crc(meta.id, block as u64, &buffer).to_le_bytes();
        crcs.update(&crc);
        buffer.extend_from_slice(&crc);
        file.write_all(&buffer)?;
    }
    file.write_all(&footer(meta.count, &crcs))?;
    file.flush()
}

/// Reads a segment block by block; memory for one block.
pub struct SegmentReader {
    file: Box<dyn ReadFile>,
    name: String,
    meta: SegmentMeta,
    /// The block that comes next.
    next: u64,
    /// Over the checksums of the blocks so far, while they are read from the first on.
    crcs: Option<crc32fast::Hasher>,
    buffer: Vec<u8>,
}

impl SegmentReader {
    /// Opens a segment: header, length and footer's own checksum are verified.
    pub(super) fn open(
        storage: &dyn Storage,
        config: u64,
        id: SegmentId,
    ) -> Result<SegmentReader, StorageError> {
        let name = file_name(id);
        let fail = |doing: &'static str| {
            let name = name.clone();
            move |e| StorageError::io(&name, doing, e)
        };
        let file = storage.open(&name).map_err(fail("open the segment that the manifest lists"))?;
        let size = file.size().map_err(fail("get the size"))?;
        let mut h = [0; HEADER_BYTES];
        read_exact_at(&*file, 0, &mut h).map_err(fail("read the header"))?;
        let meta = parse_header(&h, &name, config)?;
        if meta.id != id {
            return Err(StorageError::corrupt(&name, "the header is that of another segment"));
        }
        if meta.file_bytes() != size {
            let reason = format!("{size} bytes; {} were written", meta.file_bytes());
            return Err(StorageError::corrupt(&name, reason));
        }
        let mut f = [0; FOOTER_BYTES];
        let at = size - FOOTER_BYTES as u64;
        read_exact_at(&*file, at, &mut f).map_err(fail("read the footer"))?;
        if &f[..8] != FOOTER_MAGIC
            || crc32fast::hash(&f[..20]) != u32_at(&f, 20)
            || u64_at(&f, 8) != meta.count
        {
            return Err(StorageError::corrupt(&name, "the footer does not fit its checksum"));
        }
        let crcs = Some(crc32fast::Hasher::new());
        Ok(SegmentReader { file, name, meta, next: 0, crcs, buffer: Vec::new() })
    }

    /// What is known of the segment.
    #[must_use]
    pub fn meta(&self) -> &SegmentMeta {
        &self.meta
    }

    /// The number of the block that comes next.
    #[must_use]
    pub fn next_block(&self) -> u64 {
        self.next
    }

    /// Goes to a block; at [`SegmentMeta::blocks`] or beyond there is nothing more to read.
    pub fn seek_block(&mut self, block: u64) {
        self.next = block;
        self.crcs = (block == 0).then(crc32fast::Hasher::new);
    }

    /// Puts the tuples of the next block in place of what is in `tuples`; `false` at the end.
    ///
    /// # Errors
    /// The system's; a checksum that does not fit.
    pub fn read_block(&mut self, tuples: &mut Vec<Tuple>) -> Result<bool, StorageError> {
        tuples.clear();
        if self.next >= self.meta.blocks() {
            return Ok(false);
        }
        let block = self.next;
        let before = block * RECORDS_PER_BLOCK as u64;
        let records = (self.meta.count - before).min(RECORDS_PER_BLOCK as u64) as usize;
        let offset = HEADER_BYTES as u64 + before * RECORD_BYTES as u64 + block * CRC_BYTES as u64;
        let bytes = records * RECORD_BYTES;
        self.buffer.resize(bytes + CRC_BYTES, 0);
        read_exact_at(&*self.file, offset, &mut self.buffer)
            .map_err(|e| StorageError::io(&self.name, "read", e).at_block(block))?;
        let corrupt = |reason: &str| StorageError::corrupt(&self.name, reason).at_block(block);
        let (data, crc) = self.buffer.split_at(bytes);
        if block_crc(self.meta.id, block, data) != u32_at(crc, 0) {
            return Err(corrupt("the block does not fit its checksum"));
        }
        let (data, _) = data.as_chunks::<RECORD_BYTES>();
        tuples.reserve(records);
        for record in data {
            tuples.push(decode(record).ok_or_else(|| corrupt("a record is no tuple"))?);
        }
        if let Some(crcs) = &mut self.crcs {
            crcs.update(crc);
        }
        self.next += 1;
        if self.next == self.meta.blocks() {
            self.check_end()?;
        }
        Ok(true)
    }

    /// The footer's checksum over all blocks, once all of them have been read in order.
    fn check_end(&self) -> Result<(), StorageError> {
        let Some(crcs) = &self.crcs else { return Ok(()) };
        let mut f = [0; FOOTER_BYTES];
        let at = self.meta.file_bytes() - FOOTER_BYTES as u64;
        read_exact_at(&*self.file, at, &mut f)
            .map_err(|e| StorageError::io(&self.name, "read the footer", e))?;
        if footer(self.meta.count, crcs) != f {
            let reason = "the blocks do not fit the footer's checksum";
            return Err(StorageError::corrupt(&self.name, reason));
        }
        Ok(())
    }

    /// In a segment in order of seq: goes to the block where tuples from `seq` on begin. What is read
    /// next may still begin with a few before it. Reads O(log blocks) blocks.
    ///
    /// # Errors
    /// As [`read_block`](Self::read_block).
    pub fn seek_seq(&mut self, seq: u64, tuples: &mut Vec<Tuple>) -> Result<(), StorageError> {
        debug_assert_eq!(self.meta.spec.order, SegmentOrder::Seq);
        // The first block whose last tuple is not before seq.
        let (mut low, mut high) = (0, self.meta.blocks());
        while low < high {
            let middle = low + (high - low) / 2;
            self.seek_block(middle);
            self.read_block(tuples)?;
            if tuples.last().is_some_and(|t| t.seq < seq) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        tuples.clear();
        self.seek_block(low);
        Ok(())
    }

    /// Reads everything from the first block on, to see whether it is whole.
    ///
    /// # Errors
    /// As [`read_block`](Self::read_block).
    pub fn verify(&mut self) -> Result<(), StorageError> {
        let mut tuples = Vec::new();
        self.seek_block(0);
        while self.read_block(&mut tuples)? {}
        self.seek_block(0);
        Ok(())
    }
}

impl std::fmt::Debug for SegmentReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SegmentReader")
            .field("name", &self.name)
            .field("meta", &self.meta)
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}
