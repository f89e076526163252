//! How long planning takes, by method and number of patterns; and on patterns of other shapes.
//!
//! Near-linear growth shows as equal throughput (patterns a second) for all sizes.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use multipattern::cost::Workload;
use multipattern::model::Sequences;
use multipattern::{Method, Plan};

/// xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

/// The paper's Table 1: 10 types, lengths 3 to 10.
fn uniform(count: usize) -> Sequences {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    Sequences::new((0..count).map(|_| {
        let length = 3 + random.below(8);
        (0..length).map(|_| random.below(10) as u32).collect()
    }))
}

/// Sub-sequences of production routes, with steps left out.
fn routes(count: usize) -> Sequences {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut route = |_| -> Vec<u32> {
        let length = 10 + random.below(15);
        (0..length).map(|_| random.below(40) as u32).collect()
    };
    let routes: Vec<Vec<u32>> = (0..20).map(&mut route).collect();
    Sequences::new((0..count).map(|_| {
        let mut steps = routes[random.below(20) as usize].clone();
        let length = 3 + random.below(8) as usize;
        while steps.len() > length {
            steps.remove(random.below(steps.len() as u64) as usize);
        }
        steps
    }))
}

/// Parts of one long sequence.
fn long(count: usize) -> Sequences {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let base: Vec<u32> = (0..2000).map(|_| random.below(10) as u32).collect();
    Sequences::new((0..count).map(|_| {
        let from = random.below(1700) as usize;
        base[from..from + 256].to_vec()
    }))
}

fn plan(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("plan");
    group.sample_size(10);
    let mut case = |name: &str, set: &Sequences| {
        let load = Workload::paper(set);
        group.throughput(Throughput::Elements(set.len() as u64));
        for method in [Method::Single, Method::Sharing, Method::Proposed] {
            let id = BenchmarkId::new(format!("{name}/{method}"), set.len());
            group.bench_function(id, |bencher| bencher.iter(|| Plan::of(method, set, &load)));
        }
    };
    for count in [40, 400, 4000, 10_000] {
        case("uniform", &uniform(count));
    }
    case("routes", &routes(4000));
    case("long", &long(100));
    group.finish();
}

criterion_group!(benches, plan);
criterion_main!(benches);
