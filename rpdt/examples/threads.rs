//! One large file on all cores: the answers, their order and their numbers are those of one thread.
//!
//! ```text
//! cargo run --release -p rpdt --example threads
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use rpdt::{Answer, Error, Needs, Plan, Threads, Visit};

/// A shop that sold a lot: about six megabytes.
fn write(path: &Path) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(out, "<shop>")?;
    for number in 0..60_000 {
        let (item, price) = (number * 7 % 100, number % 970);
        writeln!(out, "<order n='{number}'><item>{item}</item><price>{price}</price>")?;
        if number % 50 == 0 {
            writeln!(out, "<returned/><refund/>")?;
        }
        writeln!(out, "</order>")?;
    }
    writeln!(out, "</shop>")?;
    out.flush()
}

pub fn main() -> Result<(), Error> {
    let path = std::env::temp_dir().join(format!("rpdt-threads-{}.xml", std::process::id()));
    write(&path)?;
    let plan = Plan::parse("/shop/order[price[.>500]]/{ returned! , refund }")?;
    println!("{}", plan.threads_explained(0));

    let mut runs = Vec::new();
    // The second run has two threads or more, also where there is one core.
    for threads in [Threads::new(1), Threads::new(Threads::available().count().max(2))] {
        let mut places = Vec::new();
        let start = Instant::now();
        let sink = Visit::new(Needs::range(), |_, answer| {
            if let Answer::Tuple(_) | Answer::Node(_) = answer {
                places.push(format!("{answer:?}"));
            }
            ControlFlow::Continue(())
        });
        let file = File::open(&path)?;
        let stats = plan.run_file_on(threads, &file, sink)?.stats;
        println!(
            "{} threads: {} answers in {:?}, {} segments side by side",
            threads.count(),
            stats.answers,
            start.elapsed(),
            stats.segments
        );
        runs.push(places);
    }
    std::fs::remove_file(&path)?;
    assert!(runs[0].len() > 500);
    assert!(runs[0] == runs[1], "threads change nothing");
    Ok(())
}
