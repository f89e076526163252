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
    place: Option<Place>,
}

/// Where the span begins in the text of the query.
#[derive(Clone)]
struct Place {
    /// From 1.
    line: usize,
    /// In characters, from 1.
    column: usize,
    /// The characters of the span that are on the line.
    length: usize,
    /// The line.
    text: String,
    /// The query has no other line.
    only: bool,
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
            place: None,
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

    /// The same error with the text of the query, so that the place is told as line and column, and
    /// `Debug` shows the line with a mark under it. [`Query::parse`](crate::language::Query::parse)
    /// and [`Automaton::from_text`](crate::Automaton::from_text) give it; others do not know it.
    #[must_use]
    pub fn with_text(mut self, text: &str) -> Self {
        self.0.place = self.0.span.as_ref().map(|span| Place::new(text, span));
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
        match (&self.0.place, &self.0.span) {
            (Some(Place { line, column, only: false, .. }), _) => {
                write!(f, " at line {line}, column {column} of the query")?;
            }
            (_, Some(span)) => write!(f, " at position {} of the query", span.start)?,
            (_, None) => {}
        }
        if let Some(hint) = &self.0.hint {
            write!(f, "; {hint}")?;
        }
        Ok(())
    }
}

impl Place {
    fn new(text: &str, span: &Range<usize>) -> Self {
        // Spans of another text must not panic.
        let boundary = |mut at: usize| {
            at = at.min(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let start = boundary(span.start);
        let end = boundary(span.end).max(start);
        let begin = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line = text[begin..].lines().next().unwrap_or_default();
        let column = text[begin..start].chars().count();
        let length = text[start..end].chars().count();
        Place {
            line: text[..begin].matches('\n').count() + 1,
            column: column + 1,
            length: length.min(line.chars().count().saturating_sub(column)).max(1),
            text: line.to_owned(),
            only: text.trim_end().lines().count() < 2,
        }
    }
}

/// As [`Display`](fmt::Display), followed by the marked line of the query if its text is known: a
/// `main` that returns the error prints this.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)?;
        if let Some(Place { line, column, length, text, .. }) = &self.0.place {
            let number = line.to_string();
            let margin = " ".repeat(number.len());
            // Tabs stay, so that the mark is where the reader sees the place.
            let before: String =
                text.chars().take(column - 1).map(|c| if c == '\t' { c } else { ' ' }).collect();
            let mark = "^".repeat(*length);
            write!(f, "\n{margin} |\n{number} | {text}\n{margin} | {before}{mark}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(e: std::io::Error) -> Self {
        Error::new(ErrorKind::Io, e.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_in_a_query_of_several_lines() {
        let text = "PATTERN SEQ(A a)\nWHERE {\n\tä.x > 1 }\n";
        let at = text.find('ä').expect("a place");
        let error = Error::new(ErrorKind::Name, "no such name").with_span(at..at + 4);
        assert_eq!(error.to_string(), format!("no such name at position {at} of the query"));
        let error = error.with_text(text).with_hint("use another");
        let said = "no such name at line 3, column 2 of the query; use another";
        assert_eq!(error.to_string(), said);
        assert_eq!(format!("{error:?}"), format!("{said}\n  |\n3 | \tä.x > 1 }}\n  | \t^^^"));
        // Of one line, the position says it.
        let error = Error::new(ErrorKind::Name, "no such name").with_span(3..4).with_text("abcdef");
        assert_eq!(
            format!("{error:?}"),
            "no such name at position 3 of the query\n  |\n1 | abcdef\n  |    ^"
        );
        // At the end, and of another text.
        for text in ["", "ab\n", "ab\nä"] {
            for span in [0..0, 2..9, 3..3, 4..5, 90..99] {
                let error = Error::new(ErrorKind::Query, "m").with_span(span).with_text(text);
                assert!(format!("{error:?}").ends_with('^'), "{text:?}");
            }
        }
    }

    #[test]
    fn queries_know_their_text() {
        let text = "PATTERN SEQ(A a)\nWHERE { b.x > 1 }";
        let error = crate::language::Query::parse(text).expect_err("no variable b");
        assert!(
            format!("{error:?}").ends_with("\n2 | WHERE { b.x > 1 }\n  |         ^"),
            "{error:?}"
        );
        let text = "PATTERN SEQ(A a)\nWHERE { a.x > 1 }";
        let error =
            crate::Automaton::from_text(text, &crate::Schema::new()).expect_err("no type A");
        assert!(error.to_string().contains(" at line 1, column 13 of the query"), "{error}");
    }
}
