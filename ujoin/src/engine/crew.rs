//! The shards at work: in the caller's thread, or each in a thread of its own.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::mem::{replace, size_of, take};
use std::ops::Range;
use std::sync::Arc;

use crossbeam_channel::select;

use super::give::Give;
use super::keyed::Keyed;
use super::log::Log;
use super::out::{Out, order};
use super::paper::Paper;
use super::shard::{Batch, Shard, mix};
use super::shares::Shares;
use super::worker::{MESSAGE_BYTES, Message, Report, Worker};
use crate::spill::Plan;
use crate::{Config, Engine, Error, Order, Pair, StreamId, Tuple};

/// How tuples reach the shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sends {
    /// Each to every thread, one by one: the paper.
    OneByOne,
    /// Each to every thread, many at a time.
    Shared,
    /// Each to the thread that has its key.
    Parted,
}

/// All shards of a join.
pub(crate) enum Crew {
    /// One shard, in the caller's thread.
    Alone { shard: Box<dyn Shard>, pairs: Vec<Pair>, ordered: bool },
    /// A thread a shard.
    Threads(Threads),
}

pub(crate) struct Threads {
    sends: Sends,
    ordered: bool,
    /// The shard that the caller's own thread joins, if any. It comes before those of the others.
    own: Option<Own>,
    /// With one receiver of reports for all, or in order one each.
    workers: Vec<Worker>,
    parts: Vec<Batch>,
    shares: Shares,
    /// By list, so that none is divided, if there is a policy to which lists matter.
    by_slot: bool,
    slots: u64,
    /// The paper's engines: the first stream of each thread.
    starts: Vec<StreamId>,
    /// Rounds that were sent and whose results have not all been given out. Only in order.
    outstanding: usize,
}

/// A shard in the caller's thread, and a list for its results.
pub(crate) struct Own {
    shard: Box<dyn Shard>,
    pairs: Vec<Pair>,
}

/// In order, so many rounds are under way at a time.
const ROUNDS: usize = 2;

impl Crew {
    pub(crate) fn new(config: &Config, plan: &Plan) -> Result<Crew, Error> {
        let ordered = config.order == Order::Deterministic;
        let streams = config.travel.streams();
        let (sends, expiry) = match config.engine {
            Engine::Paper(expiry) => (Sends::OneByOne, Some(expiry)),
            Engine::PaperBatched(expiry) => (Sends::Shared, Some(expiry)),
            Engine::Keyed | Engine::Log => (Sends::Parted, None),
        };
        let keyed = || -> Box<dyn Shard> {
            match config.engine {
                Engine::Keyed => Box::new(Keyed::new(config, plan.reserve)),
                _ => Box::new(Log::new(config, plan.reserve)),
            }
        };
        // In order, the caller is busy with putting results in order.
        let helps = expiry.is_none() && !ordered && Shares::has_own(config.threads);
        let shards: Vec<Box<dyn Shard>> = match expiry {
            Some(expiry) => portions(streams, Crew::threads(config))
                .map(|streams| -> Box<dyn Shard> {
                    Box::new(Paper::new(config, expiry, plan.slots, streams))
                })
                .collect(),
            None if config.threads < 2 => {
                return Ok(Crew::Alone { shard: keyed(), pairs: Vec::new(), ordered });
            }
            None => (usize::from(helps)..config.threads).map(|_| keyed()).collect(),
        };
        let message = match sends {
            Sends::OneByOne => MESSAGE_BYTES,
            Sends::Shared | Sends::Parted => plan.round * size_of::<Tuple>(),
        };
        // In order, all rounds under way must find room: each is a message and a mark, and one by
        // one it has as many messages as tuples.
        let least = match sends {
            _ if !ordered => 1,
            Sends::OneByOne => ROUNDS * (plan.round + 1),
            Sends::Shared | Sends::Parted => ROUNDS * 2,
        };
        let capacity = (plan.buffer / message).max(least);
        let workers = Worker::start_all(shards, capacity, plan.results, ordered)?;
        let own = helps.then(|| Own { shard: keyed(), pairs: Vec::new() });
        let parts = workers.len() + usize::from(helps);
        Ok(Crew::Threads(Threads {
            sends,
            ordered,
            parts: (0..parts).map(|_| Batch::default()).collect(),
            shares: Shares::new(parts, helps, config.spill.is_some()),
            own,
            workers,
            by_slot: config.spill.is_some(),
            slots: config.slots as u64,
            starts: portions(streams, Crew::threads(config)).map(|range| range.start).collect(),
            outstanding: 0,
        }))
    }

    /// How many join threads a configuration has besides the caller's.
    pub(crate) fn threads(config: &Config) -> usize {
        let streams = config.travel.streams();
        match config.engine {
            Engine::Paper(_) | Engine::PaperBatched(_) if config.threads == 0 => streams,
            Engine::Paper(_) | Engine::PaperBatched(_) => config.threads.min(streams),
            Engine::Keyed | Engine::Log if config.threads < 2 => 0,
            Engine::Keyed | Engine::Log => config.threads,
        }
    }

