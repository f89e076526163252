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
        "PATTERN SEQ(Fail+ f[]) WHERE { f[2].x > 1 }",
        "PATTERN SEQ(A a) WHERE skip_till_next { a.x > 1 }",
        "PATTERN SEQ(A a, B b)\nWHERE { [user] AND b.x > a.x +\n}\nWITHIN 5 min",
        "PATTERN SEQ(A a) WITHIN 5 weeks",
        "PATTERN SEQ(A a) WHERE { a.v > --1 }",
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
        &[QUERY, "events.csv", "--lateness", "1.5 s"],
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

/// What cannot be printed was not said.
#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error() {
    for arguments in [
        &["--help"][..],
        &["-h"],
        &["--version"],
        &["help"],
        &["explain", QUERY],
        &["replay", "/dev/null"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_nfab"))
            .args(arguments)
            .stdout(full)
            .output()
            .expect("the program runs");
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(
            said, "error: cannot write to the standard output: No space left on device\n",
            "{arguments:?}"
        );
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn what_nobody_reads_to_the_end_is_no_error() {
    for arguments in [&["--help"][..], &["explain", QUERY], &["replay", "/dev/null"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_nfab"))
            .args(arguments)
            .stdout(writer)
            .output()
            .expect("the program runs");
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    }
}
