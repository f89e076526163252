//! The arguments of streams of sightings.

use super::arguments::{count, positive, probability};
use super::streams::{Common, FormatName};
use clap::Args;
use data_gen::stream::{
    GaussianOptions, StreamFile, StreamKind, TrafficOptions, TruthFile, UniformOptions,
};
use std::path::{Path, PathBuf};

/// A file that belongs to a stream.
pub(crate) enum Companion {
    /// The travel times between its streams.
    Times,
    /// What its observations really were.
    Truth(TruthFile),
}

/// What both distributions of keys have.
#[derive(Args, Debug)]
struct Plates {
    /// Number of streams.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    streams: u32,
    /// Sightings of a stream in a window, on average.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    per_window_per_stream: u32,
    /// Seconds of a window, which is the travel time between any two streams.
    #[arg(long, value_name = "S", default_value_t = 3600, value_parser = clap::value_parser!(u32).range(1..))]
    window: u32,
    /// Number of slots: keys that differ by a multiple of it share one.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    slots: u32,
    /// The middle of the slots [default: half their number].
    #[arg(long, value_name = "K")]
    mean: Option<u32>,
    /// Keys that share a slot.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    plates_per_slot: u32,
    /// The least probability.
    #[arg(long, value_name = "P", default_value_t = 0.5, value_parser = probability, allow_negative_numbers = true)]
    least_probability: f64,
    /// The greatest probability.
    #[arg(long, value_name = "P", default_value_t = 0.99, value_parser = probability, allow_negative_numbers = true)]
    greatest_probability: f64,
    /// File for the travel times.
    #[arg(long, value_name = "FILE", display_order = 102)]
    times: Option<PathBuf>,
}

impl Plates {
    fn options(&self, common: &Common) -> UniformOptions {
        let mut options = UniformOptions::new(common.events.unwrap_or(100_000));
        options.streams = self.streams;
        options.per_window_per_stream = self.per_window_per_stream;
        options.window = self.window;
        options.slots = self.slots;
        options.mean = self.mean.unwrap_or(self.slots / 2);
        options.plates_per_slot = self.plates_per_slot;
        options.probability = (self.least_probability, self.greatest_probability);
        options
    }

    fn companions(&self) -> Vec<(&Path, Companion)> {
        self.times.iter().map(|path| (path.as_path(), Companion::Times)).collect()
    }
}

/// Uniform keys.
#[derive(Args, Debug)]
pub(crate) struct Uniform {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    plates: Plates,
}

impl Uniform {
    pub(super) fn file(&self) -> StreamFile {
        let options = self.plates.options(&self.common);
        StreamFile::new(StreamKind::Uniform(options), self.common.format.into())
    }

    pub(super) fn companions(&self) -> Vec<(&Path, Companion)> {
        self.plates.companions()
    }
}

/// Normally distributed keys.
#[derive(Args, Debug)]
pub(crate) struct Gaussian {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    plates: Plates,
    /// Standard deviation of the slots [default: 7.07, the root of the paper's variance].
    #[arg(long, value_name = "F", value_parser = positive, allow_negative_numbers = true)]
    sigma: Option<f64>,
}

impl Gaussian {
    pub(super) fn file(&self) -> StreamFile {
        let mut options = GaussianOptions::default();
        options.plates = self.plates.options(&self.common);
        options.sigma = self.sigma.unwrap_or(options.sigma);
        StreamFile::new(StreamKind::Gaussian(options), self.common.format.into())
    }

    pub(super) fn companions(&self) -> Vec<(&Path, Companion)> {
        self.plates.companions()
    }
}

