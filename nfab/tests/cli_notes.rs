//! What the program `nfab` tells on the standard error though nothing failed.
#![cfg(feature = "cli")]

mod cli_support;

use std::fmt::Write as _;

use cli_support::{found, nfab, transcript};

const PAIR: &str = "PATTERN SEQ(A a, B b)";

#[test]
fn the_type_that_all_events_are_taken_to_have() {
    let mut all = String::new();
    let query = "PATTERN SEQ(failure a)";
    let table = &b"time,outcome\n1,success\n2,failure\n"[..];
    let lines =
        &b"{\"time\":1,\"outcome\":\"success\"}\n{\"time\":2,\"outcome\":\"failure\"}\n"[..];
    for input in [table, lines, b"time,x\n1,2\n"] {
        transcript(&mut all, &[query, "--count"], Some(input));
    }
    transcript(&mut all, &["FROM log PATTERN SEQ(failure a)", "--count"], Some(table));
    insta::assert_snapshot!("assumed", all);
    // Where it was said there is nothing to tell.
    let text = std::str::from_utf8(table).expect("UTF-8");
    for (query, flags, count) in [
        (query, &["--type", "failure"][..], 2),
        (query, &["--type-column", "outcome"], 1),
        ("FROM failure PATTERN SEQ(failure a)", &[], 2),
    ] {
        let out = found(&[&[query, "--count"], flags].concat(), text);
        assert_eq!(out, format!("{{\"count\":{count}}}\n"), "{query} {flags:?}");
    }
    let typed = "type,time,outcome\nfailure,1,failure\n";
    assert_eq!(found(&[query, "--count"], typed), "{\"count\":1}\n");
    assert_eq!(nfab(&[query], "time,outcome\n").err, "");
}

#[test]
fn conditions_on_the_list_from_the_second_event_on() {
    let input = "type,time,x,y\nA,1,1,1\nA,2,9,1\nB,3,9,1\n";
    let mut all = String::new();
    for condition in ["a[i].x > 5", "a[i].x in (9, 10) AND a[1].y = 1", "a[i].x > 5 or a[i].y = 1"]
    {
        let query = format!("PATTERN SEQ(A+ a[], B b) WHERE {{ {condition} }}");
        let run = nfab(&[&query, "--count"], input);
        let _ = writeln!(all, "{condition}\n{}{}", run.out, run.err);
    }
    insta::assert_snapshot!("from_the_second_on", all);
    for condition in [
        "a[1].x > 0 AND a[i].x > 5",
        "a[i].x > a[i-1].x",
        "a[i].x > avg(a[..i-1].x)",
        "a[1].x < 5 or a[i].x > 0",
        "a[1].x = 1",
        "avg(a[].x) > 4",
    ] {
        let query = format!("PATTERN SEQ(A+ a[], B b) WHERE {{ {condition} }}");
        assert_eq!(nfab(&[&query, "--count"], input).err, "", "{condition}");
    }
}

#[test]
fn events_without_key() {
    let query = "PATTERN SEQ(A a, B b) WHERE { [user, city] }";
    let mut all = String::new();
    // What the query does not ask for needs no key.
    let one = "type,time,user,city\nC,1,,\nA,1,u,x\nA,2,u,\nB,3,u,x\n";
    let two = "type,time,user,city\nA,1,u,x\nA,2,,x\nA,2,NaN,x\nB,3,u,x\n";
    for input in [one, two] {
        let run = nfab(&[query, "--count"], input);
        assert_eq!((run.code, &*run.out), (0, "{\"count\":1}\n"));
        all.push_str(&run.err);
        let threads = nfab(&[query, "--count", "--threads", "2"], input);
        assert_eq!((&threads.err, &threads.out), (&run.err, &run.out));
    }
    insta::assert_snapshot!("without_key", all);
}

