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

#[test]
fn a_whole_process_does_one_job_over_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("auctions.xml");
    let auction = "<open_auction><bidder/><bidder/><x/><bidder/></open_auction>";
    std::fs::write(&file, format!("<site>{auction}{auction}</site>")).unwrap();
    let count = |job: &str| {
        let output = harness().args(["whole", "rpdt-scanner", job]).arg(&file).assert().success();
        String::from_utf8_lossy(&output.get_output().stdout).trim().parse::<u64>().unwrap()
    };
    assert_eq!(count("R2"), 4, "runs of bidders, one for each start that follows no other");
    assert_eq!(count("loop"), 2 * 6 + 2, "start tags, end tags and empty elements");
    harness().args(["whole", "rpdt-scanner", "R99"]).arg(&file).assert().code(2);
    harness().args(["whole", "rpdt-fig6", "R2"]).arg(&file).assert().code(2);
}

#[cfg(unix)]
#[test]
fn the_time_of_children_is_counted_when_they_have_ended() {
    let time = || bench_harness::measure::process::children().expect("the system tells");
    let before = time();
    harness().arg("list").assert().success();
    assert!(time() > before);
}
