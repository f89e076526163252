//! Compares the results of two runs: what moved, by how much, and whether beyond the intervals.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::{Error, ErrorKind, Result};
use crate::number::short;
use crate::progress::Progress;
use crate::record::{CLAIMS, Judgement, RESULTS, Row, Verdict, X, read_lines, write_line};

/// A point of both runs, or of one of them: a line of the output.
#[derive(Debug, Serialize)]
struct Moved<'a> {
    id: &'a str,
    series: &'a str,
    x: &'a X,
    unit: &'a str,
    /// The value and its interval in the first run.
    a: Option<[f64; 3]>,
    /// The same in the second.
    b: Option<[f64; 3]>,
    /// The second value in units of the first, where both are and the first is not zero.
    ratio: Option<f64>,
    /// Whether the intervals have nothing in common, or only one run has the point.
    beyond: bool,
}

/// A claim whose verdict is not the same: a line of the output.
#[derive(Debug, Serialize)]
struct Judged<'a> {
    id: &'a str,
    claim: &'a str,
    a: Option<Verdict>,
    b: Option<Verdict>,
}

/// What identifies a point: its experiment, series, place, unit, and the how-manieth of these it is.
type Key<'a> = (&'a str, &'a str, String, &'a str, usize);

/// The results of one run.
struct Run {
    path: PathBuf,
    rows: Vec<Row>,
    /// None when there is no such file, as beside the output of `run` or `compare`.
    claims: Option<Vec<Judgement>>,
}

impl Run {
    /// `from` is a directory, or the file of rows itself, with the claims beside it if there are any.
    fn read(from: &Path) -> Result<Self> {
        let directory = from.is_dir();
        let path = if directory { from.join(RESULTS) } else { from.to_owned() };
        let rows = read_lines(&path)?;
        let claims = path.with_file_name(CLAIMS);
        // A file of another name was moved there by somebody: what lies beside it need not belong to it.
        let belongs = directory || path.file_name().is_some_and(|name| name == RESULTS);
        let claims = (belongs && claims.exists()).then(|| read_lines(&claims)).transpose()?;
        Ok(Self { path, rows, claims })
    }

    fn points(&self) -> Vec<(Key<'_>, &Row)> {
        let mut seen: HashMap<Key<'_>, usize> = HashMap::new();
        let mut point = |row| {
            let Row { id, series, x, unit, .. }: &Row = row;
            let x = serde_json::to_string(x).unwrap_or_default();
            let count = seen.entry((id, series, x.clone(), unit, 0)).or_default();
            *count += 1;
            ((id.as_str(), series.as_str(), x, unit.as_str(), *count), row)
        };
        self.rows.iter().map(&mut point).collect()
    }

    fn verdicts(&self) -> BTreeMap<(&str, &str), Verdict> {
        let claims = self.claims.iter().flatten();
        claims.map(|one| ((one.id.as_str(), one.claim.as_str()), one.verdict)).collect()
    }
}

/// How many points of an experiment are in both runs, moved, and moved beyond the intervals.
#[derive(Clone, Debug, Default)]
struct Tally {
    common: usize,
    single: usize,
    beyond: usize,
    /// The smallest and the largest ratio of those beyond the intervals.
    ratios: Option<(f64, f64)>,
}

/// Prints as JSON lines the points that moved beyond the intervals, or with `all` every point, and the
/// claims whose verdicts differ; a table by experiment goes to stderr. An error of kind
/// [`ErrorKind::Moved`] says that something moved.
pub fn diff(a: &Path, b: &Path, all: bool, out: &mut dyn Write, progress: &Progress) -> Result<()> {
    let (a, b) = (Run::read(a)?, Run::read(b)?);
    compare_machines(&a, &b, progress);
    compare_seeds(&a, &b, progress);
    let fail = |error| Error::io("cannot write the differences", &error);
    let (points, others) = (a.points(), b.points());
    let found: HashMap<&Key<'_>, &Row> = others.iter().map(|(key, row)| (key, *row)).collect();
    let known: HashMap<&Key<'_>, ()> = points.iter().map(|(key, _)| (key, ())).collect();
    let pairs = points.iter().map(|(key, row)| (Some(*row), found.get(key).copied()));
    let new = others.iter().filter(|(key, _)| !known.contains_key(key));
    let mut tallies: Vec<(&str, Tally)> = Vec::new();
    for (old, new) in pairs.chain(new.map(|(_, row)| (None, Some(*row)))) {
        let Some(moved) = moved(old, new) else { continue };
        count(&mut tallies, &moved);
        if all || moved.beyond {
            write_line(out, &moved).map_err(fail)?;
        }
    }
    let judged = verdicts(&a, &b);
    for one in &judged {
        write_line(out, one).map_err(fail)?;
    }
    out.flush().map_err(fail)?;
    table(&tallies, &judged, progress);
    let beyond: usize = tallies.iter().map(|(_, tally)| tally.beyond + tally.single).sum();
    if beyond + judged.len() == 0 {
        return Ok(());
    }
    let message = format!(
        "{beyond} points differ beyond their intervals, {} verdicts are not the same",
        judged.len()
    );
    Err(Error::new(ErrorKind::Moved, message))
}

