//! What a run did, for `--stats`, and what of it the user should know in any case.

use std::time::Instant;

use nfab::{Slot, Stats};

use super::input::{Reader, Seen, listed};
use super::lists::Alone;
use super::report::{note, tell, warning};

/// What a run did.
pub(super) struct Summary {
    pub(super) stats: Stats,
    pub(super) rows: u64,
    pub(super) bad_rows: u64,
    pub(super) bytes: u64,
    pub(super) matches: u64,
    pub(super) start: Instant,
}

impl Summary {
    /// Writes it as one JSON object.
    pub(super) fn tell(&self) {
        let stats = &self.stats;
        let seconds = self.start.elapsed().as_secs_f64();
        tell(serde_json::json!({
            "rows": self.rows,
            "bad_rows": self.bad_rows,
            "bytes": self.bytes,
            "events": stats.events,
            "late": stats.late,
            "waiting": stats.waiting,
            "without_key": stats.without_key,
            "matches": self.matches,
            "timed_out": stats.timed_out,
            "runs": stats.runs,
            "peak_runs": stats.peak_runs,
            "held_back": stats.held_back,
            "cells": stats.cells,
            "peak_cells": stats.peak_cells,
            "stored_events": stats.stored_events,
            "dropped_runs": stats.dropped_runs,
            "dropped_matches": stats.dropped_matches,
            "type_errors": stats.type_errors,
            "overflows": stats.overflows,
            "divisions_by_zero": stats.divisions_by_zero,
            "seconds": (seconds * 1e6).round() / 1e6,
        }));
    }
}

/// Warns of what made the result differ from what may have been expected.
pub(super) fn warn(summary: &Summary, seen: &Seen, saves_late: bool, unit: &str) {
    let stats = &summary.stats;
    let times = |n: u64| if n == 1 { "once".to_owned() } else { format!("{n} times") };
    if summary.matches == u64::MAX {
        warning("there are that many matches or more, larger numbers cannot be counted", None);
    }
    if summary.bad_rows > 0 {
        let n = summary.bad_rows;
        let (were, first) = if n == 1 { (" was", "in ") } else { ("s were", "the first in ") };
        let first = match &seen.first_bad {
            Some(why) => format!(", {first}{why}"),
            None => String::new(),
        };
        warning(&format!("{n} bad row{were} left out{first}"), None);
    }
    if stats.late > 0 && !saves_late {
        let n = stats.late;
        let by = seen.behind;
        let (title, them) = match n {
            1 => ("1 event came too late and was left out".to_owned(), "it"),
            n => (format!("{n} events came too late and were left out"), "them"),
        };
        let title = format!("{title}, up to {by} {unit} older than one before");
        let mut help = format!(
            "`--lateness {by}` would have kept {them}; `--late FILE` writes {them} to a file"
        );
        if 2 * n > summary.rows - summary.bad_rows {
            help.push_str("; is the input sorted newest first?");
        }
        warning(&title, Some(&help));
    }
    if stats.type_errors > 0 {
        warning(
            &format!(
                "values of types that do not fit each other were combined {}; each made a \
                 condition unknown",
                times(stats.type_errors)
            ),
            Some("a number in quotes is text; text and numbers are never equal"),
        );
    }
    if stats.overflows > 0 {
        let times = times(stats.overflows);
        warning(&format!("a number became too large {times}; it made a condition unknown"), None);
    }
    if stats.divisions_by_zero > 0 {
        let times = times(stats.divisions_by_zero);
        warning(
            &format!("a whole number was divided by zero {times}; it made a condition unknown"),
            None,
        );
    }
    if stats.dropped_runs > 0 {
        let n = stats.dropped_runs;
        warning(&format!("{n} partial matches were dropped because of a limit"), None);
    }
    if stats.dropped_matches > 0 {
        let n = stats.dropped_matches;
        warning(&format!("{n} matches were dropped because of a limit"), None);
    }
}

/// Names of the query that no event had.
pub(super) fn unseen(what: &str, names: &[&str], seen: &[&str]) {
    if !names.is_empty() {
        let has = if what == "type" { "was of the type" } else { "had the attribute" };
        let help = format!("events were of the types {}", listed(seen.iter().copied()));
        let help =
            Some(help.replace("types `", if seen.len() == 1 { "type `" } else { "types `" }));
        let title = format!("no event {has} {}", listed(names.iter().copied()));
        warning(&title, help.as_deref().filter(|_| !seen.is_empty()));
    }
}

/// Tells what of the input was taken otherwise than it may have been meant.
pub(super) fn input(reader: &Reader, key: &[(String, Slot)], unit: &str) {
    let seen = reader.seen();
    if let Some((name, what)) = reader.assumed() {
        note(&format!(
            "no {what} `type`: all events are taken as `{name}` (--type-column NAME or --type NAME \
             says otherwise)"
        ));
        if let Some(column) = &seen.column {
            tell(format_args!(
                " = help: the {what} `{column}` holds `{name}`: `--type-column {column}`?"
            ));
        }
    }
    if seen.cut {
        note(&format!("times were rounded down to whole {unit}; a finer `--time-unit` keeps more"));
    }
    if seen.without_key > 0 {
        let n = seen.without_key;
        let names: Vec<&str> = key.iter().map(|(name, _)| name.as_str()).collect();
        let (have, were) = if n == 1 { (" has", "was") } else { ("s have", "were") };
        let title =
            format!("{n} event{have} no value of [{}] and {were} left out", names.join(", "));
        warning(&title, None);
    }
}

/// Warns of a condition that asks nothing of the first event of a list.
pub(super) fn without_first(alone: &Alone) {
    let Alone { variable, condition, first } = alone;
    warning(
        &format!(
            "`{condition}` says nothing of the first event: `{variable}[i]` is each from the second on"
        ),
        Some(&format!("to demand it of all add `AND {first}`")),
    );
}
