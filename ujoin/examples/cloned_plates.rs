//! Cloned number plates: one plate seen by two cameras sooner than any car can drive.
//!
//! cargo run -p ujoin --example cloned_plates
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use ujoin::{Collect, Config, Probability, Product, TravelTimes, Tuple};

const CAMERAS: [&str; 3] = ["Airport", "Bridge", "Castle"];

/// What the cameras read: camera, second, plate, confidence in percent.
const READINGS: [(usize, i64, &str, u32); 7] = [
    (0, 0, "B-AB 123", 97),
    (1, 40, "M-XY 9", 99),
    (1, 900, "B-AB 123", 95),
    // The airport is half an hour from the castle.
    (2, 1_000, "B-AB 123", 91),
    (2, 2_200, "M-XY 9", 98),
    // A number that was read wrongly, as the camera suspects.
    (0, 2_210, "M-XY 9", 55),
    (1, 9_000, "B-AB 123", 96),
];

pub fn main() -> Result<(), Box<dyn Error>> {
    // Seconds from each camera (row) to each other one; uphill it takes longer.
    let times = TravelTimes::from_rows(3, vec![0, 800, 1_800, 700, 0, 1_200, 1_700, 1_100, 0])?;
    let config = Config::new(times).threshold(Probability::from_nanos(800_000_000)?);
    let mut join = config.build()?;
    let mut plates: Vec<&str> = vec![];
    let mut found = Collect::default();
    for (seq, &(camera, time, plate, percent)) in (0..).zip(&READINGS) {
        let key = plates.iter().position(|known| *known == plate).unwrap_or_else(|| {
            plates.push(plate);
            plates.len() - 1
        });
        let tuple = Tuple {
            seq,
            observation: seq,
            key: key as u64,
            time,
            stream: camera as u32,
            probability: Probability::from_nanos(percent * 10_000_000)?,
        };
        join.push(&[tuple], &mut found)?;
    }
    join.finish(&mut found)?;
    for pair in &found.pairs {
        let name = |tuple: &Tuple| CAMERAS[tuple.stream as usize];
        println!(
            "{}: {} to {} in {} s, which takes {} s: cloned with probability {}",
            plates[pair.first.key as usize],
            name(&pair.first),
            name(&pair.second),
            pair.second.time - pair.first.time,
            pair.limit,
            pair.probability
        );
    }
    // Both sightings at the castle are too early for a car from the airport or the bridge.
    let seconds: Vec<i64> = found.pairs.iter().map(|pair| pair.second.time).collect();
    assert_eq!(seconds, [1_000, 1_000]);
    assert_eq!(found.pairs[0].probability.max(found.pairs[1].probability), product(97, 91));
    Ok(())
}

/// Of two confidences in percent.
fn product(p: u64, q: u64) -> Product {
    Product::from_units(p * q * 100_000_000_000_000)
}
