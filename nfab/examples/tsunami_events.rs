//! Early warning: at one station a quake of 6.5 or more, directly followed by waves above one metre.
//! The alarm is given at the first wave and again at each further one.
//!
//! ```text
//! cargo run --example tsunami_events
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::ops::ControlFlow;

use nfab::language::Query;
use nfab::{
    Automaton, CompileOptions, Engine, Error, KleeneOutput, Match, Record, Schema, Slot, Value,
    ValueType, Visit,
};

/// Messages of other stations may come between; messages of the same one may not.
const ALARM: &str = "
    PATTERN SEQ(quake q, wave+ w[])
    WHERE partition_contiguity {
        [station] AND q.size >= 6.5 AND w[1].size > 1 AND w[i].size > 1
    }
    WITHIN 6 hours";

const FEED: [(&str, &str, i64, f64); 11] = [
    ("Kushiro", "quake", 0, 4.1),
    ("Kushiro", "wave", 10, 0.3),
    ("Kushiro", "quake", 20, 7.8),
    ("Hilo", "quake", 21, 6.9),
    ("Kushiro", "wave", 31, 1.4),
    ("Hilo", "wave", 35, 1.1),
    ("Kushiro", "wave", 38, 2.2),
    ("Kushiro", "wave", 44, 0.9),
    ("Kushiro", "wave", 50, 1.2),
    ("Valdivia", "quake", 60, 6.4),
    ("Valdivia", "wave", 66, 3.0),
];

pub fn main() -> Result<(), Error> {
    let mut schema = Schema::new();
    schema.add_type("quake");
    schema.add_type("wave");
    let station = schema.add_attribute("station", Some(ValueType::Text));
    let size = schema.add_attribute("size", Some(ValueType::Float));

    // Each prefix is an alarm of its own: nobody waits for the last wave.
    let options = CompileOptions::new().kleene_output(KleeneOutput::Each);
    let mut engine = Engine::new(Automaton::from_query(&Query::parse(ALARM)?, &schema, options)?);

    let mut alarms = Vec::new();
    let mut sink = Visit(|found: &Match<'_, Record>| {
        let alarm = describe(found, size);
        println!("{alarm}");
        alarms.push(alarm);
        ControlFlow::Continue(())
    });
    for (name, kind, minute, value) in FEED {
        let id = schema.add_type(kind);
        let event = Record::new(id, minute * 60_000).with(station, name).with(size, value);
        engine.push(event, &mut sink)?;
    }
    assert_eq!(
        alarms,
        [
            "'Kushiro': quake 7.8, waves 1.4",
            "'Hilo': quake 6.9, waves 1.1",
            "'Kushiro': quake 7.8, waves 1.4 2.2",
        ]
    );
    Ok(())
}

fn describe(found: &Match<'_, Record>, size: Slot) -> String {
    use nfab::Event;
    let sizes = |stage| {
        let events = found.events().stage(stage);
        events.map(|event| event.attribute(size).to_value().to_string()).collect::<Vec<_>>()
    };
    let key: Vec<Value> = found.key().map(|value| value.to_value()).collect();
    format!("{}: quake {}, waves {}", key[0], sizes("q").join(" "), sizes("w").join(" "))
}
