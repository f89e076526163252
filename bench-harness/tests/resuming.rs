//! A reproduction that goes on where it was stopped, and what two runs differ in.

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bench_harness::experiment::{About, Context, Experiment, Registry};
use bench_harness::progress::Progress;
use bench_harness::record::{CLAIMS, RESULTS, Records, Writer};
use bench_harness::{Result, cli};
use common::{Bars, Example, registry};
use serde_json::{Value, json};

fn call(registry: &Registry, arguments: &[&str]) -> (ExitCode, String) {
    let mut out = Vec::new();
    let arguments = std::iter::once("bench-harness").chain(arguments.iter().copied());
    let code = cli::run(registry, arguments, &mut out, &Progress::silent());
    (code, String::from_utf8(out).unwrap())
}

/// The bars, counting how often they are measured.
struct Counted(Arc<AtomicUsize>);

impl Experiment for Counted {
    fn about(&self) -> About {
        Bars.about()
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        Bars.check(context)
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Bars.measure(context)
    }
}

fn reproduce(registry: &Registry, directory: &Path, more: &[&str]) -> ExitCode {
    let (out, data) = (directory.join("report"), directory.join("data"));
    let mut arguments = vec!["reproduce", "--scale", "tiny", "--out", out.to_str().unwrap()];
    arguments.extend(["--data", data.to_str().unwrap()]);
    arguments.extend(more);
    call(registry, &arguments).0
}

#[test]
fn what_was_found_is_not_measured_again() {
    let times = Arc::new(AtomicUsize::new(0));
    let registry = Registry::default().with([Box::new(Counted(times.clone())) as _]);
    let directory = tempfile::tempdir().unwrap();
    let files = || {
        let report = directory.path().join("report");
        [RESULTS, CLAIMS, "index.html"].map(|name| fs::read_to_string(report.join(name)).unwrap())
    };
    let run = |more: &[&str]| {
        assert_eq!(reproduce(&registry, directory.path(), more), ExitCode::SUCCESS);
        times.load(Ordering::Relaxed)
    };
    assert_eq!(run(&[]), 1);
    let first = files();
    assert_eq!(run(&[]), 1);
    assert_eq!(files(), first);
    assert_eq!(run(&["--seed", "2"]), 2, "other data");
    assert_eq!(run(&["--repeat", "7"]), 3, "other rounds");
    assert_eq!(run(&["--fresh"]), 4);
    assert_eq!(run(&[]), 4);
    assert_eq!(files(), first);
    for file in fs::read_dir(directory.path().join("data/outcomes")).unwrap() {
        fs::write(file.unwrap().path(), "{\"seconds\":1").unwrap();
    }
    assert_eq!(run(&[]), 5, "half a file is none");
    assert_eq!(files(), first);
}

/// As in a directory of data that others have made, in which nothing can be added.
#[test]
fn where_nothing_can_be_kept_all_is_measured() {
    let times = Arc::new(AtomicUsize::new(0));
    let registry = Registry::default().with([Box::new(Counted(times.clone())) as _]);
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("data")).unwrap();
    fs::write(directory.path().join("data/outcomes"), "in the way").unwrap();
    for run in 1..=2 {
        assert_eq!(reproduce(&registry, directory.path(), &[]), ExitCode::SUCCESS);
        assert_eq!(times.load(Ordering::Relaxed), run);
        assert!(directory.path().join("report/index.html").is_file());
    }
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("data"), "in the way").unwrap();
    assert_eq!(reproduce(&registry, other.path(), &[]), ExitCode::from(2));
}

#[test]
fn a_failure_is_not_kept() {
    let directory = tempfile::tempdir().unwrap();
    let example = |answer| {
        let example = Example { id: "made-up-example", answer };
        Registry::default().with([Box::new(example) as _])
    };
    assert_eq!(reproduce(&example("1, 2, 4"), directory.path(), &[]), ExitCode::from(1));
    assert_eq!(reproduce(&example("1, 2, 3"), directory.path(), &[]), ExitCode::SUCCESS);
    let records = Records::read(&directory.path().join("report")).unwrap();
    assert_eq!(records.judgements[0].measured, "1, 2, 3");
}

#[test]
fn an_interrupt_leaves_a_report_of_what_was_whole() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_bench-harness"))
        .args(["reproduce", "--scale", "tiny", "--out", "report", "--data", "data"])
        .current_dir(directory.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    // Two dozen experiments are still to come.
    assert!(lines.any(|line| line.starts_with("rpdt-table2: done in ")));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest:?}");
    assert!(rest.iter().any(|line| line.starts_with("interrupted: ")), "{rest:?}");
    let report = directory.path().join("report");
    let records = Records::read(&report).unwrap();
    assert!(records.rows_of("rpdt-table2").count() > 0);
    assert_eq!(records.rows_of("ujoin-fig6").count(), 0);
    let page = fs::read_to_string(report.join("index.html")).unwrap();
    assert!(page.contains("Without a verdict, because not run or failed: "));
    assert!(page.trim_end().ends_with("</html>"));
}

