//! Stopping an engine, and going on with another one.
#![allow(dead_code, reason = "every test file uses a part of this")]

use std::ops::ControlFlow;

use nfab::{
    Automaton, Cause, Config, Engine, Error, Match, Record, Sink, Snapshot, Stats, TimedOut,
};

use super::common::Log;

/// What an engine is told.
#[derive(Clone, Debug)]
pub enum Step {
    Event(Record),
    Watermark(i64),
}

/// Keeps everything, or wants numbers of matches only.
#[derive(Debug, Default)]
pub struct Tally {
    log: Log,
    only_counts: bool,
    counts: Vec<(Cause, u64)>,
}

impl Sink<Record> for Tally {
    fn matched(&mut self, found: &Match<'_, Record>) -> ControlFlow<()> {
        self.log.matched(found)
    }

    fn timed_out(&mut self, partial: &TimedOut<'_, Record>) -> ControlFlow<()> {
        self.log.timed_out(partial)
    }

    fn only_counts(&self) -> bool {
        self.only_counts
    }

    fn counted(&mut self, cause: Cause, matches: u64) -> ControlFlow<()> {
        self.counts.push((cause, matches));
        ControlFlow::Continue(())
    }

    fn late(&mut self, event: Record) {
        self.log.late(event);
    }
}

/// A run of an engine: its output step by step, as text, and how it ends.
#[derive(Debug, PartialEq)]
pub struct Output {
    pub steps: Vec<String>,
    pub end: String,
}

/// Counters, those left out that include garbage, and peaks.
pub fn comparable(stats: Stats) -> Stats {
    let mut stats = stats;
    (stats.cells, stats.entries, stats.cell_bytes, stats.stored_events) = (0, 0, 0, 0);
    (stats.peak_runs, stats.peak_cells) = (0, 0);
    stats
}

fn step(engine: &mut Engine<Record>, step: &Step, sink: &mut Tally) -> Result<(), Error> {
    match step {
        Step::Event(event) => engine.push(event.clone(), sink),
        Step::Watermark(time) => engine.advance_watermark(*time, sink),
    }
}

/// What an engine gives from a step on. After each step it is handed to `between`.
pub fn run(
    mut engine: Engine<Record>,
    steps: &[Step],
    only_counts: bool,
    mut between: impl FnMut(Engine<Record>, usize) -> Engine<Record>,
) -> Output {
    let mut output = Output { steps: Vec::new(), end: String::new() };
    for (at, told) in steps.iter().enumerate() {
        let mut tally = Tally { only_counts, ..Tally::default() };
        let result = step(&mut engine, told, &mut tally);
        output.steps.push(format!("{tally:?}"));
        if let Err(error) = result {
            output.end = format!("{error} {:?}", comparable(engine.stats()));
            return output;
        }
        engine = between(engine, at);
    }
    let mut tally = Tally { only_counts, ..Tally::default() };
    let result = engine.finish(&mut tally).map_err(|error| error.to_string());
    output.end = format!("{tally:?} {result:?} {:?}", comparable(engine.stats()));
    output
}

/// Another engine, by way of a text or of bytes.
pub fn restored(
    engine: &mut Engine<Record>,
    automaton: &Automaton,
    config: Config,
    text: bool,
) -> Engine<Record> {
    let before = engine.stats();
    let snapshot = engine.snapshot().expect("it has not ended");
    assert_eq!(snapshot.pushed(), before.events + before.late + before.waiting as u64);
    let snapshot: Snapshot<Record> = if text {
        let text = serde_json::to_string(&snapshot).expect("it can be written");
        serde_json::from_str(&text).expect("it can be read")
    } else {
        let bytes = postcard::to_stdvec(&snapshot).expect("it can be written");
        postcard::from_bytes(&bytes).expect("it can be read")
    };
    assert_eq!(comparable(snapshot.stats()), comparable(before));
    let watermark = engine.watermark();
    let engine = Engine::restore(automaton.clone(), config, snapshot).expect("it fits");
    assert_eq!(comparable(engine.stats()), comparable(before));
    assert_eq!(engine.watermark(), watermark);
    engine
}

/// Going on after any step, or after each, is as good as never stopping.
pub fn check(automaton: &Automaton, config: Config, steps: &[Step], only_counts: bool) {
    let new = || Engine::with_config(automaton.clone(), config);
    let expected = run(new(), steps, only_counts, |engine, _| engine);
    let mut text = false;
    let always = run(new(), steps, only_counts, |mut engine, _| {
        text = !text;
        restored(&mut engine, automaton, config, text)
    });
    assert_eq!(always, expected, "restored after each step");
    let watched = run(new(), steps, only_counts, |mut engine, at| {
        let other = restored(&mut engine, automaton, config, at % 2 == 0);
        let rest = run(other, &steps[at + 1..], only_counts, |engine, _| engine);
        assert_eq!(rest.steps, expected.steps[at + 1..], "restored after step {at}");
        assert_eq!(rest.end, expected.end, "restored after step {at}");
        engine
    });
    assert_eq!(watched, expected, "snapshots of it were taken");
}
