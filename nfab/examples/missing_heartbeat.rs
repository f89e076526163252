//! A heartbeat that is not followed by another one in time. Nothing has to arrive for the alarm:
//! the watermark alone is enough.
//!
//! ```text
//! cargo run -p nfab --example missing_heartbeat
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::ops::ControlFlow;

use nfab::{Automaton, Engine, Error, Event, Expr, Match, Pattern, Record, Schema, Visit};

/// Milliseconds.
const PATIENCE: i64 = 10_000;

pub fn main() -> Result<(), Error> {
    let mut schema = Schema::new();
    let heartbeat = schema.add_type("heartbeat");
    let pattern = Pattern::begin("last")
        .where_(Expr::type_is("heartbeat"))
        .not_followed_by("next")
        .where_(Expr::type_is("heartbeat"))
        .within(PATIENCE)
        .build()?;

    let mut engine = Engine::new(Automaton::compile(&pattern, &schema)?);
    let mut silences = Vec::new();
    let mut alarm = Visit(|found: &Match<'_, Record>| {
        for event in found.events().stage("last") {
            silences.push(event.time());
            println!("silence since {}, noticed by {:?}", event.time(), found.cause());
        }
        ControlFlow::Continue(())
    });
    for time in [0, 5_000, 9_000, 30_000] {
        engine.push(Record::new(heartbeat, time), &mut alarm)?;
    }
    // A clock tells the time while nothing arrives.
    engine.advance_watermark(35_000, &mut alarm)?;
    engine.advance_watermark(40_000, &mut alarm)?;
    assert_eq!(silences, [9_000, 30_000]);
    Ok(())
}
