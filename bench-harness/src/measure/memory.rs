//! Memory, measured in a process of its own.
//!
//! A counting allocator costs time, so the harness never carries one. A second binary,
//! `bench-harness-memory`, holds the same experiments under such an allocator; [`measure`] starts it
//! once for a probe and reads back lines of JSON: what was used, then the rows that the probe
//! recorded. A *probe* is a named job of an experiment: it
//! prepares its input, then runs the part whose memory is asked for inside `peak_during` of its [`Heap`].

use std::ffi::OsString;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::{env, fs, thread};

use serde::{Deserialize, Serialize};

use super::{machine, process};
use crate::error::{Error, Result};
use crate::record::Row;

/// The name of the binary with the counting allocator.
pub const BINARY: &str = "bench-harness-memory";

/// What a probe used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// The most bytes that were allocated at once during the probe, beyond those allocated before.
    pub peak_heap: u64,
    /// The largest resident set of the whole child process in bytes, program and input included.
    pub peak_resident: Option<u64>,
}

/// A counting allocator, seen by a probe. The allocator itself lives in the memory binary.
pub trait Heap {
    /// Bytes allocated now.
    fn current(&self) -> u64;
    /// Most bytes allocated at once since the last reset.
    fn peak(&self) -> u64;
    /// Forgets the peak.
    fn reset(&self);
}

impl dyn Heap + '_ {
    /// Runs `job` and returns its value with the growth of the heap's peak.
    pub fn peak_during<T>(&self, job: impl FnOnce() -> T) -> (T, u64) {
        self.reset();
        let before = self.current();
        let value = job();
        (value, self.peak().saturating_sub(before))
    }
}

/// The largest resident set of this process so far in bytes, where the kernel tells.
pub fn peak_resident() -> Option<u64> {
    status("VmHWM:")
}

/// The resident set of this process now in bytes, where the kernel tells.
pub fn resident() -> Option<u64> {
    status("VmRSS:")
}

fn status(name: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// Runs a probe of an experiment in the memory binary with these arguments; what it used, and the
/// rows that it recorded.
pub fn measure(arguments: &[OsString]) -> Result<(Memory, Vec<Row>)> {
    let program = binary()?;
    let output = Command::new(&program)
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| Error::io(format!("cannot start {}", program.display()), &error))?;
    if !output.status.success() {
        return Err(Error::failed(format!("{} failed: {}", program.display(), output.status)));
    }
    let fail = |error| Error::failed(format!("{BINARY} wrote no measurement: {error}"));
    let mut lines = output.stdout.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let memory = serde_json::from_slice(lines.next().unwrap_or_default()).map_err(fail)?;
    let rows: Result<Vec<Row>, _> = lines.map(serde_json::from_slice).collect();
    Ok((memory, rows.map_err(fail)?))
}

/// Several calls of [`measure`], as many at a time as there are processors; the results in their order.
pub fn measure_all(calls: &[Vec<OsString>]) -> Result<Vec<(Memory, Vec<Row>)>> {
    // Built before there are several that would do it.
    binary()?;
    let at_once = thread::available_parallelism().map_or(1, NonZero::get);
    let mut results = Vec::with_capacity(calls.len());
    for some in calls.chunks(at_once) {
        let measured = thread::scope(|scope| {
            let threads: Vec<_> =
                some.iter().map(|call| scope.spawn(move || measure(call))).collect();
            let join = |thread: thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect::<Result<Vec<_>>>()
        })?;
        results.extend(measured);
    }
    Ok(results)
}

/// Set when this process has built the memory binary.
static BUILT: OnceLock<()> = OnceLock::new();

/// Finds the memory binary beside this one. `cargo run` builds only the binary it runs, so the other
/// one is built here when cargo is at hand; that also keeps the two in step.
fn binary() -> Result<PathBuf> {
    let program = process::program(BINARY)?;
    let directory = program.parent().unwrap_or(Path::new("."));
    // `cargo run` and `cargo test` say which cargo they are. Once in a run is enough.
    if let (None, Some(cargo)) = (BUILT.get(), env::var_os("CARGO")) {
        // Not left to cargo: this package alone has other features than the workspace, so that every
        // library would be built once more.
        if !is_fresh(&program, directory) {
            build(&cargo, directory)?;
        }
        BUILT.get_or_init(|| ());
    }
    if program.is_file() {
        return Ok(program);
    }
    Err(Error::failed(format!(
        "memory is measured by a second program, which is not at {}; build it with \
         `cargo build --release -p bench-harness --bins`",
        program.display()
    )))
}

/// Whether a program is there that was linked after the library with which this one was. That library is
/// the newest that was there when this program was linked.
fn is_fresh(program: &Path, directory: &Path) -> bool {
    let changed = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    let own = env::current_exe().ok().and_then(|own| changed(&own));
    let (Some(built), Some(own)) = (changed(program), own) else { return false };
    let files = fs::read_dir(directory.join("deps")).into_iter().flatten().flatten();
    let libraries = files.map(|file| file.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libbench_harness-") && name.ends_with(".rlib")
    });
    let linked = libraries.filter_map(|path| changed(&path)).filter(|time| *time <= own).max();
    linked.is_some_and(|linked| linked <= built)
}

fn build(cargo: &OsString, directory: &Path) -> Result<()> {
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--bin", BINARY, "--manifest-path"]);
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    if machine::profile() == "release" {
        command.arg("--release");
    }
    if let Some(target) = directory.parent() {
        command.arg("--target-dir").arg(target);
    }
    let status = command.status().map_err(|error| Error::io("cannot start cargo", &error))?;
    if status.success() {
        return Ok(());
    }
    Err(Error::failed(format!("cannot build {BINARY}: {status}")))
}
