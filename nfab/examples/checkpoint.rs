//! An engine is stopped amid a stream, its state written to a file; another one goes on from there.
//!
//! ```text
//! cargo run -p nfab --features serde --example checkpoint
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;
use std::fs::{self, File};
use std::ops::ControlFlow;

use nfab::{Automaton, Config, Engine, Match, Record, Schema, Slot, Snapshot, TypeId, Visit};

/// The stream, which can be read again from any event on. Every tenth event comes late.
fn stream(tick: TypeId, price: Slot) -> impl Iterator<Item = Record> {
    (0..100).map(move |i: i64| {
        let delay = if i % 10 == 9 { 3 } else { 0 };
        Record::new(tick, i - delay).with(price, i * 37 % 23)
    })
}

pub fn main() -> Result<(), Box<dyn Error>> {
    let mut schema = Schema::new();
    let tick = schema.add_type("tick");
    let price = schema.add_attribute("price", None);
    let query = "PATTERN SEQ(tick low, tick+ up[]) WHERE skip_till_next_match {
                     low.price < 3 AND up[1].price > low.price AND up[i].price > up[i-1].price
                 } WITHIN 20 ms";
    let automaton = Automaton::from_text(query, &schema)?;
    let config = Config::new().lateness(5);
    let path = std::env::temp_dir().join(format!("nfab-checkpoint-{}.json", std::process::id()));

    let mut found = Vec::new();
    let mut deliver = Visit(|m: &Match<'_, Record>| {
        found.push(m.events().numbers().collect::<Vec<_>>());
        ControlFlow::Continue(())
    });

    // The first engine stops after 60 events; what it has found until then is delivered.
    let mut engine = Engine::with_config(automaton.clone(), config);
    for event in stream(tick, price).take(60) {
        engine.push(event, &mut deliver)?;
    }
    serde_json::to_writer(File::create(&path)?, &engine.snapshot()?)?;
    drop(engine);

    // The second one goes on with the event behind the snapshot.
    let snapshot: Snapshot<Record> = serde_json::from_reader(File::open(&path)?)?;
    let pushed = snapshot.pushed() as usize;
    println!("{} bytes after {pushed} events", fs::metadata(&path)?.len());
    let mut engine = Engine::restore(automaton.clone(), config, snapshot)?;
    for event in stream(tick, price).skip(pushed) {
        engine.push(event, &mut deliver)?;
    }
    engine.finish(&mut deliver)?;
    fs::remove_file(&path)?;
    println!("{} matches, the last one {:?}", found.len(), found.last());

    // Without stopping, it is the same.
    let mut all = Vec::new();
    let mut deliver = Visit(|m: &Match<'_, Record>| {
        all.push(m.events().numbers().collect::<Vec<_>>());
        ControlFlow::Continue(())
    });
    let mut engine = Engine::with_config(automaton, config);
    for event in stream(tick, price) {
        engine.push(event, &mut deliver)?;
    }
    engine.finish(&mut deliver)?;
    assert_eq!(found, all);
    Ok(())
}
