//! The engine's two buffers: what versions cost.

use std::rc::Rc;

use data_gen::stream::StockOptions;
use nfab::HistoryKind;

use super::NO_PAPER;
use crate::baseline::stock::Stock;
use crate::claim::{Claim, Rule};
use crate::error::Result;
use crate::experiment::nfab::engines::{Nfab, Stream, Way, agree, stock_schema, stocks_or_own};
use crate::experiment::nfab::sweep::{self, Sweep, cpu};
use crate::experiment::{About, Context, Experiment, Kind, Plot, Scale, Spacing};
use crate::record::{Row, X};

/// The check.
#[derive(Debug)]
pub struct History;

const CHAIN: &str = "chain buffer";
const VERSIONED: &str = "versioned buffer";

/// Runs that live at a time.
const LIVE: [u32; 4] = [1, 10, 25, 100];
/// The window in events; a run lives as long.
const WINDOW: u32 = 500;
/// The bar: the chain buffer takes at most this share of the time.
const BAR: f64 = 0.5;

impl Experiment for History {
    fn about(&self) -> About {
        let at: Vec<X> = LIVE[1..].iter().map(|&live| f64::from(live).into()).collect();
        About {
            id: "nfab-history".to_owned(),
            kind: Kind::Check,
            title: "The engine's two buffers".to_owned(),
            paper: NO_PAPER.to_owned(),
            method: format!(
                "The query {} for 25 runs: so many runs live at a time, each takes every event, and one \
                 event in a hundred completes a match of each. Both buffers hold the same histories; \
                 the versioned one is the paper's, the chain (cells that point to the cell before) \
                 is the engine's default. Every event of every match is read. CPU times of one \
                 thread.",
                text(25)
            ),
            reconstruction: None,
            claims: vec![
                Claim::new(
                    "from 10 live runs on the chain buffer is at least twice as fast",
                    "a ratio of at most 0.5",
                    Rule::Fold { a: cpu(CHAIN), b: cpu(VERSIONED), from: 0.0, to: BAR, at },
                )
                .our_check(),
            ],
            plots: vec![
                Plot {
                    x_axis: Spacing::Log,
                    y_axis: Spacing::Log,
                    ..sweep::lines("Throughput", "runs at once", "throughput", &[CHAIN, VERSIONED])
                },
                sweep::ratios(
                    "Paired ratio of the CPU times: below 1, the chain is faster",
                    "runs at once",
                    &[(CHAIN, VERSIONED)],
                ),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let stream = stream(context)?;
        for live in LIVE {
            let answer = |history| engine(live, history)?.held(&stream.events);
            let (chain, held) = answer(HistoryKind::Chain)?;
            let (versioned, _) = answer(HistoryKind::Versioned)?;
            agree(&[(CHAIN, chain), (VERSIONED, versioned)])?;
            context.record.data_sha256(Some(stream.sha256.clone()));
            context.record.count("runs at once", f64::from(live), held.runs, "");
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let stream = stream(context)?;
        let mut sweep = Sweep::default();
        sweep.data(&stream);
        for live in LIVE {
            let answer = engine(live, HistoryKind::Chain)?.answer(&stream.events)?;
            for (name, history) in
                [(CHAIN, HistoryKind::Chain), (VERSIONED, HistoryKind::Versioned)]
            {
                let engine = engine(live, history)?;
                let events = Rc::clone(&stream.events);
                sweep.add(name, f64::from(live), answer, move || engine.answer(&events));
            }
        }
        sweep.run(context, &[(CHAIN, VERSIONED)])
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let ratios = sweep::values(rows, &sweep::cpu_ratio(CHAIN, VERSIONED));
        let text = |(x, ratio): &(&X, f64)| format!("{:.2} at {x}", 1.0 / ratio);
        if ratios.is_empty() {
            return Vec::new();
        }
        let parts: Vec<String> = ratios.iter().map(text).collect();
        vec![format!(
            "How many times as fast as the versioned buffer the chain buffer was, by runs at once: {}.",
            parts.join(", ")
        )]
    }
}

fn text(live: u32) -> String {
    format!(
        "PATTERN SEQ(stock+ a[], stock b) WHERE skip_till_next_match {{ a[1].id % {} = 0 AND \
         b.volume <= 10 }} WITHIN {} ms",
        WINDOW / live,
        WINDOW - 1
    )
}

fn engine(live: u32, history: HistoryKind) -> Result<Nfab> {
    Nfab::new(&text(live), &stock_schema(), Way::Runs(history))
}

fn stream(context: &Context<'_>) -> Result<Stream<Stock>> {
    let events = match context.scale {
        Scale::Tiny => 1_000,
        // Ten windows.
        Scale::Quick => 5_000,
        Scale::Paper => 50_000,
        Scale::Full => 200_000,
    };
    stocks_or_own(context, &StockOptions::new(events))
}
