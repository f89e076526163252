//! Which rows are joined: late ones, redeliveries and impossible alternatives are not.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::fault::Problem;
use super::key::{is_long, pack};
use super::streams::Streams;
use super::time::Seconds;
use super::unit::{Held, Unit};
use crate::StreamId;

/// Most alternatives of one observation.
pub(super) const MOST: usize = 1_000;
/// A sum of probabilities that is certain, in 1e-9.
const CERTAIN: u64 = 1_000_000_000;
/// Observations that are remembered before any are looked for that can be forgotten.
const FEW: usize = 64;

/// What becomes of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Admitted {
    /// It is joined.
    #[default]
    Yes,
    /// It is older than the watermark.
    Late,
    /// Stream, observation, time and key are those of an earlier row.
    Duplicate,
    /// It is impossible.
    Bad(Problem),
}

/// Decides on rows in the order of arrival.
///
/// The watermark is the newest time admitted, less the lateness; a row before it is late. A row of an
/// observation is remembered until it is late itself, since a redelivery of it is then late, too. So
/// memory is bounded by what arrives within the lateness. Alternatives that stand together are judged
/// together: if they, with those remembered, add up to more than one, none of them is admitted.
/// Alternatives that come later are added to those remembered; what was admitted before stays so.
/// Where probabilities were rounded, a sum may exceed one by as much as the rounding explains.
///
/// Constant time a row on average.
#[derive(Clone, Debug)]
pub struct Admission {
    lateness: i64,
    keep_duplicates: bool,
    newest: Option<i64>,
    known: HashTable<Known>,
    /// How many may be known before some are forgotten.
    room: usize,
}

/// An observation in one stream.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Known {
    stream: StreamId,
    observation: Name,
    /// The latest of its times.
    time: i64,
    /// Of its probabilities, in 1e-9.
    sum: u64,
    /// How many of them were rounded.
    rounded: u64,
    first: (i64, Name),
    more: Vec<(i64, Name)>,
}

/// A text: its number, and itself if the number does not tell it.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Name(u64, Option<Box<str>>);

impl Name {
    fn new(number: u64, text: &str) -> Name {
        Name(number, is_long(number).then(|| text.into()))
    }

    fn is(&self, number: u64, text: &str) -> bool {
        self.0 == number && self.1.as_deref().is_none_or(|known| known == text)
    }
}

impl Known {
    fn has(&self, time: i64, number: u64, key: &str) -> bool {
        let is = |(t, name): &(i64, Name)| *t == time && name.is(number, key);
        is(&self.first) || self.more.iter().any(is)
    }

    fn add(&mut self, keys: impl Iterator<Item = (i64, Name)>, sum: u64, rounded: u64) {
        self.more.extend(keys);
        (self.sum, self.rounded) = (sum, rounded);
        let latest = self.more.iter().map(|(time, _)| *time).max();
        self.time = self.time.max(latest.unwrap_or(i64::MIN));
    }

    fn hash(&self) -> u64 {
        hash(self.stream, self.observation.0)
    }
}

fn hash(stream: StreamId, observation: u64) -> u64 {
    let mixed =
        (observation ^ u64::from(stream).rotate_left(40)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 32
}

fn key_of<'t>(text: &'t str, row: &Held) -> &'t str {
    let [_, start, end] = row.places;
    &text[start..end]
}

impl Admission {
    /// Rows may be older than the newest one by `lateness` ticks.
    #[must_use]
    pub fn new(lateness: i64) -> Admission {
        Admission {
            lateness,
            keep_duplicates: false,
            newest: None,
            known: HashTable::new(),
            room: FEW,
        }
    }

    /// Redeliveries are admitted, too.
    #[must_use]
    pub fn keep_duplicates(self, keep: bool) -> Admission {
        Admission { keep_duplicates: keep, ..self }
    }

    /// The time before which rows are late; `None` before the first.
    #[must_use]
    pub fn watermark(&self) -> Option<i64> {
        self.newest.map(|newest| newest.saturating_sub(self.lateness))
    }

    fn is_late(&self, time: i64) -> bool {
        self.watermark().is_some_and(|watermark| time < watermark)
    }

    /// Whether a row is admitted that is an observation of its own: whether it is not late.
    pub fn admit(&mut self, time: i64) -> bool {
        let admitted = !self.is_late(time);
        if admitted {
            self.newest = self.newest.max(Some(time));
        }
        admitted
    }

