//! The engine against loops that are written for one query each.
//!
//! Every query is answered by the loop, by the evaluation that the engine chooses, and by one run
//! for each partial match. All give the same matches: their number and a sum over the numbers of
//! their events are compared before anything is measured.

use std::collections::{HashMap, VecDeque};
use std::hint::black_box;
use std::ops::ControlFlow;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nfab::{
    Automaton, CompileOptions, Engine, Evaluation, Event, Match, Schema, Slot, TypeId, ValueRef,
    ValueType, Visit,
};

const EVENTS: usize = 100_000;

/// An event of the stream; its type is 0 to 3.
#[derive(Clone, Copy)]
struct Tick {
    kind: u32,
    time: i64,
    symbol: i64,
    price: i64,
}

impl Event for Tick {
    fn event_type(&self) -> TypeId {
        TypeId(self.kind)
    }

    fn time(&self) -> i64 {
        self.time
    }

    fn attribute(&self, slot: Slot) -> ValueRef<'_> {
        match slot.0 {
            0 => ValueRef::Int(self.symbol),
            1 => ValueRef::Int(self.price),
            _ => ValueRef::Missing,
        }
    }
}

/// Types in the proportions given in percent; what is left is type 3.
fn stream(percent: [u64; 3]) -> Vec<Tick> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = |bound: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % bound
    };
    let tick = |time: usize| {
        let mut kind = random(100);
        let mut of = 0;
        while of < 3 && kind >= percent[of] {
            kind -= percent[of];
            of += 1;
        }
        let (symbol, price) = (random(1000) as i64, random(1000) as i64);
        Tick { kind: of as u32, time: time as i64, symbol, price }
    };
    (0..EVENTS).map(tick).collect()
}

fn schema() -> Schema {
    let mut schema = Schema::new();
    for name in ["A", "B", "C", "D"] {
        schema.add_type(name);
    }
    schema.add_attribute("symbol", Some(ValueType::Int));
    schema.add_attribute("price", Some(ValueType::Int));
    schema
}

/// How many matches, and the sum of the numbers of their events.
type Answer = (u64, u64);

fn engine(automaton: &Automaton, stream: &[Tick]) -> Answer {
    let mut engine = Engine::new(automaton.clone());
    let mut answer = (0, 0);
    let mut sink = Visit(|found: &Match<'_, Tick>| {
        answer.0 += 1;
        answer.1 += found.events().numbers().sum::<u64>();
        ControlFlow::Continue(())
    });
    for &tick in stream {
        engine.push(tick, &mut sink).expect("no limit is reached");
    }
    answer
}

fn report(answer: &mut Answer, numbers: &[u64]) {
    answer.0 += 1;
    answer.1 += numbers.iter().sum::<u64>();
}

const STRICT: &str = "PATTERN SEQ(A a, B b, C c) WHERE strict_contiguity";

fn strict(stream: &[Tick]) -> Answer {
    let mut answer = (0, 0);
    // How far the events just before this one match.
    let mut reached = 0;
    for (number, tick) in (0..).zip(stream) {
        reached = match (tick.kind, reached) {
            (0, _) => 1,
            (1, 1) => 2,
            (2, 2) => {
                report(&mut answer, &[number - 2, number - 1, number]);
                0
            }
            _ => 0,
        };
    }
    answer
}

const RISING: &str = "PATTERN SEQ(A+ a[]) WHERE skip_till_next_match \
                      { a[i].price > a[i-1].price } WITHIN 50 EVENTS";

/// A run: its events, and the price of the last one.
struct Rise {
    numbers: Vec<u64>,
    price: i64,
}

