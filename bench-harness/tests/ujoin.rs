//! The experiments of the paper on joins of uncertain streams as a user runs them, at tiny scale.

#![cfg(feature = "sqlite")]

mod paper;

use bench_harness::record::Verdict;
use paper::Paper;

const UJOIN: Paper = Paper {
    prefix: "ujoin-",
    ids: &[
        "ujoin-fig1",
        "ujoin-fig4",
        "ujoin-fig5",
        "ujoin-fig6",
        "ujoin-fig7",
        "ujoin-fig8",
        "ujoin-fig9",
        "ujoin-fig10",
        "ujoin-fig11",
        "ujoin-fig12",
        "ujoin-fig13",
        "ujoin-fig14",
        "ujoin-datasets",
        "ujoin-fig15",
        "ujoin-fig16",
    ],
    own: &["ujoin-precision", "ujoin-speed"],
};

#[test]
fn list_prints_the_papers_ids_and_those_of_our_own_checks_when_asked() {
    UJOIN.lists();
}

#[test]
fn our_checks_claim_nothing_of_the_paper() {
    UJOIN.tells_checks_from_claims();
}

/// It runs all that `verify` does, too.
#[test]
fn reproduce_writes_the_three_files_and_report_rebuilds_the_page() {
    let equal = "all policies give the results of brute force";
    let page = UJOIN.reproduces(|about, judgement| {
        // Result sets are equal at whatever scale.
        if judgement.claim == equal {
            assert_eq!(judgement.verdict, Verdict::Holds, "{}", about.id);
        }
    });
    for part in ["SQLite in memory, standing in for TimesTen", "Ningbo", "window half"] {
        assert!(page.contains(part), "{part}");
    }
}
