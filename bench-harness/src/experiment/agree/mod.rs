//! Our own checks across engines: the same question put to two of them.
//!
//! | Module | What it holds |
//! | --- | --- |
//! | [`sequences`] | sequences under `any` and `strict`, nfab and multipattern |
//! | [`siblings`] | expressions over siblings, rpdt and nfab under strict contiguity |

mod sequences;
mod siblings;

use super::{Context, Experiment, Plot};
use crate::claim::{Claim, Rule};
use crate::error::{Error, Result};
use crate::experiment::plots;

/// All of them in their order.
pub fn experiments() -> Vec<Box<dyn Experiment>> {
    vec![Box::new(sequences::ANY), Box::new(sequences::STRICT), Box::new(siblings::Siblings)]
}

/// What stands in place of a paper's words.
const NO_PAPER: &str = "Nothing: this is a check of our own. Engines of two papers can be asked the same question; they \
     were written apart from each other, and their answers must be the same.";

/// The check of matches one by one.
const ONE_BY_ONE: &str = "questions to which both give the same matches, one by one";

/// A match: the number of its pattern, and those of its events in their order.
type Match = (usize, Vec<u64>);

/// Matches without their order, in which the engines are free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Found {
    matches: u64,
    /// The sum of a hash of every match.
    digest: u64,
}

impl Found {
    /// A match of a pattern; reads the number of each event.
    fn add(&mut self, pattern: usize, events: impl IntoIterator<Item = u64>) {
        let mix = |hash: u64, number: u64| {
            (hash.rotate_left(7) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        };
        self.matches += 1;
        self.digest =
            self.digest.wrapping_add(events.into_iter().fold(mix(1, pattern as u64), mix));
    }
}

/// The series of an engine's number of matches.
fn matches_of(engine: &str) -> String {
    format!("matches, {engine}")
}

/// The claims about two engines.
fn claims([a, b]: [&str; 2]) -> Vec<Claim> {
    vec![
        Claim::example("the same matches on short streams, one by one", ONE_BY_ONE).our_check(),
        Claim::new(
            "as many matches on the whole streams",
            "both answer alike",
            Rule::same(&[&matches_of(a), &matches_of(b)]),
        )
        .our_check(),
    ]
}

/// What is drawn of two engines: how many times the second one's time the first one takes, the times,
/// and the matches.
fn plots_of([a, b]: [&str; 2], x_label: &str) -> Vec<Plot> {
    let title = format!("CPU time of {a} in units of that of {b}");
    let (a_matches, b_matches) = (matches_of(a), matches_of(b));
    vec![
        plots::ratios(&title, x_label, &[(a, b)]),
        plots::table(
            "CPU time of a run in milliseconds",
            x_label,
            &[&plots::cpu(a), &plots::cpu(b)],
        ),
        plots::table("Matches in the whole stream", x_label, &[&a_matches, &b_matches]),
    ]
}

/// What two engines find in short streams, one by one.
#[derive(Default)]
struct Tally {
    asked: usize,
    equal: usize,
    first: Option<String>,
}

impl Tally {
    fn compare(&mut self, question: &str, names: [&str; 2], found: [Vec<Match>; 2]) -> Result<()> {
        let [mut a, mut b] = found;
        a.sort_unstable();
        b.sort_unstable();
        if a.is_empty() && b.is_empty() {
            // Two engines that find nothing agree on anything.
            return Err(Error::failed(format!("{question}: the short stream has no match")));
        }
        self.asked += 1;
        let difference = a.iter().zip(&b).position(|(a, b)| a != b);
        let at = difference.or_else(|| (a.len() != b.len()).then(|| a.len().min(b.len())));
        let Some(at) = at else {
            self.equal += 1;
            return Ok(());
        };
        let text =
            |found: &[Match]| found.get(at).map_or("nothing".to_owned(), |one| format!("{one:?}"));
        let [one, other] = names;
        self.first.get_or_insert_with(|| {
            let (a, b) = (text(&a), text(&b));
            format!("{question}: in order, number {at} of {one} is {a}, of {other} {b}")
        });
        Ok(())
    }

    fn record(self, context: &mut Context<'_>) {
        let Self { asked, equal, first } = self;
        let first = first.map(|text| format!("; {text}")).unwrap_or_default();
        let expected = format!("{asked} of {asked}");
        context.record.check(ONE_BY_ONE, expected, format!("{equal} of {asked}{first}"));
    }
}

/// Records how many matches each of two engines found, which must have found the same.
fn count(context: &mut Context<'_>, question: &str, answers: [(&str, Found); 2]) -> Result<()> {
    for (engine, found) in &answers {
        context.record.count(&matches_of(engine), question, found.matches, "");
    }
    super::common::agree(&answers).map_err(|error| error.within(question))
}

/// How often one engine was as fast as the other, in words.
fn sentences(rows: &[&crate::record::Row], [a, b]: [&str; 2]) -> Vec<String> {
    let questions = rows.iter().filter(|row| row.series == matches_of(a)).count();
    match plots::spread(rows, &plots::cpu_ratio(a, b)) {
        Some(spread) => vec![format!(
            "{a} and {b} gave the same matches to {questions} questions; {a} took {} as long.",
            spread.times()
        )],
        None => Vec::new(),
    }
}