#[test]
fn types_that_were_seen() {
    let table = "type,time\nfailure,1\nsuccess,2\nfailure,3\n";
    let mut all = nfab(&["PATTERN SEQ(failures a, success b)"], table).err;
    let many: String = (0..9).map(|n| format!("{{\"type\":\"t{n}\",\"time\":{n}}}\n")).collect();
    all.push_str(&nfab(&[PAIR], &many).err);
    all.push_str(&nfab(&["PATTERN SEQ(failures a)"], "type,time\nfailure,1\n").err);
    insta::assert_snapshot!("seen_types", all);
}

#[test]
fn only_patterns_that_waiting_completes_may_be_open() {
    let open = |query: &str, flags: &[&str]| {
        let run = nfab(&[&[query, "--count"], flags].concat(), "type,time\nB,0\nA,1\nC,1\nA,2\n");
        assert_eq!((run.code, &*run.out), (1, "{\"count\":0}\n"), "{query} {flags:?}");
        let max = [&[query, "--count", "--end-of-input", "max"], flags].concat();
        let gains = nfab(&max, "type,time\nB,0\nA,1\nC,1\nA,2\n").code == 0;
        (run.err.contains("may still be open"), gains)
    };
    for (query, flags) in [
        ("PATTERN SEQ(A a, ~B b) WITHIN 9 ms", &[][..]),
        ("PATTERN SEQ(A+ a[])", &[]),
        ("PATTERN SEQ(A a, A? b, A* c[])", &[]),
        ("PATTERN SEQ(B b, SEQ(C c, A a){1,2})", &[]),
        ("PATTERN SEQ(A+ a[]) WHERE skip_till_any_match", &["--maximal"]),
    ] {
        assert_eq!(open(query, flags), (true, true), "{query} {flags:?}");
    }
    for query in [
        "PATTERN SEQ(A{3} a[])",
        "PATTERN SEQ(A a, B b)",
        "PATTERN SEQ(SEQ(A a, C c){2})",
        "PATTERN SEQ(A{3,} a[]) WHERE skip_till_any_match",
    ] {
        assert_eq!(open(query, &[]), (false, false), "{query}");
    }
    assert_eq!(open("PATTERN SEQ(A{3,} a[])", &["--each"]), (false, false));
}

#[test]
fn how_late_events_were() {
    let mut all = String::new();
    let one = "type,time\nA,1\nA,9\nB,4\nB,9\n";
    let reversed = "type,time\nB,9000\nA,8000\nA,7000\nB,6000\n";
    for (input, kept) in [(one, "5"), (reversed, "3000")] {
        let run = nfab(&[PAIR, "--count"], input);
        all.push_str(&run.err);
        assert!(run.err.contains(&format!("`--lateness {kept}` would")), "{}", run.err);
        // With what it says none is late; with less one is.
        assert_eq!(nfab(&[PAIR, "--count", "--lateness", kept], input).err, "");
        let less = (kept.parse::<u64>().expect("a number") - 1).to_string();
        assert!(nfab(&[PAIR, "--lateness", &less], input).err.contains("too late"));
    }
    insta::assert_snapshot!("late", all);
    for bound in ["3s", "3 s", "3 seconds", "1 min", "3000ms"] {
        let run = nfab(&[PAIR, "--count", "--lateness", bound], reversed);
        assert_eq!((&*run.err, &*run.out), ("", "{\"count\":2}\n"), "{bound}");
    }
    assert!(nfab(&[PAIR, "--lateness", "2999ms"], reversed).err.contains("1 event came too late"));
}

#[test]
fn bad_rows_and_times_that_are_cut() {
    let input = "type,time\nA,1\nA,x\nA\nB,2\n";
    let mut all = nfab(&[PAIR, "--count", "--skip-bad-rows"], input).err;
    all.push_str(&nfab(&[PAIR, "--count", "--skip-bad-rows"], "type,time\nA,1\nA\nB,2\n").err);
    let cut = "type,time\nA,2024-05-01T12:00:00.25Z\nB,2024-05-01T12:00:01Z\n";
    all.push_str(&nfab(&[PAIR, "--count", "--time-unit", "s"], cut).err);
    insta::assert_snapshot!("bad_rows_and_cut_times", all);
    assert_eq!(found(&[PAIR, "--count"], cut), "{\"count\":1}\n");
}
