//! The rules by which claims are judged, each with points on both sides of its limit.

mod common;

use bench_harness::claim::{Claim, Origin, Point, Rule, judge, point};
use bench_harness::experiment::Check;
use bench_harness::record::{Row, Verdict, X};
use common::row;

fn verdict(rule: &Rule, rows: &[Row]) -> Verdict {
    judged(rule, rows, &[]).0
}

fn judged(rule: &Rule, rows: &[Row], checks: &[Check]) -> (Verdict, String) {
    let judgement = judge("test", &Claim::new("claim", "paper", rule.clone()), rows, checks);
    assert_eq!((judgement.id.as_str(), judgement.claim.as_str()), ("test", "claim"));
    assert!(!judgement.rule.is_empty() && !judgement.measured.is_empty());
    (judgement.verdict, judgement.measured)
}

/// A series with intervals of 1 % either way, from nine runs.
fn series(name: &str, points: &[(f64, f64)]) -> Vec<Row> {
    points.iter().map(|&(x, y)| row(name, x, (y * 0.99, y, y * 1.01), 9)).collect()
}

/// A series of exact counts.
fn counts(name: &str, points: &[(&str, f64)]) -> Vec<Row> {
    points.iter().map(|&(x, y)| row(name, x, (y, y, y), 1)).collect()
}

#[test]
fn below_needs_the_interval_of_every_ratio_below_one() {
    let rule = Rule::below("a", "b");
    let clear = row("a / b", "P1", (0.4, 0.5, 0.6), 9);
    assert_eq!(verdict(&rule, std::slice::from_ref(&clear)), Verdict::Holds);
    let touching = row("a / b", "P2", (0.8, 0.9, 1.0), 9);
    assert_eq!(verdict(&rule, &[clear.clone(), touching]), Verdict::DoesNotHold);
    let slower = row("a / b", "P2", (1.1, 1.2, 1.3), 9);
    assert_eq!(verdict(&rule, &[clear.clone(), slower]), Verdict::DoesNotHold);
    assert_eq!(verdict(&rule, &[]), Verdict::CannotBeJudged);
    let few = row("a / b", "P1", (0.4, 0.5, 0.6), 5);
    assert_eq!(verdict(&rule, &[few]), Verdict::CannotBeJudged);
    // The rows of the series alone are no paired ratio.
    let apart = [series("a", &[(1.0, 1.0)]), series("b", &[(1.0, 9.0)])].concat();
    assert_eq!(verdict(&rule, &apart), Verdict::CannotBeJudged);
}

#[test]
fn a_ratio_verdict_names_its_numbers() {
    let rows = [row("a / b", "P1", (0.41, 0.5, 0.6), 9)];
    assert_eq!(
        judged(&Rule::below("a", "b"), &rows, &[]).1,
        "a / b: P1 0.50 [0.41, 0.60], below 1"
    );
}

#[test]
fn above_is_the_mirror_of_below() {
    let rule = Rule::above("a", "b");
    assert_eq!(verdict(&rule, &[row("a / b", 1.0, (1.01, 1.2, 1.3), 6)]), Verdict::Holds);
    assert_eq!(verdict(&rule, &[row("a / b", 1.0, (1.0, 1.2, 1.3), 6)]), Verdict::DoesNotHold);
}

#[test]
fn rows_of_other_experiments_do_not_count() {
    let mut other = row("a / b", "P1", (0.4, 0.5, 0.6), 9);
    other.id = "another".to_owned();
    assert_eq!(verdict(&Rule::below("a", "b"), &[other]), Verdict::CannotBeJudged);
}

#[test]
fn flat_allows_a_tenth() {
    let rule = Rule::flat(&["s"]);
    assert_eq!(verdict(&rule, &series("s", &[(1.0, 10.0), (2.0, 11.0)])), Verdict::Holds);
    assert_eq!(verdict(&rule, &series("s", &[(1.0, 10.0), (2.0, 11.1)])), Verdict::DoesNotHold);
    assert_eq!(verdict(&rule, &series("s", &[(1.0, 10.0)])), Verdict::CannotBeJudged);
    assert_eq!(verdict(&rule, &series("s", &[(1.0, 0.0), (2.0, 0.0)])), Verdict::CannotBeJudged);
}

