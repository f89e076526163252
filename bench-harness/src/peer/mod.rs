//! Our engines against others that do the same, in one run on the same input.
//!
//! | Module | What it holds |
//! | --- | --- |
//! | [`workload`] | nfab's events and patterns; **start reading here** |
//! | [`own`] | nfab on a workload |
//! | [`multi`] | multipattern: its workloads, itself and its peers |
//! | [`join`] | ujoin: its workloads, itself and its peers |
//! | [`xml`] | rpdt: its workloads, itself and its peers |
//! | [`process`] | a peer on a workload, in a process of its own |
//! | [`rounds`] | interleaved rounds, answers compared before times |
//! | [`table`] | ratios, as rows and as a table for people |
//!
//! A peer is optional. Nothing here fetches or builds one: `bench-harness/peers/fetch.sh` does when it is
//! called, and who did not call it is told so.

pub mod join;
pub mod multi;
pub mod own;
pub mod process;
pub mod rounds;
pub mod table;
pub mod workload;
pub mod xml;

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

use crate::error::Result;
use workload::Workload;

/// What an engine found, which must be equal for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Matches.
    pub matches: u64,
    /// Partial matches whose window has passed, where they are reported.
    pub timeouts: u64,
    /// A sum over all matches, made of the events of each in their order.
    pub digest: u64,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} matches", self.matches)?;
        if self.timeouts > 0 {
            write!(f, " and {} timeouts", self.timeouts)?;
        }
        write!(f, " (digest {:016x})", self.digest)
    }
}

/// One run of an engine over the whole stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// Wall time in seconds.
    pub wall: f64,
    /// CPU time in seconds: of all threads in this process and in Python, of the thread that matches in
    /// Java, whose garbage collection elsewhere is not in it; of a job in Java its whole process's.
    pub cpu: f64,
    /// What it found.
    pub answer: Answer,
}

/// An engine that is ready to run a workload, as often as asked.
pub trait Runner {
    /// Its name.
    fn name(&self) -> &str;
    /// Runs the whole stream from a fresh start.
    fn round(&mut self) -> Result<Round>;
    /// The matches in the first events of the stream, from one that can tell them.
    fn found(&mut self, events: u64) -> Result<Option<Vec<Found>>> {
        let _ = events;
        Ok(None)
    }
}

/// A match: its pattern, and the numbers of its events.
pub type Found = (u32, Vec<u64>);

/// A shorter round, with what is prepared for it, is repeated until it takes this long: the clock's
/// grain and a single interruption then weigh little.
const SHORTEST: Duration = Duration::from_millis(300);

/// A round in this process: `run` so often, each time on what `prepare` makes for it, which is neither
/// made nor dropped within the time. Says how often to run in the next round.
pub fn repeated<P>(
    repeats: &mut u32,
    mut prepare: impl FnMut() -> P,
    mut run: impl FnMut(&mut P) -> Result<Answer>,
) -> Result<Round> {
    let begin = Instant::now();
    let mut once = || {
        let mut prepared = prepare();
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        let answer = run(&mut prepared);
        let (wall, cpu) = (wall.elapsed(), cpu.elapsed());
        answer.map(|answer| (wall, cpu, answer))
    };
    let (mut wall, mut cpu, mut answer) = once()?;
    for _ in 1..*repeats {
        let next = once()?;
        (wall, cpu, answer) = (wall + next.0, cpu + next.1, next.2);
    }
    let (wall, cpu) = (wall / *repeats, cpu / *repeats);
    let whole = begin.elapsed().as_secs_f64() / f64::from(*repeats);
    let next = SHORTEST.as_secs_f64() / whole.max(1e-6);
    *repeats = next.ceil().clamp(1.0, 1e4) as u32;
    Ok(Round { wall: wall.as_secs_f64(), cpu: cpu.as_secs_f64(), answer })
}

/// Where a program that `fetch.sh` builds is, or how to get it.
pub fn fetched(name: &str, file: &Path, directory: &Path) -> Result<(), String> {
    fetched_with(name, name, file, directory)
}

/// The same for a peer that comes with another one.
fn fetched_with(peer: &str, name: &str, file: &Path, directory: &Path) -> Result<(), String> {
    if file.is_file() {
        return Ok(());
    }
    let directory = directory.display();
    Err(format!(
        "{peer} is skipped: there is no {}; `bench-harness/peers/fetch.sh {directory} {name}` gets it",
        file.display()
    ))
}

