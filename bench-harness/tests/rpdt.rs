//! The experiments of the RPDT paper as a user runs them, at tiny scale.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;
use bench_harness::experiment;
use bench_harness::record::{Records, Verdict};

const IDS: [&str; 7] =
    ["rpdt-fig1", "rpdt-table1", "rpdt-fig5", "rpdt-table2", "rpdt-fig6", "rpdt-fig7", "rpdt-fig8"];

/// Our own check, which is not of the paper.
const OWN: &str = "rpdt-scanner";

fn harness() -> Command {
    cargo_bin_cmd!("bench-harness")
}

fn arguments<'a>(command: &'a str, directory: &'a Path) -> Command {
    let mut harness = harness();
    harness.args([command, "--scale", "tiny", "--data"]).arg(directory.join("data"));
    harness.arg("--only").args(IDS);
    harness
}

#[test]
fn list_prints_the_ids_in_the_paper_s_order() {
    let output = harness().arg("list").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let listed: Vec<&str> = text.lines().filter(|id| id.starts_with("rpdt-")).collect();
    assert_eq!(listed, IDS);
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
    for file in ["index.html", "results.jsonl", "claims.jsonl"] {
        assert!(fs::metadata(out.join(file)).unwrap().len() > 0, "{file}");
    }
    harness().args(["report", "--from"]).arg(&out).arg("--out").arg(&again).assert().code(0);
    let page = |at: &Path| fs::read_to_string(at.join("index.html")).unwrap();
    assert_eq!(page(&out), page(&again));

    // Counts stand in tables, verdicts on single queries apart from the claims.
    let page = page(&out);
    for text in [
        "<th class=\"num\">brute force</th>",
        "<summary>Point by point</summary>",
        "not expressible</text>",
    ] {
        assert!(page.contains(text), "{text}");
    }

    // Every experiment has results or verdicts, and everything exact holds.
    let records = Records::read(&out).unwrap();
    for id in IDS {
        assert!(records.judgements_of(id).next().is_some(), "{id}");
    }
    for id in ["rpdt-fig1", "rpdt-table1", "rpdt-fig5", "rpdt-table2"] {
        for judgement in records.judgements_of(id) {
            assert_eq!(judgement.verdict, Verdict::Holds, "{id}: {}", judgement.claim);
        }
    }
    for figure in ["rpdt-fig6", "rpdt-fig7", "rpdt-fig8"] {
        assert!(records.rows_of(figure).all(|row| row.value > 0.0), "{figure}");
    }
    for figure in ["rpdt-fig6", "rpdt-fig7"] {
        nothing_is_missing(figure, &records);
    }
}

#[test]
fn our_own_check_is_measured_and_judged() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("report");
    let mut harness = harness();
    harness.args(["reproduce", "--scale", "tiny", "--only", OWN, "--data"]);
    harness.arg(directory.path().join("data")).arg("--out").arg(&out).assert().code(0);
    let records = Records::read(&out).unwrap();
    let registry = experiment::registry();
    let (about, _) = registry.select(&[OWN.to_owned()]).unwrap().remove(0);
    for series in about.plots.iter().flat_map(|plot| &plot.series) {
        assert!(records.rows_of(OWN).any(|row| row.series == *series), "{series}");
    }
    let judgements: Vec<_> = records.judgements_of(OWN).collect();
    assert_eq!(judgements.len(), about.claims.len());
    for judgement in judgements {
        // Tiny documents are not those of Fig. 8.
        let judged = judgement.verdict != Verdict::CannotBeJudged;
        assert_eq!(judged, !judgement.claim.starts_with("Fig. 8"), "{}", judgement.claim);
    }
}

/// A claim or plot that names a series which is never recorded would be silently empty.
fn nothing_is_missing(id: &str, records: &Records) {
    let registry = experiment::registry();
    let (about, _) = registry.select(&[id.to_owned()]).unwrap().remove(0);
    for series in about.plots.iter().flat_map(|plot| &plot.series) {
        let recorded = records.rows_of(id).any(|row| row.series == *series);
        assert!(recorded, "{id}: {series}");
    }
    assert_eq!(records.judgements_of(id).count(), about.claims.len());
    for judgement in records.judgements_of(id) {
        let judged = judgement.verdict != Verdict::CannotBeJudged;
        assert!(judged, "{id}: {}", judgement.claim);
    }
}
