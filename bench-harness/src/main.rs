//! Reproduces every experiment of the papers; the library holds everything.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    bench_harness::cli::main(&bench_harness::experiment::registry())
}
