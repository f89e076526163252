//! Throughput as more events qualify.

use std::rc::Rc;

use data_gen::stream::StockOptions;

use super::workload::{self, Case, WINDOW};
use crate::baseline::stock::{Query, Stock};
use crate::claim::{Claim, Rule};
use crate::error::Result;
use crate::experiment::nfab::engines::{Stream, Way, stocks, stocks_or_own};
use crate::experiment::nfab::sweep::{self, Sweep};
use crate::experiment::{About, Artefact, Context, Experiment, Kind};
use crate::record::Row;

/// The figure.
#[derive(Debug)]
pub struct Selectivity;

/// Shares of the events that can be b, in percent; the paper's is 15.
const SHARES: [i64; 5] = [1, 5, 15, 30, 60];
/// Probabilities that a price rises, in percent; the paper's is 70.
const RISES: [u32; 5] = [50, 60, 70, 80, 90];

/// The series of a query in one of the two plots.
fn by_share(case: &Case) -> String {
    format!("{} by share of b", case.predicate_name())
}

fn by_rise(case: &Case) -> String {
    format!("{} by rise", case.predicate_name())
}

/// The matches of a series.
fn matches_of(series: &str) -> String {
    format!("{series}, matches")
}

impl Experiment for Selectivity {
    fn about(&self) -> About {
        let falls = |text: String, series: String| {
            let expected = "falls as more events qualify";
            Claim::new(text, expected, Rule::falls(&[&series])).our_reading()
        };
        let claims = workload::skip_till_next().flat_map(|case| {
            let name = case.predicate_name();
            [
                falls(format!("{name}: falls as more events can be b"), by_share(&case)),
                falls(format!("{name}: falls as prices rise more often"), by_rise(&case)),
            ]
        });
        let series = |of: fn(&Case) -> String| -> Vec<String> {
            workload::skip_till_next().map(|case| of(&case)).collect()
        };
        let plot = |title: &str, x: &str, series: &[String]| {
            let series: Vec<&str> = series.iter().map(String::as_str).collect();
            sweep::lines(title, x, "throughput", &series)
        };
        let count = |title: &str, x: &str, series: &[String]| {
            let series: Vec<String> = series.iter().map(|name| matches_of(name)).collect();
            let series: Vec<&str> = series.iter().map(String::as_str).collect();
            sweep::table(title, x, &series)
        };
        let (share, rise) = (series(by_share), series(by_rise));
        About {
            id: "nfab-sigmod-selectivity".to_owned(),
            kind: Kind::Figure,
            title: "Throughput against selectivity".to_owned(),
            paper:
                "The paper of 2008, as we recall it: throughput against the selectivity of b and \
                    against the probability that prices rise; it falls as more events qualify."
                    .to_owned(),
            method: format!(
                "{} Here skip till next match with W {WINDOW}, evaluated as the engine chooses. The \
                 first axis changes the bound on b's volume, the second the generator's \
                 probability that a price rises. Every event of every match is read. CPU times of one \
                 thread. One claim for each query: what more qualifying events do differs. Under p2 and p3 a b that is not taken ends its run, so more bs also \
                 mean shorter runs.",
                workload::STREAM
            ),
            reconstruction: Some(workload::RECONSTRUCTION.to_owned()),
            claims: claims.collect(),
            plots: vec![
                plot("Against the share of events that can be b", "share of b, %", &share),
                plot("Against the probability that a price rises", "probability, %", &rise),
                count("Matches by the share of b", "share of b, %", &share),
                count("Matches by the probability that a price rises", "probability, %", &rise),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        each(context, |context, stream, x, query, series| {
            let answer = workload::quick_answer(query, &stream.events)?;
            context.record.data_sha256(Some(stream.sha256.clone()));
            context.record.count(&matches_of(series), x, answer.matches, "");
            Ok(())
        })
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let mut sweep = Sweep::default();
        each(context, |_, stream, x, query, series| {
            let engine = workload::engine(query, Way::Chosen)?;
            let answer = engine.answer(&stream.events)?;
            sweep.data(stream);
            let events = Rc::clone(&stream.events);
            sweep.add(series, x, answer, move || engine.answer(&events));
            Ok(())
        })?;
        sweep.run(context, &[])
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let change = |series: &str| {
            let values = sweep::values(rows, series);
            Some((values.first()?.1, values.last()?.1))
        };
        let cases: Vec<Case> = workload::skip_till_next().collect();
        let text = |of: fn(&Case) -> String| -> Option<String> {
            let parts: Option<Vec<String>> = cases
                .iter()
                .map(|case| {
                    let (first, last) = change(&of(case))?;
                    Some(format!("{} from {first:.1} to {last:.1}", case.predicate_name()))
                })
                .collect();
            Some(parts?.join(", "))
        };
        let (Some(share), Some(rise)) = (text(by_share), text(by_rise)) else { return Vec::new() };
        vec![format!(
            "Million events a second from the least to the largest share of b: {share}; from the \
             least to the largest probability of rising: {rise}."
        )]
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        Ok(vec![workload::table()])
    }
}

/// Calls `job` for every query at every point of both axes.
fn each(
    context: &mut Context<'_>,
    mut job: impl FnMut(&mut Context<'_>, &Stream<Stock>, f64, &Query, &str) -> Result<()>,
) -> Result<()> {
    let options = workload::options(context.scale);
    let stream = stocks_or_own(context, &options)?;
    for share in SHARES {
        for case in workload::skip_till_next() {
            let query = Query { volume_below: share * 10, ..case.query(WINDOW) };
            job(context, &stream, share as f64, &query, &by_share(&case))?;
        }
    }
    if context.data.own().stock()?.is_some() {
        // How often the user's prices rise is not ours to choose.
        return Ok(());
    }
    for rise in RISES {
        let options = rising(&options, rise);
        let stream = stocks(&options, context.seed)?;
        for case in workload::skip_till_next() {
            job(context, &stream, f64::from(rise), &case.query(WINDOW), &by_rise(&case))?;
        }
    }
    Ok(())
}

fn rising(options: &StockOptions, percent: u32) -> StockOptions {
    let mut options = options.clone();
    options.rise = f64::from(percent) / 100.0;
    options
}
