//! Runs everything and writes the report.

use std::path::Path;
use std::time::Instant;

use super::{Stage, execute, fail_when_any, report};
use crate::cli::Options;
use crate::data::Cache;
use crate::error::Result;
use crate::experiment::Registry;
use crate::measure::machine;
use crate::progress::Progress;
use crate::record::{Records, Verdict, Writer};

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
    let mut writer = Writer::create(directory)?;
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
    summary(&records, progress);
    report::report(registry, directory, None, progress)?;
    progress.message(format!("took {:.0} s", start.elapsed().as_secs_f64()));
    fail_when_any(&failures)
}

/// The claims and their verdicts, aligned.
fn summary(records: &Records, progress: &Progress) {
    let width = records.judgements.iter().map(|one| one.id.chars().count()).max().unwrap_or(0);
    progress.message("");
    for judgement in &records.judgements {
        let verdict = judgement.verdict.to_string();
        progress.message(format!("{:width$}  {verdict:21}  {}", judgement.id, judgement.claim));
    }
    let count = |verdict| records.judgements.iter().filter(|one| one.verdict == verdict).count();
    progress.message(format!(
        "\n{} claims: {} hold, {} do not hold here, {} cannot be judged here",
        records.judgements.len(),
        count(Verdict::Holds),
        count(Verdict::DoesNotHold),
        count(Verdict::CannotBeJudged)
    ));
}
