//! The worked example of the shared versioned match buffer, from the query to every edge.

use std::ops::ControlFlow;

use nfab::language::Query;
use nfab::{
    Automaton, CompileOptions, Config, Count, EndOfInput, Engine, Evaluation, HistoryKind, Limit,
    Limits, Match, Policy, Record, Schema, ValueType, Visit,
};

const QUERY: &str = "PATTERN SEQ(Stock+ a[], Stock b)
WHERE skip_till_next_match {
  [symbol]
  AND a[1].volume > 1000
  AND a[i].price > avg(a[..i-1].price)
  AND b.volume < 0.8 * a[a.LEN].volume
}
WITHIN 1 hour";

/// Price and volume of e1 to e8.
const EVENTS: [(i64, i64); 8] = [
    (100, 1010),
    (120, 990),
    (120, 1005),
    (121, 999),
    (120, 999),
    (125, 750),
    (120, 950),
    (120, 700),
];

/// Runs the query over the events; gives the matches, as numbers of events from 1, and the engine.
fn run(history: HistoryKind, text: &str) -> (Vec<Vec<u64>>, Engine<Record>) {
    let mut schema = Schema::new();
    let stock = schema.add_type("Stock");
    let symbol = schema.add_attribute("symbol", Some(ValueType::Text));
    let price = schema.add_attribute("price", Some(ValueType::Int));
    let volume = schema.add_attribute("volume", Some(ValueType::Int));
    let query = Query::parse(text).expect("the query parses");
    let automaton = Automaton::from_query(&query, &schema, CompileOptions::new());
    let automaton = automaton.expect("the query compiles");
    let config = Config::new().history(history).end_of_input(EndOfInput::Max);
    let mut engine = Engine::with_config(automaton, config);
    let mut found = Vec::new();
    let mut sink = Visit(|m: &Match<'_, Record>| {
        found.push(m.events().numbers().map(|number| number + 1).collect());
        ControlFlow::Continue(())
    });
    for (n, (p, v)) in EVENTS.into_iter().enumerate() {
        let event = Record::new(stock, 1000 * n as i64);
        let event = event.with(symbol, "S").with(price, p).with(volume, v);
        engine.push(event, &mut sink).expect("no limit is reached");
    }
    (found, engine)
}

#[test]
fn the_worked_example_has_every_match_entry_edge_and_version() {
    let (found, engine) = run(HistoryKind::Versioned, QUERY);
    // R2 is e3, e4, e6; a walk without versions would also find e1, e2, e3, e4, e6.
    assert_eq!(found, [vec![1, 2, 3, 4, 5, 6], vec![3, 4, 6], vec![1, 2, 3, 4, 5, 6, 7, 8]]);
    let view = engine.buffer().expect("the buffer is the versioned one");
    // Numbers of events are counted from 0: e1 is 0.
    let expected = "\
a[1] 0: -> root (1)
a[1] 2: -> root (2)
a[i] 1: -> a[1].0 (1.0)
a[i] 2: -> 1 (1.0)
a[i] 3: -> 2 (1.0), -> a[1].2 (2.0)
a[i] 4: -> 3 (1.0)
a[i] 5: -> 4 (1.1), -> 3 (2.1)
a[i] 6: -> 5 (1.1)
a[i] 7: -> 6 (1.2)
b 5: -> a[i].4 (1.0.0), -> a[i].3 (2.0.0)
b 7: -> a[i].6 (1.1.0)
";
    assert_eq!(view.to_string(), expected);
}

#[test]
fn the_chain_buffer_gives_the_same_matches() {
    let (found, engine) = run(HistoryKind::Chain, QUERY);
    assert_eq!(found, run(HistoryKind::Versioned, QUERY).0);
    assert_eq!(engine.buffer(), None);
}

/// Under skip-till-any the same query gets tree versions: a number more for each fork.
#[test]
fn skip_till_any_gets_tree_versions() {
    let text = QUERY.replace("skip_till_next_match", "skip_till_any_match");
    let (found, engine) = run(HistoryKind::Versioned, &text);
    assert_eq!(found, run(HistoryKind::Chain, &text).0);
    assert!(found.len() > 3);
    let view = engine.buffer().expect("the buffer is the versioned one");
    let entries = view.stacks().iter().flat_map(|stack| stack.entries());
    let longest = entries.flat_map(|entry| entry.edges()).map(|edge| edge.version().len()).max();
    // e1 and any of e2 to e8: seven forks.
    assert!(longest >= Some("1.0.0.0.0.0.0".len()), "{view}");
}

/// What bounds the history bounds the edges: the entries are few while the runs double.
#[test]
fn the_limit_of_the_history_counts_edges() {
    let mut schema = Schema::new();
    let tick = schema.add_type("Tick");
    let text = "PATTERN SEQ(Tick+ a[], Tick b) WHERE skip_till_any_match { b.volume > 0 }";
    let query = Query::parse(text).expect("the query parses");
    schema.add_attribute("volume", Some(ValueType::Int));
    let options = CompileOptions::new().evaluation(Evaluation::Runs);
    let automaton = Automaton::from_query(&query, &schema, options).expect("the query compiles");
    let mut limits = Limits::default();
    limits.history = Limit::new(3000, Policy::Error);
    let config = Config::new().history(HistoryKind::Versioned).limits(limits);
    let mut engine = Engine::with_config(automaton, config);
    let mut sink = Count::default();
    let mut push = |time| engine.push(Record::new(tick, time), &mut sink);
    let failed = (0..20).find(|&time| push(time).is_err());
    // Eleven events have 2047 runs, twelve 4095.
    assert_eq!(failed, Some(11));
    let stats = engine.stats();
    assert_eq!((stats.cells, stats.entries), (4095, 23));
    assert!(stats.cell_bytes > 4095 * 40, "{stats:?}");
}
