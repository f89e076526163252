//! Results in time when memory does not suffice: Figs. 15 and 16.

use std::collections::BTreeMap;

use ujoin::{Collect, Probability, Tuple};

use super::engines::{agreed, fail};
use super::spill::{Case, Disk, Kept, Outcome, STREAMS, run};
use super::sweep;
use crate::claim::{Claim, Rule, ratio};
use crate::error::{Error, Result};
use crate::experiment::plots::{self, cpu};
use crate::experiment::{About, Context, Experiment, Kind, Scale};
use crate::measure::{Contender, Samples, Summary, interleave};
use crate::number::short;
use crate::record::{Row, X};

/// Fig. 15.
#[derive(Debug)]
pub struct Averages;

/// Fig. 16.
#[derive(Debug)]
pub struct Shares;

/// The budget of the curves over time, in percent of what memory would have to hold.
const HALF_MEMORY: u32 = 50;
/// The budgets by which policies are compared.
const BUDGETS: [u32; 5] = [12, 25, 50, 70, 80];
/// The last stretch of time.
const END: &str = "end";

const RECONSTRUCTION: &str = "The pictures are lost, and so is Algorithm 4 and with it what N is; we \
    have no use for it. How many checkpoints there are and how fast tuples come is not said: 2 \
    checkpoints with 20,000 tuples an hour make lists of twelve tuples, long enough for half of one to \
    mean something. The \"probe buffer of 1500\" has no unit; read as 1,500 tuples for each thread it is \
    an eighth of what memory would have to hold, which is the smallest of our budgets. The time segments \
    are tenths of the tuples read; when all have been read, what is owed is drained at once, as if the \
    rate had dropped.";

fn early(kept: Kept) -> String {
    format!("{}, early share", kept.name())
}

fn tenth(number: usize) -> X {
    format!("{}0 %", number + 1).into()
}

fn names() -> [&'static str; 4] {
    Kept::ALL.map(Kept::name)
}

fn outcome(case: &Case, kept: Kept, percent: u32) -> Result<Outcome> {
    let mut join = case.join(kept, case.share(percent), Disk::Memory)?;
    run(&mut *join, &case.load.tuples)
}

fn method() -> String {
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
fn check(context: &Context<'_>, case: &Case) -> Result<()> {
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
        Kept::POLICIES.into_iter().filter_map(sentence).collect()
    }
}

const SAME: &str = "result sets";

