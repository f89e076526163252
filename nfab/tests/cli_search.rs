//! Searching with the program `nfab`: each flag, output, exit codes.
#![cfg(feature = "cli")]

mod cli_support;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use cli_support::{DATA, found, nfab, nfab_in};

const QUERY: &str = "PATTERN SEQ(A a, B b) WHERE { [user] AND b.x > a.x } WITHIN 10 ms";

/// A loop at the end.
const LOOP: &str = "PATTERN SEQ(A a, B+ b[])";

/// The lines of JSON on an output.
fn json(out: &str) -> Vec<serde_json::Value> {
    out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Events A and B at the given times.
fn events(types: &str) -> String {
    let mut text = "type,time\n".to_owned();
    for (time, event_type) in types.chars().enumerate() {
        if event_type != ' ' {
            text.push_str(&format!("{event_type},{time}\n"));
        }
    }
    text
}

fn ids(arguments: &[&str], input: &str) -> Vec<String> {
    let run = nfab(&[arguments, &["--format", "ids"]].concat(), input);
    assert!(run.code < 2, "{}", run.err);
    run.out
        .lines()
        .map(|line| {
            let from = line.find(":{").expect("events") + 2;
            let to = line.find("},").expect("the end of the events");
            line[from..to].replace('"', "")
        })
        .collect()
}

#[test]
fn formats() {
    let mut all = String::new();
    for file in ["events.csv", "events.jsonl"] {
        for flags in
            [&["--format", "json"][..], &["--format", "ids"], &["--format", "csv"], &["--count"]]
        {
            let out = found(&[&[QUERY, file], flags].concat(), "");
            all.push_str(&format!("{file} {}\n{out}\n", flags.join(" ")));
        }
    }
    insta::assert_snapshot!("formats", all);
}

#[test]
fn a_match_has_exactly_the_documented_keys_in_their_order() {
    let out = found(&[QUERY, "events.jsonl"], "");
    assert_eq!(
        out.lines().next(),
        Some(
            "{\"matches\":{\"a\":[{\"type\":\"A\",\"time\":2,\"user\":\"u2\",\"x\":3}],\
             \"b\":[{\"type\":\"B\",\"time\":5,\"user\":\"u2\",\"x\":4}]},\
             \"start\":2,\"end\":5,\"key\":{\"user\":\"u2\"}}"
        )
    );
    // Without a partition, with a variable that is absent.
    let out = found(&["PATTERN SEQ(A a, C? c, B b)"], "type,time\nA,1\nB,2\n");
    let first = json(&out).remove(0);
    assert_eq!(first["matches"]["c"], serde_json::json!([]));
    assert_eq!(first["key"], serde_json::Value::Null);
}

#[test]
fn results_come_with_the_match() {
    let query = format!("{QUERY} RETURN b.x - a.x AS rise, a, b.user");
    let out = found(&[&query, "events.csv", "--first"], "");
    let first = json(&out).remove(0);
    let keys: Vec<_> = first.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["end", "key", "matches", "return", "start"]);
    assert_eq!(first["return"]["rise"], 1);
    assert_eq!(first["return"]["b.user"], "u2");
    assert_eq!(first["return"]["a"], first["matches"]["a"]);
    let out = found(&[&query, "events.csv", "--first", "--format", "ids"], "");
    assert_eq!(
        out,
        "{\"ids\":{\"a\":[1],\"b\":[4]},\"start\":2,\"end\":5,\"key\":{\"user\":\"u2\"},\
         \"return\":{\"rise\":1,\"a\":[1],\"b.user\":\"u2\"}}\n"
    );
    assert_eq!(found(&[&query, "events.csv", "--count"], ""), "{\"count\":2}\n");
    let out = found(&[&query, "events.csv", "--format", "csv"], "");
    assert_eq!(out, "match,start,end,rise,a,b.user\n1,2,5,1,1,u2\n2,1,6,1,0,u1\n");
    // Numbers that are text stay text.
    let query = "PATTERN SEQ(A+ a[]) RETURN a, last(a[].x) AS \"last, so far\", avg(a[].y) AS `y`";
    let query = query.replace("\"last, so far\"", "`last, so far`");
    let input = "type,time,x,y\nA,1,\"7\",1\nA,2,\"7\",2\n";
    let flags = ["--format", "csv", "--end-of-input", "max", "--maximal"];
    let out = found(&[&[&*query][..], &flags].concat(), input);
    assert!(
        out.starts_with("match,start,end,a,\"last, so far\",y\n1,1,2,0 1,\"7\",1.5\n"),
        "{out}"
    );
}

