//! Our own check: how many cloned plates are found, and how many alarms are false, by threshold and by
//! slack of the matrix.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use data_gen::stream::traffic::Passed;
use data_gen::stream::{StreamKind, TrafficOptions, TravelFile};
use ujoin::{Collect, Config, Pair, Product, TravelTimes, Tuple};

use super::engines::{fail, feed};
use super::load::{from_reading, generating, hash, hundredths, numbered};
use crate::claim::{Claim, Rule, ratio};
use crate::error::{Error, Result};
use crate::experiment::{About, Context, Experiment, Kind, Scale};
use crate::experiment::{common, plots};
use crate::measure::Summary;
use crate::number::short;
use crate::record::{Row, X};

/// The check.
#[derive(Debug)]
pub struct Precision;

/// Thresholds in hundredths.
const THRESHOLDS: [u32; 6] = [40, 50, 60, 70, 80, 90];
/// By how much travel times are shortened, in hundredths.
const SLACKS: [u32; 4] = [100, 95, 90, 70];

/// A plate is worth a look when it has so many alarms.
const ALARMS: [(usize, &str); 2] = [(1, "one alarm"), (3, "three alarms")];

const CAUSES: [&str; 3] =
    ["a cloned plate", "one car, too fast or by a wrong clock", "a misread plate"];

fn slack(hundredths: u32) -> String {
    match hundredths {
        100 => "travel times as they are".to_owned(),
        less => format!("travel times x {}", f64::from(less) / 100.0),
    }
}

fn curve(alarms: &str, hundredths: u32) -> String {
    format!("{}, {alarms}", slack(hundredths))
}

fn precision(hundredths: u32) -> String {
    format!("precision, {}", slack(hundredths))
}

fn recall(hundredths: u32) -> String {
    format!("recall, {}", slack(hundredths))
}

fn cause(name: &str, hundredths: u32) -> String {
    format!("{name}, {}", slack(hundredths))
}

const FLAGGED: &str = "plates with an alarm";
const CLONED: &str = "of those cloned";
const MISSED: &str = "cloned and without alarm";
const CATCHABLE: &str = "cloned and seen twice too soon";

/// A day of a town.
struct Day {
    /// In the order of delivery.
    tuples: Arc<[Tuple]>,
    truth: Vec<Passed>,
    times: TravelFile,
    lateness: i64,
}

fn options(scale: Scale) -> TrafficOptions {
    let mut options = TrafficOptions::new(24);
    match scale {
        Scale::Tiny => (options.cameras, options.vehicles, options.clones) = (30, 1500, 30),
        Scale::Quick | Scale::Paper => {}
        Scale::Full => (options.cameras, options.vehicles, options.clones) = (300, 200_000, 500),
    }
    options
}

/// The days that are added up.
fn days(scale: Scale) -> u64 {
    match scale {
        Scale::Tiny => 2,
        Scale::Quick => 5,
        Scale::Paper | Scale::Full => 10,
    }
}

impl Day {
    fn new(options: &TrafficOptions, seed: u64) -> Result<Self> {
        let readings = options.stream(seed).map_err(|error| generating(&error))?;
        let tuples: Vec<Tuple> = readings.map(|one| from_reading(&one)).collect::<Result<_>>()?;
        Ok(Self {
            tuples: numbered(tuples),
            truth: options.truth(seed).map_err(|error| generating(&error))?.collect(),
            times: options.times(seed).map_err(|error| generating(&error))?,
            lateness: i64::from(options.lateness()),
        })
    }

    /// The travel times, shortened.
    fn travel(&self, hundredths: u32) -> Result<TravelTimes> {
        let n = self.times.streams();
        let seconds = |from, to| i64::from(self.times.seconds(from, to));
        let at = (0..n).flat_map(|from| (0..n).map(move |to| (from, to)));
        let times = at.map(|(from, to)| (seconds(from, to) * i64::from(hundredths) / 100).max(1));
        TravelTimes::from_rows(n, times.collect())
            .map_err(|error| Error::failed(format!("ujoin: {error}")))
    }

    /// The alarms by the engine.
    fn alarms(&self, threshold: u32, hundredths_of_times: u32) -> Result<Vec<Pair>> {
        let config = Config::new(self.travel(hundredths_of_times)?)
            .threshold(hundredths(threshold))
            .lateness(self.lateness);
        let mut sink = Collect::default();
        feed(&mut *config.build().map_err(fail)?, &self.tuples, &mut sink)?;
        if !sink.late.is_empty() {
            let late = sink.late.len();
            return Err(Error::failed(format!("{late} readings came later than is possible")));
        }
        Ok(sink.pairs)
    }

