//! NFA^b with a private buffer for every run: a run that forks copies its buffer.
//!
//! A buffer holds references to events, eight bytes each; the events themselves are held once.

use std::collections::HashMap;

use super::{Outcome, Query, Stock, Store, Strategy};

struct Run {
    events: Vec<u64>,
    start: i64,
    last: i64,
    minimum: i64,
}

/// Evaluates the query.
pub fn evaluate(query: &Query, events: &[Stock]) -> Outcome {
    let mut partitions: HashMap<u32, Vec<Run>> = HashMap::new();
    let mut store = Store::default();
    let mut out = Outcome::default();
    let (mut entries, mut live) = (0, 0);
    for event in events {
        store.push(event, query.window);
        let runs = partitions.entry(event.symbol).or_default();
        let ends = query.ends(event);
        runs.retain_mut(|run| {
            let inside = event.id - run.start <= query.window;
            let takes = inside && query.takes(event, run.last, run.minimum);
            if inside && ends {
                // The fork that proceeds to b has a buffer of its own, unless the run ends here.
                if takes {
                    let mut complete = run.events.clone();
                    complete.push(event.id as u64);
                    out.peak_entries = out.peak_entries.max(entries + complete.len());
                    out.answer.add(complete);
                } else {
                    out.answer.add(run.events.iter().copied().chain([event.id as u64]));
                }
            }
            if takes {
                run.events.push(event.id as u64);
                run.last = event.price;
                run.minimum = run.minimum.min(event.price);
                entries += 1;
            }
            let ignores = inside && query.strategy == Strategy::Next && !ends;
            let stays = takes || ignores;
            if !stays {
                entries -= run.events.len();
                live -= 1;
            }
            stays
        });
        if query.begins(event) {
            let events = vec![event.id as u64];
            runs.push(Run { events, start: event.id, last: event.price, minimum: event.price });
            entries += 1;
            live += 1;
        }
        out.peak_entries = out.peak_entries.max(entries);
        out.peak_runs = out.peak_runs.max(live);
    }
    out
}