/// Writes down what is done of it; what it shares is made before its check.
struct Logged(&'static str, Arc<Mutex<Vec<String>>>);

impl Logged {
    fn log(&self, what: &str) {
        self.1.lock().unwrap().push(format!("{what} {}", self.0));
    }
}

impl Experiment for Logged {
    fn about(&self) -> About {
        About { id: self.0.to_owned(), ..Bars.about() }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let shared = context.shared.once("a number", || {
            self.1.lock().unwrap().push("made".to_owned());
            Ok(7_u64)
        })?;
        assert_eq!(*shared, 7);
        self.log("checked");
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let text = context.shared.once("a number", || Ok("of another type".to_owned()))?;
        assert_eq!(*text, "of another type");
        self.log("measured");
        Ok(())
    }
}

#[test]
fn all_is_checked_before_any_time_is_taken_and_what_is_shared_is_made_once() {
    let log = Arc::default();
    let logged = ["a", "b", "c"].map(|id| Box::new(Logged(id, Arc::clone(&log))) as _);
    let registry = Registry::default().with(logged);
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(reproduce(&registry, directory.path(), &[]), ExitCode::SUCCESS);
    let mut log = log.lock().unwrap().clone();
    assert_eq!(log[4..], ["measured a", "measured b", "measured c"]);
    assert_eq!(log[0], "made");
    // Two are checked at a time.
    log[1..4].sort();
    assert_eq!(log[1..4], ["checked a", "checked b", "checked c"]);
}

#[test]
fn two_runs_do_not_write_into_one_directory() {
    let directory = tempfile::tempdir().unwrap();
    let writer = Writer::create(&directory.path().join("report")).unwrap();
    assert_eq!(reproduce(&registry(), directory.path(), &[]), ExitCode::from(2));
    drop(writer);
    assert_eq!(reproduce(&registry(), directory.path(), &[]), ExitCode::SUCCESS);
}

#[cfg(unix)]
#[test]
fn an_endless_file_is_not_read_to_its_end() {
    let (code, _) = call(&registry(), &["report", "--from", "/dev/zero"]);
    assert_eq!(code, ExitCode::from(2));
}

fn lines(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn diff_says_what_moved() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(
        reproduce(&registry(), directory.path(), &["--only", "made-up-bars"]),
        ExitCode::SUCCESS
    );
    let old = directory.path().join("report");
    let new = directory.path().join("new");
    fs::create_dir(&new).unwrap();
    let (a, b) = (old.to_str().unwrap(), new.to_str().unwrap());
    let mut rows = lines(&fs::read_to_string(old.join(RESULTS)).unwrap());
    let mut claims = lines(&fs::read_to_string(old.join(CLAIMS)).unwrap());
    let write = |name: &str, lines: &[Value]| {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(new.join(name), text).unwrap();
    };
    write(RESULTS, &rows);
    write(CLAIMS, &claims);
    assert_eq!(call(&registry(), &["diff", a, b]), (ExitCode::SUCCESS, String::new()));
    let (code, all) = call(&registry(), &["diff", a, b, "--all"]);
    assert_eq!((code, all.lines().count()), (ExitCode::SUCCESS, rows.len()));
    assert!(lines(&all).iter().all(|line| line["ratio"] == 1.0 && line["beyond"] == false));

    // One point moves within its interval, one beyond it, one is gone, one is new.
    let place = |rows: &[Value], series: &str, x: &str| {
        rows.iter().position(|row| row["series"] == series && row["x"] == x).unwrap()
    };
    let (within, beyond) = (place(&rows, "Quick", "P1"), place(&rows, "Quick", "P2"));
    let middle =
        (rows[within]["value"].as_f64().unwrap() + rows[within]["hi"].as_f64().unwrap()) / 2.0;
    rows[within]["value"] = json!(middle);
    for key in ["value", "lo", "hi"] {
        rows[beyond][key] = json!(rows[beyond][key].as_f64().unwrap() * 3.0);
    }
    let gone = place(&rows, "Oracle", "P3");
    let mut row = rows.remove(gone);
    row["x"] = json!("P8");
    rows.push(row);
    claims[0]["verdict"] = json!("does not hold here");
    write(RESULTS, &rows);
    write(CLAIMS, &claims);
    let (code, out) = call(&registry(), &["diff", a, b]);
    assert_eq!(code, ExitCode::from(1));
    let found = lines(&out);
    let shown: Vec<(&Value, &Value, bool, bool)> = found[..3]
        .iter()
        .map(|line| (&line["series"], &line["x"], line["a"].is_null(), line["b"].is_null()))
        .collect();
    assert_eq!(
        shown,
        [
            (&json!("Quick"), &json!("P2"), false, false),
            (&json!("Oracle"), &json!("P3"), false, true),
            (&json!("Oracle"), &json!("P8"), true, false),
        ]
    );
    assert!((found[0]["ratio"].as_f64().unwrap() - 3.0).abs() < 1e-9);
    assert_eq!((&found[3]["a"], &found[3]["b"]), (&json!("holds"), &json!("does not hold here")));
    assert_eq!(found.len(), 4);

    // The rows alone, under another name: no claims beside them are taken for theirs.
    let alone = new.join("other.jsonl");
    fs::copy(old.join(RESULTS), &alone).unwrap();
    let (code, out) = call(&registry(), &["diff", a, alone.to_str().unwrap()]);
    assert_eq!((code, out.as_str()), (ExitCode::SUCCESS, ""));
    fs::write(&alone, "{\"id\":").unwrap();
    assert_eq!(call(&registry(), &["diff", a, alone.to_str().unwrap()]).0, ExitCode::from(2));
    assert_eq!(call(&registry(), &["diff", a, "/no/such/file"]).0, ExitCode::from(2));
}
