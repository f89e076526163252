//! Observations compared as a whole.

use std::fmt;

use super::Retention;
use crate::storage::{PayloadLog, StorageError};
use crate::{
    Config, Error, Join, Pair, Probability, Product, Sink, SinkError, Stats, StreamId, Tuple,
};

/// Most alternatives of one observation.
const MOST: usize = 1_000;
const ONE: u64 = 1_000_000_000;
/// A sum of probabilities may be above one by what rounding each to nine digits explains.
const SLACK: u64 = MOST as u64;

/// One of the things that an observation may show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// Which.
    pub key: u64,
    /// How likely.
    pub probability: Probability,
}

/// Alternatives that exclude each other: at most one is true.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// Its name; observations of equal names are never compared.
    pub id: u64,
    /// Where.
    pub stream: StreamId,
    /// When, in ticks.
    pub time: i64,
    /// At least one, each key once, adding up to at most one (and 1e-9 for each, for rounding).
    pub alternatives: &'a [Alternative],
}

/// Two observations that show the same thing too soon after each other, with this probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservationPair {
    /// Name, stream and time of the earlier one.
    pub first: (u64, StreamId, i64),
    /// Of the later one.
    pub second: (u64, StreamId, i64),
    /// That both show the same: the sum of p * q over the keys that they share.
    pub probability: Product,
    /// The key that contributes most; of equal ones the least.
    pub key: u64,
    /// The travel time that the pair undercuts, in ticks.
    pub limit: i64,
}

/// How alike two observations are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sameness {
    /// That both show the same thing.
    pub probability: Product,
    /// The keys that they share, by their places in both.
    pub shared: Vec<(usize, usize)>,
    /// Which of these contributes most; the first of equal ones.
    pub best: usize,
}

/// Compares two observations; each is in ascending order of its keys, which differ. `None` if they
/// share no key. Linear in the numbers of alternatives.
///
/// ```
/// use ujoin::{Probability, mode::sameness};
/// let p = |nanos| Probability::from_nanos(nanos).unwrap();
/// let a = [("B-AB 123", p(600_000_000)), ("B-AB 128", p(400_000_000))];
/// let b = [("B-AB 123", p(500_000_000)), ("B-AB 128", p(500_000_000))];
/// assert_eq!(sameness(&a, &b).unwrap().probability.to_string(), "0.5");
/// ```
#[must_use]
pub fn sameness<K: Ord>(a: &[(K, Probability)], b: &[(K, Probability)]) -> Option<Sameness> {
    let (mut i, mut j) = (0, 0);
    let mut sum: u64 = 0;
    let mut shared = vec![];
    let (mut best, mut most) = (0, 0);
    while let (Some((x, p)), Some((y, q))) = (a.get(i), b.get(j)) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                let product = p.times(*q).units();
                // At most one of probabilities that add up to one; rounding does not reach 18.
                sum = sum.saturating_add(product);
                if product > most {
                    (best, most) = (shared.len(), product);
                }
                shared.push((i, j));
                (i, j) = (i + 1, j + 1);
            }
        }
    }
    (!shared.is_empty()).then(|| Sameness { probability: Product::from_units(sum), shared, best })
}

/// The threshold for pairs of alternatives that misses no pair of observations with at least
/// `threshold`: about its square.
///
/// If no p * q exceeds m, their sum is at most the root of m times the sum of the roots of p * q,
/// which is at most the root of the product of both sums (Cauchy-Schwarz), and these are at most one
/// (and 1e-6 for rounding).
#[must_use]
pub fn candidate_threshold(threshold: Product) -> Product {
    let square = u128::from(threshold.units()).pow(2) / u128::from(ONE).pow(2);
    let units = square / 1_000_000 * 999_996;
    Product::from_units(units.try_into().unwrap_or(u64::MAX))
}

/// The least that the likeliest alternative of an observation must have, in billionths, for the
/// observation to be in any pair of at least `threshold`: the sum of p * q over shared keys is at most
/// the largest p, since the q add up to at most one (and 1e-6 for rounding).
#[must_use]
pub fn least_certain(threshold: Product) -> u64 {
    threshold.units().div_ceil(ONE + SLACK)
}

/// An observation that is none, or a join that fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObservationError {
    /// Nothing is observed.
    #[error("observation {0} has no alternative")]
    Empty(u64),
    /// More alternatives than anyone can tell apart.
    #[error("observation {0} has more than 1000 alternatives")]
    Many(u64),
    /// A key that stands twice.
    #[error("observation {id} has the key {key} twice")]
    Twice {
        /// Which observation.
        id: u64,
        /// Which key.
        key: u64,
    },
    /// Alternatives that are more than certain together.
    #[error("the probabilities of observation {id} add up to more than 1")]
    Sum {
        /// Which observation.
        id: u64,
    },
    /// The join failed.
    #[error(transparent)]
    Join(#[from] Error),
}

