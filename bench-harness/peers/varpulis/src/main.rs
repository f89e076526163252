//! The crate varpulis-sase on one workload of `bench-harness compare`, here of nfab; those of
//! multipattern are in `multipattern.rs`.
//!
//! Arguments: WORKLOAD FILE. The file is read and parsed first; then a line {"events": N} says that the
//! peer is ready. Each line on standard input asks for one round, which runs the whole stream through a
//! fresh engine and prints one JSON line. The end of the input ends the program.
//!
//! The patterns are those of `bench-harness/src/peer/workload.rs`, as near as the crate can state them.
//! Where it finds other matches, `bench-harness/src/peer/mod.rs` says why.

mod multipattern;

use std::error::Error;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::DateTime;
use cpu_time::ThreadTime;
use varpulis_core::{Event, Value};
use varpulis_sase::{
    CompareOp, EmissionMode, MatchResult, PatternBuilder, Predicate, SaseEngine, SasePattern,
    SelectionStrategy, SharedEvent,
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (workload, file) = match arguments[..] {
        [workload, file] => (workload, file),
        ["multipattern", semantics, window, events, patterns] => {
            return multipattern::run(semantics, window, events, patterns);
        }
        _ => {
            let message = "usage: varpulis-peer WORKLOAD FILE, or \
                           varpulis-peer multipattern SEMANTICS WINDOW EVENTS PATTERNS";
            return Err(message.into());
        }
    };
    let events = read(&std::fs::read_to_string(file)?)?;
    engine(workload)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{{\"events\":{}}}", events.len())?;
    out.flush()?;
    for (round, request) in io::stdin().lock().lines().enumerate() {
        request?;
        let mut engine = engine(workload)?;
        let (wall, cpu) = (Instant::now(), ThreadTime::now());
        let (mut matches, mut digest) = (0_u64, 0_u64);
        for event in &events {
            for found in engine.process_shared(Arc::clone(event)) {
                matches += 1;
                digest = digest.wrapping_add(hash(&found)?);
            }
        }
        let (wall, cpu) = (wall.elapsed().as_nanos(), cpu.elapsed().as_nanos());
        // The crate drops partial matches whose window has passed without a word.
        writeln!(
            out,
            "{{\"workload\":\"{workload}\",\"round\":{round},\"ns\":{wall},\"cpu_ns\":{cpu},\
             \"events\":{},\"matches\":{matches},\"timeouts\":0,\"digest\":\"{digest:016x}\"}}",
            events.len()
        )?;
        out.flush()?;
    }
    Ok(())
}

fn read(text: &str) -> Result<Vec<SharedEvent>> {
    // Names and types are shared between the events.
    let names: [Arc<str>; 4] = ["key", "price", "volume", "number"].map(Arc::from);
    let types: [Arc<str>; 4] = ["a", "b", "c", "d"].map(Arc::from);
    let mut events = Vec::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [kind, time, key, price, volume] = fields.as_slice() else {
            return Err(format!("{line:?} has not five fields").into());
        };
        let kind = types.iter().find(|known| &***known == *kind).ok_or("an unknown type")?;
        let time = DateTime::from_timestamp_millis(time.parse()?).ok_or("a time out of range")?;
        let number = i64::try_from(events.len())?;
        let values = [key.parse()?, price.parse()?, volume.parse()?, number];
        let mut event = Event::with_capacity_at(Arc::clone(kind), values.len(), time);
        for (name, value) in names.iter().zip(values) {
            event.data.insert(Arc::clone(name), Value::Int(value));
        }
        events.push(Arc::new(event));
    }
    Ok(events)
}

/// Depends on the events of a match and their order; the harness computes the same.
fn hash(found: &MatchResult) -> Result<u64> {
    let mut hash = 0_u64;
    for entry in &found.stack {
        let number = entry.event.get_int("number").ok_or("an event without its number")?;
        hash = mix(hash, number as u64);
    }
    Ok(hash ^ (hash >> 29))
}

fn mix(hash: u64, number: u64) -> u64 {
    hash.wrapping_add(number).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// An event of a type, under its own name, whose volume compares so.
fn volume(kind: &str, op: CompareOp, bound: i64) -> SasePattern {
    let value = Value::Int(bound);
    let predicate = Predicate::Compare { field: "volume".to_owned(), op, value };
    SasePattern::Event {
        event_type: kind.to_owned(),
        predicate: Some(predicate),
        alias: Some(kind.to_owned()),
    }
}

fn small(kind: &str, bound: i64) -> SasePattern {
    volume(kind, CompareOp::Le, bound)
}

/// Windows of the crate are inclusive and times are whole, so 49 says "less than 50".
fn within(parts: Vec<SasePattern>) -> SasePattern {
    PatternBuilder::within(PatternBuilder::seq(parts), Duration::from_millis(49))
}

/// Further events of type a with ever higher prices: a loop that compares with its own last event, and
/// at first with the event before the loop.
fn rising(also: Option<Predicate>) -> SasePattern {
    let risen = Predicate::CompareRef {
        field: "price".to_owned(),
        op: CompareOp::Gt,
        ref_alias: "more".to_owned(),
        ref_field: "price".to_owned(),
    };
    let predicate = match also {
        Some(also) => Predicate::And(Box::new(also), Box::new(risen)),
        None => risen,
    };
    PatternBuilder::zero_or_more(SasePattern::Event {
        event_type: "a".to_owned(),
        predicate: Some(predicate),
        alias: Some("more".to_owned()),
    })
}

fn engine(workload: &str) -> Result<SaseEngine> {
    use SelectionStrategy::{SkipTillAnyMatch, SkipTillNextMatch, StrictContiguous};

    let large = |kind| volume(kind, CompareOp::Gt, 500);
    let relaxed = || within(vec![small("a", 300), small("b", 300), small("c", 300)]);
    let (pattern, strategy) = match workload {
        "strict" => {
            (PatternBuilder::seq(vec![large("a"), large("b"), large("c")]), StrictContiguous)
        }
        "relaxed" => (relaxed(), SkipTillNextMatch),
        "any-sequence" => (relaxed(), SkipTillAnyMatch),
        "rising" | "keyed" => {
            (within(vec![small("a", 100), rising(None), small("b", 150)]), SkipTillNextMatch)
        }
        "any-loop" => {
            let few = Predicate::Compare {
                field: "volume".to_owned(),
                op: CompareOp::Le,
                value: Value::Int(300),
            };
            let parts = vec![small("a", 300), rising(Some(few)), small("b", 300)];
            (within(parts), SkipTillAnyMatch)
        }
        "timeouts" => {
            let a = PatternBuilder::event_as("a", "a");
            (within(vec![a, small("b", 10)]), SkipTillNextMatch)
        }
        _ => return Err(format!("no workload is called {workload}").into()),
    };
    let mut engine = SaseEngine::new(pattern).with_strategy(strategy).with_event_time();
    if workload == "keyed" {
        engine = engine.with_partition_by("key".to_owned());
    }
    if workload == "any-loop" {
        // The mode of the crate that comes nearest: all subsets of the events that a loop took.
        engine = engine.with_emission_mode(EmissionMode::Subsets);
    }
    Ok(engine)
}
