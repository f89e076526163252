//! One opaque error type for the whole crate.

use std::fmt;
use std::ops::Range;

/// A place in the input document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Position {
    /// Byte offset from the start of the input, byte order mark and declaration included.
    pub offset: u64,
    /// Line, counted from 1; 0 when it is not known.
    pub line: u64,
    /// Column in bytes, counted from 1; 0 when it is not known.
    pub column: u64,
}

/// What kind of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The query does not follow the query language.
    Query,
    /// The document is not well-formed.
    Malformed,
    /// The document ended before its root element was closed, or, in another encoding than UTF-8, in the
    /// middle of a character.
    Incomplete,
    /// The document uses an encoding that is not supported, or bytes that its encoding forbids.
    Encoding,
    /// A value that the query looks into holds an entity that cannot be resolved.
    Entity,
    /// A limit of [`Limits`](crate::Limits) was exceeded.
    Limit,
    /// Reading the input or writing the output failed.
    Io,
    /// The matcher was used after it had failed or finished.
    Usage,
}

/// An error of this crate: what went wrong, where, and what to do about it.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: String,
    hint: Option<String>,
    position: Option<Position>,
    span: Option<Range<usize>>,
}

impl Error {
    /// An error of the given kind. Front ends and handlers outside this crate may build their own.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(Inner {
            kind,
            message: message.into(),
            hint: None,
            position: None,
            span: None,
        }))
    }

    /// The same error with advice on how to put it right.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// The same error with a place in the document.
    #[must_use]
    pub fn at(mut self, position: Position) -> Self {
        self.0.position = Some(position);
        self
    }

    /// The same error with a byte range in the query text.
    #[must_use]
    pub fn with_span(mut self, span: Range<usize>) -> Self {
        self.0.span = Some(span);
        self
    }

    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What went wrong, without place and hint.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What the user can do about it, if there is something to say.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// The place in the document, for errors that have one.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        self.0.position
    }

    /// The byte range in the query text, for [`ErrorKind::Query`].
    #[must_use]
    pub fn span(&self) -> Option<Range<usize>> {
        self.0.span.clone()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if let Some(p) = self.0.position {
            match p.line {
                0 => write!(f, " (byte {})", p.offset)?,
                line => write!(f, " (byte {}, line {line}, column {})", p.offset, p.column)?,
            }
        }
        if let Some(span) = &self.0.span {
            write!(f, " at position {} of the query", span.start)?;
        }
        if let Some(hint) = &self.0.hint {
            write!(f, "; {hint}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("message", &self.0.message)
            .field("position", &self.0.position)
            .field("span", &self.0.span)
            .field("hint", &self.0.hint)
            .finish()
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(e: std::io::Error) -> Self {
        Error::new(ErrorKind::Io, e.to_string())
    }
}
