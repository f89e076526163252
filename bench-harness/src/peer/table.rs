//! What was measured, as rows of `results.jsonl`, as a verdict and as a table.

use std::fmt::Write as _;

use super::Peer;
use super::rounds::{Measured, Outcome, Times};
use super::workload::WORKLOADS;
use crate::measure::Summary;
use crate::measure::summary::FEWEST;
use crate::number::{grouped, short};
use crate::record::{Judgement, Row, Verdict};

/// The id of all rows of an engine.
pub fn id(engine: &str) -> String {
    format!("compare-{engine}")
}

/// What all rows have in common.
#[derive(Clone, Debug)]
pub struct Common {
    /// The seed of the events.
    pub seed: u64,
    /// The machine and the build.
    pub machine: String,
}

/// The rows of one workload: answers, times an event, and the peers' times in units of our engine's.
pub fn rows(measured: &Measured, common: &Common) -> Vec<Row> {
    let row = |series: String, unit: &str, summary: Summary| Row {
        id: id(measured.engine),
        series,
        x: measured.workload.into(),
        value: summary.median,
        unit: unit.to_owned(),
        n: summary.n,
        lo: summary.lo,
        hi: summary.hi,
        seed: common.seed,
        data_sha256: Some(measured.sha256.clone()),
        own_file: None,
        machine: common.machine.clone(),
    };
    let count = |name: &str, matches: u64| {
        row(format!("{name}, matches"), "matches", Summary::exact(matches as f64))
    };
    let events = |name: &str, times: &Times| {
        let row = |kind, seconds: &[f64]| {
            let time = per_event(seconds, measured.events)?;
            Some(row(format!("{name}, {kind} time"), "ns/event", time))
        };
        [row("CPU", &times.cpu), row("wall", &times.wall)].into_iter().flatten()
    };
    let own = measured.engine;
    let mut rows = vec![count(own, measured.answer.matches)];
    rows.extend(events(own, &measured.own));
    for (name, outcome) in &measured.peers {
        match outcome {
            Outcome::Equal(times) => {
                rows.push(count(name, measured.answer.matches));
                rows.extend(events(name, times));
                for (kind, ratio) in ratios(times, &measured.own) {
                    rows.push(row(format!("{name} / {own}, {kind} time"), "ratio", ratio));
                }
            }
            Outcome::Differs { answer, .. } | Outcome::Wrong(answer) => {
                rows.push(count(name, answer.matches));
            }
        }
    }
    rows
}

fn per_event(seconds: &[f64], events: u64) -> Option<Summary> {
    Summary::of(seconds).map(|time| time.scale(1e9 / events as f64))
}

/// How many times our engine's time a peer takes, by CPU and by wall time, from the rounds in pairs.
fn ratios(peer: &Times, own: &Times) -> impl Iterator<Item = (&'static str, Summary)> {
    let wall = Summary::of_ratios(&peer.wall, &own.wall).map(|ratio| ("wall", ratio));
    let cpu = Summary::of_ratios(&peer.cpu, &own.cpu).map(|ratio| ("CPU", ratio));
    cpu.into_iter().chain(wall)
}

/// A table, its heading first, and what has no place in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    /// The lines, all of the same length.
    pub lines: Vec<Vec<String>>,
    /// Sentences.
    pub notes: Vec<String>,
}

/// The table in words, with aligned columns.
pub fn table(all: &[Measured]) -> String {
    let Cells { lines, notes } = cells(all);
    let notes: String = notes.into_iter().map(|note| note + "\n").collect();
    align(&lines) + &notes
}

