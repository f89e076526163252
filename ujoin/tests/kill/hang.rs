//! Whether a program still does something, and what it waits for if not.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Looks at what a program writes: results, checkpoints, what it moved to disk.
pub struct Progress {
    directory: PathBuf,
    patience: Duration,
    /// Names and lengths of all files, and when they were last written.
    seen: String,
    changed: Instant,
    looked: Instant,
}

impl Progress {
    /// Of a program that writes to this directory and those below.
    pub fn new(directory: &Path, patience: Duration) -> Progress {
        let (directory, now) = (directory.to_owned(), Instant::now());
        Progress { directory, patience, seen: String::new(), changed: now, looked: now }
    }

    /// Whether nothing has been written for too long.
    pub fn is_over(&mut self) -> bool {
        if self.looked.elapsed() > self.patience / 100 {
            self.looked = Instant::now();
            let mut seen = String::new();
            list(&self.directory, &mut seen);
            if seen != self.seen {
                (self.seen, self.changed) = (seen, Instant::now());
            }
        }
        self.changed.elapsed() > self.patience
    }

    /// What was written last.
    pub fn seen(&self) -> &str {
        &self.seen
    }
}

fn list(directory: &Path, text: &mut String) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        // Files may vanish at any time.
        let Ok(metadata) = fs::metadata(&path) else { continue };
        if metadata.is_dir() {
            list(&path, text);
        }
        let (name, length, at) = (path.display(), metadata.len(), metadata.modified());
        writeln!(text, "{name} {length} {at:?}").unwrap();
    }
}

/// What each thread of a process does or waits for, as far as the system says.
pub fn state(process: u32) -> String {
    let mut text = String::new();
    let read = |path: PathBuf| fs::read_to_string(path).unwrap_or_else(|error| error.to_string());
    for load in ["/proc/loadavg", "/proc/pressure/io", "/proc/pressure/cpu"] {
        writeln!(text, "{load}: {}", read(load.into()).trim_end()).unwrap();
    }
    let tasks = PathBuf::from(format!("/proc/{process}/task"));
    for task in fs::read_dir(tasks).into_iter().flatten().flatten() {
        writeln!(text, "thread {}", task.file_name().display()).unwrap();
        for file in ["stat", "wchan", "syscall", "stack"] {
            writeln!(text, "{file}: {}", read(task.path().join(file)).trim_end()).unwrap();
        }
    }
    let stacks = Command::new("gdb")
        .args(["-p", &process.to_string(), "-batch", "-ex", "thread apply all backtrace"])
        .output();
    match stacks {
        Ok(output) => text.push_str(&String::from_utf8_lossy(&output.stdout)),
        Err(error) => writeln!(text, "gdb: {error}").unwrap(),
    }
    text
}

#[test]
fn what_writes_nothing_hangs_and_what_writes_does_not() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("below")).unwrap();
    let patience = Duration::from_millis(400);
    let mut progress = Progress::new(directory.path(), patience);
    let start = Instant::now();
    let mut length = 0;
    // It grows for twice as long as one is patient.
    while start.elapsed() < patience * 2 {
        length += 1;
        fs::write(directory.path().join("below/out"), vec![0; length]).unwrap();
        assert!(!progress.is_over());
        std::thread::sleep(patience / 50);
    }
    assert!(progress.seen().contains("out"));
    let stopped = Instant::now();
    while !progress.is_over() {
        std::thread::sleep(patience / 50);
    }
    assert!(stopped.elapsed() > patience / 2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_says_what_it_waits_for() {
    let mut child = Command::new("sleep").arg("60").spawn().unwrap();
    let state = state(child.id());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(state.contains("thread ") && state.contains("(sleep)"), "{state}");
}
