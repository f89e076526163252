//! What can be written on the command line.

mod keeping;
mod lateness;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use nfab::{
    CompileOptions, Config, EndOfInput, Evaluation, HistoryKind, HoldBack, KleeneOutput, Limit,
    Limits, Policy, TimeUnit,
};

use super::help;
use super::input;

/// Finds patterns of events in CSV and JSON lines, files and streams, in one pass.
#[derive(Parser, Debug)]
#[command(
    name = "nfab",
    version,
    long_about = help::ABOUT,
    after_help = help::EXAMPLES,
    after_long_help = help::DETAILS,
    override_usage = help::USAGE,
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) search: Search,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Show the automaton of a query, and how it is evaluated.
    Explain(Explain),
    /// Replay conformance cases and compare what is found with what is expected.
    ///
    /// Prints each failing case with what was expected and what was found, and last how many
    /// passed. Exit status: 0 if all passed, 1 if one failed, 2 if the cases cannot be read.
    Replay {
        /// The cases, one JSON object a line; `.gz` is decompressed, `-` is standard input.
        cases: String,
    },
}

#[derive(Args, Debug)]
#[command(override_usage = "nfab explain [OPTIONS] QUERY\n       nfab explain [OPTIONS] -f FILE")]
pub(crate) struct Explain {
    /// The query.
    #[arg(required_unless_present = "query_file", conflicts_with = "query_file")]
    query: Option<String>,
    /// Read the query from a file.
    #[arg(short = 'f', long, value_name = "FILE")]
    query_file: Option<PathBuf>,
    /// Write the automaton in the language of Graphviz.
    #[arg(long)]
    pub(crate) dot: bool,
    /// The unit of the times of events.
    #[arg(long, value_enum, value_name = "UNIT", default_value_t)]
    time_unit: UnitName,
    #[command(flatten)]
    matching: Matching,
}

/// Where a query comes from.
#[derive(Debug)]
pub(crate) enum QueryFrom<'a> {
    Text(&'a str),
    File(&'a Path),
}

impl Explain {
    pub(crate) fn query(&self) -> QueryFrom<'_> {
        match (&self.query_file, &self.query) {
            (Some(file), _) => QueryFrom::File(file),
            (None, query) => QueryFrom::Text(query.as_deref().unwrap_or_default()),
        }
    }

    pub(crate) fn options(&self) -> CompileOptions {
        self.matching.options().time_unit(self.time_unit.unit())
    }
}

#[derive(Args, Debug)]
pub(crate) struct Search {
    /// The query; with -f, this is the file of events.
    #[arg(value_name = "QUERY")]
    query_or_file: Option<OsString>,
    /// The events; the standard input if it is missing or `-`.
    #[arg(value_name = "FILE")]
    file: Option<OsString>,
    /// Taken only to say that it is too much.
    #[arg(hide = true)]
    more: Vec<OsString>,
    /// Read the query from a file.
    #[arg(short = 'f', long, value_name = "FILE")]
    query_file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) output: Output,
    #[command(flatten)]
    matching: Matching,
    #[command(flatten)]
    running: Running,
    #[command(flatten)]
    keeping: keeping::Keeping,
    #[command(flatten)]
    limits: LimitFlags,
}

/// How the events are read.
#[derive(Args, Debug)]
#[command(next_help_heading = "Reading")]
pub(crate) struct Reading {
    /// How the events are written [default: by the name of the file or the first character].
    #[arg(long, value_enum, value_name = "FORMAT")]
    input_format: Option<InputName>,
    /// The column of the type [default: `type`].
    #[arg(long, value_name = "NAME", conflicts_with = "type_")]
    pub(crate) type_column: Option<String>,
    /// All events are of this type.
    #[arg(long = "type", id = "type_", value_name = "NAME")]
    pub(crate) given_type: Option<String>,
    /// The column of the time [default: `time`, else `timestamp`].
    #[arg(long, value_name = "NAME")]
    pub(crate) time_column: Option<String>,
    /// The unit of the times of events.
    #[arg(long, value_enum, value_name = "UNIT", default_value_t)]
    pub(crate) time_unit: UnitName,
    /// How much later an event may come than one that is newer: in the unit of time, or as in 30s.
    #[arg(long, value_name = "N", default_value = "0", allow_negative_numbers = true,
          value_parser = lateness::lateness)]
    lateness: lateness::Lateness,
    /// Count rows that are no events, and go on.
    #[arg(long)]
    pub(crate) skip_bad_rows: bool,
}

