//! The generic engine against an operator written by hand for one query.

use std::ops::ControlFlow;
use std::rc::Rc;

use data_gen::stream::StockOptions;
use nfab::{Count, Match, Visit};

use super::{NO_PAPER, bar};
use crate::baseline::hand::Query;
use crate::baseline::hand::operator::{Sink, arriving};
use crate::baseline::stock::{Answer, Stock};
use crate::claim::{Claim, Rule};
use crate::error::Result;
use crate::experiment::nfab::engines::{Nfab, Stream, Way, agree, fail, stock_schema, stocks};
use crate::experiment::nfab::sweep::{self, Sweep, cpu};
use crate::experiment::{About, Artefact, Context, Experiment, Kind, Scale};
use crate::record::{Row, X};

/// The check.
#[derive(Debug)]
pub struct Speed;

/// What the engine takes.
pub const NFAB: &str = "nfab, every match read";
/// What an operator takes.
pub const HAND: &str = "operator by hand, every match read";
/// What a scan of the array takes.
pub const SCAN: &str = "array scan, every match by number";
const NFAB_COUNT: &str = "nfab, counting";
const HAND_COUNT: &str = "operator by hand, counting";
const SCAN_COUNT: &str = "array scan, counting";

/// The bar: half the operator's speed.
const BAR: f64 = 2.0;

