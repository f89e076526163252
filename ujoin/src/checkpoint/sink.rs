//! Results that are out, each exactly once.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use crate::Pair;
use crate::storage::{Storage, StorageError, StorageErrorKind, WriteFile};

/// How much of the results is out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SinkPosition {
    /// In bytes.
    pub bytes: u64,
    /// In results.
    pub results: u64,
}

/// A file of results that can be cut back to a committed position.
///
/// After a write or a sync has failed, [`commit`](ResultsFile::commit) fails, too: nobody knows then
/// what is in the file, and only [`resume`](ResultsFile::resume) makes it sound again.
pub struct ResultsFile {
    storage: Arc<dyn Storage>,
    name: String,
    file: BufWriter<Box<dyn WriteFile>>,
    position: SinkPosition,
    /// The name of a new file is not durable before its directory is synced.
    new: bool,
    broken: bool,
}

impl ResultsFile {
    /// A new file, in place of one that has this name.
    ///
    /// # Errors
    /// The system's.
    pub fn create(storage: Arc<dyn Storage>, name: &str) -> Result<ResultsFile, StorageError> {
        let file =
            storage.create(name).map_err(|e| StorageError::io(name, "create the file", e))?;
        Ok(ResultsFile::with(storage, name, file, SinkPosition::default(), true))
    }

    /// Cuts the file to the committed position and goes on from there.
    ///
    /// # Errors
    /// The file is shorter than that, or gone: it is not the one that the checkpoint speaks of. The
    /// system's.
    pub fn resume(
        storage: Arc<dyn Storage>,
        name: &str,
        position: SinkPosition,
    ) -> Result<ResultsFile, StorageError> {
        storage.truncate(name, position.bytes).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => StorageError::corrupt(
                name,
                format!("shorter than the {} bytes that the checkpoint says", position.bytes),
            ),
            _ => StorageError::io(name, "cut the results to what the checkpoint says", e),
        })?;
        let file = storage.append(name).map_err(|e| StorageError::io(name, "open", e))?;
        Ok(ResultsFile::with(storage, name, file, position, false))
    }

    fn with(
        storage: Arc<dyn Storage>,
        name: &str,
        file: Box<dyn WriteFile>,
        position: SinkPosition,
        new: bool,
    ) -> ResultsFile {
        let file = BufWriter::with_capacity(64 * 1024, file);
        ResultsFile { storage, name: name.to_owned(), file, position, new, broken: false }
    }

    /// Writes one result.
    ///
    /// # Errors
    /// The system's.
    pub fn write_result(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        if self.broken {
            return Err(self.is_broken());
        }
        self.broken = true;
        self.file.write_all(bytes).map_err(|e| StorageError::io(&self.name, "write", e))?;
        self.broken = false;
        self.position.bytes += bytes.len() as u64;
        self.position.results += 1;
        Ok(())
    }

    /// Hands what is buffered to the system, for readers that look on. Not durable.
    ///
    /// # Errors
    /// The system's.
    pub fn flush(&mut self) -> Result<(), StorageError> {
        if self.broken {
            return Err(self.is_broken());
        }
        self.broken = true;
        self.file.flush().map_err(|e| StorageError::io(&self.name, "write", e))?;
        self.broken = false;
        Ok(())
    }

    /// Makes all results so far durable, and says how many there are.
    ///
    /// # Errors
    /// The system's.
    pub fn commit(&mut self) -> Result<SinkPosition, StorageError> {
        self.flush()?;
        self.broken = true;
        self.file.get_mut().sync().map_err(|e| StorageError::io(&self.name, "sync", e))?;
        if self.new {
            self.storage
                .sync_dir()
                .map_err(|e| StorageError::io(&self.name, "sync the directory of", e))?;
            self.new = false;
        }
        self.broken = false;
        Ok(self.position)
    }

    /// What was written, committed or not.
    #[must_use]
    pub fn position(&self) -> SinkPosition {
        self.position
    }

    fn is_broken(&self) -> StorageError {
        let reason = "an earlier write failed; resume from the last checkpoint";
        StorageError::new(StorageErrorKind::Io, &self.name, reason)
    }
}

impl fmt::Debug for ResultsFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultsFile")
            .field("name", &self.name)
            .field("position", &self.position)
            .field("broken", &self.broken)
            .finish_non_exhaustive()
    }
}

/// For a sink that cannot be cut back: the results that were out when the process died and that the
/// checkpoint does not count, by (first.seq, second.seq). They come again, and are passed over.
///
/// A pair comes again with the same numbers, since they are part of the checkpoint.
#[derive(Clone, Debug, Default)]
pub struct Delivered(HashSet<(u64, u64)>);

impl Delivered {
    /// From the numbers of the results that are out.
    pub fn new(pairs: impl IntoIterator<Item = (u64, u64)>) -> Delivered {
        Delivered(pairs.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect())
    }

    /// Whether this one is not out yet. A pair comes once, so it is forgotten here.
    pub fn is_new(&mut self, pair: &Pair) -> bool {
        let (a, b) = (pair.first.seq, pair.second.seq);
        self.0.is_empty() || !self.0.remove(&(a.min(b), a.max(b)))
    }

    /// How many are still to come again.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether all have come again.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
