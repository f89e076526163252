//! Memory over a long stream: keys come and go, partial matches start and never complete.

use std::ops::ControlFlow;

use data_gen::stream::keys::{KINDS, Phase};
use data_gen::stream::{KeyEvent, KeyOptions, StreamKind};
use nfab::{Event, HistoryKind, Match, Slot, TypeId, ValueRef, Visit};

use super::NO_PAPER;
use crate::claim::{Claim, Rule};
use crate::error::{Error, Result};
use crate::experiment::nfab::engines::{self, Nfab, Way, fail, schema};
use crate::experiment::nfab::sweep;
use crate::experiment::{About, Artefact, Context, Experiment, Kind, Scale};
use crate::measure::memory::{Heap, resident};
use crate::record::Row;

/// The check.
#[derive(Debug)]
pub struct Memory;

/// Keys that live at a time.
const LIVE: u64 = 1000;
/// Points of a curve.
const POINTS: u64 = 20;

/// The type that never comes.
const GHOST: &str = "ghost";

const COMPLETING: &str = "keys come and go";
const STARTING: &str = "starts, never completes";
const PATTERNS: [&str; 2] = [COMPLETING, STARTING];

const WAYS: [(&str, Way); 3] = [
    ("as chosen", Way::Chosen),
    ("runs, chain buffer", Way::Runs(HistoryKind::Chain)),
    ("runs, versioned buffer", Way::Runs(HistoryKind::Versioned)),
];

fn heap_of(pattern: &str, way: &str) -> String {
    format!("{pattern}, {way}: heap")
}

fn resident_of(pattern: &str, way: &str) -> String {
    format!("{pattern}, {way}: resident set")
}

/// The same curve without its first point.
fn settled(series: &str) -> String {
    format!("{series} from the second twentieth on")
}

fn series(of: fn(&str, &str) -> String) -> Vec<String> {
    let both = |pattern| WAYS.iter().map(move |(way, _)| of(pattern, way));
    PATTERNS.into_iter().flat_map(both).collect()
}

/// An event of the stream of keys.
#[derive(Clone, Copy, Debug)]
struct Keyed(KeyEvent);

impl Event for Keyed {
    fn event_type(&self) -> TypeId {
        TypeId(match self.0.phase {
            Phase::Open => 0,
            Phase::Update => 1,
            Phase::Close => 2,
        })
    }

    fn time(&self) -> i64 {
        self.0.time
    }

    fn attribute(&self, slot: Slot) -> ValueRef<'_> {
        match slot.0 {
            0 => ValueRef::Int(self.0.key),
            1 => ValueRef::Int(self.0.value),
            _ => ValueRef::Missing,
        }
    }
}

