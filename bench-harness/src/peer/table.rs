//! What was measured, as rows of `results.jsonl` and as a table.

use std::fmt::Write as _;

use super::rounds::{Measured, Outcome, Times};
use crate::measure::Summary;
use crate::number::{grouped, short};
use crate::record::Row;

/// The id of all rows.
pub const ID: &str = "compare-nfab";

/// What all rows have in common.
#[derive(Clone, Debug)]
pub struct Common {
    /// The seed of the events.
    pub seed: u64,
    /// The machine and the build.
    pub machine: String,
}

/// The rows of one workload: answers, times an event, and the peers' times in units of nfab's.
pub fn rows(measured: &Measured, common: &Common) -> Vec<Row> {
    let row = |series: String, unit: &str, summary: Summary| Row {
        id: ID.to_owned(),
        series,
        x: measured.workload.into(),
        value: summary.median,
        unit: unit.to_owned(),
        n: summary.n,
        lo: summary.lo,
        hi: summary.hi,
        seed: common.seed,
        data_sha256: Some(measured.sha256.clone()),
        machine: common.machine.clone(),
    };
    let count = |name: &str, matches: u64| {
        row(format!("{name}, matches"), "matches", Summary::exact(matches as f64))
    };
    let events = |name: &str, times: &Times| {
        let wall = per_event(times, measured.events);
        wall.map(|wall| row(format!("{name}, wall time"), "ns/event", wall))
    };
    let mut rows = vec![count("nfab", measured.answer.matches)];
    rows.extend(events("nfab", &measured.own));
    for (name, outcome) in &measured.peers {
        match outcome {
            Outcome::Equal(times) => {
                rows.push(count(name, measured.answer.matches));
                rows.extend(events(name, times));
                for (kind, ratio) in ratios(times, &measured.own) {
                    rows.push(row(format!("{name} / nfab, {kind} time"), "ratio", ratio));
                }
            }
            Outcome::Differs { answer, .. } | Outcome::Wrong(answer) => {
                rows.push(count(name, answer.matches));
            }
        }
    }
    rows
}

fn per_event(times: &Times, events: u64) -> Option<Summary> {
    Summary::of(&times.wall).map(|wall| wall.scale(1e9 / events as f64))
}

/// How many times nfab's time a peer takes, by wall and by CPU time, from the rounds in pairs.
fn ratios(peer: &Times, own: &Times) -> impl Iterator<Item = (&'static str, Summary)> {
    let wall = Summary::of_ratios(&peer.wall, &own.wall).map(|ratio| ("wall", ratio));
    let cpu = Summary::of_ratios(&peer.cpu, &own.cpu).map(|ratio| ("CPU", ratio));
    wall.into_iter().chain(cpu)
}

/// The table, a line a workload and peer, with a heading; below it what has no line in it.
pub fn table(all: &[Measured]) -> String {
    let heading =
        ["workload", "events", "matches", "nfab", "peer", "", "wall", "[95 %]", "CPU", "[95 %]"];
    let mut lines = vec![heading.map(str::to_owned)];
    let mut notes = String::new();
    for measured in all {
        let time = |times: &Times| {
            per_event(times, measured.events)
                .map_or_else(String::new, |time| format!("{} ns", short(round(time.median))))
        };
        let start = [
            measured.workload.to_owned(),
            grouped(measured.events as f64),
            grouped(measured.answer.matches as f64),
            time(&measured.own),
        ];
        let mut line = |rest: [String; 6]| {
            let [workload, events, matches, own] = start.clone();
            let [name, peer, wall, wall_range, cpu, cpu_range] = rest;
            lines.push([
                workload, events, matches, own, name, peer, wall, wall_range, cpu, cpu_range,
            ]);
        };
        if measured.peers.is_empty() {
            line(Default::default());
        }
        for (name, outcome) in &measured.peers {
            match outcome {
                Outcome::Equal(times) => {
                    let mut rest: [String; 6] = Default::default();
                    rest[0].clone_from(name);
                    rest[1] = time(times);
                    for (at, (_, ratio)) in ratios(times, &measured.own).enumerate() {
                        rest[2 + 2 * at] = format!("{} x", ratio_text(ratio.median));
                        rest[3 + 2 * at] =
                            format!("[{}, {}]", ratio_text(ratio.lo), ratio_text(ratio.hi));
                    }
                    line(rest);
                }
                Outcome::Differs { answer, reason } => {
                    line([name.clone(), "differs".to_owned(), d(), d(), d(), d()]);
                    let _ = writeln!(
                        notes,
                        "{name} on {}: {answer} instead of {}; {reason}",
                        measured.workload, measured.answer
                    );
                }
                Outcome::Wrong(answer) => {
                    line([name.clone(), "WRONG".to_owned(), d(), d(), d(), d()]);
                    let _ = writeln!(
                        notes,
                        "{name} on {}: {answer} instead of {}",
                        measured.workload, measured.answer
                    );
                }
            }
        }
    }
    align(&lines) + &notes + &least(all)
}

/// An empty place.
fn d() -> String {
    String::new()
}

/// The smallest ratio of each peer: what holds on every workload.
fn least(all: &[Measured]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in all.iter().flat_map(|measured| &measured.peers) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let mut text = String::new();
    for name in names {
        let smallest = all
            .iter()
            .flat_map(|measured| {
                let of_peer = measured.peers.iter().filter(|(other, _)| other == name);
                of_peer.filter_map(|(_, outcome)| match outcome {
                    Outcome::Equal(times) => Some((
                        measured.workload,
                        Summary::of_ratios(&times.wall, &measured.own.wall)?,
                    )),
                    _ => None,
                })
            })
            .min_by(|(_, a), (_, b)| a.median.total_cmp(&b.median));
        if let Some((workload, ratio)) = smallest {
            let _ = writeln!(
                text,
                "{name}: least on {workload}, {} times nfab's wall time",
                ratio_text(ratio.median)
            );
        }
    }
    text
}

/// One decimal below ten, none above a hundred: a ratio of times is no more exact than that.
fn ratio_text(ratio: f64) -> String {
    match ratio {
        _ if ratio < 10.0 => format!("{ratio:.2}"),
        _ if ratio < 100.0 => format!("{ratio:.1}"),
        _ => format!("{ratio:.0}"),
    }
}

fn round(value: f64) -> f64 {
    if value < 100.0 { (value * 10.0).round() / 10.0 } else { value.round() }
}

/// Pads the columns: words to the right, numbers to the left.
fn align<const N: usize>(lines: &[[String; N]]) -> String {
    let width: [usize; N] = std::array::from_fn(|column| {
        lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0)
    });
    let mut text = String::new();
    for line in lines {
        let mut row = String::new();
        for (column, cell) in line.iter().enumerate() {
            let width = width[column];
            let _ = match column {
                0 | 4 => write!(row, "{cell:<width$}  "),
                _ => write!(row, "{cell:>width$}  "),
            };
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}
