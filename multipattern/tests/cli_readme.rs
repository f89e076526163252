//! The shell examples of the project's front page and of the crate's README print what they show.
#![cfg(all(feature = "cli", unix))]

use std::fmt::Write as _;
use std::process::Command;

const FRONT: &str = include_str!("../../README.md");
const OURS: &str = include_str!("../README.md");

/// What `cat` shows of a file in an example.
fn shown(example: &str, name: &str) -> String {
    let start = format!("$ cat {name}\n");
    let after = example.split(&start).nth(1).expect("the file is shown");
    after
        .lines()
        .take_while(|line| !line.starts_with("$ "))
        .fold(String::new(), |text, line| text + line + "\n")
}

/// The examples of a page that call the program by a name.
fn check(page: &str, program: &str, count: usize) {
    let call = format!("$ {program} ");
    let blocks = page.split("```console\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().expect("the end of an example"));
    let ours: Vec<&str> = blocks.filter(|block| block.contains(&call)).collect();
    assert_eq!(ours.len(), count);
    for example in ours {
        let directory = tempfile::tempdir().expect("a directory");
        let mut printed = String::new();
        for command in example.lines().filter_map(|line| line.strip_prefix("$ ")) {
            let _ = writeln!(printed, "$ {command}");
            if let Some(name) = command.strip_prefix("cat ") {
                let text = shown(example, name);
                std::fs::write(directory.path().join(name), &text).expect("written");
                printed += &text;
                continue;
            }
            let arguments = command.strip_prefix(&call[2..]).expect("ours");
            let output = Command::new(env!("CARGO_BIN_EXE_multipattern"))
                .args(arguments.split(' '))
                .current_dir(directory.path())
                .output()
                .expect("it runs");
            printed += &String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8");
        }
        assert_eq!(printed, example);
    }
}

#[test]
fn the_front_page_shows_what_is_printed() {
    check(FRONT, "target/release/multipattern", 2);
}

#[test]
fn the_readme_shows_what_is_printed() {
    check(OURS, "multipattern", 1);
}
