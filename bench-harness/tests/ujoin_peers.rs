//! ujoin against its peers, without what has to be fetched.

use std::process::{Command, ExitCode};

use bench_harness::cli;
use bench_harness::experiment::Registry;
use bench_harness::peer::join::workload::WORKLOADS;
use bench_harness::peer::join::{Peer, duckdb};
use bench_harness::progress::Progress;
use bench_harness::record::Row;

fn call(arguments: &[&str]) -> (ExitCode, String) {
    let mut out = Vec::new();
    let arguments = ["bench-harness", "compare", "ujoin"].iter().chain(arguments).copied();
    let code = cli::run(&Registry::default(), arguments, &mut out, &Progress::silent());
    (code, String::from_utf8(out).unwrap())
}

#[test]
fn mistakes_in_the_call_exit_with_2() {
    for arguments in [
        &["--peers", "flink"][..],
        &["--only", "strict"],
        &["--input", "sightings.csv"],
        &["--events", "0"],
    ] {
        assert_eq!(call(arguments).0, ExitCode::from(2), "{arguments:?}");
    }
}

#[test]
fn all_that_is_built_in_finds_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().to_str().unwrap();
    let only = ["uniform-30", "traffic-60"];
    let (code, out) =
        call(&["--data", data, "--events", "2000", "--rounds", "1", "--only", &only.join(",")]);
    assert_eq!(code, ExitCode::SUCCESS);
    let rows: Vec<Row> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for workload in only {
        let of = |series: &str| {
            let mut rows = rows.iter().filter(|row| row.x == workload.into());
            rows.find(|row| row.series == series).map(|row| row.value)
        };
        let own = of("ujoin, matches").unwrap();
        let built_in = Peer::ALL.iter().filter(|peer| peer.way().is_some());
        for peer in built_in {
            assert_eq!(of(&format!("{peer}, matches")), Some(own), "{workload}");
            assert!(of(&format!("{peer}, CPU time")).is_some(), "{peer} on {workload}");
        }
        assert_eq!(of("duckdb, matches"), None);
    }
    assert!(rows.iter().any(|row| row.series == "ujoin, matches" && row.value > 10.0));
}

#[test]
fn duckdb_is_skipped_until_it_is_fetched() {
    let directory = tempfile::tempdir().unwrap();
    let load = WORKLOADS[0].generate(100, 1).unwrap();
    let file = directory.path().join("tuples.csv");
    let message = duckdb(directory.path(), &load, &file).unwrap_err();
    assert!(message.starts_with("duckdb is skipped: there is no "), "{message}");
    assert!(message.contains("fetch.sh"), "{message}");
    let home = directory.path().join("duckdb");
    std::fs::create_dir(&home).unwrap();
    std::fs::write(home.join("duckdb_peer.py"), "").unwrap();
    let command: Command = duckdb(directory.path(), &load, &file).unwrap();
    let arguments: Vec<_> = command.get_args().map(|one| one.to_string_lossy()).collect();
    assert_eq!(arguments[1..3], ["3600", "700000000000000000"]);
}
