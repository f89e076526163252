//! Checkpoints of the program `ujoin`: runs that end early and are gone on with.
#![cfg(feature = "cli")]

mod cli_support;

use std::fs;
use std::path::Path;

use cli_support::{Random, THREE, folder, sightings, transcript, ujoin_in};

const OUTPUTS: [&str; 6] = ["-o", "out.jsonl", "--late", "late.csv", "--reject", "bad.csv"];

fn arguments<'a>(flags: &[&'a str]) -> Vec<&'a str> {
    let start = ["run", "--travel-times", "times.csv", "s.csv", "--lateness", "20s"];
    [&start[..], &OUTPUTS, flags].concat()
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("a file")
}

/// All that a run has written; results are sorted unless their order is always the same.
fn written(folder: &Path, sorted: bool) -> [String; 3] {
    let mut out = read(folder, "out.jsonl");
    if sorted {
        let mut lines: Vec<&str> = out.lines().collect();
        lines.sort_unstable();
        out = lines.join("\n");
    }
    [out, read(folder, "late.csv"), read(folder, "bad.csv")]
}

/// Runs on a growing file, from checkpoint to checkpoint, and compares with one run.
fn compare(flags: &[&str], seed: u64) {
    let bad = "x,y\n1000,A,k,0.9,way too late,\n9,A,,1,,\n";
    let mut input = sightings(250, seed);
    let middle = input[..input.len() / 2].rfind('\n').expect("a line") + 1;
    input.insert_str(middle, bad);
    let expected = folder(&[("times.csv", THREE), ("s.csv", &input)]);
    let run = ujoin_in(expected.path(), &arguments(flags), b"");
    assert!(run.code < 2, "{}", run.err);
    let sorted = !flags.contains(&"deterministic");
    let expected = written(expected.path(), sorted);
    assert!(expected.iter().all(|text| text.lines().count() > 1), "{flags:?} {expected:?}");

    let folder = folder(&[("times.csv", THREE), ("at", "old")]);
    fs::remove_file(folder.path().join("at")).expect("a file");
    let ends: Vec<usize> = input.match_indices('\n').map(|(at, _)| at + 1).collect();
    let mut random = Random(seed);
    let mut rows = 1;
    loop {
        rows = (rows + random.below(250) as usize).min(ends.len());
        fs::write(folder.path().join("s.csv"), &input[..ends[rows - 1]]).expect("a file");
        let every = (20 + random.below(150)).to_string();
        let checkpoint = ["--checkpoint", "at", "--resume", "--checkpoint-every", &every];
        let run = ujoin_in(folder.path(), &[&arguments(flags)[..], &checkpoint].concat(), b"");
        assert!(run.code < 2, "{flags:?}\n{}", run.err);
        if rows == ends.len() {
            break;
        }
    }
    assert_eq!(written(folder.path(), sorted), expected, "{flags:?}");
}

#[test]
fn what_is_gone_on_with_becomes_what_it_would_have_been() {
    let mut seed = 1;
    for flags in [
        &["--threshold", "0.05"][..],
        &["--threshold", "0.05", "--engine", "paper", "--order", "deterministic"],
        &["--threshold", "0.05", "--engine", "keyed", "--threads", "2"],
        &["--threshold", "0.1", "--mode", "observation", "--order", "deterministic"],
        &["--threshold", "0.1", "--top-k", "3", "--slice", "70s"],
        &["--threshold", "0.1", "--mode", "expected", "--slice", "3m"],
        &["--threshold", "0.05", "--memory", "100entries", "--engine", "paper-batched"],
    ] {
        for _ in 0..2 {
            compare(flags, seed);
            seed += 1;
        }
    }
}

#[test]
fn counters_go_on() {
    let input = sightings(200, 5);
    let whole = folder(&[("times.csv", THREE), ("s.csv", &input)]);
    let expected = ujoin_in(whole.path(), &arguments(&["--stats"]), b"");
    let folder = folder(&[("times.csv", THREE), ("s.csv", "")]);
    let flags = arguments(&["--stats", "--checkpoint", "at", "--resume"]);
    let ends: Vec<usize> = input.match_indices('\n').map(|(at, _)| at + 1).collect();
    let mut run = None;
    for end in [ends[0], ends[100], ends[ends.len() - 1], ends[ends.len() - 1]] {
        fs::write(folder.path().join("s.csv"), &input[..end]).expect("a file");
        run = Some(ujoin_in(folder.path(), &flags, b""));
    }
    let counters = |run| {
        let mut counters = cli_support::stats(run);
        let counters = counters.as_object_mut().expect("an object");
        // Those depend on how rows are gathered.
        for name in ["batches", "resident_max", "live_max"] {
            counters.remove(name);
        }
        counters.clone()
    };
    assert_eq!(counters(&run.expect("a run")), counters(&expected));
}

