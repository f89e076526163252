//! Speed against checkpoints, interval of expiry and threshold: Figs. 6 to 14.

use std::fmt::Write;

use ujoin::Product;

use super::engines::{
    BATCH, BATCH_BATCHED, DATABASE, INLINE, INLINE_BATCHED, LOG, NAMES, Setup, TUNED, Way,
};
use super::load::{Data, Load, PLATES, hundredths, rate};
use super::sweep::{self, FOUND, GIVEN, Place, SURVIVORS, cost, swing, wall};
use crate::claim::{Claim, Rule, ratio};
use crate::error::Result;
use crate::experiment::plots::{self, cpu, cpu_ratio};
use crate::experiment::{About, Context, Experiment, Kind, Plot, Scale};
use crate::number::short;
use crate::record::{Row, X};

/// What is varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Checkpoints, and threads.
    Checkpoints,
    /// Minutes between expiries.
    Interval,
    /// The least probability of a result.
    Threshold,
}

/// A figure.
#[derive(Clone, Copy, Debug)]
pub struct Curve {
    axis: Axis,
    data: Data,
    number: u32,
}

/// Figs. 6 to 14 in their order.
pub fn curves() -> impl Iterator<Item = Curve> {
    let axes = [(Axis::Checkpoints, 6), (Axis::Interval, 9), (Axis::Threshold, 12)];
    axes.into_iter().flat_map(|(axis, first)| {
        let data = [Data::Uniform, Data::Gaussian, Data::Traffic];
        (first..).zip(data).map(move |(number, data)| Curve { axis, data, number })
    })
}

const SERIES: [&str; 7] = [INLINE, BATCH, INLINE_BATCHED, BATCH_BATCHED, DATABASE, TUNED, LOG];

/// Ratios of times that are recorded: by them the first one's time is above the second one's.
const PAIRS: [(&str, &str); 8] = [
    (DATABASE, INLINE),
    (DATABASE, BATCH),
    (DATABASE, INLINE_BATCHED),
    (DATABASE, BATCH_BATCHED),
    (BATCH, INLINE),
    (BATCH_BATCHED, INLINE_BATCHED),
    (TUNED, INLINE_BATCHED),
    (DATABASE, LOG),
];

/// Of how far speeds are apart.
const SPREADS: [(&str, &str); 4] =
    [(DATABASE, BATCH), (DATABASE, BATCH_BATCHED), (DATABASE, INLINE), (DATABASE, INLINE_BATCHED)];