    /// Whether tuples are joined in the call in which they come.
    pub(crate) fn is_alone(&self) -> bool {
        matches!(self, Crew::Alone { .. })
    }

    /// Hands a batch to the shards and empties it. Gives the number of (tuple, thread) and of
    /// messages.
    pub(crate) fn join(&mut self, batch: &mut Batch, give: &mut Give<'_>) -> (u64, u64) {
        if batch.tuples.is_empty() {
            return (0, 0);
        }
        match self {
            Crew::Alone { shard, pairs, ordered } => {
                let tuples = batch.tuples.len() as u64;
                let mut hand_over = |pairs: &mut Vec<Pair>| give.pairs(pairs);
                let mut out = Out::new(take(pairs), *ordered, Out::FEW, &mut hand_over);
                shard.join(batch.part(), &mut out);
                *pairs = out.finish();
                batch.clear();
                (tuples, 1)
            }
            Crew::Threads(threads) => threads.join(batch, give),
        }
    }

    /// Waits until all that was handed over is joined and all results are given out.
    pub(crate) fn settle(&mut self, give: &mut Give<'_>) {
        if let Crew::Threads(threads) = self {
            threads.settle(give);
        }
    }

    /// Shows all shards. They must be settled.
    pub(crate) fn all<R>(&mut self, show: impl FnOnce(&mut [&mut dyn Shard]) -> R) -> R {
        match self {
            Crew::Alone { shard, .. } => show(&mut [shard.as_mut()]),
            Crew::Threads(threads) => {
                let mut guards: Vec<_> = threads.workers.iter().map(Worker::shard).collect();
                let mut shards: Vec<&mut dyn Shard> = Vec::with_capacity(threads.parts.len());
                if let Some(own) = &mut threads.own {
                    shards.push(own.shard.as_mut());
                }
                for guard in &mut guards {
                    shards.push(guard.as_mut());
                }
                show(&mut shards)
            }
        }
    }

    /// The number of the shard that keeps a tuple.
    pub(crate) fn owner(&self, tuple: &Tuple) -> usize {
        match self {
            Crew::Alone { .. } => 0,
            Crew::Threads(threads) => threads.owner(tuple),
        }
    }
}

impl Threads {
    fn join(&mut self, batch: &mut Batch, give: &mut Give<'_>) -> (u64, u64) {
        let (tuples, threads) = (batch.tuples.len() as u64, self.workers.len() as u64);
        let counts = match self.sends {
            Sends::OneByOne => {
                for (&tuple, &slot) in batch.tuples.iter().zip(&batch.slots) {
                    self.send_all(Message::One(tuple, slot), give);
                }
                batch.clear();
                (tuples * threads, tuples * threads)
            }
            Sends::Shared => {
                self.send_all(Message::Shared(Arc::new(take(batch))), give);
                (tuples * threads, threads)
            }
            Sends::Parted => (tuples, self.send_parts(batch, give)),
        };
        if self.ordered {
            self.send_all(Message::EndOfRound, give);
            self.outstanding += 1;
            if self.outstanding == ROUNDS {
                self.collect_round(give);
            }
        } else {
            take_reports(&self.workers, give);
        }
        counts
    }

    /// The part of a key.
    #[inline]
    fn part(&self, key: u64) -> usize {
        let spread = mix(if self.by_slot { key % self.slots } else { key });
        // Low bits: the shards' own tables use the high ones.
        self.shares.part(spread as u32)
    }

    fn owner(&self, tuple: &Tuple) -> usize {
        match self.sends {
            Sends::Parted => self.part(tuple.key),
            Sends::OneByOne | Sends::Shared => {
                self.starts.partition_point(|start| *start <= tuple.stream) - 1
            }
        }
    }

    /// Sends to all threads. Gives the number of threads that have said meanwhile that they wait.
    fn send_all(&self, message: Message, give: &mut Give<'_>) -> usize {
        let send = |worker| send(worker, message.clone(), self.ordered, give);
        self.workers.iter().map(send).sum()
    }

    fn send_parts(&mut self, batch: &mut Batch, give: &mut Give<'_>) -> u64 {
        for part in &mut self.parts {
            part.watermark = batch.watermark;
        }
        for tuple in &batch.tuples {
            let part = self.part(tuple.key);
            self.parts[part].tuples.push(*tuple);
        }
        batch.clear();
        let mut messages = 0;
        let others = usize::from(self.own.is_some());
        for (worker, part) in self.workers.iter().zip(&mut self.parts[others..]) {
            if !part.tuples.is_empty() {
                let room = part.tuples.len() * 5 / 4;
                let mut tuples = worker.emptied.try_recv().unwrap_or_default();
                tuples.reserve(room);
                let part = replace(part, Batch { tuples, ..Batch::default() });
                send(worker, Message::Part(part), self.ordered, give);
                messages += 1;
            }
        }
        if let Some(own) = &mut self.own
            && !self.parts[0].tuples.is_empty()
        {
            // The others may wait for their results to be taken.
            let workers = &self.workers;
            let mut hand_over = |pairs: &mut Vec<Pair>| {
                let wanted = give.pairs(pairs);
                take_reports(workers, give);
                wanted
            };
            let mut out = Out::new(take(&mut own.pairs), false, Out::FEW, &mut hand_over);
            own.shard.join(self.parts[0].part(), &mut out);
            own.pairs = out.finish();
            self.parts[0].clear();
            messages += 1;
        }
        messages
    }

