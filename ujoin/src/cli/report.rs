//! Messages on the standard error.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use ujoin::input::{Fault, LoadError};

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

fn message(level: &str, title: &str, place: Option<&str>, notes: &[(&str, &str)]) {
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
pub(super) fn error(title: impl fmt::Display, help: Option<&str>) {
    let notes: Vec<_> = help.map(|help| ("help", help)).into_iter().collect();
    message("error", &title.to_string(), None, &notes);
}

/// Something that the user should know.
pub(super) fn warning(title: &str, help: Option<&str>) {
    let notes: Vec<_> = help.map(|help| ("help", help)).into_iter().collect();
    message("warning", title, None, &notes);
}

/// Something that is worth knowing and nothing to worry about.
pub(super) fn note(title: &str) {
    tell(format_args!("note: {title}"));
}

/// What was printed before something failed.
fn before(lines: Option<u64>) -> Option<String> {
    Some(match lines? {
        0 => "nothing was printed before".to_owned(),
        1 => "1 result was printed before, it stays valid".to_owned(),
        n => format!("{n} results were printed before, they stay valid"),
    })
}

/// A row that is refused.
pub(super) fn fault(name: &str, fault: &Fault, printed: Option<u64>) {
    let place = match &fault.place {
        ujoin::input::Place::Row => format!("{name}: line {}", fault.line),
        place => format!("{name}: line {}, {place}", fault.line),
    };
    let before = before(printed);
    let mut notes: Vec<_> = before.as_deref().map(|note| ("note", note)).into_iter().collect();
    notes.extend(fault.hint().map(|hint| ("help", hint)));
    if printed.is_some() {
        notes.push(("help", "`--reject FILE` sets such rows aside and goes on"));
    }
    message("error", &fault.problem.to_string(), Some(&place), &notes);
}

/// A file that does not serve.
pub(super) fn unloaded(name: &str, error: &LoadError, printed: Option<u64>) {
    let (title, help) = match error {
        LoadError::Io(e) => (format!("cannot read {name}: {}", plain(e)), None),
        LoadError::Fault(wrong) => return fault(name, &Fault { ..wrong.clone() }, None),
        LoadError::NoColumn { found, .. } => {
            let help = match found.contains([';', '\t', '|']) {
                true => "cells are separated by commas",
                false => {
                    "sightings have the columns stream, time, key, probability and, if they \
                          have alternatives, observation"
                }
            };
            (format!("{name}: {error}"), Some(help))
        }
        LoadError::NoTravelTime { .. } => {
            let help = "each pair of streams needs a time in both directions";
            (format!("{name}: {error}"), Some(help))
        }
        _ => (format!("{name}: {error}"), None),
    };
    let before = before(printed);
    let mut notes: Vec<_> = before.as_deref().map(|note| ("note", note)).into_iter().collect();
    notes.extend(help.map(|help| ("help", help)));
    message("error", &title, None, &notes);
}

/// The join failed.
pub(super) fn stopped(error: &dyn fmt::Display, help: Option<&str>, printed: u64) {
    let before = before(Some(printed));
    let mut notes: Vec<_> = before.as_deref().map(|note| ("note", note)).into_iter().collect();
    notes.extend(help.map(|help| ("help", help)));
    message("error", &error.to_string(), None, &notes);
}

/// An output cannot be written.
pub(super) fn unwritten(failed: &io::Error, path: Option<&Path>) {
    let name = path.map_or("the standard output".to_owned(), |path| path.display().to_string());
    error(format_args!("cannot write to {name}: {}", plain(failed)), None);
}

/// The message of the operating system without its number.
pub(super) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error ") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}
