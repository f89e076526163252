//! What can be written on the command line.

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use ujoin::input::{Decimal, Format, duration};
use ujoin::{Budget, Expiry, Policy, Probability, Product, SlotProbability};

use super::help;

/// Finds pairs of sightings of one key that lie too close in time to be one and the same thing.
#[derive(Parser, Debug)]
#[command(
    name = "ujoin",
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
    /// Join sightings, and print each pair as soon as it is found.
    #[command(after_help = help::RUN_EXAMPLES, after_long_help = help::DETAILS)]
    Run(Box<Run>),
}

#[derive(Args, Debug)]
pub(crate) struct Run {
    /// The sightings, CSV or JSON lines; the standard input if it is missing or `-`.
    #[arg(value_name = "SIGHTINGS")]
    file: Option<PathBuf>,
    /// The fastest travel times between streams, in seconds: a square CSV table with the names of
    /// the streams, or the columns from, to, seconds.
    #[arg(long, value_name = "FILE")]
    pub(crate) travel_times: PathBuf,

    #[command(flatten)]
    pub(crate) joining: Joining,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) running: Running,
    #[command(flatten)]
    pub(crate) memory: Memory,
    #[command(flatten)]
    pub(crate) keeping: Keeping,
}

impl Run {
    /// The sightings, if not the standard input.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref().filter(|file| *file != Path::new("-"))
    }
}

/// What is a result.
#[derive(Args, Debug)]
#[command(next_help_heading = "Joining")]
pub(crate) struct Joining {
    /// The least probability of a pair, or with --mode expected the least expected number.
    #[arg(long, value_name = "P", default_value = "0.7", value_parser = threshold)]
    pub(crate) threshold: Product,
    /// What is compared.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) mode: Mode,
    /// Print only the best K of each time slice, when the slice has passed.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top_k: Option<u32>,
    /// The length of time slices [default: the longest travel time].
    #[arg(long, value_name = "TIME", value_parser = positive)]
    pub(crate) slice: Option<i64>,
    /// How much older than the newest sighting another may be.
    #[arg(long, value_name = "TIME", default_value = "0", value_parser = time)]
    pub(crate) lateness: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Pairs of alternatives: that both are true.
    #[default]
    Tuple,
    /// Pairs of observations: that both show the same key, whichever it is.
    Observation,
    /// Keys: how many of a key's pairs are true, on average, in each time slice.
    Expected,
}

/// How sightings are read.
#[derive(Args, Debug)]
#[command(next_help_heading = "Reading")]
pub(crate) struct Reading {
    /// How sightings are written [default: by the name of the file or the first character].
    #[arg(long, value_enum, value_name = "FORMAT")]
    input_format: Option<InputName>,
    /// Keys are number plates: case, spaces and dashes do not count.
    #[arg(long)]
    pub(crate) normalize_plates: bool,
    /// Numbers with more than 9 digits behind the point are errors; otherwise they are rounded.
    #[arg(long)]
    pub(crate) exact: bool,
    /// An observation that is delivered again counts again.
    #[arg(long)]
    pub(crate) keep_duplicates: bool,
    /// Write rows that are refused to a file, as they are, and go on.
    #[arg(long, value_name = "FILE")]
    pub(crate) reject: Option<PathBuf>,
}

