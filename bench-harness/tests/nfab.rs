//! The experiments on NFA^b as a user runs them, at tiny scale.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;
use bench_harness::experiment::{self, Kind, Style};
use bench_harness::record::{Records, Verdict};

/// Those of the papers, in their order.
const IDS: [&str; 11] = [
    "nfab-demand1",
    "nfab-demand2",
    "nfab-strategies",
    "nfab-buffer",
    "nfab-sharing",
    "nfab-sigmod-buffer",
    "nfab-sigmod-window",
    "nfab-sigmod-throughput",
    "nfab-sigmod-selectivity",
    "nfab-sigmod-relational",
    "nfab-sigmod-seq",
];
/// Our own checks.
const OWN: [&str; 4] = ["nfab-memory", "nfab-speed", "nfab-count", "nfab-history"];

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
    text.lines().filter(|id| id.starts_with("nfab-")).map(str::to_owned).collect()
}

#[test]
fn list_prints_the_papers_ids_and_those_of_our_own_checks_when_asked() {
    assert_eq!(listed(false), IDS);
    assert_eq!(listed(true), [&IDS[..], &OWN].concat());
}

#[test]
fn checks_of_our_own_claim_nothing_of_a_paper() {
    let registry = experiment::registry();
    let abouts = registry.iter().map(|experiment| experiment.about());
    for about in abouts.filter(|about| !about.id.starts_with("multi-")) {
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
    // The buffer is drawn with its versions.
    assert!(page(&out).contains("2.0.0"));

    let records = Records::read(&out).unwrap();
    let registry = experiment::registry();
    for id in IDS.iter().chain(&OWN) {
        assert!(records.judgements_of(id).next().is_some(), "{id}");
        let (about, _) = registry.select(&[(*id).to_owned()]).unwrap().remove(0);
        for series in about.plots.iter().flat_map(|plot| &plot.series) {
            let recorded = records.rows_of(id).any(|row| row.series == *series);
            assert!(recorded, "{id}: {series} is drawn and was not recorded");
        }
        assert!(
            about.plots.iter().all(|plot| plot.style != Style::Ratios || !plot.series.is_empty())
        );
        // Every claim finds what it is judged by.
        for judgement in records.judgements_of(id) {
            let judged = judgement.verdict != Verdict::CannotBeJudged;
            assert!(judged, "{id}: {}: {}", judgement.claim, judgement.measured);
        }
        // An example is exact.
        if about.kind == Kind::Example {
            for judgement in records.judgements_of(id) {
                assert_eq!(judgement.verdict, Verdict::Holds, "{id}: {}", judgement.claim);
            }
        }
    }
}
