//! multipattern against its peers; varpulis-sase, which is fetched, has a stand-in where it is needed.

use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

use bench_harness::baseline::join_dag::JoinDag;
use bench_harness::cli;
use bench_harness::experiment::{Registry, Scale};
use bench_harness::peer::multi::automata::Automaton;
use bench_harness::peer::multi::input::Input;
use bench_harness::peer::multi::others::Naive;
use bench_harness::peer::multi::own::Own;
use bench_harness::peer::multi::workload::{Load, WINDOW, WORKLOADS};
use bench_harness::peer::multi::{Peer, difference};
use bench_harness::peer::{Found, Runner};
use bench_harness::progress::Progress;
use bench_harness::record::Row;
use multipattern::{Method, Semantics};
use proptest::prelude::*;

fn call(arguments: &[&str]) -> (ExitCode, Vec<Row>) {
    let mut out = Vec::new();
    let arguments = ["bench-harness", "compare", "multipattern"].iter().chain(arguments).copied();
    let code = cli::run(&Registry::default(), arguments, &mut out, &Progress::silent());
    let text = String::from_utf8(out).unwrap();
    (code, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn series(rows: &[Row], workload: &str) -> Vec<String> {
    let of = |row: &&Row| row.x.to_string() == workload && row.series.ends_with("matches");
    rows.iter().filter(of).map(|row| row.series.clone()).collect()
}

#[test]
fn mistakes_in_the_call_exit_with_2() {
    for arguments in [
        &["--peers", "flink"][..],
        &["--peers", "single,no-such-peer"],
        &["--only", "strict"],
        &["--input", "/no/such/file.csv"],
        &["--rounds", "0"],
    ] {
        assert_eq!(call(arguments).0, ExitCode::from(2), "{arguments:?}");
    }
}

#[test]
fn each_semantics_has_its_peers_and_they_agree() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().to_str().unwrap();
    let only = "strict-40,next-40,any-40";
    let (code, rows) =
        call(&["--data", data, "--only", only, "--events", "150", "--rounds", "1", "--out", data]);
    assert_eq!(code, ExitCode::SUCCESS);
    let strict = ["multipattern", "aho-corasick", "daachorse", "single"];
    let any = ["multipattern", "naive-sharing", "single"];
    for (workload, peers) in
        [("strict-40", &strict[..]), ("next-40", &["multipattern", "single"]), ("any-40", &any)]
    {
        let expected: Vec<String> = peers.iter().map(|name| format!("{name}, matches")).collect();
        assert_eq!(series(&rows, workload), expected, "{workload}");
    }
    let ratio = "naive-sharing / multipattern, CPU time";
    assert!(rows.iter().any(|row| row.series == ratio && row.unit == "ratio" && row.lo > 0.0));
    let file = std::fs::read_to_string(directory.path().join("results.jsonl")).unwrap();
    assert_eq!(file.lines().count(), rows.len());
}

#[test]
fn every_workload_has_its_patterns_and_events() {
    for workload in &WORKLOADS {
        let load = workload.generate(100, 1).unwrap();
        let number: usize = match workload.name.split_once('-').unwrap().1 {
            "routes" => 4000,
            number => number.parse().unwrap(),
        };
        assert_eq!((load.patterns.len(), load.events.len()), (number, 100), "{}", workload.name);
        let events = Scale::ALL.map(|scale| workload.events(scale));
        assert!(events.is_sorted_by(|a, b| a < b), "{events:?}");
    }
}

/// All combinations in order within the window.
fn brute_force(load: &Load) -> Vec<Found> {
    fn extend(load: &Load, pattern: u32, at: &mut Vec<u64>, found: &mut Vec<Found>) {
        let operands = &load.patterns[pattern as usize];
        let Some(&next) = operands.get(at.len()) else {
            found.push((pattern, at.clone()));
            return;
        };
        let from = at.last().map_or(0, |&last| last + 1);
        let to = at.first().map_or(u64::MAX, |&first| first + WINDOW);
        for event in from..to.min(load.events.len() as u64) {
            if load.events[event as usize] == next {
                at.push(event);
                extend(load, pattern, at, found);
                at.pop();
            }
        }
    }
    let mut found = Vec::new();
    for pattern in 0..load.patterns.len() as u32 {
        extend(load, pattern, &mut Vec::new(), &mut found);
    }
    found.sort_unstable();
    found
}

fn sorted(runner: &mut dyn Runner) -> Vec<Found> {
    let mut found = runner.found(u64::MAX).unwrap().unwrap();
    found.sort_unstable();
    found
}

prop_compose! {
    fn load()(
        patterns in prop::collection::vec(prop::collection::vec(0..4_u8, 1..6), 1..12),
        events in prop::collection::vec(0..5_u8, 0..90),
    ) -> Load {
        let types = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
        Load { semantics: Semantics::Any, types, patterns, events }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn naive_sharing_and_both_methods_find_what_brute_force_finds(load in load()) {
        let load = Rc::new(load);
        let expected = brute_force(&load);
        let mut naive = Naive::new(&load);
        prop_assert_eq!(&sorted(&mut naive), &expected);
        for method in [Method::Proposed, Method::Single] {
            let mut own = Own::new("own", &load, method).unwrap();
            prop_assert_eq!(&sorted(&mut own), &expected);
            prop_assert_eq!(own.round().unwrap().answer, naive.round().unwrap().answer);
        }
    }

    /// Duplicates, and patterns that end others.
    #[test]
    fn automata_find_what_strict_finds(load in load()) {
        let mut load = load;
        load.semantics = Semantics::Strict;
        load.patterns.push(load.patterns[0].clone());
        let load = Rc::new(load);
        let mut own = Own::new("own", &load, Method::Proposed).unwrap();
        let (expected, answer) = (sorted(&mut own), own.round().unwrap().answer);
        for automaton in [Automaton::aho_corasick(&load), Automaton::daachorse(&load)] {
            let mut automaton = automaton.unwrap();
            prop_assert_eq!(&sorted(&mut automaton), &expected);
            prop_assert_eq!(automaton.round().unwrap().answer, answer);
        }
    }
}

#[test]
fn a_graph_of_joins_shares_what_patterns_have_in_common() {
    // The neighbours b c are joined once; a and d then come to them: {b c}, a {b c}, {b c} d.
    let dag = JoinDag::new(4, &[vec![0, 1, 2], vec![1, 2, 3]], WINDOW);
    assert_eq!(dag.joins(), 3);
    // One type over and over: a a is a pair once.
    let mut dag = JoinDag::new(1, &[vec![0, 0, 0]], 3);
    let mut found = Vec::new();
    for _ in 0..4 {
        dag.push(0, |pattern, events| found.push((pattern, events.to_vec())));
    }
    assert_eq!(found, [(0, vec![0, 1, 2]), (0, vec![1, 2, 3])]);
}

#[test]
fn what_is_missing_and_what_is_too_much_is_told() {
    let load = Load {
        semantics: Semantics::Any,
        types: vec!["a".to_owned(), "b".to_owned()],
        patterns: vec![vec![0, 1], vec![1, 1]],
        events: Vec::new(),
    };
    let (own, peer) = ([(0, vec![0, 1]), (0, vec![0, 3])], [(0, vec![0, 1]), (1, vec![1, 3])]);
    assert_eq!(
        difference(&load, "peer", &own, &peer, 4),
        [
            "of the first 4 events peer lacks 1 matches, such as P1: SEQ(a, b) at events 0 3",
            "of the first 4 events peer adds 1 matches, such as P2: SEQ(b, b) at events 1 3",
        ]
    );
    assert!(difference(&load, "peer", &own, &own, 4).is_empty());
    // The same match twice is one too much.
    assert_eq!(difference(&load, "peer", &own[..1], &[own[0].clone(), own[0].clone()], 4).len(), 1);
}

#[test]
fn events_of_a_file_take_the_place_of_generated_ones() {
    let csv = "type,time,tag\nweld,0,1\npaint,1,1\nweld,2,\n";
    let lines = "{\"type\":\"weld\",\"time\":0}\n{\"type\":\"paint\",\"time\":1}\n{\"type\":\"weld\",\"time\":2}\n";
    let input = Input::of(csv.as_bytes(), false).unwrap();
    assert_eq!(
        (&input.types[..], &input.events[..]),
        (&["weld".into(), "paint".into()][..], &[0, 1, 0][..])
    );
    assert_eq!(Input::of(lines.as_bytes(), true).unwrap(), input);

    let message = |text: &str| Input::of(text.as_bytes(), false).unwrap_err().to_string();
    assert!(message("type,time\n").contains("no events"));
    assert!(message("kind,time\na,0\n").contains("type"));
    let many: String = (0..257).map(|at| format!("t{at},{at}\n")).collect();
    assert!(message(&format!("type,time\n{many}")).contains("more than 256 types"));
}

/// Long patterns over few types would match everywhere.
#[test]
fn a_file_of_few_types_gets_short_patterns() {
    for types in 1..=12_u8 {
        let input = Input {
            types: (0..types).map(|kind| format!("t{kind}")).collect(),
            events: (0..200_u32).map(|at| (at * 7 / 3 % u32::from(types)) as u8).collect(),
        };
        for workload in WORKLOADS.iter().filter(|one| !one.name.contains("4")) {
            let load = workload.of_file(&input, 150, 1);
            assert_eq!(load.events.len(), 150);
            let lengths = || load.patterns.iter().map(Vec::len);
            let longest = lengths().max().unwrap();
            assert!(lengths().min().unwrap() >= 3 && longest <= 10, "{}", workload.name);
            assert_eq!(longest == 3, types <= 4, "{types} types: {longest}");
        }
    }
}

#[test]
fn a_missing_program_is_skipped_and_says_how_to_get_it() {
    let message = bench_harness::peer::varpulis(Path::new("/no/such/place")).unwrap_err();
    assert!(
        message.contains("`bench-harness/peers/fetch.sh /no/such/place varpulis`"),
        "{message}"
    );
    for peer in Peer::ALL {
        assert!(!peer.title().is_empty() && peer.to_string() == peer.name());
    }
}

/// Answers as the program around varpulis-sase does, but otherwise.
#[cfg(unix)]
#[test]
fn a_wrong_answer_fails_the_command_unless_it_is_known() {
    use std::os::unix::fs::PermissionsExt;

    let directory = tempfile::tempdir().unwrap();
    let home = directory.path().join("varpulis");
    let program = home.join("varpulis-peer");
    std::fs::create_dir(&home).unwrap();
    let script = r#"#!/bin/sh
        echo '{"events":200}'
        while read -r what _; do
            case $what in
                found) echo '[[0,1,2,3]]' ;;
                *) echo '{"ns":1,"cpu_ns":1,"matches":1000000,"timeouts":0,"digest":"0"}' ;;
            esac
        done"#;
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let place = directory.path().to_str().unwrap();
    for (workload, code) in [("next-40", ExitCode::from(1)), ("any-40", ExitCode::SUCCESS)] {
        let fixed = ["--peers", "varpulis", "--events", "200", "--rounds", "1"];
        let places = ["--data", place, "--peer-dir", place, "--only", workload];
        let (exit, rows) = call(&[&fixed[..], &places].concat());
        assert_eq!(exit, code, "{workload}");
        // What it found is in the rows; its times are not.
        assert_eq!(series(&rows, workload), ["multipattern, matches", "varpulis, matches"]);
        assert!(!rows.iter().any(|row| row.series.starts_with("varpulis, wall")));
    }
}
