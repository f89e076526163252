//! Detection of many patterns: events of ten types, uniform; patterns of 3 to 10 operands, uniform;
//! windows of 40 events; and patterns that are sub-sequences of production routes.
//!
//! `cargo bench -p multipattern --bench detect` shows for each group the methods beside each other. As
//! in `bench-harness`, an event is a byte, its type; a run takes a copy of a detector that, but under
//! `strict`, has read some events before, so that the steady state is measured; and the automaton for
//! bytes reads the same array.
//! `cargo bench -p multipattern --bench detect -- ratios` prints only the ratios to `single`, in CPU
//! time of interleaved rounds, the least of `ROUNDS`. `ONLY=Any` chooses a semantics, `SIZE=40` a
//! number of patterns, `WAYS=single,proposed` some columns, and `EACH=1` pushes event by event.
//!
//! `cargo bench -p multipattern --bench detect -- windows` prints the time for a match with windows of n
//! events, or of as long a time: n patterns over n / 4 types. `SIZE=512` chooses a window, `WAYS=time` one
//! kind of it.

#![allow(clippy::print_stdout, reason = "a table of ratios")]

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Duration;

use aho_corasick::automaton::{Automaton as _, OverlappingState};
use aho_corasick::dfa::DFA;
use aho_corasick::{Input, MatchKind};
use cpu_time::ProcessTime;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use multipattern::{
    Config, Count, Detector, Event, Match, Method, PatternSet, Schema, Semantics, Sink, Slot,
    TimeUnit, TypeId, ValueRef, Visit, Window,
};
use rand::rngs::Xoshiro256PlusPlus as Random;
use rand::{RngExt as _, SeedableRng as _};

const EVENTS: usize = 400_000;
/// So many are read before.
const BEFORE: usize = 1000;
/// The last ones of them by each copy.
const WARM: usize = 100;
const TYPES: u32 = 10;

/// Patterns and the types of events.
struct Load {
    name: &'static str,
    patterns: Vec<Vec<u32>>,
    events: Vec<Letter>,
}

/// An event that is its type.
#[derive(Clone, Copy)]
struct Letter(u8);

impl Event for Letter {
    #[inline]
    fn event_type(&self) -> TypeId {
        TypeId(u32::from(self.0))
    }

    #[inline]
    fn time(&self) -> i64 {
        0
    }

    #[inline]
    fn attribute(&self, _: Slot) -> ValueRef<'_> {
        ValueRef::Missing
    }
}

/// An event with a time.
#[derive(Clone, Copy)]
struct Timed(u8, i64);

impl Event for Timed {
    #[inline]
    fn event_type(&self) -> TypeId {
        TypeId(u32::from(self.0))
    }

    #[inline]
    fn time(&self) -> i64 {
        self.1
    }

    #[inline]
    fn attribute(&self, _: Slot) -> ValueRef<'_> {
        ValueRef::Missing
    }
}

fn names() -> Vec<String> {
    (0..256).map(|number| format!("T{number}")).collect()
}

fn patterns(number: usize, types: u32, random: &mut Random) -> Vec<Vec<u32>> {
    let mut one = |_| {
        let length = random.random_range(3..=10);
        (0..length).map(|_| random.random_range(0..types)).collect()
    };
    (0..number).map(&mut one).collect()
}

fn uniform(number: usize, seed: u64) -> Load {
    let mut random = Random::seed_from_u64(seed);
    let patterns = patterns(number, TYPES, &mut random);
    let events = (0..EVENTS).map(|_| Letter(random.random_range(0..TYPES) as u8)).collect();
    Load { name: "uniform", patterns, events }
}

/// Sub-sequences of 20 routes with 12 stops at 10 stations.
fn routes(patterns: usize, seed: u64) -> Load {
    let mut load = uniform(0, seed);
    let mut random = Random::seed_from_u64(seed ^ 0x5eed);
    let routes: Vec<Vec<u32>> =
        (0..20).map(|_| (0..12).map(|_| random.random_range(0..TYPES)).collect()).collect();
    for _ in 0..patterns {
        let route = &routes[random.random_range(0..routes.len())];
        let length = random.random_range(3..=10);
        // Each stop is left out with the chance that leaves as many as are wanted.
        let mut left = length;
        let stops = route.iter().enumerate().filter(|(at, _)| {
            let taken = random.random_range(0..route.len() - at) < left;
            left -= usize::from(taken);
            taken
        });
        let pattern = stops.map(|(_, &stop)| stop).collect();
        load.patterns.push(pattern);
    }
    load.name = "routes";
    load
}

fn set(load: &Load, semantics: Semantics) -> PatternSet {
    set_within(&load.patterns, semantics, Window::Events(40))
}

