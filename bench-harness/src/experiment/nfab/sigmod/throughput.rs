//! Events a second: one run for each partial match against merged runs.

use super::workload::{self, CASES, Case, WINDOW};
use crate::claim::{Claim, Rule};
use crate::error::Result;
use crate::experiment::nfab::engines::{Nfab, Way, agree, stock_schema};
use crate::experiment::nfab::sweep::{self, Sweep, cpu};
use crate::experiment::{About, Artefact, Context, Experiment, Kind};
use crate::record::Row;

/// The figure.
#[derive(Debug)]
pub struct Throughput;

const BASIC: &str = "basic runs";
const MERGED: &str = "merged runs";
const COMPACT: &str = "compact";
const BASIC_COUNT: &str = "basic runs, counting";
const MERGED_COUNT: &str = "merged runs, counting";
const COMPACT_COUNT: &str = "compact, counting";

/// Which of the queries may be merged.
const ALLOWED: &str = "queries whose runs can be merged";

impl Experiment for Throughput {
    fn about(&self) -> About {
        let mergeable = || CASES.iter().filter(|case| case.predicate_name() != "p3");
        let helps = |a: &str, b: &str| {
            let below = || Rule::below(&cpu(a), &cpu(b));
            Rule::All(mergeable().map(|case| Rule::at(case.name, below())).collect())
        };
        let mut claims = vec![
            Claim::new(
                "merging runs helps p1 and p2 under both strategies, every match read",
                "merging helps p1 and p2",
                helps(MERGED, BASIC),
            ),
            Claim::example("p3, whose minimum differs from run to run, cannot be merged", ALLOWED),
        ];
        for case in mergeable() {
            claims.push(Claim::new(
                format!("{}: merging runs helps", case.name),
                "merging helps",
                Rule::at(case.name, Rule::below(&cpu(MERGED), &cpu(BASIC))),
            ));
        }
        let mut claims: Vec<Claim> = claims.into_iter().map(Claim::our_reading).collect();
        claims.push(
            Claim::new(
                "merging runs helps p1 and p2 when matches are only counted",
                "merging helps",
                helps(MERGED_COUNT, BASIC_COUNT),
            )
            .our_check(),
        );
        About {
            id: "nfab-sigmod-throughput".to_owned(),
            kind: Kind::Figure,
            title: "Throughput: basic runs against merged runs".to_owned(),
            paper: "The paper of 2008, as we recall it: runs in the same state whose future is the \
                    same are merged. That helps p1 and p2, where runs that have taken the same last \
                    event cannot be told apart, and not p3, where each remembers a minimum of its \
                    own."
                .to_owned(),
            method: format!(
                "{} W is {WINDOW}. Basic runs: the engine with one run for each partial match. \
                 Merged runs: its evaluation that keeps runs in the same state with the same \
                 remembered values as one group. Compact: its structure for conditions on single \
                 events, which only p1 allows; the paper has nothing like it. For p3 there is \
                 nothing to measure but basic runs: the engine refuses to merge, and that is \
                 checked. Inside the timed region: the events from memory through the engine, with \
                 every event of every match read, and once more with matches only counted. The times are CPU \
                 times of one thread; answers are compared before and in every run.",
                workload::STREAM
            ),
            reconstruction: Some(workload::RECONSTRUCTION.to_owned()),
            claims,
            plots: vec![
                sweep::bars("Every match read", "query", "throughput", &[BASIC, MERGED, COMPACT]),
                sweep::ratios(
                    "Paired ratio of the CPU times, every match read: below 1, merging helps",
                    "query",
                    &[(MERGED, BASIC)],
                ),
                sweep::ratios(
                    "Paired ratio of the CPU times, matches only counted",
                    "query",
                    &[(MERGED_COUNT, BASIC_COUNT)],
                ),
                sweep::bars(
                    "Matches only counted (ours)",
                    "query",
                    "throughput",
                    &[BASIC_COUNT, MERGED_COUNT, COMPACT_COUNT],
                ),
                sweep::table("Matches", "query", &["matches"]),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let stream = workload::stream(context)?;
        let mut allowed = Vec::new();
        for case in CASES {
            let answer = workload::answer(&case.query(WINDOW), &stream.events)?;
            if let Some(merged) = merged(&case, Way::Grouped)? {
                agree(&[("basic runs", answer), ("merged runs", merged.answer(&stream.events)?)])?;
                allowed.push(case.name);
            }
            context.record.count("matches", case.name, answer.matches, "");
        }
        context.record.check(ALLOWED, "s2 p1, s2 p2, s3 p1, s3 p2", allowed.join(", "));
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let stream = workload::stream(context)?;
        let events = &stream.events;
        let mut sweep = Sweep::default();
        sweep.data(&stream);
        for case in CASES {
            let basic = workload::engine(&case.query(WINDOW), workload::CHAIN)?;
            let answer = basic.answer(events)?;
            let ways = [
                (BASIC, BASIC_COUNT, Some(basic)),
                (MERGED, MERGED_COUNT, merged(&case, Way::Grouped)?),
                (COMPACT, COMPACT_COUNT, merged(&case, Way::Compact)?),
            ];
            for (reading, counting, engine) in ways {
                let Some(engine) = engine else { continue };
                let counter = engine.clone();
                sweep.add(reading, case.name, answer, move || engine.answer(events));
                sweep.add(counting, case.name, answer.matches, move || counter.count(events));
            }
        }
        let pairs = [(MERGED, BASIC), (MERGED_COUNT, BASIC_COUNT), (COMPACT, BASIC)];
        sweep.run(context, &pairs)
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let of = |series: &str| sweep::spread(rows, &sweep::cpu_ratio(series, BASIC));
        let count = sweep::spread(rows, &sweep::cpu_ratio(MERGED_COUNT, BASIC_COUNT));
        match (of(MERGED), count) {
            (Some(read), Some(count)) => vec![format!(
                "In this run merged runs took {} the CPU time of basic runs on p1 and p2 with every match \
                 read, {} with matches only counted.",
                read.times(),
                count.times()
            )],
            _ => Vec::new(),
        }
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        Ok(vec![workload::table()])
    }
}

fn merged(case: &Case, way: Way) -> Result<Option<Nfab>> {
    Nfab::allowed(&case.query(WINDOW).text(), &stock_schema(), way)
}
