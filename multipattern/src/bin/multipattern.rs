//! The program `multipattern`: finds many event sequence patterns in CSV and JSON lines.

#[path = "../cli/mod.rs"]
mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
