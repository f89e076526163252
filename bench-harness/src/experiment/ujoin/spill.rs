//! Memory that does not suffice: what Figs. 15 and 16 and the examples of Figs. 4 and 5 share.

use std::sync::Arc;

use data_gen::stream::UniformOptions;
use ujoin::storage::{Files, Memory, Storage};
use ujoin::{
    Budget, Config, Engine, Expiry, Join, Pair, Policy, Product, Sink, SinkError, SlotProbability,
    Spill, Stats, Tuple,
};

use super::engines::{Answer, Setup, fail};
use super::load::{Load, hundredths, survivors};
use crate::error::{Error, Result};
use crate::experiment::Scale;

/// Checkpoints of the figures. The paper does not say how many; lists must be long for halves of them to
/// mean something.
pub const STREAMS: u32 = 2;

/// What becomes of tuples that do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// All fit.
    All,
    /// The more probable half of each list.
    Half,
    /// What is more probable than 0.8.
    Less,
    /// All but the least probable quarter.
    Quantile,
}

impl Kept {
    /// All, in the order of their colours.
    pub const ALL: [Self; 4] = [Self::All, Self::Half, Self::Less, Self::Quantile];
    /// Those that move tuples to disk.
    pub const POLICIES: [Self; 3] = [Self::Half, Self::Less, Self::Quantile];

    /// The name of its series.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all in memory",
            Self::Half => "window half",
            Self::Less => "less than probability",
            Self::Quantile => "quantile (ours)",
        }
    }

    fn policy(self) -> Option<Policy> {
        match self {
            Self::All => None,
            Self::Half => Some(Policy::WindowHalf),
            Self::Less => Some(Policy::LessThanProbability {
                probability: Product::from(hundredths(80)),
                share: 3,
                slots: SlotProbability::One,
            }),
            Self::Quantile => Some(Policy::Quantile),
        }
    }
}

/// The tuples of Figs. 15 and 16, and how they are joined.
#[derive(Clone, Debug)]
pub struct Case {
    /// The tuples.
    pub load: Load,
    /// The window and the threshold.
    pub setup: Setup,
    /// Slots, which are also the plates.
    pub slots: u32,
    /// Tuples that reach the threshold in a window: what memory would have to hold.
    pub live: usize,
}

impl Case {
    /// 1,000 plates around 1,500, probabilities from 0.5 to 0.99, threshold 0.7; three windows.
    pub fn new(scale: Scale, seed: u64) -> Result<Self> {
        // Lists of about twelve tuples, at a smaller scale as at the paper's.
        let slots = match scale {
            Scale::Tiny => 60,
            Scale::Quick => 400,
            Scale::Paper | Scale::Full => 1000,
        };
        let rate = 20 * slots;
        let windows = if scale == Scale::Full { 12 } else { 3 };
        let mut options = UniformOptions::new(u64::from(STREAMS * rate * windows));
        (options.streams, options.per_window_per_stream) = (STREAMS, rate);
        (options.slots, options.mean, options.plates_per_slot) = (slots, slots * 3 / 2, 1);
        let load = Load::uniform(&options, seed)?;
        // A stream more: of the probes that look into the memory.
        let setup = Setup::new(STREAMS + 1, Product::from(hundredths(70)))?;
        let live = survivors(&load.tuples, setup.threshold) as usize / windows as usize;
        Ok(Self { load, setup, slots, live })
    }

    /// The tuples of the first window alone.
    pub fn first_window(&self) -> Self {
        let first = self.load.tuples.iter().take_while(|tuple| tuple.time < self.setup.limit);
        let tuples: Arc<[Tuple]> = first.copied().collect();
        let live = survivors(&tuples, self.setup.threshold) as usize;
        Self { load: Load { tuples, ..self.load.clone() }, live, ..self.clone() }
    }

    /// A budget of this share of what memory would have to hold.
    pub fn share(&self, percent: u32) -> usize {
        (self.live * percent as usize / 100).max(1)
    }

    /// A join that holds so many tuples.
    pub fn join(&self, kept: Kept, entries: usize, disk: Disk) -> Result<Box<dyn Join>> {
        let config = Config::new(Arc::clone(&self.setup.travel))
            .engine(Engine::PaperBatched(Expiry::Inline))
            // One thread for all lists, so that runs are the same every time.
            .threads(1)
            .slots(self.slots as usize)
            .threshold(self.setup.threshold);
        let config = match kept.policy() {
            Some(policy) => config.spill(Spill::new(Budget::Entries(entries), policy, disk.get()?)),
            None => config,
        };
        config.build().map_err(fail)
    }
}

/// Where tuples go.
#[derive(Clone, Copy, Debug)]
pub enum Disk {
    /// Files in memory: for counts.
    Memory,
    /// Real files: for times.
    Files,
}

impl Disk {
    /// An empty one.
    pub fn get(self) -> Result<Arc<dyn Storage>> {
        match self {
            Self::Memory => Ok(Arc::new(Memory::new())),
            Self::Files => match Files::temporary() {
                Ok(files) => Ok(Arc::new(files)),
                Err(error) => Err(Error::io("cannot make a temporary directory", &error)),
            },
        }
    }
}

/// Results of a stretch of time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stretch {
    /// How many.
    pub pairs: u64,
    /// The sum of their probabilities, in units of 1e-18.
    sum: u128,
}

impl Stretch {
    /// Their mean probability.
    pub fn mean(&self) -> Option<f64> {
        (self.pairs > 0).then(|| self.sum as f64 / 1e18 / self.pairs as f64)
    }

    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self { pairs: self.pairs + other.pairs, sum: self.sum + other.sum }
    }
}

#[derive(Default)]
struct Measure {
    now: Stretch,
    answer: Answer,
}

impl Sink for Measure {
    fn pairs(&mut self, pairs: &[Pair]) -> Result<(), SinkError> {
        for pair in pairs {
            self.now.pairs += 1;
            self.now.sum += u128::from(pair.probability.units());
            self.answer.add(pair.first.seq, pair.second.seq, pair.probability.units());
        }
        Ok(())
    }
}

/// What came out, and when.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// While each tenth of the tuples was read.
    pub tenths: Vec<Stretch>,
    /// At the end, from disk.
    pub drained: Stretch,
    /// All together.
    pub answer: Answer,
    /// The engine's counters.
    pub stats: Stats,
}

impl Outcome {
    /// What came before the end.
    pub fn early(&self) -> Stretch {
        self.tenths.iter().fold(Stretch::default(), |sum, one| sum.and(*one))
    }

    /// Its share of all results.
    pub fn early_share(&self) -> f64 {
        100.0 * self.early().pairs as f64 / self.answer.pairs.max(1) as f64
    }
}

/// Reads all tuples, then drains what is owed.
pub fn run(join: &mut dyn Join, tuples: &[Tuple]) -> Result<Outcome> {
    let mut sink = Measure::default();
    let mut tenths = Vec::new();
    let mut from = 0;
    for tenth in 1..=10 {
        let to = tuples.len() * tenth / 10;
        for chunk in tuples[from..to].chunks(256) {
            join.push(chunk, &mut sink).map_err(fail)?;
        }
        // Results that threads still hold belong to this tenth; nothing is drained for it.
        join.resident(&mut sink).map_err(fail)?;
        tenths.push(std::mem::take(&mut sink.now));
        from = to;
    }
    join.finish(&mut sink).map_err(fail)?;
    let stats = join.stats();
    Ok(Outcome { tenths, drained: sink.now, answer: sink.answer, stats })
}