#[test]
fn a_query_from_a_file() {
    let out = found(&["-f", "query.sase", "events.csv"], "");
    assert_eq!(out, found(&[QUERY, "events.csv"], ""));
    let events = std::fs::read_to_string(format!("{DATA}/events.csv")).expect("the events");
    assert_eq!(found(&["-f", "query.sase"], &events), out);
    assert_eq!(found(&["--query-file", "query.sase", "-"], &events), out);
}

#[test]
fn first_and_limit() {
    let input = events(&"AB".repeat(50));
    let all = found(&["PATTERN SEQ(A a, B b)"], &input);
    assert_eq!(all.lines().count(), 50);
    let first: String = all.split_inclusive('\n').take(1).collect();
    assert_eq!(found(&["PATTERN SEQ(A a, B b)", "--first"], &input), first);
    let three: String = all.split_inclusive('\n').take(3).collect();
    assert_eq!(found(&["PATTERN SEQ(A a, B b)", "--limit", "3"], &input), three);
    let count = found(&["PATTERN SEQ(A a, B b)", "--limit", "3", "--count"], &input);
    assert_eq!(count, "{\"count\":3}\n");
    // What comes after is not looked at.
    assert_eq!(
        found(&["PATTERN SEQ(A a)", "--first", "--count"], "type,time\nA,1\nbad\n"),
        "{\"count\":1}\n"
    );
}

#[test]
fn matches_are_counted_without_a_look_at_each() {
    // Each choice among 50 events, but for none of them.
    let query = "PATTERN SEQ(A+ a[], B b) WHERE skip_till_any_match";
    let input = events(&format!("{}B", "A".repeat(50)));
    let count = (1u64 << 50) - 1;
    assert_eq!(found(&[query, "--count"], &input), format!("{{\"count\":{count}}}\n"));
    assert_eq!(found(&[query, "--count", "--limit", "3"], &input), "{\"count\":3}\n");
    assert_eq!(found(&[query, "--limit", "3"], &input).lines().count(), 3);
}

#[test]
fn a_count_that_is_too_large_is_said_to_be_so() {
    let query = "PATTERN SEQ(A+ a[], B b) WHERE skip_till_any_match";
    let run = nfab(&[query, "--count"], &events(&format!("{}B", "A".repeat(70))));
    assert_eq!((run.code, run.out), (0, format!("{{\"count\":{}}}\n", u64::MAX)));
    assert!(run.err.contains("that many matches or more"), "{}", run.err);
}

#[test]
fn each_and_maximal() {
    let input = events("ABB");
    let all = [LOOP, "--end-of-input", "max"];
    assert_eq!(ids(&all, &input), ["a:[0],b:[1,2]"]);
    assert_eq!(ids(&[&all[..], &["--each"]].concat(), &input), ["a:[0],b:[1]", "a:[0],b:[1,2]"]);
    let any = ["PATTERN SEQ(A a, B+ b[]) WHERE skip_till_any_match", "--end-of-input", "max"];
    let each = ["a:[0],b:[1]", "a:[0],b:[1,2]", "a:[0],b:[2]"];
    assert_eq!(ids(&any, &input), each);
    let maximal = ["a:[0],b:[1,2]", "a:[0],b:[2]"];
    assert_eq!(ids(&[&any[..], &["--maximal"]].concat(), &input), maximal);
}

#[test]
fn the_end_of_the_input() {
    let input = events("ABB");
    let run = nfab(&[LOOP, "--count"], &input);
    insta::assert_snapshot!("silent", format!("{}{}[{}]", run.out, run.err, run.code));
    assert_eq!(found(&[LOOP, "--count", "--end-of-input=max"], &input), "{\"count\":1}\n");
    let negation = "PATTERN SEQ(A a, ~B b) WITHIN 2 ms";
    assert_eq!(nfab(&[negation, "--count"], &events("A")).code, 1);
    assert_eq!(
        found(&[negation, "--count", "--end-of-input", "max"], &events("A")),
        "{\"count\":1}\n"
    );
    // Another event tells the time as well.
    assert_eq!(found(&[negation, "--count"], &events("A   C")), "{\"count\":1}\n");
}

