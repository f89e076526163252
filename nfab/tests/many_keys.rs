//! Keys that come and go: partitions are given up while others live, and no match is lost with them.

use nfab::language::Query;
use nfab::{
    Automaton, CompileOptions, Config, Count, Engine, Evaluation, Match, Record, Schema, ValueType,
    Visit,
};

/// Every key is opened once and closed once, some time later.
fn stream(schema: &mut Schema, keys: i64) -> Vec<Record> {
    let (open, close) = (schema.add_type("open"), schema.add_type("close"));
    let key = schema.add_attribute("key", Some(ValueType::Int));
    let mut events: Vec<(i64, i64, Record)> = Vec::new();
    for number in 0..keys {
        let life = 1 + number * number % 300;
        events.push((number, number, Record::new(open, number).with(key, number)));
        let end = number + life;
        events.push((end, number, Record::new(close, end).with(key, number)));
    }
    events.sort_by_key(|event| (event.0, event.1));
    events.into_iter().map(|event| event.2).collect()
}

#[test]
fn no_match_is_lost_with_the_partitions_that_are_given_up() {
    let text = "PATTERN SEQ(open a, close c) WHERE skip_till_next_match { [key] } WITHIN 1000 ms";
    let query = Query::parse(text).expect("a valid query");
    let mut schema = Schema::new();
    let events = stream(&mut schema, 5000);
    for evaluation in [Evaluation::Runs, Evaluation::Grouped, Evaluation::Compact] {
        let options = CompileOptions::new().evaluation(evaluation);
        let automaton = Automaton::from_query(&query, &schema, options).expect("it compiles");
        let mut reading = Engine::with_config(automaton.clone(), Config::new());
        let mut counting = Engine::with_config(automaton, Config::new());
        let mut read = 0;
        let mut visit = Visit(|_: &Match<'_, Record>| {
            read += 1;
            std::ops::ControlFlow::Continue(())
        });
        let mut count = Count::default();
        for event in &events {
            reading.push(event.clone(), &mut visit).expect("no limit is near");
            counting.push(event.clone(), &mut count).expect("no limit is near");
        }
        assert_eq!((read, count.matches), (5000, 5000), "{evaluation:?}");
    }
}