impl Experiment for Memory {
    fn about(&self) -> About {
        let options = options(Scale::Quick);
        let flat = |text: &str, series| Claim::new(text, "flat", Rule::Flat { series }).our_check();
        let settled_series = |of| series(of).iter().map(|name| settled(name)).collect();
        let plot = |title: &str, y: &str, of: fn(&str, &str) -> String| {
            let series = series(of);
            let series: Vec<&str> = series.iter().map(String::as_str).collect();
            sweep::lines(title, "events so far", y, &series)
        };
        About {
            id: "nfab-memory".to_owned(),
            kind: Kind::Check,
            title: "Memory over a long stream".to_owned(),
            paper: NO_PAPER.to_owned(),
            method: format!(
                "A stream over which keys come and go: {LIVE} live at a time, at quick scale {} \
                 keys in {} events; at full scale 10^8 events. One pattern is completed by every \
                 key that goes, the other one starts with every key that comes and waits for an \
                 event that never does, with a closure over the key's events; both have a window as \
                 long as the longest life of a key. Each curve is one run in a process of its own. \
                 Heap: in each twentieth of the stream the most bytes that the engine had \
                 allocated at once, under a counting allocator. Resident set: of the whole process at the end of that twentieth. \
                 The first twentieth is the one in which tables and arenas take their sizes, an old and a new \
                 one at once; the claims are judged with and without it. The stream is generated while it is read. The number of matches is compared with the number \
                 of keys that went.",
                options.keys, options.events
            ),
            reconstruction: None,
            claims: vec![
                flat(
                    "the heap is flat from the second twentieth of the stream on",
                    settled_series(heap_of),
                ),
                flat(
                    "the resident set is flat from the second twentieth on",
                    settled_series(resident_of),
                ),
                flat("the heap is flat, its start included", series(heap_of)),
                flat("the resident set is flat, its start included", series(resident_of)),
            ],
            plots: vec![
                plot("Heap of the engine", "heap", heap_of),
                plot("Resident set of the process", "resident set", resident_of),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let options = options(Scale::Tiny);
        for pattern in PATTERNS {
            for (_, way) in WAYS {
                run(pattern, way, &options, context.seed, &mut |_| ())?;
            }
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let of = |pattern| WAYS.map(move |(way, _)| format!("{pattern}/{way}"));
        let probes: Vec<String> = PATTERNS.into_iter().flat_map(of).collect();
        context.memories(&probes).map(drop)
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let change = |of| {
            let ratios = series(of).into_iter().filter_map(|name| {
                let values: Vec<f64> = sweep::values(rows, &settled(&name))
                    .into_iter()
                    .map(|(_, value)| value)
                    .collect();
                let most = values.iter().copied().reduce(f64::max)?;
                Some(most / values.iter().copied().reduce(f64::min)?)
            });
            ratios.reduce(f64::max)
        };
        match (change(heap_of), change(resident_of)) {
            (Some(heap), Some(resident)) => vec![format!(
                "From the second twentieth of the stream on no curve of the heap varied by more than {:.1} %, none of the \
                 resident set by more than {:.1} %.",
                (heap - 1.0) * 100.0,
                (resident - 1.0) * 100.0
            )],
            _ => Vec::new(),
        }
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let options = options(Scale::Quick);
        let rows = PATTERNS.map(|pattern| vec![pattern.to_owned(), text(pattern, &options)]);
        Ok(vec![Artefact::Table {
            caption: "The queries at quick scale".to_owned(),
            head: ["Query", "Text"].map(str::to_owned).to_vec(),
            rows: rows.to_vec(),
        }])
    }

    fn probe(&self, name: &str, context: &mut Context<'_>, heap: &dyn Heap) -> Result<u64> {
        let unknown = || Error::usage(format!("there is no memory probe {name}"));
        let (pattern, way) = name.split_once('/').ok_or_else(unknown)?;
        let (way_name, way) = WAYS.into_iter().find(|(one, _)| *one == way).ok_or_else(unknown)?;
        let pattern = PATTERNS.into_iter().find(|one| *one == pattern).ok_or_else(unknown)?;
        let options = options(context.scale);
        let sha256 = engines::hash(&StreamKind::Keys(options.clone()), context.seed)?;
        context.record.data_sha256(Some(sha256));
        // What is recorded lies in the heap that is measured, so it is recorded afterwards.
        let mut points: Vec<(u64, u64, Option<u64>)> = Vec::with_capacity(POINTS as usize + 1);
        let before = heap.current();
        heap.reset();
        run(pattern, way, &options, context.seed, &mut |events| {
            points.push((events, heap.peak().saturating_sub(before), resident()));
            heap.reset();
        })?;
        for (at, &(events, peak, resident)) in points.iter().enumerate() {
            let mut record = |series: String, value| {
                if at > 0 {
                    context.record.count(&settled(&series), events as f64, value, "bytes");
                }
                context.record.count(&series, events as f64, value, "bytes");
            };
            record(heap_of(pattern, way_name), peak);
            if let Some(resident) = resident {
                record(resident_of(pattern, way_name), resident);
            }
        }
        let most = points.iter().map(|point| point.1).max().unwrap_or(0);
        Ok(most)
    }
}

fn text(pattern: &str, options: &KeyOptions) -> String {
    let life = options.longest_life();
    let [open, update, close] = KINDS;
    let items = if pattern == COMPLETING {
        format!("{open} a, {close} c")
    } else {
        format!("{open} a, {update}+ b[], {GHOST} c")
    };
    format!("PATTERN SEQ({items}) WHERE skip_till_next_match {{ [key] }} WITHIN {life} ms")
}

/// Runs a pattern and calls `point` after each part of the stream with the number of events so far.
fn run(
    pattern: &str,
    way: Way,
    options: &KeyOptions,
    seed: u64,
    point: &mut dyn FnMut(u64),
) -> Result<()> {
    let [open, update, close] = KINDS;
    let schema = schema(&[open, update, close, GHOST], &["key", "value"]);
    let mut engine = Nfab::new(&text(pattern, options), &schema, way)?.engine();
    let mut stream = options.stream(seed).map_err(|error| engines::generating(&error))?;
    let mut matches = 0_u64;
    let mut sink = Visit(|found: &Match<'_, Keyed>| {
        matches += u64::from(found.events().len() >= 2);
        ControlFlow::Continue(())
    });
    let part = options.events.div_ceil(POINTS);
    let mut events = 0;
    for event in stream.by_ref() {
        engine.push(Keyed(event), &mut sink).map_err(fail)?;
        events += 1;
        if events % part == 0 || events == options.events {
            point(events);
        }
    }
    let expected = if pattern == COMPLETING { stream.closed() } else { 0 };
    if matches == expected {
        return Ok(());
    }
    Err(Error::disagreement(format!("{pattern}: {matches} matches, {expected} are right")))
}

fn options(scale: Scale) -> KeyOptions {
    match scale {
        Scale::Tiny => KeyOptions::new(60_000, LIVE, 20_000),
        Scale::Quick => KeyOptions::new(3_000_000, LIVE, 1_000_000),
        Scale::Paper => KeyOptions::new(10_000_000, LIVE, 1_000_000),
        Scale::Full => KeyOptions::new(100_000_000, LIVE, 10_000_000),
    }
}
