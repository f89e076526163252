//! Operators by hand: one for each query, and one that only counts.
//!
//! An operator is given events by value, one at a time. It owns those that it has to keep, forgets
//! them by the window, and lends every match to a [`Sink`] as the events themselves, in their order.
//! Once its buffers have grown to what a window holds, it does not allocate. Those that count keep
//! what counting needs, and no events.
//!
//! One thing that an engine promises is left to the operators: the order of the matches that one
//! event completes.

use std::collections::VecDeque;
use std::hint::black_box;
use std::iter;

use super::{Query, WINDOW};
use crate::baseline::stock::Stock;

/// Where matches go.
pub trait Sink {
    /// A match: its events, in their order.
    fn matched<'a>(&mut self, events: impl Iterator<Item = &'a Stock>);
}

impl Query {
    /// Pushes the events one by one; every match goes to the sink.
    pub fn push_all(self, events: &[Stock], sink: &mut impl Sink) {
        match self {
            Self::Strict => {
                let mut operator = Strict::default();
                arriving(events).for_each(|event| operator.push(event, sink));
            }
            Self::Rising => {
                let mut operator = Rising::default();
                arriving(events).for_each(|event| operator.push(event, sink));
            }
            Self::Any => {
                let mut operator = Any::default();
                arriving(events).for_each(|event| operator.push(event, sink));
            }
        }
    }

    /// Pushes the events one by one and counts the matches.
    pub fn count_all(self, events: &[Stock]) -> u64 {
        match self {
            Self::Strict => {
                let mut operator = CountStrict::default();
                arriving(events).map(|event| operator.push(event)).sum()
            }
            Self::Rising => {
                let mut operator = CountRising::default();
                arriving(events).map(|event| operator.push(event)).sum()
            }
            Self::Any => {
                let mut operator = CountAny::default();
                arriving(events).map(|event| operator.push(event)).sum()
            }
        }
    }
}

/// The events as they come to an operator, which does not know from where. Without the barrier the
/// compiler makes one loop over the array of source and operator.
pub fn arriving(events: &[Stock]) -> impl Iterator<Item = Stock> {
    events.iter().map(|event| black_box(*event))
}

/// Three events in a row.
#[derive(Debug, Default)]
pub struct Strict {
    /// The events just before the next one, as far as they match.
    held: Vec<Stock>,
}

impl Strict {
    /// Takes the next event.
    pub fn push(&mut self, event: Stock, sink: &mut impl Sink) {
        if event.volume > 500 {
            if self.held.len() == 2 {
                sink.matched(self.held.iter().chain([&event]));
            }
            self.held.clear();
            self.held.push(event);
        } else if self.held.len() == 1 {
            self.held.push(event);
        } else {
            self.held.clear();
        }
    }
}

/// A partial match of [`Rising`].
#[derive(Debug)]
struct Run {
    start: i64,
    price: i64,
    /// Its events by the numbers that they have in [`Kept`].
    events: Vec<u64>,
}

/// The events that some run has taken, each once, as long as they are in the window.
#[derive(Debug, Default)]
struct Kept {
    events: VecDeque<Stock>,
    forgotten: u64,
}

impl Kept {
    /// The number of the event that is pushed next.
    fn next(&self) -> u64 {
        self.forgotten + self.events.len() as u64
    }

    fn get(&self, number: u64) -> &Stock {
        &self.events[(number - self.forgotten) as usize]
    }

    fn forget(&mut self, now: i64) {
        while self.events.front().is_some_and(|first| now - first.id > WINDOW) {
            self.events.pop_front();
            self.forgotten += 1;
        }
    }
}

/// A rising closure under skip-till-next.
#[derive(Debug, Default)]
pub struct Rising {
    kept: Kept,
    /// In the order of their starts.
    runs: VecDeque<Run>,
    /// Lists of runs that are over.
    spare: Vec<Vec<u64>>,
}

