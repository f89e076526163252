//! Checkpoints: how far a run has come, in a file from which another run goes on.
//!
//! At a checkpoint every result of the rows so far has been printed. So it needs no state of the
//! join: another run joins the rows that are still in the window again and passes over their results.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use ujoin::TravelTimes;
use ujoin::checkpoint::{Checkpoint, InputPosition, Settings, SinkPosition};
use ujoin::input::{Admission, Position, Streams, Unit};
use ujoin::storage::{Files, PayloadLog, PayloadState, Storage, StorageError};

use super::arguments::{self, Mode};
use super::feed::{Counts, Feed, Judge};
use super::gather::Gather;
use super::output::Positions;
use super::report::plain;
use super::results::Open;

/// What a program keeps in its section of the checkpoint.
#[derive(Serialize)]
struct State<'a> {
    lines: u64,
    needed: u64,
    counts: Counts,
    positions: Positions,
    results: u64,
    collisions: u64,
    header: Option<&'a str>,
    open: &'a Open,
    judge: JudgeState<&'a Admission, &'a Unit, &'a Gather>,
    stats: ujoin::Stats,
}

/// The same, read again.
#[derive(Deserialize)]
pub(super) struct Saved {
    lines: u64,
    pub(super) needed: u64,
    pub(super) counts: Counts,
    pub(super) positions: Positions,
    pub(super) results: u64,
    pub(super) collisions: u64,
    pub(super) header: Option<String>,
    pub(super) open: Open,
    judge: JudgeState<Admission, Unit, Gather>,
    pub(super) stats: ujoin::Stats,
    #[serde(skip)]
    pub(super) next: u64,
    #[serde(skip)]
    pub(super) watermark: Option<i64>,
    #[serde(skip)]
    bytes: u64,
    #[serde(skip)]
    payload: PayloadState,
}

#[derive(Serialize, Deserialize)]
enum JudgeState<A, U, G> {
    Rows(A, U),
    Observations(G),
}

impl Saved {
    /// Where the input goes on.
    pub(super) fn position(&self) -> Position {
        Position { bytes: self.bytes, lines: self.lines }
    }

    pub(super) fn judge(&mut self) -> Judge {
        let empty = JudgeState::Observations(Gather::new(0));
        match std::mem::replace(&mut self.judge, empty) {
            JudgeState::Rows(admission, unit) => Judge::Rows { admission, unit },
            JudgeState::Observations(mut gather) => {
                gather.restore();
                Judge::Observations(gather)
            }
        }
    }
}

/// The name of the program's section.
const SECTION: &str = "ujoin run";

/// Where checkpoints go, and what they are of.
pub(super) struct Checkpoints {
    storage: Files,
    name: String,
    path: PathBuf,
    settings: Settings,
    every: u64,
    /// The row after which the next one is written.
    pub(super) due: u64,
    /// Of the rows that are kept.
    rows: Arc<dyn Storage>,
    _lock: ujoin::storage::StorageLock,
}