/// Different data have different counts: whoever compares two seeds should know that they do.
fn compare_seeds(a: &Run, b: &Run, progress: &Progress) {
    let seeds = |run: &Run| {
        let seeds: BTreeSet<String> = run.rows.iter().map(|row| row.seed.to_string()).collect();
        seeds.into_iter().collect::<Vec<_>>().join(", ")
    };
    let (first, second) = (seeds(a), seeds(b));
    if first != second {
        progress.message(format!(
            "the seeds differ, {first} and {second}: these are other data, and exact counts differ with them"
        ));
    }
}

fn compare_machines(a: &Run, b: &Run, progress: &Progress) {
    let machine = |run: &Run| run.rows.first().map(|row| row.machine.clone());
    let (first, second) = (machine(a), machine(b));
    if first != second {
        for (run, machine) in [(a, first), (b, second)] {
            let machine = machine.unwrap_or_else(|| "no results".to_owned());
            progress.message(format!("{}: {machine}", run.path.display()));
        }
    }
}

fn moved<'a>(old: Option<&'a Row>, new: Option<&'a Row>) -> Option<Moved<'a>> {
    let Row { id, series, x, unit, .. } = old.or(new)?;
    let figures = |row: &Row| [row.value, row.lo, row.hi];
    let ratio = match (old, new) {
        (Some(old), Some(new)) if old.value == new.value => Some(1.0),
        (Some(old), Some(new)) if old.value != 0.0 => Some(new.value / old.value),
        _ => None,
    };
    let beyond = match (old, new) {
        (Some(old), Some(new)) => new.lo > old.hi || new.hi < old.lo,
        _ => true,
    };
    let (a, b) = (old.map(figures), new.map(figures));
    Some(Moved { id, series, x, unit, a, b, ratio, beyond })
}

fn count<'a>(tallies: &mut Vec<(&'a str, Tally)>, moved: &Moved<'a>) {
    let place = tallies.iter().rposition(|(id, _)| *id == moved.id).unwrap_or_else(|| {
        tallies.push((moved.id, Tally::default()));
        tallies.len() - 1
    });
    let tally = &mut tallies[place].1;
    if moved.a.is_none() || moved.b.is_none() {
        tally.single += 1;
        return;
    }
    tally.common += 1;
    if moved.beyond {
        tally.beyond += 1;
        if let Some(ratio) = moved.ratio {
            let (least, most) = tally.ratios.unwrap_or((ratio, ratio));
            tally.ratios = Some((least.min(ratio), most.max(ratio)));
        }
    }
}

/// The claims with another verdict. Where a run has no file of claims there is nothing to compare.
fn verdicts<'a>(a: &'a Run, b: &'a Run) -> Vec<Judged<'a>> {
    if a.claims.is_none() || b.claims.is_none() {
        return Vec::new();
    }
    let (old, new) = (a.verdicts(), b.verdicts());
    let mut keys: Vec<_> = old.keys().chain(new.keys()).copied().collect();
    keys.sort_unstable();
    keys.dedup();
    let judged = |key: (&'a str, &'a str)| {
        let (a, b) = (old.get(&key).copied(), new.get(&key).copied());
        (a != b).then_some(Judged { id: key.0, claim: key.1, a, b })
    };
    keys.into_iter().filter_map(judged).collect()
}

fn table(tallies: &[(&str, Tally)], judged: &[Judged<'_>], progress: &Progress) {
    let width = tallies.iter().map(|(id, _)| id.chars().count()).max().unwrap_or(0);
    for (id, tally) in tallies {
        let Tally { common, single, beyond, ratios } = tally;
        let mut line = format!("{id:width$}  {beyond} of {common} points beyond their intervals");
        if let Some((least, most)) = ratios {
            line += &format!(", {} to {} times", short(*least), short(*most));
        }
        if *single > 0 {
            line += &format!("; {single} in one run only");
        }
        progress.message(line);
    }
    let word = |verdict: Option<Verdict>| verdict.map_or("no claim".to_owned(), |v| v.to_string());
    for Judged { id, claim, a, b } in judged {
        progress.message(format!("{id}: {claim}: {} -> {}", word(*a), word(*b)));
    }
}