impl Rising {
    /// Takes the next event.
    pub fn push(&mut self, event: Stock, sink: &mut impl Sink) {
        let Self { kept, runs, spare } = self;
        while runs.front().is_some_and(|run| event.id - run.start > WINDOW) {
            spare.extend(runs.pop_front().map(|run| run.events));
        }
        kept.forget(event.id);
        let (number, ends) = (kept.next(), event.volume > 850);
        let mut taken = false;
        runs.retain_mut(|run| {
            if ends {
                let events = run.events.iter().map(|&number| kept.get(number));
                sink.matched(events.chain([&event]));
            }
            let takes = event.price > run.price;
            if takes {
                run.events.push(number);
                run.price = event.price;
                taken = true;
            } else if ends {
                spare.push(std::mem::take(&mut run.events));
            }
            takes || !ends
        });
        if event.volume <= 100 {
            let mut events = spare.pop().unwrap_or_default();
            events.clear();
            events.push(number);
            runs.push_back(Run { start: event.id, price: event.price, events });
            taken = true;
        }
        if taken {
            kept.events.push_back(event);
        }
    }
}

/// A rising closure under skip-till-any.
#[derive(Debug, Default)]
pub struct Any {
    /// The events of the window that the closure may take.
    window: VecDeque<Stock>,
    /// The chain that is handed out, by places in the window.
    chain: Vec<usize>,
}

impl Any {
    /// Takes the next event.
    pub fn push(&mut self, event: Stock, sink: &mut impl Sink) {
        while self.window.front().is_some_and(|first| event.id - first.id > WINDOW) {
            self.window.pop_front();
        }
        if event.volume > 850 {
            let window = self.window.make_contiguous();
            chains(window, 0, i64::MIN, &event, &mut self.chain, sink);
        }
        if event.volume <= 150 {
            self.window.push_back(event);
        }
    }
}

/// All rising chains of events of the window from a place on, after those already chosen, each closed
/// by the last event.
fn chains(
    window: &[Stock],
    from: usize,
    above: i64,
    last: &Stock,
    chain: &mut Vec<usize>,
    sink: &mut impl Sink,
) {
    for (at, event) in window.iter().enumerate().skip(from) {
        if event.price <= above {
            continue;
        }
        chain.push(at);
        sink.matched(chain.iter().map(|&at| &window[at]).chain(iter::once(last)));
        chains(window, at + 1, event.price, last, chain, sink);
        chain.pop();
    }
}

/// Counts [`Query::Strict`].
#[derive(Debug, Default)]
pub struct CountStrict {
    /// Whether one event, and whether two, just before the next one match.
    reached: (bool, bool),
}

impl CountStrict {
    /// Takes the next event; how many matches it completes.
    pub fn push(&mut self, event: Stock) -> u64 {
        let ((one, two), large) = (self.reached, event.volume > 500);
        self.reached = (large, one && !large);
        u64::from(two && large)
    }
}

/// Counts [`Query::Rising`].
#[derive(Debug, Default)]
pub struct CountRising {
    /// Start and last price of every partial match, in the order of their starts.
    runs: VecDeque<(i64, i64)>,
}

impl CountRising {
    /// Takes the next event; how many matches it completes.
    pub fn push(&mut self, event: Stock) -> u64 {
        let runs = &mut self.runs;
        while runs.front().is_some_and(|(start, _)| event.id - start > WINDOW) {
            runs.pop_front();
        }
        let ends = event.volume > 850;
        let count = if ends { runs.len() as u64 } else { 0 };
        if ends {
            runs.retain(|&(_, price)| event.price > price);
        }
        for (_, price) in runs.iter_mut() {
            *price = event.price.max(*price);
        }
        if event.volume <= 100 {
            runs.push_back((event.id, event.price));
        }
        count
    }
}

/// Counts [`Query::Any`].
#[derive(Debug, Default)]
pub struct CountAny {
    /// Times and prices of the events that the closure may take.
    window: VecDeque<(i64, i64)>,
    /// For each of them, in how many ways a chain may end with it.
    ways: Vec<u64>,
}

impl CountAny {
    /// Takes the next event; how many matches it completes.
    pub fn push(&mut self, event: Stock) -> u64 {
        let Self { window, ways } = self;
        while window.front().is_some_and(|(time, _)| event.id - time > WINDOW) {
            window.pop_front();
        }
        let mut count = 0;
        if event.volume > 850 {
            ways.clear();
            for (_, last) in window.iter() {
                let before = window.iter().zip(&*ways).filter(|((_, price), _)| price < last);
                let ending = 1 + before.map(|(_, ways)| ways).sum::<u64>();
                ways.push(ending);
                count += ending;
            }
        }
        if event.volume <= 150 {
            window.push_back((event.id, event.price));
        }
        count
    }
}
