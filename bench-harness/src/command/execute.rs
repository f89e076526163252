//! Runs experiments: checks their answers, measures, judges their claims.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::claim;
use crate::cli::Options;
use crate::data::Cache;
use crate::error::{Error, ErrorKind, Result};
use crate::experiment::{About, Context, Experiment, Shared};
use crate::progress::Progress;
use crate::record::{Records, Verdict};

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Examples and answers only; only claims that need no times are judged.
    Check,
    /// Everything.
    All,
}

/// What became of one experiment.
#[derive(Debug)]
pub struct Outcome {
    /// Its rows and judgements; none when it could not be run, for then there is no verdict.
    pub records: Records,
    /// Why it counts as failed: it did not run, its engines disagree, or an example is not equal.
    pub failure: Option<Error>,
    /// How long its check and its measurement took.
    pub took: (Duration, Duration),
}

/// What all experiments of one call are run with.
#[derive(Debug)]
pub struct Call<'a> {
    options: &'a Options,
    cache: &'a Cache,
    progress: &'a Progress,
    shared: Shared,
}

/// An experiment after its check.
pub struct Checked<'a> {
    about: &'a About,
    experiment: &'a dyn Experiment,
    context: Context<'a>,
    result: Result<()>,
    took: Duration,
}

impl<'a> Call<'a> {
    /// A call with these options and data.
    pub fn new(options: &'a Options, cache: &'a Cache, progress: &'a Progress) -> Self {
        Self { options, cache, progress, shared: Shared::default() }
    }

    /// Checks one experiment.
    pub fn check(&self, about: &'a About, experiment: &'a dyn Experiment) -> Checked<'a> {
        let start = Instant::now();
        let Self { options, cache, progress, shared } = self;
        let mut context = Context::new(&about.id, options.scale, options.seed, cache, progress);
        (context.repeat, context.shared) = (options.repeat, shared.clone());
        let result = experiment.check(&mut context);
        let took = start.elapsed();
        Checked { about, experiment, context, result, took }
    }

    /// Checks these experiments, two at a time where there are two processors, since no time is taken;
    /// not more, for what two need of memory is enough. They are given to `each` in their order.
    pub fn check_all(
        &self,
        selected: &[(&'a About, &'a dyn Experiment)],
        mut each: impl FnMut(Checked<'a>),
    ) {
        let workers = thread::available_parallelism().map_or(1, NonZero::get).min(2);
        let next = AtomicUsize::new(0);
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            for _ in 0..workers.min(selected.len()) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    while let Some(&(about, experiment)) =
                        selected.get(next.fetch_add(1, Ordering::Relaxed))
                    {
                        // Nobody listens after a panic.
                        let _ = sender.send(self.check(about, experiment));
                    }
                });
            }
            drop(sender);
            let mut early: Vec<Checked<'a>> = Vec::new();
            for &(about, _) in selected {
                loop {
                    if let Some(at) = early.iter().position(|one| one.about.id == about.id) {
                        each(early.swap_remove(at));
                        break;
                    }
                    // Closed too soon: a check panicked, and the scope passes that on.
                    let Ok(checked) = receiver.recv() else { return };
                    early.push(checked);
                }
            }
        });
    }
}

impl<'a> Checked<'a> {
    /// The experiment's id.
    pub fn id(&self) -> &'a str {
        &self.about.id
    }

    /// Says that the experiment begins, or goes on.
    fn title(&self) {
        self.context.progress.message(format!("{}: {}", self.about.id, self.about.title));
    }

    /// Measures what was checked, and judges all claims.
    pub fn measure(mut self) -> Outcome {
        self.title();
        let start = Instant::now();
        if self.result.is_ok() {
            self.result = self.experiment.measure(&mut self.context);
        }
        self.judge(Stage::All, start.elapsed())
    }

    /// Judges the claims that need no times.
    pub fn verify(self) -> Outcome {
        self.title();
        self.judge(Stage::Check, Duration::ZERO)
    }

    fn judge(self, stage: Stage, measuring: Duration) -> Outcome {
        let Self { about, context, result, took, .. } = self;
        let (progress, took) = (context.progress, (took, measuring));
        if let Err(error) = result {
            let error = error.within(&about.id);
            progress.message(format!("failed: {error}"));
            // Whatever was the matter, it came up in a run: never exit code 2.
            let kind = match error.kind() {
                ErrorKind::Usage | ErrorKind::Input => ErrorKind::Failed,
                kind => kind,
            };
            let failure = Some(Error::new(kind, error.to_string()));
            return Outcome { records: Records::default(), failure, took };
        }
        let claims = about.claims.iter();
        let claims = claims.filter(|claim| stage == Stage::All || claim.rule.is_exact());
        let (rows, checks) = (context.record.rows(), context.record.checks());
        let mut judged: Vec<_> =
            claims.map(|one| (one, claim::judge(&about.id, one, rows, checks))).collect();
        if stage == Stage::Check {
            // Exact counts that only measuring brings, such as bytes.
            judged.retain(|(claim, judgement)| {
                claim.rule.must_hold() || judgement.verdict != Verdict::CannotBeJudged
            });
        }
        let wrong = judged.iter().find(|(claim, judgement)| {
            claim.rule.must_hold() && judgement.verdict != Verdict::Holds
        });
        // A check that no claim names is a condition of the run.
        let unequal = checks.iter().find(|check| check.expected != check.actual);
        let failure = match (wrong, unequal) {
            (Some((_, judgement)), _) => Some(Error::failed(format!(
                "{}: {}: expected {:?}, got {:?}",
                about.id, judgement.claim, judgement.paper, judgement.measured
            ))),
            (None, Some(check)) => Some(Error::failed(format!(
                "{}: {}: expected {:?}, got {:?}",
                about.id, check.name, check.expected, check.actual
            ))),
            (None, None) => None,
        };
        let seconds = (took.0 + took.1).as_secs_f64();
        progress.message(format!("{}: done in {seconds:.1} s", about.id));
        let judgements = judged.into_iter().map(|(_, judgement)| judgement).collect();
        Outcome { records: Records { rows: rows.to_vec(), judgements }, failure, took }
    }
}
