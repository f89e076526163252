//! Roaming SIM cards: a card that registers in two countries sooner than anyone flies has been
//! copied. Positions from signalling are uncertain; how often each card did it, on average, is a sum,
//! and the worst cards of each hour are those to look at.
//!
//! cargo run -p ujoin --example roaming_cards
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use ujoin::mode::{Expected, Slices};
use ujoin::{Config, Engine, Pair, Probability, Product, SinkError, TravelTimes, Tuple, Visit};

const HOUR: i64 = 3_600;

pub fn main() -> Result<(), Box<dyn Error>> {
    // Four countries, at least 90 minutes apart; every pair counts, however unlikely.
    let times = TravelTimes::constant(4, 90 * 60)?;
    let config = Config::new(times).engine(Engine::Keyed).threshold(Product::from_units(0));
    let mut join = config.build()?;
    let hours = Slices::new(HOUR).ok_or("slices have a length")?;
    let mut expected: Expected<u64> = Expected::new(hours);
    let mut count = |pair: &Pair| -> Result<(), SinkError> {
        expected.add(pair.second.time, pair.first.key, pair.probability);
        Ok(())
    };
    // Every 100 s one of 50 cards registers at home; card 7 is also abroad.
    let mut seq = 0;
    for time in (0..4 * HOUR).step_by(100) {
        let card = (time / 100 % 50) as u64;
        let home = (card % 4) as u32;
        let mut registers = |stream: u32, percent: u32| -> Result<(), Box<dyn Error>> {
            let probability = Probability::from_nanos(percent * 10_000_000)?;
            let tuple = Tuple { seq, observation: seq, key: card, time, stream, probability };
            seq += 1;
            Ok(join.push(&[tuple], &mut Visit(&mut count))?)
        };
        registers(home, 90)?;
        if card == 7 {
            registers((home + 1) % 4, 60)?;
        }
    }
    join.finish(&mut Visit(&mut count))?;
    let mut hours = vec![];
    expected.finish(|start, cards| {
        for (card, number) in &cards {
            println!("hour {}: card {card} {number} times on average", start / HOUR);
        }
        hours.extend(cards.iter().map(|(card, _)| *card));
    });
    assert!(!hours.is_empty() && hours.iter().all(|card| *card == 7));
    Ok(())
}
