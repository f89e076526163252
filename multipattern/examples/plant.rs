//! A plant: products that skip a station, those that come back, and a rule that comes later.
//!
//! `cargo run -p multipattern --example plant`
#![allow(clippy::print_stdout, reason = "an example")]

use multipattern::{Collect, Config, Detector, Pattern, PatternSet, Record};

pub fn main() -> Result<(), multipattern::Error> {
    // Each product has a tag; a match is about one of them.
    let set = PatternSet::parse(
        "finished: SEQ(Weld, Paint, Check) WITHIN 10 min
         reworked: SEQ(Check, Weld) WITHIN 1 h",
    )?;
    let mut detector = Detector::with_config(&set, Config::new().partition_by(["tag"]))?;
    let tag = detector.schema().slot("tag").expect("the key is known");
    let minute = 60_000;
    let stream = [
        ("Weld", 0, 7),
        ("Weld", 1, 8),
        ("Paint", 2, 7),
        ("Check", 3, 7),
        ("Check", 4, 8),
        ("Weld", 9, 8),
        ("Paint", 10, 8),
        ("Check", 11, 8),
    ];
    let mut found = Collect::default();
    for (number, (name, time, product)) in stream.into_iter().enumerate() {
        if number == 5 {
            // Only sees what comes from now on.
            detector.add(Pattern::parse("painted: SEQ(Paint, Check)")?)?;
        }
        let event_type = detector.schema().type_id(name).expect("a type of the patterns");
        let event = Record::new(event_type, time * minute).with(tag, product);
        let _ = detector.push(&event, &mut found)?;
    }
    let mut lines = Vec::new();
    for (pattern, events) in &found.0 {
        let id = detector.pattern(*pattern).map_or("?", Pattern::id);
        lines.push(format!("{id}: events {events:?}"));
    }
    println!("{}", lines.join("\n"));
    let stats = detector.stats();
    println!("{} products, {} events remembered", stats.partitions, stats.held_events);
    assert_eq!(
        lines,
        [
            "finished: events [0, 2, 3]",
            "reworked: events [4, 5]",
            // Product 8 was welded twice.
            "finished: events [1, 6, 7]",
            "finished: events [5, 6, 7]",
            "painted: events [6, 7]",
        ]
    );
    Ok(())
}
