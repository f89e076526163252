//! A join that is as simple as can be on all of the storage layer: what an engine and a program do
//! between them, without threads, so that each run does the same operations in the same order.

use std::collections::BTreeMap;
use std::sync::Arc;

use ujoin::checkpoint::{Checkpoint, InputPosition, ResultsFile, SegmentState, Settings};
use ujoin::storage::faults::SimulatedDisk;
use ujoin::storage::{
    PayloadLog, SegmentKind, SegmentOrder, SegmentSpec, SegmentStore, Storage, StorageError,
};
use ujoin::{Probability, Tuple};

/// Pairs are at most so many rows apart.
const WINDOW: u64 = 25;
/// So many entries stay in memory.
const ENTRIES: usize = 9;
const NAME: &str = "run";
const OUT: &str = "out";

/// What to do when spilling fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// Stop with the error.
    Stop,
    /// Keep everything in memory and go on.
    Keep,
}

pub fn input(rows: u64) -> Vec<Tuple> {
    (0..rows)
        .map(|seq| Tuple {
            seq,
            observation: seq,
            key: seq * seq % 7,
            time: seq as i64 * 10,
            stream: (seq % 3) as u32,
            probability: Probability::from_nanos(900_000_000).unwrap(),
        })
        .collect()
}

fn row(t: &Tuple) -> String {
    format!("row {} of stream {} {}", t.seq, t.stream, "x".repeat((t.seq * 97 % 300) as usize))
}

fn matches(a: &Tuple, b: &Tuple) -> bool {
    a.key == b.key && a.stream != b.stream && a.seq.abs_diff(b.seq) < WINDOW
}

/// The lines that must come out, sorted.
pub fn oracle(input: &[Tuple]) -> Vec<String> {
    let mut lines = Vec::new();
    for b in input {
        for a in input.iter().filter(|a| a.seq < b.seq && matches(a, b)) {
            lines.push(format!("{} + {}", row(a), row(b)));
        }
    }
    lines.sort();
    lines
}