#[test]
fn every_evaluation_and_history_finds_the_same() {
    let query = "PATTERN SEQ(A a, B+ b[], C c) WHERE skip_till_any_match";
    let input = events("AABBCABC");
    let expected = found(&[query], &input);
    assert!(expected.lines().count() > 10);
    for evaluation in ["compact", "grouped", "runs"] {
        let run = nfab(&[query, "--evaluation", evaluation], &input);
        assert_eq!((run.code, &run.out), (0, &expected), "{evaluation}: {}", run.err);
    }
    for history in ["chain", "versioned"] {
        let out = found(&[query, "--evaluation", "runs", "--history", history], &input);
        assert_eq!(out, expected, "{history}");
    }
    // A query that needs more than an evaluation can do.
    let run = nfab(&[QUERY, "events.csv", "--evaluation", "compact"], "");
    assert_eq!(run.code, 2, "{}", run.out);
    insta::assert_snapshot!("evaluation", run.err);
}

#[test]
fn threads_change_nothing() {
    let mut text = "type,time,user,x\n".to_owned();
    for i in 0..5000 {
        let event_type = ["A", "B", "C"][i * i % 7 % 3];
        text.push_str(&format!(
            "{event_type},{},u{},{}\n",
            i / 2 * 2 + 3 * (i % 2),
            i % 11,
            i * 7 % 13
        ));
    }
    let query = QUERY.replace("10 ms", "60 ms");
    for query in [
        &*query,
        "PATTERN SEQ(A a, B+ b[]) WHERE { [user] } WITHIN 90 ms",
        "PATTERN SEQ(A a, ~C c, B b) WITHIN 9 ms",
    ] {
        for flags in [&["--lateness", "3"][..], &["--format", "ids", "--timeouts"]] {
            let arguments = |threads| [&[query, "--threads", threads], flags].concat();
            let one = nfab(&arguments("1"), &text);
            assert!(one.out.lines().count() > 50, "{}", one.out);
            for threads in ["2", "5"] {
                let many = nfab(&arguments(threads), &text);
                assert_eq!((&many.out, &many.err, many.code), (&one.out, &one.err, one.code));
            }
        }
    }
    // What was found before a bad row is printed, and `--first` stops.
    let bad = format!("{text}bad\n");
    let one = nfab(&[&query], &bad);
    let many = nfab(&[&query, "--threads", "3"], &bad);
    assert_eq!((&many.out, &many.err, many.code), (&one.out, &one.err, 2));
    let first = nfab(&[&query, "--threads", "3", "--first"], &bad);
    assert_eq!((Some(first.out.trim_end()), first.code), (one.out.lines().next(), 0));
}

#[test]
fn hold_back() {
    // The match of the second A waits while the first could still become one.
    let query = "PATTERN SEQ(A a, B b, C c) WHERE { b.time - a.time < 3 } AFTER MATCH SKIP TO NEXT";
    let input = events("A A B C");
    assert_eq!(ids(&[query, "--hold-back", "emit-now"], &input).len(), 1);
    let wait = ids(&[query, "--hold-back", "wait"], &input);
    assert!(wait.len() <= 1);
}

#[test]
fn timeouts() {
    let query = "PATTERN SEQ(A a, B b) WHERE { [user] } WITHIN 3 ms";
    let input = "type,time,user\nA,1,u1\nA,2,u2\nB,3,u1\nC,9,u1\n";
    let run = nfab(&[query, "--timeouts"], input);
    insta::assert_snapshot!("timeouts", format!("{}{}[{}]", run.out, run.err, run.code));
    let out = found(&[query, "--timeouts", "--format", "ids"], input);
    assert!(out.contains("{\"timed_out\":{\"a\":[1],\"b\":[]},\"deadline\":"), "{out}");
    assert_eq!(found(&[query, "--timeouts", "--count"], input), "{\"count\":1,\"timed_out\":1}\n");
    assert_eq!(found(&[query, "--count"], input), "{\"count\":1}\n");
}

