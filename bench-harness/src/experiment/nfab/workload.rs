//! The stock workload of the SIGMOD paper: its stream and its six queries.

use data_gen::stream::StockOptions;
use nfab::HistoryKind;

use super::engines::{Nfab, Stream, Way, agree, stock_schema, stocks_or_own};
use crate::baseline::stock::{Answer, Outcome, Predicate, Query, Stock, Strategy, join, private};
use crate::error::Result;
use crate::experiment::{Artefact, Context, Scale};

/// What the figures of this workload reconstruct.
pub const RECONSTRUCTION: &str = "We had the article and not the paper of 2008. The stream and the \
    queries are those of the authors' published generator and examples. What the figures show, and \
    that their claims are these, was recalled and not read: each claim is marked as our reading, and no \
    number is the paper's.";

/// The workload in words.
pub const STREAM: &str = "The stream: 2 symbols, prices that rise with probability 0.7, volumes \
    uniform from 1 to 1000; an event's number is its time. The query: one or more events of a symbol \
    from one whose price is a multiple of 500, then b with a volume below 150, within W. s2 is \
    partition contiguity, s3 skip till next match; p1 asks nothing of the further events, p2 that \
    each price is above the one before, p3 above the least before.";

/// The window of the paper's figures without a window axis.
pub const WINDOW: i64 = 500;

/// One of the six queries.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Its name on the axis.
    pub name: &'static str,
    /// Its strategy.
    pub strategy: Strategy,
    /// Its predicate.
    pub predicate: Predicate,
}

/// The six queries.
pub const CASES: [Case; 6] = [
    Case { name: "s2 p1", strategy: Strategy::Partition, predicate: Predicate::Any },
    Case { name: "s2 p2", strategy: Strategy::Partition, predicate: Predicate::Rising },
    Case { name: "s2 p3", strategy: Strategy::Partition, predicate: Predicate::AboveMinimum },
    Case { name: "s3 p1", strategy: Strategy::Next, predicate: Predicate::Any },
    Case { name: "s3 p2", strategy: Strategy::Next, predicate: Predicate::Rising },
    Case { name: "s3 p3", strategy: Strategy::Next, predicate: Predicate::AboveMinimum },
];

/// Those under skip-till-next.
pub fn skip_till_next() -> impl Iterator<Item = Case> {
    CASES.into_iter().filter(|case| case.strategy == Strategy::Next)
}

impl Case {
    /// The query with the paper's selectivity of b.
    pub fn query(&self, window: i64) -> Query {
        let Self { strategy, predicate, .. } = *self;
        Query { strategy, predicate, volume_below: 150, window }
    }

    /// "p1", "p2" or "p3".
    pub fn predicate_name(&self) -> &'static str {
        self.name.rsplit(' ').next().unwrap_or(self.name)
    }
}

/// The engine on a query of the workload.
pub fn engine(query: &Query, way: Way) -> Result<Nfab> {
    Nfab::new(&query.text(), &stock_schema(), way)
}

/// The chain buffer.
pub const CHAIN: Way = Way::Runs(HistoryKind::Chain);
/// The versioned buffer.
pub const VERSIONED: Way = Way::Runs(HistoryKind::Versioned);

/// The paper's stream at a scale.
pub fn options(scale: Scale) -> StockOptions {
    match scale {
        Scale::Tiny => StockOptions::new(8_000),
        Scale::Quick | Scale::Paper => StockOptions::default(),
        Scale::Full => StockOptions::new(1_000_000),
    }
}

/// The paper's stream.
pub fn stream(context: &Context<'_>) -> Result<Stream<Stock>> {
    stocks_or_own(context, &options(context.scale))
}

/// The answer of a query, after everything that can answer it has given the same: both buffers, what
/// the engine chooses, private buffers and the join.
pub fn answer(query: &Query, events: &[Stock]) -> Result<Answer> {
    let Outcome { answer, .. } = private::evaluate(query, events);
    agree(&[
        ("a private buffer for each run", answer),
        ("the join", join::evaluate(query, events).answer),
        ("nfab with the chain buffer", engine(query, CHAIN)?.answer(events)?),
        ("nfab with the versioned buffer", engine(query, VERSIONED)?.answer(events)?),
        ("nfab as it chooses", engine(query, Way::Chosen)?.answer(events)?),
    ])?;
    Ok(answer)
}

/// The answer of a query, after the engine as it chooses has given the same as private buffers.
pub fn quick_answer(query: &Query, events: &[Stock]) -> Result<Answer> {
    let Outcome { answer, .. } = private::evaluate(query, events);
    let chosen = engine(query, Way::Chosen)?.answer(events)?;
    agree(&[("a private buffer for each run", answer), ("nfab as it chooses", chosen)])?;
    Ok(answer)
}

/// The texts of the six queries.
pub fn table() -> Artefact {
    let rows = CASES.map(|case| vec![case.name.to_owned(), case.query(WINDOW).text()]);
    Artefact::Table {
        caption: "The queries".to_owned(),
        head: ["Query", "Text"].map(str::to_owned).to_vec(),
        rows: rows.to_vec(),
    }
}
