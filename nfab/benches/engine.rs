//! The engine against what is written by hand for one query each.
//!
//! Every query is answered by an operator, which keeps the engine's contract, by a scan of the array
//! that holds the events, by the evaluation that the engine chooses, and by one run for each partial
//! match. All matches of all of them are compared before anything is measured. What is measured
//! gives every match to a closure that adds up the times of its events; the operator and the engine
//! read them in the events, the scan takes the numbers for them. The engine is to be compared with
//! the operator; the scan, which can go back in the array, is a bound that no stream processor can
//! reach.

use std::hint::black_box;
use std::ops::ControlFlow;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nfab::{Automaton, CompileOptions, Engine, Evaluation, Match, Visit};

use by_hand::operator::{arriving, push_all};
use by_hand::scan::scan;
use by_hand::{Query, Sink, Tick, schema};

mod by_hand;

const EVENTS: usize = 100_000;

/// How many matches, and the sum over the times of their events.
#[derive(Debug, Default, PartialEq)]
struct Sum(u64, i64);

impl Sink for Sum {
    #[inline]
    fn matched(&mut self, times: impl Iterator<Item = i64>) {
        self.0 += 1;
        self.1 += times.sum::<i64>();
    }
}

/// The matches themselves.
#[derive(Default)]
struct Matches(Vec<Vec<i64>>);

impl Sink for Matches {
    fn matched(&mut self, times: impl Iterator<Item = i64>) {
        self.0.push(times.collect());
    }
}

impl Matches {
    fn sorted(mut self) -> Vec<Vec<i64>> {
        self.0.sort();
        self.0
    }
}

fn engine<S: Sink + Default>(automaton: &Automaton, stream: &[Tick]) -> S {
    let mut engine = Engine::new(automaton.clone());
    let mut answer = S::default();
    let mut sink = Visit(|found: &Match<'_, Tick>| {
        answer.matched(found.events().iter().map(|(_, tick)| tick.time));
        ControlFlow::Continue(())
    });
    for tick in arriving(stream) {
        engine.push(tick, &mut sink).expect("no limit is reached");
    }
    answer
}

fn operator<S: Sink + Default>(query: Query, stream: &[Tick]) -> S {
    let mut answer = S::default();
    push_all(query, stream, &mut answer);
    answer
}

fn array<S: Sink + Default>(query: Query, stream: &[Tick]) -> S {
    let mut answer = S::default();
    scan(query, stream, &mut answer);
    answer
}

fn all(c: &mut Criterion) {
    for query in Query::ALL {
        let name = query.name();
        let stream = query.stream(EVENTS);
        let text = nfab::language::Query::parse(query.text()).expect("a query");
        let compile = |options| Automaton::from_query(&text, &schema(), options).expect("it does");
        let chosen = compile(CompileOptions::new());
        let runs = compile(CompileOptions::new().evaluation(Evaluation::Runs));
        let answer = operator::<Matches>(query, &stream).sorted();
        assert!(answer.len() > 100, "{name} finds too little");
        assert!(array::<Matches>(query, &stream).sorted() == answer, "{name}: the scan");
        assert!(engine::<Matches>(&chosen, &stream).sorted() == answer, "{name}: as chosen");
        assert!(engine::<Matches>(&runs, &stream).sorted() == answer, "{name}: runs");
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Elements(EVENTS as u64));
        let stream = &*stream;
        group.bench_function("operator", |b| b.iter(|| operator::<Sum>(query, black_box(stream))));
        group.bench_function("scan", |b| b.iter(|| array::<Sum>(query, black_box(stream))));
        group.bench_function("runs", |b| b.iter(|| engine::<Sum>(&runs, black_box(stream))));
        group.bench_function("chosen", |b| b.iter(|| engine::<Sum>(&chosen, black_box(stream))));
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = all
}
criterion_main!(benches);
