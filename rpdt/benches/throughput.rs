//! Bytes a second of the engine and of the reader alone, over the same document in one run: an XMark
//! document of factor 0.5 (58 MB), or of the factor in the environment variable `XMARK_FACTOR`.
//!
//! `quick-xml alone` is the bare event loop: slice reader, default configuration, every event handed
//! to `black_box`. What a query's figure lies below it is the price of well-formedness checks that
//! quick-xml leaves out, of matching and of counting, less what skipping saves.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use data_gen::xml::{self, XmarkOptions, XmlKind};
use quick_xml::Reader;
use quick_xml::events::Event;
use rpdt::{Config, Count, FrontEnd, Pattern, Plan, Shape};

/// Queries of the benchmark harness's list: regular ones give tuples, plain ones nodes.
const QUERIES: [(&str, &str, Shape); 9] = [
    ("R2", "//open_auction/{bidder!, bidder!*}", Shape::Tuples),
    (
        "P1",
        "/site/closed_auctions/closed_auction/annotation/description/text/keyword",
        Shape::Nodes,
    ),
    ("P2", "//closed_auction//keyword", Shape::Nodes),
    ("P4", "/site/people/person[profile[gender][age]]/name", Shape::Nodes),
    ("P5", "//item[.//keyword][mailbox/mail//emph]/name", Shape::Nodes),
    ("P6", "//listitem[.//keyword]//emph", Shape::Nodes),
    (
        "R1",
        "//open_auction[.//keyword]/{initial, reserve?, bidder[personref]!, bidder*}",
        Shape::Tuples,
    ),
    ("R5", "//parlist/{listitem[text/keyword]!, listitem[.//emph]!*}", Shape::Tuples),
    ("R6", "//text/{keyword!, (bold|emph)+, keyword!?}", Shape::Tuples),
];

fn document() -> Vec<u8> {
    let factor = std::env::var("XMARK_FACTOR").ok();
    let factor = factor.map_or(0.5, |text| text.parse().expect("XMARK_FACTOR is a number"));
    let kind = XmlKind::Xmark(XmarkOptions::new(factor));
    let mut document = Vec::with_capacity(kind.expected_bytes() as usize);
    xml::xmark(factor, 1, &mut document).expect("memory takes all");
    document
}

fn events(document: &[u8]) -> u64 {
    let mut reader = Reader::from_reader(document);
    let mut count = 0;
    loop {
        match reader.read_event().expect("the document is well-formed") {
            Event::Eof => return count,
            event => {
                black_box(&event);
                count += 1;
            }
        }
    }
}

fn throughput(criterion: &mut Criterion) {
    let document = document();
    let mut group = criterion.benchmark_group("xmark");
    group.throughput(Throughput::Bytes(document.len() as u64));
    group.bench_function("quick-xml alone", |b| b.iter(|| events(black_box(&document))));
    for (name, query, shape) in QUERIES {
        let pattern = Pattern::parse(query).expect("the query is right");
        for (front, front_end) in [
            ("scanner", FrontEnd::Scanner),
            ("portable", FrontEnd::PortableScanner),
            ("quick-xml", FrontEnd::QuickXml),
        ] {
            let config = Config::new().shape(shape).front_end(front_end);
            let plan = Plan::new(vec![pattern.clone()], config).expect("it compiles");
            let count = || {
                let outcome = plan.run_slice(black_box(&document), Count::new());
                outcome.expect("the document is well-formed").sink.total()
            };
            group.bench_function(BenchmarkId::new(front, name), |b| b.iter(count));
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = throughput
}
criterion_main!(benches);
