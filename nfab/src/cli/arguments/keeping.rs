//! Checkpoints on the command line, and which arguments they depend on.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{Format, Search};

/// How far the run has come is kept.
#[derive(Args, Debug)]
#[command(next_help_heading = "Checkpoints")]
pub(super) struct Keeping {
    /// Write to a file, now and then, how far the run has come; see --resume.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Write it after every N rows of the input, and at its end.
    #[arg(long, value_name = "N", default_value_t = 100_000, requires = "checkpoint",
          value_parser = clap::value_parser!(u64).range(1..))]
    checkpoint_every: u64,
    /// Go on from the checkpoint; from the beginning if there is none yet.
    #[arg(long, requires = "checkpoint")]
    resume: bool,
}

impl Search {
    /// The file of the checkpoints.
    pub(crate) fn checkpoint(&self) -> Option<&Path> {
        self.keeping.checkpoint.as_deref()
    }

    /// How many rows lie between two checkpoints.
    pub(crate) fn checkpoint_every(&self) -> u64 {
        self.keeping.checkpoint_every
    }

    /// Whether to go on from the checkpoint.
    pub(crate) fn resumes(&self) -> bool {
        self.keeping.resume
    }

    /// What has to be the same when a run is gone on with: of all that can be chosen only limits,
    /// places of files and what to do with bad rows may change.
    pub(crate) fn essentials(&self) -> Vec<String> {
        let Search { reading, output, matching, running, .. } = self;
        let format = match output.format() {
            Format::Count => "--count".to_owned(),
            format => value("--format", Some(&name(&format))),
        };
        let limit = output.limit().map(|limit| limit.to_string());
        vec![
            format,
            flag("--timeouts", output.timeouts),
            value("--limit", limit.as_ref()),
            flag("--output", output.output.is_some()),
            flag("--late", output.late.is_some()),
            value("--input-format", reading.input_format.as_ref().map(name).as_ref()),
            value("--type-column", reading.type_column.as_ref()),
            value("--type", reading.given_type.as_ref()),
            value("--time-column", reading.time_column.as_ref()),
            value("--time-unit", Some(&name(&reading.time_unit))),
            value(
                "--lateness",
                Some(&reading.lateness.within(reading.time_unit.unit()).to_string()),
            ),
            flag("--each", matching.each),
            flag("--maximal", matching.maximal),
            value("--evaluation", matching.evaluation.as_ref().map(name).as_ref()),
            value("--end-of-input", Some(&name(&running.end_of_input))),
            value("--hold-back", Some(&name(&running.hold_back))),
            value("--history", Some(&name(&running.history))),
        ]
    }
}

fn name(choice: &impl ValueEnum) -> String {
    choice.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn flag(name: &str, given: bool) -> String {
    if given { name.to_owned() } else { format!("no {name}") }
}

fn value(name: &str, value: Option<&String>) -> String {
    value.map_or_else(|| format!("no {name}"), |value| format!("{name} {value}"))
}
