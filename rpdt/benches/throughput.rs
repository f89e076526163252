//! Bytes a second of the engine and of the reader alone, over the same documents in one run: an XMark
//! document of factor 0.5 (58 MB), or of the factor in the environment variable `XMARK_FACTOR`, and a
//! TreeBank-like one of about the same size.
//!
//! First a table of what each part costs, measured in rounds, each of which runs everything once: the
//! median, the quartiles, the median of the rounds' ratios to a bare quick-xml loop, gigabytes a
//! second, nanoseconds a tag. `ROUNDS` says how many (default 11). Then Criterion's own measurements.
//!
//! `quick-xml` is the bare event loop: slice reader, default configuration, every event handed
//! to `black_box`. What a query's figure lies below it is the price of well-formedness checks that
//! quick-xml leaves out, of matching and of counting, less what skipping saves. `tokenise` is the
//! scanner with a handler that wants all tags and nothing of them: tags found, names looked up, end
//! tags matched, attributes checked. `bytes` only looks for a byte that is not there. So the shares
//! of a query that skips nothing are those of `bytes`, of `tokenise` less that, and of the rest.

#![allow(clippy::print_stdout, reason = "the table is what it is for")]

use std::hint::black_box;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use data_gen::xml::{self, TreebankOptions, XmarkOptions, XmlKind};
use quick_xml::Reader;
use quick_xml::events::Event;
use rpdt::input::{
    Checks, EndTag, Interest, Markup, ScannerSource, SourceConfig, StartTag, Symbol, TagHandler,
    TagSource, Text,
};
use rpdt::{Config, Count, Error, FrontEnd, Pattern, Plan, Shape};

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

/// Of these the table tells more.
const TABLE: [&str; 3] = ["R2", "R1", "P4"];

/// The like for TreeBank.
const TREEBANK: [(&str, &str); 3] = [
    ("S {NP, VP}", "//S/{NP!, VP!}"),
    ("NP {DT, JJ*, NN}", "//NP/{DT, JJ!*, NN!}"),
    ("VP {VBD, NP?, PP*}", "//VP/{VBD!, NP?, PP!*}"),
];

fn factor() -> f64 {
    let factor = std::env::var("XMARK_FACTOR").ok();
    factor.map_or(0.5, |text| text.parse().expect("XMARK_FACTOR is a number"))
}

fn xmark() -> Vec<u8> {
    let kind = XmlKind::Xmark(XmarkOptions::new(factor()));
    let mut document = Vec::with_capacity(kind.expected_bytes() as usize);
    xml::xmark(factor(), 1, &mut document).expect("memory takes all");
    document
}

fn treebank() -> Vec<u8> {
    let mut document = Vec::new();
    xml::treebank(&TreebankOptions::scaled(factor()), 1, &mut document).expect("memory takes all");
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

/// Wants all tags and nothing of them.
struct Nobody;

impl TagHandler for Nobody {
    fn symbol(&mut self, _: &[u8]) -> Symbol {
        Symbol(0)
    }

    fn start_tag(&mut self, _: &StartTag<'_>) -> Result<Interest, Error> {
        Ok(Interest::TAGS)
    }

    fn enter(&mut self, _: Symbol) -> Option<Interest> {
        Some(Interest::TAGS)
    }

    fn leaf(&mut self, _: Symbol) -> bool {
        true
    }

    fn leave(&mut self) -> bool {
        true
    }

    fn end_tag(&mut self, _: &EndTag<'_>) -> Result<Interest, Error> {
        Ok(Interest::TAGS)
    }

    fn text(&mut self, _: &Text<'_>) -> Result<(), Error> {
        Ok(())
    }

    fn markup(&mut self, _: &Markup<'_>) -> Result<(), Error> {
        Ok(())
    }
}

/// The number of tags.
fn tokenise(document: &[u8], checks: Checks) -> u64 {
    let mut source = ScannerSource::new(SourceConfig { checks, ..SourceConfig::default() });
    source.feed(document, &mut Nobody).expect("the document is well-formed");
    source.finish(&mut Nobody).expect("the document is well-formed");
    source.counts().tags
}

fn plan(query: &str, shape: Shape, front_end: FrontEnd, checks: Checks) -> Plan {
    let pattern = Pattern::parse(query).expect("the query is right");
    let config = Config::new().shape(shape).front_end(front_end).checks(checks);
    Plan::new(vec![pattern], config).expect("it compiles")
}

fn count(plan: &Plan, document: &[u8]) -> u64 {
    let outcome = plan.run_slice(document, Count::new());
    outcome.expect("the document is well-formed").sink.total()
}

/// Something to measure.
type Row<'a> = (String, Box<dyn Fn() -> u64 + 'a>);

