//! Streams of events: typed iterators, and files of them.
//!
//! Start reading at [`StreamKind`]. Each kind has a module of its own with its options, whose
//! method `stream` gives an iterator over plain structs; use that to feed an engine without a
//! file. To write or read files, see [`format`](mod@crate::format).
//!
//! ```
//! use data_gen::stream::StockOptions;
//! let up = StockOptions::new(1000).stream(10)?.filter(|event| event.price > 500).count();
//! assert!(up <= 1000);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! | kind | events | what is known about them |
//! |---|---|---|
//! | [`stock`] | price walks of a few symbols | their parameters |
//! | [`clicks`] | logins, views, carts | breaches, abandoned carts |
//! | [`sensors`] | readings and heartbeats, out of order | gaps, late events |
//! | [`letters`] | up to 26 types with ids | their distributions |
//! | [`keys`] | keys that come and go | keys that came, and went |
//! | [`rfid`] | readings of tags, uniform | their distributions |
//! | [`routes`] | pieces on production routes, with noise and duplicates | pieces, noise, duplicates |
//! | [`uniform`], [`gaussian`] | uncertain sightings of keys, uniform or normal | their distributions |
//! | [`traffic`] | number plates that cameras read, with clones and all that goes wrong | which car each was |

pub mod clicks;
mod event;
pub mod gaussian;
pub mod keys;
pub mod letters;
pub mod rfid;
pub mod routes;
pub mod sensors;
pub mod sighting;
pub mod stock;
pub mod traffic;
mod travel;
pub mod uniform;

pub use clicks::{Click, ClickOptions, Clicks};
pub(crate) use event::{Cell, Span};
pub use event::{Event, Field, Row};
pub use gaussian::GaussianOptions;
pub use keys::{KeyEvent, KeyOptions, Keys};
pub use letters::{Letter, LetterOptions, Letters};
pub use rfid::{Rfid, RfidOptions, Rfids};
pub use routes::{RouteOptions, Routes};
pub use sensors::{Reading, Readings, SensorOptions};
pub use sighting::{Label, Sighting};
pub use stock::{Stock, StockOptions, Stocks};
pub use traffic::{PlateReading, Traffic, TrafficOptions, TruthFile};
pub use travel::{TravelCounts, TravelFile};
pub use uniform::{Sightings, UniformOptions};

use crate::format::{Format, csv, jsonl};
use crate::manifest::{DataSet, Facts};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Names and numbers of what is known to be in a stream.
pub type Truth = BTreeMap<String, u64>;

/// A stream to generate: its kind and options.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StreamKind {
    /// Price walks: [`mod@stock`].
    Stock(StockOptions),
    /// Visits to a shop: [`mod@clicks`].
    Clicks(ClickOptions),
    /// Readings of sensors: [`mod@sensors`].
    Sensors(SensorOptions),
    /// Letters with ids: [`mod@letters`].
    Letters(LetterOptions),
    /// Keys that come and go: [`mod@keys`].
    Keys(KeyOptions),
    /// Readings of tags: [`mod@rfid`].
    Rfid(RfidOptions),
    /// Pieces on production routes: [`mod@routes`].
    Routes(RouteOptions),
    /// Sightings of uniform keys: [`mod@uniform`].
    Uniform(UniformOptions),
    /// Sightings of normally distributed keys: [`mod@gaussian`].
    Gaussian(GaussianOptions),
    /// Number plates that cameras read: [`mod@traffic`].
    Traffic(TrafficOptions),
}

/// What a file of events contains, counted while it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Counts {
    /// The file's length.
    pub bytes: u64,
    /// Events.
    pub events: u64,
    /// The earliest and the latest time; nothing when there are no events.
    pub times: Option<(i64, i64)>,
    /// Events of each type that occurs.
    pub types: BTreeMap<String, u64>,
    /// What is known about matches, by name: see the module of the kind.
    pub truth: Truth,
}

impl Facts for Counts {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn summary(&self) -> String {
        let mut summary = format!("{} events", self.events);
        for (name, count) in &self.truth {
            summary.push_str(&format!(", {count} {}", name.replace('_', " ")));
        }
        summary
    }
}

