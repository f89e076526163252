//! A small box at the roadside: a day of sightings with memory for a thousand of them. What does not
//! fit goes to disk, and meets what it has missed when there is time; nothing is lost, and the three
//! most suspicious pairs of each quarter of the day are shown.
//!
//! cargo run --release -p ujoin --example tight_memory
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::cmp::Reverse;
use std::error::Error;
use std::sync::Arc;

use ujoin::mode::{Slices, TopK};
use ujoin::storage::Files;
use ujoin::{
    Budget, Config, Count, Drained, Pair, Policy, Probability, SinkError, Spill, Stats,
    TravelTimes, Tuple, Visit,
};

const DAY: i64 = 86_400;

/// A car every two seconds at one of eight cameras; some plates are more frequent than others.
fn sightings() -> impl Iterator<Item = Tuple> {
    let mut state = 1_u64;
    let mut below = move |most: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    (0..DAY as u64 / 2).filter_map(move |seq| {
        let key = below(30_000).min(below(30_000));
        let probability = Probability::from_nanos(500_000_000 + below(490_000_000) as u32).ok()?;
        let (time, stream) = (2 * seq as i64, below(8) as u32);
        Some(Tuple { seq, observation: seq, key, time, stream, probability })
    })
}

fn config() -> Result<Config, Box<dyn Error>> {
    let times = TravelTimes::constant(8, 3_600)?;
    Ok(Config::new(times).threshold(Probability::from_nanos(700_000_000)?))
}

pub fn main() -> Result<(), Box<dyn Error>> {
    let storage = Arc::new(Files::temporary()?);
    let spill = Spill::new(Budget::Entries(1_000), Policy::Quantile, storage);
    let mut join = config()?.spill(spill).build()?;
    let quarters = Slices::new(DAY / 4).ok_or("slices have a length")?;
    let mut top = TopK::new(3, quarters);
    let mut pairs = 0;
    let mut keep = |pair: &Pair| -> Result<(), SinkError> {
        pairs += 1;
        let newest = pair.first.seq.max(pair.second.seq);
        top.offer(pair.second.time, (pair.probability, Reverse(newest)), || *pair);
        Ok(())
    };
    for tuple in sightings() {
        // At full hours there is nobody on the road for a while.
        if tuple.time % 3_600 == 0 {
            while join.drain(&mut Visit(&mut keep))? == Drained::More {}
        }
        join.push(&[tuple], &mut Visit(&mut keep))?;
    }
    join.finish(&mut Visit(&mut keep))?;
    let Stats { spilled_entries, drained_pairs, resident_max, .. } = join.stats();
    println!(
        "{pairs} pairs; {spilled_entries} sightings went to disk, {drained_pairs} pairs came later"
    );
    top.finish(|start, best| {
        for (rank, (_, pair)) in best.iter().enumerate() {
            let (hour, key, dt) =
                (start / 3_600, pair.first.key, pair.second.time - pair.first.time);
            println!("{hour:02}:00 #{} plate {key} after {dt} s: {}", rank + 1, pair.probability);
        }
    });
    assert!(resident_max <= 1_000 && drained_pairs > 0);

    // The same as with all the memory that it takes.
    let mut all = Count::default();
    let mut join = config()?.build()?;
    join.push(&sightings().collect::<Vec<_>>(), &mut all)?;
    join.finish(&mut all)?;
    assert_eq!(all.pairs, pairs);
    Ok(())
}