/// Runs everything in rounds and prints what each costs, the first row being what others are compared
/// with.
fn table(title: &str, document: &[u8], rows: &[Row<'_>]) {
    let rounds = std::env::var("ROUNDS").ok();
    let rounds = rounds.map_or(11, |text| text.parse().expect("ROUNDS is a number")).max(1);
    let mut seconds: Vec<Vec<f64>> = vec![Vec::new(); rows.len()];
    for _ in 0..rounds {
        for ((_, run), seconds) in rows.iter().zip(&mut seconds) {
            let start = Instant::now();
            black_box(run());
            seconds.push(start.elapsed().as_secs_f64());
        }
    }
    let tags = tokenise(document, Checks::Fast);
    println!("\n{title}: {} bytes, {tags} tags, {rounds} rounds", document.len());
    println!(
        "{:<28} {:>9} {:>19} {:>7} {:>7} {:>7}",
        "", "ms", "quartiles", "ratio", "GB/s", "ns/tag"
    );
    for ((name, _), own) in rows.iter().zip(&seconds) {
        let ratios = own.iter().zip(&seconds[0]).map(|(own, base)| base / own).collect();
        let [low, middle, high] = quartiles(own.clone());
        println!(
            "{name:<28} {:>9.2} {:>9.2} {:>9.2} {:>7.2} {:>7.2} {:>7.2}",
            middle * 1e3,
            low * 1e3,
            high * 1e3,
            quartiles(ratios)[1],
            document.len() as f64 / middle / 1e9,
            middle / tags as f64 * 1e9,
        );
    }
}

fn quartiles(mut figures: Vec<f64>) -> [f64; 3] {
    figures.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| figures[(figures.len() - 1) * quarter / 4])
}

/// The rows that every table begins with.
fn common(document: &[u8]) -> Vec<Row<'_>> {
    vec![
        ("quick-xml".into(), Box::new(|| events(document))),
        ("bytes".into(), Box::new(|| memchr::memchr_iter(0, document).count() as u64)),
        ("tokenise".into(), Box::new(|| tokenise(document, Checks::Fast))),
        ("tokenise, strict".into(), Box::new(|| tokenise(document, Checks::Strict))),
    ]
}

fn tables() {
    let document = xmark();
    let mut rows = common(&document);
    for (name, query, shape) in QUERIES.into_iter().filter(|q| TABLE.contains(&q.0)) {
        for (how, front_end, checks) in [
            ("", FrontEnd::Scanner, Checks::Fast),
            (", strict", FrontEnd::Scanner, Checks::Strict),
            (", portable", FrontEnd::PortableScanner, Checks::Fast),
            (", on quick-xml", FrontEnd::QuickXml, Checks::Fast),
        ] {
            let plan = plan(query, shape, front_end, checks);
            let document = &document;
            rows.push((format!("{name}{how}"), Box::new(move || count(&plan, document))));
        }
    }
    table("XMark", &document, &rows);
    let document = treebank();
    let mut rows = common(&document);
    for (name, query) in TREEBANK {
        for (how, checks) in [("", Checks::Fast), (", strict", Checks::Strict)] {
            let plan = plan(query, Shape::Tuples, FrontEnd::Scanner, checks);
            let document = &document;
            rows.push((format!("{name}{how}"), Box::new(move || count(&plan, document))));
        }
    }
    table("TreeBank-like", &document, &rows);
}

fn throughput(criterion: &mut Criterion) {
    let document = xmark();
    let mut group = criterion.benchmark_group("xmark");
    group.throughput(Throughput::Bytes(document.len() as u64));
    group.bench_function("quick-xml alone", |b| b.iter(|| events(black_box(&document))));
    group.bench_function("tokenise", |b| {
        b.iter(|| tokenise(black_box(&document), Checks::Fast));
    });
    for (name, query, shape) in QUERIES {
        for (front, front_end, checks) in [
            ("scanner", FrontEnd::Scanner, Checks::Fast),
            ("strict", FrontEnd::Scanner, Checks::Strict),
            ("portable", FrontEnd::PortableScanner, Checks::Fast),
            ("quick-xml", FrontEnd::QuickXml, Checks::Fast),
        ] {
            let plan = plan(query, shape, front_end, checks);
            group.bench_function(BenchmarkId::new(front, name), |b| {
                b.iter(|| count(&plan, black_box(&document)));
            });
        }
    }
    group.finish();
    let document = treebank();
    let mut group = criterion.benchmark_group("treebank");
    group.throughput(Throughput::Bytes(document.len() as u64));
    group.bench_function("quick-xml alone", |b| b.iter(|| events(black_box(&document))));
    for (name, query) in TREEBANK {
        let plan = plan(query, Shape::Tuples, FrontEnd::Scanner, Checks::Fast);
        group.bench_function(BenchmarkId::new("scanner", name), |b| {
            b.iter(|| count(&plan, black_box(&document)));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = throughput
}

fn main() {
    if !std::env::args().any(|argument| argument == "--test") {
        tables();
    }
    benches();
    Criterion::default().configure_from_args().final_summary();
}