impl StreamKind {
    /// The kind's name, as the command line and manifests spell it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stock(_) => "stock",
            Self::Clicks(_) => "clicks",
            Self::Sensors(_) => "sensors",
            Self::Letters(_) => "letters",
            Self::Keys(_) => "keys",
            Self::Rfid(_) => "rfid",
            Self::Routes(_) => "routes",
            Self::Uniform(_) => "uniform",
            Self::Gaussian(_) => "gaussian",
            Self::Traffic(_) => "traffic",
        }
    }

    /// The number of events; of traffic about that.
    #[must_use]
    pub fn events(&self) -> u64 {
        match self {
            Self::Stock(options) => options.events,
            Self::Clicks(options) => options.events,
            Self::Sensors(options) => options.events,
            Self::Letters(options) => options.events,
            Self::Keys(options) => options.events,
            Self::Rfid(options) => options.events,
            Self::Routes(options) => options.events,
            Self::Uniform(options) => options.events,
            Self::Gaussian(options) => options.plates.events,
            Self::Traffic(options) => {
                // Most observations have a second reading.
                traffic::expected_observations(options).saturating_mul(17) / 10
            }
        }
    }

    /// The columns besides type and time.
    #[must_use]
    pub fn columns(&self) -> &'static [&'static str] {
        match self {
            Self::Stock(_) => &stock::COLUMNS,
            Self::Clicks(_) => &clicks::COLUMNS,
            Self::Sensors(_) => &sensors::COLUMNS,
            Self::Letters(_) => &letters::COLUMNS,
            Self::Keys(_) => &keys::COLUMNS,
            Self::Rfid(_) => &rfid::COLUMNS,
            Self::Routes(_) => &routes::COLUMNS,
            Self::Uniform(_) | Self::Gaussian(_) | Self::Traffic(_) => &sighting::COLUMNS,
        }
    }

    /// The travel times between the streams of sightings of a seed; nothing for other kinds.
    ///
    /// # Errors
    /// `InvalidInput` when an option is out of range.
    pub fn times(&self, seed: u64) -> io::Result<Option<TravelFile>> {
        match self {
            Self::Uniform(options) => options.times().map(Some),
            Self::Gaussian(options) => options.plates.times().map(Some),
            Self::Traffic(options) => options.times(seed).map(Some),
            _ => Ok(None),
        }
    }

    /// Writes the stream. Equal options and seeds give equal bytes.
    ///
    /// # Errors
    /// `InvalidInput` when an option is out of range; else what `out` reports.
    pub fn write(&self, seed: u64, format: Format, out: &mut dyn Write) -> io::Result<Counts> {
        match self {
            Self::Stock(options) => write(options.stream(seed)?, format, out),
            Self::Clicks(options) => write(options.stream(seed)?, format, out),
            Self::Sensors(options) => write(options.stream(seed)?, format, out),
            Self::Letters(options) => write(options.stream(seed)?, format, out),
            Self::Keys(options) => write(options.stream(seed)?, format, out),
            Self::Rfid(options) => write(options.stream(seed)?, format, out),
            Self::Routes(options) => write(options.stream(seed)?, format, out),
            Self::Uniform(options) => write(options.stream(seed)?, format, out),
            Self::Gaussian(options) => write(options.stream(seed)?, format, out),
            Self::Traffic(options) => write(options.stream(seed)?, format, out),
        }
    }
}

/// A file of events: a stream and its format.
///
/// ```no_run
/// use data_gen::{file, format::Format};
/// use data_gen::stream::{ClickOptions, StreamFile, StreamKind};
/// let clicks = StreamFile::new(StreamKind::Clicks(ClickOptions::new(1000)), Format::Csv);
/// let manifest = file::ensure("clicks.csv".as_ref(), &clicks, 1, &mut |_| {})?;
/// println!("{} breaches", manifest.facts.truth["breaches"]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StreamFile {
    /// The stream.
    pub kind: StreamKind,
    /// How its events are written.
    pub format: Format,
}

impl StreamFile {
    /// A file of events.
    #[must_use]
    pub fn new(kind: StreamKind, format: Format) -> Self {
        Self { kind, format }
    }
}

impl DataSet for StreamFile {
    type Facts = Counts;

