//! A query whose runs fork as often as one likes, with a private buffer for every run.
//!
//! `PATTERN SEQ(stock+ a[], stock b, stock c) WHERE skip_till_next_match { a[1].id % 500 = 0 AND
//! b.volume <= 1000 x AND c.volume > 990 } WITHIN 499`. At every moment one run is in the closure,
//! which takes every event. The share x of the events is a b as well: there the run forks, and the
//! clone waits with all that was taken so far for a c, one event in a hundred.

use super::{Outcome, Stock, Store};

/// A run in the closure starts every so many events, and lasts until the next one.
pub const PERIOD: i64 = 500;
/// `c.volume` is more than this, of 1000.
const RARE: i64 = 990;

/// The query for one share of forks.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// An event forks the run if its volume, uniform in 1..=1000, is no more than this.
    pub volume_to: i64,
}

impl Query {
    /// The query for so many forks an event.
    pub fn new(forks_per_event: f64) -> Self {
        Self { volume_to: (forks_per_event * 1000.0).round() as i64 }
    }

    /// The query as text.
    pub fn text(&self) -> String {
        let Self { volume_to } = self;
        format!(
            "PATTERN SEQ(stock+ a[], stock b, stock c) WHERE skip_till_next_match {{ \
             a[1].id % {PERIOD} = 0 AND b.volume <= {volume_to} AND c.volume > {RARE} }} \
             WITHIN {} ms",
            PERIOD - 1
        )
    }
}

struct Run {
    events: Vec<u64>,
    start: i64,
}

/// Evaluates the query.
pub fn evaluate(query: &Query, events: &[Stock]) -> Outcome {
    let mut closure: Option<Run> = None;
    let mut waiting: Vec<Run> = Vec::new();
    let mut store = Store::default();
    let mut out = Outcome::default();
    // What the waiting runs hold.
    let mut entries = 0;
    for event in events {
        store.push(event, PERIOD - 1);
        let number = event.id as u64;
        let passed = |run: &Run| event.id - run.start >= PERIOD;
        closure = closure.filter(|run| !passed(run));
        // Those that wait are in the order of their starts.
        let over = waiting.iter().take_while(|run| passed(run)).count();
        entries -= waiting.drain(..over).map(|run| run.events.len()).sum::<usize>();
        if event.volume > RARE {
            for run in waiting.drain(..) {
                out.answer.add(run.events.into_iter().chain([number]));
            }
            entries = 0;
        }
        if let Some(run) = &mut closure {
            if event.volume <= query.volume_to {
                let mut events = Vec::with_capacity(run.events.len() + 1);
                events.extend_from_slice(&run.events);
                events.push(number);
                entries += events.len();
                waiting.push(Run { events, start: run.start });
            }
            run.events.push(number);
        }
        if event.id % PERIOD == 0 {
            closure = Some(Run { events: vec![number], start: event.id });
        }
        let held = closure.as_ref().map_or(0, |run| run.events.len());
        out.peak_entries = out.peak_entries.max(entries + held);
        out.peak_runs = out.peak_runs.max(waiting.len() + usize::from(closure.is_some()));
    }
    out
}