/// How tuples are sent: the names of inline and batch expiry, and what to call it.
type Sends = (&'static str, &'static str, &'static str);

/// As the text says, and as one would do it.
const ONE_BY_ONE: Sends = (INLINE, BATCH, "one tuple a send");
const BY_THE_BATCH: Sends = (INLINE_BATCHED, BATCH_BATCHED, "256 tuples a send");

const CHECKPOINTS: [u32; 5] = [30, 60, 90, 120, 150];
const MINUTES: [u32; 5] = [30, 60, 90, 120, 150];
const THRESHOLDS: [u32; 3] = [70, 80, 90];

impl Axis {
    fn all(self) -> Vec<X> {
        match self {
            Self::Checkpoints | Self::Interval => {
                CHECKPOINTS.iter().map(|&number| f64::from(number).into()).collect()
            }
            Self::Threshold => THRESHOLDS.iter().map(|&t| (f64::from(t) / 100.0).into()).collect(),
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Checkpoints => "checkpoints",
            Self::Interval => "minutes between expiries",
            Self::Threshold => "probability threshold",
        }
    }
}

impl Curve {
    /// What is joined at every x.
    fn places(self, context: &Context<'_>) -> Result<Vec<Place>> {
        let rate = rate(context.scale);
        let windows = match (self.axis, context.scale) {
            // Time must pass a few times over the longest interval, 150 min.
            (Axis::Interval, Scale::Full) => 12.0,
            (Axis::Interval, _) => 6.0,
            (_, Scale::Full) => 8.0,
            _ => 2.5,
        };
        let load = |streams| Load::or_own(self.data, streams, rate, windows, context);
        let theta = |percent| Product::from(hundredths(percent));
        let mut places = Vec::new();
        match self.axis {
            Axis::Checkpoints => {
                for streams in CHECKPOINTS {
                    let setup = Setup::new(streams, theta(70))?;
                    let Some(load) = load(streams)? else { continue };
                    places.push(Place { x: f64::from(streams).into(), load, setup, before: 0 });
                }
            }
            Axis::Interval => {
                let Some(load) = load(60)? else { return Ok(places) };
                for minutes in MINUTES {
                    let mut setup = Setup::new(60, theta(70))?;
                    setup.interval = i64::from(minutes) * 60;
                    let x = f64::from(minutes).into();
                    places.push(Place { x, load: load.clone(), setup, before: 0 });
                }
            }
            Axis::Threshold => {
                let Some(load) = load(60)? else { return Ok(places) };
                for percent in THRESHOLDS {
                    let setup = Setup::new(60, theta(percent))?;
                    let x = (f64::from(percent) / 100.0).into();
                    places.push(Place { x, load: load.clone(), setup, before: 0 });
                }
            }
        }
        Ok(places)
    }

    /// The paper's claims, read of threads that are sent tuples in this way.
    fn claims_of(self, (inline, batch, sends): Sends) -> Vec<Claim> {
        let claim = |text: &str, paper: &str, rule| {
            Claim::new(format!("{text} ({sends})"), paper.to_owned(), rule)
        };
        let above = |text: &str, paper: &str| {
            let both = [inline, batch].map(|one| Rule::above(&cpu(DATABASE), &cpu(one)));
            claim(text, paper, Rule::All(both.to_vec()))
        };
        let ahead = claim(
            "inline expiry is slightly ahead of batch expiry",
            "inline slightly ahead of batch",
            Rule::SlightlyAhead { a: cpu(batch), b: cpu(inline) },
        );
        match self.axis {
            Axis::Checkpoints => {
                let fold = |one: &str| Rule::Fold {
                    a: DATABASE.to_owned(),
                    b: one.to_owned(),
                    from: 2.0,
                    to: 8.0,
                    at: self.axis.all(),
                };
                vec![
                    claim(
                        "threads slow down as checkpoints grow",
                        "speed falls with the number of checkpoints",
                        Rule::falls(&[inline, batch]),
                    ),
                    claim(
                        "threads are 2 to 8 times faster than the database by the clock",
                        "2 to 8 times up to 150 checkpoints",
                        Rule::All(vec![fold(inline), fold(batch)]),
                    ),
                ]
            }
            Axis::Interval => {
                let peak = if self.data == Data::Uniform { 90.0 } else { 60.0 };
                vec![
                    claim(
                        &format!("batch expiry is fastest near {peak} min"),
                        &format!("rises, then falls, with the peak near {peak} min"),
                        Rule::PeakAt { series: batch.to_owned(), x: peak.into() },
                    ),
                    claim(
                        "the interval means less to the database than to batch expiry",
                        "much less influence on the database",
                        Rule::below(&swing(DATABASE), &swing(batch)),
                    ),
                    claim("inline expiry is flat", "always the same", Rule::flat(&[inline])),
                    ahead,
                    above("both are faster than the database", "both clearly above the database"),
                ]
            }
            Axis::Threshold => vec![
                claim(
                    "threads get faster as the threshold rises",
                    "all rise with the threshold",
                    Rule::rises(&[inline, batch]),
                ),
                claim(
                    "threads gain more than the database",
                    "threads rise more than the database",
                    Rule::below(&swing(DATABASE), &swing(inline)),
                ),
                ahead,
                above("both are faster than the database", "both above the database"),
            ],
        }
    }

    fn claims(self) -> Vec<Claim> {
        let mut claims = self.claims_of(ONE_BY_ONE);
        let database = |text: &str, paper: &str, rule| Claim::new(text, paper, rule);
        claims.push(match self.axis {
            Axis::Checkpoints => database(
                "the database stays flat as checkpoints grow",
                "the same speed for any number of checkpoints",
                Rule::flat(&[DATABASE]),
            ),
            Axis::Interval => {
                let peak = if self.data == Data::Uniform { 90.0 } else { 60.0 };
                database(
                    &format!("the database is fastest near {peak} min"),
                    "as batch expiry, with less influence",
                    Rule::PeakAt { series: DATABASE.to_owned(), x: peak.into() },
                )
            }
            Axis::Threshold => database(
                "the database gets faster as the threshold rises",
                "all rise with the threshold",
                Rule::rises(&[DATABASE]),
            ),
        });
        claims.extend(self.claims_of(BY_THE_BATCH).into_iter().map(Claim::our_reading));
        claims
    }

    fn paper(self) -> String {
        let data = self.data.name();
        match self.axis {
            Axis::Checkpoints => format!(
                "Fig. {}: {data} data; threshold 0.7, travel times and interval of expiry 60 min, probe \
                 buffers of 300 KB, 10,000 slots; 30 to 150 checkpoints, each with a thread. Threads \
                 slow down as checkpoints grow, since they share the processor; the database does not, \
                 since Algorithm 2 knows nothing of checkpoints. Up to 150 checkpoints threads are 2 to \
                 8 times faster.",
                self.number
            ),
            Axis::Interval => format!(
                "Fig. {}: {data} data; 60 checkpoints, threshold 0.7, travel times 60 min; expiry every \
                 30 to 150 min. Batch expiry and the database scan everything: often costs scans, \
                 seldom costs comparisons with what is no longer valid, so that they rise and then fall, \
                 with a peak near 60 min (90 min for uniform data), the database much less. Inline \
                 expiry is flat, and slightly ahead of batch expiry. Both are clearly faster than the \
                 database.",
                self.number
            ),
            Axis::Threshold => format!(
                "Fig. {}: {data} data; 60 checkpoints, travel times and interval of expiry 60 min; \
                 threshold 0.7, 0.8, 0.9. All get faster as the threshold rises, since more tuples are \
                 dropped at once, threads more than the database. Inline expiry is slightly faster than \
                 batch expiry, both are faster than the database.",
                self.number
            ),
        }
    }
}

/// What the generators put in place of the paper's data.
fn reconstruction(data: Data) -> String {
    let data = match data {
        Data::Uniform => format!(
            "The paper gives neither the rate nor how many plates share a slot: a checkpoint has 1000 \
             tuples an hour (fewer at small scales), {PLATES} plates share each of the 10,000 slots. \
             Its mean of 5000 is read as that of the keys."
        ),
        Data::Gaussian => "The slots are normal with mean 5000 and variance 50, so that about 43 of \
                           the 10,000 are in use. So that two tuples have the same plate as often as \
                           in the uniform data, 40,000 plates share a slot; with one plate a slot \
                           nearly all tuples would be of a few plates, and the database could not have \
                           been as fast as with uniform data."
            .to_owned(),
        Data::Traffic => "The paper's data are 24 hours of a town's real cameras, which we do not \
                          have. A generator stands in: cars on a road network with rush hours, cameras \
                          that miss and misread, from six in the morning, sorted by time. As in the \
                          paper all travel times are 60 min here, by which most cars are seen twice in \
                          less time: there are far more results than in the other data."
            .to_owned(),
    };
    format!(
        "{data} Probabilities of the generated keys are uniform from 0.5 to 0.99, as in section 6.4. \
         The listings of Algorithms 1 and 2 are lost; we follow the prose. TimesTen is replaced by \
         SQLite in memory: what is slower or faster about it is not the paper's database."
    )
}

impl Experiment for Curve {
    fn about(&self) -> About {
        let label = self.axis.label();
        let walls = SERIES.map(wall);
        let costs = SERIES.map(cost);
        let mut plots = vec![
            Plot {
                y_axis: crate::experiment::Spacing::Log,
                ..plots::lines("Speed by CPU time of all threads", label, "speed", &SERIES)
            },
            Plot {
                y_axis: crate::experiment::Spacing::Log,
                ..plots::lines(
                    "Speed by the clock",
                    label,
                    "speed",
                    &walls.iter().map(String::as_str).collect::<Vec<_>>(),
                )
            },
            plots::ratios(
                "Times of the database to those of threads: above 1 threads are faster",
                label,
                &PAIRS[..4],
            ),
            plots::ratios("Times of batch expiry to those of inline expiry", label, &PAIRS[4..6]),
            plots::table(
                "CPU time for a tuple that reaches the threshold, in nanoseconds",
                label,
                &plots::borrow(&costs),
            ),
            plots::table("Million tuples a second of CPU time", label, &SERIES),
            plots::table("What was given and found", label, &[GIVEN, SURVIVORS, FOUND]),
        ];
        if self.axis != Axis::Checkpoints {
            let swings = [DATABASE, INLINE, BATCH, INLINE_BATCHED, BATCH_BATCHED].map(swing);
            let title = "How far speeds are apart: the fastest over the slowest";
            plots.push(plots::table(title, "", &plots::borrow(&swings)));
        }
        About {
            id: format!("ujoin-fig{}", self.number),
            kind: Kind::Figure,
            title: format!("Speed against {label}, {} data", self.data.name()),
            paper: self.paper(),
            method: format!(
                "{NAMES} Speed is all tuples given, dropped ones included, in a second; CPU time is \
                 shown for each tuple that reached the threshold. A run joins \
                 tuples that are in memory, with tables and threads made before, from empty windows on, \
                 for all ways alike, and ends when every result has been read. All ways at all \
                 points take turns in rounds. Lines are judged by the CPU time of all threads together, \
                 which does not depend on what else the machine does; the factors of 2 to 8 by the \
                 clock, since threads are there to use several processors. Results of all ways are \
                 compared before with brute force, and their number in every run."
            ),
            reconstruction: Some(reconstruction(self.data)),
            claims: self.claims(),
            plots,
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let places = self.places(context)?;
        let mut ways = Way::of_figures();
        ways.push(Way::Keyed);
        sweep::check(context, &places, &ways)
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let places = self.places(context)?;
        let runs = sweep::run(context, &places, &Way::of_figures())?;
        sweep::ratios(context, &runs, &PAIRS);
        if self.axis != Axis::Checkpoints {
            sweep::spreads(context, &runs, "all", &SPREADS);
        }
        Ok(())
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let times = |name: &str, clock: bool| {
            let series = if clock { ratio(DATABASE, name) } else { cpu_ratio(DATABASE, name) };
            let points = plots::values(rows, &series);
            let mut text = String::new();
            for (at, (x, value)) in points.iter().enumerate() {
                let comma = if at > 0 { ", " } else { "" };
                let _ = write!(text, "{comma}{} at {x}", short(*value));
            }
            (!text.is_empty()).then_some(text)
        };
        let sentence = |(name, what): (&str, &str)| {
            let (clock, cpu) = (times(name, true)?, times(name, false)?);
            Some(format!(
                "{what}, speed as a multiple of the database's: by the clock {clock}; by CPU time {cpu}."
            ))
        };
        let multiples = WAYS_TOLD.into_iter().filter_map(sentence);
        if self.axis != Axis::Checkpoints {
            return multiples.collect();
        }
        let plain = WAYS_TOLD[..2].iter().filter_map(|&(name, what)| {
            let points = plots::values(rows, &ratio(DATABASE, name));
            (!points.is_empty()).then(|| factors(what, &points))
        });
        plain.chain(multiples).collect()
    }
}

/// What sentences tell of, the paper's engine first.
const WAYS_TOLD: [(&str, &str); 3] = [
    (INLINE, "Threads that are sent one tuple at a time"),
    (INLINE_BATCHED, "Threads that are sent 256 at a time"),
    (LOG, "The log, one thread"),
];

/// Where the paper's factors over the database are met.
fn factors(what: &str, points: &[(&X, f64)]) -> String {
    let at = |is_so: &dyn Fn(f64) -> bool| -> Option<String> {
        let places: Vec<String> =
            points.iter().filter(|(_, v)| is_so(*v)).map(|(x, _)| x.to_string()).collect();
        (!places.is_empty()).then(|| format!("at {} checkpoints", places.join(", ")))
    };
    let parts = [
        (at(&|v| v < 1.0), "they are slower than the database"),
        (at(&|v| (1.0..2.0).contains(&v)), "they are faster, but less than 2 times"),
        (at(&|v| (2.0..=8.0).contains(&v)), "the paper's 2 to 8 times hold"),
        (at(&|v| v > 8.0), "they are more than 8 times as fast"),
    ];
    let parts: Vec<String> =
        parts.into_iter().filter_map(|(at, so)| at.map(|at| format!("{so} {at}"))).collect();
    format!("{what}, by the clock: {}.", parts.join("; "))
}
