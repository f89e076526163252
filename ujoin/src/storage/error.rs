//! What can go wrong with what is on disk.

use std::fmt;
use std::io;

/// What sort of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StorageErrorKind {
    /// The system reports an error.
    Io,
    /// There is no room: a full disk, a quota, a limit on the size of a file.
    Full,
    /// A file that must be there is not.
    Missing,
    /// Contents do not fit their checksum, or cannot be what was written.
    Corrupt,
    /// Written by a run with other settings.
    Config,
    /// Written in a format that this version does not know.
    Version,
    /// Another process uses the directory.
    Locked,
}

/// An error of the storage: in which file, where in it, and why.
#[derive(Debug)]
pub struct StorageError {
    kind: StorageErrorKind,
    file: String,
    block: Option<u64>,
    reason: String,
    source: Option<io::Error>,
}

impl StorageError {
    pub(crate) fn new(kind: StorageErrorKind, file: &str, reason: impl Into<String>) -> Self {
        StorageError {
            kind,
            file: file.to_owned(),
            block: None,
            reason: reason.into(),
            source: None,
        }
    }

    /// An error that the system reported while we were `doing` something to the file.
    pub(crate) fn io(file: &str, doing: &str, source: io::Error) -> Self {
        let kind = match source.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge
            | io::ErrorKind::WriteZero => StorageErrorKind::Full,
            io::ErrorKind::NotFound => StorageErrorKind::Missing,
            io::ErrorKind::UnexpectedEof => StorageErrorKind::Corrupt,
            _ => StorageErrorKind::Io,
        };
        let mut e = StorageError::new(kind, file, format!("cannot {doing}"));
        e.source = Some(source);
        e
    }

    pub(crate) fn corrupt(file: &str, reason: impl Into<String>) -> Self {
        StorageError::new(StorageErrorKind::Corrupt, file, reason)
    }

    pub(crate) fn at_block(mut self, block: u64) -> Self {
        self.block = Some(block);
        self
    }

    /// What sort of error.
    #[must_use]
    pub fn kind(&self) -> StorageErrorKind {
        self.kind
    }

    /// The file's name, or that of the directory.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Which block of the file, from 0, if it is about one.
    #[must_use]
    pub fn block(&self) -> Option<u64> {
        self.block
    }
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(block) = self.block {
            write!(f, ", block {block}")?;
        }
        write!(f, ": {}", self.reason)?;
        // Without the cause the message would not say what to do; callers that print the chain of
        // sources see it twice, which is the lesser evil.
        match &self.source {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for StorageError {}
