//! What can go wrong in a join.

use std::fmt;

use crate::{SinkError, StreamId};

/// Why a call failed.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    taken: usize,
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A configuration that contradicts itself.
    #[error("{0}")]
    Config(String),
    /// A tuple of a stream that has no travel times.
    #[error("stream {stream} of tuple {seq} does not exist; there are {streams}")]
    UnknownStream {
        /// The stream.
        stream: StreamId,
        /// How many there are.
        streams: usize,
        /// The tuple's place.
        seq: u64,
    },
    /// A tuple whose place in the order of arrival is not after that of the tuple before, or is
    /// `u64::MAX`.
    #[error("tuple {seq} is out of order: places ascend, and the next is at least {least}")]
    Order {
        /// The tuple's place.
        seq: u64,
        /// The least that it could have been.
        least: u64,
    },
    /// The sink failed or wants no more.
    #[error("{0}")]
    Sink(#[source] SinkError),
    /// Tuples could not be moved to disk. They are still in memory, nothing is lost: when there is
    /// room again the call can be repeated with the tuples that were not taken.
    #[error("tuples cannot be moved to disk: {0}")]
    SpillFull(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The place for what does not fit into memory cannot be used, or is not what a checkpoint says.
    #[error("the place for tuples on disk cannot be used: {0}")]
    Storage(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// What was moved to disk cannot be read back.
    #[error("tuples on disk cannot be read: {0}")]
    SpillRead(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The operating system gave no thread.
    #[error("no thread for the join: {0}")]
    Thread(#[source] std::io::Error),
    /// The engine has finished, or has stopped after an error.
    #[error("the join has finished")]
    Finished,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, taken: usize) -> Error {
        Error { kind, taken }
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// What went wrong, for keeps.
    #[must_use]
    pub fn into_kind(self) -> ErrorKind {
        self.kind
    }

    /// How many tuples of the slice were taken before.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.taken
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Error {
        Error::new(kind, 0)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.kind)
    }
}
