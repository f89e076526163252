//! Which data are fast and which slow, across Figs. 6 to 14.

use ujoin::Product;

use super::engines::{
    BATCH, BATCH_BATCHED, DATABASE, INLINE, INLINE_BATCHED, LOG, NAMES, Setup, TUNED, Way,
};
use super::load::{Data, Load, hundredths, rate};
use super::sweep::{self, FOUND, GIVEN, Place, Run, SURVIVORS};
use crate::claim::{Claim, Rule, ratio};
use crate::error::Result;
use crate::experiment::plots;
use crate::experiment::{About, Context, Experiment, Kind, Plot, Spacing, Style};
use crate::measure::Summary;
use crate::record::{Row, X};

/// The comparison.
#[derive(Debug)]
pub struct Datasets;

const DATA: [Data; 3] = [Data::Uniform, Data::Traffic, Data::Gaussian];
const WAYS: [&str; 7] = [INLINE, BATCH, INLINE_BATCHED, BATCH_BATCHED, DATABASE, TUNED, LOG];
/// The paper's order: the faster one first.
const STEPS: [(Data, Data); 3] = [
    (Data::Uniform, Data::Traffic),
    (Data::Traffic, Data::Gaussian),
    (Data::Uniform, Data::Gaussian),
];

/// Times for a tuple compared between data.
fn step(faster: Data, slower: Data) -> (String, String) {
    let name = |data: Data| format!("{}, time for a tuple", data.name());
    (name(faster), name(slower))
}

/// Speeds of a data set.
fn speed(data: Data) -> String {
    format!("{} data", data.name())
}

/// CPU times for a survivor.
fn cost(data: Data) -> String {
    format!("{} data, CPU a survivor", data.name())
}

fn places(context: &Context<'_>) -> Result<Vec<Place>> {
    let theta = Product::from(hundredths(70));
    let place = |data: Data| {
        let Some(load) = Load::or_own(data, 60, rate(context.scale), 2.5, context)? else {
            return Ok(None);
        };
        let x = data.name().into();
        Ok(Some(Place { x, load, setup: Setup::new(60, theta)?, before: 0 }))
    };
    DATA.into_iter().filter_map(|data| place(data).transpose()).collect()
}

impl Experiment for Datasets {
    fn about(&self) -> About {
        let order = |ways: &[&str]| {
            let all = ways.iter().flat_map(|&way| {
                STEPS[..2].iter().map(move |&(faster, slower)| {
                    let (a, b) = step(faster, slower);
                    Rule::at(way, Rule::below(&a, &b))
                })
            });
            Rule::All(all.collect())
        };
        let text = "threads: uniform data are fastest, Gaussian data slowest";
        let paper = "uniform fastest, Gaussian slowest, real data between";
        let same = STEPS.map(|(a, b)| {
            let (a, b) = step(a, b);
            Rule::Fold { a, b, from: 1.0 / 1.1, to: 1.1, at: vec![DATABASE.into()] }
        });
        let speeds = DATA.map(speed);
        let costs = DATA.map(cost);
        let ratios: Vec<String> = STEPS
            .map(|(faster, slower)| {
                let (a, b) = step(faster, slower);
                ratio(&a, &b)
            })
            .to_vec();
        About {
            id: "ujoin-datasets".to_owned(),
            kind: Kind::Figure,
            title: "Uniform, Gaussian and traffic data".to_owned(),
            paper: "Across Figs. 6 to 14: threads are fastest with uniform data and slowest with \
                    Gaussian data, whose lists are long in the middle, so that on average more is \
                    scanned; the real data are between. The database does not care: it finds plates \
                    by an index over the whole table."
                .to_owned(),
            method: format!(
                "60 checkpoints, threshold 0.7, travel times and interval 60 min, as in all of those \
                 figures; all data in one interleaved run. Times are CPU times of all threads for a \
                 tuple given, dropped ones included, paired within a round. {NAMES}"
            ),
            reconstruction: Some(
                "As in Figs. 6 to 14. The data differ in more than their lists: nearly every car of \
                 the traffic data is seen twice within an hour, so that there are many more results, \
                 and readings of low probability, dropped at once, stand beside most others."
                    .to_owned(),
            ),
            claims: vec![
                Claim::new(format!("{text} (one tuple a send)"), paper, order(&[INLINE, BATCH])),
                Claim::new(
                    format!("{text} (256 tuples a send)"),
                    paper,
                    order(&[INLINE_BATCHED, BATCH_BATCHED]),
                )
                .our_reading(),
                Claim::new(
                    "the database is as fast with all data, to within a tenth",
                    "the data have nearly no influence on the database",
                    Rule::All(same.to_vec()),
                ),
            ],
            plots: vec![
                Plot {
                    y_axis: Spacing::Log,
                    ..plots::bars("Speed by CPU time", "", "speed", &plots::borrow(&speeds))
                },
                Plot {
                    style: Style::Ratios,
                    y_axis: Spacing::Log,
                    ..plots::lines(
                        "Times for a tuple: below 1 the first data are faster",
                        "",
                        "ratio of CPU times",
                        &plots::borrow(&ratios),
                    )
                },
                plots::table(
                    "CPU time for a tuple that reaches the threshold, in nanoseconds",
                    "way",
                    &plots::borrow(&costs),
                ),
                plots::table("What was given and found", "data", &[GIVEN, SURVIVORS, FOUND]),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let places = places(context)?;
        let mut ways = Way::of_figures();
        ways.push(Way::Keyed);
        sweep::check(context, &places, &ways)
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let places = places(context)?;
        let runs = sweep::time(context, &places, &Way::of_figures())?;
        for way in WAYS {
            let of = |data: Data| -> Option<(&Run, &Place)> {
                let x = X::from(data.name());
                let run = runs.iter().find(|run| run.way.name() == way && run.x == x)?;
                Some((run, places.iter().find(|place| place.x == x)?))
            };
            for data in DATA {
                let Some((run, place)) = of(data) else { continue };
                context.record.data_sha256(Some(place.load.sha256.clone()));
                let Some(times) = run.samples.cpu_summary() else { continue };
                let given = run.tuples as f64;
                let survivors = place.survivors() as f64;
                context.record.point(&speed(data), way, times.rate(given / 1e6), sweep::RATE);
                context.record.point(&cost(data), way, times.scale(1e9 / survivors), "ns");
            }
            context.record.data_sha256(None);
            for (faster, slower) in STEPS {
                let (Some((a, _)), Some((b, _))) = (of(faster), of(slower)) else { continue };
                let times = |run: &Run| -> Vec<f64> {
                    run.samples.cpu.iter().map(|time| time / run.tuples as f64).collect()
                };
                if let Some(summary) = Summary::of_ratios(&times(a), &times(b)) {
                    let (a, b) = step(faster, slower);
                    context.record.point(&ratio(&a, &b), way, summary, "ratio");
                }
            }
        }
        Ok(())
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let sentence = |way: &str| {
            let value = |data| plots::value(rows, &speed(data), &way.into());
            let values = DATA.map(value).into_iter().collect::<Option<Vec<f64>>>()?;
            let texts: Vec<String> = DATA
                .iter()
                .zip(values)
                .map(|(data, value)| format!("{} {}", data.name(), crate::number::short(value)))
                .collect();
            Some(format!("{way}, million tuples a second: {}.", texts.join(", ")))
        };
        [INLINE, INLINE_BATCHED, DATABASE].into_iter().filter_map(sentence).collect()
    }
}
