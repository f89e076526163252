//! `multipattern detect`.

use std::io::{self, BufWriter, StdoutLock, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;

use multipattern::{
    Config, Count, Detector, ErrorKind, Level, Limits, Match, PatternId, PatternSet, Policy, Sink,
    Window,
};

use super::arguments;
use super::input::{Fault, Input, Wanted, uses};
use super::patterns::{self, is_stdin};
use super::{NONE, Reported, report};

/// Prints matches, or counts them.
struct Printer {
    out: BufWriter<StdoutLock<'static>>,
    /// The ids of the patterns, as JSON.
    ids: Vec<String>,
    counts: Option<Count>,
    found: u64,
    line: Vec<u8>,
    failed: Option<io::Error>,
}

impl Sink for Printer {
    fn level(&self) -> Level {
        if self.counts.is_some() { Level::Count } else { Level::Matches }
    }

    fn count(&mut self, pattern: PatternId, last: u64, matches: u64) -> ControlFlow<()> {
        self.found = self.found.saturating_add(matches);
        self.counts
            .as_mut()
            .map_or(ControlFlow::Continue(()), |counts| counts.count(pattern, last, matches))
    }

    fn matched(&mut self, found: Match<'_>) -> ControlFlow<()> {
        self.found += 1;
        self.line.clear();
        let id = &self.ids[found.pattern.index()];
        // Writing into memory does not fail.
        let _ = write!(self.line, "{{\"pattern\":{id},\"events\":[");
        for (at, event) in found.events.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            let _ = write!(self.line, "{comma}{event}");
        }
        self.line.extend_from_slice(b"]}\n");
        match self.out.write_all(&self.line) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}

impl Printer {
    fn flush(&mut self) {
        if self.failed.is_none() {
            self.failed = self.out.flush().err();
        }
    }

    fn finish(&mut self) {
        if let Some(counts) = self.counts.take() {
            for (number, id) in self.ids.iter().enumerate() {
                let count = counts.by_pattern.get(number).copied().unwrap_or(0);
                let line = writeln!(self.out, "{{\"pattern\":{id},\"count\":{count}}}");
                if let Err(error) = line {
                    self.failed = Some(error);
                    return;
                }
            }
        }
        self.flush();
    }
}

/// The attributes of the partition key.
fn key(arguments: &arguments::Detect) -> impl Iterator<Item = &str> {
    arguments.partition_by.iter().map(String::as_str).filter(|name| !name.is_empty())
}

fn wanted(arguments: &arguments::Detect, set: &PatternSet, detector: &Detector) -> Wanted {
    let timed = |window| matches!(window, Window::Time(..));
    Wanted {
        type_column: arguments.type_column.clone(),
        time_column: arguments.time_column.clone(),
        unit: arguments.time_unit.unit(),
        timed: set.patterns().iter().any(|pattern| timed(set.window_of(pattern))),
        attributes: detector.schema().attributes().map(str::to_owned).collect(),
        uses: uses(set, detector.schema(), key(arguments)),
        types: detector.schema().clone(),
    }
}

pub(super) fn main(arguments: &arguments::Detect) -> Result<ExitCode, Reported> {
    let from_stdin = arguments.file.as_deref().is_none_or(is_stdin);
    if is_stdin(&arguments.patterns.patterns) && from_stdin {
        let help = "name a file for one of them";
        let title = "patterns and events cannot both come from the standard input";
        report::message("error", title, None, Some(help));
        return Err(Reported);
    }
    let mut set = PatternSet::new();
    set.set_semantics(arguments.semantics.semantics());
    set.set_time_unit(arguments.time_unit.unit());
    patterns::read(&arguments.patterns.patterns, &mut set)?;
    let mut limits = Limits::default();
    limits.partitions = arguments.max_partitions.unwrap_or(limits.partitions);
    let config =
        Config::new().method(arguments.method.method()).partition_by(key(arguments)).limits(limits);
    let mut detector = Detector::with_config(&set, config).map_err(|error| {
        report::message("error", error.message(), None, error.hint());
        Reported
    })?;
    let quote = |id: &str| serde_json::Value::from(id).to_string();
    let mut printer = Printer {
        out: BufWriter::with_capacity(1 << 16, io::stdout().lock()),
        ids: set.patterns().iter().map(|pattern| quote(pattern.id())).collect(),
        counts: arguments.count.then(Count::default),
        found: 0,
        line: Vec::new(),
        failed: None,
    };
    let wanted = wanted(arguments, &set, &detector);
    let opened = Input::open(arguments.file.as_deref(), arguments.input_format, wanted);
    let mut input = opened.map_err(|fault| {
        let name = arguments.file.as_deref().filter(|path| !is_stdin(path));
        let name = name.map_or("standard input".into(), |path| path.display().to_string());
        input_fault(&name, &fault);
        Reported
    })?;
    let read = read(&mut input, &mut detector, &mut printer);
    if read.is_ok() || printer.counts.is_none() {
        printer.finish();
    }
    if arguments.stats {
        match serde_json::to_string(&detector.stats()) {
            Ok(stats) => report::tell(stats),
            Err(error) => report::message("error", &error.to_string(), None, None),
        }
    }
    if let Some(error) = &printer.failed {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Ok(ExitCode::SUCCESS);
        }
        report::unwritten(error);
        return Err(Reported);
    }
    read?;
    input.note_missing();
    if limits.partitions.policy != Policy::Error {
        warn_dropped(detector.stats().dropped_partitions, limits.partitions.policy);
    }
    Ok(if printer.found > 0 { ExitCode::SUCCESS } else { ExitCode::from(NONE) })
}

/// Says that matches may be missing.
fn warn_dropped(dropped: u64, policy: Policy) {
    let what = match (policy, dropped) {
        (_, 0) => return,
        (Policy::DropNewest, 1) => "1 event of a new partition was".to_owned(),
        (Policy::DropNewest, n) => format!("{n} events of new partitions were"),
        (_, 1) => "1 partition was".to_owned(),
        (_, n) => format!("{n} partitions were"),
    };
    let title = format!("{what} dropped by --max-partitions: matches may be missing");
    report::message("warning", &title, None, None);
}

fn input_fault(name: &str, fault: &Fault) {
    let place = (fault.line > 0).then(|| format!("{name}: line {}", fault.line));
    report::message("error", &fault.message, place.as_deref(), fault.hint.as_deref());
}

fn read(input: &mut Input, detector: &mut Detector, printer: &mut Printer) -> Result<(), Reported> {
    // Somebody may wait at the other end.
    let prompt = input.is_stdin;
    let name = input.name.clone();
    loop {
        let next = input.next().map_err(|fault| {
            input_fault(&name, &fault);
            Reported
        })?;
        let Some((row, line)) = next else { return Ok(()) };
        let before = printer.found;
        match detector.push(row, printer) {
            Ok(_) => {}
            Err(error) => {
                let place = format!("{name}: line {line}");
                let help = match error.kind() {
                    ErrorKind::Order => Some("sort the events by their times"),
                    // Of the limits that a stream reaches, that on partitions has no advice that
                    // would fit a library and a program.
                    ErrorKind::Limit => {
                        error.hint().or(Some("use windows of time, or --max-partitions"))
                    }
                    _ => error.hint(),
                };
                report::message("error", error.message(), Some(&place), help);
                return Err(Reported);
            }
        }
        if prompt && printer.found > before && printer.counts.is_none() {
            printer.flush();
        }
        if printer.failed.is_some() {
            return Ok(());
        }
    }
}
