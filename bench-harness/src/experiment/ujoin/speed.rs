//! Our own check: the log against the database and against the paper's engine.

use data_gen::stream::UniformOptions;
use ujoin::Product;

use super::engines::{
    BATCH_BATCHED, DATABASE, INLINE_BATCHED, KEYED, LOG, NAMES, Setup, TUNED, Way,
};
use super::load::{Data, Load, PLATES, hundredths};
use super::sweep::{self, FOUND, GIVEN, Place, Run, SURVIVORS, contender, cost, plan};
use crate::claim::{Claim, Rule, ratio};
use crate::error::Result;
use crate::experiment::plots::{self, cpu, cpu_ratio};
use crate::experiment::{About, Context, Experiment, Kind, Plot, Scale, Spacing};
use crate::measure::{Samples, Summary, interleave};
use crate::number::short;
use crate::record::{Row, X};

/// The check.
#[derive(Debug)]
pub struct Speed;

const TWO: &str = "log, two threads";
const ONE: &str = "log, one thread";

/// Where something else than the number of checkpoints is special.
const WIDE: &str = "5000 checkpoints";
const MILLION: &str = "a million tuples in memory";
const DENSE: &str = "79 results a survivor";

const CHECKPOINTS: [u32; 5] = [30, 60, 90, 120, 150];

/// The bars: CPU times of the database to those of the log, at every number of checkpoints.
const PLAIN_BAR: f64 = 50.0;
const TUNED_BAR: f64 = 28.0;
/// Those of the paper's engine, 256 tuples a send, at 150 checkpoints.
const PAPER_BAR: f64 = 25.0;
/// The log's speed at 150 and at 5000 checkpoints as a share of that at 30.
const SHARE_BAR: f64 = 0.75;
/// Nanoseconds for a survivor with a million in memory.
const MILLION_BAR: f64 = 80.0;
/// Two threads to one, by the clock.
const TWO_BAR: f64 = 1.6;

const TIMED: &str = "survivors timed";
const TIMED_FOUND: &str = "their results";

const AT_30: &str = "log at 30 checkpoints, CPU a survivor";
const ELSEWHERE: &str = "log elsewhere, CPU a survivor";
const AT_A_MILLION: &str = "log with a million in memory, CPU a survivor";
const BAR: &str = "80 ns";

fn xs() -> Vec<X> {
    CHECKPOINTS.iter().map(|&n| f64::from(n).into()).collect()
}

/// Rates: of the row of checkpoints, and of each place of its own.
struct Rates {
    row: u32,
    wide: u32,
    million: u32,
}

fn rates(scale: Scale) -> Rates {
    match scale {
        Scale::Tiny => Rates { row: 20, wide: 1, million: 40 },
        Scale::Quick | Scale::Paper | Scale::Full => Rates { row: 1000, wide: 30, million: 11_500 },
    }
}

/// The first window fills the memory, then at least one is timed. A little more, so that what is
/// deleted or expires once in a window does so as often as windows are timed.
const WINDOW: f64 = 1.01;

/// A place with so many tuples in a window.
fn place(x: impl Into<X>, load: Load, window: u32) -> Result<Place> {
    let setup = Setup::new(load.streams, Product::from(hundredths(70)))?;
    Ok(Place { x: x.into(), load, setup, before: window as usize })
}

/// A place with uniform data, so many checkpoints and such a rate.
///
/// As many tuples are timed where there are few checkpoints as where there are many: those of one small
/// window would still be in the nearest cache from the run before, which no stream is.
fn uniform(context: &Context<'_>, x: impl Into<X>, streams: u32, rate: u32) -> Result<Place> {
    let window = streams * rate;
    let most = CHECKPOINTS.into_iter().max().unwrap_or(streams) * rates(context.scale).row;
    let windows = 1.0 + WINDOW * f64::from(window.max(most)) / f64::from(window);
    let load = Load::new(Data::Uniform, streams, rate, windows, context.seed)?;
    place(x, load, window)
}

