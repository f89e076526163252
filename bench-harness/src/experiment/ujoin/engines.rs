//! One way to run every engine and the database, and what they answer.

use std::sync::Arc;

use ujoin::{
    Config, Count, Engine, Expiry, Join, Pair, Product, Sink, SinkError, TravelTimes, Tuple,
};

#[cfg(feature = "sqlite")]
use crate::baseline::sqlite::{Database, Job, Layout};
use crate::error::{Error, Result};
pub use crate::experiment::common::agree;

/// So many tuples are given to an engine at a time.
const CHUNK: usize = 1024;

/// Something that joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// The paper's engine, expiry while lists are walked.
    Inline,
    /// The paper's engine, expiry of everything once in an interval.
    Batch,
    /// As [`Way::Inline`], tuples sent by the batch.
    InlineBatched,
    /// As [`Way::Batch`], tuples sent by the batch.
    BatchBatched,
    /// A list for each key.
    Keyed,
    /// The log of arrivals.
    Log,
    /// The same with this many threads.
    LogThreads(usize),
    /// The database with the layout of the paper.
    #[cfg(feature = "sqlite")]
    Database,
    /// The database with a better one.
    #[cfg(feature = "sqlite")]
    TunedDatabase,
}

/// The name of the database's series.
pub const DATABASE: &str = "SQLite in memory";
/// The name of the tuned database's series.
pub const TUNED: &str = "SQLite, tuned";
/// The name of the paper's engine with inline expiry.
pub const INLINE: &str = "threads, inline";
/// The name of the paper's engine with batch expiry.
pub const BATCH: &str = "threads, batch";
/// The same, sent by the batch.
pub const INLINE_BATCHED: &str = "threads, inline, 256 a send";
/// The same, sent by the batch.
pub const BATCH_BATCHED: &str = "threads, batch, 256 a send";
/// The name of the list for each key.
pub const KEYED: &str = "keyed";
/// The name of the log.
pub const LOG: &str = "log";

/// What the names stand for.
pub const NAMES: &str = "Threads is the paper's algorithm, a distributor and a join thread for each \
    checkpoint, inline with expiry while lists are walked, batch with expiry of everything once in an \
    interval. As the paper's text has it, every tuple is sent to every thread by itself; 256 a send is \
    the same with tuples sent by the batch. SQLite in memory, standing in for TimesTen, runs \
    Algorithm 2 with an index over the plates and one over the times, each statement a transaction; \
    tuned, the table is its own index and all is one transaction. Log is our default engine: one \
    circular log of arrivals, chained by key, on one thread.";

impl Way {
    /// Those of the paper's figures, the database first, and ours.
    pub fn of_figures() -> Vec<Self> {
        let mut ways = Vec::new();
        #[cfg(feature = "sqlite")]
        ways.extend([Self::Database, Self::TunedDatabase]);
        ways.extend([Self::Inline, Self::Batch, Self::InlineBatched, Self::BatchBatched]);
        ways.push(Self::Log);
        ways
    }

    /// The name of its series.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inline => INLINE,
            Self::Batch => BATCH,
            Self::InlineBatched => INLINE_BATCHED,
            Self::BatchBatched => BATCH_BATCHED,
            Self::Keyed => KEYED,
            Self::Log => LOG,
            Self::LogThreads(_) => "log, threads",
            #[cfg(feature = "sqlite")]
            Self::Database => DATABASE,
            #[cfg(feature = "sqlite")]
            Self::TunedDatabase => TUNED,
        }
    }
}

/// What is joined, apart from the tuples.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The travel times, which the database knows as one number.
    pub travel: Arc<TravelTimes>,
    /// The travel time between any two streams.
    pub limit: i64,
    /// The least probability of a result.
    pub threshold: Product,
    /// The interval of expiry.
    pub interval: i64,
}

impl Setup {
    /// The paper's: a travel time and an interval of 60 min, and this threshold.
    pub fn new(streams: u32, threshold: impl Into<Product>) -> Result<Self> {
        let limit = super::load::WINDOW;
        let travel = TravelTimes::constant(streams as usize, limit)
            .map_err(|error| Error::failed(format!("ujoin: {error}")))?;
        let threshold = threshold.into();
        Ok(Self { travel: Arc::new(travel), limit, threshold, interval: limit })
    }
}

/// What goes wrong in an engine.
pub fn fail(error: ujoin::Error) -> Error {
    Error::failed(format!("ujoin: {error}"))
}

/// A join that has not begun.
pub enum Ready {
    /// One of our engines.
    Engine(Box<dyn Join>),
    /// The database, and how many results it has from before the time that is taken.
    #[cfg(feature = "sqlite")]
    Database(Database, u64),
}

/// Makes what joins.
pub fn ready(way: Way, setup: &Setup) -> Result<Ready> {
    let batch = Expiry::Batch { interval: setup.interval };
    let engine = match way {
        Way::Inline => Engine::Paper(Expiry::Inline),
        Way::Batch => Engine::Paper(batch),
        Way::InlineBatched => Engine::PaperBatched(Expiry::Inline),
        Way::BatchBatched => Engine::PaperBatched(batch),
        Way::Keyed => Engine::Keyed,
        Way::Log | Way::LogThreads(_) => Engine::Log,
        #[cfg(feature = "sqlite")]
        Way::Database => return database(Layout::Plain, setup),
        #[cfg(feature = "sqlite")]
        Way::TunedDatabase => return database(Layout::Tuned, setup),
    };
    let threads = if let Way::LogThreads(threads) = way { threads } else { 0 };
    let config = Config::new(Arc::clone(&setup.travel)).engine(engine).threads(threads);
    config.threshold(setup.threshold).build().map(Ready::Engine).map_err(fail)
}

