//! The command line.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, value_parser};

use crate::command::{self, Engine};
use crate::data::DEFAULT_DIRECTORY;
use crate::error::{ErrorKind, Result};
use crate::experiment::{Context, Registry, Scale};
use crate::measure::memory::{self, Heap, Memory};
use crate::own::{Own, Paths};
use crate::progress::Progress;
use crate::{data::Cache, record};

/// Reproduce the experiments of the papers, judge their claims and write a report.
#[derive(Debug, Parser)]
#[command(name = "bench-harness", version)]
#[command(
    after_help = "Exit codes: 0 all ran (whatever the verdicts); 1 an example, a comparison of \
                        answers or a run failed; 2 a mistake in the call or its input."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print the ids of the papers' experiments, one a line
    List {
        /// Those of our own checks, too
        #[arg(long)]
        all: bool,
    },
    /// Run experiments and print their results and claims as JSON lines
    Run {
        /// The experiments
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        #[command(flatten)]
        options: Options,
    },
    /// Run everything, judge every claim and write the report
    Reproduce {
        /// Only these experiments
        #[arg(long, value_name = "ID", num_args = 1.., value_delimiter = ',')]
        only: Vec<String>,
        /// Where the report and the result files go
        #[arg(long, value_name = "DIR", default_value = "report")]
        out: PathBuf,
        /// Run all of it again, even what an earlier call of the same program has found
        #[arg(long)]
        fresh: bool,
        #[command(flatten)]
        options: Options,
    },
    /// Rebuild the report from the result files of an earlier run
    Report {
        /// A directory with results.jsonl and claims.jsonl, or the former itself
        #[arg(long, value_name = "DIR|FILE", default_value = "report")]
        from: PathBuf,
        /// Where the report goes; beside the files unless given
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// Write each plot and graph as an SVG file of its own, too: ID-1.svg, ID-graph-1.svg
        #[arg(long, value_name = "DIR")]
        plots: Option<PathBuf>,
    },
    /// Compare the results of two runs: which points moved beyond their intervals, and how far
    ///
    /// JSON lines go to the output, a table by experiment to stderr. Exit code 1 says that something
    /// moved.
    Diff {
        /// A directory with results.jsonl and claims.jsonl, or a file of rows
        #[arg(value_name = "A")]
        a: PathBuf,
        /// The other one
        #[arg(value_name = "B")]
        b: PathBuf,
        /// Print every point, also those that did not move
        #[arg(long)]
        all: bool,
    },
    /// Run an engine and its peers on the same events and compare answers, then times
    ///
    /// Peers are fetched and built by bench-harness/peers/fetch.sh; a peer that is not there is skipped.
    /// Rows go to the output as JSON lines, the table to stderr.
    Compare {
        #[command(flatten)]
        compare: CompareArguments,
        #[command(flatten)]
        options: Options,
    },
    /// Do one job of an experiment over a file and print its count; the harness starts this itself
    #[command(hide = true)]
    Whole {
        /// The experiment
        id: String,
        /// The job
        job: String,
        /// The file
        file: PathBuf,
    },
    /// Check the worked examples and that all engines agree, without timing
    Verify {
        /// Only these experiments
        #[arg(long, value_name = "ID", num_args = 1.., value_delimiter = ',')]
        only: Vec<String>,
        #[command(flatten)]
        options: Options,
    },
}

/// What `compare` takes.
#[derive(Clone, Debug, Args)]
struct CompareArguments {
    /// The engine
    engine: Engine,
    /// Only these peers. nfab has flink, flink-pipeline and varpulis; multipattern has aho-corasick, daachorse,
    /// varpulis, and our own naive-sharing and single; ujoin has sqlite, sqlite-tuned, duckdb, and our
    /// own paper; rpdt has quick-xml, xmllint, iterparse, xpath, simdxml, simdxml-lazy
    #[arg(long, value_name = "PEER", num_args = 1.., value_delimiter = ',')]
    peers: Vec<String>,
    /// Only these workloads
    #[arg(long, value_name = "WORKLOAD", num_args = 1.., value_delimiter = ',')]
    only: Vec<String>,
    /// The number of events or tuples of each workload, instead of what the scale says
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=100_000_000))]
    events: Option<u64>,
    /// A file in place of generated input. For multipattern events as CSV or JSON lines with the
    /// columns type and time, over whose types patterns are drawn; for rpdt a document
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Timed rounds; the interval needs 6
    #[arg(long, value_name = "N", default_value_t = 7,
        value_parser = value_parser!(u32).range(1..=1_000))]
    rounds: u32,
    /// Where the peers are; peers/ beside the generated data unless given
    #[arg(long, value_name = "DIR")]
    peer_dir: Option<PathBuf>,
    /// Where to write the rows as results.jsonl, too
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Where to write a page, compare-ENGINE.html, and beside it the rows and claims as JSON lines
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
}

