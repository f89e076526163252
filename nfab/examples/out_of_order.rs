//! Events that arrive out of order: they wait for those before them, so the result is that of the sorted
//! stream. What is later than agreed is handed back instead of being lost.
//!
//! ```text
//! cargo run -p nfab --example out_of_order
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::ops::ControlFlow;

use nfab::{Automaton, Config, Engine, Error, Event, Match, Record, Schema, Sink};

#[derive(Default)]
struct Log {
    found: Vec<Vec<i64>>,
    late: Vec<i64>,
}

impl Sink<Record> for Log {
    fn matched(&mut self, found: &Match<'_, Record>) -> ControlFlow<()> {
        self.found.push(found.events().iter().map(|(_, event)| event.time()).collect());
        ControlFlow::Continue(())
    }

    fn late(&mut self, event: Record) {
        self.late.push(event.time());
    }
}

/// Door, then alarm off, then motion.
const ARRIVALS: [(&str, i64); 8] = [
    ("door", 10),
    ("motion", 18), // before "off"
    ("off", 14),
    ("door", 30),
    ("door", 5), // 25 s late
    ("motion", 39),
    ("off", 31),
    ("door", 60),
];

pub fn main() -> Result<(), Error> {
    let mut schema = Schema::new();
    for name in ["door", "off", "motion"] {
        schema.add_type(name);
    }
    let query = "PATTERN SEQ(door d, off o, motion m) WITHIN 20 ms";
    let automaton = Automaton::from_text(query, &schema)?;
    let mut engine = Engine::with_config(automaton, Config::new().lateness(10));
    let mut log = Log::default();
    for (name, time) in ARRIVALS {
        let kind = schema.type_id(name).expect("a type of the schema");
        engine.push(Record::new(kind, time), &mut log)?;
        println!(
            "{name} at {time}: {} matches, sorted up to {:?}",
            log.found.len(),
            engine.watermark()
        );
    }
    engine.finish(&mut log)?;
    println!("found {:?}, late {:?}", log.found, log.late);
    assert_eq!(log.found, [[10, 14, 18], [30, 31, 39]]);
    assert_eq!(log.late, [5]);
    Ok(())
}
