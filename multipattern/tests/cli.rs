//! The program: its output, its messages and its exit codes.
#![cfg(feature = "cli")]

use std::fmt::Write as _;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/cli");

struct Run {
    code: i32,
    out: String,
    err: String,
}

fn run(arguments: &[&str], input: &str) -> Run {
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_multipattern"))
        .args(arguments)
        .current_dir(DATA)
        .write_stdin(input)
        .output()
        .expect("the program runs");
    Run {
        code: output.status.code().expect("no signal"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// A run as it would look on a terminal: input, command, output, messages, exit code.
fn transcript(all: &mut String, arguments: &[&str], input: &str) {
    let run = run(arguments, input);
    for line in input.lines() {
        let _ = writeln!(all, "# {line}");
    }
    let _ = writeln!(all, "$ multipattern {}", arguments.join(" "));
    let _ = writeln!(all, "{}{}[{}]\n", run.out, run.err, run.code);
}

#[test]
fn matches_and_counts() {
    let mut all = String::new();
    let detect = ["detect", "-p", "patterns.txt"];
    let with = |more: &[&'static str]| [&detect[..], more].concat();
    transcript(&mut all, &with(&["events.csv"]), "");
    transcript(&mut all, &with(&["events.jsonl", "--semantics", "next"]), "");
    transcript(&mut all, &with(&["events.jsonl", "--semantics", "strict", "--count"]), "");
    transcript(&mut all, &with(&["events.csv", "--count"]), "");
    transcript(&mut all, &with(&["events.csv", "--partition-by", "tag"]), "");
    transcript(&mut all, &["detect", "-p", "-", "events.csv"], "x: SEQ(Paint, Idle)");
    transcript(&mut all, &["detect", "-p", "never.txt"], "type,v\nA,1\nB,2\nC,3\n");
    transcript(&mut all, &["detect", "-p", "never.txt", "-"], "{\"type\":\"A\"}\n");
    insta::assert_snapshot!("matches", all);
}

#[test]
fn messages() {
    let mut all = String::new();
    let mut detect = |patterns: &str, more: &[&str], input: &str| {
        transcript(&mut all, &[&["detect", "-p", patterns], more].concat(), input);
    };
    detect("missing.txt", &[], "");
    detect("bad.txt", &[], "");
    detect("twice.txt", &[], "");
    detect("empty.txt", &[], "");
    detect("never.txt", &["missing.csv"], "");
    detect("never.txt", &["--type-column", "kind"], "type,v\nA,1\n");
    detect("never.txt", &[], "type,v\nA,1,2\n");
    detect("never.txt", &[], "type,v,v\nA,1,2\n");
    detect("never.txt", &[], "type,v\n,1\n");
    detect("never.txt", &[], "{\"type\":\"A\"}\n{\"kind\":\"A\"}\n");
    detect("never.txt", &[], "{\"type\":\"A\"}\nnonsense\n");
    detect("patterns.txt", &[], "type,tag\nWeld,1\n");
    detect("patterns.txt", &[], "type,tag,time\nWeld,1,noon\n");
    detect("patterns.txt", &[], "type,tag,time\nWeld,1,2\nCheck,1,1\n");
    detect("patterns.txt", &[], "{\"type\":\"Weld\",\"time\":1,\"tag\":[1]}\n");
    detect("-", &[], "");
    transcript(&mut all, &["plan", "-p", "never.txt", "--explain", "abc"], "");
    insta::assert_snapshot!("messages", all);
}

#[test]
fn plans() {
    let mut all = String::new();
    let plan = ["plan", "-p", "paper.txt", "--method"];
    transcript(&mut all, &[&plan[..], &["all"]].concat(), "");
    let json = run(&[&plan[..], &["all", "--format", "json"]].concat(), "");
    assert_eq!((json.code, json.err.as_str()), (0, ""));
    let lines: Vec<serde_json::Value> =
        json.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let order = ["method", "states", "edges", "shared_nodes", "rules", "cost"];
    for line in json.out.lines() {
        let places = order.map(|key| line.find(&format!("\"{key}\":")).expect(key));
        assert!(line.starts_with("{\"method\":") && places.is_sorted(), "{line}");
    }
    let counts: Vec<_> = lines
        .iter()
        .map(|line| {
            let number = |key: &str| line[key].as_u64().expect(key);
            (line["method"].as_str().expect("a name"), number("states"), number("edges"))
        })
        .collect();
    let expected =
        [("single", 18, 14), ("optimized", 18, 14), ("sharing", 10, 12), ("proposed", 8, 10)];
    assert_eq!(counts, expected);
    assert!(lines.iter().all(|line| line["shared_nodes"].is_u64()
        && line["rules"].is_u64()
        && line["cost"].is_f64()));
    let dot = run(&["plan", "-p", "paper.txt", "--dot"], "");
    assert!(dot.code == 0 && dot.out.starts_with("digraph"), "{}", dot.out);
    let explained = run(&["plan", "-p", "paper.txt", "--explain", "SEQ3"], "");
    assert!(explained.code == 0 && explained.out.contains('→') || explained.out.contains("->"));
}

#[test]
fn all_methods_print_the_same() {
    let first = run(&["detect", "-p", "patterns.txt", "events.csv"], "");
    assert_eq!(first.code, 0);
    for method in ["single", "optimized", "sharing", "proposed"] {
        let arguments =
            ["detect", "-p", "patterns.txt", "events.csv", "--method", method, "--stats"];
        let other = run(&arguments, "");
        assert_eq!(other.out, first.out, "{method}");
        let stats: serde_json::Value = serde_json::from_str(other.err.trim()).expect("JSON");
        assert_eq!(stats["events"], 6);
        assert_eq!(stats["instances_created"].as_u64() > Some(0), method == "single");
        assert_eq!(stats["nodes"].as_u64() > Some(0), method != "single");
    }
}

#[test]
fn help_names_everything() {
    let help = run(&["detect", "--help"], "");
    assert_eq!(help.code, 0);
    for word in ["--method", "--semantics", "--partition-by", "WITHIN 5 min", "Exit codes"] {
        assert!(help.out.contains(word), "{word}");
    }
    for word in ["--max-partitions <N>", "N:drop-oldest", "30342578E0194400000001234"] {
        assert!(help.out.contains(word), "{word}");
    }
    // No paragraph was wrapped once more.
    let is_word = |line: &&str| !line.is_empty() && line.bytes().all(|b| b.is_ascii_lowercase());
    assert_eq!(help.out.lines().find(|line| is_word(&line.trim())), None);
    assert_eq!(run(&["plan", "--help"], "").code, 0);
    assert!(run(&["--help"], "").out.contains("Examples:"));
    assert_eq!(run(&["detect"], "").code, 2);
}

/// What cannot be printed was not said.
#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error() {
    let plan = ["plan", "-p", "patterns.txt", "--method", "all"];
    for arguments in [&["--help"][..], &["-h"], &["--version"], &["help"], &["help", "plan"], &plan]
    {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_multipattern"))
            .args(arguments)
            .current_dir(DATA)
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
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_multipattern"))
        .arg("--help")
        .stdout(writer)
        .output()
        .expect("the program runs");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