/// Joins observations as a whole, above a join of their alternatives.
///
/// An observation takes the time of its alternatives in the join below; each candidate costs the
/// comparison of both observations.
///
/// ```
/// use ujoin::mode::{Alternative, Observation, ObservationJoin};
/// use ujoin::{Config, Probability, TravelTimes};
/// let p = |nanos| Probability::from_nanos(nanos).unwrap();
/// let config = Config::new(TravelTimes::constant(2, 1800)?);
/// let mut join = ObservationJoin::new(config)?;
/// let mut found = vec![];
/// for (id, stream, time) in [(1, 0, 60), (2, 1, 420)] {
///     let alternatives = [
///         Alternative { key: 12_345, probability: p(900_000_000) },
///         Alternative { key: 72_345, probability: p(100_000_000) },
///     ];
///     let observation = Observation { id, stream, time, alternatives: &alternatives };
///     join.push(&observation, &mut |pair| Ok(found.push(*pair)))?;
/// }
/// join.finish(&mut |pair| Ok(found.push(*pair)))?;
/// assert_eq!(found[0].probability.to_string(), "0.82");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ObservationJoin {
    join: Box<dyn Join>,
    threshold: Product,
    lateness: i64,
    log: PayloadLog,
    retention: Retention,
    next: u64,
    sorted: Vec<Alternative>,
    tuples: Vec<Tuple>,
    buffers: Buffers,
}

#[derive(Debug, Default)]
struct Buffers {
    row: Vec<u8>,
    first: Vec<(u64, Probability)>,
    second: Vec<(u64, Probability)>,
}

/// Takes pairs of observations.
pub type Found<'f> = &'f mut dyn FnMut(&ObservationPair) -> Result<(), SinkError>;

impl ObservationJoin {
    /// Makes the join of a configuration, whose threshold is for observations. Their alternatives are
    /// kept in memory.
    ///
    /// # Errors
    /// As [`Config::build`].
    pub fn new(config: Config) -> Result<ObservationJoin, Error> {
        ObservationJoin::with_log(config, PayloadLog::in_memory())
    }

    /// As [`new`](Self::new); alternatives are kept in a log, which goes to disk as it is made to.
    ///
    /// # Errors
    /// As [`Config::build`].
    pub fn with_log(config: Config, log: PayloadLog) -> Result<ObservationJoin, Error> {
        let (threshold, lateness) = (config.threshold, config.lateness);
        let retention = Retention::new(config.travel.longest());
        let join = config.threshold(candidate_threshold(threshold)).build()?;
        Ok(ObservationJoin {
            join,
            threshold,
            lateness,
            log,
            retention,
            next: 0,
            sorted: vec![],
            tuples: vec![],
            buffers: Buffers::default(),
        })
    }

    /// Takes an observation. False if it is late: older than the newest one by more than the
    /// lateness.
    ///
    /// # Errors
    /// An observation that is none; as [`Join::push`].
    pub fn push(
        &mut self,
        observation: &Observation<'_>,
        found: Found<'_>,
    ) -> Result<bool, ObservationError> {
        let Observation { id, stream, time, alternatives } = *observation;
        if alternatives.is_empty() {
            return Err(ObservationError::Empty(id));
        }
        if alternatives.len() > MOST {
            return Err(ObservationError::Many(id));
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(alternatives);
        self.sorted.sort_unstable_by_key(|alternative| alternative.key);
        if let Some(twice) = self.sorted.windows(2).find(|two| two[0].key == two[1].key) {
            return Err(ObservationError::Twice { id, key: twice[0].key });
        }
        let nanos = |alternative: &Alternative| u64::from(alternative.probability.nanos());
        if self.sorted.iter().map(nanos).sum::<u64>() > ONE + alternatives.len() as u64 {
            return Err(ObservationError::Sum { id });
        }
        if time < self.join.watermark() {
            return Ok(false);
        }
        if self.sorted.iter().map(nanos).max().unwrap_or(0) < least_certain(self.threshold) {
            // It meets nobody, and time goes on.
            self.advance(time.saturating_sub(self.lateness), found)?;
            return Ok(true);
        }
        let first = self.next;
        self.tuples.clear();
        for (alternative, seq) in self.sorted.iter().zip(first..) {
            let Alternative { key, probability } = *alternative;
            let row = &mut self.buffers.row;
            row.clear();
            if seq == first {
                for Alternative { key, probability } in &self.sorted {
                    row.extend_from_slice(&key.to_le_bytes());
                    row.extend_from_slice(&probability.nanos().to_le_bytes());
                }
            } else {
                row.extend_from_slice(&first.to_le_bytes());
            }
            self.log.push(seq, row);
            self.retention.note(seq, time);
            self.tuples.push(Tuple { seq, observation: id, key, time, stream, probability });
        }
        self.next += self.tuples.len() as u64;
        let (join, mut sink) = self.parts(found);
        join.0.push(join.1, &mut sink)?;
        if self.retention.is_worth_it(self.join.watermark()) {
            let (join, mut sink) = self.parts(found);
            join.0.pause(&mut sink)?;
            let needed = self.retention.release(self.join.watermark());
            self.log.forget_before(needed);
        }
        Ok(true)
    }

    fn parts<'s>(&'s mut self, found: Found<'s>) -> (Below<'s>, Combine<'s>) {
        let sink = Combine {
            log: &mut self.log,
            threshold: self.threshold,
            buffers: &mut self.buffers,
            found,
        };
        ((&mut *self.join, &self.tuples), sink)
    }

