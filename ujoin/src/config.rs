//! How a join is to be run.

use std::sync::Arc;

use crate::checkpoint::{Checkpoint, Settings};
use crate::{Error, Join, Probability, Product, Spill, TravelTimes, Tuple};

/// Which algorithm finds the pairs. All find the same ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Engine {
    /// The paper's: every tuple is sent to a join thread for each stream, one by one.
    Paper(Expiry),
    /// The paper's with tuples sent by the batch.
    PaperBatched(Expiry),
    /// A table of keys with a list each.
    Keyed,
    /// One circular log of arrivals, chained by key; keys with many tuples in runs of their own.
    #[default]
    Log,
}

/// How the paper's engines forget what has left the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Expiry {
    /// While lists are walked ("real-time"), with a sweep behind for lists that nobody walks.
    #[default]
    Inline,
    /// All lists at once, each time this much event time has passed.
    Batch {
        /// In ticks; positive.
        interval: i64,
    },
}

/// In which order results come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Order {
    /// As threads find them.
    #[default]
    Fast,
    /// By the arrival of the pair's second to arrive, then of its first. Results that are owed since
    /// a tuple was on disk come when they are drained, again in an order that is always the same.
    Deterministic,
}

/// How much memory a join may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Budget {
    /// So many bytes for everything: tuples, index, buffers. What does not fit is made smaller; at
    /// least one tuple stays in memory.
    Bytes(usize),
    /// So many tuples (at least one), whatever they take.
    Entries(usize),
}

/// Which tuples go to disk when the budget is reached.
#[derive(Clone, Debug, PartialEq)]
pub enum Policy {
    /// Of the list of each stream and slot the half with the lower probabilities; the larger half
    /// if the number is odd (Algorithm 3).
    WindowHalf,
    /// Each tuple whose probability times that of its slot is at most `probability`; everything if
    /// these are fewer than one in `share` (Algorithm 4).
    LessThanProbability {
        /// The paper's `Probability`.
        probability: Product,
        /// The paper's M, at least 1.
        share: u64,
        /// Probability of each slot.
        slots: SlotProbability,
    },
    /// The quarter with the lowest probabilities.
    Quantile,
}

/// The probability of a slot in [`Policy::LessThanProbability`].
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SlotProbability {
    /// One for every slot.
    #[default]
    One,
    /// As given; one for slots that are not listed. Not scaled.
    Given(Vec<(usize, Probability)>),
    /// The share of the slot among the tuples seen so far times the number of slots, at most one.
    Measured,
}

/// Everything that there is to choose. Start with [`Config::new`].
#[derive(Clone, Debug)]
pub struct Config {
    pub(crate) travel: Arc<TravelTimes>,
    pub(crate) engine: Engine,
    pub(crate) threshold: Product,
    pub(crate) lateness: i64,
    pub(crate) slots: usize,
    pub(crate) threads: usize,
    pub(crate) order: Order,
    pub(crate) buffer: usize,
    pub(crate) cap: Probability,
    pub(crate) spill: Option<Spill>,
}

impl Config {
    /// Engine [`Log`](Engine::Log), threshold 0.7, no lateness, all in memory.
    #[must_use]
    pub fn new(travel: impl Into<Arc<TravelTimes>>) -> Config {
        Config {
            travel: travel.into(),
            engine: Engine::default(),
            threshold: Product::from_units(700_000_000_000_000_000),
            lateness: 0,
            slots: 10_000,
            threads: 0,
            order: Order::default(),
            buffer: 300_000,
            cap: Probability::ONE,
            spill: None,
        }
    }

    /// Which engine.
    #[must_use]
    pub fn engine(self, engine: Engine) -> Config {
        Config { engine, ..self }
    }

    /// The least probability of a result.
    #[must_use]
    pub fn threshold(self, threshold: impl Into<Product>) -> Config {
        Config { threshold: threshold.into(), ..self }
    }

    /// By how many ticks a tuple may be older than the newest one. Zero or more.
    #[must_use]
    pub fn lateness(self, lateness: i64) -> Config {
        Config { lateness, ..self }
    }

    /// How many slots (buckets) the paper's index has, and so what "list" means to its policies: the
    /// slot of a key is the key modulo this number. 10,000 if not said.
    #[must_use]
    pub fn slots(self, slots: usize) -> Config {
        Config { slots, ..self }
    }

    /// How many threads join. `Keyed` and `Log`: 0 or 1 means the caller's alone; of two to four the
    /// caller's is one, unless results are to come in order; of more it is none, it only distributes.
    /// The paper's engines: 0 means one for each stream, else the logical threads are shared out among
    /// so many.
    #[must_use]
    pub fn threads(self, threads: usize) -> Config {
        Config { threads, ..self }
    }

    /// In which order results come.
    #[must_use]
    pub fn order(self, order: Order) -> Config {
        Config { order, ..self }
    }

    /// How many bytes a probe buffer holds; the paper's 300 KB if not said.
    #[must_use]
    pub fn buffer(self, bytes: usize) -> Config {
        Config { buffer: bytes, ..self }
    }

    /// A bound that no probability exceeds: more can be dropped at the door. Tuples above it are
    /// joined as if it did not exist, but partners of theirs may have been dropped.
    #[must_use]
    pub fn probability_cap(self, cap: Probability) -> Config {
        Config { cap, ..self }
    }

    /// A memory budget, and what to do when it is reached. Without one all stays in memory.
    #[must_use]
    pub fn spill(self, spill: Spill) -> Config {
        Config { spill: Some(spill), ..self }
    }

    /// What a checkpoint and what is on disk belong to: everything that changes which results there
    /// are. Engine, threads, budget and policy do not.
    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings::new()
            .with("streams", self.travel.streams())
            .with_bytes("travel times", self.travel.bytes())
            .with("threshold", self.threshold)
            .with("lateness", self.lateness)
            .with("probability cap", self.cap)
    }

    /// Makes the join. What an earlier run left in the [`Spill`]'s storage is deleted.
    ///
    /// # Errors
    /// A lateness below zero; no slots; an interval that is not positive; a share of zero in the
    /// policy; a thread that cannot be had; a storage that cannot be used.
    pub fn build(self) -> Result<Box<dyn Join>, Error> {
        crate::engine::build(self, None)
    }

    /// Makes the join that continues where [`Join::checkpoint`] was called, with the tuples that
    /// were in memory then. Any engine will do.
    ///
    /// # Errors
    /// As [`build`](Config::build); segments that the checkpoint names are missing or damaged; the
    /// checkpoint names segments, and there is no [`Spill`].
    pub fn resume(self, checkpoint: &Checkpoint, live: &[Tuple]) -> Result<Box<dyn Join>, Error> {
        crate::engine::build(self, Some((checkpoint, live)))
    }
}
