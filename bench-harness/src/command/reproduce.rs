//! Runs everything and writes the report.

use std::path::Path;
use std::time::Instant;

use super::{Stage, execute, fail_when_any, report};
use crate::cli::Options;
use crate::data::Cache;
use crate::error::{Error, Result};
use crate::experiment::Registry;
use crate::measure::machine;
use crate::progress::Progress;
use crate::record::{Records, Writer};
use crate::report::tally::{self, Points};

/// Runs the experiments, writes the two files, builds the page from them and prints a summary.
pub fn reproduce(
    registry: &Registry,
    only: &[String],
    directory: &Path,
    options: &Options,
    progress: &Progress,
) -> Result<()> {
    let start = Instant::now();
    let selected = registry.select(only)?;
    let cache = Cache::new(&options.data);
    progress.message(format!("{}; seed {}", machine::describe(options.scale), options.seed));
    if machine::profile() != "release" {
        progress.message("this is not a release build: its times mean little");
    }
    // A directory that cannot be written to is a mistake in the call; no time was spent yet.
    let mut writer =
        Writer::create(directory).map_err(|error| Error::usage(format!("--out: {error}")))?;
    let mut failures = Vec::new();
    let bar = progress.bar("experiments", selected.len() as u64);
    for (about, experiment) in selected {
        let outcome = execute(&about, experiment, Stage::All, options, &cache, progress);
        writer.add(&outcome.records)?;
        failures.extend(outcome.failure);
        bar.advance(1);
    }
    drop(bar);
    writer.finish()?;
    let records = Records::read(directory)?;
    summary(registry, &records, progress);
    report::report(registry, directory, None, progress)?;
    progress.message(format!("took {:.0} s", start.elapsed().as_secs_f64()));
    fail_when_any(&failures)
}

/// What was found and the claims with their verdicts, grouped and counted as on the page.
fn summary(registry: &Registry, records: &Records, progress: &Progress) {
    let width = records.judgements.iter().map(|one| one.id.chars().count()).max().unwrap_or(0);
    progress.message("");
    for (id, sentence) in tally::sentences(registry, records) {
        progress.message(format!("{id:width$}  {sentence}"));
    }
    for group in tally::groups(registry, records) {
        if group.claims.is_empty() && group.points.is_empty() {
            continue;
        }
        progress.message(format!("\n{}", group.title));
        for judgement in &group.claims {
            let verdict = judgement.verdict.to_string();
            progress.message(format!("{:width$}  {verdict:21}  {}", judgement.id, judgement.claim));
        }
        for points in &group.points {
            let Points { id, outcome, places } = points;
            let words = outcome.words;
            progress
                .message(format!("{id:width$}  {words:21}  query by query, not counted: {places}"));
        }
        progress.message(group.text());
    }
    progress.message("");
}
