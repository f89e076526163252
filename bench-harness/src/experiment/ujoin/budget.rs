//! Results when memory does not suffice: what Figs. 15 and 16 share, and Fig. 15.

use std::collections::BTreeMap;

use ujoin::{Collect, Probability, Tuple};

use super::engines::{agreed, fail};
use super::spill::{Case, Disk, Kept, Outcome, STREAMS, run};
use crate::claim::{Claim, Rule, ratio};
use crate::error::{Error, Result};
use crate::experiment::plots;
use crate::experiment::{About, Context, Experiment, Kind, Scale};
use crate::measure::Summary;
use crate::record::{Row, X};

/// Fig. 15.
#[derive(Debug)]
pub struct Averages;

/// The budget of the curves over time, in percent of what memory would have to hold.
pub(super) const HALF_MEMORY: u32 = 50;
/// The budgets by which policies are compared.
pub(super) const BUDGETS: [u32; 8] = [12, 25, 50, 60, 70, 75, 80, 90];
/// The last stretch of time.
pub(super) const END: &str = "end";

pub(super) const RECONSTRUCTION: &str = "The pictures are lost, and so is Algorithm 4 and with it what N is; we \
    have no use for it. How many checkpoints there are and how fast tuples come is not said: 2 \
    checkpoints with 20,000 tuples an hour make lists of twelve tuples, long enough for half of one to \
    mean something. The \"probe buffer of 1500\" has no unit; read as 1,500 tuples for each thread it is \
    an eighth of what memory would have to hold, which is the smallest of our budgets. The time segments \
    are tenths of the tuples read; when all have been read, what is owed is drained at once, as if the \
    rate had dropped.";

pub(super) fn tenth(number: usize) -> X {
    format!("{}0 %", number + 1).into()
}

pub(super) fn names() -> [&'static str; 4] {
    Kept::ALL.map(Kept::name)
}

pub(super) fn outcome(case: &Case, kept: Kept, percent: u32) -> Result<Outcome> {
    let mut join = case.join(kept, case.share(percent), Disk::Memory)?;
    run(&mut *join, &case.load.tuples)
}

pub(super) fn method() -> String {
    format!(
        "Uniform keys from 1000 to 1999, one a slot, probabilities uniform from 0.5 to 0.99, threshold \
         0.7, travel times 60 min, {STREAMS} checkpoints, three windows. Memory holds so many tuples as \
         the budget says; when one more would not fit, the policy chooses which go to disk. Window half \
         (Algorithm 3) keeps the more probable half of each list; less than probability (Algorithm 4) \
         writes what is at most 0.8, and everything when that is less than a third; quantile, ours, \
         writes the least probable quarter. A result is early when it comes while tuples are being \
         read. The engine is the paper's, on one thread, so that counts are exact. All result sets are \
         compared with brute force."
    )
}

/// Compares all result sets with brute force at the budgets.
pub(super) fn check(context: &Context<'_>, case: &Case) -> Result<()> {
    let right = agreed(&[], &case.setup, &case.load.tuples)?;
    let budgets = if context.scale == Scale::Tiny { &BUDGETS[2..3] } else { &BUDGETS[..] };
    for &percent in budgets {
        for kept in Kept::ALL {
            let Outcome { answer, stats, .. } = outcome(case, kept, percent)?;
            if answer != right {
                return Err(Error::disagreement(format!(
                    "{} with {percent} % finds {answer:?}, but brute force {right:?}",
                    kept.name()
                )));
            }
            if (kept != Kept::All) == (stats.spilled_entries == 0) {
                let message = format!("{} tuples went to disk", stats.spilled_entries);
                return Err(Error::failed(message).within(kept.name()));
            }
        }
    }
    Ok(())
}

const FROM_MEMORY: &str = "early results, mean probability";
const FROM_DISK: &str = "results at the end, mean probability";
const LOWEST: &str = "lowest probability kept";
const LOWEST_MEAN: &str = "lowest probability kept in a list, mean";
const AT_0_80: &str = "0.80";
const AT_0_85: &str = "0.85";

/// What is in memory after the first flush that leaves something there, by stream and slot: every plate is asked for by a tuple of a
/// stream of its own that is certain, whose early results are all that is there.
fn kept_after_flush(case: &Case, kept: Kept) -> Result<BTreeMap<(u32, u64), Vec<Probability>>> {
    let mut join = case.join(kept, case.share(HALF_MEMORY), Disk::Memory)?;
    let mut sink = Collect::default();
    let (mut last, mut flushes) = (None, 0);
    for tuple in case.load.tuples.iter() {
        join.push(&[*tuple], &mut sink).map_err(fail)?;
        if join.stats().flushes > flushes {
            flushes = join.stats().flushes;
            // The tuple that made memory overflow is there in any case.
            if join.resident(&mut sink).map_err(fail)? > 1 {
                last = Some(*tuple);
                break;
            }
        }
    }
    let Some(last) = last else { return Ok(BTreeMap::new()) };
    join.resident(&mut sink).map_err(fail)?;
    sink.pairs.clear();
    let keys = case.slots..2 * case.slots;
    for (at, key) in (1..).zip(keys) {
        let probe = Tuple {
            seq: last.seq + at,
            observation: u64::MAX - at,
            key: u64::from(key),
            time: last.time,
            stream: STREAMS,
            probability: Probability::ONE,
        };
        join.push(&[probe], &mut sink).map_err(fail)?;
        if join.stats().flushes > flushes {
            return Err(Error::failed("the probes made memory overflow again"));
        }
    }
    join.resident(&mut sink).map_err(fail)?;
    let mut lists: BTreeMap<(u32, u64), Vec<Probability>> = BTreeMap::new();
    for pair in &sink.pairs {
        let stored = if pair.first.stream == STREAMS { pair.second } else { pair.first };
        // The tuple that made memory overflow came after the flush.
        if stored.seq != last.seq {
            lists.entry((stored.stream, stored.key)).or_default().push(stored.probability);
        }
    }
    Ok(lists)
}

