//! Rebuilds the page from the two files.

use std::fs;
use std::path::Path;

use crate::claim;
use crate::error::{Error, Result};
use crate::experiment::Registry;
use crate::progress::Progress;
use crate::record::{RESULTS, Records, Verdict};
use crate::report::{self, page};

/// Reads the files, checks that the claims follow from the results, and writes `index.html`; each drawing as
/// a file of its own where they are wanted.
pub fn report(
    registry: &Registry,
    from: &Path,
    out: Option<&Path>,
    plots: Option<&Path>,
    progress: &Progress,
) -> Result<()> {
    let results = if from.is_dir() { from.join(RESULTS) } else { from.to_owned() };
    if !results.exists() {
        let message = "run `reproduce` first, or give --from DIR";
        return Err(Error::input(format!("there is no {}; {message}", results.display())));
    }
    let records = Records::read(from)?;
    check(registry, &records)?;
    let html = page::render(registry, &records)?;
    let beside = if from.is_dir() { from } else { from.parent().unwrap_or(Path::new(".")) };
    let directory = out.unwrap_or(beside);
    let path = directory.join("index.html");
    write(&path, &html)?;
    progress.message(format!("report: {}", path.display()));
    let Some(directory) = plots else { return Ok(()) };
    let mut number = 0;
    for experiment in registry.iter() {
        for (name, drawing) in report::plots::plots(experiment, &records)? {
            write(&directory.join(name).with_extension("svg"), &drawing)?;
            number += 1;
        }
    }
    progress.message(format!("plots: {number} files in {}", directory.display()));
    Ok(())
}

/// Writes a file so that it is whole or not there.
fn write(path: &Path, text: &str) -> Result<()> {
    let partial = path.with_extension("partial");
    let fail = |error| Error::io(format!("cannot write {}", path.display()), &error);
    fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(fail)?;
    let written = fs::write(&partial, text).and_then(|()| fs::rename(&partial, path));
    if written.is_err() {
        // A part of a page is nobody's; the error to tell is the first one.
        let _ = fs::remove_file(&partial);
    }
    written.map_err(fail)
}

/// Refuses files that do not belong together: a verdict must follow from the rows beside it. An
/// example's verdict follows from its own two texts.
fn check(registry: &Registry, records: &Records) -> Result<()> {
    let known = registry.ids();
    let rows = records.rows.iter().map(|row| &row.id);
    let mut ids = rows.chain(records.judgements.iter().map(|judgement| &judgement.id));
    if let Some(unknown) = ids.find(|id| !known.contains(id)) {
        // Leaving it out would make the page say less than the files.
        return Err(Error::input(format!("these results hold an unknown experiment, {unknown}")));
    }
    for experiment in registry.iter() {
        let about = experiment.about();
        for stored in records.judgements_of(&about.id) {
            let Some(claim) = about
                .claims
                .iter()
                .find(|claim| claim.text == stored.claim && claim.rule.text() == stored.rule)
            else {
                // Written by another version, whose rules are not ours to check.
                continue;
            };
            let sound = if claim.rule.must_hold() {
                (stored.paper == stored.measured) == (stored.verdict == Verdict::Holds)
            } else {
                !claim.rule.needs_rows_only()
                    || claim::judge(&about.id, claim, &records.rows, &[]) == *stored
            };
            if !sound {
                return Err(Error::input(format!(
                    "the claims do not follow from the results: {}: {}",
                    about.id, stored.claim
                )));
            }
        }
    }
    Ok(())
}
