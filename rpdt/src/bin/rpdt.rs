//! The program `rpdt`: finds regular tree patterns in XML files and streams.

#[path = "../cli/mod.rs"]
mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
