//! The match buffers against each other: events taken, histories read.
//!
//! A number of runs is alive all the time. Each event is taken by all of them; the one that started
//! first ends after sixteen events on average, another starts. In `append` nothing is read, in
//! `append and read` the history of each run that ends is.
//!
//! The buffers are private to the crate, so their files are compiled here again.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::collections::VecDeque;
use std::hint::black_box;

use arena::{Arena, widen};
use buffer::{Entry, EventIndex, History, Marks, Moved, Tail};
use chain::ChainBuffer;
use nfa::EdgeKind;
use shape::{Shape, StageShape};
use version::Rules;
use versioned::VersionedBuffer;

/// What the files look for in their crate.
mod nfa {
    pub(crate) use nfab::nfa::EdgeKind;
}

#[allow(dead_code, unused_imports, reason = "not all of it is used here")]
#[path = "../src/history/arena.rs"]
mod arena;
#[allow(dead_code, unused_imports, reason = "not all of it is used here")]
#[path = "../src/history/buffer.rs"]
mod buffer;
#[allow(dead_code, unused_imports, reason = "not all of it is used here")]
#[path = "../src/history/chain.rs"]
mod chain;
#[allow(dead_code, unused_imports, reason = "not all of it is used here")]
#[path = "../src/history/events.rs"]
mod events;
#[allow(dead_code, unused_imports, reason = "not all of it is used here")]
#[path = "../src/history/shape.rs"]
mod shape;
#[allow(dead_code, unused_imports, reason = "not all of it is used here")]
#[path = "../src/history/version.rs"]
mod version;
#[allow(dead_code, unused_imports, reason = "not all of it is used here")]
#[path = "../src/history/versioned.rs"]
mod versioned;
#[allow(dead_code, unused_imports, reason = "not all of it is used here")]
#[path = "../src/history/view.rs"]
mod view;

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

/// `a+ b` over a stream; gives how many events were read, and the most bytes in use.
fn drive<H: History>(mut history: H, live: usize, appends: usize, read: bool) -> (usize, usize) {
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

fn versioned(rules: Rules) -> VersionedBuffer {
    let stage = |name: &str, kleene| StageShape { name: name.to_owned(), kleene };
    VersionedBuffer::new(Shape { stages: vec![stage("a", true), stage("b", false)], rules })
}

fn wide() -> Wide {
    Wide { cells: Arena::starting_at(0), newest: 0 }
}

fn buffers(c: &mut Criterion) {
    for (name, read) in [("append", false), ("append and read", true)] {
        let mut group = c.benchmark_group(name);
        for live in [1, 10, 100, 1000] {
            let appends = 20_000.max(64 * live);
            group.throughput(Throughput::Elements(appends as u64));
            let id = |buffer| BenchmarkId::new(buffer, live);
            group.bench_function(id("chain"), |b| {
                b.iter(|| drive(ChainBuffer::new(2), live, appends, read));
            });
            group.bench_function(id("chain of 12 bytes"), |b| {
                b.iter(|| drive(wide(), live, appends, read));
            });
            for (name, rules) in [("versioned", Rules::Paper), ("versioned, tree", Rules::Tree)] {
                group.bench_function(id(name), |b| {
                    b.iter(|| drive(versioned(rules), live, appends, read));
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, buffers);
criterion_main!(benches);
