//! Memory does not grow with the document: on every front end and number of threads, with a counting
//! allocator.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};

use peak_alloc::PeakAlloc;
use rpdt::input::Checks;
use rpdt::{Config, Count, FrontEnd, Order, Pattern, Plan, Threads};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// A document of so many records.
fn document(records: usize) -> File {
    let mut out = BufWriter::new(tempfile::tempfile().expect("a file"));
    write!(out, "<site><auctions>").expect("written");
    for i in 0..records {
        let bidders =
            "<bidder><date>12/11/2000</date><increase>4.50</increase></bidder>".repeat(i % 4);
        writeln!(
            out,
            "<auction id='a{i}'><initial>{i}</initial>{bidders}<text>some <b>bold</b> words</text></auction>"
        )
        .expect("written");
    }
    write!(out, "</auctions></site>").expect("written");
    out.into_inner().expect("flushed")
}

/// Bytes at the peak, beyond what there was before.
fn peak(plan: &Plan, threads: usize, mut file: &File) -> (usize, u64) {
    file.seek(SeekFrom::Start(0)).expect("a file");
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let outcome = plan.run_file_on(Threads::new(threads), file, Count::new()).expect("a document");
    assert_eq!(outcome.stats.segments > 0, threads > 1);
    (MEMORY.peak_usage().saturating_sub(before), outcome.sink.total())
}

#[test]
fn memory_does_not_grow_with_the_document() {
    let files = [document(30_000), document(240_000)];
    for front_end in [FrontEnd::Scanner, FrontEnd::PortableScanner, FrontEnd::QuickXml] {
        for checks in [Checks::Fast, Checks::Strict] {
            for (query, order) in [
                ("//auction/{bidder!, bidder!*}", Order::Certain),
                ("/site/auctions/auction[bidder]/text", Order::Document),
            ] {
                let config = Config::new().front_end(front_end).checks(checks).order(order);
                let patterns = vec![Pattern::parse(query).expect(query)];
                let plan = Plan::new(patterns, config).expect(query);
                let [mut small, mut large] = [0; 2];
                for threads in [1, 2, 4] {
                    let (few, _) = peak(&plan, threads, &files[0]);
                    let (many, answers) = peak(&plan, threads, &files[1]);
                    assert_eq!(answers, 180_000, "{query}");
                    // A buffer for each thread, an engine with its tables, and counts.
                    let most = (threads + 1) * (512 << 10);
                    let all = format!("{query} {front_end:?} {checks:?} {threads}: {few}, {many}");
                    assert!(many < most && few < most, "{all}");
                    (small, large) = (small.max(few), large.max(many));
                }
                assert!(large < 2 * small, "{query}: {small}, then {large}");
            }
        }
    }
}
