//! The real program is killed at random moments, resumes, and in the end has written every result
//! once; likewise after a disk was full.
//!
//! The suite kills 20 times. More with
//!
//! ```text
//! UJOIN_KILLS=1000 cargo test --release -p ujoin --features cli --test kill -- --ignored --nocapture
//! ```
//!
//! `UJOIN_SEED` repeats a run, as far as the moments of kills can be repeated.
#![cfg(all(unix, feature = "cli"))]
#![allow(clippy::print_stdout, reason = "where each kill hit is worth seeing")]

mod hang;
mod rows;

use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use hang::Progress;
use rows::{Input, pairs_in};

/// A program that writes nothing for so long hangs. A busy machine may be slow, above all to sync.
const PATIENCE: Duration = Duration::from_secs(120);

/// How the program runs. The results are the same.
const WAYS: [&[&str]; 8] = [
    &[],
    &["--memory", "400entries"],
    &["--engine", "keyed", "--memory", "400entries", "--spill", "window-half"],
    &["--engine", "paper-batched", "--memory", "128KiB", "--spill", "less-than"],
    &["--order", "deterministic", "--memory", "600entries"],
    &["--threads", "2", "--memory", "600entries", "--spill", "less-than"],
    &["--engine", "paper", "--memory", "500entries", "--threads", "2"],
    &["--engine", "keyed", "--threads", "2", "--order", "deterministic"],
];

struct Run<'a> {
    directory: &'a Path,
    every: String,
}

impl Run<'_> {
    fn start(&self, way: &[&str]) -> Child {
        self.start_as(Command::new(env!("CARGO_BIN_EXE_ujoin")), way)
    }

    /// Starts the program where no file may have more than so many blocks of 512 bytes: it gets an
    /// error as from a full disk.
    fn start_limited(&self, way: &[&str], blocks: u64) -> Child {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_ujoin")]);
        self.start_as(command, way)
    }

    fn start_as(&self, mut command: Command, way: &[&str]) -> Child {
        command
            .current_dir(self.directory)
            .args(["run", "--travel-times", "times.csv", "--lateness", "20s"])
            .args(["--stats", "--output", "out", "--checkpoint", "run", "--resume"])
            .args(["--checkpoint-every", &self.every])
            .args(way);
        if way.contains(&"--memory") {
            command.args(["--spill-dir", "spill"]);
        }
        let errors = fs::File::create(self.directory.join("errors")).unwrap();
        command.arg("rows.csv").stdin(Stdio::null()).stderr(errors).spawn().unwrap()
    }

    /// How long the output is.
    fn size(&self) -> u64 {
        fs::metadata(self.directory.join("out")).map_or(0, |m| m.len())
    }

    /// Runs to the end.
    fn finish(&self, way: &[&str]) {
        self.expect_success(wait(self.start(way), self.directory, |_| false));
    }

    fn expect_success(&self, status: ExitStatus) {
        let errors = fs::read_to_string(self.directory.join("errors")).unwrap();
        assert!(status.success(), "{status}: {errors}");
    }

    /// How many sightings went to disk in the run that has just ended.
    fn spilled(&self) -> u64 {
        let errors = fs::read_to_string(self.directory.join("errors")).unwrap();
        let stats = errors.lines().find(|line| line.starts_with('{')).unwrap();
        let stats: serde_json::Value = serde_json::from_str(stats).unwrap();
        stats["spilled_entries"].as_u64().unwrap()
    }
}

/// Waits for the process, which runs in this directory, and kills it once `now` says so.
fn wait(mut child: Child, directory: &Path, mut now: impl FnMut(Duration) -> bool) -> ExitStatus {
    let start = Instant::now();
    let mut progress = Progress::new(directory, PATIENCE);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if now(start.elapsed()) {
            child.kill().unwrap();
            return child.wait().unwrap();
        }
        if progress.is_over() {
            let state = hang::state(child.id());
            child.kill().unwrap();
            panic!("the program hangs after {:?}\n{}\n{state}", start.elapsed(), progress.seen());
        }
        sleep(Duration::from_micros(200));
    }
}

