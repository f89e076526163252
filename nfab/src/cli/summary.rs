//! What a run did, for `--stats`, and what of it the user should know in any case.

use std::time::Instant;

use nfab::Stats;

use super::input::listed;
use super::report::{tell, warning};

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
pub(super) fn warn(summary: &Summary, saves_late: bool) {
    let stats = &summary.stats;
    let times = |n: u64| if n == 1 { "once".to_owned() } else { format!("{n} times") };
    if summary.matches == u64::MAX {
        warning("there are that many matches or more, larger numbers cannot be counted", None);
    }
    if summary.bad_rows > 0 {
        let n = summary.bad_rows;
        warning(&format!("{n} bad row{} left out", if n == 1 { " was" } else { "s were" }), None);
    }
    if stats.late > 0 && !saves_late {
        let n = stats.late;
        warning(
            &match n {
                1 => "1 event came too late and was left out".to_owned(),
                n => format!("{n} events came too late and were left out"),
            },
            Some("`--lateness N` waits for them; `--late FILE` writes them to a file"),
        );
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
pub(super) fn unseen(what: &str, names: &[&str]) {
    if !names.is_empty() {
        let has = if what == "type" { "was of the type" } else { "had the attribute" };
        warning(&format!("no event {has} {}", listed(names.iter().copied())), None);
    }
}
