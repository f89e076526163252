//! The command line: what the arguments mean, and running what they ask for.

mod arguments;
mod census;
mod help;
mod input;
mod json;
mod limits;
mod output;
mod progress;
mod report;
mod search;
mod why;

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
    let queries = arguments.queries();
    let mut text = String::new();
    for (i, query) in queries.iter().enumerate() {
        let name = name(i, queries.len());
        let pattern = parse(query, &name, None)?;
        let automaton = PaperAutomaton::new(&pattern);
        if arguments.dot {
            text.push_str(&automaton.to_dot());
            continue;
        }
        if queries.len() > 1 {
            let gap = if i == 0 { "" } else { "\n" };
            text.push_str(&format!("{gap}{name}: {query}\n"));
        }
        text.push_str(&automaton.explain());
        let config = Config::new().namespaces(arguments.names.namespaces());
        match Plan::new(vec![pattern], config) {
            Ok(plan) => {
                text.push_str(&format!("\nWith --threads {}.\n", plan.threads_explained(0)));
            }
            // It can be explained, but not run.
            Err(error) => {
                report::tell(format_args!("note: {name} is explained, but cannot be run as it is"));
                report::query(&name, query, &error, None);
            }
        }
    }
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(e) => write_failed(&e),
    }
}

/// What messages call a query.
fn name(i: usize, queries: usize) -> String {
    if queries == 1 { "query".to_owned() } else { format!("query[{i}]") }
}

fn parse(query: &str, name: &str, help: Option<&str>) -> Result<Pattern, Reported> {
    Pattern::parse(query).map_err(|error| {
        report::query(name, query, &error, help);
        Reported
    })
}

fn compile(queries: &[String], config: Config, help: Option<&str>) -> Result<Plan, Reported> {
    let name = |i| name(i, queries.len());
    let mut patterns = Vec::with_capacity(queries.len());
    for (i, query) in queries.iter().enumerate() {
        let pattern = parse(query, &name(i), help)?;
        for test in pattern.nodes().iter().flat_map(|node| &node.value_tests) {
            if test.never_holds() {
                report::tell(format_args!(
                    "warning: {}: `{}` never holds: order is that of numbers, and the literal is \
                     not one",
                    name(i),
                    why::shown_test(test),
                ));
            }
        }
        patterns.push(pattern);
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