impl From<CompareArguments> for command::Compare {
    fn from(from: CompareArguments) -> Self {
        let CompareArguments { engine, peers, only, events, input, rounds, peer_dir, out, report } =
            from;
        Self { engine, peers, only, events, input, rounds, directory: peer_dir, out, report }
    }
}

/// What every command that runs experiments takes.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// How much to run: tiny takes seconds, quick minutes; paper has all of the papers' parameters,
    /// full goes beyond
    #[arg(long, value_name = "SCALE", default_value = "quick", value_parser = scales())]
    pub scale: Scale,
    /// The seed of all generated data
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Where generated data are kept
    #[arg(long, value_name = "DIR", default_value = DEFAULT_DIRECTORY)]
    pub data: PathBuf,
    /// Timed rounds of each comparison, instead of what the scale says; the interval needs 6
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=1_000))]
    pub repeat: Option<u32>,
    /// Files in place of generated data.
    #[command(flatten)]
    pub own: Paths,
}

impl Options {
    /// Where data are, with the user's own files, which are checked first when told so.
    pub fn cache(&self, check: bool) -> Result<Cache> {
        let own = Own::new(self.own.clone());
        if check {
            own.check()?;
        }
        Ok(Cache::new(&self.data).with_own(own))
    }
}

fn scales() -> impl TypedValueParser<Value = Scale> {
    PossibleValuesParser::new(Scale::ALL.map(Scale::name)).try_map(|name| name.parse::<Scale>())
}

/// Runs the program's command line with these experiments.
pub fn main(registry: &Registry) -> ExitCode {
    run(registry, std::env::args_os(), &mut std::io::stdout().lock(), &Progress::stderr())
}

/// Runs a command line, with its output and messages going where the caller says.
pub fn run(
    registry: &Registry,
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    out: &mut dyn Write,
    progress: &Progress,
) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // `--help` and `--version` come this way too, with code 0. A closed terminal leaves
            // nobody to tell.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let result = match cli.command {
        Command::List { all } => command::list(registry, all, out),
        Command::Run { ids, options } => command::run(registry, &ids, &options, out, progress),
        Command::Reproduce { only, out: directory, fresh, options } => {
            command::reproduce(registry, &only, &directory, fresh, &options, progress)
        }
        Command::Diff { a, b, all } => command::diff(&a, &b, all, out, progress),
        Command::Report { from, out, plots } => {
            command::report(registry, &from, out.as_deref(), plots.as_deref(), progress)
        }
        Command::Compare { compare, options } => {
            command::compare(&compare.into(), &options, out, progress)
        }
        Command::Whole { id, job, file } => command::whole(registry, &id, &job, &file, out),
        Command::Verify { only, options } => command::verify(registry, &only, &options, progress),
    };
    finish(result, progress)
}

/// The command line of the memory binary: `ID PROBE [--scale --seed --data]`.
#[derive(Debug, Parser)]
#[command(name = memory::BINARY, about = "Run one memory probe; the harness starts this itself")]
struct MemoryCli {
    id: String,
    probe: String,
    #[command(flatten)]
    options: Options,
}

/// Runs the memory binary's command line.
pub fn memory_main(registry: &Registry, heap: &dyn Heap) -> ExitCode {
    let cli = match MemoryCli::try_parse() {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    let progress = Progress::silent();
    let result = probe(registry, &cli, heap, &progress);
    finish(result, &Progress::stderr())
}

fn probe(registry: &Registry, cli: &MemoryCli, heap: &dyn Heap, progress: &Progress) -> Result<()> {
    let Options { scale, seed, .. } = &cli.options;
    // What the probe does not read need not be checked again.
    let cache = cli.options.cache(false)?;
    let mut context = Context::new(&cli.id, *scale, *seed, &cache, progress);
    for (_, experiment) in registry.select(std::slice::from_ref(&cli.id))? {
        let peak_heap = experiment.probe(&cli.probe, &mut context, heap)?;
        let memory = Memory { peak_heap, peak_resident: memory::peak_resident() };
        let mut out = std::io::stdout().lock();
        record::write_line(&mut out, &memory)
            .and_then(|()| {
                context.record.rows().iter().try_for_each(|row| record::write_line(&mut out, row))
            })
            .map_err(|error| crate::Error::io("cannot write the measurement", &error))?;
    }
    Ok(())
}

fn finish(result: Result<()>, progress: &Progress) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            match error.kind() {
                ErrorKind::Moved => progress.message(error.to_string()),
                _ => progress.message(format!("error: {error}")),
            }
            ExitCode::from(error.exit_code())
        }
    }
}
