//! Checkpoints of the program `nfab`: runs that are killed and gone on with.
#![cfg(all(feature = "cli", unix))]

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const NEXT: &str = "PATTERN SEQ(A a, B+ b[], C c) WHERE skip_till_next_match { [k] \
                    AND b[i].x >= b[i-1].x } WITHIN 40 ms RETURN a.name, sum(b[].x) AS s, b";
const ANY: &str = "PATTERN SEQ(A a, B b, C c) WHERE skip_till_any_match { [k] AND a.x < c.x } \
                   WITHIN 12 ms";
const OPEN: &str = "PATTERN SEQ(A a, B b, ~C c) WHERE { [name] } WITHIN 15 ms";

/// A stream of numbers that looks random.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// A table with names in quotes, floats, events out of order and too late, and bad rows.
fn table(rows: u64) -> String {
    let mut random = Random(7);
    let mut text = "type,time,k,x,name\n".to_owned();
    for i in 0..rows {
        let kind = ["A", "B", "B", "C", "D"][random.below(5) as usize];
        let time = 100 + i - [0, 0, 0, 3, 9][random.below(5) as usize];
        let (k, x) = (random.below(3), random.below(1000));
        let name = ["\"l, \"\"m\"\"\"", "ü", "\"two\nlines\""][random.below(3) as usize];
        let _ = match i % 97 {
            96 => writeln!(text, "{kind},{time},{k}"),
            _ => writeln!(text, "{kind},{time},{k},{}.{},{name}", x / 3, x % 7),
        };
    }
    text
}

/// The same as JSON lines.
fn objects(rows: u64) -> String {
    let mut random = Random(11);
    let mut text = String::new();
    for time in 0..rows {
        let kind = ["A", "B", "B", "C", "D"][random.below(5) as usize];
        let (k, x) = (random.below(2), random.below(1000) as f64 / 7.0);
        let _ = writeln!(
            text,
            "{{\"type\":\"{kind}\",\"time\":{time},\"k\":{k},\"x\":{x},\"name\":\"n\\u00fc{k}\"}}"
        );
    }
    text
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nfab"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Runs to the end: the exit code, the standard output and error.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = assert_cmd::Command::from_std(command(folder, arguments));
    let output = command.output().expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        fs::write(folder.path().join(name), content).expect("a file");
    }
    folder
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("a file")
}

/// Waits until there is another checkpoint than before, for the child to be killed soon after;
/// false if it ended.
fn advanced(child: &mut Child, path: &Path) -> bool {
    let before = fs::read(path).unwrap_or_default();
    let start = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        assert!(start.elapsed() < Duration::from_secs(60), "no checkpoint");
        let now = fs::read(path).unwrap_or_default();
        if now != before && !now.is_empty() {
            return true;
        }
        sleep(Duration::from_micros(100));
    }
    false
}

/// Kills a command again and again until it has gone through; gives how often.
fn tormented(folder: &Path, arguments: &[&str], random: &mut Random) -> u32 {
    let path = folder.join("at.json");
    let mut kills = 0;
    loop {
        let mut child = command(folder, arguments).spawn().expect("the program runs");
        // Now and then it does not come far.
        let early = random.below(4) == 0;
        let alive = early || advanced(&mut child, &path);
        sleep(Duration::from_micros(random.below(3000)));
        if alive && child.try_wait().expect("a child").is_none() {
            child.kill().expect("it dies");
            kills += 1;
        }
        let status = child.wait().expect("a child");
        match status.code() {
            None => assert!(kills < 2000, "it does not come to its end"),
            code => {
                assert_eq!(code, Some(0), "{arguments:?}");
                return kills;
            }
        }
    }
}

#[test]
fn killed_at_random_moments() {
    let (mut kills, mut rounds, mut random) = (0, 0, Random(1));
    // Where disks are fast, runs are short.
    while kills < 20 {
        kills += round(&mut random);
        rounds += 1;
        assert!(rounds < 100, "only {kills} were killed");
    }
}

