//! The program `ujoin`: joins uncertain sightings in CSV and JSON lines.

#[path = "../cli/mod.rs"]
mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
