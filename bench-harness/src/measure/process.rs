//! Whole processes: what a program costs from its start to its end.
//!
//! A job over one file is done once in a process of its own, which is this program called as
//! `bench-harness whole ID JOB FILE`: starting it, its own memory and its end are part of the time, for
//! one side of a comparison as for the other.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::error::{Error, Result};

/// The name of the program that does a job.
const BINARY: &str = "bench-harness";
/// The command that does it.
pub const COMMAND: &str = "whole";

/// CPU time, user and system, of all child processes that have ended and were waited for; nothing where
/// the operating system does not tell.
#[cfg(unix)]
pub fn children() -> Option<Duration> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeVal;

    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    let time = |value: TimeVal| {
        let microseconds = u64::try_from(value.tv_usec()).unwrap_or(0);
        Duration::from_secs(u64::try_from(value.tv_sec()).unwrap_or(0))
            + Duration::from_micros(microseconds)
    };
    Some(time(usage.user_time()) + time(usage.system_time()))
}

/// CPU time of child processes: not known here.
#[cfg(not(unix))]
pub fn children() -> Option<Duration> {
    None
}

/// Does a job of an experiment over a file in a process of its own; the count that it prints.
pub fn count(id: &str, job: &str, file: &Path) -> Result<u64> {
    let program = program(BINARY)?;
    let fail = |what: String| Error::failed(format!("{BINARY} {COMMAND} {id} {job}: {what}"));
    let output = Command::new(&program)
        .args([COMMAND, id, job])
        .arg(file)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| Error::io(format!("cannot start {}", program.display()), &error))?;
    if !output.status.success() {
        return Err(fail(output.status.to_string()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().map_err(|error| fail(format!("printed {text:?}: {error}")))
}

/// Where a program of this package is: beside this one.
pub fn program(name: &str) -> Result<PathBuf> {
    let here = env::current_exe().map_err(|error| Error::io("cannot find this program", &error))?;
    let mut directory = here.parent().unwrap_or(Path::new("."));
    // Tests and examples stand one level below the programs.
    if directory.ends_with("deps") || directory.ends_with("examples") {
        directory = directory.parent().unwrap_or(directory);
    }
    Ok(directory.join(format!("{name}{}", env::consts::EXE_SUFFIX)))
}