    /// What an alarm is: an index of [`CAUSES`].
    fn cause(&self, pair: &Pair) -> usize {
        let passed = |tuple: &Tuple| &self.truth[tuple.observation as usize];
        let (a, b) = (passed(&pair.first), passed(&pair.second));
        let read = |passed: &Passed| {
            u64::from_str_radix(passed.plate.as_str(), 36).is_ok_and(|key| key == pair.first.key)
        };
        if !read(a) || !read(b) {
            2
        } else if a.vehicle == b.vehicle {
            1
        } else {
            0
        }
    }

    /// The cloned plates, and whether both cars were ever detected in less than the travel time.
    fn cloned(&self) -> HashMap<u64, bool> {
        let key = |passed: &Passed| u64::from_str_radix(passed.plate.as_str(), 36).unwrap_or(0);
        let clones: HashSet<u64> =
            self.truth.iter().filter(|passed| passed.clone).map(key).collect();
        let mut seen: HashMap<u64, Vec<&Passed>> = HashMap::new();
        for passed in self.truth.iter().filter(|passed| clones.contains(&key(passed))) {
            seen.entry(key(passed)).or_default().push(passed);
        }
        let soon = |all: &Vec<&Passed>| {
            all.iter().enumerate().any(|(i, a)| {
                all[i + 1..].iter().any(|b| {
                    let least = self.times.seconds(a.camera as usize, b.camera as usize);
                    a.vehicle != b.vehicle && b.time - a.time < i64::from(least)
                })
            })
        };
        seen.iter().map(|(&plate, all)| (plate, soon(all))).collect()
    }
}

/// What an alarm needs in order to be raised, and what it is.
struct Alarm {
    plate: u64,
    probability: Product,
    apart: i64,
    limit: i64,
    cause: usize,
}

impl Alarm {
    fn raised(&self, threshold: u32, hundredths_of_times: u32) -> bool {
        let limit = (self.limit * i64::from(hundredths_of_times) / 100).max(1);
        self.probability >= Product::from(hundredths(threshold)) && self.apart < limit
    }
}

/// Alarms and cloned plates of all days; plates of different days are different.
#[derive(Default)]
struct Found {
    days: Vec<(Vec<Alarm>, HashMap<u64, bool>)>,
}

/// What a choice of threshold and slack gives, over all days.
#[derive(Default)]
struct Tally {
    causes: [u64; 3],
    flagged: u64,
    /// Flagged by an alarm that is right.
    right: u64,
    cloned: u64,
}

impl Tally {
    fn precision(&self) -> f64 {
        percent(self.right, self.flagged)
    }

