//! What a snapshot holds. Events, places in the match buffer and partitions are referred to by their
//! numbers in the lists here; what follows from something else is left out.

use serde::{Deserialize, Serialize};

use crate::predicate::register::Register;
use crate::runtime::evaluator::Key;
use crate::runtime::key;
use crate::stats::Stats;

/// An event in [`State::events`].
pub(crate) type EventAt = u32;

/// An event of a match with its stage before it.
pub(crate) type Taken = (u32, EventAt);

/// The state of an engine; `T` is the type of the events, or a reference to it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State<T> {
    pub(crate) query: String,
    pub(crate) fingerprint: u64,
    /// The options that change the output, by name.
    pub(crate) options: Vec<(String, String)>,
    pub(crate) stats: Stats,
    pub(crate) watermark: Option<i64>,
    /// Nothing was held after the last event that was looked at.
    pub(crate) idle: bool,
    /// The events that are held, with their numbers, in their order.
    pub(crate) events: Vec<(u64, T)>,
    pub(crate) history: History,
    /// Those that hold something; without a key the only one.
    pub(crate) partitions: Vec<Partition>,
    /// The partition of the event before (S3).
    pub(crate) before: Option<u32>,
    /// Those to look at as soon as time advances.
    pub(crate) recheck: Vec<u32>,
    /// For each clock its alarms: keys and partitions.
    pub(crate) clocks: Vec<Vec<(Key, u32)>>,
    /// Unless no event may come late.
    pub(crate) reorder: Option<Reorder<T>>,
}

/// Events that wait for older ones.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Reorder<T> {
    pub(crate) watermark: Option<i64>,
    /// In the order in which they go on.
    pub(crate) waiting: Vec<T>,
}

/// A match buffer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum History {
    None,
    /// For each cell the stage, the event, the cell before.
    Chain(Vec<(u32, EventAt, Option<u32>)>),
    Versioned {
        started: u64,
        once: u64,
        /// The stack and the event of each entry.
        entries: Vec<(u32, EventAt)>,
        edges: Vec<Edge>,
    },
}

/// An edge of the versioned buffer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Edge {
    pub(crate) from: u32,
    pub(crate) to: Option<u32>,
    pub(crate) version: Vec<u64>,
    pub(crate) forks: u32,
}

/// A partition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Partition {
    pub(crate) key: key::Key,
    pub(crate) part: Part,
}

/// What a partition holds, by evaluation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Part {
    Runs {
        /// The runs of each wait that has some.
        buckets: Vec<(u32, Vec<Run>)>,
        /// Events that might refute a match: the filter and the event.
        candidates: Vec<(u32, EventAt)>,
        held: Vec<Vec<Taken>>,
    },
    /// Both as they lie in their heaps.
    Interpreter {
        runs: Vec<Interpreted>,
        held: Vec<Interpreted>,
    },
    Grouped {
        groups: Vec<Group>,
        graph: Vec<Element>,
    },
    /// The queue of each stage but the last.
    Sequence(Vec<Queue>),
    /// For each number of events, less one, whether a partial match has so many, in bits.
    Row(u64),
    /// The first events that wait, and what the second one is compared with if that is an integer.
    Pair(Vec<(EventAt, Option<i64>)>),
    /// Events in their order, and the places of those that wait for another one.
    Forest {
        nodes: Vec<Node>,
        open: Vec<(u32, Vec<Register>)>,
    },
    /// The events that changed something.
    Log {
        entries: Vec<Entry>,
        last: Key,
    },
    /// For each wait that has runs the head of its list.
    Lists {
        heads: Vec<(u32, u32)>,
        graph: Vec<Element>,
        last: Key,
    },
    /// The events of queues with the stages that they entered, in bits.
    Choices(Vec<(EventAt, u64)>),
}

/// An event that partial matches have taken.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Node {
    pub(crate) taken: Taken,
    /// What they wait for then; `None` if they have ended.
    pub(crate) wait: Option<u32>,
    pub(crate) next: Option<u32>,
    /// One begins with it.
    pub(crate) first: bool,
}

/// A partial match that is kept on its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    /// Its last event, in the match buffer.
    pub(crate) tail: u32,
    /// The time at which it came to wait, if there is a window to the event before.
    pub(crate) entered: Option<i64>,
    pub(crate) matched: bool,
    pub(crate) registers: Vec<Register>,
}

/// Likewise, in a state instead of a wait.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Interpreted {
    pub(crate) state: u32,
    /// `None` for the run that has not started.
    pub(crate) tail: Option<u32>,
    pub(crate) registers: Vec<Register>,
}

/// Partial matches that remember the same.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Group {
    pub(crate) wait: u32,
    pub(crate) head: u32,
    pub(crate) registers: Vec<Register>,
}

/// A queue of partial matches.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Queue {
    /// Events, each with the range of the queue before that it moved on.
    pub(crate) nodes: Vec<(EventAt, u32, u32)>,
    /// So many have moved on; the others wait.
    pub(crate) moved: u32,
}

/// An element of a graph of partial matches.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Element {
    /// `None` if it joins populations.
    pub(crate) taken: Option<Taken>,
    pub(crate) older: Option<u32>,
    pub(crate) source: Option<u32>,
}

/// An event of a log.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) key: Key,
    pub(crate) event: Option<EventAt>,
    pub(crate) bits: u64,
}
