//! Streams that are long enough for garbage to be looked for, again and again: every evaluation finds
//! what runs find, however matches are wanted.

mod common;
mod sase_oracle;

use common::Log;
use nfab::{
    Automaton, CompileOptions, Config, Count, EndOfInput, Engine, ErrorKind, Evaluation,
    KleeneOutput, Limit, Limits, Policy, Record, Sink, Value,
};
use proptest::prelude::*;
use sase_oracle::cases::{query, stream};
use sase_oracle::engine::schema;
use sase_oracle::{Ev, Step};

/// What each step brings, and how many matches that are; `None` if there are too many.
fn told<S: Sink<Record> + Default>(
    automaton: &Automaton,
    steps: &[Step],
    config: Config,
    show: impl Fn(&S) -> String,
) -> Option<Vec<String>> {
    let schema = schema();
    let mut engine = Engine::with_config(automaton.clone(), config);
    let mut all = Vec::new();
    for step in steps {
        let mut sink = S::default();
        let done = match step {
            Step::Watermark(time) => engine.advance_watermark(*time, &mut sink),
            Step::Event(Ev { kind, time, attributes }) => {
                let record = Record::new(schema.type_id(kind).expect("a type"), *time);
                let set = |record: Record, (name, value): &(&str, Value)| {
                    record.with(schema.slot(name).expect("an attribute"), value.clone())
                };
                engine.push(attributes.iter().fold(record, set), &mut sink)
            }
        };
        match done {
            Err(error) if error.kind() == ErrorKind::Limit => return None,
            done => done.expect("no other failure"),
        }
        all.push(show(&sink));
    }
    let mut sink = S::default();
    engine.finish(&mut sink).ok()?;
    all.push(show(&sink));
    Some(all)
}

proptest! {
    #![proptest_config(ProptestConfig {
        max_global_rejects: u32::MAX,
        ..ProptestConfig::with_cases(60)
    })]

    #[test]
    fn all_evaluations_agree(
        query in query(),
        stream in stream(700),
        each in any::<bool>(),
        end in any::<bool>(),
    ) {
        prop_assume!(query.0.within.is_some());
        let output = if each { KleeneOutput::Each } else { KleeneOutput::Maximal };
        let options = CompileOptions::new().kleene_output(output);
        let compile = |evaluation| {
            Automaton::from_query(&query.0, &schema(), options.evaluation(evaluation)).ok()
        };
        let mut limits = Limits::default();
        limits.runs = Limit::new(3000, Policy::Error);
        limits.matches = Limit::new(3000, Policy::Error);
        let end = if end { EndOfInput::Max } else { EndOfInput::Silent };
        let config = Config::new().end_of_input(end).limits(limits);
        let log = |log: &Log| format!("{:?} {:?}", log.matches, log.timed_out);
        let runs = compile(Evaluation::Runs).and_then(|runs| told(&runs, &stream.0, config, log));
        prop_assume!(runs.is_some());
        let numbers = compile(Evaluation::Runs)
            .and_then(|runs| told(&runs, &stream.0, config, |count: &Count| count.matches.to_string()));
        for evaluation in [Evaluation::Compact, Evaluation::Grouped] {
            let Some(other) = compile(evaluation) else { continue };
            prop_assert_eq!(&told(&other, &stream.0, config, log), &runs, "{:?}", evaluation);
            let count = |count: &Count| count.matches.to_string();
            prop_assert_eq!(&told(&other, &stream.0, config, count), &numbers);
        }
    }
}