/// A Python that runs a peer: that of the variable PYTHON, or the one in PATH.
fn python() -> Command {
    let name = if cfg!(windows) { "python" } else { "python3" };
    Command::new(env::var_os("PYTHON").unwrap_or_else(|| name.into()))
}

/// Where the program around varpulis-sase is, or how to get it.
pub fn varpulis(directory: &Path) -> Result<PathBuf, String> {
    let name = format!("varpulis-peer{}", env::consts::EXE_SUFFIX);
    let program = directory.join("varpulis").join(name);
    fetched("varpulis", &program, directory)?;
    Ok(program)
}

/// An engine that nfab is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// Flink CEP's NFA, driven directly from Java.
    Flink,
    /// Flink CEP as a job.
    FlinkPipeline,
    /// The crate varpulis-sase.
    Varpulis,
}

impl Peer {
    /// All peers.
    pub const ALL: [Self; 3] = [Self::Flink, Self::FlinkPipeline, Self::Varpulis];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flink => "flink",
            Self::FlinkPipeline => "flink-pipeline",
            Self::Varpulis => "varpulis",
        }
    }

    /// What it is, with its version.
    pub fn title(self) -> &'static str {
        match self {
            Self::Flink => "the NFA of Flink CEP 2.3.0, driven directly",
            Self::FlinkPipeline => {
                "Flink CEP 2.3.0 as a job in a cluster inside one process, with one slot; its CPU time \
                 is that of the process"
            }
            Self::Varpulis => "varpulis-sase 0.11.0",
        }
    }

    /// The command that runs it on a workload, or what is missing and how to get it. `directory` is
    /// where `fetch.sh` put the peers.
    pub fn command(
        self,
        directory: &Path,
        workload: &Workload,
        file: &Path,
    ) -> Result<Command, String> {
        let mut command = match self {
            Self::Flink | Self::FlinkPipeline => {
                let main = if self == Self::Flink { "FlinkPeer" } else { "FlinkPipeline" };
                let name = Self::Flink.name();
                let home = directory.join(name);
                let classes = home.join("classes");
                let class = classes.join(format!("{main}.class"));
                fetched_with(self.name(), name, &class, directory)?;
                let Some(java) = find_java() else {
                    return Err(format!(
                        "{} is skipped: there is no java in PATH; install a Java runtime, 17 or newer",
                        self.name()
                    ));
                };
                let mut command = Command::new(java);
                let paths = [classes, home.join("lib").join("*")];
                // Neither part can hold the separator: `fetch.sh` made both under one directory.
                let path = env::join_paths(paths)
                    .map_err(|error| format!("{} is skipped: {error}", self.name()))?;
                command.args(JAVA_OPTIONS).arg("-cp").arg(path).arg(main);
                command
            }
            Self::Varpulis => Command::new(varpulis(directory)?),
        };
        command.arg(workload.name).arg(file);
        Ok(command)
    }

    /// Why its answer on a workload is known not to be that of the pattern. Where there is no reason, a
    /// different answer is an error.
    pub fn known_to_differ(self, workload: &str) -> Option<&'static str> {
        match (self, workload) {
            (Self::Varpulis, "rising" | "keyed") => {
                Some("one match a run, not one for each prefix of the loop that b may follow")
            }
            (Self::Varpulis, "any-sequence") => {
                Some("runs do not fork: its skip till any match takes the first event, too")
            }
            (Self::Varpulis, "any-loop") => {
                Some("runs do not fork: subsets of the one loop that skip till next match takes")
            }
            (Self::Varpulis, "timeouts") => Some("it does not report them"),
            _ => None,
        }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A heap that the workloads never fill, of its full size from the start, so that no round pays for
/// growth; and of the collectors the one with which Flink is fastest on these workloads.
const JAVA_OPTIONS: [&str; 3] = ["-Xms2g", "-Xmx2g", "-XX:+UseParallelGC"];

fn find_java() -> Option<PathBuf> {
    let name = format!("java{}", env::consts::EXE_SUFFIX);
    let home = env::var_os("JAVA_HOME").map(|home| Path::new(&home).join("bin"));
    let path = env::var_os("PATH");
    let places = home.into_iter().chain(path.iter().flat_map(env::split_paths));
    places.map(|place| place.join(&name)).find(|file| file.is_file())
}
