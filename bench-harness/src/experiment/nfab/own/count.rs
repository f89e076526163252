//! Counting the matches of a pattern whose conditions look at single events: the window must not matter.

use std::rc::Rc;

use data_gen::stream::{LetterOptions, StreamKind};
use nfab::HistoryKind;

use super::NO_PAPER;
use crate::claim::{Claim, Rule};
use crate::error::Result;
use crate::experiment::nfab::engines::{self, Nfab, Stream, Way, agree, schema};
use crate::experiment::nfab::sequence::Symbol;
use crate::experiment::nfab::sweep::{self, Sweep};
use crate::experiment::{About, Context, Experiment, Kind, Plot, Scale, Spacing};
use crate::record::Row;

/// The check.
#[derive(Debug)]
pub struct Counting;

const WINDOWS: [i64; 6] = [30, 100, 300, 1000, 3000, 10_000];
/// Runs are only compared up to here, and over a part of the events: that takes a hundred times as long.
const RUNS_TO: i64 = 100;
const PART: u64 = 10;

const COUNT: &str = "counting";
const RUNS: &str = "counting, one run for each partial match";
const MATCHES: &str = "matches";

/// The types of events.
const TYPES: usize = 4;

impl Experiment for Counting {
    fn about(&self) -> About {
        About {
            id: "nfab-count".to_owned(),
            kind: Kind::Check,
            title: "Counting whatever the window".to_owned(),
            paper: NO_PAPER.to_owned(),
            method: format!(
                "The query {} with windows from 30 to 10,000 over a stream of {TYPES} equally frequent \
                 types; the number of matches grows with the square of the window. The engine only \
                 counts them, as it chooses. The count is compared with one that follows from prefix sums, and \
                 for small windows with that of runs, over a stream of a tenth of the events. CPU times of one \
                 thread.",
                text(1000)
            ),
            reconstruction: None,
            claims: vec![
                Claim::new(
                    "throughput is flat within 10 % from a window of 30 to one of 10,000",
                    "flat",
                    Rule::flat(&[COUNT]),
                )
                .our_check(),
            ],
            plots: vec![
                Plot {
                    x_axis: Spacing::Log,
                    ..sweep::lines("Throughput", "window, events", "throughput", &[COUNT, RUNS])
                },
                sweep::table("Matches", "window, events", &[MATCHES]),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let (all, part) = streams(context)?;
        context.record.data_sha256(Some(all.sha256.clone()));
        for window in WINDOWS {
            let chosen = engine(window, Way::Chosen)?;
            let count = |stream: &Stream<Symbol>| -> Result<u64> {
                let right = expected(&stream.events, window);
                let found = chosen.count(&stream.events)?;
                agree(&[("prefix sums", right), ("nfab", found)])?;
                Ok(right)
            };
            if window <= RUNS_TO {
                let runs = engine(window, Way::Runs(HistoryKind::Chain))?.count(&part.events)?;
                agree(&[("prefix sums", count(&part)?), ("runs", runs)])?;
            }
            let chosen = count(&all)?;
            context.record.count(MATCHES, window as f64, chosen, "");
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let (all, part) = streams(context)?;
        let mut sweep = Sweep::default();
        for window in WINDOWS {
            let chosen = engine(window, Way::Chosen)?;
            let (count, events) = (expected(&all.events, window), Rc::clone(&all.events));
            sweep.data(&all);
            sweep.add(COUNT, window as f64, count, move || chosen.count(&events));
            if window <= RUNS_TO {
                let runs = engine(window, Way::Runs(HistoryKind::Chain))?;
                let (count, events) = (expected(&part.events, window), Rc::clone(&part.events));
                sweep.data(&part);
                sweep.add(RUNS, window as f64, count, move || runs.count(&events));
            }
        }
        sweep.run(context, &[])
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let (speeds, matches) = (sweep::values(rows, COUNT), sweep::values(rows, MATCHES));
        let (Some(first), Some(last), Some(matches)) =
            (speeds.first(), speeds.last(), matches.last())
        else {
            return Vec::new();
        };
        vec![format!(
            "Counting made {:.1} million events a second with a window of {}, {:.1} with one of {}, \
             where there were {:.1e} matches.",
            first.1, first.0, last.1, last.0, matches.1
        )]
    }
}

fn text(window: i64) -> String {
    format!("PATTERN SEQ(A a, B b, C c) WHERE skip_till_any_match WITHIN {window} ms")
}

fn engine(window: i64, way: Way) -> Result<Nfab> {
    Nfab::new(&text(window), &schema(&["A", "B", "C", "D"], &["id"]), way)
}

/// The number of matches, from sums over the prefixes of the stream.
fn expected(events: &[Symbol], window: i64) -> u64 {
    // Before each event: how many A and B there were, and how many pairs of an A and a later B.
    let mut before = vec![(0_u64, 0_u64, 0_u64)];
    let (mut first, mut count) = (0, 0);
    for (at, event) in events.iter().enumerate() {
        while event.0.time - events[first].0.time > window {
            first += 1;
        }
        let (mut a, mut b, mut pairs) = before[at];
        match event.0.letter {
            0 => a += 1,
            1 => (b, pairs) = (b + 1, pairs + a),
            2 => {
                let (earlier_a, earlier_b, earlier_pairs) = before[first];
                // Not the pairs that begin before the window, whether they end in it or not.
                count += pairs - earlier_pairs - earlier_a * (b - earlier_b);
            }
            _ => {}
        }
        before.push((a, b, pairs));
    }
    count
}

/// All events, and those of which runs are made.
fn streams(context: &Context<'_>) -> Result<(Stream<Symbol>, Stream<Symbol>)> {
    let events = match context.scale {
        Scale::Tiny => 8_000,
        Scale::Quick => 200_000,
        Scale::Paper => 500_000,
        Scale::Full => 5_000_000,
    };
    Ok((stream(events, context)?, stream(events / PART, context)?))
}

fn stream(events: u64, context: &Context<'_>) -> Result<Stream<Symbol>> {
    let options = LetterOptions::uniform(events, TYPES, 1);
    let stream = options.stream(context.seed).map_err(|error| engines::generating(&error))?;
    let sha256 = engines::hash(&StreamKind::Letters(options), context.seed)?;
    Ok(Stream { events: stream.map(Symbol).collect(), sha256 })
}
