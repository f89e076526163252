//! Several threads for one stream: partitions are dealt out among workers.
//!
//! ```
//! use std::sync::Arc;
//! use nfab::{Automaton, Config, Count, Record, Schema, ShardedEngine, ValueType};
//!
//! # fn main() -> Result<(), nfab::Error> {
//! let mut schema = Schema::new();
//! let tick = schema.add_type("tick");
//! let symbol = schema.add_attribute("symbol", Some(ValueType::Int));
//! let query = "PATTERN SEQ(tick a, tick b) WHERE skip_till_next_match { [symbol] }";
//! let automaton = Automaton::from_text(query, &schema)?;
//!
//! let mut engine = ShardedEngine::new(automaton, Config::new(), 2)?;
//! let mut count = Count::default();
//! for i in 0..100 {
//!     engine.push(Record::new(tick, i).with(symbol, i % 10), &mut count)?;
//! }
//! engine.finish(&mut count)?;
//! assert_eq!(count.matches, 90);
//! # Ok(())
//! # }
//! ```
//!
//! Every worker has an engine of its own and learns of every event, since strict contiguity and
//! windows count the events of all partitions; it looks only at those whose key falls to it. Events
//! travel in batches over bounded channels, so that a slow worker slows the stream down instead of
//! filling the memory. What the workers bring about is put in the order that one engine would have
//! given it, whatever their number.

mod merge;
mod worker;

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, bounded};
use hashbrown::DefaultHashBuilder;

use crate::config::Config;
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::nfa::Automaton;
use crate::reorder::Reorder;
use crate::runtime::key::Key;
use crate::stats::Stats;
use worker::{Batch, Reply, Step, Worker};

/// Steps of one batch.
const BATCH: usize = 1024;

/// Batches on their way.
const DEPTH: usize = 4;

/// The most workers.
const MOST_WORKERS: usize = 1024;

/// Where a worker is told and heard.
#[derive(Debug)]
struct Line<E> {
    tasks: Sender<Arc<Batch<E>>>,
    replies: Receiver<Reply<E>>,
    thread: JoinHandle<()>,
}

/// As [`Engine`](crate::Engine), with the partitions of the stream dealt out among threads. Events
/// are shared between them, so sinks get `Arc`s. Output comes in batches: at the latest with
/// [`flush`](Self::flush) or [`finish`](Self::finish). Its content and order are those of one engine,
/// as long as no limit is reached: limits hold for each worker.
///
/// Without a partition key there is nothing to deal out, and one worker does everything.
pub struct ShardedEngine<E: Event> {
    automaton: Arc<Automaton>,
    lines: Vec<Line<E>>,
    hasher: DefaultHashBuilder,
    /// Only with a bound on lateness.
    reorder: Option<Reorder<E>>,
    watermark: Option<i64>,
    batch: Vec<Step<E>>,
    /// The number of the first step that is not yet in a batch, and of the first of the oldest batch
    /// on its way.
    step: u64,
    on_the_way: VecDeque<Arc<Batch<E>>>,
    /// Late events, each before a step.
    late: VecDeque<(u64, Arc<E>)>,
    state: State,
    stats: Stats,
    /// Matches that the workers reported and the sink did not want.
    unwanted: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    Failed,
    Finished,
}

impl<E: Event> fmt::Debug for ShardedEngine<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardedEngine")
            .field("workers", &self.lines.len())
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl<E: Event + Send + Sync + 'static> ShardedEngine<E> {
    /// An engine with so many workers, at least one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if the system gives no thread, [`ErrorKind::Limit`] for more than 1024
    /// workers.
    pub fn new(
        automaton: impl Into<Arc<Automaton>>,
        config: Config,
        workers: usize,
    ) -> Result<Self, Error> {
        let automaton: Arc<Automaton> = automaton.into();
        if workers > MOST_WORKERS {
            let message = format!("there are more than {MOST_WORKERS} workers");
            return Err(Error::new(ErrorKind::Limit, message).with_hint("one a core is enough"));
        }
        let keyed = !automaton.program.key.is_empty();
        let workers = if keyed { workers.max(1) } else { 1 };
        let mut lines = Vec::with_capacity(workers);
        for number in 0..workers {
            let (tasks, inbox) = bounded(DEPTH);
            // As many as can be on their way, and the one at the end: a worker never waits here.
            let (outbox, replies) = bounded(DEPTH + 1);
            // Events are put in order before they are dealt out.
            let worker = Worker::new(number, automaton.clone(), config.lateness(0));
            let thread = std::thread::Builder::new()
                .name(format!("nfab-{number}"))
                .spawn(move || worker.work(&inbox, &outbox))?;
            lines.push(Line { tasks, replies, thread });
        }
        Ok(ShardedEngine {
            automaton,
            lines,
            hasher: DefaultHashBuilder::default(),
            reorder: (config.lateness > 0).then(|| Reorder::new(&config)),
            watermark: None,
            batch: Vec::with_capacity(BATCH),
            step: 0,
            on_the_way: VecDeque::new(),
            late: VecDeque::new(),
            state: State::Open,
            stats: Stats::default(),
            unwanted: 0,
        })
    }

    /// How many workers there are.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.lines.len()
    }

    /// Counters, those of all workers together, as of the output delivered so far; peaks are sums of
    /// the workers' peaks.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let waiting = self.reorder.as_ref().map_or(0, Reorder::len);
        Stats { waiting, ..self.stats }
    }
}
