//! The harness's one error type, and the exit code that each kind of error means.

use std::fmt;

/// A result whose error is the harness's own.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, as far as the exit code and the reader care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The command line asks for something that does not exist.
    Usage,
    /// An input file is missing, unreadable or malformed.
    Input,
    /// The operating system refused to read, write or start something.
    Io,
    /// Two engines gave different answers, so no time of theirs means anything.
    Disagreement,
    /// An experiment failed to run.
    Failed,
    /// Two runs that were compared differ: a finding, no fault.
    Moved,
}

/// An error with a kind, a message and the places it passed through.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

impl Error {
    /// An error of `kind` with a message that a person can act on.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// The command line asks for something that does not exist.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// An input file is missing or malformed.
    pub fn input(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Input, message)
    }

    /// The operating system refused something; `what` says what was attempted.
    pub fn io(what: impl fmt::Display, error: &std::io::Error) -> Self {
        Self::new(ErrorKind::Io, format!("{what}: {error}"))
    }

    /// An experiment could not be run.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Failed, message)
    }

    /// Two engines gave different answers.
    pub fn disagreement(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Disagreement, message)
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Puts the place where the error happened before the message.
    #[must_use]
    pub fn within(mut self, place: impl fmt::Display) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// 2 for a mistake in the call or its input, 1 for a failed run.
    pub fn exit_code(&self) -> u8 {
        match self.kind {
            ErrorKind::Usage | ErrorKind::Input => 2,
            ErrorKind::Io | ErrorKind::Disagreement | ErrorKind::Failed | ErrorKind::Moved => 1,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
