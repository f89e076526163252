//! The shell examples of the crate's README and of the workspace's print what they show.
#![cfg(all(feature = "cli", unix))]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use data_gen::file;
use data_gen::xml::{XmarkOptions, XmlKind};

const README: &str = include_str!("../../README.md");
const OURS: &str = include_str!("../README.md");

/// What is between "```console" and "```", but for examples of other engines, which test their own.
fn examples() -> Vec<&'static str> {
    let blocks = README.split("```console\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().expect("the end of an example"));
    let others = ["nfab", "multipattern", "ujoin", "bench-harness"];
    let others = others.map(|other| format!("$ target/release/{other} "));
    blocks.filter(|block| !others.iter().any(|other| block.contains(other))).collect()
}

/// The commands of an example, continued lines included.
fn commands(example: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut lines = example.lines();
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("$ ") else { continue };
        let mut command = command.to_owned();
        while command.ends_with('\\') {
            command.push('\n');
            command.push_str(lines.next().expect("a continued line"));
        }
        commands.push(command);
    }
    commands
}

/// What the generator's program does; it is another crate's, so it may not have been built.
fn generate(arguments: &str, directory: &Path) -> String {
    let words: Vec<_> = arguments.split_whitespace().collect();
    let ["xmark", "--factor", factor, "-o", name] = words[..] else {
        panic!("this test does not know `data-gen {arguments}`");
    };
    let kind = XmlKind::Xmark(XmarkOptions::new(factor.parse().expect("a factor")));
    let path = directory.join(name);
    let manifest = file::generate(&path, &kind, 1, &mut |_| {}).expect("the document");
    let facts = manifest.facts;
    format!(
        "data-gen: xmark, seed 1\ndata-gen: {name}: {} bytes, {} elements, {} attributes, \
         depth {}, SHA-256 {}\n",
        facts.bytes, facts.elements, facts.attributes, facts.max_depth, manifest.sha256
    )
}

fn run(command: &str, directory: &Path) -> String {
    if let Some(arguments) = command.strip_prefix("target/release/data-gen ") {
        return generate(arguments, directory);
    }
    let program = format!("'{}' ", env!("CARGO_BIN_EXE_rpdt"));
    let output = Command::new("sh")
        .args(["-c", &command.replace("target/release/rpdt ", &program)])
        .current_dir(directory)
        .output()
        .expect("a shell");
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).expect("UTF-8")
}

#[test]
fn examples_print_what_is_shown() {
    let directory = tempfile::tempdir().expect("a directory");
    assert!(!examples().is_empty());
    for example in examples() {
        let mut ours = String::new();
        for command in commands(example) {
            let _ = write!(ours, "$ {command}\n{}", run(&command, directory.path()));
        }
        assert_eq!(ours, example, "the README should show:\n{ours}");
    }
}

#[test]
fn the_crate_s_readme_shows_what_is_printed() {
    let blocks: Vec<&str> = OURS.split("```console\n").skip(1).collect();
    assert!(!blocks.is_empty());
    for block in blocks {
        let example = block.split("```").next().expect("the end of an example");
        let directory = tempfile::tempdir().expect("a directory");
        let mut ours = String::new();
        for command in commands(example) {
            let _ = writeln!(ours, "$ {command}");
            if let Some(name) = command.strip_prefix("cat ") {
                let shown = example.split(&format!("$ cat {name}\n")).nth(1).expect("a file");
                let text: String = shown
                    .split_inclusive('\n')
                    .take_while(|line| !line.starts_with("$ "))
                    .collect();
                std::fs::write(directory.path().join(name), &text).expect("a file is written");
                ours += &text;
            } else {
                let command = command.replacen("rpdt ", "target/release/rpdt ", 1);
                ours += &run(&command, directory.path());
            }
        }
        assert_eq!(ours, example, "the README should show:\n{ours}");
    }
}