impl Reading {
    pub(crate) fn format(&self) -> Option<input::Format> {
        self.input_format.map(|name| match name {
            InputName::Csv => input::Format::Csv,
            InputName::Jsonl => input::Format::JsonLines,
        })
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum InputName {
    /// A table with a header, cells separated by commas.
    Csv,
    /// A flat JSON object on each line.
    Jsonl,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum UnitName {
    Ns,
    Us,
    #[default]
    Ms,
    S,
    Min,
    H,
    D,
}

impl UnitName {
    pub(crate) fn unit(self) -> TimeUnit {
        match self {
            UnitName::Ns => TimeUnit::Nanosecond,
            UnitName::Us => TimeUnit::Microsecond,
            UnitName::Ms => TimeUnit::Millisecond,
            UnitName::S => TimeUnit::Second,
            UnitName::Min => TimeUnit::Minute,
            UnitName::H => TimeUnit::Hour,
            UnitName::D => TimeUnit::Day,
        }
    }
}

/// What is printed.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct Output {
    /// How matches are printed.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Print only how many matches there are.
    #[arg(long, conflicts_with = "format")]
    count: bool,
    /// Print partial matches whose window has passed as well.
    #[arg(long)]
    pub(crate) timeouts: bool,
    /// Stop after the first match.
    #[arg(long, conflicts_with = "limit")]
    first: bool,
    /// Stop after N matches.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Write to a file.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write events that come too late to a file, as they are.
    #[arg(long, value_name = "FILE")]
    pub(crate) late: Option<PathBuf>,
    /// Print counts and the time taken as JSON on the standard error.
    #[arg(long)]
    pub(crate) stats: bool,
}

impl Output {
    pub(crate) fn format(&self) -> Format {
        if self.count { Format::Count } else { self.format }
    }

    /// After how many matches to stop.
    pub(crate) fn limit(&self) -> Option<u64> {
        if self.first { Some(1) } else { self.limit }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A JSON object a line, with the events.
    #[default]
    Json,
    /// A JSON object a line, with the numbers of the events.
    Ids,
    /// A table with a row for each event of each match.
    Csv,
    #[value(skip)]
    Count,
}

/// What a match is, and how matches are found.
#[derive(Args, Debug)]
#[command(next_help_heading = "Matching")]
struct Matching {
    /// Of a pattern that can end with a list: report each prefix that is a match.
    #[arg(long, conflicts_with = "maximal")]
    each: bool,
    /// Of a pattern that can end with a list: report only what no later event extends.
    #[arg(long)]
    maximal: bool,
    /// How matches are computed; the matches are the same [default: the first that the query allows].
    #[arg(long, value_enum, value_name = "HOW")]
    evaluation: Option<EvaluationName>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum EvaluationName {
    /// All partial matches in one compact structure; for conditions on single events only.
    Compact,
    /// Partial matches that remember the same are one group.
    Grouped,
    /// A run for each partial match; for every query.
    Runs,
}

impl Matching {
    fn options(&self) -> CompileOptions {
        let mut options = CompileOptions::new();
        if self.each {
            options = options.kleene_output(KleeneOutput::Each);
        }
        if self.maximal {
            options = options.kleene_output(KleeneOutput::Maximal);
        }
        match self.evaluation {
            None => options,
            Some(EvaluationName::Compact) => options.evaluation(Evaluation::Compact),
            Some(EvaluationName::Grouped) => options.evaluation(Evaluation::Grouped),
            Some(EvaluationName::Runs) => options.evaluation(Evaluation::Runs),
        }
    }
}

/// How the engine runs.
#[derive(Args, Debug)]
#[command(next_help_heading = "Running")]
struct Running {
    /// Deal the values of the partition key out among N threads; the output is the same.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// What the end of the input means for windows that are open.
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    end_of_input: EndName,
    /// When a match is printed that an earlier partial match might still rule out.
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    hold_back: HoldBackName,
    /// How the events of partial matches are remembered; the matches are the same.
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    history: HistoryName,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum EndName {
    /// Nothing: the stream may go on.
    #[default]
    Silent,
    /// They have passed: nothing will follow.
    Max,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum HoldBackName {
    /// When that is decided.
    #[default]
    Wait,
    /// At once.
    EmitNow,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum HistoryName {
    /// Chains of cells: the fast one.
    #[default]
    Chain,
    /// The shared versioned match buffer of the paper.
    Versioned,
}

/// Bounds on memory.
#[derive(Args, Debug)]
#[command(
    next_help_heading = "Limits for each thread (N:error, N:drop-oldest, N:drop-newest; N is N:error)"
)]
struct LimitFlags {
    /// Most partial matches [default: 1000000:error].
    #[arg(long, value_name = "N", value_parser = limit)]
    max_runs: Option<Limit>,
    /// Most partial matches with one value of the partition key [default: no limit].
    #[arg(long, value_name = "N", value_parser = limit)]
    max_runs_per_key: Option<Limit>,
    /// Most events that partial matches remember [default: 100000000:error].
    #[arg(long, value_name = "N", value_parser = limit)]
    max_history: Option<Limit>,
    /// Most events that wait for late ones [default: 1000000:error].
    #[arg(long, value_name = "N", value_parser = limit)]
    max_waiting: Option<Limit>,
    /// Most events of one match [default: no limit].
    #[arg(long, value_name = "N", value_parser = limit)]
    max_match_length: Option<Limit>,
    /// Most matches that one event completes or that are held back [default: 1000000:error].
    #[arg(long, value_name = "N", value_parser = limit)]
    max_matches: Option<Limit>,
}

impl LimitFlags {
    fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        let flags = [
            (&mut limits.runs, self.max_runs),
            (&mut limits.runs_per_key, self.max_runs_per_key),
            (&mut limits.history, self.max_history),
            (&mut limits.reorder, self.max_waiting),
            (&mut limits.match_length, self.max_match_length),
            (&mut limits.matches, self.max_matches),
        ];
        for (limit, flag) in flags {
            if let Some(value) = flag {
                *limit = value;
            }
        }
        limits
    }
}

impl Search {
    /// The query and the file, `None` for the standard input; or what is wrong with them.
    pub(crate) fn query_and_file(&self) -> Result<(QueryFrom<'_>, Option<PathBuf>), String> {
        let (query, file) = match &self.query_file {
            Some(path) => {
                if let Some(second) = &self.file {
                    return Err(format!(
                        "unexpected argument `{}`: with -f the only other argument is the file of \
                         events",
                        Path::new(second).display()
                    ));
                }
                (QueryFrom::File(path), &self.query_or_file)
            }
            None => {
                let Some(query) = &self.query_or_file else {
                    return Err(
                        "a query is missing, as in `nfab 'PATTERN SEQ(A a, B b)' FILE`".to_owned()
                    );
                };
                let Some(query) = query.to_str() else {
                    return Err("the query is not valid UTF-8".to_owned());
                };
                if let Some(third) = self.more.first() {
                    return Err(format!(
                        "unexpected argument `{}`: one FILE only",
                        Path::new(third).display()
                    ));
                }
                (QueryFrom::Text(query), &self.file)
            }
        };
        Ok((query, file.as_ref().filter(|file| *file != "-").map(PathBuf::from)))
    }

    /// What may have been meant when the query is at fault or there are too many arguments.
    pub(crate) fn advice(&self) -> Option<&'static str> {
        if self.query_file.is_some() {
            return None;
        }
        let first = self.query_or_file.as_ref()?;
        if first == "explain" || first == "replay" {
            return Some("`explain` and `replay` stand before everything else");
        }
        let second = self.file.as_ref().and_then(|file| file.to_str()).unwrap_or_default();
        if second.to_ascii_uppercase().contains("PATTERN") {
            return Some("the query comes first, then the file");
        }
        if Path::new(first).is_file() {
            return Some("a file with the query is named by -f, as in `nfab -f query.sase FILE`");
        }
        None
    }

    /// The options of compiling.
    pub(crate) fn options(&self) -> CompileOptions {
        self.matching.options().time_unit(self.reading.time_unit.unit())
    }

    /// The options of the run.
    pub(crate) fn config(&self) -> Config {
        Config::new()
            .timeouts(self.output.timeouts)
            .lateness(self.reading.lateness.within(self.reading.time_unit.unit()))
            .limits(self.limits.limits())
            .end_of_input(match self.running.end_of_input {
                EndName::Silent => EndOfInput::Silent,
                EndName::Max => EndOfInput::Max,
            })
            .hold_back(match self.running.hold_back {
                HoldBackName::Wait => HoldBack::Wait,
                HoldBackName::EmitNow => HoldBack::EmitNow,
            })
            .history(match self.running.history {
                HistoryName::Chain => HistoryKind::Chain,
                HistoryName::Versioned => HistoryKind::Versioned,
            })
    }

    /// How many threads match events. Where only the first matches are wanted it is one, which need
    /// not find the others.
    pub(crate) fn threads(&self) -> usize {
        if self.output.limit().is_some() { 1 } else { self.running.threads.into() }
    }

    /// The unit of time by its name.
    pub(crate) fn unit_name(&self) -> String {
        let value = self.reading.time_unit.to_possible_value();
        value.map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Whether each prefix that is a match is reported at once, which `default` says otherwise.
    pub(crate) fn reports_each(&self, default: bool) -> bool {
        self.matching.each || (default && !self.matching.maximal)
    }

    /// Whether the end of the input concludes nothing.
    pub(crate) fn ends_silently(&self) -> bool {
        matches!(self.running.end_of_input, EndName::Silent)
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
