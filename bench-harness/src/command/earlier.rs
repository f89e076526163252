//! Outcomes of earlier runs, so that a reproduction that was stopped goes on where it was.
//!
//! An outcome is kept under what it depends on: the experiment, the scale, the seed, the rounds, the
//! machine, the program by the SHA-256 of its file, and files of the user's own by theirs. Generated data
//! follow from these; the hash of each data file is in the rows besides.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cli::Options;
use crate::error::{Error, Result};
use crate::measure::machine;
use crate::own::Own;
use crate::record::{Judgement, Records, Row};
use crate::sha256::Hasher;

/// The directory of kept outcomes, inside that of the data.
const DIRECTORY: &str = "outcomes";

/// The outcomes kept in one directory for one program on one machine.
#[derive(Debug)]
pub struct Earlier {
    directory: PathBuf,
    options: Options,
    /// What all outcomes of this run depend on, hashed.
    key: String,
}

/// The content of a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    /// Seconds of its check and of its measurement.
    took: (f64, f64),
    rows: Vec<Row>,
    judgements: Vec<Judgement>,
}

impl Earlier {
    /// The outcomes beside the data of these options. The program's own file is read once.
    pub fn new(options: &Options, own: &Own) -> Result<Self> {
        let fail = |error| Error::io("cannot read the program's own file", &error);
        let program = std::env::current_exe().map_err(fail)?;
        let mut hasher = Hasher::default();
        // No description has an end of line.
        writeln!(hasher, "{}", machine::describe(options.scale)).map_err(fail)?;
        for file in own.hashes()? {
            writeln!(hasher, "{file}").map_err(fail)?;
        }
        let mut file = fs::File::open(program).map_err(fail)?;
        io::copy(&mut file, &mut hasher).map_err(fail)?;
        let key = hasher.finish()[..16].to_owned();
        let directory = options.data.join(DIRECTORY);
        // Data that are there may be read-only: then nothing is kept. A directory that cannot be made is a
        // mistake in the call; no time was spent yet.
        match fs::create_dir_all(&directory) {
            Err(error) if !options.data.is_dir() => {
                let directory = directory.display();
                return Err(Error::usage(format!("--data: cannot create {directory}: {error}")));
            }
            _ => {}
        }
        Ok(Self { directory, options: options.clone(), key })
    }

    /// The outcome of an experiment, if it was kept. A file that cannot be read as one counts as none:
    /// the experiment is run again.
    pub fn find(&self, id: &str) -> Option<Records> {
        let Kept { rows, judgements, .. } = read(&self.path(id))?;
        Some(Records { rows, judgements })
    }

    /// Keeps an outcome. It appears under its name only when it is whole.
    pub fn keep(&self, id: &str, records: &Records, took: (Duration, Duration)) -> Result<()> {
        let (path, fail) = (self.path(id), |error| Error::io("cannot keep an outcome", &error));
        let kept = Kept {
            took: (took.0.as_secs_f64(), took.1.as_secs_f64()),
            rows: records.rows.clone(),
            judgements: records.judgements.clone(),
        };
        let text = serde_json::to_string(&kept).map_err(|error| fail(error.into()))?;
        // Another run may be keeping the same.
        let partial = path.with_extension(format!("{}.partial", std::process::id()));
        let written = fs::write(&partial, text).and_then(|()| fs::rename(&partial, &path));
        if written.is_err() {
            let _ = fs::remove_file(&partial);
        }
        written.map_err(fail)
    }

    /// How many seconds an experiment's check and its measurement took at this scale, by any program
    /// that left an outcome here.
    pub fn took(&self, id: &str) -> Option<(f64, f64)> {
        let start = format!("{}-", self.start(id));
        let files = fs::read_dir(&self.directory).ok()?.flatten();
        let named = files.filter(|file| {
            let name = file.file_name();
            let name = name.to_string_lossy();
            name.starts_with(&start) && name.ends_with(".json")
        });
        let newest = named.max_by_key(|file| file.metadata().and_then(|data| data.modified()).ok());
        read(&newest?.path()).map(|kept| kept.took)
    }

    fn path(&self, id: &str) -> PathBuf {
        let Options { seed, repeat, .. } = &self.options;
        let rounds = repeat.map(|rounds| format!("-rounds-{rounds}")).unwrap_or_default();
        let (start, key) = (self.start(id), &self.key);
        self.directory.join(format!("{start}-seed-{seed}{rounds}-{key}.json"))
    }

    fn start(&self, id: &str) -> String {
        format!("{id}-{}", self.options.scale)
    }
}

fn read(path: &Path) -> Option<Kept> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}
