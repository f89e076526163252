//! Tags in a warehouse: a gate that reads a stack of pallets is not sure which tag is in front. Two
//! gates that report one tag within less time than a forklift needs have read past each other.
//!
//! Alternatives of one reading exclude each other, so their products add up: two vague readings of
//! the same two tags are suspicious, although no single tag is likely.
//!
//! cargo run -p ujoin --example warehouse_tags
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use ujoin::mode::{Alternative, Observation, ObservationJoin, ObservationPair};
use ujoin::{Config, Probability, TravelTimes};

/// Gate, second, and tags with their chances in percent.
type Reading = (u32, i64, &'static [(u64, u32)]);

const READINGS: [Reading; 5] = [
    (0, 0, &[(7001, 50), (7002, 50)]),
    (1, 20, &[(7001, 50), (7002, 45), (7003, 5)]),
    (2, 30, &[(7002, 20), (7004, 80)]),
    (0, 95, &[(7004, 100)]),
    (1, 200, &[(7004, 90)]),
];

pub fn main() -> Result<(), Box<dyn Error>> {
    // No two gates are closer than a minute.
    let times = TravelTimes::constant(3, 60)?;
    let threshold = Probability::from_nanos(400_000_000)?;
    let mut join = ObservationJoin::new(Config::new(times).threshold(threshold))?;
    let mut found: Vec<ObservationPair> = vec![];
    for (id, &(stream, time, tags)) in (0..).zip(&READINGS) {
        let alternatives = tags.iter().map(|&(key, percent)| {
            Ok(Alternative { key, probability: Probability::from_nanos(percent * 10_000_000)? })
        });
        let alternatives: Vec<Alternative> = alternatives.collect::<Result<_, Box<dyn Error>>>()?;
        let observation = Observation { id, stream, time, alternatives: &alternatives };
        join.push(&observation, &mut |pair| {
            found.push(*pair);
            Ok(())
        })?;
    }
    join.finish(&mut |pair| {
        found.push(*pair);
        Ok(())
    })?;
    for pair in &found {
        println!(
            "gates {} and {}, {} s apart: the same tag with probability {}, most likely {}",
            pair.first.1,
            pair.second.1,
            pair.second.2 - pair.first.2,
            pair.probability,
            pair.key
        );
    }
    // 0.5 * 0.5 + 0.5 * 0.45; gate 2 at 30 s and gate 0 at 95 s are far enough apart.
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].probability.to_string(), "0.475");
    Ok(())
}
