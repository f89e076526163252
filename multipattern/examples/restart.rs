//! A detector that survives a restart: its state is written as JSON, read again, and the stream goes on
//! behind the events that it had seen.
//!
//! ```text
//! cargo run -p multipattern --features serde --example restart
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use multipattern::{Collect, Config, Detector, PatternSet, Record, Schema, Snapshot};

/// The stream, which can be read again from any event on: logins, files read, and copies.
fn stream(schema: &Schema) -> impl Iterator<Item = Record> + use<> {
    let types = ["Login", "Read", "Copy"].map(|name| schema.type_id(name).expect("a type"));
    let user = schema.slot("user").expect("an attribute");
    (0..90).map(move |n: i64| Record::new(types[(n * n % 7 % 3) as usize], n).with(user, n % 4))
}

fn run(
    detector: &mut Detector,
    events: impl Iterator<Item = Record>,
) -> Result<Collect, multipattern::Error> {
    let mut found = Collect::default();
    for event in events {
        let _ = detector.push(&event, &mut found)?;
    }
    Ok(found)
}

pub fn main() -> Result<(), Box<dyn Error>> {
    let set = PatternSet::parse(
        "leak: SEQ(Login, Read[user = Login.user], Copy[user = Login.user]) WITHIN 12 EVENTS
         bulk: SEQ(Read, Copy, Copy) WITHIN 5 EVENTS",
    )?;
    let mut first = Detector::new(&set)?;
    let mut found = run(&mut first, stream(set.schema()).take(50))?;
    let saved = serde_json::to_string(&first.snapshot())?;
    drop(first);
    println!("{} matches in 50 events; the state takes {} bytes", found.0.len(), saved.len());

    let snapshot: Snapshot = serde_json::from_str(&saved)?;
    let seen = snapshot.pushed() as usize;
    let mut second = Detector::restore(snapshot, Config::new())?;
    found.0.extend(run(&mut second, stream(set.schema()).skip(seen))?.0);
    println!("{} matches in 90 events", found.0.len());

    // Without a restart it is the same.
    let whole = run(&mut Detector::new(&set)?, stream(set.schema()))?;
    assert_eq!(found, whole);
    assert!(!found.0.is_empty());
    Ok(())
}
