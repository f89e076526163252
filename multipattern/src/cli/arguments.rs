//! What can be written on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use multipattern::{Limit, Method, Policy, Semantics, TimeUnit};

use super::help;

/// Finds many event sequence patterns in one pass over CSV or JSON lines, files and streams.
#[derive(Parser, Debug)]
#[command(
    name = "multipattern",
    version,
    long_about = help::ABOUT,
    after_help = help::EXAMPLES,
    max_term_width = 100
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Find all matches of all patterns.
    #[command(after_long_help = format!("{}\n\n{}", help::PATTERNS, help::DETECT))]
    Detect(Detect),
    /// Show the models of a set of patterns, what they share and what they cost.
    #[command(after_long_help = format!("{}\n\n{}", help::PATTERNS, help::PLAN))]
    Plan(Plan),
}

#[derive(Args, Debug)]
pub(crate) struct Patterns {
    /// The file of the patterns; `-` is the standard input.
    #[arg(short, long = "patterns", value_name = "FILE")]
    pub(crate) patterns: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct Detect {
    #[command(flatten)]
    pub(crate) patterns: Patterns,
    /// The events; the standard input if it is missing or `-`.
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// How matches are found; the matches are the same.
    #[arg(long, value_enum, value_name = "METHOD", default_value_t = Detecting::Proposed)]
    pub(crate) method: Detecting,
    /// Which events may lie between those of a match.
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Between::Any)]
    pub(crate) semantics: Between,
    /// All events of a match have equal values of these attributes.
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub(crate) partition_by: Vec<String>,
    /// Most values of the key at once, as N or N:POLICY [default: 1000000:error].
    #[arg(long, value_name = "N", requires = "partition_by", value_parser = limit)]
    pub(crate) max_partitions: Option<Limit>,
    /// Print how many matches each pattern has.
    #[arg(long)]
    pub(crate) count: bool,
    /// Print counters as JSON on the standard error.
    #[arg(long)]
    pub(crate) stats: bool,
    /// How the events are written [default: by the extension or the first byte].
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) input_format: Option<InputFormat>,
    /// The column of the type.
    #[arg(long, value_name = "NAME", default_value = "type")]
    pub(crate) type_column: String,
    /// The column of the time.
    #[arg(long, value_name = "NAME", default_value = "time")]
    pub(crate) time_column: String,
    /// The unit of whole numbers in the column of the time.
    #[arg(long, value_enum, value_name = "UNIT", default_value_t = Unit::Ms)]
    pub(crate) time_unit: Unit,
}

#[derive(Args, Debug)]
pub(crate) struct Plan {
    #[command(flatten)]
    pub(crate) patterns: Patterns,
    /// The method of which the model is shown.
    #[arg(long, value_enum, value_name = "METHOD", default_value_t = Planning::Proposed)]
    pub(crate) method: Planning,
    /// Write the model in the language of Graphviz.
    #[arg(long, conflicts_with_all = ["format", "explain"])]
    pub(crate) dot: bool,
    /// Show how a pattern is composed.
    #[arg(long, value_name = "ID", conflicts_with = "format")]
    pub(crate) explain: Option<String>,
    /// How the counts are printed.
    #[arg(long, value_enum, default_value_t = PlanFormat::Text)]
    pub(crate) format: PlanFormat,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Detecting {
    /// Each pattern by itself, eagerly.
    Single,
    /// Each pattern by itself, at its last event.
    Optimized,
    /// Windows and prefixes are shared.
    Sharing,
    /// Windows, prefixes and blocks are shared.
    Proposed,
}

impl Detecting {
    pub(crate) fn method(self) -> Method {
        match self {
            Detecting::Single => Method::Single,
            Detecting::Optimized => Method::Optimized,
            Detecting::Sharing => Method::Sharing,
            Detecting::Proposed => Method::Proposed,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Planning {
    /// Single, optimized, sharing and proposed.
    All,
    /// One chain a pattern.
    Single,
    /// The same chains, evaluated late.
    Optimized,
    /// Prefixes merged.
    Trie,
    /// Prefixes, suffixes and sub-patterns merged.
    Sharing,
    /// Decomposed, then merged.
    Proposed,
}

impl Planning {
    pub(crate) fn methods(self) -> Vec<Method> {
        match self {
            Planning::All => Method::COMPARED.to_vec(),
            Planning::Single => vec![Method::Single],
            Planning::Optimized => vec![Method::Optimized],
            Planning::Trie => vec![Method::Trie],
            Planning::Sharing => vec![Method::Sharing],
            Planning::Proposed => vec![Method::Proposed],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlanFormat {
    /// A table.
    Text,
    /// A JSON object a line.
    Json,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Between {
    /// All events: every combination in order is a match.
    Any,
    /// Events that do not fit the next operand.
    Next,
    /// No events.
    Strict,
}

impl Between {
    pub(crate) fn semantics(self) -> Semantics {
        match self {
            Between::Any => Semantics::Any,
            Between::Next => Semantics::Next,
            Between::Strict => Semantics::Strict,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputFormat {
    /// A table with a header, cells separated by commas.
    Csv,
    /// A flat JSON object on each line.
    Jsonl,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Unit {
    Ns,
    Us,
    Ms,
    S,
    Min,
    H,
    D,
}

impl Unit {
    pub(crate) fn unit(self) -> TimeUnit {
        match self {
            Unit::Ns => TimeUnit::Nanosecond,
            Unit::Us => TimeUnit::Microsecond,
            Unit::Ms => TimeUnit::Millisecond,
            Unit::S => TimeUnit::Second,
            Unit::Min => TimeUnit::Minute,
            Unit::H => TimeUnit::Hour,
            Unit::D => TimeUnit::Day,
        }
    }
}

fn limit(text: &str) -> Result<Limit, String> {
    let expected = "expected N, N:error, N:drop-oldest or N:drop-newest";
    let (number, policy) = match text.split_once(':') {
        None => (text, Policy::Error),
        Some((number, "error")) => (number, Policy::Error),
        Some((number, "drop-oldest")) => (number, Policy::DropOldest),
        Some((number, "drop-newest")) => (number, Policy::DropNewest),
        Some(_) => return Err(expected.to_owned()),
    };
    match number.parse() {
        Ok(most) if most > 0 => Ok(Limit::new(most, policy)),
        _ => Err(expected.to_owned()),
    }
}
