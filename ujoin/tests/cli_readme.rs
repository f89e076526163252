//! The shell examples of the README print what they show.
#![cfg(all(feature = "cli", unix))]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

const README: &str = include_str!("../README.md");
/// That of the whole project, which shows other programs, too.
const FRONT: &str = include_str!("../../README.md");

/// What is between "```console" and "```".
fn examples(readme: &str) -> Vec<&str> {
    let blocks = readme.split("```console\n").skip(1);
    blocks.map(|block| block.split("```").next().expect("the end of an example")).collect()
}

/// The commands of an example, continued lines included.
fn commands(example: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut lines = example.lines();
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("$ ") else { continue };
        let mut command = command.to_owned();
        // Inside of quotes a command goes on without a sign.
        while command.ends_with('\\') || command.matches('\'').count() % 2 == 1 {
            command.push('\n');
            command.push_str(lines.next().expect("a continued line"));
        }
        commands.push(command);
    }
    commands
}

/// What an example shows of a file is what is in it.
fn shown(example: &str, name: &str) -> String {
    let start = format!("$ cat {name}\n");
    let lines = example.split(&start).nth(1).expect("the file is shown").lines();
    lines
        .take_while(|line| !line.starts_with("$ "))
        .fold(String::new(), |text, line| text + line + "\n")
}

fn run(command: &str, directory: &Path) -> String {
    let program = format!("'{}' ", env!("CARGO_BIN_EXE_ujoin"));
    let command =
        match command.strip_prefix("target/release/").unwrap_or(command).strip_prefix("ujoin ") {
            Some(arguments) => program + arguments,
            None => command.to_owned(),
        };
    let output =
        Command::new("sh").args(["-c", &command]).current_dir(directory).output().expect("a shell");
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).expect("UTF-8")
}

fn check(example: &str) {
    let directory = tempfile::tempdir().expect("a directory");
    let mut ours = String::new();
    for command in commands(example) {
        if let Some(name) = command.strip_prefix("cat ") {
            let path = directory.path().join(name);
            std::fs::write(path, shown(example, name)).expect("written");
        }
        let _ = write!(ours, "$ {command}\n{}", run(&command, directory.path()));
    }
    assert_eq!(ours, example, "the README should show:\n{ours}");
}

#[test]
fn examples_print_what_is_shown() {
    let examples = examples(README);
    assert!(!examples.is_empty());
    for example in examples {
        check(example);
    }
}

#[test]
fn examples_of_the_front_page_print_what_is_shown() {
    let ours = |example: &&str| example.contains("$ target/release/ujoin ");
    for example in examples(FRONT).into_iter().filter(ours) {
        check(example);
    }
}
