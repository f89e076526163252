//! ujoin against databases and the paper's own engine, in one run on the same tuples.
//!
//! | Module | What it holds |
//! | --- | --- |
//! | [`workload`] | the tuples; **start reading here** |
//! | [`runner`] | ujoin's engines and SQLite, in this process |
//!
//! DuckDB is a process of its own: `bench-harness/peers/duckdb`.

pub mod runner;
pub mod workload;

use std::fmt;
use std::path::Path;
use std::process::Command;

use super::fetched;
use crate::experiment::ujoin::Way;
use workload::Load;

/// What ujoin is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// SQLite in memory, as the paper uses a database.
    #[cfg(feature = "sqlite")]
    Sqlite,
    /// The same with a better layout.
    #[cfg(feature = "sqlite")]
    SqliteTuned,
    /// DuckDB, which joins all tuples at once.
    DuckDb,
    /// The paper's engine, tuples sent by the batch.
    Paper,
}

impl Peer {
    /// All peers.
    pub const ALL: &[Self] = &[
        #[cfg(feature = "sqlite")]
        Self::Sqlite,
        #[cfg(feature = "sqlite")]
        Self::SqliteTuned,
        Self::DuckDb,
        Self::Paper,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite => "sqlite",
            #[cfg(feature = "sqlite")]
            Self::SqliteTuned => "sqlite-tuned",
            Self::DuckDb => "duckdb",
            Self::Paper => "paper",
        }
    }

    /// What it is.
    pub fn title(self) -> &'static str {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite => {
                "SQLite in memory by the paper's Algorithm 2: two indexes, each statement by itself"
            }
            #[cfg(feature = "sqlite")]
            Self::SqliteTuned => "SQLite in memory, its table an index, one transaction",
            Self::DuckDb => {
                "DuckDB 2.0.1, one self-join of all tuples in buckets as long as the window, one thread; \
                 it answers when all tuples are there, the others tuple by tuple"
            }
            Self::Paper => "the paper's engine: a thread for each stream, 256 tuples a send",
        }
    }

    /// The engine in this process; none for one that is a process of its own.
    pub fn way(self) -> Option<Way> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite => Some(Way::Database),
            #[cfg(feature = "sqlite")]
            Self::SqliteTuned => Some(Way::TunedDatabase),
            Self::DuckDb => None,
            Self::Paper => Some(Way::InlineBatched),
        }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The command that runs DuckDB on a file of tuples, or what is missing and how to get it. `directory` is
/// where `fetch.sh` put the peers.
pub fn duckdb(directory: &Path, load: &Load, file: &Path) -> Result<Command, String> {
    let home = directory.join("duckdb");
    let program = home.join("duckdb_peer.py");
    fetched("duckdb", &program, directory)?;
    let mut command = super::python();
    command.env("PYTHONPATH", home.join("lib")).arg(program);
    let (limit, threshold) = (load.setup.limit, load.setup.threshold.units());
    command.args([limit.to_string(), threshold.to_string()]).arg(file);
    Ok(command)
}
