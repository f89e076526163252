//! The command line: what the arguments mean, and running what they ask for.

mod arguments;
mod help;
mod input;
mod json;
mod output;
mod progress;
mod report;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use arguments::{Arguments, Command, Explain, Format, Search};
use clap::Parser;
use input::Input;
use output::Printer;
use progress::Progress;
use rpdt::input::Flow;
use rpdt::paper::PaperAutomaton;
use rpdt::{Config, Error, ErrorKind, Matcher, Pattern, Plan, Stats};

/// Nothing was found.
const NONE: u8 = 1;
/// The usage, a query, the document or the output is at fault.
const FAILED: u8 = 2;

/// Size of the buffer through which documents are read.
const READ_BUFFER: usize = 256 << 10;

/// Somebody was told what is wrong.
struct Reported;

pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.command {
        Some(Command::Explain(explain)) => show_automaton(&explain),
        None => search(&arguments.search),
    };
    done.unwrap_or(ExitCode::from(FAILED))
}

fn show_automaton(arguments: &Explain) -> Result<ExitCode, Reported> {
    let pattern = parse(&arguments.query, "query", None)?;
    let automaton = PaperAutomaton::new(&pattern);
    let text = if arguments.dot { automaton.to_dot() } else { automaton.explain() };
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(e) => write_failed(&e),
    }
}

fn search(arguments: &Search) -> Result<ExitCode, Reported> {
    let start = Instant::now();
    let advice = arguments.advice();
    let (queries, file) = arguments.queries_and_file().map_err(|message| {
        report::plain(&message, advice.or(Some("`rpdt --help` shows how to call the program")));
        Reported
    })?;
    let plan = compile(&queries, arguments.config(), advice)?;
    let mut input = Input::open(file.as_deref()).map_err(|message| {
        report::plain(&message, advice);
        Reported
    })?;
    let format = arguments.output.format;
    let limit = arguments.output.limit();
    let mut printer = Printer::new(io::stdout().lock(), format, queries.len(), limit);
    let (stats, result) = run(&plan, &mut printer, &mut input);
    if result.is_ok() {
        printer.finish();
    } else {
        printer.flush();
    }
    if arguments.output.stats {
        tell_stats(&stats, printer.total(), start);
    }
    if let Some(error) = printer.error() {
        return write_failed(error);
    }
    if let Err(error) = result {
        let found = printer.total();
        report::document(&input.name, &error, found, format == Format::Count, input.advice());
        return Err(Reported);
    }
    Ok(if printer.total() > 0 { ExitCode::SUCCESS } else { ExitCode::from(NONE) })
}

/// Runs over the document. Returns what was done, also when that was not all.
fn run<W: Write>(
    plan: &Plan,
    printer: &mut Printer<W>,
    input: &mut Input,
) -> (Stats, Result<(), Error>) {
    let mut progress = Progress::new(input.size);
    let mut matcher = plan.matcher(printer);
    let fed = feed(&mut matcher, input, &mut progress);
    let stats = matcher.stats();
    let result = fed.and_then(|()| matcher.finish().map(|outcome| outcome.stats));
    progress.clear();
    match result {
        Ok(stats) => (stats, Ok(())),
        Err(error) => (stats, Err(error)),
    }
}

fn feed<W: Write>(
    matcher: &mut Matcher<'_, &mut Printer<W>>,
    input: &mut Input,
    progress: &mut Progress,
) -> Result<(), Error> {
    let live = input.is_live();
    let mut buffer = vec![0; READ_BUFFER];
    loop {
        let n = match input.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(n) => n,
            Err(e) => return Err(Error::new(ErrorKind::Io, input::plain(&e))),
        };
        if matcher.feed(&buffer[..n])? == Flow::Stopped {
            return Ok(());
        }
        let printer = matcher.sink_mut();
        if live {
            printer.flush();
        }
        if printer.error().is_some() {
            return Ok(());
        }
        let answers = printer.total();
        progress.update(matcher.stats().bytes, answers);
    }
}

fn parse(query: &str, name: &str, help: Option<&str>) -> Result<Pattern, Reported> {
    Pattern::parse(query).map_err(|error| {
        report::query(name, query, &error, help);
        Reported
    })
}

fn compile(queries: &[String], config: Config, help: Option<&str>) -> Result<Plan, Reported> {
    let name = |i: usize| match queries.len() {
        1 => "query".to_owned(),
        _ => format!("query[{i}]"),
    };
    let mut patterns = Vec::with_capacity(queries.len());
    for (i, query) in queries.iter().enumerate() {
        patterns.push(parse(query, &name(i), help)?);
    }
    Plan::new(patterns.clone(), config.clone()).map_err(|error| {
        // The error does not say which query it is about.
        let alone = patterns.into_iter().enumerate().find_map(|(i, pattern)| {
            Plan::new(vec![pattern], config.clone()).err().map(|error| (i, error))
        });
        match alone {
            Some((i, error)) => report::query(&name(i), &queries[i], &error, None),
            None => report::plain(error.message(), error.hint()),
        }
        Reported
    })
}

/// The output cannot be written.
fn write_failed(error: &io::Error) -> Result<ExitCode, Reported> {
    if error.kind() == io::ErrorKind::BrokenPipe {
        // Whoever read our output has seen enough.
        return Ok(ExitCode::SUCCESS);
    }
    let message = format!("cannot write to the standard output: {}", input::plain(error));
    report::plain(&message, None);
    Err(Reported)
}

fn tell_stats(stats: &Stats, answers: u64, start: Instant) {
    report::tell(format_args!(
        "bytes: {}\ntags: {}\nanswers: {answers}\npeak buffered bytes: {}\nmax depth: {}\n\
         seconds: {:.3}",
        stats.bytes,
        stats.tags,
        stats.peak_buffered_bytes,
        stats.max_depth,
        start.elapsed().as_secs_f64(),
    ));
}