#[cfg(feature = "sqlite")]
fn database(layout: Layout, setup: &Setup) -> Result<Ready> {
    let Setup { limit, threshold, interval, .. } = *setup;
    let job = Job { threshold, limit, interval };
    Database::new(layout, job).map(|database| Ready::Database(database, 0)).map_err(sqlite)
}

#[cfg(feature = "sqlite")]
fn sqlite(error: rusqlite::Error) -> Error {
    Error::failed(format!("SQLite: {error}"))
}

impl Ready {
    /// Joins all tuples and reads every result; their number.
    pub fn count(&mut self, tuples: &[Tuple]) -> Result<u64> {
        match self {
            Self::Engine(join) => {
                let mut sink = Count::default();
                feed(&mut **join, tuples, &mut sink)?;
                Ok(sink.pairs)
            }
            #[cfg(feature = "sqlite")]
            Self::Database(database, before) => {
                database.run(tuples).map(|all| all - *before).map_err(sqlite)
            }
        }
    }

    /// Joins tuples that come before those that are timed.
    pub fn fill(&mut self, tuples: &[Tuple]) -> Result<()> {
        match self {
            Self::Engine(join) => {
                let mut sink = Count::default();
                push(&mut **join, tuples, &mut sink)?;
                join.pause(&mut sink).map_err(fail)
            }
            #[cfg(feature = "sqlite")]
            Self::Database(database, before) => {
                *before = database.run(tuples).map_err(sqlite)?;
                Ok(())
            }
        }
    }

    /// Joins all tuples; number and digest of the results, whatever their order.
    pub fn answer(&mut self, tuples: &[Tuple]) -> Result<Answer> {
        let mut answer = Answer::default();
        match self {
            Self::Engine(join) => feed(&mut **join, tuples, &mut answer)?,
            #[cfg(feature = "sqlite")]
            Self::Database(database, _) => {
                database.run(tuples).map_err(sqlite)?;
                for (a, b, probability) in database.illegal().map_err(sqlite)? {
                    answer.add(a, b, probability);
                }
            }
        }
        Ok(answer)
    }
}

/// Gives an engine all tuples and ends it.
pub fn feed(join: &mut dyn Join, tuples: &[Tuple], sink: &mut dyn Sink) -> Result<()> {
    push(join, tuples, sink)?;
    join.finish(sink).map_err(fail)
}

fn push(join: &mut dyn Join, tuples: &[Tuple], sink: &mut dyn Sink) -> Result<()> {
    tuples.chunks(CHUNK).try_for_each(|chunk| join.push(chunk, sink).map_err(fail))
}

/// Number and digest of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// How many.
    pub pairs: u64,
    digest: u64,
}

impl Answer {
    /// A sum over all pairs.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Adds the result of two tuples with these numbers; which comes first does not matter.
    pub fn add(&mut self, a: u64, b: u64, probability: u64) {
        let mut mixed = 0_u64;
        for part in [a.min(b), a.max(b), probability] {
            // The finaliser of SplitMix64.
            let mut z = mixed ^ part.wrapping_add(0x9e37_79b9_7f4a_7c15);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed = z ^ (z >> 31);
        }
        self.pairs += 1;
        self.digest = self.digest.wrapping_add(mixed);
    }
}

impl Sink for Answer {
    fn pairs(&mut self, pairs: &[Pair]) -> Result<(), SinkError> {
        for pair in pairs {
            self.add(pair.first.seq, pair.second.seq, pair.probability.units());
        }
        Ok(())
    }
}

/// Brute force: every two tuples of a key, by the definition.
pub fn brute_force(setup: &Setup, tuples: &[Tuple]) -> Answer {
    let mut answer = Answer::default();
    let mut keys: Vec<&Tuple> = tuples.iter().collect();
    keys.sort_by_key(|tuple| (tuple.key, tuple.seq));
    for same in keys.chunk_by(|a, b| a.key == b.key) {
        for (i, a) in same.iter().enumerate() {
            for b in &same[i + 1..] {
                let product = u128::from(a.probability.nanos()) * u128::from(b.probability.nanos());
                let near = a.time.abs_diff(b.time) < setup.travel.limit(a, b).unsigned_abs();
                let joins = a.stream != b.stream && a.observation != b.observation && near;
                if joins && product >= u128::from(setup.threshold.units()) {
                    answer.add(a.seq, b.seq, product as u64);
                }
            }
        }
    }
    answer
}

/// The answer of all ways and of brute force, when they are equal.
pub fn agreed(ways: &[Way], setup: &Setup, tuples: &[Tuple]) -> Result<Answer> {
    let right = brute_force(setup, tuples);
    for &way in ways {
        let answer = ready(way, setup)?.answer(tuples)?;
        if answer != right {
            return Err(Error::disagreement(format!(
                "brute force answers {right:?}, but {} answers {answer:?}",
                way.name()
            )));
        }
    }
    Ok(right)
}
