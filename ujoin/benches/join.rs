//! The engines on uniform keys: slots of a hundred plates, a thousand arrivals a stream and window,
//! threshold 0.7; with more streams, with a million tuples in the window, with dense results. The
//! memory is full before anything is timed. These are the loads of the harness's `ujoin-speed`.
//!
//! `cargo bench -p ujoin --bench join` shows the engines beside each other.
//! `cargo bench -p ujoin --bench join -- ratios` prints nanoseconds of CPU time for each surviving
//! tuple, of interleaved rounds, and what they are to each other.
//! `cargo bench -p ujoin --bench join -- threads` compares wall times of one and two workers.
//! ROUNDS=9, ONLY="n = 150" and ENGINES=log,keyed say how often and what of these tables.

#![allow(clippy::print_stdout, reason = "a table of ratios")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rand::rngs::Xoshiro256PlusPlus as Random;
use rand::{RngExt as _, SeedableRng as _};
use ujoin::{Config, Count, Engine, Expiry, Probability, TravelTimes, Tuple};

/// A window, in milliseconds.
const WINDOW: i64 = 3_600_000;
/// So many tuples are given at a time.
const CHUNK: usize = 1024;

/// Sightings, and what they are joined by.
struct Load {
    name: String,
    travel: Arc<TravelTimes>,
    /// The first window: it fills the memory and is not timed.
    before: Vec<Tuple>,
    tuples: Vec<Tuple>,
}

/// So many streams with so many arrivals each in a window, and so many tuples that are timed.
fn uniform(name: &str, streams: usize, per_window: usize, keys: u64, timed: usize) -> Load {
    let mut random = Random::seed_from_u64(1);
    let window = streams * per_window;
    let mut tuple = |seq: usize| Tuple {
        seq: seq as u64,
        observation: seq as u64,
        key: random.random_range(0..keys),
        time: (seq as i128 * i128::from(WINDOW) / window as i128) as i64,
        stream: random.random_range(0..streams as u32),
        probability: Probability::from_nanos(random.random_range(500_000_000..=990_000_000))
            .expect("a probability"),
    };
    let mut before: Vec<_> = (0..window + timed).map(&mut tuple).collect();
    let tuples = before.split_off(window);
    let travel = TravelTimes::constant(streams, WINDOW).expect("a matrix");
    Load { name: name.to_owned(), travel: Arc::new(travel), before, tuples }
}

/// What a run took for each survivor, and what it found.
#[derive(Clone, Copy)]
struct Cost {
    cpu: f64,
    wall: f64,
    results: Count,
    survivors: u64,
}

/// Joins a part of a load.
fn run(load: &Load, engine: Engine, threads: usize, part: usize) -> Cost {
    let config = Config::new(Arc::clone(&load.travel)).engine(engine).threads(threads);
    let mut join = config.build().expect("a join");
    join.push(&load.before, &mut Count::default()).expect("tuples");
    join.pause(&mut Count::default()).expect("results");
    let survivors = join.stats().survivors;
    let mut results = Count::default();
    let (wall, cpu) = (Instant::now(), ProcessTime::now());
    for chunk in black_box(&load.tuples[..part]).chunks(CHUNK) {
        join.push(chunk, &mut results).expect("tuples");
    }
    join.pause(&mut results).expect("results");
    let (wall, cpu) = (wall.elapsed(), cpu.elapsed());
    let survivors = join.stats().survivors - survivors;
    let each = |time: Duration| time.as_secs_f64() * 1e9 / survivors as f64;
    Cost { cpu: each(cpu), wall: each(wall), results, survivors }
}

const PAPER: Engine = Engine::Paper(Expiry::Inline);
const PAPER_BATCHED: Engine = Engine::PaperBatched(Expiry::Inline);

