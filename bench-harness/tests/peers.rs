//! nfab against its peers, without a peer: neither network nor Java is needed here.

use std::cell::Cell;
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

use bench_harness::cli;
use bench_harness::experiment::Registry;
use bench_harness::peer::own::Own;
use bench_harness::peer::rounds::{Contender, Measured, Outcome, Times, WARM_UP, measure};
use bench_harness::peer::table::{Common, judge, rows, table};
use bench_harness::peer::workload::{WORKLOADS, write_csv};
use bench_harness::peer::{Answer, Peer, Round, Runner};
use bench_harness::progress::Progress;
use bench_harness::record::{Row, Verdict};
use bench_harness::{ErrorKind, Result};

fn call(arguments: &[&str]) -> (ExitCode, String) {
    let mut out = Vec::new();
    let arguments = ["bench-harness", "compare"].iter().chain(arguments).copied();
    let code = cli::run(&Registry::default(), arguments, &mut out, &Progress::silent());
    (code, String::from_utf8(out).unwrap())
}

#[test]
fn mistakes_in_the_call_exit_with_2() {
    for arguments in [
        &[][..],
        &["no-such-engine"],
        &["nfab", "--peers", "no-such-peer"],
        &["nfab", "--peers", "flink,no-such-peer"],
        &["nfab", "--only", "no-such-workload"],
        &["nfab", "--rounds", "0"],
        &["nfab", "--events", "0"],
        &["nfab", "--events", "many"],
        &["nfab", "--input", "events.csv"],
    ] {
        assert_eq!(call(arguments).0, ExitCode::from(2), "{arguments:?}");
    }
}

#[test]
fn without_peers_nfab_runs_alone() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().to_str().unwrap();
    let only = ["--only", "strict,rising", "--events", "500", "--rounds", "1"];
    let (code, out) = call(&[&["nfab", "--data", data, "--out", data][..], &only].concat());
    assert_eq!(code, ExitCode::SUCCESS);
    let rows: Vec<Row> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let series: Vec<&str> = rows.iter().map(|row| row.series.as_str()).collect();
    let nfab = ["nfab, matches", "nfab, CPU time", "nfab, wall time"];
    assert_eq!(series, [nfab, nfab].concat());
    let file = std::fs::read_to_string(directory.path().join("results.jsonl")).unwrap();
    assert_eq!(file, out);
}

#[test]
fn a_missing_peer_says_how_to_get_it() {
    for peer in Peer::ALL {
        let missing = peer
            .command(Path::new("/no/such/place"), &WORKLOADS[0], Path::new("events.csv"))
            .unwrap_err();
        // The job comes with the NFA.
        let name = if peer == Peer::FlinkPipeline { "flink" } else { peer.name() };
        let wanted = format!("`bench-harness/peers/fetch.sh /no/such/place {name}`");
        assert!(missing.starts_with(&format!("{peer} is skipped")), "{missing}");
        assert!(missing.contains(&wanted), "{missing}");
    }
}

/// Takes a fixed time, and answers what it is told to.
struct Fixed {
    name: &'static str,
    seconds: f64,
    matches: u64,
    /// From this round on it finds one match more.
    changes: u32,
    rounds: Rc<Cell<u32>>,
}

impl Fixed {
    fn new(name: &'static str, seconds: f64, matches: u64) -> Self {
        Self { name, seconds, matches, changes: u32::MAX, rounds: Rc::default() }
    }
}

impl Runner for Fixed {
    fn name(&self) -> &str {
        self.name
    }

    fn round(&mut self) -> Result<Round> {
        self.rounds.set(self.rounds.get() + 1);
        let matches = self.matches + u64::from(self.rounds.get() > self.changes);
        let answer = Answer { matches, timeouts: 0, digest: matches };
        Ok(Round { wall: self.seconds, cpu: self.seconds / 2.0, answer })
    }
}

fn contender(runner: Fixed, known_to_differ: Option<&'static str>) -> Contender {
    Contender { runner: Box::new(runner), known_to_differ }
}

fn measured(rounds: u32, contenders: &mut [Contender]) -> Measured {
    let mut own = Fixed::new("nfab", 0.5, 42);
    let (answer, own, peers) = measure(&mut own, contenders, rounds, &Progress::silent()).unwrap();
    let sha256 = "0".repeat(64);
    let (engine, workload, events, cases) = ("nfab", "strict", 1_000_000, Vec::new());
    Measured { engine, workload, events, sha256, answer, own, peers, cases }
}

