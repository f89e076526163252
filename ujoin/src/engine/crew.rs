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
use super::worker::{Message, Report, Worker};
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
    /// With one receiver of reports for all, or in order one each.
    workers: Vec<Worker>,
    parts: Vec<Batch>,
    /// By list, so that none is divided, if there is a policy to which lists matter.
    by_slot: bool,
    slots: u64,
    /// Rounds that were sent and whose results have not all been given out. Only in order.
    outstanding: usize,
}

/// In order, so many rounds are under way at a time.
const ROUNDS: usize = 2;

impl Crew {
    pub(crate) fn new(config: &Config) -> Result<Crew, Error> {
        let ordered = config.order == Order::Deterministic;
        let streams = config.travel.streams();
        let (sends, expiry) = match config.engine {
            Engine::Paper(expiry) => (Sends::OneByOne, Some(expiry)),
            Engine::PaperBatched(expiry) => (Sends::Shared, Some(expiry)),
            Engine::Keyed | Engine::Log => (Sends::Parted, None),
        };
        let keyed = || -> Box<dyn Shard> {
            match config.engine {
                Engine::Keyed => Box::new(Keyed::new(config)),
                _ => Box::new(Log::new(config)),
            }
        };
        let shards: Vec<Box<dyn Shard>> = match expiry {
            Some(expiry) => {
                let threads = if config.threads == 0 { streams } else { config.threads };
                portions(streams, threads.min(streams))
                    .map(|streams| -> Box<dyn Shard> {
                        Box::new(Paper::new(config, expiry, streams))
                    })
                    .collect()
            }
            None if config.threads < 2 => {
                return Ok(Crew::Alone { shard: keyed(), pairs: Vec::new(), ordered });
            }
            None => (0..config.threads).map(|_| keyed()).collect(),
        };
        let message = match sends {
            Sends::OneByOne => size_of::<Message>(),
            Sends::Shared | Sends::Parted => Crew::round_of(config) * size_of::<Tuple>(),
        };
        // Each round is a message and a mark; one by one it is as many as there are tuples.
        let least = match sends {
            Sends::OneByOne => ROUNDS * (Crew::round_of(config) + 1),
            Sends::Shared | Sends::Parted => ROUNDS * 2,
        };
        let capacity = (config.buffer / message).max(least);
        let workers = Worker::start_all(shards, capacity, ordered)?;
        Ok(Crew::Threads(Threads {
            sends,
            ordered,
            parts: workers.iter().map(|_| Batch::default()).collect(),
            workers,
            by_slot: false,
            slots: config.slots as u64,
            outstanding: 0,
        }))
    }

    /// How many tuples are to be handed over at a time.
    pub(crate) fn round_of(config: &Config) -> usize {
        match config.engine {
            Engine::Paper(_) | Engine::PaperBatched(_) => 256,
            // With a thread for each part the hand-over has to pay off.
            Engine::Keyed | Engine::Log if config.threads < 2 => 256,
            Engine::Keyed | Engine::Log => 1024,
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
                let mut out = Out::new(take(pairs), *ordered, &mut hand_over);
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

    /// Shows the shards one after the other. All must be settled.
    pub(crate) fn each(&mut self, mut show: impl FnMut(&mut dyn Shard)) {
        match self {
            Crew::Alone { shard, .. } => show(shard.as_mut()),
            Crew::Threads(threads) => {
                threads.workers.iter().for_each(|worker| show(worker.shard().as_mut()));
            }
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
            while let Ok(report) = self.workers[0].reports.try_recv() {
                take_report(report, give);
            }
        }
        counts
    }

    fn send_all(&self, message: Message, give: &mut Give<'_>) {
        for worker in &self.workers {
            self.send(worker, message.clone(), give);
        }
    }

    fn send_parts(&mut self, batch: &mut Batch, give: &mut Give<'_>) -> u64 {
        let threads = self.workers.len() as u64;
        for part in &mut self.parts {
            part.watermark = batch.watermark;
        }
        for tuple in &batch.tuples {
            let spread = mix(if self.by_slot { tuple.key % self.slots } else { tuple.key });
            // Low bits: the shards' own tables use the high ones.
            let part = ((spread & 0xffff_ffff) * threads) >> 32;
            self.parts[part as usize].tuples.push(*tuple);
        }
        batch.clear();
        let mut messages = 0;
        for (worker, part) in self.workers.iter().zip(&mut self.parts) {
            if !part.tuples.is_empty() {
                let tuples = Vec::with_capacity(part.tuples.len() * 5 / 4);
                let part = replace(part, Batch { tuples, ..Batch::default() });
                send(worker, Message::Part(part), self.ordered, give);
                messages += 1;
            }
        }
        messages
    }

    fn send(&self, worker: &Worker, message: Message, give: &mut Give<'_>) {
        send(worker, message, self.ordered, give);
    }

    fn settle(&mut self, give: &mut Give<'_>) {
        while self.outstanding > 0 {
            self.collect_round(give);
        }
        self.send_all(Message::Wait, give);
        // In fast mode all share one receiver, and it does not matter who answers.
        for worker in &self.workers {
            while !matches!(take_report(receive(worker), give), Some(Report::Waiting)) {}
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
        let mut merged = Vec::with_capacity(Out::MANY);
        while let Some(mut head) = heads.peek_mut() {
            let Reverse((_, worker)) = *head;
            let chunk = &mut chunks[worker];
            merged.extend(chunk.pop());
            if chunk.is_empty() {
                *chunk = next(worker).unwrap_or_default();
            }
            match chunk.last() {
                Some(pair) => *head = Reverse((order(pair), worker)),
                None => drop(PeekMut::pop(head)),
            }
            if merged.len() >= Out::MANY {
                give.pairs(&mut merged);
            }
        }
        give.pairs(&mut merged);
        self.outstanding -= 1;
    }
}

/// Waits for a thread's next report.
fn receive(worker: &Worker) -> Report {
    worker.reports.recv().unwrap_or(Report::Gone)
}

/// Gives the results of a report; what else it says is given back.
fn take_report(report: Report, give: &mut Give<'_>) -> Option<Report> {
    match report {
        Report::Pairs(mut pairs) => {
            give.pairs(&mut pairs);
            None
        }
        Report::Gone => panic!("a join thread ended before its join"),
        other => Some(other),
    }
}

/// Sends; if the inbox is full, takes results until it is not, since the thread may wait for that.
fn send(worker: &Worker, message: Message, ordered: bool, give: &mut Give<'_>) {
    if ordered {
        // There is room for all rounds under way.
        assert!(worker.input.send(message).is_ok(), "a join thread ended before its join");
        return;
    }
    let mut message = match worker.input.try_send(message) {
        Ok(()) => return,
        Err(error) => Some(error.into_inner()),
    };
    while message.is_some() {
        select! {
            send(worker.input, message.take().expect("one to send")) -> sent => {
                assert!(sent.is_ok(), "a join thread ended before its join");
            }
            recv(worker.reports) -> report => {
                take_report(report.unwrap_or(Report::Gone), give);
            }
        }
    }
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
