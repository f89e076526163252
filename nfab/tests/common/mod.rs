//! A small stream of events for the tests: types A to E and N, attributes `val` and `vol`.
#![allow(dead_code, reason = "every test file uses a part of this")]

pub mod patterns;

use std::ops::ControlFlow;

use nfab::{
    Automaton, Cause, Config, Engine, Error, Match, Pattern, Record, Schema, Sink, Slot, TimedOut,
    TypeId, ValueType,
};

pub struct World {
    pub schema: Schema,
    pub val: Slot,
    pub vol: Slot,
}

pub fn world() -> World {
    let mut schema = Schema::new();
    for name in ["A", "B", "C", "D", "E", "N"] {
        schema.add_type(name);
    }
    let val = schema.add_attribute("val", Some(ValueType::Int));
    let vol = schema.add_attribute("vol", Some(ValueType::Int));
    World { schema, val, vol }
}

impl World {
    pub fn kind(&self, name: &str) -> TypeId {
        self.schema.type_id(name).expect("a type of the schema")
    }

    pub fn event(&self, kind: &str, time: i64, val: i64) -> Record {
        Record::new(self.kind(kind), time).with(self.val, val)
    }

    /// Events of type N at times 0, 1, 2...
    pub fn values(&self, values: &[i64]) -> Vec<Record> {
        (0..).zip(values).map(|(time, &val)| self.event("N", time, val)).collect()
    }

    /// One event for each letter, at times 0, 1, 2...; `val` is the time.
    pub fn letters(&self, letters: &str) -> Vec<Record> {
        let all = (0..).zip(letters.split_whitespace());
        all.map(|(time, kind)| self.event(kind, time, time)).collect()
    }

    pub fn engine(&self, pattern: &Pattern, config: Config) -> Engine<Record> {
        let automaton = Automaton::compile(pattern, &self.schema).expect("it compiles");
        Engine::with_config(automaton, config)
    }

    /// The numbers of the events of each match.
    pub fn matches(&self, pattern: &Pattern, events: Vec<Record>) -> Vec<Vec<u64>> {
        let mut engine = self.engine(pattern, Config::new());
        let mut log = Log::default();
        for event in events {
            engine.push(event, &mut log).expect("no failure");
        }
        engine.finish(&mut log).expect("no failure");
        log.matches.into_iter().map(|m| m.1).collect()
    }
}

/// Keeps everything.
#[derive(Debug, Default, PartialEq)]
pub struct Log {
    pub matches: Vec<(Cause, Vec<u64>)>,
    pub timed_out: Vec<(Cause, i64, Vec<u64>)>,
    pub late: Vec<Record>,
}

impl Sink<Record> for Log {
    fn matched(&mut self, found: &Match<'_, Record>) -> ControlFlow<()> {
        self.matches.push((found.cause(), found.events().numbers().collect()));
        ControlFlow::Continue(())
    }

    fn timed_out(&mut self, partial: &TimedOut<'_, Record>) -> ControlFlow<()> {
        let numbers = partial.events().numbers().collect();
        self.timed_out.push((partial.cause(), partial.deadline(), numbers));
        ControlFlow::Continue(())
    }

    fn late(&mut self, event: Record) {
        self.late.push(event);
    }
}

/// The error of a pattern, from building or compiling it.
pub fn refusal(world: &World, pattern: Result<Pattern, Error>) -> Error {
    match pattern.and_then(|p| Automaton::compile(&p, &world.schema)) {
        Ok(_) => panic!("the pattern is accepted"),
        Err(error) => error,
    }
}
