//! The experiments of the multi-pattern paper as a user runs them, at tiny scale.

mod paper;

use bench_harness::experiment::Kind;
use bench_harness::record::{Records, Verdict};
use paper::{Paper, at_tiny_scale};

const MULTI: Paper = Paper {
    prefix: "multi-",
    ids: &[
        "multi-fig6",
        "multi-fig7",
        "multi-fig8",
        "multi-table1",
        "multi-fig12",
        "multi-fig13",
        "multi-fig14",
        "multi-fig15",
        "multi-fig16",
    ],
    own: &["multi-speed", "multi-patterns", "multi-routes", "multi-windows", "multi-ring"],
};

#[test]
fn list_prints_the_papers_ids_and_those_of_our_own_checks_when_asked() {
    MULTI.lists();
}

#[test]
fn our_checks_claim_nothing_of_the_paper() {
    MULTI.tells_checks_from_claims();
}

#[test]
fn verify_passes() {
    MULTI.verifies();
}

#[test]
fn reproduce_writes_the_three_files_and_report_rebuilds_the_page() {
    let page = MULTI.reproduces(|about, judgement| {
        // Sizes and answers are exact at whatever scale.
        if about.kind == Kind::Table || about.id == "multi-fig12" {
            assert_eq!(judgement.verdict, Verdict::Holds, "{}: {}", about.id, judgement.claim);
        }
    });
    // Composites and what a state completes are drawn; the functions are told.
    for part in ["{B,C,D}", "SEQ4", "failure transition", "conditional output"] {
        assert!(page.contains(part), "{part}");
    }
}

/// The paper repeats each test five times; each point says of how many it is the mean.
#[test]
fn points_are_of_five_seeds() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("report");
    let mut reproduce = at_tiny_scale("reproduce", directory.path(), &["multi-fig12"]);
    reproduce.arg("--out").arg(&out).assert().code(0);
    let records = Records::read(&out).unwrap();
    let rows: Vec<_> =
        records.rows_of("multi-fig12").filter(|row| row.series == "proposed").collect();
    assert_eq!(rows.len(), 8);
    for row in rows {
        assert_eq!(row.n, 5);
        assert!(row.lo <= row.value && row.value <= row.hi && row.lo < row.hi, "{row:?}");
    }
}
