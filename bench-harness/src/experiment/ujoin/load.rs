//! Tuples to join: from which generator, how many, and how they are numbered.

use std::sync::Arc;

use data_gen::stream::{
    GaussianOptions, PlateReading, Sighting, StreamKind, TrafficOptions, UniformOptions,
};
use ujoin::{Probability, Product, Tuple};

use crate::error::{Error, Result};
pub use crate::experiment::common::{generating, hash};
use crate::experiment::{Context, Scale};
use crate::own;

/// The paper's window: the travel time between any two checkpoints, 60 min, in seconds.
pub const WINDOW: i64 = 3600;

/// Keys that share a slot of the uniform data. The paper does not say how many do.
pub const PLATES: u32 = 100;

/// As many different plates around the middle as the uniform data have in all: the sum of the squared
/// frequencies of slots is 1 / (2 sqrt(pi) sigma), here a 25th.
const GAUSSIAN_PLATES: u32 = 40_000;

/// The data of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// Lists of equal length.
    Uniform,
    /// Lists like a bell.
    Gaussian,
    /// The cameras of a town, from six in the morning.
    Traffic,
}

impl Data {
    /// Its name on the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Gaussian => "Gaussian",
            Self::Traffic => "traffic",
        }
    }
}

/// How many tuples a checkpoint has in a window, by scale. The paper does not say.
pub fn rate(scale: Scale) -> u32 {
    match scale {
        Scale::Tiny => 8,
        Scale::Quick => 80,
        Scale::Paper | Scale::Full => 1000,
    }
}

/// Tuples in memory, in the order of their times.
#[derive(Clone, Debug)]
pub struct Load {
    /// The tuples.
    pub tuples: Arc<[Tuple]>,
    /// The number of checkpoints.
    pub streams: u32,
    /// The SHA-256 of the file that data-gen would write.
    pub sha256: String,
}

impl Load {
    /// So many checkpoints over so many windows of time.
    pub fn new(data: Data, streams: u32, rate: u32, windows: f64, seed: u64) -> Result<Self> {
        let rows = (f64::from(streams) * f64::from(rate) * windows) as u64;
        match data {
            Data::Uniform => {
                let mut options = UniformOptions::new(rows);
                options.streams = streams;
                options.per_window_per_stream = rate;
                options.plates_per_slot = PLATES;
                Self::uniform(&options, seed)
            }
            Data::Gaussian => {
                let mut options = GaussianOptions::new(rows);
                options.plates.streams = streams;
                options.plates.per_window_per_stream = rate;
                options.plates.plates_per_slot = GAUSSIAN_PLATES;
                let tuples = options.stream(seed).map_err(|error| generating(&error))?;
                let tuples = numbered(tuples.map(|one| from_sighting(&one)).collect());
                let sha256 = hash(&StreamKind::Gaussian(options), seed)?;
                Ok(Self { tuples, streams, sha256 })
            }
            Data::Traffic => Self::traffic(streams, rate, rows as usize, seed),
        }
    }

    /// As [`new`](Self::new); traffic data are the user's sightings if there are any. Nothing when they
    /// have not so many checkpoints.
    pub fn or_own(
        data: Data,
        streams: u32,
        rate: u32,
        windows: f64,
        context: &Context<'_>,
    ) -> Result<Option<Self>> {
        match context.data.own().sightings()? {
            Some((sightings, _)) if data == Data::Traffic && sightings.streams < streams => {
                Ok(None)
            }
            Some((sightings, sha256)) if data == Data::Traffic => {
                let most = (f64::from(streams) * f64::from(rate) * windows) as usize;
                let rows = sightings.rows.iter().filter(|row| row.stream < streams).take(most);
                let mut tuples: Vec<Tuple> = rows.map(from_own).collect();
                tuples.sort_by_key(|tuple| tuple.time);
                Ok(Some(Self { tuples: numbered(tuples), streams, sha256: sha256.to_owned() }))
            }
            _ => Self::new(data, streams, rate, windows, context.seed).map(Some),
        }
    }

    /// Uniform keys with options of one's own.
    pub fn uniform(options: &UniformOptions, seed: u64) -> Result<Self> {
        let tuples = options.stream(seed).map_err(|error| generating(&error))?;
        let tuples = numbered(tuples.map(|one| from_sighting(&one)).collect());
        let sha256 = hash(&StreamKind::Uniform(options.clone()), seed)?;
        Ok(Self { tuples, streams: options.streams, sha256 })
    }

    /// The morning of a town that has about as many sightings as the other data.
    fn traffic(streams: u32, rate: u32, rows: usize, seed: u64) -> Result<Self> {
        const BEGIN: i64 = 6 * 3600;
        let mut options = TrafficOptions::new(24);
        options.cameras = streams;
        // A car is read about 1.6 sqrt(n) times a day, more often than that in the morning.
        let cars = 6.8 * f64::from(rate) * f64::from(streams).sqrt();
        options.vehicles = (cars as u32).max(50);
        options.clones = options.vehicles / 400;
        let readings = options.stream(seed).map_err(|error| generating(&error))?;
        let morning = readings.filter(|one| one.time >= BEGIN);
        let mut tuples: Vec<Tuple> =
            morning.take(rows).map(|one| from_reading(&one)).collect::<Result<_>>()?;
        tuples.sort_by_key(|tuple| tuple.time);
        let sha256 = hash(&StreamKind::Traffic(options), seed)?;
        Ok(Self { tuples: numbered(tuples), streams, sha256 })
    }
}

/// How many tuples reach the threshold.
pub fn survivors(tuples: &[Tuple], threshold: Product) -> u64 {
    let survives = |tuple: &&Tuple| Product::from(tuple.probability) >= threshold;
    tuples.iter().filter(survives).count() as u64
}

/// A probability of so many hundredths.
pub fn hundredths(hundredths: u32) -> Probability {
    Probability::from_nanos(hundredths * 10_000_000).unwrap_or(Probability::ONE)
}

fn from_sighting(one: &Sighting) -> Tuple {
    Tuple {
        seq: 0,
        observation: one.observation.unsigned_abs(),
        key: one.key.unsigned_abs(),
        time: one.time,
        stream: one.stream,
        probability: Probability::from_nanos(one.nanos).unwrap_or(Probability::ONE),
    }
}

fn from_own(one: &own::Sighting) -> Tuple {
    Tuple {
        seq: 0,
        observation: one.observation,
        key: one.key,
        time: one.time,
        stream: one.stream,
        probability: Probability::from_nanos(one.nanos).unwrap_or(Probability::ONE),
    }
}

/// A reading of a plate; the key is the plate's number in base 36.
pub fn from_reading(one: &PlateReading) -> Result<Tuple> {
    let key = u64::from_str_radix(one.plate.as_str(), 36)
        .map_err(|error| Error::failed(format!("plate {}: {error}", one.plate)))?;
    Ok(Tuple {
        seq: 0,
        observation: one.observation.unsigned_abs(),
        key,
        time: one.time,
        stream: one.camera,
        probability: Probability::from_nanos(one.nanos).unwrap_or(Probability::ONE),
    })
}

/// Tuples numbered in the order in which they stand.
pub fn numbered(mut tuples: Vec<Tuple>) -> Arc<[Tuple]> {
    for (seq, tuple) in tuples.iter_mut().enumerate() {
        tuple.seq = seq as u64;
    }
    tuples.into()
}