impl Experiment for Shares {
    fn about(&self) -> About {
        let earlies = Kept::POLICIES.map(early);
        let [half, less, quantile] = &earlies;
        let budgets = || BUDGETS.map(|percent| X::from(f64::from(percent)));
        let order = |a: &str, b: &str| {
            let at = budgets().map(|x| Rule::at(x, Rule::ordered(&[a, b])));
            Rule::All(at.to_vec())
        };
        let times = [Kept::All, Kept::Half, Kept::Less].map(|kept| cpu(kept.name()));
        let about_as = Rule::Fold {
            a: times[1].clone(),
            b: times[2].clone(),
            from: 0.8,
            to: 1.25,
            at: vec![END.into()],
        };
        About {
            id: "ujoin-fig16".to_owned(),
            kind: Kind::Figure,
            title: "Results over time".to_owned(),
            paper: "Fig. 16: with everything in memory results come fastest. Both policies write about \
                    as much to disk and take about the same total time. Less than probability gives \
                    more results early, window half more from disk, so less than probability is \
                    recommended. All three give the same results."
                .to_owned(),
            method: format!(
                "{} Here: which share of all results has come by each tenth, with memory for half of \
                 what it would have to hold; the share of early results by budget; and CPU times of \
                 whole runs, draining included, with real files, in interleaved rounds.",
                method()
            ),
            reconstruction: Some(RECONSTRUCTION.to_owned()),
            claims: vec![
                Claim::example("all policies give the results of brute force", SAME),
                Claim::new(
                    "everything in memory takes least time",
                    "in memory is fastest",
                    Rule::All(vec![
                        Rule::below(&times[0], &times[1]),
                        Rule::below(&times[0], &times[2]),
                    ]),
                ),
                Claim::new(
                    "both policies take about the same time in all",
                    "about the same total time",
                    about_as,
                ),
                Claim::new(
                    "less than probability gives more results early, at every budget",
                    "more early results, hence recommended",
                    order(half, less),
                ),
                Claim::new(
                    "less than probability gives more results early when memory holds four fifths",
                    "more early results, hence recommended",
                    Rule::All(vec![Rule::at(80.0, Rule::ordered(&[half, less]))]),
                )
                .our_reading(),
                Claim::new(
                    "the quantile policy gives more results early than both, at every budget",
                    "more early results",
                    Rule::All(vec![order(half, quantile), order(less, quantile)]),
                )
                .our_check(),
            ],
            plots: vec![
                plots::lines(
                    "Results so far, memory for half of the tuples",
                    "tuples read",
                    "share of all results",
                    &names(),
                ),
                plots::lines(
                    "Early results by budget: where lines cross, the recommendation flips",
                    "tuples that memory holds, % of those in a window",
                    "share of all results",
                    &plots::borrow(&earlies),
                ),
                plots::table("The same", "budget, %", &plots::borrow(&earlies)),
                plots::table(
                    "Flushes, and tuples written to disk",
                    "budget, %",
                    &plots::borrow(
                        &Kept::POLICIES.map(|kept| [flushes(kept), written(kept)]).concat(),
                    ),
                ),
                plots::table(
                    "CPU time of the whole in milliseconds",
                    "",
                    &plots::borrow(&Kept::ALL.map(|kept| cpu(kept.name()))),
                ),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let case = Case::new(context.scale, context.seed)?;
        check(context, &case)?;
        // Whatever differed has been an error.
        let right = agreed(&[], &case.setup, &case.load.tuples)?;
        let mut equal = true;
        for kept in Kept::ALL {
            equal &= outcome(&case, kept, HALF_MEMORY)?.answer == right;
        }
        let text = if equal { "equal" } else { "different" };
        context.record.check(SAME, "equal", text);
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let case = Case::new(context.scale, context.seed)?;
        context.record.data_sha256(Some(case.load.sha256.clone()));
        for kept in Kept::ALL {
            let outcome = outcome(&case, kept, HALF_MEMORY)?;
            let mut so_far = 0;
            let mut share = |x: X, pairs: u64| {
                so_far += pairs;
                let share = 100.0 * so_far as f64 / outcome.answer.pairs.max(1) as f64;
                context.record.point(kept.name(), x, Summary::exact(share), "%");
            };
            for (number, stretch) in outcome.tenths.iter().enumerate() {
                share(tenth(number), stretch.pairs);
            }
            share(END.into(), outcome.drained.pairs);
        }
        for percent in BUDGETS {
            let x = f64::from(percent);
            for kept in Kept::POLICIES {
                let outcome = outcome(&case, kept, percent)?;
                let share = Summary::exact(outcome.early_share());
                context.record.point(&early(kept), x, share, "%");
                context.record.count(&flushes(kept), x, outcome.stats.flushes, "");
                context.record.count(&written(kept), x, outcome.stats.spilled_entries, "");
            }
        }
        times(context, &case)
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let sentence = |kept: Kept| {
            let points = plots::values(rows, &early(kept));
            let texts: Vec<String> = points
                .iter()
                .map(|(x, share)| format!("{} % at a budget of {x} %", short(*share)))
                .collect();
            (!texts.is_empty())
                .then(|| format!("{}, early results: {}.", kept.name(), texts.join(", ")))
        };
        let flip = BUDGETS.into_iter().find(|&percent| {
            let at = |kept| plots::value(rows, &early(kept), &f64::from(percent).into());
            matches!((at(Kept::Half), at(Kept::Less)), (Some(half), Some(less)) if less > half)
        });
        let flip = match flip {
            _ if rows.is_empty() => None,
            Some(percent) => Some(format!(
                "From a budget of {percent} % on less than probability, which the paper recommends, gives \
                 more early results than window half."
            )),
            None => Some(
                "At none of these budgets does less than probability, which the paper recommends, give \
                 more early results than window half: what it leaves in memory is above 0.8, so that a \
                 later flush finds too little to write and writes everything."
                    .to_owned(),
            ),
        };
        flip.into_iter().chain(Kept::POLICIES.into_iter().filter_map(sentence)).collect()
    }
}

fn flushes(kept: Kept) -> String {
    format!("{}, flushes", kept.name())
}

fn written(kept: Kept) -> String {
    format!("{}, written", kept.name())
}

/// CPU times of whole runs with real files.
fn times(context: &mut Context<'_>, case: &Case) -> Result<()> {
    let expected = agreed(&[], &case.setup, &case.load.tuples)?;
    // Tests have no time to wait for a disk.
    let disk = if context.scale == Scale::Tiny { Disk::Memory } else { Disk::Files };
    let contender = |kept: Kept| {
        let entries = case.share(HALF_MEMORY);
        Contender::new(kept.name(), move || {
            let mut join = case.join(kept, entries, disk)?;
            let answer = run(&mut *join, &case.load.tuples)?.answer;
            if answer == expected {
                return Ok(());
            }
            Err(Error::disagreement(format!("finds {answer:?}, but {expected:?} is right")))
        })
    };
    let mut contenders: Vec<Contender<'_, ()>> = Kept::ALL.into_iter().map(contender).collect();
    let plan = sweep::plan(context);
    let samples: Vec<Samples<()>> = interleave(&mut contenders, &plan, context.progress)?;
    context.record.times(END, &samples);
    if let [_, half, less, _] = &samples[..] {
        context.record.ratio(END, half, less);
    }
    Ok(())
}