/// Every query and format once; gives how many runs were killed.
fn round(random: &mut Random) -> u32 {
    let table = table(700);
    let objects = objects(700);
    let files = [("in.csv", &*table), ("in.jsonl", &*objects)];
    let late = "--skip-bad-rows --lateness 4 --late late.csv";
    let mut kills = 0;
    for (query, input, options) in [
        (NEXT, "in.csv", late),
        (NEXT, "in.csv", "--skip-bad-rows --format csv --lateness 9 --each"),
        (ANY, "in.jsonl", "--format ids --history versioned --evaluation runs"),
        (ANY, "in.jsonl", "--format csv --evaluation grouped"),
        (ANY, "in.jsonl", "--count --limit 4000"),
        (OPEN, "in.csv", "--skip-bad-rows --lateness 9 --end-of-input max --timeouts"),
        (ANY, "in.jsonl", "--limit 300"),
    ] {
        let whole = folder(&files);
        let mut arguments = vec![query, input, "-o", "out"];
        arguments.extend(options.split(' '));
        let (code, ..) = run(whole.path(), &arguments);
        assert_eq!(code, 0, "{arguments:?}");
        let checkpoints = ["--checkpoint", "at.json", "--checkpoint-every", "30", "--resume"];
        arguments.extend(checkpoints);
        let broken = folder(&files);
        kills += tormented(broken.path(), &arguments, random);
        assert!(read(whole.path(), "out") == read(broken.path(), "out"), "{arguments:?}");
        if options.contains("--late ") {
            assert!(!read(whole.path(), "late.csv").is_empty());
            assert!(read(whole.path(), "late.csv") == read(broken.path(), "late.csv"));
        }
        assert!(!broken.path().join("at.json.tmp").exists(), "it was renamed");
    }
    kills
}

#[test]
fn killed_while_waiting_for_the_standard_input() {
    let table = table(600);
    let whole = folder(&[("in.csv", &table)]);
    let options = ["--skip-bad-rows", "--lateness", "9", "--input-format", "csv"];
    let mut arguments = vec![NEXT, "in.csv"];
    arguments.extend(options);
    let (_, expected, _) = run(whole.path(), &arguments);

    let broken = folder(&[]);
    let path = broken.path().join("at.json");
    let mut arguments = vec![NEXT, "-"];
    arguments.extend(options);
    arguments.extend(["--checkpoint", "at.json", "--checkpoint-every", "10", "--resume"]);
    let (mut all, mut random, mut end) = (String::new(), Random(3), 0);
    loop {
        end = (end + 1 + random.below(4000) as usize).min(table.len());
        let out = broken.path().join("out");
        let err = broken.path().join("err");
        let mut child = command(broken.path(), &arguments)
            .stdin(Stdio::piped())
            .stdout(File::create(&out).expect("a file"))
            .stderr(File::create(&err).expect("a file"))
            .spawn()
            .expect("the program runs");
        let mut input = child.stdin.take().expect("a pipe");
        input.write_all(&table.as_bytes()[..end]).expect("it reads");
        let complete = end == table.len();
        if complete {
            drop(input);
        } else {
            advanced(&mut child, &path);
            sleep(Duration::from_millis(random.below(8)));
            child.kill().expect("it dies");
        }
        let status = child.wait().expect("a child");
        // How much of what came before is to be kept, the note says.
        let note = read(broken.path(), "err");
        if let Some(at) = note.find(" bytes) were delivered") {
            let digits = note[..at].rfind('(').expect("a number") + 1;
            all.truncate(note[digits..at].parse().expect("a number"));
        } else if status.success() || out.metadata().is_ok_and(|m| m.len() > 0) {
            all.clear();
        }
        all.push_str(&read(broken.path(), "out"));
        if complete {
            assert!(status.success(), "{note}");
            break;
        }
    }
    assert!(all == expected);
}

