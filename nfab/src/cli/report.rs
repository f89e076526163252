//! Messages on the standard error.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use nfab::{Error, ErrorKind};

use super::input::{Fault, plain as without_number};

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
fn message(level: &str, title: &str, place: Option<String>, notes: &[(&str, String)]) {
    let (first, bold, blue, plain) = match (coloured(), level) {
        (false, _) => ("", "", "", ""),
        (true, "error") => ("\x1b[1;91m", "\x1b[1m", "\x1b[1;94m", "\x1b[0m"),
        (true, _) => ("\x1b[1;93m", "\x1b[1m", "\x1b[1;94m", "\x1b[0m"),
    };
    let mut text = format!("{first}{level}{plain}{bold}: {title}{plain}");
    if let Some(place) = place {
        text.push_str(&format!("\n {blue}-->{plain} {place}"));
    }
    for (kind, note) in notes {
        text.push_str(&format!("\n {blue}={plain} {bold}{kind}{plain}: {note}"));
    }
    tell(text);
}

/// An error without a place.
pub(super) fn plain(title: &str, help: Option<&str>) {
    let notes: Vec<_> = help.map(|help| ("help", help.to_owned())).into_iter().collect();
    message("error", title, None, &notes);
}

/// Something that the user should know.
pub(super) fn warning(title: &str, help: Option<&str>) {
    let notes: Vec<_> = help.map(|help| ("help", help.to_owned())).into_iter().collect();
    message("warning", title, None, &notes);
}

/// Something that is worth knowing and nothing to worry about.
pub(super) fn note(title: &str) {
    tell(format_args!("note: {title}"));
}

/// A checkpoint cannot be written.
pub(super) fn unsaved(name: &str, error: &io::Error, before: Before) {
    let title = format!("cannot write the checkpoint {name}: {}", without_number(error));
    message("error", &title, None, &[before.note()]);
}

/// An error in a query, with a mark under its place. `name` says where the query is from.
pub(super) fn query(name: &str, text: &str, error: &Error, help: Option<&str>) {
    let title = match error.stage() {
        Some(stage) => format!("{} (`{stage}`)", error.message()),
        None => error.message().to_owned(),
    };
    let help = error.hint().into_iter().chain(help);
    let Some(span) = error.span() else {
        let notes: Vec<_> = help.map(|help| ("help", help.to_owned())).collect();
        return message("error", &title, Some(name.to_owned()), &notes);
    };
    let annotation = AnnotationKind::Primary.span(within(text, span));
    let mut group = Group::with_title(Level::ERROR.primary_title(title))
        .element(Snippet::source(text).path(name).annotation(annotation));
    for help in help {
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

/// What was printed before the input failed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    pub(super) matches: u64,
    /// Whether they were only counted.
    pub(super) counted: bool,
}

impl Before {
    fn note(self) -> (&'static str, String) {
        let one = self.matches == 1;
        let text = match (self.matches, self.counted) {
            (0, _) => "there were no matches before".to_owned(),
            (n, true) => format!(
                "{n} match{} found before, no count is printed",
                if one { " was" } else { "es were" }
            ),
            (n, false) => format!(
                "{n} match{} printed before, {} valid",
                if one { " was" } else { "es were" },
                if one { "it stays" } else { "they stay" }
            ),
        };
        ("note", text)
    }
}

/// A row that is no event.
pub(super) fn fault(name: &str, fault: &Fault, before: Before) {
    let mut notes = vec![before.note()];
    notes.extend(fault.hint.clone().map(|hint| ("help", hint)));
    notes.push(("help", "`--skip-bad-rows` counts such rows and goes on".to_owned()));
    message("error", &fault.message, Some(format!("{name}: {}", fault.describe())), &notes);
}

/// The input as a whole does not serve.
pub(super) fn fatal(name: &str, fault: &Fault, before: Option<Before>) {
    let mut notes: Vec<_> = before.map(Before::note).into_iter().collect();
    notes.extend(fault.hint.clone().map(|hint| ("help", hint)));
    message("error", &fault.message, Some(format!("{name}: {}", fault.describe())), &notes);
}

/// The standard output cannot be written.
pub(super) fn unwritten(error: &io::Error) {
    plain(&format!("cannot write to the standard output: {}", without_number(error)), None);
}

/// The input cannot be read.
pub(super) fn unreadable(name: &str, error: &io::Error, before: Option<Before>) {
    let notes: Vec<_> = before.map(Before::note).into_iter().collect();
    let title = format!("cannot read {name}: {}", without_number(error));
    message("error", &title, None, &notes);
}

/// The engine gave up at an event.
pub(super) fn stopped(name: &str, error: &Error, event: Option<u64>, before: Before) {
    let title = match error.stage() {
        Some(stage) => format!("{} (`{stage}`)", error.message()),
        None => error.message().to_owned(),
    };
    let place = match event {
        Some(event) => format!("{name}: event {event}"),
        None => name.to_owned(),
    };
    let mut notes = vec![before.note()];
    match error.kind() {
        ErrorKind::Limit => {
            let help = "a window or a stricter condition bounds them; the flags `--max-...` set \
                        the bounds and what happens beyond them";
            notes.push(("help", help.to_owned()));
        }
        _ => notes.extend(error.hint().map(|hint| ("help", hint.to_owned()))),
    }
    message("error", &title, Some(place), &notes);
}