/// Why there can be none, and what would help.
pub(super) type Refusal = (String, Option<&'static str>);

impl Checkpoints {
    /// Those that the arguments ask for.
    pub(super) fn open(
        arguments: &arguments::Run,
        path: &Path,
        streams: &Streams,
        times: &TravelTimes,
    ) -> Result<Checkpoints, Refusal> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let storage = Files::at(directory.unwrap_or(Path::new(".")));
        let mut rows: OsString = path.as_os_str().to_owned();
        rows.push(".rows");
        let failed = |e: std::io::Error| {
            let place = rows.to_string_lossy();
            match e.kind() {
                ErrorKind::WouldBlock => (
                    format!("another run uses {place}"),
                    Some("wait until it has ended, or name another file with `--checkpoint`"),
                ),
                _ => (format!("cannot use the directory {place}: {}", plain(&e)), None),
            }
        };
        let files = Files::open(&rows).map_err(failed)?;
        let lock = files.lock().map_err(failed)?;
        Ok(Checkpoints {
            storage,
            name,
            path,
            settings: settings(arguments, streams, times),
            every: arguments.keeping.checkpoint_every,
            due: arguments.keeping.checkpoint_every,
            rows: Arc::new(files),
            _lock: lock,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether one is to be written after so many rows.
    pub(super) fn is_due(&self, rows: u64) -> bool {
        rows >= self.due
    }

    /// Removes a checkpoint of an earlier run, before anything is removed that it speaks of.
    pub(super) fn discard(&self) -> Result<(), String> {
        match std::fs::remove_file(&self.path) {
            Err(e) if e.kind() != ErrorKind::NotFound => {
                Err(format!("cannot replace {}: {}", self.path.display(), plain(&e)))
            }
            _ => Ok(()),
        }
    }

    /// The checkpoint, if there is one.
    pub(super) fn load(&self) -> Result<Option<Saved>, String> {
        let loaded = Checkpoint::load(&self.storage, &self.name, &self.settings, |_| {})
            .map_err(|e| e.to_string())?;
        let Some(checkpoint) = loaded else { return Ok(None) };
        let section = checkpoint.sections.get(SECTION).map_or(&[][..], Vec::as_slice);
        let mut saved: Saved = serde_json::from_slice(section)
            .map_err(|e| format!("{} is damaged: {e}", self.path.display()))?;
        saved.next = checkpoint.next_seq;
        saved.watermark = checkpoint.watermark;
        saved.bytes = checkpoint.inputs.first().map_or(0, |input| input.offset);
        saved.payload = checkpoint.payload;
        Ok(Some(saved))
    }

    /// The rows of a checkpoint, or none.
    pub(super) fn rows(
        &self,
        saved: Option<&Saved>,
        limit: usize,
    ) -> Result<PayloadLog, StorageError> {
        let rows = Arc::clone(&self.rows);
        match saved {
            Some(saved) => PayloadLog::recover(rows, limit, &saved.payload),
            None => PayloadLog::create(rows, limit),
        }
    }

    /// Writes one; every result so far has been printed, and the outputs have so much.
    pub(super) fn save(
        &mut self,
        feed: &mut Feed,
        positions: Positions,
        position: Position,
        header: Option<&str>,
    ) -> Result<(), String> {
        let printer = &mut feed.printer;
        let payload = printer.rows.persist().map_err(|e| e.to_string())?;
        printer.rows.prepare(&payload);
        let state = State {
            lines: position.lines,
            needed: feed.needed,
            counts: feed.counts,
            positions,
            results: feed.printer.results,
            collisions: feed.printer.collisions,
            header,
            open: &feed.printer.open,
            judge: match &feed.judge {
                Judge::Rows { admission, unit } => JudgeState::Rows(admission, unit),
                Judge::Observations(gather) => JudgeState::Observations(gather),
            },
            stats: feed.join_stats(),
        };
        let section = serde_json::to_vec(&state).map_err(|e| e.to_string())?;
        let rows = feed.counts.rows;
        let watermark = feed.join.watermark();
        let checkpoint = Checkpoint {
            inputs: vec![InputPosition { offset: position.bytes, rows }],
            next_seq: feed.next,
            watermark: (watermark > i64::MIN).then_some(watermark),
            sink: SinkPosition { bytes: positions.main.bytes, results: positions.main.lines },
            payload: payload.clone(),
            sections: [(SECTION.to_owned(), section)].into(),
            ..Checkpoint::default()
        };
        checkpoint
            .save(&self.storage, &self.name, &self.settings, [])
            .map_err(|e| e.to_string())?;
        feed.printer.rows.pin(&payload);
        self.due = rows.saturating_add(self.every);
        Ok(())
    }
}

/// What has to be the same when a run is gone on with.
fn settings(arguments: &arguments::Run, streams: &Streams, times: &TravelTimes) -> Settings {
    let n = streams.len() as u32;
    let names = (0..n).flat_map(|id| streams.name(id).bytes().chain([0]));
    let pairs = (0..n).flat_map(|from| (0..n).map(move |to| (from, to)));
    let between = |(from, to)| if from == to { 0 } else { times.between(from, to) };
    let matrix = pairs.flat_map(move |pair| between(pair).to_le_bytes());
    let joining = &arguments.joining;
    let reading = &arguments.reading;
    let mode = match joining.mode {
        Mode::Tuple => "tuple",
        Mode::Observation => "observation",
        Mode::Expected => "expected",
    };
    let given = |flag: bool| if flag { "given" } else { "not given" };
    Settings::new()
        .with_bytes("travel times", names.chain(matrix))
        .with("--threshold", joining.threshold)
        .with("--mode", mode)
        .with("--top-k", joining.top_k.unwrap_or(0))
        .with("--slice", joining.slice.unwrap_or(0))
        .with("--lateness", joining.lateness)
        .with("--normalize-plates", given(reading.normalize_plates))
        .with("--exact", given(reading.exact))
        .with("--keep-duplicates", given(reading.keep_duplicates))
        .with("--reject", given(reading.reject.is_some()))
        .with("--late", given(arguments.output.late.is_some()))
        .with("--output", given(arguments.output.output.is_some()))
}
