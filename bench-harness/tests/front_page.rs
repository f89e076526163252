//! The shell examples of the project's front page print what they show, but for times and the machine.
#![cfg(unix)]

use std::fmt::Write as _;
use std::process::Command;

const FRONT: &str = include_str!("../../README.md");
const PROGRAM: &str = "target/release/bench-harness ";

/// The commands of an example, with what is shown of each.
fn commands(example: &str) -> Vec<(String, String)> {
    let parts = example.split("$ ").skip(1);
    let parts = parts.map(|part| part.split_once('\n').expect("a command ends"));
    parts.map(|(command, shown)| (command.to_owned(), shown.to_owned())).collect()
}

/// A text without what differs from run to run: the machine, times and the ratios of times.
fn steady(text: &str) -> String {
    let mut steady = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if line.starts_with("this is not a release build") {
            continue; // What the README shows is one, the tests' program is not.
        }
        let _ = match words[..] {
            _ if line.contains("; scale ") => {
                let options = line.split_once("; scale ").expect("it is there").1;
                writeln!(steady, "scale {options}")
            }
            [id, "done", "in", _, "s"] => writeln!(steady, "{id} done"),
            ["took", _, "s"] => writeln!(steady, "took"),
            // A row of the table: workload, events, matches, time, its unit, peer.
            [a, b, c, _, "ns", peer, ..] => {
                writeln!(steady, "{a} {b} {c} {peer} of {}", words.len())
            }
            _ => writeln!(steady, "{}", words.join(" ")),
        };
    }
    steady
}

#[test]
fn the_front_page_shows_what_is_printed() {
    let blocks = FRONT.split("```console\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().expect("the end of an example"));
    let ours: Vec<&str> = blocks.filter(|block| block.contains(PROGRAM)).collect();
    assert_eq!(ours.len(), 2, "one that reproduces, one that compares");
    let directory = tempfile::tempdir().expect("a directory");
    let program = format!("'{}' ", env!("CARGO_BIN_EXE_bench-harness"));
    for (command, shown) in ours.iter().flat_map(|example| commands(example)) {
        let output = Command::new("sh")
            .args(["-c", &command.replace(PROGRAM, &program)])
            .current_dir(directory.path())
            .output()
            .expect("a shell");
        assert!(output.status.success(), "{command}: {output:?}");
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8(printed).expect("UTF-8");
        assert_eq!(steady(&printed), steady(&shown), "{command} prints\n{printed}");
    }
    let page = directory.path().join("report/index.html");
    assert!(page.exists() && directory.path().join("rows.jsonl").exists());
}