fn row(context: &Context<'_>) -> Result<Vec<Place>> {
    let rate = rates(context.scale).row;
    CHECKPOINTS.iter().map(|&n| uniform(context, f64::from(n), n, rate)).collect()
}

fn wide(context: &Context<'_>) -> Result<Place> {
    uniform(context, WIDE, 5000, rates(context.scale).wide)
}

/// Of the tuples 59 % reach the threshold: a million of 1.7 millions a window.
fn million(context: &Context<'_>) -> Result<Place> {
    uniform(context, MILLION, 150, rates(context.scale).million)
}

/// So few plates that a tuple has 79 partners.
fn dense(context: &Context<'_>) -> Result<Place> {
    let rate = rates(context.scale).row;
    let streams = 150;
    let rows = f64::from(streams * rate) * (1.0 + WINDOW);
    let mut options = UniformOptions::new(rows as u64);
    (options.streams, options.per_window_per_stream) = (streams, rate);
    // With p and q uniform from 0.7 to 0.99, p q reaches 0.7 in 53 % of the cases.
    let residents = f64::from(streams * rate) * (0.29 / 0.49);
    options.slots = ((residents * 0.53 / DENSITY) as u32).max(1);
    options.mean = options.slots / 2;
    options.plates_per_slot = 1;
    place(DENSE, Load::uniform(&options, context.seed)?, streams * rate)
}

/// Results a survivor, once the window is full.
const DENSITY: f64 = 79.0;

fn ways_of_row() -> Vec<Way> {
    let mut ways = Vec::new();
    #[cfg(feature = "sqlite")]
    ways.extend([Way::Database, Way::TunedDatabase]);
    ways.extend([Way::InlineBatched, Way::BatchBatched, Way::Log]);
    ways
}

