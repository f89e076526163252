//! A plan of joins: whenever an event could be `b`, the window is joined with itself again.
//!
//! For every `b` the plan selects the `a[1]` of its partition in the window, joins each with its
//! successors as the Kleene closure demands, and keeps what reaches `b`. Nothing is remembered between
//! two `b`s but the events of the window, as in a relational plan without incremental state.

use std::collections::{HashMap, VecDeque};

use super::{Outcome, Query, Stock, Strategy};

/// Evaluates the query.
pub fn evaluate(query: &Query, events: &[Stock]) -> Outcome {
    let mut windows: HashMap<u32, VecDeque<Stock>> = HashMap::new();
    let mut out = Outcome::default();
    let mut chain = Vec::new();
    for event in events {
        let window = windows.entry(event.symbol).or_default();
        while window.front().is_some_and(|first| event.id - first.id > query.window) {
            window.pop_front();
        }
        if query.ends(event) {
            for start in 0..window.len() {
                if query.begins(&window[start]) && closure(query, window, start, &mut chain) {
                    let numbers = chain.iter().chain([&event.id]).map(|&id| id as u64);
                    out.answer.add(numbers);
                }
            }
        }
        window.push_back(*event);
        out.peak_entries = out.peak_entries.max(window.len());
    }
    out
}

/// The events of the closure that begins at a place of the window, if it reaches the window's end.
fn closure(query: &Query, window: &VecDeque<Stock>, start: usize, chain: &mut Vec<i64>) -> bool {
    chain.clear();
    let first = &window[start];
    chain.push(first.id);
    let (mut last, mut minimum) = (first.price, first.price);
    for event in window.range(start + 1..) {
        if query.takes(event, last, minimum) {
            chain.push(event.id);
            last = event.price;
            minimum = minimum.min(event.price);
        } else if query.strategy == Strategy::Partition || query.ends(event) {
            // Neither taken nor ignored: an event that could be b ends the closure.
            return false;
        }
    }
    true
}