impl Experiment for Averages {
    fn about(&self) -> About {
        let within = |a: &str, b: &str, kept: Kept, to: f64| Rule::Fold {
            a: a.to_owned(),
            b: b.to_owned(),
            from: 2.0 - to,
            to,
            at: vec![kept.name().into()],
        };
        About {
            id: "ujoin-fig15".to_owned(),
            kind: Kind::Figure,
            title: "Average probability of results over time".to_owned(),
            paper: "Fig. 15: results made in memory have a higher probability, those made later from \
                    disk a lower one, with both policies. Of what stays in memory the lowest \
                    probability is about 0.85 with window half, and a little over 0.8 with less than \
                    probability."
                .to_owned(),
            method: format!(
                "{} Here: the mean probability of the results of each tenth, and of those at the end, \
                 with memory for half of what it would have to hold. What is kept is read off right \
                 after the first flush, by asking for every plate.",
                method()
            ),
            reconstruction: Some(RECONSTRUCTION.to_owned()),
            claims: vec![
                Claim::new(
                    "with both policies early results are more probable than those from disk",
                    "higher from memory, lower from disk",
                    Rule::All(
                        [Kept::Half, Kept::Less]
                            .map(|kept| {
                                Rule::at(kept.name(), Rule::ordered(&[FROM_DISK, FROM_MEMORY]))
                            })
                            .to_vec(),
                    ),
                ),
                Claim::new(
                    "the lowest probability kept with window half is about 0.85 (mean over lists)",
                    "about 0.85",
                    within(LOWEST_MEAN, AT_0_85, Kept::Half, 1.03),
                ),
                Claim::new(
                    "the lowest probability kept with less than probability is just over 0.80",
                    "a little over 0.8",
                    Rule::Fold {
                        a: LOWEST.to_owned(),
                        b: AT_0_80.to_owned(),
                        from: 1.0,
                        to: 1.02,
                        at: vec![Kept::Less.name().into()],
                    },
                ),
            ],
            plots: vec![
                plots::lines(
                    "Mean probability of the results of each tenth, and from disk at the end",
                    "tuples read",
                    "probability",
                    &names(),
                ),
                plots::table("Mean probability", "policy", &[FROM_MEMORY, FROM_DISK]),
                plots::table(
                    "Lowest probability in memory after the first flush",
                    "policy",
                    &[LOWEST, LOWEST_MEAN],
                ),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let case = Case::new(context.scale, context.seed)?;
        check(context, &case)
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let case = Case::new(context.scale, context.seed)?;
        context.record.data_sha256(Some(case.load.sha256.clone()));
        for kept in Kept::ALL {
            let outcome = outcome(&case, kept, HALF_MEMORY)?;
            let mut mean = |series: &str, x: X, mean: Option<f64>| {
                if let Some(mean) = mean {
                    context.record.point(series, x, Summary::exact(mean), "");
                }
            };
            for (number, stretch) in outcome.tenths.iter().enumerate() {
                mean(kept.name(), tenth(number), stretch.mean());
            }
            mean(kept.name(), END.into(), outcome.drained.mean());
            mean(FROM_MEMORY, kept.name().into(), outcome.early().mean());
            mean(FROM_DISK, kept.name().into(), outcome.drained.mean());
        }
        for kept in Kept::POLICIES {
            let lists = kept_after_flush(&case, kept)?;
            let least = |list: &Vec<Probability>| {
                list.iter().map(|p| f64::from(p.nanos()) / 1e9).fold(1.0, f64::min)
            };
            let lowest: Vec<f64> = lists.values().map(least).collect();
            if lowest.is_empty() {
                continue;
            }
            let all = lowest.iter().copied().fold(1.0, f64::min);
            let mean = lowest.iter().sum::<f64>() / lowest.len() as f64;
            let mut point = |series: &str, value: f64| {
                context.record.point(series, kept.name(), Summary::exact(value), "");
            };
            point(LOWEST, all);
            point(LOWEST_MEAN, mean);
            point(&ratio(LOWEST, AT_0_80), all / 0.8);
            point(&ratio(LOWEST_MEAN, AT_0_85), mean / 0.85);
        }
        Ok(())
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let sentence = |kept: Kept| {
            let at = |series: &str| plots::value(rows, series, &kept.name().into());
            Some(format!(
                "{}: mean probability {:.3} of early results, {:.3} of those from disk.",
                kept.name(),
                at(FROM_MEMORY)?,
                at(FROM_DISK)?
            ))
        };
        let half = plots::value(rows, LOWEST_MEAN, &Kept::Half.name().into()).map(|mean| {
            format!(
                "Window half: the lowest probability that is kept in a list is {mean:.3} on average, \
                 where the paper has about 0.85. Of a long list whose probabilities are uniform from \
                 0.7 to 0.99 the more probable half begins at 0.845; lists are short here, and of an \
                 odd number the smaller half is kept, so that it begins higher."
            )
        });
        half.into_iter().chain(Kept::POLICIES.into_iter().filter_map(sentence)).collect()
    }
}
