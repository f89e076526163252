//! Faults under the real engines: every engine with every policy, a failure at each operation.

use std::error::Error as _;
use std::fmt;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use ujoin::checkpoint::{Checkpoint, Delivered, InputPosition, ResultsFile, SinkPosition};
use ujoin::storage::faults::{Crash, Fault, Plan, SimulatedDisk};
use ujoin::storage::{Memory, Storage, StorageError, StorageErrorKind};
use ujoin::{
    Budget, Collect, Config, Engine, Error, ErrorKind, Expiry, Join, Order, Pair, Policy,
    Probability, Product, Sink, SinkError, SlotProbability, Spill, TravelTimes, Tuple, WhenFull,
};

const NAME: &str = "run";
const OUT: &str = "out";
const STREAMS: usize = 4;
const LATENESS: i64 = 4;

/// An engine, its threads and the order of its results.
const ENGINES: [(Engine, usize, Order); 8] = [
    (Engine::Paper(Expiry::Inline), 0, Order::Fast),
    (Engine::Paper(Expiry::Batch { interval: 20 }), 2, Order::Deterministic),
    (Engine::PaperBatched(Expiry::Inline), 2, Order::Fast),
    (Engine::PaperBatched(Expiry::Batch { interval: 20 }), 0, Order::Deterministic),
    (Engine::Keyed, 1, Order::Fast),
    (Engine::Keyed, 2, Order::Deterministic),
    (Engine::Log, 1, Order::Deterministic),
    (Engine::Log, 2, Order::Fast),
];

fn policies() -> [Policy; 4] {
    let less = |slots| Policy::LessThanProbability {
        probability: Product::from_units(800_000_000_000_000_000),
        share: 3,
        slots,
    };
    [
        Policy::WindowHalf,
        Policy::Quantile,
        less(SlotProbability::One),
        less(SlotProbability::Measured),
    ]
}

const ENTRIES: Budget = Budget::Entries(7);
/// So few that each tuple goes to disk by itself, and small segments are put together.
const BYTES: Budget = Budget::Bytes(5000);

const FAULTS: [Fault; 5] =
    [Fault::ShortWrite, Fault::NoSpace, Fault::Sync, Fault::Io, Fault::PowerCut];
const CRASHES: [Crash; 4] = [Crash::Lose, Crash::Keep, Crash::Tear(5), Crash::Tear(6)];

/// How a case runs.
#[derive(Clone, Debug)]
struct Case {
    engine: (Engine, usize, Order),
    policy: Policy,
    budget: Budget,
    when_full: WhenFull,
    /// Whether a call that says that the disk is full is repeated.
    retry: bool,
}

/// Why a run stopped: an error of the kinds that are documented, or the test fails.
#[derive(Debug)]
struct Stopped(String);

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Error> for Stopped {
    fn from(e: Error) -> Stopped {
        match e.kind() {
            ErrorKind::SpillFull(_) | ErrorKind::SpillRead(_) | ErrorKind::Storage(_) => {
                assert!(e.source().is_some(), "{e}");
            }
            ErrorKind::Sink(SinkError::Failed(_)) => {}
            other => panic!("not an error of the disk: {other:?}"),
        }
        Stopped(e.to_string())
    }
}

impl From<StorageError> for Stopped {
    fn from(e: StorageError) -> Stopped {
        Stopped(e.to_string())
    }
}

/// What is out for good, by a sink that cannot be cut back.
type Log = Mutex<Vec<(u64, u64)>>;

enum Out<'a> {
    File(ResultsFile),
    Log(&'a Log, Delivered),
}

impl Out<'_> {
    fn commit(&mut self) -> Result<SinkPosition, StorageError> {
        match self {
            Out::File(file) => file.commit(),
            Out::Log(log, _) => {
                Ok(SinkPosition { bytes: 0, results: log.lock().unwrap().len() as u64 })
            }
        }
    }
}

impl Sink for Out<'_> {
    fn pairs(&mut self, pairs: &[Pair]) -> Result<(), SinkError> {
        for pair in pairs {
            match self {
                Out::File(file) => {
                    let line = format!("{} {}\n", pair.first.seq, pair.second.seq);
                    let written = file.write_result(line.as_bytes());
                    written.map_err(|e| SinkError::Failed(Box::new(e)))?;
                }
                Out::Log(log, before) => {
                    if before.is_new(pair) {
                        log.lock().unwrap().push((pair.first.seq, pair.second.seq));
                    }
                }
            }
        }
        Ok(())
    }

    fn late(&mut self, tuple: &Tuple) -> Result<(), SinkError> {
        panic!("{tuple:?} is not late");
    }
}