impl Reading {
    pub(crate) fn format(&self) -> Option<Format> {
        self.input_format.map(|name| match name {
            InputName::Csv => Format::Csv,
            InputName::Jsonl => Format::JsonLines,
        })
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum InputName {
    /// A table with a header, cells separated by commas.
    Csv,
    /// A JSON object on each line.
    Jsonl,
}

/// What is written, and where.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct Output {
    /// Write results to a file.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write sightings that come too late to a file, as they are.
    #[arg(long, value_name = "FILE")]
    pub(crate) late: Option<PathBuf>,
    /// The order of results.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) order: OrderName,
    /// Print counters as one JSON object on the standard error.
    #[arg(long)]
    pub(crate) stats: bool,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum OrderName {
    /// As they are found.
    #[default]
    Fast,
    /// Always the same: by what came second, then by what came first.
    Deterministic,
}

/// How pairs are found; they are the same.
#[derive(Args, Debug)]
#[command(next_help_heading = "Running")]
pub(crate) struct Running {
    /// The algorithm.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) engine: EngineName,
    /// How the paper's engines forget what has left the window [default: inline].
    #[arg(long, value_enum)]
    expiry: Option<ExpiryName>,
    /// The time between two expiries by batch [default: 60m].
    #[arg(long, value_name = "TIME", value_parser = positive)]
    interval: Option<i64>,
    /// How many lists the paper's index has; a key's list is its number modulo N.
    #[arg(long, value_name = "N", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) slots: u32,
    /// Threads that join [default: one; for the paper's engines one for each stream].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// One log of arrivals, chained by key.
    #[default]
    Log,
    /// A table of keys with a list each.
    Keyed,
    /// The paper's: each sighting is sent to a join thread for every stream.
    Paper,
    /// The same, sent by the batch.
    PaperBatched,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExpiryName {
    /// While lists are walked.
    Inline,
    /// All lists at once, every --interval.
    Batch,
}

impl Running {
    /// The engine, or what is wrong.
    pub(crate) fn engine(&self) -> Result<ujoin::Engine, &'static str> {
        let expiry = match (self.expiry, self.interval) {
            (Some(ExpiryName::Batch), interval) => {
                Expiry::Batch { interval: interval.unwrap_or(3_600_000_000_000) }
            }
            (_, Some(_)) => return Err("`--interval` is for `--expiry batch`"),
            (_, None) => Expiry::Inline,
        };
        let is_papers = matches!(self.engine, EngineName::Paper | EngineName::PaperBatched);
        if self.expiry.is_some() && !is_papers {
            return Err("`--expiry` is for `--engine paper` and `--engine paper-batched`");
        }
        Ok(match self.engine {
            EngineName::Log => ujoin::Engine::Log,
            EngineName::Keyed => ujoin::Engine::Keyed,
            EngineName::Paper => ujoin::Engine::Paper(expiry),
            EngineName::PaperBatched => ujoin::Engine::PaperBatched(expiry),
        })
    }
}

/// What to do when memory is short.
#[derive(Args, Debug)]
#[command(next_help_heading = "Memory")]
pub(crate) struct Memory {
    /// How much memory sightings may take: bytes (64MiB, 500kB), or a number of them (1000entries).
    #[arg(long, value_name = "SIZE", value_parser = budget)]
    pub(crate) memory: Option<Budget>,
    /// Which sightings go to disk beyond that [default: quantile].
    #[arg(long, value_enum, value_name = "POLICY", requires = "memory")]
    spill: Option<PolicyName>,
    /// Where they go [default: a private directory `ujoin-spill-*` among the temporary ones, which ends
    /// with the run; what killed runs have left is removed].
    #[arg(long, value_name = "DIR", requires = "memory")]
    pub(crate) spill_dir: Option<PathBuf>,
    /// With `--spill less-than`: write what is at most this likely [default: 0.8].
    #[arg(long, value_name = "P", requires = "spill", value_parser = threshold)]
    spill_probability: Option<Product>,
    /// With `--spill less-than`: write everything if that is less than one in M [default: 3].
    #[arg(long, value_name = "M", requires = "spill",
          value_parser = clap::value_parser!(u64).range(1..))]
    spill_m: Option<u64>,
    /// With `--spill less-than`: the probabilities of lists: `measured`, or SLOT=P,.. as they are
    /// [default: 1 for all].
    #[arg(long, value_name = "P", requires = "spill", value_parser = slots)]
    spill_slots: Option<SlotProbability>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum PolicyName {
    /// The less likely half of each list.
    WindowHalf,
    /// What is less likely than --spill-probability.
    LessThan,
    /// The least likely quarter.
    #[default]
    Quantile,
}

impl Memory {
    /// The policy, or what is wrong.
    pub(crate) fn policy(&self) -> Result<Policy, &'static str> {
        let policy = self.spill.unwrap_or_default();
        if policy != PolicyName::LessThan {
            return match (self.spill_probability, self.spill_m, &self.spill_slots) {
                (Some(_), ..) => Err("`--spill-probability` is for `--spill less-than`"),
                (_, Some(_), _) => Err("`--spill-m` is for `--spill less-than`"),
                (.., Some(_)) => Err("`--spill-slots` is for `--spill less-than`"),
                _ if policy == PolicyName::Quantile => Ok(Policy::Quantile),
                _ => Ok(Policy::WindowHalf),
            };
        }
        Ok(Policy::LessThanProbability {
            probability: self
                .spill_probability
                .unwrap_or(Product::from_units(800_000_000_000_000_000)),
            share: self.spill_m.unwrap_or(3),
            slots: self.spill_slots.clone().unwrap_or_default(),
        })
    }
}

