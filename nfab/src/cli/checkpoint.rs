//! Checkpoints: how far a run has come, in a file from which another run goes on.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use nfab::{Error, Snapshot};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::arguments::Search;
use super::input::{Reader, plain};
use super::matcher::Matcher;
use super::output::Printed;
use super::report;
use super::row::Row;

/// Changes when checkpoints of one version cannot be read by another.
const FORMAT: u32 = 1;

/// The file as a whole.
#[derive(Deserialize)]
struct Envelope<'a> {
    nfab_checkpoint: u32,
    /// Of the content as it is written.
    crc32: Option<u32>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

/// How far a run has come.
#[derive(Serialize, Deserialize)]
pub(super) struct Content<'a, S> {
    query: Cow<'a, str>,
    options: Cow<'a, [String]>,
    /// The header of the input, if that is a table.
    header: Option<Cow<'a, str>>,
    position: Position,
    printed: Printed,
    engine: S,
}

/// What was read of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Position {
    rows: u64,
    bad_rows: u64,
    /// Bytes, when decompressed.
    bytes: u64,
}

pub(super) type Saved = Content<'static, Snapshot<Row>>;

/// Why a run cannot go on from a checkpoint.
pub(super) struct Refused {
    pub(super) message: String,
    pub(super) help: Cow<'static, str>,
}

/// Why a checkpoint is not written.
pub(super) enum Failed {
    Engine(Error),
    Io(io::Error),
}

/// Where checkpoints go, and what they are of.
pub(super) struct Checkpoints {
    path: PathBuf,
    every: u64,
    /// The row after which the next one is written.
    due: u64,
    query: String,
    options: Vec<String>,
}

impl Checkpoints {
    /// Those that the arguments ask for.
    pub(super) fn new(arguments: &Search, query: &str) -> Option<Self> {
        let every = arguments.checkpoint_every();
        Some(Checkpoints {
            path: real(arguments.checkpoint()?),
            every,
            due: every,
            query: query.to_owned(),
            options: arguments.essentials(),
        })
    }

    pub(super) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Whether one is to be written after so many rows.
    pub(super) fn is_due(&self, rows: u64) -> bool {
        rows >= self.due
    }

    /// Writes one; all output before it has been delivered.
    pub(super) fn save(
        &mut self,
        matcher: &mut Matcher,
        reader: &Reader,
        bad_rows: u64,
        printed: Printed,
    ) -> Result<(), Failed> {
        let content = Content {
            query: Cow::Borrowed(&*self.query),
            options: Cow::Borrowed(&*self.options),
            header: reader.columns().map(|columns| Cow::Borrowed(&*columns.header)),
            position: Position { rows: reader.rows(), bad_rows, bytes: reader.offset() },
            printed,
            engine: matcher.snapshot().map_err(Failed::Engine)?,
        };
        let content = serde_json::to_vec(&content).map_err(|e| Failed::Io(e.into()))?;
        self.due = reader.rows().saturating_add(self.every);
        let mut text = Vec::with_capacity(content.len() + 64);
        let crc = crc32(&content);
        // Writing to a vector does not fail.
        let _ = write!(text, "{{\"nfab_checkpoint\":{FORMAT},\"crc32\":{crc},\"content\":");
        text.extend_from_slice(&content);
        text.extend_from_slice(b"}\n");
        replace(&self.path, &text).map_err(Failed::Io)
    }

    /// The checkpoint, if there is one and it is of such a run.
    pub(super) fn load(&self) -> Result<Option<Saved>, Refused> {
        let unreadable = |e: &io::Error| {
            let message = format!("cannot read the checkpoint {}: {}", self.name(), plain(e));
            refused(message, "without `--resume` the run begins anew")
        };
        match fs::metadata(&self.path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(unreadable(&e)),
            Ok(metadata) if !metadata.is_file() => {
                let message = format!("{} is not a file, so no checkpoint", self.name());
                return Err(refused(message, "`--checkpoint FILE` names a file for `--resume`"));
            }
            Ok(_) => {}
        }
        let bytes = fs::read(&self.path).map_err(|e| unreadable(&e))?;
        let saved = self.read(&bytes)?;
        if saved.query != self.query {
            let message = format!("{} is the checkpoint of another query", self.name());
            return Err(refused(message, format!("that is: {}", saved.query.trim())));
        }
        let mut pairs = saved.options.iter().zip(&self.options);
        if let Some((then, now)) = pairs.find(|(then, now)| then != now) {
            let name = self.name();
            let message = format!(
                "{name} is the checkpoint of a run with {}, this one has {}",
                quoted(then),
                quoted(now)
            );
            return Err(refused(
                message,
                "only `--max-...`, `--skip-bad-rows`, `--stats` and the names of files may change",
            ));
        }
        if saved.options.len() != self.options.len() {
            return Err(self.damaged("the options are not complete"));
        }
        // Before the first row there is nothing to go on with.
        Ok(Some(saved).filter(|saved| saved.position.rows > 0))
    }