    fn settle(&mut self, give: &mut Give<'_>) {
        while self.outstanding > 0 {
            self.collect_round(give);
        }
        let mut waiting = self.send_all(Message::Wait, give);
        if self.ordered {
            for worker in &self.workers {
                while take_report(receive(worker), worker, give) == 0 {}
            }
            return;
        }
        // All share one receiver.
        while waiting < self.workers.len() {
            waiting += take_report(receive(&self.workers[0]), &self.workers[0], give);
        }
    }

    /// Gives out all results of the oldest round, those of all threads merged.
    fn collect_round(&mut self, give: &mut Give<'_>) {
        let workers = &self.workers;
        // The next results of a thread, the latest first; none at the end of its round.
        let next = |worker: usize| match receive(&workers[worker]) {
            Report::Pairs(mut pairs) => {
                pairs.reverse();
                Some(pairs)
            }
            _ => None,
        };
        let mut heads = BinaryHeap::new();
        let mut chunks: Vec<Vec<Pair>> = Vec::new();
        for worker in 0..workers.len() {
            let chunk = next(worker).unwrap_or_default();
            heads.extend(chunk.last().map(|pair| Reverse((order(pair), worker))));
            chunks.push(chunk);
        }
        let mut merged = Vec::with_capacity(Out::FEW);
        while let Some(mut head) = heads.peek_mut() {
            let Reverse((_, worker)) = *head;
            let chunk = &mut chunks[worker];
            merged.extend(chunk.pop());
            if chunk.is_empty() {
                let empty = replace(chunk, next(worker).unwrap_or_default());
                // If there are enough, it is freed.
                let _ = workers[worker].spare.try_send(empty);
            }
            match chunk.last() {
                Some(pair) => *head = Reverse((order(pair), worker)),
                None => drop(PeekMut::pop(head)),
            }
            if merged.len() >= Out::FEW {
                give.pairs(&mut merged);
            }
        }
        give.pairs(&mut merged);
        self.outstanding -= 1;
    }
}

/// Takes the reports that there are; all threads share one receiver.
fn take_reports(workers: &[Worker], give: &mut Give<'_>) {
    while let Ok(report) = workers[0].reports.try_recv() {
        take_report(report, &workers[0], give);
    }
}

/// Waits for a thread's next report.
fn receive(worker: &Worker) -> Report {
    worker.reports.recv().unwrap_or(Report::Gone)
}

/// Gives the results of a report. One if it says that a thread waits, else zero.
fn take_report(report: Report, worker: &Worker, give: &mut Give<'_>) -> usize {
    match report {
        Report::Pairs(mut pairs) => {
            give.pairs(&mut pairs);
            // If there are enough, it is freed.
            let _ = worker.spare.try_send(pairs);
            0
        }
        Report::EndOfRound => 0,
        Report::Waiting => 1,
        Report::Gone => panic!("a join thread ended before its join"),
    }
}

/// Sends; if the inbox is full, takes reports until it is not, since the thread may wait for that.
/// Gives the number of threads that have said meanwhile that they wait.
fn send(worker: &Worker, message: Message, ordered: bool, give: &mut Give<'_>) -> usize {
    if ordered {
        // There is room for all rounds under way.
        assert!(worker.input.send(message).is_ok(), "a join thread ended before its join");
        return 0;
    }
    let mut message = match worker.input.try_send(message) {
        Ok(()) => return 0,
        Err(error) => Some(error.into_inner()),
    };
    let mut waiting = 0;
    while message.is_some() {
        select! {
            send(worker.input, message.take().expect("one to send")) -> sent => {
                assert!(sent.is_ok(), "a join thread ended before its join");
            }
            recv(worker.reports) -> report => {
                waiting += take_report(report.unwrap_or(Report::Gone), worker, give);
            }
        }
    }
    waiting
}

impl Drop for Threads {
    fn drop(&mut self) {
        // First let go of all channels, so that no thread waits; then wait for the threads.
        let threads: Vec<_> = self.workers.drain(..).map(|worker| worker.thread).collect();
        for thread in threads {
            // One that panicked has said so.
            let _ = thread.join();
        }
    }
}

/// Divides so many streams into so many portions of nearly equal size.
fn portions(streams: usize, portions: usize) -> impl Iterator<Item = Range<StreamId>> {
    let start = move |portion: usize| (portion * streams / portions.max(1)) as StreamId;
    (0..portions).map(move |portion| start(portion)..start(portion + 1))
}
