//! Loops over an array to which they can always go back; they know the events of a match by their
//! numbers alone, which are their times.

use std::collections::VecDeque;

use hashbrown::HashMap;

use super::{Query, Sink, Tick};

/// Gives every match in the array to the sink.
pub fn scan(query: Query, stream: &[Tick], sink: &mut impl Sink) {
    match query {
        Query::Strict => strict(stream, sink),
        Query::Rising => rising(stream, sink),
        Query::Any => any(stream, sink),
        Query::Keyed => keyed(stream, sink),
    }
}

fn strict(stream: &[Tick], sink: &mut impl Sink) {
    // How far the events just before this one match.
    let mut reached = 0;
    for (number, tick) in (0..).zip(stream) {
        reached = match (tick.kind, reached) {
            (0, _) => 1,
            (1, 1) => 2,
            (2, 2) => {
                sink.matched([number - 2, number - 1, number].into_iter());
                0
            }
            _ => 0,
        };
    }
}

/// A run: its events, and the price of the last one.
struct Rise {
    numbers: Vec<i64>,
    price: i64,
}

fn rising(stream: &[Tick], sink: &mut impl Sink) {
    let mut runs: VecDeque<Rise> = VecDeque::new();
    let mut spare: Vec<Vec<i64>> = Vec::new();
    for (number, tick) in (0..).zip(stream) {
        while let Some(run) = runs.front()
            && run.numbers[0] + 50 <= number
        {
            sink.matched(run.numbers.iter().copied());
            spare.extend(runs.pop_front().map(|run| run.numbers));
        }
        if tick.kind != 0 {
            continue;
        }
        for run in &mut runs {
            if tick.price > run.price {
                run.numbers.push(number);
                run.price = tick.price;
            }
        }
        let mut numbers = spare.pop().unwrap_or_default();
        numbers.clear();
        numbers.push(number);
        runs.push_back(Rise { numbers, price: tick.price });
    }
}

fn any(stream: &[Tick], sink: &mut impl Sink) {
    // Firsts with the events that may follow each.
    let mut firsts: VecDeque<(i64, i64, Vec<i64>)> = VecDeque::new();
    for (number, tick) in (0..).zip(stream) {
        while firsts.front().is_some_and(|first| first.1 < tick.time - 50) {
            firsts.pop_front();
        }
        match tick.kind {
            0 => firsts.push_back((number, tick.time, Vec::new())),
            1 => firsts.iter_mut().for_each(|first| first.2.push(number)),
            2 => {
                for (first, _, middle) in &firsts {
                    for set in 1u64..1 << middle.len() {
                        let middle = super::members(set).map(|at| middle[at]);
                        sink.matched([*first].into_iter().chain(middle).chain([number]));
                    }
                }
            }
            _ => {}
        }
    }
}

fn keyed(stream: &[Tick], sink: &mut impl Sink) {
    let mut partitions: HashMap<i64, VecDeque<(i64, i64, i64)>> = HashMap::new();
    for (number, tick) in (0..).zip(stream) {
        if tick.kind > 1 {
            continue;
        }
        let runs = partitions.entry(tick.symbol).or_default();
        while runs.front().is_some_and(|run| run.1 < tick.time - 5000) {
            runs.pop_front();
        }
        if tick.kind == 0 {
            runs.push_back((number, tick.time, tick.price));
        } else {
            runs.retain(|&(first, _, price)| {
                let fits = tick.price > price;
                if fits {
                    sink.matched([first, number].into_iter());
                }
                !fits
            });
        }
    }
}