    fn name(&self) -> &'static str {
        self.kind.name()
    }

    fn parameters(&self) -> serde_json::Value {
        let options = match &self.kind {
            StreamKind::Stock(options) => serde_json::to_value(options),
            StreamKind::Clicks(options) => serde_json::to_value(options),
            StreamKind::Sensors(options) => serde_json::to_value(options),
            StreamKind::Letters(options) => serde_json::to_value(options),
            StreamKind::Keys(options) => serde_json::to_value(options),
            StreamKind::Rfid(options) => serde_json::to_value(options),
            StreamKind::Routes(options) => serde_json::to_value(options),
            StreamKind::Uniform(options) => serde_json::to_value(options),
            StreamKind::Gaussian(options) => serde_json::to_value(options),
            StreamKind::Traffic(options) => serde_json::to_value(options),
        };
        let mut parameters = options.expect("options are plain data");
        parameters["format"] = self.format.name().into();
        parameters
    }

    fn expected_bytes(&self) -> u64 {
        let (csv, jsonl) = match &self.kind {
            StreamKind::Stock(_) => (32, 76),
            StreamKind::Clicks(_) => (35, 93),
            StreamKind::Sensors(_) => (31, 78),
            StreamKind::Letters(_) => (12, 35),
            StreamKind::Keys(_) => (25, 60),
            StreamKind::Rfid(_) => (14, 49),
            StreamKind::Routes(_) => (14, 49),
            StreamKind::Uniform(_) | StreamKind::Gaussian(_) => (31, 84),
            StreamKind::Traffic(_) => (29, 84),
        };
        self.kind.events().saturating_mul(match self.format {
            Format::Csv => csv,
            Format::Jsonl => jsonl,
        })
    }

    fn generate(&self, seed: u64, out: &mut dyn Write) -> io::Result<Counts> {
        self.kind.write(seed, self.format, out)
    }
}

/// An iterator over the events of one kind, with what files and manifests need to know about them.
pub(crate) trait Source: Iterator<Item: Event> {
    /// The columns besides type and time.
    const COLUMNS: &'static [&'static str];
    /// The types of events, where they are always the same.
    const KINDS: &'static [&'static str] = &[];
    /// What the column of the types is called.
    const TYPE: &'static str = "type";

    /// The types of events.
    fn kinds(&self) -> Vec<String> {
        Self::KINDS.iter().map(|&kind| kind.to_owned()).collect()
    }

    /// The index of an event's type.
    fn kind_index(event: &Self::Item) -> usize;

    /// What is known to be in the events so far.
    fn truth(&self) -> Truth;
}

fn write<S: Source>(source: S, format: Format, out: &mut dyn Write) -> io::Result<Counts> {
    match format {
        Format::Csv => {
            let mut writer = csv::Writer::with_type_column(out, S::TYPE, S::COLUMNS)?;
            let mut counts = count(source, |event| writer.write_own(event))?;
            counts.bytes = writer.finish()?;
            Ok(counts)
        }
        Format::Jsonl => {
            let mut writer = jsonl::Writer::with_type_column(out, S::TYPE, S::COLUMNS)?;
            let mut counts = count(source, |event| writer.write_own(event))?;
            counts.bytes = writer.finish()?;
            Ok(counts)
        }
    }
}

fn count<S: Source>(
    mut source: S,
    mut write: impl FnMut(&S::Item) -> io::Result<()>,
) -> io::Result<Counts> {
    let kinds = source.kinds();
    let mut by_kind = vec![0; kinds.len()];
    let mut times = None;
    for event in source.by_ref() {
        by_kind[S::kind_index(&event)] += 1;
        let time = event.time();
        let (first, last) = times.unwrap_or((time, time));
        times = Some((time.min(first), time.max(last)));
        write(&event)?;
    }
    let kinds = kinds.into_iter().zip(&by_kind).filter(|(_, count)| **count > 0);
    Ok(Counts {
        bytes: 0,
        events: by_kind.iter().sum(),
        times,
        types: kinds.map(|(kind, &count)| (kind, count)).collect(),
        truth: source.truth(),
    })
}

fn invalid<T>(message: String) -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

/// Checks a probability.
fn share(name: &str, p: f64) -> io::Result<()> {
    if (0.0..=1.0).contains(&p) {
        return Ok(());
    }
    invalid(format!("{name} must be from 0 to 1: {p}"))
}

/// Checks a number of things that is counted with signed numbers.
fn amount(n: u64) -> io::Result<i64> {
    i64::try_from(n).or_else(|_| invalid(format!("at most {} of anything: {n}", i64::MAX)))
}

/// The size hint for so many more events.
fn hint(left: i64) -> (usize, Option<usize>) {
    match usize::try_from(left) {
        Ok(left) => (left, Some(left)),
        Err(_) => (usize::MAX, None),
    }
}