    /// Decides on rows of one observation in one stream that stand together.
    pub fn settle(&mut self, unit: &mut Unit, streams: &Streams) {
        let Unit { rows, text, observation } = unit;
        let text = text.as_str();
        let Some(observation) = observation.map(|length| &text[..length]) else {
            for row in rows {
                row.admitted = if self.admit(row.time) { Admitted::Yes } else { Admitted::Late };
            }
            return;
        };
        let Some(stream) = rows.first().map(|row| row.stream) else { return };
        self.forget();
        let number = pack(observation);
        let hash = hash(stream, number);
        let is =
            |known: &Known| known.stream == stream && known.observation.is(number, observation);
        let lives = |known: &Known| self.watermark().is_none_or(|now| known.time >= now);
        let known = self.known.find(hash, is).filter(|known| lives(known));
        let is_new = known.is_none();
        let (mut sum, mut rounded, mut count) =
            known.map_or((0, 0, 0), |known| (known.sum, known.rounded, 1 + known.more.len()));
        let (mut newest, before) = (self.newest, count);
        for at in 0..rows.len() {
            let (earlier, rest) = rows.split_at_mut(at);
            let key = key_of(text, &rest[0]);
            let row = &mut rest[0];
            let late = newest.is_some_and(|newest| row.time < newest.saturating_sub(self.lateness));
            let mut again = earlier.iter().any(|e| e.time == row.time && key_of(text, e) == key);
            again |= known.is_some_and(|known| known.has(row.time, pack(key), key));
            row.admitted = if late {
                Admitted::Late
            } else if again {
                Admitted::Duplicate
            } else if count >= MOST {
                let observation = observation.to_owned();
                Admitted::Bad(Problem::Alternatives { observation, most: MOST })
            } else {
                newest = newest.max(Some(row.time));
                sum += u64::from(row.probability.nanos());
                rounded += u64::from(row.rounded.min(1));
                count += 1;
                Admitted::Yes
            };
        }
        let fresh = || rows.iter().filter(|row| row.admitted == Admitted::Yes);
        if count > before && sum > CERTAIN + rounded.div_ceil(2) {
            let problem = Problem::Sum {
                observation: observation.to_owned(),
                stream: streams.name(stream).to_owned(),
                sum: Seconds(sum.try_into().unwrap_or(i64::MAX)),
            };
            for row in rows.iter_mut().filter(|row| row.admitted == Admitted::Yes) {
                row.admitted = Admitted::Bad(problem.clone());
            }
            return;
        }
        self.newest = newest;
        let mut keys = fresh().map(|row| {
            let key = key_of(text, row);
            (row.time, Name::new(pack(key), key))
        });
        match self.known.entry(hash, is, Known::hash) {
            Entry::Occupied(mut known) if !is_new => known.get_mut().add(keys, sum, rounded),
            entry => {
                if let Some(first) = keys.next() {
                    let observation = Name::new(number, observation);
                    let (time, more) = (first.0, vec![]);
                    let mut known = Known { stream, observation, time, sum, rounded, first, more };
                    known.add(keys, sum, rounded);
                    entry.insert(known);
                }
            }
        }
        if self.keep_duplicates {
            for row in rows.iter_mut().filter(|row| row.admitted == Admitted::Duplicate) {
                row.admitted = Admitted::Yes;
            }
        }
    }

    /// Forgets observations of which every further row is late, now and then.
    fn forget(&mut self) {
        let Some(watermark) = self.watermark().filter(|_| self.known.len() >= self.room) else {
            return;
        };
        self.known.retain(|known| known.time >= watermark);
        self.room = FEW.max(2 * self.known.len());
    }

    /// How many observations are remembered.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.known.len()
    }
}

#[cfg(feature = "serde")]
mod state {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Admission, Known};

    #[derive(Serialize, Deserialize)]
    struct State<K> {
        lateness: i64,
        keep_duplicates: bool,
        newest: Option<i64>,
        known: Vec<K>,
    }

    impl Serialize for Admission {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let Admission { lateness, keep_duplicates, newest, .. } = *self;
            let known = self.known.iter().collect();
            State::<&Known> { lateness, keep_duplicates, newest, known }.serialize(serializer)
        }
    }

    impl<'de> Deserialize<'de> for Admission {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let State::<Known> { lateness, keep_duplicates, newest, known } =
                State::deserialize(deserializer)?;
            let mut admission = Admission::new(lateness).keep_duplicates(keep_duplicates);
            admission.newest = newest;
            for known in known {
                admission.known.insert_unique(known.hash(), known, Known::hash);
            }
            Ok(admission)
        }
    }
}
