//! Snapshots that are of something else, or damaged: errors, never a panic.
#![cfg(feature = "serde")]

mod common;
mod restoring;
mod sase_oracle;

use common::{Log, world};
use nfab::language::Query;
use nfab::{
    Automaton, CompileOptions, Config, Engine, ErrorKind, Evaluation, HistoryKind, Pattern, Record,
    Snapshot, ValueType,
};
use sase_oracle::engine::schema;
use serde_json::{Value, json};

fn event(time: i64) -> Record {
    let schema = schema();
    let kind = schema.type_id(["A", "B", "A", "C"][time as usize % 4]).unwrap();
    let [x, k] = ["x", "k"].map(|name| schema.slot(name).unwrap());
    Record::new(kind, time).with(x, time * 7 % 5).with(k, time % 2)
}

/// An engine amid a stream.
fn engine(automaton: &Automaton, config: Config, count_only: bool) -> Engine<Record> {
    let mut engine = Engine::with_config(automaton.clone(), config);
    for time in 0..12 {
        if count_only {
            engine.push(event(time), &mut nfab::Count::default()).unwrap();
        } else {
            engine.push(event(time), &mut Log::default()).unwrap();
        }
    }
    engine
}

fn snapshot(engine: &mut Engine<Record>) -> Value {
    serde_json::to_value(engine.snapshot().unwrap()).unwrap()
}

/// All values that differ from one in one place.
fn damaged(value: &Value, each: &mut dyn FnMut(Value)) {
    match value {
        Value::Null => each(json!(0)),
        Value::Bool(b) => each(json!(!b)),
        Value::Number(n) => {
            let n = n.as_i64().unwrap_or(0);
            for other in [0, 1, n + 1, n - 1, 7, i64::from(u32::MAX), i64::MAX, i64::MIN, -1] {
                each(json!(other));
            }
            each(json!(u64::MAX));
            each(Value::Null);
        }
        Value::String(_) => each(json!("Chain")),
        Value::Array(all) => {
            each(json!([]));
            for at in 0..all.len() {
                let mut one = |item: Vec<Value>| {
                    let mut all = all.clone();
                    all.splice(at..=at, item);
                    each(Value::Array(all));
                };
                one(vec![]);
                one(vec![all[at].clone(), all[at].clone()]);
                if at > 0 {
                    let mut all = all.clone();
                    all.swap(at - 1, at);
                    each(Value::Array(all));
                }
                damaged(&all[at], &mut |item| {
                    let mut all = all.clone();
                    all[at] = item;
                    each(Value::Array(all));
                });
            }
        }
        Value::Object(all) => {
            for key in all.keys() {
                let mut without = all.clone();
                without.remove(key);
                each(Value::Object(without));
                damaged(&all[key], &mut |item| {
                    let mut all = all.clone();
                    all.insert(key.clone(), item);
                    each(Value::Object(all));
                });
            }
        }
    }
}

/// Reads every damaged snapshot and goes on with it if it can be read; gives how many can, and how many
/// are refused by the engine and by serde.
fn fuzz(automaton: &Automaton, config: Config, count_only: bool) -> [usize; 3] {
    let whole = snapshot(&mut engine(automaton, config, count_only));
    let mut outcomes = [0; 3];
    damaged(&whole, &mut |value| {
        let Ok(snapshot) = serde_json::from_value::<Snapshot<Record>>(value) else {
            outcomes[2] += 1;
            return;
        };
        match Engine::restore(automaton.clone(), config, snapshot) {
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Snapshot);
                outcomes[1] += 1;
            }
            Ok(mut engine) => {
                outcomes[0] += 1;
                let mut log = Log::default();
                for time in 12..24 {
                    let _ = engine.push(event(time), &mut log);
                }
                let _ = engine.snapshot().map(|snapshot| serde_json::to_string(&snapshot).unwrap());
                let _ = engine.finish(&mut log);
            }
        }
    });
    outcomes
}

