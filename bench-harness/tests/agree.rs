//! The checks across engines as a user runs them, at tiny scale.

mod paper;

use bench_harness::record::Verdict;
use paper::Paper;

const AGREE: Paper =
    Paper { prefix: "agree-", ids: &[], own: &["agree-any", "agree-strict", "agree-rpdt-strict"] };

#[test]
fn list_prints_them_only_when_asked() {
    AGREE.lists();
}

#[test]
fn they_claim_nothing_of_a_paper() {
    AGREE.tells_checks_from_claims();
}

#[test]
fn verify_passes() {
    AGREE.verifies();
}

#[test]
fn reproduce_writes_the_three_files_and_every_answer_is_equal() {
    let page = AGREE.reproduces(|about, judgement| {
        assert_eq!(judgement.verdict, Verdict::Holds, "{}: {}", about.id, judgement.claim);
    });
    // The questions are shown in both languages.
    for part in ["skip_till_any_match", "[tag = #1.tag]", "/r/{e!, d!*}"] {
        assert!(page.contains(part), "{part}");
    }
}
