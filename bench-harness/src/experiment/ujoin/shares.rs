//! How many results come in time when memory does not suffice: Fig. 16.

use super::budget::{
    BUDGETS, END, HALF_MEMORY, RECONSTRUCTION, check, method, names, outcome, tenth,
};
use super::engines::agreed;
use super::spill::{Case, Disk, Kept, run};
use super::sweep;
use crate::claim::{Claim, Rule};
use crate::error::{Error, Result};
use crate::experiment::plots::{self, cpu};
use crate::experiment::{About, Context, Experiment, Kind, Scale};
use crate::measure::{Contender, Samples, Summary, interleave};
use crate::number::short;
use crate::record::{Row, X};

/// Fig. 16.
#[derive(Debug)]
pub struct Shares;

/// The budgets of a rush that ends with its first window.
const RUSH_BUDGETS: [u32; 6] = [50, 60, 70, 75, 80, 90];
/// Budgets at which one flush gets over a rush: what less than probability leaves, 65 % of the budget,
/// and what comes after find room together from 74 % on.
const ONE_FLUSH: [u32; 3] = [75, 80, 90];

/// The early share of a rush of one window.
fn rush_early(kept: Kept) -> String {
    format!("{}, early share of a rush", kept.name())
}

fn rush_flushes(kept: Kept) -> String {
    format!("{}, flushes of a rush", kept.name())
}

fn early(kept: Kept) -> String {
    format!("{}, early share", kept.name())
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
        let rushes = Kept::POLICIES.map(rush_early);
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
                 what it would have to hold; the share of early results by budget; the same in a rush, \
                 the first window alone, after which the rate drops and what is owed is drained, so \
                 that a single flush may suffice; and CPU times of whole runs, draining included, with \
                 real files, in interleaved rounds.",
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
                    "in a rush that one flush gets over, less than probability gives more results early",
                    "more early results, hence recommended",
                    Rule::All(
                        ONE_FLUSH
                            .map(|percent| {
                                let series = [&*rushes[0], &*rushes[1]];
                                Rule::at(f64::from(percent), Rule::ordered(&series))
                            })
                            .to_vec(),
                    ),
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
                plots::lines(
                    "Early results of a rush of one window by budget",
                    "tuples that memory holds, % of those in a window",
                    "share of all results",
                    &plots::borrow(&rushes),
                ),
                plots::table(
                    "The same, and the flushes of the rush",
                    "budget, %",
                    &plots::borrow(
                        &Kept::POLICIES.map(|kept| [rush_early(kept), rush_flushes(kept)]).concat(),
                    ),
                ),
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
        check(context, &case.first_window())?;
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
        let rush = case.first_window();
        for percent in RUSH_BUDGETS {
            let x = f64::from(percent);
            for kept in Kept::POLICIES {
                let outcome = outcome(&rush, kept, percent)?;
                let share = Summary::exact(outcome.early_share());
                context.record.point(&rush_early(kept), x, share, "%");
                context.record.count(&rush_flushes(kept), x, outcome.stats.flushes, "");
            }
        }
        times(context, &case)
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let sentence = |kept: Kept| {
            let points = plots::values(rows, &early(kept));
            let list = |texts: Vec<String>| texts.join(", ");
            let shares = list(points.iter().map(|(_, share)| short(*share)).collect());
            let budgets = list(points.iter().map(|(x, _)| x.to_string()).collect());
            (!points.is_empty()).then(|| {
                format!("{}, early results: {shares} % at budgets of {budgets} %.", kept.name())
            })
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
        flip.into_iter()
            .chain(single_flush(rows))
            .chain(Kept::POLICIES.into_iter().filter_map(sentence))
            .collect()
    }
}

/// What happens where a rush needs a single flush with both of the paper's policies.
fn single_flush(rows: &[&Row]) -> Option<String> {
    let at = |series: String, percent: u32| plots::value(rows, &series, &f64::from(percent).into());
    let once = |kept, percent| at(rush_flushes(kept), percent) == Some(1.0);
    let texts: Vec<String> = RUSH_BUDGETS
        .into_iter()
        .filter(|&percent| once(Kept::Half, percent) && once(Kept::Less, percent))
        .filter_map(|percent| {
            let less = short(at(rush_early(Kept::Less), percent)?);
            let half = short(at(rush_early(Kept::Half), percent)?);
            Some(format!("{less} against {half} % at a budget of {percent} %"))
        })
        .collect();
    (!texts.is_empty()).then(|| {
        format!(
            "Where one flush gets over a rush of one window, less than probability gives these shares \
             early, against those of window half: {}. It then writes a third of what is in memory \
             where window half writes a half; the next flush would find nothing below 0.8 but what \
             came since, and write everything.",
            texts.join(", ")
        )
    })
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