/// A line for each workload and peer. Times are CPU times: others that use the machine lengthen wall
/// times, though not much their ratios.
pub fn cells(all: &[Measured]) -> Cells {
    let mut lines = vec![HEADING.map(str::to_owned).to_vec()];
    if let Some(measured) = all.first() {
        lines[0][OWN] = measured.engine.to_owned();
    }
    let mut notes = Vec::new();
    for measured in all {
        let time = |times: &Times| {
            per_event(&times.cpu, measured.events)
                .map_or_else(String::new, |time| format!("{} ns", short(coarse(time.median))))
        };
        let mut line = |rest: Vec<String>| {
            let mut line = vec![
                measured.workload.to_owned(),
                grouped(measured.events as f64),
                grouped(measured.answer.matches as f64),
                time(&measured.own),
            ];
            line.extend(rest);
            line.resize(HEADING.len(), String::new());
            lines.push(line);
        };
        if measured.peers.is_empty() {
            line(Vec::new());
        }
        for (name, outcome) in &measured.peers {
            let mut rest = vec![name.clone()];
            let (answer, reason) = match outcome {
                Outcome::Equal(times) => {
                    rest.push(time(times));
                    for (_, ratio) in ratios(times, &measured.own) {
                        let [median, lo, hi] = [ratio.median, ratio.lo, ratio.hi].map(ratio_text);
                        rest.extend([format!("{median} x"), format!("[{lo}, {hi}]")]);
                    }
                    line(rest);
                    continue;
                }
                Outcome::Differs { answer, reason } => (answer, format!("; {reason}")),
                Outcome::Wrong(answer) => (answer, " and should not".to_owned()),
            };
            rest.push("differs".to_owned());
            line(rest);
            let (workload, own) = (measured.workload, measured.answer);
            notes.push(format!("{name} on {workload} finds {answer}, not {own}{reason}"));
        }
        for case in &measured.cases {
            notes.push(format!("{}: {case}", measured.workload));
        }
    }
    Cells { lines, notes }
}

/// The columns of words, which stand to the left; the others are numbers.
pub const LEFT: [usize; 2] = [0, 4];

/// The column of our engine.
const OWN: usize = 3;

const HEADING: [&str; 10] =
    ["workload", "events", "matches", "ours", "peer", "CPU", "CPU", "[95 %]", "wall", "[95 %]"];

/// How much faster than Flink's NFA nfab is meant to be.
const AIM: f64 = 20.0;

/// Seconds that a round of Flink has to take. Shorter ones would be over before its virtual machine has
/// compiled what runs often, and would make nfab look better than it is.
const LONG_ENOUGH: f64 = 0.3;

/// Judges the aim: on every workload, at the lower end of the interval. Nothing when Flink did not run.
pub fn judge(all: &[Measured]) -> Option<Judgement> {
    let name = Peer::Flink.name();
    let mut least: Option<(&str, Summary)> = None;
    let mut whole = all.len() == WORKLOADS.len();
    for measured in all {
        let (_, outcome) = measured.peers.iter().find(|(peer, _)| peer == name)?;
        match outcome {
            Outcome::Equal(times) => {
                let ratio = Summary::of_ratios(&times.cpu, &measured.own.cpu)?;
                whole &= ratio.n >= FEWEST && times.wall.iter().all(|wall| *wall >= LONG_ENOUGH);
                if least.is_none_or(|(_, least)| ratio.lo < least.lo) {
                    least = Some((measured.workload, ratio));
                }
            }
            _ => whole = false,
        }
    }
    let (workload, Summary { median, lo, hi, .. }) = least?;
    let verdict = match lo {
        _ if !whole => Verdict::CannotBeJudged,
        _ if lo >= AIM => Verdict::Holds,
        _ => Verdict::DoesNotHold,
    };
    let [median, lo, hi] = [median, lo, hi].map(ratio_text);
    Some(Judgement {
        id: id("nfab"),
        claim: format!("nfab is at least {AIM} times as fast as {}", Peer::Flink.title()),
        verdict,
        paper: "no claim of a paper: the aim of this project".to_owned(),
        measured: format!("least on {workload}: {median} times, [{lo}, {hi}]"),
        rule: format!(
            "on each of the {} workloads, equal answers, and the lower end of the 95 % \
             interval of the CPU times' ratio is {AIM} or more, from {FEWEST} rounds or more, in \
             each of which Flink takes {LONG_ENOUGH} s or more",
            WORKLOADS.len()
        ),
    })
}

/// One decimal below ten, none above a hundred: a ratio of times is no more exact than that.
fn ratio_text(ratio: f64) -> String {
    match ratio {
        _ if ratio < 10.0 => format!("{ratio:.2}"),
        _ if ratio < 100.0 => format!("{ratio:.1}"),
        _ => format!("{ratio:.0}"),
    }
}

fn coarse(value: f64) -> f64 {
    if value < 100.0 { (value * 10.0).round() / 10.0 } else { value.round() }
}

/// Pads the columns: words to the right, numbers to the left.
fn align(lines: &[Vec<String>]) -> String {
    let mut text = String::new();
    for line in lines {
        let mut row = String::new();
        for (column, cell) in line.iter().enumerate() {
            let widths = lines.iter().map(|line| line[column].chars().count());
            let width = widths.max().unwrap_or(0);
            let _ = match LEFT.contains(&column) {
                true => write!(row, "{cell:<width$}  "),
                false => write!(row, "{cell:>width$}  "),
            };
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}
