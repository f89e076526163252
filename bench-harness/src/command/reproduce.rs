//! Runs everything and writes the report.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use super::earlier::Earlier;
use super::{Call, Checked, fail_when_any, report};
use crate::cli::Options;
use crate::data::Cache;
use crate::error::{Error, Result};
use crate::experiment::{About, Experiment, Registry};
use crate::interrupt;
use crate::measure::machine;
use crate::progress::Progress;
use crate::record::{Records, Writer};
use crate::report::tally::{self, Points};

/// How the running of the experiments ended.
enum End {
    /// All have been run, or one panicked.
    Over,
    /// Somebody pressed Ctrl-C.
    Interrupted,
}

/// Tells that the thread is over, also when it panics.
struct Tell(Sender<End>);

impl Drop for Tell {
    fn drop(&mut self) {
        let _ = self.0.send(End::Over);
    }
}

/// Runs the experiments, writes the two files, builds the page from them and prints a summary. Outcomes
/// of earlier runs that were kept are not run again, unless `fresh` asks for it. When interrupted, the
/// files and the page have the experiments that were whole by then, and the program ends.
pub fn reproduce(
    registry: &Registry,
    only: &[String],
    directory: &Path,
    fresh: bool,
    options: &Options,
    progress: &Progress,
) -> Result<()> {
    let start = Instant::now();
    let selected = registry.select(only)?;
    progress.message(format!("{}; seed {}", machine::describe(options.scale), options.seed));
    if machine::profile() != "release" {
        progress.message("this is not a release build: its times mean little");
    }
    let cache = options.cache(true)?;
    // A directory that cannot be written to is a mistake in the call; no time was spent yet.
    let writer =
        Writer::create(directory).map_err(|error| Error::usage(format!("--out: {error}")))?;
    let runs = Runs {
        selected: &selected,
        earlier: Earlier::new(options, cache.own())?,
        cache,
        fresh,
        options,
        progress,
        files: Mutex::new(Some(Files { writer, added: 0 })),
    };
    let (sender, receiver) = channel();
    interrupt::listen(End::Interrupted, sender.clone());
    let failures = thread::scope(|scope| {
        let runs = &runs;
        let running = scope.spawn(move || {
            let _tell = Tell(sender);
            runs.perform()
        });
        if let Ok(End::Interrupted) = Receiver::recv(&receiver) {
            let result = runs.finish(registry, directory);
            progress.message("interrupted: the report has what was found until now");
            if let Err(error) = result {
                progress.message(format!("error: {error}"));
            }
            std::process::exit(interrupt::EXIT_CODE);
        }
        running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    runs.finish(registry, directory)?;
    progress.message(format!("took {:.0} s", start.elapsed().as_secs_f64()));
    fail_when_any(&failures)
}

/// The experiments of one call, and where their outcomes go.
struct Runs<'a> {
    selected: &'a [(About, &'a dyn Experiment)],
    earlier: Earlier,
    cache: Cache,
    fresh: bool,
    options: &'a Options,
    progress: &'a Progress,
    /// Nothing once the files are finished.
    files: Mutex<Option<Files>>,
}

/// The result files, and how many of the experiments are in them or failed.
struct Files {
    writer: Writer,
    added: usize,
}

impl Runs<'_> {
    /// Runs what has no earlier outcome: first all checks, then one measurement after the other, alone.
    /// Returns the failures.
    fn perform(&self) -> Result<Vec<Error>> {
        let (progress, total) = (self.progress, self.selected.len());
        let kept: Vec<_> = self.selected.iter().map(|(about, _)| self.kept(about)).collect();
        let new = self.selected.iter().zip(&kept).filter(|(_, kept)| kept.is_none());
        let new: Vec<(&About, &dyn Experiment)> =
            new.map(|((about, experiment), _)| (about, *experiment)).collect();
        let call = Call::new(self.options, &self.cache, progress);
        let mut checked = self.check(&call, &new).into_iter();
        let mut failures = Vec::new();
        let bar = progress.bar("experiments", total as u64);
        for (place, ((about, _), kept)) in self.selected.iter().zip(kept).enumerate() {
            if let Some(records) = kept {
                let hint = "from an earlier run of the same program; --fresh measures again";
                progress.message(format!("{}: {}: {hint}", about.id, about.title));
                self.add(&records)?;
            } else if let Some(checked) = checked.next() {
                let outcome = checked.measure();
                self.add(&outcome.records)?;
                if outcome.failure.is_none()
                    && let Err(error) = self.earlier.keep(&about.id, &outcome.records, outcome.took)
                {
                    // The report is what was asked for; it only costs a later run its time.
                    progress.message(format!("{}: {error}", about.id));
                }
                failures.extend(outcome.failure);
                self.tell_left(place + 1);
            }
            bar.advance(1);
        }
        Ok(failures)
    }

    fn check<'a>(
        &self,
        call: &Call<'a>,
        new: &[(&'a About, &'a dyn Experiment)],
    ) -> Vec<Checked<'a>> {
        if new.len() > 1 {
            let count = new.len();
            self.progress
                .message(format!("checking answers of {count} experiments, without times"));
        }
        let bar = self.progress.bar("checks", new.len() as u64);
        let mut checked = Vec::new();
        call.check_all(new, |one| {
            checked.push(one);
            bar.advance(1);
        });
        drop(bar);
        if new.len() > 1 {
            self.tell_left(0);
        }
        checked
    }

    /// The outcome of an earlier run, where it may be taken.
    fn kept(&self, about: &About) -> Option<Records> {
        if self.fresh { None } else { self.earlier.find(&about.id) }
    }

    fn add(&self, records: &Records) -> Result<()> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(files) = files.as_mut() else { return Ok(()) };
        files.added += 1;
        files.writer.add(records)
    }

    /// How much time is left, if all that is left was once run here at this scale.
    fn tell_left(&self, done: usize) {
        let left = &self.selected[done..];
        let known = |(about, _): &(About, _)| match self.kept(about) {
            Some(_) => Some(0.0),
            None => self.earlier.took(&about.id).map(|(_, measuring)| measuring),
        };
        let seconds: Option<f64> = left.iter().map(known).sum();
        if let Some(seconds) = seconds.filter(|_| !left.is_empty()) {
            let total = self.selected.len();
            self.progress.message(format!("{done} of {total}; about {} left", duration(seconds)));
        }
    }

    /// Gives the files their names, builds the page from them and prints the summary. What was kept of
    /// an earlier run is in them, though an interrupt came before its turn. Nothing is left to do for a
    /// second call.
    fn finish(&self, registry: &Registry, directory: &Path) -> Result<()> {
        // Held to the end: what another thread still finds comes too late.
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Files { mut writer, added }) = files.take() else { return Ok(()) };
        for (about, _) in &self.selected[added..] {
            if let Some(records) = self.kept(about) {
                writer.add(&records)?;
            }
        }
        writer.finish()?;
        let records = Records::read(directory)?;
        summary(registry, &records, self.progress);
        report::report(registry, directory, None, None, self.progress)
    }
}

/// A time in words.
fn duration(seconds: f64) -> String {
    if seconds < 90.0 { format!("{seconds:.0} s") } else { format!("{:.0} min", seconds / 60.0) }
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
