//! The command line: what the arguments mean, and running what they ask for.

mod arguments;
mod case;
mod checkpoint;
mod compare;
mod explain;
mod help;
mod input;
mod lists;
mod matcher;
mod names;
mod output;
mod progress;
mod replay;
mod report;
mod row;
mod search;
mod summary;

use std::io::{self, Write};
use std::process::ExitCode;

use arguments::{Arguments, Command};
use clap::Parser;

/// Nothing was found.
const NONE: u8 = 1;
/// The usage, the query, the input or the output is at fault.
const FAILED: u8 = 2;

/// Somebody was told what is wrong.
struct Reported;

pub(crate) fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(said) => return say(&said),
    };
    let done = match &arguments.command {
        Some(Command::Replay { cases }) => return replay::main(cases),
        Some(Command::Explain(explain)) => explain::main(explain),
        None => search::main(&arguments.search),
    };
    done.unwrap_or(ExitCode::from(FAILED))
}

/// Prints help, the version or what is wrong with the arguments.
fn say(said: &clap::Error) -> ExitCode {
    if said.kind() == clap::error::ErrorKind::ArgumentConflict {
        // One line says it; the usage that `clap` adds says nothing about it.
        let text = said.to_string();
        let line = text.lines().next().unwrap_or_default();
        let help = match line.contains("--count") {
            true => "`--count` prints a number in place of matches; leave one of them out",
            false => "leave one of them out",
        };
        report::plain(line.strip_prefix("error: ").unwrap_or(line), Some(help));
        return ExitCode::from(FAILED);
    }
    let printed = said.print().and_then(|()| io::stdout().flush());
    match printed {
        Err(error) if !said.use_stderr() && error.kind() != io::ErrorKind::BrokenPipe => {
            report::unwritten(&error);
            ExitCode::from(FAILED)
        }
        _ => ExitCode::from(u8::try_from(said.exit_code()).unwrap_or(FAILED)),
    }
}