fn set_within(patterns: &[Vec<u32>], semantics: Semantics, window: Window) -> PatternSet {
    let names = names();
    let mut schema = Schema::new();
    for name in &names {
        schema.add_type(name);
    }
    let mut builder = PatternSet::builder().schema(schema).semantics(semantics).window(window);
    for (number, pattern) in patterns.iter().enumerate() {
        let operands = pattern.iter().map(|&name| &names[name as usize]);
        builder = builder.seq(&number.to_string(), operands);
    }
    builder.build().expect("a set")
}

fn detector(set: &PatternSet, method: Method) -> Detector {
    Detector::with_config(set, Config::new().method(method)).expect("a detector")
}

/// A detector that has read some events.
fn in_course(set: &PatternSet, method: Method, before: &[impl Event]) -> Detector {
    let mut detector = detector(set, method);
    read(&mut detector, before);
    detector
}

fn push(detector: &mut Detector, events: &[impl Event], sink: &mut impl Sink) {
    if std::env::var_os("EACH").is_none() {
        return detector.push_all(events, sink).expect("events");
    }
    for event in events {
        let _ = detector.push(event, sink).expect("an event");
    }
}

/// Reads every index of every match.
fn read(detector: &mut Detector, events: &[impl Event]) -> (u64, u64) {
    let (mut matches, mut sum) = (0_u64, 0_u64);
    let mut sink = Visit(|found: Match<'_>| {
        matches += 1;
        for &event in found.events {
            sum = sum.wrapping_add(event);
        }
        ControlFlow::Continue(())
    });
    push(detector, events, &mut sink);
    (matches, sum)
}

fn count(detector: &mut Detector, events: &[Letter]) -> (u64, u64) {
    let mut counts = Count::default();
    push(detector, events, &mut counts);
    (counts.total, 0)
}

/// The overlapping matches of a DFA; a byte is a type of events.
fn aho_corasick(dfa: &DFA, bytes: &[u8], lengths: &[usize]) -> (u64, u64) {
    let (mut matches, mut sum) = (0_u64, 0_u64);
    let input = Input::new(bytes);
    let mut state = OverlappingState::start();
    loop {
        dfa.try_find_overlapping(&input, &mut state).expect("no error");
        let Some(found) = state.get_match() else { break };
        matches += 1;
        let length = lengths[found.pattern().as_usize()];
        for at in found.end() - length..found.end() {
            sum = sum.wrapping_add(at as u64);
        }
    }
    (matches, sum)
}

fn dfa(load: &Load) -> DFA {
    let patterns: Vec<Vec<u8>> =
        load.patterns.iter().map(|pattern| pattern.iter().map(|&t| t as u8).collect()).collect();
    DFA::builder().match_kind(MatchKind::Standard).build(patterns).expect("a DFA")
}

/// Gives the CPU time, without that of preparing, and the result.
type Run<'a> = Box<dyn FnMut() -> (Duration, (u64, u64)) + 'a>;

fn timed(run: impl FnOnce() -> (u64, u64)) -> (Duration, (u64, u64)) {
    let begin = ProcessTime::now();
    let result = black_box(run());
    (begin.elapsed(), result)
}

