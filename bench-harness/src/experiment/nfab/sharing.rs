//! The shared versioned buffer against one buffer a run, as runs split more often.

use std::rc::Rc;

use super::engines::{Held, Nfab, Stream, Way, agree, stock_schema, stocks_or_own};
use super::sweep::{self, Sweep, cpu};
use crate::baseline::stock::forks::{self, Query};
use crate::baseline::stock::{Answer, Stock};
use crate::claim::{Claim, Rule};
use crate::error::{Error, Result};
use crate::experiment::spread::Spread;
use crate::experiment::{About, Artefact, Context, Experiment, Kind, Plot, Scale, Spacing};
use crate::measure::Summary;
use crate::measure::memory::Heap;
use crate::record::Row;
use data_gen::stream::StockOptions;
use nfab::HistoryKind;

/// The figure.
#[derive(Debug)]
pub struct Sharing;

/// Forks an event.
const FORKS: [f64; 4] = [0.0, 0.1, 0.25, 0.5];

const VERSIONED: &str = "shared versioned buffer";
const CHAIN: &str = "chain buffer";
const PRIVATE: &str = "one buffer a run";
const CONTENDERS: [&str; 3] = [VERSIONED, CHAIN, PRIVATE];

const GAIN: &str = "entries, one buffer a run to shared";
const RUNS: &str = "runs at once";
const EDGES: &str = "shared versioned buffer, edges";

fn entries(contender: &str) -> String {
    format!("{contender}, entries")
}

fn bytes(contender: &str) -> String {
    format!("{contender}, bytes")
}

fn heap_of(contender: &str) -> String {
    format!("{contender}, heap")
}