impl Experiment for Speed {
    fn about(&self) -> About {
        let claim =
            |text: String, expected: String, rule| Claim::new(text, expected, rule).our_check();
        let least = |a: &str, b: &str, bar: f64, at: Vec<X>| Rule::Fold {
            a: a.to_owned(),
            b: b.to_owned(),
            from: bar,
            to: f64::INFINITY,
            at,
        };
        let at_least = |name: &str, bar: f64, at: Vec<X>, place: &str| {
            claim(
                format!("{place}: the log takes at most a {bar}th of the CPU time of {name}"),
                format!("a ratio of at least {bar}"),
                least(&cpu(name), &cpu(LOG), bar, at),
            )
        };
        let share = |x: X| {
            claim(
                format!("the log at {x} has at least {SHARE_BAR} of its speed at 30 checkpoints"),
                format!("a ratio of at least {SHARE_BAR}"),
                least(AT_30, ELSEWHERE, SHARE_BAR, vec![x]),
            )
        };
        let costs =
            [LOG, INLINE_BATCHED, BATCH_BATCHED, DATABASE, TUNED, KEYED, ONE, TWO].map(cost);
        About {
            id: "ujoin-speed".to_owned(),
            kind: Kind::Check,
            title: "The log against a database and against a thread for each stream".to_owned(),
            paper: "Nothing: this is a check of our own.".to_owned(),
            method: format!(
                "Uniform data, {PLATES} plates a slot, threshold 0.7, travel times 60 min, as in Fig. 6, \
                 with 1000 tuples a checkpoint and window. Unlike there the memory is full when the \
                 time begins, for every engine and for the database alike: what a stream takes that \
                 has run for a while, without the cost of memory that is touched for the first time. \
                 The first window of each run is joined before; then as many tuples are timed with 30 \
                 checkpoints as with 150, which have them in one window, with the one deletion that falls \
                 due in a window where there is such a thing. (Of one window of 30 checkpoints, 1.2 MB, \
                 the tuples given would still be in the nearest cache from the run before, those of 150 \
                 would not, and no stream's are.) Further places: 5000 \
                 checkpoints with 30 tuples each; 150 checkpoints with so many tuples that a million \
                 of survivors are in memory; 150 checkpoints and so few plates that a survivor has 79 \
                 results. There the log is measured, at the last one against a list for each key, too, \
                 and with one and two threads at the million; of two, the caller's distributes and joins \
                 two fifths of the keys. What two gain by the clock depends on whether both \
                 processors are free: their CPU time in sum is beside it. All of it is one run: every \
                 way at every place takes its turn in every round. {NAMES}"
            ),
            reconstruction: None,
            claims: vec![
                at_least(DATABASE, PLAIN_BAR, xs(), "30 to 150 checkpoints"),
                at_least(TUNED, TUNED_BAR, xs(), "30 to 150 checkpoints"),
                at_least(INLINE_BATCHED, PAPER_BAR, vec![150.0.into()], "150 checkpoints"),
                share(150.0.into()),
                share(WIDE.into()),
                claim(
                    format!(
                        "with a million tuples in memory a survivor takes at most {MILLION_BAR} ns"
                    ),
                    format!("at most {MILLION_BAR} ns"),
                    Rule::Fold {
                        a: AT_A_MILLION.to_owned(),
                        b: BAR.to_owned(),
                        from: 0.0,
                        to: 1.0,
                        at: vec![MILLION.into()],
                    },
                ),
                claim(
                    "with 79 results a survivor the log is at least as fast as a list for each key"
                        .to_owned(),
                    "a ratio of at least 1".to_owned(),
                    least(&cpu(KEYED), &cpu(LOG), 1.0, vec![DENSE.into()]),
                ),
                claim(
                    format!(
                        "two threads are at least {TWO_BAR} times as fast as one, by the clock"
                    ),
                    format!("a ratio of at least {TWO_BAR}, on two idle processors"),
                    least(ONE, TWO, TWO_BAR, vec![MILLION.into()]),
                ),
            ],
            plots: vec![
                plots::ratios(
                    "CPU times to those of the log",
                    "checkpoints",
                    &[(DATABASE, LOG), (TUNED, LOG), (INLINE_BATCHED, LOG), (BATCH_BATCHED, LOG)],
                ),
                Plot {
                    y_axis: Spacing::Log,
                    ..plots::lines(
                        "CPU time for a tuple that reaches the threshold",
                        "checkpoints",
                        "CPU time",
                        &plots::borrow(&costs[..5]),
                    )
                },
                plots::table("The same in nanoseconds", "checkpoints", &plots::borrow(&costs)),
                plots::table("What was timed", "checkpoints", &[TIMED, TIMED_FOUND]),
                plots::table(
                    "What was given and found, the first window included",
                    "checkpoints",
                    &[GIVEN, SURVIVORS, FOUND],
                ),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let rows = row(context)?;
        sweep::check(context, &rows, &ways_of_row())?;
        let others = [wide(context)?, million(context)?, dense(context)?];
        sweep::check(context, &others, &[Way::Log, Way::Keyed, Way::LogThreads(2)])
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let (rows, wide, million, dense) =
            (row(context)?, wide(context)?, million(context)?, dense(context)?);
        let mut jobs: Vec<(&Place, Way)> = Vec::new();
        for place in &rows {
            jobs.extend(ways_of_row().into_iter().map(|way| (place, way)));
        }
        jobs.extend([(&wide, Way::Log), (&million, Way::Log), (&million, Way::LogThreads(2))]);
        jobs.extend([(&dense, Way::Keyed), (&dense, Way::Log)]);
        let mut contenders = Vec::new();
        let mut expected: Vec<(&X, u64)> = Vec::new();
        for place in rows.iter().chain([&wide, &million, &dense]) {
            let found = place.found()?;
            context.record.data_sha256(Some(place.load.sha256.clone()));
            context.record.count(TIMED, place.x.clone(), place.survivors(), "");
            context.record.count(TIMED_FOUND, place.x.clone(), found, "");
            context.record.data_sha256(None);
            expected.push((&place.x, found));
        }
        for &(place, way) in &jobs {
            let found =
                expected.iter().find(|(x, _)| **x == place.x).map_or(0, |(_, found)| *found);
            contenders.push(contender(way, place, found));
        }
        let samples = interleave(&mut contenders, &plan(context), context.progress)?;
        let mut runs: Vec<Run> = jobs
            .into_iter()
            .zip(samples)
            .map(|((place, way), samples)| {
                let name = name(way);
                let tuples = place.survivors();
                Run { way, x: place.x.clone(), tuples, samples: Samples { name, ..samples } }
            })
            .collect();
        // Without other threads the log runs in the caller's: that is its one thread.
        let alone = runs.iter().find(|run| run.way == Way::Log && run.x == million.x);
        if let Some(run) = alone {
            let samples = Samples { name: ONE.to_owned(), ..run.samples.clone() };
            let (way, x, tuples) = (Way::LogThreads(1), run.x.clone(), run.tuples);
            runs.push(Run { way, x, tuples, samples });
        }
        for run in &runs {
            if let Some(times) = run.samples.cpu_summary() {
                let times = times.scale(1e9 / run.tuples as f64);
                context.record.point(&cost(&run.samples.name), run.x.clone(), times, "ns");
            }
        }
        let pairs = [
            (DATABASE, LOG),
            (TUNED, LOG),
            (INLINE_BATCHED, LOG),
            (BATCH_BATCHED, LOG),
            (KEYED, LOG),
            (ONE, TWO),
        ];
        for (a, b) in pairs {
            for one in runs.iter().filter(|run| run.samples.name == a) {
                let here = |run: &&Run| run.samples.name == b && run.x == one.x;
                if let Some(other) = runs.iter().find(here) {
                    context.record.ratio(one.x.clone(), &one.samples, &other.samples);
                }
            }
        }
        let costs = |x: &X| -> Vec<f64> {
            let run = runs.iter().find(|run| run.way == Way::Log && run.x == *x);
            let cost = |run: &Run| run.samples.cpu.iter().map(|t| t / run.tuples as f64).collect();
            run.map_or_else(Vec::new, cost)
        };
        let at_30 = costs(&30.0.into());
        for x in xs().into_iter().skip(1).chain([WIDE.into()]) {
            if let Some(summary) = Summary::of_ratios(&at_30, &costs(&x)) {
                context.record.point(&ratio(AT_30, ELSEWHERE), x, summary, "ratio");
            }
        }
        if let Some(summary) = Summary::of(&costs(&MILLION.into())) {
            let share = summary.scale(1e9 / MILLION_BAR);
            context.record.point(&ratio(AT_A_MILLION, BAR), MILLION, share, "ratio");
        }
        Ok(())
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let list = |series: &str| -> Option<String> {
            let points = plots::values(rows, series);
            let texts: Vec<String> =
                points.iter().map(|(x, value)| format!("{} at {x}", short(*value))).collect();
            (!texts.is_empty()).then(|| texts.join(", "))
        };
        let times = |name: &str| {
            let factors = list(&cpu_ratio(name, LOG))?;
            Some(format!("CPU time of {name} to that of the log: {factors}."))
        };
        let costs = list(&cost(LOG))
            .map(|costs| format!("Nanoseconds of the log for a survivor: {costs}."));
        let shares = list(&ratio(AT_30, ELSEWHERE)).map(|shares| {
            format!("The log's speed as a share of that at 30 checkpoints: {shares}.")
        });
        let two =
            list(&ratio(ONE, TWO)).map(|two| format!("Two threads to one by the clock: {two}."));
        [DATABASE, TUNED, INLINE_BATCHED]
            .into_iter()
            .map(times)
            .chain([costs, shares, two])
            .flatten()
            .collect()
    }
}

fn name(way: Way) -> String {
    match way {
        Way::LogThreads(_) => TWO.to_owned(),
        way => way.name().to_owned(),
    }
}
