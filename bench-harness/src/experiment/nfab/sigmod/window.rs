//! Buffers and throughput against the window.

use std::rc::Rc;

use super::held::{self, ALL};
use super::names::{CHAIN, PRIVATE, VERSIONED};
use super::workload::{self, Case};
use crate::baseline::stock::private;
use crate::claim::{Claim, Rule};
use crate::error::Result;
use crate::experiment::nfab::sweep::{self, Sweep};
use crate::experiment::{About, Artefact, Context, Experiment, Kind, Plot};
use crate::measure::Summary;
use crate::record::Row;

/// The figure.
#[derive(Debug)]
pub struct Window;

const WINDOWS: [i64; 4] = [500, 1000, 1500, 2000];

/// The series of a query: "p1, WHAT".
fn of(case: &Case, what: &str) -> String {
    format!("{}, {what}", case.predicate_name())
}

const GAIN: &str = "entries, one buffer a run to shared";
const GAIN_BYTES: &str = "bytes, one buffer a run to shared";

fn entries(case: &Case, contender: &str) -> String {
    of(case, &format!("{contender}, entries"))
}

fn bytes(case: &Case, contender: &str) -> String {
    of(case, &format!("{contender}, bytes"))
}

impl Experiment for Window {
    fn about(&self) -> About {
        let cases: Vec<Case> = workload::skip_till_next().collect();
        let rises = |what: &str| {
            let series: Vec<String> = cases.iter().map(|case| of(case, what)).collect();
            Rule::Rises { series }
        };
        let mut claims = vec![
            Claim::new(
                "the gain of sharing in entries grows with the window, for p1, p2 and p3",
                "the gain grows with the window",
                rises(GAIN),
            ),
            Claim::new(
                "the gain of sharing in bytes grows with the window, for p1, p2 and p3",
                "the gain grows with the window",
                rises(GAIN_BYTES),
            ),
        ];
        claims.extend(cases.iter().map(|case| {
            let text = format!("{}: the gain in entries grows", case.predicate_name());
            Claim::new(text, "", Rule::rises(&[&of(case, GAIN)]))
        }));
        let axis = "window, events";
        let lines = |title: &str, y: &str, series: Vec<String>| -> Plot {
            Plot { series, ..sweep::lines(title, axis, y, &[]) }
        };
        let each = |f: &dyn Fn(&Case, &str) -> String, contenders: &[&str]| -> Vec<String> {
            cases.iter().flat_map(|case| contenders.iter().map(move |one| f(case, one))).collect()
        };
        let both = [VERSIONED, PRIVATE];
        let gains = |what| each(&|case, what| of(case, what), &[what]);
        About {
            id: "nfab-sigmod-window".to_owned(),
            kind: Kind::Figure,
            title: "Buffer and throughput against the window".to_owned(),
            paper: "The paper of 2008, as we recall it: with windows from 500 to 2000 under skip \
                    till next match, the gain of sharing grows with the window."
                .to_owned(),
            method: format!(
                "{} Here s3 alone. Entries and bytes are counted as in nfab-sigmod-buffer; the gain \
                 is what one buffer a run needs, divided by what the shared one needs. Throughput: the \
                 engine with either buffer, one run for each partial match, and private buffers in a compiled loop of ours; \
                 every event of every match is read. CPU times of one thread.",
                workload::STREAM
            ),
            reconstruction: Some(workload::RECONSTRUCTION.to_owned()),
            claims: claims.into_iter().map(Claim::our_reading).collect(),
            plots: vec![
                lines(
                    "The gain of sharing in entries: above 1, the shared buffer needs less",
                    "gain",
                    gains(GAIN),
                ),
                lines(
                    "The gain of sharing in bytes: above 1, the shared buffer needs less",
                    "gain",
                    gains(GAIN_BYTES),
                ),
                lines("Most entries at once", "buffers", each(&entries, &both)),
                lines("Most bytes of buffers at once", "buffers", each(&bytes, &both)),
                lines(
                    "Throughput of the engine's buffers",
                    "throughput",
                    each(&|case, one| of(case, one), &[VERSIONED, CHAIN]),
                ),
                lines(
                    "Throughput of a compiled loop with private buffers",
                    "throughput",
                    each(&|case, one| of(case, one), &[PRIVATE]),
                ),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let stream = workload::stream(context)?;
        context.record.data_sha256(Some(stream.sha256.clone()));
        for window in WINDOWS {
            for case in workload::skip_till_next() {
                let all = held::all(&case.query(window), &stream.events)?;
                for (contender, held) in ALL.into_iter().zip(all) {
                    let x = window as f64;
                    context.record.count(&entries(&case, contender), x, held.entries, "entries");
                    context.record.count(&bytes(&case, contender), x, held.bytes, "bytes");
                }
                let [shared, _, private] = all;
                let gain = private.bytes as f64 / shared.bytes as f64;
                let gain = Summary::exact(gain);
                context.record.point(&of(&case, GAIN_BYTES), window as f64, gain, "times");
                let gain = Summary::exact(private.entries as f64 / shared.entries as f64);
                context.record.point(&of(&case, GAIN), window as f64, gain, "times");
            }
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let stream = workload::stream(context)?;
        let mut sweep = Sweep::default();
        sweep.data(&stream);
        for window in WINDOWS {
            for case in workload::skip_till_next() {
                let query = case.query(window);
                let answer = workload::engine(&query, workload::CHAIN)?.answer(&stream.events)?;
                for (name, way) in [(VERSIONED, workload::VERSIONED), (CHAIN, workload::CHAIN)] {
                    let engine = workload::engine(&query, way)?;
                    let events = Rc::clone(&stream.events);
                    let run = move || engine.answer(&events);
                    sweep.add(&of(&case, name), window as f64, answer, run);
                }
                let events = Rc::clone(&stream.events);
                sweep.add(&of(&case, PRIVATE), window as f64, answer, move || {
                    Ok(private::evaluate(&query, &events).answer)
                });
            }
        }
        sweep.run(context, &[])
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let text = |what: &str| -> Option<String> {
            let parts: Option<Vec<String>> = workload::skip_till_next()
                .map(|case| {
                    let values = sweep::values(rows, &of(&case, what));
                    let (first, last) = (values.first()?.1, values.last()?.1);
                    Some(format!("{} from {first:.2} to {last:.2}", case.predicate_name()))
                })
                .collect();
            Some(parts?.join(", "))
        };
        match (text(GAIN), text(GAIN_BYTES)) {
            (Some(entries), Some(bytes)) => vec![format!(
                "From windows of 500 to 2000 the gain of sharing went, in entries: {entries}; in \
                 bytes: {bytes}."
            )],
            _ => Vec::new(),
        }
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        Ok(vec![workload::table()])
    }
}
