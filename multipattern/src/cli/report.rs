//! Messages on the standard error.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use multipattern::Error;

/// So many characters of a value are shown in a message.
const MOST_OF_VALUE: usize = 100;
/// And so many of a message of the library, which may show several.
const MOST_OF_MESSAGE: usize = 400;
/// So many columns are listed in a message.
const MOST_COLUMNS: usize = 20;

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

/// The beginning of a text from outside, without what a terminal would obey.
fn clipped(text: &str, most: usize) -> String {
    let mut shown = String::new();
    for (at, character) in text.chars().enumerate() {
        if at == most {
            shown.push_str("...");
            break;
        }
        match character {
            '\n' | '\r' | '\t' => shown.extend(character.escape_default()),
            _ if character.is_control() => {
                shown.push_str(&format!("\\x{:02x}", u32::from(character)));
            }
            // They turn or break the line.
            '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                shown.extend(character.escape_unicode());
            }
            _ => shown.push(character),
        }
    }
    shown
}

/// A value or a name from outside, as messages show it.
pub(super) fn shown(text: &str) -> String {
    clipped(text, MOST_OF_VALUE)
}

/// The first columns of a header of so many, as messages list them.
pub(super) fn listed<'c>(columns: impl Iterator<Item = &'c str>, number: usize) -> String {
    let more = number.saturating_sub(MOST_COLUMNS);
    let mut list: Vec<_> =
        columns.take(MOST_COLUMNS).map(|name| format!("`{}`", shown(name))).collect();
    if more > 0 {
        list.push(format!("and {more} more"));
    }
    list.join(", ")
}

/// A message without a picture. No part of it brings control characters to the terminal.
pub(super) fn message(level: &str, title: &str, place: Option<&str>, help: Option<&str>) {
    let safe = |text: &str| clipped(text, usize::MAX);
    let mut text = format!("{level}: {}", safe(title));
    if let Some(place) = place {
        text.push_str(&format!("\n --> {}", safe(place)));
    }
    if let Some(help) = help {
        text.push_str(&format!("\n = help: {}", safe(help)));
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
    let mut title = clipped(error.message(), MOST_OF_MESSAGE);
    if let Some(pattern) = error.pattern() {
        title.push_str(&format!(" (pattern `{}`)", shown(pattern)));
    }
    let hint = error.hint().map(|hint| clipped(hint, MOST_OF_MESSAGE));
    let Some(span) = error.span() else {
        return message("error", &title, Some(name), hint.as_deref());
    };
    // Only the line is shown: files of patterns are long.
    let span = within(text, span);
    let begin = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[span.start..].find('\n').map_or(text.len(), |at| span.start + at);
    // Those of two bytes that a terminal obeys; what the mark stands under keeps its place.
    let obeyed = |character: char| matches!(character, '\u{80}'..='\u{9f}');
    let line = text[begin..end].trim_end().replace(obeyed, "\u{b7}");
    let annotation = AnnotationKind::Primary.span(span.start - begin..span.end.min(end) - begin);
    let path = clipped(name, usize::MAX);
    let snippet = Snippet::source(line)
        .line_start(error.line().unwrap_or(1))
        .path(path)
        .annotation(annotation);
    let mut group = Group::with_title(Level::ERROR.primary_title(title)).element(snippet);
    if let Some(hint) = hint {
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
