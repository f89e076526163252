//! `ujoin run`: joins sightings.

use std::io::ErrorKind as IoErrorKind;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use ujoin::input::{Admission, LoadError, Next, Reader, Streams, Unit, read_travel_times};
use ujoin::mode::Slices;
use ujoin::storage::{Files, PayloadLog, Storage};
use ujoin::{Budget, Config, ErrorKind, Order, SinkError, Spill, TravelTimes};

use super::arguments::{Mode, OrderName, Run};
use super::checkpoint::{Checkpoints, Saved};
use super::feed::{Feed, Judge, Stop, join_threshold};
use super::gather::Gather;
use super::output::Outputs;
use super::progress::Progress;
use super::results::{Printer, Wanted};
use super::source::Source;
use super::{NONE, Reported, report};

/// How long nothing comes before what is owed is worked off.
const IDLE: Duration = Duration::from_millis(50);

pub(super) fn main(arguments: &Run) -> Result<ExitCode, Reported> {
    let wrong = |(message, help): (&str, Option<&str>)| {
        report::error(message, help);
        Reported
    };
    let engine = arguments.running.engine().map_err(|message| wrong((message, None)))?;
    check(arguments).map_err(wrong)?;
    let (streams, times) = travel_times(&arguments.travel_times)?;
    let longest = times.longest();
    let source = Source::open(arguments.file()).map_err(|e| {
        let name = arguments.file().unwrap_or(Path::new("the standard input")).display();
        report::error(format_args!("cannot open {name}: {}", report::plain(&e)), None);
        Reported
    })?;
    keep_apart(arguments)?;
    let keeping = &arguments.keeping;
    let mut checkpoints = match &keeping.checkpoint {
        None => None,
        Some(path) => {
            let opened = Checkpoints::open(arguments, path, &streams, &times);
            Some(opened.map_err(|(message, help)| {
                report::error(message, help);
                Reported
            })?)
        }
    };
    let joining = &arguments.joining;
    let (mode, threshold, lateness) = (joining.mode, joining.threshold, joining.lateness);
    let config = Config::new(times)
        .engine(engine)
        .threshold(join_threshold(mode, threshold))
        // Observations are held back until they are complete, and come in the order of time.
        .lateness(if mode == Mode::Observation { 0 } else { lateness })
        .slots(arguments.running.slots as usize)
        .threads(arguments.running.threads.unwrap_or(0).into())
        .order(match arguments.output.order {
            OrderName::Fast => Order::Fast,
            OrderName::Deterministic => Order::Deterministic,
        });
    let spill = spill(arguments)?;
    let config = match &spill {
        Some(spill) => config.spill(spill.join.clone()),
        None => config,
    };
    let join = config.build().map_err(|e| {
        report::error(e, None);
        Reported
    })?;

    let name = source.name.clone();
    let format = arguments.reading.format().or(source.format());
    let fields = ujoin::input::Fields {
        normalize_plates: arguments.reading.normalize_plates,
        exact: arguments.reading.exact,
    };
    let mut reader = Reader::new(source, format, streams, fields).map_err(|e| {
        report::unloaded(&name, &e, None);
        Reported
    })?;
    let mut saved = match &checkpoints {
        Some(checkpoints) if keeping.resume => checkpoints.load().map_err(refused)?,
        Some(checkpoints) => checkpoints.discard().map(|()| None).map_err(refused)?,
        None => None,
    };
    if let Some(saved) = &saved {
        go_on(&mut reader, saved, &name)?;
    }
    let limit = spill.as_ref().map_or(usize::MAX, |spill| spill.rows);
    let rows = match (&checkpoints, spill) {
        (Some(checkpoints), _) => checkpoints.rows(saved.as_ref(), limit),
        (None, Some(spill)) if limit < usize::MAX => PayloadLog::create(spill.storage, limit),
        (None, _) => Ok(PayloadLog::in_memory()),
    };
    let rows = rows.map_err(|e| refused(e.to_string()))?;
    let before = saved.as_ref().map(|saved| saved.positions);
    let mut outputs = Outputs::open(arguments, before).map_err(|(path, e)| {
        report::unwritten(&e, Some(&path));
        Reported
    })?;
    match &saved {
        None => outputs.begin(reader.header_row()),
        Some(saved) if !outputs.main.is_file() => {
            let (lines, bytes) = (saved.positions.main.lines, saved.positions.main.bytes);
            let lines = if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
            report::note(&format!(
                "going on behind {} rows; {lines} of output ({bytes} bytes) were delivered before",
                saved.counts.rows
            ));
        }
        Some(_) => {}
    }
    let top_k = joining.top_k.map(|k| k as usize);
    let slices = match mode == Mode::Expected || top_k.is_some() {
        true => Slices::new(joining.slice.unwrap_or(longest).max(1)),
        false => None,
    };
    let wanted = Wanted { mode, threshold, top_k, slices };
    let making = (reader.row_reader(), reader.row_writer());
    let mut printer = Printer::new(outputs, rows, making, wanted);
    let mut judge = match mode {
        Mode::Observation => Judge::Observations(Gather::new(lateness)),
        _ => {
            let keep = arguments.reading.keep_duplicates;
            let admission = Admission::new(lateness).keep_duplicates(keep);
            Judge::Rows { admission, unit: Unit::default() }
        }
    };
    if let Some(saved) = &mut saved {
        judge = saved.judge();
        printer.open = std::mem::take(&mut saved.open);
        (printer.results, printer.collisions) = (saved.results, saved.collisions);
    }
    let mut feed = Feed::new(join, printer, judge, longest, (mode, threshold));
    let mut begun = Ok(());
    if let Some(saved) = &saved {
        feed.counts = saved.counts;
        let places = (saved.next, saved.needed);
        begun = feed.replay(&mut reader.row_reader(), places, saved.watermark, saved.stats);
        if let Some(checkpoints) = &mut checkpoints {
            checkpoints.due = saved.counts.rows.saturating_add(keeping.checkpoint_every);
        }
    }
    Running { arguments, reader, feed, checkpoints }.finish(begun)
}

