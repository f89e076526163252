//! What a memory budget is spent on.

use super::Debts;
use crate::engine::{MESSAGE_BYTES, Out, REPORTS, Shard};
use crate::{Budget, Config, Engine, Order, Pair, Tuple};

/// The sizes of everything that does not depend on the tuples held, made to fit the budget.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    budget: Option<Budget>,
    /// Slots of the paper's index.
    pub(crate) slots: usize,
    /// How many tuples are handed over at a time.
    pub(crate) round: usize,
    /// How many bytes a thread's inbox holds.
    pub(crate) buffer: usize,
    /// How many results a thread hands over at a time.
    pub(crate) results: usize,
    /// How many tuples the log's end holds.
    pub(crate) tail: usize,
    /// How many tuples go to disk at a time.
    pub(crate) chunk: usize,
    /// How many tuples come back from disk at a time.
    pub(crate) portion: usize,
    /// With more segments on disk than these, what is known of them takes too much of the budget.
    pub(crate) segments: usize,
    /// All of the above, in bytes.
    fixed: usize,
    /// Bytes for the tuples of a shard.
    pub(crate) reserve: Option<usize>,
}

/// A tuple of a portion with its share of the table of keys.
const PORTION_BYTES: usize = size_of::<Tuple>() + 32;
/// What choosing the tuples to go takes, for each tuple held.
const CHOICE_BYTES: usize = 8;

impl Plan {
    /// What fits the budget of a configuration that has so many join threads.
    pub(crate) fn new(config: &Config, threads: usize) -> Plan {
        let round = match config.engine {
            Engine::Paper(_) | Engine::PaperBatched(_) => 256,
            // With a thread for each part the hand-over has to pay off.
            Engine::Keyed | Engine::Log if config.threads < 2 => 256,
            Engine::Keyed | Engine::Log => 4096,
        };
        // Threads that hand over few results at a time wait for each other all the time; but there
        // may be many threads.
        let result = threads.max(1) * (REPORTS + 1) * size_of::<Pair>();
        let results = ((4 << 20) / result).clamp(Out::FEW, 2048);
        let mut plan = Plan {
            budget: config.spill.as_ref().map(|spill| spill.budget),
            slots: config.slots,
            round,
            buffer: config.buffer,
            results,
            tail: 1 << 13,
            chunk: 1 << 16,
            portion: 1 << 16,
            segments: usize::MAX,
            fixed: 0,
            reserve: None,
        };
        let Some(Budget::Bytes(bytes)) = plan.budget else { return plan };
        let share = |part: usize, each: usize, most: usize| (bytes / part / each).clamp(1, most);
        let streams = config.travel.streams().max(1);
        let paper = matches!(config.engine, Engine::Paper(_) | Engine::PaperBatched(_));
        if paper {
            plan.slots = share(4, streams * size_of::<u32>(), config.slots);
        }
        plan.tail = share(16, size_of::<Tuple>(), plan.tail);
        plan.chunk = share(16, size_of::<Tuple>(), plan.chunk);
        plan.portion = share(16, PORTION_BYTES, plan.portion);
        plan.segments = (bytes / 8 / Debts::KNOWN_BYTES).max(8);
        plan.results = share(8, result, results);
        let in_order = config.order == Order::Deterministic;
        // Two rounds in each inbox, and one on its way there.
        plan.round = share(8, threads.max(1) * 3 * MESSAGE_BYTES, round);
        plan.buffer = plan.buffer.min(bytes / 8 / threads.max(1));
        let inbox = if in_order { plan.round * 2 * MESSAGE_BYTES } else { MESSAGE_BYTES };
        plan.fixed = plan.tail * size_of::<Tuple>()
            + plan.chunk * size_of::<Tuple>()
            + plan.portion * PORTION_BYTES
            + plan.round * size_of::<Tuple>()
            + threads * plan.buffer.max(inbox)
            + plan.results * result;
        let left = bytes.saturating_sub(plan.fixed);
        // Threads may get unequal shares.
        let shards = threads.max(1);
        let spare = if shards > 1 { left / 8 } else { 0 };
        plan.reserve = Some((left - spare) / shards);
        plan
    }

    /// How many more tuples there surely is room for, with what else takes memory.
    pub(crate) fn room(&self, shards: &[&mut dyn Shard], other: usize) -> usize {
        let resident = || shards.iter().map(|shard| shard.resident()).sum::<usize>();
        match self.budget {
            None => usize::MAX,
            Some(Budget::Entries(entries)) => entries.max(1).saturating_sub(resident()),
            Some(Budget::Bytes(bytes)) => {
                let held = |s: &&mut dyn Shard| s.bytes() + s.resident() * CHOICE_BYTES;
                let used = self.fixed + other + shards.iter().map(held).sum::<usize>();
                let growth = shards.iter().map(|shard| shard.growth()).max().unwrap_or(1);
                let room = bytes.saturating_sub(used) / (growth + CHOICE_BYTES);
                shards.iter().map(|shard| shard.room()).min().map_or(room, |least| least.min(room))
            }
        }
    }
}