/// Kills the program so often, at most `each` times in one run, and compares with the oracle after
/// each run that has come to its end.
fn kill(wanted: u64, each: u64, rows: usize, seed: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut kills, mut runs, mut missed) = (0, 0, 0);
    while kills < wanted {
        let directory = tempfile::tempdir().unwrap();
        let input = Input::new(rows, random.random());
        fs::write(directory.path().join("times.csv"), input.times()).unwrap();
        fs::write(directory.path().join("rows.csv"), input.rows()).unwrap();
        let expected = input.oracle();
        let every = (rows / random.random_range(5..15)).to_string();
        let run = Run { directory: directory.path(), every };
        // Every third run goes on in another way each time.
        let mixed = runs % 3 == 2;
        let mut way = WAYS[runs % WAYS.len()];

        // Without a kill, to know how long the output is.
        run.finish(way);
        let length = run.size();
        assert_eq!(pairs_in(&directory.path().join("out")), expected, "{way:?}, not killed");
        assert_eq!(run.spilled() > 0, way.contains(&"--memory"), "{way:?}");
        assert!(expected.len() > rows / 20, "{} results", expected.len());
        for name in ["out", "run"] {
            fs::remove_file(directory.path().join(name)).unwrap();
        }

        let (mut furthest, mut hits) = (0, 0);
        while hits < each && kills < wanted {
            if mixed {
                way = WAYS[random.random_range(0..WAYS.len())];
            }
            // By the size of the output, beyond what was reached before so that an end is reached;
            // or, to hit a run that has just resumed, by the clock.
            let target = furthest + random.random_range(1..=length / 6);
            let after = Duration::from_micros(random.random_range(0..3000));
            let at = random
                .random_bool(0.25)
                .then(|| Duration::from_micros(random.random_range(500..40_000)));
            let mut reached = None;
            let status = wait(run.start(way), run.directory, |elapsed| match at {
                Some(at) => elapsed >= at,
                None => {
                    if run.size() >= target {
                        reached.get_or_insert(elapsed);
                    }
                    reached.is_some_and(|r| elapsed >= r + after)
                }
            });
            let size = run.size();
            furthest = furthest.max(size);
            if status.signal() != Some(9) {
                run.expect_success(status);
                break;
            }
            if size == 0 || size >= length {
                missed += 1;
                continue;
            }
            (kills, hits) = (kills + 1, hits + 1);
            println!("kill {kills} at byte {size} of {length}, {way:?}");
        }
        // What remains, if anything, is done in peace.
        run.finish(way);
        let found = pairs_in(&directory.path().join("out"));
        assert_eq!(found.len(), expected.len(), "{way:?}, seed {seed}");
        assert_eq!(found, expected, "{way:?}, seed {seed}");
        assert_eq!(run.size(), length);
        runs += 1;
    }
    println!(
        "seed {seed}: {kills} kills in {runs} runs between the first and the last byte of output \
         ({missed} others before or after): 0 lost, 0 twice, 0 hung"
    );
}

/// A file cannot grow: the program says so and stops. With room, it goes on and completes.
#[test]
fn a_disk_that_fills_up() {
    let directory = tempfile::tempdir().unwrap();
    let input = Input::new(3000, 7);
    fs::write(directory.path().join("times.csv"), input.times()).unwrap();
    fs::write(directory.path().join("rows.csv"), input.rows()).unwrap();
    let expected = input.oracle();
    let run = Run { directory: directory.path(), every: "400".to_owned() };
    let way = WAYS[1];
    run.finish(way);
    let length = run.size();
    for part in (1..20).step_by(2) {
        for name in ["out", "run"] {
            let _ = fs::remove_file(directory.path().join(name));
        }
        let blocks = length * part * part / (400 * 512);
        let status = wait(run.start_limited(way, blocks), run.directory, |_| false);
        let errors = fs::read_to_string(directory.path().join("errors")).unwrap();
        assert_eq!(status.code(), Some(2), "{blocks} blocks: {errors}");
        // With no block at all there is no room for the message either.
        assert!(blocks == 0 || errors.contains("File too large"), "{errors}");
        assert!(run.size() <= blocks * 512);
        run.finish(way);
        assert_eq!(pairs_in(&directory.path().join("out")), expected, "{blocks} blocks");
    }
}

/// A directory for sightings belongs to one process, until that ends, however it ends.
#[test]
fn a_directory_in_use_and_one_that_a_killed_run_left() {
    let directory = tempfile::tempdir().unwrap();
    let input = Input::new(3000, 8);
    fs::write(directory.path().join("times.csv"), input.times()).unwrap();
    fs::write(directory.path().join("rows.csv"), input.rows()).unwrap();
    let run = |file: &str, out: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ujoin"));
        command
            .current_dir(directory.path())
            .args(["run", "--travel-times", "times.csv", "--lateness", "20s", "--output", out])
            .args(["--memory", "50entries", "--spill-dir", "spill", file])
            .stderr(Stdio::piped());
        command
    };
    let segments = || {
        let entries = fs::read_dir(directory.path().join("spill")).into_iter().flatten();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.ends_with(".segment")).count()
    };

    // It waits for more, with sightings on disk.
    let mut first = run("-", "one").stdin(Stdio::piped()).spawn().unwrap();
    let mut more = first.stdin.take().unwrap();
    let beginning: String = input.rows().split_inclusive('\n').take(2000).collect();
    more.write_all(beginning.as_bytes()).unwrap();
    let start = Instant::now();
    while segments() == 0 {
        assert!(start.elapsed() < PATIENCE, "nothing goes to disk");
        sleep(Duration::from_millis(1));
    }
    let second = run("rows.csv", "two").output().unwrap();
    assert_eq!(second.status.code(), Some(2));
    let message = String::from_utf8(second.stderr).unwrap();
    assert!(message.contains("spill: another process uses this directory"), "{message}");

    first.kill().unwrap();
    assert_eq!(first.wait().unwrap().signal(), Some(9));
    let third = run("rows.csv", "two").output().unwrap();
    assert!(third.status.success(), "{}", String::from_utf8(third.stderr).unwrap());
    assert_eq!(pairs_in(&directory.path().join("two")), input.oracle());
    assert_eq!(segments(), 0, "what the killed run left is gone as well");
}

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect(name))
}

#[test]
fn twenty_kills() {
    kill(20, 4, 3500, from_environment("UJOIN_SEED", 1));
}

#[test]
#[ignore = "takes minutes; UJOIN_KILLS says how often"]
fn soak() {
    kill(from_environment("UJOIN_KILLS", 200), 25, 20_000, from_environment("UJOIN_SEED", 2));
}