#[test]
fn rises_needs_ends_more_than_a_tenth_apart() {
    let rule = Rule::rises(&["s"]);
    let far = [(1.0, 10.0), (2.0, 10.5), (3.0, 11.2)];
    assert_eq!(verdict(&rule, &series("s", &far)), Verdict::Holds);
    let near = [(1.0, 10.0), (2.0, 10.5), (3.0, 11.0)];
    assert_eq!(verdict(&rule, &series("s", &near)), Verdict::DoesNotHold);
    assert_eq!(verdict(&rule, &series("s", &[(1.0, 10.0)])), Verdict::CannotBeJudged);
}

#[test]
fn rises_allows_a_step_back_within_its_interval_only() {
    let rule = Rule::rises(&["s"]);
    let within = [(1.0, 10.0), (2.0, 12.0), (3.0, 11.9), (4.0, 15.0)];
    assert_eq!(verdict(&rule, &series("s", &within)), Verdict::Holds);
    let beyond = [(1.0, 10.0), (2.0, 12.0), (3.0, 11.0), (4.0, 15.0)];
    let (found, measured) = judged(&rule, &series("s", &beyond), &[]);
    assert_eq!(found, Verdict::DoesNotHold);
    assert!(measured.contains("but from 12 [11.88, 12.12] at 2 to 11"), "{measured}");
}

#[test]
fn the_order_of_recording_does_not_matter_for_numbers() {
    let points = [(3.0, 30.0), (1.0, 10.0), (2.0, 20.0)];
    assert_eq!(verdict(&Rule::rises(&["s"]), &series("s", &points)), Verdict::Holds);
    assert_eq!(verdict(&Rule::falls(&["s"]), &series("s", &points)), Verdict::DoesNotHold);
}

#[test]
fn falls_is_the_mirror_of_rises() {
    let rule = Rule::falls(&["s"]);
    assert_eq!(verdict(&rule, &series("s", &[(1.0, 11.2), (2.0, 10.0)])), Verdict::Holds);
    assert_eq!(verdict(&rule, &series("s", &[(1.0, 11.0), (2.0, 10.0)])), Verdict::DoesNotHold);
    let back = [(1.0, 15.0), (2.0, 11.0), (3.0, 12.0), (4.0, 10.0)];
    assert_eq!(verdict(&rule, &series("s", &back)), Verdict::DoesNotHold);
}

#[test]
fn every_named_series_must_follow_the_rule() {
    let up = series("s", &[(1.0, 1.0), (2.0, 2.0)]);
    let down = series("t", &[(1.0, 2.0), (2.0, 1.0)]);
    let rule = Rule::rises(&["s", "t"]);
    assert_eq!(verdict(&rule, &[up.clone(), down].concat()), Verdict::DoesNotHold);
    assert_eq!(verdict(&rule, &up), Verdict::CannotBeJudged);
}

#[test]
fn a_trend_from_too_few_runs_is_not_judged() {
    let rows = [row("s", 1.0, (1.0, 1.0, 1.1), 3), row("s", 2.0, (2.0, 2.0, 2.1), 3)];
    assert_eq!(verdict(&Rule::rises(&["s"]), &rows), Verdict::CannotBeJudged);
    // A single run is not exact merely because it is single.
    let rows = [row("s", 1.0, (0.9, 1.0, 1.1), 1), row("s", 2.0, (2.0, 2.0, 2.1), 1)];
    assert_eq!(verdict(&Rule::rises(&["s"]), &rows), Verdict::CannotBeJudged);
}

#[test]
fn a_peak_may_be_at_a_neighbour() {
    let rule = Rule::PeakAt { series: "s".to_owned(), x: 90.0.into() };
    let at = |values: [f64; 5]| {
        let xs = [30.0, 60.0, 90.0, 120.0, 150.0];
        verdict(&rule, &series("s", &xs.into_iter().zip(values).collect::<Vec<_>>()))
    };
    assert_eq!(at([1.0, 2.0, 3.0, 2.0, 1.0]), Verdict::Holds);
    assert_eq!(at([1.0, 3.0, 2.0, 2.0, 1.0]), Verdict::Holds);
    assert_eq!(at([1.0, 2.0, 2.0, 3.0, 1.0]), Verdict::Holds);
    assert_eq!(at([3.0, 2.0, 2.0, 1.0, 1.0]), Verdict::DoesNotHold);
    let elsewhere = series("s", &[(1.0, 1.0), (2.0, 2.0), (3.0, 1.0)]);
    assert_eq!(verdict(&rule, &elsewhere), Verdict::CannotBeJudged);
}

