//! Messages on the standard error.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use rpdt::{Error, ErrorKind};

use super::limits::flag_of_limit;

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

/// A message in the form of those about queries, without a picture.
fn message(title: &str, place: Option<String>, notes: &[(&str, String)]) {
    let (error, bold, blue, plain) = if coloured() {
        ("\x1b[1;91m", "\x1b[1m", "\x1b[1;94m", "\x1b[0m")
    } else {
        ("", "", "", "")
    };
    let mut text = format!("{error}error{plain}{bold}: {title}{plain}");
    if let Some(place) = place {
        text.push_str(&format!("\n {blue}-->{plain} {place}"));
    }
    for (kind, note) in notes {
        text.push_str(&format!("\n {blue}={plain} {bold}{kind}{plain}: {note}"));
    }
    tell(text);
}

/// A message without a place.
pub(super) fn plain(title: &str, help: Option<&str>) {
    let notes: Vec<_> = help.map(|help| ("help", help.to_owned())).into_iter().collect();
    message(title, None, &notes);
}

/// An error in a query, with a mark under its place. `name` says which query it is.
pub(super) fn query(name: &str, text: &str, error: &Error, help: Option<&str>) {
    let Some(span) = error.span() else {
        let notes: Vec<_> =
            error.hint().into_iter().chain(help).map(|help| ("help", help.to_owned())).collect();
        return message(error.message(), Some(name.to_owned()), &notes);
    };
    let annotation = AnnotationKind::Primary.span(within(text, span));
    let mut group = Group::with_title(Level::ERROR.primary_title(error.message()))
        .element(Snippet::source(text).path(name).annotation(annotation));
    for help in error.hint().into_iter().chain(help) {
        group = group.element(Level::HELP.message(help));
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

/// An error in a document. `found` answers were given before it, or only counted; `about` is what can
/// be said of the document as a whole.
pub(super) fn document(
    name: &str,
    error: &Error,
    found: u64,
    counted: bool,
    about: Option<&'static str>,
) {
    let title = match error.kind() {
        ErrorKind::Io => format!("cannot read {name}: {}", error.message()),
        _ => error.message().to_owned(),
    };
    let mut notes = vec![("note", validity(error.kind(), found, counted))];
    notes.extend(advice(error).into_iter().map(|help| ("help", help)));
    if !matches!(error.kind(), ErrorKind::Io | ErrorKind::Limit) {
        notes.extend(about.map(|help| ("help", help.to_owned())));
    }
    message(&title, place(name, error), &notes);
}

fn place(name: &str, error: &Error) -> Option<String> {
    let position = error.position()?;
    Some(match position.line {
        0 => format!("{name}: byte {}", position.offset),
        line => {
            format!("{name}: line {line}, column {}, byte {}", position.column, position.offset)
        }
    })
}

/// What the error means for the answers.
fn validity(kind: ErrorKind, found: u64, counted: bool) -> String {
    let document = match kind {
        ErrorKind::Malformed => "the document is malformed",
        ErrorKind::Incomplete => "the document is incomplete",
        ErrorKind::Encoding => "the document cannot be decoded",
        _ => "the document was not read to its end",
    };
    let one = found == 1;
    match (found, counted) {
        (0, _) => format!("{document}; there were no answers before"),
        (_, true) => format!(
            "{document}; {found} answer{} found before, no count is printed",
            if one { " was" } else { "s were" }
        ),
        (_, false) => format!(
            "{document}; {found} answer{} printed before, {} valid",
            if one { " was" } else { "s were" },
            if one { "it stays" } else { "they stay" }
        ),
    }
}

/// What the user can do, in terms of the command line.
fn advice(error: &Error) -> Vec<String> {
    let mut advice = Vec::new();
    match error.hint() {
        Some(hint) if hint.contains("--entities keep") => {
            let name = error.message().split('`').nth(1).unwrap_or("NAME");
            advice.push(format!(
                "give its text with `--entity {name}=TEXT`, or keep the reference as it is \
                 written with `--entities keep`"
            ));
        }
        Some(hint) => advice.push(hint.to_owned()),
        None => {}
    }
    if error.kind() == ErrorKind::Limit
        && let Some(flag) = flag_of_limit(error.message())
    {
        advice.push(format!("the limit is set by `{flag}`"));
    }
    advice
}
