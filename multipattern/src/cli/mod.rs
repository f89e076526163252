//! The command line: what the arguments mean, and running what they ask for.

mod arguments;
mod detect;
mod help;
mod input;
mod patterns;
mod plan;
mod report;

use std::io::{self, Write};
use std::process::ExitCode;

use arguments::{Arguments, Command};
use clap::Parser;

/// Nothing was found.
const NONE: u8 = 1;
/// The usage, the patterns, the input or the output is at fault.
const FAILED: u8 = 2;

/// Somebody was told what is wrong.
struct Reported;

pub(crate) fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(said) => return say(&said),
    };
    let done = match &arguments.command {
        Command::Detect(detect) => detect::main(detect),
        Command::Plan(plan) => plan::main(plan),
    };
    done.unwrap_or(ExitCode::from(FAILED))
}

/// Prints help, the version or what is wrong with the arguments.
fn say(said: &clap::Error) -> ExitCode {
    let printed = said.print().and_then(|()| io::stdout().flush());
    match printed {
        Err(error) if !said.use_stderr() && error.kind() != io::ErrorKind::BrokenPipe => {
            report::unwritten(&error);
            ExitCode::from(FAILED)
        }
        _ => ExitCode::from(u8::try_from(said.exit_code()).unwrap_or(FAILED)),
    }
}