fn rounds() -> usize {
    std::env::var("ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(5)
}

/// A load with the engines that are timed on it, and the part of it that each gets.
type Race = (Load, Vec<(&'static str, Engine, usize)>);

fn races() -> Vec<Race> {
    let timed = 1_000_000;
    let mut races: Vec<Race> = Vec::new();
    for streams in [30, 60, 90, 120, 150] {
        let load = uniform(&format!("n = {streams}"), streams, 1000, 1_000_000, timed);
        races.push((
            load,
            vec![
                ("log", Engine::Log, timed),
                ("keyed", Engine::Keyed, timed),
                ("paper-batched", PAPER_BATCHED, timed / 10),
                ("paper", PAPER, timed / 100),
            ],
        ));
    }
    let both = vec![("log", Engine::Log, timed), ("keyed", Engine::Keyed, timed)];
    races.push((uniform("n = 5000", 5000, 30, 1_000_000, timed), both.clone()));
    races.push((uniform("million", 150, 11_500, 1_000_000, timed), both));
    let dense = vec![("log", Engine::Log, timed / 10), ("keyed", Engine::Keyed, timed / 10)];
    races.push((uniform("dense", 150, 1000, 600, timed / 10), dense));
    races
}

fn ratios() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let engines = std::env::var("ENGINES").unwrap_or_default();
    println!("load      engine         ns/survivor   to log  results/survivor");
    let mut races = races();
    races.retain(|(load, _)| load.name.contains(&only));
    for (_, ways) in &mut races {
        ways.retain(|(name, ..)| engines.is_empty() || engines.split(',').any(|e| e == *name));
    }
    let mut costs: Vec<Vec<Vec<f64>>> =
        races.iter().map(|(_, ways)| vec![Vec::new(); ways.len()]).collect();
    let mut found: Vec<Vec<f64>> = races.iter().map(|(_, ways)| vec![0.0; ways.len()]).collect();
    for _ in 0..rounds() {
        for (race, (load, ways)) in races.iter().enumerate() {
            for (way, (_, engine, part)) in ways.iter().enumerate() {
                let cost = run(load, *engine, 0, *part);
                costs[race][way].push(cost.cpu);
                found[race][way] = cost.results.pairs as f64 / cost.survivors as f64;
            }
        }
    }
    for (race, (load, ways)) in races.iter().enumerate() {
        let log = median(&costs[race][0]);
        for (way, (name, ..)) in ways.iter().enumerate() {
            let cost = median(&costs[race][way]);
            let found = found[race][way];
            println!("{:9} {name:13} {cost:12.1} {:8.2} {found:17.2}", load.name, cost / log);
        }
    }
}

fn median(costs: &[f64]) -> f64 {
    let mut costs = costs.to_vec();
    costs.sort_by(f64::total_cmp);
    costs[costs.len() / 2]
}

fn threads() {
    println!("load      engine   workers   wall ns/survivor   CPU ns/survivor");
    let timed = 2_000_000;
    let loads = [
        uniform("n = 150", 150, 1000, 1_000_000, timed),
        uniform("million", 150, 11_500, 1_000_000, timed),
        uniform("dense", 150, 1000, 600, timed / 20),
    ];
    let only = std::env::var("ONLY").unwrap_or_default();
    let engines = std::env::var("ENGINES").unwrap_or_default();
    for load in loads.iter().filter(|load| load.name.contains(&only)) {
        for (name, engine) in [("log", Engine::Log), ("keyed", Engine::Keyed)] {
            if !engines.is_empty() && !engines.split(',').any(|asked| asked == name) {
                continue;
            }
            let mut costs = [const { Vec::new() }; 3];
            for _ in 0..rounds() {
                for (workers, costs) in costs.iter_mut().enumerate().skip(1) {
                    costs.push(run(load, engine, workers, load.tuples.len()));
                }
            }
            for (workers, costs) in costs.iter().enumerate().skip(1) {
                let wall = median(&costs.iter().map(|cost| cost.wall).collect::<Vec<_>>());
                let cpu = median(&costs.iter().map(|cost| cost.cpu).collect::<Vec<_>>());
                println!("{:9} {name:8} {workers:7} {wall:18.1} {cpu:17.1}", load.name);
            }
        }
    }
}

fn engines(criterion: &mut Criterion) {
    for (argument, table) in [("ratios", ratios as fn()), ("threads", threads)] {
        if std::env::args().any(|given| given == argument) {
            table();
            return;
        }
    }
    let loads =
        [uniform("uniform", 30, 1000, 1_000_000, 20_000), uniform("dense", 30, 1000, 600, 20_000)];
    for load in loads {
        let mut group = criterion.benchmark_group(load.name.clone());
        group.throughput(Throughput::Elements(load.tuples.len() as u64));
        group.sample_size(10);
        for (name, engine) in
            [("log", Engine::Log), ("keyed", Engine::Keyed), ("paper-batched", PAPER_BATCHED)]
        {
            group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
                bencher.iter(|| run(&load, engine, 0, load.tuples.len()).results.pairs);
            });
        }
        group.finish();
    }
}

criterion_group!(benches, engines);
criterion_main!(benches);
