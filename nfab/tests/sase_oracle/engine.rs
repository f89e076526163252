//! The engine, told the same stream.

use std::ops::ControlFlow;

use nfab::language::Query;
use nfab::{
    Automaton, CompileOptions, Config, Engine, Error, Events, Match, Record, Schema, Sink,
    TimedOut, Value,
};

use super::{Found, Outcome, Step};

impl Outcome {
    fn events(events: Events<'_, Record>) -> Vec<(u64, String)> {
        let names = events.iter().map(|(name, _)| name.to_owned());
        events.numbers().zip(names).collect()
    }
}

impl Sink<Record> for Outcome {
    fn matched(&mut self, found: &Match<'_, Record>) -> ControlFlow<()> {
        let (cause, events) = (found.cause(), Self::events(found.events()));
        self.matches.push(Found { cause, events });
        ControlFlow::Continue(())
    }

    fn timed_out(&mut self, partial: &TimedOut<'_, Record>) -> ControlFlow<()> {
        let (cause, events) = (partial.cause(), Self::events(partial.events()));
        self.timed_out.push(Found { cause, events });
        ControlFlow::Continue(())
    }
}

/// The types of [`super::text`] and [`super::cases`], and attributes of any type.
pub fn schema() -> Schema {
    let mut schema = Schema::new();
    for kind in ["A", "B", "C", "D", "N", "V", "Stock"] {
        schema.add_type(kind);
    }
    for attribute in ["x", "k", "symbol", "price", "volume"] {
        schema.add_attribute(attribute, None);
    }
    schema
}

/// What the engine reports.
///
/// # Errors
/// The compiler's: the query does not allow the evaluation.
pub fn report(
    query: &Query,
    steps: &[Step],
    compile: CompileOptions,
    config: Config,
) -> Result<Outcome, Error> {
    let schema = schema();
    let automaton = Automaton::from_query(query, &schema, compile)?;
    let mut engine = Engine::with_config(automaton, config);
    let mut outcome = Outcome::default();
    for step in steps {
        let done = match step {
            Step::Watermark(time) => engine.advance_watermark(*time, &mut outcome),
            Step::Event(event) => {
                let kind = schema.type_id(event.kind).expect("a type of the schema");
                let slot = |name: &str| schema.slot(name).expect("an attribute of the schema");
                let record = Record::new(kind, event.time);
                let set = |record: Record, (name, value): &(&str, Value)| {
                    record.with(slot(name), value.clone())
                };
                let record = event.attributes.iter().fold(record, set);
                engine.push(record, &mut outcome)
            }
        };
        done.expect("no failure");
    }
    engine.finish(&mut outcome).expect("no failure");
    Ok(outcome)
}
