//! The evaluations against each other and against the window.
//!
//! - `count`: numbers of matches of three letters under skip-till-any, by the length of the window.
//!   The compact evaluation does not depend on it.
//! - `stock`: the stock workload of the SASE+ experiments under skip-till-next, p1 without a condition
//!   that looks back, p2 with ever higher prices; matches are visited, or only counted.
//! - `three`: the same three letters with output, in a window in which runs can still follow.
//!
//! All figures are for the whole stream.

use std::hint::black_box;
use std::ops::ControlFlow;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nfab::language::Query;
use nfab::{
    Automaton, CompileOptions, Count, Engine, Evaluation, Event, Match, Schema, Slot, TypeId,
    ValueRef, ValueType, Visit,
};

#[derive(Clone, Copy)]
struct Tick {
    kind: TypeId,
    time: i64,
    values: [i64; 3],
}

impl Event for Tick {
    fn event_type(&self) -> TypeId {
        self.kind
    }

    fn time(&self) -> i64 {
        self.time
    }

    fn attribute(&self, slot: Slot) -> ValueRef<'_> {
        self.values.get(slot.0 as usize).map_or(ValueRef::Missing, |&v| ValueRef::Int(v))
    }
}

/// Numbers that look random, the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }
}

fn letters(count: i64) -> (Schema, Vec<Tick>) {
    let mut schema = Schema::new();
    let kinds = ["A", "B", "C"].map(|name| schema.add_type(name));
    let mut random = Random(1);
    let tick = |time| Tick { kind: kinds[random.below(3) as usize], time, values: [0; 3] };
    (schema, (0..count).map(tick).collect())
}

/// Two symbols; prices that mostly rise.
fn stock(count: i64) -> (Schema, Vec<Tick>) {
    let mut schema = Schema::new();
    let kind = schema.add_type("stock");
    for name in ["symbol", "price", "volume"] {
        schema.add_attribute(name, Some(ValueType::Int));
    }
    let mut random = Random(10);
    let mut prices = [random.below(1000) as i64, random.below(1000) as i64];
    let tick = |time| {
        let symbol = random.below(2) as usize;
        let step = 1 + random.below(3) as i64;
        prices[symbol] += match random.below(100) {
            0..70 => step,
            70..85 => -step,
            _ => 0,
        };
        let volume = 1 + random.below(1000) as i64;
        Tick { kind, time, values: [symbol as i64, prices[symbol], volume] }
    };
    (schema, (0..count).map(tick).collect())
}

fn compile(query: &str, schema: &Schema, evaluation: Evaluation) -> Automaton {
    let query = Query::parse(query).expect("a query");
    let options = CompileOptions::new().evaluation(evaluation);
    Automaton::from_query(&query, schema, options).expect("it compiles")
}

fn count(automaton: &Automaton, events: &[Tick]) -> u64 {
    let mut engine = Engine::new(automaton.clone());
    let mut count = Count::default();
    for &event in events {
        engine.push(event, &mut count).expect("no failure");
    }
    count.matches
}

fn visit(automaton: &Automaton, events: &[Tick]) -> u64 {
    let mut engine = Engine::new(automaton.clone());
    let mut found = 0;
    let mut sink = Visit(|m: &Match<'_, Tick>| {
        found += 1;
        black_box(m.events().len());
        ControlFlow::Continue(())
    });
    for &event in events {
        engine.push(event, &mut sink).expect("no failure");
    }
    found
}

const THREE: &str = "PATTERN SEQ(A a, B b, C c) WHERE skip_till_any_match WITHIN";

fn counting(c: &mut Criterion) {
    let (schema, events) = letters(100_000);
    let mut group = c.benchmark_group("count");
    group.throughput(Throughput::Elements(events.len() as u64));
    for window in [30, 100, 1000, 10_000] {
        let query = format!("{THREE} {window} EVENTS");
        let automaton = compile(&query, &schema, Evaluation::Compact);
        group.bench_function(BenchmarkId::new("compact", window), |b| {
            b.iter(|| count(&automaton, &events));
        });
    }
    group.finish();
}

fn stocks(c: &mut Criterion) {
    let (schema, events) = stock(20_000);
    let mut group = c.benchmark_group("stock");
    group.throughput(Throughput::Elements(events.len() as u64));
    for (name, condition) in [("p1", ""), ("p2", "AND a[i].price > a[i-1].price ")] {
        let query = format!(
            "PATTERN SEQ(stock+ a[], stock b) WHERE skip_till_next_match {{ [symbol] AND \
             a[1].price % 500 = 0 {condition}AND b.volume < 150 }} WITHIN 500 ms"
        );
        let runs = compile(&query, &schema, Evaluation::Runs);
        let shared: &[Evaluation] = match name {
            "p1" => &[Evaluation::Runs, Evaluation::Grouped, Evaluation::Compact],
            _ => &[Evaluation::Runs, Evaluation::Grouped],
        };
        for &evaluation in shared {
            let automaton = compile(&query, &schema, evaluation);
            let label = |what: &str| format!("{name} {what} {evaluation:?}");
            assert_eq!(count(&automaton, &events), count(&runs, &events));
            assert_eq!(visit(&automaton, &events), visit(&runs, &events));
            group.bench_function(label("output"), |b| b.iter(|| visit(&automaton, &events)));
            group.bench_function(label("count"), |b| b.iter(|| count(&automaton, &events)));
        }
    }
    group.finish();
}

fn three(c: &mut Criterion) {
    let (schema, events) = letters(5_000);
    let mut group = c.benchmark_group("three");
    group.throughput(Throughput::Elements(events.len() as u64));
    let query = format!("{THREE} 60 EVENTS");
    for evaluation in [Evaluation::Runs, Evaluation::Grouped, Evaluation::Compact] {
        let automaton = compile(&query, &schema, evaluation);
        let label = format!("{evaluation:?}");
        group.bench_function(label, |b| b.iter(|| visit(&automaton, &events)));
    }
    group.finish();
}

criterion_group!(benches, counting, stocks, three);
criterion_main!(benches);
