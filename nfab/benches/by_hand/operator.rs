//! Operators that keep the contract of an engine, but for one query only.
//!
//! Events are pushed by value, one at a time, from wherever they come. An operator owns those that it
//! has to keep, forgets them by the window, and lends every match as the events themselves, in their
//! order. Once its buffers have grown to what a window holds, it does not allocate. The order of
//! the matches that one event completes is left to it.

use std::collections::VecDeque;
use std::hint::black_box;

use hashbrown::HashMap;

use super::{Query, Sink, Tick};

/// Pushes all events one by one; every match goes to the sink.
pub fn push_all(query: Query, stream: &[Tick], sink: &mut impl Sink) {
    match query {
        Query::Strict => {
            let mut operator = Strict::default();
            arriving(stream).for_each(|tick| operator.push(tick, sink));
        }
        Query::Rising => {
            let mut operator = Rising::default();
            arriving(stream).for_each(|tick| operator.push(tick, sink));
        }
        Query::Any => {
            let mut operator = Any::default();
            arriving(stream).for_each(|tick| operator.push(tick, sink));
        }
        Query::Keyed => {
            let mut operator = Keyed::default();
            arriving(stream).for_each(|tick| operator.push(tick, sink));
        }
    }
}

/// The events as they come to an operator, which does not know from where. Without the barrier the
/// compiler makes one loop over the array of source and operator.
pub fn arriving(stream: &[Tick]) -> impl Iterator<Item = Tick> {
    stream.iter().map(|tick| black_box(*tick))
}

/// Gives a match to the sink, which looks into its events.
fn lend<'a>(events: impl Iterator<Item = &'a Tick>, sink: &mut impl Sink) {
    sink.matched(events.map(|tick| tick.time));
}

#[derive(Default)]
struct Strict {
    /// The events just before the next one, as far as they match.
    held: Vec<Tick>,
}

impl Strict {
    fn push(&mut self, tick: Tick, sink: &mut impl Sink) {
        match (tick.kind, self.held.len()) {
            (0, _) => {
                self.held.clear();
                self.held.push(tick);
            }
            (1, 1) => self.held.push(tick),
            (kind, held) => {
                if (kind, held) == (2, 2) {
                    lend(self.held.iter().chain([&tick]), sink);
                }
                self.held.clear();
            }
        }
    }
}

/// A run: the numbers of its events, and the price of the last one.
struct Rise {
    numbers: Vec<u64>,
    price: i64,
}

#[derive(Default)]
struct Rising {
    /// The newest events, at most as many as the window has.
    window: VecDeque<Tick>,
    /// The number of the next event.
    next: u64,
    /// In the order of their first events.
    runs: VecDeque<Rise>,
    /// Lists of runs that are over.
    spare: Vec<Vec<u64>>,
}

impl Rising {
    fn push(&mut self, tick: Tick, sink: &mut impl Sink) {
        let Self { window, next, runs, spare } = self;
        let (number, oldest) = (*next, *next - window.len() as u64);
        while let Some(run) = runs.front()
            && run.numbers[0] + 50 <= number
        {
            let event = |number: &u64| &window[(number - oldest) as usize];
            lend(run.numbers.iter().map(event), sink);
            spare.extend(runs.pop_front().map(|run| run.numbers));
        }
        if window.len() == 50 {
            window.pop_front();
        }
        if tick.kind == 0 {
            for run in runs.iter_mut().filter(|run| tick.price > run.price) {
                run.numbers.push(number);
                run.price = tick.price;
            }
            let mut numbers = spare.pop().unwrap_or_default();
            numbers.clear();
            numbers.push(number);
            runs.push_back(Rise { numbers, price: tick.price });
        }
        window.push_back(tick);
        *next += 1;
    }
}

#[derive(Default)]
struct Any {
    /// Those of type A in the window, each with the number of the first of type B after it.
    firsts: VecDeque<(Tick, u64)>,
    /// Those of type B in the window.
    middles: VecDeque<Tick>,
    /// How many of type B have left the window.
    forgotten: u64,
}

impl Any {
    fn push(&mut self, tick: Tick, sink: &mut impl Sink) {
        let Self { firsts, middles, forgotten } = self;
        while firsts.front().is_some_and(|(first, _)| first.time < tick.time - 50) {
            firsts.pop_front();
        }
        while middles.front().is_some_and(|middle| middle.time < tick.time - 50) {
            middles.pop_front();
            *forgotten += 1;
        }
        match tick.kind {
            0 => firsts.push_back((tick, *forgotten + middles.len() as u64)),
            1 => middles.push_back(tick),
            2 => {
                let middles = &*middles.make_contiguous();
                for (first, from) in &*firsts {
                    let middles = &middles[(from - *forgotten) as usize..];
                    // Of more than 63 events there are more choices than anybody can look at.
                    for set in 1u64..1 << middles.len() {
                        let middle = super::members(set).map(|at| &middles[at]);
                        lend([first].into_iter().chain(middle).chain([&tick]), sink);
                    }
                }
            }
            _ => {}
        }
    }
}

#[derive(Default)]
struct Keyed {
    /// Those of type A that wait, by symbol.
    waiting: HashMap<i64, VecDeque<Tick>>,
    /// Time and symbol of all of type A in the window.
    window: VecDeque<(i64, i64)>,
    /// Lists of symbols that are forgotten.
    spare: Vec<VecDeque<Tick>>,
}

impl Keyed {
    fn push(&mut self, tick: Tick, sink: &mut impl Sink) {
        let Self { waiting, window, spare } = self;
        let oldest = tick.time - 5000;
        while let Some(&(time, symbol)) = window.front()
            && time < oldest
        {
            window.pop_front();
            let Some(ticks) = waiting.get_mut(&symbol) else { continue };
            while ticks.front().is_some_and(|first| first.time < oldest) {
                ticks.pop_front();
            }
            if ticks.is_empty() {
                spare.extend(waiting.remove(&symbol));
            }
        }
        match tick.kind {
            0 => {
                window.push_back((tick.time, tick.symbol));
                let new = || spare.pop().unwrap_or_default();
                waiting.entry(tick.symbol).or_insert_with(new).push_back(tick);
            }
            1 => {
                let Some(ticks) = waiting.get_mut(&tick.symbol) else { return };
                ticks.retain(|first| {
                    let fits = tick.price > first.price;
                    if fits {
                        lend([first, &tick].into_iter(), sink);
                    }
                    !fits
                });
            }
            _ => {}
        }
    }
}