/// CPU times of some ways to the same result, the least of several rounds.
fn race(rounds: usize, ways: &mut [(String, Run<'_>)]) -> Vec<Duration> {
    let mut least = vec![Duration::MAX; ways.len()];
    for _ in 0..rounds {
        let mut expected = None;
        for (at, (name, way)) in ways.iter_mut().enumerate() {
            let (time, result) = way();
            least[at] = least[at].min(time);
            if result.1 != 0 {
                assert_eq!(*expected.get_or_insert(result), result, "{name}");
            }
        }
    }
    least
}

fn ratios() {
    let rounds = std::env::var("ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(3);
    let only = std::env::var("ONLY").unwrap_or_default();
    let only_size: Option<usize> = std::env::var("SIZE").ok().and_then(|n| n.parse().ok());
    let only_ways = std::env::var("WAYS").unwrap_or_default();
    println!("semantics load     patterns  way        ms/100k   ratio  ns/match");
    let loads = || [uniform(40, 1), uniform(400, 2), uniform(4000, 3), routes(4000, 4)];
    for semantics in [Semantics::Any, Semantics::Next, Semantics::Strict] {
        if !format!("{semantics:?}").contains(&only) {
            continue;
        }
        for load in loads() {
            let size = load.patterns.len();
            if only_size.is_some_and(|only| only != size) {
                continue;
            }
            // A part of the stream suffices where there are many matches.
            let (part, before) = match semantics {
                Semantics::Any => (100_000 * 40 / size.max(40), BEFORE),
                Semantics::Next => (100_000, BEFORE),
                Semantics::Strict => (EVENTS, 0),
            };
            let (before, events) = load.events.split_at(before);
            let events = &events[..part.max(4000)];
            let (early, warm) = before.split_at(before.len().saturating_sub(WARM));
            let set = &set(&load, semantics);
            let dfa = (semantics == Semantics::Strict).then(|| dfa(&load));
            let bytes: Vec<u8> = events.iter().map(|event| event.0).collect();
            let lengths: Vec<usize> = load.patterns.iter().map(Vec::len).collect();
            let mut ways: Vec<(String, Run<'_>)> = Vec::new();
            for method in Method::COMPARED {
                let ready = in_course(set, method, early);
                let run = move || {
                    let mut detector = ready.clone();
                    read(&mut detector, warm);
                    timed(|| read(&mut detector, events))
                };
                ways.push((method.to_string(), Box::new(run)));
            }
            let ready = in_course(set, Method::Proposed, early);
            let run = move || {
                let mut detector = ready.clone();
                count(&mut detector, warm);
                timed(|| count(&mut detector, events))
            };
            ways.push(("count".into(), Box::new(run)));
            if let Some(dfa) = &dfa {
                let run = || timed(|| aho_corasick(dfa, &bytes, &lengths));
                ways.push(("aho-corasick".into(), Box::new(run)));
            }
            ways.retain(|(name, _)| {
                only_ways.is_empty() || only_ways.split(',').any(|way| way == name)
            });
            let matches = read(&mut in_course(set, Method::Proposed, before), events).0;
            let least = race(rounds, &mut ways);
            let base = least.last().filter(|_| dfa.is_some()).unwrap_or(&least[0]);
            for ((name, _), time) in ways.iter().zip(&least) {
                println!(
                    "{:9} {:8} {:8}  {:12} {:8.2} {:7.2} {:9.2}",
                    format!("{semantics:?}"),
                    load.name,
                    size,
                    name,
                    time.as_secs_f64() * 1e3 * (1e5 / events.len() as f64),
                    base.as_secs_f64() / time.as_secs_f64(),
                    time.as_secs_f64() * 1e9 / matches as f64,
                );
            }
        }
    }
}

/// The time for a match against the length of the window.
fn windows() {
    let rounds = std::env::var("ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    let only: Option<u64> = std::env::var("SIZE").ok().and_then(|n| n.parse().ok());
    let only_ways = std::env::var("WAYS").unwrap_or_default();
    println!("window  way     ns/event  ns/match  matches/event");
    for window in
        [40, 64, 68, 128, 256, 512, 1000].into_iter().filter(|&n| only.is_none_or(|only| only == n))
    {
        let mut random = Random::seed_from_u64(window);
        let types = window as u32 / 4;
        let patterns = patterns(window as usize, types, &mut random);
        let mut event = |time| Timed(random.random_range(0..types) as u8, time);
        let events: Vec<Timed> = (0..21_000).map(&mut event).collect();
        let (before, events) = events.split_at(BEFORE);
        let time = Window::Time(window - 1, TimeUnit::Millisecond);
        let mut ways: Vec<(String, Run<'_>)> = Vec::new();
        for (name, window) in [("events", Window::Events(window)), ("time", time)] {
            let set = set_within(&patterns, Semantics::Any, window);
            let ready = in_course(&set, Method::Proposed, before);
            let run = move || {
                let mut detector = ready.clone();
                timed(|| read(&mut detector, events))
            };
            ways.push((name.to_owned(), Box::new(run)));
        }
        ways.retain(|(name, _)| only_ways.is_empty() || *name == only_ways);
        let matches = ways.first_mut().map_or(0, |way| (way.1)().1.0) as f64;
        let least = race(rounds, &mut ways);
        for ((name, _), time) in ways.iter().zip(&least) {
            let (time, events) = (time.as_secs_f64() * 1e9, events.len() as f64);
            println!(
                "{window:6}  {name:6} {:9.1} {:9.2} {:14.2}",
                time / events,
                time / matches,
                matches / events
            );
        }
    }
}

fn detection(criterion: &mut Criterion) {
    let asked = |what: &str| std::env::args().any(|argument| argument == what);
    if asked("ratios") {
        return ratios();
    }
    if asked("windows") {
        return windows();
    }
    for semantics in [Semantics::Any, Semantics::Next, Semantics::Strict] {
        for load in [uniform(40, 1), routes(400, 4)] {
            let name = format!("{semantics:?}/{}-{}", load.name, load.patterns.len());
            let mut group = criterion.benchmark_group(name.to_lowercase());
            let events = &load.events[..10_000];
            group.throughput(Throughput::Elements(events.len() as u64));
            group.sample_size(10);
            let set = set(&load, semantics);
            for method in Method::COMPARED {
                group.bench_function(BenchmarkId::new("matches", method.name()), |bencher| {
                    bencher.iter(|| read(&mut detector(&set, method), events));
                });
            }
            group.bench_function(BenchmarkId::new("counts", "proposed"), |bencher| {
                bencher.iter(|| count(&mut detector(&set, Method::Proposed), events));
            });
            group.finish();
        }
    }
}

criterion_group!(benches, detection);
criterion_main!(benches);
