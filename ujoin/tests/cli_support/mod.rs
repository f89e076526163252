//! Running the program in tests.
#![allow(dead_code, reason = "no test file uses all of it")]

use std::fmt::Write as _;
use std::path::Path;

use tempfile::TempDir;

/// What a run of the program gave.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// Travel times of two streams, half an hour in both directions.
pub const HALF_AN_HOUR: &str = ",A,C\nA,0,1800\nC,1800,0\n";

/// A folder with files.
pub fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).expect("a file");
    }
    folder
}

/// Runs the program in a folder, with some bytes on the standard input.
pub fn ujoin_in(folder: &Path, arguments: &[&str], input: &[u8]) -> Run {
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_ujoin"))
        .args(arguments)
        .current_dir(folder)
        .write_stdin(input)
        .output()
        .expect("the program runs");
    assert!(!output.stderr.contains(&0x1b), "no colours when nobody looks");
    Run {
        code: output.status.code().expect("no signal"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Joins sightings with travel times; both by their texts.
pub fn ujoin(times: &str, arguments: &[&str], input: &str) -> Run {
    let folder = folder(&[("times.csv", times)]);
    let arguments = [&["run", "--travel-times", "times.csv"], arguments].concat();
    ujoin_in(folder.path(), &arguments, input.as_bytes())
}

/// The output of a run that finds something and has nothing to say about it.
pub fn found(times: &str, arguments: &[&str], input: &str) -> String {
    let run = ujoin(times, arguments, input);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}\n{}", run.out);
    run.out
}

/// The counters of a run with --stats.
pub fn stats(run: &Run) -> serde_json::Value {
    let line = run.err.lines().find(|line| line.starts_with('{')).expect("counters");
    serde_json::from_str(line).expect("JSON")
}

/// Each result as `key first-time second-time probability dt limit`.
pub fn brief(out: &str) -> Vec<String> {
    let line = |line: &str| {
        let v: serde_json::Value = serde_json::from_str(line).expect("JSON");
        format!(
            "{} {} {} {} {} {}",
            v["key"].as_str().expect("text"),
            v["first"]["time"],
            v["second"]["time"],
            v["probability"],
            v["dt"],
            v["limit"]
        )
    };
    out.lines().map(line).collect()
}

/// A run as it would look on a terminal: input, command, output, messages, exit code.
pub fn transcript(all: &mut String, folder: &Path, arguments: &[&str], input: Option<&[u8]>) {
    let run = ujoin_in(folder, arguments, input.unwrap_or_default());
    let quoted: Vec<String> = arguments.iter().map(|a| shell(a)).collect();
    for line in input.unwrap_or_default().split_inclusive(|&b| b == b'\n') {
        let text = line.escape_ascii().to_string().replace("\\'", "'").replace("\\\"", "\"");
        let _ = writeln!(all, "# {text}");
    }
    let _ = writeln!(all, "$ ujoin {}", quoted.join(" "));
    all.push_str(&run.out);
    all.push_str(&run.err);
    let _ = writeln!(all, "[{}]\n", run.code);
}

fn shell(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', "'\\''"))
    }
}

/// Numbers that look random.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// Sightings of three streams: keys short and long, observations of several rows, rows that are late
/// and rows that come twice.
pub fn sightings(rows: u64, seed: u64) -> String {
    let mut random = Random(seed);
    let mut text = "time,stream,key,probability,observation,note\n".to_owned();
    let mut last = String::new();
    let mut place = 0;
    for i in 0..rows {
        // Observations of one name are in different streams.
        place = (place + 1 + random.below(2)) % 3;
        let stream = ["A", "B", "C"][place as usize];
        let time = 1000 + 2 * i - [0, 0, 0, 7, 25][random.below(5) as usize];
        let name = match random.below(4) {
            0 => String::new(),
            1 => format!("observation {}", i / 2),
            _ => format!("o{i}"),
        };
        let alternatives = 1 + random.below(3);
        let mut rest = 1000;
        for _ in 0..alternatives {
            let key = random.below(30);
            let key = if key < 15 { format!("K{key}") } else { format!("AB-{key}-LONG") };
            let p = 1 + random.below(rest / 2);
            rest -= p;
            last = format!("{time},{stream},{key},0.{p:03},{name},\"n, {i}\"\n");
            text.push_str(&last);
        }
        if random.below(7) == 0 {
            text.push_str(&last);
        }
    }
    text
}

/// Travel times of these streams, different in each direction.
pub const THREE: &str = "from,to,seconds\nA,B,300\nB,A,280.5\nA,C,500\nC,A,450\nB,C,20\nC,B,33\n";
