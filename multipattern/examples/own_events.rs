//! Readings of RFID tags as a program has them: a struct of its own is an event, and conditions compare
//! attributes of different events. Which tags left the warehouse through a gate of another zone, and
//! which were read again behind the gate with a weaker signal?
//!
//! ```text
//! cargo run -p multipattern --example own_events
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::ops::ControlFlow;

use multipattern::{
    Detector, Error, Event, Match, PatternSet, Schema, Slot, TypeId, ValueRef, Visit,
};

/// A reading. Nothing is copied out of it but what windows have to remember.
struct Reading {
    at_gate: bool,
    second: i64,
    tag: &'static str,
    zone: i64,
    decibel: f64,
}

/// Types and attributes have the numbers in which they are added to the schema.
const SHELF: TypeId = TypeId(0);
const GATE: TypeId = TypeId(1);

impl Event for Reading {
    fn event_type(&self) -> TypeId {
        if self.at_gate { GATE } else { SHELF }
    }

    fn time(&self) -> i64 {
        self.second
    }

    fn attribute(&self, slot: Slot) -> ValueRef<'_> {
        match slot {
            Slot(0) => ValueRef::Text(self.tag),
            Slot(1) => ValueRef::Int(self.zone),
            _ => ValueRef::Float(self.decibel),
        }
    }
}

pub fn main() -> Result<(), Error> {
    let mut schema = Schema::new();
    assert_eq!((schema.add_type("Shelf"), schema.add_type("Gate")), (SHELF, GATE));
    for name in ["tag", "zone", "decibel"] {
        schema.add_attribute(name);
    }
    let mut set = PatternSet::builder().schema(schema).build()?;
    set.extend_from_text(
        "wrong_gate: SEQ(Shelf, Gate[tag = Shelf.tag, zone != Shelf.zone]) WITHIN 100 EVENTS
         still_here: SEQ(Gate, Shelf[tag = Gate.tag, decibel < Gate.decibel]) WITHIN 100 EVENTS",
    )?;
    let mut detector = Detector::new(&set)?;

    let read =
        |at_gate, second, tag, zone, decibel| Reading { at_gate, second, tag, zone, decibel };
    let stream = [
        read(false, 0, "pallet 1", 4, -40.5),
        read(false, 1, "pallet 2", 4, -52.0),
        read(true, 60, "pallet 1", 4, -30.0),
        read(true, 65, "pallet 2", 5, -31.5),
        read(false, 70, "pallet 1", 4, -61.0),
    ];
    let mut found = Vec::new();
    for reading in &stream {
        let mut sink = Visit(|one: Match<'_>| {
            let id = set.patterns()[one.pattern.index()].id();
            found.push(format!("{id}: {} after {} s", reading.tag, reading.second));
            ControlFlow::Continue(())
        });
        let _ = detector.push(reading, &mut sink)?;
    }
    println!("{}", found.join("\n"));
    assert_eq!(found, ["wrong_gate: pallet 2 after 65 s", "still_here: pallet 1 after 70 s"]);
    Ok(())
}