/// What is wrong with the arguments together, and what would help.
fn check(arguments: &Run) -> Result<(), (&'static str, Option<&'static str>)> {
    let joining = &arguments.joining;
    arguments.memory.policy().map_err(|message| (message, None))?;
    if joining.slice.is_some() && joining.top_k.is_none() && joining.mode != Mode::Expected {
        let help = "results are printed as they are found, without slices of time";
        return Err(("`--slice` is for `--top-k` and `--mode expected`", Some(help)));
    }
    if arguments.reading.keep_duplicates && joining.mode == Mode::Observation {
        let help = "alternatives of one observation exclude each other, so none counts twice";
        return Err(("`--keep-duplicates` is not for `--mode observation`", Some(help)));
    }
    Ok(())
}

/// What is done when memory is short.
struct Spilling {
    join: Spill,
    storage: Arc<dyn Storage>,
    /// How many bytes of rows stay in memory.
    rows: usize,
}

fn spill(arguments: &Run) -> Result<Option<Spilling>, Reported> {
    let memory = &arguments.memory;
    let Some(budget) = memory.memory else { return Ok(None) };
    let policy = memory.policy().map_err(|message| {
        report::error(message, None);
        Reported
    })?;
    let files = match &memory.spill_dir {
        Some(directory) => Files::open(directory),
        None => Files::temporary(),
    };
    let storage: Arc<dyn Storage> = Arc::new(files.map_err(|e| {
        let place = memory.spill_dir.as_deref().unwrap_or(Path::new("for temporary files"));
        let why = report::plain(&e);
        report::error(format_args!("cannot use the directory {}: {why}", place.display()), None);
        Reported
    })?);
    let (budget, rows) = match budget {
        Budget::Bytes(bytes) => (Budget::Bytes(bytes / 2), bytes - bytes / 2),
        entries @ Budget::Entries(_) => (entries, usize::MAX),
    };
    let join = Spill::new(budget, policy, Arc::clone(&storage));
    Ok(Some(Spilling { join, storage, rows }))
}

fn travel_times(path: &Path) -> Result<(Streams, TravelTimes), Reported> {
    let bytes = std::fs::read(path).map_err(LoadError::Io);
    bytes.and_then(|bytes| read_travel_times(&bytes)).map_err(|e| {
        report::unloaded(&path.display().to_string(), &e, None);
        Reported
    })
}

fn refused(message: String) -> Reported {
    report::error(message, Some("without `--resume` a run begins anew"));
    Reported
}

