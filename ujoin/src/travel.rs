//! The matrix of fastest travel times between streams.

use crate::{StreamId, Tuple};

/// The fastest travel time from each stream to each other one, in ticks. Need not be symmetric.
///
/// A matrix of one and the same time takes no memory, however many streams there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TravelTimes {
    streams: usize,
    times: Times,
    longest: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Times {
    /// The same between any two.
    Constant(i64),
    Matrix {
        /// Row-major; `times[from * streams + to]`, the diagonal zero.
        times: Box<[i64]>,
        /// For each stream the longest time from or to it: how long its tuples must be kept.
        horizons: Box<[i64]>,
    },
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
    pub fn from_rows(streams: usize, mut times: Vec<i64>) -> Result<TravelTimes, TravelError> {
        if streams.checked_mul(streams) != Some(times.len()) {
            return Err(TravelError::Shape { streams, entries: times.len() });
        }
        let mut horizons = vec![0; streams].into_boxed_slice();
        let (mut least, mut longest) = (i64::MAX, 0);
        for from in 0..streams {
            for to in 0..streams {
                let time = &mut times[from * streams + to];
                if from == to {
                    *time = 0;
                    continue;
                }
                let time = *time;
                if time <= 0 {
                    let (from, to) = (from as StreamId, to as StreamId);
                    return Err(TravelError::NotPositive { from, to, time });
                }
                horizons[from] = time.max(horizons[from]);
                horizons[to] = time.max(horizons[to]);
                (least, longest) = (least.min(time), longest.max(time));
            }
        }
        let times = if least >= longest {
            Times::Constant(longest)
        } else {
            Times::Matrix { times: times.into_boxed_slice(), horizons }
        };
        Ok(TravelTimes { streams, times, longest })
    }

    /// The same time between any two streams.
    ///
    /// # Errors
    /// A time that is not positive.
    pub fn constant(streams: usize, time: i64) -> Result<TravelTimes, TravelError> {
        if streams < 2 {
            return Ok(TravelTimes { streams, times: Times::Constant(0), longest: 0 });
        }
        if time <= 0 {
            return Err(TravelError::NotPositive { from: 0, to: 1, time });
        }
        Ok(TravelTimes { streams, times: Times::Constant(time), longest: time })
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
    #[inline]
    pub fn between(&self, from: StreamId, to: StreamId) -> i64 {
        match &self.times {
            Times::Constant(time) => {
                assert!((from.max(to) as usize) < self.streams, "a stream that exists");
                *time
            }
            Times::Matrix { times, .. } => times[from as usize * self.streams + to as usize],
        }
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
    #[inline]
    pub fn horizon(&self, stream: StreamId) -> i64 {
        match &self.times {
            Times::Constant(time) => *time,
            Times::Matrix { horizons, .. } => horizons[stream as usize],
        }
    }

    /// The longest travel of all: no tuple is needed for longer.
    #[must_use]
    pub fn longest(&self) -> i64 {
        self.longest
    }

    /// What makes two matrices differ.
    pub(crate) fn bytes(&self) -> impl Iterator<Item = u8> {
        let times = match &self.times {
            Times::Constant(time) => std::slice::from_ref(time),
            Times::Matrix { times, .. } => times,
        };
        times.iter().flat_map(|time| time.to_le_bytes())
    }

    /// Whether every stream has the same horizon.
    pub(crate) fn is_level(&self) -> bool {
        match &self.times {
            Times::Constant(_) => true,
            Times::Matrix { horizons, .. } => horizons.iter().all(|&h| h == self.longest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_of_one_time_is_a_constant() {
        let rows = TravelTimes::from_rows(3, vec![9, 5, 5, 5, -1, 5, 5, 5, 0]).unwrap();
        assert_eq!(rows, TravelTimes::constant(3, 5).unwrap());
        assert_eq!((rows.between(0, 2), rows.horizon(1), rows.longest()), (5, 5, 5));
        assert_eq!(TravelTimes::from_rows(1, vec![7]), TravelTimes::constant(1, 5));
    }

    #[test]
    fn a_horizon_is_the_longest_travel_from_or_to_a_stream() {
        let rows = TravelTimes::from_rows(3, vec![0, 1, 2, 3, 0, 4, 5, 6, 0]).unwrap();
        assert_eq!([0, 1, 2].map(|s| rows.horizon(s)), [5, 6, 6]);
        assert_eq!((rows.between(0, 1), rows.between(1, 0), rows.longest()), (1, 3, 6));
    }

    #[test]
    fn times_are_positive_and_as_many_as_needed() {
        let error = TravelTimes::from_rows(2, vec![0, 0, 1, 0]).unwrap_err();
        assert_eq!(error, TravelError::NotPositive { from: 0, to: 1, time: 0 });
        let error = TravelTimes::from_rows(2, vec![1; 3]).unwrap_err();
        assert_eq!(error, TravelError::Shape { streams: 2, entries: 3 });
        assert!(TravelTimes::constant(2, 0).is_err());
    }
}
