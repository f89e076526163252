//! Loops over an array.
//!
//! Each gives the matches to a closure, as the numbers of their events, or only counts them in the
//! cheapest way that the query allows.

use std::collections::VecDeque;

use super::{Query, WINDOW};
use crate::baseline::stock::Stock;

impl Query {
    /// Gives every match in the array to the closure, as the numbers of its events.
    pub fn scan(self, events: &[Stock], matched: &mut impl FnMut(&[u64])) {
        match self {
            Self::Strict => strict(events, |third| matched(&[third - 2, third - 1, third])),
            Self::Rising => rising(events, matched),
            Self::Any => any(events, matched),
        }
    }

    /// Counts the matches in the array.
    pub fn count_scan(self, events: &[Stock]) -> u64 {
        let mut count = 0;
        match self {
            Self::Strict => strict(events, |_| count += 1),
            Self::Rising => count = count_rising(events),
            Self::Any => count = count_any(events),
        }
        count
    }
}

fn strict(events: &[Stock], mut matched: impl FnMut(u64)) {
    let (mut one, mut two) = (false, false);
    for event in events {
        let large = event.volume > 500;
        if two && large {
            matched(event.id as u64);
        }
        (one, two) = (large, one && !large);
    }
}

struct Run {
    start: i64,
    last: i64,
    events: Vec<u64>,
}

fn rising(events: &[Stock], matched: &mut impl FnMut(&[u64])) {
    let mut runs: Vec<Run> = Vec::new();
    for event in events {
        let number = event.id as u64;
        let ends = event.volume > 850;
        runs.retain_mut(|run| {
            if event.id - run.start > WINDOW {
                return false;
            }
            let takes = event.price > run.last;
            if takes || ends {
                run.events.push(number);
                run.last = event.price;
            }
            if ends {
                matched(&run.events);
            }
            takes || !ends
        });
        if event.volume <= 100 {
            runs.push(Run { start: event.id, last: event.price, events: vec![number] });
        }
    }
}

fn count_rising(events: &[Stock]) -> u64 {
    let mut runs: Vec<(i64, i64)> = Vec::new();
    let mut count = 0;
    for event in events {
        let ends = event.volume > 850;
        runs.retain_mut(|(start, last)| {
            if event.id - *start > WINDOW {
                return false;
            }
            count += u64::from(ends);
            let takes = event.price > *last;
            if takes {
                *last = event.price;
            }
            takes || !ends
        });
        if event.volume <= 100 {
            runs.push((event.id, event.price));
        }
    }
    count
}

/// The events of the window that the closure may take.
fn candidates(window: &mut VecDeque<Stock>, now: i64) {
    while window.front().is_some_and(|first| now - first.id > WINDOW) {
        window.pop_front();
    }
}

fn any(events: &[Stock], matched: &mut impl FnMut(&[u64])) {
    let mut window: VecDeque<Stock> = VecDeque::new();
    let mut chain = Vec::new();
    for event in events {
        candidates(&mut window, event.id);
        if event.volume > 850 {
            let window = window.make_contiguous();
            chains(window, i64::MIN, event.id as u64, &mut chain, matched);
        }
        if event.volume <= 150 {
            window.push_back(*event);
        }
    }
}

/// All rising chains of the events, after those already chosen, each closed by the last event.
fn chains(
    events: &[Stock],
    above: i64,
    last: u64,
    chain: &mut Vec<u64>,
    matched: &mut impl FnMut(&[u64]),
) {
    for (at, event) in events.iter().enumerate() {
        if event.price <= above {
            continue;
        }
        chain.extend([event.id as u64, last]);
        matched(chain);
        chain.pop();
        chains(&events[at + 1..], event.price, last, chain, matched);
        chain.pop();
    }
}

fn count_any(events: &[Stock]) -> u64 {
    let mut window: VecDeque<Stock> = VecDeque::new();
    let mut ways: Vec<u64> = Vec::new();
    let mut count = 0;
    for event in events {
        candidates(&mut window, event.id);
        if event.volume > 850 {
            ways.clear();
            for last in &window {
                let before = window.iter().zip(&ways).filter(|(one, _)| one.price < last.price);
                let ending = 1 + before.map(|(_, ways)| ways).sum::<u64>();
                ways.push(ending);
                count += ending;
            }
        }
        if event.volume <= 150 {
            window.push_back(*event);
        }
    }
    count
}