/// Goes on behind the rows that were read before a checkpoint.
fn go_on(reader: &mut Reader<Source>, saved: &Saved, name: &str) -> Result<(), Reported> {
    let position = saved.position();
    let refuse = |what: String| {
        let help = "a run goes on with the same input, read from its beginning";
        report::error(format_args!("the checkpoint is of another input: {what}"), Some(help));
        Reported
    };
    if saved.header.as_deref() != reader.header_row() {
        return Err(refuse(format!("the header of {name} differs")));
    }
    let short = || refuse(format!("{name} is shorter than the {} bytes read", position.bytes));
    if reader.get_ref().size.is_some_and(|size| size < position.bytes) {
        return Err(short());
    }
    match reader.get_mut().seek(position.bytes) {
        Ok(true) => {
            reader.moved_to(position);
            Ok(())
        }
        Ok(false) => match reader.skip_to(position) {
            Ok(()) => Ok(()),
            Err(LoadError::Io(e)) if e.kind() == IoErrorKind::UnexpectedEof => Err(short()),
            Err(e) => {
                report::unloaded(name, &e, None);
                Err(Reported)
            }
        },
        Err(e) => {
            report::unloaded(name, &LoadError::Io(e), None);
            Err(Reported)
        }
    }
}

/// Refuses to write to a file that is read, or twice to one.
fn keep_apart(arguments: &Run) -> Result<(), Reported> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (output, reading) = (&arguments.output, &arguments.reading);
    let read = [arguments.file(), Some(&arguments.travel_times)];
    let written = [&output.output, &output.late, &reading.reject, &arguments.keeping.checkpoint];
    let written: Vec<&Path> = written.into_iter().filter_map(|path| path.as_deref()).collect();
    for (at, one) in written.iter().enumerate() {
        let mut others = read.into_iter().flatten().chain(written[..at].iter().copied());
        // Devices can be written to many times.
        let is_file = std::fs::metadata(one).map_or(true, |metadata| metadata.is_file());
        if is_file && others.any(|other| real(one) == real(other)) {
            let name = one.display();
            report::error(format_args!("{name} is named twice, and would be overwritten"), None);
            return Err(Reported);
        }
    }
    Ok(())
}

/// Why a run ended before its input.
enum End {
    Stop(Stop),
    Load(LoadError),
    Unsaved(String),
}

impl From<Stop> for End {
    fn from(stop: Stop) -> End {
        End::Stop(stop)
    }
}

/// All that takes part in a run.
struct Running<'a> {
    arguments: &'a Run,
    reader: Reader<Source>,
    feed: Feed,
    checkpoints: Option<Checkpoints>,
}

