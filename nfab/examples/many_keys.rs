//! A stream of many machines on several threads: the values of the partition key are dealt out, output
//! and order stay those of one engine.
//!
//! ```text
//! cargo run --release -p nfab --features parallel --example many_keys
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use nfab::{Automaton, Config, Engine, Error, Match, Record, Schema, ShardedEngine, Slot, TypeId};
use nfab::{ValueType, Visit};

/// Temperatures of 500 machines, each going up and down with a period of its own.
fn readings(kind: TypeId, machine: Slot, degrees: Slot) -> impl Iterator<Item = Record> {
    (0..50_000_i64).map(move |n| {
        let (which, step) = (n % 500, n / 500);
        let value = 50 + (step * (which % 7 + 1)) % 40;
        Record::new(kind, step).with(machine, which).with(degrees, value)
    })
}

pub fn main() -> Result<(), Error> {
    let mut schema = Schema::new();
    let kind = schema.add_type("reading");
    let machine = schema.add_attribute("machine", Some(ValueType::Int));
    let degrees = schema.add_attribute("degrees", Some(ValueType::Int));
    let query = "PATTERN SEQ(reading cold, reading+ rise[], reading hot)
                 WHERE partition_contiguity { [machine] AND cold.degrees < 52
                     AND rise[i].degrees > rise[i-1].degrees AND hot.degrees > 85 }
                 WITHIN 30 ms";
    let automaton = Arc::new(Automaton::from_text(query, &schema)?);

    let mut alone = Vec::new();
    let start = Instant::now();
    let mut engine = Engine::new(automaton.clone());
    let mut sink = Visit(|found: &Match<'_, Record>| {
        alone.push(found.events().numbers().collect::<Vec<_>>());
        ControlFlow::Continue(())
    });
    for reading in readings(kind, machine, degrees) {
        engine.push(reading, &mut sink)?;
    }
    engine.finish(&mut sink)?;
    println!("one engine: {} matches in {:?}", alone.len(), start.elapsed());

    let mut together = Vec::new();
    let start = Instant::now();
    let mut engine = ShardedEngine::new(automaton, Config::new(), 2)?;
    let workers = engine.workers();
    // Events are shared between the threads.
    let mut sink = Visit(|found: &Match<'_, Arc<Record>>| {
        together.push(found.events().numbers().collect::<Vec<_>>());
        ControlFlow::Continue(())
    });
    for reading in readings(kind, machine, degrees) {
        engine.push(reading, &mut sink)?;
    }
    engine.finish(&mut sink)?;
    println!("{workers} workers: {} matches in {:?}", together.len(), start.elapsed());

    assert!(!alone.is_empty());
    assert_eq!(alone, together);
    Ok(())
}
