//! The command line: what the arguments mean, and running what they ask for.

mod arguments;
mod detect;
mod help;
mod input;
mod patterns;
mod plan;
mod report;

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
    let arguments = Arguments::parse();
    let done = match &arguments.command {
        Command::Detect(detect) => detect::main(detect),
        Command::Plan(plan) => plan::main(plan),
    };
    done.unwrap_or(ExitCode::from(FAILED))
}