#[test]
fn damage_does_not_bring_the_engine_down() {
    let texts = [
        "PATTERN SEQ(A+ a[], B b, C c) WHERE skip_till_any_match { [k] AND c.x < a[1].x } WITHIN 9 ms",
        "PATTERN SEQ(A a, B b, C c) WHERE skip_till_any_match { [k] } WITHIN 9 EVENTS",
        "PATTERN SEQ(A a, B b, A c, C d, B e) WHERE strict_contiguity WITHIN 9 ms",
        "PATTERN SEQ(A a, C b) WHERE skip_till_next_match { [k] AND b.x > a.x } WITHIN 9 ms",
        "PATTERN SEQ(A+ a[], B b) WHERE skip_till_next_match { a[i].x > avg(a[..i-1].x) }",
        "PATTERN SEQ(A a, ~B b, C+ c[]) WHERE skip_till_any_match { b.x > c[1].x } WITHIN 5 ms AFTER MATCH SKIP TO NEXT",
    ];
    for text in texts {
        let query = Query::parse(text).unwrap();
        for evaluation in [Evaluation::Runs, Evaluation::Grouped, Evaluation::Compact] {
            let options = CompileOptions::new().evaluation(evaluation);
            let Ok(automaton) = Automaton::from_query(&query, &schema(), options) else { continue };
            for (history, count) in [
                (HistoryKind::Chain, false),
                (HistoryKind::Chain, true),
                (HistoryKind::Versioned, false),
            ] {
                let config = Config::new().history(history).lateness(2);
                let [_, refused, unread] = fuzz(&automaton, config, count);
                assert!(refused > 10 && unread > 10, "{text} {refused} {unread}");
            }
        }
    }
    let pattern = Pattern::begin("a").one_or_more().followed_by("b").within(9).skip_to_next();
    let automaton = Automaton::compile(&pattern.build().unwrap(), &schema()).unwrap();
    let [_, refused, unread] = fuzz(&automaton, Config::new(), false);
    assert!(refused > 10 && unread > 10);
}

#[test]
fn text_that_is_cut_off_or_flipped_is_refused() {
    let automaton =
        Automaton::from_text("PATTERN SEQ(A a, B+ b[]) { b[i].x > a.x }", &schema()).unwrap();
    let mut engine = engine(&automaton, Config::new(), false);
    let snapshot = engine.snapshot().unwrap();
    let (text, bytes) =
        (serde_json::to_string(&snapshot).unwrap(), postcard::to_stdvec(&snapshot).unwrap());
    for at in 0..text.len() {
        assert!(serde_json::from_str::<Snapshot<Record>>(&text[..at]).is_err());
    }
    let restore = |snapshot| Engine::restore(automaton.clone(), Config::new(), snapshot);
    for at in 0..bytes.len() {
        assert!(postcard::from_bytes::<Snapshot<Record>>(&bytes[..at]).is_err());
        for bit in 0..8 {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << bit;
            if let Ok(snapshot) = postcard::from_bytes::<Snapshot<Record>>(&bytes)
                && let Ok(mut engine) = restore(snapshot)
            {
                let _ = engine.push(event(12), &mut Log::default());
            }
        }
    }
}

/// The message of the error with which a snapshot is refused.
fn refusal(snapshot: Value, automaton: &Automaton, config: Config) -> String {
    let snapshot: Snapshot<Record> = serde_json::from_value(snapshot).unwrap();
    let error = Engine::restore(automaton.clone(), config, snapshot).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Snapshot);
    error.to_string()
}

#[test]
fn what_is_of_something_else_is_refused_and_the_error_says_why() {
    let compile = |text| Automaton::from_text(text, &schema()).unwrap();
    let automaton = compile("PATTERN SEQ(A a, B b)");
    let whole = snapshot(&mut engine(&automaton, Config::new(), false));
    let refusal = |automaton: &Automaton, config| refusal(whole.clone(), automaton, config);

    assert_eq!(
        refusal(&compile("PATTERN SEQ(A a, C b)"), Config::new()),
        "the snapshot is of another query: PATTERN SEQ(A a, B b); a snapshot only serves the query \
         that it was taken from"
    );
    assert_eq!(
        refusal(&automaton, Config::new().lateness(3)),
        "the snapshot was taken with lateness 0, not 3; of all options only limits may change"
    );
    assert_eq!(
        refusal(&automaton, Config::new().history(HistoryKind::Versioned)),
        "the snapshot was taken with the evaluation compact, not versioned; of all options only \
         limits may change"
    );
    let mut other = nfab::Schema::new();
    for name in ["C", "B", "A"] {
        other.add_type(name);
    }
    other.add_attribute("x", Some(ValueType::Int));
    assert_eq!(
        refusal(&Automaton::from_text("PATTERN SEQ(A a, B b)", &other).unwrap(), Config::new()),
        "the snapshot is of the same query, but compiled otherwise; the schema, the options of \
         compiling or the version differ"
    );
    let mut future = whole.clone();
    future["format"] = json!(2);
    future["state"] = json!({ "something": "else" });
    assert_eq!(
        self::refusal(future, &automaton, Config::new()),
        "the snapshot has format 2, not 1; read it with the version that made it"
    );
    let mut damaged = whole.clone();
    damaged["state"]["stats"]["events"] = json!(3);
    assert_eq!(
        self::refusal(damaged, &automaton, Config::new()),
        "the snapshot is damaged: its events are not in order; go on from another snapshot, or begin \
         the stream anew"
    );
}

#[test]
fn an_engine_that_has_ended_has_no_snapshot() {
    let world = world();
    let pattern = Pattern::begin("a").build().unwrap();
    let mut engine = world.engine(&pattern, Config::new());
    engine.finish(&mut Log::default()).unwrap();
    assert_eq!(engine.snapshot().unwrap_err().kind(), ErrorKind::Usage);
}
