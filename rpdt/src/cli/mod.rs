//! The command line: what the arguments mean, and running what they ask for.

mod arguments;
mod help;
mod input;
mod json;
mod output;
mod progress;
mod report;
mod search;

use std::io::{self, Write};
use std::process::ExitCode;

use arguments::{Arguments, Command, Explain};
use clap::Parser;
use rpdt::paper::PaperAutomaton;
use rpdt::{Config, Pattern, Plan};

/// The usage, a query, the document or the output is at fault.
const FAILED: u8 = 2;

/// Somebody was told what is wrong.
struct Reported;

pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.command {
        Some(Command::Explain(explain)) => show_automaton(&explain),
        None => search::search(&arguments.search),
    };
    done.unwrap_or(ExitCode::from(FAILED))
}

fn show_automaton(arguments: &Explain) -> Result<ExitCode, Reported> {
    let pattern = parse(&arguments.query, "query", None)?;
    let automaton = PaperAutomaton::new(&pattern);
    let mut text = if arguments.dot { automaton.to_dot() } else { automaton.explain() };
    // A query with prefixes that nobody declares can be explained, but not run.
    if let Ok(plan) = Plan::new(vec![pattern], Config::new())
        && !arguments.dot
    {
        text.push_str(&format!("\nWith --threads {}.\n", plan.threads_explained(0)));
    }
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(e) => write_failed(&e),
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
