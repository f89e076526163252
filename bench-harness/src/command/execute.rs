//! Runs one experiment and judges its claims.

use std::time::Instant;

use crate::claim;
use crate::cli::Options;
use crate::data::Cache;
use crate::error::{Error, ErrorKind, Result};
use crate::experiment::{About, Context, Experiment};
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
}

/// Runs one experiment.
pub fn execute(
    about: &About,
    experiment: &dyn Experiment,
    stage: Stage,
    options: &Options,
    cache: &Cache,
    progress: &Progress,
) -> Outcome {
    let start = Instant::now();
    let mut context = Context::new(&about.id, options.scale, options.seed, cache, progress);
    context.repeat = options.repeat;
    progress.message(format!("{}: {}", about.id, about.title));
    if let Err(error) = perform(experiment, stage, &mut context) {
        let error = error.within(&about.id);
        progress.message(format!("failed: {error}"));
        // Whatever was the matter, it came up in a run: never exit code 2.
        let kind = match error.kind() {
            ErrorKind::Usage | ErrorKind::Input => ErrorKind::Failed,
            kind => kind,
        };
        let failure = Some(Error::new(kind, error.to_string()));
        return Outcome { records: Records::default(), failure };
    }
    let claims = about.claims.iter().filter(|claim| stage == Stage::All || claim.rule.is_exact());
    let (rows, checks) = (context.record.rows(), context.record.checks());
    let mut judged: Vec<_> =
        claims.map(|one| (one, claim::judge(&about.id, one, rows, checks))).collect();
    if stage == Stage::Check {
        // Exact counts that only measuring brings, such as bytes.
        judged.retain(|(claim, judgement)| {
            claim.rule.must_hold() || judgement.verdict != Verdict::CannotBeJudged
        });
    }
    let wrong = judged
        .iter()
        .find(|(claim, judgement)| claim.rule.must_hold() && judgement.verdict != Verdict::Holds);
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
    progress.message(format!("{}: done in {:.1} s", about.id, start.elapsed().as_secs_f64()));
    let judgements = judged.into_iter().map(|(_, judgement)| judgement).collect();
    Outcome { records: Records { rows: rows.to_vec(), judgements }, failure }
}

fn perform(experiment: &dyn Experiment, stage: Stage, context: &mut Context<'_>) -> Result<()> {
    experiment.check(context)?;
    if stage == Stage::All {
        experiment.measure(context)?;
    }
    Ok(())
}
