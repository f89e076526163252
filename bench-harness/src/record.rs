//! `results.jsonl` and `claims.jsonl`: everything a report says that is not the static text of an
//! experiment.
//!
//! Both are written under a temporary name and renamed at the end, the results first: a run that was
//! killed leaves no file that could be mistaken for a whole one. Every line, the last one too, ends
//! with a line feed; a reader refuses a file that does not.

use std::fmt;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The name of the file of measured rows.
pub const RESULTS: &str = "results.jsonl";
/// The name of the file of judged claims.
pub const CLAIMS: &str = "claims.jsonl";

/// The place of a point on the x axis: a number, or a category such as a query's name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum X {
    /// A quantity, such as a size in megabytes.
    Number(f64),
    /// A category.
    Name(String),
}

impl X {
    /// The number, when it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Name(_) => None,
        }
    }
}

impl fmt::Display for X {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

impl From<&str> for X {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<String> for X {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

impl From<f64> for X {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

/// A file of the user's own. Its SHA-256 is that of the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnFile {
    /// What it was given as: see [`crate::own::Kind`].
    pub kind: String,
    /// Its name without its directory.
    pub name: String,
    /// Its length.
    pub bytes: u64,
}

/// One measured point: a line of `results.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The experiment.
    pub id: String,
    /// The curve or group of bars the point belongs to.
    pub series: String,
    /// Where on the x axis.
    pub x: X,
    /// The median of the runs, the mean of several data sets, or the exact count.
    pub value: f64,
    /// The unit of `value`, `lo` and `hi`.
    pub unit: String,
    /// How many runs or data sets that is of; 1 for an exact count.
    pub n: u32,
    /// Lower end of the 95 % interval; of fewer than six, and of data sets, the least.
    pub lo: f64,
    /// Upper end of the 95 % interval; of fewer than six, and of data sets, the most.
    pub hi: f64,
    /// The seed of the data and of the order of runs.
    pub seed: u64,
    /// SHA-256 of the input in lower-case hexadecimal, or nothing when there is no input file.
    pub data_sha256: Option<String>,
    /// The user's own file that the input is, or is taken from, in place of generated data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_file: Option<OwnFile>,
    /// The machine, the compiler, the build and the scale: see [`crate::measure::machine`].
    pub machine: String,
}

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The rule is met.
    #[serde(rename = "holds")]
    Holds,
    /// The rule is not met on this machine with these data.
    #[serde(rename = "does not hold here")]
    DoesNotHold,
    /// The rule needs points that were not measured, or more runs than there were.
    #[serde(rename = "cannot be judged here")]
    CannotBeJudged,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does not hold here",
            Self::CannotBeJudged => "cannot be judged here",
        })
    }
}

/// One judged claim: a line of `claims.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// The experiment.
    pub id: String,
    /// The claim in our words.
    pub claim: String,
    /// What became of it.
    pub verdict: Verdict,
    /// What the paper says or expects.
    pub paper: String,
    /// The numbers, or the answer, that the verdict rests on.
    pub measured: String,
    /// The rule in words, with its limits.
    pub rule: String,
}

/// All rows and judgements of one run of the harness.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    /// The measured points, in the order of the experiments.
    pub rows: Vec<Row>,
    /// The judged claims, in the same order.
    pub judgements: Vec<Judgement>,
}

impl Records {
    /// The rows of one experiment.
    pub fn rows_of<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a Row> + 'a {
        self.rows.iter().filter(move |row| row.id == id)
    }

    /// The user's own files that an experiment was measured over, each with its hash.
    pub fn own_files_of<'a>(&'a self, id: &'a str) -> Vec<(&'a OwnFile, &'a str)> {
        own_files(self.rows_of(id))
    }

    /// The judgements of one experiment.
    pub fn judgements_of<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a Judgement> + 'a {
        self.judgements.iter().filter(move |judgement| judgement.id == id)
    }

    /// Reads both files of a directory. `from` may also name the results file itself; the claims are
    /// then the file `claims.jsonl` beside it.
    pub fn read(from: &Path) -> Result<Self> {
        let (results, claims) = if from.is_dir() {
            (from.join(RESULTS), from.join(CLAIMS))
        } else {
            (from.to_owned(), from.with_file_name(CLAIMS))
        };
        Ok(Self { rows: read_lines(&results)?, judgements: read_lines(&claims)? })
    }
}