/// The lines that are in the file, sorted. Panics at a line without its end.
pub fn lines(disk: &SimulatedDisk) -> Vec<String> {
    let text = String::from_utf8(disk.contents(OUT).unwrap()).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

struct Run {
    store: SegmentStore,
    rows: PayloadLog,
    out: ResultsFile,
    live: Vec<Tuple>,
    /// What arrived since something is on disk and is not in a segment yet.
    arrivals: Vec<Tuple>,
    /// Spilled segments and their `out`.
    debts: BTreeMap<ujoin::storage::SegmentId, u64>,
    fallback: Fallback,
    pub fallbacks: u64,
}

fn spec(kind: SegmentKind, out: u64) -> SegmentSpec {
    let order = match kind {
        SegmentKind::Spilled => SegmentOrder::Bucket,
        SegmentKind::Arrivals => SegmentOrder::Seq,
    };
    SegmentSpec { kind, order, shard: 0, out }
}

impl Run {
    fn step(&mut self, t: Tuple) -> Result<(), StorageError> {
        self.live.retain(|a| a.seq + WINDOW > t.seq);
        if self.live.len() >= ENTRIES {
            self.attempt(|run| run.flush(t.seq))?;
        }
        self.rows.push(t.seq, row(&t).as_bytes());
        if self.rows.over_limit() {
            self.attempt(|run| run.rows.spill())?;
        }
        for a in self.live.clone() {
            if matches(&a, &t) {
                self.emit(&a, &t)?;
            }
        }
        self.live.push(t);
        if !self.debts.is_empty() {
            self.arrivals.push(t);
            if self.arrivals.len() >= 6 {
                self.attempt(Run::seal)?;
            }
        }
        if t.seq % 11 == 10 {
            self.drain(t.seq + 1)?;
        }
        Ok(())
    }

    fn attempt(
        &mut self,
        f: impl FnOnce(&mut Run) -> Result<(), StorageError>,
    ) -> Result<(), StorageError> {
        match f(self) {
            Err(_) if self.fallback == Fallback::Keep => {
                self.fallbacks += 1;
                Ok(())
            }
            result => result,
        }
    }

    fn flush(&mut self, out: u64) -> Result<(), StorageError> {
        let mut tuples: Vec<Tuple> = self.live.iter().copied().filter(|t| t.seq % 4 != 0).collect();
        tuples.sort_by_key(|t| (t.key, t.seq));
        if let Some(meta) = self.store.write(spec(SegmentKind::Spilled, out), &tuples)? {
            self.debts.insert(meta.id, out);
            self.live.retain(|t| t.seq % 4 == 0);
        }
        Ok(())
    }

    fn seal(&mut self) -> Result<(), StorageError> {
        self.store.write(spec(SegmentKind::Arrivals, 0), &self.arrivals)?;
        self.arrivals.clear();
        Ok(())
    }

    fn emit(&mut self, a: &Tuple, b: &Tuple) -> Result<(), StorageError> {
        let mut texts = Vec::new();
        for t in [a, b] {
            let mut bytes = Vec::new();
            assert!(self.rows.get(t.seq, &mut bytes)?, "row {} is there", t.seq);
            texts.push(String::from_utf8(bytes).unwrap());
        }
        self.out.write_result(format!("{}\n", texts.join(" + ")).as_bytes())
    }

    /// Pays all debts up to `now`, and gives up what has left the window.
    fn drain(&mut self, now: u64) -> Result<(), StorageError> {
        let mut block = Vec::new();
        let mut arrived = Vec::new();
        for meta in self.store.segments() {
            if meta.spec.kind == SegmentKind::Arrivals {
                let mut reader = self.store.read(meta.id)?;
                while reader.read_block(&mut block)? {
                    arrived.extend_from_slice(&block);
                }
            }
        }
        arrived.extend_from_slice(&self.arrivals);
        for (id, out) in self.debts.clone() {
            let mut reader = self.store.read(id)?;
            while reader.read_block(&mut block)? {
                for a in std::mem::take(&mut block) {
                    for b in arrived.iter().filter(|b| b.seq >= out && matches(&a, b)) {
                        self.emit(&a, b)?;
                    }
                }
            }
            self.debts.insert(id, now);
        }
        let over = |meta: &&ujoin::storage::SegmentMeta| meta.seqs.1 + WINDOW <= now;
        let gone: Vec<_> = self.store.segments().iter().filter(over).map(|m| m.id).collect();
        self.attempt(|run| run.store.retire(&gone))?;
        let listed: Vec<_> = self.store.segments().iter().map(|m| m.id).collect();
        self.debts.retain(|id, _| listed.contains(id));
        self.rows.forget_before(now.saturating_sub(2 * WINDOW));
        Ok(())
    }

    fn checkpoint(&mut self, storage: &dyn Storage, next: u64) -> Result<(), StorageError> {
        self.seal()?;
        let sink = self.out.commit()?;
        let payload = self.rows.persist()?;
        let segments: Vec<SegmentState> = self
            .store
            .segments()
            .iter()
            .map(|m| SegmentState { id: m.id, out: self.debts.get(&m.id).copied().unwrap_or(0) })
            .collect();
        let checkpoint = Checkpoint {
            inputs: vec![InputPosition { offset: next * 10, rows: next }],
            next_seq: next,
            segments,
            sink,
            payload,
            ..Checkpoint::default()
        };
        self.store.prepare(&checkpoint.segment_ids());
        self.rows.prepare(&checkpoint.payload);
        checkpoint.save(storage, NAME, &settings(), self.live.iter().copied())?;
        self.store.pin(&checkpoint.segment_ids())?;
        self.rows.pin(&checkpoint.payload);
        Ok(())
    }
}

fn settings() -> Settings {
    Settings::new().with("window", WINDOW)
}

/// Begins or resumes, and runs to the end. Returns how often it fell back.
pub fn run(disk: &SimulatedDisk, input: &[Tuple], fallback: Fallback) -> Result<u64, StorageError> {
    let storage: Arc<dyn Storage> = Arc::new(disk.clone());
    let config = settings().hash();
    let mut live = Vec::new();
    let found =
        Checkpoint::load(&*storage, NAME, &settings(), |part| live.extend_from_slice(part))?;
    let limit = 900;
    let (store, rows, out, next, debts) = match found {
        None => {
            let store = SegmentStore::create(storage.clone(), config)?;
            let rows = PayloadLog::create(storage.clone(), limit)?;
            (store, rows, ResultsFile::create(storage.clone(), OUT)?, 0, BTreeMap::new())
        }
        Some(c) => {
            let store = SegmentStore::open(storage.clone(), config)?;
            store.keep(&c.segment_ids())?;
            let rows = PayloadLog::recover(storage.clone(), limit, &c.payload)?;
            let out = ResultsFile::resume(storage.clone(), OUT, c.sink)?;
            let spilled: Vec<_> = store
                .segments()
                .iter()
                .filter(|m| m.spec.kind == SegmentKind::Spilled)
                .map(|m| m.id)
                .collect();
            let debts = c.segments.iter().filter(|s| spilled.contains(&s.id));
            (store, rows, out, c.next_seq, debts.map(|s| (s.id, s.out)).collect())
        }
    };
    let mut run =
        Run { store, rows, out, live, arrivals: Vec::new(), debts, fallback, fallbacks: 0 };
    for t in &input[next as usize..] {
        run.step(*t)?;
        if t.seq % 8 == 7 {
            run.checkpoint(&*storage, t.seq + 1)?;
        }
    }
    let end = input.len() as u64;
    run.drain(end)?;
    run.checkpoint(&*storage, end)?;
    Ok(run.fallbacks)
}
