//! Messages of the program `nfab`: complete, as a user sees them.
#![cfg(feature = "cli")]

mod cli_support;

use cli_support::transcript;

const QUERY: &str = "PATTERN SEQ(A a) WHERE { a.x > 0 }";

#[test]
fn malformed_queries() {
    let mut all = String::new();
    for query in [
        "",
        "SELECT * FROM trades",
        "SEQ(A a, B b)",
        "PATTERN SEQ(A a, B b",
        "PATTERN SEQ(A+ a)",
        "PATTERN SEQ(A a, ~B b)",
        "PATTERN SEQ(A a) WHERE { b.x > 1 }",
        "PATTERN SEQ(A+ a[]) WHERE { a.x > 1 }",
        "PATTERN SEQ(A a) WHERE skip_till_next { a.x > 1 }",
        "PATTERN SEQ(A a, B b)\nWHERE { [user] AND b.x > a.x +\n}\nWITHIN 5 min",
        "PATTERN SEQ(A a) WITHIN 5 weeks",
        "PATTERN SEQ(Bär a) WHERE { a.größe > 'x' + 1 }",
        "PATTERN SEQ(A a) WHERE { a.x = “yes” }",
        "PATTERN SEQ(A a) RETURN a.x AS v, a.y AS v",
    ] {
        transcript(&mut all, &[query], Some(b""));
    }
    transcript(&mut all, &["explain", "PATTERN SEQ(A a, A a)"], None);
    transcript(&mut all, &["-f", "broken.sase"], Some(b""));
    insta::assert_snapshot!("queries", all);
}

#[test]
fn wrong_usage() {
    let mut all = String::new();
    for arguments in [
        &[][..],
        &[QUERY, "no-such-file.csv"],
        &[QUERY, "."],
        &[QUERY, "a.csv", "b.csv"],
        &["events.csv", QUERY],
        &["query.sase", "events.csv"],
        &["-f", "query.sase", "events.csv", "more.csv"],
        &["-f", "no-such-query.sase", "events.csv"],
        &[QUERY, "events.csv", "--format", "xml"],
        &[QUERY, "events.csv", "--format", "ids", "--count"],
        &[QUERY, "events.csv", "--format", "csv", "--timeouts"],
        &[QUERY, "events.csv", "--first", "--limit", "3"],
        &[QUERY, "events.csv", "--limit", "0"],
        &[QUERY, "events.csv", "--each", "--maximal"],
        &[QUERY, "events.csv", "--time-unit", "week"],
        &[QUERY, "events.csv", "--lateness", "-1"],
        &[QUERY, "events.csv", "--max-runs", "10:drop"],
        &[QUERY, "events.csv", "--type", "B"],
        &[QUERY, "events.csv", "--type", "A", "--type-column", "kind"],
        &[QUERY, "events.csv", "--output", "no/such/folder"],
        &[QUERY, "events.csv", "--late", "no/such/folder"],
        &["explain"],
        &["explain", QUERY, "-f", "query.sase"],
        &["--first", "explain", QUERY],
        &["replay"],
    ] {
        transcript(&mut all, arguments, None);
    }
    insta::assert_snapshot!("usage", all);
}

#[test]
fn help() {
    for (name, arguments) in [
        ("help-h", &["-h"][..]),
        ("help--help", &["--help"]),
        ("help-explain", &["help", "explain"]),
        ("help-replay", &["replay", "--help"]),
    ] {
        let mut all = String::new();
        transcript(&mut all, arguments, None);
        assert!(all.ends_with("[0]\n\n"), "{all}");
        insta::assert_snapshot!(name, all);
    }
    let mut all = String::new();
    transcript(&mut all, &["--version"], None);
    assert!(all.contains(concat!("nfab ", env!("CARGO_PKG_VERSION"), "\n[0]")), "{all}");
}