/// The cameras of a town.
#[derive(Args, Debug)]
pub(crate) struct Traffic {
    /// Hours from midnight on.
    #[arg(long, value_name = "N", default_value_t = 24, display_order = 0, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    hours: u32,
    /// Number of cameras.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(2..=2000))]
    cameras: u32,
    /// Each crossing has a square of so many kilometres for its own.
    #[arg(long, value_name = "KM", default_value_t = 2.0, value_parser = positive, allow_negative_numbers = true)]
    spacing: f64,
    /// Number of cars with a plate of their own.
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    vehicles: u32,
    /// Number of further cars that carry the plate of one of them.
    #[arg(long, value_name = "N", default_value_t = 50)]
    clones: u32,
    /// Trips of a car in a day, on average.
    #[arg(long, value_name = "F", default_value_t = 3.0, value_parser = positive, allow_negative_numbers = true)]
    trips: f64,
    /// Share of the space of plates that is in use.
    #[arg(long, value_name = "P", default_value_t = 0.05, value_parser = probability, allow_negative_numbers = true)]
    density: f64,
    /// Share of trips that are faster than the limits allow.
    #[arg(long, value_name = "P", default_value_t = 0.01, value_parser = probability, allow_negative_numbers = true)]
    speeders: f64,
    /// Least probability that a camera detects a passing.
    #[arg(long, value_name = "P", default_value_t = 0.7, value_parser = probability, allow_negative_numbers = true)]
    least_detection: f64,
    /// Greatest probability that a camera detects a passing.
    #[arg(long, value_name = "P", default_value_t = 0.95, value_parser = probability, allow_negative_numbers = true)]
    greatest_detection: f64,
    /// Share of first readings that are wrong, on average.
    #[arg(long, value_name = "P", default_value_t = 0.08, value_parser = probability, allow_negative_numbers = true)]
    misread: f64,
    /// By how many seconds a camera's clock may be off.
    #[arg(long, value_name = "S", default_value_t = 1)]
    skew: u32,
    /// How often a camera delivers late in a day, on average.
    #[arg(long, value_name = "F", default_value_t = 4.0)]
    batches: f64,
    /// Most seconds by which it does so.
    #[arg(long, value_name = "S", default_value_t = 120, value_parser = seconds, allow_negative_numbers = true)]
    longest_batch: u32,
    /// How often a camera is out of order in a day, on average.
    #[arg(long, value_name = "F", default_value_t = 0.5)]
    outages: f64,
    /// Most seconds of that.
    #[arg(long, value_name = "S", default_value_t = 1800, value_parser = seconds, allow_negative_numbers = true)]
    longest_outage: u32,
    /// Format of the file, and of that of the truth.
    #[arg(long, value_enum, default_value_t = FormatName::Csv, display_order = 99)]
    format: FormatName,
    /// File for the travel times between the cameras.
    #[arg(long, value_name = "FILE", display_order = 102)]
    times: Option<PathBuf>,
    /// File for what really passed: a row for each observation.
    #[arg(long, value_name = "FILE", display_order = 103)]
    truth: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<u32, String> {
    count(text)?.try_into().map_err(|_| "too many seconds".to_owned())
}

impl Traffic {
    fn options(&self) -> TrafficOptions {
        let mut options = TrafficOptions::new(self.hours);
        (options.cameras, options.spacing) = (self.cameras, self.spacing);
        (options.vehicles, options.clones, options.trips) =
            (self.vehicles, self.clones, self.trips);
        (options.density, options.speeders) = (self.density, self.speeders);
        options.detection = (self.least_detection, self.greatest_detection);
        (options.misread, options.skew) = (self.misread, self.skew);
        (options.batches, options.longest_batch) = (self.batches, self.longest_batch);
        (options.outages, options.longest_outage) = (self.outages, self.longest_outage);
        options
    }

    pub(super) fn file(&self) -> StreamFile {
        StreamFile::new(StreamKind::Traffic(self.options()), self.format.into())
    }

    pub(super) fn companions(&self) -> Vec<(&Path, Companion)> {
        let truth = || Companion::Truth(TruthFile::new(self.options(), self.format.into()));
        let times = self.times.iter().map(|path| (path.as_path(), Companion::Times));
        let truth = self.truth.iter().map(|path| (path.as_path(), truth()));
        times.chain(truth).collect()
    }
}
