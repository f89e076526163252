//! `nfab replay`: runs conformance cases.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;

use flate2::read::MultiGzDecoder;
use nfab::{
    Automaton, Cause as EngineCause, CompileOptions, Config, EndOfInput, Engine, Events, Match,
    Record, Sink, TimedOut,
};

use super::case::Case;
use super::compare::{Cause, Output, agree, expected};
use super::report;

/// A case did not pass.
const DIFFERS: u8 = 1;
/// The cases cannot be read.
const UNREADABLE: u8 = 2;

pub(super) fn main(path: &str) -> ExitCode {
    let input = open(path).map_err(Stopped::Input);
    match input.and_then(|input| replay_all(input, &mut io::stdout().lock())) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(DIFFERS),
        Err(stopped) => {
            match stopped {
                Stopped::Input(error) => report::tell(format_args!("nfab: {path}: {error}")),
                Stopped::Output(error) => report::unwritten(&error),
            }
            ExitCode::from(UNREADABLE)
        }
    }
}

/// Why not all cases were replayed.
enum Stopped {
    Input(io::Error),
    Output(io::Error),
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Stopped::Input(error)
    }
}

impl Stopped {
    /// A failed write. Whoever closed our output has seen enough.
    fn writing(error: io::Error, failed: u64) -> Result<u64, Self> {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Ok(failed),
            _ => Err(Stopped::Output(error)),
        }
    }
}

fn open(path: &str) -> io::Result<Box<dyn BufRead>> {
    if path == "-" {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let file: Box<dyn Read> = if path.ends_with(".gz") {
        Box::new(MultiGzDecoder::new(File::open(path)?))
    } else {
        Box::new(File::open(path)?)
    };
    Ok(Box::new(BufReader::new(file)))
}

/// Replays all cases; gives how many failed.
fn replay_all(input: impl BufRead, out: &mut impl Write) -> Result<u64, Stopped> {
    let (mut passed, mut failed) = (0u64, 0u64);
    for (number, line) in input.lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let (id, result) = match serde_json::from_str::<Case>(&line) {
            Ok(case) => {
                let result = replay(&case);
                (case.id, result)
            }
            Err(error) => {
                // Text that is not JSON is not a case; JSON that is no case fails as one.
                let json: serde_json::Value = serde_json::from_str(&line).map_err(|e| {
                    io::Error::new(io::ErrorKind::InvalidData, format!("line {}: {e}", number + 1))
                })?;
                let id = json.get("id").and_then(|id| id.as_str()).map(str::to_owned);
                let id = id.unwrap_or_else(|| format!("line {}", number + 1));
                (id, Err(format!("  not a case: {error}\n")))
            }
        };
        match result {
            Ok(()) => passed += 1,
            Err(report) => {
                failed += 1;
                if let Err(error) = write!(out, "FAILED {id}\n{report}") {
                    return Stopped::writing(error, failed);
                }
            }
        }
    }
    let told = writeln!(out, "{passed} passed, {failed} failed").and_then(|()| out.flush());
    told.map_or_else(|error| Stopped::writing(error, failed), |()| Ok(failed))
}

/// Output of the engine in the terms of a case.
struct Recorder<'c> {
    ids: &'c [i64],
    matches: Vec<Output>,
    timed_out: Vec<Output>,
}

impl Recorder<'_> {
    fn output(&self, cause: EngineCause, deadline: Option<i64>, e: Events<'_, Record>) -> Output {
        let mut stages: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        for ((stage, _), number) in e.iter().zip(e.numbers()) {
            stages.entry(stage.to_owned()).or_default().push(self.ids[number as usize]);
        }
        let cause = match cause {
            EngineCause::Event(number) => Cause::Event(self.ids[number as usize]),
            EngineCause::Time(t) => Cause::Time(t),
            EngineCause::End => Cause::End,
        };
        Output { cause, deadline, stages }
    }
}

impl Sink<Record> for Recorder<'_> {
    fn matched(&mut self, found: &Match<'_, Record>) -> ControlFlow<()> {
        let output = self.output(found.cause(), None, found.events());
        self.matches.push(output);
        ControlFlow::Continue(())
    }

    fn timed_out(&mut self, partial: &TimedOut<'_, Record>) -> ControlFlow<()> {
        let output = self.output(partial.cause(), Some(partial.deadline()), partial.events());
        self.timed_out.push(output);
        ControlFlow::Continue(())
    }
}

/// Replays one case; a failure is described in lines.
fn replay(case: &Case) -> Result<(), String> {
    let problem = |error: &dyn std::fmt::Display| format!("  error: {error}\n");
    let want = expected(&case.matches, false).map_err(|e| problem(&e))?;
    let want_timed_out = expected(&case.timed_out, true).map_err(|e| problem(&e))?;
    let prepared = case.prepare().map_err(|e| problem(&e))?;
    let options = CompileOptions::new().follow_flink(true);
    let automaton = Automaton::compile_with(&prepared.pattern, &prepared.schema, options)
        .map_err(|e| problem(&e))?;
    let config = Config::new().end_of_input(EndOfInput::Max).timeouts(true);
    let mut engine = Engine::with_config(automaton, config);
    let ids: Vec<i64> = case.stream.iter().map(|e| e.id).collect();
    let mut recorder = Recorder { ids: &ids, matches: Vec::new(), timed_out: Vec::new() };
    for event in prepared.events {
        engine.push(event, &mut recorder).map_err(|e| problem(&e))?;
    }
    engine.finish(&mut recorder).map_err(|e| problem(&e))?;
    if engine.stats().late > 0 {
        return Err("  error: the stream is not in the order of time\n".to_owned());
    }
    // The engine reports each match once.
    let as_set = case.features.iter().any(|f| f == "duplicate_matches");
    let mut report = String::new();
    describe(&mut report, "matches", &want, &recorder.matches, as_set);
    describe(&mut report, "timed_out", &want_timed_out, &recorder.timed_out, true);
    if report.is_empty() { Ok(()) } else { Err(report) }
}

fn describe(report: &mut String, what: &str, want: &[Output], got: &[Output], as_set: bool) {
    if agree(want, got, as_set) {
        return;
    }
    for (title, list) in [("expected", want), ("got", got)] {
        report.push_str(&format!("  {what}, {title}:\n"));
        for output in list {
            report.push_str(&format!("    {output}\n"));
        }
        if list.is_empty() {
            report.push_str("    none\n");
        }
    }
}
