//! One opaque error type for the whole crate.

use std::fmt;
use std::ops::Range;

/// What kind of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text of a pattern does not follow the language.
    Syntax,
    /// A pattern contradicts itself or asks for what cannot be answered.
    Pattern,
    /// A pattern uses a name that it does not define, or one that means several things.
    Name,
    /// A limit of [`Limits`](crate::Limits) was exceeded.
    Limit,
    /// Events did not come in the order of their times.
    Order,
    /// Something was asked for that this detector does not do.
    Usage,
    /// Reading or writing failed.
    Io,
    /// A snapshot is of something else, or damaged.
    Snapshot,
}

/// An error of this crate: what went wrong, where, and what to do about it.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: String,
    hint: Option<String>,
    pattern: Option<String>,
    span: Option<Range<usize>>,
    line: Option<usize>,
}

impl Error {
    /// An error of the given kind.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(Inner {
            kind,
            message: message.into(),
            hint: None,
            pattern: None,
            span: None,
            line: None,
        }))
    }

    /// The same error with advice on how to put it right.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// The same error with the id of the pattern that it is about.
    #[must_use]
    pub fn in_pattern(mut self, id: impl Into<String>) -> Self {
        self.0.pattern = Some(id.into());
        self
    }

    /// The same error with a byte range in the text of the patterns.
    #[must_use]
    pub fn with_span(mut self, span: Range<usize>) -> Self {
        self.0.span = Some(span);
        self
    }

    /// The same error, of a pattern that stands in a line (from 1) that begins at a byte.
    #[must_use]
    pub(crate) fn in_line(mut self, line: usize, start: usize) -> Self {
        self.0.line = Some(line);
        self.0.span = self.0.span.map(|span| span.start + start..span.end + start);
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

    /// The id of the pattern that the error is about.
    #[must_use]
    pub fn pattern(&self) -> Option<&str> {
        self.0.pattern.as_deref()
    }

    /// The byte range in the text of the patterns.
    #[must_use]
    pub fn span(&self) -> Option<Range<usize>> {
        self.0.span.clone()
    }

    /// The line in the text of the patterns, from 1.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.0.line
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if let Some(pattern) = &self.0.pattern {
            write!(f, " (pattern {pattern})")?;
        }
        match (self.0.line, &self.0.span) {
            (Some(line), _) => write!(f, " in line {line}")?,
            (None, Some(span)) => write!(f, " at position {} of the pattern", span.start)?,
            (None, None) => {}
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
            .field("pattern", &self.0.pattern)
            .field("line", &self.0.line)
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