    fn read(&self, bytes: &[u8]) -> Result<Saved, Refused> {
        let envelope: Envelope<'_> =
            serde_json::from_slice(bytes).map_err(|e| self.damaged(&e.to_string()))?;
        let format = envelope.nfab_checkpoint;
        if format != FORMAT {
            let message = format!(
                "the checkpoint {} has format {format}, this version reads format {FORMAT}",
                self.name()
            );
            return Err(refused(message, "go on with the version that wrote it"));
        }
        let (Some(crc), Some(content)) = (envelope.crc32, envelope.content) else {
            return Err(self.damaged("a part is missing"));
        };
        if crc32(content.get().as_bytes()) != crc {
            return Err(self.damaged("its checksum does not fit"));
        }
        serde_json::from_str(content.get()).map_err(|e| self.damaged(&e.to_string()))
    }

    fn damaged(&self, what: &str) -> Refused {
        let message = format!("{} is no checkpoint, or is damaged: {what}", self.name());
        refused(message, "without `--resume` the run begins anew")
    }

    /// Goes on behind rows that were passed over, if they are those that had been read.
    pub(super) fn go_on(
        &mut self,
        saved: &Saved,
        reader: &Reader,
        bad_rows: u64,
    ) -> Result<(), Refused> {
        let then = saved.position;
        let now = Position { rows: reader.rows(), bad_rows, bytes: reader.offset() };
        let other = if saved.header.as_deref() != reader.columns().map(|columns| &*columns.header) {
            "its header differs".to_owned()
        } else if now.rows < then.rows {
            let name = &reader.input().name;
            format!("{name} has {} rows, {} had been read", now.rows, then.rows)
        } else if now != then {
            format!("its first {} rows differ", then.rows)
        } else {
            self.due = then.rows.saturating_add(self.every);
            return Ok(());
        };
        let message = format!("the checkpoint {} is of another input: {other}", self.name());
        Err(refused(message, "a run goes on with the same input, read from its beginning"))
    }

    /// Says how much came before, where it cannot be taken back.
    pub(super) fn tell(&self, printed: &Printed, rows: u64) {
        let (lines, bytes) = (printed.main.lines, printed.main.bytes);
        let lines = if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
        report::note(&format!(
            "going on from {} behind {rows} rows; {lines} of output ({bytes} bytes) were \
             delivered before it",
            self.name()
        ));
    }
}

impl Saved {
    /// How many rows had been read.
    pub(super) fn rows(&self) -> u64 {
        self.position.rows
    }

    /// What there was to go on with.
    pub(super) fn into_parts(self) -> (Snapshot<Row>, Printed) {
        (self.engine, self.printed)
    }
}

fn refused(message: String, help: impl Into<Cow<'static, str>>) -> Refused {
    Refused { message, help: help.into() }
}

/// An argument that is there, or not.
fn quoted(argument: &str) -> String {
    match argument.strip_prefix("no ") {
        Some(argument) => format!("no `{argument}`"),
        None => format!("`{argument}`"),
    }
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// A file by its own name, not that of a link to it.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Where a file is written before it is complete.
pub(super) fn beside(path: &Path) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(".tmp");
    name.into()
}

/// Gives a file another content: after a failure of any kind it has the old one or the new one.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        // A device keeps nothing that could be replaced.
        return File::create(path)?.write_all(content);
    }
    let new = beside(path);
    let write = || {
        let mut file = File::create(&new)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&new, path)
    };
    if let Err(e) = write() {
        // The first error is told.
        let _ = fs::remove_file(&new);
        return Err(e);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    // Not every system can; the name is then safe a little later.
    if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
        let _ = folder.sync_all();
    }
    Ok(())
}
