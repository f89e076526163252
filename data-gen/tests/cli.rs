//! The program, as a shell sees it.

#![cfg(feature = "cli")]

use assert_cmd::Command;
use data_gen::Manifest;
use data_gen::xml::{TreebankOptions, XmlKind};
use std::fs;
use std::io::Read;
use std::process::Stdio;

fn data_gen(arguments: &[&str]) -> std::process::Output {
    Command::cargo_bin("data-gen").unwrap().args(arguments).output().unwrap()
}

fn stderr(output: &std::process::Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn the_standard_output_gets_the_document_and_the_standard_error_the_seed() {
    let mut document = Vec::new();
    let kind = XmlKind::Treebank(TreebankOptions::new(20));
    kind.generate(1, &mut document).unwrap();
    for arguments in [
        ["treebank", "--sentences", "20"].as_slice(),
        &["treebank", "--sentences=20", "-o", "-"],
        &["--seed", "1", "treebank", "--sentences=20"],
    ] {
        let output = data_gen(arguments);
        assert!(output.status.success());
        assert!(output.stdout == document);
        assert_eq!(stderr(&output), "data-gen: treebank, seed 1\n");
    }
    let other = data_gen(&["treebank", "--sentences", "20", "--seed", "2"]);
    assert!(other.status.success() && other.stdout != document);
    assert_eq!(stderr(&other), "data-gen: treebank, seed 2\n");
}

#[test]
fn a_file_gets_a_manifest() {
    let directory = tempfile::tempdir().unwrap();
    for (name, arguments) in [
        ("xmark", ["xmark", "--factor", "0.002"].as_slice()),
        ("dblp", &["dblp", "--records", "50", "--plain"]),
        ("dblp-size", &["dblp", "--size", "100kB"]),
        ("treebank", &["treebank", "--scale", "0.001"]),
        ("random", &["random-tree", "--elements", "30", "--names", "p,q", "--comments", "0.5"]),
        ("deep", &["random-tree", "--shape", "deep", "--elements", "300"]),
    ] {
        let path = directory.path().join(name);
        let path_text = path.to_str().unwrap();
        let output = data_gen(&[arguments, &["-o", path_text, "--seed", "9"]].concat());
        let told = stderr(&output);
        assert!(output.status.success(), "{told}");
        assert!(output.stdout.is_empty());
        let manifest = Manifest::read(&path).unwrap();
        manifest.verify(&path).unwrap();
        assert_eq!(manifest.seed, 9);
        assert!(told.contains("seed 9") && told.contains(&manifest.sha256), "{told}");
    }
    let size = fs::metadata(directory.path().join("dblp-size")).unwrap().len();
    assert!((85_000..115_000).contains(&size), "{size}");
    let random = fs::read_to_string(directory.path().join("random")).unwrap();
    assert!(random.contains("<p") && !random.contains("<e") && random.contains("<!--"));
    assert_eq!(Manifest::read(&directory.path().join("deep")).unwrap().facts.max_depth, 300);
}

#[test]
fn wrong_usage_ends_with_2_and_says_what_is_wrong() {
    for (arguments, told) in [
        (["xmark", "--factor", "-1"].as_slice(), "--factor"),
        (&["xmark", "--factor", "0"], "greater than 0"),
        (&["xmark", "--factor", "1e9"], "the factor must be in"),
        (&["dblp", "--records", "0"], "--records"),
        (&["dblp", "--records", "5", "--scale", "2"], "cannot be used with"),
        (&["dblp", "--size", "5parsecs"], "unknown unit"),
        (&["random-tree", "--comments", "2"], "'--comments <P>': expected a number from 0 to 1"),
        (&["random-tree", "--elements", "many"], "'--elements <N>': expected a whole number"),
        (&["xmark", "--factor", "big"], "'--factor <F>': expected a number greater than 0"),
        (&["xmark", "--seed", "-1"], "--seed"),
        (&["xmark", "--seed", "x"], "'--seed <N>': expected a whole number"),
        (&["treebank", "--size", "MB"], "'--size <BYTES>': expected a number of bytes"),
        (&["treebank", "--size", "large"], "expected a number of bytes"),
        (
            &["random-tree", "--shape", "deep", "--comments", "0.5"],
            "--comments says nothing about --shape deep; it is for random",
        ),
        (
            &["random-tree", "--shape", "long-text", "--elements", "5"],
            "it is for random, deep, wide, many-attributes",
        ),
        (&["random-tree", "--shape", "round"], "round"),
        (&["novel"], "novel"),
        (&[], "Usage"),
    ] {
        let output = data_gen(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(told), "{arguments:?}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn help_has_examples() {
    for arguments in [["--help"].as_slice(), &["xmark", "--help"]] {
        let output = data_gen(arguments);
        assert!(output.status.success());
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(help.contains("Examples:") && help.contains("--seed"), "{help}");
    }
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("none/site.xml");
    let output = data_gen(&["xmark", "--factor", "0.001", "-o", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("none/site.xml: "), "{}", stderr(&output));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_with_2() {
    let output = data_gen(&["xmark", "--factor", "0.01", "-o", "/dev/full"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot write /dev/full: No space left"));

    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let program = assert_cmd::cargo::cargo_bin("data-gen");
    let output = std::process::Command::new(program)
        .args(["xmark", "--factor", "0.01"])
        .stdout(Stdio::from(full))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot write to the standard output: No space left"));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let program = assert_cmd::cargo::cargo_bin("data-gen");
    let mut child = std::process::Command::new(program)
        .args(["treebank"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 100];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    // The pipe is closed now, long before all is written.
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(stderr(&output), "data-gen: treebank, seed 1\n");
}
