//! The subcommands.

mod compare;
mod diff;
mod earlier;
mod execute;
mod report;
mod reproduce;

use std::io::Write;
use std::path::Path;

use crate::cli::Options;
use crate::error::{Error, Result};
use crate::experiment::{About, Experiment, Kind, Registry};
use crate::progress::Progress;
use crate::record::write_line;

pub use compare::{Compare, Engine, compare};
pub use diff::diff;
pub use execute::{Call, Checked, Outcome};
pub use report::report;
pub use reproduce::reproduce;

/// Prints the ids of the papers' experiments, one a line; with `all` those of our own checks, too.
pub fn list(registry: &Registry, all: bool, out: &mut dyn Write) -> Result<()> {
    let abouts = registry.iter().map(Experiment::about);
    for About { id, .. } in abouts.filter(|about| all || about.kind != Kind::Check) {
        writeln!(out, "{id}").map_err(|error| Error::io("cannot write the list", &error))?;
    }
    Ok(())
}

/// Runs experiments and prints their rows and judgements as JSON lines.
pub fn run(
    registry: &Registry,
    ids: &[String],
    options: &Options,
    out: &mut dyn Write,
    progress: &Progress,
) -> Result<()> {
    let cache = options.cache(true)?;
    let mut failures = Vec::new();
    let (selected, call) = (registry.select(ids)?, Call::new(options, &cache, progress));
    for (about, experiment) in &selected {
        let outcome = call.check(about, *experiment).measure();
        let mut print = || {
            for row in &outcome.records.rows {
                write_line(out, row)?;
            }
            for judgement in &outcome.records.judgements {
                write_line(out, judgement)?;
            }
            out.flush()
        };
        print().map_err(|error| Error::io("cannot write the results", &error))?;
        failures.extend(outcome.failure);
    }
    fail_when_any(&failures)
}

/// Does one job of an experiment over a file and prints its count.
pub fn whole(
    registry: &Registry,
    id: &str,
    job: &str,
    file: &Path,
    out: &mut dyn Write,
) -> Result<()> {
    for (_, experiment) in registry.select(&[id.to_owned()])? {
        let count = experiment.whole(job, file)?;
        writeln!(out, "{count}").map_err(|error| Error::io("cannot write the count", &error))?;
    }
    Ok(())
}

/// Checks examples and answers without taking times.
pub fn verify(
    registry: &Registry,
    only: &[String],
    options: &Options,
    progress: &Progress,
) -> Result<()> {
    let cache = options.cache(true)?;
    let mut failures = Vec::new();
    let (selected, call) = (registry.select(only)?, Call::new(options, &cache, progress));
    let selected: Vec<_> = selected.iter().map(|(about, one)| (about, *one)).collect();
    call.check_all(&selected, |checked| {
        let id = checked.id();
        let outcome = checked.verify();
        for judgement in &outcome.records.judgements {
            progress.message(format!("{id}: {}: {}", judgement.claim, judgement.verdict));
        }
        match outcome.failure {
            Some(failure) => failures.push(failure),
            None => progress.message(format!("{id}: ok")),
        }
    });
    fail_when_any(&failures)
}

/// The error that ends a command of which some experiments failed.
fn fail_when_any(failures: &[Error]) -> Result<()> {
    match failures {
        [] => Ok(()),
        [one] => Err(Error::new(one.kind(), one.to_string())),
        [first, ..] => {
            let all: Vec<String> = failures.iter().map(|error| format!("  {error}")).collect();
            let message = format!("{} experiments failed:\n{}", failures.len(), all.join("\n"));
            Err(Error::new(first.kind(), message))
        }
    }
}
