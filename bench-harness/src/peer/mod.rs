//! nfab against other engines that match patterns of events, in one run on the same events.
//!
//! | Module | What it holds |
//! | --- | --- |
//! | [`workload`] | the events and the patterns; **start reading here** |
//! | [`own`] | nfab on a workload |
//! | [`process`] | a peer on a workload, in a process of its own |
//! | [`rounds`] | interleaved rounds, answers compared before times |
//! | [`table`] | ratios, as rows and as a table for people |
//!
//! A peer is optional. Nothing here fetches or builds one: `bench-harness/peers/fetch.sh` does when it is
//! called, and who did not call it is told so.

pub mod own;
pub mod process;
pub mod rounds;
pub mod table;
pub mod workload;

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

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
    /// CPU time in seconds of the thread that matches; garbage collection elsewhere is not in it.
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
}

/// An engine that nfab is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// Flink CEP's NFA, driven directly from Java.
    Flink,
    /// The crate varpulis-sase.
    Varpulis,
}

impl Peer {
    /// All peers.
    pub const ALL: [Self; 2] = [Self::Flink, Self::Varpulis];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flink => "flink",
            Self::Varpulis => "varpulis",
        }
    }

    /// What it is, with its version.
    pub fn title(self) -> &'static str {
        match self {
            Self::Flink => "the NFA of Flink CEP 2.3.0, driven directly",
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
        let home = directory.join(self.name());
        let mut command = match self {
            Self::Flink => {
                let classes = home.join("classes");
                self.must_have(&classes.join("FlinkPeer.class"), directory)?;
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
                command.args(JAVA_OPTIONS).arg("-cp").arg(path).arg("FlinkPeer");
                command
            }
            Self::Varpulis => {
                let program = home.join(format!("varpulis-peer{}", env::consts::EXE_SUFFIX));
                self.must_have(&program, directory)?;
                Command::new(program)
            }
        };
        command.arg(workload.name).arg(file);
        Ok(command)
    }

    fn must_have(self, file: &Path, directory: &Path) -> Result<(), String> {
        if file.is_file() {
            return Ok(());
        }
        let (name, directory) = (self.name(), directory.display());
        Err(format!(
            "{name} is skipped: there is no {}; `bench-harness/peers/fetch.sh {directory} {name}` \
             gets it",
            file.display()
        ))
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
