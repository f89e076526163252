//! The private directory of a run with little memory, when the run is killed.
#![cfg(all(unix, feature = "cli"))]

mod cli_support;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use cli_support::{THREE, folder};

fn left_in(folder: &Path) -> Vec<String> {
    std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect()
}

#[test]
fn the_next_run_removes_what_a_killed_one_has_left() {
    let place = folder(&[("times.csv", THREE)]);
    let temporary = place.path().join("temporary");
    std::fs::create_dir(&temporary).expect("a folder");
    let ujoin = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ujoin"));
        command
            .args(["run", "--travel-times", "times.csv", "--memory", "1entries"])
            .current_dir(place.path())
            .env("TMPDIR", &temporary)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        command
    };
    let rows = b"stream,time,key,probability\nA,1,k,1\nB,2,k,1\nC,3,k,1\n";
    let mut first = ujoin().spawn().expect("the program runs");
    let mut input = first.stdin.take().expect("a pipe");
    input.write_all(rows).expect("it is written");
    let mut line = String::new();
    let out = first.stdout.take().expect("a pipe");
    BufReader::new(out).read_line(&mut line).expect("a line");
    let used = left_in(&temporary);
    assert_eq!(used.len(), 1, "{used:?}");
    assert!(used[0].starts_with(&format!("ujoin-spill-{}-", first.id())), "{used:?}");

    // A run beside it leaves it alone.
    let mut beside = ujoin().spawn().expect("the program runs");
    beside.stdin.take().expect("a pipe").write_all(rows).expect("it is written");
    assert!(beside.wait_with_output().expect("a child").status.success());
    assert_eq!(left_in(&temporary), used);

    first.kill().expect("it is killed");
    first.wait().expect("a child");
    drop(input);
    assert_eq!(left_in(&temporary), used);
    let mut next = ujoin().spawn().expect("the program runs");
    next.stdin.take().expect("a pipe").write_all(rows).expect("it is written");
    assert!(next.wait_with_output().expect("a child").status.success());
    assert_eq!(left_in(&temporary), Vec::<String>::new());
}