#[test]
fn late_events() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path().to_str().expect("UTF-8");
    let query = "PATTERN SEQ(A a, B b)";
    let input = "type,time,x\nA,5,1\nB,3,2\nA,9,3\nB,7,4\nB,10,5\nA,2,\"6\"\n";
    let run = nfab(&[query, "--format", "ids"], input);
    insta::assert_snapshot!("late", format!("{}{}[{}]", run.out, run.err, run.code));
    let run = nfab_in(here, &[query, "--count", "--late", "late.csv"], input.as_bytes());
    assert_eq!((run.code, &*run.err), (0, ""));
    let late = std::fs::read_to_string(folder.path().join("late.csv")).expect("late events");
    assert_eq!(late, "type,time,x\nB,3,2\nB,7,4\nA,2,\"6\"\n");
    // With time to wait for them.
    assert_eq!(ids(&[query, "--lateness", "2"], input), ["a:[0],b:[3]", "a:[2],b:[4]"]);
    let lines = "{\"type\":\"A\",\"time\":5}\n{\"type\":\"A\", \"time\":3}\n";
    let run = nfab_in(here, &[query, "--late", "late.jsonl"], lines.as_bytes());
    assert_eq!((run.code, &*run.out), (1, ""));
    let late = std::fs::read_to_string(folder.path().join("late.jsonl")).expect("late events");
    assert_eq!(late, "{\"type\":\"A\", \"time\":3}\n");
}

#[test]
fn limits() {
    let query = "PATTERN SEQ(A a, B b) WHERE skip_till_any_match";
    let input = events("AAAAAB");
    assert_eq!(ids(&[query], &input).len(), 5);
    let mut all = String::new();
    for flags in [
        &["--max-runs", "3"][..],
        &["--max-runs", "3:error"],
        &["--max-runs", "3:drop-oldest"],
        &["--max-runs", "3:drop-newest"],
        &["--max-matches", "2:drop-newest"],
        &["--max-match-length", "1"],
        &["--max-history", "2"],
    ] {
        let arguments = [&[query, "--format", "ids", "--evaluation", "runs"], flags].concat();
        let run = nfab(&arguments, &input);
        all.push_str(&format!("{}\n{}{}[{}]\n\n", flags.join(" "), run.out, run.err, run.code));
    }
    insta::assert_snapshot!("limits", all);
}

#[test]
fn stats() {
    let run = nfab(&[QUERY, "events.csv", "--stats"], "");
    let stats = json(&run.err).remove(0);
    let of = |key: &str| stats[key].as_u64().unwrap_or_else(|| panic!("{key} in {stats}"));
    assert_eq!((of("rows"), of("events"), of("matches"), of("bad_rows")), (7, 7, 2, 0));
    assert!(stats["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
    let run = nfab(&["PATTERN SEQ(A a)", "--stats", "--skip-bad-rows"], "type,time\nA\nA,1\n");
    let stats = json(run.err.lines().last().expect("stats")).remove(0);
    assert_eq!((stats["rows"].as_u64(), stats["bad_rows"].as_u64()), (Some(2), Some(1)));
}

#[test]
fn problems_found_while_running() {
    let mut all = String::new();
    for (query, input) in [
        ("PATTERN SEQ(A a) WHERE { a.x > 1 }", "type,time,x\nA,1,yes\nA,2,2\n"),
        ("PATTERN SEQ(A a) WHERE { a.x = 7 }", "type,time,x\nA,1,\"7\"\n"),
        ("PATTERN SEQ(A a) WHERE { 1 / a.x > 0 }", "type,time,x\nA,1,0\n"),
        ("PATTERN SEQ(Stok a) WHERE { a.price > 0 }", "type,time,price\nStock,1,2\n"),
        ("PATTERN SEQ(A a) WHERE { a.y > 0 }", "{\"type\":\"A\",\"time\":1,\"x\":2}\n"),
    ] {
        let run = nfab(&[query, "--format", "ids"], input);
        all.push_str(&format!("{query}\n{}{}[{}]\n\n", run.out, run.err, run.code));
    }
    insta::assert_snapshot!("problems", all);
}

#[test]
fn exit_codes() {
    assert_eq!(nfab(&[QUERY, "events.csv"], "").code, 0);
    assert_eq!(nfab(&["PATTERN SEQ(C c, A a)", "events.csv"], "").code, 1);
    assert_eq!(
        nfab(&["PATTERN SEQ(C c, A a)", "events.csv", "--count"], "").out,
        "{\"count\":0}\n"
    );
    assert_eq!(nfab(&["PATTERN"], "").code, 2);
}

#[test]
fn output_to_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("matches.jsonl");
    let name = path.to_str().expect("UTF-8");
    assert_eq!(found(&[QUERY, "events.csv", "-o", name], ""), "");
    let written = std::fs::read_to_string(&path).expect("matches");
    assert_eq!(written, found(&[QUERY, "events.csv"], ""));
}

#[test]
fn nothing_is_written_over_what_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path().to_str().expect("UTF-8");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
    write("in.csv", "type,time\nA,1\n").expect("written");
    write("q.sase", "PATTERN SEQ(A a)").expect("written");
    for flags in [
        &["-f", "q.sase", "in.csv", "-o", "in.csv"][..],
        &["-f", "q.sase", "in.csv", "-o", "./q.sase"],
        &["-f", "q.sase", "in.csv", "--late", "../in.csv"],
        &["-f", "q.sase", "in.csv", "--late", "new", "-o", "new"],
    ] {
        let flags: Vec<String> = flags
            .iter()
            .map(|flag| flag.replace("..", folder.path().to_str().expect("UTF-8")))
            .collect();
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let run = nfab_in(here, &flags, b"");
        assert_eq!((run.code, &*run.out), (2, ""), "{flags:?}");
        assert!(run.err.contains("is named twice"), "{}", run.err);
    }
    assert_eq!(std::fs::read(folder.path().join("in.csv")).expect("events").len(), 14);
    assert_eq!(nfab_in(here, &["-f", "q.sase", "in.csv", "-o", "out"], b"").code, 0);
}

