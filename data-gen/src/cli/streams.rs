//! The arguments of the streams of events.

use super::arguments::{count, positive, probability, whole};
use clap::{Args, Subcommand, ValueEnum};
use data_gen::format::Format;
use data_gen::stream::{
    ClickOptions, KeyOptions, LetterOptions, RfidOptions, RouteOptions, SensorOptions,
    StockOptions, StreamFile, StreamKind,
};

use super::sightings::{Companion, Gaussian, Traffic, Uniform};
use std::path::Path;

pub(super) const EXAMPLES: &str = "\
Examples:
  data-gen stock --seed 10 -o stock.csv           100,000 events of two symbols
  data-gen clicks --events 5000 --format jsonl    logins and carts, as JSON lines
  data-gen sensors --late 0.05 --disorder 500 -o sensors.csv
  data-gen letters --weights 5,1,1 --domain 1000
  data-gen keys --events 100000000 --live 10000 --keys 1000000 -o keys.csv
  data-gen rfid --types 5 --tags 100
  data-gen routes --pieces 20 --noise 0.05 -o routes.csv
  data-gen uniform --events 100000000 --streams 150 --times times.csv -o sightings.csv
  data-gen gaussian --sigma 50 --plates-per-slot 5000 | my-engine
  data-gen traffic --times times.csv --truth truth.csv -o day.csv

What is known to be in the events, such as the number of abandoned carts, is in the manifest.
Exit status: 0 written, 2 wrong usage or a failed write.";

/// How events are written.
#[derive(Args, Debug)]
pub(crate) struct Common {
    /// Number of events [default: 100000; keys: 1000000].
    #[arg(long, value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    #[arg(display_order = 0)]
    pub(super) events: Option<u64>,
    /// Format of the file.
    #[arg(long, value_enum, default_value_t = FormatName::Csv, display_order = 99)]
    pub(super) format: FormatName,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum FormatName {
    /// Comma-separated values with a header.
    Csv,
    /// A JSON object on each line.
    Jsonl,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Stream {
    /// Events: price walks of a few stocks.
    #[command(after_help = EXAMPLES)]
    Stock {
        #[command(flatten)]
        common: Common,
        /// Number of symbols.
        #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
        symbols: u32,
        /// Probability that a price rises; else it falls or stays.
        #[arg(long, value_name = "P", default_value_t = 0.7, value_parser = probability, allow_negative_numbers = true)]
        rise: f64,
    },
    /// Events: logins, views and carts of a shop, and attacks on logins.
    #[command(after_help = EXAMPLES)]
    Clicks {
        #[command(flatten)]
        common: Common,
        /// Number of users.
        #[arg(long, value_name = "N", default_value_t = 1000, value_parser = count, allow_negative_numbers = true)]
        users: u64,
        /// Number of items.
        #[arg(long, value_name = "N", default_value_t = 500, value_parser = count, allow_negative_numbers = true)]
        items: u64,
        /// Visits that begin in a second, on average.
        #[arg(long, value_name = "F", default_value_t = 2.0, value_parser = positive, allow_negative_numbers = true)]
        rate: f64,
        /// Share of visits that are attacks.
        #[arg(long, value_name = "P", default_value_t = 0.02, value_parser = probability, allow_negative_numbers = true)]
        attackers: f64,
        /// Share of attacks that guess the password.
        #[arg(long, value_name = "P", default_value_t = 0.25, value_parser = probability, allow_negative_numbers = true)]
        success: f64,
        /// Share of filled carts that are abandoned.
        #[arg(long, value_name = "P", default_value_t = 0.6, value_parser = probability, allow_negative_numbers = true)]
        abandon: f64,
    },
    /// Events: readings and heartbeats of sensors, with outages and out of order.
    #[command(after_help = EXAMPLES)]
    Sensors {
        #[command(flatten)]
        common: Common,
        /// Number of sensors.
        #[arg(long, value_name = "N", default_value_t = 100)]
        sensors: u32,
        /// Milliseconds between the readings of a sensor.
        #[arg(long, value_name = "MS", default_value_t = 1000)]
        period: u32,
        /// Readings to a heartbeat.
        #[arg(long, value_name = "N", default_value_t = 10)]
        heartbeat_every: u32,
        /// Probability that an outage begins when a heartbeat is due.
        #[arg(long, value_name = "P", default_value_t = 0.01, value_parser = probability, allow_negative_numbers = true)]
        outages: f64,
        /// Most heartbeats that an outage suppresses.
        #[arg(long, value_name = "N", default_value_t = 5)]
        longest_outage: u32,
        /// Bound of the disorder in milliseconds.
        #[arg(long, value_name = "MS", default_value_t = 2000)]
        disorder: u32,
        /// Share of events that are delayed within the bound.
        #[arg(long, value_name = "P", default_value_t = 0.2, value_parser = probability, allow_negative_numbers = true)]
        disordered: f64,
        /// Share of events that are delayed beyond the bound.
        #[arg(long, value_name = "P", default_value_t = 0.01, value_parser = probability, allow_negative_numbers = true)]
        late: f64,
    },
    /// Events: types A, B ... with ids.
    #[command(after_help = EXAMPLES)]
    Letters {
        #[command(flatten)]
        common: Common,
        /// Number of types, at most 26 [default: 20].
        #[arg(long, value_name = "K", conflicts_with = "weights", value_parser = clap::value_parser!(u8).range(1..=26))]
        types: Option<u8>,
        /// Weight of each type, separated by commas.
        #[arg(long, value_name = "F,F...", value_delimiter = ',')]
        weights: Option<Vec<f64>>,
        /// Number of different ids.
        #[arg(long, value_name = "D", default_value_t = 100, value_parser = count, allow_negative_numbers = true)]
        domain: u64,
    },
    /// Events: keys that come and go.
    #[command(after_help = EXAMPLES)]
    Keys {
        #[command(flatten)]
        common: Common,
        /// Keys that live at a time.
        #[arg(long, value_name = "N", default_value_t = 1000, value_parser = count, allow_negative_numbers = true)]
        live: u64,
        /// Keys in all.
        #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = count, allow_negative_numbers = true)]
        keys: u64,
    },
    /// Events: readings of RFID tags, uniform in type, tag and reader.
    #[command(after_help = EXAMPLES)]
    Rfid {
        #[command(flatten)]
        common: Common,
        /// Number of types, at most 26.
        #[arg(long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=26))]
        types: u8,
        /// Number of different tags.
        #[arg(long, value_name = "N", default_value_t = 1000, value_parser = count, allow_negative_numbers = true)]
        tags: u64,
        /// Number of different readers.
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = count, allow_negative_numbers = true)]
        readers: u64,
    },
    /// Events: tagged pieces on production routes, with noise and duplicate reads.
    #[command(after_help = EXAMPLES)]
    Routes {
        #[command(flatten)]
        common: Common,
        /// Number of stations, which are the types of events, at most 26.
        #[arg(long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=26))]
        types: u8,
        /// Number of routes.
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        routes: u32,
        /// Stops of a route.
        #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=1000))]
        stops: u32,
        /// Pieces under way at a time.
        #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        pieces: u32,
        /// Share of events at a random station.
        #[arg(long, value_name = "P", default_value_t = 0.1, value_parser = probability, allow_negative_numbers = true)]
        noise: f64,
        /// Share of the other events that are read twice.
        #[arg(long, value_name = "P", default_value_t = 0.1, value_parser = probability, allow_negative_numbers = true)]
        duplicates: f64,
    },
    /// Sightings: uniform keys, each with a probability, for joins of uncertain streams.
    #[command(after_help = EXAMPLES)]
    Uniform(Uniform),
    /// Sightings: normally distributed keys, each with a probability.
    #[command(after_help = EXAMPLES)]
    Gaussian(Gaussian),
    /// Sightings: number plates read by the cameras of a town, with cloned plates.
    #[command(after_help = EXAMPLES)]
    Traffic(Traffic),
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Csv => Self::Csv,
            FormatName::Jsonl => Self::Jsonl,
        }
    }
}

