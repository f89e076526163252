//! The workloads of `bench-harness compare multipattern`: sequences of types, an engine for each.
//!
//! Arguments behind `multipattern`: SEMANTICS WINDOW EVENTS PATTERNS. A line of EVENTS is the type of an
//! event as a number, a line of PATTERNS the types of a sequence; times are the numbers of events in
//! milliseconds. A line `found N` on standard input asks for the matches in the first N events, as a
//! list of lists: the pattern, then its events.

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::DateTime;
use cpu_time::ThreadTime;
use varpulis_core::{Event, Value};
use varpulis_sase::{
    MatchResult, PatternBuilder, SaseEngine, SasePattern, SelectionStrategy, SharedEvent,
};

use super::{Result, mix};

/// What is sought.
struct Load {
    strategy: SelectionStrategy,
    window: Duration,
    patterns: Vec<Vec<usize>>,
    /// The patterns that have a type, by type: others need not see an event of it.
    users: Vec<Vec<usize>>,
    events: Vec<(usize, SharedEvent)>,
}

/// Runs a round for each line, or lists matches.
pub fn run(semantics: &str, window: &str, events: &str, patterns: &str) -> Result<()> {
    let load = Load::read(semantics, window, events, patterns)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{{\"events\":{}}}", load.events.len())?;
    out.flush()?;
    for request in io::stdin().lock().lines() {
        let request = request?;
        if let Some(events) = request.strip_prefix("found ") {
            let mut lists = Vec::new();
            load.each(&mut load.engines(), events.parse()?, |pattern, found| {
                let numbers: Result<Vec<String>> =
                    numbers(found).map(|one| Ok(one?.to_string())).collect();
                lists.push(format!("[{pattern},{}]", numbers?.join(",")));
                Ok(())
            })?;
            writeln!(out, "[{}]", lists.join(","))?;
        } else {
            let mut engines = load.engines();
            let (wall, cpu) = (Instant::now(), ThreadTime::now());
            let (mut matches, mut digest) = (0_u64, 0_u64);
            load.each(&mut engines, usize::MAX, |pattern, found| {
                let mut hash = mix(0, pattern as u64);
                for number in numbers(found) {
                    hash = mix(hash, number?);
                }
                matches += 1;
                digest = digest.wrapping_add(hash ^ (hash >> 29));
                Ok(())
            })?;
            let (wall, cpu) = (wall.elapsed().as_nanos(), cpu.elapsed().as_nanos());
            writeln!(
                out,
                "{{\"ns\":{wall},\"cpu_ns\":{cpu},\"matches\":{matches},\"timeouts\":0,\
                 \"digest\":\"{digest:016x}\"}}"
            )?;
        }
        out.flush()?;
    }
    Ok(())
}

fn numbers(found: &MatchResult) -> impl Iterator<Item = Result<u64>> + '_ {
    found.stack.iter().map(|entry| {
        let number = entry.event.get_int("number").ok_or("an event without its number")?;
        Ok(number as u64)
    })
}

impl Load {
    fn read(semantics: &str, window: &str, events: &str, patterns: &str) -> Result<Self> {
        let strategy = match semantics {
            "strict" => SelectionStrategy::StrictContiguous,
            "next" => SelectionStrategy::SkipTillNextMatch,
            "any" => SelectionStrategy::SkipTillAnyMatch,
            _ => return Err(format!("no semantics is called {semantics}").into()),
        };
        let mut sequences = Vec::new();
        for line in std::fs::read_to_string(patterns)?.lines() {
            let types: std::result::Result<Vec<usize>, _> =
                line.split(' ').map(str::parse).collect();
            sequences.push(types?);
        }
        let kinds: std::result::Result<Vec<usize>, _> =
            std::fs::read_to_string(events)?.lines().map(str::parse).collect();
        let kinds = kinds?;
        let last = sequences.iter().flatten().chain(&kinds).max().copied().unwrap_or(0);
        let names: Vec<Arc<str>> = (0..=last).map(|kind| Arc::from(name(kind))).collect();
        let mut users = vec![Vec::new(); last + 1];
        for (pattern, types) in sequences.iter().enumerate() {
            for &kind in types {
                if users[kind].last() != Some(&pattern) {
                    users[kind].push(pattern);
                }
            }
        }
        if matches!(strategy, SelectionStrategy::StrictContiguous) {
            // An event between two others is seen by all.
            users.iter_mut().for_each(|users| *users = (0..sequences.len()).collect());
        }
        let number: Arc<str> = Arc::from("number");
        let mut shared = Vec::with_capacity(kinds.len());
        for (at, kind) in kinds.into_iter().enumerate() {
            let at = i64::try_from(at)?;
            let time = DateTime::from_timestamp_millis(at).ok_or("a time out of range")?;
            let mut event = Event::with_capacity_at(Arc::clone(&names[kind]), 1, time);
            event.data.insert(Arc::clone(&number), Value::Int(at));
            shared.push((kind, Arc::new(event)));
        }
        // Windows of the crate are inclusive: the last event of n comes n - 1 after the first.
        let window = Duration::from_millis(window.parse::<u64>()?.saturating_sub(1));
        Ok(Self { strategy, window, patterns: sequences, users, events: shared })
    }

    fn engine(&self, types: &[usize]) -> SaseEngine {
        let operands = types.iter().enumerate().map(|(at, &kind)| SasePattern::Event {
            event_type: name(kind),
            predicate: None,
            alias: Some(format!("e{at}")),
        });
        let pattern = PatternBuilder::within(PatternBuilder::seq(operands.collect()), self.window);
        SaseEngine::new(pattern).with_strategy(self.strategy).with_event_time()
    }

    fn engines(&self) -> Vec<SaseEngine> {
        self.patterns.iter().map(|types| self.engine(types)).collect()
    }

    /// Shows the first events to fresh engines, and gives each match with its pattern.
    fn each(
        &self,
        engines: &mut [SaseEngine],
        events: usize,
        mut each: impl FnMut(usize, &MatchResult) -> Result<()>,
    ) -> Result<()> {
        for (kind, event) in self.events.iter().take(events) {
            for &pattern in &self.users[*kind] {
                for found in engines[pattern].process_shared(Arc::clone(event)) {
                    each(pattern, &found)?;
                }
            }
        }
        Ok(())
    }
}

fn name(kind: usize) -> String {
    format!("t{kind}")
}