fn travel() -> Arc<TravelTimes> {
    let times = (0..STREAMS * STREAMS).map(|n| 25 + (n as i64 * 7) % 15).collect();
    Arc::new(TravelTimes::from_rows(STREAMS, times).unwrap())
}

fn input(rows: u64) -> Vec<Tuple> {
    let mut newest = 0;
    (0..rows)
        .map(|seq| {
            let n = seq.wrapping_add(11).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let time = (seq as i64 - (n >> 50) as i64 % 4).max(newest - LATENESS);
            newest = newest.max(time);
            Tuple {
                seq,
                observation: seq,
                key: (n >> 20) % 4,
                time,
                stream: ((n >> 33) % STREAMS as u64) as u32,
                probability: Probability::from_nanos(
                    700_000_000 + ((n >> 40) % 31) as u32 * 10_000_000,
                )
                .unwrap(),
            }
        })
        .collect()
}

/// By nested loops: first and second of each pair, sorted.
fn oracle(input: &[Tuple]) -> Vec<(u64, u64)> {
    let travel = travel();
    let mut pairs = Vec::new();
    for b in input {
        for a in input.iter().filter(|a| a.seq < b.seq && a.key == b.key && a.stream != b.stream) {
            let likely = a.probability.times(b.probability).units() >= 700_000_000_000_000_000;
            if likely && (a.time.abs_diff(b.time) as i64) < travel.limit(a, b) {
                let a_first = a.is_before(b);
                pairs.push(if a_first { (a.seq, b.seq) } else { (b.seq, a.seq) });
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// The pairs in the file, sorted; what is behind the last line end was being written.
fn pairs_on(disk: &SimulatedDisk) -> Vec<(u64, u64)> {
    let text = String::from_utf8(disk.contents(OUT).unwrap_or_default()).unwrap();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let pair = |line: &str| {
        let (a, b) = line.split_once(' ').unwrap();
        (a.parse().unwrap(), b.parse().unwrap())
    };
    let mut pairs: Vec<(u64, u64)> = whole.lines().map(pair).collect();
    pairs.sort_unstable();
    pairs
}

fn save(
    join: &mut dyn Join,
    out: &mut Out<'_>,
    disk: &SimulatedDisk,
    config: &Config,
    rows: u64,
) -> Result<(), Stopped> {
    let mut checkpoint =
        Checkpoint { inputs: vec![InputPosition { offset: 0, rows }], ..Checkpoint::default() };
    let live = join.checkpoint(&mut checkpoint, out)?;
    checkpoint.sink = out.commit()?;
    let store = join.store().expect("there is a budget");
    store.prepare(&checkpoint.segment_ids());
    checkpoint.save(disk, NAME, &config.settings(), live)?;
    store.pin(&checkpoint.segment_ids())?;
    Ok(())
}

/// Begins or resumes, and runs to the end, with results in a file on the disk or in a log. Returns
/// how many tuples were spilled, and the most segments there were at a time.
fn run(
    disk: &SimulatedDisk,
    input: &[Tuple],
    case: &Case,
    log: Option<&Log>,
) -> Result<(u64, usize), Stopped> {
    let storage: Arc<dyn Storage> = Arc::new(disk.clone());
    let (engine, threads, order) = case.engine;
    let spill = Spill::new(case.budget, case.policy.clone(), storage.clone());
    let config = Config::new(travel())
        .engine(engine)
        .threads(threads)
        .order(order)
        .slots(3)
        .lateness(LATENESS)
        .spill(spill.when_full(case.when_full));
    let mut live = Vec::new();
    let found =
        Checkpoint::load(disk, NAME, &config.settings(), |part| live.extend_from_slice(part))?;
    let (mut join, mut next) = match &found {
        None => (config.clone().build()?, 0),
        Some(c) => (config.clone().resume(c, &live)?, c.inputs[0].rows as usize),
    };
    let mut out = match (log, &found) {
        (None, None) => Out::File(ResultsFile::create(storage, OUT)?),
        (None, Some(c)) => Out::File(ResultsFile::resume(storage, OUT, c.sink)?),
        (Some(log), found) => {
            let committed = found.as_ref().map_or(0, |c| c.sink.results as usize);
            let before = Delivered::new(log.lock().unwrap()[committed..].iter().copied());
            Out::Log(log, before)
        }
    };
    let (mut retries, mut most) = (0, 0);
    while next < input.len() {
        let end = (next / 5 * 5 + 5).min(input.len());
        match join.push(&input[next..end], &mut out) {
            Ok(()) => next = end,
            Err(e) if case.retry && retries < 3 && matches!(e.kind(), ErrorKind::SpillFull(_)) => {
                next += e.taken();
                retries += 1;
                continue;
            }
            Err(e) => return Err(e.into()),
        }
        most = most.max(join.store().expect("there is a budget").segments().len());
        if next % 25 == 10 {
            join.drain(&mut out)?;
        }
        if next % 20 == 0 {
            save(&mut *join, &mut out, disk, &config, next as u64)?;
        }
    }
    join.pause(&mut out)?;
    save(&mut *join, &mut out, disk, &config, next as u64)?;
    join.finish(&mut out)?;
    out.commit()?;
    Ok((join.stats().spilled_entries, most))
}

/// Every operation of one engine with one policy fails, `each` times in different ways. Tells `at`
/// where it is. Returns how many failures there were.
fn every_operation(
    engine: (Engine, usize, Order),
    policy: &Policy,
    budget: Budget,
    each: u64,
    at: &Mutex<String>,
) -> u64 {
    let input = input(46);
    let expected = oracle(&input);
    let policy = policy.clone();
    let mut case = Case { engine, policy, budget, when_full: WhenFull::Drain, retry: false };
    let disk = SimulatedDisk::new();
    let (spilled, most) = run(&disk, &input, &case, None).unwrap();
    assert!(spilled > 10, "{case:?} spills");
    // Beyond eight segments they are put together.
    assert!(budget != BYTES || most < 20, "{case:?}: {most} segments");
    assert_eq!(pairs_on(&disk), expected, "{case:?}");
    let operations = disk.operations();
    let mut injected = 0;
    for attempt in 0..operations * each {
        // All combinations of these come round.
        let operation = 1 + attempt / each;
        let fault = FAULTS[(attempt % 5) as usize];
        let crash = CRASHES[(attempt / 5 % 4) as usize];
        let lasting = attempt / 3 % 2 == 0;
        case.when_full = [WhenFull::Drain, WhenFull::Fail][(attempt / 7 % 2) as usize];
        case.retry = attempt / 2 % 2 == 0;
        let here =
            format!("{attempt}: {fault:?} at {operation}, lasting {lasting}, {crash:?}, {case:?}");
        at.lock().unwrap().clone_from(&here);

        let disk = SimulatedDisk::new();
        disk.plan(Some(Plan { operation, fault, lasting }));
        let result = run(&disk, &input, &case, None);
        injected += u64::from(disk.failures() > 0);
        let delivered = pairs_on(&disk);
        match result {
            Ok(_) => assert_eq!(delivered, expected, "{here}"),
            Err(e) => {
                assert!(disk.failures() > 0, "{here}: {e}");
                assert_ne!(fault, Fault::ShortWrite, "{here}: {e}");
                // What is out is right, and out once.
                assert!(delivered.is_sorted_by(|a, b| a < b), "{here}");
                assert!(delivered.iter().all(|p| expected.binary_search(p).is_ok()), "{here}");
            }
        }
        disk.crash(crash);
        run(&disk, &input, &case, None).unwrap_or_else(|e| panic!("{here}: resuming: {e}"));
        assert_eq!(pairs_on(&disk), expected, "{here}");
    }
    injected
}

/// Runs all engines and policies. One that gets on with no operation for minutes hangs.
fn everything(each: u64) -> u64 {
    let mut injected = 0;
    let few = policies().map(|policy| (policy, ENTRIES));
    for engine in ENGINES {
        for (policy, budget) in few.iter().cloned().chain([(Policy::WindowHalf, BYTES)]) {
            let at = Arc::new(Mutex::new(String::new()));
            let (sender, receiver) = channel();
            let thread = {
                let at = at.clone();
                thread::spawn(move || {
                    let injected = every_operation(engine, &policy, budget, each, &at);
                    sender.send(injected).unwrap();
                })
            };
            let mut last = String::new();
            injected += loop {
                match receiver.recv_timeout(Duration::from_secs(300)) {
                    Ok(n) => break n,
                    Err(RecvTimeoutError::Timeout) => {
                        let now = at.lock().unwrap().clone();
                        assert_ne!(now, last, "hangs");
                        last = now;
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        std::panic::resume_unwind(thread.join().unwrap_err());
                    }
                }
            };
        }
    }
    injected
}

/// A sink that cannot be cut back passes over what it had got after the checkpoint.
#[test]
fn a_sink_that_is_never_cut_back() {
    let input = input(60);
    let expected = oracle(&input);
    let (mut stops, mut again) = (0, 0);
    for (number, engine) in ENGINES.into_iter().enumerate() {
        let policy = policies()[number % 4].clone();
        let case =
            Case { engine, policy, budget: ENTRIES, when_full: WhenFull::Drain, retry: false };
        for operation in (1..).step_by(7) {
            let (disk, log) = (SimulatedDisk::new(), Log::default());
            disk.plan(Some(Plan::at(operation, Fault::PowerCut)));
            let stopped = run(&disk, &input, &case, Some(&log)).is_err();
            if disk.failures() == 0 {
                assert!(!stopped, "{case:?}");
                break;
            }
            stops += u64::from(stopped);
            let before = log.lock().unwrap().len();
            disk.crash(CRASHES[operation as usize % 4]);
            run(&disk, &input, &case, Some(&log)).unwrap();
            let mut pairs = log.into_inner().unwrap();
            again += u64::from(before > 0 && before < pairs.len());
            pairs.sort_unstable();
            assert_eq!(pairs, expected, "{operation}, {case:?}");
        }
    }
    assert!(stops > 300 && again > 200, "{stops}, {again}");
}

/// What has rotted on disk, or is gone, is told by file and block, and what is out is right.
#[test]
fn damage_is_never_passed_over() {
    let input = input(60);
    let expected = oracle(&input);
    let (mut found, mut blocks, mut gone) = (0, 0, 0);
    for engine in ENGINES {
        for policy in policies() {
            for damage in 0..40_usize {
                let case = format!("{engine:?}, {policy:?}, {damage}");
                let memory = Memory::new();
                let storage: Arc<dyn Storage> = Arc::new(memory.clone());
                let spill = Spill::new(ENTRIES, policy.clone(), storage);
                let (kind, threads, order) = engine;
                let config = Config::new(travel()).engine(kind).threads(threads).order(order);
                let mut join = config.slots(3).lateness(LATENESS).spill(spill).build().unwrap();
                let mut sink = Collect::default();
                join.push(&input[..40], &mut sink).unwrap();
                let mut names = memory.list().unwrap();
                names.retain(|name| name.ends_with(".segment"));
                let name = &names[damage * 7 % names.len()];
                let mut bytes = memory.contents(name).unwrap();
                if damage % 8 == 7 {
                    memory.remove(name).unwrap();
                } else {
                    let at = damage * 7919 % bytes.len();
                    bytes[at] ^= 1 << (damage % 8);
                    memory.put(name, bytes);
                }
                let result = join
                    .push(&input[40..], &mut sink)
                    .and_then(|()| join.pause(&mut sink))
                    .and_then(|()| join.finish(&mut sink));
                let mut pairs: Vec<(u64, u64)> =
                    sink.pairs.iter().map(|p| (p.first.seq, p.second.seq)).collect();
                pairs.sort_unstable();
                let Err(e) = result else {
                    // It was not to be read again, or not that part of it.
                    assert_eq!(pairs, expected, "{case}");
                    continue;
                };
                found += 1;
                assert!(pairs.is_sorted_by(|a, b| a < b), "{case}");
                assert!(pairs.iter().all(|p| expected.binary_search(p).is_ok()), "{case}");
                let ErrorKind::SpillRead(cause) = e.kind() else { panic!("{case}: {e}") };
                let cause = cause.downcast_ref::<StorageError>().expect(&case);
                assert_eq!(cause.file(), name, "{case}");
                blocks += u64::from(cause.block().is_some());
                gone += u64::from(cause.kind() == StorageErrorKind::Missing);
                // It does not go on as if nothing had been.
                assert!(join.push(&[], &mut sink).and_then(|()| join.pause(&mut sink)).is_err());
            }
        }
    }
    assert!(found > 300 && blocks > 200 && gone > 30, "{found}, {blocks}, {gone}");
}

#[test]
fn a_failure_at_every_operation_of_every_engine() {
    let injected = everything(1);
    println!("{injected} failures under the engines: 0 lost, 0 twice, 0 hung");
    assert!(injected > 5000, "{injected}");
}

#[test]
#[ignore = "takes minutes"]
fn many_failures_at_every_operation_of_every_engine() {
    let injected = everything(20);
    println!("{injected} failures under the engines: 0 lost, 0 twice, 0 hung");
    assert!(injected > 100_000, "{injected}");
}
