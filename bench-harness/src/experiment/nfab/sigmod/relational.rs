//! NFA^b against a plan of joins.

use super::workload::{self, CASES, WINDOW};
use crate::baseline::stock::join;
use crate::claim::{Claim, Rule};
use crate::error::Result;
use crate::experiment::nfab::engines::Way;
use crate::experiment::nfab::sweep::{self, Sweep, cpu};
use crate::experiment::{About, Artefact, Context, Experiment, Kind, Plot, Spacing};
use crate::record::Row;

/// The figure.
#[derive(Debug)]
pub struct Relational;

const NFAB: &str = "NFA^b";
const JOIN: &str = "join";
const NFAB_BY_WINDOW: &str = "NFA^b, s3 p2 by window";
const JOIN_BY_WINDOW: &str = "join, s3 p2 by window";

/// Windows of the second plot.
const WINDOWS: [i64; 4] = [500, 2000, 8000, 32_000];

impl Experiment for Relational {
    fn about(&self) -> About {
        let mut claims = vec![Claim::new(
            "NFA^b is faster than the join on all six queries",
            "NFA^b is ahead",
            Rule::below(&cpu(NFAB), &cpu(JOIN)),
        )];
        claims.extend(CASES.iter().map(|case| {
            Claim::new(
                format!("{}: NFA^b is faster than the join", case.name),
                "NFA^b is ahead",
                Rule::at(case.name, Rule::below(&cpu(NFAB), &cpu(JOIN))),
            )
        }));
        claims.push(Claim::new(
            "the larger the window, the further ahead: the ratio of NFA^b to the join falls (s3 p2)",
            "",
            Rule::falls(&[&sweep::cpu_ratio(NFAB_BY_WINDOW, JOIN_BY_WINDOW)]),
        ));
        About {
            id: "nfab-sigmod-relational".to_owned(),
            kind: Kind::Figure,
            title: "NFA^b against a plan of joins".to_owned(),
            paper: "The paper of 2008, as we recall it: against a relational stream processor, \
                    which evaluates the query as a plan of joins over windows, NFA^b is ahead."
                .to_owned(),
            method: format!(
                "{} W is {WINDOW}; the last plot changes it. The join is a baseline of ours: for \
                 every b it selects the a[1] of its partition in the window, joins each with its successors as the closure \
                 demands, and keeps what reaches b; nothing is remembered between two bs but the \
                 window. It is a loop with its conditions compiled in, without any of what a relational \
                 system spends on plans and tuples, while NFA^b interprets the query's text. So \
                 this compares computing again with remembering, and not two systems; a query on which \
                 NFA^b is slower says that few events can be a[1], so that computing again is \
                 cheap there. Every event of every match is read. CPU times of one thread.",
                workload::STREAM
            ),
            reconstruction: Some(workload::RECONSTRUCTION.to_owned()),
            claims: claims.into_iter().map(Claim::our_reading).collect(),
            plots: vec![
                sweep::bars("The six queries", "query", "throughput", &[NFAB, JOIN]),
                sweep::ratios(
                    "Paired ratio of the CPU times: below 1, NFA^b is faster",
                    "query",
                    &[(NFAB, JOIN)],
                ),
                Plot {
                    x_axis: Spacing::Log,
                    ..sweep::lines(
                        "s3 p2 with larger windows",
                        "window, events",
                        "throughput",
                        &[NFAB_BY_WINDOW, JOIN_BY_WINDOW],
                    )
                },
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let stream = workload::stream(context)?;
        for case in CASES {
            workload::answer(&case.query(WINDOW), &stream.events)?;
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let stream = workload::stream(context)?;
        let events = &stream.events;
        let mut sweep = Sweep::default();
        sweep.data(&stream);
        for case in CASES {
            let query = case.query(WINDOW);
            let engine = workload::engine(&query, Way::Chosen)?;
            let answer = engine.answer(events)?;
            sweep.add(NFAB, case.name, answer, move || engine.answer(events));
            sweep.add(JOIN, case.name, answer, move || Ok(join::evaluate(&query, events).answer));
        }
        for window in WINDOWS {
            let query = CASES[4].query(window);
            let engine = workload::engine(&query, Way::Chosen)?;
            let answer = engine.answer(events)?;
            let x = window as f64;
            sweep.add(NFAB_BY_WINDOW, x, answer, move || engine.answer(events));
            sweep.add(JOIN_BY_WINDOW, x, answer, move || Ok(join::evaluate(&query, events).answer));
        }
        sweep.run(context, &[(NFAB, JOIN), (NFAB_BY_WINDOW, JOIN_BY_WINDOW)])
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let Some(ratio) = sweep::spread(rows, &sweep::cpu_ratio(NFAB, JOIN)) else {
            return Vec::new();
        };
        vec![format!(
            "In this run NFA^b took {} the CPU time of the compiled join, over the six queries.",
            ratio.times()
        )]
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        Ok(vec![workload::table()])
    }
}