#[test]
fn slightly_ahead_is_up_to_a_quarter() {
    let rule = Rule::SlightlyAhead { a: "a".to_owned(), b: "b".to_owned() };
    let at = |ratio: f64| verdict(&rule, &[row("a / b", 1.0, (ratio, ratio, ratio), 9)]);
    assert_eq!(at(1.0), Verdict::Holds);
    assert_eq!(at(1.25), Verdict::Holds);
    assert_eq!(at(0.99), Verdict::DoesNotHold);
    assert_eq!(at(1.26), Verdict::DoesNotHold);
}

#[test]
fn fold_wants_every_point_of_the_range() {
    let at: Vec<X> = [30.0, 60.0].map(X::from).to_vec();
    let rule = Rule::Fold { a: "a".to_owned(), b: "b".to_owned(), from: 2.0, to: 8.0, at };
    let both = |first, second| series("a / b", &[(30.0, first), (60.0, second)]);
    assert_eq!(verdict(&rule, &both(2.0, 8.0)), Verdict::Holds);
    assert_eq!(verdict(&rule, &both(2.0, 8.1)), Verdict::DoesNotHold);
    assert_eq!(verdict(&rule, &both(1.9, 3.0)), Verdict::DoesNotHold);
    assert_eq!(verdict(&rule, &series("a / b", &[(30.0, 3.0)])), Verdict::CannotBeJudged);
    assert_eq!(verdict(&rule, &series("a / b", &[(30.0, 9.0)])), Verdict::DoesNotHold);
    // A point beyond the range is not part of the claim.
    let beyond = [both(2.0, 8.0), series("a / b", &[(150.0, 1.0)])].concat();
    assert_eq!(verdict(&rule, &beyond), Verdict::Holds);
}

#[test]
fn a_range_without_an_end_reads_so() {
    let fold = |from, to| Rule::Fold {
        a: "a".to_owned(),
        b: "b".to_owned(),
        from,
        to,
        at: vec![1.0.into()],
    };
    let range = |from, to| {
        let text = fold(from, to).text();
        text.strip_prefix("the paired ratio a / b is ").expect("so it begins").to_owned()
    };
    assert_eq!(range(12.0, f64::INFINITY), "at least 12 at each of 1");
    assert_eq!(range(0.0, 1.25), "at most 1.25 at each of 1");
    assert_eq!(range(2.0, 8.0), "from 2 to 8 at each of 1");
    let rows = [row("a / b", 1.0, (1e8, 1e9, 1e10), 9)];
    assert_eq!(verdict(&fold(12.0, f64::INFINITY), &rows), Verdict::Holds);
    assert_eq!(verdict(&fold(2e9, f64::INFINITY), &rows), Verdict::DoesNotHold);
}

#[test]
fn what_is_ordered_at_several_places_is_named_once() {
    let rows = [counts("a", &[("P1", 1.0), ("P2", 3.0)]), counts("b", &[("P1", 2.0), ("P2", 4.0)])];
    let at = |x: &str| Rule::At { x: x.into(), rule: Box::new(Rule::ordered(&["a", "b"])) };
    let rule = Rule::All(vec![at("P1"), at("P2")]);
    let expected = (Verdict::Holds, "a, b at P1: 1, 2; P2: 3, 4".to_owned());
    assert_eq!(judged(&rule, &rows.concat(), &[]), expected);
}

#[test]
fn counts_are_ordered_exactly() {
    let rule = Rule::ordered(&["small", "large"]);
    let small = counts("small", &[("10", 5.0), ("20", 9.0)]);
    let large = counts("large", &[("10", 8.0), ("20", 10.0)]);
    assert_eq!(verdict(&rule, &[small.clone(), large].concat()), Verdict::Holds);
    let equal = counts("large", &[("10", 8.0), ("20", 9.0)]);
    assert_eq!(verdict(&rule, &[small.clone(), equal].concat()), Verdict::DoesNotHold);
    let missing = counts("large", &[("10", 8.0)]);
    assert_eq!(verdict(&rule, &[small.clone(), missing].concat()), Verdict::CannotBeJudged);
    assert_eq!(verdict(&rule, &counts("large", &[("10", 8.0)])), Verdict::CannotBeJudged);
}

