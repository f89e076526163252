//! The match buffers against each other: events taken, histories read.
//!
//! A number of runs is alive all the time, and each event is taken by all of them. In `append`
//! nothing is read, in `append and read` the history of each run that ends is. Needs the feature
//! `bench`, which shows the buffers.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nfab::bench::{Buffer, drive};

fn buffers(c: &mut Criterion) {
    let all = [
        ("chain", Buffer::Chain),
        ("chain of 12 bytes", Buffer::WideChain),
        ("versioned", Buffer::Versioned),
        ("versioned, tree", Buffer::VersionedTree),
    ];
    for (name, read) in [("append", false), ("append and read", true)] {
        let mut group = c.benchmark_group(name);
        for live in [1, 10, 100, 1000] {
            let appends = 20_000.max(64 * live);
            group.throughput(Throughput::Elements(appends as u64));
            for (name, buffer) in all {
                group.bench_function(BenchmarkId::new(name, live), |b| {
                    b.iter(|| drive(buffer, live, appends, read));
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, buffers);
criterion_main!(benches);
