//! Sightings, travel times and numbers as people write them (feature `cli`).
//!
//! | what | where |
//! |---|---|
//! | sightings in CSV and JSON lines | [`Reader`], [`Sighting`] |
//! | travel times in CSV | [`read_travel_times`], [`Streams`] |
//! | redeliveries, lateness, alternatives that add up to more than one | [`Admission`] |
//! | decimals of nine digits, times, durations | [`Decimal`], [`time()`], [`duration`], [`Seconds`] |
//! | keys as numbers | [`pack`], [`normalize_plate`] |
//! | rows as JSON objects again | [`RowWriter`] |
//!
//! Memory is bounded: a reader holds one buffer and no row above 16 megabytes, and an admission
//! forgets with the watermark.

mod admit;
mod csv;
mod decimal;
mod fault;
mod json;
mod key;
mod reader;
mod row;
mod split;
mod streams;
mod time;
mod travel;
mod unit;
mod writer;

pub use admit::{Admission, Admitted};
pub use decimal::{Decimal, DecimalError};
pub use fault::{Fault, LoadError, Place, Problem};
pub use key::{LONG, is_long, normalize_plate, pack};
pub use reader::{Format, Next, Position, Reader, RowReader, Sighting};
pub use row::Fields;
pub use streams::Streams;
pub use time::{Seconds, TICKS_PER_SECOND, TimeError, duration, time};
pub use travel::read_travel_times;
pub use unit::Unit;
pub use writer::{RowWriter, string};
