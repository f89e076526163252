//! The generic engine against a loop written by hand for one query.

use std::rc::Rc;

use data_gen::stream::StockOptions;

use super::NO_PAPER;
use crate::baseline::hand::Query;
use crate::baseline::stock::{Answer, Stock};
use crate::claim::{Claim, Rule};
use crate::error::Result;
use crate::experiment::nfab::engines::{Nfab, Stream, Way, agree, stock_schema, stocks};
use crate::experiment::nfab::sweep::{self, Sweep, cpu};
use crate::experiment::{About, Artefact, Context, Experiment, Kind, Scale};
use crate::record::{Row, X};

/// The check.
#[derive(Debug)]
pub struct Speed;

const NFAB: &str = "nfab, every match read";
const HAND: &str = "loop by hand, every match read";
const NFAB_COUNT: &str = "nfab, counting";
const HAND_COUNT: &str = "loop by hand, counting";

/// The bar: half the loop's speed.
const BAR: f64 = 2.0;

impl Experiment for Speed {
    fn about(&self) -> About {
        let within = |a: &str, b: &str, query: Query| Rule::Fold {
            a: cpu(a),
            b: cpu(b),
            from: 0.0,
            to: BAR,
            at: vec![query.name().into()],
        };
        let claims = Query::ALL.into_iter().flat_map(|query| {
            let name = query.name();
            let claim =
                |text: String, rule| Claim::new(text, "a ratio of at most 2", rule).our_check();
            [
                claim(
                    format!("{name}: at least half the speed of the loop, every match read"),
                    within(NFAB, HAND, query),
                ),
                claim(
                    format!("{name}: at least half the speed of the loop, counting"),
                    within(NFAB_COUNT, HAND_COUNT, query),
                ),
            ]
        });
        About {
            id: "nfab-speed".to_owned(),
            kind: Kind::Check,
            title: "The engine against loops written by hand".to_owned(),
            paper: NO_PAPER.to_owned(),
            method: "Three queries, each evaluated by the engine as it chooses and by a loop that \
                     is written for it alone, with its conditions compiled in and only the state that it needs: two \
                     flags for three events in a row; one list a run for the rising closure; \
                     for the closure under skip till any the events of the window, of which the \
                     rising chains are enumerated, or counted without enumerating, whenever a b comes. \
                     The loops read the one or two fields that they need from an array, so they go at the speed of the memory. Answers are compared before and in every run. CPU times of one thread, events \
                     in memory."
                .to_owned(),
            reconstruction: None,
            claims: claims.collect(),
            plots: vec![
                sweep::table("Million events a second, every match read", "query", &[NFAB, HAND]),
                sweep::table("Million events a second, counting", "query", &[NFAB_COUNT, HAND_COUNT]),
                sweep::ratios(
                    "Paired ratio of the CPU times, every match read: the bar is 2",
                    "query",
                    (NFAB, HAND),
                ),
                sweep::ratios(
                    "Paired ratio of the CPU times, counting: the bar is 2",
                    "query",
                    (NFAB_COUNT, HAND_COUNT),
                ),
                sweep::table("Matches", "query", &["matches"]),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        for query in Query::ALL {
            let stream = stream(context, query)?;
            let engine = engine(query)?;
            let answer = engine.answer(&stream.events)?;
            agree(&[("nfab", answer), ("the loop by hand", by_hand(query, &stream.events))])?;
            agree(&[
                ("nfab", answer.matches),
                ("nfab, counting", engine.count(&stream.events)?),
                ("the loop by hand, counting", query.count(&stream.events)),
            ])?;
            context.record.data_sha256(Some(stream.sha256.clone()));
            context.record.count("matches", query.name(), answer.matches, "");
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let mut sweep = Sweep::default();
        for query in Query::ALL {
            let stream = stream(context, query)?;
            sweep.data(&stream);
            let (reader, counter) = (engine(query)?, engine(query)?);
            let answer = by_hand(query, &stream.events);
            let [a, b, c, d] = std::array::from_fn(|_| Rc::clone(&stream.events));
            let (x, count) = (query.name(), answer.matches);
            sweep.add(NFAB, x, answer, move || reader.answer(&a));
            sweep.add(HAND, x, answer, move || Ok(by_hand(query, &b)));
            sweep.add(NFAB_COUNT, x, count, move || counter.count(&c));
            sweep.add(HAND_COUNT, x, count, move || Ok(query.count(&d)));
        }
        sweep.run(context, &[(NFAB, HAND), (NFAB_COUNT, HAND_COUNT)])
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
        vec![format!(
            "The engine's speed as a share of a hand-written loop's, every match read: {read}; counting: \
             {count}."
        )]
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let rows = Query::ALL.map(|query| vec![query.name().to_owned(), query.text().to_owned()]);
        Ok(vec![Artefact::Table {
            caption: "The queries".to_owned(),
            head: ["Query", "Text"].map(str::to_owned).to_vec(),
            rows: rows.to_vec(),
        }])
    }
}

fn engine(query: Query) -> Result<Nfab> {
    Nfab::new(query.text(), &stock_schema(), Way::Chosen)
}

fn by_hand(query: Query, events: &[Stock]) -> Answer {
    let mut answer = Answer::default();
    query.read(events, &mut |events: &[u64]| answer.add(events.iter().copied()));
    answer
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