#[test]
fn only_equal_answers_get_times() {
    let runners = [
        Fixed::new("flink", 15.0, 42),
        Fixed::new("varpulis", 1.0, 41),
        Fixed::new("wrong", 1.0, 43),
    ];
    let counts = [0, 1, 2].map(|at| Rc::clone(&runners[at].rounds));
    let [equal, known, wrong] = runners;
    let mut contenders =
        [contender(equal, None), contender(known, Some("as it does")), contender(wrong, None)];
    let measured = measured(7, &mut contenders);
    assert_eq!(counts.map(|count| count.get()), [WARM_UP + 7, 1, 1]);
    let [(_, Outcome::Equal(times)), (_, Outcome::Differs { .. }), (_, Outcome::Wrong(_))] =
        measured.peers.as_slice()
    else {
        panic!("{:?}", measured.peers);
    };
    assert_eq!(*times, Times { wall: vec![15.0; 7], cpu: vec![7.5; 7] });
    let errors: Vec<_> = measured.wrong().collect();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].kind(), ErrorKind::Disagreement);
    assert_eq!(errors[0].exit_code(), 1);

    let common = Common { seed: 5, machine: "a machine; scale tiny".to_owned() };
    let rows: Vec<_> = rows(&measured, &common)
        .into_iter()
        .map(|row| (row.series, row.value, row.unit, row.n))
        .collect();
    let expected = [
        ("nfab, matches", 42.0, "matches", 1),
        ("nfab, CPU time", 250.0, "ns/event", 7),
        ("nfab, wall time", 500.0, "ns/event", 7),
        ("flink, matches", 42.0, "matches", 1),
        ("flink, CPU time", 7_500.0, "ns/event", 7),
        ("flink, wall time", 15_000.0, "ns/event", 7),
        ("flink / nfab, CPU time", 30.0, "ratio", 7),
        ("flink / nfab, wall time", 30.0, "ratio", 7),
        ("varpulis, matches", 41.0, "matches", 1),
        ("wrong, matches", 43.0, "matches", 1),
    ]
    .map(|(series, value, unit, n)| (series.to_owned(), value, unit.to_owned(), n));
    assert_eq!(rows, expected);

    let text = table(&[measured]);
    let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split_whitespace().collect()).collect();
    assert_eq!(
        lines[1][5..].join(" "),
        "flink 7500 ns 30.0 x [30.0, 30.0] 30.0 x [30.0, 30.0]",
        "{text}"
    );
    assert_eq!(lines[2][5..], ["varpulis", "differs"], "{text}");
    assert_eq!(lines[3][5..], ["wrong", "differs"], "{text}");
    assert!(lines[4].starts_with(&["varpulis", "on", "strict", "finds", "41"]), "{text}");
    assert!(text.contains("; as it does\n") && text.contains(" and should not\n"), "{text}");
}

#[test]
fn an_engine_that_changes_its_answer_fails() {
    let mut own = Fixed::new("nfab", 0.5, 42);
    let fickle = Fixed { changes: 4, ..Fixed::new("flink", 1.0, 42) };
    let mut contenders = [contender(fickle, None)];
    let error = measure(&mut own, &mut contenders, 7, &Progress::silent()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Disagreement);
}

#[test]
fn the_aim_is_judged_by_the_lower_end_from_long_rounds() {
    let verdict = |seconds: f64, matches: u64, rounds: u32| {
        let flink = Fixed::new("flink", seconds, matches);
        let measured = measured(rounds, &mut [contender(flink, None)]);
        let some = judge(std::slice::from_ref(&measured)).map(|judgement| judgement.verdict);
        assert!(some.is_none_or(|verdict| verdict == Verdict::CannotBeJudged));
        let all = vec![measured; WORKLOADS.len()];
        judge(&all).map(|judgement| judgement.verdict)
    };
    assert_eq!(verdict(10.0, 42, 6), Some(Verdict::Holds));
    assert_eq!(verdict(9.9, 42, 6), Some(Verdict::DoesNotHold));
    assert_eq!(verdict(10.0, 42, 5), Some(Verdict::CannotBeJudged));
    assert_eq!(verdict(0.2, 42, 6), Some(Verdict::CannotBeJudged));
    // No time, no verdict.
    assert_eq!(verdict(10.0, 41, 6), None);
    assert!(judge(&[measured(6, &mut [])]).is_none());
}

