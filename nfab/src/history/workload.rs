//! What the benchmark of the buffers does; compiled with the feature `bench` only.
//!
//! A number of runs of `a+ b` is alive all the time. Each event is taken by all of them; the one
//! that started first ends after sixteen events on average, another starts.

use std::collections::VecDeque;
use std::hint::black_box;

use super::arena::{Arena, widen};
use super::shape::StageShape;
use super::version::Rules;
use super::{ChainBuffer, Entry, EventIndex, History, Marks, Moved, Shape, Tail, VersionedBuffer};
use crate::nfa::EdgeKind;

/// A run takes so many events on average.
const LENGTH: usize = 16;

/// Events after which the buffer is told what has passed.
const EXPIRE: u64 = 64;

/// The chain buffer with cells of twelve bytes, to see what packing them costs and saves.
struct Wide {
    cells: Arena<[u32; 3], 10>,
    newest: EventIndex,
}

impl Wide {
    const MASK: u64 = u32::MAX as u64;
}

impl History for Wide {
    const SHOWN: bool = false;

    #[inline]
    fn append(&mut self, tail: &Tail, entry: Entry) -> Tail {
        self.newest = entry.event;
        let cell = [entry.event as u32, entry.stage, tail.0];
        Tail(self.cells.push(entry.time, cell) as u32)
    }

    fn events(&self, tail: &Tail, into: &mut Vec<(u32, EventIndex)>) {
        into.clear();
        let mut place = tail.0;
        while place != Tail::EMPTY.0 {
            let [event, stage, before] = *self.cells.at(self.cells.find(place.into(), Self::MASK));
            into.push((stage, widen(event.into(), self.newest, Self::MASK)));
            place = before;
        }
        into.reverse();
    }

    fn expire(&mut self, before: i64) {
        self.cells.expire(before, |_| ());
    }

    fn cells(&self) -> usize {
        self.cells.len()
    }

    fn edges(&self) -> usize {
        self.cells.len()
    }

    fn bytes(&self) -> usize {
        self.cells.bytes()
    }

    fn capacity(&self) -> usize {
        1 << 31
    }

    fn compact<'t>(&mut self, _: impl Iterator<Item = &'t mut Tail>, _: &mut Marks) {}

    fn renumber(&mut self, _: &Moved) {}
}

/// A match buffer.
#[derive(Clone, Copy, Debug)]
pub enum Buffer {
    /// The chain buffer.
    Chain,
    /// The same with cells of twelve bytes.
    WideChain,
    /// The shared versioned match buffer with the paper's rules.
    Versioned,
    /// The same with tree versions.
    VersionedTree,
}

/// Lets so many runs at once take events, with so many entries in all; `read`: the history of each
/// run that ends is read. Gives how many events were read, and the most bytes that were in use.
pub fn drive(buffer: Buffer, live: usize, appends: usize, read: bool) -> (usize, usize) {
    match buffer {
        Buffer::Chain => run(ChainBuffer::new(2), live, appends, read),
        Buffer::WideChain => {
            run(Wide { cells: Arena::starting_at(0), newest: 0 }, live, appends, read)
        }
        Buffer::Versioned => run(versioned(Rules::Paper), live, appends, read),
        Buffer::VersionedTree => run(versioned(Rules::Tree), live, appends, read),
    }
}

fn versioned(rules: Rules) -> VersionedBuffer {
    let stage = |name: &str, kleene| StageShape { name: name.to_owned(), kleene };
    VersionedBuffer::new(Shape { stages: vec![stage("a", true), stage("b", false)], rules })
}

fn run<H: History>(mut history: H, live: usize, appends: usize, read: bool) -> (usize, usize) {
    let mut runs: VecDeque<(i64, Tail)> = VecDeque::new();
    let mut parts = Vec::new();
    let (mut read_back, mut ending, mut bytes) = (0, 0, 0);
    for event in 0..(appends / live) as u64 {
        let time = event as i64;
        let entry = |stage, kind, forks| Entry { stage, event, kind, forks, time };
        // Runs that end with this event do so beside a clone that stays, for the versions' sake.
        ending += live;
        while ending >= LENGTH {
            ending -= LENGTH;
            let Some((_, tail)) = runs.pop_front() else { continue };
            let tail = history.append(&tail, entry(1, EdgeKind::Begin, true));
            if read {
                history.events(&tail, &mut parts);
                read_back += black_box(&parts).len();
            }
        }
        for (_, tail) in &mut runs {
            *tail = history.append(tail, entry(0, EdgeKind::Take, true));
        }
        while runs.len() < live {
            let tail = history.append(&Tail::EMPTY, entry(0, EdgeKind::Begin, false));
            runs.push_back((time, tail));
        }
        if event % EXPIRE == 0 {
            bytes = bytes.max(history.bytes());
            history.expire(runs.front().map_or(time, |run| run.0));
        }
    }
    (read_back, bytes)
}
