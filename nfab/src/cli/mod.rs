//! The command line.

mod case;
mod compare;
mod replay;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Event patterns over streams.
#[derive(Parser)]
#[command(name = "nfab", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Replays conformance cases and compares what is found with what is expected.
    ///
    /// Prints each failing case with what was expected and what was found, and last how many
    /// passed. Exit status: 0 if all passed, 1 if one failed, 2 if the cases cannot be read.
    Replay {
        /// The cases, one JSON object a line; `.gz` is decompressed, `-` is standard input.
        cases: String,
    },
}

pub(crate) fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Replay { cases } => replay::main(&cases),
    }
}
