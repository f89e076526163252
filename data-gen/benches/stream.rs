//! Streams of events: bytes a second of each writer and reader, events a second of each iterator.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use data_gen::format::{Format, csv, jsonl};
use data_gen::stream::{
    ClickOptions, GaussianOptions, KeyOptions, LetterOptions, RfidOptions, RouteOptions,
    SensorOptions, StockOptions, StreamKind, UniformOptions,
};
use std::hint::black_box;
use std::io::sink;

const EVENTS: u64 = 1_000_000;

fn kinds() -> [StreamKind; 9] {
    [
        StreamKind::Stock(StockOptions::new(EVENTS)),
        StreamKind::Clicks(ClickOptions::new(EVENTS)),
        StreamKind::Sensors(SensorOptions::new(EVENTS)),
        StreamKind::Letters(LetterOptions::uniform(EVENTS, 20, 100)),
        StreamKind::Keys(KeyOptions::new(EVENTS, 1000, 100_000)),
        StreamKind::Rfid(RfidOptions::new(EVENTS)),
        StreamKind::Routes(RouteOptions::new(EVENTS)),
        StreamKind::Uniform(UniformOptions::new(EVENTS)),
        StreamKind::Gaussian(GaussianOptions::new(EVENTS)),
    ]
}

fn files(criterion: &mut Criterion) {
    for format in [Format::Csv, Format::Jsonl] {
        let mut group = criterion.benchmark_group(format!("write {format}"));
        group.sample_size(10);
        for kind in kinds() {
            let counts = kind.write(1, format, &mut sink()).expect("a sink takes all");
            group.throughput(Throughput::Bytes(counts.bytes));
            group.bench_function(kind.name(), |b| {
                b.iter(|| kind.write(black_box(1), format, &mut sink()).expect("a sink takes all"));
            });
        }
        group.finish();

        let mut group = criterion.benchmark_group(format!("read {format}"));
        group.sample_size(10);
        for kind in kinds() {
            let mut text = Vec::new();
            kind.write(1, format, &mut text).expect("memory takes all");
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_function(kind.name(), |b| b.iter(|| read(format, black_box(&text))));
        }
        group.finish();
    }
}

fn read(format: Format, text: &[u8]) -> i64 {
    let mut sum = 0;
    match format {
        Format::Csv => {
            let mut reader = csv::Reader::new(text).expect("a header");
            while let Some(row) = reader.next_row().expect("rows") {
                sum += row.time();
            }
        }
        _ => {
            let mut reader = jsonl::Reader::new(text);
            while let Some(row) = reader.next_row().expect("rows") {
                sum += row.time();
            }
        }
    }
    sum
}

fn iterators(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("iterate");
    group.sample_size(10).throughput(Throughput::Elements(EVENTS));
    macro_rules! iterate {
        ($name:literal, $options:expr) => {
            let options = $options;
            group.bench_function($name, |b| {
                b.iter(|| {
                    let events = options.stream(black_box(1)).expect("good options");
                    events.for_each(|event| {
                        black_box(&event);
                    });
                });
            });
        };
    }
    iterate!("stock", StockOptions::new(EVENTS));
    iterate!("clicks", ClickOptions::new(EVENTS));
    iterate!("sensors", SensorOptions::new(EVENTS));
    iterate!("letters", LetterOptions::uniform(EVENTS, 20, 100));
    iterate!("keys", KeyOptions::new(EVENTS, 1000, 100_000));
    group.finish();
}

criterion_group!(benches, files, iterators);
criterion_main!(benches);