#[test]
fn refusals() {
    let input = sightings(60, 9);
    let folder = folder(&[("times.csv", THREE), ("s.csv", &input)]);
    let path = folder.path();
    let start = ["run", "--travel-times", "times.csv", "--checkpoint", "at", "--resume"];
    let mut all = String::new();
    let run = ujoin_in(path, &[&start[..], &["s.csv"]].concat(), b"");
    assert!(run.code < 2, "{}", run.err);
    let mut tell = |flags: &[&str], input: Option<&[u8]>| {
        let mut one = String::new();
        transcript(&mut one, path, &[&start[..], flags].concat(), input);
        // What the standard input had is long.
        one.lines().filter(|line| !line.starts_with("# ")).for_each(|line| {
            all.push_str(line);
            all.push('\n');
        });
    };
    tell(&["s.csv", "--threshold", "0.6"], None);
    tell(&["s.csv", "--mode", "expected"], None);
    tell(&["s.csv", "-o", "out"], None);
    tell(&["s.csv"], None);
    tell(&[], Some(input.as_bytes()));
    tell(&[], Some(&input.as_bytes()[..200]));
    tell(&[], Some(b"stream,time,key,probability\n"));
    fs::write(path.join("times.csv"), THREE.replace("300", "301")).expect("a file");
    tell(&["s.csv"], None);
    fs::write(path.join("times.csv"), THREE).expect("a file");
    fs::write(path.join("at"), "what is this?").expect("a file");
    tell(&["s.csv"], None);
    insta::assert_snapshot!("refusals", all);
}

#[test]
fn a_shorter_output_is_another() {
    let input = sightings(60, 9);
    let folder = folder(&[("times.csv", THREE), ("s.csv", &input)]);
    let flags = arguments(&["--threshold", "0.01", "--checkpoint", "at", "--resume"]);
    assert_eq!(ujoin_in(folder.path(), &flags, b"").code, 0);
    fs::write(folder.path().join("out.jsonl"), "").expect("a file");
    let run = ujoin_in(folder.path(), &flags, b"");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("cannot write to out.jsonl: it has 0 bytes"), "{}", run.err);
}

/// Without --resume a run begins anew, and so does what goes on with it.
#[test]
fn a_new_run_takes_the_place_of_an_old_one() {
    let input = sightings(150, 4);
    let folder = folder(&[("times.csv", THREE), ("s.csv", &input)]);
    let flags = arguments(&["--threshold", "0.05", "--checkpoint", "at"]);
    let mut outputs = vec![];
    for _ in 0..2 {
        assert_eq!(ujoin_in(folder.path(), &flags, b"").code, 0);
        outputs.push(read(folder.path(), "out.jsonl"));
        let resumed = [&flags[..], &["--resume"]].concat();
        assert_eq!(ujoin_in(folder.path(), &resumed, b"").code, 0);
        outputs.push(read(folder.path(), "out.jsonl"));
    }
    assert!(outputs[0].lines().count() > 10);
    assert!(outputs.iter().all(|out| *out == outputs[0]));
}

#[test]
fn two_runs_do_not_share_a_checkpoint() {
    use std::io::Write as _;
    let folder = folder(&[("times.csv", THREE)]);
    let arguments = ["run", "--travel-times", "times.csv", "--checkpoint", "at"];
    let mut first = std::process::Command::new(env!("CARGO_BIN_EXE_ujoin"))
        .args(arguments)
        .current_dir(folder.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut input = first.stdin.take().expect("a pipe");
    input.write_all(b"stream,time,key,probability\nA,1,k,1\nB,2,k,1\n").expect("it is written");
    // Its first result shows that it is under way.
    let mut line = String::new();
    let out = first.stdout.take().expect("a pipe");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).expect("a line");
    let second = ujoin_in(folder.path(), &arguments, b"");
    assert_eq!(second.code, 2);
    assert!(second.err.contains("another run uses"), "{}", second.err);
    assert!(
        second.err.contains("= help: wait until it has ended, or name another"),
        "{}",
        second.err
    );
    drop(input);
    assert!(first.wait().expect("a child").success());
}