    /// Promises that nothing older than `watermark` is to come.
    ///
    /// # Errors
    /// As [`Join::advance`].
    pub fn advance(&mut self, watermark: i64, found: Found<'_>) -> Result<(), Error> {
        let (join, mut sink) = self.parts(found);
        join.0.advance(watermark, &mut sink)
    }

    /// Gives out all pairs of the observations so far.
    ///
    /// # Errors
    /// As [`Join::pause`].
    pub fn pause(&mut self, found: Found<'_>) -> Result<(), Error> {
        let (join, mut sink) = self.parts(found);
        join.0.pause(&mut sink)
    }

    /// As [`pause`](Self::pause), then ends the join.
    ///
    /// # Errors
    /// As [`Join::finish`].
    pub fn finish(&mut self, found: Found<'_>) -> Result<(), Error> {
        let (join, mut sink) = self.parts(found);
        join.0.finish(&mut sink)
    }

    /// What the join of alternatives has counted.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.join.stats()
    }
}

/// The join below and what it is about to take.
type Below<'s> = (&'s mut dyn Join, &'s [Tuple]);

impl fmt::Debug for ObservationJoin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObservationJoin")
            .field("threshold", &self.threshold)
            .field("log", &self.log)
            .finish_non_exhaustive()
    }
}

/// Makes pairs of observations of candidates.
struct Combine<'s> {
    log: &'s mut PayloadLog,
    threshold: Product,
    buffers: &'s mut Buffers,
    found: Found<'s>,
}

impl Sink for Combine<'_> {
    fn pairs(&mut self, pairs: &[Pair]) -> Result<(), SinkError> {
        for pair in pairs {
            let Buffers { row, first, second } = &mut *self.buffers;
            load(self.log, pair.first.seq, row, first)?;
            load(self.log, pair.second.seq, row, second)?;
            let Some(Sameness { probability, shared, best }) = sameness(first, second) else {
                continue;
            };
            // Each key that both share is a candidate; one of them stands for the pair.
            let key = first[shared[best].0].0;
            if probability >= self.threshold && key == pair.first.key {
                let name = |tuple: &Tuple| (tuple.observation, tuple.stream, tuple.time);
                (self.found)(&ObservationPair {
                    first: name(&pair.first),
                    second: name(&pair.second),
                    probability,
                    key,
                    limit: pair.limit,
                })?;
            }
        }
        Ok(())
    }
}

/// The alternatives of the observation that a tuple is of.
fn load(
    log: &mut PayloadLog,
    seq: u64,
    row: &mut Vec<u8>,
    alternatives: &mut Vec<(u64, Probability)>,
) -> Result<(), SinkError> {
    let failed = |e: StorageError| SinkError::Failed(Box::new(e));
    log.get(seq, row).map_err(failed)?;
    if let Ok(first) = <[u8; 8]>::try_from(row.as_slice()) {
        log.get(u64::from_le_bytes(first), row).map_err(failed)?;
    }
    alternatives.clear();
    for entry in row.as_chunks::<12>().0 {
        let (key, nanos) = entry.split_at(8);
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b));
        let probability = Probability::from_nanos(number(nanos) as u32);
        alternatives.extend(probability.ok().map(|probability| (number(key), probability)));
    }
    Ok(())
}
