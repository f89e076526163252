//! Event selection strategies: what skip-till-next loses, skip-till-any finds.

use nfab::Automaton;

use super::engines::{fail, schema};
use super::example;
use crate::claim::Claim;
use crate::error::{Error, Result};
use crate::experiment::{About, Artefact, Context, Experiment, Kind};

/// The article's five prices.
#[derive(Debug)]
pub struct Strategies;

const PRICES: [i64; 5] = [20, 30, 100, 40, 50];

const NEXT: &str = "skip till next match";
const NEXT_TEXT: &str = "PATTERN SEQ(stock+ a[]) WHERE skip_till_next_match { a[1].price = 20 AND \
                         a[i].price > a[i-1].price }";
const ANY: &str = "skip till any match";
const ANY_TEXT: &str = "PATTERN SEQ(stock+ a[]) WHERE skip_till_any_match { a[1].price = 20 AND \
                        a[i].price > a[i-1].price }";
const ANY_ALSO: &str = "20 30 40 50 among the matches of skip till any match";

/// All rising selections that begin with 20, shortest first.
const ALL: [&[i64]; 10] = [
    &[20],
    &[20, 30],
    &[20, 40],
    &[20, 50],
    &[20, 100],
    &[20, 30, 40],
    &[20, 30, 50],
    &[20, 30, 100],
    &[20, 40, 50],
    &[20, 30, 40, 50],
];

impl Experiment for Strategies {
    fn about(&self) -> About {
        About {
            id: "nfab-strategies".to_owned(),
            kind: Kind::Example,
            title: "Skip till next and skip till any".to_owned(),
            paper: "The article, event selection strategies: the query selects events from price 20 on \
                    with ever higher prices. Of the prices 20, 30, 100, 40, 50 skip-till-next-match \
                    can only choose the longest sequence 20, 30, 100. If 100 was an exception, 40 \
                    and 50 are lost; skip-till-any-match may pass over it, and the sequence is 20, \
                    30, 40, 50."
                .to_owned(),
            method: "The query with either strategy over the five prices. Under skip-till-next only \
                     maximal matches are reported, under skip-till-any every prefix, as is the \
                     engine's default; the end of the stream ends all waiting."
                .to_owned(),
            reconstruction: Some(
                "That skip-till-any finds nine further selections, from 20 alone to 20 30 100, \
                 follows from its definition and is not in the text: each event that could be \
                 taken may also be passed over."
                    .to_owned(),
            ),
            claims: vec![
                Claim::example("skip-till-next keeps 20 30 100 alone", NEXT),
                Claim::example("skip-till-any also finds 20 30 40 50", ANY_ALSO),
                Claim::example("skip-till-any finds exactly ten selections", ANY).our_reading(),
            ],
            plots: Vec::new(),
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let show = |all: &[Vec<i64>]| {
            all.iter().map(|one| example::numbers(one)).collect::<Vec<_>>().join("; ")
        };
        context.record.check(NEXT, "20 30 100", show(&selections(NEXT_TEXT)?));
        let any = selections(ANY_TEXT)?;
        context.record.check(ANY, show(&ALL.map(<[i64]>::to_vec)), show(&any));
        let last = any.into_iter().find(|one| one.ends_with(&[30, 40, 50])).unwrap_or_default();
        context.record.check(ANY_ALSO, "20 30 40 50", show(&[last]));
        Ok(())
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let dot = |caption: &str, text| {
            let automaton = Automaton::from_text(text, &schema(&["stock"], &["price"]));
            Ok::<_, Error>(example::drawing(caption, &automaton.map_err(fail)?))
        };
        Ok(vec![
            example::queries(&[NEXT_TEXT, ANY_TEXT]),
            dot(
                "The automaton under skip till next match; dashed edges do not keep the event",
                NEXT_TEXT,
            )?,
            dot(
                "The automaton under skip till any match: a[i] may ignore whatever comes",
                ANY_TEXT,
            )?,
        ])
    }
}

/// The prices of all matches, shortest first, then by price.
fn selections(text: &str) -> Result<Vec<Vec<i64>>> {
    let automaton = Automaton::from_text(text, &schema(&["stock"], &["price"])).map_err(fail)?;
    let events = example::records(PRICES.map(|price| vec![price]));
    let found = example::matches(automaton, events)?;
    let prices = |one: Vec<u64>| -> Vec<i64> {
        one.into_iter().map(|number| PRICES[number as usize]).collect()
    };
    let mut all: Vec<Vec<i64>> = found.into_iter().map(prices).collect();
    all.sort_by_key(|one| (one.len(), one.clone()));
    Ok(all)
}
