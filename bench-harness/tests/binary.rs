//! The two binaries as a user starts them.

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;

fn harness() -> Command {
    cargo_bin_cmd!("bench-harness")
}

#[test]
fn help_and_version_succeed() {
    for argument in ["--help", "--version"] {
        harness().arg(argument).assert().code(0);
    }
    harness().args(["reproduce", "--help"]).assert().code(0);
}

#[test]
fn usage_errors_exit_with_2() {
    harness().assert().code(2);
    harness().args(["run", "no-such-experiment"]).assert().code(2);
    harness().args(["reproduce", "--scale", "enormous"]).assert().code(2);
    harness().args(["report", "--from", "/no/such/place"]).assert().code(2);
}

#[test]
fn the_list_is_what_run_accepts() {
    let output = harness().arg("list").output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().all(|line| !line.contains(' ')), "{text}");
}

#[test]
fn the_memory_binary_refuses_what_it_does_not_know() {
    cargo_bin_cmd!("bench-harness-memory").args(["no-such-experiment", "probe"]).assert().code(2);
}
