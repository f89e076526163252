//! Baselines for the stock workload of NFA^b: the same query, evaluated in other ways.
//!
//! The query is `PATTERN SEQ(stock+ a[], stock b) WHERE strategy { [symbol] AND a[1].price % 500 = 0
//! AND P AND b.volume < 150 } WITHIN window`. [`private`] keeps a buffer of its own for every run;
//! [`join`] knows no runs and computes the matches again whenever a `b` comes; [`forks`] is [`private`]
//! for another query, of which as many runs fork as one likes.
//!
//! All of them test their conditions in compiled code. What they are compared with interprets the
//! conditions of a text: in time the comparison is in the baselines' favour.

use std::collections::VecDeque;

pub mod forks;
pub mod join;
pub mod private;

/// An event of the workload; its time is its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stock {
    /// The number, and the time.
    pub id: i64,
    /// The partition.
    pub symbol: u32,
    /// What P looks at.
    pub price: i64,
    /// What `b` looks at.
    pub volume: i64,
}

/// The selection strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// `partition_contiguity`, s2 of the paper.
    Partition,
    /// `skip_till_next_match`, s3.
    Next,
}

/// The predicate P on the events of the Kleene closure from the second on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// p1: true.
    Any,
    /// p2: `a[i].price > a[i-1].price`.
    Rising,
    /// p3: `a[i].price > min(a[..i-1].price)`.
    AboveMinimum,
}

/// One query of the workload.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// ES.
    pub strategy: Strategy,
    /// P.
    pub predicate: Predicate,
    /// `b.volume` is less than this; 150 in the paper.
    pub volume_below: i64,
    /// `last - first <= window`.
    pub window: i64,
}

impl Query {
    /// It may begin a match.
    pub fn begins(&self, event: &Stock) -> bool {
        event.price % 500 == 0
    }

    /// It may end one.
    pub fn ends(&self, event: &Stock) -> bool {
        event.volume < self.volume_below
    }

    /// Whether P holds for an event after others of which the last and the smallest price are known.
    pub fn takes(&self, event: &Stock, last: i64, minimum: i64) -> bool {
        match self.predicate {
            Predicate::Any => true,
            Predicate::Rising => event.price > last,
            Predicate::AboveMinimum => event.price > minimum,
        }
    }

    /// The query as text.
    pub fn text(&self) -> String {
        let strategy = match self.strategy {
            Strategy::Partition => "partition_contiguity",
            Strategy::Next => "skip_till_next_match",
        };
        let predicate = match self.predicate {
            Predicate::Any => "",
            Predicate::Rising => "AND a[i].price > a[i-1].price ",
            Predicate::AboveMinimum => "AND a[i].price > min(a[..i-1].price) ",
        };
        format!(
            "PATTERN SEQ(stock+ a[], stock b) WHERE {strategy} {{ [symbol] AND a[1].price % 500 = 0 \
             {predicate}AND b.volume < {} }} WITHIN {} ms",
            self.volume_below, self.window
        )
    }
}

/// The matches of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Matches.
    pub matches: u64,
    /// A digest of all their events, independent of the order of the matches.
    pub digest: u64,
}

impl Answer {
    /// Counts a match by the numbers of its events, in their order.
    #[inline]
    pub fn add(&mut self, events: impl IntoIterator<Item = u64>) {
        let mix =
            |hash: u64, id: u64| (hash ^ id).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        self.matches += 1;
        self.digest = self.digest.wrapping_add(events.into_iter().fold(1, mix));
    }
}

/// What an evaluation found and needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The matches.
    pub answer: Answer,
    /// Most events held in buffers at once, counted as often as they are held.
    pub peak_entries: usize,
    /// Most partial matches at once.
    pub peak_runs: usize,
}

/// The events of the window, each once: what a buffer refers to has to be somewhere.
#[derive(Debug, Default)]
struct Store(VecDeque<Stock>);

impl Store {
    fn push(&mut self, event: &Stock, window: i64) {
        while self.0.front().is_some_and(|first| event.id - first.id > window) {
            self.0.pop_front();
        }
        self.0.push_back(*event);
    }
}