impl Stream {
    /// The file that is asked for.
    pub(crate) fn file(&self) -> StreamFile {
        let (common, kind) = match self {
            Self::Uniform(uniform) => return uniform.file(),
            Self::Gaussian(gaussian) => return gaussian.file(),
            Self::Traffic(traffic) => return traffic.file(),
            Self::Stock { common, symbols, rise } => {
                let mut options = StockOptions::new(common.events.unwrap_or(100_000));
                options.symbols = *symbols;
                options.rise = *rise;
                (common, StreamKind::Stock(options))
            }
            Self::Clicks { common, users, items, rate, attackers, success, abandon } => {
                let mut options = ClickOptions::new(common.events.unwrap_or(100_000));
                options.users = *users;
                options.items = *items;
                options.rate = *rate;
                options.attackers = *attackers;
                options.success = *success;
                options.abandon = *abandon;
                (common, StreamKind::Clicks(options))
            }
            Self::Sensors {
                common,
                sensors,
                period,
                heartbeat_every,
                outages,
                longest_outage,
                disorder,
                disordered,
                late,
            } => {
                let mut options = SensorOptions::new(common.events.unwrap_or(100_000));
                options.sensors = *sensors;
                options.period = *period;
                options.heartbeat_every = *heartbeat_every;
                options.outages = *outages;
                options.longest_outage = *longest_outage;
                options.disorder = *disorder;
                options.disordered = *disordered;
                options.late = *late;
                (common, StreamKind::Sensors(options))
            }
            Self::Letters { common, types, weights, domain } => {
                let events = common.events.unwrap_or(100_000);
                let types = usize::from(types.unwrap_or(20));
                let mut options = LetterOptions::uniform(events, types, *domain);
                if let Some(weights) = weights {
                    options.weights.clone_from(weights);
                }
                (common, StreamKind::Letters(options))
            }
            Self::Keys { common, live, keys } => {
                let events = common.events.unwrap_or(1_000_000);
                (common, StreamKind::Keys(KeyOptions::new(events, *live, *keys)))
            }
            Self::Rfid { common, types, tags, readers } => {
                let mut options = RfidOptions::new(common.events.unwrap_or(100_000));
                options.types = usize::from(*types);
                (options.tags, options.readers) = (*tags, *readers);
                (common, StreamKind::Rfid(options))
            }
            Self::Routes { common, types, routes, stops, pieces, noise, duplicates } => {
                let mut options = RouteOptions::new(common.events.unwrap_or(100_000));
                options.types = usize::from(*types);
                options.routes = *routes as usize;
                options.stops = *stops as usize;
                options.pieces = *pieces as usize;
                (options.noise, options.duplicates) = (*noise, *duplicates);
                (common, StreamKind::Routes(options))
            }
        };
        StreamFile::new(kind, common.format.into())
    }

    /// Files that belong to the stream: where, and which.
    pub(crate) fn companions(&self) -> Vec<(&Path, Companion)> {
        match self {
            Self::Uniform(uniform) => uniform.companions(),
            Self::Gaussian(gaussian) => gaussian.companions(),
            Self::Traffic(traffic) => traffic.companions(),
            _ => Vec::new(),
        }
    }
}
