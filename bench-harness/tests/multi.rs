//! The experiments of the multi-pattern paper as a user runs them, at tiny scale.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;
use bench_harness::experiment::{self, Kind};
use bench_harness::record::{Records, Verdict};

/// Those of the paper, in their order.
const IDS: [&str; 9] = [
    "multi-fig6",
    "multi-fig7",
    "multi-fig8",
    "multi-table1",
    "multi-fig12",
    "multi-fig13",
    "multi-fig14",
    "multi-fig15",
    "multi-fig16",
];
/// Our own checks.
const OWN: [&str; 4] = ["multi-speed", "multi-patterns", "multi-routes", "multi-windows"];

fn harness() -> Command {
    cargo_bin_cmd!("bench-harness")
}

fn arguments<'a>(command: &'a str, directory: &'a Path) -> Command {
    let mut harness = harness();
    harness.args([command, "--scale", "tiny", "--data"]).arg(directory.join("data"));
    harness.arg("--only").args(IDS).args(OWN);
    harness
}

fn listed(all: bool) -> Vec<String> {
    let mut list = harness();
    list.arg("list");
    if all {
        list.arg("--all");
    }
    let text = String::from_utf8(list.output().unwrap().stdout).unwrap();
    text.lines().filter(|id| id.starts_with("multi-")).map(str::to_owned).collect()
}

#[test]
fn list_prints_the_papers_ids_and_those_of_our_own_checks_when_asked() {
    assert_eq!(listed(false), IDS);
    assert_eq!(listed(true), [&IDS[..], &OWN].concat());
}

#[test]
fn our_checks_claim_nothing_of_the_paper() {
    let registry = experiment::registry();
    let ids: Vec<String> = IDS.iter().chain(&OWN).map(|&id| id.to_owned()).collect();
    for (about, _) in registry.select(&ids).unwrap() {
        assert_eq!(about.kind == Kind::Check, OWN.contains(&&*about.id), "{}", about.id);
        if about.kind == Kind::Check {
            let ours = about.claims.iter().all(|one| one.origin.to_string() == "our check");
            assert!(ours, "{}", about.id);
        }
    }
}

#[test]
fn verify_passes() {
    let directory = tempfile::tempdir().unwrap();
    arguments("verify", directory.path()).assert().code(0);
}

#[test]
fn reproduce_writes_the_three_files_and_report_rebuilds_the_page() {
    let directory = tempfile::tempdir().unwrap();
    let (out, again) = (directory.path().join("report"), directory.path().join("again"));
    arguments("reproduce", directory.path()).arg("--out").arg(&out).assert().code(0);
    harness().args(["report", "--from"]).arg(&out).arg("--out").arg(&again).assert().code(0);
    let page = |at: &Path| fs::read_to_string(at.join("index.html")).unwrap();
    assert_eq!(page(&out), page(&again));
    // Composites and what a state completes are drawn; the functions are told.
    for part in ["{B,C,D}", "SEQ4", "failure transition", "conditional output"] {
        assert!(page(&out).contains(part), "{part}");
    }

    let records = Records::read(&out).unwrap();
    let registry = experiment::registry();
    for id in IDS.iter().chain(&OWN) {
        assert!(records.judgements_of(id).next().is_some(), "{id}");
        let (about, _) = registry.select(&[(*id).to_owned()]).unwrap().remove(0);
        for series in about.plots.iter().flat_map(|plot| &plot.series) {
            let recorded = records.rows_of(id).any(|row| row.series == *series);
            assert!(recorded, "{id}: {series} is drawn and was not recorded");
        }
        // Every claim finds what it is judged by.
        for judgement in records.judgements_of(id) {
            let judged = judgement.verdict != Verdict::CannotBeJudged;
            assert!(judged, "{id}: {}: {}", judgement.claim, judgement.measured);
        }
        // Examples are exact, and so are sizes and answers, at whatever scale.
        if matches!(about.kind, Kind::Example | Kind::Table) || id.ends_with("fig12") {
            for judgement in records.judgements_of(id) {
                assert_eq!(judgement.verdict, Verdict::Holds, "{id}: {}", judgement.claim);
            }
        }
    }
}

/// The paper repeats each test five times; each point says of how many it is the mean.
#[test]
fn points_are_of_five_seeds() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("report");
    let mut harness = harness();
    harness.args(["reproduce", "--scale", "tiny", "--only", "multi-fig12", "--data"]);
    harness.arg(directory.path().join("data")).arg("--out").arg(&out).assert().code(0);
    let records = Records::read(&out).unwrap();
    let rows: Vec<_> =
        records.rows_of("multi-fig12").filter(|row| row.series == "proposed").collect();
    assert_eq!(rows.len(), 8);
    for row in rows {
        assert_eq!(row.n, 5);
        assert!(row.lo <= row.value && row.value <= row.hi && row.lo < row.hi, "{row:?}");
    }
}