impl Experiment for Sharing {
    fn about(&self) -> About {
        // Without forks there is nothing to share.
        let with_forks = |rule: &dyn Fn() -> Rule| {
            Rule::All(FORKS[1..].iter().map(|&x| Rule::at(x, rule())).collect())
        };
        let fewer = |of: fn(&str) -> String, shared: &'static str| {
            with_forks(&|| Rule::ordered(&[&of(shared), &of(PRIVATE)]))
        };
        let faster =
            |shared: &'static str| with_forks(&|| Rule::below(&cpu(shared), &cpu(PRIVATE)));
        let redundancy = "sharing removes the redundancy";
        let names = |of: fn(&str) -> String| CONTENDERS.map(of);
        let [entry_names, byte_names, heap_names] = [names(entries), names(bytes), names(heap_of)];
        let entry_names: Vec<&str> = entry_names.iter().map(String::as_str).collect();
        let byte_names: Vec<&str> = byte_names.iter().map(String::as_str).collect();
        let heap_names: Vec<&str> = heap_names.iter().map(String::as_str).collect();
        let x = "forks for each event";
        About {
            id: "nfab-sharing".to_owned(),
            kind: Kind::Figure,
            title: "Sharing as runs split more often".to_owned(),
            paper:
                "The article: when each run has a buffer of its own there is much redundancy, and \
                    since every event may split a run it can be very large. The shared buffer with \
                    versions on its edges reduces it. No numbers are given."
                    .to_owned(),
            method: format!(
                "The query {} for 0.25 forks an event. At every moment one run is in the closure, \
                 up to {} events long; it takes every event, and the given share of the events is a \
                 b as well. There it forks, and the clone waits with all that was taken so far for \
                 a c, one event in a hundred. The x axis is that share. The engine runs with either \
                 buffer, one run for each partial match; one buffer a run is a loop of ours with \
                 compiled conditions, whose runs copy their list of references (8 bytes each) when they \
                 fork. Entries: the most at once; in the engine's buffers whole chunks of 512 go \
                 when the window has passed. Bytes: those of entries and edges; an entry of a private buffer \
                 counts 8. Heap: the growth of its peak in a process of its own, buffers, runs, the \
                 window's events and matches on their way out together. Time: CPU time of one \
                 thread, every event of every match read.",
                Query::new(0.25).text(),
                forks::PERIOD
            ),
            reconstruction: Some(
                "The article has the idea and no experiment; query and stream are ours.".to_owned(),
            ),
            claims: vec![
                Claim::new(
                    "with forks the shared buffer has fewer entries",
                    redundancy,
                    fewer(entries, VERSIONED),
                ),
                Claim::new(
                    "with forks the shared buffer takes fewer bytes",
                    redundancy,
                    fewer(bytes, VERSIONED),
                ),
                Claim::new(
                    "the redundancy grows with forks: entries of one buffer a run to shared",
                    redundancy,
                    Rule::rises(&[GAIN]),
                ),
                Claim::new("with forks the shared buffer is faster", "", faster(VERSIONED))
                    .our_reading(),
                Claim::new(
                    "with forks the chain buffer takes fewer bytes",
                    "as sharing does",
                    fewer(bytes, CHAIN),
                )
                .our_check(),
                Claim::new(
                    "with forks the whole heap is smaller with the shared buffer",
                    "",
                    fewer(heap_of, VERSIONED),
                )
                .our_check(),
                Claim::new("with forks the chain buffer is faster", "", faster(CHAIN)).our_check(),
            ],
            plots: vec![
                sweep::table("Most entries at once", x, &entry_names),
                sweep::table("Most edges and runs at once", x, &[EDGES, RUNS]),
                sweep::lines("Most bytes of buffers at once", x, "buffers", &byte_names),
                sweep::lines("Peak of the heap", x, "heap", &heap_names),
                Plot {
                    y_axis: Spacing::Log,
                    ..sweep::lines("Throughput, every match read", x, "throughput", &CONTENDERS)
                },
                sweep::lines("How many times the entries one buffer a run has", x, "gain", &[GAIN]),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let stream = stream(context)?;
        context.record.data_sha256(Some(stream.sha256.clone()));
        for x in FORKS {
            let query = Query::new(x);
            let outcome = forks::evaluate(&query, &stream.events);
            let private = Held::privately(&outcome);
            let (shared, versioned) = engine(&query, VERSIONED)?.held(&stream.events)?;
            let (chained, chain) = engine(&query, CHAIN)?.held(&stream.events)?;
            let chosen = Nfab::new(&query.text(), &stock_schema(), Way::Chosen)?;
            agree(&[
                (PRIVATE, outcome.answer),
                (VERSIONED, shared),
                (CHAIN, chained),
                ("nfab as it chooses", chosen.answer(&stream.events)?),
            ])?;
            for (contender, held) in CONTENDERS.iter().zip([versioned, chain, private]) {
                context.record.count(&entries(contender), x, held.entries, "");
                context.record.count(&bytes(contender), x, held.bytes, "bytes");
            }
            context.record.count(EDGES, x, versioned.edges, "");
            context.record.count(RUNS, x, private.runs, "");
            let gain = Summary::exact(private.entries as f64 / versioned.entries as f64);
            context.record.point(GAIN, x, gain, "times");
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let stream = stream(context)?;
        for x in FORKS {
            let probes = CONTENDERS.map(|contender| format!("{contender}/{x}"));
            for (contender, memory) in CONTENDERS.into_iter().zip(context.memories(&probes)?) {
                context.record.count(&heap_of(contender), x, memory.peak_heap, "bytes");
            }
        }
        let mut sweep = Sweep::default();
        sweep.data(&stream);
        for x in FORKS {
            let query = Query::new(x);
            let answer = engine(&query, CHAIN)?.answer(&stream.events)?;
            for contender in CONTENDERS {
                let events = Rc::clone(&stream.events);
                let mut run = contender_run(contender, &query)?;
                sweep.add(contender, x, answer, move || run(&events));
            }
        }
        sweep.run(context, &[(VERSIONED, PRIVATE), (CHAIN, PRIVATE), (CHAIN, VERSIONED)])
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let last = |series: &str| Some(sweep::values(rows, series).last()?.1);
        let ratio = |of: fn(&str) -> String| Some(last(&of(PRIVATE))? / last(&of(VERSIONED))?);
        let (Some(entries), Some(bytes)) = (ratio(entries), ratio(bytes)) else {
            return Vec::new();
        };
        let time = |one: &str| {
            let ratio = sweep::cpu_ratio(one, PRIVATE);
            let rows = rows.iter().filter(|row| row.series == ratio && row.x != 0.0.into());
            Some(Spread::of(rows.map(|row| row.value))?.times())
        };
        let mut text = format!(
            "At one fork for every second event one buffer a run held {entries:.1} times the entries of the \
             shared versioned buffer and took {bytes:.1} times the bytes."
        );
        if let (Some(versioned), Some(chain)) = (time(VERSIONED), time(CHAIN)) {
            text += &format!(
                " With forks the versioned buffer took {versioned} the CPU time of private buffers, \
                 the chain buffer {chain}."
            );
        }
        vec![text]
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let rows = FORKS.map(|x| vec![x.to_string(), Query::new(x).text()]);
        Ok(vec![Artefact::Table {
            caption: "The queries".to_owned(),
            head: ["Forks", "Text"].map(str::to_owned).to_vec(),
            rows: rows.to_vec(),
        }])
    }

    fn probe(&self, name: &str, context: &mut Context<'_>, heap: &dyn Heap) -> Result<u64> {
        let unknown = || Error::usage(format!("there is no memory probe {name}"));
        let (contender, x) = name.split_once('/').ok_or_else(unknown)?;
        if !CONTENDERS.contains(&contender) {
            return Err(unknown());
        }
        let query = Query::new(x.parse().map_err(|_| unknown())?);
        let stream = stream(context)?;
        let mut run = contender_run(contender, &query)?;
        let (answer, peak) = heap.peak_during(|| run(&stream.events));
        answer.map(|_| peak)
    }
}

fn stream(context: &Context<'_>) -> Result<Stream<Stock>> {
    let events = match context.scale {
        Scale::Tiny => 5_000,
        Scale::Quick => 30_000,
        Scale::Paper => 100_000,
        Scale::Full => 1_000_000,
    };
    stocks_or_own(context, &StockOptions::new(events))
}

fn engine(query: &Query, contender: &str) -> Result<Nfab> {
    let history = if contender == VERSIONED { HistoryKind::Versioned } else { HistoryKind::Chain };
    Nfab::new(&query.text(), &stock_schema(), Way::Runs(history))
}

type Run = Box<dyn FnMut(&[Stock]) -> Result<Answer>>;

fn contender_run(contender: &str, query: &Query) -> Result<Run> {
    if contender == PRIVATE {
        let query = *query;
        return Ok(Box::new(move |events| Ok(forks::evaluate(&query, events).answer)));
    }
    let engine = engine(query, contender)?;
    Ok(Box::new(move |events| engine.answer(events)))
}