    fn recall(&self) -> f64 {
        percent(self.right, self.cloned)
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    // To a tenth, which is what the page shows.
    (1000.0 * part as f64 / whole.max(1) as f64).round() / 10.0
}

impl Found {
    fn tally(&self, threshold: u32, hundredths_of_times: u32, least: usize) -> Tally {
        let mut tally = Tally::default();
        for (alarms, cloned) in &self.days {
            let mut plates: HashMap<u64, (usize, bool)> = HashMap::new();
            for alarm in alarms.iter().filter(|one| one.raised(threshold, hundredths_of_times)) {
                tally.causes[alarm.cause] += 1;
                let plate = plates.entry(alarm.plate).or_default();
                plate.0 += 1;
                plate.1 |= alarm.cause == 0;
            }
            let flagged = || plates.values().filter(|(alarms, _)| *alarms >= least);
            tally.flagged += flagged().count() as u64;
            tally.right += flagged().filter(|(_, right)| *right).count() as u64;
            tally.cloned += cloned.len() as u64;
        }
        tally
    }
}

impl Found {
    /// Recall and precision by threshold. Of thresholds that find as many plates the most precise is
    /// what one would choose.
    fn choices(&self, hundredths_of_times: u32, least: usize) -> Vec<(f64, f64)> {
        let mut choices: Vec<(f64, f64)> = Vec::new();
        for threshold in THRESHOLDS {
            let tally = self.tally(threshold, hundredths_of_times, least);
            let (recall, precision) = (tally.recall(), tally.precision());
            match choices.iter_mut().find(|choice| choice.0 == recall) {
                Some(choice) => choice.1 = choice.1.max(precision),
                None => choices.push((recall, precision)),
            }
        }
        choices
    }
}

fn found(context: &Context<'_>) -> Result<Found> {
    let options = options(context.scale);
    let mut found = Found::default();
    for seed in common::seeds(context.seed, days(context.scale)) {
        let day = Day::new(&options, seed)?;
        let alarm = |pair: &Pair| Alarm {
            plate: pair.first.key,
            probability: pair.probability,
            apart: pair.second.time - pair.first.time,
            limit: pair.limit,
            cause: day.cause(pair),
        };
        let alarms = day.alarms(THRESHOLDS[0], 100)?.iter().map(alarm).collect();
        found.days.push((alarms, day.cloned()));
    }
    Ok(found)
}

impl Experiment for Precision {
    fn about(&self) -> About {
        let claim = |text: &str, expected: &str, rule| Claim::new(text, expected, rule).our_check();
        let curves: Vec<String> = ALARMS
            .iter()
            .flat_map(|(_, alarms)| SLACKS.map(|slack| curve(alarms, slack)))
            .collect();
        let causes: Vec<String> =
            [100, 90].iter().flat_map(|&slack| CAUSES.map(|name| cause(name, slack))).collect();
        let both: Vec<String> =
            [100, 90].iter().flat_map(|&slack| [precision(slack), recall(slack)]).collect();
        About {
            id: "ujoin-precision".to_owned(),
            kind: Kind::Check,
            title: "Cloned plates that are found, and alarms that are false".to_owned(),
            paper: "Nothing: the paper says how fast alarms come, not how many of them are right. This \
                    is a check of our own."
                .to_owned(),
            method: "Days of a town of 60 cameras and 20,000 cars, 50 of which carry the plate of \
                     another one (fewer at tiny, more at full scale). Cameras detect 70 to 95 % of what \
                     passes, misread 8 % of the plates and give a second reading; their clocks are off \
                     by up to a second, some deliver late; one trip in a hundred is faster than the \
                     limits allow. The engine joins readings in the order in which they are delivered, \
                     with the lateness that the town has. Every alarm is compared with which cars they \
                     really were. A plate is found when one of its alarms is right: two cars that \
                     really carry it. Precision is the share of plates with an alarm that are found \
                     clones, recall the share of all cloned plates that are found. The threshold is the \
                     least probability of an alarm; with a slack, travel times are multiplied by it \
                     before the join, which forgives fast drivers and wrong clocks. Alarms of the \
                     lowest threshold with travel times as they are are computed once and filtered; \
                     that this is what the engine finds with other thresholds and slacks is checked. \
                     Everything is an exact count over several days."
                .to_owned(),
            reconstruction: None,
            claims: vec![
                claim(
                    "a higher threshold finds fewer cloned plates",
                    "recall falls with the threshold",
                    Rule::falls(&[&recall(100)]),
                ),
                claim(
                    "nearly all cloned plates that were seen twice too soon are found, up to threshold 0.7",
                    "at least 0.95 of them",
                    Rule::Fold {
                        a: CLONED.to_owned(),
                        b: CATCHABLE.to_owned(),
                        from: 0.95,
                        to: 1.0,
                        at: [0.4, 0.5, 0.6, 0.7].map(X::from).to_vec(),
                    },
                ),
                claim(
                    "travel times x 0.9 make alarms more precise at every threshold",
                    "fewer fast drivers are taken for clones",
                    Rule::ordered(&[&precision(100), &precision(90)]),
                ),
                claim(
                    "they cost less than a tenth of the cloned plates found at threshold 0.5",
                    "at least 0.9 of the recall",
                    Rule::Fold {
                        a: recall(90),
                        b: recall(100),
                        from: 0.9,
                        to: 1.0,
                        at: vec![0.5.into()],
                    },
                ),
            ],
            plots: vec![
                plots::lines(
                    "What an office has to choose from: a point is a threshold from 0.4 (right) to \
                     0.9 (left); of thresholds that find as many plates the most precise",
                    "recall: cloned plates found, %",
                    "precision: alarms about a cloned plate",
                    &plots::borrow(&curves[..4]),
                ),
                plots::lines(
                    "The same when a plate is looked at from its third alarm on",
                    "recall: cloned plates found, %",
                    "precision: alarms about a cloned plate",
                    &plots::borrow(&curves[4..]),
                ),
                plots::lines(
                    "Precision and recall by threshold",
                    "threshold",
                    "share of plates",
                    &plots::borrow(&both),
                ),
                plots::table("Alarms by what caused them", "threshold", &plots::borrow(&causes)),
                plots::table(
                    "Plates, travel times as they are",
                    "threshold",
                    &[FLAGGED, CLONED, MISSED, CATCHABLE],
                ),
            ],
        }
    }