#[test]
fn exact_counts_are_exact() {
    let values = vec![("states".into(), 5.0), ("edges".into(), 5.0)];
    let rule = Rule::Exact { series: "shared".to_owned(), values };
    let at = |edges| counts("shared", &[("states", 5.0), ("edges", edges)]);
    assert_eq!(verdict(&rule, &at(5.0)), Verdict::Holds);
    assert_eq!(verdict(&rule, &at(6.0)), Verdict::DoesNotHold);
    assert_eq!(verdict(&rule, &counts("shared", &[("states", 5.0)])), Verdict::CannotBeJudged);
}

#[test]
fn same_compares_those_that_have_a_value() {
    let rule = Rule::same(&["a", "b", "c"]);
    let a = counts("a", &[("P1", 411.0), ("P7", 576.0)]);
    let b = counts("b", &[("P1", 411.0)]);
    let c = counts("c", &[("P1", 411.0), ("P7", 576.0)]);
    assert_eq!(verdict(&rule, &[a.clone(), b.clone(), c.clone()].concat()), Verdict::Holds);
    let wrong = counts("c", &[("P1", 411.0), ("P7", 575.0)]);
    let (found, measured) = judged(&rule, &[a.clone(), b.clone(), wrong].concat(), &[]);
    assert_eq!(found, Verdict::DoesNotHold);
    assert!(measured.contains("P7") && measured.contains("575"), "{measured}");
    assert_eq!(verdict(&rule, &[a, b].concat()), Verdict::CannotBeJudged);
    assert_eq!(verdict(&rule, &[]), Verdict::CannotBeJudged);
}

#[test]
fn reaches_takes_the_mean_at_one_place_or_over_all() {
    let rule = |x: Option<f64>, value| Rule::Reaches {
        series: vec!["s".to_owned(), "t".to_owned()],
        at: x.map(X::from).into_iter().collect(),
        value,
        unit: "ms".to_owned(),
    };
    let rows =
        [series("s", &[(1.0, 1.0), (2.0, 2.0)]), series("t", &[(1.0, 3.0), (2.0, 4.0)])].concat();
    assert_eq!(verdict(&rule(Some(2.0), 3.0), &rows), Verdict::Holds);
    assert_eq!(verdict(&rule(Some(2.0), 3.1), &rows), Verdict::DoesNotHold);
    assert_eq!(verdict(&rule(None, 2.5), &rows), Verdict::Holds);
    assert_eq!(verdict(&rule(None, 2.6), &rows), Verdict::DoesNotHold);
    assert_eq!(verdict(&rule(Some(3.0), 1.0), &rows), Verdict::CannotBeJudged);
    assert_eq!(verdict(&rule(None, 1.0), &[]), Verdict::CannotBeJudged);
    // A mean over several points needs all of them.
    let mean = |at: &[f64]| Rule::Reaches {
        series: vec!["s".to_owned()],
        at: at.iter().map(|&x| X::Number(x)).collect(),
        value: 1.5,
        unit: "ms".to_owned(),
    };
    assert_eq!(verdict(&mean(&[1.0, 2.0]), &rows), Verdict::Holds);
    assert_eq!(verdict(&mean(&[1.0]), &rows), Verdict::DoesNotHold);
    assert_eq!(verdict(&mean(&[1.0, 2.0, 3.0]), &rows), Verdict::CannotBeJudged);
}

#[test]
fn a_rule_at_one_point_looks_past_the_others() {
    let rows = [row("a / b", "P1", (0.4, 0.5, 0.6), 9), row("a / b", "P2", (1.4, 1.5, 1.6), 9)];
    let at = |x: &str| Rule::at(x, Rule::below("a", "b"));
    assert_eq!(
        judged(&at("P1"), &rows, &[]),
        (Verdict::Holds, "a / b: P1 0.50 [0.40, 0.60], below 1".into())
    );
    assert_eq!(verdict(&at("P2"), &rows), Verdict::DoesNotHold);
    assert_eq!(verdict(&at("P3"), &rows), Verdict::CannotBeJudged);
    assert!(at("P1").text().starts_with("at P1 alone: "));
    let both = Rule::All(vec![at("P1"), at("P2")]).text();
    assert!(both.starts_with("at P1, P2 alone: at every x"), "{both}");
    let mixed = Rule::All(vec![at("P1"), Rule::at("P2", Rule::below("b", "a"))]).text();
    assert!(mixed.contains("; and at P2 alone: "), "{mixed}");
    assert!(at("P1").needs_rows_only() && !at("P1").must_hold() && !at("P1").is_exact());
    assert_eq!(at("P1").single_point(), Some(&X::from("P1")));
    assert_eq!(Rule::below("a", "b").single_point(), None);
}