impl Running<'_> {
    fn finish(mut self, begun: Result<(), Stop>) -> Result<ExitCode, Reported> {
        let result = begun.map_err(End::Stop).and_then(|()| self.rows());
        if let Err(End::Stop(Stop::Fault(_)) | End::Load(_) | End::Unsaved(_)) = &result {
            // What went wrong first is told.
            let _ = self.feed.pause();
        }
        self.feed.printer.outputs.flush();
        if self.arguments.output.stats {
            self.tell_stats();
        }
        if let Some((error, path)) = self.feed.printer.outputs.error() {
            if error.kind() == IoErrorKind::BrokenPipe && path.is_none() {
                // Whoever read our output has seen enough.
                return Ok(ExitCode::SUCCESS);
            }
            report::unwritten(error, path);
            return Err(Reported);
        }
        let printed = self.feed.printer.results;
        let name = &self.reader.get_ref().name;
        let Err(end) = result else {
            self.warn();
            return Ok(if printed > 0 { ExitCode::SUCCESS } else { ExitCode::from(NONE) });
        };
        match end {
            End::Stop(Stop::Fault(fault)) => report::fault(name, &fault, Some(printed)),
            End::Load(error) => report::unloaded(name, &error, Some(printed)),
            End::Unsaved(error) => {
                report::stopped(&format!("cannot write the checkpoint: {error}"), None, printed);
            }
            End::Stop(Stop::Rows(error)) => {
                let help = "`--spill-dir DIR` names a directory with more room";
                report::stopped(&error, Some(help), printed);
            }
            End::Stop(Stop::Join(error)) => {
                let help = match error.kind() {
                    ErrorKind::SpillFull(_) => {
                        Some("`--spill-dir DIR` names a directory with more room")
                    }
                    _ => None,
                };
                match error.kind() {
                    ErrorKind::Sink(SinkError::Failed(error)) => {
                        report::stopped(error, None, printed);
                    }
                    error => report::stopped(error, help, printed),
                }
            }
            End::Stop(Stop::Output) => {}
        }
        Err(Reported)
    }

    /// Joins all rows.
    fn rows(&mut self) -> Result<(), End> {
        if self.checkpoints.as_ref().is_some_and(|_| self.feed.counts.rows == 0) {
            // It takes the place of one of an earlier run, to which this output does not fit.
            self.save()?;
        }
        let live = self.reader.get_ref().is_live();
        let elsewhere = self.arguments.output.output.is_some();
        let mut progress = Progress::new(self.reader.get_ref().size, elsewhere);
        let result = loop {
            let step = match self.reader.next() {
                Next::Sighting => {
                    let sighting = self.reader.sighting();
                    self.feed.take(&sighting, self.reader.streams())
                }
                Next::Bad(fault) => {
                    self.feed.bad(fault, self.reader.bad_row(), self.reader.streams())
                }
                Next::Pause => {
                    self.feed.settle(self.reader.streams()).and_then(|()| self.feed.pause())
                }
                Next::More => {
                    if let Err(end) = self.more(live, &mut progress) {
                        break Err(end);
                    }
                    continue;
                }
                Next::End => break Ok(()),
            };
            if let Err(stop) = step {
                break Err(stop.into());
            }
            let rows = self.feed.counts.rows;
            if self.checkpoints.as_ref().is_some_and(|checkpoints| checkpoints.is_due(rows))
                && let Err(end) = self.save()
            {
                break Err(end);
            }
        };
        progress.clear();
        result?;
        // Whoever finds that the input has grown goes on from here, as if it had not ended.
        self.save()?;
        Ok(self.feed.finish(self.reader.streams())?)
    }

    /// Reads more. While nothing comes, what is owed is worked off.
    fn more(&mut self, live: bool, progress: &mut Progress) -> Result<(), End> {
        if live {
            self.feed.flush()?;
            self.feed.printer.outputs.flush();
            while !self.reader.get_mut().wait(IDLE) {
                let more = self.feed.drain()?;
                self.feed.printer.outputs.flush();
                if !more {
                    break;
                }
            }
        }
        let printer = &self.feed.printer;
        if printer.outputs.error().is_some() {
            return Err(Stop::Output.into());
        }
        progress.update(self.reader.bytes(), self.feed.counts.rows, printer.results);
        self.reader.fill().map_err(End::Load)
    }

    /// Writes a checkpoint, if any are wanted.
    fn save(&mut self) -> Result<(), End> {
        let Some(checkpoints) = &mut self.checkpoints else { return Ok(()) };
        self.feed.pause()?;
        let outputs = &mut self.feed.printer.outputs;
        let positions = outputs.deliver();
        if outputs.error().is_some() {
            // What could not be written is not delivered: the checkpoint before this one counts.
            return Err(Stop::Output.into());
        }
        let (position, header) = (self.reader.position(), self.reader.header_row());
        checkpoints.save(&mut self.feed, positions, position, header).map_err(|error| {
            let path = checkpoints.path().display();
            End::Unsaved(format!("{path}: {error}"))
        })
    }

    fn tell_stats(&self) {
        /// In the order of the fields.
        #[derive(serde::Serialize)]
        struct All {
            #[serde(flatten)]
            stats: ujoin::Stats,
            collisions: u64,
        }
        let all = All { stats: self.feed.stats(), collisions: self.feed.printer.collisions };
        report::tell(serde_json::to_string(&all).unwrap_or_default());
    }

    /// What did not fail and yet should be known.
    fn warn(&self) {
        let stats = self.feed.stats();
        let of = |n: u64, one: &str, many: &str| {
            if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
        };
        if stats.late > 0 && self.arguments.output.late.is_none() {
            let what = of(stats.late, "sighting came", "sightings came");
            report::warning(
                &format!(
                    "{what} too late and {} left out",
                    if stats.late == 1 { "was" } else { "were" }
                ),
                Some("`--lateness TIME` waits for them; `--late FILE` writes them to a file"),
            );
        }
        if stats.rejected > 0 {
            let what = of(stats.rejected, "row was", "rows were");
            report::warning(&format!("{what} set aside"), None);
        }
        if stats.rounded > 0 {
            let what = of(stats.rounded, "number was", "numbers were");
            report::note(&format!("{what} rounded to 9 digits behind the point"));
        }
    }
}