/// How far the run has come is kept.
#[derive(Args, Debug)]
#[command(next_help_heading = "Checkpoints")]
pub(crate) struct Keeping {
    /// Write to a file, now and then, how far the run has come; see --resume.
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Write it after every N rows of the input, and at its end.
    #[arg(long, value_name = "N", default_value_t = 1_000_000, requires = "checkpoint",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) checkpoint_every: u64,
    /// Go on from the checkpoint; from the beginning if there is none yet.
    #[arg(long, requires = "checkpoint")]
    pub(crate) resume: bool,
}

fn threshold(text: &str) -> Result<Product, String> {
    let decimal = Decimal::parse(text).map_err(|e| e.to_string())?;
    if decimal.is_rounded() {
        return Err("at most 9 digits behind the point".to_owned());
    }
    // In units of 1e-18, 64 bits reach to 18.
    let units = u64::try_from(decimal.nanos).ok().and_then(|n| n.checked_mul(1_000_000_000));
    units.map(Product::from_units).ok_or_else(|| "a number from 0 to 18".to_owned())
}

fn time(text: &str) -> Result<i64, String> {
    duration(text)
        .map_err(|_| "a time is a number with a unit: 250ms, 30s, 60m, 1.5h, 1d".to_owned())
}

fn positive(text: &str) -> Result<i64, String> {
    match time(text)? {
        0 => Err("a time above 0".to_owned()),
        ticks => Ok(ticks),
    }
}

fn budget(text: &str) -> Result<Budget, String> {
    let expected = || {
        "bytes as in 64MiB, 500kB or 1GiB, or a number of sightings as in 1000entries".to_owned()
    };
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: usize = text[..digits].parse().map_err(|_| expected())?;
    let unit: usize = match text[digits..].trim().to_ascii_lowercase().as_str() {
        "entries" if number > 0 => return Ok(Budget::Entries(number)),
        "" | "b" => 1,
        "kb" | "k" => 1_000,
        "mb" | "m" => 1_000_000,
        "gb" | "g" => 1_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        _ => return Err(expected()),
    };
    number.checked_mul(unit).map(Budget::Bytes).ok_or_else(expected)
}

fn slots(text: &str) -> Result<SlotProbability, String> {
    if text == "measured" {
        return Ok(SlotProbability::Measured);
    }
    let expected = || "`measured`, or probabilities of lists as in 12=0.1,56=0.08".to_owned();
    let slot = |part: &str| -> Option<(usize, Probability)> {
        let (slot, probability) = part.split_once('=')?;
        let probability = Decimal::parse(probability).ok().filter(|p| !p.is_rounded())?;
        Some((slot.parse().ok()?, probability.probability()?))
    };
    let given: Option<Vec<_>> = text.split(',').map(slot).collect();
    given.map(SlotProbability::Given).ok_or_else(expected)
}