#[test]
fn an_example_is_an_exact_equality() {
    let rule = Rule::Example { check: "c".to_owned() };
    let check = |actual: &str| Check {
        name: "c".to_owned(),
        expected: "none, e, ed".to_owned(),
        actual: actual.to_owned(),
    };
    assert_eq!(judged(&rule, &[], &[check("none, e, ed")]).0, Verdict::Holds);
    let (found, measured) = judged(&rule, &[], &[check("none, e")]);
    assert_eq!((found, measured.as_str()), (Verdict::DoesNotHold, "none, e"));
    assert_eq!(judged(&rule, &[], &[]).0, Verdict::CannotBeJudged);
}

#[test]
fn of_several_rules_one_failure_settles_it() {
    let rows = [row("a / b", 1.0, (0.4, 0.5, 0.6), 9), row("b / c", 1.0, (0.8, 0.9, 1.1), 9)];
    let rule = Rule::below_in_turn(&["a", "b", "c"]);
    assert_eq!(verdict(&rule, &rows), Verdict::DoesNotHold);
    assert_eq!(verdict(&rule, &rows[..1]), Verdict::CannotBeJudged);
    assert_eq!(verdict(&Rule::below_in_turn(&["a", "b"]), &rows), Verdict::Holds);
}

#[test]
fn several_ratios_are_one_line_of_range_median_and_count() {
    let rows = [
        row("a / b", "P1", (0.4, 0.5, 0.6), 9),
        row("a / b", "P2", (0.9, 0.98, 1.1), 9),
        row("a / b", "P3", (1.4, 1.5, 1.6), 9),
    ];
    let text = "a / b: 0.50 to 1.50, median 0.98, 3 points: 1 below 1, 1 with an interval that \
                includes 1, 1 above 1";
    assert_eq!(judged(&Rule::below("a", "b"), &rows, &[]).1, text);
}

#[test]
fn no_difference_is_told_from_the_reverse() {
    let at = |(lo, value, hi), n| {
        let rule = Rule::at("P1", Rule::below("a", "b"));
        point("test", &rule, &[row("a / b", "P1", (lo, value, hi), n)])
    };
    assert_eq!(at((0.4, 0.5, 0.6), 9), Some(Point::AsClaimed));
    assert_eq!(at((0.9, 0.95, 1.0), 9), Some(Point::NoDifference));
    assert_eq!(at((1.0, 1.05, 1.1), 9), Some(Point::NoDifference));
    assert_eq!(at((1.01, 1.05, 1.1), 9), Some(Point::Reverse));
    assert_eq!(at((0.4, 0.5, 0.6), 5), None);
    let rows = [row("a / b", "P1", (1.2, 1.3, 1.4), 9)];
    let above = Rule::at("P1", Rule::above("a", "b"));
    assert_eq!(point("test", &above, &rows), Some(Point::AsClaimed));
    assert_eq!(point("other", &above, &rows), None);
    assert_eq!(point("test", &Rule::below("a", "b"), &rows), None);
}

#[test]
fn a_complete_rule_is_open_until_every_place_was_measured() {
    let rule = Rule::Complete {
        series: vec!["s".to_owned()],
        at: [1.0, 2.0, 3.0].map(X::from).to_vec(),
        hint: "run more".to_owned(),
        rule: Box::new(Rule::rises(&["s"])),
    };
    let all = series("s", &[(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]);
    assert_eq!(verdict(&rule, &all), Verdict::Holds);
    let (found, measured) = judged(&rule, &all[..2], &[]);
    assert_eq!(found, Verdict::CannotBeJudged);
    assert!(measured.starts_with("run more; s: "), "{measured}");
    let falls = series("s", &[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]);
    assert_eq!(verdict(&rule, &falls), Verdict::DoesNotHold);
    assert_eq!(verdict(&rule, &falls[..2]), Verdict::CannotBeJudged);
    assert!(rule.needs_rows_only() && !rule.is_exact());
}

#[test]
fn only_what_the_paper_says_is_labelled_as_the_paper_s() {
    let claim = Claim::new("claim", "paper", Rule::rises(&["s"]));
    assert_eq!((claim.origin, claim.origin.label()), (Origin::Paper, "Paper"));
    for ours in [claim.clone().our_reading(), claim.our_check()] {
        assert_eq!(ours.origin.label(), "Expected (ours)");
    }
}