impl Experiment for Speed {
    fn about(&self) -> About {
        let within = |a: &str, b: &str, name: &str| Rule::Fold {
            a: cpu(a),
            b: cpu(b),
            from: 0.0,
            to: BAR,
            at: vec![name.into()],
        };
        let claim = |text: String, rule| Claim::new(text, "a ratio of at most 2", rule).our_check();
        let bars = bar::names().map(|name| {
            let text = format!(
                "{name}: at least half the speed of the operator by hand, every match read"
            );
            claim(text, within(NFAB, HAND, name))
        });
        let further = Query::ALL.into_iter().flat_map(|query| {
            let name = query.name();
            [
                claim(
                    format!(
                        "{name}: at least half the speed of the operator by hand, every match read"
                    ),
                    within(NFAB, HAND, name),
                ),
                claim(
                    format!("{name}: at least half the speed of the operator by hand, counting"),
                    within(NFAB_COUNT, HAND_COUNT, name),
                ),
            ]
        });
        About {
            id: "nfab-speed".to_owned(),
            kind: Kind::Check,
            title: "The engine against operators written by hand".to_owned(),
            paper: NO_PAPER.to_owned(),
            method: "Two sets of queries, each evaluated by the engine as it chooses and by an operator \
                     that is written for it alone, with its conditions compiled in. The first four \
                     (strict, rising, any, keyed) are those of nfab's own benchmark, with its \
                     operators and its stream of 100,000 events of four types (10^6 at full scale), \
                     which is always the same; their matches are also compared with those of one run \
                     for each partial match. The other three look at values of a stock stream. The operator \
                     does what the engine has to do as well: events are pushed to it by value, one \
                     at a time, through a barrier that keeps the compiler from making one loop of \
                     source and operator (the engine's come through the same one); it owns those that it has to keep, since it cannot look back into \
                     the input, and forgets them by the window; it hands out every match as the \
                     events themselves. For the stock stream it keeps the last two events for three events in a row; for \
                     the rising closure a list of places a run, and each event that a run took \
                     once; for the closure under skip till any the events of the window, of which \
                     the rising chains are enumerated whenever a b comes. Its buffers are used \
                     again, so that it does not allocate. The order of the matches of one event is \
                     left to it. When matches are only counted it keeps no events, but two flags, or \
                     a start and a price a run, or times and prices of the window, where chains are \
                     counted without enumerating them. Engine and operator give each match to a \
                     closure that adds up the numbers that stand in its events. The bar is judged \
                     against this operator. The array scan is shown beside it: a loop over an array \
                     to which it can always go back, which reads the one or two fields that it needs \
                     and knows the events of a match by their numbers alone. That is a lower bound \
                     which no stream processor can reach. Answers, with all events of every match, \
                     are compared before, and sums in every run. CPU times of one thread, events in \
                     memory."
                .to_owned(),
            reconstruction: None,
            claims: bars.into_iter().chain(further).collect(),
            plots: vec![
                sweep::table(
                    "Million events a second, every match read",
                    "query",
                    &[NFAB, HAND, SCAN],
                ),
                sweep::table(
                    "Million events a second, counting",
                    "query",
                    &[NFAB_COUNT, HAND_COUNT, SCAN_COUNT],
                ),
                sweep::ratios(
                    "Paired ratio of the CPU times, every match read: the bar is 2",
                    "query",
                    &[(NFAB, HAND)],
                ),
                sweep::ratios(
                    "Paired ratio of the CPU times, counting: the bar is 2",
                    "query",
                    &[(NFAB_COUNT, HAND_COUNT)],
                ),
                sweep::table("Matches", "query", &["matches"]),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        bar::check(context)?;
        for query in Query::ALL {
            let stream = stream(context, query)?;
            let engine = engine(query)?;
            let answer = engine.answer(&stream.events)?;
            agree(&[
                ("nfab", answer),
                ("the operator by hand", pushed(query, &stream.events)),
                ("the array scan", scanned(query, &stream.events)),
            ])?;
            agree(&[
                ("nfab", answer.matches),
                ("nfab, counting", engine.count(&stream.events)?),
                ("the operator by hand, counting", query.count_all(&stream.events)),
                ("the array scan, counting", query.count_scan(&stream.events)),
            ])?;
            context.record.data_sha256(Some(stream.sha256.clone()));
            context.record.count("matches", query.name(), answer.matches, "");
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let mut sweep = Sweep::default();
        bar::add(&mut sweep, context)?;
        for query in Query::ALL {
            let stream = stream(context, query)?;
            sweep.data(&stream);
            let (reader, counter) = (engine(query)?, engine(query)?);
            let expected = push_sum(query, &stream.events);
            let [a, b, c, d, e, f] = std::array::from_fn(|_| Rc::clone(&stream.events));
            let (x, count) = (query.name(), expected.matches);
            sweep.add(NFAB, x, expected, move || read(&reader, &a));
            sweep.add(HAND, x, expected, move || Ok(push_sum(query, &b)));
            sweep.add(SCAN, x, expected, move || Ok(scan_sum(query, &c)));
            sweep.add(NFAB_COUNT, x, count, move || count_all(&counter, &d));
            sweep.add(HAND_COUNT, x, count, move || Ok(query.count_all(&e)));
            sweep.add(SCAN_COUNT, x, count, move || Ok(query.count_scan(&f)));
        }
        let pairs =
            [(NFAB, HAND), (NFAB, SCAN), (NFAB_COUNT, HAND_COUNT), (NFAB_COUNT, SCAN_COUNT)];
        sweep.run(context, &pairs)
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let text = |a, b| {
            let ratios = sweep::values(rows, &sweep::cpu_ratio(a, b));
            let one = |(x, ratio): &(&X, f64)| format!("{x} {:.2}", 1.0 / ratio);
            ratios.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        let (read, count) = (text(NFAB, HAND), text(NFAB_COUNT, HAND_COUNT));
        if read.is_empty() {
            return Vec::new();
        }
        vec![
            format!(
                "The engine's speed as a share of an operator's by hand, every match read: {read}; \
                 counting: {count}."
            ),
            format!(
                "As a share of an array scan's, every match read: {}; counting: {}.",
                text(NFAB, SCAN),
                text(NFAB_COUNT, SCAN_COUNT)
            ),
        ]
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let others = Query::ALL.map(|query| (query.name(), query.text()));
        let all = bar::names().into_iter().zip(bar::texts()).chain(others);
        let rows: Vec<_> = all.map(|(name, text)| vec![name.to_owned(), text.to_owned()]).collect();
        Ok(vec![Artefact::Table {
            caption: "The queries".to_owned(),
            head: ["Query", "Text"].map(str::to_owned).to_vec(),
            rows,
        }])
    }
}

fn engine(query: Query) -> Result<Nfab> {
    Nfab::new(query.text(), &stock_schema(), Way::Chosen)
}

/// Number and digest of the matches.
impl Sink for Answer {
    fn matched<'a>(&mut self, events: impl Iterator<Item = &'a Stock>) {
        self.add(events.map(|event| event.id as u64));
    }
}

fn pushed(query: Query, events: &[Stock]) -> Answer {
    let mut answer = Answer::default();
    query.push_all(events, &mut answer);
    answer
}

fn scanned(query: Query, events: &[Stock]) -> Answer {
    let mut answer = Answer::default();
    query.scan(events, &mut |events: &[u64]| answer.add(events.iter().copied()));
    answer
}

/// What is timed reads one number of every event of every match, and does no more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    matches: u64,
    ids: i64,
}

impl Sum {
    /// Takes a match in.
    #[inline]
    pub fn add(&mut self, ids: impl Iterator<Item = i64>) {
        self.matches += 1;
        self.ids += ids.sum::<i64>();
    }
}

impl Sink for Sum {
    fn matched<'a>(&mut self, events: impl Iterator<Item = &'a Stock>) {
        self.add(events.map(|event| event.id));
    }
}

fn read(engine: &Nfab, events: &[Stock]) -> Result<Sum> {
    let mut sum = Sum::default();
    let mut sink = Visit(|found: &Match<'_, Stock>| {
        sum.add(found.events().iter().map(|(_, event)| event.id));
        ControlFlow::Continue(())
    });
    let mut engine = engine.engine();
    for event in arriving(events) {
        engine.push(event, &mut sink).map_err(fail)?;
    }
    Ok(sum)
}

fn count_all(engine: &Nfab, events: &[Stock]) -> Result<u64> {
    let mut sink = Count::default();
    let mut engine = engine.engine();
    for event in arriving(events) {
        engine.push(event, &mut sink).map_err(fail)?;
    }
    Ok(sink.matches)
}

fn push_sum(query: Query, events: &[Stock]) -> Sum {
    let mut sum = Sum::default();
    query.push_all(events, &mut sum);
    sum
}

fn scan_sum(query: Query, events: &[Stock]) -> Sum {
    let mut sum = Sum::default();
    query.scan(events, &mut |ids: &[u64]| sum.add(ids.iter().map(|&id| id as i64)));
    sum
}

fn stream(context: &Context<'_>, query: Query) -> Result<Stream<Stock>> {
    let events = match context.scale {
        Scale::Tiny => 10_000,
        Scale::Quick => 100_000,
        Scale::Paper => 300_000,
        Scale::Full => 1_000_000,
    };
    // Its matches are many for each event.
    let events = if query == Query::Any { events / 5 } else { events };
    let mut options = StockOptions::new(events);
    options.symbols = 1;
    stocks(&options, context.seed)
}
