//! The program `data-gen`: writes data sets to files or to the standard output.

#[path = "../cli/mod.rs"]
mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