/// The user's own files among what rows were measured over, each once, with their hashes.
pub fn own_files<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<(&'a OwnFile, &'a str)> {
    let mut files: Vec<(&OwnFile, &str)> = Vec::new();
    for row in rows {
        if let (Some(file), Some(hash)) = (&row.own_file, &row.data_sha256)
            && !files.iter().any(|(_, known)| known == hash)
        {
            files.push((file, hash));
        }
    }
    files
}

/// Writes one value as one line of JSON.
pub fn write_line<T: Serialize>(out: &mut dyn Write, value: &T) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

/// The bytes of a line that are read at most: ours have some hundreds, a device has no end.
const LONGEST_LINE: u64 = 1 << 20;

/// Reads a file of JSON lines and says where it is malformed.
pub fn read_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let fail = |error| Error::input(format!("cannot read {}: {error}", path.display()));
    let mut input = BufReader::new(File::open(path).map_err(fail)?);
    let (mut values, mut line) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(fail)?;
        let place = |message: String| {
            Error::input(format!("{}, line {}: {message}", path.display(), values.len() + 1))
        };
        match line.split_last() {
            None => return Ok(values),
            Some((b'\n', text)) => {
                values.push(serde_json::from_slice(text).map_err(|error| place(error.to_string()))?)
            }
            Some(_) if line.len() as u64 == LONGEST_LINE => {
                return Err(place(format!("no end within {LONGEST_LINE} bytes")));
            }
            Some(_) => return Err(place("it is cut off; the file is not whole".to_owned())),
        }
    }
}

/// Writes the two files of a run; they appear under their names only when [`Writer::finish`] is called.
#[derive(Debug)]
pub struct Writer {
    directory: PathBuf,
    results: BufWriter<File>,
    claims: BufWriter<File>,
}

impl Writer {
    /// Opens the temporary files in `directory`, which is created when it is not there. While they are
    /// open, no other run can have them.
    pub fn create(directory: &Path) -> Result<Self> {
        fs::create_dir_all(directory)
            .map_err(|error| Error::io(format!("cannot create {}", directory.display()), &error))?;
        let open = |name: &str| {
            let path = partial(directory, name);
            let fail = |error| Error::io(format!("cannot write {}", path.display()), &error);
            // Emptied only when locked: it may be what another run has found until now.
            let file = File::options().create(true).truncate(false).write(true).open(&path);
            let file = file.map_err(fail)?;
            match fs4::FileExt::try_lock(&file) {
                Ok(()) => {}
                Err(fs4::TryLockError::WouldBlock) => {
                    let message = format!("another run is writing into {}", directory.display());
                    return Err(Error::usage(message));
                }
                Err(fs4::TryLockError::Error(error)) => return Err(fail(error)),
            }
            file.set_len(0).map_err(fail)?;
            Ok(BufWriter::new(file))
        };
        Ok(Self { directory: directory.to_owned(), results: open(RESULTS)?, claims: open(CLAIMS)? })
    }

    /// Adds the records of one experiment and flushes, so that a killed run's partial files still
    /// show how far it came.
    pub fn add(&mut self, records: &Records) -> Result<()> {
        let fail = |error| Error::io("cannot write the results", &error);
        for row in &records.rows {
            write_line(&mut self.results, row).map_err(fail)?;
        }
        for judgement in &records.judgements {
            write_line(&mut self.claims, judgement).map_err(fail)?;
        }
        self.results.flush().and_then(|()| self.claims.flush()).map_err(fail)
    }

    /// Gives both files their names. Claims without results cannot come about: the old claims go
    /// first and the new ones come last.
    pub fn finish(self) -> Result<()> {
        let Self { directory, results, claims } = self;
        for writer in [results, claims] {
            let file = writer
                .into_inner()
                .map_err(|error| Error::io("cannot write the results", error.error()))?;
            file.sync_all().map_err(|error| Error::io("cannot write the results", &error))?;
        }
        match fs::remove_file(directory.join(CLAIMS)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io("cannot replace the old claims", &error));
            }
            _ => {}
        }
        for name in [RESULTS, CLAIMS] {
            fs::rename(partial(&directory, name), directory.join(name))
                .map_err(|error| Error::io(format!("cannot write {name}"), &error))?;
        }
        Ok(())
    }
}

fn partial(directory: &Path, name: &str) -> PathBuf {
    directory.join(format!("{name}.partial"))
}
