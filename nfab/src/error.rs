//! One opaque error type for the whole crate.

use std::fmt;
use std::ops::Range;

/// What kind of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text of a query does not follow the language.
    Query,
    /// The pattern contradicts itself or asks for what cannot be answered.
    Pattern,
    /// A pattern uses a name that it does not define or that the schema does not know.
    Name,
    /// An expression applies an operator to types that it is not made for.
    Type,
    /// After a match, the stage to skip to holds no event, or is where the match began.
    SkipTargetMissing,
    /// A limit of [`Limits`](crate::Limits) was exceeded.
    Limit,
    /// The engine was used after it had failed or finished.
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
    stage: Option<String>,
    span: Option<Range<usize>>,
}

impl Error {
    /// An error of the given kind.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(Inner {
            kind,
            message: message.into(),
            hint: None,
            stage: None,
            span: None,
        }))
    }

    /// The same error with advice on how to put it right.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// The same error with the stage of the pattern that it is about.
    #[must_use]
    pub fn in_stage(mut self, stage: impl Into<String>) -> Self {
        self.0.stage = Some(stage.into());
        self
    }

    /// The same error with a byte range in the text of the query.
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

    /// The stage of the pattern that the error is about.
    #[must_use]
    pub fn stage(&self) -> Option<&str> {
        self.0.stage.as_deref()
    }

    /// The byte range in the text of the query.
    #[must_use]
    pub fn span(&self) -> Option<Range<usize>> {
        self.0.span.clone()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if let Some(stage) = &self.0.stage {
            write!(f, " (stage {stage})")?;
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
            .field("stage", &self.0.stage)
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