/// What Flink CEP 2.3.0 finds, obtained with `bench-harness/peers/flink`.
#[test]
fn nfab_finds_what_flink_found() {
    let expected = [
        ("strict", 2_000, 9, 0, 0xb6a4_95c3_c74a_95f1),
        ("relaxed", 2_000, 119, 0, 0x3536_08d2_d615_894d),
        ("rising", 2_000, 279, 0, 0xec6a_f9c6_52f6_e924),
        ("any-sequence", 2_000, 973, 0, 0xd536_d06a_7a77_86d3),
        ("any-loop", 2_000, 3_022, 0, 0x6aa9_7cf7_cabf_1bc2),
        ("keyed", 20_000, 447, 0, 0x68e1_66ad_f539_010e),
        ("timeouts", 2_000, 47, 453, 0x3f18_4433_6d7b_f47a),
    ];
    for (workload, (name, events, matches, timeouts, digest)) in WORKLOADS.iter().zip(expected) {
        assert_eq!(workload.name, name);
        let ticks = workload.generate(events, 1);
        let round = Own::new(workload, &ticks).unwrap().round().unwrap();
        assert_eq!(round.answer, Answer { matches, timeouts, digest }, "{name}");
    }
}

#[test]
fn the_peers_read_what_nfab_reads() {
    let ticks = WORKLOADS[0].generate(3, 1);
    let mut text = Vec::new();
    write_csv(&ticks, &mut text).unwrap();
    assert_eq!(
        String::from_utf8(text).unwrap(),
        "type,time,key,price,volume\nb,0,0,546,913\nd,1,0,546,324\nd,2,0,549,812\n"
    );
}

/// A peer is any program that follows the protocol.
#[cfg(unix)]
mod process {
    use std::process::Command;

    use bench_harness::peer::process::Process;

    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script);
        command
    }

    #[test]
    fn each_line_is_a_round() {
        let script = r#"
            echo '{"events":3}'
            while read -r _; do
                echo '{"ns":2000000000,"cpu_ns":1000000000,"matches":2,"timeouts":1,"digest":"ff"}'
            done"#;
        let mut peer = Process::start("peer", &mut shell(script), 3).unwrap();
        assert_eq!(peer.name(), "peer");
        let answer = Answer { matches: 2, timeouts: 1, digest: 255 };
        for _ in 0..3 {
            assert_eq!(peer.round().unwrap(), Round { wall: 2.0, cpu: 1.0, answer });
        }
    }

    #[test]
    fn a_wrong_answer_fails_the_command_unless_it_is_known() {
        use std::os::unix::fs::PermissionsExt;

        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().join("varpulis");
        let program = home.join("varpulis-peer");
        std::fs::create_dir(&home).unwrap();
        let script = r#"#!/bin/sh
            echo '{"events":500}'
            while read -r _; do
                echo '{"ns":1,"cpu_ns":1,"matches":1000000,"timeouts":0,"digest":"0"}'
            done"#;
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let directory = directory.path().to_str().unwrap();
        for (workload, code) in [("strict", ExitCode::from(1)), ("any-loop", ExitCode::SUCCESS)] {
            let (exit, out) = call(&[
                "nfab",
                "--peers",
                "varpulis",
                "--only",
                workload,
                "--events",
                "500",
                "--rounds",
                "1",
                "--data",
                directory,
                "--peer-dir",
                directory,
            ]);
            assert_eq!(exit, code, "{workload}");
            // What it found is in the rows; its times are not.
            assert!(out.contains("varpulis, matches") && !out.contains("varpulis, wall"), "{out}");
        }
    }

    #[test]
    fn what_goes_wrong_is_said() {
        let message =
            |script: &str, events| match Process::start("peer", &mut shell(script), events) {
                Ok(mut peer) => peer.round().unwrap_err().to_string(),
                Err(error) => error.to_string(),
            };
        assert!(message("exit 1", 3).contains("ended early"));
        assert!(message(r#"echo '{"events":2}'"#, 3).contains("read 2 events instead of 3"));
        assert!(message("echo nonsense", 3).contains("nonsense"));
        // The first request may find the peer gone, or its answer missing.
        let gone = message(r#"echo '{"events":3}'; exec <&-; sleep 1"#, 3);
        assert!(gone.contains("ended early") || gone.contains("cannot ask"), "{gone}");
        let error = Process::start("peer", &mut Command::new("/no/such/program"), 3).unwrap_err();
        assert!(error.to_string().contains("cannot start peer"), "{error}");
    }
}