    /// That filtering alarms gives what the engine does.
    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let day = Day::new(&options(context.scale), context.seed)?;
        let alarms = day.alarms(THRESHOLDS[0], 100)?;
        for (threshold, slack) in [(70, 100), (50, 90), (90, 70)] {
            let raised = |pair: &&Pair| {
                let alarm = Alarm {
                    plate: pair.first.key,
                    probability: pair.probability,
                    apart: pair.second.time - pair.first.time,
                    limit: pair.limit,
                    cause: 0,
                };
                alarm.raised(threshold, slack)
            };
            let name = |pair: &Pair| (pair.second.seq, pair.first.seq);
            let mut filtered: Vec<_> = alarms.iter().filter(raised).map(name).collect();
            let mut joined: Vec<_> = day.alarms(threshold, slack)?.iter().map(name).collect();
            filtered.sort_unstable();
            joined.sort_unstable();
            if filtered != joined {
                return Err(Error::disagreement(format!(
                    "{} alarms are left at threshold {threshold} %, slack {slack} %, but the engine \
                     finds {}",
                    filtered.len(),
                    joined.len()
                )));
            }
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let options = options(context.scale);
        let found = found(context)?;
        context.record.data_sha256(Some(hash(&StreamKind::Traffic(options), context.seed)?));
        let catchable: usize =
            found.days.iter().map(|day| day.1.values().filter(|soon| **soon).count()).sum();
        for slack in SLACKS {
            for (least, alarms) in ALARMS {
                for (recall, precision) in found.choices(slack, least) {
                    let point = Summary::exact(precision);
                    context.record.point(&curve(alarms, slack), recall, point, "%");
                }
            }
        }
        for threshold in THRESHOLDS {
            let x = f64::from(threshold) / 100.0;
            for slack in SLACKS {
                let tally = found.tally(threshold, slack, 1);
                let shares =
                    [(precision(slack), tally.precision()), (recall(slack), tally.recall())];
                for (series, share) in shares {
                    context.record.point(&series, x, Summary::exact(share), "%");
                }
                for (name, alarms) in CAUSES.into_iter().zip(tally.causes) {
                    context.record.count(&cause(name, slack), x, alarms, "");
                }
                if slack == 100 {
                    context.record.count(FLAGGED, x, tally.flagged, "");
                    context.record.count(CLONED, x, tally.right, "");
                    context.record.count(MISSED, x, tally.cloned - tally.right, "");
                    context.record.count(CATCHABLE, x, catchable as u64, "");
                }
            }
            let less = |slack| found.tally(threshold, slack, 1).recall();
            let share = Summary::exact(less(90) / less(100));
            context.record.point(&ratio(&recall(90), &recall(100)), x, share, "");
            let right = found.tally(threshold, 100, 1).right;
            let share = Summary::exact(right as f64 / catchable.max(1) as f64);
            context.record.point(&ratio(CLONED, CATCHABLE), x, share, "");
        }
        Ok(())
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let at = |series: String, x: f64| plots::value(rows, &series, &x.into());
        let sentence = |x: f64, slack_of: u32| {
            Some(format!(
                "Threshold {x}, {}: precision {} %, recall {} %.",
                slack(slack_of),
                short(at(precision(slack_of), x)?),
                short(at(recall(slack_of), x)?)
            ))
        };
        let caught = || {
            let at = |series| plots::value(rows, series, &0.7.into());
            Some(format!(
                "Threshold 0.7: of {} cloned plates {} were ever seen twice too soon, of which {} have an \
                 alarm.",
                short(at(CLONED)? + at(MISSED)?),
                short(at(CATCHABLE)?),
                short(at(CLONED)?)
            ))
        };
        [(0.7, 100), (0.7, 90), (0.9, 70)]
            .into_iter()
            .filter_map(|(x, slack)| sentence(x, slack))
            .chain(caught())
            .collect()
    }
}
