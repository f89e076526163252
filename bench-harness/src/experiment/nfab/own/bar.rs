//! The queries on which the bar is judged: those of nfab's own benchmark, with its operators and its
//! events.

// One text for both, so that both judge the same.
#[path = "../../../../../nfab/benches/by_hand/mod.rs"]
mod by_hand;

use std::ops::ControlFlow;
use std::rc::Rc;

use nfab::{HistoryKind, Match, Visit};
use sha2::{Digest, Sha256};

use self::by_hand::operator::{arriving, push_all};
use self::by_hand::scan::scan;
use self::by_hand::{Query, Sink, Tick, schema};
use super::speed::{HAND, NFAB, SCAN, Sum};
use crate::baseline::stock::Answer;
use crate::error::Result;
use crate::experiment::nfab::engines::{Nfab, Stream, Way, agree, fail};
use crate::experiment::nfab::sweep::Sweep;
use crate::experiment::{Context, Scale};

/// The names of the queries.
pub fn names() -> [&'static str; 4] {
    Query::ALL.map(Query::name)
}

/// Their texts.
pub fn texts() -> [&'static str; 4] {
    Query::ALL.map(Query::text)
}

/// Number and digest of the matches; the time of an event is its number.
impl Sink for Answer {
    fn matched(&mut self, times: impl Iterator<Item = i64>) {
        self.add(times.map(|time| time as u64));
    }
}

impl Sink for Sum {
    #[inline]
    fn matched(&mut self, times: impl Iterator<Item = i64>) {
        self.add(times);
    }
}

/// All find the same matches.
pub fn check(context: &mut Context<'_>) -> Result<()> {
    for query in Query::ALL {
        let stream = stream(context, query);
        let chosen = engine(query, Way::Chosen)?;
        let (mut pushed, mut scanned) = (Answer::default(), Answer::default());
        push_all(query, &stream.events, &mut pushed);
        scan(query, &stream.events, &mut scanned);
        let runs = engine(query, Way::Runs(HistoryKind::Chain))?;
        let answer = chosen.answer(&stream.events)?;
        agree(&[
            ("nfab", answer),
            ("nfab, runs", runs.answer(&stream.events)?),
            ("the operator by hand", pushed),
            ("the array scan", scanned),
        ])?;
        context.record.data_sha256(Some(stream.sha256.clone()));
        context.record.count("matches", query.name(), answer.matches, "");
    }
    Ok(())
}

/// Adds all contenders.
pub fn add(sweep: &mut Sweep<'_>, context: &Context<'_>) -> Result<()> {
    for query in Query::ALL {
        let stream = stream(context, query);
        sweep.data(&stream);
        let engine = engine(query, Way::Chosen)?;
        let mut expected = Sum::default();
        push_all(query, &stream.events, &mut expected);
        let [a, b, c] = std::array::from_fn(|_| Rc::clone(&stream.events));
        sweep.add(NFAB, query.name(), expected, move || read(&engine, &a));
        sweep.add(HAND, query.name(), expected, move || {
            let mut sum = Sum::default();
            push_all(query, &b, &mut sum);
            Ok(sum)
        });
        sweep.add(SCAN, query.name(), expected, move || {
            let mut sum = Sum::default();
            scan(query, &c, &mut sum);
            Ok(sum)
        });
    }
    Ok(())
}

fn read(engine: &Nfab, events: &[Tick]) -> Result<Sum> {
    let mut sum = Sum::default();
    let mut sink = Visit(|found: &Match<'_, Tick>| {
        sum.add(found.events().iter().map(|(_, tick)| tick.time));
        ControlFlow::Continue(())
    });
    let mut engine = engine.engine();
    for tick in arriving(events) {
        engine.push(tick, &mut sink).map_err(fail)?;
    }
    Ok(sum)
}

fn engine(query: Query, way: Way) -> Result<Nfab> {
    Nfab::new(query.text(), &schema(), way)
}

fn stream(context: &Context<'_>, query: Query) -> Stream<Tick> {
    let events = match context.scale {
        Scale::Tiny => 10_000,
        Scale::Quick | Scale::Paper => 100_000,
        Scale::Full => 1_000_000,
    };
    let events = query.stream(events);
    let mut hash = Sha256::new();
    for tick in &events {
        hash.update(tick.kind.to_le_bytes());
        [tick.time, tick.symbol, tick.price].iter().for_each(|n| hash.update(n.to_le_bytes()));
    }
    let sha256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Stream { events: events.into(), sha256 }
}
