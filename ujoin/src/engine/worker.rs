//! A join thread.

use std::mem::replace;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded};

use super::out::Out;
use super::shard::{Batch, Part, Shard};
use crate::{Error, ErrorKind, Pair, Tuple};

/// What a thread is told.
#[derive(Clone)]
pub(crate) enum Message {
    /// Join a tuple of this slot.
    One(Tuple, u32),
    /// Join tuples that every thread gets.
    Shared(Arc<Batch>),
    /// Join tuples that are this thread's.
    Part(Batch),
    /// Answer when here.
    EndOfRound,
    /// Hand over everything, answer, and let go of the shard until the next message.
    Wait,
}

/// How many reports of a thread can be on their way.
pub(crate) const REPORTS: usize = 4;

/// What a place in an inbox takes.
pub(crate) const MESSAGE_BYTES: usize = size_of::<Message>();

/// What a thread says.
pub(crate) enum Report {
    Pairs(Vec<Pair>),
    EndOfRound,
    Waiting,
    /// It has ended, which it should not.
    Gone,
}

pub(crate) struct Worker {
    pub(crate) input: Sender<Message>,
    /// Of this thread alone if results come in order, else of all.
    pub(crate) reports: Receiver<Report>,
    /// Takes lists of results that have been given out, to be filled again: memory that goes from
    /// thread to thread is dear.
    pub(crate) spare: Sender<Vec<Pair>>,
    /// Gives back lists of tuples that have been joined, for the same reason.
    pub(crate) emptied: Receiver<Vec<Tuple>>,
    shard: Arc<Mutex<Box<dyn Shard>>>,
    pub(crate) thread: JoinHandle<()>,
}

impl Worker {
    /// A thread for each shard, with an inbox for so many messages, which hands over so many results
    /// at a time.
    pub(crate) fn start_all(
        shards: Vec<Box<dyn Shard>>,
        capacity: usize,
        results: usize,
        ordered: bool,
    ) -> Result<Vec<Worker>, Error> {
        let common = bounded(REPORTS * shards.len());
        let (spare, spares) = bounded(REPORTS * shards.len());
        let mut workers = Vec::new();
        for shard in shards {
            let (sender, reports) = if ordered { bounded(REPORTS) } else { common.clone() };
            let (input, inbox) = bounded(capacity);
            let (empty, emptied) = bounded(capacity);
            let shard = Arc::new(Mutex::new(shard));
            let owned = Arc::clone(&shard);
            let (spare, spares) = (spare.clone(), spares.clone());
            let reports_to = Reports { reports: sender, spares, empty };
            let thread = std::thread::Builder::new()
                .name("ujoin".to_owned())
                .stack_size(1 << 19)
                .spawn(move || work(&owned, &inbox, &reports_to, results, ordered))
                .map_err(ErrorKind::Thread)?;
            workers.push(Worker { input, reports, spare, emptied, shard, thread });
        }
        Ok(workers)
    }

    /// The shard, once the thread waits.
    pub(crate) fn shard(&self) -> MutexGuard<'_, Box<dyn Shard>> {
        self.shard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a thread's results go. Says so when the thread ends, however it ends.
struct Reports {
    reports: Sender<Report>,
    spares: Receiver<Vec<Pair>>,
    empty: Sender<Vec<Tuple>>,
}

impl Drop for Reports {
    fn drop(&mut self) {
        // Nobody listens if the join is being dropped.
        let _ = self.reports.send(Report::Gone);
    }
}

fn work(
    shard: &Mutex<Box<dyn Shard>>,
    inbox: &Receiver<Message>,
    reports: &Reports,
    many: usize,
    ordered: bool,
) {
    let lock = || shard.lock().unwrap_or_else(PoisonError::into_inner);
    let mut hand_over = |pairs: &mut Vec<Pair>| {
        let more = reports.spares.try_recv().unwrap_or_else(|_| Vec::with_capacity(many));
        reports.reports.send(Report::Pairs(replace(pairs, more))).is_ok()
    };
    let mut out = Out::new(Vec::new(), ordered, many, &mut hand_over);
    // Taken with the first message only: whoever starts the thread may look at the shard before.
    let mut guard = None;
    loop {
        let message = match inbox.try_recv() {
            Ok(message) => message,
            Err(TryRecvError::Disconnected) => return,
            Err(TryRecvError::Empty) => {
                // Nothing to do: what has been found should not wait.
                out.flush();
                match inbox.recv() {
                    Ok(message) => message,
                    Err(_) => return,
                }
            }
        };
        let part = match &message {
            Message::Shared(batch) => batch.part(),
            Message::Part(batch) => batch.part(),
            Message::One(tuple, slot) => Part {
                tuples: std::slice::from_ref(tuple),
                slots: std::slice::from_ref(slot),
                watermark: i64::MIN,
            },
            Message::EndOfRound | Message::Wait => {
                out.flush();
                let answer = if matches!(message, Message::Wait) {
                    guard = None;
                    Report::Waiting
                } else {
                    Report::EndOfRound
                };
                if reports.reports.send(answer).is_err() {
                    return;
                }
                continue;
            }
        };
        guard.get_or_insert_with(lock).join(part, &mut out);
        if let Message::Part(Batch { mut tuples, .. }) = message {
            tuples.clear();
            // If there are enough, it is freed.
            let _ = reports.empty.try_send(tuples);
        }
    }
}