/// A run up to its end, with its checkpoint, and the arguments to go on with it.
fn finished() -> (tempfile::TempDir, Vec<&'static str>) {
    let folder = folder(&[("in.jsonl", &objects(100))]);
    let arguments = vec![ANY, "in.jsonl", "-o", "out", "--checkpoint", "at.json", "--resume"];
    let (code, out, err) = run(folder.path(), &arguments);
    assert_eq!((code, &*out, &*err), (0, "", ""));
    (folder, arguments)
}

#[test]
fn damaged_checkpoints() {
    let (folder, arguments) = finished();
    let (path, out) = (folder.path().join("at.json"), read(folder.path(), "out"));
    let good = fs::read(&path).expect("a file");
    let mut random = Random(5);
    let mut bad = vec![vec![], b"{}".to_vec(), b"null".to_vec(), good[..good.len() / 2].to_vec()];
    for _ in 0..25 {
        let mut bytes = good.clone();
        let at = random.below(good.len() as u64) as usize;
        bytes[at] ^= 1;
        bad.push(bytes);
    }
    for bytes in bad {
        fs::write(&path, &bytes).expect("a file");
        let (code, stdout, err) = run(folder.path(), &arguments);
        assert_eq!((code, &*stdout), (2, ""), "{}", String::from_utf8_lossy(&bytes));
        assert!(err.starts_with("error: ") && err.contains("at.json"), "{err}");
        assert!(read(folder.path(), "out") == out, "the output is as it was");
    }
    fs::write(&path, &good).expect("a file");
    assert_eq!(run(folder.path(), &arguments), (0, String::new(), String::new()));
    assert!(read(folder.path(), "out") == out);
}

#[test]
fn foreign_checkpoints() {
    let (folder, _) = finished();
    let path = folder.path();
    let good = read(path, "at.json");
    let out = read(path, "out");
    fs::write(
        path.join("new.json"),
        good.replacen("{\"nfab_checkpoint\":1", "{\"nfab_checkpoint\":9", 1),
    )
    .expect("a file");
    let input = read(path, "in.jsonl");
    fs::write(path.join("short.jsonl"), &input[..input.len() / 2]).expect("a file");
    fs::write(path.join("other.jsonl"), input.replacen("\"k\":1", "\"k\": 1", 1)).expect("a file");
    fs::write(path.join("table.csv"), table(100)).expect("a file");
    fs::write(path.join("less"), "less").expect("a file");
    fs::create_dir(path.join("folder")).expect("a folder");
    let resume = ["--checkpoint", "at.json", "--resume"];
    let mut all = String::new();
    for (arguments, checkpoint) in [
        (&[NEXT, "in.jsonl", "-o", "out"][..], &resume[..]),
        (&[ANY, "in.jsonl"], &resume),
        (&[ANY, "in.jsonl", "-o", "out", "--first"], &resume),
        (&[ANY, "in.jsonl", "-o", "out", "--lateness", "5"], &resume),
        (&[ANY, "in.jsonl", "-o", "out", "--evaluation", "runs"], &resume),
        (&[ANY, "in.jsonl", "-o", "out", "--format", "ids"], &resume),
        (&[ANY, "short.jsonl", "-o", "out"], &resume),
        (&[ANY, "other.jsonl", "-o", "out"], &resume),
        (&[ANY, "table.csv", "-o", "out"], &resume),
        (&[ANY, "in.jsonl", "-o", "less"], &resume),
        (&[ANY, "in.jsonl", "-o", "missing"], &resume),
        (&[ANY, "in.jsonl", "-o", "out"], &["--checkpoint", "new.json", "--resume"]),
        (&[ANY, "in.jsonl", "-o", "out"], &["--checkpoint", "folder", "--resume"]),
        (&[ANY, "in.jsonl", "-o", "out"], &["--checkpoint", "in.jsonl"]),
        (&[ANY, "in.jsonl", "-o", "out"], &["--checkpoint", "out"]),
        (&[ANY, "in.jsonl", "-o", "out"], &["--resume"]),
        (&[ANY, "in.jsonl", "-o", "out"], &["--checkpoint", "at.json", "--threads", "2"]),
        (&[ANY, "in.jsonl", "-o", "out"], &["--checkpoint", "a.json", "--checkpoint-every", "0"]),
        (&[ANY, "in.jsonl"], &["--checkpoint", "no/such/folder.json"]),
    ] {
        let arguments = [arguments, checkpoint].concat();
        let (code, stdout, err) = run(path, &arguments);
        assert_eq!((code, &*stdout), (2, ""), "{arguments:?} {err}");
        let place = format!("{}/", path.canonicalize().expect("a folder").display());
        let _ = writeln!(all, "$ nfab {}\n{}", arguments[1..].join(" "), err.replace(&place, ""));
        assert!(read(path, "out") == out && read(path, "at.json") == good, "{arguments:?}");
    }
    insta::assert_snapshot!("foreign", all);
}

