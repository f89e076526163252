//! The experiments on NFA^b as a user runs them, at tiny scale.

mod paper;

use paper::Paper;

const NFAB: Paper = Paper {
    prefix: "nfab-",
    ids: &[
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
    ],
    own: &["nfab-memory", "nfab-speed", "nfab-count", "nfab-history"],
};

#[test]
fn list_prints_the_papers_ids_and_those_of_our_own_checks_when_asked() {
    NFAB.lists();
}

#[test]
fn checks_of_our_own_claim_nothing_of_a_paper() {
    NFAB.tells_checks_from_claims();
    Paper { prefix: "rpdt-", ids: &[], own: &["rpdt-scanner"] }.tells_checks_from_claims();
}

#[test]
fn verify_passes() {
    NFAB.verifies();
}

#[test]
fn reproduce_writes_the_three_files_and_report_rebuilds_the_page() {
    let page = NFAB.reproduces(|_, _| ());
    // The buffer is drawn with its versions.
    assert!(page.contains("2.0.0"));
}
