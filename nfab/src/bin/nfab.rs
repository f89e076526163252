//! The program `nfab`: finds patterns of events in CSV and JSON lines.

#[path = "../cli/mod.rs"]
mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
