//! Bytes a second of each generator, into a sink that only counts.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use data_gen::xml::{
    DblpOptions, RandomTreeOptions, Shape, TreebankOptions, XmarkOptions, XmlKind,
};
use std::hint::black_box;
use std::io::sink;

fn generators(criterion: &mut Criterion) {
    let kinds = [
        ("xmark 1", XmlKind::Xmark(XmarkOptions::new(1.0))),
        ("dblp 0.5", XmlKind::Dblp(DblpOptions::scaled(0.5))),
        ("treebank 0.5", XmlKind::Treebank(TreebankOptions::scaled(0.5))),
        ("random tree", {
            let mut options = RandomTreeOptions::new(Shape::Random);
            options.elements = 1_000_000;
            XmlKind::RandomTree(options)
        }),
        ("wide tree", {
            let mut options = RandomTreeOptions::new(Shape::Wide);
            options.elements = 100_000;
            XmlKind::RandomTree(options)
        }),
    ];
    let mut group = criterion.benchmark_group("generate");
    group.sample_size(10);
    for (name, kind) in kinds {
        let facts = kind.generate(1, &mut sink()).expect("a sink takes all");
        group.throughput(Throughput::Bytes(facts.bytes));
        group.bench_function(name, |b| {
            b.iter(|| kind.generate(black_box(1), &mut sink()).expect("a sink takes all"));
        });
    }
    group.finish();
}

criterion_group!(benches, generators);
criterion_main!(benches);