#[test]
fn matches_are_printed_while_the_input_goes_on() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_nfab"))
        .args(["PATTERN SEQ(A a, B b)", "--format", "ids"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut input = program.stdin.take().expect("a pipe");
    let mut output = BufReader::new(program.stdout.take().expect("a pipe"));
    input.write_all(b"type,time\nA,1\nB,2\n").expect("written");
    let mut line = String::new();
    output.read_line(&mut line).expect("a match");
    assert!(line.contains("\"a\":[0],\"b\":[1]"), "{line}");
    drop(input);
    assert!(program.wait().expect("an end").success());
}

#[test]
fn a_closed_output_is_no_fault() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_nfab"))
        .args(["PATTERN SEQ(A a)"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    drop(program.stdout.take());
    let mut input = program.stdin.take().expect("a pipe");
    let _ = input.write_all(events(&"A".repeat(200_000)).as_bytes());
    drop(input);
    let output = program.wait_with_output().expect("an end");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let run = nfab(&[QUERY, "events.csv", "-o", "/dev/full"], "");
    assert_eq!((run.code, &*run.out), (2, ""));
    insta::assert_snapshot!(run.err, @"error: cannot write to /dev/full: No space left on device");
}

/// Memory does not grow with the length of the input.
#[cfg(target_os = "linux")]
#[test]
fn long_inputs_need_no_more_memory() {
    let peak = |events: usize| -> u64 {
        let mut program = Command::new(env!("CARGO_BIN_EXE_nfab"))
            .args(["PATTERN SEQ(A a, B b) WHERE { [user] } WITHIN 10 ms", "--count"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut input = program.stdin.take().expect("a pipe");
        let mut text = b"type,time,user\n".to_vec();
        for i in 0..events {
            let event_type = if i % 3 == 0 { 'A' } else { 'B' };
            let _ = writeln!(text, "{event_type},{i},u{}", i % 7);
        }
        input.write_all(&text).expect("written");
        // All but the end was read when the pipe is empty; the program still runs.
        let status = std::fs::read_to_string(format!("/proc/{}/status", program.id()));
        let status = status.expect("the state of the program");
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
        let peak = line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).expect("kB");
        drop(input);
        assert!(program.wait().expect("an end").success());
        peak
    };
    let (short, long) = (peak(100_000), peak(1_000_000));
    assert!(long < short + 4096, "{short} kB, {long} kB");
}