#[test]
#[cfg(target_os = "linux")]
fn full_disks() {
    let folder = folder(&[("in.jsonl", &objects(100))]);
    let path = folder.path();
    let arguments = [ANY, "in.jsonl", "-o", "out", "--checkpoint-every", "10", "--checkpoint"];
    let full = [&arguments[..], &["/dev/full"]].concat();
    let (code, _, err) = run(path, &full);
    assert_eq!(code, 2);
    assert!(
        err.starts_with("error: cannot write the checkpoint /dev/full: No space left"),
        "{err}"
    );

    // It fills up under way: the checkpoint before stays, and serves later.
    let usual = [&arguments[..], &["at.json", "--resume"]].concat();
    run(path, &usual);
    let (good, out) = (read(path, "at.json"), read(path, "out"));
    fs::write(path.join("in.jsonl"), objects(200)).expect("a file");
    std::os::unix::fs::symlink("/dev/full", path.join("at.json.tmp")).expect("a link");
    let (code, _, err) = run(path, &usual);
    assert_eq!(code, 2);
    assert!(err.contains("at.json: No space left on device"), "{err}");
    assert!(err.contains("printed before, they stay valid"), "{err}");
    assert!(read(path, "at.json") == good);
    assert!(read(path, "out").starts_with(&out));
    assert_eq!(run(path, &usual), (0, String::new(), String::new()));
    let whole = read(path, "out");
    run(path, &[ANY, "in.jsonl", "-o", "out"]);
    assert!(whole == read(path, "out"), "rows that were added are gone on with");
}

#[test]
fn the_standard_output_goes_on() {
    let folder = folder(&[("in.jsonl", &objects(50))]);
    let path = folder.path();
    let arguments = [ANY, "in.jsonl", "--checkpoint", "at.json", "--resume", "--format", "csv"];
    let (code, first, err) = run(path, &arguments);
    assert_eq!((code, &*err), (0, ""));
    fs::write(path.join("in.jsonl"), objects(100)).expect("a file");
    let (code, second, err) = run(path, &arguments);
    assert_eq!(code, 0);
    let said = format!(
        "behind 50 rows; {} lines of output ({} bytes) were delivered before it\n",
        first.lines().count(),
        first.len()
    );
    assert!(err.starts_with("note: going on from ") && err.ends_with(&said), "{err}");
    let (_, whole, _) = run(path, &[ANY, "in.jsonl", "--format", "csv"]);
    assert!(first + &second == whole);
    // Without --resume it begins anew, and the checkpoint is one of that run.
    let (_, again, err) = run(path, &[&arguments[..4], &["--format", "csv"]].concat());
    assert_eq!((again == whole, &*err), (true, ""));
}

#[test]
fn an_empty_input_that_grows() {
    let folder = folder(&[("in.csv", "")]);
    let path = folder.path();
    let arguments =
        [ANY, "in.csv", "-o", "out", "--checkpoint", "at.json", "--resume", "--skip-bad-rows"];
    assert_eq!(run(path, &arguments).0, 1);
    fs::write(path.join("in.csv"), table(100)).expect("a file");
    let code = run(path, &arguments).0;
    let grown = read(path, "out");
    assert_eq!(run(path, &[ANY, "in.csv", "-o", "out", "--skip-bad-rows"]).0, code);
    assert!(grown == read(path, "out"));
}
