//! Messages on the standard error.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use multipattern::Error;

/// Writes to the standard error; there is nobody to tell when that fails.
pub(super) fn tell(text: impl fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Whether messages may have colours.
fn coloured() -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    io::stderr().is_terminal()
        && set("NO_COLOR").is_none()
        && set("TERM").is_none_or(|term| term != "dumb")
}

/// A message without a picture.
pub(super) fn message(level: &str, title: &str, place: Option<&str>, help: Option<&str>) {
    let mut text = format!("{level}: {title}");
    if let Some(place) = place {
        text.push_str(&format!("\n --> {place}"));
    }
    if let Some(help) = help {
        text.push_str(&format!("\n = help: {help}"));
    }
    tell(text);
}

/// What the operating system says, without its number.
pub(super) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// The standard output cannot be written.
pub(super) fn unwritten(error: &io::Error) {
    let title = format!("cannot write to the standard output: {}", plain(error));
    message("error", &title, None, None);
}

/// An error in the patterns, with a mark under its place.
pub(super) fn patterns(name: &str, text: &str, error: &Error) {
    let title = match error.pattern() {
        Some(pattern) => format!("{} (pattern `{pattern}`)", error.message()),
        None => error.message().to_owned(),
    };
    let Some(span) = error.span() else {
        return message("error", &title, Some(name), error.hint());
    };
    // Only the line is shown: files of patterns are long.
    let span = within(text, span);
    let begin = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[span.start..].find('\n').map_or(text.len(), |at| span.start + at);
    let annotation = AnnotationKind::Primary.span(span.start - begin..span.end.min(end) - begin);
    let snippet = Snippet::source(text[begin..end].trim_end())
        .line_start(error.line().unwrap_or(1))
        .path(name)
        .annotation(annotation);
    let mut group = Group::with_title(Level::ERROR.primary_title(title)).element(snippet);
    if let Some(hint) = error.hint() {
        group = group.element(Level::HELP.message(hint));
    }
    let renderer = if coloured() { Renderer::styled() } else { Renderer::plain() };
    tell(renderer.render(&[group]));
}

/// The span, moved onto the boundaries of characters that exist.
fn within(text: &str, span: Range<usize>) -> Range<usize> {
    let boundary = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = boundary(span.start);
    start..boundary(span.end).max(start)
}
