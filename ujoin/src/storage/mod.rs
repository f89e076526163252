//! What the join keeps on disk: a small [`Storage`] trait, segments of tuples, rows by number.
//!
//! | type | what |
//! |---|---|
//! | [`Storage`] | a flat directory: [`Files`] on disk, [`Memory`], [`faults::SimulatedDisk`] in tests |
//! | [`SegmentStore`] | write-once segments of [`Tuple`](crate::Tuple)s, listed in a manifest |
//! | [`SegmentReader`] | streams a segment block by block, each block's checksum verified |
//! | [`PayloadLog`] | opaque bytes (a program's rows) by sequence number |
//!
//! # When memory may be freed
//!
//! A segment is written to a temporary file, synced, renamed, its directory synced, and then listed
//! in the manifest, whose line carries a checksum and is synced as well. Only when
//! [`SegmentStore::write`] has returned `Ok` are the tuples safe; on an error the caller still has
//! them and nothing on disk counts. After a failed sync the system may have thrown the written pages
//! away and report success next time, so a file is never synced twice: another attempt starts a new
//! file from memory. In a [temporary](Storage::is_temporary) directory, which nobody opens again, the
//! manifest is kept in memory and only segments are synced: a third of the syncs.
//!
//! # When a directory is opened
//!
//! The manifest counts up to its first line whose checksum is wrong: what follows was being written
//! when the process died. Segments without a line are deleted. A segment that is listed and missing,
//! or whose contents do not fit their checksums, is an error that names the file and the block. It is
//! never skipped, for that would lose results without a word.

pub(crate) mod codec;
mod error;
pub mod faults;
mod files;
mod manifest;
mod memory;
mod payload;
mod segment;
mod store;

use std::fmt::Debug;
use std::io;

pub use codec::RECORD_BYTES;
pub use error::{StorageError, StorageErrorKind};
pub use files::Files;
pub use memory::Memory;
pub use payload::{PayloadFile, PayloadLog, PayloadState};
pub use segment::{
    BLOCK_BYTES, RECORDS_PER_BLOCK, SegmentId, SegmentKind, SegmentMeta, SegmentOrder,
    SegmentReader, SegmentSpec,
};
pub use store::SegmentStore;

/// A flat directory of files.
///
/// Names are plain file names without separators. Nothing is durable before it has been synced: the
/// bytes of a file by [`WriteFile::sync`], its name (after creating, renaming or removing it) by
/// [`sync_dir`](Storage::sync_dir).
pub trait Storage: Debug + Send + Sync {
    /// A new, empty file for writing, in place of one that has this name.
    ///
    /// # Errors
    /// Whatever the system reports.
    fn create(&self, name: &str) -> io::Result<Box<dyn WriteFile>>;

    /// A file that is written at its end, created if there is none.
    ///
    /// # Errors
    /// Whatever the system reports.
    fn append(&self, name: &str) -> io::Result<Box<dyn WriteFile>>;

    /// A file for reading.
    ///
    /// # Errors
    /// Whatever the system reports; [`io::ErrorKind::NotFound`] if there is none.
    fn open(&self, name: &str) -> io::Result<Box<dyn ReadFile>>;

    /// Renames a file, in place of one that has the new name.
    ///
    /// # Errors
    /// Whatever the system reports.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// Whatever the system reports; [`io::ErrorKind::NotFound`] if there is none.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Cuts a file to a length, durably.
    ///
    /// # Errors
    /// Whatever the system reports; [`io::ErrorKind::UnexpectedEof`] if the file is shorter.
    fn truncate(&self, name: &str, bytes: u64) -> io::Result<()>;

    /// Makes names durable: what was created, renamed and removed.
    ///
    /// # Errors
    /// Whatever the system reports.
    fn sync_dir(&self) -> io::Result<()>;

    /// The names of all files, in no order.
    ///
    /// # Errors
    /// Whatever the system reports.
    fn list(&self) -> io::Result<Vec<String>>;

    /// Takes the directory for this process until the guard is dropped or the process ends, however
    /// it ends.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] while another holds it; whatever the system reports.
    fn lock(&self) -> io::Result<StorageLock>;

    /// Where this is, for messages.
    fn place(&self) -> String;

    /// Whether the directory ends with the process. Then what it lists need not survive, and only the
    /// contents of files are synced, so that a disk which cannot take them is found out while they are
    /// still in memory.
    fn is_temporary(&self) -> bool {
        false
    }
}

/// A file that is being written.
pub trait WriteFile: io::Write + Send {
    /// Makes all that was written durable. Not to be called again once it has failed.
    ///
    /// # Errors
    /// Whatever the system reports.
    fn sync(&mut self) -> io::Result<()>;
}

/// A file that can be read at any place.
pub trait ReadFile: Send + Sync {
    /// Reads bytes from `offset`; fewer than asked for at the end only, or whenever it suits.
    ///
    /// # Errors
    /// Whatever the system reports.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// How many bytes there are.
    ///
    /// # Errors
    /// Whatever the system reports.
    fn size(&self) -> io::Result<u64>;
}

/// Holds a [`Storage`] for one process; see [`Storage::lock`].
pub struct StorageLock {
    /// Dropping it gives the lock back.
    _guard: Box<dyn Send + Sync>,
}

impl StorageLock {
    /// A lock that is given back when the guard is dropped.
    pub fn new(guard: impl Send + Sync + 'static) -> StorageLock {
        StorageLock { _guard: Box::new(guard) }
    }
}

impl Debug for StorageLock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StorageLock")
    }
}

/// Reads until the buffer is full.
pub(crate) fn read_exact_at(
    file: &dyn ReadFile,
    mut offset: u64,
    mut buffer: &mut [u8],
) -> io::Result<()> {
    while !buffer.is_empty() {
        match file.read_at(offset, buffer) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => {
                offset += n as u64;
                buffer = &mut buffer[n..];
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}
