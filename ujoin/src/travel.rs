//! The matrix of fastest travel times between streams.

use crate::{StreamId, Tuple};

/// The fastest travel time from each stream to each other one, in ticks. Need not be symmetric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TravelTimes {
    streams: usize,
    /// Row-major; `times[from * streams + to]`, the diagonal unused.
    times: Box<[i64]>,
    /// For each stream the longest time from or to it: how long its tuples must be kept.
    horizons: Box<[i64]>,
}

/// A matrix that is not one of travel times.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TravelError {
    /// The number of entries is not the square of the number of streams.
    #[error("{entries} travel times for {streams} streams; expected {streams} x {streams}")]
    Shape {
        /// Streams asked for.
        streams: usize,
        /// Entries given.
        entries: usize,
    },
    /// A travel time of zero or below.
    #[error("the travel time from stream {from} to stream {to} is {time}; it must be positive")]
    NotPositive {
        /// From which stream.
        from: StreamId,
        /// To which.
        to: StreamId,
        /// The time given.
        time: i64,
    },
}

impl TravelTimes {
    /// A matrix given row by row (from), diagonal included and ignored.
    ///
    /// # Errors
    /// A wrong number of entries; an entry off the diagonal that is not positive.
    pub fn from_rows(streams: usize, times: Vec<i64>) -> Result<TravelTimes, TravelError> {
        if streams.checked_mul(streams) != Some(times.len()) {
            return Err(TravelError::Shape { streams, entries: times.len() });
        }
        let mut horizons = vec![0; streams].into_boxed_slice();
        for from in 0..streams {
            for to in 0..streams {
                let time = times[from * streams + to];
                if from == to {
                    continue;
                }
                if time <= 0 {
                    let (from, to) = (from as StreamId, to as StreamId);
                    return Err(TravelError::NotPositive { from, to, time });
                }
                horizons[from] = time.max(horizons[from]);
                horizons[to] = time.max(horizons[to]);
            }
        }
        Ok(TravelTimes { streams, times: times.into_boxed_slice(), horizons })
    }

    /// The same time between any two streams.
    ///
    /// # Errors
    /// A time that is not positive.
    pub fn constant(streams: usize, time: i64) -> Result<TravelTimes, TravelError> {
        TravelTimes::from_rows(streams, vec![time; streams * streams])
    }

    /// How many streams there are.
    #[must_use]
    pub fn streams(&self) -> usize {
        self.streams
    }

    /// The fastest travel from one stream to another.
    ///
    /// # Panics
    /// A stream that does not exist.
    #[must_use]
    pub fn between(&self, from: StreamId, to: StreamId) -> i64 {
        self.times[from as usize * self.streams + to as usize]
    }

    /// The limit of a pair: the travel from the earlier tuple's stream to the later one's.
    #[must_use]
    pub fn limit(&self, a: &Tuple, b: &Tuple) -> i64 {
        if a.is_before(b) {
            self.between(a.stream, b.stream)
        } else {
            self.between(b.stream, a.stream)
        }
    }

    /// The retention horizon of a stream: the longest travel from or to it.
    #[must_use]
    pub fn horizon(&self, stream: StreamId) -> i64 {
        self.horizons[stream as usize]
    }
}