fn rising(stream: &[Tick]) -> Answer {
    let mut answer = (0, 0);
    let mut runs: VecDeque<Rise> = VecDeque::new();
    let mut spare: Vec<Vec<u64>> = Vec::new();
    for (number, tick) in (0..).zip(stream) {
        while let Some(run) = runs.front()
            && run.numbers[0] + 50 <= number
        {
            report(&mut answer, &run.numbers);
            spare.extend(runs.pop_front().map(|run| run.numbers));
        }
        if tick.kind != 0 {
            continue;
        }
        for run in &mut runs {
            if tick.price > run.price {
                run.numbers.push(number);
                run.price = tick.price;
            }
        }
        let mut numbers = spare.pop().unwrap_or_default();
        numbers.clear();
        numbers.push(number);
        runs.push_back(Rise { numbers, price: tick.price });
    }
    answer
}

const ANY: &str = "PATTERN SEQ(A a, B+ b[], C c) WHERE skip_till_any_match WITHIN 50 ms";

fn any(stream: &[Tick]) -> Answer {
    let mut answer = (0, 0);
    // Firsts with the events that may follow each.
    let mut firsts: VecDeque<(u64, i64, Vec<u64>)> = VecDeque::new();
    let mut numbers = Vec::new();
    for (number, tick) in (0..).zip(stream) {
        while firsts.front().is_some_and(|first| first.1 < tick.time - 50) {
            firsts.pop_front();
        }
        match tick.kind {
            0 => firsts.push_back((number, tick.time, Vec::new())),
            1 => firsts.iter_mut().for_each(|first| first.2.push(number)),
            2 => {
                for (first, _, middle) in &firsts {
                    for set in 1u64..1 << middle.len() {
                        numbers.clear();
                        numbers.push(*first);
                        let mut set = set;
                        while set != 0 {
                            numbers.push(middle[set.trailing_zeros() as usize]);
                            set &= set - 1;
                        }
                        numbers.push(number);
                        report(&mut answer, &numbers);
                    }
                }
            }
            _ => {}
        }
    }
    answer
}

const KEYED: &str = "PATTERN SEQ(A a, B b) WHERE skip_till_next_match \
                     { [symbol] AND b.price > a.price } WITHIN 5000 ms";

fn keyed(stream: &[Tick]) -> Answer {
    let mut answer = (0, 0);
    let mut partitions: HashMap<i64, VecDeque<(u64, i64, i64)>> = HashMap::new();
    for (number, tick) in (0..).zip(stream) {
        if tick.kind > 1 {
            continue;
        }
        let runs = partitions.entry(tick.symbol).or_default();
        while runs.front().is_some_and(|run| run.1 < tick.time - 5000) {
            runs.pop_front();
        }
        if tick.kind == 0 {
            runs.push_back((number, tick.time, tick.price));
        } else {
            runs.retain(|&(first, _, price)| {
                let fits = tick.price > price;
                if fits {
                    report(&mut answer, &[first, number]);
                }
                !fits
            });
        }
    }
    answer
}

fn all(c: &mut Criterion) {
    type Loop = fn(&[Tick]) -> Answer;
    let cases: [(&str, &str, [u64; 3], Loop); 4] = [
        ("strict", STRICT, [40, 30, 20], strict),
        ("rising", RISING, [100, 0, 0], rising),
        ("any", ANY, [5, 10, 5], any),
        ("keyed", KEYED, [40, 30, 20], keyed),
    ];
    for (name, text, percent, by_hand) in cases {
        let stream = stream(percent);
        let query = nfab::language::Query::parse(text).expect("a query");
        let compile = |options| Automaton::from_query(&query, &schema(), options).expect("it does");
        let chosen = compile(CompileOptions::new());
        let runs = compile(CompileOptions::new().evaluation(Evaluation::Runs));
        let answer = by_hand(&stream);
        assert!(answer.0 > 100, "{name} finds too little");
        assert_eq!(engine(&chosen, &stream), answer, "{name}");
        assert_eq!(engine(&runs, &stream), answer, "{name}");
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Elements(EVENTS as u64));
        group.bench_function("loop", |b| b.iter(|| by_hand(black_box(&stream))));
        group.bench_function("runs", |b| b.iter(|| engine(&runs, black_box(&stream))));
        group.bench_function("chosen", |b| b.iter(|| engine(&chosen, black_box(&stream))));
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = all
}
criterion_main!(benches);
